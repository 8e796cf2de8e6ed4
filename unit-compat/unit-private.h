/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Unit, private: reads one unit. For units.c.
 */
#ifndef SVCD_UNIT_COMPAT_UNIT_PRIVATE_H
#define SVCD_UNIT_COMPAT_UNIT_PRIVATE_H

#include "unit-compat/units.h"

/* Names of a unit's further files and links. */
typedef struct UnitContext {
	const UnitTree *tree;
	const UnitNatives *natives;
	GHashTable *aliases; /* "ssh.service" -> GPtrArray of names of links to it */
	GHashTable *sockets_of; /* "ssh.service" -> GPtrArray of names of sockets */
} UnitContext;

/**
 * unit_read() - decide what becomes of a service unit
 * @entry: its file, perhaps of its template
 * Returns: owned; NULL for a mask of the vendor, or one without a unit behind it. Packages make
 * such masks, because systemd must not run their scripts.
 */
Unit *unit_read(const UnitContext *context, const char *name, const UnitEntry *entry);
void unit_free(gpointer unit);

/* Refuses a unit that was read. */
void unit_refuse(Unit *unit, Origin origin, const char *setting, const char *note);

/* Does a link, such as sockets.target.wants/NAME, start this unit? */
bool unit_is_linked(const UnitTree *tree, const char *name);

/* The settings of a file; NULL: it is missing or empty. Problems are reported in @diags. */
GPtrArray *unit_read_lines(const UnitTree *tree, const char *path, DiagList *diags);

#endif
