/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Service activation: see service-activation.h.
 */
#include "config.h"

#include "svc-activate/service-activation.h"

#include <dbus/dbus.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define PRIVATE_SOCKET "unix:path=/run/svcd/private"
#define MANAGER "org.svcd1.Manager"
#define SERVICE "org.svcd1.Service"

/* svcd answers at once, or it hangs and is replaced. */
#define ANSWER_LIMIT_MS 30000

/* The properties of a service that decide the verdict. */
typedef struct Record {
	const char *name;
	const char *state;
	const char *result;
	const char *cause;
	dbus_bool_t is_settled;
	char waits_for[512]; /* the first term that is not true: "network:up: no route" */
} Record;

/* Steals @call. Returns: NULL with @error. */
static DBusMessage *carry_out(DBusConnection *svcd, DBusMessage *call, DBusError *error)
{
	DBusMessage *reply = NULL;

	if (call)
		reply = dbus_connection_send_with_reply_and_block(svcd, call, ANSWER_LIMIT_MS,
								  error);
	else
		dbus_set_error_const(error, DBUS_ERROR_NO_MEMORY, "out of memory");
	if (call)
		dbus_message_unref(call);
	return reply;
}

static DBusMessage *call_subscribe(void)
{
	return dbus_message_new_method_call(NULL, "/org/svcd1", MANAGER, "Subscribe");
}

static DBusMessage *call_activate(const char *bus_name, const char *holder)
{
	DBusMessage *call = dbus_message_new_method_call(NULL, "/org/svcd1", MANAGER, "Activate");

	if (call)
		(void)dbus_message_append_args(call, DBUS_TYPE_STRING, &bus_name, DBUS_TYPE_STRING,
					       &holder, DBUS_TYPE_INVALID);
	return call;
}

static DBusMessage *call_get_all(const char *object)
{
	static const char *const interface = SERVICE;
	DBusMessage *call =
		dbus_message_new_method_call(NULL, object, DBUS_INTERFACE_PROPERTIES, "GetAll");

	if (call)
		(void)dbus_message_append_args(call, DBUS_TYPE_STRING, &interface,
					       DBUS_TYPE_INVALID);
	return call;
}

/* --- reading a service --- */

/* FalseTerms, a(ssss): text, level, why, origin. */
static void read_false_terms(DBusMessageIter *array, Record *record)
{
	const char *texts[3] = { "", "", "" };
	DBusMessageIter item;
	DBusMessageIter field;

	dbus_message_iter_recurse(array, &item);
	if (dbus_message_iter_get_arg_type(&item) != DBUS_TYPE_STRUCT)
		return;
	dbus_message_iter_recurse(&item, &field);
	for (int i = 0; i < 3 && dbus_message_iter_get_arg_type(&field) == DBUS_TYPE_STRING; i++) {
		dbus_message_iter_get_basic(&field, &texts[i]);
		dbus_message_iter_next(&field);
	}
	(void)snprintf(record->waits_for, sizeof record->waits_for, "%s%s%s", texts[0],
		       *texts[2] ? ": " : "", texts[2]);
}

static void read_property(const char *name, DBusMessageIter *value, Record *record)
{
	const int type = dbus_message_iter_get_arg_type(value);

	if (type == DBUS_TYPE_STRING && strcmp(name, "Name") == 0)
		dbus_message_iter_get_basic(value, &record->name);
	else if (type == DBUS_TYPE_STRING && strcmp(name, "State") == 0)
		dbus_message_iter_get_basic(value, &record->state);
	else if (type == DBUS_TYPE_STRING && strcmp(name, "Result") == 0)
		dbus_message_iter_get_basic(value, &record->result);
	else if (type == DBUS_TYPE_STRING && strcmp(name, "Cause") == 0)
		dbus_message_iter_get_basic(value, &record->cause);
	else if (type == DBUS_TYPE_BOOLEAN && strcmp(name, "Settled") == 0)
		dbus_message_iter_get_basic(value, &record->is_settled);
	else if (type == DBUS_TYPE_ARRAY && strcmp(name, "FalseTerms") == 0)
		read_false_terms(value, record);
}

/* The strings of @ret point into @properties. */
static void read_record(DBusMessage *properties, Record *ret)
{
	DBusMessageIter iter;
	DBusMessageIter dict;
	DBusMessageIter entry;
	DBusMessageIter value;

	*ret = (Record){ .name = "", .state = "", .result = "", .cause = "" };
	if (!dbus_message_has_signature(properties, "a{sv}") ||
	    !dbus_message_iter_init(properties, &iter))
		return;
	for (dbus_message_iter_recurse(&iter, &dict);
	     dbus_message_iter_get_arg_type(&dict) == DBUS_TYPE_DICT_ENTRY;
	     dbus_message_iter_next(&dict)) {
		const char *name;

		dbus_message_iter_recurse(&dict, &entry);
		dbus_message_iter_get_basic(&entry, &name);
		dbus_message_iter_next(&entry);
		dbus_message_iter_recurse(&entry, &value);
		read_property(name, &value, ret);
	}
}

static bool is_up(const Record *record)
{
	return strcmp(record->state, "ready") == 0 || strcmp(record->state, "done") == 0;
}

static void explain(const Record *record, ActivationError *refusal)
{
	if (strcmp(record->state, "waiting") == 0)
		activation_error_set(refusal, REFUSAL_FAILED,
				     "%s: it waits, and starts as soon as this is true: %s",
				     record->name,
				     *record->waits_for ? record->waits_for : record->cause);
	else if (strcmp(record->state, "failed") == 0)
		activation_error_set(refusal, REFUSAL_FAILED, "%s: it has failed: %s", record->name,
				     *record->result ? record->result : record->cause);
	else
		activation_error_set(refusal, REFUSAL_FAILED, "%s: it is %s: %s", record->name,
				     record->state, record->cause);
}

/* --- waiting --- */

/* A signal is only a hint; the state is read again. Returns: false if the connection has ended. */
static bool wait_for_signal(DBusConnection *svcd)
{
	DBusMessage *message;
	bool has_come = false;

	while (!has_come) {
		if (!dbus_connection_read_write(svcd, -1))
			return false;
		while ((message = dbus_connection_pop_message(svcd)) != NULL) {
			has_come = has_come ||
				   dbus_message_get_type(message) == DBUS_MESSAGE_TYPE_SIGNAL;
			dbus_message_unref(message);
		}
	}
	return dbus_connection_get_is_connected(svcd);
}

static ActivationVerdict wait_until_settled(DBusConnection *svcd, const char *object,
					    ActivationError *refusal)
{
	DBusMessage *properties;
	Record record;
	ActivationVerdict verdict = VERDICT_LOST;

	for (;;) {
		properties = carry_out(svcd, call_get_all(object), NULL);
		if (!properties)
			return VERDICT_LOST;
		read_record(properties, &record);
		if (is_up(&record))
			verdict = VERDICT_UP;
		else if (record.is_settled)
			verdict = VERDICT_FAILED;
		if (verdict == VERDICT_FAILED)
			explain(&record, refusal);
		dbus_message_unref(properties);
		if (verdict != VERDICT_LOST || !wait_for_signal(svcd))
			return verdict;
	}
}

/* These are the errors of svcd itself. All other errors are about the connection. */
static ActivationVerdict judge(const DBusError *error, ActivationError *refusal)
{
	if (strncmp(error->name, "org.svcd1.", strlen("org.svcd1.")) != 0)
		return VERDICT_LOST;
	activation_error_set(refusal, error->name, "%s", error->message);
	return VERDICT_REFUSED;
}

static ActivationVerdict activate_and_wait(DBusConnection *svcd, const char *bus_name,
					   const char *holder, ActivationError *refusal)
{
	DBusError error = DBUS_ERROR_INIT;
	DBusMessage *reply = carry_out(svcd, call_subscribe(), &error);
	const char *object;
	ActivationVerdict verdict = VERDICT_LOST;

	if (reply) {
		dbus_message_unref(reply);
		reply = carry_out(svcd, call_activate(bus_name, holder), &error);
	}
	if (!reply)
		verdict = judge(&error, refusal);
	else if (dbus_message_get_args(reply, &error, DBUS_TYPE_OBJECT_PATH, &object,
				       DBUS_TYPE_INVALID))
		verdict = wait_until_settled(svcd, object, refusal);
	dbus_error_free(&error);
	if (reply)
		dbus_message_unref(reply);
	return verdict;
}

ActivationVerdict service_activate(const char *bus_name, const char *holder,
				   ActivationError *ret_refusal)
{
	DBusError error = DBUS_ERROR_INIT;
	DBusConnection *svcd = dbus_connection_open_private(PRIVATE_SOCKET, &error);
	ActivationVerdict verdict;

	if (!svcd) {
		activation_error_set(ret_refusal, REFUSAL_FAILED, "cannot connect to svcd: %s",
				     error.message);
		dbus_error_free(&error);
		return VERDICT_FAILED;
	}
	dbus_connection_set_exit_on_disconnect(svcd, FALSE);
	verdict = activate_and_wait(svcd, bus_name, holder, ret_refusal);
	dbus_connection_close(svcd);
	dbus_connection_unref(svcd);
	return verdict;
}
