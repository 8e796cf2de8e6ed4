/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>
#include <string.h>

#include "base/limits.h"
#include "svc-generate/fstab.h"
#include "tests/lib/diags.h"
#include "tests/lib/suite.h"

/* The entries of @text, which must be valid. */
static GPtrArray *parse(const char *text)
{
	g_autoptr(DiagList) diags = diag_list_new();
	GPtrArray *entries = fstab_parse("/etc/fstab", text, diags);

	expect_diags(diags, "");
	return entries;
}

static const FstabEntry *entry_at(const GPtrArray *entries, unsigned index)
{
	ck_assert_uint_lt(index, entries->len);
	return g_ptr_array_index(entries, index);
}

START_TEST(a_line_is_cut_into_its_fields)
{
	g_autoptr(GPtrArray)
		entries = parse("# nothing\n\n  /dev/sda2\t/home   ext4  noatime  0  2  \n");
	const FstabEntry *entry = entry_at(entries, 0);

	ck_assert_uint_eq(entries->len, 1);
	ck_assert_str_eq(entry->source, "/dev/sda2");
	ck_assert_str_eq(entry->target, "/home");
	ck_assert_str_eq(entry->type, "ext4");
	ck_assert_str_eq(entry->options, "noatime");
	ck_assert_uint_eq(entry->passno, 2);
	ck_assert_uint_eq(entry->origin.line, 3);
}
END_TEST

START_TEST(octal_escapes_and_quoted_tags_are_the_bytes_they_stand_for)
{
	g_autoptr(GPtrArray)
		entries = parse("LABEL=\"my\\040data\" /a\\040b/\\134 ext4\nLABEL=plain /b ext4\n");

	ck_assert_str_eq(entry_at(entries, 0)->source, "LABEL=my data");
	ck_assert_str_eq(entry_at(entries, 0)->target, "/a b/\\");
	ck_assert_str_eq(entry_at(entries, 1)->source, "LABEL=plain");
}
END_TEST

START_TEST(a_target_is_written_in_one_way_only)
{
	g_autoptr(GPtrArray) entries = parse("a //srv/./data// ext4\nb / ext4\n");

	ck_assert_str_eq(entry_at(entries, 0)->target, "/srv/data");
	ck_assert_str_eq(entry_at(entries, 1)->target, "/");
}
END_TEST

START_TEST(options_for_the_init_are_taken_out)
{
	g_autoptr(GPtrArray) entries = parse(
		"a /a ext4 "
		"defaults,nofail,x-systemd.automount,ro,comment=x,_netdev,context=\"a,nofail\"\n"
		"b /b ext4 noauto,auto\n"
		"/c /c none rbind\n");
	const FstabEntry *first = entry_at(entries, 0);

	ck_assert_str_eq(first->options, "ro,context=\"a,nofail\"");
	ck_assert(first->is_nofail && first->is_remote && !first->is_noauto);
	ck_assert_str_eq(entry_at(entries, 1)->options, "defaults");
	ck_assert(entry_at(entries, 1)->is_noauto);
	ck_assert_str_eq(entry_at(entries, 2)->options, "rbind");
}
END_TEST

START_TEST(an_invalid_timeout_is_reported_and_the_line_counts)
{
	g_autoptr(DiagList) diags = diag_list_new();
	const char text[] = "LABEL=a /a ext4 x-systemd.device-timeout=soon 0 0\n";
	g_autoptr(GPtrArray) entries = fstab_parse("/etc/fstab", text, diags);

	expect_diags(diags,
		     "/etc/fstab:1: warning: \"x-systemd.device-timeout=soon\" is not a time; svcd "
		     "waits 90 s for the device\n");
	ck_assert_int_eq(entry_at(entries, 0)->device_limit_us, FSTAB_DEVICE_LIMIT_US);
}
END_TEST

START_TEST(network_file_systems_are_known_by_their_type)
{
	g_autoptr(GPtrArray) entries = parse("s:/x /a nfs\n//s/x /b cifs\nx /c ext4\n");

	ck_assert(entry_at(entries, 0)->is_remote);
	ck_assert(entry_at(entries, 1)->is_remote);
	ck_assert(!entry_at(entries, 2)->is_remote);
}
END_TEST

START_TEST(swap_needs_no_mount_point)
{
	g_autoptr(GPtrArray)
		entries = parse("/dev/sda3 none swap sw,pri=4 0 0\n/swapfile swap swap\n");

	ck_assert(entry_at(entries, 0)->is_swap);
	ck_assert_str_eq(entry_at(entries, 0)->options, "pri=4");
	ck_assert_str_eq(entry_at(entries, 1)->options, "defaults");
}
END_TEST

/* Each bad line with its diagnostics. The good line after it is read. */
static const struct {
	const char *line;
	const char *message;
	/* clang-format off */
} bad_lines[] = {
	{ "one two", "the type is missing; a line is: device, mount point, type, options, 0, pass number" },
	{ "a relative ext4", "\"relative\" is not a mount point; write an absolute path without \"..\"" },
	{ "a /x/../y ext4", "\"/x/../y\" is not a mount point; write an absolute path without \"..\"" },
	{ "a /x ext4 defaults 0 many", "\"many\" is not a pass number; write 0, 1 or 2" },
	{ "a /x ext4 defaults 0 10", "\"10\" is not a pass number; write 0, 1 or 2" },
	{ "a /x\\012y ext4", "the mount point contains a control character, which a service file cannot contain" },
	{ "a\\377 /x ext4", "the device is not UTF-8, and a service file cannot contain it" },
};
/* clang-format on */

START_TEST(a_bad_line_is_reported_and_skipped)
{
	g_autofree char *text = g_strdup_printf("%s\nb /good ext4\n", bad_lines[_i].line);
	g_autofree char *message = g_strdup_printf("/etc/fstab:1: %s\n", bad_lines[_i].message);
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(GPtrArray) entries = fstab_parse("/etc/fstab", text, diags);

	expect_diags(diags, message);
	ck_assert_uint_eq(entries->len, 1);
	ck_assert_str_eq(entry_at(entries, 0)->target, "/good");
}
END_TEST

START_TEST(the_first_of_two_lines_for_one_place_counts)
{
	const char text[] = "a /x ext4\nb /x/ ext3\nc none swap\nc none swap\n";
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(GPtrArray) entries = fstab_parse("/etc/fstab", text, diags);

	expect_diags(diags, "/etc/fstab:2: line 1 already defines /x; this line is left out\n"
			    "/etc/fstab:4: line 3 already defines c; this line is left out\n");
	ck_assert_uint_eq(entries->len, 2);
}
END_TEST

START_TEST(endless_lines_are_reported)
{
	g_autofree char *filler = g_strnfill(LIMIT_LINE_BYTES, 'x');
	g_autofree char *endless = g_strdup_printf("a /%s ext4\n", filler);
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(GPtrArray) entries = fstab_parse("long", endless, diags);

	expect_diags(diags, "long:1: the line is longer than 8192 bytes\n");
	ck_assert_uint_eq(entries->len, 0);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("fstab");

	ADD_CASE(suite, "fields", a_line_is_cut_into_its_fields,
		 octal_escapes_and_quoted_tags_are_the_bytes_they_stand_for,
		 a_target_is_written_in_one_way_only, options_for_the_init_are_taken_out,
		 an_invalid_timeout_is_reported_and_the_line_counts,
		 network_file_systems_are_known_by_their_type, swap_needs_no_mount_point);
	suite_add_loop(suite, "bad lines", a_bad_line_is_reported_and_skipped,
		       G_N_ELEMENTS(bad_lines));
	ADD_CASE(suite, "bad lines", the_first_of_two_lines_for_one_place_counts,
		 endless_lines_are_reported);
	return suite;
}
