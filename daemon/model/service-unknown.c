/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Unknown keys: advice for a user who wrote a key that no service file has.
 *
 * The advice has three sources: keys of policy files, keys of systemd.service(5) and related pages,
 * and keys with a similar spelling.
 */
#include "config.h"

#include <string.h>

#include "base/text.h"
#include "model/service-keys.h"

static const char *const sections[] = { "Service", "Conditions", "Socket", NULL };

/* Keys that belong in a policy file, with the section and key there. */
static const struct {
	const char *name;
	const char *policy_key; /* NULL: the same name */
	const char *section; /* NULL: "service NAME" */
} policy_keys[] = {
	{ "Activation", NULL, NULL },        { "Runlevels", NULL, NULL },
	{ "Runlevel", "Runlevels", NULL },   { "Ignore", NULL, NULL },
	{ "Operators", NULL, NULL },         { "Reason", NULL, NULL },
	{ "Activate", NULL, "runlevel N" },  { "Include", NULL, "runlevel N" },
	{ "NewServices", NULL, "defaults" }, { "RcLinks", NULL, "defaults" },
	{ "WantedBy", "Runlevels", NULL },   { "RequiredBy", "Runlevels", NULL },
	{ "Enabled", "Activation", NULL },   { "DefaultStart", "Runlevels", NULL },
};

/* Keys of other init systems, with the equivalent. */
static const struct {
	const char *name;
	const char *advice;
	/* clang-format off */
} foreign_keys[] = {
	{ "ExecStart", "write Exec=" },
	{ "ExecStartPre", "write Prepare=" },
	{ "ExecStartPost", "svcd has no such key; use a task with When=service:NAME" },
	{ "ExecStop", "write Stop=" },
	{ "ExecStopPost", "write Cleanup=" },
	{ "ExecReload", "write Reload=" },
	{ "ExecCondition", "write When=" },
	{ "PIDFile", "write PidFile=" },
	{ "RemainAfterExit", "write Type=task; a task that has succeeded stays done" },
	{ "RestartSec", "write RestartDelay=" },
	{ "RestartMaxDelaySec", "write RestartDelayMax=" },
	{ "StartLimitBurst", "write RestartLimit=STARTS/TIME" },
	{ "StartLimitIntervalSec", "write RestartLimit=STARTS/TIME" },
	{ "StartLimitInterval", "write RestartLimit=STARTS/TIME" },
	{ "SuccessExitStatus", "write SuccessStatus=" },
	{ "TimeoutSec", "write StartTimeout= and StopTimeout=" },
	{ "TimeoutStartSec", "write StartTimeout=" },
	{ "TimeoutStopSec", "write StopTimeout=" },
	{ "KillSignal", "write Stop=signal:NAME" },
	{ "Requires", "write While=service:NAME in [Conditions]" },
	{ "BindsTo", "write While=service:NAME in [Conditions]" },
	{ "Requisite", "write When=service:NAME in [Conditions]" },
	{ "PartOf", "write While=service:NAME in [Conditions]" },
	{ "ConditionPathExists", "write When=path:PATH in [Conditions]" },
	{ "AssertPathExists", "write When=path:PATH in [Conditions]" },
	{ "ConditionPathIsDirectory", "write When=path:dir:PATH in [Conditions]" },
	{ "ConditionFileNotEmpty", "write When=path:nonempty:PATH in [Conditions]" },
	{ "ConditionFileIsExecutable", "write When=path:exec:PATH in [Conditions]" },
	{ "ConditionPathIsMountPoint", "write When=mounted:PATH in [Conditions]" },
	{ "ConditionKernelCommandLine", "write When=kernel:ARGUMENT in [Conditions]" },
	{ "ConditionVirtualization", "write When=virtual:container or When=virtual:vm in [Conditions]" },
	{ "RequiresMountsFor", "write While=mounted:PATH in [Conditions]" },
	{ "OnFailure", "svcd has no such key; see \"svcctl explain\"" },
	{ "Documentation", "write it in a # comment" },
	{ "DefaultDependencies", "svcd has no default dependencies" },
	{ "StandardOutput", "output is kept for each service; see \"svcctl log\"" },
	{ "StandardError", "output is kept for each service; see \"svcctl log\"" },
	{ "DynamicUser", "there are no temporary accounts; write User= with an account that the package makes" },
	{ "RootDirectory", "svcd has no such key; write ProtectSystem=strict, BindPaths= and TemporaryFileSystem=" },
	{ "RootImage", "svcd has no such key, because it does not handle images" },
	{ "PrivateUsers", "there are no user namespaces for services; write User= and CapabilityBoundingSet=" },
	{ "PrivateMounts", "each key that changes mounts gives the service mounts of its own; write one of those" },
	{ "ReadOnlyDirectories", "write ReadOnlyPaths=" },
	{ "ReadWriteDirectories", "write ReadWritePaths=" },
	{ "InaccessibleDirectories", "write InaccessiblePaths=" },
	{ "DeviceAllow", "write PrivateDevices=yes, or leave it out for a service that needs devices" },
	{ "DevicePolicy", "write PrivateDevices=yes" },
	{ "GuessMainPID", "write PidFile=" },
	{ "NotifyAccess", "every process of the service may notify" },
	{ "Alias", "write Provides= in [Conditions]" },
	{ "Sockets", "write the addresses of its sockets in [Socket] of the same file" },
	{ "ListenNetlink", "the service must open its netlink sockets itself" },
	{ "ListenUSBFunction", "the service must open its USB functions itself" },
	{ "ListenMessageQueue", "the service must open its message queues itself" },
	{ "ListenSpecial", "the service must open its special files itself" },
	{ "MaxConnections", "svcd does not start a process for each connection" },
	{ "TriggerLimitIntervalSec", "write TriggerLimit=STARTS/TIME" },
	{ "TriggerLimitBurst", "write TriggerLimit=STARTS/TIME" },
	{ "Symlinks", "svcd has no such key; let Prepare= make the links" },
};
/* clang-format on */

static const struct {
	const char *name;
	const char *advice;
} foreign_sections[] = {
	{ "Unit", "Description= belongs in [Service], the dependencies in [Conditions]" },
	{ "Timer", "write When=due:daily in [Conditions] instead" },
	{ "Mount", "mounts are made from /etc/fstab" },
	{ "Path", "write When=path:PATH in [Conditions]" },
};

bool service_section_is_known(const char *section)
{
	return g_strv_contains(sections, section);
}

char *service_section_explain_unknown(const char *section, const char *service)
{
	const char *nearest = token_nearest(section, sections);

	if (strcmp(section, "Install") == 0)
		return g_strdup_printf("[Install] is policy: put it under [service %s] in "
				       "/etc/svcd/policy.d/local.policy",
				       service);
	for (size_t i = 0; i < G_N_ELEMENTS(foreign_sections); i++) {
		if (strcmp(foreign_sections[i].name, section) == 0)
			return g_strdup_printf("unknown section [%s]: %s", section,
					       foreign_sections[i].advice);
	}
	if (nearest)
		return g_strdup_printf("unknown section [%s]; did you mean [%s]?", section,
				       nearest);
	return g_strdup_printf(
		"unknown section [%s]; the sections are [Service], [Conditions] and [Socket]",
		section);
}

static char *explain_policy_key(const char *name, const char *service)
{
	for (size_t i = 0; i < G_N_ELEMENTS(policy_keys); i++) {
		const char *key = policy_keys[i].policy_key;

		if (strcmp(policy_keys[i].name, name) != 0)
			continue;
		if (policy_keys[i].section)
			return g_strdup_printf("%s= is policy: put it under [%s] in "
					       "/etc/svcd/policy.d/local.policy",
					       name, policy_keys[i].section);
		if (key)
			return g_strdup_printf("%s= is policy: put %s= under [service %s] in "
					       "/etc/svcd/policy.d/local.policy",
					       name, key, service);
		return g_strdup_printf("%s= is policy: put it under [service %s] in "
				       "/etc/svcd/policy.d/local.policy",
				       name, service);
	}
	return NULL;
}

static char *explain_known_elsewhere(const char *section, const char *name)
{
	for (unsigned i = 0; sections[i]; i++) {
		if (service_key_find(sections[i], name))
			return g_strdup_printf("%s= belongs in [%s], not in [%s]", name,
					       sections[i], section);
	}
	for (size_t i = 0; i < G_N_ELEMENTS(foreign_keys); i++) {
		if (strcmp(foreign_keys[i].name, name) == 0)
			return g_strdup_printf("unknown key %s=: %s", name, foreign_keys[i].advice);
	}
	return NULL;
}

char *service_key_explain_unknown(const char *section, const char *name, const char *service)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	char *text = explain_policy_key(name, service);
	const char *nearest;

	if (!text)
		text = explain_known_elsewhere(section, name);
	if (text)
		return text;
	for (const ServiceKey *key = service_keys(); key->name; key++) {
		if (strcmp(key->section, section) == 0)
			g_ptr_array_add(names, (char *)key->name);
	}
	g_ptr_array_add(names, NULL);
	nearest = token_nearest(name, (const char *const *)names->pdata);
	if (nearest)
		return g_strdup_printf("unknown key %s= in [%s]; did you mean %s=?", name, section,
				       nearest);
	return g_strdup_printf("unknown key %s= in [%s]; svcd.service(5) lists the keys", name,
			       section);
}
