/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Terms: what a service waits for, and who waits for it, as clients see it.
 */
#ifndef SVCD_BUS_TERMS_H
#define SVCD_BUS_TERMS_H

#include <dbus/dbus.h>

#include "engine/engine.h"

/* a(ssss): text, level, why, origin of each term that is not true. */
void terms_append_false(const Engine *engine, const Service *service, DBusMessageIter *out);

/* a(sssss): "When" or "While", then as above, for all terms in force. */
void terms_append_all(const Engine *engine, const Service *service, DBusMessageIter *out);

/* By its name or another one (Provides=), as the engine finds it; NULL: there is none. */
const Service *terms_find_service(const Engine *engine, const char *name);

/* Services with processes whose While= falls with @service: borrowed names, a new array. */
GPtrArray *terms_dependents(const Engine *engine, const Service *service);

#endif
