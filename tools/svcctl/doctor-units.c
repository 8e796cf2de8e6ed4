/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Doctor, units: systemd units that svcd does not run, and lines without an equivalent, by weight.
 */
#include "config.h"

#include <string.h>

#include "svc-generate/generate.h"
#include "svcctl/doctor.h"
#include "svcctl/units.h"
#include "unit-compat/unit-policy.h"
#include "unit-compat/unit-private.h"

static bool is_service(const Doctor *d, const Unit *unit)
{
	return service_set_find(d->configuration->set, unit->service) != NULL;
}

/* A refused unit matters if a link starts it; the others are named together. */
static void report_refused(Doctor *d, const Units *units, const Unit *unit, GString *others)
{
	g_autofree char *next = unit_import_commands(unit->path, unit->service, "; ");

	if (is_service(d, unit))
		doctor_report(d, DOCTOR_NOTE, NULL,
			      "%s: its unit is not used, but its init script or service file. %s",
			      unit->service, unit->reason);
	else if (unit_is_linked(units->tree, unit->name))
		doctor_report(d,
			      policy_rc_links(d->configuration->policy, NULL) ? DOCTOR_WARNING :
										DOCTOR_NOTE,
			      next,
			      "nothing starts %s, because svcd cannot run its unit as written. %s",
			      unit->service, unit->reason);
	else
		g_string_append_printf(others, "%s%s", others->len > 0 ? " " : "", unit->name);
}

static void check_refused(Doctor *d, const Units *units)
{
	g_autoptr(GString) others = g_string_new(NULL);

	for (guint i = 0; i < units->list->len; i++) {
		const Unit *unit = g_ptr_array_index(units->list, i);

		if (unit->fate == UNIT_REFUSED)
			report_refused(d, units, unit, others);
		else if (unit->fate == UNIT_REPLACED && unit->has_admins_drop_in)
			doctor_report(d, DOCTOR_NOTE, NULL,
				      "the drop-ins of %s in /etc/systemd/system have no effect: "
				      "the service %s does the work of the unit",
				      unit->name, unit->service);
	}
	if (others->len > 0)
		doctor_report(d, DOCTOR_NOTE, "svcctl explain NAME",
			      "svcd cannot run these units, which no link starts: %s", others->str);
}

static void check_losses(Doctor *d, const Units *units, UnitWeight weight, const char *kind)
{
	for (guint i = 0; i < units->list->len; i++) {
		const Unit *unit = g_ptr_array_index(units->list, i);

		for (guint k = 0; unit->fate == UNIT_READ && k < unit->losses->len; k++) {
			const UnitLoss *loss = g_ptr_array_index(unit->losses, k);
			g_autofree char *where = origin_format(loss->origin);

			if (loss->weight == weight)
				doctor_report(d, DOCTOR_NOTE, NULL, "%s lacks %s: %s: %s (%s)",
					      unit->service, kind, where, loss->setting,
					      loss->note);
		}
	}
}

static void check_minor_losses(Doctor *d, const Units *units)
{
	g_autoptr(GString) names = g_string_new(NULL);

	for (guint i = 0; i < units->list->len; i++) {
		const Unit *unit = g_ptr_array_index(units->list, i);
		const UnitLoss *last =
			unit->losses->len > 0 ?
				g_ptr_array_index(unit->losses, unit->losses->len - 1) :
				NULL;

		if (unit->fate == UNIT_READ && last && last->weight == UNIT_WEIGHT_MINOR)
			g_string_append_printf(names, "%s%s", names->len > 0 ? " " : "",
					       unit->path);
	}
	if (names->len > 0)
		doctor_report(d, DOCTOR_NOTE, "svcctl import FILE",
			      "minor lines of these units have no effect: %s", names->str);
}

/* problem -> names of units */
static void add_idle_link(void *data, const UnitLink *link, const char *problem)
{
	GString *names = g_hash_table_lookup(data, problem);

	if (!names) {
		names = g_string_new(NULL);
		g_hash_table_insert(data, g_strdup(problem), names);
	}
	g_string_append_printf(names, "%s%s", names->len > 0 ? " " : "", link->path);
}

static void free_string(gpointer data)
{
	g_string_free(data, TRUE);
}

static void check_idle_links(Doctor *d, const Units *units)
{
	g_autoptr(GHashTable) problems =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_string);
	GHashTableIter iter;
	gpointer problem;
	gpointer names;

	unit_policy_each_idle_link(units, add_idle_link, problems);
	g_hash_table_iter_init(&iter, problems);
	while (g_hash_table_iter_next(&iter, &problem, &names))
		doctor_report(d, DOCTOR_NOTE, NULL, "svcd does not follow %s: %s",
			      ((GString *)names)->str, (char *)problem);
}

void doctor_check_units(Doctor *d)
{
	g_autoptr(Generated) generated = generate("", NULL);
	const guint n_before = json_array_get_length(d->findings);

	check_refused(d, generated->units);
	check_losses(d, generated->units, UNIT_WEIGHT_PROTECTION, "protection");
	check_losses(d, generated->units, UNIT_WEIGHT_ORDER, "order");
	check_minor_losses(d, generated->units);
	check_idle_links(d, generated->units);
	if (json_array_get_length(d->findings) == n_before)
		doctor_report(d, DOCTOR_OK, NULL,
			      "every systemd unit is a service, without a lost line");
}
