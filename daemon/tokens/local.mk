# SPDX-License-Identifier: LGPL-2.1-or-later

# libc only: svc-exec links it, too.
noinst_LIBRARIES += libtokens.a
libtokens_a_SOURCES = \
	daemon/tokens/tokens.c daemon/tokens/tokens.h
