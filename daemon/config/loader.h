/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The loader: from directories to buffers to definitions, with one list of diagnostics.
 */
#ifndef SVCD_CONFIG_LOADER_H
#define SVCD_CONFIG_LOADER_H

#include <stdbool.h>

#include "base/diag.h"
#include "config/bundle.h"
#include "model/held-programs.h"
#include "model/policy.h"
#include "model/service-set.h"

/*
 * Steps of changes by svcctl (tools/policy-edit). A name that ends in ".begun" is a step that was
 * interrupted or is being written, and the loader warns of it.
 */
#define POLICY_HISTORY_DIRECTORY SVCD_STATEDIR "/policy-history"

typedef struct LoaderOptions {
	const char *root;         /* prefix of all directories; "" or NULL: the machine itself */
	bool without_local_files; /* omit /etc and /run, after crashes */
	bool without_until_reboot; /* omit files of this boot, for a view of the next */
	bool user_mode;           /* use the user's directories */
	const char *kernel_cmdline; /* the contents of /proc/cmdline, NULL: none */
	bool record_statements; /* for policy_statements(): costs memory */
	bool without_lines;     /* leave ServiceDef.lines of services empty */
	bool names_only;        /* see configuration_load() */
	bool rc_links_count;    /* despite [defaults] RcLinks=, before a machine runs svcd */
	bool any_owner;           /* ignore the owners of files, for --root on a tree of a user */
	/*
	 * For trials: path (including the root) -> GBytes in place of the file, NULL: no such file.
	 * May be NULL.
	 */
	GHashTable *overlay;
	Bundle *bundle; /* see SourceReader.bundle; borrowed, or NULL */
} LoaderOptions;

/*
 * Copies of the files in the admin's policy.d and services.d, of their last versions without errors (config/last-good.h).
 * A copy of a policy file is used in place of one that has an error or cannot be read. The copies of a service are used in
 * place of all the admin's files of that service.
 */
#define LAST_GOOD_DIRECTORY SVCD_STATEDIR "/last-good"
#define POLICY_LAST_GOOD_DIRECTORY LAST_GOOD_DIRECTORY "/policy.d"
#define SERVICE_LAST_GOOD_DIRECTORY LAST_GOOD_DIRECTORY "/services.d"
/* If this file is there, all was saved: a service without a copy had no file of the admin's. */
#define SERVICE_LAST_GOOD_MARK "complete"

/* Written by the package manager's helper (docs/packages.md). */
#define HELD_PROGRAMS_FILE SVCD_STATEDIR "/held-programs"

/* The result of a load. */
typedef struct Configuration {
	ServiceSet *set;
	Policy *policy;
	DiagList *diags;
	HeldPrograms *held;  /* NULL: none */
	GHashTable *secrets; /* paths of private files that were read, and of their directories */
} Configuration;

/**
 * configuration_load() - read, parse and check all files
 * @extra_instances: further names that must exist (an admin's start, a living process), a strv or
 * NULL
 *
 * Never fails. Errors are in @diags, and the affected services have @problem. Templates are
 * instantiated for every name in policy, a term or Wants=, and for @extra_instances.
 *
 * With names_only all services are present, with their aliases and bus names, but most have nothing
 * else. A file without names is not parsed, and nothing is checked.
 * Returns: a new Configuration.
 */
Configuration *configuration_load(const LoaderOptions *options, const char *const *extra_instances);
void configuration_free(Configuration *configuration);

/*
 * Is the file @path, or a directory above it, in @secrets of a Configuration? False if either is
 * NULL.
 */
bool configuration_is_secret(GHashTable *secrets, const char *path);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Configuration, configuration_free)

#endif
