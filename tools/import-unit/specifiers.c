/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Specifiers: expands the specifiers whose values are known without the running system.
 */
#include "config.h"

#include "import-unit/specifiers.h"

#include <glib.h>
#include <string.h>

static const struct {
	char letter;
	const char *text;
	/* clang-format off */
} fixed[] = {
	{ 't', "/run" }, { 'S', "/var/lib" }, { 'C', "/var/cache" }, { 'L', "/var/log" }, { 'E', "/etc" }, { 'T', "/tmp" },
	{ 'V', "/var/tmp" }, { 'h', "/root" }, { 'u', "root" }, { 'U', "0" }, { 'g', "root" }, { 'G', "0" },
	{ 's', "/bin/sh" },
};
/* clang-format on */

typedef struct UnitParts {
	const char *unit;
	char *prefix; /* before "@", or all before the suffix */
	char *instance; /* "%i" in a template, "" without one */
	const char *suffix;
} UnitParts;

static UnitParts parts_of(const char *unit, bool is_template)
{
	const char *suffix = strrchr(unit, '.');
	const char *at = strchr(unit, '@');
	UnitParts parts = { .unit = unit, .suffix = suffix ? suffix : "" };
	const size_t length = suffix ? (size_t)(suffix - unit) : strlen(unit);

	if (!at || at > unit + length) {
		parts.prefix = g_strndup(unit, length);
		parts.instance = g_strdup("");
		return parts;
	}
	parts.prefix = g_strndup(unit, (gsize)(at - unit));
	parts.instance = is_template ? g_strdup("%i") :
				       g_strndup(at + 1, length - (size_t)(at - unit) - 1);
	return parts;
}

static bool append_name(GString *out, char letter, const UnitParts *parts)
{
	switch (letter) {
	case 'i':
	case 'I': /* unescaped: the same for an instance without "-" and "\" */
		g_string_append(out, parts->instance);
		return true;
	case 'j':
	case 'J':
		g_string_append(out, strrchr(parts->prefix, '-') ? strrchr(parts->prefix, '-') + 1 :
								   parts->prefix);
		return true;
	case 'p':
	case 'P':
		g_string_append(out, parts->prefix);
		return true;
	case 'f':
		g_string_append_printf(out, "/%s",
				       *parts->instance ? parts->instance : parts->prefix);
		return true;
	case 'n':
	case 'N':
		g_string_append_printf(out, "%s%s%s%s", parts->prefix, *parts->instance ? "@" : "",
				       parts->instance, letter == 'n' ? parts->suffix : "");
		return true;
	default:
		return false;
	}
}

static bool append_fixed(GString *out, char letter)
{
	for (size_t i = 0; i < G_N_ELEMENTS(fixed); i++) {
		if (fixed[i].letter == letter) {
			g_string_append(out, fixed[i].text);
			return true;
		}
	}
	return false;
}

static bool append_all(GString *out, const char *value, const UnitParts *parts, bool is_template,
		       char **ret_problem)
{
	for (const char *at = value; *at; at++) {
		if (*at != '%') {
			g_string_append_c(out, *at);
			continue;
		}
		if (!g_ascii_isalpha(at[1]) && at[1] != '%') {
			g_string_append(out, is_template ? "%%" : "%"); /* "33%" */
			continue;
		}
		at++;
		if (*at == '%')
			g_string_append(out, is_template ? "%%" : "%");
		else if (!append_fixed(out, *at) && !append_name(out, *at, parts)) {
			*ret_problem = g_strdup_printf(
				"%%%c is known only when the unit is started; write its value",
				*at);
			return false;
		}
	}
	return true;
}

char *specifiers_expand(const char *value, const char *unit, bool is_template, char **ret_problem)
{
	UnitParts parts = parts_of(unit, is_template);
	GString *out = g_string_new(NULL);
	const bool done = append_all(out, value, &parts, is_template, ret_problem);

	g_free(parts.prefix);
	g_free(parts.instance);
	return g_string_free(out, !done);
}
