# SPDX-License-Identifier: LGPL-2.1-or-later

# libc only, because it runs after all other processes. tests/lint/symbols checks the result.
noinst_LIBRARIES += libfinale.a
libfinale_a_SOURCES = \
	daemon/finale/file-systems.c daemon/finale/file-systems.h \
	daemon/finale/console-line.c daemon/finale/console-line.h \
	daemon/finale/remaining-processes.c daemon/finale/remaining-processes.h

svcdlib_PROGRAMS += svc-finale
svc_finale_SOURCES = daemon/finale/main.c
svc_finale_LDADD = libfinale.a
