/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * org.svcd1: invalid calls, and too many calls.
 */
#include "config.h"

#include <string.h>

#include "base/limits.h"
#include "bus/names.h"
#include "bus/rows.h"
#include "tests/lib/bus-world.h"
#include "tests/lib/suite.h"

#define PROPERTIES "org.freedesktop.DBus.Properties"

/* --- bad calls --- */

typedef struct BadCall {
	const char *path;
	const char *interface;
	const char *method;
	const char *args; /* NULL: none */
	const char *refusal;
} BadCall;

static const BadCall bad_calls[] = {
	{ "/nowhere", INTERFACE_MANAGER, "Start", "('x',)",
	  "org.freedesktop.DBus.Error.UnknownObject: there is no object /nowhere" },
	{ SERVICE_PATH("nobody"), PROPERTIES, "GetAll", "('org.svcd1.Service',)",
	  "org.freedesktop.DBus.Error.UnknownObject: there is no object /org/svcd1/service/nobody" },
	{ SERVICE_PATH("_zz"), PROPERTIES, "GetAll", "('org.svcd1.Service',)",
	  "org.freedesktop.DBus.Error.UnknownObject: there is no object /org/svcd1/service/_zz" },
	{ OBJECT_PATH_MANAGER, "org.svcd1.Kitchen", "Start", "('x',)",
	  "org.freedesktop.DBus.Error.UnknownInterface: there is no interface org.svcd1.Kitchen "
	  "at /org/svcd1" },
	{ OBJECT_PATH_BOOT, INTERFACE_MANAGER, "Start", "('x',)",
	  "org.freedesktop.DBus.Error.UnknownInterface: there is no interface org.svcd1.Manager "
	  "at /org/svcd1/boot" },
	{ OBJECT_PATH_MANAGER, INTERFACE_MANAGER, "Cook", NULL,
	  "org.freedesktop.DBus.Error.UnknownMethod: there is no method Cook at /org/svcd1" },
	{ OBJECT_PATH_MANAGER, INTERFACE_MANAGER, "Start", NULL,
	  "org.freedesktop.DBus.Error.InvalidArgs: Start takes arguments of type \"s\", not \"\"" },
	{ OBJECT_PATH_MANAGER, INTERFACE_MANAGER, "Start", "(uint32 7,)",
	  "org.freedesktop.DBus.Error.InvalidArgs: Start takes arguments of type \"s\", not "
	  "\"u\"" },
	{ OBJECT_PATH_MANAGER, INTERFACE_MANAGER, "Start", "('a','b')",
	  "org.freedesktop.DBus.Error.InvalidArgs: Start takes arguments of type \"s\", not "
	  "\"ss\"" },
	{ OBJECT_PATH_MANAGER, INTERFACE_MANAGER, "Start", "('nobody',)",
	  "org.svcd1.Error.NoSuchService: there is no service \"nobody\"" },
	{ SERVICE_PATH("base"), INTERFACE_SERVICE, "Request", "('dance',@as [])",
	  "org.svcd1.Error.InvalidArgument: a service can be asked to start, stop, restart, "
	  "reload or clear, not to \"dance\"" },
	{ SERVICE_PATH("base"), INTERFACE_SERVICE, "Request", "('stop',['now'])",
	  "org.svcd1.Error.InvalidArgument: unknown option \"now\"; the options are "
	  "with-dependents and force" },
	{ OBJECT_PATH_MANAGER, INTERFACE_MANAGER, "GetService", "('',)",
	  "org.svcd1.Error.NoSuchService: there is no service \"\"" },
	{ OBJECT_PATH_MANAGER, INTERFACE_MANAGER, "SetRunlevel", "('9',)",
	  "org.svcd1.Error.InvalidArgument: there is no runlevel \"9\"" },
	{ OBJECT_PATH_MANAGER, INTERFACE_MANAGER, "Shutdown", "('explode',)",
	  "org.svcd1.Error.InvalidArgument: a machine can be shut down by poweroff, reboot or halt, "
	  "not \"explode\"" },
	{ OBJECT_PATH_MANAGER, PROPERTIES, "Get", "('org.svcd1.Manager','Colour')",
	  "org.freedesktop.DBus.Error.UnknownProperty: org.svcd1.Manager has no property Colour" },
	{ OBJECT_PATH_MANAGER, PROPERTIES, "Get", "('org.svcd1.Service','State')",
	  "org.freedesktop.DBus.Error.UnknownInterface: there is no interface org.svcd1.Service "
	  "at /org/svcd1" },
	{ OBJECT_PATH_MANAGER, PROPERTIES, "Set", "('org.svcd1.Manager','Runlevel',<'3'>)",
	  "org.freedesktop.DBus.Error.PropertyReadOnly: the property Runlevel can only be read" },
};

START_TEST(bad_calls_get_an_error_with_the_reason)
{
	g_autoptr(BusWorld) bw = bus_world_new_three();
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	const BadCall *bad = &bad_calls[_i];
	GVariant *args = bad->args ? g_variant_new_parsed(bad->args) : NULL;
	g_autofree char *refusal =
		bus_world_refusal(connection, bad->path, bad->interface, bad->method, args);

	ck_assert_str_eq(refusal, bad->refusal);
}
END_TEST

#define LONG_100 \
	"0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"

static const char *const bad_names[] = { "../etc/passwd",
					 "a/b",
					 ".hidden",
					 "-x",
					 "-rf",
					 "two words",
					 "line\nbreak",
					 "\xc3\xa4",
					 "%s%n",
					 "\x1b[2J",
					 LONG_100 LONG_100 LONG_100 };

START_TEST(bad_names_reach_no_service)
{
	g_autoptr(BusWorld) bw = bus_world_new_three();
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autofree char *start = bus_world_refusal(connection, OBJECT_PATH_MANAGER,
						   INTERFACE_MANAGER, "Start",
						   g_variant_new("(s)", bad_names[_i]));
	g_autofree char *flag = bus_world_refusal(connection, OBJECT_PATH_MANAGER,
						  INTERFACE_MANAGER, "SetFlag",
						  g_variant_new("(sb)", bad_names[_i], TRUE));

	ck_assert_msg(g_str_has_prefix(start, "org.svcd1.Error.InvalidArgument: "), "%s", start);
	ck_assert_msg(g_str_has_prefix(flag, "org.svcd1.Error.InvalidArgument: "), "%s", flag);
}
END_TEST

typedef struct Sent {
	bool is_over;
	GDBusMessage *reply;
} Sent;

static void on_sent(GObject *source, GAsyncResult *result, gpointer data)
{
	Sent *sent = data;

	sent->reply = g_dbus_connection_send_message_with_reply_finish(G_DBUS_CONNECTION(source),
								       result, NULL);
	sent->is_over = true;
}

static bool is_sent(void *data)
{
	return ((Sent *)data)->is_over;
}

START_TEST(a_call_without_an_interface_finds_its_method)
{
	g_autoptr(BusWorld) bw = bus_world_new_three();
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autoptr(GDBusMessage) message =
		g_dbus_message_new_method_call(NULL, OBJECT_PATH_MANAGER, NULL, "ListServices");
	Sent sent = { 0 };

	g_dbus_connection_send_message_with_reply(connection, message,
						  G_DBUS_SEND_MESSAGE_FLAGS_NONE, 20000, NULL, NULL,
						  on_sent, &sent);
	bus_world_run_until(is_sent, &sent, "an answer");

	ck_assert(sent.reply != NULL);
	ck_assert_str_eq(g_dbus_message_get_signature(sent.reply), "aa{sv}");
	g_object_unref(sent.reply);
}
END_TEST

static const char *const bodies[] = {
	"()",
	"('',)",
	"('base',)",
	"('base', 'upper')",
	"('org.svcd1.Service',)",
	"('org.svcd1.Service', 'State')",
	"('org.svcd1.Manager', 'Runlevel', <'x'>)",
	"('base', true)",
	"(true, 'base')",
	"(objectpath '/org/svcd1',)",
	"(signature 'a{sv}',)",
	"(byte 255, uint16 7, int64 -1)",
	"(2.5,)",
	"(['base'],)",
	"({'a': <1>},)",
	"(('base',),)",
	"(<<<<<<<<'deep'>>>>>>>>,)",
	"(@ay [0x00],)",
	"(@a{sv} {},)",
	"(handle 0,)",
};

/* Each method with each body: exactly one answer, whatever the body contains. */
START_TEST(every_method_takes_every_body)
{
	static const Interface *const interfaces[] = { &interface_manager,
						       &interface_object_manager,
						       &interface_introspectable, &interface_peer,
						       &interface_properties };
	static const char *const paths[] = { "/", OBJECT_PATH_MANAGER, OBJECT_PATH_SERVICES,
					     OBJECT_PATH_BOOT, SERVICE_PATH("base") };
	g_autoptr(BusWorld) bw = bus_world_new_three();
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	const Interface *interface = interfaces[_i];
	for (unsigned m = 0; m < interface->n_methods; m++) {
		for (size_t b = 0; b < G_N_ELEMENTS(bodies); b++) {
			g_autoptr(GError) error = NULL;
			const char *path = paths[(m + b / 2 + _i) % G_N_ELEMENTS(paths)];
			g_autoptr(GVariant) reply = bus_world_call(
				connection, path, interface->name, interface->methods[m].name,
				g_variant_new_parsed(bodies[b]), NULL, &error);

			ck_assert_msg(reply || g_dbus_error_is_remote_error(error), "%s %s: %s",
				      interface->methods[m].name, bodies[b], error->message);
		}
	}
	ck_assert(!g_dbus_connection_is_closed(connection));
}
END_TEST

/* --- limits --- */

static bool is_closed(void *data)
{
	return g_dbus_connection_is_closed(data);
}

START_TEST(the_number_of_clients_has_a_limit)
{
	g_autoptr(BusWorld) bw = bus_world_new_three();
	GDBusConnection *connections[LIMIT_PRIVATE_CLIENTS];
	g_autofree char *address = g_strconcat("unix:path=", bw->socket_path, NULL);
	g_autofree char *out = NULL;
	g_autoptr(GDBusConnection) last = NULL;

	for (unsigned i = 0; i < LIMIT_PRIVATE_CLIENTS; i++)
		connections[i] = bus_world_connect(bw);
	/* A further connection gets an error and is closed. */
	ck_assert_int_eq(bus_world_svcctl(bw, "list -t 1", NULL, &out), 9);
	ck_assert_msg(strstr(out, "svcd") != NULL, "%s", out);

	/* The connected clients stay connected. A place that becomes free can be used again. */
	g_variant_unref(bus_world_manager(connections[0], "ListServices", NULL, "(aa{sv})"));
	g_dbus_connection_close(connections[1], NULL, NULL, NULL);
	bus_world_run_until(is_closed, connections[1], "the client has left");
	g_variant_unref(bus_world_manager(connections[2], "ListServices", NULL, "(aa{sv})"));
	last = bus_world_connect(bw);
	for (unsigned i = 0; i < LIMIT_PRIVATE_CLIENTS; i++)
		g_object_unref(connections[i]);
}
END_TEST

typedef struct Count {
	unsigned n;
} Count;

static void on_counted(GObject *source, GAsyncResult *result, gpointer data)
{
	g_autoptr(GVariant)
		reply = g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, NULL);

	if (reply)
		((Count *)data)->n++;
}

static bool are_all_counted(void *data)
{
	return ((Count *)data)->n == 2000;
}

/* Other clients do not wait for a client with thousands of calls, which gets all its answers. */
START_TEST(a_flood_of_calls_delays_no_other_client)
{
	g_autoptr(BusWorld) bw = bus_world_new_three();
	g_autoptr(GDBusConnection) flooder = bus_world_connect(bw);
	g_autoptr(GDBusConnection) other = bus_world_connect(bw);
	Count count = { 0 };

	for (unsigned i = 0; i < 2000; i++)
		g_dbus_connection_call(flooder, NULL, OBJECT_PATH_MANAGER, INTERFACE_MANAGER,
				       "ListServices", NULL, NULL, G_DBUS_CALL_FLAGS_NONE,
				       G_MAXINT, NULL, on_counted, &count);
	g_variant_unref(bus_world_manager(other, "ListServices", NULL, "(aa{sv})"));
	ck_assert_uint_lt(count.n, 2000);
	bus_world_run_until(are_all_counted, &count, "2000 answers");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("bus: bad calls");

	suite_add_loop(suite, "bad calls", bad_calls_get_an_error_with_the_reason,
		       G_N_ELEMENTS(bad_calls));
	suite_add_loop(suite, "bad calls", bad_names_reach_no_service, G_N_ELEMENTS(bad_names));
	suite_add_loop(suite, "bad calls", every_method_takes_every_body, 5);
	ADD_CASE(suite, "bad calls", a_call_without_an_interface_finds_its_method);
	ADD_CASE(suite, "limits", the_number_of_clients_has_a_limit,
		 a_flood_of_calls_delays_no_other_client);
	return suite;
}
