/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Preview: the configuration after the change, compared with the present one, and the errors that
 * are new.
 */
#include "config.h"

#include <string.h>

#include "base/text.h"
#include "model/check.h"
#include "model/service-set.h"
#include "policy-edit/change.h"

#define DROP_IN_DIRECTORY ".svc.d/"

static void unref_bytes(gpointer bytes)
{
	if (bytes)
		g_bytes_unref(bytes);
}

/* The changed files under the loader's paths, and the files of the earlier overlay. */
static GHashTable *overlay_of(const Change *change)
{
	GHashTable *overlay = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, unref_bytes);
	GHashTableIter iter;
	gpointer path;
	gpointer text;

	if (change->overlay) {
		g_hash_table_iter_init(&iter, change->overlay);
		while (g_hash_table_iter_next(&iter, &path, &text))
			g_hash_table_insert(overlay, g_strdup(path),
					    text ? g_bytes_ref(text) : NULL);
	}
	for (guint i = 0; i < change->files->len; i++) {
		const FileChange *file = g_ptr_array_index(change->files, i);

		g_hash_table_insert(overlay, atomic_file_show(&change->atomic_files, file->path),
				    file->after ? g_bytes_ref(file->after) : NULL);
	}
	return overlay;
}

/*
 * Does the change set a key in a drop-in? Whole files and texts that undo restores are not checked.
 */
static bool is_override(const Operation *operation)
{
	return (operation->kind == OPERATION_SET || operation->kind == OPERATION_ADD) &&
	       operation->value && strstr(operation->path, DROP_IN_DIRECTORY);
}

/* Is @path (with the root in front) a file in which the change sets keys? */
static bool sets_keys_in(const Change *change, const char *path)
{
	for (guint i = 0; path && i < change->operations->len; i++) {
		const Operation *operation = g_ptr_array_index(change->operations, i);
		g_autofree char *shown = atomic_file_show(&change->atomic_files, operation->path);

		if (operation->kind == OPERATION_SET && operation->value &&
		    strcmp(shown, path) == 0)
			return true;
	}
	return false;
}

/*
 * If an ordering closes a cycle, the loader only warns and drops the ordering. Then the new setting
 * would have no effect.
 */
static bool is_problem(const Change *change, const Diagnostic *diagnostic)
{
	if (diagnostic->level != DIAG_WARNING || !strstr(diagnostic->text, CHECK_CLOSES_A_CYCLE))
		return diagnostic->level == DIAG_ERROR;
	for (guint i = 0; i < change->operations->len; i++) {
		if (is_override(g_ptr_array_index(change->operations, i)))
			return true;
	}
	return false;
}

/* The text of a diagnostic without its line, because an edit moves lines. */
static char *diagnostic_key(const Diagnostic *diagnostic)
{
	return g_strdup_printf("%s\n%s\n%s", diagnostic->origin.file ? diagnostic->origin.file : "",
			       diagnostic->service ? diagnostic->service : "", diagnostic->text);
}

/* The number of diagnostics with each key. */
static GHashTable *count_diagnostics(const DiagList *diags)
{
	GHashTable *counts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (unsigned i = 0; i < diag_list_length(diags); i++) {
		char *key = diagnostic_key(diag_list_get(diags, i));
		const guint n = GPOINTER_TO_UINT(g_hash_table_lookup(counts, key));

		g_hash_table_insert(counts, key, GUINT_TO_POINTER(n + 1));
	}
	return counts;
}

static void add_new_problems(const Change *change, const DiagList *before, const DiagList *after,
			     DiagList *ret)
{
	g_autoptr(GHashTable) known = count_diagnostics(before);

	for (unsigned i = 0; i < diag_list_length(after); i++) {
		const Diagnostic *it = diag_list_get(after, i);
		char *key = diagnostic_key(it);
		const guint n = GPOINTER_TO_UINT(g_hash_table_lookup(known, key));

		g_hash_table_insert(known, key, GUINT_TO_POINTER(n > 0 ? n - 1 : 0));
		if (is_problem(change, it) &&
		    (n == 0 || (it->level == DIAG_ERROR && sets_keys_in(change, it->origin.file))))
			diag_error(ret, it->origin, it->service, "%s", it->text);
	}
}

static void add_missing(const Configuration *configuration, const char *name, Origin origin,
			DiagList *ret)
{
	g_autofree const char **names = service_set_names(configuration->set);
	const char *nearest = token_nearest(name, names);

	if (nearest)
		diag_error(ret, origin, NULL, "there is no service \"%s\"; did you mean \"%s\"?",
			   name, nearest);
	else
		diag_error(ret, origin, NULL, "there is no service \"%s\"", name);
}

/*
 * A policy may name services that are not installed, and the loader only warns about them. A name
 * on svcctl's command line is meant for this machine, so an unknown one is a typing error unless it
 * is expected. Whole files may contain such names.
 */
static void add_missing_in_policy(const Change *change, const Configuration *before,
				  const Configuration *after, DiagList *ret)
{
	g_autoptr(GPtrArray) refs = policy_named_refs(after->policy);
	g_autoptr(GPtrArray) known = policy_named_services(before->policy);

	for (guint i = 0; i < refs->len; i++) {
		const NameRef *ref = g_ptr_array_index(refs, i);

		if (!g_str_has_suffix(ref->name, "@") && sets_keys_in(change, ref->origin.file) &&
		    !service_set_find(after->set, ref->name) &&
		    !g_ptr_array_find_with_equal_func(known, ref->name, g_str_equal, NULL) &&
		    !g_hash_table_contains(change->expected, ref->name))
			add_missing(after, ref->name, ref->origin, ret);
	}
}

/*
 * Adds the names in a drop-in that have no service file: that of its service, and those in
 * orderings and needs. Conflicts= may name services that are not installed.
 */
static void add_missing_in_override(const Change *change, const Operation *operation,
				    const Configuration *after, DiagList *ret)
{
	static const char *const keys[] = { "After",     "Before",     "Wants",
					    "StopAfter", "StopBefore", NULL };
	g_autofree char *shown = atomic_file_show(&change->atomic_files, operation->path);
	g_autofree char *directory = g_path_get_dirname(operation->path);
	g_autofree char *name = g_path_get_basename(directory);
	g_auto(GStrv) tokens = g_strsplit_set(
		g_strv_contains(keys, operation->key) ? operation->value : "", " \t", -1);

	name[strlen(name) - strlen(".svc.d")] = '\0';
	if (operation->kind == OPERATION_SET && !g_str_has_suffix(name, "@") &&
	    !service_set_find(after->set, name))
		add_missing(after, name, origin_new(shown, 0), ret);
	for (char **token = tokens; *token; token++) {
		if (**token && !strpbrk(*token, "$@%") && !service_set_find(after->set, *token))
			add_missing(after, *token, origin_new(shown, 0), ret);
	}
}

Configuration *change_preview(const Change *change, const char *kernel_cmdline,
			      DiagList **ret_new_errors)
{
	g_autoptr(GHashTable) overlay = overlay_of(change);
	LoaderOptions options = {
		.root = change->atomic_files.root,
		.any_owner = *change->atomic_files.root,
		.user_mode = change->user_mode,
		.kernel_cmdline = kernel_cmdline,
		.overlay = change->overlay,
	};
	g_autoptr(Configuration) before = configuration_load(&options, NULL);
	Configuration *after;

	options.overlay = overlay;
	after = configuration_load(&options, NULL);
	*ret_new_errors = diag_list_new();
	add_new_problems(change, before->diags, after->diags, *ret_new_errors);
	add_missing_in_policy(change, before, after, *ret_new_errors);
	for (guint i = 0; i < change->operations->len; i++) {
		if (is_override(g_ptr_array_index(change->operations, i)))
			add_missing_in_override(change, g_ptr_array_index(change->operations, i),
						after, *ret_new_errors);
	}
	diag_list_sort(*ret_new_errors);
	return after;
}
