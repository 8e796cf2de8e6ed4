/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * dbus-property: with a real dbus-daemon, and a peer with objects that change.
 */
#include "config.h"

#include <check.h>
#include <string.h>

#include "base/limits.h"
#include "providers/dbus-property.h"
#include "tests/lib/bus-stage.h"
#include "tests/lib/suite.h"

#define NAME "org.example.Weather"
#define PATH "/org/example/Weather"
#define PROPERTY NAME ".State"
#define KEY "dbus-property:" NAME " " PATH " " PROPERTY " = 20"
#define NOT_KEY "dbus-property:" NAME " " PATH " " PROPERTY " != 20"
#define NO_OWNER "false: " NAME " has no owner on the system bus"

static BusStage *stage_with_bus(void)
{
	BusStage *stage = bus_stage_new(dbus_property_provider_new);

	bus_stage_start(stage);
	return stage;
}

/* The name has an owner, and its property State has that value. */
static BusStage *stage_with_state(const char *value)
{
	BusStage *stage = stage_with_bus();

	bus_peer_set(stage->peer, PATH, PROPERTY, value);
	bus_peer_own(stage->peer, NAME);
	bus_stage_quiet(stage);
	return stage;
}

static void change_state(BusStage *stage, const char *value)
{
	bus_peer_set(stage->peer, PATH, PROPERTY, value);
	bus_peer_send(stage->peer, PATH, PROPERTY, true);
}

START_TEST(without_a_bus_nothing_is_known)
{
	BusStage *stage = bus_stage_new(dbus_property_provider_new);

	bus_stage_subscribe(stage, KEY);

	ck_assert_str_eq(bus_stage_report(stage, KEY), "unknown: there is no system bus");
	bus_stage_free(stage);
}
END_TEST

START_TEST(property_is_queried_and_followed)
{
	BusStage *stage = stage_with_state("u20");

	bus_stage_subscribe(stage, KEY);
	bus_stage_expect(stage, KEY, "true: State is 20");
	change_state(stage, "u70");
	bus_stage_expect(stage, KEY, "false: State is 70");
	change_state(stage, "u20");
	bus_stage_expect(stage, KEY, "true: State is 20");

	ck_assert_uint_eq(stage->peer->n_calls, 1);
	bus_stage_free(stage);
}
END_TEST

START_TEST(name_without_owner_makes_it_false)
{
	BusStage *stage = stage_with_bus();

	bus_stage_subscribe(stage, KEY);

	bus_stage_expect(stage, KEY, NO_OWNER);
	bus_stage_free(stage);
}
END_TEST

START_TEST(property_follows_its_owner)
{
	BusStage *stage = stage_with_state("u20");

	bus_stage_subscribe(stage, KEY);
	bus_stage_expect(stage, KEY, "true: *");
	bus_peer_release(stage->peer, NAME);
	bus_stage_expect(stage, KEY, NO_OWNER);
	bus_peer_set(stage->peer, PATH, PROPERTY, "u30");
	bus_peer_own(stage->peer, NAME);

	bus_stage_expect(stage, KEY, "false: State is 30");
	bus_stage_free(stage);
}
END_TEST

START_TEST(invalidated_property_is_queried)
{
	BusStage *stage = stage_with_state("u20");

	bus_stage_subscribe(stage, KEY);
	bus_stage_expect(stage, KEY, "true: *");
	bus_peer_set(stage->peer, PATH, PROPERTY, "u21");
	bus_peer_send(stage->peer, PATH, PROPERTY, false);

	bus_stage_expect(stage, KEY, "false: State is 21");
	bus_stage_free(stage);
}
END_TEST

START_TEST(object_that_is_not_there_is_false_until_it_appears)
{
	BusStage *stage = stage_with_state(NULL);

	bus_stage_subscribe(stage, KEY);
	bus_stage_expect(stage, KEY, "false: no such object here");
	bus_peer_set(stage->peer, PATH, PROPERTY, "u20");
	bus_peer_send_object(stage->peer, PATH);

	bus_stage_expect(stage, KEY, "true: State is 20");
	bus_stage_free(stage);
}
END_TEST

/* Some services take their name before they have their objects, and send no signal later. */
START_TEST(object_that_appears_without_a_signal_is_found)
{
	BusStage *stage = stage_with_state(NULL);

	bus_stage_subscribe(stage, KEY);
	bus_stage_expect(stage, KEY, "false: no such object here");
	bus_peer_set(stage->peer, PATH, PROPERTY, "u20");

	bus_stage_expect(stage, KEY, "true: State is 20");
	bus_stage_free(stage);
}
END_TEST

START_TEST(signal_of_another_sender_is_ignored)
{
	BusStage *stage = stage_with_state("u20");
	BusPeer *stranger = bus_peer_new(stage->daemon.socket);
	BusPeer *owner = stage->peer;

	stage_until(system_bus_is_connected(stranger->bus));
	/*
	 * One additional property, so that the match for all signals exists and the signals reach
	 * the provider.
	 */
	for (unsigned i = 0; i < LIMIT_BUS_RULES; i++) {
		g_autofree char *key =
			g_strdup_printf("dbus-property:" NAME " /o%u " PROPERTY " = 1", i);

		bus_stage_subscribe(stage, key);
	}
	bus_stage_subscribe(stage, KEY);
	bus_stage_expect(stage, KEY, "true: *");
	stage->peer = stranger;
	change_state(stage, "u99");
	bus_stage_quiet(stage);

	ck_assert_str_eq(bus_stage_report(stage, KEY), "true: State is 20");
	stage->peer = owner;
	change_state(stage, "u98");
	bus_stage_expect(stage, KEY, "false: State is 98");
	bus_peer_free(stranger);
	bus_stage_free(stage);
}
END_TEST

START_TEST(bus_that_goes_makes_it_unknown_and_never_false)
{
	BusStage *stage = stage_with_state("u20");

	bus_stage_subscribe(stage, KEY);
	bus_stage_expect(stage, KEY, "true: *");
	for (int i = 0; i < 3; i++) {
		bus_stage_kill_bus(stage);
		bus_stage_expect(stage, KEY, "unknown: there is no system bus");
		bus_stage_start(stage);
		bus_peer_own(stage->peer, NAME);
		bus_stage_expect(stage, KEY, "true: State is 20");
	}
	ck_assert_uint_eq(stage->n_false, 0);
	bus_stage_free(stage);
}
END_TEST

START_TEST(silent_owner_leaves_it_unknown)
{
	BusStage *stage = stage_with_state("u20");

	stage->peer->is_silent = true;
	bus_stage_subscribe(stage, KEY);
	bus_stage_quiet(stage);
	ck_assert_str_eq(bus_stage_report(stage, KEY), "unknown: its owner has not answered yet");
	bus_peer_answer_held(stage->peer);

	bus_stage_expect(stage, KEY, "true: State is 20");
	bus_stage_free(stage);
}
END_TEST

START_TEST(conditions_on_one_property_share_it)
{
	BusStage *stage = stage_with_state("u20");

	bus_stage_subscribe(stage, KEY);
	bus_stage_subscribe(stage, NOT_KEY);
	bus_stage_expect(stage, KEY, "true: *");
	bus_stage_expect(stage, NOT_KEY, "false: State is 20");
	ck_assert_uint_eq(stage->peer->n_calls, 1);
	bus_stage_unsubscribe(stage, KEY);
	change_state(stage, "u21");

	bus_stage_expect(stage, NOT_KEY, "true: State is 21");
	ck_assert_str_eq(bus_stage_report(stage, KEY), "true: State is 20");
	bus_stage_free(stage);
}
END_TEST

START_TEST(second_subscriber_gets_the_level_too)
{
	BusStage *stage = stage_with_state("u20");
	unsigned n_before;

	bus_stage_subscribe(stage, KEY);
	bus_stage_expect(stage, KEY, "true: *");
	n_before = stage->n_reports;
	bus_stage_subscribe(stage, KEY);

	ck_assert_uint_eq(stage->n_reports, n_before + 1);
	bus_stage_free(stage);
}
END_TEST

START_TEST(values_that_cannot_be_compared_are_false_with_a_reason)
{
	BusStage *stage = stage_with_state("L");

	bus_stage_subscribe(stage, KEY);

	bus_stage_expect(stage, KEY, "false: State is a list, which cannot be compared");
	bus_stage_free(stage);
}
END_TEST

START_TEST(queries_to_a_service_are_few_at_a_time)
{
	BusStage *stage = stage_with_bus();
	const unsigned n = 3 * LIMIT_BUS_CALLS;

	bus_peer_own(stage->peer, NAME);
	stage->peer->is_silent = true;
	for (unsigned i = 0; i < n; i++) {
		g_autofree char *path = g_strdup_printf("/o%u", i);
		g_autofree char *key =
			g_strdup_printf("dbus-property:" NAME " %s " PROPERTY " = 20", path);

		bus_peer_set(stage->peer, path, PROPERTY, "u20");
		bus_stage_subscribe(stage, key);
	}
	stage_until(stage->peer->n_calls == LIMIT_BUS_CALLS);
	bus_stage_quiet(stage);
	ck_assert_uint_eq(stage->peer->n_calls, LIMIT_BUS_CALLS);
	stage->peer->is_silent = false;
	bus_peer_answer_held(stage->peer);

	for (unsigned i = 0; i < n; i++) {
		g_autofree char *key =
			g_strdup_printf("dbus-property:" NAME " /o%u " PROPERTY " = 20", i);

		bus_stage_expect(stage, key, "true: State is 20");
	}
	bus_stage_free(stage);
}
END_TEST

START_TEST(unsubscribing_with_a_query_in_flight_frees_its_place)
{
	BusStage *stage = stage_with_state("u20");

	stage->peer->is_silent = true;
	for (unsigned i = 0; i < 2 * LIMIT_BUS_CALLS; i++) {
		g_autofree char *key =
			g_strdup_printf("dbus-property:" NAME " /o%u " PROPERTY " = 20", i);

		bus_stage_subscribe(stage, key);
		if (i == 0)
			stage_until(stage->peer->n_calls == 1);
		bus_stage_unsubscribe(stage, key);
	}
	stage->peer->is_silent = false;
	bus_stage_subscribe(stage, KEY);

	bus_stage_expect(stage, KEY, "true: State is 20");
	bus_stage_free(stage);
}
END_TEST

/*
 * The owner announces changes faster than it answers: each answer is older than the last signal.
 */
START_TEST(property_with_endless_invalidations_is_followed)
{
	BusStage *stage = stage_with_state("u20");

	bus_stage_subscribe(stage, KEY);
	bus_stage_expect(stage, KEY, "true: *");
	stage->peer->is_silent = true;
	bus_peer_set(stage->peer, PATH, PROPERTY, "u21");
	bus_peer_send(stage->peer, PATH, PROPERTY, false);
	for (int i = 0; i < 20; i++) {
		stage_until(stage->peer->held->len > 0);
		bus_peer_send(stage->peer, PATH, PROPERTY, false);
		bus_peer_answer_held(stage->peer);
		bus_stage_quiet(stage);
	}
	ck_assert_str_eq(bus_stage_report(stage, KEY), "false: State is 21");

	/* One call at a time, and one more after the answer. */
	for (int i = 0; i < 20; i++)
		bus_peer_send(stage->peer, PATH, PROPERTY, false);
	bus_stage_quiet(stage);
	ck_assert_uint_eq(stage->peer->held->len, 1);
	bus_peer_set(stage->peer, PATH, PROPERTY, "u22");
	stage->peer->is_silent = false;
	bus_peer_answer_held(stage->peer);
	bus_stage_expect(stage, KEY, "false: State is 22");
	bus_stage_free(stage);
}
END_TEST

START_TEST(malformed_signals_change_nothing)
{
	BusStage *stage = stage_with_state("u20");
	DBusMessage *signal;

	bus_stage_subscribe(stage, KEY);
	bus_stage_expect(stage, KEY, "true: *");
	signal = dbus_message_new_signal(PATH, DBUS_INTERFACE_PROPERTIES, "PropertiesChanged");
	system_bus_send(stage->peer->bus, signal);
	dbus_message_unref(signal);
	signal = dbus_message_new_signal(PATH, DBUS_INTERFACE_PROPERTIES, "PropertiesChanged");
	ck_assert(dbus_message_append_args(signal, DBUS_TYPE_STRING, &(const char *){ NAME },
					   DBUS_TYPE_INVALID));
	system_bus_send(stage->peer->bus, signal);
	dbus_message_unref(signal);
	bus_stage_quiet(stage);

	ck_assert_str_eq(bus_stage_report(stage, KEY), "true: State is 20");
	bus_stage_free(stage);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("dbus-property");

	ADD_CASE(suite, "properties", without_a_bus_nothing_is_known,
		 property_is_queried_and_followed, name_without_owner_makes_it_false,
		 property_follows_its_owner, invalidated_property_is_queried,
		 object_that_is_not_there_is_false_until_it_appears,
		 object_that_appears_without_a_signal_is_found, signal_of_another_sender_is_ignored,
		 bus_that_goes_makes_it_unknown_and_never_false, silent_owner_leaves_it_unknown,
		 conditions_on_one_property_share_it, second_subscriber_gets_the_level_too,
		 values_that_cannot_be_compared_are_false_with_a_reason,
		 queries_to_a_service_are_few_at_a_time,
		 unsubscribing_with_a_query_in_flight_frees_its_place,
		 property_with_endless_invalidations_is_followed, malformed_signals_change_nothing);
	return suite;
}
