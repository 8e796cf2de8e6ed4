/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Objects: from a path to what is there, and back.
 */
#ifndef SVCD_BUS_OBJECTS_H
#define SVCD_BUS_OBJECTS_H

#include <glib.h>
#include <stdbool.h>

#include "bus/names.h"
#include "bus/rows.h"

typedef struct Object {
	const Service *service;              /* NULL unless the path is that of one */
	const Interface *const *interfaces;  /* NULL-terminated; our own and the standard ones */
} Object;

/**
 * object_find() - what is at @path
 * Returns: false when there is nothing.
 */
bool object_find(const Engine *engine, const char *path, Object *ret);

/* "/org/svcd1/service/ESCAPED"; a new string. */
char *object_path_of_service(const char *name);

/* The interface of @object with that name, or NULL. */
const Interface *object_interface(const Object *object, const char *name);

/* The whole introspection document; a new string. */
char *object_introspect(const Engine *engine, const char *path, const Object *object);

#endif
