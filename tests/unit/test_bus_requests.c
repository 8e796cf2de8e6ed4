/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * org.svcd1: calls that change something, answered at once or later.
 */
#include "config.h"

#include <check.h>
#include <string.h>

#include "base/errors.h"
#include "bus/names.h"
#include "tests/lib/bus-world.h"
#include "tests/lib/suite.h"

/* --- changes --- */

START_TEST(start_answers_with_the_terms_that_are_false)
{
	g_autoptr(BusWorld) bw = bus_world_new_three();
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autoptr(GVariant) waits =
		bus_world_manager(connection, "Start", g_variant_new("(s)", "shy"), "(a(ssss))");
	g_autoptr(GVariant) starts =
		bus_world_manager(connection, "Start", g_variant_new("(s)", "base"), "(a(ssss))");
	g_autofree char *text = g_variant_print(waits, FALSE);
	g_autofree char *none = g_variant_print(starts, FALSE);

	ck_assert_msg(g_str_has_prefix(text, "([('flag:go', 'false', "), "%s", text);
	ck_assert_str_eq(none, "([],)");
}
END_TEST

START_TEST(the_cause_names_the_requester)
{
	g_autoptr(BusWorld) bw = bus_world_new_three();
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autoptr(GVariant) reply = NULL;
	g_autofree char *pid = g_strdup_printf("pid %d", (int)getpid());

	world_settle(bw->world);
	reply = bus_world_manager(connection, "Stop", g_variant_new("(sb)", "shy", FALSE), "()");
	bw->settles = true;
	g_variant_unref(
		bus_world_manager(connection, "Stop", g_variant_new("(sb)", "upper", FALSE), "()"));

	ck_assert_msg(strstr(service_cause(world_find(bw->world, "upper")), pid) != NULL, "%s",
		      service_cause(world_find(bw->world, "upper")));
}
END_TEST

START_TEST(stop_is_refused_while_others_need_it)
{
	g_autoptr(BusWorld) bw = bus_world_new_three();
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autofree char *refusal = NULL;

	world_settle(bw->world);
	bw->settles = true;
	refusal = bus_world_refusal(connection, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, "Stop",
				    g_variant_new("(sb)", "base", FALSE));
	ck_assert_str_eq(
		refusal,
		"org.svcd1.Error.Busy: base was not stopped: 1 running service needs it: upper");
	expect_state(bw->world, "base", STATE_READY);

	g_variant_unref(
		bus_world_manager(connection, "Stop", g_variant_new("(sb)", "base", TRUE), "()"));
	expect_state(bw->world, "base", STATE_IDLE);
	ck_assert(!service_is_up(world_find(bw->world, "upper")));
}
END_TEST

START_TEST(flags_are_set_listed_and_cleared)
{
	g_autoptr(BusWorld) bw = bus_world_new_three();
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autoptr(GVariant) listed = NULL;
	g_autoptr(GVariant) empty = NULL;
	g_autofree char *text = NULL;
	g_autofree char *none = NULL;

	g_variant_unref(
		bus_world_manager(connection, "SetFlag", g_variant_new("(sb)", "go", TRUE), "()"));
	expect_level(bw->world, "flag:go", LEVEL_TRUE);
	listed = bus_world_property(connection, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, "Flags");
	text = g_variant_print(listed, FALSE);
	ck_assert_str_eq(text, "['go']");

	g_variant_unref(
		bus_world_manager(connection, "SetFlag", g_variant_new("(sb)", "go", FALSE), "()"));
	expect_level(bw->world, "flag:go", LEVEL_FALSE);
	empty = bus_world_property(connection, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, "Flags");
	none = g_variant_print(empty, FALSE);
	ck_assert_str_eq(none, "[]");
}
END_TEST

START_TEST(runlevel_shutdown_and_reexec_are_passed_on)
{
	g_autoptr(BusWorld) bw = bus_world_new_three();
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);

	g_variant_unref(
		bus_world_manager(connection, "SetRunlevel", g_variant_new("(s)", "3"), "()"));
	g_variant_unref(bus_world_manager(connection, "ReloadFiles", NULL, "()"));
	g_variant_unref(
		bus_world_manager(connection, "Shutdown", g_variant_new("(s)", "reboot"), "()"));
	g_variant_unref(bus_world_manager(connection, "Reexec", NULL, "()"));

	ck_assert_str_eq(engine_runlevel(world_engine(bw->world)), "3");
	ck_assert_str_eq(bw->requests->str, "reload files; reboot; reexec");
}
END_TEST

/* --- later answers --- */

static GVariant *change_arguments(const char *arguments)
{
	g_auto(GStrv) list = g_strsplit(arguments, " ", -1);

	return g_variant_new("(^as)", list);
}

typedef struct Later {
	GVariant *reply;
	char *refusal;
} Later;

static void on_later(GObject *source, GAsyncResult *result, gpointer data)
{
	Later *later = data;
	g_autoptr(GError) error = NULL;

	later->reply = g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, &error);
	if (!later->reply)
		later->refusal = g_strdup(error->message);
}

static void begin_change(GDBusConnection *connection, const char *arguments, Later *later)
{
	*later = (Later){ 0 };
	g_dbus_connection_call(connection, NULL, OBJECT_PATH_MANAGER, INTERFACE_MANAGER,
			       "ChangePolicy", change_arguments(arguments), NULL,
			       G_DBUS_CALL_FLAGS_NONE, 60000, NULL, on_later, later);
}

static bool is_queried(void *data)
{
	return ((const BusWorld *)data)->ticket > 0;
}

static bool has_come(void *data)
{
	const Later *later = data;

	return later->reply || later->refusal;
}

START_TEST(a_change_of_policy_is_answered_when_it_has_ended)
{
	g_autoptr(BusWorld) bw = bus_world_new_three();
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autofree char *text = NULL;
	Later later;

	begin_change(connection, "set base never", &later);
	bus_world_run_until(is_queried, bw, "the change is asked for");
	g_variant_unref(bus_world_manager(connection, "ListServices", NULL, "(aa{sv})"));
	ck_assert(!has_come(&later));

	bus_change_ended(bw->bus, bw->ticket, 1, "there is no such word\n");
	bus_world_run_until(has_come, &later, "the answer");
	text = g_variant_print(later.reply, FALSE);
	ck_assert_str_eq(text, "(1, 'there is no such word\\n')");
	ck_assert_str_eq(bw->requests->str, "policy: set base never");
	g_variant_unref(later.reply);
}
END_TEST

START_TEST(a_change_of_policy_that_could_not_be_made_is_an_error)
{
	g_autoptr(BusWorld) bw = bus_world_new_three();
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autoptr(GError) error = NULL;
	Later later;

	begin_change(connection, "enable base", &later);
	bus_world_run_until(is_queried, bw, "the change is asked for");
	fail(&error, SVCD_ERROR_TIMEOUT, "it took too long");
	bus_change_failed(bw->bus, bw->ticket, error);
	bus_world_run_until(has_come, &later, "the answer");
	ck_assert_str_eq(later.refusal, "GDBus.Error:org.svcd1.Error.Timeout: it took too long");
	bus_change_failed(bw->bus, bw->ticket, error); /* no effect on an answered call */
	g_free(later.refusal);
}
END_TEST

START_TEST(the_answer_for_a_client_that_has_left_is_dropped)
{
	g_autoptr(BusWorld) bw = bus_world_new_three();
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autoptr(GDBusConnection) other = bus_world_connect(bw);
	Later later;

	begin_change(connection, "enable base", &later);
	bus_world_run_until(is_queried, bw, "the change is asked for");
	g_dbus_connection_close_sync(connection, NULL, NULL);
	bus_world_run_until(has_come, &later, "the end of the connection");
	g_variant_unref(bus_world_manager(other, "ListServices", NULL, "(aa{sv})"));

	bus_change_ended(bw->bus, bw->ticket, 0, "");
	g_variant_unref(bus_world_manager(other, "ListServices", NULL, "(aa{sv})"));
	g_free(later.refusal);
}
END_TEST

START_TEST(an_invalid_change_of_policy_is_refused_at_once)
{
	g_autoptr(BusWorld) bw = bus_world_new_three();
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autofree char *dance = bus_world_refusal(connection, OBJECT_PATH_MANAGER,
						   INTERFACE_MANAGER, "ChangePolicy",
						   change_arguments("dance"));
	g_autofree char *none = bus_world_refusal(connection, OBJECT_PATH_MANAGER,
						  INTERFACE_MANAGER, "ChangePolicy",
						  g_variant_new("(as)", NULL));

	ck_assert_str_eq(dance,
			 "org.svcd1.Error.InvalidArgument: \"dance\" is not a change of policy");
	ck_assert_str_eq(
		none,
		"org.svcd1.Error.InvalidArgument: a change of policy has 1 to 64 arguments, not 0");
}
END_TEST

/* --- CheckCommand= --- */

static const char checked_files[] =
	"== web\n[Service]\nExec=/bin/web\nReload=signal:HUP\nCheckCommand=/bin/web -t\n"
	"== overrun\n[Service]\nExec=/bin/overrun\nCheckCommand=/bin/true\n";
static const char checked_policy[] = "[runlevel 2]\nActivate=web overrun\n";

static void begin_call(GDBusConnection *connection, const char *method, GVariant *args,
		       Later *later)
{
	*later = (Later){ 0 };
	g_dbus_connection_call(connection, NULL, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, method,
			       args, NULL, G_DBUS_CALL_FLAGS_NONE, 60000, NULL, on_later, later);
}

static const struct {
	const char *method;
	bool has_flag;
	const char *done;
} checked_calls[] = {
	{ "Stop", true, "()" },
	{ "Restart", false, "([],)" },
	{ "Reload", false, "()" },
};

static GVariant *checked_arguments(int i)
{
	return checked_calls[i].has_flag ? g_variant_new("(sb)", "web", FALSE) :
					   g_variant_new("(s)", "web");
}

START_TEST(a_request_waits_for_the_check_and_is_refused_when_it_fails)
{
	g_autoptr(BusWorld) bw = bus_world_new(checked_files, checked_policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	const uint64_t *invocation = &world_find(bw->world, "web")->invocation;
	g_autoptr(GError) error = NULL;
	Later later;

	world_settle(bw->world);
	begin_call(connection, checked_calls[_i].method, checked_arguments(_i), &later);
	bus_world_run_until(is_queried, bw, "the check is asked for");
	g_variant_unref(bus_world_manager(connection, "ListServices", NULL, "(aa{sv})"));
	ck_assert(!has_come(&later));

	fail(&error, SVCD_ERROR_CHECK_FAILED, "web: its CheckCommand= failed");
	bus_check_ended(bw->bus, bw->ticket, error);
	bus_world_run_until(has_come, &later, "the refusal");
	ck_assert_str_eq(later.refusal,
			 "GDBus.Error:org.svcd1.Error.CheckFailed: web: its CheckCommand= failed");
	expect_state(bw->world, "web", STATE_READY);
	ck_assert_uint_eq(*invocation, 1);
	g_free(later.refusal);
}
END_TEST

START_TEST(a_request_is_carried_out_when_the_check_passes)
{
	g_autoptr(BusWorld) bw = bus_world_new(checked_files, checked_policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autofree char *text = NULL;
	Later later;

	world_settle(bw->world);
	begin_call(connection, checked_calls[_i].method, checked_arguments(_i), &later);
	bus_world_run_until(is_queried, bw, "the check is asked for");
	bus_check_ended(bw->bus, bw->ticket, NULL);
	bus_world_run_until(has_come, &later, "the answer");

	text = later.reply ? g_variant_print(later.reply, FALSE) : g_strdup(later.refusal);
	ck_assert_str_eq(text, checked_calls[_i].done);
	ck_assert_msg(strstr(service_cause(world_find(bw->world, "web")), " by uid "), "%s",
		      service_cause(world_find(bw->world, "web")));
	g_variant_unref(later.reply);
}
END_TEST

START_TEST(force_skips_the_check)
{
	g_autoptr(BusWorld) bw = bus_world_new(checked_files, checked_policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);

	world_settle(bw->world);
	bw->settles = true;
	g_variant_unref(bus_world_call(connection, SERVICE_PATH("web"), INTERFACE_SERVICE,
				       "Request", g_variant_new_parsed("('stop', ['force'])"), "()",
				       NULL));

	ck_assert_uint_eq(bw->ticket, 0);
	expect_state(bw->world, "web", STATE_IDLE);
}
END_TEST

START_TEST(too_many_checks_are_an_error)
{
	g_autoptr(BusWorld) bw = bus_world_new(checked_files, checked_policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autofree char *refusal = NULL;

	world_settle(bw->world);
	refusal = bus_world_refusal(connection, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, "Restart",
				    g_variant_new("(s)", "overrun"));

	ck_assert_str_eq(refusal, "org.svcd1.Error.LimitReached: too many requests wait");
}
END_TEST

START_TEST(a_request_is_dropped_when_its_client_leaves_during_the_check)
{
	g_autoptr(BusWorld) bw = bus_world_new(checked_files, checked_policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autoptr(GDBusConnection) other = bus_world_connect(bw);
	Later later;

	world_settle(bw->world);
	begin_call(connection, "Stop", g_variant_new("(sb)", "web", FALSE), &later);
	bus_world_run_until(is_queried, bw, "the check is asked for");
	g_dbus_connection_close_sync(connection, NULL, NULL);
	bus_world_run_until(has_come, &later, "the end of the connection");
	g_variant_unref(bus_world_manager(other, "ListServices", NULL, "(aa{sv})"));

	bus_check_ended(bw->bus, bw->ticket, NULL);
	expect_state(bw->world, "web", STATE_READY);
	g_free(later.refusal);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("bus: requests");

	ADD_CASE(suite, "changing", start_answers_with_the_terms_that_are_false,
		 the_cause_names_the_requester, stop_is_refused_while_others_need_it,
		 flags_are_set_listed_and_cleared, runlevel_shutdown_and_reexec_are_passed_on);
	ADD_CASE(suite, "answers that come later", a_change_of_policy_is_answered_when_it_has_ended,
		 a_change_of_policy_that_could_not_be_made_is_an_error,
		 the_answer_for_a_client_that_has_left_is_dropped,
		 an_invalid_change_of_policy_is_refused_at_once);
	suite_add_loop(suite,
		       "CheckCommand=", a_request_waits_for_the_check_and_is_refused_when_it_fails,
		       G_N_ELEMENTS(checked_calls));
	suite_add_loop(suite, "CheckCommand=", a_request_is_carried_out_when_the_check_passes,
		       G_N_ELEMENTS(checked_calls));
	ADD_CASE(suite, "CheckCommand=", force_skips_the_check, too_many_checks_are_an_error,
		 a_request_is_dropped_when_its_client_leaves_during_the_check);
	return suite;
}
