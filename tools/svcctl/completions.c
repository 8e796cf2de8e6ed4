/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Completions: where the candidates for each kind of argument come from.
 */
#include "config.h"

#include "svcctl/completions.h"

#include <string.h>

#include "bus/introspection.h"
#include "bus/names.h"
#include "config/search-path.h"

#define SERVICE_SUFFIX ".svc"

static void completion_free(gpointer data)
{
	Completion *completion = data;

	g_free(completion->token);
	g_free(completion->text);
	g_free(completion);
}

void completions_init(Completions *c, const char *begin, const char *root)
{
	*c = (Completions){ .begin = begin,
			    .root = root,
			    .found = g_ptr_array_new_with_free_func(completion_free) };
}

void completions_clear(Completions *c)
{
	g_clear_pointer(&c->found, g_ptr_array_unref);
}

void completions_add(Completions *c, const char *token, const char *text)
{
	Completion *completion;

	if (!g_str_has_prefix(token, c->begin))
		return;
	completion = g_new0(Completion, 1);
	completion->token = g_strdup(token);
	completion->text = g_strdelimit(g_strdup(text ? text : ""), "\t\n\r", ' ');
	g_ptr_array_add(c->found, completion);
}

void completions_add_tokens(Completions *c, const char *tokens)
{
	g_auto(GStrv) list = g_strsplit(tokens, " ", -1);

	for (size_t i = 0; list[i]; i++)
		completions_add(c, list[i], NULL);
}

/* --- properties --- */

/* @xml: an <interface> element. @before: the text of the argument in front of the name. */
static void add_properties_of(Completions *c, const char *xml, const char *before,
			      char *const *given)
{
	static const char tag[] = "<property name=\"";

	for (const char *at = strstr(xml, tag); at; at = strstr(at, tag)) {
		g_autofree char *name = NULL;
		g_autofree char *token = NULL;

		at += strlen(tag);
		name = g_strndup(at, strcspn(at, "\""));
		token = g_strconcat(before, name, NULL);
		if (!g_strv_contains((const char *const *)given, name))
			completions_add(c, token, NULL);
	}
}

void completions_add_properties(Completions *c)
{
	const char *comma = strrchr(c->begin, ',');
	g_autofree char *before = g_strndup(c->begin, comma ? (gsize)(comma - c->begin) + 1 : 0);
	g_auto(GStrv) given = g_strsplit(before, ",", -1);

	add_properties_of(c, introspection_org_svcd1_Service, before, given);
	add_properties_of(c, introspection_org_svcd1_Manager, before, given);
}

/* --- services --- */

/* Without svcd: the names of files. Instances of templates are then unknown. */
static void add_service_files(Completions *c, const Context *context)
{
	const LoaderOptions options = { .root = c->root, .user_mode = context->options.is_user };
	g_auto(GStrv) directories = search_path_services(&options);
	g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (size_t i = 0; directories[i]; i++) {
		g_autoptr(GDir) directory = g_dir_open(directories[i], 0, NULL);
		const char *file;

		while (directory && (file = g_dir_read_name(directory))) {
			char *name;

			if (!g_str_has_suffix(file, SERVICE_SUFFIX) ||
			    g_str_has_suffix(file, "@" SERVICE_SUFFIX))
				continue;
			name = g_strndup(file, strlen(file) - strlen(SERVICE_SUFFIX));
			if (!g_hash_table_contains(seen, name))
				completions_add(c, name, NULL);
			g_hash_table_add(seen, name);
		}
	}
}

static bool passes(GVariant *record, ServiceFilter filter)
{
	static const char *const off[] = { "idle", "failed", "backoff", "waiting", NULL };
	static const char *const down[] = { "idle", "failed", "waiting", NULL };
	const char *state = record_text(record, "State");

	switch (filter) {
	case SERVICES_ANY:
		break;
	case SERVICES_OFF:
		return g_strv_contains(off, state) &&
		       strcmp(record_text(record, "Activation"), "never") != 0;
	case SERVICES_RUNNING:
		return !g_strv_contains(down, state);
	case SERVICES_FAILED:
		return strcmp(state, "failed") == 0 || strcmp(state, "backoff") == 0 ||
		       record_number(record, "Restarts") > 0 ||
		       strcmp(record_text(record, "Admin"), "none") != 0;
	}
	return true;
}

static void add_records(Completions *c, const GPtrArray *records, ServiceFilter filter,
			bool is_absent)
{
	for (guint i = 0; i < records->len; i++) {
		GVariant *record = g_ptr_array_index(records, i);
		g_autofree char *text = NULL;

		if (!g_str_has_prefix(record_text(record, "Name"), c->begin) ||
		    !passes(record, filter) || record_is_absent(record) != is_absent)
			continue;
		text = g_strdup_printf("%s: %s",
				       is_absent ? record_text(record, "Presence") :
						   record_text(record, "State"),
				       record_text(record, "Description"));
		completions_add(c, record_text(record, "Name"), text);
	}
}

/* Services that cannot run on this machine are added only if no other candidate matches. */
void completions_add_services(Completions *c, Context *context, ServiceFilter filter)
{
	g_autoptr(GPtrArray) records =
		c->root ?
			NULL :
			get_services_with(
				context,
				"Name State Activation Description Restarts Admin Presence", NULL);
	const guint n_before = c->found->len;

	if (!records) {
		add_service_files(c, context);
		return;
	}
	add_records(c, records, filter, false);
	if (c->found->len == n_before && *c->begin)
		add_records(c, records, filter, true);
}

/* --- conditions, flags, runlevels --- */

void completions_add_conditions(Completions *c, Context *context)
{
	g_autoptr(GPtrArray) records = get_conditions(context, NULL);

	for (guint i = 0; records && i < records->len; i++) {
		GVariant *record = g_ptr_array_index(records, i);

		completions_add(c, record_text(record, "Key"), record_text(record, "Level"));
	}
	if (!records)
		completions_add_tokens(
			c, "network:up network:online path: dbus: flag: label: mounted: device: "
			   "service:");
}

static GVariant *manager_property(Context *context, const char *name)
{
	g_autoptr(GVariant) reply =
		client_get(context->client, OBJECT_PATH_MANAGER, "org.freedesktop.DBus.Properties",
			   "Get", g_variant_new("(ss)", INTERFACE_MANAGER, name), "(v)", NULL);
	GVariant *value = NULL;

	if (reply)
		g_variant_get(reply, "(v)", &value);
	return value;
}

static void add_set_flags(Completions *c, Context *context)
{
	g_autoptr(GVariant) flags = manager_property(context, "Flags");
	const char *name;

	for (gsize i = 0; flags && i < g_variant_n_children(flags); i++) {
		g_variant_get_child(flags, i, "&s", &name);
		completions_add(c, name, NULL);
	}
}

void completions_add_flags(Completions *c, Context *context, bool is_set)
{
	static const char prefix[] = "flag:";
	g_autoptr(GPtrArray) records = is_set ? NULL : get_conditions(context, NULL);

	if (is_set)
		add_set_flags(c, context);
	for (guint i = 0; records && i < records->len; i++) {
		const char *key = record_text(g_ptr_array_index(records, i), "Key");

		if (g_str_has_prefix(key, prefix) &&
		    strcmp(record_text(g_ptr_array_index(records, i), "Level"), "true") != 0)
			completions_add(c, key + strlen(prefix), NULL);
	}
}

void completions_add_runlevels(Completions *c, Context *context)
{
	g_autoptr(GVariant) runlevels = c->root ? NULL : manager_property(context, "Runlevels");
	const char *name;
	const char *title;

	for (gsize i = 0; runlevels && i < g_variant_n_children(runlevels); i++) {
		g_variant_get_child(runlevels, i, "(&s&s)", &name, &title);
		completions_add(c, name, title);
	}
	if (!runlevels)
		completions_add_tokens(c, "0 1 2 3 4 5 6 S");
}

/* --- files --- */

void completions_add_files(Completions *c, const char *suffix)
{
	const char *slash = strrchr(c->begin, '/');
	g_autofree char *directory = slash ? g_strndup(c->begin, (gsize)(slash - c->begin) + 1) :
					     g_strdup("");
	g_autoptr(GDir) dir = g_dir_open(*directory ? directory : ".", 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_strconcat(directory, name, NULL);
		g_autofree char *inner = NULL;

		if (*name == '.' || !g_str_has_prefix(path, c->begin))
			continue;
		if (g_file_test(path, G_FILE_TEST_IS_DIR)) {
			inner = g_strconcat(path, "/", NULL);
			completions_add(c, inner, NULL);
		} else if (suffix && g_str_has_suffix(name, suffix)) {
			completions_add(c, path, NULL);
		}
	}
}
