/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * org.svcd1.Boot: the progress of the boot, for display managers.
 */
#include "config.h"

#include "boot/boot-record.h"
#include "boot/progress.h"
#include "bus/internal.h"
#include "bus/introspection.h"
#include "bus/names.h"
#include "bus/rows.h"
#include "loop/wire.h"

static Progress progress_of(const PropertyContext *x)
{
	Progress progress = { 0 };

	progress_get(x->engine, &progress);
	return progress;
}

static void append_progress(const PropertyContext *x, DBusMessageIter *out)
{
	wire_double(out, progress_fraction(x->engine, x->now_us));
}

static const char *get_phase(const PropertyContext *x)
{
	if (engine_is_shutting_down(x->engine))
		return "shutdown";
	return progress_of(x).finished ? "up" : "boot";
}

static const char *get_current_description(const PropertyContext *x)
{
	return progress_current(x->engine);
}

static bool is_starting(const Service *s)
{
	return s->state == STATE_STARTING;
}

static bool has_failed(const Service *s)
{
	return s->state == STATE_FAILED || engine_is_failing(s);
}

/* Appends the names of the wanted services for which @is_so returns true. */
static void append_names(const PropertyContext *x, bool (*is_so)(const Service *s),
			 DBusMessageIter *out)
{
	const GPtrArray *all = engine_services(x->engine);
	g_autoptr(GPtrArray) names = g_ptr_array_new();

	for (guint i = 0; i < all->len; i++) {
		const Service *s = g_ptr_array_index(all, i);

		if (is_so(s) && service_is_wanted(s))
			g_ptr_array_add(names, (gpointer)s->def->name);
	}
	wire_names(out, names);
}

static void append_starting(const PropertyContext *x, DBusMessageIter *out)
{
	append_names(x, is_starting, out);
}

static void append_failed(const PropertyContext *x, DBusMessageIter *out)
{
	append_names(x, has_failed, out);
}

static uint64_t get_ready(const PropertyContext *x)
{
	return progress_of(x).ready;
}

static uint64_t get_total(const PropertyContext *x)
{
	return progress_of(x).total;
}

static uint64_t get_estimated_remaining(const PropertyContext *x)
{
	return (uint64_t)progress_rest(x->engine, x->now_us);
}

static uint64_t get_finished(const PropertyContext *x)
{
	return progress_of(x).finished;
}

static uint64_t get_init_started_at(const PropertyContext *x)
{
	return (uint64_t)bus_info(x->bus).keeper_started_us;
}

/* --- times of the boot --- */

static void append_times(const Service *s, const BootRecord *record, DBusMessageIter *array)
{
	DBusMessageIter inner;

	wire_open(array, DBUS_TYPE_STRUCT, NULL, &inner);
	wire_string(&inner, s->def->name);
	wire_uint64(&inner, (uint64_t)record->wanted_us);
	wire_uint64(&inner, (uint64_t)record->allowed_us);
	wire_uint64(&inner, (uint64_t)record->started_us);
	wire_uint64(&inner, (uint64_t)record->over_us);
	wire_string(&inner, boot_result_name(record->result));
	wire_string(&inner, record->last);
	wire_string(&inner, record->last_by);
	wire_close(array, &inner);
}

static bool on_list_times(BusCall *call, DBusMessageIter *out, GError **error)
{
	const GPtrArray *all = engine_services(call->engine);
	DBusMessageIter array;

	(void)error;
	wire_open(out, DBUS_TYPE_ARRAY, "(sttttsss)", &array);
	for (guint i = 0; i < all->len; i++) {
		const Service *s = g_ptr_array_index(all, i);
		const BootRecord *record = boot_record_get(s);

		if (record)
			append_times(s, record, &array);
	}
	wire_close(out, &array);
	return true;
}

static const MethodRow methods[] = {
	{ "ListTimes", "", "a(sttttsss)", ACCESS_READ, on_list_times },
};

static const PropertyRow properties[] = {
	{ "Progress", "d", 0, .append = append_progress },
	{ "Phase", "s", 0, .text = get_phase },
	{ "CurrentDescription", "s", 0, .text = get_current_description },
	{ "Starting", "as", 0, .append = append_starting },
	{ "Ready", "u", 0, .number = get_ready },
	{ "Total", "u", 0, .number = get_total },
	{ "Failed", "as", 0, .append = append_failed },
	{ "EstimatedRemaining", "t", 0, .number = get_estimated_remaining },
	{ "Finished", "b", 0, .number = get_finished },
	{ "InitStartedAt", "t", PROPERTY_CONST, .number = get_init_started_at },
};

const Interface interface_boot = {
	.name = INTERFACE_BOOT,
	.xml = introspection_org_svcd1_Boot,
	.methods = methods,
	.n_methods = G_N_ELEMENTS(methods),
	.properties = properties,
	.n_properties = G_N_ELEMENTS(properties),
};
