/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Terms: the terms that a service waits for, and its dependents, as clients see them.
 */
#ifndef SVCD_BUS_TERMS_H
#define SVCD_BUS_TERMS_H

#include <dbus/dbus.h>

#include "engine/engine.h"

/* Appends a(ssss): text, level, why and origin of each term that is not true. */
void terms_append_false(const Engine *engine, const Service *service, DBusMessageIter *out);

/* Appends a(sssss): "When" or "While", text, level, why and origin of each term in force. */
void terms_append_all(const Engine *engine, const Service *service, DBusMessageIter *out);

/* Finds a service by its name or an alias (Provides=). NULL: there is none. */
const Service *terms_find_service(const Engine *engine, const char *name);

/*
 * The running services that stop when @service ends, because of their While=. A new array of
 * borrowed names.
 */
GPtrArray *terms_dependents(const Engine *engine, const Service *service);

#endif
