/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Objects: the object at a path, and the path of a service.
 */
#ifndef SVCD_BUS_OBJECTS_H
#define SVCD_BUS_OBJECTS_H

#include <glib.h>
#include <stdbool.h>

#include "bus/names.h"
#include "bus/rows.h"

typedef struct Object {
	const Service *service; /* NULL unless the object is a service */
	const Interface *const *interfaces; /* NULL-terminated; includes the standard interfaces */
} Object;

/**
 * object_find() - find the object at @path
 * Returns: false if there is none.
 */
bool object_find(const Engine *engine, const char *path, Object *ret);

/* "/org/svcd1/service/ESCAPED"; a new string. */
char *object_path_of_service(const char *name);

/* The interface of @object with that name, or NULL. */
const Interface *object_interface(const Object *object, const char *name);

/* The whole introspection document; a new string. */
char *object_introspect(const Engine *engine, const char *path, const Object *object);

#endif
