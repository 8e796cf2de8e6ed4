/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>
#include <glib/gstdio.h>
#include <sys/stat.h>

#include "config/loader.h"
#include "base/time-zone.h"
#include "svc-generate/generate.h"
#include "svc-generate/local-time.h"
#include "tests/lib/diags.h"
#include "tests/lib/suite.h"
#include "tests/lib/tree.h"

#define HEADER                                                                                  \
	"#!/bin/sh\n### BEGIN INIT INFO\n# Provides: %s\n# Required-Start:\n# Required-Stop:\n" \
	"# Default-Start: 2\n# Default-Stop: 0\n# Short-Description: a script\n### END INIT INFO\n"

static void add_script(const Tree *tree, const char *name)
{
	g_autofree char *text = g_strdup_printf(HEADER, name);
	g_autofree char *path = g_strconcat("/etc/init.d/", name, NULL);
	g_autofree char *full = tree_path(tree, path);

	tree_write(tree, path, text);
	ck_assert_int_eq(chmod(full, 0755), 0);
}

static Configuration *load(const Tree *tree, GHashTable *overlay)
{
	const LoaderOptions options = { .root = tree->root, .any_owner = true, .overlay = overlay };

	return configuration_load(&options, NULL);
}

/* The names of all services, "a b"; a new string. */
static char *names_of(const Configuration *configuration)
{
	const GPtrArray *list = service_set_list(configuration->set);
	g_autoptr(GPtrArray) names = g_ptr_array_new();

	for (guint i = 0; i < list->len; i++)
		g_ptr_array_add(names, (gpointer)((ServiceDef *)g_ptr_array_index(list, i))->name);
	g_ptr_array_add(names, NULL);
	return g_strjoinv(" ", (char **)names->pdata);
}

static void expect_services(const Tree *tree, const char *expected)
{
	g_autoptr(Generated) generated = generate(tree->root, NULL);
	g_autoptr(GHashTable) overlay = generated_overlay(generated);
	g_autoptr(Configuration) configuration = load(tree, overlay);
	g_autofree char *names = names_of(configuration);

	ck_assert_str_eq(names, expected);
}

static void write_generated(const Tree *tree)
{
	g_autofree char *directory = tree_path(tree, GENERATED_DIRECTORY);
	g_autoptr(Generated) generated = generate(tree->root, NULL);
	g_autoptr(GError) error = NULL;

	ck_assert_msg(generated_write(generated, directory, &error), "%s",
		      error ? error->message : "");
}

START_TEST(every_source_is_seen_at_once)
{
	g_autoptr(Tree) tree = tree_new();

	tree_write(tree, "/etc/fstab", "tmpfs /srv tmpfs\n");
	add_script(tree, "a");
	expect_services(tree, "a mount-srv");
}
END_TEST

START_TEST(a_service_with_a_file_takes_the_place_of_the_script_of_that_name)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Generated) generated = NULL;

	add_script(tree, "a");
	add_script(tree, "b.sh");
	add_script(tree, "c");
	add_script(tree, "d");
	tree_write(tree, SVCD_LIBDIR "/services.d/a.svc", "[Service]\nExec=/bin/a\n");
	tree_write(tree, SVCD_SYSCONFDIR "/services.d/b.svc", "[Service]\nExec=/bin/b\n");
	tree_write(tree, "/run/svcd/services.d/x.svc",
		   "[Service]\nExec=/bin/x\n[Conditions]\nProvides=c\n");

	generated = generate(tree->root, NULL);
	ck_assert(!generated_files_has(generated->files, "a.svc"));
	ck_assert(!generated_files_has(generated->files, "b.svc"));
	ck_assert(!generated_files_has(generated->files, "c.svc"));
	ck_assert(generated_files_has(generated->files, "d.svc"));
	expect_services(tree, "a b d x");
}
END_TEST

START_TEST(a_file_generated_from_a_script_does_not_replace_that_script)
{
	g_autoptr(Tree) tree = tree_new();

	add_script(tree, "a");
	write_generated(tree);
	expect_services(tree, "a");
	write_generated(tree);
	expect_services(tree, "a");
}
END_TEST

START_TEST(the_files_of_a_removed_script_are_removed)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *script = tree_path(tree, "/etc/init.d/a");
	g_autofree char *service = tree_path(tree, GENERATED_DIRECTORY "/a.svc");
	g_autofree char *links = tree_path(tree, GENERATED_DIRECTORY "/rc-links");
	g_autoptr(GDir) directory = NULL;

	add_script(tree, "a");
	tree_link_script(tree, "2", "S01a");
	write_generated(tree);
	ck_assert(g_file_test(service, G_FILE_TEST_EXISTS));
	directory = g_dir_open(links, 0, NULL);
	ck_assert_ptr_nonnull(directory);
	ck_assert_ptr_nonnull(g_dir_read_name(directory));

	ck_assert_int_eq(g_remove(script), 0);
	expect_services(tree, "");
	write_generated(tree);
	ck_assert(!g_file_test(service, G_FILE_TEST_EXISTS));
	g_dir_rewind(directory);
	ck_assert_ptr_null(g_dir_read_name(directory));
}
END_TEST

START_TEST(generating_in_memory_gives_the_same_services_as_writing)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Generated) generated = NULL;
	g_autoptr(GHashTable) overlay = NULL;
	g_autoptr(Configuration) ahead = NULL;
	g_autoptr(Configuration) written = NULL;
	g_autofree char *names = NULL;

	tree_write(tree, "/etc/fstab", "tmpfs /srv tmpfs\n");
	tree_write(tree, GENERATED_DIRECTORY "/old.svc",
		   OUTPUT_MARK "\n[Service]\nExec=/bin/old\n");
	tree_write(tree, GENERATED_DIRECTORY "/foreign.svc", "[Service]\nExec=/bin/foreign\n");
	add_script(tree, "a");
	generated = generate(tree->root, NULL);
	overlay = generated_overlay(generated);
	ahead = load(tree, overlay);
	write_generated(tree);
	written = load(tree, NULL);

	names = names_of(ahead);
	ck_assert_str_eq(names, "a foreign mount-srv");
	ck_assert_uint_eq(service_set_length(written->set), 3);
	for (guint i = 0; i < 3; i++) {
		const ServiceDef *one = g_ptr_array_index(service_set_list(ahead->set), i);
		const ServiceDef *other = g_ptr_array_index(service_set_list(written->set), i);

		ck_assert_str_eq(one->name, other->name);
		ck_assert_uint_eq(one->lines->len, other->lines->len);
	}
}
END_TEST

START_TEST(unreadable_input_is_reported_and_the_rest_is_generated)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Generated) generated = NULL;
	g_autofree char *message = NULL;

	tree_mkdir(tree, "/etc/fstab");
	add_script(tree, "a");
	generated = generate(tree->root, NULL);
	message = diags_text(generated->diags);
	ck_assert_msg(strstr(message, "/etc/fstab is not a regular file") != NULL, "%s", message);
	ck_assert(generated_files_has(generated->files, "a.svc"));
}
END_TEST

START_TEST(a_line_with_a_nul_byte_is_reported_and_the_rest_is_made)
{
	static const char fstab[] = "a /x\0 ext4\ntmpfs /good tmpfs\n";
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Generated) generated = NULL;
	g_autofree char *message = NULL;

	tree_write_bytes(tree, "/etc/fstab", fstab, sizeof(fstab) - 1);
	tree_write(tree, "/etc/crypttab", "");
	generated = generate(tree->root, NULL);
	message = diags_text(generated->diags);
	ck_assert_msg(g_str_has_suffix(
			      message,
			      "/etc/fstab:1: the mount point contains a control character, which a "
			      "service file cannot contain\n"),
		      "%s", message);
	ck_assert(generated_files_has(generated->files, "mount-good.svc"));
}
END_TEST

START_TEST(fstab_is_left_to_a_mount_script)
{
	g_autoptr(Tree) tree = tree_new();

	tree_write(tree, "/etc/fstab", "tmpfs /srv tmpfs\n");
	add_script(tree, "mountall.sh");
	expect_services(tree, "mountall");
	tree_write(tree, SVCD_LIBDIR "/services.d/checkroot.svc", "[Service]\nExec=/bin/true\n");
	expect_services(tree, "checkroot mount-srv");
}
END_TEST

START_TEST(the_local_time_becomes_a_table)
{
	const int64_t summer_s = INT64_C(1782864000); /* 2026-07-01 */
	g_autoptr(GError) error = NULL;
	g_autoptr(TimeZone) zone = NULL;
	g_autofree char *table = NULL;

	ck_assert(g_setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", TRUE));
	table = local_time_table(summer_s);
	g_unsetenv("TZ");

	zone = time_zone_parse(table, &error);
	ck_assert_msg(zone != NULL, "%s", error ? error->message : "");
	ck_assert_int_eq(time_zone_to_local(zone, summer_s), summer_s + 7200);
	/* the last second of summer in 2026, and the first one of winter */
	ck_assert_int_eq(time_zone_to_local(zone, INT64_C(1792889999)),
			 INT64_C(1792889999) + 7200);
	ck_assert_int_eq(time_zone_to_local(zone, INT64_C(1792890000)),
			 INT64_C(1792890000) + 3600);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("generate");

	ADD_CASE(suite, "generate", the_local_time_becomes_a_table, every_source_is_seen_at_once,
		 a_service_with_a_file_takes_the_place_of_the_script_of_that_name,
		 a_file_generated_from_a_script_does_not_replace_that_script,
		 the_files_of_a_removed_script_are_removed,
		 generating_in_memory_gives_the_same_services_as_writing,
		 fstab_is_left_to_a_mount_script,
		 unreadable_input_is_reported_and_the_rest_is_generated,
		 a_line_with_a_nul_byte_is_reported_and_the_rest_is_made);
	return suite;
}
