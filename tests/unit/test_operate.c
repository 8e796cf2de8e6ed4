/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What operators of a service may: a table of who operates what, what runs, and what is asked for.
 */
#include "config.h"

#include <check.h>
#include <dbus/dbus.h>

#include "bus/names.h"
#include "bus/operate.h"
#include "loop/wire.h"
#include "tests/lib/bus-world.h"

Suite *make_suite(void);

static const char files[] = "== base\n[Service]\nExec=/bin/base\n"
			    "== middle\n[Service]\nExec=/bin/middle\n[Conditions]\nWhile=service:base\n"
			    "== top\n[Service]\nExec=/bin/top\n[Conditions]\nWhile=service:middle\n"
			    "== rival\n[Service]\nExec=/bin/rival\n[Conditions]\nConflicts=lone\n"
			    "== lone\n[Service]\nExec=/bin/lone\n"
			    "== nickname\n[Service]\nExec=/bin/nickname\n[Conditions]\nConflicts=nick\n"
			    "== proper\n[Service]\nExec=/bin/proper\n[Conditions]\nProvides=nick\n"
			    "== user\n[Service]\nExec=/bin/user\n[Conditions]\nWhile=service:nick\n"
			    "== free\n[Service]\nExec=/bin/free\n";
static const char policy[] = "[runlevel 2]\nActivate=top free rival user\n";

static const struct {
	const char *operated; /* "GID:SERVICE"; the caller is in the groups 10 and 20 */
	const char *method;
	const char *service;
	bool with_dependents;
	bool expected;
} cases[] = {
	{ "10:free", "Start", "free", false, true },
	{ "10:free", "Stop", "free", false, true },
	{ "20:free", "Restart", "free", false, true },
	{ "20:free", "Reload", "free", false, true },
	{ "20:free", "Clear", "free", false, true },
	{ "30:free", "Stop", "free", false, false },
	{ "10:free", "Stop", "base", false, false },
	{ "", "Start", "free", false, false },
	{ "10:free", "Start", "no/name", false, false },
	/* What goes down with it, to the end of the chain. */
	{ "10:base", "Stop", "base", false, true }, /* which is then refused: Busy */
	{ "10:base", "Stop", "base", true, false },
	{ "10:base 10:middle", "Stop", "base", true, false },
	{ "10:base 20:middle 10:top", "Stop", "base", true, true },
	{ "10:base", "Restart", "base", false, false },
	{ "10:base 20:middle 10:top", "Restart", "base", false, true },
	{ "10:middle", "Start", "middle", false, true },
	/* What a start would end. */
	{ "10:lone", "Start", "lone", false, false },
	{ "10:lone 10:rival", "Start", "lone", false, true },
	{ "10:lone", "Stop", "lone", false, true },
	/* By other names. */
	{ "10:nickname", "Start", "nickname", false, false },
	{ "10:nickname 10:proper 10:user", "Start", "nickname", false, true },
	{ "10:nick", "Restart", "nick", false, false },
	{ "10:proper", "Restart", "nick", false, false },
	{ "10:proper 10:user", "Restart", "nick", false, true },
};

static DBusMessage *make_call(unsigned i)
{
	DBusMessage *call =
		wire_must(dbus_message_new_method_call(BUS_NAME, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, cases[i].method));
	DBusMessageIter out;

	dbus_message_iter_init_append(call, &out);
	wire_string(&out, cases[i].service);
	if (g_str_equal(cases[i].method, "Stop"))
		wire_bool(&out, cases[i].with_dependents);
	return call;
}

START_TEST(operators_reach_what_is_theirs)
{
	static const gid_t gids[] = { 10, 20 };
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);
	g_autoptr(GArray) groups = g_array_new(FALSE, FALSE, sizeof(gid_t));
	const BusClient client = { .name = ":1.7", .groups = groups, .who = { .uid = 1000 } };
	const BusClient unknown = { .name = ":1.8", .who = { .uid = 1000 } };
	DBusMessage *call = make_call((unsigned)_i);

	g_array_append_vals(groups, gids, G_N_ELEMENTS(gids));
	world_settle(bw->world);
	bw->operated = cases[_i].operated;
	ck_assert_msg(operate_is_allowed(bw->bus, world_engine(bw->world), &client, call) == cases[_i].expected, "%s %s",
		      cases[_i].method, cases[_i].service);
	ck_assert(!operate_is_allowed(bw->bus, world_engine(bw->world), &unknown, call));
	dbus_message_unref(call);
}
END_TEST

START_TEST(instances_are_read_before_it_is_decided)
{
	static const char before[] = "== rival\n[Service]\nExec=/bin/rival\n";
	static const char after[] = "== rival\n[Service]\nExec=/bin/rival\n"
				    "== t@x\n[Service]\nExec=/bin/t\n[Conditions]\nConflicts=rival\n";
	static const char wanted[] = "[runlevel 2]\nActivate=rival\n";
	const gid_t gid = 10;
	g_autoptr(BusWorld) bw = bus_world_new(before, wanted);
	g_autoptr(GArray) groups = g_array_new(FALSE, FALSE, sizeof(gid_t));
	const BusClient client = { .name = ":1.7", .groups = groups, .who = { .uid = 1000 } };
	DBusMessage *call =
		wire_must(dbus_message_new_method_call(BUS_NAME, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, "Start"));
	DBusMessageIter out;

	g_array_append_val(groups, gid);
	dbus_message_iter_init_append(call, &out);
	wire_string(&out, "t@x");
	world_settle(bw->world);
	bw->instance_files = after;
	bw->instance_policy = wanted;
	ck_assert(!operate_is_allowed(bw->bus, world_engine(bw->world), &client, call));
	ck_assert_ptr_null(engine_find(world_engine(bw->world), "t@x")); /* nobody else makes us read files */
	bw->operated = "10:t@x";
	ck_assert(!operate_is_allowed(bw->bus, world_engine(bw->world), &client, call));
	bw->operated = "10:t@x 10:rival";
	ck_assert(operate_is_allowed(bw->bus, world_engine(bw->world), &client, call));
	dbus_message_unref(call);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("operate");
	TCase *all = tcase_create("all");

	tcase_add_loop_test(all, operators_reach_what_is_theirs, 0, G_N_ELEMENTS(cases));
	tcase_add_test(all, instances_are_read_before_it_is_decided);
	suite_add_tcase(suite, all);
	return suite;
}
