/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Groups: numbers of the machine's own groups, from /etc/group alone. NSS might query a service
 * that svcd has yet to start, and then block.
 */
#ifndef SVCD_CONFIG_GROUPS_H
#define SVCD_CONFIG_GROUPS_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

/* Name -> number; a new table. Invalid lines are skipped, as by the C library (group(5)). */
GHashTable *groups_parse(const char *text);
/* Parses a file. NULL with @error. */
GHashTable *groups_read(const char *path, GError **error);

/* @name: the name or number of a group. Returns: false if there is no such group. */
bool groups_find(GHashTable *groups, const char *name, gid_t *ret_gid);

#endif
