/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Check of a user's own service: a table of keys.
 */
#include "config.h"

#include "model/check-user.h"

#include <string.h>

#include "model/check-private.h"

typedef struct RootsKey {
	const char *key;
	bool only_below_zero; /* only negative values: a user may only lower the priority */
	const char *why;
} RootsKey;

static const char is_the_user[] = "a user's services run as that user";
static const char has_its_places[] =
	"a user's service has its directories below $XDG_RUNTIME_DIR and at home, and makes them "
	"itself";
static const char sees_all[] = "a user's service sees the files of the machine as the user does";
static const char gives_no_more[] = "it needs privileges that a user does not have";

static const RootsKey roots_keys[] = {
	{ "User", false, is_the_user },
	{ "Group", false, is_the_user },
	{ "SupplementaryGroups", false, is_the_user },
	{ "Nice", true, gives_no_more },
	{ "OOMScoreAdjust", true, gives_no_more },
	{ "TTYPath", false, gives_no_more },
	{ "CPUSchedulingPolicy", false, gives_no_more },
	{ "CapabilityBoundingSet", false, gives_no_more },
	{ "AmbientCapabilities", false, gives_no_more },
	{ "RuntimeDirectory", false, has_its_places },
	{ "StateDirectory", false, has_its_places },
	{ "CacheDirectory", false, has_its_places },
	{ "LogsDirectory", false, has_its_places },
	{ "ConfigurationDirectory", false, has_its_places },
	{ "ProtectSystem", false, sees_all },
	{ "ProtectHome", false, sees_all },
	{ "PrivateTmp", false, sees_all },
	{ "PrivateDevices", false, sees_all },
	{ "PrivateNetwork", false, sees_all },
	{ "ProtectKernelTunables", false, sees_all },
	{ "ProtectKernelModules", false, sees_all },
	{ "ProtectKernelLogs", false, sees_all },
	{ "ProtectControlGroups", false, sees_all },
	{ "ProtectClock", false, sees_all },
	{ "ProtectHostname", false, sees_all },
	{ "ProtectProc", false, sees_all },
	{ "ProcSubset", false, sees_all },
	{ "ReadOnlyPaths", false, sees_all },
	{ "ReadWritePaths", false, sees_all },
	{ "InaccessiblePaths", false, sees_all },
	{ "BindPaths", false, sees_all },
	{ "BindReadOnlyPaths", false, sees_all },
	{ "TemporaryFileSystem", false, sees_all },
};

static const RootsKey *find(const DefLine *line)
{
	for (size_t i = 0; i < G_N_ELEMENTS(roots_keys); i++) {
		if (strcmp(line->key, roots_keys[i].key) == 0)
			return &roots_keys[i];
	}
	return NULL;
}

void check_users_service(ServiceDef *def, DiagList *diags)
{
	for (guint i = 0; i < def->lines->len; i++) {
		const DefLine *line = g_ptr_array_index(def->lines, i);
		const RootsKey *roots = strcmp(line->section, "Service") == 0 ? find(line) : NULL;
		g_autofree char *text = NULL;

		if (!roots || !*line->value || (roots->only_below_zero && *line->value != '-'))
			continue;
		text = g_strdup_printf("%s=%s needs root: %s", line->key, line->value, roots->why);
		check_fail(def, diags, line->origin, text);
	}
}
