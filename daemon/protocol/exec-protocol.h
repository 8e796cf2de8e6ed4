/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Exec specification: the input of svc-exec from the manager, in a sealed memfd.
 *
 * It is a sequence of records, each an ExecSpecRecord followed by @size bytes, without padding.
 * Strings include their final NUL. Both programs are installed together, so an unknown record is an
 * error. The missing numbers below are never reused, because a manager of an earlier version may be
 * running.
 */
#ifndef SVCD_PROTOCOL_EXEC_PROTOCOL_H
#define SVCD_PROTOCOL_EXEC_PROTOCOL_H

#include <stdint.h>

/* The descriptors of svc-exec. */
#define EXEC_SPEC_FD 3 /* the specification */
#define EXEC_SPEC_STATUS_FD \
	4 /* writer's end of the exec status channel (struct ExecStatus in protocol.h) */
#define EXEC_SPEC_READY_FD \
	5 /* only with EXEC_SPEC_READY: moved to the number that the service expects */
/*
 * With EXEC_SPEC_SOCKETS the next descriptors, from 5 or 6 on, are sockets. They are moved to 3 and
 * the following numbers.
 */

/*
 * The kernel takes at most 2 MiB of arguments and environment at the usual stack limit (execve(2)).
 */
#define EXEC_SPEC_BYTES (4 * 1024 * 1024)

enum ExecSpecType {
	EXEC_SPEC_ARGUMENT = 1, /* string; the first is the path of the program */
	EXEC_SPEC_ENVIRONMENT = 2, /* "NAME=value" common to all services */
	/* "NAME=value" of Environment=; overrides the above, and HOME, USER ... */
	EXEC_SPEC_SETTING = 3,
	EXEC_SPEC_FILE = 4, /* path of an environment file; overrides the above */
	EXEC_SPEC_OPTIONAL_FILE = 5, /* such a file, which may be absent */
	EXEC_SPEC_FIXED = 6, /* "NAME=value" of ours (NOTIFY_SOCKET); overrides all */
	EXEC_SPEC_USER = 7, /* string: name or number */
	EXEC_SPEC_GROUP = 8, /* string: name or number */
	EXEC_SPEC_SUPPLEMENTARY = 9, /* string: name or number */
	/*
	 * string: path; becomes descriptors 0, 1, 2 and the controlling terminal; "-" in front:
	 * only if it is a terminal
	 */
	EXEC_SPEC_TTY = 10,
	EXEC_SPEC_DIRECTORY = 13, /* string: working directory, entered as the service's user */
	EXEC_SPEC_READY = 14, /* uint32_t: the number that EXEC_SPEC_READY_FD becomes */
	EXEC_SPEC_INPUT = 23, /* string: path of the file that becomes descriptor 0 */
	EXEC_SPEC_CPU_POLICY = 24, /* uint32_t: SCHED_... */
	EXEC_SPEC_CPU_PRIORITY = 25, /* uint32_t */
	EXEC_SPEC_IO_PRIORITY = 26, /* uint32_t: as ioprio_set(2) takes it */
	EXEC_SPEC_CPU = 27, /* uint32_t: a processor that the service may run on */
	/* uint32_t: the main process; other commands enter its network */
	EXEC_SPEC_MAIN_PID = 30,
	/* string: path of the link that contains the name of the PrivateTmp= directories */
	EXEC_SPEC_PRIVATE_TMP = 31,
	EXEC_SPEC_REMOVE = 45, /* string: the only action: remove this directory below /run */
	EXEC_SPEC_SOCKETS = 46, /* uint32_t: the number of sockets */
	EXEC_SPEC_SOCKET_NAMES = 47, /* string: LISTEN_FDNAMES */
	EXEC_SPEC_SANDBOX = 48, /* string: "KEY=VALUE", one line of a key in sandbox/sandbox.h */
	EXEC_SPEC_TYPES
};

struct ExecSpecRecord {
	uint32_t type;
	uint32_t size;
};

#endif
