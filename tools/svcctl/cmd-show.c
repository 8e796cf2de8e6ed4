/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * show: every property of services, or of svcd itself, under its D-Bus name.
 */
#include "config.h"

#include <fnmatch.h>
#include <string.h>

#include "base/errors.h"
#include "base/text.h"
#include "bus/names.h"
#include "svcctl/svcctl.h"

/* The requested properties, patterns included; NULL: all. A new strv. */
static char **wanted_keys(const Context *context)
{
	const char *text = context->options.property;
	g_autofree char *copy = g_strdup(text);

	return text ? g_strsplit_set(g_strdelimit(copy, ",", ' '), " ", -1) : NULL;
}

static bool is_wanted(char *const *keys, const char *name)
{
	for (size_t i = 0; keys && keys[i]; i++) {
		if (fnmatch(keys[i], name, 0) == 0)
			return true;
	}
	return !keys;
}

/*
 * Names of properties, sorted; borrowed from @record. NULL with USAGE if a requested one does not
 * exist.
 */
static GPtrArray *choose_names(GVariant *record, char *const *keys, GError **error)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	GVariantIter iter;
	const char *name;

	g_variant_iter_init(&iter, record);
	while (g_variant_iter_next(&iter, "{&sv}", &name, NULL)) {
		if (is_wanted(keys, name))
			g_ptr_array_add(names, (gpointer)name);
	}
	g_ptr_array_sort(names, text_compare);
	for (size_t i = 0; keys && keys[i]; i++) {
		bool found = false;

		for (guint k = 0; k < names->len && !found; k++)
			found = fnmatch(keys[i], g_ptr_array_index(names, k), 0) == 0;
		if (!found) {
			fail_ctl(error, CTL_ERROR_USAGE, "show: there is no property %s", keys[i]);
			return NULL;
		}
	}
	return g_steal_pointer(&names);
}

/*
 * A value that is not an array, as plain text. Within an array it is quoted where a shell would
 * need that.
 */
static void append_simple(GString *text, GVariant *value, bool is_quoted)
{
	g_autofree char *printed = NULL;

	if (g_variant_is_of_type(value, G_VARIANT_TYPE_STRING)) {
		const char *string = g_variant_get_string(value, NULL);
		const bool needs_quotes = is_quoted &&
					  (!*string || strpbrk(string, " \t\n\"'\\$&;|<>()*?[]"));

		printed = needs_quotes ? g_shell_quote(string) : g_strdup(string);
	} else if (g_variant_is_of_type(value, G_VARIANT_TYPE_BOOLEAN)) {
		printed = g_strdup(g_variant_get_boolean(value) ? "yes" : "no");
	} else {
		printed = g_variant_print(value, FALSE);
	}
	g_string_append(text, printed);
}

/* The members of an array or struct, separated by blanks; a new string. */
static char *join_members(GVariant *container)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (gsize i = 0; i < g_variant_n_children(container); i++) {
		g_autoptr(GVariant) member = g_variant_get_child_value(container, i);

		if (i > 0)
			g_string_append_c(text, ' ');
		append_simple(text, member, true);
	}
	return g_string_free(g_steal_pointer(&text), FALSE);
}

static void print_line(Context *context, const char *name, const char *text)
{
	if (context->options.only_value)
		output_line(&context->output, "%s", text);
	else
		output_line(&context->output, "%s=%s", name, text);
}

/* An array of structs has one line per struct, and one empty line if there is none. */
static void print_property(Context *context, const char *name, GVariant *value)
{
	const bool is_list = g_variant_is_of_type(value, G_VARIANT_TYPE_ARRAY);
	const bool has_structs = is_list && strchr(g_variant_get_type_string(value), '(');
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *joined = NULL;

	if (has_structs && g_variant_n_children(value) > 0) {
		for (gsize i = 0; i < g_variant_n_children(value); i++) {
			g_autoptr(GVariant) member = g_variant_get_child_value(value, i);
			g_autofree char *line = join_members(member);

			print_line(context, name, line);
		}
		return;
	}
	if (is_list)
		joined = join_members(value);
	else
		append_simple(text, value, false);
	print_line(context, name, joined ? joined : text->str);
}

static bool show_record(Context *context, GVariant *record, JsonArray *array, GError **error)
{
	g_auto(GStrv) keys = wanted_keys(context);
	g_autoptr(GPtrArray) names = choose_names(record, keys, error);
	JsonObject *object;

	if (!names)
		return false;
	object = json_object_new();
	for (guint i = 0; i < names->len; i++) {
		const char *name = g_ptr_array_index(names, i);
		g_autoptr(GVariant) value = g_variant_lookup_value(record, name, NULL);

		print_property(context, name, value);
		json_object_set_member(object, name, json_gvariant_serialize(value));
	}
	json_array_add_object_element(array, object);
	return true;
}

/* Without a name: svcd's own properties. */
static bool show_manager(Context *context, JsonArray *array, GError **error)
{
	g_autoptr(GVariant) manager =
		client_properties(context->client, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, error);

	return manager && show_record(context, manager, array, error);
}

static bool show_services(Context *context, JsonArray *array, GError **error)
{
	g_auto(GStrv) names = expand_names(context, error);

	for (size_t i = 0; names && names[i]; i++) {
		g_autoptr(GVariant) service = client_service(context->client, names[i], error);

		if (!service) {
			context_advise(context, *error, names[i]);
			return false;
		}
		if (i > 0 && !context->options.only_value)
			output_line(&context->output, "%s", "");
		if (!show_record(context, service, array, error))
			return false;
	}
	return names != NULL;
}

bool cmd_show(Context *context, GError **error)
{
	JsonArray *array = json_array_new();
	const bool done = context->n_names > 0 ? show_services(context, array, error) :
						 show_manager(context, array, error);

	output_set_array(&context->output, array);
	return done;
}
