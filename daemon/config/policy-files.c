/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Policy files: all files are read first, because one file decides whether the files of another
 * layer are used.
 */
#include "config.h"

#include "config/policy-files.h"

#include "config/kernel-cmdline.h"
#include "config/search-path.h"

#define POLICY_SUFFIX ".policy"

typedef struct PolicyReading {
	SourceReader *reader;
	bool is_users; /* for svcd --user, which has no copies */
	Policy *policy;
	DiagList *diags;
} PolicyReading;

/* Is @file in the overlay? Then it is only tried out, and will be refused because of its error. */
static bool is_tried_out(const PolicyReading *r, const PolicyFile *file)
{
	return r->reader->overlay && g_hash_table_contains(r->reader->overlay, file->path);
}

static void policy_file_free(gpointer data)
{
	PolicyFile *file = data;

	g_free(file->path);
	g_free(file->text);
	g_free(file);
}

static void read_policy_file(SourceReader *reader, const PolicyDirectory *directory,
			     const char *base, DiagList *diags, GPtrArray *files)
{
	g_autofree char *problem = NULL;
	PolicyFile *file = g_new0(PolicyFile, 1);

	file->layer = directory->layer;
	file->path = g_strconcat(directory->path, "/", base, NULL);
	file->text = source_reader_read(reader, file->path, &file->length, &problem);
	if (!file->text)
		diag_error(diags, origin_new(file->path, 0), NULL, "%s", problem);
	g_ptr_array_add(files, file);
}

static void read_policy_directory(SourceReader *reader, const PolicyDirectory *directory,
				  DiagList *diags, GPtrArray *files)
{
	g_autoptr(GPtrArray) names = source_reader_list_reported(reader, directory->path, diags);

	for (guint i = 0; i < names->len; i++) {
		if (g_str_has_suffix(g_ptr_array_index(names, i), POLICY_SUFFIX))
			read_policy_file(reader, directory, g_ptr_array_index(names, i), diags,
					 files);
	}
}

GPtrArray *policy_files_of_admin(SourceReader *reader, const LoaderOptions *options,
				 DiagList *diags)
{
	g_autoptr(GPtrArray) directories = search_path_policies(options);
	GPtrArray *files = g_ptr_array_new_with_free_func(policy_file_free);

	for (guint i = 0; i < directories->len; i++) {
		const PolicyDirectory *directory = g_ptr_array_index(directories, i);

		if (directory->layer == POLICY_LAYER_ADMIN)
			read_policy_directory(reader, directory, diags, files);
	}
	return files;
}

/* Parses the copy of the admin's file, which has no errors. Origins name the file, not its copy. */
static bool parse_last_good(const PolicyReading *r, const PolicyFile *file, Policy *policy)
{
	g_autofree char *base = g_path_get_basename(file->path);
	g_autofree char *path =
		g_build_filename(r->reader->root, POLICY_LAST_GOOD_DIRECTORY, base, NULL);
	g_autofree char *problem = NULL; /* ignored: there is no copy */
	g_autoptr(DiagList) diags = diag_list_new();
	g_autofree char *text = NULL;
	gsize length;

	if (r->is_users || file->layer != POLICY_LAYER_ADMIN || is_tried_out(r, file))
		return false;
	text = source_reader_read(r->reader, path, &length, &problem);
	return text && policy_parse(policy, file->layer, file->path, text, length, diags);
}

static void merge_file(PolicyReading *r, const PolicyFile *file)
{
	if (file->text &&
	    policy_parse(r->policy, file->layer, file->path, file->text, file->length, r->diags))
		return;
	if (parse_last_good(r, file, r->policy))
		diag_list_explain(r->diags, file->path,
				  "the last version of this file without errors is used");
	else if (!is_tried_out(r, file))
		diag_list_explain(r->diags, file->path,
				  file->layer > POLICY_LAYER_VENDOR ?
					  "this file is left out as a whole; the vendor's policy "
					  "and the other files decide" :
					  "this file is left out as a whole; the other files "
					  "decide");
}

static bool has_rc_links(const GPtrArray *files)
{
	for (guint i = 0; i < files->len; i++) {
		if (((const PolicyFile *)g_ptr_array_index(files, i))->layer ==
		    POLICY_LAYER_RC_LINKS)
			return true;
	}
	return false;
}

/* Do the files of all other layers enable the rc links? */
static bool do_rc_links_count(const PolicyReading *r, const GPtrArray *files)
{
	g_autoptr(Policy) policy = policy_new();
	g_autoptr(DiagList) diags = diag_list_new(); /* unused: merge_file() reports them */

	for (guint i = 0; i < files->len; i++) {
		const PolicyFile *file = g_ptr_array_index(files, i);

		if (file->layer == POLICY_LAYER_RC_LINKS)
			continue;
		if (!file->text ||
		    !policy_parse(policy, file->layer, file->path, file->text, file->length, diags))
			(void)parse_last_good(r, file, policy);
	}
	return policy_rc_links(policy, NULL);
}

static void merge_policy_files(PolicyReading *r, bool rc_links_count, const GPtrArray *files)
{
	if (has_rc_links(files))
		policy_count_rc_links(r->policy, rc_links_count || do_rc_links_count(r, files));
	for (guint i = 0; i < files->len; i++)
		merge_file(r, g_ptr_array_index(files, i));
}

void policy_files_load(SourceReader *reader, const LoaderOptions *options, Policy *policy,
		       DiagList *diags)
{
	PolicyReading r = {
		.reader = reader, .is_users = options->user_mode, .policy = policy, .diags = diags
	};
	g_autoptr(GPtrArray) directories = search_path_policies(options);
	g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(policy_file_free);
	g_auto(GStrv) tokens =
		kernel_cmdline_split(options->kernel_cmdline ? options->kernel_cmdline : "");
	const bool is_vendor_only = policy_kernel_is_vendor_only((const char *const *)tokens);

	for (guint i = 0; i < directories->len; i++) {
		const PolicyDirectory *directory = g_ptr_array_index(directories, i);

		/* Even in vendor-only mode the vendor's policy may enable the rc links. */
		if (directory->layer <= POLICY_LAYER_RC_LINKS || !is_vendor_only)
			read_policy_directory(reader, directory, diags, files);
	}
	merge_policy_files(&r, options->rc_links_count, files);
	for (char **token = tokens; *token; token++)
		policy_apply_kernel_argument(policy, *token, diags);
}
