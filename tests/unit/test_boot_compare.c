/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Boot compare: the services that became slower, and the packages that own them.
 */
#include "config.h"

#include <check.h>
#include <gio/gio.h>
#include <string.h>

#include "svcctl/boot-compare.h"
#include "svcctl/package-log.h"
#include "tests/lib/suite.h"
#include "tests/lib/tree.h"

static SavedBoot *make_boot(const char *services)
{
	g_autoptr(JsonParser) parser = json_parser_new();
	g_autofree char *text = g_strdup_printf("{\"services\":[%s]}", services);
	SavedBoot *boot;

	ck_assert(json_parser_load_from_data(parser, text, -1, NULL));
	boot = saved_boot_new(json_object_ref(json_node_get_object(json_parser_get_root(parser))),
			      1, NULL);
	ck_assert_ptr_nonnull(boot);
	return boot;
}

#define SERVICE(name, started, over) \
	"{\"name\":\"" name "\",\"wanted_us\":1,\"started_us\":" #started ",\"over_us\":" #over "}"

static char *names_of(const GArray *found)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < found->len; i++) {
		const BootDifference *one = &g_array_index(found, BootDifference, i);

		g_string_append_printf(text, "%s%s %d", i > 0 ? ", " : "", one->name,
				       (int)((one->after_us - one->before_us) / 1000));
	}
	return g_string_free(g_steal_pointer(&text), FALSE);
}

START_TEST(what_took_longer_is_named_and_what_waited_for_it_is_not)
{
	g_autoptr(SavedBoot) before = make_boot(
		SERVICE("slow", 1000, 101000) "," SERVICE("waits", 101000, 201000) "," SERVICE(
			"same", 1000, 90000) "," SERVICE("gone", 1000, 900000));
	g_autoptr(SavedBoot) after = make_boot(
		SERVICE("waits", 1101000, 1201000) "," SERVICE("slow", 1000, 1101000) "," SERVICE(
			"same", 1000, 185000) "," SERVICE("new", 1000, 501000));
	g_autoptr(GArray) slower = boot_compare(before, after, false);
	g_autoptr(GArray) all = boot_compare(before, after, true);
	g_autofree char *slower_text = names_of(slower);
	g_autofree char *all_text = names_of(all);

	ck_assert_str_eq(slower_text, "slow 1000, new 500");
	ck_assert_str_eq(all_text, "slow 1000, new 500, same 95, waits 0, gone -899");
	ck_assert_int_eq(g_array_index(all, BootDifference, 3).waited_us, 1000000);
}
END_TEST

#define LOG "/var/log/dpkg.log"
#define FROM "2026-11-28 05:00:00"
#define TO "2026-11-28 06:00:00"

static char *changes_of(const Tree *tree)
{
	g_autofree char *directory = tree_path(tree, "/var/log");
	g_autoptr(GPtrArray) changes = package_log_read(directory, FROM, TO);
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < changes->len; i++) {
		g_autofree char *one = package_change_text(g_ptr_array_index(changes, i));

		g_string_append_printf(text, "%s%s", i > 0 ? ", " : "", one);
	}
	return g_string_free(g_steal_pointer(&text), FALSE);
}

START_TEST(the_log_has_the_changes_of_the_period)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *text = NULL;

	tree_write(tree, LOG ".1",
		   "2026-11-28 04:59:59 upgrade early:amd64 1 2\n"
		   "2026-11-28 05:00:00 upgrade cron:amd64 3.0 3.1\n"
		   "2026-11-28 05:00:01 status installed cron:amd64 3.1\n");
	tree_write(tree, LOG,
		   "2026-11-28 05:30:00 startup archives unpack\n"
		   "2026-11-28 05:30:01 install web:all <none> 1.0\n"
		   "2026-11-28 05:40:00 upgrade cron:amd64 3.1 3.2\n"
		   "2026-11-28 05:45:00 remove old:amd64 1 <none>\n"
		   "2026-11-28 06:00:00 upgrade libc6:amd64 2 3\n"
		   "2026-11-28 06:00:01 upgrade late:amd64 1 2\n"
		   "a line of another kind\n");
	text = changes_of(tree);
	ck_assert_str_eq(text, "cron 3.0 -> 3.2, web 1.0 (new), libc6 2 -> 3");
}
END_TEST

static void write_compressed(const Tree *tree, const char *name, const char *text)
{
	g_autofree char *path = tree_path(tree, name);
	g_autoptr(GFile) file = g_file_new_for_path(path);
	g_autoptr(GConverter)
		gzip = G_CONVERTER(g_zlib_compressor_new(G_ZLIB_COMPRESSOR_FORMAT_GZIP, -1));
	g_autoptr(GFileOutputStream) plain = NULL;
	g_autoptr(GOutputStream) out = NULL;

	tree_write(tree, name, "");
	plain = g_file_replace(file, NULL, FALSE, G_FILE_CREATE_NONE, NULL, NULL);
	ck_assert_ptr_nonnull(plain);
	out = g_converter_output_stream_new(G_OUTPUT_STREAM(plain), gzip);
	ck_assert(g_output_stream_write_all(out, text, strlen(text), NULL, NULL, NULL));
	ck_assert(g_output_stream_close(out, NULL, NULL));
}

START_TEST(compressed_parts_of_the_log_are_read_oldest_first)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *text = NULL;

	for (int i = 10; i >= 2; i -= 8) {
		g_autofree char *name = g_strdup_printf(LOG ".%d.gz", i);
		g_autofree char *line = g_strdup_printf(
			"2026-11-28 05:%02d:00 upgrade a:amd64 %d %d\n", 30 - i, 30 - i, 31 - i);

		write_compressed(tree, name, line);
	}
	tree_write(tree, LOG ".3.gz", "this is not compressed\n");
	text = changes_of(tree);
	ck_assert_str_eq(text, "a 20 -> 29");
}
END_TEST

START_TEST(a_package_owns_the_files_of_its_list)
{
	g_autoptr(Tree) tree = tree_new();
	PackageChange cron = { .package = (char *)"cron:amd64" };
	PackageChange libc = { .package = (char *)"libc6:amd64" };
	PackageChange gone = { .package = (char *)"gone:all" };
	char *const merged[] = { (char *)"/etc/x", (char *)"/usr/bin/sleep", NULL };
	char *const split[] = { (char *)"/lib/ld.so", NULL };
	char *const directory[] = { (char *)"/usr", NULL };

	tree_write(tree, "/cron.list", "/.\n/bin\n/bin/sleep\n/usr/lib\n");
	tree_write(tree, "/libc6:amd64.list", "/.\n/usr/lib/ld.so\n");
	ck_assert(package_owns(tree->root, &cron, merged));
	ck_assert(!package_owns(tree->root, &cron, split));
	ck_assert(!package_owns(tree->root, &cron, directory));
	ck_assert(package_owns(tree->root, &libc, split));
	ck_assert(!package_owns(tree->root, &gone, merged));
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("boot_compare");

	ADD_CASE(suite, "services", what_took_longer_is_named_and_what_waited_for_it_is_not);
	ADD_CASE(suite, "packages", the_log_has_the_changes_of_the_period,
		 compressed_parts_of_the_log_are_read_oldest_first,
		 a_package_owns_the_files_of_its_list);
	return suite;
}
