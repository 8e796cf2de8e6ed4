/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The arguments of StartTransientUnit, as logind 252 and 257 send them, and wrong ones.
 */
#include "config.h"

#include <fcntl.h>
#include <glib.h>
#include <string.h>
#include <unistd.h>

#include "svc-systemd1/transient.h"
#include "tests/lib/suite.h"

typedef struct Message {
	DBusMessage *message;
	DBusMessageIter arguments;
	DBusMessageIter properties;
} Message;

static void begin(Message *message, const char *unit)
{
	static const char *const mode = "fail";

	message->message = dbus_message_new_method_call(NULL, "/", "a.b", "StartTransientUnit");
	dbus_message_iter_init_append(message->message, &message->arguments);
	dbus_message_iter_append_basic(&message->arguments, DBUS_TYPE_STRING, &unit);
	dbus_message_iter_append_basic(&message->arguments, DBUS_TYPE_STRING, &mode);
	dbus_message_iter_open_container(&message->arguments, DBUS_TYPE_ARRAY, "(sv)",
					 &message->properties);
}

static void property(Message *message, const char *name, int type, const void *value)
{
	const char signature[] = { (char)type, '\0' };
	DBusMessageIter item;
	DBusMessageIter variant;

	dbus_message_iter_open_container(&message->properties, DBUS_TYPE_STRUCT, NULL, &item);
	dbus_message_iter_append_basic(&item, DBUS_TYPE_STRING, &name);
	dbus_message_iter_open_container(&item, DBUS_TYPE_VARIANT, signature, &variant);
	dbus_message_iter_append_basic(&variant, type, value);
	dbus_message_iter_close_container(&item, &variant);
	dbus_message_iter_close_container(&message->properties, &item);
}

/* A property with an array of one element. */
static void property_list(Message *message, const char *name, int type, const void *value)
{
	const char element[] = { (char)type, '\0' };
	const char signature[] = { 'a', (char)type, '\0' };
	DBusMessageIter item;
	DBusMessageIter variant;
	DBusMessageIter array;

	dbus_message_iter_open_container(&message->properties, DBUS_TYPE_STRUCT, NULL, &item);
	dbus_message_iter_append_basic(&item, DBUS_TYPE_STRING, &name);
	dbus_message_iter_open_container(&item, DBUS_TYPE_VARIANT, signature, &variant);
	dbus_message_iter_open_container(&variant, DBUS_TYPE_ARRAY, element, &array);
	dbus_message_iter_append_basic(&array, type, value);
	dbus_message_iter_close_container(&variant, &array);
	dbus_message_iter_close_container(&item, &variant);
	dbus_message_iter_close_container(&message->properties, &item);
}

static void text(Message *message, const char *name, const char *value)
{
	property(message, name, DBUS_TYPE_STRING, &value);
}

static void names(Message *message, const char *name, const char *value)
{
	property_list(message, name, DBUS_TYPE_STRING, &value);
}

static void pid(Message *message, dbus_uint32_t value)
{
	property_list(message, "PIDs", DBUS_TYPE_UINT32, &value);
}

static void finish(Message *message)
{
	DBusMessageIter none;

	dbus_message_iter_close_container(&message->arguments, &message->properties);
	dbus_message_iter_open_container(&message->arguments, DBUS_TYPE_ARRAY, "(sa(sv))", &none);
	dbus_message_iter_close_container(&message->arguments, &none);
}

static void expect_error(Message *message, const char *name)
{
	Transient transient;
	CallError error = { 0 };

	finish(message);
	ck_assert(!transient_read(message->message, &transient, &error));
	ck_assert_str_eq(error.name, name);
	ck_assert(*error.text);
	transient_clear(&transient);
	dbus_message_unref(message->message);
}

START_TEST(the_scope_of_logind_252_is_read)
{
	const dbus_uint64_t no_limit = UINT64_MAX;
	const dbus_bool_t yes = TRUE;
	Message message;
	Transient scope;
	CallError error;

	begin(&message, "session-3.scope");
	text(&message, "Slice", "user-1000.slice");
	text(&message, "Description", "Session 3 of User alice");
	names(&message, "Wants", "user-runtime-dir@1000.service");
	names(&message, "Wants", "user@1000.service");
	names(&message, "After", "systemd-logind.service");
	names(&message, "RequiresMountsFor", "/home/alice");
	property(&message, "SendSIGHUP", DBUS_TYPE_BOOLEAN, &yes);
	pid(&message, 4711);
	text(&message, "OOMPolicy", "continue");
	property(&message, "TasksMax", DBUS_TYPE_UINT64, &no_limit);
	finish(&message);

	ck_assert_msg(transient_read(message.message, &scope, &error), "%s", error.text);
	ck_assert_str_eq(scope.name, "session-3.scope");
	ck_assert_str_eq(scope.description, "Session 3 of User alice");
	ck_assert_uint_eq(scope.uid, 1000);
	ck_assert_uint_eq(scope.requires->len, 0);
	ck_assert_uint_eq(scope.wants->len, 2);
	ck_assert_str_eq(g_ptr_array_index(scope.wants, 1), "user@1000.service");
	ck_assert_uint_eq(scope.pids->len, 1);
	ck_assert_uint_eq(g_array_index(scope.pids, dbus_uint32_t, 0), 4711);
	ck_assert(scope.sends_hup);
	transient_clear(&scope);
	dbus_message_unref(message.message);
}
END_TEST

START_TEST(the_process_of_logind_257_is_a_descriptor)
{
	const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	Message message;
	Transient scope;
	CallError error;

	begin(&message, "session-3.scope");
	text(&message, "Slice", "user-1000.slice");
	names(&message, "Requires", "user-runtime-dir@1000.service");
	property_list(&message, "PIDFDs", DBUS_TYPE_UNIX_FD, &fd);
	finish(&message);

	ck_assert_msg(transient_read(message.message, &scope, &error), "%s", error.text);
	ck_assert_uint_eq(scope.requires->len, 1);
	ck_assert_uint_eq(scope.pidfds->len, 1);
	ck_assert_int_ge(fcntl(g_array_index(scope.pidfds, int, 0), F_GETFD), 0);
	transient_clear(&scope);
	dbus_message_unref(message.message);
	(void)close(fd);
}
END_TEST

START_TEST(a_property_that_would_have_no_effect_is_an_error)
{
	const dbus_uint64_t limit = 100;
	Message message;

	begin(&message, "session-3.scope");
	property(&message, "MemoryMax", DBUS_TYPE_UINT64, &limit);
	expect_error(&message, "org.freedesktop.DBus.Error.PropertyReadOnly");
	begin(&message, "session-3.scope");
	property(&message, "TasksMax", DBUS_TYPE_UINT64, &limit);
	expect_error(&message, "org.freedesktop.DBus.Error.PropertyReadOnly");
}
END_TEST

START_TEST(only_a_scope_of_a_user_is_made)
{
	Message message;

	begin(&message, "run-1.service");
	text(&message, "Slice", "user-1000.slice");
	pid(&message, 4711);
	expect_error(&message, DBUS_ERROR_INVALID_ARGS);
	begin(&message, "session-3.scope");
	text(&message, "Slice", "system.slice");
	expect_error(&message, DBUS_ERROR_INVALID_ARGS);
	begin(&message, "session-3.scope");
	pid(&message, 4711);
	expect_error(&message, DBUS_ERROR_INVALID_ARGS);
}
END_TEST

START_TEST(a_scope_needs_a_process)
{
	Message message;

	begin(&message, "session-3.scope");
	text(&message, "Slice", "user-1000.slice");
	expect_error(&message, DBUS_ERROR_INVALID_ARGS);
	begin(&message, "session-3.scope");
	text(&message, "Slice", "user-1000.slice");
	pid(&message, 0);
	expect_error(&message, DBUS_ERROR_INVALID_ARGS);
}
END_TEST

START_TEST(a_property_of_the_wrong_type_is_an_error)
{
	Message message;

	begin(&message, "session-3.scope");
	text(&message, "PIDs", "4711");
	expect_error(&message, DBUS_ERROR_INVALID_ARGS);
}
END_TEST

START_TEST(a_message_of_the_wrong_type_is_an_error)
{
	DBusMessage *message = dbus_message_new_method_call(NULL, "/", "a.b", "StartTransientUnit");
	Transient transient;
	CallError error;

	ck_assert(!transient_read(message, &transient, &error));
	transient_clear(&transient);
	dbus_message_unref(message);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("systemd1_transient");

	ADD_CASE(suite, "transient", the_scope_of_logind_252_is_read,
		 the_process_of_logind_257_is_a_descriptor,
		 a_property_that_would_have_no_effect_is_an_error, only_a_scope_of_a_user_is_made,
		 a_scope_needs_a_process, a_property_of_the_wrong_type_is_an_error,
		 a_message_of_the_wrong_type_is_an_error);
	return suite;
}
