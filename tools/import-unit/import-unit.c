/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Import: reads the unit, applies a rule to each line, and writes the files. Then svcd's own parser
 * checks the result.
 */
#include "config.h"

#include "import-unit/import-unit.h"

#include <string.h>

#include "import-unit/draft.h"
#include "import-unit/unit-names.h"
#include "import-unit/specifiers.h"
#include "model/name.h"
#include "model/service-parse.h"

static ImportRule rule_in(const ImportRow *rows, const char *key, const ImportRow **ret_row)
{
	for (const ImportRow *row = rows; row->key; row++) {
		if (strcmp(row->key, key) == 0) {
			*ret_row = row;
			return row->rule;
		}
	}
	return NULL;
}

static const ImportRow *find_row(const char *section, const char *key)
{
	static const struct {
		const char *section;
		const ImportRow *rows;
	} tables[] = {
		{ "Unit", import_rows_unit },         { "Unit", import_rows_machine },
		{ "Service", import_rows_service },   { "Service", import_rows_machine },
		{ "Service", import_rows_execution }, { "Socket", import_rows_socket },
		{ "Install", import_rows_install },
	};
	const bool is_condition =
		strcmp(section, "Unit") == 0 &&
		(g_str_has_prefix(key, "Condition") || g_str_has_prefix(key, "Assert"));
	const ImportRow *row = NULL;

	for (size_t i = 0; i < G_N_ELEMENTS(tables) && !row; i++) {
		if (strcmp(tables[i].section, section) == 0)
			(void)rule_in(tables[i].rows, is_condition ? "Condition" : key, &row);
	}
	return row;
}

static bool is_for_others(const UnitLine *line)
{
	return g_str_has_prefix(line->section, "X-") || g_str_has_prefix(line->key, "X-");
}

/* Does the line only describe a socket? The description of its service is imported instead. */
static bool is_of_socket_alone(const UnitLine *line)
{
	return g_str_has_suffix(line->origin.file, ".socket") &&
	       (strcmp(line->key, "Description") == 0 || strcmp(line->key, "Documentation") == 0);
}

/*
 * An empty value of this key means no capabilities. No other key has a meaningful empty value
 * (systemd.exec(5)).
 */
static bool is_empty_set(const UnitLine *line)
{
	return !*line->value && strcmp(line->key, "CapabilityBoundingSet") == 0;
}

static void import_line(Draft *draft, const UnitLine *line)
{
	const ImportRow *row = find_row(line->section, line->key);

	if (is_for_others(line))
		draft_imply(draft, line, "the line is meant for another program");
	else if (is_of_socket_alone(line))
		draft_imply(draft, line, "the service's own line is used");
	else if (!*line->value && !is_empty_set(line))
		draft_imply(draft, line, "the empty value clears earlier lines");
	else if (!row)
		draft_lose(draft, line, "svcctl import does not know this key");
	else if (row->rule)
		row->rule(draft, line);
	else
		draft_report(draft, line, row->verdict, NULL, row->note);
}

/* An empty value clears the earlier values of its key. They are reported, and no rule gets them. */
static GPtrArray *without_cleared(Draft *draft, GPtrArray *all)
{
	g_autoptr(GPtrArray) left = g_ptr_array_new();

	for (guint i = 0; i < all->len; i++) {
		const UnitLine *line = g_ptr_array_index(all, i);
		bool is_cleared = false;

		for (guint k = i + 1; k < all->len && *line->value; k++) {
			const UnitLine *later = g_ptr_array_index(all, k);

			is_cleared = is_cleared ||
				     (!*later->value && strcmp(later->key, line->key) == 0 &&
				      strcmp(later->section, line->section) == 0);
		}
		if (is_cleared)
			draft_imply(draft, line, "a later line clears it");
		else
			g_ptr_array_add(left, (gpointer)line);
	}
	return g_steal_pointer(&left);
}

/*
 * Adds a command to a unit whose only commands run at its stop. A unit without any command is a
 * mistake, also in systemd.
 */
static void add_empty_command(Draft *draft, const char *unit)
{
	const UnitLine line = { .key = (char *)"ExecStart", .value = (char *)"" };

	if (unit_file_last(draft->unit, "Service", "ExecStart") ||
	    diag_list_count_errors(draft->import->diags) > 0)
		return; /* unreadable, which has been reported */
	if (!unit_file_last(draft->unit, "Service", "ExecStop")) {
		diag_error(draft->import->diags, origin_new(unit, 0), NULL,
			   "the unit has no ExecStart=");
		return;
	}
	draft_set(draft, "Service", "Type", "task");
	draft_translate(draft, &line, "Service", "Exec", "/bin/true",
			"the unit has only stop commands");
}

/* systemd's implicit settings. */
static void add_defaults(Draft *draft, const char *unit)
{
	const char *defaults = unit_file_last(draft->unit, "Unit", "DefaultDependencies");
	const UnitLine line = { .key = (char *)"DefaultDependencies", .value = (char *)"yes" };

	if (!draft_has(draft, "Service", "Description"))
		draft_set(draft, "Service", "Description", draft->import->name);
	if (!draft->wants_commands)
		draft_set(draft, "Service", "Type", "group");
	else if (!draft_has(draft, "Service", "Exec"))
		add_empty_command(draft, unit);
	if (defaults && (strcmp(defaults, "no") == 0 || strcmp(defaults, "false") == 0))
		return;
	draft_set(draft, "Conditions", "After", "$local_fs");
	draft_translate(draft, &line, "Conditions", "After", "tmpfiles",
			"as for every unit without DefaultDependencies=no; and After=$local_fs");
}

/* Values with their specifiers expanded. Values that cannot be expanded are lost and left out. */
static GPtrArray *with_specifiers(Draft *draft, const GPtrArray *lines, const char *unit)
{
	g_autoptr(GPtrArray) left = g_ptr_array_new();

	for (guint i = 0; i < lines->len; i++) {
		UnitLine *line = g_ptr_array_index(lines, i);
		g_autofree char *problem = NULL;
		char *value = specifiers_expand(line->value, unit, draft->is_template, &problem);

		if (!value) {
			draft_lose(draft, line, problem);
			if (strcmp(line->key, "ExecStart") == 0)
				diag_error(draft->import->diags, line->origin, NULL,
					   "ExecStart=: %s", problem);
			continue;
		}
		g_free(line->value);
		line->value = value;
		g_ptr_array_add(left, line);
	}
	return g_steal_pointer(&left);
}

/*
 * A generated file that svcd refuses is a fault of this program or of the unit. It is reported
 * either way, except for consequences of earlier reports.
 */
static void check_result(Import *import)
{
	g_autofree char *file = g_strconcat(import->name, ".svc", NULL);
	const SourceText source = { file, import->service, strlen(import->service) };

	if (diag_list_count_errors(import->diags) == 0)
		service_def_free(service_parse(import->name, &source, 1, import->diags));
}

static int compare_lines(gconstpointer a, gconstpointer b)
{
	const ImportLine *one = *(const ImportLine *const *)a;
	const ImportLine *other = *(const ImportLine *const *)b;
	const int by_file = g_strcmp0(one->origin.file, other->origin.file);

	return by_file ? by_file : (int)one->origin.line - (int)other->origin.line;
}

static void write_both(Draft *draft, const char *unit)
{
	g_ptr_array_insert(draft->remarks, 0,
			   g_strdup_printf("Made by svcctl import from %s.", unit));
	draft->import->service = draft_write_service(draft);
	draft->import->policy = draft_write_policy(draft);
	check_result(draft->import);
}

/* "/lib/systemd/system/ssh.service.d/10-local.conf" belongs to the unit "ssh.service". */
static char *unit_of_file(const char *file)
{
	g_autofree char *directory = g_path_get_dirname(file);

	if (g_str_has_suffix(directory, ".d"))
		directory[strlen(directory) - 2] = '\0';
	else
		return g_path_get_basename(file);
	return g_path_get_basename(directory);
}

static void import_lines(Import *import, GPtrArray *all, const char *unit)
{
	g_autoptr(GPtrArray) expanded = NULL;
	g_autoptr(GPtrArray) left = NULL;
	Draft draft;

	draft_init(&draft, import, all);
	draft.is_template = g_str_has_suffix(import->name, "@");
	draft.wants_commands = !g_str_has_suffix(unit, ".target");
	expanded = with_specifiers(&draft, all, unit);
	left = without_cleared(&draft, expanded);
	draft.unit = left;
	for (guint i = 0; i < left->len; i++)
		import_line(&draft, g_ptr_array_index(left, i));
	add_defaults(&draft, unit);
	g_ptr_array_sort(import->lines, compare_lines);
	write_both(&draft, unit);
	draft_clear(&draft);
}

static const char *refusal(const char *unit)
{
	static const struct {
		const char *suffix;
		const char *why;
	} refusals[] = {
		{ ".timer", "svcd has no timers; put the command into a file of /etc/cron.d" },
		{ ".mount", "write a line of /etc/fstab; svcd generates a service from it" },
		{ ".automount", "svcd mounts no directory on access; autofs does" },
		{ ".swap", "write a line of /etc/fstab; svcd generates a service from it" },
		{ ".path", "the service itself waits for a path: When=path:/…" },
		{ ".slice",
		  "every service has its own cgroup; write the limits into the service file" },
		{ ".scope", "scopes are made by programs, not by files" },
		{ ".device", "devices are conditions: When=device:/dev/…" },
		{ ".link", "udev itself reads this file" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(refusals); i++) {
		if (g_str_has_suffix(unit, refusals[i].suffix))
			return refusals[i].why;
	}
	return NULL;
}

static void import_line_free(gpointer data)
{
	ImportLine *line = data;

	g_free(line->message);
	g_free(line->became);
	g_free(line->note);
	g_free(line);
}

static bool check_name(Import *import, const char *file, const char *unit)
{
	g_autofree char *problem = NULL;
	const char *why = refusal(unit);

	if (why)
		diag_error(import->diags, origin_new(file, 0), NULL, "%s", why);
	else if (g_str_has_prefix(file, "/etc/init.d/"))
		diag_error(import->diags, origin_new(file, 0), NULL,
			   "an init script is not imported, because svcd runs it as it is: svcctl "
			   "start %s",
			   file + strlen("/etc/init.d/"));
	else if (!strrchr(unit, '.'))
		diag_error(import->diags, origin_new(file, 0), NULL,
			   "\"%s\" is not a unit; give a file such as NAME.service", unit);
	else if (!name_check_service(import->name, &problem))
		diag_error(import->diags, origin_new(file, 0), NULL, "%s", problem);
	return diag_list_count_errors(import->diags) == 0;
}

Import *import_unit(const UnitText *texts, unsigned n_texts)
{
	Import *import = g_new0(Import, 1);
	g_autofree char *unit = unit_of_file(texts[0].file);
	g_autoptr(GPtrArray) all = g_ptr_array_new();
	g_autoptr(GPtrArray)
		files = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);

	import->name = unit_own_name(unit);
	import->lines = g_ptr_array_new_with_free_func(import_line_free);
	import->diags = diag_list_new();
	if (!check_name(import, texts[0].file, unit))
		return import;
	for (unsigned i = 0; i < n_texts; i++) {
		GPtrArray *lines = unit_file_read(texts[i].file, texts[i].text, texts[i].length,
						  import->diags);

		g_ptr_array_add(files, lines);
		for (guint k = 0; k < lines->len; k++)
			g_ptr_array_add(all, g_ptr_array_index(lines, k));
	}
	import_lines(import, all, unit);
	return import;
}

void import_free(Import *import)
{
	if (!import)
		return;
	g_free(import->name);
	g_free(import->service);
	g_free(import->policy);
	g_ptr_array_unref(import->lines);
	diag_list_free(import->diags);
	g_free(import);
}
