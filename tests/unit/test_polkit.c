/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Questions to polkit and the meaning of its answers: only a clear yes permits.
 */
#include "config.h"

#include <check.h>
#include <string.h>

#include "base/errors.h"
#include "bus/call.h"
#include "bus/polkit.h"
#include "loop/wire.h"
#include "tests/lib/suite.h"

static DBusMessage *call_of(const char *sender)
{
	DBusMessage *call = wire_must(dbus_message_new_method_call("org.svcd1", "/org/svcd1",
								   "org.svcd1.Manager", "Start"));
	DBusMessageIter out;

	dbus_message_set_sender(call, sender);
	dbus_message_set_serial(call, 7);
	dbus_message_iter_init_append(call, &out);
	wire_string(&out, "sshd");
	return call;
}

/* The second-to-last argument. */
static dbus_uint32_t flags_of(DBusMessage *question)
{
	DBusMessageIter in;
	dbus_uint32_t flags;

	dbus_message_iter_init(question, &in);
	for (unsigned i = 0; i < 3; i++)
		dbus_message_iter_next(&in);
	dbus_message_iter_get_basic(&in, &flags);
	return flags;
}

/* A detail of the question as a new string; NULL: no such detail. */
static char *detail_of(DBusMessage *question, const char *name)
{
	DBusMessageIter in;
	DBusMessageIter array;

	dbus_message_iter_init(question, &in);
	dbus_message_iter_next(&in);
	dbus_message_iter_next(&in);
	for (dbus_message_iter_recurse(&in, &array);
	     dbus_message_iter_get_arg_type(&array) != DBUS_TYPE_INVALID;
	     dbus_message_iter_next(&array)) {
		DBusMessageIter entry;
		const char *text;

		dbus_message_iter_recurse(&array, &entry);
		dbus_message_iter_get_basic(&entry, &text);
		if (strcmp(text, name) != 0)
			continue;
		dbus_message_iter_next(&entry);
		dbus_message_iter_get_basic(&entry, &text);
		return g_strdup(text);
	}
	return NULL;
}

START_TEST(the_subject_is_the_name_on_the_bus)
{
	DBusMessage *call = call_of(":1.42");
	DBusMessage *question = polkit_question(call, "org.svcd1.control");
	DBusMessageIter in;
	DBusMessageIter subject;
	const char *kind;

	ck_assert_str_eq(dbus_message_get_signature(question), "(sa{sv})sa{ss}us");
	dbus_message_iter_init(question, &in);
	dbus_message_iter_recurse(&in, &subject);
	dbus_message_iter_get_basic(&subject, &kind);
	ck_assert_str_eq(kind, "system-bus-name");
	dbus_message_unref(question);
	dbus_message_unref(call);
}
END_TEST

START_TEST(rules_see_all_arguments_of_a_change_of_policy)
{
	static const char *const tokens[] = { "set", "ssh", "never" };
	const char *const *begin = tokens;
	DBusMessage *call = wire_must(dbus_message_new_method_call(
		"org.svcd1", "/org/svcd1", "org.svcd1.Manager", "ChangePolicy"));
	DBusMessage *question;
	g_autofree char *text = NULL;

	dbus_message_set_sender(call, ":1.42");
	dbus_message_set_serial(call, 7);
	dbus_message_append_args(call, DBUS_TYPE_ARRAY, DBUS_TYPE_STRING, &begin,
				 G_N_ELEMENTS(tokens), DBUS_TYPE_INVALID);
	question = polkit_question(call, "org.svcd1.set-policy");
	text = detail_of(question, "argument");
	ck_assert_str_eq(text, "set ssh never");
	dbus_message_unref(question);
	dbus_message_unref(call);
}
END_TEST

START_TEST(rules_see_the_service_whose_object_is_called)
{
	DBusMessage *call = wire_must(dbus_message_new_method_call(
		"org.svcd1", "/org/svcd1/service/getty_40tty1", "org.svcd1.Service", "Signal"));
	DBusMessage *question;
	DBusMessageIter out;
	g_autofree char *text = NULL;

	dbus_message_set_sender(call, ":1.42");
	dbus_message_set_serial(call, 7);
	dbus_message_iter_init_append(call, &out);
	wire_string(&out, "main");
	question = polkit_question(call, "org.svcd1.control");
	text = detail_of(question, "argument");
	ck_assert_str_eq(text, "getty@tty1");
	dbus_message_unref(question);
	dbus_message_unref(call);
}
END_TEST

START_TEST(the_user_is_asked_only_if_the_call_allows_it)
{
	DBusMessage *call = call_of(":1.42");
	DBusMessage *silent = polkit_question(call, "org.svcd1.control");
	DBusMessage *pending_query;

	dbus_message_set_allow_interactive_authorization(call, TRUE);
	pending_query = polkit_question(call, "org.svcd1.control");

	ck_assert_uint_eq(flags_of(silent), 0);
	ck_assert_uint_eq(flags_of(pending_query), 1);
	dbus_message_unref(silent);
	dbus_message_unref(pending_query);
	dbus_message_unref(call);
}
END_TEST

static DBusMessage *answer(bool is_authorized, bool is_challenge)
{
	DBusMessage *call = call_of(":1.42");
	DBusMessage *reply = wire_must(dbus_message_new_method_return(call));
	DBusMessageIter out;
	DBusMessageIter result;
	DBusMessageIter none;

	dbus_message_iter_init_append(reply, &out);
	wire_open(&out, DBUS_TYPE_STRUCT, NULL, &result);
	wire_bool(&result, is_authorized);
	wire_bool(&result, is_challenge);
	wire_open(&result, DBUS_TYPE_ARRAY, "{ss}", &none);
	wire_close(&result, &none);
	wire_close(&out, &result);
	dbus_message_unref(call);
	return reply;
}

static DBusMessage *error_answer(const char *name, const char *text)
{
	DBusMessage *call = call_of(":1.42");
	DBusMessage *reply = wire_must(dbus_message_new_error(call, name, text));

	dbus_message_unref(call);
	return reply;
}

/* Takes ownership of @reply. */
static void expect_refusal(DBusMessage *reply, int code, const char *sentence)
{
	g_autoptr(GError) error = NULL;

	ck_assert(!polkit_allows(reply, "org.svcd1.control", 4000000000U, &error));
	ck_assert_int_eq(error->code, code);
	ck_assert_str_eq(error->message, sentence);
	if (reply)
		dbus_message_unref(reply);
}

START_TEST(a_yes_is_a_yes)
{
	DBusMessage *reply = answer(true, false);

	ck_assert(polkit_allows(reply, "org.svcd1.control", 1000, NULL));
	dbus_message_unref(reply);
}
END_TEST

START_TEST(all_else_is_a_no)
{
	DBusMessage *call = call_of(":1.42");

	expect_refusal(answer(false, false), SVCD_ERROR_NOT_AUTHORIZED,
		       "uid 4000000000 may not do this: polkit refuses org.svcd1.control");
	expect_refusal(answer(false, true), CALL_ERROR_NEEDS_PASSWORD,
		       "uid 4000000000 may not do this without a password: polkit requires "
		       "authentication for org.svcd1.control");
	expect_refusal(NULL, SVCD_ERROR_TIMEOUT,
		       "polkit did not decide in time whether uid 4000000000 is authorized for "
		       "org.svcd1.control");
	expect_refusal(error_answer(DBUS_ERROR_SERVICE_UNKNOWN, "no such name"),
		       SVCD_ERROR_NOT_AUTHORIZED,
		       "uid 4000000000 may not do this: polkit is not available, so only root may");
	expect_refusal(
		error_answer("org.freedesktop.PolicyKit1.Error.Failed",
			     "Cannot determine user of subject"),
		SVCD_ERROR_NOT_AUTHORIZED,
		"uid 4000000000 may not do this: polkit could not decide on org.svcd1.control: "
		"Cannot determine user of subject");
	expect_refusal(wire_must(dbus_message_new_method_return(call)), SVCD_ERROR_NOT_AUTHORIZED,
		       "uid 4000000000 may not do this: polkit's answer is invalid");
	dbus_message_unref(call);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("polkit");

	ADD_CASE(suite, "asking", the_subject_is_the_name_on_the_bus,
		 the_user_is_asked_only_if_the_call_allows_it,
		 rules_see_all_arguments_of_a_change_of_policy,
		 rules_see_the_service_whose_object_is_called);
	ADD_CASE(suite, "answers", a_yes_is_a_yes, all_else_is_a_no);
	return suite;
}
