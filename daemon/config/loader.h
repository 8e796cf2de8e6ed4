/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The loader: reads directories and makes definitions of their files, with one list of diagnostics.
 */
#ifndef SVCD_CONFIG_LOADER_H
#define SVCD_CONFIG_LOADER_H

#include <stdbool.h>

#include "config/configuration.h"
#include "config/loader-options.h"

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
 * Is the file @path, or a directory above it, in @secrets of a Configuration? False if @secrets or
 * @path is NULL.
 */
bool configuration_is_secret(GHashTable *secrets, const char *path);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Configuration, configuration_free)

#endif
