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
	EXEC_SPEC_TTY = 10,         /* string: path; becomes 0, 1, 2 and the controlling terminal */
	EXEC_SPEC_RUNTIME_DIRECTORY = 11, /* string: below /run */
	EXEC_SPEC_RUNTIME_MODE = 12,      /* uint32_t */
	EXEC_SPEC_DIRECTORY = 13,   /* string: working directory, entered as the service's user */
	EXEC_SPEC_READY = 14,       /* uint32_t: the number that EXEC_SPEC_READY_FD becomes */
	EXEC_SPEC_TYPES
};

struct ExecSpecRecord {
	uint32_t type;
	uint32_t size;
};

#endif
