# SPDX-License-Identifier: LGPL-2.1-or-later

# A library, so that its parts can be tested without the program.
noinst_LIBRARIES += liblogger.a
liblogger_a_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
liblogger_a_SOURCES = \
	daemon/logger/child.c daemon/logger/child.h \
	daemon/logger/forwarder.c daemon/logger/forwarder.h \
	daemon/logger/line.c daemon/logger/line.h \
	daemon/logger/log-file.c daemon/logger/log-file.h \
	daemon/logger/service-output.c daemon/logger/service-output.h \
	daemon/logger/syslog.c daemon/logger/syslog.h

svcdlib_PROGRAMS += svc-logger
svc_logger_SOURCES = daemon/logger/main.c
svc_logger_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
svc_logger_LDADD = liblogger.a $(LIBS_BASE)
