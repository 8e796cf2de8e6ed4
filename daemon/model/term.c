/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Terms: parsing a line of conditions, and its three-valued truth.
 */
#include "config.h"

#include "model/term.h"

#include <string.h>

#include "base/limits.h"
#include "base/text.h"
#include "model/time-key.h"

/* A new term with room for @n literals. */
static Term *term_new(unsigned n, const char *text, Origin origin)
{
	Term *term = g_malloc0(sizeof(Term) + n * sizeof(Literal));

	term->text = g_strdup(text);
	term->origin = origin;
	return term;
}

static bool parse_literal(Term *term, const char *token, const char *service, char **ret_problem)
{
	Literal literal = { .negated = *token == '!' };
	g_autofree char *completed = NULL;

	if (literal.negated)
		token++;
	completed = due_key_complete(token, service);
	if (completed)
		token = completed;
	if (!*token)
		*ret_problem = g_strdup("write \"!\" directly in front of a condition");
	else if (*token == '!')
		*ret_problem = g_strdup_printf("one \"!\" is enough: %s", token - 1);
	else if (strchr(token, '|'))
		*ret_problem = g_strdup_printf("write blanks around \"|\": %s", token);
	else if (key_parse(token, &literal.prefix, &literal.key, ret_problem)) {
		term->literals[term->n_literals++] = literal;
		return true;
	}
	return false;
}

/*
 * Joins the tokens from @first up to @end into one: "udev:A=b" "C=d e" -> "udev:A=b \"C=d e\"". A
 * new string.
 */
static char *join_condition(char **first, char **end)
{
	const char *argument = strchr(*first, ':') + 1;
	g_autoptr(GPtrArray) tokens = g_ptr_array_new();
	g_autofree char *joined = NULL;

	if (end - first == 1)
		return g_strdup(*first); /* the condition may be quoted as a whole */
	g_ptr_array_add(tokens, (gpointer)argument);
	for (char **token = first + 1; token < end; token++)
		g_ptr_array_add(tokens, *token);
	g_ptr_array_add(tokens, NULL);
	joined = text_join_tokens((const char *const *)tokens->pdata);
	return g_strdup_printf("%.*s%s", (int)(argument - *first), *first, joined);
}

/*
 * Joins, in place, the tokens of conditions that contain blanks. Returns: the new number of tokens.
 */
static unsigned gather_conditions(char **tokens)
{
	char **out = tokens;

	for (char **token = tokens, **end; *token; token = end) {
		char *joined;

		end = token + 1;
		if (!key_has_vocabulary(*token + (**token == '!'))) {
			*out++ = *token;
			continue;
		}
		while (*end && strcmp(*end, "|") != 0)
			end++;
		joined = join_condition(token, end);
		for (char **old = token; old < end; old++)
			g_free(*old);
		*out++ = joined;
	}
	*out = NULL;
	return (unsigned)(out - tokens);
}

/* Reports that @token follows the condition @before without "|" in between. A new string. */
static char *complain_of(const char *before, const char *token)
{
	/*
	 * A token that is neither a condition nor an operator such as "&&" is most likely a part of
	 * the name before it.
	 */
	if (!strchr(token, ':') && (g_ascii_isalnum(*token) || *token & 0x80))
		return g_strdup_printf(
			"\"%s\" follows without \"|\"; a name with blanks needs quotes: \"%s %s\"",
			token, before, token);
	return g_strdup_printf(
		"\"%s\" follows without \"|\"; write conditions that must all be true on separate "
		"lines",
		token);
}

/* The number of conditions among @n tokens; 0 with @ret_problem. */
static unsigned count_conditions(unsigned n, char **ret_problem)
{
	if (n > 0 && n <= 2 * LIMIT_TERM_ALTERNATIVES - 1)
		return (n + 1) / 2;
	*ret_problem = n == 0 ? g_strdup("a condition is missing") :
				g_strdup_printf("a term has at most %d alternatives",
						LIMIT_TERM_ALTERNATIVES);
	return 0;
}

/* Parses condition, "|", condition, ... */
static bool parse_tokens(Term *term, char **tokens, unsigned n, const char *service,
			 char **ret_problem)
{
	for (unsigned i = 0; i < n; i++) {
		const bool is_bar = strcmp(tokens[i], "|") == 0;

		if (i % 2 == 1 && !is_bar) {
			*ret_problem = complain_of(tokens[i - 1], tokens[i]);
			return false;
		}
		if (is_bar && (i % 2 == 0 || i == n - 1)) {
			*ret_problem = g_strdup("write \"|\" between two conditions");
			return false;
		}
		if (!is_bar && !parse_literal(term, tokens[i], service, ret_problem))
			return false;
	}
	return true;
}

Term *term_parse(const char *text, const char *service, Origin origin, char **ret_problem)
{
	g_auto(GStrv) tokens = text_split_tokens(text, ret_problem);
	const unsigned n_tokens = tokens ? gather_conditions(tokens) : 0;
	const unsigned n = tokens ? count_conditions(n_tokens, ret_problem) : 0;
	g_autoptr(Term) term = NULL;

	if (n == 0)
		return NULL;
	term = term_new(n, text, origin);
	return parse_tokens(term, tokens, n_tokens, service, ret_problem) ?
		       g_steal_pointer(&term) :
		       NULL;
}

Term *term_new_single(KeyPrefix prefix, const char *argument, const char *text, Origin origin)
{
	g_autofree char *key = g_strconcat(key_prefix_name(prefix), ":", argument, NULL);
	Term *term = term_new(1, text, origin);

	term->n_literals = 1;
	term->literals[0] = (Literal){ .key = g_intern_string(key), .prefix = prefix };
	return term;
}

Term *term_copy(const Term *term)
{
	Term *copy = term_new(term->n_literals, term->text, term->origin);

	copy->n_literals = term->n_literals;
	memcpy(copy->literals, term->literals, term->n_literals * sizeof(Literal));
	return copy;
}

void term_free(Term *term)
{
	if (!term)
		return;
	g_free(term->text);
	g_free(term);
}

static Level negate(Level level)
{
	switch (level) {
	case LEVEL_TRUE:
		return LEVEL_FALSE;
	case LEVEL_FALSE:
		return LEVEL_TRUE;
	case LEVEL_UNKNOWN:
	case LEVEL_COUNT:
		break;
	}
	return LEVEL_UNKNOWN;
}

Level term_evaluate(const Term *term, TermLevelFunc level, void *data)
{
	Level result = LEVEL_FALSE;

	for (unsigned i = 0; i < term_length(term); i++) {
		const Literal *literal = term_literal(term, i);
		const Level own = level(literal->key, data);
		const Level value = literal->negated ? negate(own) : own;

		if (value == LEVEL_TRUE)
			return LEVEL_TRUE;
		if (value == LEVEL_UNKNOWN)
			result = LEVEL_UNKNOWN;
	}
	return result;
}

const char *term_need(const Term *term)
{
	const Literal *first = term_literal(term, 0);

	if (term_length(term) != 1 || first->negated ||
	    (first->prefix != KEY_SERVICE && first->prefix != KEY_HEALTHY))
		return NULL;
	return key_argument(first->key);
}
