/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Login screen: its needs start first, some services wait for it, and the wait always ends.
 */
#include "config.h"

#include <check.h>

#include "boot/progress.h"
#include "engine/explain.h"
#include "tests/lib/suite.h"
#include "tests/lib/world.h"

#define D "[Service]\nExec=/usr/sbin/d\nReady=notify\n"
#define T "[Service]\nType=task\nExec=/usr/sbin/t\n"
#define SCREEN "[defaults]\nNewServices=boot\nLoginScreen=$x-display-manager $text-login\n"
#define DM                                                                                                         \
	D "[Conditions]\nWhen=path:exec:/usr/sbin/gdm3\nWhen=service:dbus\nWhen=dbus:org.login1\nWants=accounts\n" \
	  "Provides=$x-display-manager\n"
#define GETTY D "[Conditions]\nAfter=utmp\nProvides=$text-login\n"
#define LATE "[service anacron]\nClass=after-login\n"

static const char desktop[] =
	"== accounts\n" D "== anacron\n" T "== cups\n" D "== dbus\n" D
	"[Conditions]\nAfter=hostname\n"
	"== elogind\n[Service]\nExec=/usr/sbin/e\nReady=dbus:org.login1\n[Conditions]\n"
	"While=service:dbus\n"
	"== gdm\n" DM "ShownWhen=flag:drawn\n== getty\n" GETTY "== hostname\n" T "== utmp\n" T;

static World *desktop_new(const char *more)
{
	g_autofree char *policy = g_strconcat(SCREEN LATE, more, NULL);
	World *w = world_new_with_policy(desktop, policy);

	world_set(w, "path:exec:/usr/sbin/gdm3", true);
	return w;
}

static void expect_class(World *w, const char *service, ServiceClass expected)
{
	ck_assert_msg(engine_class(world_find(w, service)) == expected, "%s is %s, not %s", service,
		      service_class_name(engine_class(world_find(w, service))),
		      service_class_name(expected));
}

/* The login screen and its needs are up. It is not drawn yet. */
static void bring_up_gdm(World *w)
{
	world_exits(w, "hostname", 0);
	world_ready(w, "dbus");
	world_ready(w, "elogind");
	world_set(w, "dbus:org.login1", true);
	world_ready(w, "gdm");
	expect_state(w, "gdm", STATE_READY);
}

/* --- its needs --- */

START_TEST(services_that_its_conditions_lead_to_belong_to_it)
{
	static const char *const members[] = { "gdm", "dbus", "hostname", "elogind", "accounts" };
	static const char *const others[] = { "cups", "getty", "utmp" };
	g_autoptr(World) w = desktop_new("");

	for (size_t i = 0; i < G_N_ELEMENTS(members); i++)
		expect_class(w, members[i], SERVICE_CLASS_LOGIN_SCREEN);
	for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
		expect_class(w, others[i], SERVICE_CLASS_NORMAL);
	expect_class(w, "anacron", SERVICE_CLASS_AFTER_LOGIN);
}
END_TEST

START_TEST(its_needs_start_before_others_that_can_start_at_the_same_moment)
{
	g_autoptr(World) w = world_new_with_policy("== a\n" D "== b\n" D "== y\n" D "== z\n" D
						   "[Conditions]\nAfter=y\n",
						   "[defaults]\nNewServices=boot\nLoginScreen=z\n");

	expect_log(w, "start y, start a, start b");
}
END_TEST

START_TEST(policy_overrides_its_members)
{
	g_autoptr(World) w = desktop_new(
		"[service cups]\nClass=login-screen\n[service elogind]\nClass=normal\n");

	expect_class(w, "cups", SERVICE_CLASS_LOGIN_SCREEN);
	expect_class(w, "elogind", SERVICE_CLASS_NORMAL);
	expect_class(w, "dbus", SERVICE_CLASS_LOGIN_SCREEN);
}
END_TEST

START_TEST(what_it_needs_cannot_wait_for_it)
{
	g_autoptr(World) w = desktop_new("[service hostname]\nClass=after-login\n");

	expect_class(w, "hostname", SERVICE_CLASS_LOGIN_SCREEN);
	expect_state(w, "hostname", STATE_STARTING);
}
END_TEST

START_TEST(without_a_display_manager_it_is_the_text_login)
{
	g_autoptr(World) w = desktop_new("");

	world_set(w, "path:exec:/usr/sbin/gdm3", false);
	expect_class(w, "getty", SERVICE_CLASS_LOGIN_SCREEN);
	expect_class(w, "utmp", SERVICE_CLASS_LOGIN_SCREEN);
	expect_class(w, "dbus", SERVICE_CLASS_NORMAL);
	expect_state(w, "anacron", STATE_WAITING);
	world_exits(w, "utmp", 0);
	world_ready(w, "getty");
	expect_state(w, "anacron", STATE_STARTING);
}
END_TEST

START_TEST(a_service_that_waits_for_more_than_a_program_is_still_a_candidate)
{
	g_autoptr(World) w = world_new_with_policy(
		"== dm\n" D "[Conditions]\nWhen=path:exec:/bin/dm | flag:screen\n== login\n" D,
		"[defaults]\nNewServices=boot\nLoginScreen=dm login\n");

	world_set(w, "path:exec:/bin/dm", false);
	world_set(w, "flag:screen", false);
	expect_class(w, "dm", SERVICE_CLASS_LOGIN_SCREEN);
	expect_class(w, "login", SERVICE_CLASS_NORMAL);
}
END_TEST

START_TEST(where_policy_names_none_no_service_waits)
{
	g_autoptr(World) w = world_new_with_policy(desktop, "[defaults]\nNewServices=boot\n" LATE);

	expect_state(w, "anacron", STATE_STARTING);
}
END_TEST

/* --- until it is drawn --- */

START_TEST(after_login_waits_until_it_is_shown)
{
	g_autoptr(World) w = desktop_new("");

	bring_up_gdm(w);
	expect_state(w, "anacron", STATE_WAITING);
	ck_assert(!engine_is_at_rest(world_engine(w)));

	world_set(w, "flag:drawn", true);
	expect_state(w, "anacron", STATE_STARTING);
}
END_TEST

static bool is_finished(World *w)
{
	Progress progress;

	progress_get(world_engine(w), &progress);
	return progress.finished;
}

static World *late_new(void)
{
	return world_new_with_policy(
		"== after\n" D "[Conditions]\nAfter=late\n== late\n" T "== screen\n" D
		"[Conditions]\nShownWhen=flag:drawn\n"
		"== slow\n" D,
		"[defaults]\nNewServices=boot\nLoginScreen=screen\n[service late]\n"
		"Class=after-login\n");
}

START_TEST(the_boot_is_over_without_those_that_wait_for_it)
{
	g_autoptr(World) w = late_new();

	world_ready(w, "screen");
	ck_assert(!is_finished(w));
	world_ready(w, "slow");
	ck_assert(is_finished(w));
	expect_state(w, "late", STATE_WAITING);
	expect_state(w, "after", STATE_WAITING); /* the ordering is kept */

	world_crash(w);
	expect_state(w, "late", STATE_WAITING);
	world_set(w, "flag:drawn", true);
	expect_state(w, "late", STATE_STARTING);
	expect_state(w, "after", STATE_WAITING);
	world_exits(w, "late", 0);
	expect_state(w, "after", STATE_STARTING);
}
END_TEST

START_TEST(once_it_is_there_the_boot_goes_on_for_those_that_have_waited)
{
	g_autoptr(World) w = late_new();

	world_ready(w, "screen");
	world_set(w, "flag:drawn", true);
	world_ready(w, "slow");
	ck_assert(!is_finished(w));
	world_exits(w, "late", 0);
	world_ready(w, "after");
	ck_assert(is_finished(w));
}
END_TEST

START_TEST(once_drawn_it_counts_as_drawn_for_this_boot)
{
	g_autoptr(World) w = desktop_new("");

	bring_up_gdm(w);
	world_set(w, "flag:drawn", true);
	world_exits(w, "anacron", 0);
	world_set(w, "flag:drawn", false);
	world_dies(w, "gdm", 1);
	world_stop(w, "anacron");
	world_gone(w, "anacron");
	world_request(w, REQUEST_VERB_CLEAR, "anacron");
	expect_state(w, "anacron", STATE_STARTING);
}
END_TEST

/*
 * While "second" was the login screen, it queued for the lock. Now it waits for "first" instead.
 */
START_TEST(a_service_that_waits_again_delays_no_others)
{
	g_autoptr(World) w = world_new_with_policy(
		"== first\n[Service]\nExec=/bin/d\nReady=notify\n[Conditions]\nWhen=flag:f\n"
		"== holder\n[Service]\nExec=/bin/d\nReady=notify\nStartLock=l\n"
		"== second\n[Service]\nExec=/bin/d\nReady=notify\nStartLock=l\n"
		"== other\n[Service]\nExec=/bin/d\nReady=notify\nStartLock=l\n",
		"[runlevel 2]\nActivate=holder second other\n[defaults]\nLoginScreen=first "
		"second\n[service second]\nClass=after-login\n");

	expect_state(w, "holder", STATE_STARTING);
	expect_cause(w, "second", "waits for the lock l, which holder holds");
	world_start(w, "first");
	world_started(w, "holder");
	world_ready(w, "holder");
	expect_state(w, "second", STATE_WAITING);
	expect_state(w, "other", STATE_STARTING);
}
END_TEST

START_TEST(a_silent_login_screen_counts_as_drawn_after_a_time)
{
	g_autoptr(World) w = desktop_new("");

	bring_up_gdm(w);
	world_advance(w, LIMIT_LOGIN_SCREEN_DRAWN_US - 1);
	expect_state(w, "anacron", STATE_WAITING);
	world_advance(w, 1);
	expect_state(w, "anacron", STATE_STARTING);
}
END_TEST

START_TEST(a_login_screen_that_never_comes_is_given_up)
{
	g_autoptr(World) w = desktop_new("");

	world_advance(w, LIMIT_LOGIN_SCREEN_US - 1);
	expect_state(w, "anacron", STATE_WAITING);
	world_advance(w, 1);
	expect_state(w, "gdm", STATE_WAITING);
	expect_state(w, "anacron", STATE_STARTING);
}
END_TEST

START_TEST(a_login_screen_that_failed_for_good_makes_way_for_the_next)
{
	g_autoptr(World) w = desktop_new("");

	world_exits(w, "utmp", 0);
	world_ready(w, "getty");
	expect_state(w, "anacron", STATE_WAITING);
	world_stop(w, "gdm");
	expect_state(w, "anacron", STATE_STARTING);
}
END_TEST

START_TEST(requested_service_does_not_wait)
{
	g_autoptr(World) w = desktop_new("");

	world_start(w, "anacron");
	expect_state(w, "anacron", STATE_STARTING);
}
END_TEST

START_TEST(a_shutdown_waits_for_no_login_screen)
{
	g_autoptr(World)
		w = world_new_with_policy(desktop, SCREEN LATE "[runlevel 6]\nActivate=anacron\n");

	world_set(w, "path:exec:/usr/sbin/gdm3", true);
	world_runlevel(w, "6");
	expect_state(w, "anacron", STATE_STARTING);
}
END_TEST

START_TEST(another_manager_goes_on_waiting)
{
	g_autoptr(World) w = desktop_new("");

	bring_up_gdm(w);
	world_advance_s(w, 20);
	world_crash(w);
	expect_state(w, "anacron", STATE_WAITING);
	expect_class(w, "elogind", SERVICE_CLASS_LOGIN_SCREEN);
	world_advance(w, LIMIT_LOGIN_SCREEN_DRAWN_US - (int64_t)20 * G_USEC_PER_SEC);
	expect_state(w, "anacron", STATE_STARTING);
}
END_TEST

START_TEST(new_files_change_its_members)
{
	g_autoptr(World) w = desktop_new("");

	world_reload(w, desktop,
		     SCREEN
		     "[service cups]\nClass=after-login\n[service utmp]\nClass=login-screen\n");
	expect_class(w, "anacron", SERVICE_CLASS_NORMAL);
	expect_class(w, "utmp", SERVICE_CLASS_LOGIN_SCREEN);
	expect_state(w, "anacron", STATE_STARTING);
}
END_TEST

/* --- messages --- */

START_TEST(explain_names_the_wait_its_origin_and_its_limit)
{
	g_autoptr(World) w = desktop_new("");
	g_autoptr(GPtrArray) reasons = NULL;

	world_advance_s(w, 10);
	reasons = explain_service(world_engine(w), "anacron", world_now(w));
	ck_assert_str_eq(((const Reason *)g_ptr_array_index(reasons, 0))->text,
			 "anacron waits for the login screen.");
	ck_assert_str_eq(
		((const Reason *)g_ptr_array_index(reasons, 1))->text,
		"It is wanted in runlevel 2 (/etc/svcd/policy.d/local.policy:2). It waits for "
		"the login screen "
		"($x-display-manager), at most 1 min 20 s: Class=after-login "
		"(/etc/svcd/policy.d/local.policy:5).");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("login screen");

	ADD_CASE(suite, "what it needs", services_that_its_conditions_lead_to_belong_to_it,
		 its_needs_start_before_others_that_can_start_at_the_same_moment,
		 policy_overrides_its_members, what_it_needs_cannot_wait_for_it,
		 without_a_display_manager_it_is_the_text_login,
		 a_service_that_waits_for_more_than_a_program_is_still_a_candidate,
		 where_policy_names_none_no_service_waits);
	ADD_CASE(suite, "until it is there", after_login_waits_until_it_is_shown,
		 the_boot_is_over_without_those_that_wait_for_it,
		 once_it_is_there_the_boot_goes_on_for_those_that_have_waited,
		 once_drawn_it_counts_as_drawn_for_this_boot,
		 a_silent_login_screen_counts_as_drawn_after_a_time,
		 a_login_screen_that_never_comes_is_given_up,
		 a_login_screen_that_failed_for_good_makes_way_for_the_next,
		 requested_service_does_not_wait, a_shutdown_waits_for_no_login_screen,
		 another_manager_goes_on_waiting, new_files_change_its_members,
		 a_service_that_waits_again_delays_no_others);
	ADD_CASE(suite, "words", explain_names_the_wait_its_origin_and_its_limit);
	return suite;
}
