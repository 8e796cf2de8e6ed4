/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * LSB world: a machine with init scripts, and the files generated from them.
 */
#include "config.h"

#include "tests/lib/lsb-world.h"

#include <check.h>
#include <string.h>
#include <sys/stat.h>

#include "lsb-compat/lsb.h"
#include "model/policy.h"
#include "tests/lib/diags.h"

static const char facilities[] =
	"$local_fs +mountall +umountfs\n$network +networking\n$remote_fs $local_fs +mountnfs "
	"+umountnfs +sendsigs\n"
	"$syslog +rsyslog\n<interactive> udev\n";

LsbWorld *lsb_world_new(void)
{
	LsbWorld *w = g_new0(LsbWorld, 1);

	w->tree = tree_new();
	tree_write(w->tree, "/etc/insserv.conf", facilities);
	return w;
}

void lsb_world_free(LsbWorld *w)
{
	g_clear_pointer(&w->files, g_ptr_array_unref);
	tree_free(w->tree);
	g_free(w);
}

static void make_executable(const Tree *tree, const char *path)
{
	g_autofree char *whole = tree_path(tree, path);

	ck_assert_int_eq(chmod(whole, 0755), 0);
}

void write_script(const LsbWorld *w, const char *name, const char *text)
{
	g_autofree char *path = g_build_filename("/etc/init.d", name, NULL);

	tree_write(w->tree, path, text);
	make_executable(w->tree, path);
}

void script(const LsbWorld *w, const char *name, const char *fields)
{
	static const char *const needed[] = { "Required-Start", "Required-Stop", "Default-Start",
					      "Default-Stop" };
	g_autoptr(GString) text = g_string_new("#!/bin/sh\n### BEGIN INIT INFO\n");
	g_auto(GStrv) lines = g_strsplit(fields, "\n", -1);

	for (char **line = lines; *line && **line; line++)
		g_string_append_printf(text, "# %s\n", *line);
	if (!strstr(fields, "Provides:"))
		g_string_append_printf(text, "# Provides: %s\n", name);
	for (size_t i = 0; i < G_N_ELEMENTS(needed); i++) {
		if (!strstr(fields, needed[i]))
			g_string_append_printf(text, "# %s:%s\n", needed[i],
					       i == 2 ? " 2" :
					       i == 3 ? " 0" :
							"");
	}
	g_string_append(text, "### END INIT INFO\nexit 0\n");
	write_script(w, name, text->str);
}

/* @data: a strv of pairs, name and service. */
static const char *find_pair(const void *data, const char *name)
{
	for (const char *const *pair = data; *pair; pair += 2) {
		if (strcmp(pair[0], name) == 0)
			return pair[1];
	}
	return NULL;
}

void read_scripts_beside(LsbWorld *w, const char *const *native_pairs, const char *message)
{
	const LsbNatives natives = { .find = find_pair, .data = native_pairs };
	g_autoptr(DiagList) diags = diag_list_new();

	g_clear_pointer(&w->files, g_ptr_array_unref);
	w->files = lsb_read(w->tree->root, native_pairs ? &natives : NULL, diags);
	diag_list_sort(diags);
	expect_diags(diags, message);
}

void read_scripts(LsbWorld *w, const char *message)
{
	read_scripts_beside(w, NULL, message);
}

const char *text_of(const LsbWorld *w, const char *name)
{
	for (guint i = 0; i < w->files->len; i++) {
		const LsbFile *file = g_ptr_array_index(w->files, i);

		if (strcmp(file->name, name) == 0)
			return file->text;
	}
	return "";
}

char *value_of(const LsbWorld *w, const char *service, const char *key)
{
	g_autofree char *name = g_strconcat(service, ".svc", NULL);
	g_auto(GStrv) lines = g_strsplit(text_of(w, name), "\n", -1);
	g_autofree char *start = g_strconcat(key, "=", NULL);
	GString *value = g_string_new(NULL);

	for (char **line = lines; *line; line++) {
		if (g_str_has_prefix(*line, start))
			g_string_append_printf(value, "%s%s", value->len > 0 ? " " : "",
					       *line + strlen(start));
	}
	return g_string_free(value, FALSE);
}

void expect_value(const LsbWorld *w, const char *service, const char *key, const char *expected)
{
	g_autofree char *value = value_of(w, service, key);

	ck_assert_msg(strcmp(value, expected) == 0, "%s: %s=%s, expected %s", service, key, value,
		      expected);
}

void expect_names(const LsbWorld *w, const char *expected)
{
	g_autoptr(GString) names = g_string_new(NULL);

	for (guint i = 0; i < w->files->len; i++)
		g_string_append_printf(names, "%s%s", i > 0 ? " " : "",
				       ((LsbFile *)g_ptr_array_index(w->files, i))->name);
	ck_assert_str_eq(names->str, expected);
}

void expect_sound(const LsbWorld *w)
{
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(Policy) policy = policy_new();

	for (guint i = 0; i < w->files->len; i++) {
		const LsbFile *file = g_ptr_array_index(w->files, i);

		if (g_str_has_suffix(file->name, ".svc")) {
			g_autofree char *name =
				g_strndup(file->name, strlen(file->name) - strlen(".svc"));

			service_def_free(parse_text(name, file->text, diags));
		} else {
			ck_assert(policy_parse(policy, POLICY_LAYER_VENDOR, file->name, file->text,
					       strlen(file->text), diags));
		}
	}
	expect_diags(diags, "");
}
