/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Transient: see transient.h.
 */
#include "config.h"

#include "svc-systemd1/transient.h"

#include <string.h>
#include <unistd.h>

#include "svc-systemd1/unit-name.h"

/* logind sends about ten properties; two of its dependencies are units of this program. */
enum { MAX_PROPERTIES = 64, MAX_ITEMS = 64 };

typedef bool (*ReadFunc)(Transient *transient, DBusMessageIter *value, CallError *error);

/* --- values --- */

static bool fail_value(CallError *error, const char *what)
{
	return call_fail(error, DBUS_ERROR_INVALID_ARGS, "%s", what);
}

static bool read_description(Transient *transient, DBusMessageIter *value, CallError *error)
{
	(void)error;
	dbus_message_iter_get_basic(value, &transient->description);
	return true;
}

static bool read_slice(Transient *transient, DBusMessageIter *value, CallError *error)
{
	const char *slice;

	dbus_message_iter_get_basic(value, &slice);
	if (unit_name_kind(slice) == UNIT_USER_SLICE && unit_name_uid(slice, &transient->uid))
		return true;
	return fail_value(error, "svc-systemd1 makes scopes only in the slice of a user");
}

static bool read_hangup(Transient *transient, DBusMessageIter *value, CallError *error)
{
	dbus_bool_t is_sent;

	(void)error;
	dbus_message_iter_get_basic(value, &is_sent);
	transient->sends_hup = is_sent;
	return true;
}

static bool read_names(GPtrArray *names, DBusMessageIter *value, CallError *error)
{
	DBusMessageIter item;
	const char *name;

	for (dbus_message_iter_recurse(value, &item);
	     dbus_message_iter_get_arg_type(&item) == DBUS_TYPE_STRING;
	     dbus_message_iter_next(&item)) {
		if (names->len >= MAX_ITEMS)
			return fail_value(error, "too many dependencies");
		dbus_message_iter_get_basic(&item, &name);
		g_ptr_array_add(names, g_strdup(name));
	}
	return true;
}

static bool read_requires(Transient *transient, DBusMessageIter *value, CallError *error)
{
	return read_names(transient->requires, value, error);
}

static bool read_wants(Transient *transient, DBusMessageIter *value, CallError *error)
{
	return read_names(transient->wants, value, error);
}

static bool read_pids(Transient *transient, DBusMessageIter *value, CallError *error)
{
	DBusMessageIter item;
	dbus_uint32_t pid;

	for (dbus_message_iter_recurse(value, &item);
	     dbus_message_iter_get_arg_type(&item) == DBUS_TYPE_UINT32;
	     dbus_message_iter_next(&item)) {
		dbus_message_iter_get_basic(&item, &pid);
		if (pid == 0 || pid > INT32_MAX || transient->pids->len >= MAX_ITEMS)
			return fail_value(error, "PIDs: not a process, or too many");
		g_array_append_val(transient->pids, pid);
	}
	return true;
}

static bool read_pidfds(Transient *transient, DBusMessageIter *value, CallError *error)
{
	DBusMessageIter item;

	for (dbus_message_iter_recurse(value, &item);
	     dbus_message_iter_get_arg_type(&item) == DBUS_TYPE_UNIX_FD;
	     dbus_message_iter_next(&item)) {
		int fd = -1;

		if (transient->pidfds->len >= MAX_ITEMS)
			return fail_value(error, "PIDFDs: too many");
		dbus_message_iter_get_basic(&item, &fd); /* a copy */
		if (fd < 0)
			return call_fail(error, DBUS_ERROR_LIMITS_EXCEEDED, "too many open files");
		g_array_append_val(transient->pidfds, fd);
	}
	return true;
}

/* svcd sets no limit of its own for sessions, so only "infinity" is in force. */
static bool read_tasks_max(Transient *transient, DBusMessageIter *value, CallError *error)
{
	dbus_uint64_t limit;

	(void)transient;
	dbus_message_iter_get_basic(value, &limit);
	if (limit == UINT64_MAX)
		return true;
	return call_fail(error, ERROR_PROPERTY_READ_ONLY, "TasksMax: svc-systemd1 sets no limits");
}

/* The kernel kills one process and continues, unless memory.oom.group is set. */
static bool read_oom_policy(Transient *transient, DBusMessageIter *value, CallError *error)
{
	const char *policy;

	(void)transient;
	dbus_message_iter_get_basic(value, &policy);
	if (strcmp(policy, "continue") == 0)
		return true;
	return call_fail(error, ERROR_PROPERTY_READ_ONLY, "OOMPolicy: only \"continue\" works");
}

/* Logins begin when these units and mounts are up; svcd orders them. */
static bool read_order(Transient *transient, DBusMessageIter *value, CallError *error)
{
	(void)transient;
	(void)value;
	(void)error;
	return true;
}

/* --- the message --- */

static const struct {
	const char *name;
	const char *signature;
	ReadFunc read;
} properties[] = {
	{ "After", "as", read_order },
	{ "Description", "s", read_description },
	{ "OOMPolicy", "s", read_oom_policy },
	{ "PIDFDs", "ah", read_pidfds },
	{ "PIDs", "au", read_pids },
	{ "Requires", "as", read_requires },
	{ "RequiresMountsFor", "as", read_order },
	{ "SendSIGHUP", "b", read_hangup },
	{ "Slice", "s", read_slice },
	{ "TasksMax", "t", read_tasks_max },
	{ "Wants", "as", read_wants },
};

static bool read_property(Transient *transient, DBusMessageIter *item, CallError *error)
{
	DBusMessageIter field;
	DBusMessageIter value;
	const char *name;

	dbus_message_iter_recurse(item, &field);
	dbus_message_iter_get_basic(&field, &name);
	dbus_message_iter_next(&field);
	dbus_message_iter_recurse(&field, &value);
	for (size_t i = 0; i < G_N_ELEMENTS(properties); i++) {
		if (strcmp(name, properties[i].name) == 0) {
			char *type = dbus_message_iter_get_signature(&value);
			const bool fits = type && strcmp(type, properties[i].signature) == 0;

			dbus_free(type);
			return fits ? properties[i].read(transient, &value, error) :
				      fail_value(error, "a property has the wrong type");
		}
	}
	return call_fail(error, ERROR_PROPERTY_READ_ONLY,
			 "Cannot set property %.64s, or unknown property.", name);
}

static bool check(const Transient *transient, CallError *error)
{
	if (unit_name_kind(transient->name) != UNIT_SCOPE)
		return fail_value(error, "svc-systemd1 starts only scopes as transient units");
	if (transient->uid == UINT32_MAX)
		return fail_value(error, "the scope has no slice");
	if (transient->pids->len + transient->pidfds->len == 0)
		return fail_value(error, "the scope has no process");
	return true;
}

bool transient_read(DBusMessage *message, Transient *ret, CallError *error)
{
	DBusMessageIter argument;
	DBusMessageIter item;
	unsigned n = 0;

	*ret = (Transient){ .name = "",
			    .description = "",
			    .uid = UINT32_MAX,
			    .requires = g_ptr_array_new_with_free_func(g_free),
			    .wants = g_ptr_array_new_with_free_func(g_free),
			    .pids = g_array_new(FALSE, FALSE, sizeof(dbus_uint32_t)),
			    .pidfds = g_array_new(FALSE, FALSE, sizeof(int)) };
	if (!dbus_message_has_signature(message, "ssa(sv)a(sa(sv))"))
		return fail_value(error, "the arguments are not of the type ssa(sv)a(sa(sv))");
	(void)dbus_message_iter_init(message, &argument);
	dbus_message_iter_get_basic(&argument, &ret->name);
	dbus_message_iter_next(&argument); /* the mode: no unit of ours has a conflicting job */
	dbus_message_iter_next(&argument);
	for (dbus_message_iter_recurse(&argument, &item);
	     dbus_message_iter_get_arg_type(&item) == DBUS_TYPE_STRUCT;
	     dbus_message_iter_next(&item))
		if (++n > MAX_PROPERTIES)
			return fail_value(error, "too many properties");
		else if (!read_property(ret, &item, error))
			return false;
	dbus_message_iter_next(&argument);
	dbus_message_iter_recurse(&argument, &item);
	if (dbus_message_iter_get_arg_type(&item) != DBUS_TYPE_INVALID)
		return fail_value(error, "auxiliary units are not supported");
	return check(ret, error);
}

void transient_clear(Transient *transient)
{
	for (unsigned i = 0; i < transient->pidfds->len; i++)
		(void)close(g_array_index(transient->pidfds, int, i));
	g_array_free(transient->pidfds, TRUE);
	g_array_free(transient->pids, TRUE);
	g_ptr_array_unref(transient->requires);
	g_ptr_array_unref(transient->wants);
}
