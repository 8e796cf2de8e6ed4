/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Held programs: the file of the package manager's helper, and the terms that follow from it.
 *
 * Only services with a held program get a term. Usually the file does not exist, and nothing is
 * done.
 */
#include "config.h"

#include "model/held-programs.h"

#include <string.h>

#include "base/list.h"
#include "base/text.h"

typedef struct HeldEntry {
	ProgramHold hold;
	char *why; /* NULL: not held */
	Origin origin;
} HeldEntry;

struct HeldPrograms {
	GHashTable *entries; /* path -> HeldEntry, both owned */
	/* char *, each with a final slash: programs below them are free while packages change */
	GPtrArray *directories;
	bool is_changing; /* packages are being changed: a program without an entry is held */
	Origin changing; /* the line with "changing" */
};

#define WHY_CHANGING "packages are being changed, and this program was not there before"

static void entry_free(gpointer data)
{
	HeldEntry *entry = data;

	g_free(entry->why);
	g_free(entry);
}

static void add_entry(HeldPrograms *held, ProgramHold hold, const char *program, const char *why,
		      Origin origin)
{
	HeldEntry *entry = g_new0(HeldEntry, 1);

	entry->hold = hold;
	entry->why = hold == PROGRAM_FREE ?
			     NULL :
			     g_strdup(why && *why ? why : "its package is not configured");
	entry->origin = origin;
	g_hash_table_replace(held->entries, g_strdup(program), entry);
}

/* Parses "VERB PROGRAM WHY...", separated by single blanks. Returns: false for any other line. */
static bool parse_line(HeldPrograms *held, const char *line, Origin origin)
{
	static const struct {
		const char *verb;
		ProgramHold hold;
	} verbs[] = { { "free", PROGRAM_FREE },
		      { "hold", PROGRAM_NO_START },
		      { "stop", PROGRAM_STOP } };
	g_auto(GStrv) tokens = g_strsplit(line, " ", 3);

	if (strcmp(line, "changing") == 0) {
		held->is_changing = true;
		held->changing = origin;
		return true;
	}
	if (!tokens[0] || !tokens[1] || *tokens[1] != '/')
		return false;
	if (strcmp(tokens[0], "free") == 0 && g_str_has_suffix(tokens[1], "/")) {
		g_ptr_array_add(held->directories, g_strdup(tokens[1]));
		return true;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(verbs); i++) {
		if (strcmp(tokens[0], verbs[i].verb) == 0) {
			add_entry(held, verbs[i].hold, tokens[1], tokens[2], origin);
			return true;
		}
	}
	return false;
}

HeldPrograms *held_programs_parse(const char *text, gsize length, const char *file, DiagList *diags)
{
	HeldPrograms *held = g_new0(HeldPrograms, 1);
	g_autofree char *copy = g_utf8_make_valid(text, (gssize)length);
	g_auto(GStrv) lines = g_strsplit(copy, "\n", -1);

	held->entries = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, entry_free);
	held->directories = g_ptr_array_new_with_free_func(g_free);
	for (unsigned i = 0; lines[i]; i++) {
		const Origin origin = origin_new(file, i + 1);

		if (*lines[i] && *lines[i] != '#' && !parse_line(held, lines[i], origin))
			diag_warning(diags, origin, NULL,
				     "\"%s\" is ignored; expected: \"changing\", \"free PATH\", "
				     "\"hold PATH REASON\" or \"stop PATH REASON\"",
				     lines[i]);
	}
	return held;
}

void held_programs_free(HeldPrograms *held)
{
	if (!held)
		return;
	g_hash_table_unref(held->entries);
	g_ptr_array_unref(held->directories);
	g_free(held);
}

static bool is_below_free_directory(const HeldPrograms *held, const char *program)
{
	for (guint i = 0; i < held->directories->len; i++) {
		if (g_str_has_prefix(program, g_ptr_array_index(held->directories, i)))
			return true;
	}
	return false;
}

/* Like held_programs_find(), and also returns the line. */
static ProgramHold find(const HeldPrograms *held, const char *program, const char **ret_why,
			Origin *ret_origin)
{
	const HeldEntry *entry = held ? g_hash_table_lookup(held->entries, program) : NULL;

	*ret_why = NULL;
	if (entry) {
		*ret_why = entry->why;
		*ret_origin = entry->origin;
		return entry->hold;
	}
	if (!held || !held->is_changing || is_below_free_directory(held, program))
		return PROGRAM_FREE;
	*ret_why = WHY_CHANGING;
	*ret_origin = held->changing;
	return PROGRAM_NO_START;
}

ProgramHold held_programs_find(const HeldPrograms *held, const char *program, const char **ret_why)
{
	Origin origin;

	return find(held, program, ret_why, &origin);
}

/* --- terms --- */

#define PROGRAM_KIND "exec:"

/* The program of path:exec:; NULL for other conditions. */
static const char *program_of(const Literal *literal)
{
	const char *argument = key_argument(literal->key);

	if (literal->prefix != KEY_PATH || literal->negated ||
	    !g_str_has_prefix(argument, PROGRAM_KIND))
		return NULL;
	return argument + strlen(PROGRAM_KIND);
}

/* Avoids a second term: Exec= usually runs a program that the file also checks by path:exec:. */
static bool has_term(const GPtrArray *terms, const char *text)
{
	for (guint i = 0; i < terms->len; i++) {
		if (strcmp(((const Term *)g_ptr_array_index(terms, i))->text, text) == 0)
			return true;
	}
	return false;
}

/* Adds one term for all @programs, which is true if one of them is free. */
static void add_term(const HeldPrograms *held, ServiceDef *def, const GPtrArray *programs)
{
	ProgramHold least = PROGRAM_STOP;
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *problem = NULL;
	Origin origin = { 0 };
	GPtrArray **terms;
	Term *term;

	for (guint i = 0; i < programs->len; i++) {
		const char *program = g_ptr_array_index(programs, i);
		g_autofree char *condition = g_strconcat("installed:", program, NULL);
		g_autofree char *quoted =
			text_join_tokens((const char *const[]){ condition, NULL });
		const char *why;
		const ProgramHold hold = find(held, program, &why, &origin);

		least = MIN(least, hold);
		g_string_append_printf(text, "%s%s", i ? " | " : "", quoted);
	}
	if (programs->len == 0 || least == PROGRAM_FREE)
		return;
	terms = least == PROGRAM_STOP ? &def->while_terms : &def->when;
	term = has_term(*terms, text->str) ? NULL : term_parse(text->str, NULL, origin, &problem);
	if (term)
		list_add(terms, term, (GDestroyNotify)term_free);
}

/* Reads only the service's own terms, not the ones added here. */
static void add_terms_like(const HeldPrograms *held, ServiceDef *def, const GPtrArray *terms)
{
	const guint n = terms->len;

	for (guint i = 0; i < n; i++) {
		const Term *term = g_ptr_array_index(terms, i);
		g_autoptr(GPtrArray) programs = g_ptr_array_new();

		for (unsigned j = 0; j < term_length(term); j++) {
			const char *program = program_of(term_literal(term, j));

			if (program)
				g_ptr_array_add(programs, (gpointer)program);
		}
		if (programs->len == term_length(term))
			add_term(held, def, programs);
	}
}

void held_programs_apply(const HeldPrograms *held, const ServiceSet *set)
{
	const GPtrArray *defs = service_set_list(set);

	for (guint i = 0; held && i < defs->len; i++) {
		ServiceDef *def = g_ptr_array_index(defs, i);
		g_autoptr(GPtrArray) own = g_ptr_array_new();

		if (def->problem)
			continue;
		add_terms_like(held, def, def->when);
		add_terms_like(held, def, def->while_terms);
		if (def->exec)
			g_ptr_array_add(own, def->exec->argv[0]);
		add_term(held, def, own);
	}
}
