/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * inittab: see inittab.h. Format: inittab(5), "id:runlevels:action:process".
 */
#include "config.h"

#include "svc-generate/inittab.h"

#include <string.h>

enum { FIELD_ID, FIELD_LEVELS, FIELD_ACTION, FIELD_PROCESS, N_FIELDS };

/* The limits of init(8), which cuts off longer texts. */
enum { MAX_ID_BYTES = 4, MAX_PROCESS_BYTES = 253 };

static void entry_free(gpointer data)
{
	InittabEntry *entry = data;

	if (!entry)
		return;
	g_free(entry->id);
	g_free(entry->levels);
	g_free(entry->process);
	g_free(entry);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(InittabEntry, entry_free)

static bool action_needs_process(InittabAction action)
{
	return action != INITTAB_INIT_DEFAULT && action != INITTAB_OFF;
}

/* Returns: each runlevel once, a new string; NULL for an invalid letter. */
static char *read_levels(const char *text)
{
	g_autoptr(GString) levels = g_string_new(NULL);

	for (; *text; text++) {
		const char level = *text == 's' ? 'S' : *text;

		if (!strchr("0123456789Sabc", level))
			return NULL;
		if (!strchr(levels->str, level))
			g_string_append_c(levels, level);
	}
	return g_string_free(g_steal_pointer(&levels), FALSE);
}

/*
 * Returns: the problem of the id, or NULL. "~~", as in Debian's line for sulogin, is valid here,
 * but not in a service's name.
 */
static const char *check_id(const char *id)
{
	if (!*id || strlen(id) > MAX_ID_BYTES)
		return "an id has one to four characters";
	for (const char *p = id; *p; p++)
		if (!g_ascii_isalnum(*p) && !strchr("~_.+-", *p))
			return "an id contains only letters, digits and ~_.+-";
	return NULL;
}

static const char *check_process(const char *process, InittabAction action)
{
	if (action_needs_process(action) && !*process)
		return "there is no command";
	if (strlen(process) > MAX_PROCESS_BYTES)
		return "the command is longer than 253 bytes, the limit of init(8)";
	if (!g_utf8_validate(process, -1, NULL))
		return "the command is not UTF-8, and a service file cannot contain it";
	for (const char *p = process; *p; p++)
		if ((unsigned char)*p < ' ' && *p != '\t')
			return "the command contains a control character";
	return NULL;
}

/* Returns: a new entry; NULL with @ret_problem, a new string. */
static InittabEntry *read_fields(char **fields, char **ret_problem)
{
	g_autoptr(InittabEntry) entry = g_new0(InittabEntry, 1);
	const char *process = g_strchug(fields[FIELD_PROCESS]);
	const char *problem = check_id(fields[FIELD_ID]);

	process += strspn(process, "+@"); /* they concern utmp and the shell; neither is used */
	entry->id = g_strdup(fields[FIELD_ID]);
	entry->levels = read_levels(fields[FIELD_LEVELS]);
	entry->process = g_strchomp(g_strdup(process));
	if (!problem && !entry->levels)
		problem = "runlevels are 0 to 9, S, a, b and c";
	if (!problem && !inittab_action_from_name(fields[FIELD_ACTION], &entry->action)) {
		*ret_problem =
			g_strdup_printf("init(8) knows no action \"%s\"", fields[FIELD_ACTION]);
		return NULL;
	}
	if (!problem)
		problem = check_process(entry->process, entry->action);
	if (!problem)
		return g_steal_pointer(&entry);
	*ret_problem = g_strdup(problem);
	return NULL;
}

static bool has_id(const GPtrArray *entries, const char *id)
{
	for (guint i = 0; i < entries->len; i++) {
		if (strcmp(((const InittabEntry *)g_ptr_array_index(entries, i))->id, id) == 0)
			return true;
	}
	return false;
}

static void parse_line(GPtrArray *entries, const char *line, Origin origin, DiagList *diags)
{
	g_auto(GStrv) fields = g_strsplit(line, ":", N_FIELDS);
	g_autofree char *problem = NULL;
	InittabEntry *entry;

	if (g_strv_length(fields) != N_FIELDS) {
		diag_error(diags, origin, NULL,
			   "this line is left out, because it is not ID:RUNLEVELS:ACTION:COMMAND");
		return;
	}
	entry = read_fields(fields, &problem);
	if (!entry) {
		diag_error(diags, origin, NULL, "%s; the line is left out", problem);
	} else if (has_id(entries, entry->id)) {
		diag_error(diags, origin, NULL,
			   "an earlier line has the id \"%s\"; this line is left out", entry->id);
		entry_free(entry);
	} else {
		entry->origin = origin;
		g_ptr_array_add(entries, entry);
	}
}

GPtrArray *inittab_parse(const char *file, const char *text, DiagList *diags)
{
	GPtrArray *entries = g_ptr_array_new_with_free_func(entry_free);
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	for (unsigned i = 0; lines[i]; i++) {
		const char *line = g_strstrip(lines[i]);

		if (*line && *line != '#')
			parse_line(entries, line, origin_new(file, i + 1), diags);
	}
	return entries;
}
