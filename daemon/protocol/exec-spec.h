/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Exec specification: what the manager tells svc-exec, in a sealed memfd.
 *
 * A sequence of records, each an ExecSpecRecord and then @size bytes, without padding. Strings end with their NUL, which
 * is counted. Both programs are installed together, so an unknown record is an error and nothing is guessed.
 */
#ifndef SVCD_PROTOCOL_EXEC_SPEC_H
#define SVCD_PROTOCOL_EXEC_SPEC_H

#include <stdint.h>

/* The descriptors that svc-exec finds. */
#define EXEC_SPEC_FD 3        /* the specification */
#define EXEC_SPEC_STATUS_FD 4 /* write end of the exec status pipe (struct ExecStatus in protocol.h) */
#define EXEC_SPEC_READY_FD 5  /* only with EXEC_SPEC_READY: moved to the number that the service expects */
/* With EXEC_SPEC_SOCKETS the next ones, 5 or 6 and those that follow, are sockets: moved to 3 and those that follow. */

/* The kernel takes at most 2 MiB of arguments and environment at the usual stack limit (execve(2)). */
#define EXEC_SPEC_BYTES (4 * 1024 * 1024)

enum ExecSpecType {
	EXEC_SPEC_ARGUMENT = 1,     /* string; the first is what is executed */
	EXEC_SPEC_ENVIRONMENT = 2,  /* "NAME=value" that every service gets */
	EXEC_SPEC_SETTING = 3,      /* "NAME=value" of Environment=; wins over the above and over HOME, USER ... */
	EXEC_SPEC_FILE = 4,         /* path of an environment file; wins over the above */
	EXEC_SPEC_OPTIONAL_FILE = 5, /* the same, but it may be absent */
	EXEC_SPEC_FIXED = 6,        /* "NAME=value" of ours (NOTIFY_SOCKET); wins over all */
	EXEC_SPEC_USER = 7,         /* string: name or number */
	EXEC_SPEC_GROUP = 8,        /* string: name or number */
	EXEC_SPEC_SUPPLEMENTARY = 9, /* string: name or number */
	EXEC_SPEC_TTY = 10,         /* string: path; becomes 0, 1, 2 and the controlling terminal; "-" in front: if it is one */
	EXEC_SPEC_RUNTIME_DIRECTORY = 11, /* string: below /run; the other directories in the same order as their modes */
	EXEC_SPEC_RUNTIME_MODE = 12,      /* uint32_t */
	EXEC_SPEC_DIRECTORY = 13,   /* string: working directory, entered as the service's user */
	EXEC_SPEC_READY = 14,       /* uint32_t: the number that EXEC_SPEC_READY_FD becomes */
	EXEC_SPEC_STATE_DIRECTORY = 15,   /* string: below /var/lib */
	EXEC_SPEC_STATE_MODE = 16,        /* uint32_t */
	EXEC_SPEC_CACHE_DIRECTORY = 17,   /* string: below /var/cache */
	EXEC_SPEC_CACHE_MODE = 18,        /* uint32_t */
	EXEC_SPEC_LOGS_DIRECTORY = 19,    /* string: below /var/log */
	EXEC_SPEC_LOGS_MODE = 20,         /* uint32_t */
	EXEC_SPEC_CONFIGURATION_DIRECTORY = 21, /* string: below /etc */
	EXEC_SPEC_CONFIGURATION_MODE = 22,      /* uint32_t */
	EXEC_SPEC_INPUT = 23,       /* string: path of the file that becomes 0 */
	EXEC_SPEC_CPU_POLICY = 24,  /* uint32_t: SCHED_... */
	EXEC_SPEC_CPU_PRIORITY = 25, /* uint32_t */
	EXEC_SPEC_IO_PRIORITY = 26, /* uint32_t: as ioprio_set(2) takes it */
	EXEC_SPEC_CPU = 27,         /* uint32_t: one of those it may run on */
	EXEC_SPEC_FLAGS = 28,       /* uint32_t: EXEC_FLAG_... */
	EXEC_SPEC_KEYRING = 29,     /* uint32_t: EXEC_KEYRING_... */
	EXEC_SPEC_MAIN_PID = 30,    /* uint32_t: whose network is shared, for commands beside the main process */
	EXEC_SPEC_PRIVATE_TMP = 31, /* string: path of a link of ours that tells the name of the directories */
	EXEC_SPEC_BOUNDING_SET = 32,  /* uint64_t */
	EXEC_SPEC_AMBIENT_SET = 33,   /* uint64_t */
	/* Paths; with "-" in front one may be missing. */
	EXEC_SPEC_READ_ONLY = 34,
	EXEC_SPEC_READ_WRITE = 35,
	EXEC_SPEC_INACCESSIBLE = 36,
	EXEC_SPEC_BIND = 37,        /* TARGET:SOURCE, or TARGET:SOURCE:norbind */
	EXEC_SPEC_BIND_READ_ONLY = 38, /* the same */
	EXEC_SPEC_TMPFS = 39,       /* TARGET:OPTIONS */
	EXEC_SPEC_SYSTEM_CALL = 40, /* string: a system call of the list; NAME:NUMBER: with the errno that it gives, -1: kills */
	EXEC_SPEC_SYSTEM_CALL_ERROR = 41, /* uint32_t: errno that a forbidden call gives, 0: it kills */
	EXEC_SPEC_ARCHITECTURE = 42, /* string: "native", "x86-64", ... */
	EXEC_SPEC_FAMILIES = 43,    /* uint64_t: bit n: address family n may be used */
	EXEC_SPEC_NAMESPACES = 44,  /* uint64_t: CLONE_NEW... that may be used */
	EXEC_SPEC_REMOVE = 45,      /* string: instead of all else, remove this directory below /run */
	EXEC_SPEC_SOCKETS = 46,     /* uint32_t: how many */
	EXEC_SPEC_SOCKET_NAMES = 47, /* string: LISTEN_FDNAMES */
	EXEC_SPEC_TYPES
};

/* What is asked for by yes or by one of some words. */
enum ExecFlag {
	EXEC_FLAG_PROTECT_SYSTEM = 1 << 0, /* /usr and /boot */
	EXEC_FLAG_PROTECT_ETC = 1 << 1,    /* ProtectSystem=full */
	EXEC_FLAG_PROTECT_ALL = 1 << 2,    /* ProtectSystem=strict */
	EXEC_FLAG_HOME_HIDDEN = 1 << 3,    /* ProtectHome=yes */
	EXEC_FLAG_HOME_READ_ONLY = 1 << 4,
	EXEC_FLAG_HOME_TMPFS = 1 << 5,
	EXEC_FLAG_PRIVATE_DEVICES = 1 << 6,
	EXEC_FLAG_PRIVATE_NETWORK = 1 << 7,
	EXEC_FLAG_KERNEL_TUNABLES = 1 << 8,
	EXEC_FLAG_KERNEL_MODULES = 1 << 9,
	EXEC_FLAG_KERNEL_LOGS = 1 << 10,
	EXEC_FLAG_CONTROL_GROUPS = 1 << 11,
	EXEC_FLAG_CLOCK = 1 << 12,
	EXEC_FLAG_HOSTNAME = 1 << 13,
	EXEC_FLAG_PROC_NOACCESS = 1 << 14,
	EXEC_FLAG_PROC_INVISIBLE = 1 << 15,
	EXEC_FLAG_PROC_PTRACEABLE = 1 << 16,
	EXEC_FLAG_PROC_PID_ONLY = 1 << 17, /* ProcSubset=pid */
	EXEC_FLAG_NO_NEW_PRIVILEGES = 1 << 18,
	EXEC_FLAG_CALLS_ALLOWED = 1 << 19, /* EXEC_SPEC_SYSTEM_CALL are those allowed, not those forbidden */
	EXEC_FLAG_HAS_CALLS = 1 << 20,     /* SystemCallFilter= is given: the list may be empty */
	EXEC_FLAG_RESTRICT_REALTIME = 1 << 21,
	EXEC_FLAG_RESTRICT_SUID_SGID = 1 << 22,
	EXEC_FLAG_LOCK_PERSONALITY = 1 << 23,
	EXEC_FLAG_DENY_WRITE_EXECUTE = 1 << 24,
};

enum ExecKeyring { EXEC_KEYRING_INHERIT, EXEC_KEYRING_PRIVATE, EXEC_KEYRING_SHARED };

struct ExecSpecRecord {
	uint32_t type;
	uint32_t size;
};

#endif
