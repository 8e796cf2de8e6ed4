/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Polkit: one method of org.freedesktop.PolicyKit1.Authority.
 */
#include "config.h"

#include "bus/polkit.h"

#include <string.h>

#include "base/errors.h"
#include "base/text.h"
#include "bus/call.h"
#include "bus/names.h"
#include "loop/wire.h"

#define POLKIT_NAME "org.freedesktop.PolicyKit1"
#define POLKIT_PATH "/org/freedesktop/PolicyKit1/Authority"
#define POLKIT_INTERFACE "org.freedesktop.PolicyKit1.Authority"

enum { ALLOW_USER_INTERACTION = 1 };

/* D-Bus errors that mean that there is no polkit. */
/* clang-format off */
static const char *const absent[] = {
	DBUS_ERROR_SERVICE_UNKNOWN,      DBUS_ERROR_NAME_HAS_NO_OWNER,  DBUS_ERROR_SPAWN_SERVICE_NOT_FOUND,
	DBUS_ERROR_SPAWN_EXEC_FAILED,    DBUS_ERROR_SPAWN_FORK_FAILED,  DBUS_ERROR_SPAWN_CHILD_EXITED,
	DBUS_ERROR_SPAWN_CHILD_SIGNALED, DBUS_ERROR_SPAWN_FAILED,       DBUS_ERROR_SPAWN_FILE_INVALID,
	DBUS_ERROR_SPAWN_CONFIG_INVALID, DBUS_ERROR_SPAWN_SETUP_FAILED, NULL,
};
/* clang-format on */

/* ("system-bus-name", {"name": <sender>}) */
static void append_subject(DBusMessageIter *out, const char *sender)
{
	DBusMessageIter context;
	DBusMessageIter array;
	DBusMessageIter entry;
	DBusMessageIter variant;

	wire_open(out, DBUS_TYPE_STRUCT, NULL, &context);
	wire_string(&context, "system-bus-name");
	wire_open(&context, DBUS_TYPE_ARRAY, "{sv}", &array);
	wire_open(&array, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
	wire_string(&entry, "name");
	wire_open(&entry, DBUS_TYPE_VARIANT, "s", &variant);
	wire_string(&variant, sender);
	wire_close(&entry, &variant);
	wire_close(&array, &entry);
	wire_close(&context, &array);
	wire_close(out, &context);
}

static void append_detail(DBusMessageIter *array, const char *name, const char *value)
{
	DBusMessageIter entry;

	wire_open(array, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
	wire_string(&entry, name);
	wire_string(&entry, value);
	wire_close(array, &entry);
}

/* The name of the service that @call is addressed to, a new string; NULL for another object. */
static char *named_object(DBusMessage *call)
{
	static const char prefix[] = OBJECT_PATH_SERVICES "/";
	const char *path = dbus_message_get_path(call);

	return path && g_str_has_prefix(path, prefix) ?
		       text_unescape_bus_path(path + sizeof prefix - 1) :
		       NULL;
}

/*
 * The first argument: a string, or an array of strings joined by blanks. Returns: a new string, or
 * NULL for another type.
 */
static char *first_argument(DBusMessage *call)
{
	g_autoptr(GString) tokens = g_string_new(NULL);
	DBusMessageIter in;
	DBusMessageIter array;
	const char *argument;

	if (!dbus_message_iter_init(call, &in))
		return NULL;
	array = in;
	if (dbus_message_iter_get_arg_type(&in) == DBUS_TYPE_ARRAY)
		dbus_message_iter_recurse(&in, &array);
	if (dbus_message_iter_get_arg_type(&array) != DBUS_TYPE_STRING)
		return NULL;
	do {
		dbus_message_iter_get_basic(&array, &argument);
		g_string_append_printf(tokens, "%s%s", tokens->len > 0 ? " " : "", argument);
	} while (dbus_message_iter_get_arg_type(&in) == DBUS_TYPE_ARRAY &&
		 dbus_message_iter_next(&array));
	return g_string_free(g_steal_pointer(&tokens), FALSE);
}

static void append_details(DBusMessageIter *out, DBusMessage *call)
{
	g_autofree char *service = named_object(call);
	g_autofree char *argument = service ? g_steal_pointer(&service) : first_argument(call);
	DBusMessageIter array;

	wire_open(out, DBUS_TYPE_ARRAY, "{ss}", &array);
	append_detail(&array, "method", dbus_message_get_member(call));
	if (argument)
		append_detail(&array, "argument", argument);
	wire_close(out, &array);
}

DBusMessage *polkit_question(DBusMessage *call, const char *action)
{
	DBusMessage *question = wire_must(dbus_message_new_method_call(
		POLKIT_NAME, POLKIT_PATH, POLKIT_INTERFACE, "CheckAuthorization"));
	DBusMessageIter out;

	dbus_message_iter_init_append(question, &out);
	append_subject(&out, dbus_message_get_sender(call));
	wire_string(&out, action);
	append_details(&out, call);
	wire_uint32(&out, dbus_message_get_allow_interactive_authorization(call) ?
				  ALLOW_USER_INTERACTION :
				  0);
	/* no cancellation id: the check ends when the client leaves the bus */
	wire_string(&out, "");
	return question;
}

static bool refuse_for_error(DBusMessage *reply, const char *action, unsigned uid, GError **error)
{
	const char *name = dbus_message_get_error_name(reply);
	const char *text = NULL;

	if (g_strv_contains(absent, name))
		return fail(error, SVCD_ERROR_NOT_AUTHORIZED,
			    "uid %u may not do this: polkit is not available, so only root may",
			    uid);
	if (!dbus_message_get_args(reply, NULL, DBUS_TYPE_STRING, &text, DBUS_TYPE_INVALID))
		text = name;
	return fail(error, SVCD_ERROR_NOT_AUTHORIZED,
		    "uid %u may not do this: polkit could not decide on %s: %s", uid, action, text);
}

bool polkit_allows(DBusMessage *reply, const char *action, unsigned uid, GError **error)
{
	DBusMessageIter in;
	DBusMessageIter result;
	dbus_bool_t is_authorized = FALSE;
	dbus_bool_t is_challenge = FALSE;

	if (!reply)
		return fail(error, SVCD_ERROR_TIMEOUT,
			    "polkit did not decide in time whether uid %u is authorized for %s",
			    uid, action);
	if (dbus_message_get_type(reply) == DBUS_MESSAGE_TYPE_ERROR)
		return refuse_for_error(reply, action, uid, error);
	if (!dbus_message_has_signature(reply, "(bba{ss})"))
		return fail(error, SVCD_ERROR_NOT_AUTHORIZED,
			    "uid %u may not do this: polkit's answer is invalid", uid);
	dbus_message_iter_init(reply, &in);
	dbus_message_iter_recurse(&in, &result);
	dbus_message_iter_get_basic(&result, &is_authorized);
	dbus_message_iter_next(&result);
	dbus_message_iter_get_basic(&result, &is_challenge);
	if (is_authorized)
		return true;
	if (is_challenge)
		return fail_call(error, CALL_ERROR_NEEDS_PASSWORD,
				 "uid %u may not do this without a password: polkit requires "
				 "authentication for %s",
				 uid, action);
	return fail(error, SVCD_ERROR_NOT_AUTHORIZED, "uid %u may not do this: polkit refuses %s",
		    uid, action);
}
