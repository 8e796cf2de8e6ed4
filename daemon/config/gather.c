/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Gather: reads whole directories, including files that a file of the same name in another
 * directory replaces. A later load may have other options, such as no local files or another
 * instance of a template.
 */
#include "config.h"

#include "config/gather.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/limits.h"
#include "config/search-path.h"
#include "config/source-file.h"

#define DROP_IN_SUFFIX ".svc.d"

/* A problem of the directory is also in the bundle, so it is ignored here. */
static GPtrArray *list(SourceReader *reader, const char *directory)
{
	g_autofree char *problem = NULL;

	return source_reader_list(reader, directory, &problem);
}

static void read_file(SourceReader *reader, const char *path)
{
	g_autofree char *problem = NULL;
	g_autofree char *text = NULL;
	gsize length;

	if (!bundle_find(reader->bundle, path))
		text = source_reader_read(reader, path, &length, &problem);
}

/* Gathers files with names that end in @suffix, and with @has_drop_ins also drop-ins. */
static void gather_directory(SourceReader *reader, const char *directory, const char *suffix,
			     bool has_drop_ins)
{
	g_autoptr(GPtrArray) names = list(reader, directory);

	for (guint i = 0; i < names->len; i++) {
		g_autofree char *path =
			g_strconcat(directory, "/", g_ptr_array_index(names, i), NULL);

		if (g_str_has_suffix(path, suffix))
			read_file(reader, path);
		else if (has_drop_ins && g_str_has_suffix(path, DROP_IN_SUFFIX))
			gather_directory(reader, path, ".conf", false);
	}
}

/* Gathers a file that is neither a service nor a policy file. @may_lack: it may be missing. */
static void gather_plain(Bundle *bundle, const char *path, size_t limit, bool may_lack)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GBytes) bytes = NULL;
	gsize length;
	const void *data;

	bundle_begin(bundle, path);
	if (may_lack && access(path, F_OK) < 0)
		return;
	bytes = file_read_bounded(path, limit, &error);
	data = bytes ? g_bytes_get_data(bytes, &length) : NULL;
	if (bytes)
		bundle_add(bundle, BUNDLE_FILE, false, path, data, length);
	else
		bundle_add(bundle, BUNDLE_NO_FILE, false, path, error->message,
			   strlen(error->message));
}

static void gather_last_good_policy(SourceReader *reader)
{
	g_autofree char *directory =
		g_build_filename(reader->root, POLICY_LAST_GOOD_DIRECTORY, NULL);

	gather_directory(reader, directory, ".policy", false);
}

static void gather_last_good_services(SourceReader *reader)
{
	g_autofree char *directory =
		g_build_filename(reader->root, SERVICE_LAST_GOOD_DIRECTORY, NULL);

	gather_directory(reader, directory, ".svc", true);
}

static void gather_held_programs(SourceReader *reader)
{
	g_autofree char *path = g_strconcat(reader->root, HELD_PROGRAMS_FILE, NULL);

	bundle_begin(reader->bundle, path);
	if (access(path, F_OK) == 0)
		read_file(reader, path);
}

/*
 * Without an entry, the file has not been looked for in its volume. The directory above those of
 * all programs is empty only if that volume is not mounted.
 */
static void gather_successes(Bundle *bundle)
{
	g_autofree char *above = g_path_get_dirname(SVCD_STATEDIR);
	g_autoptr(GDir) directory = NULL;

	gather_plain(bundle, GATHER_SUCCESSES, LIMIT_DURATIONS_BYTES, true);
	if (bundle_find(bundle, GATHER_SUCCESSES))
		return;
	directory = g_dir_open(above, 0, NULL);
	if (directory && g_dir_read_name(directory))
		bundle_add(bundle, BUNDLE_FILE, false, GATHER_SUCCESSES, "", 0);
}

void gather(const LoaderOptions *options)
{
	g_auto(GStrv) services = search_path_services(options);
	g_autoptr(GPtrArray) policies = search_path_policies(options);
	SourceReader reader;

	source_reader_init(&reader, options->root, options->any_owner,
			   options->user_mode ? geteuid() : 0);
	reader.bundle = options->bundle;
	for (char **directory = services; *directory; directory++)
		gather_directory(&reader, *directory, ".svc", true);
	for (guint i = 0; i < policies->len; i++)
		gather_directory(&reader,
				 ((const PolicyDirectory *)g_ptr_array_index(policies, i))->path,
				 ".policy", false);
	if (!options->user_mode && !options->without_local_files) {
		gather_last_good_policy(&reader);
		gather_last_good_services(&reader);
	}
	gather_plain(options->bundle, GATHER_GROUPS, LIMIT_GROUP_FILE_BYTES, false);
	gather_plain(options->bundle, GATHER_KERNEL_CMDLINE, LIMIT_FILE_BYTES, true);
	gather_plain(options->bundle, GATHER_MACHINE_ID, LIMIT_FILE_BYTES, true);
	gather_plain(options->bundle, GATHER_LOCAL_TIME, LIMIT_FILE_BYTES, true);
	if (!options->user_mode)
		gather_held_programs(&reader);
	if (!options->user_mode)
		gather_successes(options->bundle);
	if (!options->user_mode)
		gather_plain(options->bundle, GATHER_DURATIONS, LIMIT_DURATIONS_BYTES, true);
	source_reader_clear(&reader);
}
