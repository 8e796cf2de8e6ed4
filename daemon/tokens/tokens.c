/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tokens: splits a line into tokens, and compares them.
 */
#include "config.h"

#include "tokens/tokens.h"

#include <stdlib.h>
#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/*
 * Copies the text between double quotes, from @s on. Returns: the closing quote, or the end of the
 * text.
 */
static const char *copy_quoted(const char *s, char **out)
{
	for (; *s && *s != '"'; s++) {
		if (*s == '\\' && (s[1] == '"' || s[1] == '\\'))
			s++;
		*(*out)++ = *s;
	}
	return s;
}

/*
 * Copies the token at *@p to @out without its quotes; @out has room for the whole text. Returns
 * NULL, or the problem.
 */
static const char *copy_token(const char **p, char *out)
{
	const char *s = *p;

	for (; *s && !is_blank(*s); s++) {
		if (*s == '\'') {
			const char *end = strchr(s + 1, '\'');

			if (!end)
				return "a ' is not closed";
			memcpy(out, s + 1, (size_t)(end - s - 1));
			out += end - s - 1;
			s = end;
		} else if (*s == '"') {
			s = copy_quoted(s + 1, &out);
			if (!*s)
				return "a \" is not closed";
		} else if (*s == '\\') {
			if (!s[1])
				return "a \\ ends the line";
			*out++ = *++s;
		} else {
			*out++ = *s;
		}
	}
	*out = '\0';
	*p = s;
	return NULL;
}

/* An upper bound, because blanks in quotes count, too. */
static size_t count_tokens(const char *text)
{
	size_t n = 0;

	for (const char *p = text; *p; p++)
		n += !is_blank(*p) && (p == text || is_blank(p[-1]));
	return n;
}

void tokens_free(char **tokens)
{
	for (char **token = tokens; token && *token; token++)
		free(*token);
	free(tokens);
}

/*
 * Fills @tokens, which is large enough. @scratch: as long as @text. Returns: NULL, or the problem.
 */
static const char *copy_tokens(const char *text, char **tokens, char *scratch)
{
	for (unsigned n = 0;; n++) {
		const char *problem;

		while (is_blank(*text))
			text++;
		if (!*text)
			return NULL;
		problem = copy_token(&text, scratch);
		if (!problem && n >= TOKENS_MAX)
			problem = "there are more than 512 tokens";
		if (problem)
			return problem;
		tokens[n] = strdup(scratch);
		if (!tokens[n])
			return "out of memory";
	}
}

char **tokens_split(const char *text, const char **ret_problem)
{
	char **tokens = calloc(count_tokens(text) + 1, sizeof(*tokens));
	char *scratch = malloc(strlen(text) + 1);
	const char *problem = tokens && scratch ? copy_tokens(text, tokens, scratch) :
						  "out of memory";

	free(scratch);
	if (!problem)
		return tokens;
	tokens_free(tokens);
	*ret_problem = problem;
	return NULL;
}

bool token_parse_bool(const char *text, bool *ret)
{
	static const char *const tokens[] = { "no", "yes", "false", "true", "off", "on", "0", "1" };

	for (size_t i = 0; i < sizeof(tokens) / sizeof(tokens[0]); i++) {
		if (strcmp(tokens[i], text) == 0) {
			*ret = i % 2;
			return true;
		}
	}
	return false;
}

/* tolower(3) of the C locale. */
static char to_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static unsigned smaller(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static bool is_same_letter(char a, char b)
{
	return to_lower(a) == to_lower(b);
}

/*
 * The Levenshtein distance, with two swapped letters as one mistake. Stops above @limit. A token of
 * more than LONGEST bytes is never taken as a misspelling.
 */
static unsigned edit_distance(const char *a, const char *b, unsigned limit)
{
	enum { LONGEST = 64 };
	const size_t n = strlen(a);
	const size_t m = strlen(b);
	unsigned rows[3][LONGEST + 1] = { 0 };

	if (n > LONGEST || m > LONGEST || n > m + limit || m > n + limit)
		return limit + 1;
	for (size_t j = 0; j <= m; j++)
		rows[0][j] = (unsigned)j;
	for (size_t i = 1; i <= n; i++) {
		unsigned *row = rows[i % 3];
		const unsigned *above = rows[(i + 2) % 3];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= m; j++) {
			row[j] = smaller(above[j - 1] + !is_same_letter(a[i - 1], b[j - 1]),
					 smaller(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && is_same_letter(a[i - 1], b[j - 2]) &&
			    is_same_letter(a[i - 2], b[j - 1]))
				row[j] = smaller(row[j], rows[(i + 1) % 3][j - 2] + 1);
		}
	}
	return rows[n % 3][m];
}

const char *token_nearest(const char *token, const char *const *known)
{
	/*
	 * A single letter is one mistake away from every other letter, so for one letter only the
	 * case may differ. The other limits are small, because names of daemons are short.
	 */
	const unsigned limit = strlen(token) < 2 ? 0 :
			       strlen(token) < 6 ? 1 :
			       strlen(token) < 9 ? 2 :
						   3;
	unsigned best = limit + 1;
	const char *nearest = NULL;

	for (size_t i = 0; known && known[i]; i++) {
		unsigned distance = edit_distance(token, known[i], limit);

		if (distance < best) {
			best = distance;
			nearest = known[i];
		}
	}
	return nearest;
}
