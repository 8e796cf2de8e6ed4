/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Draft: settings are written in the order of svcd's own table of keys, so that all files look
 * alike.
 */
#include "config.h"

#include "import-unit/draft.h"

#include <string.h>

#include "model/service-keys.h"

typedef struct Setting {
	const char *section;
	const char *key;
	char *value;
} Setting;

bool draft_has(const Draft *draft, const char *section, const char *key)
{
	for (guint i = 0; i < draft->settings->len; i++) {
		const Setting *setting = g_ptr_array_index(draft->settings, i);

		if (strcmp(setting->key, key) == 0 && strcmp(setting->section, section) == 0)
			return true;
	}
	return false;
}

static Setting *find_setting(const Draft *draft, const char *section, const char *key,
			     const char *value)
{
	const ServiceKey *known = service_key_find(section, key);

	for (guint i = 0; i < draft->settings->len; i++) {
		Setting *setting = g_ptr_array_index(draft->settings, i);

		if (strcmp(setting->key, key) == 0 && strcmp(setting->section, section) == 0 &&
		    (!known || !known->is_list || strcmp(setting->value, value) == 0))
			return setting;
	}
	return NULL;
}

/* A plain key keeps the last value, a list each value once. */
void draft_set(Draft *draft, const char *section, const char *key, const char *value)
{
	Setting *setting = find_setting(draft, section, key, value);

	if (!setting) {
		setting = g_new0(Setting, 1);
		setting->section = section;
		setting->key = g_intern_string(key);
		g_ptr_array_add(draft->settings, setting);
	}
	g_free(setting->value);
	setting->value = g_strdup(value);
}

void draft_report(Draft *draft, const UnitLine *line, ImportVerdict verdict, const char *became,
		  const char *note)
{
	ImportLine *reported = g_new0(ImportLine, 1);

	reported->origin = line->origin;
	reported->message = g_strdup_printf("%s=%s", line->key, line->value);
	reported->verdict = verdict;
	reported->became = g_strdup(became ? became : "");
	reported->note = g_strdup(note ? note : "");
	g_ptr_array_add(draft->import->lines, reported);
}

void draft_translate(Draft *draft, const UnitLine *line, const char *section, const char *key,
		     const char *value, const char *note)
{
	g_autofree char *became = g_strdup_printf("%s=%s", key, value);

	draft_set(draft, section, key, value);
	draft_report(draft, line, IMPORT_TRANSLATED, became, note);
}

void draft_lose(Draft *draft, const UnitLine *line, const char *note)
{
	draft_report(draft, line, IMPORT_LOST, NULL, note);
}

void draft_imply(Draft *draft, const UnitLine *line, const char *note)
{
	draft_report(draft, line, IMPORT_IMPLIED, NULL, note);
}

/* The reason why svcd refuses this value, a new string; NULL if it accepts it. */
static char *complaint(const char *section, const char *key, const char *value)
{
	const ServiceKey *known = service_key_find(section, key);
	ServiceDef *def;
	char *problem;

	if (!known)
		return g_strdup("svcd has no such setting; the service runs without it");
	def = service_def_new("import", origin_new(NULL, 0));
	problem = service_key_read(known, def, value, origin_new(NULL, 0));
	service_def_free(def);
	return problem;
}

void import_as(Draft *draft, const UnitLine *line, const char *key, const char *value)
{
	const char *section = strcmp(line->section, "Socket") == 0 ? "Socket" : "Service";
	const bool is_same = strcmp(key, line->key) == 0 && strcmp(value, line->value) == 0;
	g_autofree char *problem = complaint(section, key, value);
	g_autofree char *became = g_strdup_printf("%s=%s", key, value);

	if (problem) {
		draft_lose(draft, line, problem);
		return;
	}
	draft_set(draft, section, key, value);
	draft_report(draft, line, is_same ? IMPORT_SAME : IMPORT_TRANSLATED, became, NULL);
}

void import_same(Draft *draft, const UnitLine *line)
{
	import_as(draft, line, line->key, line->value);
}

/* --- the text --- */

static unsigned rank_of(const Setting *setting)
{
	const ServiceKey *all = service_keys();
	const ServiceKey *key = service_key_find(setting->section, setting->key);

	return key ? (unsigned)(key - all) : G_MAXUINT;
}

static int compare_settings(gconstpointer a, gconstpointer b)
{
	const unsigned one = rank_of(*(const Setting *const *)a);
	const unsigned other = rank_of(*(const Setting *const *)b);

	return (one > other) - (one < other);
}

static void write_section(GString *text, GPtrArray *settings, const char *section)
{
	bool is_begun = false;

	for (guint i = 0; i < settings->len; i++) {
		const Setting *setting = g_ptr_array_index(settings, i);

		if (strcmp(setting->section, section) != 0)
			continue;
		if (!is_begun)
			g_string_append_printf(text, "\n[%s]\n", section);
		is_begun = true;
		g_string_append_printf(text, "%s=%s\n", setting->key, setting->value);
	}
}

char *draft_write_service(Draft *draft)
{
	GString *text = g_string_new(NULL);

	/* g_ptr_array_sort() is stable. */
	g_ptr_array_sort(draft->settings, compare_settings);
	for (guint i = 0; i < draft->remarks->len; i++)
		g_string_append_printf(text, "# %s\n",
				       (const char *)g_ptr_array_index(draft->remarks, i));
	write_section(text, draft->settings, "Service");
	write_section(text, draft->settings, "Socket");
	write_section(text, draft->settings, "Conditions");
	return g_string_free(text, FALSE);
}

char *draft_write_policy(const Draft *draft)
{
	GString *text = g_string_new(
		"# From [Install] of the unit. Policy belongs to the admin: keep it in "
		"/etc/svcd/policy.d or leave it out.\n");

	if (draft->is_template)
		g_string_append(text, "# Policy names instances, not the template.\n");
	g_string_append_printf(text, "[service %s%s]\n", draft->import->name,
			       draft->is_template ? "INSTANCE" : "");
	g_string_append_printf(text, "Activation=%s\n", draft->is_wanted ? "boot" : "on-demand");
	if (draft->runlevels->len > 0) {
		g_autofree char *joined = NULL;

		g_ptr_array_add(draft->runlevels, NULL);
		joined = g_strjoinv(" ", (char **)draft->runlevels->pdata);
		g_string_append_printf(text, "Runlevels=%s\n", joined);
	}
	return g_string_free(text, FALSE);
}

static void setting_free(gpointer data)
{
	Setting *setting = data;

	g_free(setting->value);
	g_free(setting);
}

void draft_init(Draft *draft, Import *import, const GPtrArray *unit)
{
	*draft = (Draft){ .import = import, .unit = unit };
	draft->settings = g_ptr_array_new_with_free_func(setting_free);
	draft->runlevels = g_ptr_array_new_with_free_func(g_free);
	draft->remarks = g_ptr_array_new_with_free_func(g_free);
}

void draft_clear(Draft *draft)
{
	g_ptr_array_unref(draft->settings);
	g_ptr_array_unref(draft->runlevels);
	g_ptr_array_unref(draft->remarks);
}
