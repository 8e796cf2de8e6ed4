/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lsb tokens: tokens are separated by any number of insserv's separators. */
#include "config.h"

#include "lsb-compat/lsb-tokens.h"

#include <limits.h>
#include <string.h>

#include "base/limits.h"
#include "model/name.h"

#define SEPARATORS " \t,;\v\f\r"

gsize lsb_skip_line(const char **text, gsize *length)
{
	const char *end = memchr(*text, '\n', *length);
	const gsize size = end ? (gsize)(end - *text) : *length;

	*text += size + (end ? 1 : 0);
	*length -= size + (end ? 1 : 0);
	return size;
}

char *lsb_next_line(const char **text, gsize *length)
{
	const char *begin = *text;
	char *line;
	gsize size;

	if (*length == 0)
		return NULL;
	size = lsb_skip_line(text, length);
	size = MIN(size, LIMIT_LINE_BYTES);
	while (size > 0 && begin[size - 1] == '\r')
		size--;
	line = g_malloc(size + 1);
	for (gsize i = 0; i < size; i++)
		line[i] = begin[i] ? begin[i] : ' ';
	line[size] = '\0';
	return line;
}

GPtrArray *lsb_split_tokens(const char *value)
{
	GPtrArray *tokens = g_ptr_array_new_with_free_func(g_free);

	for (const char *p = value + strspn(value, SEPARATORS); *p; p += strspn(p, SEPARATORS)) {
		const gsize length = strcspn(p, SEPARATORS);

		g_ptr_array_add(tokens, g_strndup(p, length));
		p += length;
	}
	return tokens;
}

bool lsb_token_check(const char *token, char **ret_problem)
{
	if (*token == '+') {
		*ret_problem = g_strdup("a name must not begin with \"+\"");
		return false;
	}
	return *token == '$' ? name_check_facility(token, ret_problem) :
			       name_check_service(token, ret_problem);
}

bool lsb_path_is_plain(const char *path)
{
	return *path == '/' &&
	       path[strspn(path, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "/_.,@:+-")] == '\0' &&
	       strlen(path) < PATH_MAX;
}
