/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Check world: implementation; the header describes the purpose.
 */
#include "config.h"

#include "svcctl/check-world.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "config/search-path.h"
#include "paths/remote-fs.h"

/* /proc and /sys report no changes, and While= depends on reported changes. */
static void warn_of_silent_path(const ServiceDef *def, const Term *term, const Literal *literal,
				const char *path, DiagList *diags)
{
	if (key_is_silent(literal->key))
		diag_warning(
			diags, term->origin, def->name,
			"While=%s: the kernel reports no changes of %s, so svcd checks it only at "
			"svcctl reload-files and before each start; use udev:, network:interface: "
			"or kernel: if "
			"a change matters",
			term->text, path);
}

/*
 * Warns of paths on file systems that report no changes. Only the machine on which they are mounted
 * can check this.
 */
static void warn_of_paths(const ServiceDef *def, const char *key, const GPtrArray *terms,
			  bool is_this_machine, DiagList *diags)
{
	for (guint i = 0; i < terms->len; i++) {
		const Term *term = g_ptr_array_index(terms, i);

		for (unsigned j = 0; j < term_length(term); j++) {
			const Literal *literal = term_literal(term, j);
			const char *path = literal->prefix == KEY_PATH ?
						   strchr(key_argument(literal->key), '/') :
						   NULL;
			char *point = path && is_this_machine ? remote_fs_above(path) : NULL;

			if (path && terms == def->while_terms)
				warn_of_silent_path(def, term, literal, path, diags);
			if (point)
				diag_warning(diags, term->origin, def->name,
					     "%s=%s: %s is a network or FUSE file system, so the "
					     "condition is unknown; "
					     "use mounted:%s",
					     key, term->text, point, point);
			free(point);
		}
	}
}

/* The line of @key that is in force; the file itself if there is none. */
static Origin origin_of(const ServiceDef *def, const char *key)
{
	Origin origin = def->origin;

	for (guint i = 0; i < def->lines->len; i++) {
		const DefLine *line = g_ptr_array_index(def->lines, i);

		if (strcmp(line->key, key) == 0)
			origin = line->origin;
	}
	return origin;
}

static void warn_of_user(const ServiceDef *def, DiagList *diags)
{
	const char *user = def->execution->user;
	uint64_t number;

	/* A number needs no entry in passwd(5). */
	if (user && !text_parse_uint(user, 10, UINT32_MAX - 1, &number) && !getpwnam(user))
		diag_warning(diags, origin_of(def, "User"), def->name,
			     "User=%s: there is no such user, so the service cannot start", user);
}

/* A service with a term for its program already reports that the program is missing. */
static bool waits_for(const GPtrArray *terms, const char *program)
{
	for (guint i = 0; i < terms->len; i++) {
		const Term *term = g_ptr_array_index(terms, i);

		for (unsigned j = 0; j < term_length(term); j++) {
			const Literal *literal = term_literal(term, j);

			if (literal->prefix == KEY_PATH &&
			    g_str_has_suffix(key_argument(literal->key), program))
				return true;
		}
	}
	return false;
}

static void warn_of_program(const ServiceDef *def, DiagList *diags)
{
	const char *program = def->exec ? def->exec->argv[0] : NULL;

	if (!program || access(program, X_OK) == 0 || waits_for(def->when, program) ||
	    waits_for(def->while_terms, program))
		return;
	diag_warning(
		diags, def->exec->origin, def->name,
		"Exec=%s: there is no such program; with When=path:exec:%s the service waits for "
		"it",
		program, program);
}

static bool is_admins(const Context *context, const ServiceDef *def)
{
	g_autofree char *top = search_path_config(context->options.is_user);

	return def->origin.file && g_str_has_prefix(def->origin.file, top);
}

void check_world_of(const Context *context, const ServiceDef *def, bool is_named, DiagList *diags)
{
	const bool is_this_machine = !context->options.root;

	warn_of_paths(def, "When", def->when, is_this_machine, diags);
	warn_of_paths(def, "While", def->while_terms, is_this_machine, diags);
	if (!is_this_machine || (!is_named && !is_admins(context, def)))
		return;
	warn_of_user(def, diags);
	warn_of_program(def, diags);
}

static void warn_of_suffix(const char *directory, const char *suffix, const char *right,
			   DiagList *diags)
{
	g_autoptr(GDir) dir = g_dir_open(directory, 0, NULL); /* absent: no file is misplaced */
	const char *base;

	while (dir && (base = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(directory, base, NULL);

		if (g_str_has_suffix(base, suffix))
			diag_warning(diags, (Origin){ .file = g_intern_string(path) }, NULL,
				     "this file is not read here: a file NAME%s belongs in %s",
				     suffix, right);
	}
}

void check_world_misplaced(const Context *context, DiagList *diags)
{
	g_autofree char *top = search_path_config(context->options.is_user);
	g_autofree char *services =
		g_build_filename(context_root(context), top, "services.d", NULL);
	g_autofree char *policies = g_build_filename(context_root(context), top, "policy.d", NULL);

	warn_of_suffix(services, ".policy", policies, diags);
	warn_of_suffix(policies, ".svc", services, diags);
}
