/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * org.svcd1: conditions, the services that wait for each, and watches.
 */
#include "config.h"

#include <check.h>
#include <string.h>

#include "base/limits.h"
#include "bus/dispatch.h"
#include "bus/names.h"
#include "tests/lib/bus-world.h"
#include "tests/lib/suite.h"

#define DAEMON "[Service]\nExec=/bin/d\n"
static const char files[] = "== base\n" DAEMON "== shy\n" DAEMON
			    "[Conditions]\nWhen=flag:go\n== bold\n" DAEMON
			    "[Conditions]\nWhen=flag:go | service:base\n== off\n" DAEMON
			    "[Conditions]\nWhile=flag:go\n";
static const char policy[] = "[runlevel 2]\nActivate=base shy bold\n";

/* --- the list --- */

static char *list(GDBusConnection *connection, const char *key)
{
	g_autoptr(GVariant)
		reply = bus_world_manager(connection, "ListConditions", NULL, "(a(ssstasass))");
	g_autoptr(GVariant) array = g_variant_get_child_value(reply, 0);

	for (gsize i = 0; i < g_variant_n_children(array); i++) {
		const char *name, *level, *why, *alternatives;
		g_autofree char **waiting = NULL;
		g_autofree char **others = NULL;
		g_autofree char *first = NULL;
		g_autofree char *second = NULL;

		g_variant_get_child(array, i, "(&s&s&st^a&s^a&s&s)", &name, &level, &why, NULL,
				    &waiting, &others, &alternatives);
		if (strcmp(name, key) != 0)
			continue;
		first = g_strjoinv(",", waiting);
		second = g_strjoinv(",", others);
		return g_strdup_printf("%s; %s; waiting %s; others %s; %s", level, why, first,
				       second, alternatives);
	}
	return g_strdup("not listed");
}

START_TEST(the_list_names_waiting_services_and_alternatives)
{
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autofree char *before = NULL;
	g_autofree char *after = NULL;

	world_settle(bw->world);
	bus_world_set(bw, "flag:go", LEVEL_FALSE, "the flag is not set");
	before = list(connection, "flag:go");
	bus_world_set(bw, "flag:go", LEVEL_TRUE, "set by uid 0");
	world_settle(bw->world);
	after = list(connection, "flag:go");

	/* bold has an alternative, and off is not wanted: neither waits. */
	ck_assert_str_eq(
		before,
		"false; the flag is not set; waiting shy; others bold,off; flags set: stay");
	ck_assert_str_eq(after, "true; set by uid 0; waiting ; others bold,off,shy; ");
}
END_TEST

START_TEST(the_list_has_the_conditions_of_services_too)
{
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autofree char *text = NULL;

	world_settle(bw->world);
	text = list(connection, "service:base");
	ck_assert_str_eq(text, "true; base is ready; waiting ; others bold; ");
}
END_TEST

/* --- watches --- */

/* "LEVEL WHY" of the answer. */
static char *watch(GDBusConnection *connection, const char *text, bool on)
{
	g_autoptr(GVariant) reply = bus_world_manager(connection, "WatchCondition",
						      g_variant_new("(sb)", text, on), "(ss)");
	const char *level, *why;

	g_variant_get(reply, "(&s&s)", &level, &why);
	return g_strdup_printf("%s %s", level, why);
}

static void expect_watch(GDBusConnection *connection, const char *text, const char *expected)
{
	g_autofree char *reported = watch(connection, text, true);

	ck_assert_str_eq(reported, expected);
}

static void on_signal(GDBusConnection *connection, const gchar *sender, const gchar *path,
		      const gchar *interface, const gchar *name, GVariant *args, gpointer data)
{
	GString *received = data; /* "KEY LEVEL WHY" lines */
	const char *key, *level, *why;

	if (strcmp(name, "ConditionChanged") != 0)
		return;
	ck_assert_str_eq(path, OBJECT_PATH_MANAGER);
	ck_assert_str_eq(interface, INTERFACE_MANAGER);
	g_variant_get(args, "(&s&s&s)", &key, &level, &why);
	g_string_append_printf(received, "%s %s %s\n", key, level, why);
}

static GString *listen_to(GDBusConnection *connection)
{
	GString *received = g_string_new(NULL);

	g_dbus_connection_signal_subscribe(connection, NULL, NULL, NULL, NULL, NULL,
					   G_DBUS_SIGNAL_FLAGS_NO_MATCH_RULE, on_signal, received,
					   NULL);
	return received;
}

/* The loop sends signals when it is idle, so all are sent when nothing is pending. */
static bool is_rested(void *data)
{
	return !g_main_context_pending(NULL);
}

/* Expects exactly these signals since the last call. */
static void expect_received(GDBusConnection *connection, GString *received, const char *expected)
{
	bus_world_run_until(is_rested, NULL, "rest");
	/* The answer arrives after all earlier signals. */
	g_variant_unref(bus_world_manager(connection, "ListServices", NULL, "(aa{sv})"));
	ck_assert_str_eq(received->str, expected);
	g_string_truncate(received, 0);
}

START_TEST(a_watched_condition_without_services_is_published)
{
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autoptr(GString) received = listen_to(connection);

	bus_world_run_until(is_rested, NULL, "rest");
	expect_watch(connection, "label:DATA", "false it is not there");
	ck_assert(g_hash_table_contains(bw->watched, "label:DATA"));
	expect_received(connection, received, "label:DATA false it is not there\n");

	bus_world_set(bw, "label:DATA", LEVEL_TRUE, "/dev/sdb1");
	expect_received(connection, received, "label:DATA true /dev/sdb1\n");
	/* Without a subscription the client gets no signals about other conditions. */
	bus_world_set(bw, "flag:go", LEVEL_TRUE, "set");
	expect_received(connection, received, "");
}
END_TEST

START_TEST(a_watched_condition_is_listed_while_it_is_watched)
{
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autofree char *during = NULL;
	g_autofree char *after = NULL;

	g_free(watch(connection, "label:DATA", true));
	bus_world_set(bw, "label:DATA", LEVEL_FALSE, "no volume with that label");
	during = list(connection, "label:DATA");
	g_free(watch(connection, "label:DATA", false));
	after = list(connection, "label:DATA");

	ck_assert_str_eq(
		during, "false; no volume with that label; waiting ; others ; labels present: EFI");
	ck_assert_str_eq(after, "not listed");
}
END_TEST

START_TEST(a_service_can_be_watched_under_all_its_conditions)
{
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autoptr(GString) received = listen_to(connection);

	world_settle(bw->world);
	bw->settles = true;
	expect_watch(connection, "service:shy", "false shy is waiting");
	expect_watch(connection, "active:shy", "false shy is waiting");
	expect_watch(connection, "settled:shy", "true shy is waiting");
	ck_assert_uint_eq(g_hash_table_size(bw->watched), 0);

	bus_world_set(bw, "flag:go", LEVEL_TRUE, "set");
	world_settle(bw->world);
	bus_world_run_until(is_rested, NULL, "rest");
	g_variant_unref(bus_world_manager(connection, "ListServices", NULL, "(aa{sv})"));
	ck_assert_msg(strstr(received->str, "service:shy true shy is ready\n") != NULL, "%s",
		      received->str);
	ck_assert_msg(strstr(received->str, "active:shy true shy is ready\n") != NULL, "%s",
		      received->str);
}
END_TEST

START_TEST(ten_changes_of_a_condition_make_one_signal)
{
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autoptr(GString) received = listen_to(connection);

	g_variant_unref(bus_world_manager(connection, "Subscribe", NULL, "()"));
	bus_world_run_until(is_rested, NULL, "rest");
	g_string_truncate(received, 0);
	for (unsigned i = 0; i < 11; i++)
		bus_world_set(bw, "flag:go", i % 2 == 0 ? LEVEL_TRUE : LEVEL_FALSE, "flapping");
	expect_received(connection, received, "flag:go true flapping\n");
}
END_TEST

START_TEST(a_watch_ends_when_it_is_taken_back_and_when_the_client_leaves)
{
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autoptr(GDBusConnection) other = bus_world_connect(bw);
	g_autofree char *once = watch(connection, "label:DATA", true);
	g_autofree char *again = watch(connection, "label:DATA", true);
	g_autofree char *by_other = watch(other, "label:DATA", true);
	g_autofree char *back = watch(connection, "label:DATA", false);

	ck_assert_str_eq(back, "unknown ");
	ck_assert(g_hash_table_contains(bw->watched, "label:DATA"));
	g_dbus_connection_close(other, NULL, NULL, NULL);
	while (g_hash_table_size(bw->watched) > 0)
		g_main_context_iteration(NULL, TRUE);
	/* Removing a watch that does not exist does nothing. */
	g_free(watch(connection, "label:DATA", false));
}
END_TEST

static const struct {
	const char *text;
	const char *refusal;
	/* clang-format off */
} bad_conditions[] = {
	{ "label", "org.svcd1.Error.InvalidArgument: \"label\" is not a condition; did you mean \"service:label\"?" },
	{ "netwrok:up", "org.svcd1.Error.InvalidArgument: no provider \"netwrok\"; did you mean \"network:up\"?" },
	{ "path:x", "org.svcd1.Error.InvalidArgument: \"x\" is not an absolute path" },
	{ "", "org.svcd1.Error.InvalidArgument: \"\" is not a condition; write PROVIDER:ARGUMENT" },
	{ "service:nosuch", "org.svcd1.Error.NoSuchService: service:nosuch: there is no such service" },
	{ "facility:$nosuch", "org.svcd1.Error.NoSuchService: facility:$nosuch: no service provides it" },
};
/* clang-format on */

START_TEST(an_impossible_condition_is_refused_in_a_sentence)
{
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autofree char *refusal = bus_world_refusal(
		connection, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, "WatchCondition",
		g_variant_new("(sb)", bad_conditions[_i].text, TRUE));

	ck_assert_str_eq(refusal, bad_conditions[_i].refusal);
}
END_TEST

START_TEST(the_watches_of_one_client_are_limited)
{
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autoptr(GDBusConnection) other = bus_world_connect(bw);
	g_autofree char *refusal = NULL;

	for (unsigned i = 0; i < LIMIT_WATCHES; i++) {
		g_autofree char *key = g_strdup_printf("flag:f%u", i);

		g_free(watch(connection, key, true));
	}
	refusal = bus_world_refusal(connection, OBJECT_PATH_MANAGER, INTERFACE_MANAGER,
				    "WatchCondition", g_variant_new("(sb)", "flag:more", TRUE));
	ck_assert_str_eq(
		refusal,
		"org.svcd1.Error.LimitReached: no more than 64 conditions can be watched at a time");
	/* The limit applies neither to the client's existing watches nor to other clients. */
	g_free(watch(connection, "flag:f0", true));
	g_free(watch(other, "flag:more", true));
}
END_TEST

/* --- clients without rights --- */

static void forget_reply(BusClient *client, DBusMessage *message)
{
	(void)client;
	(void)message;
}

/* Sends a request as the user "nobody", with the real dispatch of the bus. */
static void request_unprivileged(BusWorld *bw, const char *text)
{
	BusClient unprivileged = { .send = forget_reply, .requester = { .uid = 65534 } };

	for (dbus_bool_t is_on = 0; is_on <= 1; is_on++) {
		DBusMessage *call = dbus_message_new_method_call(
			NULL, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, "WatchCondition");

		ck_assert(dbus_message_append_args(call, DBUS_TYPE_STRING, &text, DBUS_TYPE_BOOLEAN,
						   &is_on, DBUS_TYPE_INVALID));
		dbus_message_set_serial(call, 1);
		dispatch(bw->bus, world_engine(bw->world), &unprivileged, call);
		dbus_message_unref(call);
	}
}

START_TEST(queries_of_unprivileged_users_leave_no_strings)
{
	static const char *const texts[] = { "path:/nobody/knows/this", "service:nobody-knows-this",
					     "settled:nobody-knows-this",
					     "facility:$nobody-knows-this",
					     "healthy:nobody-knows-this" };
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);

	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
		request_unprivileged(bw, texts[i]);
		ck_assert_msg(!g_quark_try_string(texts[i]), "%s is kept for ever", texts[i]);
	}
	ck_assert(!g_quark_try_string("$nobody-knows-this"));
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("conditions");

	ADD_CASE(suite, "list", the_list_names_waiting_services_and_alternatives,
		 the_list_has_the_conditions_of_services_too);
	suite_add_loop(suite, "watching", an_impossible_condition_is_refused_in_a_sentence,
		       G_N_ELEMENTS(bad_conditions));
	ADD_CASE(suite, "watching", a_watched_condition_without_services_is_published,
		 a_watched_condition_is_listed_while_it_is_watched,
		 a_service_can_be_watched_under_all_its_conditions,
		 ten_changes_of_a_condition_make_one_signal,
		 a_watch_ends_when_it_is_taken_back_and_when_the_client_leaves,
		 the_watches_of_one_client_are_limited,
		 queries_of_unprivileged_users_leave_no_strings);
	return suite;
}
