# SPDX-License-Identifier: LGPL-2.1-or-later

# libc only, because it runs after all other processes. tests/lint/symbols checks the result.
noinst_LIBRARIES += libfinale.a
libfinale_a_SOURCES = \
	daemon/finale/file-systems.c daemon/finale/file-systems.h \
	daemon/finale/output.c daemon/finale/output.h \
	daemon/finale/processes.c daemon/finale/processes.h

svcdlib_PROGRAMS += svc-finale
svc_finale_SOURCES = daemon/finale/main.c
svc_finale_LDADD = libfinale.a
