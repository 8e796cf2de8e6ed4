/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A device that seems to have lost its volume: before svcd reacts, udevd must read the device
 * again.
 */
#include "config.h"

#include <check.h>
#include <string.h>

#include "providers/udev-recheck.h"
#include "tests/lib/suite.h"

#define DEVICE "/sys/devices/virtual/block/sda1"

static UdevTable *table;
static UdevRechecks *rechecks;
static GString *reported; /* "LEVEL " for label:DATA, "? " for each request to udevd */
static int64_t now_us;
static bool can_request;
static bool is_refused; /* the last request was refused */
static bool is_looked_at; /* a check of the content was requested */

static void on_report(void *data, const char *key, Level level, const char *why)
{
	(void)data, (void)key, (void)why;
	g_string_append_printf(reported, "%s ", level_name(level));
}

static void on_request(void *data, const char *syspath)
{
	(void)data;
	ck_assert_str_eq(syspath, DEVICE);
	g_string_append(reported, "? ");
	is_refused = !can_request;
}

static void on_look(void *data, const char *syspath)
{
	(void)data;
	ck_assert_str_eq(syspath, DEVICE);
	is_looked_at = true;
}

static void set_up(void)
{
	static const UdevRecheckOps ops = { on_request, on_look };
	const ProviderSink sink = { on_report, NULL };
	const char *key = g_intern_string("label:DATA");

	now_us = G_USEC_PER_SEC;
	can_request = true;
	is_refused = is_looked_at = false;
	reported = g_string_new(NULL);
	table = udev_table_new(&sink);
	rechecks = udev_rechecks_new(table, &ops, NULL);
	udev_table_set_live(table, NULL);
	udev_table_add(table, key, udev_match_new(key));
	g_string_truncate(reported, 0);
}

static void tear_down(void)
{
	udev_rechecks_free(rechecks);
	udev_table_free(table);
	(void)g_string_free(reported, TRUE);
}

static void put(UdevRecordSource by, const char *one, const char *two)
{
	udev_rechecks_put(rechecks,
			  udev_record_new(DEVICE, (const char *const[]){ "SUBSYSTEM=block",
									 "DEVNAME=/dev/sda1", one,
									 two, NULL }),
			  by, now_us);
	udev_table_settle(table);
}

static void event(const char *one, const char *two)
{
	put(UDEV_FROM_EVENT, one, two);
}

static void volume(const char *label)
{
	g_autofree char *property = g_strconcat("ID_FS_LABEL_ENC=", label, NULL);

	event("ID_FS_TYPE=ext4", property);
}

static void blank(void)
{
	event(NULL, NULL);
}

static void pass(int64_t us)
{
	now_us += us;
	udev_rechecks_turn(rechecks, now_us);
	if (is_refused) {
		udev_rechecks_refuse(rechecks, DEVICE, false, now_us);
		udev_rechecks_turn(rechecks, now_us);
	}
	udev_table_settle(table);
}

static void expect(const char *text)
{
	udev_table_settle(table);
	ck_assert_str_eq(reported->str, text);
	g_string_truncate(reported, 0);
}

/* Observed when a volume with a dirty journal is mounted. */
START_TEST(a_volume_that_was_misread_was_never_gone)
{
	volume("DATA");
	expect("true ");

	blank();
	expect("");
	pass(UDEV_RECHECK_FIRST_US);
	expect("? ");

	volume("DATA");
	pass(UDEV_RECHECK_ANSWER_US);
	expect("");
	ck_assert_int_eq(udev_rechecks_next_us(rechecks), 0);
}
END_TEST

START_TEST(one_that_is_wiped_is_gone_after_the_second_look)
{
	volume("DATA");
	expect("true ");

	blank();
	pass(UDEV_RECHECK_FIRST_US);
	blank();
	blank();
	expect("? ");

	pass(UDEV_RECHECK_SECOND_US - UDEV_RECHECK_FIRST_US);
	expect("? ");
	blank();
	expect("false ");
	pass(UDEV_RECHECK_ANSWER_US);
	blank();
	expect("");
}
END_TEST

START_TEST(the_last_event_defines_the_device)
{
	const UdevRecord *record;

	volume("DATA");
	blank();
	event("ID_BUS=usb", NULL);
	pass(UDEV_RECHECK_FIRST_US);
	pass(UDEV_RECHECK_SECOND_US);

	event("ID_BUS=ata", NULL);
	record = udev_table_record(table, DEVICE);
	ck_assert_str_eq(udev_record_property(record, "ID_BUS"), "ata");
}
END_TEST

START_TEST(without_an_answer_it_is_gone_in_the_end)
{
	volume("DATA");
	blank();
	pass(UDEV_RECHECK_FIRST_US);
	pass(UDEV_RECHECK_SECOND_US);
	expect("true ? ? ");

	pass(UDEV_RECHECK_ANSWER_US - 1);
	expect("");
	pass(1);
	expect("false ");
	ck_assert_int_eq(udev_rechecks_next_us(rechecks), 0);
}
END_TEST

START_TEST(a_device_that_cannot_be_rechecked_is_unknown_for_a_moment)
{
	can_request = false;
	volume("DATA");
	blank();
	pass(UDEV_RECHECK_FIRST_US);
	expect("true ? ");

	pass(UDEV_RECHECK_SECOND_US - UDEV_RECHECK_FIRST_US);
	expect("? false ");
}
END_TEST

START_TEST(another_label_and_another_content_are_reported_at_once)
{
	volume("DATA");
	volume("OTHER");
	expect("true false ");

	volume("DATA");
	event("ID_FS_TYPE=LVM2_member", NULL);
	expect("true false ");
	ck_assert_int_eq(udev_rechecks_next_us(rechecks), 0);
}
END_TEST

START_TEST(another_label_during_a_recheck_is_reported_at_once)
{
	volume("DATA");
	blank();
	expect("true ");

	volume("OTHER");
	expect("false ");
	ck_assert_int_eq(udev_rechecks_next_us(rechecks), 0);
}
END_TEST

START_TEST(what_is_pulled_is_gone_at_once)
{
	volume("DATA");
	blank();
	expect("true ");

	udev_rechecks_drop(rechecks, DEVICE);
	expect("false ");
	ck_assert_int_eq(udev_rechecks_next_us(rechecks), 0);
}
END_TEST

START_TEST(a_slot_without_its_card_gets_no_recheck)
{
	UdevRecord *record;

	volume("DATA");
	expect("true ");

	blank();
	expect("");
	ck_assert(is_looked_at);
	record = udev_record_new(DEVICE, (const char *const[]){ "SUBSYSTEM=block",
								"DEVNAME=/dev/sda1", NULL });
	record->is_empty = true;
	udev_rechecks_put(rechecks, record, UDEV_FROM_LISTING, now_us);
	expect("false ");
	ck_assert_int_eq(udev_rechecks_next_us(rechecks), 0);
}
END_TEST

START_TEST(a_question_that_was_lost_is_asked_again)
{
	volume("DATA");
	blank();
	pass(UDEV_RECHECK_FIRST_US);
	pass(UDEV_RECHECK_SECOND_US);
	expect("true ? ? ");

	udev_rechecks_refuse(rechecks, DEVICE, true, now_us);
	pass(UDEV_RECHECK_LOST_US);
	expect("? ");
}
END_TEST

START_TEST(what_is_not_ready_is_gone_at_once)
{
	volume("DATA");
	expect("true ");

	event("SYSTEMD_READY=0", NULL);
	expect("false ");
}
END_TEST

/* 99-systemd.rules marks a blank encrypted volume as not ready. */
START_TEST(an_encrypted_volume_is_misread_like_any_other)
{
	volume("DATA");
	expect("true ");

	event("SYSTEMD_READY=0", "DM_UUID=CRYPT-LUKS2-1");
	expect("");
	pass(UDEV_RECHECK_FIRST_US);
	volume("DATA");
	expect("? ");
}
END_TEST

START_TEST(a_suspended_device_is_not_read_and_not_gone)
{
	volume("DATA");
	event("DM_SUSPENDED=1", NULL);
	event("DM_NOSCAN=1", NULL);
	expect("true ");
	ck_assert_int_eq(udev_rechecks_next_us(rechecks), 0);

	event("DM_SUSPENDED=0", NULL);
	ck_assert_int_ne(udev_rechecks_next_us(rechecks), 0);
}
END_TEST

START_TEST(a_listing_does_not_answer_a_recheck)
{
	volume("DATA");
	blank();
	pass(UDEV_RECHECK_FIRST_US);
	pass(UDEV_RECHECK_SECOND_US);
	expect("true ? ? ");

	udev_table_begin_listing(table);
	put(UDEV_FROM_LISTING, NULL, NULL);
	udev_table_end_listing(table, "block");
	expect("");

	udev_table_begin_listing(table);
	put(UDEV_FROM_LISTING, "ID_FS_TYPE=ext4", "ID_FS_LABEL_ENC=DATA");
	udev_table_end_listing(table, "block");
	expect("");
	ck_assert_int_eq(udev_rechecks_next_us(rechecks), 0);
}
END_TEST

START_TEST(another_udevd_gets_a_new_request)
{
	volume("DATA");
	blank();
	pass(UDEV_RECHECK_FIRST_US);
	pass(UDEV_RECHECK_SECOND_US);
	expect("true ? ? ");

	udev_rechecks_repeat(rechecks, now_us);
	blank();
	pass(UDEV_RECHECK_FIRST_US);
	expect("? ");
}
END_TEST

START_TEST(another_manager_does_not_know_what_a_blank_device_was)
{
	put(UDEV_FROM_FIRST_LISTING, NULL, NULL);
	ck_assert(udev_rechecks_hide_volumes(rechecks));
	ck_assert_ptr_nonnull(udev_table_record(table, DEVICE));
	pass(UDEV_RECHECK_FIRST_US);
	expect("? ");

	volume("DATA");
	ck_assert(!udev_rechecks_hide_volumes(rechecks));
	expect("true ");
}
END_TEST

START_TEST(a_blank_device_is_blank_after_two_looks)
{
	put(UDEV_FROM_FIRST_LISTING, NULL, NULL);
	blank();
	pass(UDEV_RECHECK_FIRST_US);
	blank();
	pass(UDEV_RECHECK_SECOND_US - UDEV_RECHECK_FIRST_US);
	ck_assert(udev_rechecks_hide_volumes(rechecks));

	blank();
	ck_assert(!udev_rechecks_hide_volumes(rechecks));
	ck_assert_ptr_nonnull(udev_table_record(table, DEVICE));
	expect("? ? ");
}
END_TEST

START_TEST(a_disk_with_partitions_gets_no_recheck)
{
	put(UDEV_FROM_FIRST_LISTING, "ID_PART_TABLE_TYPE=gpt", NULL);

	ck_assert_int_eq(udev_rechecks_next_us(rechecks), 0);
}
END_TEST

START_TEST(a_device_without_conditions_is_forgotten)
{
	g_autoptr(GHashTable) none = g_hash_table_new(g_str_hash, g_str_equal);

	volume("DATA");
	blank();
	udev_table_retain(table, none);
	pass(UDEV_RECHECK_FIRST_US);
	pass(UDEV_RECHECK_SECOND_US);
	pass(UDEV_RECHECK_ANSWER_US);

	ck_assert_ptr_null(udev_table_record(table, DEVICE));
	ck_assert_int_eq(udev_rechecks_next_us(rechecks), 0);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("udev-recheck");

	ADD_CASE_AROUND(suite, "volumes", set_up, tear_down,
			a_volume_that_was_misread_was_never_gone,
			one_that_is_wiped_is_gone_after_the_second_look,
			the_last_event_defines_the_device, without_an_answer_it_is_gone_in_the_end,
			a_device_that_cannot_be_rechecked_is_unknown_for_a_moment,
			another_label_and_another_content_are_reported_at_once,
			another_label_during_a_recheck_is_reported_at_once,
			what_is_pulled_is_gone_at_once, a_slot_without_its_card_gets_no_recheck,
			a_question_that_was_lost_is_asked_again, what_is_not_ready_is_gone_at_once,
			an_encrypted_volume_is_misread_like_any_other,
			a_suspended_device_is_not_read_and_not_gone);
	ADD_CASE_AROUND(suite, "listings", set_up, tear_down, a_listing_does_not_answer_a_recheck,
			another_udevd_gets_a_new_request,
			another_manager_does_not_know_what_a_blank_device_was,
			a_blank_device_is_blank_after_two_looks,
			a_disk_with_partitions_gets_no_recheck,
			a_device_without_conditions_is_forgotten);
	return suite;
}
