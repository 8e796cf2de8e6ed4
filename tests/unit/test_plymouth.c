/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Requests to plymouth, byte by byte, as recorded from plymouth's own client.
 */
#include "config.h"

#include <check.h>
#include <string.h>

#include "svc-progress/plymouth.h"
#include "tests/lib/suite.h"

static const struct {
	PlymouthRequest request;
	const char *text;
	const char *bytes;
	size_t length;
} recorded[] = {
	{ PLYMOUTH_UPDATE, "svcd:50", "U\2\10svcd:50", 11 },
	{ PLYMOUTH_SHOW_MESSAGE, "Starting", "M\2\11Starting", 12 },
	{ PLYMOUTH_HIDE_MESSAGE, "Starting", "m\2\11Starting", 12 },
	{ PLYMOUTH_CHANGE_MODE, "shutdown", "C\2\11shutdown", 12 },
	{ PLYMOUTH_SHOW_SPLASH, NULL, "$", 2 },
	{ PLYMOUTH_SHOW_MESSAGE, "", "M\2\1", 4 },
};

START_TEST(a_request_is_as_recorded)
{
	char packet[PLYMOUTH_PACKET_BYTES];
	const size_t length = plymouth_pack(packet, recorded[_i].request, recorded[_i].text);

	ck_assert_uint_eq(length, recorded[_i].length);
	ck_assert_mem_eq(packet, recorded[_i].bytes, length);
}
END_TEST

START_TEST(a_long_text_is_cut_to_what_one_byte_can_count)
{
	char text[1000];
	char packet[PLYMOUTH_PACKET_BYTES];

	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	ck_assert_uint_eq(plymouth_pack(packet, PLYMOUTH_SHOW_MESSAGE, text),
			  PLYMOUTH_PACKET_BYTES);
	ck_assert_uint_eq((unsigned char)packet[2], PLYMOUTH_TEXT_BYTES);
	ck_assert_int_eq(packet[PLYMOUTH_PACKET_BYTES - 1], '\0');
	ck_assert_uint_eq(strlen(packet + 3), PLYMOUTH_TEXT_BYTES - 1);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("plymouth");

	suite_add_loop(suite, "recorded", a_request_is_as_recorded,
		       sizeof recorded / sizeof recorded[0]);
	ADD_CASE(suite, "long", a_long_text_is_cut_to_what_one_byte_can_count);
	return suite;
}
