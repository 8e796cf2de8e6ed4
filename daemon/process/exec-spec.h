/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Exec specification: writes the input of svc-exec (protocol/exec-protocol.h). */
#ifndef SVCD_PROCESS_EXEC_SPEC_H
#define SVCD_PROCESS_EXEC_SPEC_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

#include "model/exec-def.h"

/* All borrowed. */
typedef struct ExecSpecInput {
	const ExecDef *execution;
	const char *const *argv;
	const char *const *environment; /* common to all services */
	const char *const *fixed; /* set by svcd, overrides all other values; NULL: none */
	bool with_tty; /* only for the main process */
	int ready_number; /* -1: no readiness descriptor */
	/* path of the link that contains the names of the PrivateTmp= directories */
	const char *private_tmp;
	pid_t main_pid; /* 0: there is none, or this is the main process */
	unsigned n_sockets;
	const char *socket_names; /* LISTEN_FDNAMES, if there are sockets */
} ExecSpecInput;

/**
 * exec_spec_new() - write the specification into a sealed memfd
 * Returns: the descriptor, or -1 with @error (LIMIT_REACHED if it is larger than execve(2)
 * accepts).
 */
int exec_spec_new(const ExecSpecInput *input, GError **error);

/**
 * exec_spec_new_removal() - the specification for the removal of a service's temporary directories:
 * its private /tmp and, if @with_runtime, its runtime directories
 */
int exec_spec_new_removal(const ExecDef *execution, bool with_runtime, const char *private_tmp,
			  GError **error);

#endif
