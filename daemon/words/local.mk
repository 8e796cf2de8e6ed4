# SPDX-License-Identifier: LGPL-2.1-or-later

# libc only: svc-exec links it, too.
noinst_LIBRARIES += libwords.a
libwords_a_SOURCES = \
	daemon/words/words.c daemon/words/words.h
