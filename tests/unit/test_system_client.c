/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * org.svcd1 on a real bus: the name that returns, plain GDBus, signals without a request. Rights
 * need other users; tests/sandbox/test_system_bus.py tests them.
 */
#include "config.h"

#include <check.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "bus/names.h"
#include "loop/system-bus.h"
#include "tests/lib/bus-daemon.h"
#include "tests/lib/bus-world.h"
#include "tests/lib/deadline.h"
#include "tests/lib/socket-look.h"
#include "tests/lib/suite.h"

static const char files[] =
	"== base\n[Service]\nExec=/bin/base\n"
	"== upper\n[Service]\nExec=/bin/upper\n[Conditions]\nWhile=service:base\n";
static const char policy[] = "[runlevel 2]\nActivate=base upper\n";

typedef struct Fixture {
	BusDaemon daemon;
	BusWorld *bw;
	SystemBus *system_bus;
	GDBusConnection *connection; /* the client's */
	GString *signals; /* "MEMBER PATH\n" of each received signal */
	GVariant *reply;
	char *refusal;
} Fixture;

static void fixture_init(Fixture *f)
{
	*f = (Fixture){ .signals = g_string_new(NULL) };
	bus_daemon_init(&f->daemon);
	f->bw = bus_world_new(files, policy);
	world_settle(f->bw->world);
	f->system_bus = system_bus_new(f->daemon.socket, &socket_look, NULL);
	bus_attach_system(f->bw->bus, f->system_bus);
}

static void leave(Fixture *f)
{
	if (f->connection)
		(void)g_dbus_connection_close_sync(f->connection, NULL, NULL);
	g_clear_object(&f->connection);
}

static void fixture_clear(Fixture *f)
{
	leave(f);
	bus_world_free(f->bw);
	system_bus_free(f->system_bus);
	bus_daemon_clear(&f->daemon);
	g_string_free(f->signals, TRUE);
	g_clear_pointer(&f->reply, g_variant_unref);
	g_free(f->refusal);
}

static void on_signal(GDBusConnection *connection, const char *sender, const char *path,
		      const char *interface, const char *member, GVariant *args, gpointer data)
{
	g_string_append_printf(((Fixture *)data)->signals, "%s %s\n", member, path);
}

/* A client connects to the bus without help from this test: a GDBus thread authenticates. */
static void enter(Fixture *f)
{
	g_autofree char *address = g_strconcat("unix:path=", f->daemon.socket, NULL);
	const int64_t until_us = g_get_monotonic_time() + DEADLINE_US;

	leave(f);
	while (!f->connection && g_get_monotonic_time() < until_us)
		f->connection = g_dbus_connection_new_for_address_sync(
			address,
			G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT |
				G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
			NULL, NULL, NULL);
	ck_assert_ptr_nonnull(f->connection);
	g_dbus_connection_signal_subscribe(f->connection, BUS_NAME, NULL, NULL, NULL, NULL,
					   G_DBUS_SIGNAL_FLAGS_NONE, on_signal, f, NULL);
}

static void on_reply(GObject *source, GAsyncResult *result, gpointer data)
{
	Fixture *f = data;
	g_autoptr(GError) error = NULL;

	f->reply = g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, &error);
	if (!f->reply)
		f->refusal = g_strdup(error->message);
}

static bool is_answered(void *data)
{
	const Fixture *f = data;

	return f->reply || f->refusal;
}

/* f->reply or f->refusal has the answer until the next call. */
static void call(Fixture *f, const char *to, const char *interface, const char *method,
		 GVariant *args)
{
	const bool is_bus = strcmp(to, DBUS_SERVICE_DBUS) == 0;

	g_clear_pointer(&f->reply, g_variant_unref);
	g_clear_pointer(&f->refusal, g_free);
	g_dbus_connection_call(f->connection, to, is_bus ? DBUS_PATH_DBUS : OBJECT_PATH_MANAGER,
			       interface, method, args, NULL, G_DBUS_CALL_FLAGS_NONE, 60000, NULL,
			       on_reply, f);
	bus_world_run_until(is_answered, f, method);
}

static void wait_for_name(Fixture *f)
{
	gboolean has_owner = FALSE;

	while (!has_owner) {
		call(f, DBUS_SERVICE_DBUS, DBUS_INTERFACE_DBUS, "NameHasOwner",
		     g_variant_new("(s)", BUS_NAME));
		ck_assert_ptr_nonnull(f->reply);
		g_variant_get(f->reply, "(b)", &has_owner);
	}
}

START_TEST(the_name_comes_back_with_the_bus)
{
	Fixture f;

	fixture_init(&f);
	for (unsigned i = 0; i < 10; i++) {
		bus_daemon_start(&f.daemon);
		enter(&f);
		wait_for_name(&f);
		bus_daemon_kill(&f.daemon);
	}
	fixture_clear(&f);
}
END_TEST

START_TEST(every_client_reads_by_name_and_by_interface)
{
	g_autofree char *text = NULL;
	Fixture f;

	fixture_init(&f);
	bus_daemon_start(&f.daemon);
	enter(&f);
	wait_for_name(&f);

	call(&f, BUS_NAME, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", NULL);
	text = g_variant_print(f.reply, FALSE);
	ck_assert_ptr_nonnull(strstr(text, "/org/svcd1/service/upper"));

	call(&f, BUS_NAME, "org.freedesktop.DBus.Introspectable", "Introspect", NULL);
	ck_assert_ptr_nonnull(f.reply);
	call(&f, BUS_NAME, INTERFACE_MANAGER, "Subscribe", NULL);
	ck_assert_ptr_nonnull(f.reply);
	call(&f, BUS_NAME, INTERFACE_MANAGER, "Nonsense", NULL);
	ck_assert_str_eq(f.refusal, "GDBus.Error:org.freedesktop.DBus.Error.UnknownMethod: "
				    "there is no method Nonsense at /org/svcd1");
	fixture_clear(&f);
}
END_TEST

static bool has_received(void *data)
{
	return strstr(((Fixture *)data)->signals->str,
		      "PropertiesChanged /org/svcd1/service/upper\n") != NULL;
}

START_TEST(a_change_is_made_recorded_and_announced)
{
	g_autofree char *cause = NULL;
	Fixture f;

	fixture_init(&f);
	f.bw->settles = true;
	bus_daemon_start(&f.daemon);
	enter(&f);
	wait_for_name(&f);

	call(&f, BUS_NAME, INTERFACE_MANAGER, "Stop", g_variant_new("(sb)", "upper", FALSE));
	ck_assert_msg(f.reply != NULL, "%s", f.refusal);
	ck_assert(!service_is_up(world_find(f.bw->world, "upper")));
	bus_world_run_until(has_received, &f, "the change is reported");

	cause = g_strdup_printf("uid %u (pid %d)", (unsigned)getuid(), (int)getpid());
	ck_assert_msg(strstr(service_cause(world_find(f.bw->world, "upper")), cause) != NULL, "%s",
		      service_cause(world_find(f.bw->world, "upper")));
	fixture_clear(&f);
}
END_TEST

typedef struct Flood {
	unsigned n_missing;
	unsigned n_short; /* answers to Ping */
	unsigned n_long; /* answers to Introspect */
	unsigned n_refused;
} Flood;

static void on_long(GObject *source, GAsyncResult *result, gpointer data)
{
	Flood *flood = data;
	g_autoptr(GError) error = NULL;
	g_autoptr(GVariant)
		reply = g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, &error);

	flood->n_missing--;
	flood->n_long += reply != NULL;
	if (reply)
		return;
	ck_assert_str_eq(error->message, "GDBus.Error:org.svcd1.Error.LimitReached: "
					 "the bus is slow and flooded; try again later");
	flood->n_refused++;
}

static void on_short(GObject *source, GAsyncResult *result, gpointer data)
{
	Flood *flood = data;
	g_autoptr(GVariant)
		reply = g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, NULL);

	flood->n_missing--;
	flood->n_short += reply != NULL;
}

static bool is_over(void *data)
{
	return ((Flood *)data)->n_missing == 0;
}

/* The bus has forwarded all calls before it stops for long enough to count as slow. */
static Flood flood(Fixture *f, unsigned n_pairs)
{
	Flood result = { .n_missing = 2 * n_pairs };
	int64_t until_us;

	for (unsigned i = 0; i < n_pairs; i++) {
		g_dbus_connection_call(f->connection, BUS_NAME, OBJECT_PATH_MANAGER,
				       "org.freedesktop.DBus.Introspectable", "Introspect", NULL,
				       NULL, G_DBUS_CALL_FLAGS_NONE, 60000, NULL, on_long, &result);
		g_dbus_connection_call(f->connection, BUS_NAME, OBJECT_PATH_MANAGER,
				       "org.freedesktop.DBus.Peer", "Ping", NULL, NULL,
				       G_DBUS_CALL_FLAGS_NONE, 60000, NULL, on_short, &result);
	}
	g_variant_unref(g_dbus_connection_call_sync(
		f->connection, DBUS_SERVICE_DBUS, DBUS_PATH_DBUS, DBUS_INTERFACE_DBUS, "GetId",
		NULL, NULL, G_DBUS_CALL_FLAGS_NONE, 60000, NULL, NULL));
	ck_assert_int_eq(kill(f->daemon.pid, SIGSTOP), 0);
	until_us = g_get_monotonic_time() + 2 * LIMIT_BUS_SLOW_US;
	while (g_get_monotonic_time() < until_us) {
		(void)g_main_context_iteration(NULL, FALSE);
		g_usleep(1000);
	}
	ck_assert_int_eq(kill(f->daemon.pid, SIGCONT), 0);
	bus_world_run_until(is_over, &result, "all are answered");
	return result;
}

/*
 * The test makes the bus slow for a second. A machine may be slower, so one success in several
 * tries is enough.
 */
START_TEST(in_a_flood_a_long_answer_is_an_error_and_a_short_one_is_given)
{
	const unsigned n_pairs = LIMIT_CALLS_IN_FLOOD;
	unsigned n_refused = 0;
	Fixture f;

	fixture_init(&f);
	bus_daemon_start(&f.daemon);
	enter(&f);
	wait_for_name(&f);

	for (unsigned i = 0; i < 10 && n_refused == 0; i++) {
		const Flood seen = flood(&f, n_pairs);

		ck_assert_uint_eq(seen.n_short, n_pairs);
		ck_assert_uint_eq(seen.n_long + seen.n_refused, n_pairs);
		n_refused = seen.n_refused;
	}
	ck_assert_uint_gt(n_refused, 0);
	call(&f, BUS_NAME, "org.freedesktop.DBus.Introspectable", "Introspect", NULL);
	ck_assert_ptr_nonnull(f.reply);
	fixture_clear(&f);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("system client");

	ADD_CASE(suite, "all", the_name_comes_back_with_the_bus,
		 every_client_reads_by_name_and_by_interface,
		 a_change_is_made_recorded_and_announced,
		 in_a_flood_a_long_answer_is_an_error_and_a_short_one_is_given);
	return suite;
}
