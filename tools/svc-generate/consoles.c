/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Consoles: see consoles.h.
 */
#include "config.h"

#include "svc-generate/consoles.h"

#include <string.h>

#include "base/limits.h"

#define POLICY_FILE "50-consoles.policy"

enum { FIRST_TERMINAL = 1, LAST_TERMINAL = 6 };

static void add_login(GeneratedFiles *output, const char *terminal)
{
	GString *policy = generated_files_add(output, POLICY_FILE, "the kernel's list of consoles");

	if (!strchr(policy->str, '['))
		g_string_append(policy, "\n[runlevel 2]\n");
	g_string_append_printf(policy, "Activate=getty@%s\n", terminal);
}

static bool is_terminal_name(const char *name)
{
	return *name && strlen(name) < LIMIT_NAME_BYTES / 2 &&
	       strspn(name, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_.:-") == strlen(name);
}

void consoles_generate(const char *active, GeneratedFiles *output)
{
	g_auto(GStrv) names = g_strsplit_set(active, " \t\n", -1);

	for (char **name = names; *name; name++) {
		if (strcmp(*name, "tty0") == 0) {
			for (int i = FIRST_TERMINAL; i <= LAST_TERMINAL; i++) {
				g_autofree char *terminal = g_strdup_printf("tty%d", i);

				add_login(output, terminal);
			}
		} else if (is_terminal_name(*name)) {
			add_login(output, *name);
		}
	}
}
