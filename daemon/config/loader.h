/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The loader: directories -> buffers -> model, with one list of diagnostics.
 */
#ifndef SVCD_CONFIG_LOADER_H
#define SVCD_CONFIG_LOADER_H

#include <stdbool.h>

#include "base/diag.h"
#include "config/bundle.h"
#include "model/held-programs.h"
#include "model/policy.h"
#include "model/service-set.h"

/* Steps of what svcctl changed (tools/policy-edit). One that ends in ".begun" was cut off, or is being written now: the
 * loader warns of it. */
#define POLICY_HISTORY_DIRECTORY SVCD_STATEDIR "/policy-history"

typedef struct LoaderOptions {
	const char *root;         /* "" or NULL: the machine itself; otherwise put in front of every directory */
	bool without_local_files; /* leave out /etc and /run (poisoned state) */
	bool without_until_reboot; /* leave out what does not outlive this boot: for who looks at the next one */
	bool user_mode;           /* look below the user's directories */
	const char *kernel_cmdline; /* the words of /proc/cmdline, NULL: none */
	bool record_statements; /* for policy_statements(): costs memory, only for those who show them */
	bool without_lines;     /* of services: ServiceDef.lines stay empty; for who shows no file */
	bool names_only;        /* see configuration_load() */
	bool rc_links_count;    /* whatever [defaults] RcLinks= says: for who looks at a machine before it is svcd's */
	bool any_owner;           /* --root on a tree that is not root's: do not check who owns the files */
	/* What would be if: path (with the root in front) -> GBytes in place of the file, NULL: no such file. Or NULL. */
	GHashTable *overlay;
	Bundle *bundle; /* SourceReader.bundle; borrowed, or NULL */
} LoaderOptions;

/*
 * The last version without errors of each file in the admin's policy.d (tools/policy-edit/last-good.c). It counts in place of one that has
 * errors or cannot be read.
 */
#define POLICY_LAST_GOOD_DIRECTORY SVCD_STATEDIR "/policy-last-good"

/* What the package manager's helper writes (docs/packages.md). */
#define HELD_PROGRAMS_FILE SVCD_STATEDIR "/held-programs"

/* Everything the files say. */
typedef struct Configuration {
	ServiceSet *set;
	Policy *policy;
	DiagList *diags;
	HeldPrograms *held;  /* NULL: none is */
	GHashTable *secrets; /* a set of paths: files that were read, and their directories, that not every user may read */
} Configuration;

/**
 * configuration_load() - read, parse and check everything
 *
 * Never fails: what is wrong is in @diags, and the services concerned carry @problem. Templates are instantiated for
 * every name that policy, a term or a Wants= mentions, and for @extra_instances.
 * @extra_instances: further names that must exist (an admin's start, a living process), a strv or NULL
 *
 * With names_only all services are there, with their further names and those on the bus, but most have no more than that:
 * a file that says nothing of names is not parsed. Nothing is checked.
 * Returns: a new Configuration.
 */
Configuration *configuration_load(const LoaderOptions *options, const char *const *extra_instances);
void configuration_free(Configuration *configuration);

/* Is the file with this path, or a directory above it, in @secrets of a Configuration? NULL of either is no. */
bool configuration_is_secret(GHashTable *secrets, const char *path);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Configuration, configuration_free)

#endif
