/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Weights: the keys that are not minor. A key that no table of this folder knows is minor, because
 * systemd, too, starts a unit with a key that it does not know.
 */
#include "config.h"

#include "unit-compat/weights.h"

#include <glib.h>
#include <string.h>

/* A key that ends with "*" stands for all keys that begin with it. */
static const struct {
	const char *key;
	UnitWeight weight;
} weights[] = {
	{ "Accept", UNIT_WEIGHT_RUN },
	{ "After", UNIT_WEIGHT_ORDER },
	{ "AmbientCapabilities", UNIT_WEIGHT_RUN },
	{ "AppArmorProfile", UNIT_WEIGHT_PROTECTION },
	{ "Assert*", UNIT_WEIGHT_RUN },
	{ "Before", UNIT_WEIGHT_ORDER },
	{ "BindPaths", UNIT_WEIGHT_RUN },
	{ "BindReadOnlyPaths", UNIT_WEIGHT_RUN },
	{ "BindsTo", UNIT_WEIGHT_RUN },
	{ "BusName", UNIT_WEIGHT_RUN },
	{ "CapabilityBoundingSet", UNIT_WEIGHT_PROTECTION },
	{ "Condition*", UNIT_WEIGHT_RUN },
	{ "Conflicts", UNIT_WEIGHT_ORDER },
	{ "DeviceAllow", UNIT_WEIGHT_PROTECTION },
	{ "DevicePolicy", UNIT_WEIGHT_PROTECTION },
	{ "DynamicUser", UNIT_WEIGHT_RUN },
	{ "Environment", UNIT_WEIGHT_RUN },
	{ "EnvironmentFile", UNIT_WEIGHT_RUN },
	{ "ExecPaths", UNIT_WEIGHT_PROTECTION },
	{ "Exec*", UNIT_WEIGHT_RUN },
	{ "ExtensionDirectories", UNIT_WEIGHT_RUN },
	{ "ExtensionImages", UNIT_WEIGHT_RUN },
	{ "Group", UNIT_WEIGHT_RUN },
	{ "IPAddress*", UNIT_WEIGHT_PROTECTION },
	{ "InaccessiblePaths", UNIT_WEIGHT_PROTECTION },
	{ "KeyringMode", UNIT_WEIGHT_PROTECTION },
	{ "Listen*", UNIT_WEIGHT_RUN },
	{ "LoadCredential*", UNIT_WEIGHT_RUN },
	{ "LockPersonality", UNIT_WEIGHT_PROTECTION },
	{ "MemoryDenyWriteExecute", UNIT_WEIGHT_PROTECTION },
	{ "NetworkNamespacePath", UNIT_WEIGHT_RUN },
	{ "NoExecPaths", UNIT_WEIGHT_PROTECTION },
	{ "NoNewPrivileges", UNIT_WEIGHT_PROTECTION },
	{ "PAMName", UNIT_WEIGHT_RUN },
	{ "PartOf", UNIT_WEIGHT_ORDER },
	{ "PermissionsStartOnly", UNIT_WEIGHT_RUN },
	{ "Private*", UNIT_WEIGHT_PROTECTION },
	{ "ProcSubset", UNIT_WEIGHT_PROTECTION },
	{ "Protect*", UNIT_WEIGHT_PROTECTION },
	{ "ReadOnlyPaths", UNIT_WEIGHT_PROTECTION },
	{ "ReadWritePaths", UNIT_WEIGHT_PROTECTION },
	{ "RemoveIPC", UNIT_WEIGHT_PROTECTION },
	{ "Requires*", UNIT_WEIGHT_RUN },
	{ "Requisite", UNIT_WEIGHT_RUN },
	{ "Restrict*", UNIT_WEIGHT_PROTECTION },
	{ "RootDirectory*", UNIT_WEIGHT_RUN },
	{ "RootImage", UNIT_WEIGHT_RUN },
	{ "SELinuxContext", UNIT_WEIGHT_PROTECTION },
	{ "SecureBits", UNIT_WEIGHT_PROTECTION },
	{ "SetCredential*", UNIT_WEIGHT_RUN },
	{ "SmackProcessLabel", UNIT_WEIGHT_PROTECTION },
	{ "Socket*", UNIT_WEIGHT_RUN },
	{ "StandardInput*", UNIT_WEIGHT_RUN },
	{ "SupplementaryGroups", UNIT_WEIGHT_RUN },
	{ "SystemCall*", UNIT_WEIGHT_PROTECTION },
	{ "TTYPath", UNIT_WEIGHT_RUN },
	{ "TemporaryFileSystem", UNIT_WEIGHT_PROTECTION },
	{ "Type", UNIT_WEIGHT_RUN },
	{ "UMask", UNIT_WEIGHT_PROTECTION },
	{ "User", UNIT_WEIGHT_RUN },
	{ "Wants", UNIT_WEIGHT_ORDER },
	{ "WorkingDirectory", UNIT_WEIGHT_RUN },
};

static bool is_for(const char *pattern, const char *key, size_t length)
{
	const size_t n = strlen(pattern);

	if (pattern[n - 1] == '*')
		return length >= n - 1 && strncmp(pattern, key, n - 1) == 0;
	return length == n && strncmp(pattern, key, n) == 0;
}

UnitWeight unit_weight(const char *setting)
{
	const size_t length = strcspn(setting, "=");

	for (size_t i = 0; i < G_N_ELEMENTS(weights); i++) {
		if (is_for(weights[i].key, setting, length))
			return weights[i].weight;
	}
	return UNIT_WEIGHT_MINOR;
}
