/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Properties: see properties.h. A unit that is not running has them, too: logind reads LoadState of
 * poweroff.target before it offers to power off.
 */
#include "config.h"

#include "svc-systemd1/properties.h"

#include <stdlib.h>
#include <string.h>

#include "svc-systemd1/job.h"
#include "svc-systemd1/unit.h"

typedef struct Value {
	int type;
	const char *text; /* DBUS_TYPE_STRING */
	dbus_bool_t is_true; /* DBUS_TYPE_BOOLEAN */
} Value;

/* A unit by its name. */
typedef struct Subject {
	char *name;
	char *cgroup;
	UnitKind kind;
	const Unit *unit; /* NULL: it does not run, or is a slice */
} Subject;

static void subject_clear(Subject *subject)
{
	g_free(subject->name);
	g_free(subject->cgroup);
}

static const char *active_state(const Subject *subject)
{
	uint32_t uid;

	if (subject->unit)
		return unit_active_state(subject->unit);
	if (subject->kind == UNIT_USER_SLICE && unit_name_uid(subject->name, &uid))
		return unit_slice_is_active(uid) ? "active" : "inactive";
	return "inactive";
}

static bool has_cgroup(const Subject *subject)
{
	return strcmp(active_state(subject), "inactive") != 0 &&
	       (subject->kind == UNIT_SCOPE || subject->kind == UNIT_USER_MANAGER ||
		subject->kind == UNIT_USER_SLICE);
}

static bool subject_init(const char *path, Subject *ret)
{
	uint32_t uid = 0;

	*ret = (Subject){ .name = unit_name_from_object(path) };
	if (!ret->name)
		return false;
	ret->kind = unit_name_kind(ret->name);
	ret->unit = unit_find(ret->name);
	if (ret->unit)
		uid = ret->unit->uid;
	else
		(void)unit_name_uid(ret->name, &uid);
	if (has_cgroup(ret)) {
		g_autofree char *relative = unit_name_cgroup(ret->name, uid);

		ret->cgroup = g_strconcat("/", relative, NULL);
	}
	return true;
}

static Value text(const char *value)
{
	return (Value){ .type = DBUS_TYPE_STRING, .text = value };
}

/* --- the table --- */

static Value get_active_state(const Subject *subject)
{
	return text(active_state(subject));
}

static Value get_control_group(const Subject *subject)
{
	return text(subject->cgroup ? subject->cgroup : "");
}

static Value get_description(const Subject *subject)
{
	const Unit *unit = subject->unit;

	return text(unit && unit->description ? unit->description : subject->name);
}

static Value get_id(const Subject *subject)
{
	return text(subject->name);
}

/* A scope exists only while it runs. */
static Value get_load_state(const Subject *subject)
{
	const bool is_known = subject->unit || (subject->kind != UNIT_OTHER &&
						subject->kind != UNIT_SCOPE);

	return text(is_known ? "loaded" : "not-found");
}

/* polkit asks whether a process of the unit could gain privileges; those of a user can. */
static Value get_no_new_privileges(const Subject *subject)
{
	(void)subject;
	return (Value){ .type = DBUS_TYPE_BOOLEAN, .is_true = FALSE };
}

static const struct {
	const char *name;
	Value (*get)(const Subject *subject);
} properties[] = {
	{ "ActiveState", get_active_state },
	{ "ControlGroup", get_control_group },
	{ "Description", get_description },
	{ "Id", get_id },
	{ "LoadState", get_load_state },
	{ "NoNewPrivileges", get_no_new_privileges },
};

/* --- messages --- */

static void append_variant(DBusMessageIter *out, const Value *value)
{
	const char signature[] = { (char)value->type, '\0' };
	DBusMessageIter inner;

	(void)dbus_message_iter_open_container(out, DBUS_TYPE_VARIANT, signature, &inner);
	(void)dbus_message_iter_append_basic(&inner, value->type,
					     value->type == DBUS_TYPE_STRING ?
						     (const void *)&value->text :
						     (const void *)&value->is_true);
	(void)dbus_message_iter_close_container(out, &inner);
}

static bool unknown_object(const char *path, CallError *error)
{
	return call_fail(error, DBUS_ERROR_UNKNOWN_OBJECT, "Unknown object '%.255s'.", path);
}

static bool unknown_property(const char *name, CallError *error)
{
	return call_fail(error, DBUS_ERROR_UNKNOWN_PROPERTY, "Unknown property %.64s.", name);
}

static bool get_of_job(const char *path, const char *name, DBusMessageIter *out, CallError *error)
{
	const unsigned long id = strtoul(path + strlen(SYSTEMD1_JOB_PREFIX), NULL, 10);
	const Value running = text("running");

	if (id > UINT32_MAX || !job_exists((uint32_t)id))
		return unknown_object(path, error);
	if (strcmp(name, "State") != 0)
		return unknown_property(name, error);
	append_variant(out, &running);
	return true;
}

bool properties_get(const char *path, const char *name, DBusMessage *reply, CallError *error)
{
	DBusMessageIter out;
	Subject subject;

	dbus_message_iter_init_append(reply, &out);
	if (g_str_has_prefix(path, SYSTEMD1_JOB_PREFIX))
		return get_of_job(path, name, &out, error);
	if (!subject_init(path, &subject))
		return unknown_property(name, error);
	for (size_t i = 0; i < G_N_ELEMENTS(properties); i++) {
		if (strcmp(name, properties[i].name) == 0) {
			const Value value = properties[i].get(&subject);

			append_variant(&out, &value);
			subject_clear(&subject);
			return true;
		}
	}
	subject_clear(&subject);
	return unknown_property(name, error);
}

bool properties_get_all(const char *path, DBusMessage *reply, CallError *error)
{
	DBusMessageIter out;
	DBusMessageIter dict;
	Subject subject;

	if (!subject_init(path, &subject))
		return unknown_object(path, error);
	dbus_message_iter_init_append(reply, &out);
	(void)dbus_message_iter_open_container(&out, DBUS_TYPE_ARRAY, "{sv}", &dict);
	for (size_t i = 0; i < G_N_ELEMENTS(properties); i++) {
		const Value value = properties[i].get(&subject);
		DBusMessageIter entry;

		(void)dbus_message_iter_open_container(&dict, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
		(void)dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &properties[i].name);
		append_variant(&entry, &value);
		(void)dbus_message_iter_close_container(&dict, &entry);
	}
	(void)dbus_message_iter_close_container(&out, &dict);
	subject_clear(&subject);
	return true;
}
