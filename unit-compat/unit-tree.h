/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Unit tree: the unit files, drop-ins and links below a root directory, in systemd's order of
 * precedence (systemd.unit(5)).
 */
#ifndef SVCD_UNIT_COMPAT_UNIT_TREE_H
#define SVCD_UNIT_COMPAT_UNIT_TREE_H

#include <glib.h>
#include <stdbool.h>

#include "base/diag.h"
#include "lsb-compat/tree.h"

/* One name of a unit: the file or link of the first directory that has one. */
typedef struct UnitEntry {
	char *name; /* "ssh.service" */
	char *path; /* below the root */
	char *alias_of; /* the link's target, another unit's name; or NULL */
	bool is_masked; /* a link to /dev/null */
	bool is_admins; /* below /etc or /run */
	bool hides_unit; /* a later directory has a unit of this name, which is not used */
} UnitEntry;

/* A link TARGET.wants/UNIT or TARGET.requires/UNIT. */
typedef struct UnitLink {
	char *target; /* "multi-user.target" */
	char *unit; /* "ssh.service" */
	char *path;
	bool is_required;
	bool is_masked; /* a link to /dev/null hides the links of later directories */
} UnitLink;

typedef struct UnitTree {
	LsbTree tree;
	GHashTable *entries; /* name -> UnitEntry *, owned */
	GPtrArray *links; /* UnitLink *, owned */
	/* "ssh.service.d" -> GPtrArray of paths of directories, the first has precedence */
	GHashTable *drop_ins;
} UnitTree;

/* A new array that owns its UnitLink *. */
GPtrArray *unit_links_new(void);

/* @root: "" or "/": the machine itself; symbolic links do not lead out of it. */
UnitTree *unit_tree_new(const char *root);
void unit_tree_free(UnitTree *tree);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(UnitTree, unit_tree_free)

/**
 * unit_tree_find() - the file of a unit
 * @unit: may be an alias, or an instance of a template
 * Returns: the entry of the unit that @unit is another name of; NULL if there is none. It belongs
 * to @tree.
 */
const UnitEntry *unit_tree_find(const UnitTree *tree, const char *unit);

/*
 * The name of @unit without aliases: "ssh.service" for "sshd.service", "getty@tty1.service" for
 * "autovt@tty1.service". A new string.
 */
char *unit_tree_resolve(const UnitTree *tree, const char *unit);

/**
 * unit_tree_drop_ins() - the drop-ins that apply to a unit, by its own name
 * Returns: paths in the order in which they apply, a new array that owns them.
 */
GPtrArray *unit_tree_drop_ins(const UnitTree *tree, const char *unit);

#endif
