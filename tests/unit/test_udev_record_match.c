/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The match of a condition with a device: patterns, tokens, tags, and the subsystem.
 */
#include "config.h"

#include <check.h>
#include <string.h>

#include "providers/udev-record.h"
#include "tests/lib/suite.h"

static const struct {
	const char *pattern;
	const char *text;
	bool matches;
} patterns[] = {
	{ "usb", "usb", true },
	{ "usb", "usb1", false },
	{ "usb", "us", false },
	{ "", "", true },
	{ "", "x", false },
	{ "*", "", true },
	{ "*", "anything", true },
	{ "sd?", "sda", true },
	{ "sd?", "sd", false },
	{ "sd?*", "sda1", true },
	{ "*a*b*c", "xxaxxbxxc", true },
	{ "*a*b*c", "xxaxxcxxb", false },
	{ "*abc", "ababc", true },
	{ "a*", "b", false },
	{ "WD*Black", "WD Green Black", true },
	{ "[ab]", "a", false }, /* brackets are plain characters */
	{ "?", "\xc3\xbc", true }, /* one character of two bytes */
	{ "??", "\xc3\xbc", false },
	{ "?", "\xff", true }, /* not UTF-8 */
	{ "?*", "\xf0", true }, /* starts an incomplete character */
	{ "a\n*", "a\nb", true },
};

START_TEST(a_pattern_has_stars_and_question_marks)
{
	ck_assert_msg(udev_match_pattern(patterns[_i].pattern, patterns[_i].text) ==
			      patterns[_i].matches,
		      "%s against %s", patterns[_i].pattern, patterns[_i].text);
}
END_TEST

/* A matcher that tries each length for each star would take practically for ever. */
START_TEST(a_pattern_of_many_stars_does_not_take_for_ever)
{
	g_autofree char *text = g_strnfill(8000, 'a');

	ck_assert(!udev_match_pattern("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", text));
}
END_TEST

static UdevRecord *usb_disk(void)
{
	static const char *const properties[] = {
		"SUBSYSTEM=block",  "DEVTYPE=disk",    "DEVNAME=/dev/sdb",    "ID_BUS=usb",
		"ID_MODEL=My Disk", "TAGS=:old:seat:", "CURRENT_TAGS=:seat:", NULL
	};

	return udev_record_new("/sys/devices/x/block/sdb", properties);
}

static const struct {
	const char *key;
	bool holds;
} matches[] = {
	{ "udev:SUBSYSTEM=block", true },
	{ "udev:ID_BUS=usb SUBSYSTEM=block", true },
	{ "udev:ID_BUS=usb", true },
	{ "udev:ID_BUS=ata SUBSYSTEM=block", false },
	{ "udev:ID_BUS=usb SUBSYSTEM=usb", false },
	{ "udev:ID_BUS=usb SUBSYSTEM=bl*", true },
	{ "udev:'ID_MODEL=My Disk'", true },
	{ "udev:ID_MODEL=My?Disk", true },
	{ "udev:ID_SERIAL=*", false }, /* the disk has no serial number */
	{ "udev:TAG=seat", true },
	{ "udev:TAG=old", false }, /* the device had this tag earlier */
	{ "udev:TAG=sea", false },
};

START_TEST(all_properties_must_match_one_device)
{
	UdevMatch *match = udev_match_new(matches[_i].key);
	UdevRecord *record = usb_disk();

	ck_assert_msg(udev_match_is_true(match, record) == matches[_i].holds, "%s",
		      matches[_i].key);
	udev_record_free(record);
	udev_match_free(match);
}
END_TEST

static const struct {
	const char *key;
	const char *subsystem;
} scopes[] = {
	{ "label:DATA", "block" },
	{ "uuid:12-34", "block" },
	{ "device:/dev/sda2", "block" },
	{ "device:/dev/disk/by-label/DATA", "block" },
	{ "device:/dev/nvme0n1p1", "block" },
	{ "device:/dev/nvme0", NULL },
	{ "device:/dev/dri/card0", "drm" },
	{ "device:/dev/my-modem", NULL }, /* only a udev rule knows the target of that link */
	{ "udev:ID_BUS=usb SUBSYSTEM=block", "block" },
	{ "udev:ID_BUS=usb", NULL },
	{ "udev:SUBSYSTEM=b*", NULL },
};

START_TEST(only_events_that_can_matter_are_asked_for)
{
	UdevMatch *match = udev_match_new(scopes[_i].key);

	ck_assert_pstr_eq(match->subsystem, scopes[_i].subsystem);
	udev_match_free(match);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("udev-record-match");

	suite_add_loop(suite, "udev-record-match", a_pattern_has_stars_and_question_marks,
		       G_N_ELEMENTS(patterns));
	suite_add_loop(suite, "udev-record-match", all_properties_must_match_one_device,
		       G_N_ELEMENTS(matches));
	suite_add_loop(suite, "udev-record-match", only_events_that_can_matter_are_asked_for,
		       G_N_ELEMENTS(scopes));
	ADD_CASE(suite, "udev-record-match", a_pattern_of_many_stars_does_not_take_for_ever);
	return suite;
}
