/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Script names: tables of the files that packages, editors and version control leave.
 */
#include "config.h"

#include "lsb-compat/script-names.h"

#include <string.h>

#include "model/name.h"

/* The ends of names, behind the last dot. */
static const char *const endings[] = { "old", "new", "org", "orig", "save", "swp", "core" };

/* The first letters behind the last dot. */
static const char *const ending_starts[] = { "dpkg", "ucf", "rpm", "ba" };

static const char *const first_bytes = "$.#%_+-\\*[]^:()~";

/* Known files that are not scripts of services. rc and rcS run such scripts. */
static const char *const whole[] = { "core", "rc", "rcS", "rx", "functions", "bootclean.sh" };
static const char *const starts[] = { "README", "Makefile", "skeleton", "powerfail" };

static bool is_left_behind(const char *name)
{
	const char *dot = strrchr(name, '.');

	if (g_str_has_suffix(name, "~") || g_str_has_suffix(name, ",v"))
		return true;
	for (size_t i = 0; dot && i < G_N_ELEMENTS(endings); i++) {
		if (strcmp(dot + 1, endings[i]) == 0)
			return true;
	}
	for (size_t i = 0; dot && i < G_N_ELEMENTS(ending_starts); i++) {
		if (g_str_has_prefix(dot + 1, ending_starts[i]))
			return true;
	}
	return false;
}

bool lsb_name_is_script(const char *name, const char *const *suffixes)
{
	if (!*name || strchr(first_bytes, *name) || is_left_behind(name))
		return false;
	for (size_t i = 0; i < G_N_ELEMENTS(whole); i++) {
		if (strcmp(name, whole[i]) == 0)
			return false;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(starts); i++) {
		if (g_str_has_prefix(name, starts[i]))
			return false;
	}
	for (size_t i = 0; suffixes && suffixes[i]; i++) {
		if (*suffixes[i] && g_str_has_suffix(name, suffixes[i]))
			return false;
	}
	return true;
}

bool lsb_name_is_conf(const char *name)
{
	return *name != '.' && !is_left_behind(name);
}

char *lsb_name_service(const char *name, char **ret_problem)
{
	g_autofree char *service = g_strdup(name);

	if (g_str_has_suffix(service, ".sh") && strlen(service) > strlen(".sh"))
		service[strlen(service) - strlen(".sh")] = '\0';
	if (!name_check_service(service, ret_problem))
		return NULL;
	if (strchr(service, '@')) {
		*ret_problem = g_strdup("a name with @ belongs to an instance of a template");
		return NULL;
	}
	return g_steal_pointer(&service);
}
