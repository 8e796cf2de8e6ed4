/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Call: arguments, answers and errors.
 */
#include "config.h"

#include "bus/call.h"

#include <stdarg.h>

#include "base/errors.h"
#include "bus/names.h"
#include "loop/loop.h"
#include "loop/wire.h"

static G_DEFINE_QUARK(svcd - call - error, call_error)

	bool fail_call(GError **error, CallError code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (error)
		*error = g_error_new_valist(call_error_quark(), (int)code, format, args);
	va_end(args);
	return false;
}

const char *call_string(const BusCall *call)
{
	DBusMessageIter in;
	const char *text = NULL;

	dbus_message_iter_init(call->message, &in);
	dbus_message_iter_get_basic(&in, &text);
	return text;
}

PropertyContext call_subject(const BusCall *call, const Service *service)
{
	return (PropertyContext){
		.bus = call->bus, .engine = call->engine, .service = service, .now_us = loop_now()
	};
}

/* A new string. */
static char *error_name(const GError *error)
{
	if (error->domain == call_error_quark())
		return g_strdup(call_error_name((CallError)error->code));
	if (error->domain == SVCD_ERROR_DOMAIN)
		return g_strconcat(BUS_ERROR_PREFIX, error_code_name((ErrorCode)error->code), NULL);
	return g_strdup(BUS_ERROR_PREFIX "Failed");
}

static DBusMessage *error_reply(DBusMessage *message, const GError *error)
{
	g_autofree char *name = error_name(error);
	DBusMessage *reply = wire_must(dbus_message_new_error(message, name, NULL));
	DBusMessageIter out;

	dbus_message_iter_init_append(reply, &out);
	wire_string(&out, error->message);
	return reply;
}

void call_answer(BusClient *client, DBusMessage *message, DBusMessage *reply)
{
	if (!dbus_message_get_no_reply(message))
		client->send(client, reply);
	dbus_message_unref(reply);
}

void call_refuse(BusClient *client, DBusMessage *message, const GError *error)
{
	call_answer(client, message, error_reply(message, error));
}
