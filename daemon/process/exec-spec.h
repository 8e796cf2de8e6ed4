/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Exec specification: writes what svc-exec reads (protocol/exec-spec.h).
 */
#ifndef SVCD_PROCESS_EXEC_SPEC_H
#define SVCD_PROCESS_EXEC_SPEC_H

#include <glib.h>

#include "model/exec-def.h"

/* All borrowed. */
typedef struct ExecSpecInput {
	const ExecDef *execution;
	const char *const *argv;
	const char *const *environment; /* what every service gets */
	const char *const *fixed;       /* ours, wins over all; NULL: none */
	bool with_tty;                  /* the main process only */
	int ready_number;               /* -1: no readiness descriptor */
} ExecSpecInput;

/**
 * exec_spec_new() - a sealed memfd with the specification
 * Returns: the descriptor, or -1 with @error (LIMIT_REACHED when it is larger than execve(2) would take).
 */
int exec_spec_new(const ExecSpecInput *input, GError **error);

#endif
