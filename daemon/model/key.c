/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keys: one row a prefix, with the check of its argument.
 */
#include "config.h"

#include "model/key.h"

#include <string.h>

#include "base/text.h"
#include "model/name.h"

/* Both give the canonical argument, a new string, or NULL with @ret_problem. */
static char *canonical_path(const char *path, char **ret_problem)
{
	g_autoptr(GString) out = g_string_new(NULL);
	g_auto(GStrv) parts = NULL;

	if (*path != '/') {
		*ret_problem = g_strdup_printf("\"%s\" is not an absolute path", path);
		return NULL;
	}
	parts = g_strsplit(path, "/", -1);
	for (char **part = parts; *part; part++) {
		if (strcmp(*part, "..") == 0) {
			*ret_problem = g_strdup_printf("\"%s\" holds \"..\"; write the path without it", path);
			return NULL;
		}
		if (**part && strcmp(*part, ".") != 0)
			g_string_append_printf(out, "/%s", *part);
	}
	if (out->len == 0)
		g_string_append_c(out, '/');
	return g_string_free(g_steal_pointer(&out), FALSE);
}

static char *check_path(const char *argument, char **ret_problem)
{
	static const char *const kinds[] = { "exec:", "dir:", "nonempty:", NULL };
	g_autofree char *path = NULL;

	for (unsigned i = 0; kinds[i]; i++) {
		if (!g_str_has_prefix(argument, kinds[i]))
			continue;
		path = canonical_path(argument + strlen(kinds[i]), ret_problem);
		return path ? g_strconcat(kinds[i], path, NULL) : NULL;
	}
	if (*argument != '/' && strchr(argument, ':')) {
		*ret_problem = g_strdup_printf("\"%s\": before the path may stand exec:, dir: or nonempty:", argument);
		return NULL;
	}
	return canonical_path(argument, ret_problem);
}

static char *check_service(const char *argument, char **ret_problem)
{
	if (*argument == '$')
		*ret_problem = g_strdup_printf("%s is a facility; write facility:%s", argument, argument);
	else if (name_check_service(argument, ret_problem))
		return g_strdup(argument);
	return NULL;
}

static char *check_settled(const char *argument, char **ret_problem)
{
	const bool fine = *argument == '$' ? name_check_facility(argument, ret_problem)
					   : name_check_service(argument, ret_problem);

	return fine ? g_strdup(argument) : NULL;
}

static char *check_facility(const char *argument, char **ret_problem)
{
	return name_check_facility(argument, ret_problem) ? g_strdup(argument) : NULL;
}

static char *check_kernel(const char *argument, char **ret_problem)
{
	if (*argument && *argument != '=')
		return g_strdup(argument);
	*ret_problem = g_strdup("kernel: takes a word of the kernel command line: kernel:quiet, kernel:key=value");
	return NULL;
}

static char *check_virtual(const char *argument, char **ret_problem)
{
	if (strcmp(argument, "container") == 0 || strcmp(argument, "vm") == 0)
		return g_strdup(argument);
	*ret_problem = g_strdup("there are virtual:container and virtual:vm");
	return NULL;
}

static char *check_flag(const char *argument, char **ret_problem)
{
	return name_check_flag(argument, ret_problem) ? g_strdup(argument) : NULL;
}

static const struct {
	char *(*check)(const char *argument, char **ret_problem);
	bool is_internal;
} prefixes[] = {
	[KEY_PATH] = { check_path, false },
	[KEY_SERVICE] = { check_service, true },
	[KEY_SETTLED] = { check_settled, true },
	[KEY_ACTIVE] = { check_service, true },
	[KEY_FACILITY] = { check_facility, true },
	[KEY_KERNEL] = { check_kernel, false },
	[KEY_VIRTUAL] = { check_virtual, false },
	[KEY_FLAG] = { check_flag, false },
	[KEY_MOUNTED] = { canonical_path, false },
};
G_STATIC_ASSERT(G_N_ELEMENTS(prefixes) == KEY_COUNT);

static char *unknown_prefix(const char *prefix, const char *argument)
{
	const char *names[KEY_COUNT + 1] = { NULL };
	g_autofree char *all = NULL;
	const char *nearest;

	for (int i = 0; i < (int)KEY_COUNT; i++)
		names[i] = key_prefix_name((KeyPrefix)i);
	nearest = text_nearest(prefix, names);
	if (nearest)
		return g_strdup_printf("no provider \"%s\"; did you mean \"%s:%s\"?", prefix, nearest, argument);
	all = g_strjoinv(", ", (char **)names);
	return g_strdup_printf("no provider \"%s\"; there are %s", prefix, all);
}

static char *no_prefix(const char *text)
{
	if (*text == '/')
		return g_strdup_printf("\"%s\" is no condition; did you mean \"path:%s\"?", text, text);
	if (*text == '$')
		return g_strdup_printf("\"%s\" is no condition; did you mean \"facility:%s\"?", text, text);
	if (name_check_service(text, NULL))
		return g_strdup_printf("\"%s\" is no condition; did you mean \"service:%s\"?", text, text);
	return g_strdup_printf("\"%s\" is no condition; one is written PROVIDER:ARGUMENT", text);
}

bool key_parse(const char *text, KeyPrefix *ret_prefix, const char **ret_canonical, char **ret_problem)
{
	const char *colon = strchr(text, ':');
	g_autofree char *name = colon ? g_strndup(text, (gsize)(colon - text)) : NULL;
	g_autofree char *argument = NULL;
	g_autofree char *canonical = NULL;
	KeyPrefix prefix;

	if (!name || !*name || strchr(name, '/')) {
		*ret_problem = no_prefix(text);
		return false;
	}
	if (!key_prefix_from_name(name, &prefix)) {
		*ret_problem = unknown_prefix(name, colon + 1);
		return false;
	}
	argument = prefixes[prefix].check(colon + 1, ret_problem);
	if (!argument)
		return false;
	canonical = g_strconcat(name, ":", argument, NULL);
	*ret_prefix = prefix;
	*ret_canonical = g_intern_string(canonical);
	return true;
}

const char *key_argument(const char *canonical)
{
	return strchr(canonical, ':') + 1;
}

bool key_prefix_is_internal(KeyPrefix prefix)
{
	return prefixes[prefix].is_internal;
}
