/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Saved boots: records from JSON, the ideal boot, and the limits of their directory.
 */
#include "config.h"

#include <check.h>
#include <string.h>

#include "svcctl/saved-boot.h"
#include "tests/lib/suite.h"
#include "tests/lib/tree.h"

/* gdm3 waits for dbus, and cron for nothing. dbus starts at 1 s, and gdm3 is up at 3 s. */
#define SERVICES                                                                          \
	"[{\"name\":\"dbus\",\"wanted_us\":1,\"started_us\":1000000,\"over_us\":1500000," \
	"\"result\":\"up\",\"cpu_us\":200000},"                                           \
	"{\"name\":\"gdm3\",\"wanted_us\":1,\"started_us\":1500000,\"over_us\":3000000,"  \
	"\"result\":\"up\",\"cpu_us\":700000,\"waited_for\":\"service:dbus\","            \
	"\"waited_for_service\":\"dbus\"},"                                               \
	"{\"name\":\"cron\",\"wanted_us\":1,\"started_us\":1,\"over_us\":1000,"           \
	"\"result\":\"failed\",\"cpu_us\":5100000}]"

#define RECORD                                                                                    \
	"{\"processors\":2,\"services_cpu_us\":7000000,\"kernel_us\":500000,\"svcd_us\":4000000," \
	"\"login_screen\":{\"service\":\"gdm3\",\"shown_us\":3500000,\"needs\":[\"dbus\"]},"      \
	"\"services\":" SERVICES "}"

static JsonObject *parse(const char *text)
{
	g_autoptr(JsonParser) parser = json_parser_new();

	ck_assert(json_parser_load_from_data(parser, text, -1, NULL));
	return json_object_ref(json_node_get_object(json_parser_get_root(parser)));
}

static SavedBoot *make_boot(void)
{
	SavedBoot *boot = saved_boot_new(parse(RECORD), 7, NULL);

	ck_assert_ptr_nonnull(boot);
	return boot;
}

START_TEST(a_record_has_times_and_usage_of_each_service)
{
	g_autoptr(SavedBoot) boot = make_boot();

	ck_assert_uint_eq(boot_times_count(boot->times), 3);
	ck_assert_int_eq(boot_time_own(boot_times_find(boot->times, "gdm3"), 0), 1500000);
	ck_assert_int_eq(saved_boot_of_service(boot, "gdm3", "cpu_us"), 700000);
	ck_assert_int_eq(saved_boot_of_service(boot, "nosuch", "cpu_us"), 0);
	ck_assert_int_eq(saved_boot_total(boot), 4500000);
	ck_assert_str_eq(saved_boot_text(boot, "login_screen", "service"), "gdm3");
	ck_assert_str_eq(saved_boot_text(boot, "shutdown", "requested"), "");
}
END_TEST

START_TEST(the_ideal_boot_is_bound_by_processors_or_by_the_chain)
{
	g_autoptr(SavedBoot) boot = make_boot();
	g_autofree char *text = NULL;
	BootBound all;
	BootBound login;

	ck_assert(saved_boot_bound(boot, false, &all));
	ck_assert_int_eq(all.cpu_us, 7000000); /* includes 1 s of ended services */
	ck_assert_int_eq(all.chain_us, 2000000);
	ck_assert_int_eq(all.bound_us, 3500000);
	text = boot_bound_text(&all);
	ck_assert_str_eq(text, "4.0 s, 1.14 times the ideal 3.5 s");

	ck_assert(saved_boot_bound(boot, true, &login));
	ck_assert_int_eq(login.took_us, 3500000);
	ck_assert_int_eq(login.cpu_us, 900000);
	ck_assert_int_eq(login.bound_us, 2000000);
}
END_TEST

/* The files can be changed by hand, or be older than this svcctl. */
static const char *const odd[] = {
	"{\"services\":[]}",
	"{\"services\":[1,null,{},{\"name\":3},{\"name\":\"a\",\"started_us\":-5,\"over_us\":\"x\"}],"
	"\"svcd_us\":{},\"login_screen\":[],\"processors\":-2}",
	"{\"services\":[{\"name\":\"a\",\"started_us\":5,\"over_us\":9,\"waited_for_service\":\"a\"}],"
	"\"login_screen\":{\"needs\":{},\"shown_us\":5}}",
};

START_TEST(an_odd_record_is_read_as_far_as_it_goes)
{
	g_autoptr(SavedBoot) boot = saved_boot_new(parse(odd[_i]), 1, NULL);
	BootBound bound;

	ck_assert_ptr_nonnull(boot);
	ck_assert(!saved_boot_bound(boot, false, &bound));
	ck_assert_int_eq(saved_boot_total(boot), 0);
}
END_TEST

static const struct {
	const char *text;
	const char *problem;
} bad[] = {
	{ "", "/1.json: not a JSON object" },
	{ "[1]", "/1.json: not a JSON object" },
	{ "{}", "boot 1: the record has no list of services" },
	{ "{\"services\":3}", "boot 1: the record has no list of services" },
	{ "{\"services\":", NULL },
};

START_TEST(a_broken_record_is_an_error_and_the_one_before_it_is_the_last)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(GError) error = NULL;
	g_autoptr(SavedBoot) last = NULL;

	tree_write(tree, "/1.json", bad[_i].text);
	ck_assert_ptr_null(boots_load(tree->root, 1, &error));
	ck_assert_ptr_nonnull(error);
	if (bad[_i].problem)
		ck_assert_msg(g_str_has_suffix(error->message, bad[_i].problem), "%s",
			      error->message);
	tree_write(tree, "/0.json", RECORD);
	last = boots_load_last(tree->root);
	ck_assert_uint_eq(last->number, 0);
}
END_TEST

static void save(const Tree *tree, unsigned number, size_t size)
{
	JsonObject *object = parse(RECORD);
	g_autofree char *filler = g_strnfill(size, 'x');

	json_object_set_string_member(object, "filler", filler);
	ck_assert(boots_save(tree->root, number, object, NULL));
	json_object_unref(object);
}

START_TEST(twenty_boots_are_kept)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(GArray) numbers = NULL;
	g_autoptr(SavedBoot) boot = NULL;

	tree_write(tree, "/9.json.Ab12cD", "cut off by a power cut");
	tree_write(tree, "/README", "not a record");
	for (unsigned i = 1; i <= BOOTS_KEPT + 3; i++)
		save(tree, i, 1);
	save(tree, BOOTS_KEPT + 3, 2); /* the same boot again */
	numbers = boots_list(tree->root);

	ck_assert_uint_eq(numbers->len, BOOTS_KEPT);
	ck_assert_uint_eq(g_array_index(numbers, unsigned, 0), 4);
	boot = boots_load_last(tree->root);
	ck_assert_uint_eq(boot->number, BOOTS_KEPT + 3);
	ck_assert_str_eq(saved_boot_text(boot, NULL, "filler"), "xx");
	g_clear_pointer(&boot, saved_boot_free);
	g_autofree char *left = tree_read(tree, "/9.json.Ab12cD");
	g_autofree char *other = tree_read(tree, "/README");
	ck_assert_str_eq(left, "");
	ck_assert_str_eq(other, "not a record");
}
END_TEST

START_TEST(logs_are_removed_before_records)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(GArray) numbers = NULL;
	g_autofree char *filler = g_strnfill(3 * 1024 * 1024, 'x');

	for (unsigned i = 1; i <= 4; i++) {
		g_autofree char *path = g_strdup_printf("/%u.logs/web.log", i);

		tree_write(tree, path, filler);
		save(tree, i, 1);
	}
	numbers = boots_list(tree->root);
	ck_assert_uint_eq(numbers->len, 4);
	for (unsigned i = 1; i <= 4; i++) {
		g_autofree char *path = boots_logs(tree->root, i);

		ck_assert_int_eq(g_file_test(path, G_FILE_TEST_EXISTS), i > 2);
	}
	for (unsigned i = 5; i <= BOOTS_KEPT + 3; i++)
		save(tree, i, 1);
	g_autofree char *old = boots_logs(tree->root, 3);
	g_autofree char *kept = boots_logs(tree->root, 4);
	ck_assert(!g_file_test(old, G_FILE_TEST_EXISTS));
	ck_assert(g_file_test(kept, G_FILE_TEST_EXISTS));
}
END_TEST

START_TEST(eight_mebibytes_are_kept)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(GArray) numbers = NULL;
	g_autoptr(GError) error = NULL;
	g_autofree char *filler = g_strnfill(BOOTS_BYTES, 'x');
	JsonObject *object = parse(RECORD);

	for (unsigned i = 1; i <= 4; i++)
		save(tree, i, 3 * 1024 * 1024);
	numbers = boots_list(tree->root);
	ck_assert_uint_eq(numbers->len, 2);
	ck_assert_uint_eq(g_array_index(numbers, unsigned, 0), 3);

	json_object_set_string_member(object, "filler", filler);
	ck_assert(!boots_save(tree->root, 5, object, &error));
	ck_assert_str_eq(error->message, "the record of this boot is larger than 8 MiB");
	json_object_unref(object);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("saved_boot");

	ADD_CASE(suite, "record", a_record_has_times_and_usage_of_each_service,
		 the_ideal_boot_is_bound_by_processors_or_by_the_chain);
	suite_add_loop(suite, "odd", an_odd_record_is_read_as_far_as_it_goes, G_N_ELEMENTS(odd));
	suite_add_loop(suite, "bad", a_broken_record_is_an_error_and_the_one_before_it_is_the_last,
		       G_N_ELEMENTS(bad));
	ADD_CASE(suite, "limits", twenty_boots_are_kept, logs_are_removed_before_records,
		 eight_mebibytes_are_kept);
	return suite;
}
