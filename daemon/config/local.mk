# SPDX-License-Identifier: LGPL-2.1-or-later

noinst_LIBRARIES += libconfig.a
libconfig_a_CFLAGS = $(AM_CFLAGS) $(GLIB_CFLAGS)
libconfig_a_SOURCES = \
	daemon/config/accounts.c daemon/config/accounts.h \
	daemon/config/bundle.c daemon/config/bundle.h \
	daemon/config/gather.c daemon/config/gather.h \
	daemon/config/groups.c daemon/config/groups.h \
	daemon/config/kernel-cmdline.c daemon/config/kernel-cmdline.h \
	daemon/config/last-good.c daemon/config/last-good.h \
	daemon/config/configuration.h \
	daemon/config/loader.c daemon/config/loader.h daemon/config/loader-options.h \
	daemon/config/policy-files.c daemon/config/policy-files.h \
	daemon/config/search-path.c daemon/config/search-path.h \
	daemon/config/source-file.c daemon/config/source-file.h
