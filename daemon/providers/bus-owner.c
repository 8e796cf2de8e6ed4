/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bus owners: the match is set first, then GetNameOwner is called. The signal and the answer come
 * from the bus daemon on one connection, so the later one is newer ("Message Bus Messages" in the
 * D-Bus Specification).
 */
#include "config.h"

#include "providers/bus-owner.h"

#include <string.h>

#include "base/limits.h"
#include "loop/loop.h"
#include "loop/wire.h"

/*
 * The bus answers in less than a millisecond. If there is no answer in this time, the bus counts as
 * silent.
 */
#define ANSWER_US (25 * G_USEC_PER_SEC)

/* The first delay before a call without an answer is repeated. It doubles each time. */
#define RETRY_FIRST_US G_USEC_PER_SEC
#define RETRY_MAX_US (64 * G_USEC_PER_SEC)

/*
 * After a restart of the bus, owners return one by one: some connect again, but most are services
 * that svcd starts again. During this time, a name that was owned before is not reported as having
 * no owner.
 */
#define RETURN_US (10 * G_USEC_PER_SEC)

#define RULE_ANY_OWNER                                                       \
	"type='signal',sender='" DBUS_SERVICE_DBUS "',path='" DBUS_PATH_DBUS \
	"',interface='" DBUS_INTERFACE_DBUS "',member='NameOwnerChanged'"

/* The reasons for an unknown level. */
typedef struct BusTexts {
	const char *no_bus;
	const char *not_yet;
	const char *returning;
	const char *silent;
} BusTexts;

static const BusTexts system_texts = {
	.no_bus = "there is no system bus",
	.not_yet = "the system bus has not answered yet",
	.returning = "its owner has not returned since the system bus was restarted",
	.silent = "the system bus does not answer",
};

static const BusTexts session_texts = {
	.no_bus = "there is no session bus",
	.not_yet = "the session bus has not answered yet",
	.returning = "its owner has not returned since the session bus was restarted",
	.silent = "the session bus does not answer",
};

struct BusOwners {
	SystemBus *bus;
	const BusTexts *texts;
	unsigned listener;
	GHashTable *by_name; /* name -> BusOwner, borrowed */
	unsigned n_rules; /* names with a match of their own */
	unsigned n_general; /* names that share the match for all names */
	Timer *retry;
	int64_t retry_us; /* the last delay; 0: no failure */
	Timer *returning; /* armed after a connection: owners may still come back */
};

struct BusOwner {
	BusOwners *owners;
	char *name;
	void (*changed)(void *data);
	void *data;
	char *rule; /* NULL: covered by the match for all names */
	unsigned call; /* the call in flight, 0: none */
	bool must_query; /* the last call got no answer */
	bool was_owned; /* the bus was lost while the name had an owner; not known since */
	Level level;
	char *unique_name; /* LEVEL_TRUE */
	const char *why; /* LEVEL_UNKNOWN; static */
};

/* --- known levels --- */

static void set_known(BusOwner *owner, const char *unique_name)
{
	owner->must_query = false;
	owner->was_owned = false;
	owner->level = *unique_name ? LEVEL_TRUE : LEVEL_FALSE;
	g_free(owner->unique_name);
	owner->unique_name = *unique_name ? g_strdup(unique_name) : NULL;
	owner->changed(owner->data);
}

static void set_unknown(BusOwner *owner, const char *why)
{
	if (owner->level == LEVEL_UNKNOWN && owner->why == why)
		return;
	owner->level = LEVEL_UNKNOWN;
	owner->why = why;
	g_clear_pointer(&owner->unique_name, g_free);
	owner->changed(owner->data);
}

/*
 * @unique_name: "" if there is no owner. An owner that was lost with the bus may still return, so
 * the level stays unknown for RETURN_US.
 */
static void set_answered(BusOwner *owner, const char *unique_name)
{
	owner->must_query = false;
	if (!*unique_name && owner->was_owned && timer_is_armed(owner->owners->returning))
		set_unknown(owner, owner->owners->texts->returning);
	else
		set_known(owner, unique_name);
}

/* --- calls --- */

static void forget_question(BusOwner *owner)
{
	if (owner->call)
		system_bus_cancel(owner->owners->bus, owner->call);
	owner->call = 0;
}

static void query_later(BusOwner *owner)
{
	BusOwners *owners = owner->owners;

	owner->must_query = true;
	if (timer_is_armed(owners->retry))
		return;
	owners->retry_us = owners->retry_us ? MIN(owners->retry_us * 2, RETRY_MAX_US) :
					      RETRY_FIRST_US;
	timer_arm(owners->retry, loop_now() + owners->retry_us);
}

static void on_owner_reported(void *data, DBusMessage *reply)
{
	BusOwner *owner = data;
	const char *unique_name = "";
	const bool is_answer = reply &&
			       dbus_message_get_type(reply) == DBUS_MESSAGE_TYPE_METHOD_RETURN &&
			       dbus_message_get_args(reply, NULL, DBUS_TYPE_STRING, &unique_name,
						     DBUS_TYPE_INVALID);

	owner->call = 0;
	if (!system_bus_is_connected(owner->owners->bus)) {
		set_unknown(owner, owner->owners->texts->no_bus); /* on_connected() asks again */
	} else if (is_answer ||
		   (reply && dbus_message_is_error(reply, DBUS_ERROR_NAME_HAS_NO_OWNER))) {
		owner->owners->retry_us = 0;
		set_answered(owner, unique_name);
	} else {
		query_later(owner);
		set_unknown(owner, owner->owners->texts->silent);
	}
}

void bus_owner_query(BusOwner *owner)
{
	DBusMessageIter out;
	DBusMessage *call;

	if (owner->call)
		return; /* the answer is still to come, so it will be new enough */
	call = wire_must(dbus_message_new_method_call(DBUS_SERVICE_DBUS, DBUS_PATH_DBUS,
						      DBUS_INTERFACE_DBUS, "GetNameOwner"));
	dbus_message_iter_init_append(call, &out);
	wire_string(&out, owner->name);
	owner->call =
		system_bus_call(owner->owners->bus, call, ANSWER_US, on_owner_reported, owner);
	dbus_message_unref(call); /* not sent, because the bus is gone or about to go */
}

static void on_retry(void *data)
{
	BusOwners *owners = data;
	GHashTableIter iter;
	gpointer owner;

	g_hash_table_iter_init(&iter, owners->by_name);
	while (g_hash_table_iter_next(&iter, NULL, &owner)) {
		if (((BusOwner *)owner)->must_query)
			bus_owner_query(owner);
	}
}

/* --- signals of the bus --- */

/* Calls @func for each owner; @func may free it. */
static void foreach_owner(BusOwners *owners, void (*func)(BusOwner *owner))
{
	g_autoptr(GList) all = g_hash_table_get_values(owners->by_name);

	for (GList *l = all; l; l = l->next)
		func(l->data);
}

static void query_from_the_start(BusOwner *owner)
{
	forget_question(owner);
	bus_owner_query(owner);
	set_unknown(owner, owner->owners->texts->not_yet);
}

static void lose(BusOwner *owner)
{
	forget_question(owner);
	owner->must_query = false;
	owner->was_owned |= owner->level == LEVEL_TRUE;
	set_unknown(owner, owner->owners->texts->no_bus);
}

static bool any_was_owned(const BusOwners *owners)
{
	GHashTableIter iter;
	gpointer owner;

	g_hash_table_iter_init(&iter, owners->by_name);
	while (g_hash_table_iter_next(&iter, NULL, &owner)) {
		if (((BusOwner *)owner)->was_owned)
			return true;
	}
	return false;
}

static void on_connected(void *data)
{
	BusOwners *owners = data;

	owners->retry_us = 0;
	timer_disarm(owners->retry);
	if (any_was_owned(owners))
		timer_arm(owners->returning, loop_now() + RETURN_US);
	foreach_owner(owners, query_from_the_start);
}

static void miss(BusOwner *owner)
{
	if (!owner->was_owned)
		return;
	owner->was_owned = false;
	if (!owner->call && !owner->must_query)
		set_known(owner, "");
}

static void on_return_over(void *data)
{
	foreach_owner(data, miss);
}

static void on_disconnected(void *data)
{
	BusOwners *owners = data;

	timer_disarm(owners->retry);
	timer_disarm(owners->returning);
	foreach_owner(owners, lose);
}

/*
 * A new owner is taken from the signal, but the loss of an owner is confirmed by a call. A bus that
 * shuts down takes all names from their owners first and signals that to its clients. Such a bus no
 * longer answers.
 */
static void on_message(void *data, DBusMessage *message)
{
	BusOwners *owners = data;
	const char *name;
	const char *before;
	const char *now;
	BusOwner *owner;

	if (!dbus_message_is_signal(message, DBUS_INTERFACE_DBUS, "NameOwnerChanged") ||
	    !dbus_message_has_sender(message, DBUS_SERVICE_DBUS) ||
	    !dbus_message_get_args(message, NULL, DBUS_TYPE_STRING, &name, DBUS_TYPE_STRING,
				   &before, DBUS_TYPE_STRING, &now, DBUS_TYPE_INVALID))
		return;
	owner = g_hash_table_lookup(owners->by_name, name);
	if (owner && *now)
		set_known(owner, now);
	else if (owner)
		bus_owner_query(owner);
}

/* --- matches --- */

/*
 * Up to a limit, each name has its own match. Above it, one match receives the changes of all
 * names.
 */
static void add_match(BusOwner *owner)
{
	BusOwners *owners = owner->owners;

	if (owners->n_rules >= LIMIT_BUS_RULES) {
		if (owners->n_general++ == 0)
			system_bus_add_match(owners->bus, RULE_ANY_OWNER);
		return;
	}
	owners->n_rules++;
	owner->rule = g_strdup_printf(RULE_ANY_OWNER ",arg0='%s'", owner->name);
	system_bus_add_match(owners->bus, owner->rule);
}

static void remove_match(BusOwner *owner)
{
	BusOwners *owners = owner->owners;

	if (owner->rule) {
		owners->n_rules--;
		system_bus_remove_match(owners->bus, owner->rule);
	} else if (--owners->n_general == 0) {
		system_bus_remove_match(owners->bus, RULE_ANY_OWNER);
	}
	g_free(owner->rule);
}

/* --- life --- */

BusOwners *bus_owners_new(SystemBus *bus)
{
	static const SystemBusListener listener = { on_connected, on_disconnected, on_message };
	BusOwners *owners = g_new0(BusOwners, 1);

	owners->bus = bus;
	owners->texts = strcmp(system_bus_kind(bus), "session") == 0 ? &session_texts :
								       &system_texts;
	owners->by_name = g_hash_table_new(g_str_hash, g_str_equal);
	owners->retry = timer_new(on_retry, owners);
	owners->returning = timer_new(on_return_over, owners);
	owners->listener = system_bus_add_listener(bus, &listener, owners);
	return owners;
}

void bus_owners_free(BusOwners *owners)
{
	system_bus_remove_listener(owners->bus, owners->listener);
	timer_free(owners->retry);
	timer_free(owners->returning);
	g_hash_table_unref(owners->by_name);
	g_free(owners);
}

BusOwner *bus_owner_new(BusOwners *owners, const char *name, void (*changed)(void *data),
			void *data)
{
	BusOwner *owner = g_new0(BusOwner, 1);

	owner->owners = owners;
	owner->name = g_strdup(name);
	owner->changed = changed;
	owner->data = data;
	owner->level = LEVEL_UNKNOWN;
	owner->why = system_bus_is_connected(owners->bus) ? owners->texts->not_yet :
							    owners->texts->no_bus;
	g_hash_table_insert(owners->by_name, owner->name, owner);
	add_match(owner);
	bus_owner_query(owner);
	return owner;
}

void bus_owner_free(BusOwner *owner)
{
	if (!owner)
		return;
	forget_question(owner);
	remove_match(owner);
	g_hash_table_remove(owner->owners->by_name, owner->name);
	g_free(owner->unique_name);
	g_free(owner->name);
	g_free(owner);
}

Level bus_owner_level(const BusOwner *owner)
{
	return owner->level;
}

const char *bus_owner_unique_name(const BusOwner *owner)
{
	return owner->unique_name;
}

const char *bus_owner_why_unknown(const BusOwner *owner)
{
	return owner->why;
}
