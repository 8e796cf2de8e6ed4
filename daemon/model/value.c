/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values: terms, names and enums in service and policy files.
 */
#include "config.h"

#include "model/value.h"

#include <string.h>

#include "base/limits.h"
#include "base/list.h"
#include "base/text.h"
#include "model/name.h"
#include "model/service-def.h"
#include "model/term.h"

/* The parts of a value and of a problem that are displayed: a line or two of a terminal each. */
enum { VALUE_BYTES = 80, PROBLEM_BYTES = 300 };

char *value_shorten(const char *value, size_t max_bytes)
{
	const char *end;

	if (strlen(value) <= max_bytes)
		return g_strdup(value);
	end = g_utf8_find_prev_char(value, value + max_bytes + 1); /* at a character boundary */
	return g_strdup_printf("%.*s...", (int)(end - value), value);
}

char *value_complaint(const char *key, const char *value, const char *problem)
{
	g_autofree char *shown_value = value_shorten(value, VALUE_BYTES);
	g_autofree char *shown_problem = value_shorten(problem, PROBLEM_BYTES);

	return g_strdup_printf("%s=%s: %s", key, shown_value, shown_problem);
}

char *value_none_of(const char *value, const char *const *words, unsigned count)
{
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *shown = value_shorten(value, VALUE_BYTES);

	g_string_append_printf(text, "\"%s\" is not one of ", shown);
	for (unsigned i = 0; i < count; i++)
		g_string_append_printf(text, "%s%s", i == 0 ? "" : ", ", words[i]);
	return g_string_free(g_steal_pointer(&text), FALSE);
}

char *value_check_room(const GPtrArray *list)
{
	if (list->len < LIMIT_LIST_ENTRIES)
		return NULL;
	return g_strdup_printf("there are more than %d entries", LIMIT_LIST_ENTRIES);
}

char *value_read_term(GPtrArray **terms, const char *value, Origin origin)
{
	char *problem;
	Term *term;

	problem = value_check_room(*terms);
	if (problem)
		return problem;
	term = term_parse(value, origin, &problem);
	if (term)
		list_add(terms, term, (GDestroyNotify)term_free);
	return problem;
}

char *value_read_names(GPtrArray **refs, const char *value, Origin origin, ValueNameCheck check)
{
	char *problem = NULL;
	g_auto(GStrv) words = text_split_words(value, &problem);

	for (char **word = words; word && *word && !problem; word++) {
		problem = check(*word);
		if (!problem)
			problem = value_check_room(*refs);
		if (!problem)
			list_add(refs, name_ref_new(*word, origin), (GDestroyNotify)name_ref_free);
	}
	return problem;
}

char *value_check_service(const char *word)
{
	char *problem = NULL;

	if (strchr(word, ','))
		return g_strdup_printf("names are separated by blanks, not by commas: %s", word);
	if (g_str_has_suffix(word, ".svc"))
		return g_strdup_printf("a service is named without \".svc\": %.*s", (int)strlen(word) - 4, word);
	if (g_str_has_suffix(word, "@"))
		return g_strdup_printf("\"%s\" is a template; name one of its instances", word);
	(void)name_check_service(word, &problem); /* @problem is the result */
	return problem;
}

char *value_check_bus(const char *word)
{
	char *problem = NULL;

	(void)name_check_bus(word, &problem); /* @problem is the result */
	return problem;
}

char *value_check_service_or_facility(const char *word)
{
	char *problem = NULL;

	if (*word != '$')
		return value_check_service(word);
	(void)name_check_facility(word, &problem); /* @problem is the result */
	return problem;
}
