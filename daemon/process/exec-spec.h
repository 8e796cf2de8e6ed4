/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Exec specification: writes what svc-exec reads (protocol/exec-spec.h).
 */
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
	const char *const *environment; /* what every service gets */
	const char *const *fixed;       /* ours, wins over all; NULL: none */
	bool with_tty;                  /* the main process only */
	int ready_number;               /* -1: no readiness descriptor */
	const char *private_tmp;        /* path of the link that names the directories of PrivateTmp= */
	pid_t main_pid;                 /* 0: there is none, or this is it */
	unsigned n_sockets;
	const char *socket_names;       /* LISTEN_FDNAMES, if there are sockets */
} ExecSpecInput;

/**
 * exec_spec_new() - a sealed memfd with the specification
 * Returns: the descriptor, or -1 with @error (LIMIT_REACHED when it is larger than execve(2) would take).
 */
int exec_spec_new(const ExecSpecInput *input, GError **error);

/**
 * exec_spec_new_removal() - the specification by which svc-exec removes what a service leaves: a private /tmp,
 *	and @with_runtime runtime directories
 */
int exec_spec_new_removal(const ExecDef *execution, bool with_runtime, const char *private_tmp, GError **error);

#endif
