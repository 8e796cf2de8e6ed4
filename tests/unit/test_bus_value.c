/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Property values compared with text, with hostile values on both sides.
 */
#include "config.h"

#include <check.h>
#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "loop/wire.h"
#include "providers/bus-value.h"
#include "tests/lib/suite.h"

/* @value: a literal of the type, as dbus_message_append_args() takes it. */
static BusValue value_of(int type, const void *value)
{
	DBusMessage *message = dbus_message_new_signal("/", "org.example.Test", "Test");
	DBusMessageIter iter;
	BusValue ret;

	ck_assert(dbus_message_append_args(message, type, value, DBUS_TYPE_INVALID));
	ck_assert(dbus_message_iter_init(message, &iter));
	bus_value_read(&iter, &ret);
	dbus_message_unref(message);
	return ret;
}

/* Takes ownership of @value. @expected: "true: V is 20" */
static void expect_taken(BusValue value, KeyOperator operator, const char * token,
			 const char *expected)
{
	g_autofree char *why = NULL;
	const bool is_so = bus_value_compare(&value, operator, token, "V", &why);
	g_autofree char *whole = g_strdup_printf("%s: %s", is_so ? "true" : "false", why);

	ck_assert_str_eq(whole, expected);
	bus_value_clear(&value);
}

#define EXPECT(type, ctype, literal, operator, token, expected) \
	expect_taken(value_of(type, &(ctype){ literal }), KEY_OPERATOR_##operator, token, expected)
#define EXPECT_UINT32(...) EXPECT(DBUS_TYPE_UINT32, uint32_t, __VA_ARGS__)
#define EXPECT_INT64(...) EXPECT(DBUS_TYPE_INT64, int64_t, __VA_ARGS__)
#define EXPECT_UINT64(...) EXPECT(DBUS_TYPE_UINT64, uint64_t, __VA_ARGS__)
#define EXPECT_DOUBLE(...) EXPECT(DBUS_TYPE_DOUBLE, double, __VA_ARGS__)
#define EXPECT_TEXT(...) EXPECT(DBUS_TYPE_STRING, const char *, __VA_ARGS__)
#define EXPECT_BOOL(...) EXPECT(DBUS_TYPE_BOOLEAN, dbus_bool_t, __VA_ARGS__)

START_TEST(numbers_compare_by_all_operators)
{
	EXPECT_UINT32(20, EQUAL, "20", "true: V is 20");
	EXPECT_UINT32(20, EQUAL, "21", "false: V is 20");
	EXPECT_UINT32(20, UNEQUAL, "21", "true: V is 20");
	EXPECT_UINT32(20, UNEQUAL, "20", "false: V is 20");
	EXPECT_UINT32(20, AT_LEAST, "20", "true: V is 20");
	EXPECT_UINT32(20, AT_LEAST, "21", "false: V is 20");
	EXPECT_UINT32(20, AT_MOST, "20", "true: V is 20");
	EXPECT_UINT32(20, AT_MOST, "19", "false: V is 20");
	EXPECT_UINT32(20, AT_LEAST, "19.5", "true: V is 20");
	EXPECT_DOUBLE(19.5, AT_LEAST, "20", "false: V is 19.5");
	EXPECT_DOUBLE(0.1, EQUAL, "0.1", "true: V is 0.1");
}
END_TEST

START_TEST(numbers_of_every_type_are_compared)
{
	EXPECT(DBUS_TYPE_BYTE, uint8_t, 255, EQUAL, "255", "true: V is 255");
	EXPECT(DBUS_TYPE_INT16, int16_t, -7, EQUAL, "-7", "true: V is -7");
	EXPECT(DBUS_TYPE_UINT16, uint16_t, 65535, EQUAL, "65535", "true: V is 65535");
	EXPECT(DBUS_TYPE_INT32, int32_t, -7, AT_MOST, "-6", "true: V is -7");
	EXPECT_INT64(INT64_MIN, EQUAL, "-9223372036854775808", "true: V is -9223372036854775808");
	EXPECT_UINT64(UINT64_MAX, EQUAL, "18446744073709551615", "true: V is 18446744073709551615");
}
END_TEST

/* As doubles these would be equal. */
START_TEST(large_integers_are_distinguished)
{
	EXPECT_UINT64(9007199254740993, EQUAL, "9007199254740992", "false: V is 9007199254740993");
	EXPECT_UINT64(UINT64_MAX, AT_LEAST, "18446744073709551614",
		      "true: V is 18446744073709551615");
	EXPECT_UINT64(UINT64_MAX, EQUAL, "-1", "false: V is 18446744073709551615");
	EXPECT_INT64(-1, AT_LEAST, "18446744073709551615", "false: V is -1");
	EXPECT_INT64(INT64_MIN, AT_MOST, "-9223372036854775807", "true: V is -9223372036854775808");
	EXPECT_INT64(-2, AT_LEAST, "-1", "false: V is -2");
}
END_TEST

START_TEST(other_texts_are_not_compared_with_numbers)
{
	static const char *const tokens[] = { "abc", "",      "nan", "inf",   "0x14",
					      "20 ", "1e999", "--1", "1.2.3", "." };

	for (size_t i = 0; i < G_N_ELEMENTS(tokens); i++) {
		EXPECT_UINT32(20, EQUAL, tokens[i],
			      "false: V is 20, which can only be compared with numbers");
		EXPECT_UINT32(20, UNEQUAL, tokens[i],
			      "false: V is 20, which can only be compared with numbers");
	}
	EXPECT_DOUBLE(NAN, EQUAL, "1", "false: V is nan, which cannot be compared with a number");
	EXPECT_DOUBLE(NAN, UNEQUAL, "1", "false: V is nan, which cannot be compared with a number");
	EXPECT_DOUBLE(INFINITY, AT_LEAST, "1e308", "true: V is inf");
	EXPECT_DOUBLE(-INFINITY, AT_LEAST, "-1e308", "false: V is -inf");
}
END_TEST

START_TEST(booleans_compare_with_true_and_false)
{
	EXPECT_BOOL(TRUE, EQUAL, "true", "true: V is true");
	EXPECT_BOOL(TRUE, UNEQUAL, "false", "true: V is true");
	EXPECT_BOOL(FALSE, EQUAL, "true", "false: V is false");
	EXPECT_BOOL(TRUE, EQUAL, "1",
		    "false: V is true, which can only be compared with true and false");
	EXPECT_BOOL(TRUE, AT_LEAST, "true",
		    "false: V is true, which can only be compared by = and !=");
}
END_TEST

START_TEST(texts_compare_byte_by_byte)
{
	EXPECT_TEXT("full", EQUAL, "full", "true: V is \"full\"");
	EXPECT_TEXT("full", EQUAL, "Full", "false: V is \"full\"");
	EXPECT_TEXT("full", UNEQUAL, "portal", "true: V is \"full\"");
	EXPECT_TEXT("", EQUAL, "", "true: V is \"\"");
	EXPECT_TEXT("5", AT_LEAST, "4",
		    "false: V is \"5\", which can only be compared by = and !=");
	EXPECT(DBUS_TYPE_OBJECT_PATH, const char *, "/a/b", EQUAL, "/a/b", "true: V is \"/a/b\"");
	EXPECT(DBUS_TYPE_SIGNATURE, const char *, "a{sv}", EQUAL, "a{sv}", "true: V is \"a{sv}\"");
}
END_TEST

START_TEST(hostile_texts_are_shown_without_harm)
{
	g_autofree char *huge = g_strnfill(LIMIT_BUS_TEXT_BYTES + 1, 'x');
	g_autofree char *most = g_strnfill(LIMIT_BUS_TEXT_BYTES, 'x');
	g_autofree char *shown = g_strnfill(80, 'x');
	g_autofree char *equal = g_strdup_printf("true: V is \"%s...\"", shown);
	g_autofree char *unequal = g_strdup_printf("false: V is \"%s...\"", shown);
	g_autoptr(GString) accents = g_string_new("x");
	g_autofree char *why = NULL;
	BusValue value;

	while (accents->len < 200)
		g_string_append(accents, "\303\251"); /* an odd limit cuts this character */
	value = value_of(DBUS_TYPE_STRING, &(const char *){ accents->str });
	EXPECT_TEXT("a\033[2Jb\n", EQUAL, "x", "false: V is \"a\\x1b[2Jb\\x0a\"");
	EXPECT_TEXT(huge, EQUAL, most, unequal);
	EXPECT_TEXT(huge, UNEQUAL, most, equal);
	EXPECT_TEXT(most, EQUAL, most, equal);
	(void)bus_value_compare(&value, KEY_OPERATOR_EQUAL, "x", "V", &why);
	ck_assert(g_utf8_validate(why, -1, NULL));
	bus_value_clear(&value);
}
END_TEST

static BusValue value_of_container(int type, const char *signature)
{
	DBusMessage *message = dbus_message_new_signal("/", "org.example.Test", "Test");
	DBusMessageIter iter;
	DBusMessageIter inner;
	BusValue ret;

	dbus_message_iter_init_append(message, &iter);
	wire_open(&iter, type, signature, &inner);
	if (type == DBUS_TYPE_STRUCT)
		wire_uint32(&inner, 5);
	wire_close(&iter, &inner);
	ck_assert(dbus_message_iter_init(message, &iter));
	bus_value_read(&iter, &ret);
	dbus_message_unref(message);
	return ret;
}

START_TEST(containers_compare_with_nothing)
{
	expect_taken(value_of_container(DBUS_TYPE_ARRAY, "s"), KEY_OPERATOR_EQUAL, "",
		     "false: V is a list, which cannot be compared");
	expect_taken(value_of_container(DBUS_TYPE_ARRAY, "{sv}"), KEY_OPERATOR_UNEQUAL, "x",
		     "false: V is a list, which cannot be compared");
	expect_taken(value_of_container(DBUS_TYPE_STRUCT, NULL), KEY_OPERATOR_AT_LEAST, "5",
		     "false: V is a structure, which cannot be compared");
	EXPECT(DBUS_TYPE_UNIX_FD, int, 0, EQUAL, "0",
	       "false: V is a file descriptor, which cannot be compared");
}
END_TEST

START_TEST(variants_are_unpacked)
{
	DBusMessage *message = dbus_message_new_signal("/", "org.example.Test", "Test");
	DBusMessageIter iter;
	DBusMessageIter outer;
	DBusMessageIter inner;
	BusValue value;

	dbus_message_iter_init_append(message, &iter);
	wire_open(&iter, DBUS_TYPE_VARIANT, "v", &outer);
	wire_open(&outer, DBUS_TYPE_VARIANT, "u", &inner);
	wire_uint32(&inner, 7);
	wire_close(&outer, &inner);
	wire_close(&iter, &outer);
	ck_assert(dbus_message_iter_init(message, &iter));
	bus_value_read(&iter, &value);
	dbus_message_unref(message);

	expect_taken(value, KEY_OPERATOR_EQUAL, "7", "true: V is 7");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("bus-value");

	ADD_CASE(suite, "values", numbers_compare_by_all_operators,
		 numbers_of_every_type_are_compared, large_integers_are_distinguished,
		 other_texts_are_not_compared_with_numbers, booleans_compare_with_true_and_false,
		 texts_compare_byte_by_byte, hostile_texts_are_shown_without_harm,
		 containers_compare_with_nothing, variants_are_unpacked);
	return suite;
}
