# SPDX-License-Identifier: LGPL-2.1-or-later

svcdlib_PROGRAMS += svc-exec
svc_exec_SOURCES = \
	daemon/exec/directories.c daemon/exec/directories.h \
	daemon/exec/environment.c daemon/exec/environment.h \
	daemon/exec/identity.c daemon/exec/identity.h \
	daemon/exec/main.c \
	daemon/exec/spec.c daemon/exec/spec.h \
	daemon/exec/terminal.c daemon/exec/terminal.h
