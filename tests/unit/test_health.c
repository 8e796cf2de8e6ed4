/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Engine: the health of services that are up, and of their dependents.
 */
#include "config.h"

#include "tests/lib/suite.h"
#include "tests/lib/world.h"

static const char requested[] =
	"== base\n[Service]\nExec=/bin/base\nHealthCommand=/bin/ask\nRestart=on-failure\n"
	"== upper\n[Service]\nExec=/bin/upper\n[Conditions]\nWhile=healthy:base\n";

START_TEST(dependents_wait_for_the_first_answer_of_a_health_check)
{
	g_autoptr(World) w = world_new(requested);

	world_settle(w);
	expect_state(w, "base", STATE_READY);
	expect_state(w, "upper", STATE_WAITING);
	expect_level(w, "healthy:base", LEVEL_UNKNOWN);

	world_health(w, "base", NULL);
	expect_level(w, "healthy:base", LEVEL_TRUE);
	world_settle(w);
	expect_state(w, "upper", STATE_READY);
}
END_TEST

START_TEST(dependents_of_an_unhealthy_service_stop_and_come_back)
{
	g_autoptr(World) w = world_new(requested);

	world_settle(w);
	world_health(w, "base", NULL);
	world_settle(w);
	world_health(w, "base", "HealthCommand= failed 3 times: exit status 1");
	world_settle(w);

	expect_level(w, "healthy:base", LEVEL_FALSE);
	expect_state(w, "upper", STATE_WAITING);
	expect_state(w, "base", STATE_READY);
	expect_cause(w, "base", "unhealthy: HealthCommand= failed 3 times: exit status 1");

	world_health(w, "base", NULL);
	world_settle(w);
	expect_state(w, "upper", STATE_READY);
	expect_cause(w, "base", "healthy again");
}
END_TEST

START_TEST(a_need_for_health_starts_the_service)
{
	g_autoptr(World) w = world_new_with_policy(
		requested, "[runlevel 2]\nActivate=upper\n[service base]\nActivation=on-demand\n");

	world_settle(w);

	expect_state(w, "base", STATE_READY);
}
END_TEST

START_TEST(another_manager_stops_nothing_before_it_knows)
{
	g_autoptr(World) w = world_new(requested);

	world_settle(w);
	world_health(w, "base", NULL);
	world_settle(w);
	world_crash(w);
	world_settle(w);

	expect_level(w, "healthy:base", LEVEL_UNKNOWN);
	expect_state(w, "upper", STATE_READY);
}
END_TEST

START_TEST(health_ends_with_the_run)
{
	g_autoptr(World) w = world_new(requested);

	world_settle(w);
	world_health(w, "base", NULL);
	world_stop(w, "base");
	world_settle(w);

	expect_level(w, "healthy:base", LEVEL_FALSE);
	ck_assert_int_eq(world_find(w, "base")->health, HEALTH_UNKNOWN);
	world_start(w, "base");
	world_settle(w);
	expect_level(w, "healthy:base", LEVEL_UNKNOWN);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("health");

	ADD_CASE(suite, "HealthCommand=", dependents_wait_for_the_first_answer_of_a_health_check,
		 dependents_of_an_unhealthy_service_stop_and_come_back,
		 a_need_for_health_starts_the_service,
		 another_manager_stops_nothing_before_it_knows, health_ends_with_the_run);
	return suite;
}
