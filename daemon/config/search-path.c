/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Search path: tables of directories, in which later rows have precedence.
 */
#include "config.h"

#include "config/search-path.h"

#include <string.h>

/* Can an option exclude the row? */
typedef enum RowKind {
	ROW_SHIPPED, /* below /usr: always read */
	ROW_LOCAL, /* below /etc or /run: excluded if the manager crashes with these files */
} RowKind;

typedef struct SearchRow {
	const char *path;
	RowKind kind;
	PolicyLayer layer; /* of policy directories */
} SearchRow;

static const SearchRow service_rows[] = {
	{ "/run/svcd/generated", ROW_LOCAL, POLICY_LAYER_VENDOR },
	{ SVCD_LIBDIR "/services.d", ROW_SHIPPED, POLICY_LAYER_VENDOR },
	{ SVCD_SYSCONFDIR "/services.d", ROW_LOCAL, POLICY_LAYER_ADMIN },
	{ "/run/svcd/services.d", ROW_LOCAL, POLICY_LAYER_UNTIL_REBOOT },
};

static const SearchRow policy_rows[] = {
	{ "/run/svcd/generated", ROW_LOCAL, POLICY_LAYER_VENDOR }, /* for mounts, swap and logins */
	{ SVCD_LIBDIR "/policy.d", ROW_SHIPPED, POLICY_LAYER_VENDOR },
	{ "/run/svcd/generated/rc-links", ROW_LOCAL, POLICY_LAYER_RC_LINKS }, /* for the links in
										 /etc/rc?.d */
	{ SVCD_SYSCONFDIR "/policy.d", ROW_LOCAL, POLICY_LAYER_ADMIN },
	{ "/run/svcd/policy.d", ROW_LOCAL, POLICY_LAYER_UNTIL_REBOOT },
};

/*
 * "svcd --user". The machine admin's files for all users are in the same layer as those of
 * packages, and override them. Paths that begin with "~" are below the user's own directories.
 */
static const SearchRow user_service_rows[] = {
	{ SVCD_LIBDIR "/user-services.d", ROW_SHIPPED, POLICY_LAYER_VENDOR },
	{ SVCD_SYSCONFDIR "/user-services.d", ROW_LOCAL, POLICY_LAYER_VENDOR },
	{ "~config/services.d", ROW_LOCAL, POLICY_LAYER_ADMIN },
	{ "~runtime/services.d", ROW_LOCAL, POLICY_LAYER_UNTIL_REBOOT },
};

static const SearchRow user_policy_rows[] = {
	{ SVCD_LIBDIR "/user-policy.d", ROW_SHIPPED, POLICY_LAYER_VENDOR },
	{ SVCD_SYSCONFDIR "/user-policy.d", ROW_LOCAL, POLICY_LAYER_VENDOR },
	{ "~config/policy.d", ROW_LOCAL, POLICY_LAYER_ADMIN },
	{ "~runtime/policy.d", ROW_LOCAL, POLICY_LAYER_UNTIL_REBOOT },
};

char *search_path_config(bool user_mode)
{
	return user_mode ? g_build_filename(g_get_user_config_dir(), "svcd", NULL) :
			   g_strdup(SVCD_SYSCONFDIR);
}

const char *search_path_runtime_top(bool user_mode)
{
	return user_mode ? g_get_user_runtime_dir() : "/run";
}

char *search_path_runtime(bool user_mode)
{
	return g_build_filename(search_path_runtime_top(user_mode), "svcd", NULL);
}

static char *user_path(const char *path)
{
	const bool is_config = g_str_has_prefix(path, "~config/");
	g_autofree char *top = NULL;

	if (*path != '~')
		return g_strdup(path);
	top = is_config ? search_path_config(true) : search_path_runtime(true);
	return g_build_filename(top, strchr(path, '/'), NULL);
}

static char *row_path(const LoaderOptions *options, const SearchRow *row)
{
	if (row->kind != ROW_SHIPPED && options->without_local_files)
		return NULL;
	if (row->layer == POLICY_LAYER_UNTIL_REBOOT && options->without_until_reboot)
		return NULL;
	if (options->user_mode)
		return user_path(row->path);
	return options->root && *options->root ? g_build_filename(options->root, row->path, NULL) :
						 g_strdup(row->path);
}

char **search_path_services(const LoaderOptions *options)
{
	const SearchRow *rows = options->user_mode ? user_service_rows : service_rows;
	const size_t n = options->user_mode ? G_N_ELEMENTS(user_service_rows) :
					      G_N_ELEMENTS(service_rows);
	GPtrArray *paths = g_ptr_array_new();

	for (size_t i = 0; i < n; i++) {
		char *path = row_path(options, &rows[i]);

		if (path)
			g_ptr_array_add(paths, path);
	}
	g_ptr_array_add(paths, NULL);
	return (char **)g_ptr_array_free(paths, FALSE);
}

static void policy_directory_free(gpointer data)
{
	PolicyDirectory *directory = data;

	g_free(directory->path);
	g_free(directory);
}

GPtrArray *search_path_policies(const LoaderOptions *options)
{
	const SearchRow *rows = options->user_mode ? user_policy_rows : policy_rows;
	const size_t n = options->user_mode ? G_N_ELEMENTS(user_policy_rows) :
					      G_N_ELEMENTS(policy_rows);
	GPtrArray *directories = g_ptr_array_new_with_free_func(policy_directory_free);

	for (size_t i = 0; i < n; i++) {
		char *path = row_path(options, &rows[i]);
		PolicyDirectory *directory;

		if (!path)
			continue;
		directory = g_new0(PolicyDirectory, 1);
		directory->path = path;
		directory->layer = rows[i].layer;
		g_ptr_array_add(directories, directory);
	}
	return directories;
}
