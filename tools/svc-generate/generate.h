/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Generate: service and policy files from what a machine says elsewhere. The program svc-generate writes them below
 * /run/svcd/generated; svcctl --root looks at them without writing anything.
 */
#ifndef SVCD_GENERATE_GENERATE_H
#define SVCD_GENERATE_GENERATE_H

#include <glib.h>
#include <stdbool.h>

#include "base/diag.h"
#include "config/bundle.h"
#include "svc-generate/output.h"

/* Where the loader looks for them (config/search-path.c). */
#define GENERATED_DIRECTORY "/run/svcd/generated"

typedef struct Generated {
	char *root; /* as it was given */
	Bundle *bundle; /* borrowed; or NULL */
	Output *files;
	Output *rc_links; /* in the directory of that name: policy of a layer of its own */
	Output *bus_activation; /* in the directory of that name; read by dbus-daemon alone */
	DiagList *diags;        /* what was left out, and why */
	DiagList *script_diags; /* the same of init scripts: many, and of other people's making */
} Generated;

/**
 * generate() - look at everything that services are made from, and write nothing
 * @root:   the tree to look at, "" for the machine itself
 * @bundle: an open one, for the service files that are read, and to write down progress; borrowed; or NULL
 *
 * Never fails: what cannot be read is in the diagnostics. A container has no volumes and no consoles of its own.
 */
Generated *generate(const char *root, Bundle *bundle);
void generated_free(Generated *generated);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Generated, generated_free)

/**
 * generated_overlay() - the loader's view of the tree as it would be with these files written (LoaderOptions.overlay)
 * Returns: a new table, path -> GBytes; files of an earlier run that are not made any more are NULL in it.
 */
GHashTable *generated_overlay(const Generated *generated);

/* Makes @directory hold the files; see output_write(). */
bool generated_write(const Generated *generated, const char *directory, GError **error);

#endif
