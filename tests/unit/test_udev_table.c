/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of devices: devices that appear, change and disappear, and the reports.
 */
#include "config.h"

#include <check.h>
#include <string.h>
#include <time.h>

#include "loop/loop.h"
#include "providers/udev-table.h"
#include "tests/lib/many-names.h"
#include "tests/lib/suite.h"

static UdevTable *table;
static GString *reported; /* "KEY LEVEL WHY" lines since the last expect() */
static unsigned n_reported;

static void on_report(void *data, const char *key, Level level, const char *why)
{
	(void)data;
	n_reported++;
	g_string_append_printf(reported, "%s %s %s\n", key, level_name(level), why);
}

static void set_up(void)
{
	const ProviderSink sink = { on_report, NULL };

	reported = g_string_new(NULL);
	n_reported = 0;
	table = udev_table_new(&sink);
	udev_table_set_live(table, NULL);
}

static void tear_down(void)
{
	udev_table_free(table);
	(void)g_string_free(reported, TRUE);
}

static void expect(const char *lines)
{
	udev_table_settle(table);
	ck_assert_str_eq(reported->str, lines);
	g_string_truncate(reported, 0);
}

static const char *subscribe(const char *text)
{
	const char *key = g_intern_string(text);

	udev_table_add(table, key, udev_match_new(key));
	return key;
}

/* @label: encoded; NULL: none */
static void volume(const char *name, const char *label)
{
	g_autofree char *syspath = g_strconcat("/sys/block/", name, NULL);
	g_autofree char *node = g_strconcat("DEVNAME=/dev/", name, NULL);
	g_autofree char *property = g_strconcat("ID_FS_LABEL_ENC=", label, NULL);

	udev_table_put(table, udev_record_new(syspath, (const char *const[]){
							       "SUBSYSTEM=block", node,
							       label ? property : NULL, NULL }));
}

static void device(const char *syspath, const char *first, const char *second, const char *third)
{
	udev_table_put(table, udev_record_new(syspath,
					      (const char *const[]){ first, second, third, NULL }));
}

static void gone(const char *name)
{
	g_autofree char *syspath = g_strconcat("/sys/block/", name, NULL);

	udev_table_drop(table, syspath);
}

static void expect_description(const char *key, const char *text)
{
	g_autofree char *description = udev_table_describe(table, g_intern_string(key));

	ck_assert_str_eq(description, text);
}

START_TEST(the_present_level_is_reported_at_once)
{
	volume("sda1", "DATA");

	subscribe("label:DATA");
	subscribe("label:OTHER");

	expect("label:DATA true /dev/sda1\nlabel:OTHER false no volume with that label\n");
}
END_TEST

START_TEST(a_label_appears_and_goes)
{
	subscribe("label:DATA");
	expect("label:DATA false no volume with that label\n");

	volume("sda1", "DATA");
	expect("label:DATA true /dev/sda1\n");

	gone("sda1");
	expect("label:DATA false no volume with that label\n");
}
END_TEST

START_TEST(the_same_event_again_causes_no_report)
{
	subscribe("label:DATA");
	volume("sda1", "DATA");
	expect("label:DATA false no volume with that label\nlabel:DATA true /dev/sda1\n");

	volume("sda1", "DATA");
	gone("sdz");
	expect("");
}
END_TEST

START_TEST(a_relabelled_volume_ends_one_condition_and_begins_another)
{
	volume("sda1", "OLD");
	subscribe("label:OLD");
	subscribe("label:NEW");
	expect("label:OLD true /dev/sda1\nlabel:NEW false no volume with that label\n");

	volume("sda1", "NEW");
	expect("label:OLD false no volume with that label\nlabel:NEW true /dev/sda1\n");
}
END_TEST

START_TEST(a_detached_volume_has_no_label_but_its_node)
{
	volume("loop0", "DATA");
	subscribe("label:DATA");
	subscribe("device:/dev/loop0");
	expect("label:DATA true /dev/loop0\ndevice:/dev/loop0 true /dev/loop0\n");

	volume("loop0", NULL);
	expect("label:DATA false no volume with that label\n");
}
END_TEST

START_TEST(a_label_holds_until_its_last_volume_goes)
{
	volume("sda1", "DATA");
	volume("sdb1", "DATA");
	subscribe("label:DATA");
	expect("label:DATA true /dev/sda1\n");

	gone("sda1");
	expect("label:DATA true /dev/sdb1\n");

	gone("sdb1");
	expect("label:DATA false no volume with that label\n");
}
END_TEST

START_TEST(a_label_that_moves_within_a_batch_was_never_gone)
{
	volume("sda1", "DATA");
	subscribe("label:DATA");
	expect("label:DATA true /dev/sda1\n");

	volume("sda1", NULL);
	volume("sdb1", "DATA");
	expect("label:DATA true /dev/sdb1\n");
}
END_TEST

START_TEST(encoded_labels_are_compared_as_bytes)
{
	volume("sda1", "my\\x20d\\x2fata\\x20\xc3\xbc");

	subscribe("label:my d/ata \xc3\xbc");
	subscribe("label:my_d/ata_\xc3\xbc");

	expect("label:my d/ata \xc3\xbc true /dev/sda1\nlabel:my_d/ata_\xc3\xbc false no volume "
	       "with that label\n");
}
END_TEST

START_TEST(a_uuid_is_found_in_any_case)
{
	device("/sys/block/sda1", "SUBSYSTEM=block", "ID_FS_UUID_ENC=ABCD-12EF",
	       "DEVNAME=/dev/sda1");
	subscribe("uuid:abcd-12ef");

	expect("uuid:abcd-12ef true /dev/sda1\n");
	expect_description("uuid:abcd-12ef", "UUIDs present: abcd-12ef");
}
END_TEST

START_TEST(a_label_is_one_of_a_volume_only)
{
	device("/sys/class/tty/x", "SUBSYSTEM=tty", "ID_FS_LABEL_ENC=DATA", "DEVNAME=/dev/x");
	subscribe("label:DATA");

	expect("label:DATA false no volume with that label\n");
}
END_TEST

START_TEST(a_device_is_found_by_node_and_by_link)
{
	subscribe("device:/dev/sda1");
	subscribe("device:/dev/disk/by-id/x");
	expect("device:/dev/sda1 false no such device\ndevice:/dev/disk/by-id/x false no such "
	       "device\n");

	device("/sys/block/sda1", "SUBSYSTEM=block", "DEVNAME=/dev/sda1",
	       "DEVLINKS=/dev/disk/by-id/x /dev/sda1");
	expect("device:/dev/sda1 true /dev/sda1\ndevice:/dev/disk/by-id/x true /dev/sda1\n");
}
END_TEST

START_TEST(a_match_follows_any_property)
{
	device("/sys/block/sda", "SUBSYSTEM=block", "ID_BUS=ata", "DEVNAME=/dev/sda");
	subscribe("udev:ID_BUS=usb SUBSYSTEM=block");
	expect("udev:ID_BUS=usb SUBSYSTEM=block false no device matches\n");

	device("/sys/block/sdb", "SUBSYSTEM=block", "ID_BUS=usb", "DEVNAME=/dev/sdb");
	expect("udev:ID_BUS=usb SUBSYSTEM=block true /dev/sdb\n");

	device("/sys/block/sdb", "SUBSYSTEM=block", "ID_BUS=ata", "DEVNAME=/dev/sdb");
	expect("udev:ID_BUS=usb SUBSYSTEM=block false no device matches\n");
}
END_TEST

START_TEST(a_match_without_a_subsystem_sees_all)
{
	subscribe("udev:ID_VENDOR=x");
	device("/sys/devices/a", "SUBSYSTEM=usb", "ID_VENDOR=x", NULL);
	device("/sys/devices/b", "SUBSYSTEM=hid", "ID_VENDOR=x", NULL);
	expect("udev:ID_VENDOR=x false no device matches\nudev:ID_VENDOR=x true /sys/devices/a\n");

	udev_table_drop(table, "/sys/devices/a");
	expect("udev:ID_VENDOR=x true /sys/devices/b\n");
}
END_TEST

START_TEST(a_device_that_is_not_ready_is_not_there)
{
	subscribe("label:DATA");
	device("/sys/block/sda", "SUBSYSTEM=block", "SYSTEMD_READY=0", "ID_FS_LABEL_ENC=DATA");
	expect("label:DATA false no volume with that label\n");

	device("/sys/block/sda", "SUBSYSTEM=block", "DEVNAME=/dev/sda", "ID_FS_LABEL_ENC=DATA");
	expect("label:DATA true /dev/sda\n");

	device("/sys/block/sda", "SUBSYSTEM=block", "SYSTEMD_READY=0", "ID_FS_LABEL_ENC=DATA");
	expect("label:DATA false no volume with that label\n");
}
END_TEST

START_TEST(while_udev_is_away_what_was_there_stays_and_the_rest_is_unknown)
{
	volume("sda1", "DATA");
	subscribe("label:DATA");
	subscribe("label:OTHER");
	expect("label:DATA true /dev/sda1\nlabel:OTHER false no volume with that label\n");

	udev_table_set_live(table, "udev is not running");
	expect("label:OTHER unknown udev is not running\n");

	udev_table_set_live(table, NULL);
	expect("label:OTHER false no volume with that label\n");
}
END_TEST

START_TEST(a_listing_reports_only_the_differences)
{
	volume("sda1", "STAYS");
	volume("sdb1", "MOVES");
	volume("sdc1", "GOES");
	subscribe("label:STAYS");
	subscribe("label:MOVES");
	subscribe("label:GOES");
	subscribe("label:COMES");
	udev_table_settle(table);
	g_string_truncate(reported, 0);

	udev_table_begin_listing(table);
	volume("sda1", "STAYS");
	volume("sdd1", "COMES");
	volume("sde1", "MOVES");
	udev_table_end_listing(table, "block");

	udev_table_settle(table);
	ck_assert_ptr_null(strstr(reported->str, "STAYS"));
	ck_assert_ptr_nonnull(strstr(reported->str, "label:COMES true /dev/sdd1\n"));
	ck_assert_ptr_nonnull(strstr(reported->str, "label:MOVES true /dev/sde1\n"));
	ck_assert_ptr_nonnull(strstr(reported->str, "label:GOES false no volume with that "
						    "label\n"));
	ck_assert_uint_eq(n_reported, 4 + 3);
}
END_TEST

START_TEST(a_listing_of_one_subsystem_leaves_the_others_alone)
{
	device("/sys/class/net/eth0", "SUBSYSTEM=net", "INTERFACE=eth0", NULL);
	volume("sda1", "DATA");
	subscribe("udev:INTERFACE=eth0");
	subscribe("label:DATA");
	expect("udev:INTERFACE=eth0 true /sys/class/net/eth0\nlabel:DATA true /dev/sda1\n");

	udev_table_begin_listing(table);
	udev_table_end_listing(table, "block");
	expect("label:DATA false no volume with that label\n");
}
END_TEST

START_TEST(nothing_is_reported_after_unsubscribing)
{
	const char *label = subscribe("label:DATA");
	const char *match = subscribe("udev:SUBSYSTEM=block");

	expect("label:DATA false no volume with that label\nudev:SUBSYSTEM=block false no device "
	       "matches\n");
	volume("sda1", "DATA");
	expect("label:DATA true /dev/sda1\nudev:SUBSYSTEM=block true /dev/sda1\n");

	udev_match_free(udev_table_remove(table, label));
	udev_match_free(udev_table_remove(table, match));
	ck_assert_ptr_null(udev_table_remove(table, match));
	gone("sda1");
	expect("");

	subscribe("label:DATA");
	expect("label:DATA false no volume with that label\n");
}
END_TEST

START_TEST(a_new_subscriber_gets_the_level_of_a_present_device)
{
	const char *key = subscribe("udev:SUBSYSTEM=block");

	volume("sda1", "DATA");
	udev_match_free(udev_table_remove(table, key));
	udev_table_settle(table);
	g_string_truncate(reported, 0);

	subscribe("udev:SUBSYSTEM=block");
	expect("udev:SUBSYSTEM=block true /dev/sda1\n");
}
END_TEST

START_TEST(devices_without_conditions_are_forgotten)
{
	g_autoptr(GHashTable) wanted = g_hash_table_new(g_str_hash, g_str_equal);

	g_hash_table_add(wanted, (gpointer) "block");
	volume("sda1", "DATA");
	device("/sys/class/net/eth0", "SUBSYSTEM=net", NULL, NULL);

	udev_table_retain(table, wanted);

	g_autoptr(GPtrArray) records = udev_table_records(table, NULL);
	ck_assert_uint_eq(records->len, 1);
}
END_TEST

START_TEST(hostile_text_is_text_and_is_shown_harmless)
{
	volume("sda1", "\\x1b[2J\\x0aServices:\\xff");
	subscribe("label:DATA");

	expect("label:DATA false no volume with that label\n");
	expect_description("label:DATA", "labels present: \\x1b[2J\\x0aServices:\\xff");
}
END_TEST

START_TEST(labels_are_listed_in_order_and_limited)
{
	subscribe("label:DATA");
	expect_description("label:DATA", "no volume has a label");

	volume("sdb1", "ROOT");
	volume("sda1", "EFI");
	expect_description("label:DATA", "labels present: EFI, ROOT");

	for (unsigned i = 0; i < 100; i++) {
		g_autofree char *name = g_strdup_printf("sd%u", i);
		g_autofree char *label = g_strdup_printf("L%02u", i);

		volume(name, label);
	}
	expect_description(
		"label:DATA",
		"labels present: EFI, L00, L01, L02, L03, L04, L05, L06, L07, L08, L09, L10 "
		"and 90 more");
}
END_TEST

START_TEST(nodes_with_the_nearest_names_are_suggested)
{
	subscribe("device:/dev/sda3");
	expect_description("device:/dev/sda3", "no device node is known to udev");

	for (unsigned i = 0; i < 20; i++) {
		g_autofree char *name = g_strdup_printf("loop%u", i);

		volume(name, NULL);
	}
	volume("sda1", NULL);
	volume("sda", NULL);
	volume("sdb", NULL);
	expect_description(
		"device:/dev/sda3",
		"nearest names present: /dev/sda, /dev/sda1, /dev/sdb, /dev/loop0, /dev/loop1 and "
		"18 more");
}
END_TEST

START_TEST(the_closest_devices_are_reported)
{
	const char *key = subscribe("udev:ID_BUS=usb ID_TYPE=disk SUBSYSTEM=block");

	expect_description(key, "there are no block devices");

	device("/sys/block/sda", "SUBSYSTEM=block", "DEVNAME=/dev/sda", NULL);
	expect_description(key, "block devices: sda; none has ID_BUS=usb or ID_TYPE=disk");

	device("/sys/block/sdb", "SUBSYSTEM=block", "ID_TYPE=disk", NULL);
	expect_description(key, "block devices: sdb; none has ID_BUS=usb");
}
END_TEST

/*
 * If each event visited all conditions, this would need a hundred million steps and take minutes.
 */
START_TEST(ten_thousand_conditions_do_not_slow_one_event)
{
	clock_t begin;

	many_names_made = 1;
	for (unsigned i = 0; i < 10000; i++) {
		g_autofree char *key = g_strdup_printf("label:L%u", i);

		subscribe(key);
	}
	n_reported = 0;
	begin = clock();
	for (unsigned i = 0; i < 10000; i++) {
		g_autofree char *label = g_strdup_printf("L%u", i);

		volume("sda1", label);
		udev_table_settle(table);
	}
	ck_assert_int_lt(clock() - begin, 20 * CLOCKS_PER_SEC);
	ck_assert_uint_eq(n_reported, 2 * 10000 - 1);
}
END_TEST

START_TEST(what_is_being_listed_is_unknown_and_not_absent)
{
	const char *key = g_intern_string("label:NEW");

	(void)subscribe("label:OLD");
	expect("label:OLD false no volume with that label\n");

	udev_table_await(table, key);
	udev_table_add(table, key, udev_match_new(key));
	expect("label:NEW unknown " UDEV_TABLE_BEING_LISTED "\n");
	volume("sda1", "NEW");
	expect("label:NEW true /dev/sda1\n");
	gone("sda1");
	expect("label:NEW unknown " UDEV_TABLE_BEING_LISTED "\n");

	udev_table_end_waiting(table);
	expect("label:NEW false no volume with that label\n");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("udev-table");

	ADD_CASE_AROUND(suite, "levels", set_up, tear_down, the_present_level_is_reported_at_once,
			a_label_appears_and_goes, the_same_event_again_causes_no_report,
			a_relabelled_volume_ends_one_condition_and_begins_another,
			a_detached_volume_has_no_label_but_its_node,
			a_label_holds_until_its_last_volume_goes,
			a_label_that_moves_within_a_batch_was_never_gone,
			encoded_labels_are_compared_as_bytes, a_uuid_is_found_in_any_case,
			a_label_is_one_of_a_volume_only, a_device_is_found_by_node_and_by_link,
			a_match_follows_any_property, a_match_without_a_subsystem_sees_all,
			a_device_that_is_not_ready_is_not_there,
			while_udev_is_away_what_was_there_stays_and_the_rest_is_unknown,
			what_is_being_listed_is_unknown_and_not_absent);
	ADD_CASE_AROUND(suite, "table", set_up, tear_down, a_listing_reports_only_the_differences,
			a_listing_of_one_subsystem_leaves_the_others_alone,
			nothing_is_reported_after_unsubscribing,
			a_new_subscriber_gets_the_level_of_a_present_device,
			devices_without_conditions_are_forgotten,
			hostile_text_is_text_and_is_shown_harmless,
			labels_are_listed_in_order_and_limited,
			nodes_with_the_nearest_names_are_suggested,
			the_closest_devices_are_reported,
			ten_thousand_conditions_do_not_slow_one_event);
	return suite;
}
