/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Policy files: all are read first, for what one of them says decides whether those of another layer count.
 */
#include "config.h"

#include "config/policy-files.h"

#include "config/kernel-cmdline.h"
#include "config/search-path.h"

#define POLICY_SUFFIX ".policy"

typedef struct Reading {
	SourceReader *reader;
	Policy *policy;
	DiagList *diags;
} Reading;

/* An error, so that it is seen on every console: the machine does not do what the file's author meant. */
static void tell_policy_is_out(Reading *r, const PolicyDirectory *directory, const char *path)
{
	const char *rest = directory->layer > POLICY_LAYER_VENDOR ? "the vendor's policy and the other files decide"
								  : "the other files decide";

	/* What is only tried out is going to be refused. */
	if (r->reader->overlay && g_hash_table_contains(r->reader->overlay, path))
		return;
	diag_error(r->diags, origin_new(path, 0), NULL, "this file is left out as a whole; %s", rest);
}

/* One that could be read. */
typedef struct PolicyFile {
	const PolicyDirectory *directory;
	char *path;
	char *text;
	gsize length;
} PolicyFile;

static void policy_file_free(gpointer data)
{
	PolicyFile *file = data;

	g_free(file->path);
	g_free(file->text);
	g_free(file);
}

static void read_policy_file(Reading *r, const PolicyDirectory *directory, const char *base, GPtrArray *files)
{
	g_autofree char *problem = NULL;
	PolicyFile *file = g_new0(PolicyFile, 1);

	file->directory = directory;
	file->path = g_strconcat(directory->path, "/", base, NULL);
	file->text = source_reader_read(r->reader, file->path, &file->length, &problem);
	if (file->text) {
		g_ptr_array_add(files, file);
		return;
	}
	diag_error(r->diags, origin_new(file->path, 0), NULL, "%s", problem);
	tell_policy_is_out(r, directory, file->path);
	policy_file_free(file);
}

static void read_policy_directory(Reading *r, const PolicyDirectory *directory, GPtrArray *files)
{
	g_autoptr(GPtrArray) names = source_reader_list_told(r->reader, directory->path, r->diags);

	for (guint i = 0; i < names->len; i++) {
		if (g_str_has_suffix(g_ptr_array_index(names, i), POLICY_SUFFIX))
			read_policy_file(r, directory, g_ptr_array_index(names, i), files);
	}
}

static bool has_rc_links(const GPtrArray *files)
{
	for (guint i = 0; i < files->len; i++) {
		if (((const PolicyFile *)g_ptr_array_index(files, i))->directory->layer == POLICY_LAYER_RC_LINKS)
			return true;
	}
	return false;
}

/* What the files of all other layers say of that of the rc links. */
static bool do_rc_links_count(const GPtrArray *files)
{
	g_autoptr(Policy) policy = policy_new();
	g_autoptr(DiagList) diags = diag_list_new(); /* they are told when the files are merged for good */

	for (guint i = 0; i < files->len; i++) {
		const PolicyFile *file = g_ptr_array_index(files, i);

		if (file->directory->layer != POLICY_LAYER_RC_LINKS)
			(void)policy_parse(policy, file->directory->layer, file->path, file->text, file->length, diags);
	}
	return policy_rc_links(policy, NULL);
}

static void merge_policy_files(Reading *r, bool rc_links_count, const GPtrArray *files)
{
	if (has_rc_links(files))
		policy_count_rc_links(r->policy, rc_links_count || do_rc_links_count(files));
	for (guint i = 0; i < files->len; i++) {
		const PolicyFile *file = g_ptr_array_index(files, i);

		if (!policy_parse(r->policy, file->directory->layer, file->path, file->text, file->length,
				  r->diags))
			tell_policy_is_out(r, file->directory, file->path);
	}
}

void policy_files_load(SourceReader *reader, const LoaderOptions *options, Policy *policy, DiagList *diags)
{
	Reading r = { .reader = reader, .policy = policy, .diags = diags };
	g_autoptr(GPtrArray) directories = search_path_policies(options);
	g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(policy_file_free);
	g_auto(GStrv) words = kernel_cmdline_split(options->kernel_cmdline ? options->kernel_cmdline : "");
	const bool is_vendor_only = policy_kernel_is_vendor_only((const char *const *)words);

	for (guint i = 0; i < directories->len; i++) {
		const PolicyDirectory *directory = g_ptr_array_index(directories, i);

		/* Whether links count is the vendor's to say, too. */
		if (directory->layer <= POLICY_LAYER_RC_LINKS || !is_vendor_only)
			read_policy_directory(&r, directory, files);
	}
	merge_policy_files(&r, options->rc_links_count, files);
	for (char **word = words; *word; word++)
		policy_apply_kernel_word(policy, *word, diags);
}

/* Not found before /var is mounted; then the files are read again after the step was ended. */
void policy_files_tell_begun(SourceReader *reader, const LoaderOptions *options, DiagList *diags)
{
	g_autofree char *directory = g_build_filename(reader->root, POLICY_HISTORY_DIRECTORY, NULL);
	g_autofree char *problem = NULL; /* it is for root alone */
	g_autoptr(GPtrArray) names = NULL;

	if (options->user_mode || options->without_local_files)
		return;
	names = source_reader_list(reader, directory, &problem);
	for (guint i = 0; i < names->len; i++) {
		g_autofree char *path = g_build_filename(directory, g_ptr_array_index(names, i), NULL);

		if (g_str_has_suffix(path, ".begun"))
			diag_warning(diags, origin_new(path, 0), NULL,
				     "a change of policy was cut off, or is under way: some of its files may be new and some "
				     "old; \"svcctl policy recover\" makes them all new or all old, as every boot does");
	}
}
