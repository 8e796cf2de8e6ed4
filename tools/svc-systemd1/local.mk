# SPDX-License-Identifier: LGPL-2.1-or-later

# The parts that start nothing, for the tests.
noinst_LIBRARIES += libsystemd1.a
libsystemd1_a_CPPFLAGS = $(AM_CPPFLAGS) -iquote $(top_srcdir)/tools
libsystemd1_a_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(DBUS_CFLAGS)
libsystemd1_a_SOURCES = \
	tools/svc-systemd1/call-error.c tools/svc-systemd1/call-error.h \
	tools/svc-systemd1/job.c tools/svc-systemd1/job.h \
	tools/svc-systemd1/transient.c tools/svc-systemd1/transient.h \
	tools/svc-systemd1/unit.c tools/svc-systemd1/unit.h \
	tools/svc-systemd1/unit-name.c tools/svc-systemd1/unit-name.h

svcdlib_PROGRAMS += svc-systemd1
svc_systemd1_CPPFLAGS = $(libsystemd1_a_CPPFLAGS)
svc_systemd1_CFLAGS = $(libsystemd1_a_CFLAGS)
svc_systemd1_SOURCES = \
	tools/svc-systemd1/bus.c tools/svc-systemd1/bus.h \
	tools/svc-systemd1/main.c \
	tools/svc-systemd1/manager.c tools/svc-systemd1/manager.h \
	tools/svc-systemd1/properties.c tools/svc-systemd1/properties.h \
	tools/svc-systemd1/spawn.c tools/svc-systemd1/spawn.h \
	tools/svc-systemd1/start-stop.c tools/svc-systemd1/start-stop.h
svc_systemd1_LDADD = libsystemd1.a $(DBUS_LIBS) $(LIBS_BASE)
