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
#include "policy-edit/change-files.h"
#include "policy-edit/change-private.h"

#define DROP_IN_DIRECTORY ".svc.d/"

static void unref_bytes(gpointer bytes)
{
	if (bytes)
		g_bytes_unref(bytes);
}

static void copy_overlay(GHashTable *from, GHashTable *to)
{
	GHashTableIter iter;
	gpointer path;
	gpointer text;

	g_hash_table_iter_init(&iter, from);
	while (g_hash_table_iter_next(&iter, &path, &text))
		g_hash_table_insert(to, g_strdup(path), text ? g_bytes_ref(text) : NULL);
}

/* The changed files under the loader's paths, and the files of the earlier overlay. */
static GHashTable *overlay_of(const Change *change)
{
	GHashTable *overlay = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, unref_bytes);

	if (change->overlay)
		copy_overlay(change->overlay, overlay);
	for (guint i = 0; i < change->files->len; i++) {
		const FileChange *file = g_ptr_array_index(change->files, i);

		g_hash_table_insert(overlay, durable_show(&change->durable, file->path),
				    file->after ? g_bytes_ref(file->after) : NULL);
	}
	return overlay;
}

/* The text of a diagnostic without its line, because an edit moves lines. */
static char *error_key(const Diagnostic *diagnostic)
{
	return g_strdup_printf("%s\n%s\n%s", diagnostic->origin.file ? diagnostic->origin.file : "",
			       diagnostic->service ? diagnostic->service : "", diagnostic->text);
}

/* Errors of @diags, each with its count. */
static GHashTable *count_errors(const DiagList *diags)
{
	GHashTable *counts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (unsigned i = 0; i < diag_list_length(diags); i++) {
		const Diagnostic *diagnostic = diag_list_get(diags, i);
		char *key = error_key(diagnostic);
		const guint n = GPOINTER_TO_UINT(g_hash_table_lookup(counts, key));

		if (diagnostic->level == DIAG_ERROR)
			g_hash_table_insert(counts, key, GUINT_TO_POINTER(n + 1));
		else
			g_free(key);
	}
	return counts;
}

/* Is @path (with the root in front) a file of which the change sets keys? */
static bool sets_keys_in(const Change *change, const char *path)
{
	for (guint i = 0; path && i < change->operations->len; i++) {
		const Operation *operation = g_ptr_array_index(change->operations, i);
		g_autofree char *shown = durable_show(&change->durable, operation->path);

		if (operation->kind == OPERATION_SET && operation->value && strcmp(shown, path) == 0)
			return true;
	}
	return false;
}

/*
 * If an ordering closes a cycle, the loader only warns and drops the ordering. Then the new setting
 * would have no effect.
 */
static bool is_cycle_of_orders(const Diagnostic *diagnostic)
{
	return diagnostic->level == DIAG_WARNING && strstr(diagnostic->text, CHECK_CLOSES_A_CYCLE) != NULL;
}

/*
 * Does the change set a key in a drop-in? Whole files and the texts that undo restores are not
 * checked.
 */
static bool overrides(const Change *change)
{
	for (guint i = 0; i < change->operations->len; i++) {
		const Operation *operation = g_ptr_array_index(change->operations, i);

		if (operation->kind == OPERATION_SET && operation->value && strstr(operation->path, DROP_IN_DIRECTORY))
			return true;
	}
	return false;
}

static void add_new_cycles(const Change *change, const DiagList *before, const DiagList *after, DiagList *ret)
{
	g_autoptr(GHashTable) known = NULL;

	if (!overrides(change))
		return;
	known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	for (unsigned i = 0; i < diag_list_length(before); i++)
		g_hash_table_add(known, error_key(diag_list_get(before, i)));
	for (unsigned i = 0; i < diag_list_length(after); i++) {
		const Diagnostic *it = diag_list_get(after, i);
		g_autofree char *key = error_key(it);

		if (is_cycle_of_orders(it) && !g_hash_table_contains(known, key))
			diag_error(ret, it->origin, it->service, "%s", it->text);
	}
}

static void add_new_errors(const Change *change, const DiagList *before, const DiagList *after, DiagList *ret)
{
	g_autoptr(GHashTable) known = count_errors(before);

	for (unsigned i = 0; i < diag_list_length(after); i++) {
		const Diagnostic *it = diag_list_get(after, i);
		g_autofree char *key = error_key(it);
		const guint n = GPOINTER_TO_UINT(g_hash_table_lookup(known, key));

		if (it->level != DIAG_ERROR)
			continue;
		if (n > 0)
			g_hash_table_insert(known, g_strdup(key), GUINT_TO_POINTER(n - 1));
		if (n == 0 || sets_keys_in(change, it->origin.file))
			diag_error(ret, it->origin, it->service, "%s", it->text);
	}
}

/* Does @policy name @name anywhere? */
static bool is_named(const Policy *policy, const char *name)
{
	g_autoptr(GPtrArray) names = policy_named_services(policy);

	return g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL);
}

static void add_missing(const Configuration *configuration, const char *name, Origin origin, DiagList *ret)
{
	const GPtrArray *list = service_set_list(configuration->set);
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	const char *nearest;

	for (guint i = 0; i < list->len; i++)
		g_ptr_array_add(names, (gpointer)((ServiceDef *)g_ptr_array_index(list, i))->name);
	g_ptr_array_add(names, NULL);
	nearest = words_nearest(name, (const char *const *)names->pdata);
	if (nearest)
		diag_error(ret, origin, NULL, "there is no service \"%s\"; did you mean \"%s\"?", name, nearest);
	else
		diag_error(ret, origin, NULL, "there is no service \"%s\"", name);
}

/*
 * A policy may name services that are not installed, and the loader only warns about them. A name
 * on svcctl's command line is meant for this machine, so an unknown one is a typing error unless it
 * is expected. Whole files may contain such names.
 */
static void add_missing_services(const Change *change, const Configuration *before, const Configuration *after,
				 DiagList *ret)
{
	g_autoptr(GPtrArray) refs = policy_named_refs(after->policy);

	for (guint i = 0; i < refs->len; i++) {
		const NameRef *ref = g_ptr_array_index(refs, i);

		if (!g_str_has_suffix(ref->name, "@") && sets_keys_in(change, ref->origin.file) &&
		    !service_set_find(after->set, ref->name) && !is_named(before->policy, ref->name) &&
		    !g_hash_table_contains(change->expected, ref->name))
			add_missing(after, ref->name, ref->origin, ret);
	}
}

/* A drop-in for a service without a file would have no effect. */
static void add_missing_overridden(const Change *change, const Configuration *after, DiagList *ret)
{
	for (guint i = 0; i < change->operations->len; i++) {
		const Operation *operation = g_ptr_array_index(change->operations, i);
		g_autofree char *shown = durable_show(&change->durable, operation->path);
		g_autofree char *directory = g_path_get_dirname(operation->path);
		g_autofree char *name = g_path_get_basename(directory);

		if (operation->kind != OPERATION_SET || !operation->value || !strstr(operation->path, DROP_IN_DIRECTORY))
			continue;
		name[strlen(name) - strlen(".svc.d")] = '\0';
		if (!g_str_has_suffix(name, "@") && !service_set_find(after->set, name))
			add_missing(after, name, origin_new(shown, 0), ret);
	}
}

/* Keys of orderings and needs. Conflicts= may name services that are not installed. */
static bool names_services(const Operation *operation)
{
	static const char *const keys[] = { "After", "Before", "Wants", "StopAfter", "StopBefore", NULL };

	return (operation->kind == OPERATION_SET || operation->kind == OPERATION_ADD) && operation->value &&
	       strstr(operation->path, DROP_IN_DIRECTORY) && g_strv_contains(keys, operation->key);
}

/*
 * As with policy: a file may name services that are not installed, but on svcctl's command line an
 * unknown name is an error.
 */
static void add_missing_named(const Change *change, const Configuration *after, DiagList *ret)
{
	for (guint i = 0; i < change->operations->len; i++) {
		const Operation *operation = g_ptr_array_index(change->operations, i);
		g_autofree char *shown = durable_show(&change->durable, operation->path);
		g_auto(GStrv) words = names_services(operation) ? g_strsplit_set(operation->value, " \t", -1) : NULL;

		for (char **word = words; word && *word; word++) {
			if (**word && !strpbrk(*word, "$@%") && !service_set_find(after->set, *word))
				add_missing(after, *word, origin_new(shown, 0), ret);
		}
	}
}

Configuration *change_preview(const Change *change, const char *kernel_cmdline, DiagList **ret_new_errors)
{
	g_autoptr(GHashTable) overlay = overlay_of(change);
	LoaderOptions options = {
		.root = change->durable.root,
		.any_owner = *change->durable.root,
		.user_mode = change->user_mode,
		.kernel_cmdline = kernel_cmdline,
		.overlay = change->overlay,
	};
	g_autoptr(Configuration) before = configuration_load(&options, NULL);
	Configuration *after;

	options.overlay = overlay;
	after = configuration_load(&options, NULL);
	*ret_new_errors = diag_list_new();
	add_new_errors(change, before->diags, after->diags, *ret_new_errors);
	add_new_cycles(change, before->diags, after->diags, *ret_new_errors);
	add_missing_services(change, before, after, *ret_new_errors);
	add_missing_overridden(change, after, *ret_new_errors);
	add_missing_named(change, after, *ret_new_errors);
	diag_list_sort(*ret_new_errors);
	return after;
}
