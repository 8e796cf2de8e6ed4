/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fields: readers of the kinds of values that occur in several sections. */
#include "config.h"

#include "model/field-read.h"

#include <string.h>

#include "base/list.h"
#include "base/text.h"

void field_replace(char **field, const char *value)
{
	g_free(*field);
	*field = g_strdup(value);
}

char *field_read_text(ServiceDef *def, void *field, const char *value, Origin origin)
{
	field_replace(field, value);
	return NULL;
}

char *field_read_bool(ServiceDef *def, void *field, const char *value, Origin origin)
{
	if (token_parse_bool(value, field))
		return NULL;
	return g_strdup("write yes or no");
}

char *field_read_path(ServiceDef *def, void *field, const char *value, Origin origin)
{
	if (*value != '/')
		return g_strdup("the path must be absolute");
	field_replace(field, value);
	return NULL;
}

char *field_read_duration(ServiceDef *def, void *field, const char *value, Origin origin)
{
	if (text_parse_duration(value, field))
		return NULL;
	return g_strdup("write a time such as 200ms, 5s or 1min 30s");
}

char *field_read_time_limit(ServiceDef *def, void *field, const char *value, Origin origin)
{
	int64_t us;

	if (!text_parse_duration(value, &us) || us == 0)
		return g_strdup(
			"write a time above 0, such as 200ms, 5s or 1min 30s; every wait needs a "
			"limit");
	*(int64_t *)field = us;
	return NULL;
}

char *field_read_starts_per_time(const char *value, unsigned *ret_starts, int64_t *ret_us)
{
	g_auto(GStrv) parts = g_strsplit(value, "/", 2);
	uint64_t starts;
	int64_t window_us;

	if (!parts[0] || !parts[1] || !text_parse_uint(parts[0], 10, 1000000, &starts) ||
	    starts == 0 || !text_parse_duration(parts[1], &window_us) || window_us == 0)
		return g_strdup("write STARTS/TIME, such as 5/10s");
	*ret_starts = (unsigned)starts;
	*ret_us = window_us;
	return NULL;
}

char *field_read_signal(ServiceDef *def, void *field, const char *value, Origin origin)
{
	if (text_parse_signal(value, field))
		return NULL;
	return g_strdup_printf("no signal \"%s\"; write a name such as TERM, or a number", value);
}

/*
 * A name that svc-exec looks up, or a number. A text that begins with a digit must be a number
 * (CVE-2017-1000082).
 */
char *field_check_account(const char *name)
{
	uint64_t id;

	if (g_ascii_isdigit(*name) && !text_parse_uint(name, 10, UINT32_MAX - 1, &id))
		return g_strdup_printf("\"%s\" is neither a name nor a number below 4294967295",
				       name);
	if (!*name || *name == '-' || strpbrk(name, " \t:/\"'\\"))
		return g_strdup_printf("\"%s\" is not the name of an account", name);
	return NULL;
}

char *field_read_account(ServiceDef *def, void *field, const char *value, Origin origin)
{
	char *problem = field_check_account(value);

	if (!problem)
		field_replace(field, value);
	return problem;
}

bool field_parse_mode(const char *value, unsigned *ret)
{
	uint64_t mode;

	if (!text_parse_uint(value, 8, 07777, &mode))
		return false;
	*ret = (unsigned)mode;
	return true;
}

char *field_read_directory_mode(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return field_parse_mode(value, field) ? NULL : g_strdup("write an octal mode such as 0755");
}

char *field_read_tokens(GPtrArray **list, const char *value, char *(*check)(const char *token))
{
	char *problem = NULL;
	g_auto(GStrv) tokens = text_split_tokens(value, &problem);

	for (char **token = tokens; token && *token && !problem; token++) {
		problem = check(*token);
		if (!problem)
			problem = value_check_size(*list);
		if (!problem)
			list_add(list, g_strdup(*token), g_free);
	}
	return problem;
}
