/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Flags with an owner on a real bus, and a peer that takes and releases the name. For the admin's
 * flags see test_registry.c.
 */
#include "config.h"

#include <check.h>
#include <string.h>

#include "base/errors.h"
#include "base/limits.h"
#include "providers/flag.h"
#include "tests/lib/bus-stage.h"
#include "tests/lib/suite.h"

#define OWNER "org.example.Weather"
#define FLAG OWNER "/rain"
#define KEY "flag:" FLAG
#define NOT_SET "false: the flag is not set"
#define UNKNOWN_OWNER "unknown: the bus does not report the owner of its name"

static BusStage *stage_with_owner(void)
{
	BusStage *stage = bus_stage_new(flag_provider_new);

	bus_stage_start(stage);
	bus_peer_own(stage->peer, OWNER);
	bus_stage_subscribe(stage, KEY);
	bus_stage_expect(stage, KEY, NOT_SET);
	bus_stage_quiet(stage); /* the bus has answered the queries about itself and the owner */
	return stage;
}

static FlagProvider *flags_of(BusStage *stage)
{
	return flag_provider_cast(stage->provider);
}

static const char *peer_name(const BusStage *stage)
{
	return system_bus_unique_name(stage->peer->bus);
}

static void set(BusStage *stage, bool is_set, const char *holder)
{
	g_autoptr(GError) error = NULL;

	ck_assert_msg(flag_provider_set(flags_of(stage), FLAG, is_set, holder, "set by uid 7",
					&error),
		      "%s", error ? error->message : "");
}

START_TEST(its_owner_sets_and_clears_it)
{
	BusStage *stage = stage_with_owner();

	set(stage, true, peer_name(stage));
	bus_stage_expect(stage, KEY, "true: set by uid 7");
	set(stage, false, peer_name(stage));
	bus_stage_expect(stage, KEY, NOT_SET);
	bus_stage_free(stage);
}
END_TEST

static unsigned n_cleared;

static void on_cleared(void *data, const char *name)
{
	ck_assert_str_eq(name, FLAG);
	n_cleared++;
}

START_TEST(it_is_cleared_when_its_owner_gives_the_name_up)
{
	BusStage *stage = stage_with_owner();
	const unsigned before = n_cleared;

	flag_provider_on_cleared(flags_of(stage), on_cleared, NULL);
	set(stage, true, peer_name(stage));
	bus_stage_expect(stage, KEY, "true: set by uid 7");

	bus_peer_release(stage->peer, OWNER);
	bus_stage_expect(stage, KEY, NOT_SET);
	ck_assert_uint_eq(n_cleared, before + 1);
	bus_peer_own(stage->peer, OWNER);
	bus_stage_quiet(stage);
	ck_assert_str_eq(bus_stage_report(stage, KEY), NOT_SET);
	bus_stage_free(stage);
}
END_TEST

START_TEST(without_the_bus_owners_are_unknown_and_a_new_bus_starts_over)
{
	BusStage *stage = stage_with_owner();

	set(stage, true, peer_name(stage));
	bus_stage_expect(stage, KEY, "true: set by uid 7");

	bus_stage_kill_bus(stage);
	bus_stage_expect(stage, KEY, UNKNOWN_OWNER);
	bus_stage_start(stage);
	bus_stage_expect(stage, KEY, NOT_SET);
	bus_stage_free(stage);
}
END_TEST

/* --- callers without the right --- */

START_TEST(another_bus_client_may_not_change_it)
{
	BusStage *stage = stage_with_owner();

	for (int is_set = 0; is_set <= 1; is_set++) {
		g_autoptr(GError) error = NULL;

		ck_assert(!flag_provider_set(flags_of(stage), FLAG, is_set, ":1.999", "", &error));
		ck_assert_int_eq(error->code, SVCD_ERROR_NOT_AUTHORIZED);
		ck_assert_str_eq(error->message, "you do not own " OWNER " on the bus");
	}
	bus_stage_free(stage);
}
END_TEST

START_TEST(a_client_that_is_not_on_the_bus_may_clear_but_not_set_it)
{
	BusStage *stage = stage_with_owner();
	g_autoptr(GError) error = NULL;

	ck_assert(!flag_provider_set(flags_of(stage), FLAG, true, NULL, "", &error));
	ck_assert_str_eq(error->message, "only the program that owns " OWNER
					 " on the bus sets its flags; you may only clear them");
	set(stage, true, peer_name(stage));
	bus_stage_expect(stage, KEY, "true: *");
	set(stage, false, NULL);
	bus_stage_expect(stage, KEY, NOT_SET);
	bus_stage_free(stage);
}
END_TEST

START_TEST(one_owner_cannot_exhaust_the_limit_for_all)
{
	BusStage *stage = stage_with_owner();
	g_autoptr(GError) error = NULL;

	for (int i = 0; i < LIMIT_FLAGS_OF_OWNER; i++) {
		g_autofree char *name = g_strdup_printf(OWNER "/f%d", i);

		ck_assert(
			flag_provider_set(flags_of(stage), name, true, peer_name(stage), "", NULL));
	}
	ck_assert(!flag_provider_set(flags_of(stage), FLAG, true, peer_name(stage), "", &error));
	ck_assert_int_eq(error->code, SVCD_ERROR_LIMIT_REACHED);
	ck_assert(flag_provider_set(flags_of(stage), "backup", true, NULL, "", NULL));
	bus_stage_free(stage);
}
END_TEST

/* --- across manager restarts --- */

START_TEST(a_new_manager_believes_the_note_while_the_holder_is_the_owner)
{
	BusStage *stage = stage_with_owner();
	g_autofree char *note = NULL;

	set(stage, true, peer_name(stage));
	note = flag_provider_note(flags_of(stage), FLAG);
	set(stage, false, NULL);
	bus_stage_expect(stage, KEY, NOT_SET);

	ck_assert(flag_provider_recover(flags_of(stage), FLAG, note, NULL));
	bus_stage_expect(stage, KEY, "true: set by uid 7");
	bus_stage_free(stage);
}
END_TEST

START_TEST(the_same_unique_name_on_another_bus_is_another)
{
	BusStage *stage = stage_with_owner();
	g_autofree char *note = g_strdup_printf("%s 0123456789abcdef0123456789abcdef set by uid 7",
						peer_name(stage));

	ck_assert(flag_provider_recover(flags_of(stage), FLAG, note, NULL));
	bus_stage_quiet(stage);
	ck_assert_str_eq(bus_stage_report(stage, KEY), NOT_SET);
	bus_stage_free(stage);
}
END_TEST

static const char *const bad_notes[] = { "", "set by uid 0", "x y z", ":1.2 abc" };

START_TEST(a_note_without_a_holder_is_refused)
{
	BusStage *stage = bus_stage_new(flag_provider_new);
	g_autoptr(GError) error = NULL;

	ck_assert(!flag_provider_recover(flags_of(stage), FLAG, bad_notes[_i], &error));
	ck_assert_int_eq(error->code, SVCD_ERROR_INVALID_ARGUMENT);
	bus_stage_free(stage);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("flag");

	ADD_CASE(suite, "life", its_owner_sets_and_clears_it,
		 it_is_cleared_when_its_owner_gives_the_name_up,
		 without_the_bus_owners_are_unknown_and_a_new_bus_starts_over);
	ADD_CASE(suite, "refusals", another_bus_client_may_not_change_it,
		 a_client_that_is_not_on_the_bus_may_clear_but_not_set_it,
		 one_owner_cannot_exhaust_the_limit_for_all);
	ADD_CASE(suite, "notes", a_new_manager_believes_the_note_while_the_holder_is_the_owner,
		 the_same_unique_name_on_another_bus_is_another);
	suite_add_loop(suite, "notes", a_note_without_a_holder_is_refused, G_N_ELEMENTS(bad_notes));
	return suite;
}
