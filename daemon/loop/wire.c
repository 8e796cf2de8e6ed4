/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Wire: appends values to messages.
 */
#include "config.h"

#include "loop/wire.h"

static void check_memory(bool ok)
{
	if (!ok)
		g_error("no memory for a D-Bus message");
}

void wire_string(DBusMessageIter *out, const char *text)
{
	g_autofree char *repaired = NULL;

	if (!text)
		text = "";
	if (!g_utf8_validate(text, -1, NULL))
		text = repaired = g_utf8_make_valid(text, -1);
	check_memory(dbus_message_iter_append_basic(out, DBUS_TYPE_STRING, &text));
}

void wire_bytes(DBusMessageIter *out, const void *bytes, size_t length)
{
	DBusMessageIter array;

	wire_open(out, DBUS_TYPE_ARRAY, "y", &array);
	check_memory(
		dbus_message_iter_append_fixed_array(&array, DBUS_TYPE_BYTE, &bytes, (int)length));
	wire_close(out, &array);
}

void wire_bool(DBusMessageIter *out, bool value)
{
	dbus_bool_t v = value;

	check_memory(dbus_message_iter_append_basic(out, DBUS_TYPE_BOOLEAN, &v));
}

void wire_uint32(DBusMessageIter *out, uint32_t value)
{
	check_memory(dbus_message_iter_append_basic(out, DBUS_TYPE_UINT32, &value));
}

void wire_uint64(DBusMessageIter *out, uint64_t value)
{
	check_memory(dbus_message_iter_append_basic(out, DBUS_TYPE_UINT64, &value));
}

void wire_double(DBusMessageIter *out, double value)
{
	check_memory(dbus_message_iter_append_basic(out, DBUS_TYPE_DOUBLE, &value));
}

void wire_object_path(DBusMessageIter *out, const char *path)
{
	check_memory(dbus_message_iter_append_basic(out, DBUS_TYPE_OBJECT_PATH, &path));
}

void wire_open(DBusMessageIter *out, int type, const char *signature, DBusMessageIter *ret_inner)
{
	check_memory(dbus_message_iter_open_container(out, type, signature, ret_inner));
}

void wire_close(DBusMessageIter *out, DBusMessageIter *inner)
{
	check_memory(dbus_message_iter_close_container(out, inner));
}

void wire_string_struct(DBusMessageIter *out, const char *const *texts, unsigned n)
{
	DBusMessageIter inner;

	wire_open(out, DBUS_TYPE_STRUCT, NULL, &inner);
	for (unsigned i = 0; i < n; i++)
		wire_string(&inner, texts[i]);
	wire_close(out, &inner);
}

void wire_names(DBusMessageIter *out, const GPtrArray *names)
{
	DBusMessageIter array;

	wire_open(out, DBUS_TYPE_ARRAY, "s", &array);
	for (guint i = 0; i < names->len; i++)
		wire_string(&array, g_ptr_array_index(names, i));
	wire_close(out, &array);
}

DBusMessage *wire_must(DBusMessage *message)
{
	check_memory(message != NULL);
	return message;
}
