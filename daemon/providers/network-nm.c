/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NmWatch: the match is set first. Each new owner of the name is asked for all its properties. Its
 * answer and its signals arrive in the order in which they were sent. So a signal after the answer
 * is newer, and a signal before it is ignored.
 */
#include "config.h"

#include "providers/network-nm.h"

#include <string.h>

#include "loop/loop.h"
#include "providers/bus-owner.h"

#define NM_NAME "org.freedesktop.NetworkManager"
#define NM_PATH "/org/freedesktop/NetworkManager"

#define RULE_PROPERTIES                                                                         \
	"type='signal',sender='" NM_NAME "',path='" NM_PATH                                     \
	"',interface='" DBUS_INTERFACE_PROPERTIES "',member='PropertiesChanged',arg0='" NM_NAME \
	"'"

/*
 * NetworkManager may be busy for a few seconds. Without an answer it is asked again after the same
 * time.
 */
#define ANSWER_US (10 * G_USEC_PER_SEC)

struct NmWatch {
	SystemBus *bus;
	BusOwners *owners;
	BusOwner *owner;
	unsigned listener;
	unsigned call; /* the question in flight, 0: none */
	Timer *retry;
	char *queried_owner; /* unique name of the connection that the view describes, or will
				describe */
	NmView view;
	void (*changed)(void *data);
	void *data;
};

static void set_view(NmWatch *watch, const NmView *view)
{
	const NmView before = watch->view;

	watch->view = *view;
	if (before.presence != view->presence || before.state != view->state ||
	    before.connectivity != view->connectivity || before.is_starting != view->is_starting)
		watch->changed(watch->data);
}

static void set_presence(NmWatch *watch, NmPresence presence)
{
	const NmView view = { .presence = presence };

	set_view(watch, &view);
}

/* @entry: into {sv}. Values of types other than the documented ones are ignored. */
static void read_property(DBusMessageIter *entry, NmView *view)
{
	DBusMessageIter value;
	DBusBasicValue basic;
	const char *name;
	int type;

	dbus_message_iter_get_basic(entry, &name);
	dbus_message_iter_next(entry);
	dbus_message_iter_recurse(entry, &value);
	type = dbus_message_iter_get_arg_type(&value);
	if (type != DBUS_TYPE_UINT32 && type != DBUS_TYPE_BOOLEAN)
		return;
	dbus_message_iter_get_basic(&value, &basic);
	if (strcmp(name, "State") == 0 && type == DBUS_TYPE_UINT32)
		view->state = basic.u32;
	else if (strcmp(name, "Connectivity") == 0 && type == DBUS_TYPE_UINT32)
		view->connectivity = basic.u32;
	else if (strcmp(name, "Startup") == 0 && type == DBUS_TYPE_BOOLEAN)
		view->is_starting = basic.bool_val;
}

/* @args: at a{sv} */
static void read_properties(DBusMessageIter *args, NmView *view)
{
	DBusMessageIter entries;
	DBusMessageIter entry;

	dbus_message_iter_recurse(args, &entries);
	while (dbus_message_iter_get_arg_type(&entries) == DBUS_TYPE_DICT_ENTRY) {
		dbus_message_iter_recurse(&entries, &entry);
		read_property(&entry, view);
		dbus_message_iter_next(&entries);
	}
}

static void on_properties_reported(void *data, DBusMessage *reply)
{
	NmWatch *watch = data;
	DBusMessageIter args;
	NmView view = { .presence = NM_PRESENT };

	watch->call = 0;
	if (!reply || !dbus_message_has_signature(reply, "a{sv}")) {
		timer_arm(watch->retry, loop_now() + ANSWER_US);
		set_presence(watch, NM_UNHEARD);
		return;
	}
	dbus_message_iter_init(reply, &args);
	read_properties(&args, &view);
	set_view(watch, &view);
}

static void forget_question(NmWatch *watch)
{
	if (watch->call)
		system_bus_cancel(watch->bus, watch->call);
	watch->call = 0;
	timer_disarm(watch->retry);
}

static void query(NmWatch *watch)
{
	const char *interface = NM_NAME;
	DBusMessage *call = dbus_message_new_method_call(watch->queried_owner, NM_PATH,
							 DBUS_INTERFACE_PROPERTIES, "GetAll");

	forget_question(watch);
	if (call &&
	    dbus_message_append_args(call, DBUS_TYPE_STRING, &interface, DBUS_TYPE_INVALID)) {
		dbus_message_set_auto_start(call, FALSE);
		watch->call =
			system_bus_call(watch->bus, call, ANSWER_US, on_properties_reported, watch);
	}
	g_clear_pointer(&call, dbus_message_unref);
	if (!watch->call)
		timer_arm(watch->retry, loop_now() + ANSWER_US);
}

static void on_retry(void *data)
{
	NmWatch *watch = data;

	if (watch->queried_owner)
		query(watch);
}

static void on_owner_changed(void *data)
{
	NmWatch *watch = data;
	const char *unique_name = bus_owner_unique_name(watch->owner);

	if (unique_name && g_strcmp0(unique_name, watch->queried_owner) == 0)
		return;
	forget_question(watch);
	g_free(watch->queried_owner);
	watch->queried_owner = g_strdup(unique_name);
	if (unique_name)
		query(watch);
	set_presence(watch, bus_owner_level(watch->owner) == LEVEL_FALSE ? NM_ABSENT : NM_UNHEARD);
}

/* PropertiesChanged(s, a{sv}, as): the invalidated properties are requested. */
static void on_properties_changed(NmWatch *watch, DBusMessage *message)
{
	DBusMessageIter args;
	DBusMessageIter names;
	NmView view = watch->view;

	dbus_message_iter_init(message, &args);
	dbus_message_iter_next(&args);
	read_properties(&args, &view);
	dbus_message_iter_next(&args);
	dbus_message_iter_recurse(&args, &names);
	if (dbus_message_iter_get_arg_type(&names) != DBUS_TYPE_INVALID)
		query(watch);
	set_view(watch, &view);
}

static void on_message(void *data, DBusMessage *message)
{
	NmWatch *watch = data;
	const char *interface;

	if (watch->view.presence != NM_PRESENT ||
	    !dbus_message_is_signal(message, DBUS_INTERFACE_PROPERTIES, "PropertiesChanged") ||
	    !dbus_message_has_sender(message, watch->queried_owner) ||
	    !dbus_message_has_path(message, NM_PATH) ||
	    !dbus_message_has_signature(message, "sa{sv}as") ||
	    !dbus_message_get_args(message, NULL, DBUS_TYPE_STRING, &interface,
				   DBUS_TYPE_INVALID) ||
	    strcmp(interface, NM_NAME) != 0)
		return;
	on_properties_changed(watch, message);
}

NmWatch *nm_watch_new(SystemBus *bus, void (*changed)(void *data), void *data)
{
	static const SystemBusListener listener = { .message = on_message };
	NmWatch *watch = g_new0(NmWatch, 1);

	watch->bus = bus;
	watch->changed = changed;
	watch->data = data;
	watch->view.presence = NM_UNHEARD;
	watch->retry = timer_new(on_retry, watch);
	system_bus_add_match(bus, RULE_PROPERTIES);
	watch->listener = system_bus_add_listener(bus, &listener, watch);
	watch->owners = bus_owners_new(bus);
	watch->owner = bus_owner_new(watch->owners, NM_NAME, on_owner_changed, watch);
	return watch;
}

void nm_watch_free(NmWatch *watch)
{
	if (!watch)
		return;
	forget_question(watch);
	bus_owner_free(watch->owner);
	bus_owners_free(watch->owners);
	system_bus_remove_listener(watch->bus, watch->listener);
	system_bus_remove_match(watch->bus, RULE_PROPERTIES);
	timer_free(watch->retry);
	g_free(watch->queried_owner);
	g_free(watch);
}

const NmView *nm_watch_view(const NmWatch *watch)
{
	return &watch->view;
}
