/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * org.svcd1 as a client reads it. GDBus is at one end of a real socket, an engine at the other.
 */
#include "config.h"

#include <string.h>

#include "bus/names.h"
#include "tests/lib/bus-world.h"
#include "tests/lib/suite.h"

#define PROPERTIES "org.freedesktop.DBus.Properties"

/* Compares a property of a service, as text. */
static void expect_property(GDBusConnection *connection, const char *path, const char *name,
			    const char *expected)
{
	g_autoptr(GVariant) value = bus_world_property(connection, path, INTERFACE_SERVICE, name);
	g_autofree char *text = g_variant_print(value, FALSE);

	ck_assert_str_eq(text, expected);
}

START_TEST(one_call_lists_all_services)
{
	g_autoptr(BusWorld) bw = bus_world_new_three();
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
	g_autoptr(BusWorld) bw = bus_world_new_three();
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autoptr(GVariant) reply = NULL;
	g_autofree char *text = NULL;
	g_autofree char *refused = NULL;
	g_autofree char *absent = NULL;

	world_settle(bw->world);
	reply = bus_world_call(connection, OBJECT_PATH_SERVICES, INTERFACE_SERVICES, "List",
			       g_variant_new("(^as)", names), "(aa{sv})", NULL);
	text = g_variant_print(reply, FALSE);
	ck_assert_str_eq(text,
			 "([{'State': <'ready'>, 'Name': <'base'>}, {'State': <'waiting'>, 'Name': "
			 "<'shy'>}, "
			 "{'State': <'ready'>, 'Name': <'upper'>}],)");
	refused = bus_world_refusal(connection, OBJECT_PATH_SERVICES, INTERFACE_SERVICES, "List",
				    g_variant_new("(^as)", costly));
	ck_assert_str_eq(refused,
			 "org.svcd1.Error.InvalidArgument: Dependents can be read from only one "
			 "service at a time");
	absent = bus_world_refusal(connection, OBJECT_PATH_SERVICES, INTERFACE_SERVICES, "List",
				   g_variant_new("(^as)", unknown));
	ck_assert_str_eq(absent, "org.svcd1.Error.InvalidArgument: a service has no property Nmae");
}
END_TEST

static char *list_in_motion(GDBusConnection *connection)
{
	static const char *const names[] = { "Name", "State", NULL };
	g_autoptr(GVariant) reply = bus_world_call(connection, OBJECT_PATH_SERVICES,
						   INTERFACE_SERVICES, "ListInMotion",
						   g_variant_new("(^as)", names), "(aa{sv})", NULL);

	return g_variant_print(reply, FALSE);
}

START_TEST(an_idle_service_is_not_in_motion)
{
	g_autoptr(BusWorld) bw = bus_world_new(
		"== base\n[Service]\nExec=/bin/base\n"
		"== patient\n[Service]\nExec=/bin/patient\n[Conditions]\nWhen=flag:a\n"
		"== hasty\n[Service]\nExec=/bin/hasty\n"
		"[Conditions]\nWhen=flag:b\nWaitTimeout=10s\n",
		"[runlevel 2]\nActivate=base patient hasty\n");
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autofree char *boot = list_in_motion(connection);
	g_autofree char *rest = NULL;
	g_autofree char *stop = NULL;

	ck_assert_str_eq(
		boot, "([{'Name': <'base'>, 'State': <'starting'>}, {'Name': <'hasty'>, 'State': "
		      "<'waiting'>}],)");
	world_settle(bw->world);
	rest = list_in_motion(connection);
	ck_assert_str_eq(rest, "([{'Name': <'hasty'>, 'State': <'waiting'>}],)");
	world_stop(bw->world, "base");
	stop = list_in_motion(connection);
	ck_assert_str_eq(
		stop, "([{'Name': <'base'>, 'State': <'stopping'>}, {'Name': <'hasty'>, 'State': "
		      "<'waiting'>}],)");
}
END_TEST

START_TEST(a_service_is_an_object_with_properties)
{
	g_autoptr(BusWorld) bw = bus_world_new_three();
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

/* Each user of the system bus may send any number of names. svcd must not keep them. */
START_TEST(names_without_a_service_are_not_kept)
{
	g_autoptr(BusWorld) bw = bus_world_new_three();
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autofree char *get = bus_world_refusal(connection, OBJECT_PATH_MANAGER, INTERFACE_MANAGER,
						 "GetService",
						 g_variant_new("(s)", "stranger-one"));
	g_autofree char *explain = bus_world_refusal(connection, OBJECT_PATH_MANAGER,
						     INTERFACE_MANAGER, "Explain",
						     g_variant_new("(s)", "stranger-two"));
	g_autofree char *read = bus_world_refusal(connection, SERVICE_PATH("strangerthree"),
						  PROPERTIES, "GetAll",
						  g_variant_new("(s)", INTERFACE_SERVICE));

	ck_assert_ptr_nonnull(strstr(get, "NoSuchService"));
	ck_assert_ptr_nonnull(strstr(explain, "NoSuchService"));
	ck_assert_ptr_nonnull(strstr(read, "UnknownObject"));
	/* GLib never frees an interned string. */
	ck_assert_uint_eq(g_quark_try_string("stranger-one"), 0);
	ck_assert_uint_eq(g_quark_try_string("stranger-two"), 0);
	ck_assert_uint_eq(g_quark_try_string("strangerthree"), 0);
}
END_TEST

START_TEST(false_terms_have_text_level_and_origin)
{
	g_autoptr(BusWorld) bw = bus_world_new_three();
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autoptr(GVariant) value = bus_world_property(connection, SERVICE_PATH("shy"),
						       INTERFACE_SERVICE, "FalseTerms");
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
		{ OBJECT_PATH_MANAGER, INTERFACE_MANAGER, 21 },
		{ OBJECT_PATH_BOOT, INTERFACE_BOOT, 10 },
		{ SERVICE_PATH("base"), INTERFACE_SERVICE, 52 },
	};
	g_autoptr(BusWorld) bw = bus_world_new_three();
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);

	world_settle(bw->world);
	for (size_t i = 0; i < G_N_ELEMENTS(objects); i++) {
		g_autoptr(GVariant) reply =
			bus_world_call(connection, objects[i].path, PROPERTIES, "GetAll",
				       g_variant_new("(s)", objects[i].interface), "(a{sv})", NULL);
		g_autoptr(GVariant) all = g_variant_get_child_value(reply, 0);
		GVariantIter iter;
		const char *name;
		GVariant *value;

		ck_assert_uint_eq(g_variant_n_children(all), objects[i].n);
		g_variant_iter_init(&iter, all);
		while (g_variant_iter_next(&iter, "{&sv}", &name, &value)) {
			g_autoptr(GVariant) again = bus_world_property(connection, objects[i].path,
								       objects[i].interface, name);

			/* Times change between the two reads. */
			ck_assert(g_variant_equal(value, again) ||
				  g_str_has_prefix(name, "Estimated"));
			g_variant_unref(value);
		}
	}
}
END_TEST

START_TEST(managed_objects_are_the_boot_and_the_services)
{
	g_autoptr(BusWorld) bw = bus_world_new_three();
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autoptr(GVariant)
		reply = bus_world_call(connection, OBJECT_PATH_MANAGER,
				       "org.freedesktop.DBus.ObjectManager", "GetManagedObjects",
				       NULL, "(a{oa{sa{sv}}})", NULL);
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
	g_autoptr(BusWorld) bw = bus_world_new_three();
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);

	for (size_t i = 0; i < G_N_ELEMENTS(objects); i++) {
		g_autoptr(GVariant) reply = bus_world_call(connection, objects[i].path,
							   "org.freedesktop.DBus.Introspectable",
							   "Introspect", NULL, "(s)", NULL);
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

START_TEST(a_service_is_found_by_its_additional_name)
{
	g_autoptr(BusWorld)
		bw = bus_world_new("== network-manager\n[Service]\nExec=/bin/nm\n[Conditions]\n"
				   "Provides=NetworkManager\n",
				   NULL);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autoptr(GVariant) reply = bus_world_manager(
		connection, "GetService", g_variant_new("(s)", "NetworkManager"), "(o)");
	const char *path;

	g_variant_get(reply, "(&o)", &path);
	ck_assert_str_eq(path, SERVICE_PATH("network_2dmanager"));
}
END_TEST

START_TEST(names_with_odd_letters_have_escaped_paths)
{
	g_autoptr(BusWorld)
		bw = bus_world_new("== getty@tty1\n[Service]\nExec=/bin/getty %i\n", NULL);
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autoptr(GVariant) reply = bus_world_manager(connection, "GetService",
						      g_variant_new("(s)", "getty@tty1"), "(o)");
	g_autofree char *refusal = NULL;
	const char *path;

	g_variant_get(reply, "(&o)", &path);
	ck_assert_str_eq(path, SERVICE_PATH("getty_40tty1"));
	expect_property(connection, path, "Name", "'getty@tty1'");

	/* Each object has exactly one path. */
	refusal = bus_world_refusal(connection, SERVICE_PATH("_67etty_40tty1"), PROPERTIES,
				    "GetAll", g_variant_new("(s)", INTERFACE_SERVICE));
	ck_assert_msg(g_str_has_prefix(refusal, "org.freedesktop.DBus.Error.UnknownObject"), "%s",
		      refusal);
}
END_TEST

START_TEST(explain_gives_reasons_in_sentences)
{
	g_autoptr(BusWorld) bw = bus_world_new_three();
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autoptr(GVariant) reply = NULL;
	g_autofree char *text = NULL;

	world_settle(bw->world);
	reply = bus_world_manager(connection, "Explain", g_variant_new("(s)", "shy"), "(a(usss))");
	text = g_variant_print(reply, FALSE);
	ck_assert_msg(strstr(text, "flag:go") != NULL, "%s", text);
}
END_TEST

START_TEST(diagnostics_are_published)
{
	g_autoptr(BusWorld) bw = bus_world_new_three();
	g_autoptr(GDBusConnection) connection = bus_world_connect(bw);
	g_autoptr(GVariant) reply = NULL;
	g_autofree char *text = NULL;

	diag_error(bw->diags, origin_new("/etc/svcd/services.d/x.svc", 7), "x",
		   "unknown key Exce=; did you mean Exec=?");
	reply = bus_world_manager(connection, "Diagnostics", NULL, "(a(ssuss))");
	text = g_variant_print(reply, FALSE);
	ck_assert_str_eq(
		text,
		"([('error', '/etc/svcd/services.d/x.svc', 7, 'x', 'unknown key Exce=; did you "
		"mean Exec=?')],)");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("bus");

	ADD_CASE(suite, "looking", one_call_lists_all_services,
		 a_list_has_the_properties_that_are_asked_for, an_idle_service_is_not_in_motion,
		 a_service_is_an_object_with_properties, names_without_a_service_are_not_kept,
		 false_terms_have_text_level_and_origin, every_property_can_be_read,
		 managed_objects_are_the_boot_and_the_services, introspection_describes_each_object,
		 a_service_is_found_by_its_additional_name,
		 names_with_odd_letters_have_escaped_paths, explain_gives_reasons_in_sentences,
		 diagnostics_are_published);
	return suite;
}
