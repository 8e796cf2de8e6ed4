/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One device as text: its names, and hostile contents.
 */
#include "config.h"

#include <check.h>
#include <string.h>

#include "base/limits.h"
#include "providers/udev-record.h"
#include "tests/lib/suite.h"

static UdevRecord *record;

static void tear_down(void)
{
	g_clear_pointer(&record, udev_record_free);
}

static void device(const char *const *properties)
{
	record = udev_record_new("/sys/devices/virtual/block/loop0", properties);
}

static void expect_keys(const char *expected)
{
	g_auto(GStrv) keys = udev_record_keys(record);
	g_autofree char *joined = g_strjoinv("|", keys);

	ck_assert_str_eq(joined, expected);
}

START_TEST(a_volume_goes_by_label_uuid_node_and_links)
{
	device((const char *const[]){ "DEVNAME=/dev/loop0", "ID_FS_LABEL_ENC=DATA",
				      "ID_FS_LABEL=wrong", "ID_FS_UUID_ENC=AB-cd",
				      "DEVLINKS=/dev/disk/by-label/DATA /dev/x", NULL });

	expect_keys(
		"label:DATA|uuid:ab-cd|device:/dev/loop0|device:/dev/disk/by-label/DATA|device:/dev/x");
}
END_TEST

START_TEST(a_name_of_the_kernel_is_below_dev)
{
	device((const char *const[]){ "DEVNAME=input/event0", NULL });

	expect_keys("device:/dev/input/event0");
}
END_TEST

static const struct {
	const char *encoded;
	const char *decoded;
} labels[] = {
	{ "DATA", "DATA" },
	{ "my\\x20d\\x2fata\\x20\xc3\xbc", "my d/ata \xc3\xbc" },
	{ "\\x5cx41", "\\x41" }, /* decoded once */
	{ "a\\x0ab", "a\nb" },
	{ "\\xff\\xfe", "\xff\xfe" },
	{ "a\\x00b", "a\\x00b" }, /* a label does not end at a NUL */
	{ "a\\x4", "a\\x4" },
	{ "a\\xzz\\", "a\\xzz\\" },
	{ "", "" },
};

START_TEST(a_label_is_decoded_byte_by_byte)
{
	g_autofree char *decoded = udev_text_decode(labels[_i].encoded);

	ck_assert_str_eq(decoded, labels[_i].decoded);
}
END_TEST

START_TEST(what_belongs_to_an_event_is_left_out)
{
	device((const char *const[]){ "ACTION=add", "SEQNUM=4711", "SYNTH_UUID=0", "DEVPATH=/x",
				      "ACTIONS=keep", NULL });

	ck_assert_ptr_null(udev_record_property(record, "ACTION"));
	ck_assert_ptr_null(udev_record_property(record, "SEQNUM"));
	ck_assert_str_eq(udev_record_property(record, "DEVPATH"), "/x");
	ck_assert_str_eq(udev_record_property(record, "ACTIONS"), "keep");
}
END_TEST

START_TEST(a_huge_value_is_left_out_and_the_others_stay)
{
	g_autofree char *filling = g_strnfill(LIMIT_UDEV_PROPERTY_BYTES, 'x');
	g_autofree char *huge = g_strconcat("ID_FS_LABEL_ENC=", filling, NULL);

	device((const char *const[]){ huge, "DEVNAME=/dev/loop0", NULL });

	expect_keys("device:/dev/loop0");
}
END_TEST

START_TEST(more_properties_than_any_device_has_are_cut_off)
{
	g_autoptr(GPtrArray) many = g_ptr_array_new_with_free_func(g_free);

	for (unsigned i = 0; i < LIMIT_UDEV_PROPERTIES + 10; i++)
		g_ptr_array_add(many, g_strdup_printf("P%u=x", i));
	g_ptr_array_add(many, NULL);
	device((const char *const *)many->pdata);

	ck_assert_uint_eq(g_strv_length(record->properties), LIMIT_UDEV_PROPERTIES);
}
END_TEST

START_TEST(text_without_a_value_is_no_property)
{
	device((const char *const[]){ "NONSENSE", "", "A=", NULL });

	ck_assert_ptr_null(udev_record_property(record, "NONSENSE"));
	ck_assert_str_eq(udev_record_property(record, "A"), "");
}
END_TEST

START_TEST(systemd_ready_decides_whether_a_device_is_ready)
{
	device((const char *const[]){ "SYSTEMD_READY=0", NULL });
	ck_assert(!udev_record_is_ready(record));
	udev_record_free(record);

	device((const char *const[]){ "SYSTEMD_READY=1", NULL });
	ck_assert(udev_record_is_ready(record));
}
END_TEST

START_TEST(what_is_shown_is_valid_and_short)
{
	g_autofree char *filling = g_strnfill(5000, 'x');
	g_autofree char *nasty = g_strconcat("DEVNAME=/dev/a\n\x1b[31m\xff", filling, NULL);
	g_autofree char *name = NULL;

	device((const char *const[]){ nasty, NULL });
	name = udev_record_name(record);

	ck_assert(g_utf8_validate(name, -1, NULL));
	ck_assert(g_str_has_prefix(name, "/dev/a\\x0a\\x1b[31m\\xffxxx"));
	ck_assert_uint_lt(strlen(name), 200);
}
END_TEST

START_TEST(a_device_without_a_node_is_called_by_its_path)
{
	g_autofree char *name = NULL;

	device((const char *const[]){ "SUBSYSTEM=usb", NULL });
	name = udev_record_name(record);

	ck_assert_str_eq(name, "/sys/devices/virtual/block/loop0");
	expect_keys("");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("udev-record");

	ADD_CASE_AROUND(suite, "udev-record", NULL, tear_down,
			a_volume_goes_by_label_uuid_node_and_links,
			a_name_of_the_kernel_is_below_dev, what_belongs_to_an_event_is_left_out,
			a_huge_value_is_left_out_and_the_others_stay,
			more_properties_than_any_device_has_are_cut_off,
			text_without_a_value_is_no_property,
			systemd_ready_decides_whether_a_device_is_ready,
			what_is_shown_is_valid_and_short,
			a_device_without_a_node_is_called_by_its_path);
	ADD_LOOP_AROUND(suite, "udev-record", NULL, tear_down, a_label_is_decoded_byte_by_byte,
			G_N_ELEMENTS(labels));
	return suite;
}
