/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Generate: service and policy files from other configuration files of a machine. The program
 * svc-generate writes them below /run/svcd/generated. svcctl --root examines them without writing.
 */
#ifndef SVCD_GENERATE_GENERATE_H
#define SVCD_GENERATE_GENERATE_H

#include <glib.h>
#include <stdbool.h>

#include "base/diag.h"
#include "config/bundle.h"
#include "svc-generate/generated-files.h"

/* The directory that the loader reads (config/search-path.c). */
#define GENERATED_DIRECTORY "/run/svcd/generated"

typedef struct Generated {
	char *root; /* as it was given */
	Bundle *bundle; /* borrowed; or NULL */
	GeneratedFiles *files;
	GeneratedFiles *rc_links; /* in the directory rc-links: policy in its own layer */
	/* in the directory bus-activation; only dbus-daemon reads it */
	GeneratedFiles *bus_activation;
	DiagList *diags; /* omitted items, with the reason */
	/* the same for init scripts, whose headers often contain faults */
	DiagList *script_diags;
} Generated;

/**
 * generate() - examine all sources of services, without writing
 * @root: the tree to examine, "" for the machine itself
 * @bundle: an open one, for the service files that are read, and to record progress; borrowed; or
 * NULL
 *
 * Never fails: the diagnostics name the files that cannot be read. A container has no volumes and
 * no consoles of its own.
 */
Generated *generate(const char *root, Bundle *bundle);
void generated_free(Generated *generated);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Generated, generated_free)

/*
 * The text of one file, to which the caller appends. Calls generated_files_add() for the directory
 * that @name begins with.
 */
GString *generated_file(Generated *g, const char *name, const char *from);

/**
 * generated_overlay() - the loader's view of the tree, as if these files were written
 * (LoaderOptions.overlay)
 * Returns: a new table, path -> GBytes; stale files of an earlier run are NULL in it.
 */
GHashTable *generated_overlay(const Generated *generated);

/* Writes the files to @directory; see generated_files_write(). */
bool generated_write(const Generated *generated, const char *directory, GError **error);

#endif
