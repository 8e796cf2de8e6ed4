/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bus: collects changes and publishes them when the loop becomes idle. Passes calls to dispatch.
 *
 * The bus stores names between turns, never a Service, because a Service may be freed before it is
 * published.
 */
#include "config.h"

#include "bus/bus.h"

#include "base/fd.h"
#include "boot/progress.h"
#include "bus/answers.h"
#include "bus/client-socket.h"
#include "bus/conditions.h"
#include "bus/dispatch.h"
#include "bus/internal.h"
#include "bus/objects.h"
#include "bus/operate.h"
#include "bus/properties.h"
#include "bus/rows.h"
#include "bus/system-client.h"
#include "loop/loop.h"
#include "loop/wire.h"

/* The shortest interval between two signals about the progress of the boot. */
#define BOOT_INTERVAL_US (100 * G_TIME_SPAN_MILLISECOND)

/*
 * In a long boot, the interval is the boot's age divided by this number. The progress then moves in
 * small steps, and an endless boot must not wake us ten times a second.
 */
#define BOOT_INTERVAL_SHARE 500

struct Bus {
	const Engine *engine;
	const BusOps *ops;
	void *data;
	ClientSocket *socket; /* NULL until bus_listen() */
	SystemClient *system_client; /* NULL until bus_attach_system() */
	GHashTable *changed; /* interned names: services to publish */
	GHashTable *published; /* interned names: services that clients know */
	Conditions *conditions;
	Answers *answers;
	bool is_engine_changed;
	bool is_behind; /* @published is out of date, because there was no listener */
	bool is_finish_sent; /* BootFinished was sent, or the boot was over at start */
	int64_t begun_us; /* when this bus object was made */
	int64_t boot_sent_us;
	GSource *rest; /* NULL while there is nothing to publish */
	Timer *boot_timer;
	char *machine_id;
};

const BusOps *bus_ops(const Bus *bus)
{
	return bus->ops;
}

void *bus_ops_data(const Bus *bus)
{
	return bus->data;
}

BusInfo bus_info(const Bus *bus)
{
	BusInfo info = { 0 };

	bus->ops->info(bus->data, &info);
	return info;
}

const char *bus_machine_id(const Bus *bus)
{
	return bus->machine_id;
}

Conditions *bus_conditions(const Bus *bus)
{
	return bus->conditions;
}

Answers *bus_answers(const Bus *bus)
{
	return bus->answers;
}

const char *bus_cgroup(const Bus *bus, const char *service)
{
	return bus->ops->cgroup(bus->data, service);
}

bool bus_socket_is_open(const Bus *bus, const char *service, unsigned entry,
			const char **ret_problem)
{
	return bus->ops->is_socket_open(bus->data, service, entry, ret_problem);
}

static void on_message(void *data, BusClient *client, DBusMessage *message)
{
	Bus *bus = data;

	dispatch(bus, bus->engine, client, message);
}

static void on_client_gone(void *data, BusClient *client)
{
	Bus *bus = data;

	conditions_forget_client(bus->conditions, client);
	answers_forget_client(bus->answers, client);
}

static void on_dispose(void *data, int fd)
{
	const Bus *bus = data;

	bus->ops->dispose(bus->data, fd);
}

static const SocketListener socket_listener = { .message = on_message,
						.gone = on_client_gone,
						.dispose = on_dispose };

static Access on_access(void *data, DBusMessage *message)
{
	const Bus *bus = data;

	return dispatch_access(bus->engine, message);
}

static bool is_operator(void *data, const BusClient *client, DBusMessage *message, GError **error)
{
	const Bus *bus = data;

	return operate_is_allowed(bus, bus->engine, client, message, error);
}

static bool is_held(void *data, const BusClient *client)
{
	const Bus *bus = data;

	return conditions_has_client(bus->conditions, client) ||
	       answers_has_client(bus->answers, client);
}

static void on_named(void *data)
{
	bus_listener_came(data);
}

static const SystemClientListener system_listener = {
	.named = on_named,
	.access = on_access,
	.message = on_message,
	.is_operator = is_operator,
	.is_held = is_held,
	.gone = on_client_gone,
};

/* --- signals --- */

static PropertyContext context_of(Bus *bus, const Service *service)
{
	return (PropertyContext){
		.bus = bus, .engine = bus->engine, .service = service, .now_us = loop_now()
	};
}

static bool is_on_system_bus(const Bus *bus)
{
	return bus->system_client && system_client_has_name(bus->system_client);
}

static void send(Bus *bus, DBusMessage *message)
{
	client_socket_broadcast(bus->socket, message);
	if (is_on_system_bus(bus))
		system_client_broadcast(bus->system_client, message);
	dbus_message_unref(message);
}

/* The system bus does not report subscriptions, so it counts as a listener. */
static bool has_listeners(const Bus *bus)
{
	return is_on_system_bus(bus) || client_socket_has_subscribers(bus->socket);
}

static void send_added(Bus *bus, const char *path, const PropertyContext *context)
{
	DBusMessage *message = wire_must(dbus_message_new_signal(
		OBJECT_PATH_MANAGER, interface_object_manager.name, "InterfacesAdded"));
	DBusMessageIter out;

	dbus_message_iter_init_append(message, &out);
	wire_object_path(&out, path);
	properties_append_interfaces(&interface_service, context, &out);
	send(bus, message);
}

static void send_removed(Bus *bus, const char *name)
{
	g_autofree char *path = object_path_of_service(name);
	g_autoptr(GPtrArray) interfaces = g_ptr_array_new();
	DBusMessage *message = wire_must(dbus_message_new_signal(
		OBJECT_PATH_MANAGER, interface_object_manager.name, "InterfacesRemoved"));
	DBusMessageIter out;

	g_ptr_array_add(interfaces, (char *)interface_service.name);
	dbus_message_iter_init_append(message, &out);
	wire_object_path(&out, path);
	wire_names(&out, interfaces);
	send(bus, message);
}

static void send_service(Bus *bus, const char *name)
{
	const Service *service = engine_find(bus->engine, name);

	if (!service)
		return;
	const PropertyContext context = context_of(bus, service);
	g_autofree char *path = object_path_of_service(name);

	if (g_hash_table_add(bus->published, (gpointer)service->def->name))
		send_added(bus, path, &context);
	else
		send(bus, properties_changed(path, &interface_service, &context));
}

/*
 * The progress of a boot also moves without events. No timer runs after the boot, or without a
 * listener.
 */
static void tick_boot(Bus *bus, bool is_finished)
{
	const int64_t share_us = (loop_now() - bus->begun_us) / BOOT_INTERVAL_SHARE;

	if (!is_finished && has_listeners(bus))
		timer_arm(bus->boot_timer, bus->boot_sent_us + MAX(share_us, BOOT_INTERVAL_US));
}

static void send_boot(Bus *bus)
{
	const PropertyContext context = context_of(bus, NULL);
	Progress progress = { 0 };

	bus->boot_sent_us = context.now_us;
	progress_get(bus->engine, &progress);
	if (has_listeners(bus))
		send(bus, properties_changed(OBJECT_PATH_BOOT, &interface_boot, &context));
	if (progress.finished && !bus->is_finish_sent && has_listeners(bus))
		send(bus, wire_must(dbus_message_new_signal(OBJECT_PATH_BOOT, interface_boot.name,
							    "BootFinished")));
	bus->is_finish_sent = progress.finished;
	tick_boot(bus, progress.finished);
}

static void on_boot_timer(void *data)
{
	send_boot(data);
}

static void send_engine(Bus *bus)
{
	const PropertyContext context = context_of(bus, NULL);
	const int64_t next_us = bus->boot_sent_us + BOOT_INTERVAL_US;

	send(bus, properties_changed(OBJECT_PATH_MANAGER, &interface_manager, &context));
	if (next_us <= context.now_us)
		send_boot(bus);
	else if (!timer_is_armed(bus->boot_timer) || timer_deadline(bus->boot_timer) > next_us)
		timer_arm(bus->boot_timer, next_us);
}

static void send_condition(void *data, DBusMessage *message)
{
	send(data, dbus_message_ref(message));
}

static void send_all(Bus *bus)
{
	GHashTableIter iter;
	gpointer name;

	/* Conditions are sent first, because the changes of services follow from them. */
	conditions_send(bus->conditions, send_condition, bus);
	g_hash_table_iter_init(&iter, bus->changed);
	while (g_hash_table_iter_next(&iter, &name, NULL))
		send_service(bus, name);
	if (bus->is_engine_changed)
		send_engine(bus);
}

/*
 * Without a listener, changes are forgotten, and no property is read. Before the bus starts, the
 * reads would be most of the cost of starting a service.
 */
static void drop_unsent(Bus *bus)
{
	conditions_send(bus->conditions, NULL, bus);
	bus->is_finish_sent = progress_is_finished(bus->engine);
	bus->is_behind = true;
}

static gboolean on_rest(gpointer data)
{
	Bus *bus = data;

	g_source_unref(bus->rest); /* the context holds it until we return */
	bus->rest = NULL;
	if (has_listeners(bus))
		send_all(bus);
	else
		drop_unsent(bus);
	/* this shrinks the table; removal by name does not */
	g_hash_table_remove_all(bus->changed);
	bus->is_engine_changed = false;
	return G_SOURCE_REMOVE;
}

static void send_when_idle(Bus *bus)
{
	if (bus->rest)
		return;
	bus->rest = g_idle_source_new();
	g_source_set_priority(bus->rest, LOOP_PRIORITY_IDLE);
	g_source_set_callback(bus->rest, on_rest, bus, NULL);
	g_source_attach(bus->rest, NULL);
}

/* --- the object's life --- */

static char *read_machine_id(void)
{
	g_autoptr(GBytes) bytes = file_read_bounded("/etc/machine-id", 64, NULL);

	if (!bytes || g_bytes_get_size(bytes) == 0)
		return g_strdup("");
	return g_strstrip(g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes)));
}

Bus *bus_new(const Engine *engine, const BusOps *ops, void *data)
{
	Bus *bus = g_new0(Bus, 1);

	bus->engine = engine;
	bus->begun_us = loop_now();
	bus->ops = ops;
	bus->data = data;
	bus->changed = g_hash_table_new(g_str_hash, g_str_equal);
	bus->published = g_hash_table_new(g_str_hash, g_str_equal);
	bus->conditions = conditions_new(engine, ops, data);
	bus->answers = answers_new();
	bus->boot_timer = timer_new(on_boot_timer, bus);
	bus->machine_id = read_machine_id();
	return bus;
}

/* Services that exist before the first client connects are not new to the client. */
static void publish_present(Bus *bus)
{
	const GPtrArray *all = engine_services(bus->engine);

	for (guint i = 0; all && i < all->len; i++)
		g_hash_table_add(bus->published,
				 (gpointer)((const Service *)g_ptr_array_index(all, i))->def->name);
	bus->is_behind = false;
	bus->is_finish_sent = progress_is_finished(bus->engine);
}

void bus_listen(Bus *bus, ClientSocketKind kind, int fd)
{
	if (!has_listeners(bus)) /* clients of the system bus get every change anyway */
		publish_present(bus);
	client_socket_free(bus->socket);
	bus->socket = client_socket_new(kind, fd, &socket_listener, bus);
}

void bus_attach_system(Bus *bus, SystemBus *system_bus)
{
	if (!has_listeners(bus))
		publish_present(bus);
	bus->system_client = system_client_new(system_bus, &system_listener, bus);
}

void bus_service_changed(Bus *bus, const char *service)
{
	g_hash_table_add(bus->changed, (gpointer)g_intern_string(service));
	send_when_idle(bus);
}

void bus_service_removed(Bus *bus, const char *service)
{
	g_hash_table_remove(bus->changed, service);
	if (!g_hash_table_remove(bus->published, service))
		return;
	if (has_listeners(bus))
		send_removed(bus, service);
}

void bus_engine_changed(Bus *bus)
{
	bus->is_engine_changed = true;
	send_when_idle(bus);
}

void bus_files_read(Bus *bus)
{
	bus_engine_changed(bus); /* publishes FilesReadAt */
}

void bus_condition_changed(Bus *bus, const char *key, Level level, const char *why)
{
	conditions_set_level(bus->conditions, key, level, why);
	send_when_idle(bus);
}

void bus_listener_came(Bus *bus)
{
	if (bus->is_behind)
		publish_present(bus);
	if (!timer_is_armed(bus->boot_timer))
		tick_boot(bus, progress_is_finished(bus->engine));
}

void bus_change_ended(Bus *bus, uint64_t ticket, unsigned exit, const char *output)
{
	answers_give_change(bus->answers, ticket, exit, output);
}

void bus_change_failed(Bus *bus, uint64_t ticket, const GError *error)
{
	answers_refuse(bus->answers, ticket, error);
}

void bus_check_ended(Bus *bus, uint64_t ticket, const GError *problem)
{
	BusClient *client = NULL;
	Grant grant = GRANT_NONE;
	DBusMessage *call;

	if (problem) {
		answers_refuse(bus->answers, ticket, problem);
		return;
	}
	call = answers_take(bus->answers, ticket, &client, &grant);
	if (!call)
		return;
	dispatch_checked(bus, bus->engine, client, grant, call);
	dbus_message_unref(call);
}

void bus_flush(Bus *bus)
{
	client_socket_flush(bus->socket);
	if (bus->system_client)
		system_client_flush(bus->system_client);
}

void bus_free(Bus *bus)
{
	if (!bus)
		return;
	if (bus->rest) {
		g_source_destroy(bus->rest);
		g_source_unref(bus->rest);
	}
	timer_free(bus->boot_timer);
	client_socket_free(bus->socket);
	system_client_free(bus->system_client);
	conditions_free(bus->conditions);
	answers_free(bus->answers);
	g_hash_table_unref(bus->changed);
	g_hash_table_unref(bus->published);
	g_free(bus->machine_id);
	g_free(bus);
}
