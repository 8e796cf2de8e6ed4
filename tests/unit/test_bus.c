/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * org.svcd1 as a client sees it: GDBus on one end of a real socket, an engine behind the other.
 */
#include "config.h"

#include <check.h>
#include <string.h>

#include "base/limits.h"
#include "base/errors.h"
#include "bus/names.h"
#include "bus/rows.h"
#include "tests/lib/bus-world.h"

Suite *make_suite(void);

#define PROPERTIES "org.freedesktop.DBus.Properties"
#define SERVICE_PATH(escaped) OBJECT_PATH_SERVICES "/" escaped

static const char files[] = "== base\n[Service]\nDescription=The ground\nExec=/bin/base\n"
			    "== upper\n[Service]\nExec=/bin/upper\nReload=signal:HUP\n[Conditions]\nWhile=service:base\n"
			    "== shy\n[Service]\nExec=/bin/shy\n[Conditions]\nWhen=flag:go\n";
static const char policy[] = "[runlevel 2]\nActivate=base upper shy\n[service upper]\nReason=office rule 12\n";

static GVariant *property(GDBusConnection *connection, const char *path, const char *interface, const char *name)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GVariant) reply = bus_world_call(connection, path, PROPERTIES, "Get",
						   g_variant_new("(ss)", interface, name), "(v)", &error);
	GVariant *value;

	ck_assert_msg(reply != NULL, "%s: %s", name, error ? error->message : "");
	g_variant_get(reply, "(v)", &value);
	return value;
}

/* Compares a property of a service, as text. */
static void expect_property(GDBusConnection *connection, const char *path, const char *name, const char *expected)
{
	g_autoptr(GVariant) value = property(connection, path, INTERFACE_SERVICE, name);
	g_autofree char *text = g_variant_print(value, FALSE);

	ck_assert_str_eq(text, expected);
}

/* --- looking --- */

START_TEST(one_call_lists_all_services)
{
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autoptr(GVariant) reply = NULL;
	g_autoptr(GVariant) array = NULL;
	g_autoptr(GVariant) base = NULL;
	const char *text;
	gboolean wanted;

	world_settle(bw->world);
	reply = bus_world_manager(connection, "ListServices", NULL, "(aa{sv})");
	array = g_variant_get_child_value(reply, 0);

	ck_assert_uint_eq(g_variant_n_children(array), 3);
	base = g_variant_get_child_value(array, 0);
	ck_assert(g_variant_lookup(base, "Name", "&s", &text));
	ck_assert_str_eq(text, "base");
	ck_assert(g_variant_lookup(base, "State", "&s", &text));
	ck_assert_str_eq(text, "ready");
	ck_assert(g_variant_lookup(base, "Activation", "&s", &text));
	ck_assert_str_eq(text, "boot");
	ck_assert(g_variant_lookup(base, "Wanted", "b", &wanted) && wanted);
}
END_TEST

START_TEST(a_list_has_the_properties_that_are_asked_for)
{
	static const char *const names[] = { "State", "Name", "State", NULL };
	static const char *const costly[] = { "Name", "Dependents", NULL };
	static const char *const unknown[] = { "Nmae", NULL };
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autoptr(GVariant) reply = NULL;
	g_autofree char *text = NULL;
	g_autofree char *refused = NULL;
	g_autofree char *absent = NULL;

	world_settle(bw->world);
	reply = bus_world_call(connection, OBJECT_PATH_SERVICES, INTERFACE_SERVICES, "List", g_variant_new("(^as)", names),
			       "(aa{sv})", NULL);
	text = g_variant_print(reply, FALSE);
	ck_assert_str_eq(text, "([{'State': <'ready'>, 'Name': <'base'>}, {'State': <'waiting'>, 'Name': <'shy'>}, "
			       "{'State': <'ready'>, 'Name': <'upper'>}],)");
	refused = bus_world_refusal(connection, OBJECT_PATH_SERVICES, INTERFACE_SERVICES, "List",
				    g_variant_new("(^as)", costly));
	ck_assert_str_eq(refused, "org.svcd1.Error.InvalidArgument: Dependents is to be asked of one service at a time");
	absent = bus_world_refusal(connection, OBJECT_PATH_SERVICES, INTERFACE_SERVICES, "List",
				   g_variant_new("(^as)", unknown));
	ck_assert_str_eq(absent, "org.svcd1.Error.InvalidArgument: a service has no property Nmae");
}
END_TEST

START_TEST(a_service_is_an_object_with_properties)
{
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autoptr(GVariant) reply = NULL;
	const char *path;

	world_settle(bw->world);
	reply = bus_world_manager(connection, "GetService", g_variant_new("(s)", "upper"), "(o)");
	g_variant_get(reply, "(&o)", &path);

	ck_assert_str_eq(path, SERVICE_PATH("upper"));
	expect_property(connection, path, "Name", "'upper'");
	expect_property(connection, path, "State", "'ready'");
	expect_property(connection, path, "WantReason", "'wanted in the runlevel'");
	expect_property(connection, path, "PolicyReason", "'office rule 12'");
	expect_property(connection, path, "InRunlevel", "true");
	expect_property(connection, path, "Dependents", "[]");
	expect_property(connection, SERVICE_PATH("base"), "Dependents", "['upper']");
	expect_property(connection, SERVICE_PATH("base"), "Description", "'The ground'");
}
END_TEST

/* Everybody on the system bus may ask for names without end: none of them may be kept. */
START_TEST(names_of_no_service_are_not_kept)
{
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autofree char *get = bus_world_refusal(connection, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, "GetService",
						 g_variant_new("(s)", "stranger-one"));
	g_autofree char *explain = bus_world_refusal(connection, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, "Explain",
						     g_variant_new("(s)", "stranger-two"));
	g_autofree char *read = bus_world_refusal(connection, SERVICE_PATH("strangerthree"), PROPERTIES, "GetAll",
						  g_variant_new("(s)", INTERFACE_SERVICE));

	ck_assert_ptr_nonnull(strstr(get, "NoSuchService"));
	ck_assert_ptr_nonnull(strstr(explain, "NoSuchService"));
	ck_assert_ptr_nonnull(strstr(read, "UnknownObject"));
	/* GLib never gives back what was interned. */
	ck_assert_uint_eq(g_quark_try_string("stranger-one"), 0);
	ck_assert_uint_eq(g_quark_try_string("stranger-two"), 0);
	ck_assert_uint_eq(g_quark_try_string("strangerthree"), 0);
}
END_TEST

START_TEST(false_terms_have_text_level_and_origin)
{
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autoptr(GVariant) value = property(connection, SERVICE_PATH("shy"), INTERFACE_SERVICE, "FalseTerms");
	const char *text, *level, *why, *origin;

	ck_assert_uint_eq(g_variant_n_children(value), 1);
	g_variant_get_child(value, 0, "(&s&s&s&s)", &text, &level, &why, &origin);
	ck_assert_str_eq(text, "flag:go");
	ck_assert_str_eq(level, "false");
	ck_assert_msg(g_str_has_suffix(origin, ":4"), "%s", origin);
}
END_TEST

/* Every property of every object, twice: by Get and by GetAll. */
START_TEST(every_property_can_be_read)
{
	static const struct {
		const char *path;
		const char *interface;
		unsigned n;
	} objects[] = {
		{ OBJECT_PATH_MANAGER, INTERFACE_MANAGER, 18 },
		{ OBJECT_PATH_BOOT, INTERFACE_BOOT, 10 },
		{ SERVICE_PATH("base"), INTERFACE_SERVICE, 43 },
	};
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);

	world_settle(bw->world);
	for (size_t i = 0; i < G_N_ELEMENTS(objects); i++) {
		g_autoptr(GVariant) reply = bus_world_call(connection, objects[i].path, PROPERTIES, "GetAll",
							   g_variant_new("(s)", objects[i].interface), "(a{sv})", NULL);
		g_autoptr(GVariant) all = g_variant_get_child_value(reply, 0);
		GVariantIter iter;
		const char *name;
		GVariant *value;

		ck_assert_uint_eq(g_variant_n_children(all), objects[i].n);
		g_variant_iter_init(&iter, all);
		while (g_variant_iter_next(&iter, "{&sv}", &name, &value)) {
			g_autoptr(GVariant) again = property(connection, objects[i].path, objects[i].interface, name);

			/* Times go on. */
			ck_assert(g_variant_equal(value, again) || g_str_has_prefix(name, "Estimated"));
			g_variant_unref(value);
		}
	}
}
END_TEST

START_TEST(managed_objects_are_the_boot_and_the_services)
{
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autoptr(GVariant) reply = bus_world_call(connection, OBJECT_PATH_MANAGER, "org.freedesktop.DBus.ObjectManager",
						   "GetManagedObjects", NULL, "(a{oa{sa{sv}}})", NULL);
	g_autoptr(GVariant) objects = NULL;
	g_autoptr(GVariant) shy = NULL;

	ck_assert(reply != NULL);
	objects = g_variant_get_child_value(reply, 0);
	ck_assert_uint_eq(g_variant_n_children(objects), 4);
	shy = g_variant_lookup_value(objects, SERVICE_PATH("shy"), G_VARIANT_TYPE("a{sa{sv}}"));
	ck_assert(shy != NULL);
}
END_TEST

START_TEST(introspection_describes_each_object)
{
	static const struct {
		const char *path;
		const char *has;
		const char *child;
	} objects[] = {
		{ "/", PROPERTIES, "org" },
		{ "/org", PROPERTIES, "svcd1" },
		{ OBJECT_PATH_MANAGER, INTERFACE_MANAGER, "boot" },
		{ OBJECT_PATH_MANAGER, "org.freedesktop.DBus.ObjectManager", "service" },
		{ OBJECT_PATH_SERVICES, "org.freedesktop.DBus.Peer", "upper" },
		{ SERVICE_PATH("upper"), INTERFACE_SERVICE, NULL },
		{ OBJECT_PATH_BOOT, INTERFACE_BOOT, NULL },
	};
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);

	for (size_t i = 0; i < G_N_ELEMENTS(objects); i++) {
		g_autoptr(GVariant) reply = bus_world_call(connection, objects[i].path,
							   "org.freedesktop.DBus.Introspectable", "Introspect", NULL,
							   "(s)", NULL);
		g_autoptr(GError) error = NULL;
		GDBusNodeInfo *node;
		const char *xml;
		bool has_child = objects[i].child == NULL;

		g_variant_get(reply, "(&s)", &xml);
		node = g_dbus_node_info_new_for_xml(xml, &error);
		ck_assert_msg(node != NULL, "%s: %s", objects[i].path, error ? error->message : "");
		ck_assert(g_dbus_node_info_lookup_interface(node, objects[i].has) != NULL);
		for (size_t k = 0; node->nodes && node->nodes[k]; k++)
			has_child |= g_strcmp0(node->nodes[k]->path, objects[i].child) == 0;
		ck_assert_msg(has_child, "%s has no child %s", objects[i].path, objects[i].child);
		g_dbus_node_info_unref(node);
	}
}
END_TEST

START_TEST(names_with_odd_letters_have_escaped_paths)
{
	g_autoptr(BusWorld) bw = bus_world_new("== getty@tty1\n[Service]\nExec=/bin/getty %i\n", NULL);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autoptr(GVariant) reply = bus_world_manager(connection, "GetService", g_variant_new("(s)", "getty@tty1"), "(o)");
	g_autofree char *refusal = NULL;
	const char *path;

	g_variant_get(reply, "(&o)", &path);
	ck_assert_str_eq(path, SERVICE_PATH("getty_40tty1"));
	expect_property(connection, path, "Name", "'getty@tty1'");

	/* One object, one path. */
	refusal = bus_world_refusal(connection, SERVICE_PATH("_67etty_40tty1"), PROPERTIES, "GetAll",
				    g_variant_new("(s)", INTERFACE_SERVICE));
	ck_assert_msg(g_str_has_prefix(refusal, "org.freedesktop.DBus.Error.UnknownObject"), "%s", refusal);
}
END_TEST

START_TEST(explain_gives_reasons_in_sentences)
{
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autoptr(GVariant) reply = NULL;
	g_autofree char *text = NULL;

	world_settle(bw->world);
	reply = bus_world_manager(connection, "Explain", g_variant_new("(s)", "shy"), "(a(usss))");
	text = g_variant_print(reply, FALSE);
	ck_assert_msg(strstr(text, "flag:go") != NULL, "%s", text);
}
END_TEST

START_TEST(diagnostics_are_told)
{
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autoptr(GVariant) reply = NULL;
	g_autofree char *text = NULL;

	diag_error(bw->diags, origin_new("/etc/svcd/services.d/x.svc", 7), "x", "unknown key Exce=; did you mean Exec=?");
	reply = bus_world_manager(connection, "Diagnostics", NULL, "(a(ssuss))");
	text = g_variant_print(reply, FALSE);
	ck_assert_str_eq(text, "([('error', '/etc/svcd/services.d/x.svc', 7, 'x', 'unknown key Exce=; did you mean Exec=?')],)");
}
END_TEST

/* --- changing --- */

START_TEST(start_answers_with_the_terms_that_are_false)
{
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autoptr(GVariant) waits = bus_world_manager(connection, "Start", g_variant_new("(s)", "shy"), "(a(ssss))");
	g_autoptr(GVariant) starts = bus_world_manager(connection, "Start", g_variant_new("(s)", "base"), "(a(ssss))");
	g_autofree char *text = g_variant_print(waits, FALSE);
	g_autofree char *none = g_variant_print(starts, FALSE);

	ck_assert_msg(g_str_has_prefix(text, "([('flag:go', 'false', "), "%s", text);
	ck_assert_str_eq(none, "([],)");
}
END_TEST

START_TEST(the_cause_names_who_asked)
{
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autoptr(GVariant) reply = NULL;
	g_autofree char *pid = g_strdup_printf("pid %d", (int)getpid());

	world_settle(bw->world);
	reply = bus_world_manager(connection, "Stop", g_variant_new("(sb)", "shy", FALSE), "()");
	bw->settles = true;
	g_variant_unref(bus_world_manager(connection, "Stop", g_variant_new("(sb)", "upper", FALSE), "()"));

	ck_assert_msg(strstr(service_cause(world_find(bw->world, "upper")), pid) != NULL, "%s",
		      service_cause(world_find(bw->world, "upper")));
}
END_TEST

START_TEST(stop_is_refused_while_others_need_it)
{
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autofree char *refusal = NULL;

	world_settle(bw->world);
	bw->settles = true;
	refusal = bus_world_refusal(connection, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, "Stop",
				    g_variant_new("(sb)", "base", FALSE));
	ck_assert_str_eq(refusal, "org.svcd1.Error.Busy: base was not stopped: 1 running service needs it: upper");
	expect_state(bw->world, "base", STATE_READY);

	g_variant_unref(bus_world_manager(connection, "Stop", g_variant_new("(sb)", "base", TRUE), "()"));
	expect_state(bw->world, "base", STATE_IDLE);
	ck_assert(!service_is_up(world_find(bw->world, "upper")));
}
END_TEST

START_TEST(flags_are_set_listed_and_cleared)
{
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autoptr(GVariant) listed = NULL;
	g_autoptr(GVariant) empty = NULL;
	g_autofree char *text = NULL;
	g_autofree char *none = NULL;

	g_variant_unref(bus_world_manager(connection, "SetFlag", g_variant_new("(sb)", "go", TRUE), "()"));
	expect_level(bw->world, "flag:go", LEVEL_TRUE);
	listed = property(connection, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, "Flags");
	text = g_variant_print(listed, FALSE);
	ck_assert_str_eq(text, "['go']");

	g_variant_unref(bus_world_manager(connection, "SetFlag", g_variant_new("(sb)", "go", FALSE), "()"));
	expect_level(bw->world, "flag:go", LEVEL_FALSE);
	empty = property(connection, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, "Flags");
	none = g_variant_print(empty, FALSE);
	ck_assert_str_eq(none, "[]");
}
END_TEST

START_TEST(runlevel_shutdown_and_reexec_are_passed_on)
{
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);

	g_variant_unref(bus_world_manager(connection, "SetRunlevel", g_variant_new("(s)", "3"), "()"));
	g_variant_unref(bus_world_manager(connection, "ReloadFiles", NULL, "()"));
	g_variant_unref(bus_world_manager(connection, "Shutdown", g_variant_new("(s)", "reboot"), "()"));
	g_variant_unref(bus_world_manager(connection, "Reexec", NULL, "()"));

	ck_assert_str_eq(engine_runlevel(world_engine(bw->world)), "3");
	ck_assert_str_eq(bw->requests->str, "reload files; reboot; reexec");
}
END_TEST

/* --- answers that come later --- */

static GVariant *change_words(const char *words)
{
	g_auto(GStrv) list = g_strsplit(words, " ", -1);

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

static void begin_change(GDBusConnection *connection, const char *words, Later *later)
{
	*later = (Later){ 0 };
	g_dbus_connection_call(connection, NULL, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, "ChangePolicy",
			       change_words(words), NULL, G_DBUS_CALL_FLAGS_NONE, 60000, NULL, on_later, later);
}

static bool is_asked(void *data)
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
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autofree char *text = NULL;
	Later later;

	begin_change(connection, "set base never", &later);
	bus_world_run_until(is_asked, bw, "the change is asked for");
	g_variant_unref(bus_world_manager(connection, "ListServices", NULL, "(aa{sv})")); /* others go on meanwhile */
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
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autoptr(GError) error = NULL;
	Later later;

	begin_change(connection, "enable base", &later);
	bus_world_run_until(is_asked, bw, "the change is asked for");
	fail(&error, SVCD_ERROR_TIMEOUT, "it took too long");
	bus_change_failed(bw->bus, bw->ticket, error);
	bus_world_run_until(has_come, &later, "the answer");
	ck_assert_str_eq(later.refusal, "GDBus.Error:org.svcd1.Error.Timeout: it took too long");
	bus_change_failed(bw->bus, bw->ticket, error); /* of an answered one nothing is known any more */
	g_free(later.refusal);
}
END_TEST

START_TEST(the_answer_for_a_client_that_has_left_is_dropped)
{
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autoptr(GDBusConnection) other = bus_world_connect(bw);
	Later later;

	begin_change(connection, "enable base", &later);
	bus_world_run_until(is_asked, bw, "the change is asked for");
	g_dbus_connection_close_sync(connection, NULL, NULL);
	bus_world_run_until(has_come, &later, "the end of the connection");
	g_variant_unref(bus_world_manager(other, "ListServices", NULL, "(aa{sv})"));

	bus_change_ended(bw->bus, bw->ticket, 0, "");
	g_variant_unref(bus_world_manager(other, "ListServices", NULL, "(aa{sv})"));
	g_free(later.refusal);
}
END_TEST

START_TEST(what_is_no_change_of_policy_is_refused_at_once)
{
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autofree char *dance = bus_world_refusal(connection, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, "ChangePolicy",
						   change_words("dance"));
	g_autofree char *none = bus_world_refusal(connection, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, "ChangePolicy",
						  g_variant_new("(as)", NULL));

	ck_assert_str_eq(dance, "org.svcd1.Error.InvalidArgument: \"dance\" is no change of policy");
	ck_assert_str_eq(none, "org.svcd1.Error.InvalidArgument: a change of policy has 1 to 64 words, not 0");
}
END_TEST

/* --- CheckCommand= --- */

static const char checked_files[] = "== web\n[Service]\nExec=/bin/web\nReload=signal:HUP\nCheckCommand=/bin/web -t\n"
				    "== overrun\n[Service]\nExec=/bin/overrun\nCheckCommand=/bin/true\n";
static const char checked_policy[] = "[runlevel 2]\nActivate=web overrun\n";

static void begin_call(GDBusConnection *connection, const char *method, GVariant *args, Later *later)
{
	*later = (Later){ 0 };
	g_dbus_connection_call(connection, NULL, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, method, args, NULL,
			       G_DBUS_CALL_FLAGS_NONE, 60000, NULL, on_later, later);
}

static const struct {
	const char *method;
	bool has_flag;
	const char *done;
} checked_calls[] = {
	{ "Stop", true, "()" }, { "Restart", false, "([],)" }, { "Reload", false, "()" },
};

static GVariant *checked_arguments(int i)
{
	return checked_calls[i].has_flag ? g_variant_new("(sb)", "web", FALSE) : g_variant_new("(s)", "web");
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
	bus_world_run_until(is_asked, bw, "the check is asked for");
	g_variant_unref(bus_world_manager(connection, "ListServices", NULL, "(aa{sv})")); /* others go on meanwhile */
	ck_assert(!has_come(&later));

	fail(&error, SVCD_ERROR_CHECK_FAILED, "web: its CheckCommand= failed");
	bus_check_ended(bw->bus, bw->ticket, error);
	bus_world_run_until(has_come, &later, "the refusal");
	ck_assert_str_eq(later.refusal, "GDBus.Error:org.svcd1.Error.CheckFailed: web: its CheckCommand= failed");
	expect_state(bw->world, "web", STATE_READY);
	ck_assert_uint_eq(*invocation, 1);
	g_free(later.refusal);
}
END_TEST

START_TEST(a_request_is_carried_out_when_the_check_had_nothing_against_it)
{
	g_autoptr(BusWorld) bw = bus_world_new(checked_files, checked_policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autofree char *text = NULL;
	Later later;

	world_settle(bw->world);
	begin_call(connection, checked_calls[_i].method, checked_arguments(_i), &later);
	bus_world_run_until(is_asked, bw, "the check is asked for");
	bus_check_ended(bw->bus, bw->ticket, NULL);
	bus_world_run_until(has_come, &later, "the answer");

	text = later.reply ? g_variant_print(later.reply, FALSE) : g_strdup(later.refusal);
	ck_assert_str_eq(text, checked_calls[_i].done);
	ck_assert_msg(strstr(service_cause(world_find(bw->world, "web")), " by uid "), "%s",
		      service_cause(world_find(bw->world, "web")));
	g_variant_unref(later.reply);
}
END_TEST

START_TEST(force_asks_no_check)
{
	g_autoptr(BusWorld) bw = bus_world_new(checked_files, checked_policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);

	world_settle(bw->world);
	bw->settles = true;
	g_variant_unref(bus_world_call(connection, SERVICE_PATH("web"), INTERFACE_SERVICE, "Request",
				       g_variant_new_parsed("('stop', ['force'])"), "()", NULL));

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
	refusal = bus_world_refusal(connection, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, "Restart", g_variant_new("(s)", "overrun"));

	ck_assert_str_eq(refusal, "org.svcd1.Error.LimitReached: too many requests wait");
}
END_TEST

START_TEST(a_client_that_leaves_before_the_check_has_asked_for_nothing)
{
	g_autoptr(BusWorld) bw = bus_world_new(checked_files, checked_policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autoptr(GDBusConnection) other = bus_world_connect(bw);
	Later later;

	world_settle(bw->world);
	begin_call(connection, "Stop", g_variant_new("(sb)", "web", FALSE), &later);
	bus_world_run_until(is_asked, bw, "the check is asked for");
	g_dbus_connection_close_sync(connection, NULL, NULL);
	bus_world_run_until(has_come, &later, "the end of the connection");
	g_variant_unref(bus_world_manager(other, "ListServices", NULL, "(aa{sv})"));

	bus_check_ended(bw->bus, bw->ticket, NULL);
	expect_state(bw->world, "web", STATE_READY);
	g_free(later.refusal);
}
END_TEST

/* --- bad calls --- */

typedef struct BadCall {
	const char *path;
	const char *interface;
	const char *method;
	const char *args; /* NULL: none */
	const char *refusal;
} BadCall;

static const BadCall bad_calls[] = {
	{ "/nowhere", INTERFACE_MANAGER, "Start", "('x',)",
	  "org.freedesktop.DBus.Error.UnknownObject: there is no object /nowhere" },
	{ SERVICE_PATH("nobody"), PROPERTIES, "GetAll", "('org.svcd1.Service',)",
	  "org.freedesktop.DBus.Error.UnknownObject: there is no object /org/svcd1/service/nobody" },
	{ SERVICE_PATH("_zz"), PROPERTIES, "GetAll", "('org.svcd1.Service',)",
	  "org.freedesktop.DBus.Error.UnknownObject: there is no object /org/svcd1/service/_zz" },
	{ OBJECT_PATH_MANAGER, "org.svcd1.Kitchen", "Start", "('x',)",
	  "org.freedesktop.DBus.Error.UnknownInterface: there is no interface org.svcd1.Kitchen at /org/svcd1" },
	{ OBJECT_PATH_BOOT, INTERFACE_MANAGER, "Start", "('x',)",
	  "org.freedesktop.DBus.Error.UnknownInterface: there is no interface org.svcd1.Manager at /org/svcd1/boot" },
	{ OBJECT_PATH_MANAGER, INTERFACE_MANAGER, "Cook", NULL,
	  "org.freedesktop.DBus.Error.UnknownMethod: there is no method Cook at /org/svcd1" },
	{ OBJECT_PATH_MANAGER, INTERFACE_MANAGER, "Start", NULL,
	  "org.freedesktop.DBus.Error.InvalidArgs: Start takes \"s\", not \"\"" },
	{ OBJECT_PATH_MANAGER, INTERFACE_MANAGER, "Start", "(uint32 7,)",
	  "org.freedesktop.DBus.Error.InvalidArgs: Start takes \"s\", not \"u\"" },
	{ OBJECT_PATH_MANAGER, INTERFACE_MANAGER, "Start", "('a','b')",
	  "org.freedesktop.DBus.Error.InvalidArgs: Start takes \"s\", not \"ss\"" },
	{ OBJECT_PATH_MANAGER, INTERFACE_MANAGER, "Start", "('nobody',)",
	  "org.svcd1.Error.NoSuchService: there is no service \"nobody\"" },
	{ SERVICE_PATH("base"), INTERFACE_SERVICE, "Request", "('dance',@as [])",
	  "org.svcd1.Error.InvalidArgument: a service can be asked to start, stop, restart, reload or clear, not to \"dance\"" },
	{ SERVICE_PATH("base"), INTERFACE_SERVICE, "Request", "('stop',['now'])",
	  "org.svcd1.Error.InvalidArgument: there are the options with-dependents and force, not \"now\"" },
	{ OBJECT_PATH_MANAGER, INTERFACE_MANAGER, "GetService", "('',)",
	  "org.svcd1.Error.NoSuchService: there is no service \"\"" },
	{ OBJECT_PATH_MANAGER, INTERFACE_MANAGER, "SetRunlevel", "('9',)",
	  "org.svcd1.Error.InvalidArgument: there is no runlevel \"9\"" },
	{ OBJECT_PATH_MANAGER, INTERFACE_MANAGER, "Shutdown", "('explode',)",
	  "org.svcd1.Error.InvalidArgument: a machine can be ended by poweroff, reboot or halt, not \"explode\"" },
	{ OBJECT_PATH_MANAGER, PROPERTIES, "Get", "('org.svcd1.Manager','Colour')",
	  "org.freedesktop.DBus.Error.UnknownProperty: org.svcd1.Manager has no property Colour" },
	{ OBJECT_PATH_MANAGER, PROPERTIES, "Get", "('org.svcd1.Service','State')",
	  "org.freedesktop.DBus.Error.UnknownInterface: there is no interface org.svcd1.Service at /org/svcd1" },
	{ OBJECT_PATH_MANAGER, PROPERTIES, "Set", "('org.svcd1.Manager','Runlevel',<'3'>)",
	  "org.freedesktop.DBus.Error.PropertyReadOnly: the property Runlevel can only be read" },
};

START_TEST(bad_calls_get_an_error_that_says_what_is_wrong)
{
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	const BadCall *bad = &bad_calls[_i];
	GVariant *args = bad->args ? g_variant_new_parsed(bad->args) : NULL;
	g_autofree char *refusal = bus_world_refusal(connection, bad->path, bad->interface, bad->method, args);

	ck_assert_str_eq(refusal, bad->refusal);
}
END_TEST

static const char *const bad_names[] = { "../etc/passwd", "a/b", ".hidden", "-x", "two words", "line\nbreak", "\xc3\xa4" };

START_TEST(bad_names_reach_nobody)
{
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autofree char *start = bus_world_refusal(connection, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, "Start",
						   g_variant_new("(s)", bad_names[_i]));
	g_autofree char *flag = bus_world_refusal(connection, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, "SetFlag",
						  g_variant_new("(sb)", bad_names[_i], TRUE));

	ck_assert_msg(g_str_has_prefix(start, "org.svcd1.Error.InvalidArgument: "), "%s", start);
	ck_assert_msg(g_str_has_prefix(flag, "org.svcd1.Error.InvalidArgument: "), "%s", flag);
}
END_TEST

typedef struct Sent {
	bool is_over;
	GDBusMessage *reply;
} Sent;

static void on_sent(GObject *source, GAsyncResult *result, gpointer data)
{
	Sent *sent = data;

	sent->reply = g_dbus_connection_send_message_with_reply_finish(G_DBUS_CONNECTION(source), result, NULL);
	sent->is_over = true;
}

static bool is_sent(void *data)
{
	return ((Sent *)data)->is_over;
}

START_TEST(a_call_without_an_interface_finds_its_method)
{
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autoptr(GDBusMessage) message = g_dbus_message_new_method_call(NULL, OBJECT_PATH_MANAGER, NULL, "ListServices");
	Sent sent = { 0 };

	g_dbus_connection_send_message_with_reply(connection, message, G_DBUS_SEND_MESSAGE_FLAGS_NONE, 20000, NULL,
						  NULL, on_sent, &sent);
	bus_world_run_until(is_sent, &sent, "an answer");

	ck_assert(sent.reply != NULL);
	ck_assert_str_eq(g_dbus_message_get_signature(sent.reply), "aa{sv}");
	g_object_unref(sent.reply);
}
END_TEST

static const char *const bodies[] = {
	"()", "('',)", "('base',)", "('base', 'upper')", "('org.svcd1.Service',)", "('org.svcd1.Service', 'State')",
	"('org.svcd1.Manager', 'Runlevel', <'x'>)", "('base', true)", "(true, 'base')", "(objectpath '/org/svcd1',)",
	"(signature 'a{sv}',)", "(byte 255, uint16 7, int64 -1)", "(2.5,)", "(['base'],)", "({'a': <1>},)", "(('base',),)",
	"(<<<<<<<<'deep'>>>>>>>>,)", "(@ay [0x00],)", "(@a{sv} {},)", "(handle 0,)",
};

/* Every method there is with every body: each gets its one answer, whatever it says. */
START_TEST(every_method_takes_every_body)
{
	static const Interface *const interfaces[] = { &interface_manager, &interface_object_manager,
						       &interface_introspectable, &interface_peer,
						       &interface_properties };
	static const char *const paths[] = { "/", OBJECT_PATH_MANAGER, OBJECT_PATH_SERVICES, OBJECT_PATH_BOOT,
					     SERVICE_PATH("base") };
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	const Interface *interface = interfaces[_i];
	for (unsigned m = 0; m < interface->n_methods; m++) {
		for (size_t b = 0; b < G_N_ELEMENTS(bodies); b++) {
			g_autoptr(GError) error = NULL;
			const char *path = paths[(m + b / 2 + _i) % G_N_ELEMENTS(paths)];
			g_autoptr(GVariant) reply = bus_world_call(connection, path, interface->name,
								   interface->methods[m].name,
								   g_variant_new_parsed(bodies[b]), NULL, &error);

			ck_assert_msg(reply || g_dbus_error_is_remote_error(error), "%s %s: %s", interface->methods[m].name,
				      bodies[b], error->message);
		}
	}
	ck_assert(!g_dbus_connection_is_closed(connection));
}
END_TEST

/* --- signals --- */

typedef struct Heard {
	unsigned n_service;
	unsigned n_manager;
	unsigned n_boot;
	unsigned n_finished;
	unsigned n_removed;
	char *state; /* of the last service told of */
} Heard;

static void on_signal(GDBusConnection *connection, const gchar *sender, const gchar *path, const gchar *interface,
		      const gchar *name, GVariant *args, gpointer data)
{
	Heard *heard = data;
	g_autoptr(GVariant) changed = NULL;
	const char *of;

	if (strcmp(name, "BootFinished") == 0)
		heard->n_finished++;
	if (strcmp(name, "InterfacesRemoved") == 0)
		heard->n_removed++;
	if (strcmp(name, "PropertiesChanged") != 0)
		return;
	g_variant_get(args, "(&s@a{sv}@as)", &of, &changed, NULL);
	if (strcmp(of, INTERFACE_BOOT) == 0)
		heard->n_boot++;
	if (strcmp(of, INTERFACE_MANAGER) == 0)
		heard->n_manager++;
	if (strcmp(of, INTERFACE_SERVICE) != 0 || strcmp(path, SERVICE_PATH("base")) != 0)
		return;
	heard->n_service++;
	g_free(heard->state);
	ck_assert(g_variant_lookup(changed, "State", "s", &heard->state));
}

static void listen_to(GDBusConnection *connection, Heard *heard)
{
	g_dbus_connection_signal_subscribe(connection, NULL, NULL, NULL, NULL, NULL,
					   G_DBUS_SIGNAL_FLAGS_NO_MATCH_RULE, on_signal, heard, NULL);
}

static bool is_heard(void *data)
{
	return ((Heard *)data)->n_service > 0;
}

static bool is_boot_heard(void *data)
{
	return ((Heard *)data)->n_boot > 0;
}

static bool is_manager_heard(void *data)
{
	return ((Heard *)data)->n_manager > 0;
}

static bool is_removal_heard(void *data)
{
	return ((Heard *)data)->n_removed > 0;
}

START_TEST(ten_changes_make_one_signal)
{
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	Heard heard = { 0 };

	listen_to(connection, &heard);
	g_variant_unref(bus_world_manager(connection, "Subscribe", NULL, "()"));
	for (unsigned i = 0; i < 10; i++)
		bus_world_tell(bw);
	world_settle(bw->world);
	bus_world_run_until(is_heard, &heard, "a signal");

	ck_assert_str_eq(heard.state, "ready");
	/* An answer comes after all signals before it: no second one was on its way. */
	g_variant_unref(bus_world_manager(connection, "ListServices", NULL, "(aa{sv})"));
	ck_assert_uint_eq(heard.n_service, 1);
	g_free(heard.state);
}
END_TEST

START_TEST(who_has_not_subscribed_hears_nothing)
{
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autoptr(GDBusConnection) other = bus_world_connect(bw);
	Heard heard = { 0 };
	Heard heard_by_other = { 0 };

	listen_to(connection, &heard);
	listen_to(other, &heard_by_other);
	g_variant_unref(bus_world_manager(other, "Subscribe", NULL, "()"));
	bus_world_tell(bw);
	bus_world_run_until(is_heard, &heard_by_other, "a signal");
	g_variant_unref(bus_world_manager(connection, "ListServices", NULL, "(aa{sv})"));

	ck_assert_uint_eq(heard.n_service, 0);
	g_free(heard_by_other.state);
}
END_TEST

START_TEST(the_boot_is_told_at_most_ten_times_a_second)
{
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	Heard heard = { 0 };
	const int64_t begun_us = g_get_monotonic_time();
	int64_t took_us;

	listen_to(connection, &heard);
	g_variant_unref(bus_world_manager(connection, "Subscribe", NULL, "()"));
	/* Each change waits until the one before has been heard: a client that falls behind is sent away. */
	while (heard.n_boot < 5) {
		heard.n_manager = 0;
		bus_engine_changed(bw->bus);
		bus_world_run_until(is_manager_heard, &heard, "the change");
	}
	took_us = g_get_monotonic_time() - begun_us;

	/* The end of the boot is told at once, and the first may have been on its way; without a limit it takes no time. */
	ck_assert_int_ge(took_us, 2 * 100 * 1000);
	g_free(heard.state);
}
END_TEST

/* Milliseconds until the main loop wakes up by itself; -1: never. */
static int next_wake_ms(void)
{
	GMainContext *context = g_main_context_default();
	GPollFD fds[64];
	int timeout = 0;
	int priority;

	while (g_main_context_iteration(context, FALSE))
		;
	ck_assert(g_main_context_acquire(context));
	(void)g_main_context_prepare(context, &priority);
	(void)g_main_context_query(context, priority, &timeout, fds, G_N_ELEMENTS(fds));
	(void)g_main_context_check(context, priority, fds, 0);
	g_main_context_release(context);
	return timeout;
}

static bool is_boot_heard_again(void *data)
{
	return ((Heard *)data)->n_boot >= 3;
}

START_TEST(a_boot_in_motion_is_told_as_time_passes)
{
	g_autoptr(BusWorld) bw = bus_world_new("== base\n[Service]\nExec=/bin/base\n", NULL);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	Heard heard = { 0 };

	/* Nobody listens. */
	ck_assert_int_eq(next_wake_ms(), -1);

	listen_to(connection, &heard);
	g_variant_unref(bus_world_manager(connection, "Subscribe", NULL, "()"));
	bus_world_run_until(is_boot_heard_again, &heard, "the boot told three times, though nothing happens");
	ck_assert_int_ge(next_wake_ms(), 0);
	ck_assert_int_le(next_wake_ms(), 100);

	/* It is over. */
	world_settle(bw->world);
	bus_world_tell(bw);
	while (heard.n_finished == 0)
		g_main_context_iteration(NULL, TRUE);
	ck_assert_int_eq(next_wake_ms(), -1);
	g_free(heard.state);
}
END_TEST

START_TEST(a_boot_that_nobody_watches_any_more_wakes_nobody)
{
	g_autoptr(BusWorld) bw = bus_world_new("== base\n[Service]\nExec=/bin/base\n", NULL);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	Heard heard = { 0 };

	listen_to(connection, &heard);
	g_variant_unref(bus_world_manager(connection, "Subscribe", NULL, "()"));
	bus_world_run_until(is_boot_heard, &heard, "a signal");
	ck_assert(g_dbus_connection_close_sync(connection, NULL, NULL));

	while (next_wake_ms() != -1) /* the last tick finds nobody */
		g_main_context_iteration(NULL, TRUE);
	g_free(heard.state);
}
END_TEST

START_TEST(a_service_that_goes_is_told)
{
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	Heard heard = { 0 };

	listen_to(connection, &heard);
	g_variant_unref(bus_world_manager(connection, "Subscribe", NULL, "()"));
	bus_service_removed(bw->bus, "shy");
	bus_service_removed(bw->bus, "shy");
	bus_world_run_until(is_removal_heard, &heard, "a signal");
	g_variant_unref(bus_world_manager(connection, "ListServices", NULL, "(aa{sv})"));

	ck_assert_uint_eq(heard.n_removed, 1);
	g_free(heard.state);
}
END_TEST

START_TEST(the_end_of_the_boot_is_told_once)
{
	g_autoptr(BusWorld) bw = bus_world_new("== base\n[Service]\nExec=/bin/base\n", NULL);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	Heard heard = { 0 };

	listen_to(connection, &heard);
	g_variant_unref(bus_world_manager(connection, "Subscribe", NULL, "()"));
	world_settle(bw->world);
	bus_world_tell(bw);
	bus_world_run_until(is_boot_heard, &heard, "a signal");
	heard.n_boot = 0;
	bus_world_tell(bw);
	bus_world_run_until(is_boot_heard, &heard, "another signal");

	ck_assert_uint_le(heard.n_finished, 1);
	g_free(heard.state);
}
END_TEST

/* --- limits --- */

static bool is_closed(void *data)
{
	return g_dbus_connection_is_closed(data);
}

START_TEST(the_number_of_clients_has_a_limit)
{
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);
	GDBusConnection *connections[LIMIT_PRIVATE_CLIENTS];
	g_autofree char *address = g_strconcat("unix:path=", bw->socket_path, NULL);
	g_autofree char *out = NULL;
	g_autoptr(GDBusConnection) last = NULL;

	for (unsigned i = 0; i < LIMIT_PRIVATE_CLIENTS; i++)
		connections[i] = bus_world_connect(bw);
	/* One more is turned away and says so. */
	ck_assert_int_eq(bus_world_svcctl(bw, "list -t 1", NULL, &out), 9);
	ck_assert_msg(strstr(out, "svcd") != NULL, "%s", out);

	/* Those who are in stay in, and a place that becomes free is given away. */
	g_variant_unref(bus_world_manager(connections[0], "ListServices", NULL, "(aa{sv})"));
	g_dbus_connection_close(connections[1], NULL, NULL, NULL);
	bus_world_run_until(is_closed, connections[1], "the client has left");
	g_variant_unref(bus_world_manager(connections[2], "ListServices", NULL, "(aa{sv})"));
	last = bus_world_connect(bw);
	for (unsigned i = 0; i < LIMIT_PRIVATE_CLIENTS; i++)
		g_object_unref(connections[i]);
}
END_TEST

typedef struct Count {
	unsigned n;
} Count;

static void on_counted(GObject *source, GAsyncResult *result, gpointer data)
{
	g_autoptr(GVariant) reply = g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, NULL);

	if (reply)
		((Count *)data)->n++;
}

static bool are_all_counted(void *data)
{
	return ((Count *)data)->n == 2000;
}

/* Nobody else waits for a client with thousands of calls, and it gets all its answers. */
START_TEST(a_flood_of_calls_holds_nobody_up)
{
	g_autoptr(BusWorld) bw = bus_world_new(files, policy);
	g_autoptr(GDBusConnection) flooder = bus_world_connect(bw);
	g_autoptr(GDBusConnection) other = bus_world_connect(bw);
	Count count = { 0 };

	for (unsigned i = 0; i < 2000; i++)
		g_dbus_connection_call(flooder, NULL, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, "ListServices", NULL, NULL,
				       G_DBUS_CALL_FLAGS_NONE, -1, NULL, on_counted, &count);
	g_variant_unref(bus_world_manager(other, "ListServices", NULL, "(aa{sv})"));
	ck_assert_uint_lt(count.n, 2000);
	bus_world_run_until(are_all_counted, &count, "2000 answers");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("bus");
	TCase *looking = tcase_create("looking");
	TCase *changing = tcase_create("changing");
	TCase *bad = tcase_create("bad calls");
	TCase *signals = tcase_create("signals");
	TCase *limits = tcase_create("limits");

	tcase_add_test(looking, one_call_lists_all_services);
	tcase_add_test(looking, a_list_has_the_properties_that_are_asked_for);
	tcase_add_test(looking, a_service_is_an_object_with_properties);
	tcase_add_test(looking, names_of_no_service_are_not_kept);
	tcase_add_test(looking, false_terms_have_text_level_and_origin);
	tcase_add_test(looking, every_property_can_be_read);
	tcase_add_test(looking, managed_objects_are_the_boot_and_the_services);
	tcase_add_test(looking, introspection_describes_each_object);
	tcase_add_test(looking, names_with_odd_letters_have_escaped_paths);
	tcase_add_test(looking, explain_gives_reasons_in_sentences);
	tcase_add_test(looking, diagnostics_are_told);
	tcase_set_timeout(looking, 60);
	suite_add_tcase(suite, looking);
	tcase_add_test(changing, start_answers_with_the_terms_that_are_false);
	tcase_add_test(changing, the_cause_names_who_asked);
	tcase_add_test(changing, stop_is_refused_while_others_need_it);
	tcase_add_test(changing, flags_are_set_listed_and_cleared);
	tcase_add_test(changing, runlevel_shutdown_and_reexec_are_passed_on);
	tcase_add_test(changing, a_change_of_policy_is_answered_when_it_has_ended);
	tcase_add_test(changing, a_change_of_policy_that_could_not_be_made_is_an_error);
	tcase_add_test(changing, the_answer_for_a_client_that_has_left_is_dropped);
	tcase_add_test(changing, what_is_no_change_of_policy_is_refused_at_once);
	tcase_add_loop_test(changing, a_request_waits_for_the_check_and_is_refused_when_it_fails, 0, G_N_ELEMENTS(checked_calls));
	tcase_add_loop_test(changing, a_request_is_carried_out_when_the_check_had_nothing_against_it, 0,
			    G_N_ELEMENTS(checked_calls));
	tcase_add_test(changing, force_asks_no_check);
	tcase_add_test(changing, too_many_checks_are_an_error);
	tcase_add_test(changing, a_client_that_leaves_before_the_check_has_asked_for_nothing);
	tcase_set_timeout(changing, 60);
	suite_add_tcase(suite, changing);
	tcase_add_loop_test(bad, bad_calls_get_an_error_that_says_what_is_wrong, 0, G_N_ELEMENTS(bad_calls));
	tcase_add_loop_test(bad, bad_names_reach_nobody, 0, G_N_ELEMENTS(bad_names));
	tcase_add_loop_test(bad, every_method_takes_every_body, 0, 5);
	tcase_add_test(bad, a_call_without_an_interface_finds_its_method);
	tcase_set_timeout(bad, 60);
	suite_add_tcase(suite, bad);
	tcase_add_test(signals, ten_changes_make_one_signal);
	tcase_add_test(signals, who_has_not_subscribed_hears_nothing);
	tcase_add_test(signals, the_boot_is_told_at_most_ten_times_a_second);
	tcase_add_test(signals, a_boot_in_motion_is_told_as_time_passes);
	tcase_add_test(signals, a_boot_that_nobody_watches_any_more_wakes_nobody);
	tcase_add_test(signals, a_service_that_goes_is_told);
	tcase_add_test(signals, the_end_of_the_boot_is_told_once);
	tcase_set_timeout(signals, 60);
	suite_add_tcase(suite, signals);
	tcase_add_test(limits, the_number_of_clients_has_a_limit);
	tcase_add_test(limits, a_flood_of_calls_holds_nobody_up);
	tcase_set_timeout(limits, 60);
	suite_add_tcase(suite, limits);
	return suite;
}
