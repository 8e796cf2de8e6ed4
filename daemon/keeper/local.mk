# SPDX-License-Identifier: LGPL-2.1-or-later

# PID 1 links only libc; tests/lint/symbols checks the result.
noinst_LIBRARIES += libkeeper.a
libkeeper_a_SOURCES = \
	daemon/keeper/own-cgroups.c \
	daemon/keeper/child-exec.c \
	daemon/keeper/children.c daemon/keeper/children.h \
	daemon/keeper/console.c daemon/keeper/console.h \
	daemon/keeper/early-boot.c daemon/keeper/early-boot.h \
	daemon/keeper/fd-store.c daemon/keeper/fd-store.h \
	daemon/keeper/finale.c \
	daemon/keeper/keeper.c daemon/keeper/keeper.h \
	daemon/keeper/link.c daemon/keeper/link.h \
	daemon/keeper/link-messages.c \
	daemon/keeper/memory.c daemon/keeper/memory.h \
	daemon/keeper/reexec.c daemon/keeper/reexec.h \
	daemon/keeper/restart-limit.c \
	daemon/keeper/shutdown.c daemon/keeper/shutdown.h \
	daemon/keeper/spawn.c daemon/keeper/spawn.h \
	daemon/keeper/watchdog.c daemon/keeper/watchdog.h

rootsbin_PROGRAMS += svcd
svcd_SOURCES = daemon/keeper/main.c
svcd_LDADD = libkeeper.a
# The linker resolves all functions at start. Otherwise each child would resolve its own between clone and exec.
svcd_LDFLAGS = $(AM_LDFLAGS) -Wl,-z,now
