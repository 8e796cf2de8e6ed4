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

char *value_none_of(const char *value, const char *const *tokens, unsigned count)
{
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *shown = value_shorten(value, VALUE_BYTES);

	g_string_append_printf(text, "\"%s\" is not one of ", shown);
	for (unsigned i = 0; i < count; i++)
		g_string_append_printf(text, "%s%s", i == 0 ? "" : ", ", tokens[i]);
	return g_string_free(g_steal_pointer(&text), FALSE);
}

char *value_check_size(const GPtrArray *list)
{
	if (list->len < LIMIT_LIST_ENTRIES)
		return NULL;
	return g_strdup_printf("there are more than %d entries", LIMIT_LIST_ENTRIES);
}

char *value_read_term(GPtrArray **terms, const char *value, const char *service, Origin origin)
{
	char *problem;
	Term *term;

	problem = value_check_size(*terms);
	if (problem)
		return problem;
	term = term_parse(value, service, origin, &problem);
	if (term)
		list_add(terms, term, (GDestroyNotify)term_free);
	return problem;
}

char *value_read_names(GPtrArray **refs, const char *value, Origin origin, ValueNameCheck check)
{
	char *problem = NULL;
	g_auto(GStrv) tokens = text_split_tokens(value, &problem);

	for (char **token = tokens; token && *token && !problem; token++) {
		problem = check(*token);
		if (!problem)
			problem = value_check_size(*refs);
		if (!problem)
			list_add(refs, name_ref_new(*token, origin), (GDestroyNotify)name_ref_free);
	}
	return problem;
}

char *value_check_service(const char *token)
{
	char *problem = NULL;

	if (strchr(token, ','))
		return g_strdup_printf("names are separated by blanks, not by commas: %s", token);
	if (g_str_has_suffix(token, ".svc"))
		return g_strdup_printf("a service is named without \".svc\": %.*s",
				       (int)strlen(token) - 4, token);
	if (g_str_has_suffix(token, "@"))
		return g_strdup_printf("\"%s\" is a template; name one of its instances", token);
	(void)name_check_service(token, &problem); /* @problem is the result */
	return problem;
}

char *value_check_bus(const char *token)
{
	char *problem = NULL;

	(void)name_check_bus(token, &problem); /* @problem is the result */
	return problem;
}

char *value_check_service_or_facility(const char *token)
{
	char *problem = NULL;

	if (*token != '$')
		return value_check_service(token);
	(void)name_check_facility(token, &problem); /* @problem is the result */
	return problem;
}
