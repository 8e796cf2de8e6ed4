# SPDX-License-Identifier: LGPL-2.1-or-later

# libc only: svc-exec links it, too.
noinst_LIBRARIES += libpaths.a
libpaths_a_SOURCES = \
	daemon/paths/remove.c daemon/paths/remove.h \
	daemon/paths/remote-fs.c daemon/paths/remote-fs.h \
	daemon/paths/safe-path.c daemon/paths/safe-path.h
