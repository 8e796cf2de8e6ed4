/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Terms: reading a line of conditions, and its truth in three values.
 */
#include "config.h"

#include "model/term.h"

#include <string.h>

#include "base/limits.h"
#include "base/text.h"

static Term *term_new(const char *text, Origin origin)
{
	Term *term = g_new0(Term, 1);

	term->literals = g_array_new(FALSE, FALSE, sizeof(Literal));
	term->text = g_strdup(text);
	term->origin = origin;
	return term;
}

static bool parse_literal(Term *term, const char *word, char **ret_problem)
{
	Literal literal = { .negated = *word == '!' };

	if (literal.negated)
		word++;
	if (!*word)
		*ret_problem = g_strdup("\"!\" stands directly in front of a condition");
	else if (*word == '!')
		*ret_problem = g_strdup_printf("one \"!\" is enough: %s", word - 1);
	else if (strchr(word, '|'))
		*ret_problem = g_strdup_printf("\"|\" stands between blanks: %s", word);
	else if (key_parse(word, &literal.prefix, &literal.key, ret_problem)) {
		g_array_append_val(term->literals, literal);
		return true;
	}
	return false;
}

/* The words from @first up to @end as one: "udev:A=b" "C=d e" -> "udev:A=b \"C=d e\"". A new string. */
static char *join_condition(char **first, char **end)
{
	const char *argument = strchr(*first, ':') + 1;
	g_autoptr(GPtrArray) words = g_ptr_array_new();
	g_autofree char *joined = NULL;

	if (end - first == 1)
		return g_strdup(*first); /* quoted as a whole, maybe */
	g_ptr_array_add(words, (gpointer)argument);
	for (char **word = first + 1; word < end; word++)
		g_ptr_array_add(words, *word);
	g_ptr_array_add(words, NULL);
	joined = text_join_words((const char *const *)words->pdata);
	return g_strdup_printf("%.*s%s", (int)(argument - *first), *first, joined);
}

/* Some conditions go on over blanks: each becomes one word. A new strv. */
static char **gather_conditions(char **words)
{
	g_autoptr(GPtrArray) out = g_ptr_array_new();

	for (char **word = words; *word;) {
		char **end = word + 1;

		if (!key_takes_words(*word + (**word == '!'))) {
			g_ptr_array_add(out, g_strdup(*word));
		} else {
			while (*end && strcmp(*end, "|") != 0)
				end++;
			g_ptr_array_add(out, join_condition(word, end));
		}
		word = end;
	}
	g_ptr_array_add(out, NULL);
	return (char **)g_ptr_array_free(g_steal_pointer(&out), FALSE);
}

/* @word stands behind the condition @before, and "|" does not stand between them. A new string. */
static char *complain_of(const char *before, const char *word)
{
	/* What is no condition, nor the "and" of another language, belongs to the name before it. */
	if (!strchr(word, ':') && (g_ascii_isalnum(*word) || *word & 0x80))
		return g_strdup_printf("\"%s\" follows without \"|\"; a name with blanks stands in quotes: \"%s %s\"", word,
				       before, word);
	return g_strdup_printf("\"%s\" follows without \"|\"; conditions that must all be true stand on lines of their own",
			       word);
}

/* @words: condition, "|", condition, ... */
static bool parse_words(Term *term, char **words, char **ret_problem)
{
	const guint n = g_strv_length(words);

	if (n == 0) {
		*ret_problem = g_strdup("a condition is missing");
		return false;
	}
	if (n > 2 * LIMIT_TERM_ALTERNATIVES - 1) {
		*ret_problem = g_strdup_printf("a term has at most %d alternatives", LIMIT_TERM_ALTERNATIVES);
		return false;
	}
	for (guint i = 0; i < n; i++) {
		const bool is_bar = strcmp(words[i], "|") == 0;

		if (i % 2 == 1 && !is_bar) {
			*ret_problem = complain_of(words[i - 1], words[i]);
			return false;
		}
		if (is_bar && (i % 2 == 0 || i == n - 1)) {
			*ret_problem = g_strdup("\"|\" stands between two conditions");
			return false;
		}
		if (!is_bar && !parse_literal(term, words[i], ret_problem))
			return false;
	}
	return true;
}

Term *term_parse(const char *text, Origin origin, char **ret_problem)
{
	g_auto(GStrv) words = text_split_words(text, ret_problem);
	g_auto(GStrv) conditions = words ? gather_conditions(words) : NULL;
	g_autoptr(Term) term = term_new(text, origin);

	if (!conditions || !parse_words(term, conditions, ret_problem))
		return NULL;
	return g_steal_pointer(&term);
}

Term *term_new_single(KeyPrefix prefix, const char *argument, const char *text, Origin origin)
{
	g_autofree char *key = g_strconcat(key_prefix_name(prefix), ":", argument, NULL);
	const Literal literal = { .key = g_intern_string(key), .prefix = prefix };
	Term *term = term_new(text, origin);

	g_array_append_val(term->literals, literal);
	return term;
}

Term *term_copy(const Term *term)
{
	Term *copy = term_new(term->text, term->origin);

	g_array_append_vals(copy->literals, term->literals->data, term->literals->len);
	return copy;
}

void term_free(Term *term)
{
	if (!term)
		return;
	g_array_unref(term->literals);
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

	if (term_length(term) != 1 || first->negated || (first->prefix != KEY_SERVICE && first->prefix != KEY_HEALTHY))
		return NULL;
	return key_argument(first->key);
}
