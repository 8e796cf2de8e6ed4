/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Display manager: see display-manager.h.
 */
#include "config.h"

#include "svc-generate/display-manager.h"

#include <string.h>

#define CHOICE "/etc/X11/default-display-manager"
/* Read after init-scripts.policy, which contains the policy of the links. */
#define POLICY_FILE "links-display-manager.policy"

static const char *const ours[] = { "gdm3", "lightdm", "sddm" };

void display_manager_generate(const char *chosen, Output *output)
{
	g_autofree char *path = g_strstrip(g_strdup(chosen));
	g_autofree char *name = g_path_get_basename(path);

	/* An empty file chooses none, and the reason must be a single line. */
	if (*path != '/' || strpbrk(path, "\n\r"))
		return;
	for (size_t i = 0; i < G_N_ELEMENTS(ours); i++) {
		if (strcmp(ours[i], name) != 0)
			g_string_append_printf(output_file(output, POLICY_FILE, CHOICE),
					       "\n[service %s]\nActivation=manual\nReason=" CHOICE " says %s\n", ours[i], path);
	}
}
