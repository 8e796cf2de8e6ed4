/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Audit: the checks. Each one looks for one thing that a service may do, and reports the settings
 * that would prevent it.
 *
 * A service that runs as root with all capabilities can undo most other restrictions, so these two,
 * root and its capabilities, cost the most points.
 */
#include "config.h"

#include "svcctl/audit.h"

#include <linux/capability.h>
#include <string.h>
#include <sys/stat.h>

#define CAPABILITY(name) (UINT64_C(1) << (name))

/* With any of these capabilities a process can gain root's rights. */
#define AS_GOOD_AS_ROOT                                                                        \
	(CAPABILITY(CAP_SYS_ADMIN) | CAPABILITY(CAP_SYS_MODULE) | CAPABILITY(CAP_SYS_PTRACE) | \
	 CAPABILITY(CAP_SYS_RAWIO) | CAPABILITY(CAP_SYS_BOOT) | CAPABILITY(CAP_MAC_ADMIN) |    \
	 CAPABILITY(CAP_BPF))

/* The same capabilities, as a setting that removes them. */
#define WITHOUT_THESE                                                                        \
	"'CapabilityBoundingSet=~CAP_SYS_ADMIN CAP_SYS_MODULE CAP_SYS_PTRACE CAP_SYS_RAWIO " \
	"CAP_SYS_BOOT CAP_MAC_ADMIN CAP_BPF'"

typedef struct Subject {
	const ServiceDef *def;
	const struct Sandbox *sandbox; /* NULL: it has none */
	const char *root;
} Subject;

/* The result of a check; NULL texts: nothing is wrong. Texts are owned. */
typedef struct AuditVerdict {
	unsigned points;
	char *finding;
	char *settings;
	char *next;
} AuditVerdict;

static AuditVerdict fine(void)
{
	return (AuditVerdict){ 0 };
}

static AuditVerdict found(unsigned points, const char *finding, const char *settings)
{
	return (AuditVerdict){ .points = points,
			       .finding = g_strdup(finding),
			       .settings = g_strdup(settings) };
}

static bool prompts(const Subject *x, enum SandboxKey key)
{
	return sandbox_requests(x->sandbox, key);
}

static bool runs_as_root(const Subject *x)
{
	const char *user = x->def->execution->user;

	return !user || strcmp(user, "root") == 0 || strcmp(user, "0") == 0;
}

/* --- the checks --- */

static AuditVerdict check_user(const Subject *x)
{
	AuditVerdict verdict = { .points = 4 };

	if (!runs_as_root(x))
		return fine();
	verdict.finding = g_strdup("it runs as root");
	verdict.next = g_strdup_printf(
		"If it does not need root: adduser --system --group %s, and svcctl edit %s User=%s",
		x->def->name, x->def->name, x->def->name);
	return verdict;
}

static AuditVerdict check_capabilities(const Subject *x)
{
	const bool is_given = prompts(x, SANDBOX_AMBIENT_SET);

	if (!runs_as_root(x) && (prompts(x, SANDBOX_NO_NEW_PRIVILEGES) || !is_given))
		return is_given && (x->sandbox->value[SANDBOX_AMBIENT_SET] & AS_GOOD_AS_ROOT) ?
			       found(3, "its capabilities are equivalent to root",
				     "AmbientCapabilities=") :
			       fine();
	if (prompts(x, SANDBOX_BOUNDING_SET) &&
	    !(x->sandbox->value[SANDBOX_BOUNDING_SET] & AS_GOOD_AS_ROOT))
		return fine();
	return found(
		3,
		"it holds capabilities with which it can load modules, mount, and look into other "
		"processes",
		WITHOUT_THESE);
}

static AuditVerdict check_privileges(const Subject *x)
{
	return prompts(x, SANDBOX_NO_NEW_PRIVILEGES) ?
		       fine() :
		       found(1, "a program that it starts may gain rights, for example by setuid",
			     "NoNewPrivileges=yes");
}

static AuditVerdict check_system_files(const Subject *x)
{
	if (!prompts(x, SANDBOX_PROTECT_SYSTEM))
		return found(2, "it may change programs and configuration", "ProtectSystem=full");
	if (x->sandbox->value[SANDBOX_PROTECT_SYSTEM] == PROTECT_SYSTEM_YES)
		return found(1, "it may change files in /etc", "ProtectSystem=full");
	return fine();
}

static AuditVerdict check_home(const Subject *x)
{
	return prompts(x, SANDBOX_PROTECT_HOME) ?
		       fine() :
		       found(1, "it may read users' home directories", "ProtectHome=yes");
}

static AuditVerdict check_tmp(const Subject *x)
{
	return prompts(x, SANDBOX_PRIVATE_TMP) ?
		       fine() :
		       found(1, "it shares /tmp with all users", "PrivateTmp=yes");
}

static AuditVerdict check_devices(const Subject *x)
{
	return prompts(x, SANDBOX_PRIVATE_DEVICES) ?
		       fine() :
		       found(1, "it sees the devices of the machine", "PrivateDevices=yes");
}

static AuditVerdict check_kernel(const Subject *x)
{
	static const enum SandboxKey keys[] = {
		SANDBOX_PROTECT_KERNEL_TUNABLES, SANDBOX_PROTECT_KERNEL_MODULES,
		SANDBOX_PROTECT_KERNEL_LOGS,     SANDBOX_PROTECT_CONTROL_GROUPS,
		SANDBOX_PROTECT_CLOCK,           SANDBOX_PROTECT_HOSTNAME,
	};
	g_autoptr(GString) missing = g_string_new(NULL);

	for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
		if (!prompts(x, keys[i]))
			g_string_append_printf(missing, "%s%s=yes", missing->len > 0 ? " " : "",
					       sandbox_key_name(keys[i]));
	}
	return missing->len > 0 ? found(1, "it may change settings of the kernel", missing->str) :
				  fine();
}

static AuditVerdict check_network(const Subject *x)
{
	if (prompts(x, SANDBOX_PRIVATE_NETWORK) || prompts(x, SANDBOX_FAMILIES))
		return fine();
	return found(1, "it may use every kind of socket",
		     "'RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6'");
}

static AuditVerdict check_system_calls(const Subject *x)
{
	return prompts(x, SANDBOX_SYSTEM_CALL_FILTER) ?
		       fine() :
		       found(1, "it may use every system call", "SystemCallFilter=@system-service");
}

static AuditVerdict check_namespaces(const Subject *x)
{
	if (prompts(x, SANDBOX_NAMESPACES) && prompts(x, SANDBOX_RESTRICT_SUID_SGID) &&
	    prompts(x, SANDBOX_LOCK_PERSONALITY))
		return fine();
	return found(1, "it may make namespaces and setuid files",
		     "RestrictNamespaces=yes RestrictSUIDSGID=yes LockPersonality=yes");
}

static AuditVerdict check_memory(const Subject *x)
{
	return prompts(x, SANDBOX_DENY_WRITE_EXECUTE) ?
		       fine() :
		       found(1,
			     "it may execute memory that it has written (a just-in-time compiler "
			     "has to)",
			     "MemoryDenyWriteExecute=yes");
}

/* May a user other than root write to @path? A new string with the remedy, or NULL. */
static char *find_writable(const char *root, const char *path)
{
	g_autofree char *real = g_strconcat(root, path, NULL);
	struct stat st;

	if (stat(real, &st) < 0)
		return NULL; /* svcctl check reports missing files */
	if (st.st_uid != 0)
		return g_strdup_printf("chown root %s", real);
	return st.st_mode & (S_IWGRP | S_IWOTH) ? g_strdup_printf("chmod go-w %s", real) : NULL;
}

static AuditVerdict check_program(const Subject *x)
{
	const Command *command = x->def->exec;
	AuditVerdict verdict = { .points = 4 };
	g_autofree char *directory = command ? g_path_get_dirname(command->argv[0]) : NULL;

	if (!command)
		return fine();
	verdict.next = find_writable(x->root, command->argv[0]);
	if (!verdict.next)
		verdict.next = find_writable(x->root, directory);
	if (!verdict.next)
		return fine();
	verdict.finding = g_strdup_printf("users other than root may change its program %s",
					  command->argv[0]);
	return verdict;
}

static const struct {
	const char *name;
	unsigned most; /* points */
	AuditVerdict (*check)(const Subject *x);
} checks[] = {
	{ "program", 4, check_program },
	{ "user", 4, check_user },
	{ "capabilities", 3, check_capabilities },
	{ "system-files", 2, check_system_files },
	{ "privileges", 1, check_privileges },
	{ "home", 1, check_home },
	{ "tmp", 1, check_tmp },
	{ "devices", 1, check_devices },
	{ "kernel", 1, check_kernel },
	{ "network", 1, check_network },
	{ "system-calls", 1, check_system_calls },
	{ "namespaces", 1, check_namespaces },
	{ "memory", 1, check_memory },
};

void audit_finding_free(AuditFinding *finding)
{
	g_free(finding->finding);
	g_free(finding->settings);
	g_free(finding->next);
	g_free(finding);
}

static void free_finding(gpointer data)
{
	audit_finding_free(data);
}

GPtrArray *audit_service(const ServiceDef *def, const char *root)
{
	const Subject x = { .def = def, .sandbox = def->execution->sandbox, .root = root };
	GPtrArray *findings = g_ptr_array_new_with_free_func(free_finding);

	for (size_t i = 0; def->type != TYPE_GROUP && i < G_N_ELEMENTS(checks); i++) {
		const AuditVerdict verdict = checks[i].check(&x);
		AuditFinding *finding;

		if (!verdict.finding)
			continue;
		finding = g_new0(AuditFinding, 1);
		*finding = (AuditFinding){ .check = checks[i].name,
					   .points = verdict.points,
					   .finding = verdict.finding,
					   .settings = verdict.settings,
					   .next = verdict.next };
		g_ptr_array_add(findings, finding);
	}
	return findings;
}

unsigned audit_points(const GPtrArray *findings)
{
	unsigned points = 0;

	for (guint i = 0; i < findings->len; i++)
		points += ((const AuditFinding *)g_ptr_array_index(findings, i))->points;
	return points;
}

unsigned audit_most(void)
{
	unsigned points = 0;

	for (size_t i = 0; i < G_N_ELEMENTS(checks); i++)
		points += checks[i].most;
	return points;
}
