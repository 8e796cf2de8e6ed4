# SPDX-License-Identifier: LGPL-2.1-or-later

BUS_XML = daemon/bus/org.svcd1.Manager.xml daemon/bus/org.svcd1.Service.xml daemon/bus/org.svcd1.Boot.xml \
	daemon/bus/org.svcd1.Services.xml \
	daemon/bus/org.freedesktop.DBus.xml daemon/bus/org.freedesktop.DBus.ObjectManager.xml

noinst_LIBRARIES += libbus.a
libbus_a_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS) $(DBUS_CFLAGS)
libbus_a_SOURCES = \
	daemon/bus/access.c daemon/bus/access.h \
	daemon/bus/answers.c daemon/bus/answers.h \
	daemon/bus/auth.c daemon/bus/auth.h \
	daemon/bus/boot-iface.c \
	daemon/bus/bus.c daemon/bus/bus.h daemon/bus/bus-ops.h \
	daemon/bus/call.c daemon/bus/call.h \
	daemon/bus/call-queue.c daemon/bus/call-queue.h \
	daemon/bus/conditions.c daemon/bus/conditions.h \
	daemon/bus/dispatch.c daemon/bus/dispatch.h \
	daemon/bus/internal.h \
	daemon/bus/introspection.h \
	daemon/bus/manager-iface.c \
	daemon/bus/names.h \
	daemon/bus/objects.c daemon/bus/objects.h \
	daemon/bus/operate.c daemon/bus/operate.h \
	daemon/bus/peer.c daemon/bus/peer.h \
	daemon/bus/peer-rights.c daemon/bus/peer-rights.h \
	daemon/bus/polkit.c daemon/bus/polkit.h \
	daemon/bus/client-socket.c daemon/bus/client-socket.h \
	daemon/bus/properties.c daemon/bus/properties.h \
	daemon/bus/rows.h \
	daemon/bus/service-call.c daemon/bus/service-call.h \
	daemon/bus/service-iface.c \
	daemon/bus/services-iface.c \
	daemon/bus/system-client.c daemon/bus/system-client.h \
	daemon/bus/terms.c daemon/bus/terms.h
nodist_libbus_a_SOURCES = daemon/bus/introspection.c

# The interface elements of each file as one C string, in the order of introspection.h.
daemon/bus/introspection.c: $(BUS_XML) $(srcdir)/daemon/bus/local.mk
	$(AM_V_GEN)$(MKDIR_P) $(@D) && { \
		echo '/* Made from the introspection XML. */'; \
		echo '#include "config.h"'; \
		echo '#include "bus/introspection.h"'; \
		for name in org.svcd1.Manager org.svcd1.Service org.svcd1.Boot org.svcd1.Services org.freedesktop.DBus \
				org.freedesktop.DBus.ObjectManager; do \
			echo "const char introspection_$$(echo $$name | tr . _)[] ="; \
			$(SED) -n -e '/<interface/,/<\/interface>/{s/[\\"]/\\&/g;s/^/"/;s/$$/\\n"/;p;}' \
				$(srcdir)/daemon/bus/$$name.xml; \
			echo ';'; \
		done; } >$@.new && mv $@.new $@
CLEANFILES += daemon/bus/introspection.c
EXTRA_DIST += $(BUS_XML)

dbusinterfacesdir = $(datadir)/dbus-1/interfaces
dbusinterfaces_DATA = daemon/bus/org.svcd1.Manager.xml daemon/bus/org.svcd1.Service.xml daemon/bus/org.svcd1.Boot.xml \
	daemon/bus/org.svcd1.Services.xml

dbuspolicydir = $(datadir)/dbus-1/system.d
dist_dbuspolicy_DATA = daemon/bus/org.svcd1.conf
polkitactionsdir = $(datadir)/polkit-1/actions
dist_polkitactions_DATA = daemon/bus/org.svcd1.policy

EXTRA_DIST += docs/dbus.md
