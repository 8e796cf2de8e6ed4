/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Terms: levels are read from the engine at each request, and nothing is stored.
 */
#include "config.h"

#include "bus/terms.h"

#include "loop/wire.h"
#include "model/term.h"

static Level level_of(const char *key, void *data)
{
	ConditionView view;

	return engine_condition(data, key, &view) ? view.level : LEVEL_UNKNOWN;
}

static Level term_level(const Engine *engine, const Term *term)
{
	return term_evaluate(term, level_of, (void *)engine);
}

/* The reasons that the providers gave for each condition of @term, joined; a new string. */
static char *term_why(const Engine *engine, const Term *term)
{
	g_autoptr(GString) why = g_string_new(NULL);

	for (unsigned i = 0; i < term_length(term); i++) {
		ConditionView view;

		if (!engine_condition(engine, term_literal(term, i)->key, &view) || !view.why)
			continue;
		g_string_append_printf(why, "%s%s", why->len > 0 ? "; " : "", view.why);
	}
	return g_string_free(g_steal_pointer(&why), FALSE);
}

/* @kind: NULL omits the first string and the true terms. */
static void append_terms(const Engine *engine, const GPtrArray *terms, const char *kind,
			 DBusMessageIter *out)
{
	for (guint i = 0; i < terms->len; i++) {
		const Term *term = g_ptr_array_index(terms, i);
		const Level level = term_level(engine, term);
		g_autofree char *why = NULL;
		g_autofree char *origin = NULL;

		if (!kind && level == LEVEL_TRUE)
			continue;
		why = term_why(engine, term);
		origin = origin_format(term->origin);
		const char *const texts[] = { kind, term->text, level_name(level), why, origin };

		wire_string_struct(out, kind ? texts : texts + 1, kind ? 5 : 4);
	}
}

void terms_append_false(const Engine *engine, const Service *service, DBusMessageIter *out)
{
	DBusMessageIter array;

	wire_open(out, DBUS_TYPE_ARRAY, "(ssss)", &array);
	append_terms(engine, service->when, NULL, &array);
	append_terms(engine, service->while_terms, NULL, &array);
	wire_close(out, &array);
}

void terms_append_all(const Engine *engine, const Service *service, DBusMessageIter *out)
{
	DBusMessageIter array;

	wire_open(out, DBUS_TYPE_ARRAY, "(sssss)", &array);
	append_terms(engine, service->when, "When", &array);
	append_terms(engine, service->while_terms, "While", &array);
	wire_close(out, &array);
}

const Service *terms_find_service(const Engine *engine, const char *name)
{
	const Service *service = engine_find(engine, name);
	const ServiceDef *def = service ? NULL : service_set_find(engine_set(engine), name);

	return def ? engine_find(engine, def->name) : service;
}

GPtrArray *terms_dependents(const Engine *engine, const Service *service)
{
	const GPtrArray *all = engine_services(engine);
	GPtrArray *names = g_ptr_array_new();

	for (guint i = 0; i < all->len; i++) {
		const Service *s = g_ptr_array_index(all, i);
		const bool is_running = service_is_up(s) || s->state == STATE_STARTING;

		if (is_running && engine_on_lapse(s) == ON_LAPSE_STOP &&
		    engine_depends_on(s, service))
			g_ptr_array_add(names, (gpointer)s->def->name);
	}
	return names;
}
