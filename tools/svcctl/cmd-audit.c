/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * audit: the harm that each service could do, and the settings that would prevent it. Reads the
 * files, not the running svcd.
 */
#include "config.h"

#include <string.h>

#include "svcctl/audit.h"
#include "svcctl/svcctl.h"

typedef struct Audited {
	const ServiceDef *def;
	GPtrArray *findings; /* owned */
	unsigned points;
} Audited;

static void free_audited(gpointer data)
{
	Audited *audited = data;

	g_ptr_array_unref(audited->findings);
	g_free(audited);
}

static void audit(GPtrArray *all, const ServiceDef *def, const char *root)
{
	Audited *audited = g_new0(Audited, 1);

	audited->def = def;
	audited->findings = audit_service(def, root);
	audited->points = audit_points(audited->findings);
	g_ptr_array_add(all, audited);
}

static gint compare_points(gconstpointer a, gconstpointer b)
{
	const Audited *left = *(const Audited *const *)a;
	const Audited *right = *(const Audited *const *)b;

	if (left->points != right->points)
		return left->points > right->points ? -1 : 1;
	return strcmp(left->def->name, right->def->name);
}

/* --- JSON --- */

/* The command that applies the remedy; a new string. */
static char *next_of(const Context *context, const ServiceDef *def, const AuditFinding *finding)
{
	const char *root = context->options.root;

	if (finding->next)
		return g_strdup(finding->next);
	return g_strdup_printf("svcctl%s%s edit %s %s", root ? " --root " : "", root ? root : "",
			       def->name, finding->settings);
}

static JsonObject *audited_to_json(const Context *context, const Audited *audited)
{
	JsonObject *object = json_object_new();
	JsonArray *array = json_array_new();

	for (guint i = 0; i < audited->findings->len; i++) {
		const AuditFinding *finding = g_ptr_array_index(audited->findings, i);
		g_autofree char *next = next_of(context, audited->def, finding);
		JsonObject *one = json_object_new();

		json_object_set_string_member(one, "check", finding->check);
		json_object_set_int_member(one, "points", finding->points);
		json_object_set_string_member(one, "finding", finding->finding);
		json_object_set_string_member(one, "next", next);
		json_array_add_object_element(array, one);
	}
	json_object_set_string_member(object, "name", audited->def->name);
	json_object_set_int_member(object, "points", audited->points);
	json_object_set_int_member(object, "most", audit_most());
	json_object_set_array_member(object, "findings", array);
	return object;
}

static void set_data(Context *context, const GPtrArray *all)
{
	JsonArray *array = json_array_new();

	for (guint i = 0; i < all->len; i++)
		json_array_add_object_element(array,
					      audited_to_json(context, g_ptr_array_index(all, i)));
	output_set_array(&context->output, array);
}

/* --- text --- */

static void print_list(Output *output, const GPtrArray *all)
{
	output_paragraph(
		output, 0,
		"A service loses points for the harm that it could do; 0 is best. Details: svcctl "
		"doctor --security NAME");
	for (guint i = 0; i < all->len; i++) {
		const Audited *audited = g_ptr_array_index(all, i);

		output_line(output, "%3u of %u  %s", audited->points, audit_most(),
			    audited->def->name);
	}
}

static void print_audited(Context *context, const Audited *audited)
{
	Output *output = &context->output;
	g_autofree char *title = g_strdup_printf("%s loses %u of %u points.", audited->def->name,
						 audited->points, audit_most());
	g_autoptr(GString) settings = g_string_new(NULL);

	output_paragraph(output, 0, title);
	for (guint i = 0; i < audited->findings->len; i++) {
		const AuditFinding *finding = g_ptr_array_index(audited->findings, i);
		g_autofree char *head = g_strdup_printf("-%u %s: %s", finding->points,
							finding->check, finding->finding);
		g_autofree char *next = next_of(context, audited->def, finding);

		output_headline_at(output, 2, head);
		output_headline_at(output, 5, next);
		if (finding->settings)
			g_string_append_printf(settings, " %s", finding->settings);
	}
	if (settings->len > 0) {
		const AuditFinding whole = { .settings = settings->str + 1 };
		g_autofree char *line = next_of(context, audited->def, &whole);

		output_paragraph(
			output, 0,
			"All settings at once; try the service before you keep them (svcctl undo "
			"reverts them):");
		output_headline_at(output, 5, line);
	}
}

bool cmd_audit(Context *context, GError **error)
{
	g_autoptr(Configuration) configuration = context_load_named(context);
	const GPtrArray *services = service_set_list(configuration->set);
	g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(free_audited);

	for (unsigned i = 0; i < context->n_names; i++) {
		const ServiceDef *def = service_set_find(configuration->set, context->names[i]);

		if (!def) {
			context_hint(context, "svcctl check");
			return fail_ctl(error, CTL_ERROR_FILE,
					"no file describes a service named %s", context->names[i]);
		}
		audit(all, def, context_root(context));
	}
	for (guint i = 0; context->n_names == 0 && i < services->len; i++) {
		const ServiceDef *def = g_ptr_array_index(services, i);

		if (def->type != TYPE_GROUP && !def->problem)
			audit(all, def, context_root(context));
	}
	g_ptr_array_sort(all, compare_points);
	set_data(context, all);
	if (context->n_names == 0)
		print_list(&context->output, all);
	for (guint i = 0; context->n_names > 0 && i < all->len; i++)
		print_audited(context, g_ptr_array_index(all, i));
	return true;
}
