/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The rows of properties and methods are compared with the introspection XML, in both directions.
 */
#include "config.h"

#include <check.h>
#include <gio/gio.h>
#include <string.h>

#include "bus/access.h"
#include "bus/rows.h"
#include "tests/lib/suite.h"

static const struct {
	const Interface *interface;
	const char *file;
} tables[] = {
	{ &interface_manager, "org.svcd1.Manager.xml" },
	{ &interface_service, "org.svcd1.Service.xml" },
	{ &interface_boot, "org.svcd1.Boot.xml" },
	{ &interface_services, "org.svcd1.Services.xml" },
	{ &interface_object_manager, "org.freedesktop.DBus.ObjectManager.xml" },
	{ &interface_introspectable, "org.freedesktop.DBus.xml" },
	{ &interface_peer, "org.freedesktop.DBus.xml" },
	{ &interface_properties, "org.freedesktop.DBus.xml" },
};

static GDBusNodeInfo *read_xml(const char *file)
{
	g_autofree char *path = g_build_filename(g_getenv("srcdir") ? g_getenv("srcdir") : ".",
						 "daemon/bus", file, NULL);
	g_autofree char *text = NULL;
	g_autoptr(GError) error = NULL;
	GDBusNodeInfo *node;

	ck_assert_msg(g_file_get_contents(path, &text, NULL, &error), "%s",
		      error ? error->message : "");
	node = g_dbus_node_info_new_for_xml(text, &error);
	ck_assert_msg(node != NULL, "%s: %s", file, error ? error->message : "");
	return node;
}

static char *signature(GDBusArgInfo **args)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (size_t i = 0; args && args[i]; i++)
		g_string_append(text, args[i]->signature);
	return g_string_free(g_steal_pointer(&text), FALSE);
}

static const MethodRow *find_method(const Interface *interface, const char *name)
{
	for (unsigned i = 0; i < interface->n_methods; i++) {
		if (strcmp(interface->methods[i].name, name) == 0)
			return &interface->methods[i];
	}
	return NULL;
}

static const PropertyRow *find_property(const Interface *interface, const char *name)
{
	for (unsigned i = 0; i < interface->n_properties; i++) {
		if (strcmp(interface->properties[i].name, name) == 0)
			return &interface->properties[i];
	}
	return NULL;
}

START_TEST(methods_are_those_of_the_xml)
{
	const Interface *interface = tables[_i].interface;
	GDBusNodeInfo *node = read_xml(tables[_i].file);
	GDBusInterfaceInfo *info = g_dbus_node_info_lookup_interface(node, interface->name);
	unsigned n = 0;

	ck_assert_msg(info != NULL, "%s is not in its file", interface->name);
	for (; info->methods && info->methods[n]; n++) {
		const MethodRow *row = find_method(interface, info->methods[n]->name);
		g_autofree char *in = signature(info->methods[n]->in_args);
		g_autofree char *out = signature(info->methods[n]->out_args);

		ck_assert_msg(row != NULL, "%s.%s has no row", interface->name,
			      info->methods[n]->name);
		ck_assert_str_eq(row->in, in);
		ck_assert_str_eq(row->out, out);
		ck_assert(row->handle != NULL);
	}
	ck_assert_uint_eq(n, interface->n_methods);
	g_dbus_node_info_unref(node);
}
END_TEST

static const char *emits(GDBusPropertyInfo *property)
{
	const char *value = g_dbus_annotation_info_lookup(
		property->annotations, "org.freedesktop.DBus.Property.EmitsChangedSignal");

	return value ? value : "true";
}

START_TEST(properties_are_those_of_the_xml)
{
	const Interface *interface = tables[_i].interface;
	GDBusNodeInfo *node = read_xml(tables[_i].file);
	GDBusInterfaceInfo *info = g_dbus_node_info_lookup_interface(node, interface->name);
	unsigned n = 0;

	for (; info->properties && info->properties[n]; n++) {
		const PropertyRow *row = find_property(interface, info->properties[n]->name);

		ck_assert_msg(row != NULL, "%s.%s has no row", interface->name,
			      info->properties[n]->name);
		ck_assert_str_eq(row->type, info->properties[n]->signature);
		ck_assert_int_eq(info->properties[n]->flags, G_DBUS_PROPERTY_INFO_FLAGS_READABLE);
		ck_assert_str_eq(emits(info->properties[n]), row->flags & PROPERTY_CONST ? "const" :
							     row->flags & PROPERTY_SILENT ?
											   "false" :
											   "true");
		/* Each row has exactly one getter, for its type. */
		ck_assert_int_eq(
			(row->text != NULL) + (row->number != NULL) + (row->append != NULL), 1);
		ck_assert(!row->text || strcmp(row->type, "s") == 0);
		ck_assert(!row->number || strchr("but", *row->type));
	}
	ck_assert_uint_eq(n, interface->n_properties);
	g_dbus_node_info_unref(node);
}
END_TEST

START_TEST(the_manager_has_fewer_than_twenty_methods)
{
	ck_assert_uint_lt(interface_manager.n_methods, 20);
}
END_TEST

/*
 * The bus permits all calls, so svcd checks the rights. This table has each method that needs a
 * right. No other method changes anything.
 */
START_TEST(each_method_needs_the_right_to_do_what_it_does)
{
	static const struct {
		const Interface *interface;
		const char *name;
		Access access;
	} changing[] = {
		{ &interface_manager, "Start", ACCESS_OPERATE },
		{ &interface_manager, "Stop", ACCESS_OPERATE },
		{ &interface_manager, "Restart", ACCESS_OPERATE },
		{ &interface_manager, "Reload", ACCESS_OPERATE },
		{ &interface_manager, "Clear", ACCESS_OPERATE },
		{ &interface_manager, "Activate", ACCESS_CONTROL },
		{ &interface_manager, "SetFlag", ACCESS_FLAG },
		{ &interface_manager, "SetRunlevel", ACCESS_CONTROL },
		/* svcd watches on behalf of the client */
		{ &interface_manager, "WatchCondition", ACCESS_WATCH },
		{ &interface_manager, "Shutdown", ACCESS_POWER },
		{ &interface_manager, "ReloadFiles", ACCESS_CONFIGURE },
		{ &interface_manager, "Reexec", ACCESS_CONFIGURE },
		{ &interface_manager, "ChangePolicy", ACCESS_POLICY },
		{ &interface_service, "Request", ACCESS_OPERATE },
		{ &interface_service, "Signal", ACCESS_OPERATE },
		{ &interface_service, "ReadLog", ACCESS_LOG },
	};
	static const char *const reading[] = { "ListServices",
					       "GetService",
					       "Explain",
					       "ListConditions",
					       "ListTimers",
					       "Diagnostics",
					       "Subscribe",
					       "List",
					       "ListInMotion",
					       "ListTimes",
					       "GetManagedObjects",
					       "Introspect",
					       "Ping",
					       "GetMachineId",
					       "Get",
					       "GetAll",
					       "Set",
					       NULL };
	const Interface *interface = tables[_i].interface;

	for (unsigned i = 0; i < interface->n_methods; i++) {
		const MethodRow *row = &interface->methods[i];
		Access expected = ACCESS_READ;

		for (size_t j = 0; j < G_N_ELEMENTS(changing); j++) {
			if (changing[j].interface == interface &&
			    strcmp(changing[j].name, row->name) == 0)
				expected = changing[j].access;
		}
		ck_assert_msg(row->access == expected, "%s", row->name);
		ck_assert_msg((expected == ACCESS_READ) == g_strv_contains(reading, row->name),
			      "%s", row->name);
	}
}
END_TEST

static char *read_file(const char *name)
{
	g_autofree char *path = g_build_filename(g_getenv("srcdir") ? g_getenv("srcdir") : ".",
						 "daemon/bus", name, NULL);
	g_autoptr(GError) error = NULL;
	char *text = NULL;

	ck_assert_msg(g_file_get_contents(path, &text, NULL, &error), "%s",
		      error ? error->message : "");
	return text;
}

static unsigned count(const char *text, const char *token)
{
	unsigned n = 0;

	for (const char *p = strstr(text, token); p; p = strstr(p + 1, token))
		n++;
	return n;
}

START_TEST(the_bus_lets_calls_of_each_interface_through_and_nothing_else)
{
	g_autofree char *text = read_file("org.svcd1.conf");

	for (size_t i = 0; i < G_N_ELEMENTS(tables); i++) {
		g_autofree char *rule = g_strdup_printf(
			"<allow send_destination=\"org.svcd1\" send_type=\"method_call\" "
			"send_interface=\"%s\"/>",
			tables[i].interface->name);

		ck_assert_msg(strstr(text, rule) != NULL, "%s", rule);
	}
	/* A rule without svcd's name would allow the methods of other services (CVE-2008-4311). */
	ck_assert_uint_eq(count(text, "<allow send_"), G_N_ELEMENTS(tables));
	/* Root may own svcd's name. The other name only announces that the greeter is drawn. */
	ck_assert_uint_eq(count(text, "<allow own"), 2);
	ck_assert_uint_eq(count(text, "<allow own=\"org.svcd1\"/>"), 1);
	ck_assert_uint_eq(count(text, "<allow own=\"org.svcd1.LoginScreen\"/>"), 1);
}
END_TEST

START_TEST(polkit_knows_each_action)
{
	g_autofree char *text = read_file("org.svcd1.policy");
	static const Access all[] = { ACCESS_CONTROL, ACCESS_LOG, ACCESS_POWER, ACCESS_CONFIGURE,
				      ACCESS_POLICY };

	for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
		g_autofree char *element =
			g_strdup_printf("<action id=\"%s\">", access_action(all[i]));

		ck_assert_msg(strstr(text, element) != NULL, "%s", element);
	}
	ck_assert_uint_eq(count(text, "<action id="), G_N_ELEMENTS(all));
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("bus rows");

	suite_add_loop(suite, "xml", methods_are_those_of_the_xml, G_N_ELEMENTS(tables));
	suite_add_loop(suite, "xml", properties_are_those_of_the_xml, G_N_ELEMENTS(tables));
	suite_add_loop(suite, "access", each_method_needs_the_right_to_do_what_it_does,
		       G_N_ELEMENTS(tables));
	ADD_CASE(suite, "xml", the_manager_has_fewer_than_twenty_methods,
		 the_bus_lets_calls_of_each_interface_through_and_nothing_else,
		 polkit_knows_each_action);
	return suite;
}
