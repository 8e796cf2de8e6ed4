/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Script names: files in /etc/init.d that are not init scripts, as for insserv(8).
 */
#ifndef SVCD_LSB_COMPAT_SCRIPT_NAMES_H
#define SVCD_LSB_COMPAT_SCRIPT_NAMES_H

#include <glib.h>
#include <stdbool.h>

/**
 * lsb_name_is_script() - may a file of this name be a script?
 * @suffixes: a strv of excluded suffixes, from /etc/insserv/file-filters
 */
bool lsb_name_is_script(const char *name, const char *const *suffixes);

/* May a file of this name be part of insserv.conf.d? */
bool lsb_name_is_conf(const char *name);

/**
 * lsb_name_service() - "hostname.sh" -> "hostname"
 * @ret_problem: why no service can have this name, one sentence, a new string
 * Returns: a new string, or NULL.
 */
char *lsb_name_service(const char *name, char **ret_problem);

#endif
