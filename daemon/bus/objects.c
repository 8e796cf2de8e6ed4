/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Objects: a small fixed tree, and one object for each service.
 */
#include "config.h"

#include "bus/objects.h"

#include <string.h>

#include "base/text.h"

#define STANDARD_INTERFACES &interface_introspectable, &interface_peer, &interface_properties, NULL

static const Interface *const node_interfaces[] = { STANDARD_INTERFACES };
static const Interface *const manager_interfaces[] = { &interface_manager,
						       &interface_object_manager,
						       STANDARD_INTERFACES };
static const Interface *const boot_interfaces[] = { &interface_boot, STANDARD_INTERFACES };
static const Interface *const services_interfaces[] = { &interface_services, STANDARD_INTERFACES };
static const Interface *const service_interfaces[] = { &interface_service, STANDARD_INTERFACES };

static const struct {
	const char *path;
	const Interface *const *interfaces;
	const char *child; /* the next element of the path */
} fixed_objects[] = {
	{ "/", node_interfaces, "org" },
	{ "/org", node_interfaces, "svcd1" },
	{ OBJECT_PATH_MANAGER, manager_interfaces, "service" },
	{ OBJECT_PATH_SERVICES, services_interfaces, NULL },
	{ OBJECT_PATH_BOOT, boot_interfaces, NULL },
};

char *object_path_of_service(const char *name)
{
	g_autofree char *element = text_escape_bus_path(name);

	return g_strconcat(OBJECT_PATH_SERVICES "/", element, NULL);
}

static const Service *find_service(const Engine *engine, const char *path)
{
	static const char prefix[] = OBJECT_PATH_SERVICES "/";
	g_autofree char *name = NULL;
	g_autofree char *again = NULL;

	if (!g_str_has_prefix(path, prefix))
		return NULL;
	name = text_unescape_bus_path(path + sizeof prefix - 1);
	if (!name)
		return NULL;
	/* Each object has exactly one path: "_41" for "A" is refused. */
	again = object_path_of_service(name);
	return strcmp(again, path) == 0 ? engine_find(engine, name) : NULL;
}

bool object_find(const Engine *engine, const char *path, Object *ret)
{
	const Service *service;

	for (size_t i = 0; i < G_N_ELEMENTS(fixed_objects); i++) {
		if (strcmp(fixed_objects[i].path, path) == 0) {
			*ret = (Object){ .interfaces = fixed_objects[i].interfaces };
			return true;
		}
	}
	service = find_service(engine, path);
	if (!service)
		return false;
	*ret = (Object){ .service = service, .interfaces = service_interfaces };
	return true;
}

const Interface *object_interface(const Object *object, const char *name)
{
	for (size_t i = 0; object->interfaces[i]; i++) {
		if (strcmp(object->interfaces[i]->name, name) == 0)
			return object->interfaces[i];
	}
	return NULL;
}

static void append_children(GString *xml, const Engine *engine, const char *path)
{
	for (size_t i = 0; i < G_N_ELEMENTS(fixed_objects); i++) {
		if (strcmp(fixed_objects[i].path, path) == 0 && fixed_objects[i].child)
			g_string_append_printf(xml, "  <node name=\"%s\"/>\n",
					       fixed_objects[i].child);
	}
	if (strcmp(path, OBJECT_PATH_MANAGER) == 0)
		g_string_append(xml, "  <node name=\"boot\"/>\n");
	if (strcmp(path, OBJECT_PATH_SERVICES) != 0)
		return;
	for (guint i = 0; i < engine_services(engine)->len; i++) {
		const Service *s = g_ptr_array_index(engine_services(engine), i);
		g_autofree char *element = text_escape_bus_path(s->def->name);

		g_string_append_printf(xml, "  <node name=\"%s\"/>\n", element);
	}
}

char *object_introspect(const Engine *engine, const char *path, const Object *object)
{
	g_autoptr(GString) xml = g_string_new(
		"<!DOCTYPE node PUBLIC \"-//freedesktop//DTD D-BUS Object Introspection 1.0//EN\"\n"
		" \"http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd\">\n<node>\n");

	for (size_t i = 0; object->interfaces[i]; i++) {
		if (object->interfaces[i]->xml)
			g_string_append(xml, object->interfaces[i]->xml);
	}
	append_children(xml, engine, path);
	g_string_append(xml, "</node>\n");
	return g_string_free(g_steal_pointer(&xml), FALSE);
}
