/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * org.svcd1: signals, their subscribers, and their rate.
 */
#include "config.h"

#include <string.h>

#include "bus/names.h"
#include "tests/lib/bus-world.h"
#include "tests/lib/suite.h"

typedef struct Received {
	unsigned n_service;
	unsigned n_manager;
	unsigned n_boot;
	unsigned n_finished;
	unsigned n_removed;
	char *state; /* of the service in the last signal */
} Received;

static void on_signal(GDBusConnection *connection, const gchar *sender, const gchar *path,
		      const gchar *interface, const gchar *name, GVariant *args, gpointer data)
{
	Received *received = data;
	g_autoptr(GVariant) changed = NULL;
	const char *of;

	if (strcmp(name, "BootFinished") == 0)
		received->n_finished++;
	if (strcmp(name, "InterfacesRemoved") == 0)
		received->n_removed++;
	if (strcmp(name, "PropertiesChanged") != 0)
		return;
	g_variant_get(args, "(&s@a{sv}@as)", &of, &changed, NULL);
	if (strcmp(of, INTERFACE_BOOT) == 0)
		received->n_boot++;
	if (strcmp(of, INTERFACE_MANAGER) == 0)
		received->n_manager++;
	if (strcmp(of, INTERFACE_SERVICE) != 0 || strcmp(path, SERVICE_PATH("base")) != 0)
		return;
	received->n_service++;
	g_free(received->state);
	ck_assert(g_variant_lookup(changed, "State", "s", &received->state));
}

static void listen_to(GDBusConnection *connection, Received *received)
{
	g_dbus_connection_signal_subscribe(connection, NULL, NULL, NULL, NULL, NULL,
					   G_DBUS_SIGNAL_FLAGS_NO_MATCH_RULE, on_signal, received,
					   NULL);
}

static bool has_report(void *data)
{
	return ((Received *)data)->n_service > 0;
}

static bool is_boot_received(void *data)
{
	return ((Received *)data)->n_boot > 0;
}

static bool is_manager_received(void *data)
{
	return ((Received *)data)->n_manager > 0;
}

static bool is_removal_received(void *data)
{
	return ((Received *)data)->n_removed > 0;
}

START_TEST(ten_changes_make_one_signal)
{
	g_autoptr(BusWorld) bw = bus_world_new_three();
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	Received received = { 0 };

	listen_to(connection, &received);
	g_variant_unref(bus_world_manager(connection, "Subscribe", NULL, "()"));
	for (unsigned i = 0; i < 10; i++)
		bus_world_flush(bw);
	world_settle(bw->world);
	bus_world_run_until(has_report, &received, "a signal");

	ck_assert_str_eq(received.state, "ready");
	/* The answer arrives after all earlier signals, so there was no second signal. */
	g_variant_unref(bus_world_manager(connection, "ListServices", NULL, "(aa{sv})"));
	ck_assert_uint_eq(received.n_service, 1);
	g_free(received.state);
}
END_TEST

START_TEST(without_a_subscription_no_signals_are_sent)
{
	g_autoptr(BusWorld) bw = bus_world_new_three();
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autoptr(GDBusConnection) other = bus_world_connect(bw);
	Received received = { 0 };
	Received received_by_other = { 0 };

	listen_to(connection, &received);
	listen_to(other, &received_by_other);
	g_variant_unref(bus_world_manager(other, "Subscribe", NULL, "()"));
	bus_world_flush(bw);
	bus_world_run_until(has_report, &received_by_other, "a signal");
	g_variant_unref(bus_world_manager(connection, "ListServices", NULL, "(aa{sv})"));

	ck_assert_uint_eq(received.n_service, 0);
	g_free(received_by_other.state);
}
END_TEST

START_TEST(the_boot_is_published_at_most_ten_times_a_second)
{
	g_autoptr(BusWorld) bw = bus_world_new_three();
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	Received received = { 0 };
	const int64_t begun_us = g_get_monotonic_time();
	int64_t took_us;

	listen_to(connection, &received);
	g_variant_unref(bus_world_manager(connection, "Subscribe", NULL, "()"));
	/*
	 * Each change waits for the signal of the change before it, because a slow client would be
	 * disconnected.
	 */
	while (received.n_boot < 5) {
		received.n_manager = 0;
		if (!g_hash_table_remove(bw->flags, "now"))
			g_hash_table_add(bw->flags, g_strdup("now"));
		bus_engine_changed(bw->bus);
		bus_world_run_until(is_manager_received, &received, "the change");
	}
	took_us = g_get_monotonic_time() - begun_us;

	/*
	 * The last signal of a boot is not delayed, and the first may already have been sent.
	 * Without a rate limit, the others would take no time.
	 */
	ck_assert_int_ge(took_us, 2 * 100 * 1000);
	g_free(received.state);
}
END_TEST

/* Milliseconds until the main loop wakes up; -1: never. */
static int next_wake_ms(void)
{
	GMainContext *context = g_main_context_default();
	GPollFD fds[64];
	int timeout = 0;
	int priority;

	while (g_main_context_iteration(context, FALSE))
		;
	ck_assert(g_main_context_acquire(context));
	(void)g_main_context_prepare(context, &priority);
	(void)g_main_context_query(context, priority, &timeout, fds, G_N_ELEMENTS(fds));
	(void)g_main_context_check(context, priority, fds, 0);
	g_main_context_release(context);
	return timeout;
}

static bool is_boot_received_again(void *data)
{
	return ((Received *)data)->n_boot >= 3;
}

START_TEST(a_boot_in_motion_is_published_as_time_passes)
{
	g_autoptr(BusWorld) bw = bus_world_new("== base\n[Service]\nExec=/bin/base\n", NULL);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	Received received = { 0 };

	/* No subscriber. */
	ck_assert_int_eq(next_wake_ms(), -1);

	listen_to(connection, &received);
	g_variant_unref(bus_world_manager(connection, "Subscribe", NULL, "()"));
	bus_world_run_until(is_boot_received_again, &received,
			    "three signals of the boot, though nothing happens");
	ck_assert_int_ge(next_wake_ms(), 0);
	ck_assert_int_le(next_wake_ms(), 100);

	/* The boot is over. */
	world_settle(bw->world);
	bus_world_flush(bw);
	while (received.n_finished == 0)
		g_main_context_iteration(NULL, TRUE);
	ck_assert_int_eq(next_wake_ms(), -1);
	g_free(received.state);
}
END_TEST

START_TEST(a_boot_without_subscribers_causes_no_wake_ups)
{
	g_autoptr(BusWorld) bw = bus_world_new("== base\n[Service]\nExec=/bin/base\n", NULL);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	Received received = { 0 };

	listen_to(connection, &received);
	g_variant_unref(bus_world_manager(connection, "Subscribe", NULL, "()"));
	bus_world_run_until(is_boot_received, &received, "a signal");
	ck_assert(g_dbus_connection_close_sync(connection, NULL, NULL));

	while (next_wake_ms() != -1) /* the last tick finds no subscriber */
		g_main_context_iteration(NULL, TRUE);
	g_free(received.state);
}
END_TEST

START_TEST(a_removed_service_is_published)
{
	g_autoptr(BusWorld) bw = bus_world_new_three();
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	Received received = { 0 };

	listen_to(connection, &received);
	g_variant_unref(bus_world_manager(connection, "Subscribe", NULL, "()"));
	bus_service_removed(bw->bus, "shy");
	bus_service_removed(bw->bus, "shy");
	bus_world_run_until(is_removal_received, &received, "a signal");
	g_variant_unref(bus_world_manager(connection, "ListServices", NULL, "(aa{sv})"));

	ck_assert_uint_eq(received.n_removed, 1);
	g_free(received.state);
}
END_TEST

START_TEST(the_end_of_the_boot_is_published_once)
{
	g_autoptr(BusWorld) bw = bus_world_new("== base\n[Service]\nExec=/bin/base\n", NULL);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	Received received = { 0 };

	listen_to(connection, &received);
	g_variant_unref(bus_world_manager(connection, "Subscribe", NULL, "()"));
	world_settle(bw->world);
	bus_world_flush(bw);
	bus_world_run_until(is_boot_received, &received, "a signal");
	received.n_boot = 0;
	bus_world_flush(bw);
	bus_world_run_until(is_boot_received, &received, "another signal");

	ck_assert_uint_le(received.n_finished, 1);
	g_free(received.state);
}
END_TEST

START_TEST(manager_is_published_after_a_change_and_after_files_were_read)
{
	g_autoptr(BusWorld) bw = bus_world_new_three();
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	Received received = { 0 };

	listen_to(connection, &received);
	g_variant_unref(bus_world_manager(connection, "Subscribe", NULL, "()"));
	g_hash_table_add(bw->flags, g_strdup("one"));
	bus_engine_changed(bw->bus);
	bus_world_run_until(is_manager_received, &received, "the flag");

	received.n_manager = 0;
	bus_files_read(bw->bus);
	bus_world_run_until(is_manager_received, &received, "what was read");
	g_free(received.state);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("bus: signals");

	ADD_CASE(suite, "signals", ten_changes_make_one_signal,
		 without_a_subscription_no_signals_are_sent,
		 the_boot_is_published_at_most_ten_times_a_second,
		 a_boot_in_motion_is_published_as_time_passes,
		 a_boot_without_subscribers_causes_no_wake_ups, a_removed_service_is_published,
		 the_end_of_the_boot_is_published_once,
		 manager_is_published_after_a_change_and_after_files_were_read);
	return suite;
}
