/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Wire: appends values to messages. Text is made valid UTF-8 here, because libdbus accepts nothing
 * else.
 *
 * libdbus fails to append only if memory is exhausted. Then the manager aborts, as GLib does, and
 * PID 1 restarts it.
 */
#ifndef SVCD_LOOP_WIRE_H
#define SVCD_LOOP_WIRE_H

#include <dbus/dbus.h>
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

void wire_bytes(DBusMessageIter *out, const void *bytes, size_t length); /* ay */
void wire_string(DBusMessageIter *out, const char *text); /* NULL is "" */
void wire_bool(DBusMessageIter *out, bool value);
void wire_uint32(DBusMessageIter *out, uint32_t value);
void wire_uint64(DBusMessageIter *out, uint64_t value);
void wire_double(DBusMessageIter *out, double value);
void wire_object_path(DBusMessageIter *out, const char *path);

/*
 * @type: DBUS_TYPE_ARRAY, _VARIANT, _STRUCT or _DICT_ENTRY
 * @signature: of the content of an array or a variant; NULL for the other types
 */
void wire_open(DBusMessageIter *out, int type, const char *signature, DBusMessageIter *ret_inner);
void wire_close(DBusMessageIter *out, DBusMessageIter *inner);

void wire_string_struct(DBusMessageIter *out, const char *const *texts, unsigned n);

/* Appends an array of strings (as). @names: borrowed. */
void wire_names(DBusMessageIter *out, const GPtrArray *names);

/* Never returns NULL: if memory is exhausted, the program ends. */
DBusMessage *wire_must(DBusMessage *message);

#endif
