/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * History: one backup per change, POLICY_EDIT_HISTORY/000001.step, written before the first file of
 * the change. It contains the old and the new text of each file, as g_variant_print() writes them.
 *
 * There is no mark for a complete change: the files show which of them were written. A step whose
 * files all have the old text is not in effect: the power failed before the first write, or the
 * files were restored by hand. docs/policy.md describes what undo does with it.
 *
 * Files may contain secrets (Environment=), so the directory and the steps are for root alone.
 */
#include "config.h"

#include <string.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/text.h"
#include "policy-edit/change.h"

#define SUFFIX ".step"

/*
 * The time, the user, the command, and the step that this one undoes, or 0. For each file: path,
 * mode, owner, group, the old and the new text, each with a final NUL ("nothing": there is no
 * file).
 */
#define FILE_TYPE "(suuumaymay)"
#define FILE_PARTS "(suuum@aym@ay)"
#define STEP_TYPE "(xusta" FILE_TYPE ")"

/* --- one step --- */

void history_step_free(HistoryStep *step)
{
	if (!step)
		return;
	g_free(step->command);
	g_strfreev(step->paths);
	g_clear_pointer(&step->files, g_ptr_array_unref);
	g_free(step);
}

/* Appends a final NUL, so that the text is printed as a string. */
static GVariant *variant_of(GBytes *text)
{
	gsize length = 0;
	gconstpointer bytes = text ? g_bytes_get_data(text, &length) : NULL;
	g_autofree char *copy = g_malloc0(length + 1);

	if (length > 0)
		memcpy(copy, bytes, length);
	return text ? g_variant_new_fixed_array(G_VARIANT_TYPE_BYTE, copy, length + 1, 1) : NULL;
}

/* Returns: false if @variant was not made by variant_of(). */
static bool read_variant(GVariant *variant, GBytes **ret)
{
	gsize length = 0;
	const char *bytes = variant ? g_variant_get_fixed_array(variant, &length, 1) : NULL;

	if (variant && (length == 0 || bytes[length - 1]))
		return false;
	*ret = variant ? g_bytes_new(bytes, length - 1) : NULL;
	return true;
}

static GBytes *format(const Change *change, const ChangeAuthor *author)
{
	g_autoptr(GVariant) step = NULL;
	g_autofree char *command = g_utf8_make_valid(author->command, -1);
	GVariantBuilder files;
	GString *text;

	g_variant_builder_init(&files, G_VARIANT_TYPE("a" FILE_TYPE));
	for (guint i = 0; i < change->files->len; i++) {
		const FileChange *file = g_ptr_array_index(change->files, i);

		if (!text_is_equal(file->before, file->after))
			g_variant_builder_add(&files, FILE_PARTS, file->path,
					      (guint32)file->access.mode, (guint32)file->access.uid,
					      (guint32)file->access.gid, variant_of(file->before),
					      variant_of(file->after));
	}
	step = g_variant_ref_sink(g_variant_new(STEP_TYPE, (gint64)g_get_real_time(),
						(guint32)author->uid, command,
						(guint64)change->undoes, &files));
	text = g_variant_print_string(step, NULL, FALSE);
	g_string_append_c(text, '\n');
	return g_string_free_to_bytes(text);
}

/* A step writes only below these directories, so other paths are errors. */
static bool is_path(const char *path)
{
	return (g_str_has_prefix(path, SVCD_SYSCONFDIR "/") ||
		g_str_has_prefix(path, "/run/svcd/")) &&
	       !strstr(path, "/.") && !strstr(path, "//") && !g_str_has_suffix(path, "/");
}

/* @variant: of FILE_TYPE. */
static bool add_file(HistoryStep *step, GVariant *variant)
{
	g_autoptr(GVariant) before = NULL;
	g_autoptr(GVariant) after = NULL;
	FileChange *file = g_new0(FileChange, 1);

	g_ptr_array_add(step->files, file);
	g_variant_get(variant, FILE_PARTS, &file->path, &file->access.mode, &file->access.uid,
		      &file->access.gid, &before, &after);
	step->paths[step->files->len - 1] = g_strdup(file->path);
	return is_path(file->path) && file->access.mode <= 0777 &&
	       read_variant(before, &file->before) && read_variant(after, &file->after) &&
	       !text_is_equal(file->before, file->after);
}

HistoryStep *history_parse(const char *text, gsize length, GError **error)
{
	g_autoptr(HistoryStep) step = g_new0(HistoryStep, 1);
	g_autoptr(GVariant) value = NULL;
	g_autoptr(GVariant) files = NULL;
	gsize n_files = 0;
	bool ok;

	if (g_utf8_validate(text, (gssize)length, NULL))
		value = g_variant_parse(G_VARIANT_TYPE(STEP_TYPE), text, text + length, NULL, NULL);
	if (value) {
		g_variant_get(value, "(xust@a" FILE_TYPE ")", &step->at_us, &step->uid,
			      &step->command, &step->undoes, &files);
		n_files = g_variant_n_children(files);
	}
	step->paths = g_new0(char *, n_files + 1);
	step->files = g_ptr_array_new_with_free_func(file_change_free);
	ok = n_files > 0;
	for (gsize i = 0; ok && i < n_files; i++) {
		g_autoptr(GVariant) file = g_variant_get_child_value(files, i);

		ok = add_file(step, file);
	}
	if (ok)
		return g_steal_pointer(&step);
	fail(error, SVCD_ERROR_FAILED, "its file in the history is damaged");
	return NULL;
}

/* --- the directory --- */

static char *step_path(uint64_t number)
{
	return g_strdup_printf(POLICY_EDIT_HISTORY "/%06" G_GUINT64_FORMAT SUFFIX, number);
}

/* 7 for "000007.step"; 0 for other names. */
static uint64_t number_of(const char *name)
{
	g_autofree char *digits = NULL;
	uint64_t number;

	if (!g_str_has_suffix(name, SUFFIX))
		return 0;
	digits = g_strndup(name, strlen(name) - strlen(SUFFIX));
	return text_parse_uint(digits, 10, UINT64_MAX - 1, &number) ? number : 0;
}

static int compare_numbers(gconstpointer a, gconstpointer b)
{
	const uint64_t one = *(const uint64_t *)a;
	const uint64_t other = *(const uint64_t *)b;

	return (one < other) - (one > other);
}

/* The numbers of the steps (uint64_t), the newest first. */
static GArray *list_numbers(const AtomicFiles *atomic_files, GError **error)
{
	g_autoptr(GPtrArray) names = atomic_file_list(atomic_files, POLICY_EDIT_HISTORY, error);
	GArray *numbers = names ? g_array_new(FALSE, FALSE, sizeof(uint64_t)) : NULL;

	for (guint i = 0; names && i < names->len; i++) {
		const uint64_t number = number_of(g_ptr_array_index(names, i));

		if (number)
			g_array_append_val(numbers, number);
	}
	if (numbers)
		g_array_sort(numbers, compare_numbers);
	return numbers;
}

/* NULL with @error, also if there is no such step. */
static GBytes *read_text(const AtomicFiles *atomic_files, uint64_t number, GError **error)
{
	g_autofree char *path = step_path(number);
	GBytes *text = NULL;

	if (atomic_file_read(atomic_files, path, LIMIT_HISTORY_STEP_BYTES, &text, error) && !text)
		fail(error, SVCD_ERROR_INVALID_ARGUMENT,
		     "there is no step %" G_GUINT64_FORMAT
		     " in the history; \"svcctl policy log\" lists the steps",
		     number);
	return text;
}

static HistoryStep *read_step(const AtomicFiles *atomic_files, uint64_t number, GError **error)
{
	g_autoptr(GBytes) text = read_text(atomic_files, number, error);
	HistoryStep *step = NULL;
	gsize length = 0;
	const char *bytes = text ? g_bytes_get_data(text, &length) : NULL;

	if (text)
		step = history_parse(bytes ? bytes : "", length, error);
	if (step)
		step->number = number;
	else if (text)
		g_prefix_error(error, "step %" G_GUINT64_FORMAT ": ", number);
	return step;
}

/* Best effort: the next step drops the rest. */
static void drop_old(const AtomicFiles *atomic_files, const GArray *numbers)
{
	gsize n_bytes = 0;

	for (guint i = 0; i < numbers->len; i++) {
		const uint64_t number = g_array_index(numbers, uint64_t, i);
		g_autoptr(GBytes) text = read_text(atomic_files, number, NULL);

		n_bytes += text ? g_bytes_get_size(text) : 0;
		if (i + 1 >= LIMIT_HISTORY_STEPS || n_bytes > LIMIT_HISTORY_BYTES)
			history_drop(atomic_files, number);
	}
}

/*
 * Requires an existing /var/lib. If /var is not mounted yet, the files would be hidden below the
 * mount point. Below another root nothing is mounted later.
 */
static bool check_directory(const AtomicFiles *atomic_files, GError **error)
{
	return *atomic_files->root || g_file_test("/var/lib", G_FILE_TEST_IS_DIR) ||
	       fail(error, SVCD_ERROR_FAILED, "there is no /var/lib");
}

uint64_t history_add(const Change *change, const ChangeAuthor *author, GError **error)
{
	const AtomicFiles *atomic_files = &change->atomic_files;
	g_autoptr(GArray) numbers = NULL;
	g_autoptr(GBytes) text = format(change, author);
	g_autofree char *path = NULL;
	uint64_t number;

	if (!check_directory(atomic_files, error) || !(numbers = list_numbers(atomic_files, error)))
		return 0;
	if (g_bytes_get_size(text) > LIMIT_HISTORY_STEP_BYTES) {
		fail(error, SVCD_ERROR_LIMIT_REACHED, "the step would be longer than %d bytes",
		     LIMIT_HISTORY_STEP_BYTES);
		return 0;
	}
	number = numbers->len > 0 ? g_array_index(numbers, uint64_t, 0) + 1 : 1;
	path = step_path(number);
	if (!atomic_file_make_private(atomic_files, POLICY_EDIT_HISTORY, error) ||
	    !atomic_file_write(atomic_files, path, text, FILE_ACCESS_PRIVATE, error))
		return 0;
	drop_old(atomic_files, numbers);
	return number;
}

void history_drop(const AtomicFiles *atomic_files, uint64_t number)
{
	g_autofree char *path = step_path(number);

	/* If the removal fails, the step stays, but it is not in effect. */
	(void)atomic_file_write(atomic_files, path, NULL, FILE_ACCESS_PRIVATE, NULL);
}

/* --- steps and the files on the disk --- */

/* All steps, the newest first; unreadable ones are reported in @diags. NULL with @error. */
static GPtrArray *read_all(const AtomicFiles *atomic_files, DiagList *diags, GError **error)
{
	g_autoptr(GArray) numbers = list_numbers(atomic_files, error);
	GPtrArray *steps;

	if (!numbers)
		return NULL;
	steps = g_ptr_array_new_with_free_func((GDestroyNotify)history_step_free);
	for (guint i = 0; i < numbers->len; i++) {
		const uint64_t number = g_array_index(numbers, uint64_t, i);
		g_autoptr(GError) unreadable = NULL;
		HistoryStep *step = read_step(atomic_files, number, &unreadable);

		if (step)
			g_ptr_array_add(steps, step);
		else if (diags)
			diag_warning(diags, origin_new(POLICY_EDIT_HISTORY, 0), NULL, "%s",
				     unreadable->message);
	}
	return steps;
}

/* The texts of files at an earlier time. */
typedef struct Past {
	const AtomicFiles *atomic_files;
	GHashTable *texts; /* path -> GBytes; NULL: no file; no entry: as on the disk */
} Past;

/* Borrowed; NULL if there is no file. */
static GBytes *past_text(const Past *past, const char *path)
{
	static const char no_text[1]; /* no file in a step has this text */
	gpointer known = NULL;
	GBytes *text = NULL;

	if (g_hash_table_lookup_extended(past->texts, path, NULL, &known))
		return known;
	/* A file that cannot be read is not missing: "undo" of its step reports the error. */
	if (!atomic_file_read(past->atomic_files, path, LIMIT_FILE_BYTES, &text, NULL))
		text = g_bytes_new_static(no_text, sizeof(no_text));
	g_hash_table_insert(past->texts, g_strdup(path), text);
	return text;
}

static void unref_text(gpointer text)
{
	if (text)
		g_bytes_unref(text);
}

/* The number of files that still have their old text, or have it again. @ret_path: one of them. */
static guint count_unwritten(const Past *past, const HistoryStep *step, const char **ret_path)
{
	guint n = 0;

	for (guint i = 0; i < step->files->len; i++) {
		const FileChange *file = g_ptr_array_index(step->files, i);

		if (!text_is_equal(past_text(past, file->path), file->before))
			continue;
		*ret_path = file->path;
		n++;
	}
	return n;
}

/* Goes back to the time before @step. Returns: as count_unwritten(). */
static guint past_step_back(const Past *past, const HistoryStep *step)
{
	const char *path;
	const guint n_unwritten = count_unwritten(past, step, &path);

	for (guint i = 0; i < step->files->len; i++) {
		const FileChange *file = g_ptr_array_index(step->files, i);

		if (text_is_equal(past_text(past, file->path), file->after))
			g_hash_table_insert(past->texts, g_strdup(file->path),
					    file->before ? g_bytes_ref(file->before) : NULL);
	}
	return n_unwritten;
}

static void warn_of_unwritten(const Past *past, const HistoryStep *newest, DiagList *diags)
{
	const char *path;
	const guint n = count_unwritten(past, newest, &path);
	const Origin origin = origin_new(POLICY_EDIT_HISTORY, 0);

	if (n == newest->files->len)
		diag_warning(diags, origin, NULL,
			     "step %" G_GUINT64_FORMAT
			     " is not in effect: its files are as before this step",
			     newest->number);
	else if (n > 0)
		diag_warning(diags, origin, NULL,
			     "step %" G_GUINT64_FORMAT
			     " is only partly in effect: %s is as before this step; \"svcctl undo "
			     "%" G_GUINT64_FORMAT "\" restores the other files",
			     newest->number, path, newest->number);
}

static GHashTable *texts_new(void)
{
	return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, unref_text);
}

GPtrArray *history_list(const char *root, DiagList *diags, GError **error)
{
	g_autoptr(GHashTable) texts = texts_new();
	AtomicFiles atomic_files;
	GPtrArray *steps;

	atomic_files_init(&atomic_files, root);
	steps = read_all(&atomic_files, diags, error);
	if (steps && steps->len > 0 && diags)
		warn_of_unwritten(&(Past){ &atomic_files, texts }, g_ptr_array_index(steps, 0),
				  diags);
	atomic_files_clear(&atomic_files);
	return steps;
}

/* --- undo --- */

/*
 * The newest step that is still in effect. An undo is itself a step, and is skipped, because
 * undoing it would redo the step that it undid. The undone step is skipped, too, so a second "undo"
 * goes one step further back. If an undo was cut off between two files, the step that it was
 * undoing is still in effect, and the next "undo" completes it.
 */
static const HistoryStep *find_newest(const AtomicFiles *atomic_files, const GPtrArray *steps)
{
	g_autoptr(GHashTable) texts = texts_new();
	g_autoptr(GHashTable) undone = g_hash_table_new(g_int64_hash, g_int64_equal);
	const Past past = { atomic_files, texts };

	for (guint i = 0; i < steps->len; i++) {
		HistoryStep *step = g_ptr_array_index(steps, i);

		const guint n_unwritten = past_step_back(&past, step);

		if (n_unwritten == step->files->len || g_hash_table_contains(undone, &step->number))
			continue;
		if (!step->undoes)
			return step;
		if (n_unwritten == 0)
			g_hash_table_add(undone, &step->undoes);
	}
	return NULL;
}

static const HistoryStep *find_step(const GPtrArray *steps, uint64_t number)
{
	for (guint i = 0; i < steps->len; i++) {
		const HistoryStep *step = g_ptr_array_index(steps, i);

		if (step->number == number)
			return step;
	}
	return NULL;
}

/* @path has neither the text from before @step nor the text from after it. */
static bool refuse_changed(const Change *change, const GPtrArray *steps, const HistoryStep *step,
			   const char *path, GError **error)
{
	g_autofree char *shown = atomic_file_show(&change->atomic_files, path);

	for (guint i = 0; i < steps->len; i++) {
		const HistoryStep *later = g_ptr_array_index(steps, i);

		if (later->number > step->number &&
		    g_strv_contains((const char *const *)later->paths, path))
			return fail(error, SVCD_ERROR_INVALID_ARGUMENT,
				    "step %" G_GUINT64_FORMAT
				    " cannot be undone: step %" G_GUINT64_FORMAT
				    " has changed %s since; undo the later steps first",
				    step->number, later->number, shown);
	}
	return fail(error, SVCD_ERROR_INVALID_ARGUMENT,
		    "step %" G_GUINT64_FORMAT
		    " cannot be undone: %s has been changed by hand since",
		    step->number, shown);
}

/* A file with the text from before the step needs no change. */
static bool put_back(Change *change, const GPtrArray *steps, const HistoryStep *step,
		     GError **error)
{
	for (guint i = 0; i < step->files->len; i++) {
		const FileChange *file = g_ptr_array_index(step->files, i);
		g_autoptr(GBytes) text = NULL;

		if (!atomic_file_read(&change->atomic_files, file->path, LIMIT_FILE_BYTES, &text,
				      error))
			return false;
		if (text_is_equal(text, file->before))
			continue;
		if (!text_is_equal(text, file->after))
			return refuse_changed(change, steps, step, file->path, error);
		if (!change_write(change, file->path, file->before, text, &file->access, error))
			return false;
	}
	return !change_is_empty(change) ||
	       fail(error, SVCD_ERROR_INVALID_ARGUMENT,
		    "step %" G_GUINT64_FORMAT
		    " is not in effect: its files are as before this step",
		    step->number);
}

Change *history_undo(const char *root, uint64_t number, GError **error)
{
	g_autoptr(Change) change = change_new(root, false);
	/*
	 * The lock is needed, because a change that another process has half written looks like one
	 * that was cut off. Without permission for the lock, which the user of a dry run may lack,
	 * the files are read unlocked.
	 */
	auto_fd int lock = atomic_file_lock(&change->atomic_files, POLICY_EDIT_LOCK,
					    LIMIT_POLICY_LOCK_US, NULL);
	g_autoptr(GPtrArray) steps = read_all(&change->atomic_files, NULL, error);
	const HistoryStep *step;

	(void)lock; /* held until the files are read */
	if (!steps)
		return NULL;
	step = number ? find_step(steps, number) : find_newest(&change->atomic_files, steps);
	if (!step && number) {
		/* The step is missing or unreadable; reading it gives the right error. */
		g_autoptr(HistoryStep) none = read_step(&change->atomic_files, number, error);

		return NULL;
	}
	if (!step) {
		fail(error, SVCD_ERROR_INVALID_ARGUMENT, "there is nothing to undo");
		return NULL;
	}
	if (!put_back(change, steps, step, error))
		return NULL;
	change->undoes = step->number;
	return g_steal_pointer(&change);
}
