/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Change: changes to files, kept as operations, so that they can be repeated on files that another
 * writer has changed meanwhile. preview.c computes their effects.
 *
 * change_apply() writes under the lock: first the old texts to the history, then one file after the
 * other.
 */
#include "config.h"

#include <string.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/limits.h"
#include "config/search-path.h"
#include "config/source-file.h"
#include "model/name.h"
#include "model/service-keys.h"
#include "policy-edit/change.h"
#include "policy-edit/ini-edit.h"

#define DROP_IN "90-svcctl.conf"

bool text_is_equal(const GBytes *one, const GBytes *other)
{
	return one && other ? g_bytes_equal(one, other) : one == other;
}

static FileChange *file_change_new(const char *path, GBytes *text, FileAccess access)
{
	FileChange *file = g_new0(FileChange, 1);

	file->path = g_strdup(path);
	file->before = text ? g_bytes_ref(text) : NULL;
	file->after = text ? g_bytes_ref(text) : NULL;
	file->access = access;
	return file;
}

void file_change_free(gpointer data)
{
	FileChange *file = data;

	g_free(file->path);
	g_clear_pointer(&file->before, g_bytes_unref);
	g_clear_pointer(&file->after, g_bytes_unref);
	g_free(file);
}

static void operation_free(gpointer data)
{
	Operation *operation = data;

	g_free((gpointer)operation->path);
	g_free((gpointer)operation->section);
	g_free((gpointer)operation->key);
	g_free((gpointer)operation->value);
	g_clear_pointer(&operation->text, g_bytes_unref);
	g_clear_pointer(&operation->expected, g_bytes_unref);
	g_free(operation);
}

/* A copy that owns its texts. */
static Operation *operation_copy(const Operation *operation)
{
	Operation *copy = g_memdup2(operation, sizeof *operation);

	copy->path = g_strdup(operation->path);
	copy->section = g_strdup(operation->section);
	copy->key = g_strdup(operation->key);
	copy->value = g_strdup(operation->value);
	copy->text = operation->text ? g_bytes_ref(operation->text) : NULL;
	copy->expected = operation->expected ? g_bytes_ref(operation->expected) : NULL;
	return copy;
}

static Change *make_change(const char *root, bool user_mode, bool until_reboot)
{
	Change *change = g_new0(Change, 1);

	atomic_files_init(&change->atomic_files, root);
	change->user_mode = user_mode;
	change->until_reboot = until_reboot;
	change->top = until_reboot ? search_path_runtime(user_mode) : search_path_config(user_mode);
	change->files = g_ptr_array_new_with_free_func(file_change_free);
	change->operations = g_ptr_array_new_with_free_func(operation_free);
	change->expected = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	return change;
}

Change *change_new(const char *root, bool until_reboot)
{
	return make_change(root, false, until_reboot);
}

Change *change_new_user(bool until_reboot)
{
	return make_change("", true, until_reboot);
}

void change_free(Change *change)
{
	if (!change)
		return;
	g_free(change->top);
	atomic_files_clear(&change->atomic_files);
	g_ptr_array_unref(change->files);
	g_ptr_array_unref(change->operations);
	g_hash_table_unref(change->expected);
	g_free(change->warning);
	g_free(change);
}

void change_set_overlay(Change *change, GHashTable *overlay)
{
	change->overlay = overlay;
}

uint64_t change_undoes(const Change *change)
{
	return change->undoes;
}

char *change_policy_path(const Change *change, const char *name)
{
	return g_build_filename(change->top, "policy.d", name, NULL);
}

static char *our_policy(const Change *change)
{
	return change_policy_path(change, POLICY_EDIT_FILE_NAME);
}

static char *our_drop_in(const Change *change, const char *service)
{
	g_autofree char *directory = g_strconcat(service, ".svc.d", NULL);

	return g_build_filename(change->top, "services.d", directory, DROP_IN, NULL);
}

/* Removes from @access the rights that the existing file at @path does not give. */
static void narrow(const Change *change, const char *path, FileAccess *access)
{
	FileAccess other;

	if (!atomic_file_access(&change->atomic_files, path, &other) || (other.mode & 0044) == 0044)
		return;
	access->mode &= other.mode | 0600;
	if (access->gid != (gid_t)-1 && access->gid != other.gid)
		access->mode &= ~(mode_t)0040;
	access->gid = other.gid;
}

/* Calls narrow() for all files of the service or template @name in @directory. */
static void narrow_by_files(const Change *change, const char *directory, const char *name,
			    FileAccess *access)
{
	g_autofree char *main = g_strdup_printf("%s/%s.svc", directory, name);
	g_autofree char *drop_ins = g_strdup_printf("%s/%s.svc.d", directory, name);
	g_autoptr(GPtrArray) names = atomic_file_list(&change->atomic_files, drop_ins, NULL);

	narrow(change, main, access);
	for (guint i = 0; names && i < names->len; i++) {
		g_autofree char *path =
			g_build_filename(drop_ins, g_ptr_array_index(names, i), NULL);

		narrow(change, path, access);
	}
}

/* A drop-in probably repeats contents of the service's other files, so it gets the same readers. */
static FileAccess access_of_new(const Change *change, const char *path)
{
	g_autofree char *parent = g_path_get_dirname(path);
	g_autofree char *name = g_path_get_basename(parent);
	g_auto(GStrv) directories = search_path_services(
		&(LoaderOptions){ .root = "", .user_mode = change->user_mode });
	g_autofree char *template = NULL;
	FileAccess access = FILE_ACCESS_ALL;

	if (!g_str_has_suffix(name, ".svc.d"))
		return access;
	name[strlen(name) - strlen(".svc.d")] = '\0';
	(void)name_split_instance(name, &template, NULL); /* most names are not instances */
	for (char **directory = directories; *directory; directory++) {
		narrow_by_files(change, *directory, name, &access);
		if (template)
			narrow_by_files(change, *directory, template, &access);
	}
	return access;
}

/*
 * Refuses to change a file that the loader does not read because of its access. The change would
 * have no effect.
 */
static bool check_access(const Change *change, const char *path, const FileAccess *access,
			 GError **error)
{
	const SourceReader reader = { .any_owner = *change->atomic_files.root,
				      .owner = change->user_mode ? geteuid() : 0 };
	g_autofree char *problem =
		source_file_distrust(&reader, access->mode, access->uid, access->gid);
	g_autofree char *shown = atomic_file_show(&change->atomic_files, path);

	return !problem || fail(error, SVCD_ERROR_INVALID_CONFIGURATION, "%s: %s", shown, problem);
}

/* The file at @path, read at the first use; NULL with @error. */
static FileChange *file_of(Change *change, const char *path, GError **error)
{
	g_autoptr(GBytes) text = NULL;
	FileAccess access;
	FileChange *file;

	for (guint i = 0; i < change->files->len; i++) {
		file = g_ptr_array_index(change->files, i);
		if (strcmp(file->path, path) == 0)
			return file;
	}
	if (!atomic_file_read(&change->atomic_files, path, LIMIT_FILE_BYTES, &text, error))
		return NULL;
	if (!text || !atomic_file_access(&change->atomic_files, path, &access))
		access = access_of_new(change, path);
	else if (!check_access(change, path, &access, error))
		return NULL;
	file = file_change_new(path, text, access);
	g_ptr_array_add(change->files, file);
	return file;
}

/* Takes @text. A file that contains only svcctl's head comment is removed. */
static void set_after(FileChange *file, GBytes *text)
{
	g_clear_pointer(&file->after, g_bytes_unref);
	file->after = text;
	if (text && ini_edit_is_bare(text))
		g_clear_pointer(&file->after, g_bytes_unref);
}

static bool do_edit(const Change *change, const Operation *operation, FileChange *file,
		    GError **error)
{
	g_autoptr(GBytes) text = file->after ? g_bytes_ref(file->after) : NULL;
	g_autofree char *shown = atomic_file_show(&change->atomic_files, operation->path);
	bool ok;

	if (operation->kind == OPERATION_SET)
		ok = ini_edit_set(shown, &text, operation->section, operation->key,
				  operation->value, error);
	else if (operation->kind == OPERATION_ADD)
		ok = ini_edit_add(shown, &text, operation->section, operation->key,
				  operation->value, error);
	else
		ok = !text || ini_edit_remove_section(shown, &text, operation->section, error);
	if (ok)
		set_after(file, g_steal_pointer(&text));
	return ok;
}

static bool do_write(const Change *change, const Operation *operation, FileChange *file,
		     GError **error)
{
	if (!text_is_equal(file->before, operation->expected))
		return fail(
			error, SVCD_ERROR_BUSY,
			"another process has changed %s%s in the meantime, so svcctl has changed "
			"nothing; look at the file and repeat the command",
			change->atomic_files.root, operation->path);
	g_clear_pointer(&file->after, g_bytes_unref);
	file->after = operation->text ? g_bytes_ref(operation->text) : NULL;
	if (!file->before && operation->access.mode)
		file->access = operation->access;
	return true;
}

static bool do_operation(Change *change, const Operation *operation, GError **error)
{
	FileChange *file = file_of(change, operation->path, error);

	if (!file)
		return false;
	switch (operation->kind) {
	case OPERATION_SET:
	case OPERATION_ADD:
	case OPERATION_REMOVE_SECTION:
		return do_edit(change, operation, file, error);
	case OPERATION_WRITE:
		return do_write(change, operation, file, error);
	case OPERATION_REMOVE_FILE:
		set_after(file, NULL);
		return true;
	}
	return false;
}

/* Carries out @operation, and keeps a copy of it unless it fails. */
static bool add_operation(Change *change, const Operation *operation, GError **error)
{
	if (!do_operation(change, operation, error))
		return false;
	g_ptr_array_add(change->operations, operation_copy(operation));
	return true;
}

static bool check_service(const char *service, GError **error)
{
	g_autofree char *problem = NULL;

	return name_check_service(service, &problem) ||
	       fail(error, SVCD_ERROR_INVALID_ARGUMENT, "%s", problem);
}

bool change_set_policy(Change *change, const char *service, const char *key, const char *value,
		       GError **error)
{
	g_autofree char *section = g_strconcat("service ", service, NULL);
	g_autofree char *path = our_policy(change);

	return check_service(service, error) &&
	       add_operation(change,
			     &(Operation){ OPERATION_SET, path, section, key, value, .text = NULL },
			     error);
}

void change_expect_service(Change *change, const char *service)
{
	g_hash_table_add(change->expected, g_strdup(service));
}

/* The section of a service file that contains @key; NULL with @error. */
static const char *section_of(const char *service, const char *key, GError **error)
{
	static const char *const sections[] = { "Service", "Conditions" };
	static const char *const policy_keys[] = { "Activation", "Runlevels", "Reason", NULL };
	g_autofree char *problem = NULL;

	for (size_t i = 0; i < G_N_ELEMENTS(sections); i++) {
		if (service_key_find(sections[i], key))
			return sections[i];
	}
	if (g_strv_contains(policy_keys, key))
		problem = g_strdup_printf(
			"%s= is policy, not a setting of the service; use \"svcctl set %s "
			"boot|on-demand|manual|never\", with --runlevel and --reason",
			key, service);
	else
		problem = service_key_explain_unknown(sections[0], key, service);
	fail(error, SVCD_ERROR_INVALID_ARGUMENT, "%s", problem);
	return NULL;
}

/* Has this change already set @key? */
static bool is_set_already(const Change *change, const char *path, const char *section,
			   const char *key)
{
	for (guint i = 0; i < change->operations->len; i++) {
		const Operation *operation = g_ptr_array_index(change->operations, i);

		if (operation->kind == OPERATION_SET && operation->value &&
		    strcmp(operation->path, path) == 0 &&
		    strcmp(operation->section, section) == 0 && strcmp(operation->key, key) == 0)
			return true;
	}
	return false;
}

bool change_set_override(Change *change, const char *service, const char *key, const char *value,
			 GError **error)
{
	g_autofree char *path = our_drop_in(change, service);
	const char *section = check_service(service, error) ? section_of(service, key, error) :
							      NULL;
	const bool is_more = section && value && is_set_already(change, path, section, key);

	if (!section)
		return false;
	if (is_more && !service_key_find(section, key)->is_list)
		return fail(error, SVCD_ERROR_INVALID_ARGUMENT,
			    "%s= takes one value, but two are given", key);
	return add_operation(change,
			     &(Operation){ is_more ? OPERATION_ADD : OPERATION_SET, path, section,
					   key, value, .text = NULL },
			     error);
}

bool change_revert(Change *change, const char *service, GError **error)
{
	g_autofree char *policy = our_policy(change);
	g_autofree char *section = g_strconcat("service ", service, NULL);
	g_autofree char *drop_in = our_drop_in(change, service);

	return check_service(service, error) &&
	       add_operation(change,
			     &(Operation){ OPERATION_REMOVE_SECTION, policy, section,
					   .text = NULL },
			     error) &&
	       add_operation(change, &(Operation){ OPERATION_REMOVE_FILE, drop_in, .text = NULL },
			     error);
}

bool change_write(Change *change, const char *path, GBytes *text, GBytes *expected,
		  const FileAccess *if_new, GError **error)
{
	const Operation operation = { .kind = OPERATION_WRITE,
				      .path = path,
				      .text = text,
				      .expected = expected,
				      .access = if_new ? *if_new : (FileAccess){ .mode = 0 } };

	return add_operation(change, &operation, error);
}

/* Returns: the reason why @path (from "/") cannot be changed, a new string; NULL if it can be. */
static char *check_path(const Change *change, const char *path)
{
	static const char *const kinds[] = { "/policy.d/", "/services.d/" };
	for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
		g_autofree char *directory = g_strconcat(change->top, kinds[i], NULL);
		const char *rest =
			g_str_has_prefix(path, directory) ? path + strlen(directory) - 1 : "";

		if (*rest && rest[1] && !g_str_has_suffix(rest, "/") && !strstr(rest, "/.") &&
		    !strstr(rest, "//"))
			return NULL;
	}
	return g_strdup_printf("%s is not a file below %s/policy.d or %s/services.d", path,
			       change->top, change->top);
}

bool change_set_file(Change *change, const char *path, const char *text, GError **error)
{
	g_autofree char *whole = *path == '/' ? g_strdup(path) : g_strconcat("/", path, NULL);
	g_autofree char *problem = check_path(change, whole);
	const bool ends = !text || !*text || g_str_has_suffix(text, "\n");
	g_autofree char *ended = g_strconcat(text ? text : "", ends ? NULL : "\n", NULL);
	g_autoptr(GBytes) bytes = text ? g_bytes_new(ended, strlen(ended)) : NULL;
	FileChange *file;

	if (problem)
		return fail(error, SVCD_ERROR_INVALID_ARGUMENT, "%s", problem);
	file = file_of(change, whole, error);
	return file && change_write(change, whole, bytes, file->before, NULL, error);
}

bool change_is_empty(const Change *change)
{
	for (guint i = 0; i < change->files->len; i++) {
		const FileChange *file = g_ptr_array_index(change->files, i);

		if (!text_is_equal(file->before, file->after))
			return false;
	}
	return true;
}

/* --- writing --- */

/* Reads the files again and repeats all operations on the present contents. */
static bool refresh(Change *change, GError **error)
{
	g_ptr_array_set_size(change->files, 0);
	for (guint i = 0; i < change->operations->len; i++) {
		if (!do_operation(change, g_ptr_array_index(change->operations, i), error))
			return false;
	}
	return true;
}

static bool check(const Change *change, GError **error)
{
	g_autoptr(DiagList) errors = NULL;
	g_autoptr(Configuration) configuration = change_preview(change, NULL, &errors);
	g_autofree char *first = NULL;

	if (diag_list_length(errors) == 0)
		return true;
	first = diag_format(diag_list_get(errors, 0));
	if (diag_list_length(errors) == 1)
		return fail(error, SVCD_ERROR_INVALID_CONFIGURATION, "%s", first);
	return fail(error, SVCD_ERROR_INVALID_CONFIGURATION, "%s (and %u more)", first,
		    diag_list_length(errors) - 1);
}

/*
 * A change that cannot be undone is better than a policy that cannot be changed because /var is not
 * writable.
 */
static uint64_t add_to_history(Change *change, const ChangeAuthor *author)
{
	g_autoptr(GError) error = NULL;
	uint64_t number = 0;

	if (!change->until_reboot && !change->user_mode)
		number = history_add(change, author, &error);
	g_clear_pointer(&change->warning, g_free);
	if (error)
		change->warning =
			g_strdup_printf("the history could not be written: %s", error->message);
	return number;
}

/* Restores the old text in every file that has the new one. */
static bool roll_back(const Change *change)
{
	bool ok = true;

	for (guint i = 0; i < change->files->len; i++) {
		const FileChange *file = g_ptr_array_index(change->files, i);
		g_autoptr(GBytes) text = NULL;

		if (!text_is_equal(file->before, file->after) &&
		    (!atomic_file_read(&change->atomic_files, file->path, LIMIT_FILE_BYTES, &text,
				       NULL) ||
		     (text_is_equal(text, file->after) &&
		      !atomic_file_write(&change->atomic_files, file->path, file->before,
					 file->access, NULL))))
			ok = false;
	}
	return ok;
}

/*
 * Writes all files, or none. If a write fails and the old texts cannot be restored, the step stays
 * in the history for "undo".
 */
static bool write_files(const Change *change, uint64_t number, GError **error)
{
	for (guint i = 0; i < change->files->len; i++) {
		const FileChange *file = g_ptr_array_index(change->files, i);

		if (text_is_equal(file->before, file->after) ||
		    atomic_file_write(&change->atomic_files, file->path, file->after, file->access,
				      error))
			continue;
		if (roll_back(change) && number)
			history_drop(&change->atomic_files, number);
		return false;
	}
	return true;
}

bool change_apply(Change *change, const ChangeAuthor *author, uint64_t *ret_number, GError **error)
{
	g_autofree char *runtime = search_path_runtime(change->user_mode);
	g_autofree char *path = g_build_filename(runtime, POLICY_EDIT_LOCK_NAME, NULL);
	auto_fd int lock =
		atomic_file_lock(&change->atomic_files, path, LIMIT_POLICY_LOCK_US, error);
	uint64_t number = 0;

	if (lock < 0 || !refresh(change, error))
		return false;
	if (!change_is_empty(change)) {
		if (!check(change, error))
			return false;
		number = add_to_history(change, author);
		if (!write_files(change, number, error))
			return false;
	}
	if (ret_number)
		*ret_number = number;
	return true;
}

const char *change_warning(const Change *change)
{
	return change->warning;
}
