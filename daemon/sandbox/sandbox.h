/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sandbox: the restrictions of a service. This is the only table of its keys, and the parser of
 * their values.
 *
 * Names and meaning of the keys are those of systemd.exec(5). Service files are checked with this
 * parser. The accepted lines go to svc-exec unchanged, which parses them again and applies them.
 * docs/processes.md describes the order of these steps.
 */
#ifndef SVCD_SANDBOX_SANDBOX_H
#define SVCD_SANDBOX_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sandbox/problem.h"
#include "sandbox/syscall-filter.h"

/* How several lines of a key combine. */
enum SandboxShape {
	SHAPE_ONE, /* the last line is used */
	SHAPE_LIST, /* each line adds entries; an empty line clears the list */
	SHAPE_PATHS, /* a list of paths */
	SHAPE_SET, /* a list; an empty line means the empty set */
};

/*
 * X(KEY, name, shape, reader). The readers are in sandbox.c. The code that applies a key refers to
 * it by SANDBOX_KEY: mount-plan.c (files), capabilities.c, namespaces.c, restrictions.c and
 * syscalls.c (system calls).
 */
/* clang-format off */
#define SANDBOX_KEYS(X)                                                                                  \
	X(PROTECT_SYSTEM, "ProtectSystem", ONE, LEVEL(protect_system_names))                             \
	X(PROTECT_HOME, "ProtectHome", ONE, LEVEL(protect_home_names))                                   \
	X(PRIVATE_TMP, "PrivateTmp", ONE, FLAG)                                                          \
	X(PRIVATE_DEVICES, "PrivateDevices", ONE, FLAG)                                                  \
	X(PRIVATE_NETWORK, "PrivateNetwork", ONE, FLAG)                                                  \
	X(PROTECT_KERNEL_TUNABLES, "ProtectKernelTunables", ONE, FLAG)                                   \
	X(PROTECT_KERNEL_MODULES, "ProtectKernelModules", ONE, FLAG)                                     \
	X(PROTECT_KERNEL_LOGS, "ProtectKernelLogs", ONE, FLAG)                                           \
	X(PROTECT_CONTROL_GROUPS, "ProtectControlGroups", ONE, FLAG)                                     \
	X(PROTECT_CLOCK, "ProtectClock", ONE, FLAG)                                                      \
	X(PROTECT_HOSTNAME, "ProtectHostname", ONE, FLAG)                                                \
	X(PROTECT_PROC, "ProtectProc", ONE, LEVEL(protect_proc_names))                                   \
	X(PROC_SUBSET, "ProcSubset", ONE, LEVEL(proc_subset_names))                                      \
	X(READ_ONLY_PATHS, "ReadOnlyPaths", PATHS, PATHS_OF(read_plain_path))                            \
	X(READ_WRITE_PATHS, "ReadWritePaths", PATHS, PATHS_OF(read_part))                                \
	X(INACCESSIBLE_PATHS, "InaccessiblePaths", PATHS, PATHS_OF(read_part))                           \
	X(BIND_PATHS, "BindPaths", PATHS, PATHS_OF(read_bind))                                           \
	X(BIND_READ_ONLY_PATHS, "BindReadOnlyPaths", PATHS, PATHS_OF(read_bind))                         \
	X(TEMPORARY_FILE_SYSTEM, "TemporaryFileSystem", PATHS, PATHS_OF(read_tmpfs))                     \
	X(RUNTIME_DIRECTORY, "RuntimeDirectory", LIST, PATHS_OF(read_directory))                         \
	X(RUNTIME_DIRECTORY_MODE, "RuntimeDirectoryMode", ONE, .read = read_mode)                        \
	X(STATE_DIRECTORY, "StateDirectory", LIST, PATHS_OF(read_directory))                             \
	X(STATE_DIRECTORY_MODE, "StateDirectoryMode", ONE, .read = read_mode)                            \
	X(CACHE_DIRECTORY, "CacheDirectory", LIST, PATHS_OF(read_directory))                             \
	X(CACHE_DIRECTORY_MODE, "CacheDirectoryMode", ONE, .read = read_mode)                            \
	X(LOGS_DIRECTORY, "LogsDirectory", LIST, PATHS_OF(read_directory))                               \
	X(LOGS_DIRECTORY_MODE, "LogsDirectoryMode", ONE, .read = read_mode)                              \
	X(CONFIGURATION_DIRECTORY, "ConfigurationDirectory", LIST, PATHS_OF(read_directory))             \
	X(CONFIGURATION_DIRECTORY_MODE, "ConfigurationDirectoryMode", ONE, .read = read_mode)            \
	X(NO_NEW_PRIVILEGES, "NoNewPrivileges", ONE, FLAG)                                               \
	X(BOUNDING_SET, "CapabilityBoundingSet", SET, .read = read_bounding_set)                            \
	X(AMBIENT_SET, "AmbientCapabilities", LIST, .read = read_ambient)                                 \
	X(SYSTEM_CALL_FILTER, "SystemCallFilter", LIST, .read = read_system_calls)                       \
	X(SYSTEM_CALL_ERROR, "SystemCallErrorNumber", ONE, .read = read_system_call_error)               \
	X(ARCHITECTURES, "SystemCallArchitectures", LIST, .read = read_architectures)                    \
	X(FAMILIES, "RestrictAddressFamilies", LIST, .read = read_families)                              \
	X(NAMESPACES, "RestrictNamespaces", LIST, .read = read_namespaces)                               \
	X(RESTRICT_REALTIME, "RestrictRealtime", ONE, FLAG)                                              \
	X(RESTRICT_SUID_SGID, "RestrictSUIDSGID", ONE, FLAG)                                             \
	X(LOCK_PERSONALITY, "LockPersonality", ONE, FLAG)                                                \
	X(DENY_WRITE_EXECUTE, "MemoryDenyWriteExecute", ONE, FLAG)                                       \
	X(KEYRING_MODE, "KeyringMode", ONE, LEVEL(keyring_mode_names))
/* clang-format on */

#define SANDBOX_KEY_ID(id, ...) SANDBOX_##id,
enum SandboxKey { SANDBOX_KEYS(SANDBOX_KEY_ID) SANDBOX_KEYS_COUNT };

/* Values of the enumerated keys; 0 requests nothing. */
#define SANDBOX_LEVEL_ID(id, name) id,
#define PROTECT_SYSTEM_LEVELS(X)     \
	X(PROTECT_SYSTEM_NO, "no")   \
	X(PROTECT_SYSTEM_YES, "yes") \
	X(PROTECT_SYSTEM_FULL, "full") X(PROTECT_SYSTEM_STRICT, "strict")
enum ProtectSystem { PROTECT_SYSTEM_LEVELS(SANDBOX_LEVEL_ID) };
#define PROTECT_HOME_LEVELS(X)     \
	X(PROTECT_HOME_NO, "no")   \
	X(PROTECT_HOME_YES, "yes") \
	X(PROTECT_HOME_READ_ONLY, "read-only") X(PROTECT_HOME_TMPFS, "tmpfs")
enum ProtectHome { PROTECT_HOME_LEVELS(SANDBOX_LEVEL_ID) };
/* clang-format off */
#define PROTECT_PROC_LEVELS(X)                                                                           \
	X(PROTECT_PROC_DEFAULT, "default") X(PROTECT_PROC_NOACCESS, "noaccess")                          \
	X(PROTECT_PROC_INVISIBLE, "invisible") X(PROTECT_PROC_PTRACEABLE, "ptraceable")
/* clang-format on */
enum ProtectProc { PROTECT_PROC_LEVELS(SANDBOX_LEVEL_ID) };
#define PROC_SUBSETS(X) X(PROC_SUBSET_ALL, "all") X(PROC_SUBSET_PID, "pid")
enum ProcSubset { PROC_SUBSETS(SANDBOX_LEVEL_ID) };
#define KEYRING_MODES(X)                   \
	X(KEYRING_MODE_INHERIT, "inherit") \
	X(KEYRING_MODE_PRIVATE, "private") X(KEYRING_MODE_SHARED, "shared")
enum KeyringMode { KEYRING_MODES(SANDBOX_LEVEL_ID) };

/*
 * The values of SystemCallArchitectures= other than "native", and libseccomp's names. The n-th
 * entry is bit n of the value.
 */
/* clang-format off */
#define SANDBOX_ARCHITECTURES(X)                                                                         \
	X("x86", SCMP_ARCH_X86) X("x86-64", SCMP_ARCH_X86_64) X("x32", SCMP_ARCH_X32) X("arm", SCMP_ARCH_ARM) \
	X("arm64", SCMP_ARCH_AARCH64) X("mips", SCMP_ARCH_MIPS) X("mips-le", SCMP_ARCH_MIPSEL)           \
	X("mips64", SCMP_ARCH_MIPS64) X("mips64-le", SCMP_ARCH_MIPSEL64)                                 \
	X("mips64-n32", SCMP_ARCH_MIPS64N32) X("mips64-le-n32", SCMP_ARCH_MIPSEL64N32)                   \
	X("ppc", SCMP_ARCH_PPC) X("ppc64", SCMP_ARCH_PPC64) X("ppc64-le", SCMP_ARCH_PPC64LE)             \
	X("riscv64", SCMP_ARCH_RISCV64) X("s390", SCMP_ARCH_S390) X("s390x", SCMP_ARCH_S390X)
/* clang-format on */

/* One entry of a list of paths. */
struct SandboxPath {
	enum SandboxKey key;
	char *path; /* absolute, or for ...Directory= relative; without "." and ".." */
	char *source; /* Bind...: the path shown there, absolute; else NULL */
	char *options; /* TemporaryFileSystem=: mount options, checked; else NULL */
	bool is_optional; /* "-" in front: may be missing */
	bool is_flat; /* Bind...: "norbind", without the mounts below it */
};

struct Sandbox {
	uint64_t requested; /* bit n: key n is given and requests something; see sandbox_requests()
			     */
	/*
	 * One value per key. A flag: 0 or 1; a level; capabilities: bit n is capability n;
	 * FAMILIES: bit n is address family n; NAMESPACES: CLONE_NEW...; ARCHITECTURES: see
	 * SANDBOX_ARCHITECTURES; SYSTEM_CALL_ERROR: an errno, 0: kill; ...MODE: 0755 if not given.
	 * The sets of allowed items are full unless the key is given.
	 */
	uint64_t value[SANDBOX_KEYS_COUNT];
	struct SandboxPath *paths; /* the entries of all keys, in the order of the lines */
	size_t n_paths;
	struct SyscallTokens system_calls; /* SystemCallFilter= */
};

void sandbox_init(struct Sandbox *sandbox); /* it requests nothing */
void sandbox_clear(struct Sandbox *sandbox);

/* Does @key request something? False for a NULL @sandbox. */
static inline bool sandbox_requests(const struct Sandbox *sandbox, enum SandboxKey key)
{
	return sandbox && sandbox->requested & (UINT64_C(1) << key);
}

/* Returns: false if the sandbox has no such key. */
bool sandbox_key_find(const char *name, enum SandboxKey *ret);
const char *sandbox_key_name(enum SandboxKey key);
bool sandbox_key_takes_paths(enum SandboxKey key);

/**
 * sandbox_read() - read the value of one line
 * @problem: on failure, one sentence with the valid values
 * Returns: 0, EINVAL or ENOMEM. After a failure, part of the line may have been stored.
 */
int sandbox_read(struct Sandbox *sandbox, enum SandboxKey key, const char *value,
		 struct Problem *problem);

/**
 * sandbox_check() - are the keys consistent?
 * @ret_key: the key for the error message
 * Returns: 0, or EINVAL with @problem.
 */
int sandbox_check(const struct Sandbox *sandbox, enum SandboxKey *ret_key, struct Problem *problem);

/*
 * The directories that svc-exec makes for the service's user, in the order in which their variables
 * are set.
 */
struct SandboxDirectory {
	enum SandboxKey key;
	enum SandboxKey mode;
	const char *root; /* their parent directory */
	const char *variable; /* contains their paths, for the service */
};
enum { SANDBOX_DIRECTORIES = 5 };
extern const struct SandboxDirectory sandbox_directories[SANDBOX_DIRECTORIES];

/* The namespaces of RestrictNamespaces=; ends with a NULL name. */
struct SandboxNamespace {
	const char *name;
	uint64_t flag; /* CLONE_NEW... */
};
extern const struct SandboxNamespace sandbox_namespaces[];

#endif
