/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Boot shutdown: the requester, the stops and their chain, from the recorded state changes.
 */
#include "config.h"

#include <check.h>
#include <string.h>

#include "svcctl/saved-boot.h"
#include "tests/lib/suite.h"
#include "tests/lib/tree.h"

/* web stops before database, and both before network. */
#define RECORD                                                         \
	"{\"services\":[{\"name\":\"web\"},{\"name\":\"database\","    \
	"\"stops_after\":[\"web\",\"nosuch\"]},{\"name\":\"network\"," \
	"\"stops_after\":[\"web\",\"database\"]},{\"name\":\"cron\"},3,{}]}"

#define REQUEST "runlevel 6, requested by uid 0 (pid 31, reboot)"

/* cron restarted before the shutdown. */
#define STOPS                                                   \
	"50\tS0\tcron\tready\tstopping\trestart by uid 0\n"     \
	"60\tS1\tcron\tstopping\tstarting\trestart by uid 0\n"  \
	"100\tS1\tshutdown-record\tidle\twaiting\twanted\n"       \
	"100\tS2\tweb\tready\tstopping\t" REQUEST "\n"          \
	"100\tS2\tcron\tready\tstopping\t" REQUEST "\n"         \
	"300\tS3\tcron\tstopping\tidle\tended\n"                \
	"2000100\tS4\tweb\tstopping\tidle\tended\n"             \
	"2000110\tS4\tdatabase\tready\tstopping\t" REQUEST "\n" \
	"2500110\tS5\tdatabase\tstopping\tidle\tended\n"        \
	"2500120\tS5\tnetwork\tready\tstopping\t" REQUEST "\n"

static SavedBoot *load(const Tree *tree, const char *changes)
{
	SavedBoot *boot;

	tree_write(tree, "/4.json", RECORD);
	tree_write(tree, "/4.logs/changes", changes);
	boot = boots_load(tree->root, 4, NULL);
	ck_assert_ptr_nonnull(boot);
	return boot;
}

START_TEST(a_shutdown_has_a_requester_and_stops_with_their_last_waits)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(SavedBoot) boot =
		load(tree, STOPS "2900120\tS6\t-\tstopping\toff\tevery service has stopped\n");
	g_autoptr(GPtrArray) all = saved_boot_stops(boot, 0);
	g_autoptr(GPtrArray) slow = saved_boot_stops(boot, G_USEC_PER_SEC);
	g_autoptr(GString) text = g_string_new(NULL);

	ck_assert_str_eq(saved_boot_text(boot, "shutdown", "requested"), REQUEST);
	ck_assert_str_eq(saved_boot_text(boot, "shutdown", "requested_at"), "S2");
	ck_assert_int_eq(saved_boot_int(boot, "shutdown", "took_us"), 2900020);
	ck_assert_int_eq(saved_boot_int(boot, "shutdown", "complete"), 1);
	for (guint i = 0; i < all->len; i++) {
		const SavedStop *stop = g_ptr_array_index(all, i);

		g_string_append_printf(text, "%s %d+%d%s%s <%s>\n", stop->name, (int)stop->from_us,
				       (int)stop->took_us, stop->is_stopped ? "" : " open",
				       stop->is_in_chain ? " chain" : "", stop->waited_for);
	}
	ck_assert_str_eq(text->str, "web 0+2000000 chain <>\n"
				    "cron 0+200 <>\n"
				    "database 2000010+500000 chain <web>\n"
				    "network 2500020+400000 chain <database>\n");
	ck_assert_uint_eq(slow->len, 1);
	ck_assert_str_eq(((SavedStop *)slow->pdata[0])->name, "web");
}
END_TEST

START_TEST(a_shutdown_that_was_cut_off_is_known_up_to_its_last_line)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(SavedBoot) boot = load(tree, STOPS);
	g_autoptr(GPtrArray) all = saved_boot_stops(boot, 0);
	const SavedStop *last = g_ptr_array_index(all, all->len - 1);

	ck_assert_int_eq(saved_boot_int(boot, "shutdown", "complete"), 0);
	ck_assert_int_eq(saved_boot_int(boot, "shutdown", "took_us"), 2500020);
	ck_assert_str_eq(last->name, "network");
	ck_assert_int_eq(last->took_us, 0);
	ck_assert(!last->is_stopped);
}
END_TEST

START_TEST(a_boot_that_crashed_has_no_shutdown)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(SavedBoot)
		boot = load(tree, "50\tS0\tcron\tready\tstopping\trunlevel 3, requested by x\n");

	ck_assert(!json_object_has_member(boot->object, "shutdown"));
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("boot_shutdown");

	ADD_CASE(suite, "shutdown", a_shutdown_has_a_requester_and_stops_with_their_last_waits,
		 a_shutdown_that_was_cut_off_is_known_up_to_its_last_line,
		 a_boot_that_crashed_has_no_shutdown);
	return suite;
}
