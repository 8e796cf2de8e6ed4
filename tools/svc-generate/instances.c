/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Instances: see instances.h.
 */
#include "config.h"

#include "svc-generate/instances.h"

#include <string.h>

#include "base/fd.h"
#include "base/limits.h"
#include "base/text.h"
#include "model/name.h"

#define CONFIGURATION ".conf"
#define POLICY_FILE "50-instances.policy"

static gint compare_names(gconstpointer a, gconstpointer b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names in a directory, sorted; empty if it cannot be read. */
static GPtrArray *list_directory(const char *directory)
{
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GDir) dir = g_dir_open(directory, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir)) != NULL) {
		if (*name != '.')
			g_ptr_array_add(names, g_strdup(name));
	}
	g_ptr_array_sort(names, compare_names);
	return names;
}

/*
 * Adds this instance to the group. @path: its source. Returns: false if such a service cannot
 * exist.
 */
static bool add_instance(const char *group, const char *instance, const char *path, Output *output, DiagList *diags)
{
	g_autofree char *name = g_strdup_printf("%s@%s", group, instance);
	g_autofree char *file = g_strdup_printf("%s.svc.d/50-instances.conf", group);
	g_autofree char *problem = NULL;
	GString *text;

	if (!name_check_service(name, &problem)) {
		diag_error(diags, origin_new(path, 0), group, "%s", problem);
		return false;
	}
	text = output_file(output, file, path);
	if (!strchr(text->str, '['))
		g_string_append(text, "[Conditions]\n");
	g_string_append_printf(text, "Wants=%s\nAfter=%s\n", name, name);
	/* Only the group wants it, also with NewServices=boot, so that it stops with the group. */
	g_string_append_printf(output_file(output, POLICY_FILE, path), "\n[service %s]\nActivation=on-demand\n", name);
	return true;
}

/* --- OpenVPN --- */

/* Text that a shell could not split into words either counts as empty. */
static char **split_words(const char *text)
{
	g_autofree char *problem = NULL;

	return text_split_words(text, &problem);
}

/* The words of the last AUTOSTART= in a file for the shell; NULL: it is not set. */
static char **parse_autostart(const char *defaults)
{
	g_auto(GStrv) lines = g_strsplit(defaults, "\n", -1);
	char **words = NULL;

	for (char **line = lines; *line; line++) {
		g_auto(GStrv) assignment = split_words(*line);

		if (!assignment || !assignment[0] || !g_str_has_prefix(assignment[0], "AUTOSTART="))
			continue;
		g_strfreev(words);
		words = split_words(assignment[0] + strlen("AUTOSTART="));
	}
	return words;
}

static void add_all_tunnels(const char *directory, Output *output, DiagList *diags)
{
	g_autoptr(GPtrArray) names = list_directory(directory);

	for (guint i = 0; i < names->len; i++) {
		const char *name = g_ptr_array_index(names, i);
		g_autofree char *path = g_build_filename(directory, name, NULL);
		g_autofree char *instance = NULL;

		if (!g_str_has_suffix(name, CONFIGURATION))
			continue;
		instance = g_strndup(name, strlen(name) - strlen(CONFIGURATION));
		(void)add_instance("openvpn", instance, path, output, diags);
	}
}

void instances_openvpn(const char *directory, const char *defaults, Output *output, DiagList *diags)
{
	g_auto(GStrv) words = defaults ? parse_autostart(defaults) : NULL;

	if (!words || !words[0] || strcmp(words[0], "all") == 0) {
		add_all_tunnels(directory, output, diags);
		return;
	}
	for (char **word = words; *word; word++) {
		g_autofree char *path = g_strdup_printf("%s/%s" CONFIGURATION, directory, *word);

		if (strcmp(*word, "none") != 0)
			(void)add_instance("openvpn", *word, path, output, diags);
	}
}

/* --- PostgreSQL --- */

/* start.conf contains comments and one word; if it is missing the value is "auto". */
static bool is_auto(const char *cluster)
{
	g_autofree char *path = g_build_filename(cluster, "start.conf", NULL);
	g_autoptr(GBytes) bytes = file_read_bounded(path, LIMIT_FILE_BYTES, NULL);
	size_t size = 0;
	const char *data = bytes ? g_bytes_get_data(bytes, &size) : NULL;
	g_autofree char *text = g_strndup(data ? data : "", size);
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	for (char **line = lines; *line; line++) {
		const char *word = g_strstrip(*line);

		if (*word && *word != '#')
			return g_str_has_prefix(word, "auto");
	}
	return true;
}

/* The server of each version is a separate package. */
static void add_server(const char *version, const char *name, const char *cluster, Output *output)
{
	g_autofree char *file = g_strdup_printf("postgresql@%s-%s.svc.d/50-instances.conf", version, name);

	g_string_append_printf(output_file(output, file, cluster),
			       "[Conditions]\nWhen=path:exec:/usr/lib/postgresql/%s/bin/postgres\n", version);
}

static void add_cluster(const char *versions, const char *version, const char *name, Output *output, DiagList *diags)
{
	g_autofree char *cluster = g_build_filename(versions, version, name, NULL);
	g_autofree char *configuration = g_build_filename(cluster, "postgresql.conf", NULL);
	g_autofree char *instance = g_strdup_printf("%s-%s", version, name);

	if (!g_file_test(configuration, G_FILE_TEST_EXISTS) || !is_auto(cluster) ||
	    !add_instance("postgresql", instance, cluster, output, diags))
		return;
	add_server(version, name, cluster, output);
}

void instances_postgresql(const char *directory, Output *output, DiagList *diags)
{
	g_autoptr(GPtrArray) versions = list_directory(directory);

	for (guint i = 0; i < versions->len; i++) {
		const char *version = g_ptr_array_index(versions, i);
		g_autofree char *path = g_build_filename(directory, version, NULL);
		g_autoptr(GPtrArray) names = list_directory(path);

		for (guint j = 0; j < names->len; j++)
			add_cluster(directory, version, g_ptr_array_index(names, j), output, diags);
	}
}
