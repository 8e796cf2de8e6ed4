/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Search path: one table of directories; later rows win.
 */
#include "config.h"

#include "config/search-path.h"

/* Who may leave out a row. */
typedef enum RowKind {
	ROW_SHIPPED, /* below /usr: always read */
	ROW_LOCAL,   /* below /etc or /run: left out when the manager cannot live with it */
} RowKind;

typedef struct Row {
	const char *path;
	RowKind kind;
	PolicyLayer layer; /* of policy directories */
} Row;

static const Row service_rows[] = {
	{ "/run/svcd/generated", ROW_LOCAL, POLICY_LAYER_VENDOR },
	{ SVCD_LIBDIR "/services.d", ROW_SHIPPED, POLICY_LAYER_VENDOR },
	{ SVCD_SYSCONFDIR "/services.d", ROW_LOCAL, POLICY_LAYER_ADMIN },
	{ "/run/svcd/services.d", ROW_LOCAL, POLICY_LAYER_UNTIL_REBOOT },
};

static const Row policy_rows[] = {
	{ "/run/svcd/generated", ROW_LOCAL, POLICY_LAYER_VENDOR }, /* which mounts, swap and logins are wanted */
	{ SVCD_LIBDIR "/policy.d", ROW_SHIPPED, POLICY_LAYER_VENDOR },
	{ "/run/svcd/generated/rc-links", ROW_LOCAL, POLICY_LAYER_RC_LINKS }, /* what the links in /etc/rc?.d want */
	{ SVCD_SYSCONFDIR "/policy.d", ROW_LOCAL, POLICY_LAYER_ADMIN },
	{ "/run/svcd/policy.d", ROW_LOCAL, POLICY_LAYER_UNTIL_REBOOT },
};

/* "svcd --user": the same layers below the user's own directories. */
static char *user_path(const Row *row, const char *kind)
{
	switch (row->layer) {
	case POLICY_LAYER_ADMIN:
		return g_build_filename(g_get_user_config_dir(), "svcd", kind, NULL);
	case POLICY_LAYER_UNTIL_REBOOT:
		return g_build_filename(g_get_user_runtime_dir(), "svcd", kind, NULL);
	case POLICY_LAYER_VENDOR:
		if (row->kind == ROW_LOCAL)
			return g_build_filename(g_get_user_runtime_dir(), "svcd", "generated", NULL);
		return g_build_filename(SVCD_LIBDIR, "user", kind, NULL);
	case POLICY_LAYER_RC_LINKS: /* the machine's */
	case POLICY_LAYER_BUILTIN:
	case POLICY_LAYER_KERNEL:
	case POLICY_LAYER_COUNT:
		break;
	}
	return NULL;
}

static char *row_path(const LoaderOptions *options, const Row *row, const char *kind)
{
	if (row->kind == ROW_LOCAL && options->without_local_files)
		return NULL;
	if (options->user_mode)
		return user_path(row, kind);
	return options->root && *options->root ? g_build_filename(options->root, row->path, NULL)
					       : g_strdup(row->path);
}

char **search_path_services(const LoaderOptions *options)
{
	GPtrArray *paths = g_ptr_array_new();

	for (size_t i = 0; i < G_N_ELEMENTS(service_rows); i++) {
		char *path = row_path(options, &service_rows[i], "services.d");

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
	GPtrArray *directories = g_ptr_array_new_with_free_func(policy_directory_free);

	for (size_t i = 0; i < G_N_ELEMENTS(policy_rows); i++) {
		char *path = row_path(options, &policy_rows[i], "policy.d");
		PolicyDirectory *directory;

		if (!path)
			continue;
		directory = g_new0(PolicyDirectory, 1);
		directory->path = path;
		directory->layer = policy_rows[i].layer;
		g_ptr_array_add(directories, directory);
	}
	return directories;
}
