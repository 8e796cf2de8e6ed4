/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * doctor: runs all checks.
 */
#include "config.h"

#include <stdarg.h>

#include "base/errors.h"
#include "bus/names.h"
#include "svcctl/doctor.h"

static const struct {
	const char *name;
	void (*check)(Doctor *d);
} checks[] = {
	{ "init", doctor_check_init },
	{ "versions", doctor_check_versions },
	{ "cgroups", doctor_check_cgroups },
	{ "systemd", doctor_check_systemd },
	{ "permissions", doctor_check_permissions },
	{ "rc-links", doctor_check_rc_links },
	{ "bus-files", doctor_check_bus_files },
	{ "units", doctor_check_units },
	{ "switches", doctor_check_switches },
	{ "leftovers", doctor_check_leftovers },
	{ "replaced", doctor_check_replaced },
	{ "services", doctor_check_services },
	{ "reboot", doctor_check_reboot },
};

static const struct {
	const char *name; /* in JSON */
	const char *state; /* its symbol and colour are used */
} levels[] = {
	[DOCTOR_OK] = { "ok", "ready" },
	[DOCTOR_NOTE] = { "note", "idle" },
	[DOCTOR_WARNING] = { "warning", "waiting" },
	[DOCTOR_ERROR] = { "error", "failed" },
};

static void add_json(Doctor *d, DoctorLevel level, const char *finding, const char *next)
{
	JsonObject *object = json_object_new();
	g_autofree char *valid = g_utf8_make_valid(finding, -1);

	json_object_set_string_member(object, "check", d->check);
	json_object_set_string_member(object, "level", levels[level].name);
	json_object_set_string_member(object, "finding", valid);
	if (next)
		json_object_set_string_member(object, "next", next);
	else
		json_object_set_null_member(object, "next");
	json_array_add_object_element(d->findings, object);
}

void doctor_report(Doctor *d, DoctorLevel level, const char *next, const char *format, ...)
{
	Output *output = &d->context->output;
	g_autofree char *finding = NULL;
	va_list args;

	va_start(args, format);
	finding = g_strdup_vprintf(format, args);
	va_end(args);
	d->n_bad += level >= DOCTOR_WARNING;
	add_json(d, level, finding, next);
	if (output->is_json || (output->is_quiet && level < DOCTOR_WARNING))
		return;
	fprintf(output->out, "%s%s%s ", output_colour(output, levels[level].state, false),
		output_symbol(output, levels[level].state, false), output_colour_end(output));
	output_paragraph(output, 2, finding);
	if (next)
		output_headline_at(output, 4, next);
}

static void set_data(Doctor *d)
{
	output_set_array(&d->context->output, d->findings);
}

bool cmd_doctor(Context *context, GError **error)
{
	Doctor d = { .context = context, .findings = json_array_new() };
	g_autoptr(GError) problem = NULL;

	(void)error;
	/* A missing answer is a finding, not an error. */
	d.manager = client_properties(context->client, OBJECT_PATH_MANAGER, INTERFACE_MANAGER,
				      &problem);
	d.is_for_root = g_error_matches(problem, SVCD_ERROR_DOMAIN, SVCD_ERROR_NOT_AUTHORIZED);
	d.services = d.manager ? get_services(context, NULL) : NULL;
	/*
	 * This check is printed before files are read. If a directory hangs, this line may be the
	 * only one that shows why.
	 */
	d.check = "manager";
	doctor_check_manager(&d);
	(void)fflush(context->output.out); /* a failure is reported at the end */
	d.configuration = context_load(context, NULL, 0);
	for (size_t i = 0; i < G_N_ELEMENTS(checks); i++) {
		d.check = checks[i].name;
		checks[i].check(&d);
	}
	set_data(&d);
	if (d.n_bad > 0)
		context->exit = EXIT_CODE_NO;
	g_clear_pointer(&d.services, g_ptr_array_unref);
	g_clear_pointer(&d.manager, g_variant_unref);
	configuration_free(d.configuration);
	return true;
}
