/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rights of operators, as a table: the operated services, the running services, and the request.
 */
#include "config.h"

#include <check.h>
#include <dbus/dbus.h>
#include <string.h>

#include "base/errors.h"
#include "bus/names.h"
#include "bus/operate.h"
#include "loop/wire.h"
#include "tests/lib/bus-world.h"
#include "tests/lib/suite.h"

static const char files[] =
	"== base\n[Service]\nExec=/bin/base\n"
	"== middle\n[Service]\nExec=/bin/middle\n[Conditions]\nWhile=service:base\n"
	"== top\n[Service]\nExec=/bin/top\n[Conditions]\nWhile=service:middle\n"
	"== rival\n[Service]\nExec=/bin/rival\n[Conditions]\nConflicts=lone\n"
	"== lone\n[Service]\nExec=/bin/lone\n"
	"== nickname\n[Service]\nExec=/bin/nickname\n[Conditions]\nConflicts=nick\n"
	"== proper\n[Service]\nExec=/bin/proper\n[Conditions]\nProvides=nick\n"
	"== user\n[Service]\nExec=/bin/user\n[Conditions]\nWhile=service:nick\n"
	"== puller\n[Service]\nExec=/bin/puller\n[Conditions]\nWhen=service:alcohol\n"
	"== alcohol\n[Service]\nExec=/bin/alcohol\n[Conditions]\nConflicts=coal\n"
	"== coal\n[Service]\nExec=/bin/coal\n"
	"== wagon\n[Service]\nExec=/bin/wagon\n[Conditions]\nWhile=service:coal\n"
	"== idler\n[Service]\nExec=/bin/idler\n[Conditions]\nWhile=!active:lone\n"
	"== either\n[Service]\nExec=/bin/either\n[Conditions]\nWhile=service:one | service:two\n"
	"== one\n[Service]\nExec=/bin/one\n"
	"== two\n[Service]\nExec=/bin/two\n"
	"== keen\n[Service]\nExec=/bin/keen\n[Conditions]\nOnLapse=keep\nWhile=service:soil\n"
	"== soil\n[Service]\nExec=/bin/soil\n"
	"== free\n[Service]\nExec=/bin/free\n";
static const char policy[] =
	"[runlevel 2]\nActivate=top free rival user wagon idler one either keen\n"
	"[service keen]\nOnLapse=stop\n";

static const struct {
	const char *operated; /* "GID:SERVICE"; the caller is in the groups 10 and 20 */
	const char *method;
	const char *service;
	bool with_dependents;
	bool expected;
	const char *lacks; /* the service that the refusal names; NULL: none */
} cases[] = {
	{ "10:free", "Start", "free", false, true },
	{ "10:free", "Stop", "free", false, true },
	{ "20:free", "Restart", "free", false, true },
	{ "20:free", "Reload", "free", false, true },
	{ "20:free", "Clear", "free", false, true },
	{ "20:free", "Signal", "free", false, true },
	{ "30:free", "Signal", "free", false, false },
	{ "10:base", "Signal", "base", false, false, "middle" }, /* would end a dependent */
	{ "10:base 10:middle 10:top", "Signal", "base", false, true },
	{ "10:free", "Request stop", "free", false, true },
	{ "30:free", "Request stop", "free", false, false },
	{ "10:base", "Request stop", "base", false, true }, /* permitted, but fails later: Busy */
	{ "10:base", "Request stop", "base", true, false, "middle" },
	{ "10:base", "Request restart", "base", false, false, "middle" },
	{ "30:free", "Stop", "free", false, false },
	{ "10:free", "Stop", "base", false, false },
	{ "", "Start", "free", false, false },
	{ "10:free", "Start", "no/name", false, false },
	/* The right to all dependents is needed, to the end of the chain. */
	{ "10:base", "Stop", "base", false, true }, /* permitted, but fails later: Busy */
	{ "10:base", "Stop", "base", true, false, "middle" },
	{ "10:base 10:middle", "Stop", "base", true, false, "top" },
	{ "10:base 20:middle 10:top", "Stop", "base", true, true },
	{ "10:base", "Restart", "base", false, false, "middle" },
	{ "10:base 20:middle 10:top", "Restart", "base", false, true },
	{ "10:middle", "Start", "middle", false, true },
	/* A start needs the right to services that it would stop. */
	{ "10:lone", "Start", "lone", false, false, "rival" },
	{ "10:lone 10:rival", "Start", "lone", false, false, "idler" },
	{ "10:lone 10:rival 10:idler", "Start", "lone", false, true },
	{ "10:lone", "Stop", "lone", false, true },
	/* A needed service starts, too, and may not stop other services either. */
	{ "10:puller", "Start", "puller", false, false, "coal" },
	{ "10:puller 10:coal", "Start", "puller", false, false, "wagon" },
	{ "10:puller 10:coal 10:wagon", "Start", "puller", false, true },
	{ "10:user", "Restart", "user", false, true },
	/* A While= term with alternatives, and OnLapse= of policy. */
	{ "10:one", "Stop", "one", false, false, "either" },
	{ "10:one 10:either", "Stop", "one", false, true },
	{ "10:soil", "Stop", "soil", true, false, "keen" },
	{ "10:soil 10:keen", "Stop", "soil", true, true },
	/* Additional names. */
	{ "10:nickname", "Start", "nickname", false, false, "proper" },
	{ "10:nickname 10:proper 10:user", "Start", "nickname", false, true },
	{ "10:nick", "Restart", "nick", false, false },
	{ "10:proper", "Restart", "nick", false, false, "user" },
	{ "10:proper 10:user", "Restart", "nick", false, true },
};

static DBusMessage *make_signal(const char *service)
{
	g_autofree char *path = g_strconcat(OBJECT_PATH_SERVICES "/", service, NULL);
	DBusMessage *call = wire_must(
		dbus_message_new_method_call(BUS_NAME, path, INTERFACE_SERVICE, "Signal"));
	const char *target = "main";
	const dbus_int32_t signo = 1;

	dbus_message_append_args(call, DBUS_TYPE_STRING, &target, DBUS_TYPE_INT32, &signo,
				 DBUS_TYPE_INVALID);
	return call;
}

/* Like svcctl --force. */
static DBusMessage *make_request(const char *verb, const char *service, bool with_dependents)
{
	g_autofree char *path = g_strconcat(OBJECT_PATH_SERVICES "/", service, NULL);
	DBusMessage *call = wire_must(
		dbus_message_new_method_call(BUS_NAME, path, INTERFACE_SERVICE, "Request"));
	const char *options[] = { "force", "with-dependents" };
	const char **list = options;

	dbus_message_append_args(call, DBUS_TYPE_STRING, &verb, DBUS_TYPE_ARRAY, DBUS_TYPE_STRING,
				 &list, with_dependents ? 2 : 1, DBUS_TYPE_INVALID);
	return call;
}

static DBusMessage *make_call(const char *method, const char *service, bool with_dependents)
{
	DBusMessage *call;
	DBusMessageIter out;

	if (g_str_equal(method, "Signal"))
		return make_signal(service);
	if (g_str_has_prefix(method, "Request "))
		return make_request(method + strlen("Request "), service, with_dependents);
	call = wire_must(dbus_message_new_method_call(BUS_NAME, OBJECT_PATH_MANAGER,
						      INTERFACE_MANAGER, method));
	dbus_message_iter_init_append(call, &out);
	wire_string(&out, service);
	if (g_str_equal(method, "Stop"))
		wire_bool(&out, with_dependents);
	return call;
}

static void expect_lack(const GError *error, const char *service)
{
	g_autofree char *tokens =
		service ? g_strdup_printf("the request may also stop %s,", service) : NULL;

	if (!service) {
		ck_assert_msg(!error, "%s", error ? error->message : "");
		return;
	}
	ck_assert(g_error_matches(error, SVCD_ERROR_DOMAIN, SVCD_ERROR_NOT_AUTHORIZED));
	ck_assert_msg(strstr(error->message, tokens) != NULL, "%s", error->message);
}

static GArray *groups_of(gid_t gid)
{
	GArray *groups = g_array_new(FALSE, FALSE, sizeof(gid_t));

	g_array_append_val(groups, gid);
	return groups;
}

static bool allows(BusWorld *bw, const char *method, const char *service, GError **error)
{
	g_autoptr(GArray) groups = groups_of(10);
	const BusClient client = { .name = ":1.7", .groups = groups, .requester = { .uid = 1000 } };
	DBusMessage *call = make_call(method, service, false);
	const bool is_allowed =
		operate_is_allowed(bw->bus, world_engine(bw->world), &client, call, error);

	dbus_message_unref(call);
	return is_allowed;
}

START_TEST(operators_may_change_only_their_services)
{
	static const gid_t gids[] = { 10, 20 };
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);
	g_autoptr(GArray) groups = g_array_new(FALSE, FALSE, sizeof(gid_t));
	const BusClient client = { .name = ":1.7", .groups = groups, .requester = { .uid = 1000 } };
	const BusClient unknown = { .name = ":1.8", .requester = { .uid = 1000 } };
	DBusMessage *call =
		make_call(cases[_i].method, cases[_i].service, cases[_i].with_dependents);
	g_autoptr(GError) error = NULL;

	g_array_append_vals(groups, gids, G_N_ELEMENTS(gids));
	world_settle(bw->world);
	bw->operated = cases[_i].operated;
	ck_assert_msg(operate_is_allowed(bw->bus, world_engine(bw->world), &client, call, &error) ==
			      cases[_i].expected,
		      "%s %s: %s", cases[_i].method, cases[_i].service,
		      error ? error->message : "");
	expect_lack(error, cases[_i].lacks);
	ck_assert(!operate_is_allowed(bw->bus, world_engine(bw->world), &unknown, call, NULL));
	dbus_message_unref(call);
}
END_TEST

START_TEST(instances_are_read_before_it_is_decided)
{
	static const char before[] = "== rival\n[Service]\nExec=/bin/rival\n";
	static const char after[] =
		"== rival\n[Service]\nExec=/bin/rival\n"
		"== t@x\n[Service]\nExec=/bin/t\n[Conditions]\nConflicts=rival\n";
	static const char wanted[] = "[runlevel 2]\nActivate=rival\n";
	g_autoptr(BusWorld) bw = bus_world_new(before, wanted);
	g_autoptr(GError) error = NULL;

	world_settle(bw->world);
	bw->instance_files = after;
	bw->instance_policy = wanted;
	ck_assert(!allows(bw, "Start", "t@x", NULL));
	ck_assert_ptr_null(engine_find(world_engine(bw->world), "t@x")); /* t@x is not read */
	bw->operated = "10:t@x";
	bw->is_full_of_instances = true;
	ck_assert(!allows(bw, "Start", "t@x", &error));
	ck_assert(g_error_matches(error, SVCD_ERROR_DOMAIN, SVCD_ERROR_LIMIT_REACHED));
	g_clear_error(&error);
	bw->is_full_of_instances = false;
	ck_assert(!allows(bw, "Start", "t@x", &error));
	expect_lack(error, "rival");
	bw->operated = "10:t@x 10:rival";
	ck_assert(allows(bw, "Start", "t@x", NULL));
}
END_TEST

/* A service was stopped, and a conflicting service has taken its place. */
START_TEST(clearing_needs_the_right_to_its_consequences)
{
	static const char two[] =
		"== one\n[Service]\nExec=/bin/one\n"
		"== two\n[Service]\nExec=/bin/two\n[Conditions]\nConflicts=one\n"
		"== leans\n[Service]\nExec=/bin/leans\n[Conditions]\nWhile=service:two\n";
	g_autoptr(BusWorld) bw = bus_world_new(two, "[runlevel 2]\nActivate=one\n");
	g_autoptr(GError) error = NULL;

	world_settle(bw->world);
	bw->operated = "10:one";
	ck_assert(allows(bw, "Clear", "one", NULL)); /* policy wants "one" */
	world_stop(bw->world, "one");
	world_start(bw->world, "leans");
	world_settle(bw->world);
	expect_state(bw->world, "leans", STATE_READY);
	ck_assert(!allows(bw, "Clear", "one", &error)); /* "one" would replace "two" */
	expect_lack(error, "two");
	g_clear_error(&error);

	bw->operated = "10:leans";
	ck_assert(allows(bw, "Clear", "leans", NULL));
	world_start(bw->world, "two");
	world_settle(bw->world);
	bw->operated = "10:two";
	ck_assert(!allows(bw, "Clear", "two", &error)); /* "two" would not be wanted */
	expect_lack(error, "leans");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("operate");

	suite_add_loop(suite, "all", operators_may_change_only_their_services, G_N_ELEMENTS(cases));
	ADD_CASE(suite, "all", instances_are_read_before_it_is_decided,
		 clearing_needs_the_right_to_its_consequences);
	return suite;
}
