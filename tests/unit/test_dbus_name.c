/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * dbus:NAME with a real dbus-daemon, and a peer that takes and releases names.
 */
#include "config.h"

#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "providers/dbus-name.h"
#include "tests/lib/bus-stage.h"
#include "tests/lib/suite.h"

#define NAME "org.example.Weather"
#define KEY "dbus:" NAME
#define NO_OWNER "false: has no owner on the system bus"
#define NO_BUS "unknown: there is no system bus"

static BusStage *stage_without_bus(void)
{
	return bus_stage_new(dbus_name_provider_new);
}

static BusStage *stage_with_bus(void)
{
	BusStage *stage = stage_without_bus();

	bus_stage_start(stage);
	return stage;
}

static char *owned_by(const BusPeer *peer)
{
	return g_strdup_printf("true: owned by %s", system_bus_unique_name(peer->bus));
}

START_TEST(without_a_bus_nothing_is_known)
{
	BusStage *stage = stage_without_bus();

	bus_stage_subscribe(stage, KEY);

	ck_assert_str_eq(bus_stage_report(stage, KEY), NO_BUS);
	bus_stage_free(stage);
}
END_TEST

START_TEST(name_is_true_while_it_has_an_owner)
{
	BusStage *stage = stage_with_bus();
	g_autofree char *owned = owned_by(stage->peer);

	bus_stage_subscribe(stage, KEY);
	bus_stage_expect(stage, KEY, NO_OWNER);

	bus_peer_own(stage->peer, NAME);
	bus_stage_expect(stage, KEY, owned);

	bus_peer_release(stage->peer, NAME);
	bus_stage_expect(stage, KEY, NO_OWNER);
	bus_stage_free(stage);
}
END_TEST

START_TEST(name_owned_before_the_connection_is_true)
{
	BusStage *stage = stage_with_bus();

	bus_peer_own(stage->peer, NAME);
	bus_stage_quiet(stage);
	bus_stage_subscribe(stage, KEY);
	bus_stage_expect(stage, KEY, "true: owned by :*");

	ck_assert_uint_eq(stage->n_false, 0);
	bus_stage_free(stage);
}
END_TEST

START_TEST(exit_of_the_owner_makes_it_false)
{
	BusStage *stage = stage_with_bus();

	bus_stage_subscribe(stage, KEY);
	bus_peer_own(stage->peer, NAME);
	bus_stage_expect(stage, KEY, "true: *");
	g_clear_pointer(&stage->peer, bus_peer_free);

	bus_stage_expect(stage, KEY, NO_OWNER);
	bus_stage_free(stage);
}
END_TEST

START_TEST(bus_that_goes_makes_it_unknown_and_never_false)
{
	BusStage *stage = stage_with_bus();

	bus_peer_own(stage->peer, NAME);
	bus_stage_quiet(stage);
	bus_stage_subscribe(stage, KEY);
	bus_stage_expect(stage, KEY, "true: *");

	bus_stage_kill_bus(stage);

	ck_assert_str_eq(bus_stage_report(stage, KEY), NO_BUS);
	ck_assert_uint_eq(stage->n_false, 0);
	bus_stage_free(stage);
}
END_TEST

START_TEST(bus_that_ends_in_good_order_makes_nothing_false_either)
{
	BusStage *stage = stage_with_bus();

	bus_stage_subscribe(stage, KEY);
	bus_peer_own(stage->peer, NAME);
	bus_stage_expect(stage, KEY, "true: *");
	stage->n_false = 0;
	ck_assert_int_eq(kill(stage->daemon.pid, SIGTERM), 0);
	bus_stage_expect(stage, KEY, NO_BUS);

	ck_assert_uint_eq(stage->n_false, 0);
	bus_stage_free(stage);
}
END_TEST

START_TEST(answer_after_a_new_connection_decides)
{
	BusStage *stage = stage_with_bus();

	bus_stage_subscribe(stage, KEY);
	bus_stage_subscribe(stage, "dbus:org.example.Other");
	bus_peer_own(stage->peer, NAME);
	bus_stage_expect(stage, KEY, "true: *");
	for (int i = 0; i < 5; i++) {
		bus_stage_kill_bus(stage);
		bus_stage_start(stage);
		bus_peer_own(stage->peer, NAME);

		bus_stage_expect(stage, KEY, "true: *");
		bus_stage_expect(stage, "dbus:org.example.Other", NO_OWNER);
	}
	bus_stage_free(stage);
}
END_TEST

/* An owner may return after svcd has looked for it. This must not stop any service. */
START_TEST(owner_may_take_some_seconds_to_come_back)
{
	BusStage *stage = stage_with_bus();

	bus_stage_subscribe(stage, KEY);
	bus_stage_subscribe(stage, "dbus:org.example.Other");
	bus_peer_own(stage->peer, NAME);
	bus_peer_own(stage->peer, "org.example.Other");
	bus_stage_expect(stage, "dbus:org.example.Other", "true: *");
	stage->n_false = 0;
	bus_stage_kill_bus(stage);
	bus_stage_start(stage);
	bus_stage_expect(stage, KEY,
			 "unknown: its owner has not returned since the system bus was restarted");
	bus_peer_own(stage->peer, NAME);
	bus_stage_expect(stage, KEY, "true: *");
	ck_assert_uint_eq(stage->n_false, 0);

	bus_stage_expect(stage, "dbus:org.example.Other", NO_OWNER);
	ck_assert_uint_eq(stage->n_false, 1);
	bus_stage_free(stage);
}
END_TEST

START_TEST(bus_that_appears_is_queried)
{
	BusStage *stage = stage_without_bus();

	bus_stage_subscribe(stage, KEY);
	bus_stage_start(stage);

	bus_stage_expect(stage, KEY, NO_OWNER);
	bus_stage_free(stage);
}
END_TEST

START_TEST(second_subscriber_gets_the_present_level)
{
	BusStage *stage = stage_with_bus();
	unsigned n_before;

	bus_stage_subscribe(stage, KEY);
	bus_stage_expect(stage, KEY, NO_OWNER);
	n_before = stage->n_reports;
	bus_stage_subscribe(stage, KEY);
	stage_until(stage->n_reports > n_before);

	ck_assert_str_eq(bus_stage_report(stage, KEY), NO_OWNER);
	bus_stage_free(stage);
}
END_TEST

START_TEST(nothing_is_reported_after_unsubscribing)
{
	BusStage *stage = stage_with_bus();
	unsigned n_before;

	bus_stage_subscribe(stage, KEY);
	bus_stage_expect(stage, KEY, NO_OWNER);
	n_before = stage->n_reports;
	bus_stage_unsubscribe(stage, KEY);
	bus_peer_own(stage->peer, NAME);
	bus_stage_quiet(stage);

	ck_assert_uint_eq(stage->n_reports, n_before);
	bus_stage_free(stage);
}
END_TEST

/* dbus-daemon allows 512 match rules per connection. */
START_TEST(two_thousand_names_are_followed_with_few_matches)
{
	BusStage *stage = stage_with_bus();
	const unsigned n = 2000;

	for (unsigned i = 0; i < n; i++) {
		g_autofree char *key = g_strdup_printf("dbus:org.example.N%u", i);

		bus_stage_subscribe(stage, key);
	}
	stage_until(stage->n_false == n);
	for (unsigned i = 0; i < n; i += 100) {
		g_autofree char *key = g_strdup_printf("dbus:org.example.N%u", i);

		bus_peer_own(stage->peer, key + strlen("dbus:"));
		bus_stage_expect(stage, key, "true: *");
	}
	bus_stage_free(stage);
}
END_TEST

START_TEST(general_match_goes_with_the_last_name_that_needs_it)
{
	BusStage *stage = stage_with_bus();

	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < LIMIT_BUS_RULES + 10; i++) {
			g_autofree char *key = g_strdup_printf("dbus:org.example.N%u", i);

			bus_stage_subscribe(stage, key);
		}
		bus_peer_own(stage->peer, "org.example.N105");
		bus_stage_expect(stage, "dbus:org.example.N105", "true: *");
		bus_peer_release(stage->peer, "org.example.N105");
		bus_stage_expect(stage, "dbus:org.example.N105", NO_OWNER);
		for (unsigned i = 0; i < LIMIT_BUS_RULES + 10; i++) {
			g_autofree char *key = g_strdup_printf("dbus:org.example.N%u", i);

			bus_stage_unsubscribe(stage, key);
		}
	}
	bus_stage_free(stage);
}
END_TEST

START_TEST(substitute_is_not_an_owner)
{
	BusStage *stage = stage_with_bus();

	bus_stage_subscribe(stage, KEY);
	bus_stage_expect(stage, KEY, NO_OWNER);
	dbus_name_provider_ignore(stage->provider, system_bus_unique_name(stage->peer->bus));
	bus_peer_own(stage->peer, NAME);
	bus_stage_quiet(stage);

	ck_assert_str_eq(bus_stage_report(stage, KEY), NO_OWNER);
	bus_stage_free(stage);
}
END_TEST

START_TEST(substitute_that_is_reported_late_makes_its_names_false)
{
	BusStage *stage = stage_with_bus();

	bus_peer_own(stage->peer, NAME);
	bus_stage_quiet(stage);
	bus_stage_subscribe(stage, KEY);
	bus_stage_expect(stage, KEY, "true: *");

	dbus_name_provider_ignore(stage->provider, system_bus_unique_name(stage->peer->bus));
	ck_assert_str_eq(bus_stage_report(stage, KEY), NO_OWNER);
	bus_stage_free(stage);
}
END_TEST

/*
 * A bus numbers its connections. Returns: the number that the peer gets when it connects again,
 * such as the 42 in ":1.42".
 */
static int next_peer(BusStage *stage)
{
	g_clear_pointer(&stage->peer, bus_peer_free);
	stage->peer = bus_peer_new(stage->daemon.socket);
	stage_until(system_bus_is_connected(stage->peer->bus));
	return atoi(strchr(system_bus_unique_name(stage->peer->bus), '.') + 1);
}

/*
 * A new bus starts numbering from the beginning, so another process may get the name of the former
 * substitute.
 */
START_TEST(substitute_is_forgotten_with_its_bus)
{
	BusStage *stage = stage_with_bus();
	g_autofree char *ignored = NULL;

	while (next_peer(stage) < 5)
		;
	ignored = g_strdup(system_bus_unique_name(stage->peer->bus));
	bus_stage_subscribe(stage, KEY);
	dbus_name_provider_ignore(stage->provider, ignored);
	bus_stage_quiet(stage);
	bus_stage_kill_bus(stage);
	bus_stage_start(stage);
	while (next_peer(stage) < 5)
		;
	ck_assert_str_eq(system_bus_unique_name(stage->peer->bus), ignored);
	bus_peer_own(stage->peer, NAME);

	bus_stage_expect(stage, KEY, "true: *");
	bus_stage_free(stage);
}
END_TEST

/* The requester's name is arbitrary text. Only a connection can replace the owner. */
START_TEST(substitute_without_a_connection_is_ignored)
{
	static const char *const no_connections[] = { NAME, "org.example.Other", "",
						      ":",  ":1.5',arg0='x",     "nobody at all" };
	BusStage *stage = stage_with_bus();

	bus_stage_subscribe(stage, KEY);
	bus_peer_own(stage->peer, NAME);
	bus_stage_expect(stage, KEY, "true: *");
	for (size_t i = 0; i < G_N_ELEMENTS(no_connections); i++)
		dbus_name_provider_ignore(stage->provider, no_connections[i]);
	bus_stage_quiet(stage);
	bus_peer_release(stage->peer, NAME);

	bus_stage_expect(stage, KEY, NO_OWNER);
	bus_stage_free(stage);
}
END_TEST

/* A stopped bus daemon stays connected, but is silent. */
START_TEST(silent_bus_leaves_it_unknown_until_it_answers)
{
	BusStage *stage = stage_with_bus();

	ck_assert_int_eq(kill(stage->daemon.pid, SIGSTOP), 0);
	bus_stage_subscribe(stage, KEY);
	ck_assert_str_eq(bus_stage_report(stage, KEY),
			 "unknown: the system bus has not answered yet");
	ck_assert_int_eq(kill(stage->daemon.pid, SIGCONT), 0);

	bus_stage_expect(stage, KEY, NO_OWNER);
	bus_stage_free(stage);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("dbus-name");

	ADD_CASE(suite, "names", without_a_bus_nothing_is_known, name_is_true_while_it_has_an_owner,
		 name_owned_before_the_connection_is_true, exit_of_the_owner_makes_it_false,
		 bus_that_goes_makes_it_unknown_and_never_false,
		 bus_that_ends_in_good_order_makes_nothing_false_either,
		 answer_after_a_new_connection_decides, owner_may_take_some_seconds_to_come_back,
		 bus_that_appears_is_queried, second_subscriber_gets_the_present_level,
		 nothing_is_reported_after_unsubscribing,
		 two_thousand_names_are_followed_with_few_matches,
		 general_match_goes_with_the_last_name_that_needs_it, substitute_is_not_an_owner,
		 substitute_that_is_reported_late_makes_its_names_false,
		 substitute_is_forgotten_with_its_bus, substitute_without_a_connection_is_ignored,
		 silent_bus_leaves_it_unknown_until_it_answers);
	return suite;
}
