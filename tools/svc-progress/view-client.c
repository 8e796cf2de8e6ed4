/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * View client: see view-client.h.
 */
#include "config.h"

#include "svc-progress/view-client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PRIVATE_SOCKET "/run/svcd/private"
#define BOOT_PATH "/org/svcd1/boot"
#define BOOT "org.svcd1.Boot"
#define SERVICES_PATH "/org/svcd1/service"
#define SERVICES "org.svcd1.Services"

/* svcd answers at once, or it hangs and is replaced. */
enum { ANSWER_LIMIT_MS = 3000 };

/* One service. Texts are borrowed from the answer. */
typedef struct ServiceRow {
	const char *name;
	const char *state;
	const char *term; /* the first one that is not true */
	uint64_t since_us;
	uint64_t start_limit_us;
	uint64_t stop_limit_us;
	uint64_t backoff_until_us;
	uint64_t wait_until_us;
} ServiceRow;

static const char *const row_properties[] = { "Name",       "State",     "Since",
					      "StartLimit", "StopLimit", "BackoffUntil",
					      "WaitUntil",  "FalseTerms" };

/* --- the connection --- */

void view_client_clear(ViewClient *client)
{
	if (!client->svcd)
		return;
	dbus_connection_close(client->svcd);
	dbus_connection_unref(client->svcd);
	client->svcd = NULL;
}

static bool is_connected(ViewClient *client)
{
	const char *path = getenv("SVCD_PRIVATE");
	char address[256];

	if (client->svcd && dbus_connection_get_is_connected(client->svcd))
		return true;
	view_client_clear(client);
	(void)snprintf(address, sizeof address, "unix:path=%s",
		       path && *path ? path : PRIVATE_SOCKET);
	client->svcd = dbus_connection_open_private(address, NULL);
	if (client->svcd)
		dbus_connection_set_exit_on_disconnect(client->svcd, FALSE);
	return client->svcd != NULL;
}

/* Takes @call. Returns: the answer, if it has the signature @signature; NULL otherwise. */
static DBusMessage *carry_out(ViewClient *client, DBusMessage *call, const char *signature)
{
	DBusMessage *reply = call ? dbus_connection_send_with_reply_and_block(
					    client->svcd, call, ANSWER_LIMIT_MS, NULL) :
				    NULL;

	if (call)
		dbus_message_unref(call);
	if (!reply || dbus_message_has_signature(reply, signature))
		return reply;
	dbus_message_unref(reply);
	return NULL;
}

static DBusMessage *call_boot(void)
{
	static const char *const interface = BOOT;
	DBusMessage *call =
		dbus_message_new_method_call(NULL, BOOT_PATH, DBUS_INTERFACE_PROPERTIES, "GetAll");

	if (call)
		(void)dbus_message_append_args(call, DBUS_TYPE_STRING, &interface,
					       DBUS_TYPE_INVALID);
	return call;
}

static DBusMessage *call_services(void)
{
	const char *const *names = row_properties;
	DBusMessage *call =
		dbus_message_new_method_call(NULL, SERVICES_PATH, SERVICES, "ListInMotion");

	if (call)
		(void)dbus_message_append_args(
			call, DBUS_TYPE_ARRAY, DBUS_TYPE_STRING, &names,
			(int)(sizeof row_properties / sizeof row_properties[0]), DBUS_TYPE_INVALID);
	return call;
}

/* --- reading --- */

typedef void (*PropertyFunc)(const char *name, DBusMessageIter *value, void *data);

static void read_properties(DBusMessageIter *dict, PropertyFunc func, void *data)
{
	DBusMessageIter entry;
	DBusMessageIter field;
	DBusMessageIter value;

	for (dbus_message_iter_recurse(dict, &entry);
	     dbus_message_iter_get_arg_type(&entry) == DBUS_TYPE_DICT_ENTRY;
	     dbus_message_iter_next(&entry)) {
		const char *name;

		dbus_message_iter_recurse(&entry, &field);
		dbus_message_iter_get_basic(&field, &name);
		dbus_message_iter_next(&field);
		dbus_message_iter_recurse(&field, &value);
		func(name, &value, data);
	}
}

/* A value of an unexpected type is ignored. */
static bool read_basic(DBusMessageIter *value, int type, void *ret)
{
	if (dbus_message_iter_get_arg_type(value) != type)
		return false;
	dbus_message_iter_get_basic(value, ret);
	return true;
}

static bool read_flag(DBusMessageIter *value)
{
	dbus_bool_t flag;

	return read_basic(value, DBUS_TYPE_BOOLEAN, &flag) && flag;
}

static void read_failed(DBusMessageIter *names, View *view)
{
	DBusMessageIter item;
	const char *name;

	if (dbus_message_iter_get_arg_type(names) != DBUS_TYPE_ARRAY)
		return;
	for (dbus_message_iter_recurse(names, &item); read_basic(&item, DBUS_TYPE_STRING, &name);
	     dbus_message_iter_next(&item))
		view_add_failed(view, name);
}

static void on_boot_property(const char *name, DBusMessageIter *value, void *data)
{
	View *view = data;
	const char *phase;
	dbus_uint32_t number;
	uint64_t time_us;

	if (strcmp(name, "Progress") == 0)
		(void)read_basic(value, DBUS_TYPE_DOUBLE, &view->fraction);
	else if (strcmp(name, "Phase") == 0)
		view->is_shutdown = read_basic(value, DBUS_TYPE_STRING, &phase) &&
				    strcmp(phase, "shutdown") == 0;
	else if (strcmp(name, "Finished") == 0)
		view->is_finished = read_flag(value);
	else if (strcmp(name, "Ready") == 0 && read_basic(value, DBUS_TYPE_UINT32, &number))
		view->n_ready = number;
	else if (strcmp(name, "Total") == 0 && read_basic(value, DBUS_TYPE_UINT32, &number))
		view->n_total = number;
	else if (strcmp(name, "InitStartedAt") == 0 &&
		 read_basic(value, DBUS_TYPE_UINT64, &time_us))
		view->began_us = (int64_t)time_us;
	else if (strcmp(name, "Failed") == 0)
		read_failed(value, view);
}

/* a(ssss): text, level, why, origin. Only the first one is shown. */
static void read_false_terms(DBusMessageIter *array, ServiceRow *row)
{
	DBusMessageIter item;
	DBusMessageIter field;

	if (dbus_message_iter_get_arg_type(array) != DBUS_TYPE_ARRAY)
		return;
	dbus_message_iter_recurse(array, &item);
	if (dbus_message_iter_get_arg_type(&item) != DBUS_TYPE_STRUCT)
		return;
	dbus_message_iter_recurse(&item, &field);
	(void)read_basic(&field, DBUS_TYPE_STRING, &row->term);
}

static void on_row_property(const char *name, DBusMessageIter *value, void *data)
{
	ServiceRow *row = data;

	if (strcmp(name, "Name") == 0)
		(void)read_basic(value, DBUS_TYPE_STRING, &row->name);
	else if (strcmp(name, "State") == 0)
		(void)read_basic(value, DBUS_TYPE_STRING, &row->state);
	else if (strcmp(name, "Since") == 0)
		(void)read_basic(value, DBUS_TYPE_UINT64, &row->since_us);
	else if (strcmp(name, "StartLimit") == 0)
		(void)read_basic(value, DBUS_TYPE_UINT64, &row->start_limit_us);
	else if (strcmp(name, "StopLimit") == 0)
		(void)read_basic(value, DBUS_TYPE_UINT64, &row->stop_limit_us);
	else if (strcmp(name, "BackoffUntil") == 0)
		(void)read_basic(value, DBUS_TYPE_UINT64, &row->backoff_until_us);
	else if (strcmp(name, "WaitUntil") == 0)
		(void)read_basic(value, DBUS_TYPE_UINT64, &row->wait_until_us);
	else if (strcmp(name, "FalseTerms") == 0)
		read_false_terms(value, row);
}

/*
 * Returns: true if the service is on its way. A service that waits for another service, or waits
 * without a time limit, is not on its way, because it does not itself delay the boot.
 */
static bool read_kind(const ServiceRow *row, Motion *ret)
{
	if (strcmp(row->state, "starting") == 0) {
		ret->kind = MOTION_STARTING;
		ret->until_us = ret->since_us + (int64_t)row->start_limit_us;
	} else if (strcmp(row->state, "stopping") == 0) {
		ret->kind = MOTION_STOPPING;
		ret->until_us = ret->since_us + (int64_t)row->stop_limit_us;
	} else if (strcmp(row->state, "backoff") == 0) {
		ret->kind = MOTION_RETRYING;
		ret->until_us = (int64_t)row->backoff_until_us;
	} else {
		ret->kind = MOTION_WAITING;
		ret->until_us = (int64_t)row->wait_until_us;
		return ret->until_us > 0;
	}
	return true;
}

static void read_service(DBusMessageIter *dict, View *view)
{
	ServiceRow row = { .name = "", .state = "", .term = "" };
	Motion motion = { 0 };

	read_properties(dict, on_row_property, &row);
	motion.since_us = (int64_t)row.since_us;
	if (!read_kind(&row, &motion))
		return;
	(void)snprintf(motion.name, sizeof motion.name, "%s", row.name);
	(void)snprintf(motion.what, sizeof motion.what, "%s", row.term);
	view_add(view, &motion);
}

static bool get_boot(ViewClient *client, View *view)
{
	DBusMessage *reply = carry_out(client, call_boot(), "a{sv}");
	DBusMessageIter dict;

	if (!reply)
		return false;
	dbus_message_iter_init(reply, &dict);
	read_properties(&dict, on_boot_property, view);
	dbus_message_unref(reply);
	return true;
}

static bool request_services(ViewClient *client, View *view)
{
	DBusMessage *reply = carry_out(client, call_services(), "aa{sv}");
	DBusMessageIter array;
	DBusMessageIter dict;

	if (!reply)
		return false;
	dbus_message_iter_init(reply, &array);
	for (dbus_message_iter_recurse(&array, &dict);
	     dbus_message_iter_get_arg_type(&dict) == DBUS_TYPE_ARRAY;
	     dbus_message_iter_next(&dict))
		read_service(&dict, view);
	dbus_message_unref(reply);
	return true;
}

bool view_client_get(ViewClient *client, View *ret)
{
	*ret = (View){ 0 };
	if (is_connected(client) && get_boot(client, ret) &&
	    ((ret->is_finished && !ret->is_shutdown) || request_services(client, ret)))
		return true;
	view_client_clear(client);
	return false;
}
