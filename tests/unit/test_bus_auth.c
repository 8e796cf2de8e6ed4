/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Authentication (SASL) on the private socket, as bytes.
 */
#include "config.h"

#include <check.h>
#include <string.h>

#include "base/limits.h"
#include "bus/auth.h"
#include "tests/lib/suite.h"

#define GUID "0123456789abcdef0123456789abcdef"
/* uid 1000, digit by digit in hexadecimal */
#define HEX_1000 "31303030"

/* Passes all bytes to the authentication. The answer goes to @reply. */
static AuthenticationResult authenticate(uid_t uid, const char *bytes, size_t length,
					 size_t *ret_used, GString *reply)
{
	Auth auth;
	AuthenticationResult result;

	auth_init(&auth, uid, GUID);
	result = auth_feed(&auth, (const guint8 *)bytes, length, ret_used, reply);
	auth_clear(&auth);
	return result;
}

static const struct {
	const char *name;
	const char *bytes; /* after the initial NUL */
	const char *reply;
	AuthenticationResult result;
	/* clang-format off */
} greetings[] = {
	{ "identity at once", "AUTH EXTERNAL " HEX_1000 "\r\nBEGIN\r\n", "OK " GUID "\r\n", AUTHENTICATION_DONE },
	{ "identity when asked", "AUTH EXTERNAL\r\nDATA " HEX_1000 "\r\nBEGIN\r\n", "DATA\r\nOK " GUID "\r\n", AUTHENTICATION_DONE },
	{ "no identity", "AUTH EXTERNAL\r\nDATA\r\nBEGIN\r\n", "DATA\r\nOK " GUID "\r\n", AUTHENTICATION_DONE },
	{ "what is there?", "AUTH\r\nAUTH EXTERNAL " HEX_1000 "\r\nBEGIN\r\n",
	  "REJECTED EXTERNAL\r\nOK " GUID "\r\n", AUTHENTICATION_DONE },
	{ "descriptors are declined", "AUTH EXTERNAL " HEX_1000 "\r\nNEGOTIATE_UNIX_FD\r\nBEGIN\r\n",
	  "OK " GUID "\r\nERROR\r\n", AUTHENTICATION_DONE },
	{ "another uid", "AUTH EXTERNAL 30\r\n", "REJECTED EXTERNAL\r\n", AUTHENTICATION_MORE },
	{ "another uid, then begin", "AUTH EXTERNAL 30\r\nBEGIN\r\n", "REJECTED EXTERNAL\r\n", AUTHENTICATION_REFUSED },
	{ "not a number", "AUTH EXTERNAL 61\r\n", "REJECTED EXTERNAL\r\n", AUTHENTICATION_MORE },
	{ "half a digit", "AUTH EXTERNAL 3\r\n", "REJECTED EXTERNAL\r\n", AUTHENTICATION_MORE },
	{ "not hexadecimal", "AUTH EXTERNAL zz\r\n", "REJECTED EXTERNAL\r\n", AUTHENTICATION_MORE },
	{ "a number with a NUL in it", "AUTH EXTERNAL 3130303000\r\n", "REJECTED EXTERNAL\r\n", AUTHENTICATION_MORE },
	{ "a number that would overflow", "AUTH EXTERNAL 34323934393637323936\r\n", "REJECTED EXTERNAL\r\n", AUTHENTICATION_MORE },
	{ "cookies", "AUTH DBUS_COOKIE_SHA1 30\r\n", "REJECTED EXTERNAL\r\n", AUTHENTICATION_MORE },
	{ "anonymous", "AUTH ANONYMOUS\r\n", "REJECTED EXTERNAL\r\n", AUTHENTICATION_MORE },
	{ "a longer name", "AUTH EXTERNALS\r\n", "REJECTED EXTERNAL\r\n", AUTHENTICATION_MORE },
	{ "cancelled", "AUTH EXTERNAL\r\nCANCEL\r\n", "DATA\r\nREJECTED EXTERNAL\r\n", AUTHENTICATION_MORE },
	{ "begin at once", "BEGIN\r\n", "", AUTHENTICATION_REFUSED },
	{ "what is that?", "HELLO\r\n", "ERROR\r\n", AUTHENTICATION_MORE },
	{ "data unasked", "DATA 30\r\n", "ERROR\r\n", AUTHENTICATION_MORE },
	{ "a line feed alone", "AUTH\n", "", AUTHENTICATION_REFUSED },
};
/* clang-format on */

START_TEST(each_greeting_has_its_answer)
{
	g_autofree char *bytes = g_strconcat("x", greetings[_i].bytes, NULL);
	const size_t length = strlen(bytes);
	g_autoptr(GString) reply = g_string_new(NULL);
	AuthenticationResult result;
	size_t used;

	bytes[0] = '\0';
	result = authenticate(1000, bytes, length, &used, reply);

	ck_assert_msg(result == greetings[_i].result, "%s", greetings[_i].name);
	ck_assert_str_eq(reply->str, greetings[_i].reply);
	ck_assert_uint_eq(used, length);
}
END_TEST

START_TEST(a_greeting_may_come_byte_by_byte)
{
	static const char bytes[] = "\0AUTH EXTERNAL " HEX_1000
				    "\r\nNEGOTIATE_UNIX_FD\r\nBEGIN\r\n";
	g_autoptr(GString) reply = g_string_new(NULL);
	Auth auth;

	auth_init(&auth, 1000, GUID);
	for (size_t i = 0; i < sizeof bytes - 1; i++) {
		size_t used;
		const AuthenticationResult result =
			auth_feed(&auth, (const guint8 *)bytes + i, 1, &used, reply);

		ck_assert_uint_eq(used, 1);
		ck_assert_int_eq(result, i + 1 < sizeof bytes - 1 ? AUTHENTICATION_MORE :
								    AUTHENTICATION_DONE);
	}
	ck_assert_str_eq(reply->str, "OK " GUID "\r\nERROR\r\n");
	auth_clear(&auth);
}
END_TEST

START_TEST(what_follows_the_greeting_is_left_alone)
{
	static const char bytes[] = "\0AUTH EXTERNAL\r\nDATA\r\nBEGIN\r\nl\1\0\1";
	g_autoptr(GString) reply = g_string_new(NULL);
	size_t used;

	ck_assert_int_eq(authenticate(0, bytes, sizeof bytes - 1, &used, reply),
			 AUTHENTICATION_DONE);
	ck_assert_uint_eq(used, sizeof bytes - 1 - 4);
}
END_TEST

START_TEST(a_greeting_begins_with_nul)
{
	g_autoptr(GString) reply = g_string_new(NULL);
	size_t used;

	ck_assert_int_eq(authenticate(0, "AUTH\r\n", 6, &used, reply), AUTHENTICATION_REFUSED);
	ck_assert_int_eq(authenticate(0, "\0\0", 2, &used, reply), AUTHENTICATION_REFUSED);
	ck_assert_str_eq(reply->str, "");
}
END_TEST

START_TEST(a_line_has_a_limit)
{
	g_autofree char *bytes = g_malloc0(LIMIT_AUTH_LINE_BYTES + 2);
	g_autoptr(GString) reply = g_string_new(NULL);
	size_t used;

	memset(bytes + 1, 'A', LIMIT_AUTH_LINE_BYTES + 1);

	ck_assert_int_eq(authenticate(0, bytes, LIMIT_AUTH_LINE_BYTES + 1, &used, reply),
			 AUTHENTICATION_MORE);
	ck_assert_int_eq(authenticate(0, bytes, LIMIT_AUTH_LINE_BYTES + 2, &used, reply),
			 AUTHENTICATION_REFUSED);
}
END_TEST

START_TEST(the_number_of_lines_has_a_limit)
{
	g_autoptr(GString) reply = g_string_new(NULL);
	g_autoptr(GString) bytes = g_string_new_len("\0", 1);
	size_t used;

	for (unsigned i = 0; i < LIMIT_AUTH_LINES; i++)
		g_string_append(bytes, "AUTH\r\n");
	ck_assert_int_eq(authenticate(0, bytes->str, bytes->len, &used, reply),
			 AUTHENTICATION_MORE);

	g_string_append(bytes, "AUTH\r\n");
	ck_assert_int_eq(authenticate(0, bytes->str, bytes->len, &used, reply),
			 AUTHENTICATION_REFUSED);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("bus auth");

	suite_add_loop(suite, "words", each_greeting_has_its_answer, G_N_ELEMENTS(greetings));
	ADD_CASE(suite, "words", a_greeting_may_come_byte_by_byte,
		 what_follows_the_greeting_is_left_alone, a_greeting_begins_with_nul);
	ADD_CASE(suite, "limits", a_line_has_a_limit, the_number_of_lines_has_a_limit);
	return suite;
}
