/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * diff: the differences between the vendor's files and the files of the admin and of this boot.
 */
#include "config.h"

#include <string.h>

#include "base/errors.h"
#include "svcctl/svcctl.h"

static const Column diff_columns[] = {
	{ "service", "SERVICE", "Service", CELL_TEXT },
	{ "section", NULL, "Section", CELL_TEXT },
	{ "key", "KEY", "Key", CELL_TEXT },
	{ "value", "VALUE", "Value", CELL_TEXT },
	{ "vendor", "VENDOR SETS", "Vendor", CELL_TEXT },
	{ "origin", "ORIGIN", "Origin", CELL_TEXT },
};

typedef struct Difference {
	const char *service;
	const char *section;
	const char *key;
	const char *value;
	const char *vendor;
	Origin origin;
} Difference;

/* Adds nothing if the vendor's value is the same. */
static void add_difference(GPtrArray *records, const Difference *difference)
{
	g_autofree char *origin = origin_format(difference->origin);
	GVariantDict dict;

	if (strcmp(difference->value, difference->vendor) == 0)
		return;
	g_variant_dict_init(&dict, NULL);
	record_add_text(&dict, "Service", difference->service);
	record_add_text(&dict, "Section", difference->section);
	record_add_text(&dict, "Key", difference->key);
	record_add_text(&dict, "Value", difference->value);
	record_add_text(&dict, "Vendor", difference->vendor);
	record_add_text(&dict, "Origin", origin);
	records_add(records, &dict);
}

/* Keys with a list of independent entries as their value. */
static bool is_list(const char *key)
{
	static const char *const keys[] = {
		"Activate", "Runlevels", "Ignore", "When", "While", NULL
	};

	return g_strv_contains(keys, key);
}

/* Do two entries of one key have the same name, such as "x" and "-x"? */
static bool is_same_token(const PolicyStatement *one, const PolicyStatement *other)
{
	return !is_list(one->key) || strcmp(one->value + (*one->value == '-'),
					    other->value + (*other->value == '-')) == 0;
}

/*
 * The vendor policy's last entry of the same name; otherwise the overruled value of the same key,
 * or "".
 */
static const char *vendor_token(const GPtrArray *statements, const PolicyStatement *ours)
{
	const char *overruled = "";
	const char *same = NULL;

	for (guint i = 0; i < statements->len; i++) {
		const PolicyStatement *other = g_ptr_array_index(statements, i);

		if (other->layer > POLICY_LAYER_VENDOR || strcmp(other->key, ours->key) != 0 ||
		    strcmp(other->section, ours->section) != 0 ||
		    strcmp(other->argument, ours->argument) != 0)
			continue;
		if (is_same_token(ours, other))
			same = other->value;
		else if (!other->decides)
			overruled = other->value;
	}
	return same ? same : overruled;
}

/* "-x" removes the vendor's "x". That is a difference, although "-x" itself decides nothing. */
static bool takes_away(const PolicyStatement *ours, const char *vendor)
{
	return is_list(ours->key) && *ours->value == '-' && strcmp(ours->value + 1, vendor) == 0;
}

static void add_policy_differences(GPtrArray *records, const Configuration *configuration,
				   const Configuration *vendor, const char *service)
{
	g_autoptr(GPtrArray) statements = policy_statements(configuration->policy, service, NULL);
	PolicyDecision before;

	policy_decide(vendor->policy, service, policy_default_runlevel(vendor->policy, NULL),
		      &before);
	for (guint i = 0; i < statements->len; i++) {
		const PolicyStatement *statement = g_ptr_array_index(statements, i);
		const bool is_activation = strcmp(statement->key, "Activation") == 0;
		const Difference difference = { service,
						statement->section,
						statement->key,
						statement->value,
						is_activation ? activation_name(before.activation) :
								vendor_token(statements, statement),
						statement->origin };

		/* The rc links are not part of the admin's policy. */
		if (statement->layer > POLICY_LAYER_RC_LINKS &&
		    strcmp(statement->section, "defaults") != 0 &&
		    (statement->decides || takes_away(statement, difference.vendor)))
			add_difference(records, &difference);
	}
}

/* Settings of the machine, and of services without a section of their own. */
static void add_default_differences(GPtrArray *records, const Configuration *configuration)
{
	g_autoptr(GPtrArray) statements = policy_statements(configuration->policy, NULL, NULL);

	for (guint i = 0; i < statements->len; i++) {
		const PolicyStatement *statement = g_ptr_array_index(statements, i);
		const Difference difference = { "[defaults]",
						statement->section,
						statement->key,
						statement->value,
						vendor_token(statements, statement),
						statement->origin };

		if (statement->layer > POLICY_LAYER_RC_LINKS && statement->decides)
			add_difference(records, &difference);
	}
}

/* The vendor's value of the key, its entries joined by blanks; a new string. */
static char *vendor_value(const ServiceDef *def, const DefLine *ours)
{
	g_autoptr(GString) value = g_string_new(NULL);

	for (guint i = 0; def && i < def->lines->len; i++) {
		const DefLine *line = g_ptr_array_index(def->lines, i);

		if (strcmp(line->section, ours->section) == 0 && strcmp(line->key, ours->key) == 0)
			g_string_append_printf(value, "%s%s", value->len > 0 ? " " : "",
					       line->value);
	}
	return g_string_free(g_steal_pointer(&value), FALSE);
}

static bool is_local(const Context *context, Origin origin)
{
	const char *root = context_root(context);
	const char *file = origin.file;

	if (!file)
		return false;
	if (*root && g_str_has_prefix(file, root))
		file += strlen(root);
	while (file[0] == '/' && file[1] == '/')
		file++;
	return g_str_has_prefix(file, SVCD_SYSCONFDIR "/") ||
	       g_str_has_prefix(file, "/run/svcd/services.d/");
}

static void add_file_differences(GPtrArray *records, const Context *context, const ServiceDef *def,
				 const ServiceDef *vendor)
{
	for (guint i = 0; i < def->lines->len; i++) {
		const DefLine *line = g_ptr_array_index(def->lines, i);
		g_autofree char *before = vendor_value(vendor, line);
		const Difference difference = { def->name,   line->section, line->key,
						line->value, before,        line->origin };

		if (is_local(context, line->origin))
			add_difference(records, &difference);
	}
}

bool cmd_diff(Context *context, GError **error)
{
	const char *name = context->n_names > 0 ? context->names[0] : NULL;
	const char *const names[] = { name, NULL };
	g_autoptr(Configuration)
		configuration = context_load(context, names, CONTEXT_LOAD_STATEMENTS);
	g_autoptr(Configuration) vendor = context_load_vendor(context, names);
	const GPtrArray *all = service_set_list(configuration->set);
	const ServiceDef *only = name ? service_set_find(configuration->set, name) : NULL;
	g_autoptr(GPtrArray) records = records_new();

	if (name && !only)
		return fail(error, SVCD_ERROR_NO_SUCH_SERVICE,
			    "no file describes a service named %s", name);
	if (!only)
		add_default_differences(records, configuration);
	for (guint i = 0; i < all->len; i++) {
		const ServiceDef *def = g_ptr_array_index(all, i);

		if (only && def != only)
			continue;
		add_policy_differences(records, configuration, vendor, def->name);
		add_file_differences(records, context, def,
				     service_set_find(vendor->set, def->name));
	}
	if (records->len == 0 && !context->output.is_json) {
		output_confirm(&context->output, "nothing differs from the vendor's files");
		return true;
	}
	return output_table(&context->output, diff_columns, G_N_ELEMENTS(diff_columns), records,
			    context->options.columns, error);
}
