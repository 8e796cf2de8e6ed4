/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * PropertiesChanged: a client that reads everything once and then listens has the same values as
 * a client that reads all again.
 */
#include "config.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "bus/names.h"
#include "tests/lib/bus-world.h"
#include "tests/lib/suite.h"

#define N_STEPS 400

static const char *const names[] = { "base", "upper", "shy" };

/* A client's view: its first read, and all changes since. */
typedef struct Mirror {
	GHashTable *properties; /* "SERVICE PROPERTY" -> GVariant */
	GHashTable *last; /* names of properties in the last signal about base */
} Mirror;

static void keep(Mirror *mirror, const char *service, GVariant *properties)
{
	GVariantIter iter;
	const char *name;
	GVariant *value;

	g_variant_iter_init(&iter, properties);
	while (g_variant_iter_next(&iter, "{&sv}", &name, &value))
		g_hash_table_insert(mirror->properties, g_strdup_printf("%s %s", service, name),
				    value);
}

static void on_signal(GDBusConnection *connection, const gchar *sender, const gchar *path,
		      const gchar *interface, const gchar *name, GVariant *args, gpointer data)
{
	Mirror *mirror = data;
	const char *service = strrchr(path, '/') + 1;
	g_autoptr(GVariant) changed = NULL;
	const char *of;
	GVariantIter iter;
	const char *property;

	if (strcmp(name, "PropertiesChanged") != 0)
		return;
	g_variant_get(args, "(&s@a{sv}@as)", &of, &changed, NULL);
	if (strcmp(of, INTERFACE_SERVICE) != 0)
		return;
	keep(mirror, service, changed);
	if (strcmp(service, "base") != 0)
		return;
	g_hash_table_remove_all(mirror->last);
	g_variant_iter_init(&iter, changed);
	while (g_variant_iter_next(&iter, "{&sv}", &property, NULL))
		g_hash_table_add(mirror->last, g_strdup(property));
}

static GVariant *read_all(GDBusConnection *connection, const char *service)
{
	g_autofree char *path = g_strconcat(OBJECT_PATH_SERVICES, "/", service, NULL);
	g_autoptr(GVariant) answer =
		bus_world_call(connection, path, "org.freedesktop.DBus.Properties", "GetAll",
			       g_variant_new("(s)", INTERFACE_SERVICE), "(a{sv})", NULL);

	ck_assert_ptr_nonnull(answer);
	return g_variant_get_child_value(answer, 0);
}

static void come_to_rest(GDBusConnection *connection)
{
	while (g_main_context_iteration(NULL, FALSE))
		;
	/* The answer arrives after all earlier signals. */
	g_variant_unref(bus_world_manager(connection, "ListServices", NULL, "(aa{sv})"));
	while (g_main_context_iteration(NULL, FALSE))
		;
}

static void mirror_begin(Mirror *mirror, GDBusConnection *connection)
{
	mirror->properties = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
						   (GDestroyNotify)g_variant_unref);
	mirror->last = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_dbus_connection_signal_subscribe(connection, NULL, NULL, NULL, NULL, NULL,
					   G_DBUS_SIGNAL_FLAGS_NO_MATCH_RULE, on_signal, mirror,
					   NULL);
	g_variant_unref(bus_world_manager(connection, "Subscribe", NULL, "()"));
	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autoptr(GVariant) all = read_all(connection, names[i]);

		keep(mirror, names[i], all);
	}
}

/* All services are up, and the client has received the signals. */
static void mirror_begin_settled(Mirror *mirror, BusWorld *bw, GDBusConnection *connection)
{
	mirror_begin(mirror, connection);
	world_settle(bw->world);
	bus_world_flush(bw);
	come_to_rest(connection);
}

static void mirror_end(Mirror *mirror)
{
	g_hash_table_unref(mirror->properties);
	g_hash_table_unref(mirror->last);
}

/* These properties have no signals. Clients must read them. */
static bool is_silent(const char *property)
{
	static const char *const silent[] = { "Causes",  "Refusals",   "Terms",
					      "Sockets", "Dependents", NULL };

	return g_strv_contains(silent, property);
}

static void compare(const Mirror *mirror, GDBusConnection *connection, unsigned step)
{
	come_to_rest(connection);
	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autoptr(GVariant) all = read_all(connection, names[i]);
		GVariantIter iter;
		const char *name;
		GVariant *value;

		g_variant_iter_init(&iter, all);
		while (g_variant_iter_next(&iter, "{&sv}", &name, &value)) {
			g_autofree char *key = g_strdup_printf("%s %s", names[i], name);
			GVariant *known = g_hash_table_lookup(mirror->properties, key);

			if (!is_silent(name) && !g_variant_equal(known, value)) {
				g_autofree char *is = g_variant_print(value, FALSE);
				g_autofree char *was = g_variant_print(known, FALSE);

				ck_abort_msg("step %u: %s is %s, and the listener has %s", step,
					     key, is, was);
			}
			g_variant_unref(value);
		}
	}
}

static void act(BusWorld *bw, GDBusConnection *connection, GRand *rand, Mirror *mirror)
{
	const char *name = names[g_rand_int_range(rand, 0, 2)];
	const bool runs = world_find(bw->world, name)->state == STATE_READY;

	switch (g_rand_int_range(rand, 0, 8)) {
	case 0:
		if (runs)
			world_health(bw->world, name,
				     g_rand_boolean(rand) ? "it does not answer" : NULL);
		break;
	case 1:
		if (runs)
			world_dies(bw->world, name, 256);
		break;
	case 2:
		world_start(bw->world, name);
		break;
	case 3:
		world_stop(bw->world, name);
		break;
	case 4:
		world_set(bw->world, "flag:go", g_rand_boolean(rand));
		break;
	case 5:
		world_settle(bw->world);
		break;
	case 6: {
		/* A second complete read also contains changes that no signal has reported yet. */
		g_autoptr(GVariant) all = read_all(connection, name);

		keep(mirror, name, all);
		break;
	}
	default:
		world_advance_s(bw->world, g_rand_int_range(rand, 0, 20));
		break;
	}
	bus_world_flush(bw);
}

START_TEST(signals_and_queries_give_the_same_state)
{
	g_autoptr(BusWorld) bw = bus_world_new_three();
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autoptr(GRand) rand = g_rand_new_with_seed(4711);
	Mirror mirror;

	mirror_begin(&mirror, connection);
	for (unsigned step = 0; step < N_STEPS; step++) {
		act(bw, connection, rand, &mirror);
		if (g_rand_int_range(rand, 0, 3) == 0)
			compare(&mirror, connection, step);
	}
	compare(&mirror, connection, N_STEPS);
	mirror_end(&mirror);
}
END_TEST

static bool was_sent(const Mirror *mirror, const char *property)
{
	return g_hash_table_contains(mirror->last, property);
}

/*
 * The runlevels of a service change without a signal of their own. The next signal contains them.
 */
START_TEST(next_signal_has_what_another_runlevel_changed)
{
	g_autoptr(BusWorld) bw = bus_world_new(
		"== base\n[Service]\nExec=/bin/base\n== upper\n[Service]\nExec=/bin/upper\n"
		"== shy\n[Service]\nExec=/bin/shy\n",
		"[runlevel 2]\nActivate=upper\n[runlevel 3]\nActivate=upper base\n");
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	Mirror mirror;

	mirror_begin_settled(&mirror, bw, connection);
	for (const char *const *runlevel = (const char *const[]){ "3", "2", NULL }; *runlevel;
	     runlevel++) {
		g_autoptr(GVariant) all = NULL;

		world_runlevel(bw->world, *runlevel);
		bus_engine_changed(bw->bus);
		come_to_rest(connection);
		all = read_all(connection, "base");
		g_hash_table_remove_all(mirror.last);
	}
	bus_service_changed(bw->bus, "base");
	come_to_rest(connection);
	ck_assert(was_sent(&mirror, "InRunlevel"));
	ck_assert(was_sent(&mirror, "ActivationOrigin"));
	mirror_end(&mirror);
}
END_TEST

/*
 * Without subscribers svcd keeps no record of what clients know. A client that only asks is not a
 * subscriber.
 */
START_TEST(a_first_subscriber_gets_the_complete_state)
{
	g_autoptr(BusWorld) bw = bus_world_new_three();
	g_autoptr(GDBusConnection) pending_query = bus_world_connect(bw);
	g_autoptr(GRand) rand = g_rand_new_with_seed(4712);
	Mirror mirror;

	for (unsigned round = 0; round < N_STEPS / 10; round++) {
		g_autoptr(GDBusConnection) listening = bus_world_connect(bw);

		mirror_begin(&mirror, listening);
		for (unsigned i = 0; i < 5; i++)
			act(bw, listening, rand, &mirror);
		compare(&mirror, listening, round);
		ck_assert(g_dbus_connection_close_sync(listening, NULL, NULL));
		for (unsigned i = 0; i < 5; i++) {
			act(bw, pending_query, rand, &mirror);
			come_to_rest(pending_query);
		}
		mirror_end(&mirror);
	}
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("bus: news");

	ADD_CASE(suite, "news", signals_and_queries_give_the_same_state,
		 next_signal_has_what_another_runlevel_changed,
		 a_first_subscriber_gets_the_complete_state);
	return suite;
}
