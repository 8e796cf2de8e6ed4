/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sandbox settings: what a service may see of the machine and do to it. Names and meaning of the keys: systemd.exec(5).
 * Carried out by svc-exec; docs/processes.md tells in which order.
 */
#ifndef SVCD_MODEL_SANDBOX_DEF_H
#define SVCD_MODEL_SANDBOX_DEF_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/enum-names.h"

#define PROTECT_SYSTEM_KINDS(X, P) X(P, NO, "no") X(P, YES, "yes") X(P, FULL, "full") X(P, STRICT, "strict")
ENUM_WITH_NAMES(ProtectSystem, PROTECT_SYSTEM, protect_system, PROTECT_SYSTEM_KINDS)

#define PROTECT_HOME_KINDS(X, P) X(P, NO, "no") X(P, YES, "yes") X(P, READ_ONLY, "read-only") X(P, TMPFS, "tmpfs")
ENUM_WITH_NAMES(ProtectHome, PROTECT_HOME, protect_home, PROTECT_HOME_KINDS)

#define PROTECT_PROC_KINDS(X, P)                                                                   \
	X(P, DEFAULT, "default") X(P, NOACCESS, "noaccess") X(P, INVISIBLE, "invisible") X(P, PTRACEABLE, "ptraceable")
ENUM_WITH_NAMES(ProtectProc, PROTECT_PROC, protect_proc, PROTECT_PROC_KINDS)

#define PROC_SUBSETS(X, P) X(P, ALL, "all") X(P, PID, "pid")
ENUM_WITH_NAMES(ProcSubset, PROC_SUBSET, proc_subset, PROC_SUBSETS)

#define KEYRING_MODES(X, P) X(P, INHERIT, "inherit") X(P, PRIVATE, "private") X(P, SHARED, "shared")
ENUM_WITH_NAMES(KeyringMode, KEYRING_MODE, keyring_mode, KEYRING_MODES)

/* Lists of paths, each a key. */
typedef enum SandboxPathKind {
	SANDBOX_READ_ONLY,      /* ReadOnlyPaths= */
	SANDBOX_READ_WRITE,     /* ReadWritePaths= */
	SANDBOX_INACCESSIBLE,   /* InaccessiblePaths= */
	SANDBOX_BIND,           /* BindPaths= */
	SANDBOX_BIND_READ_ONLY, /* BindReadOnlyPaths= */
	SANDBOX_TMPFS,          /* TemporaryFileSystem= */
	SANDBOX_PATH_KINDS
} SandboxPathKind;

typedef struct SandboxPath {
	char *path;    /* absolute, without "." and ".." */
	char *source;  /* BIND and BIND_READ_ONLY: what is shown there, absolute; else NULL */
	char *options; /* TMPFS: mount options, checked; else NULL */
	bool is_optional; /* "-" in front: may be missing */
	bool is_flat;  /* BIND...: "norbind", without what is mounted below */
} SandboxPath;

typedef struct SandboxDef {
	ProtectSystem protect_system;
	ProtectHome protect_home;
	bool private_tmp;
	bool private_devices;
	bool private_network;
	bool protect_kernel_tunables;
	bool protect_kernel_modules;
	bool protect_kernel_logs;
	bool protect_control_groups;
	bool protect_clock;
	bool protect_hostname;
	ProtectProc protect_proc;
	ProcSubset proc_subset;
	GPtrArray *paths[SANDBOX_PATH_KINDS]; /* SandboxPath *; a list of base/list.h, as the others here */

	bool no_new_privileges;
	bool bounds_capabilities; /* CapabilityBoundingSet= is given */
	uint64_t bounding_set;    /* bit n: capability n may be had; all without bounds_capabilities */
	bool has_ambient;         /* AmbientCapabilities= is given */
	uint64_t ambient_set;

	GPtrArray *system_calls;  /* SyscallWord * (syscall-filter.h): SystemCallFilter=; empty: no filter */
	int system_call_error;    /* SystemCallErrorNumber=: errno, or SYSCALL_ERROR_KILL, the default */
	GPtrArray *architectures; /* char *: SystemCallArchitectures=, "native", "x86-64", ...; empty: all */
	bool restricts_families;  /* RestrictAddressFamilies= is given */
	uint64_t families;        /* bit n: address family n may be used; all without restricts_families */
	bool restricts_namespaces; /* RestrictNamespaces= is given, and not "no" */
	uint64_t namespaces;      /* CLONE_NEW... that may be used; all without restricts_namespaces */
	bool restrict_realtime;
	bool restrict_suid_sgid;
	bool lock_personality;
	bool memory_deny_write_execute;
	KeyringMode keyring_mode;
} SandboxDef;

SandboxDef *sandbox_def_new(void); /* it asks for nothing */
void sandbox_def_free(SandboxDef *def);

void sandbox_path_free(SandboxPath *path);

/* Does any of it ask for something? NULL: no. */
bool sandbox_def_is_set(const SandboxDef *def);

#endif
