/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Samba: see samba.h.
 */
#include "config.h"

#include "svc-generate/samba.h"

#include <stdbool.h>
#include <string.h>

#include "base/text.h"

#define CONFIGURATION "/etc/samba/smb.conf"
/* Read after init-scripts.policy, which contains the policy of the links. */
#define POLICY_FILE "links-samba.policy"

/* smb.conf ignores letter case and blanks. */
static char *squeeze(const char *text)
{
	GString *squeezed = g_string_new(NULL);

	for (const char *p = text; *p; p++) {
		if (!g_ascii_isspace(*p))
			g_string_append_c(squeezed, g_ascii_tolower(*p));
	}
	return g_string_free(squeezed, FALSE);
}

/* The value of the last "key = value", squeezed, a new string; NULL: there is none. */
static char *find_value(const char *configuration, const char *key)
{
	g_auto(GStrv) lines = g_strsplit(configuration, "\n", -1);
	g_autofree char *prefix = g_strconcat(key, "=", NULL);
	char *value = NULL;

	for (char **line = lines; *line; line++) {
		g_autofree char *squeezed = squeeze(*line);

		if (g_str_has_prefix(squeezed, prefix)) {
			g_free(value);
			value = g_strdup(squeezed + strlen(prefix));
		}
	}
	return value;
}

static bool is_domain_controller(const char *configuration)
{
	static const char *const roles[] = { "activedirectorydomaincontroller", "domaincontroller", "dc", NULL };
	g_autofree char *role = find_value(configuration, "serverrole");

	return role && g_strv_contains(roles, role);
}

static bool has_netbios(const char *configuration)
{
	g_autofree char *value = find_value(configuration, "disablenetbios");
	bool is_disabled;

	return !value || !words_parse_bool(value, &is_disabled) || !is_disabled;
}

static void leave_to_admin(Output *output, const char *service, const char *reason)
{
	g_string_append_printf(output_file(output, POLICY_FILE, CONFIGURATION),
			       "\n[service %s]\nActivation=manual\nReason=" CONFIGURATION ": %s\n", service, reason);
}

void samba_generate(const char *configuration, Output *output)
{
	static const char *const parts[] = { "smbd", "nmbd", "winbind" };

	if (!is_domain_controller(configuration)) {
		leave_to_admin(output, "samba-ad-dc", "server role is not active directory domain controller");
		if (!has_netbios(configuration))
			leave_to_admin(output, "nmbd", "disable netbios = yes");
		return;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
		leave_to_admin(output, parts[i], "a domain controller runs it by itself");
}
