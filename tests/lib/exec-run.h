/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Exec run: svc-exec itself, with a specification in the manager's format, or an invalid one.
 */
#ifndef SVCD_TESTS_LIB_EXEC_RUN_H
#define SVCD_TESTS_LIB_EXEC_RUN_H

#include <glib.h>

#include "process/exec-spec.h"
#include "protocol/exec-protocol.h"
#include "protocol/protocol.h"

/* The results of one run. */
typedef struct ExecRun {
	struct ExecStatus status; /* step 0: executed */
	int exit_status;
	char *output; /* of standard output and error */
} ExecRun;

void exec_run_clear(ExecRun *run);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ExecRun, exec_run_clear)

/* @spec_fd: ownership is taken */
ExecRun run_spec(int spec_fd, int ready_fd);

/* A definition for the test to fill in, and the manager's other data. */
typedef struct Wish {
	ExecDef execution;
	ExecSpecInput input;
} Wish;

Wish *wish_new(const char *const *argv);
void wish_free(Wish *wish);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Wish, wish_free)
/* A line of a sandbox key. */
void wish_sandbox(Wish *wish, enum SandboxKey key, const char *value);
ExecRun wish_run(const Wish *wish);

void expect_refusal(const ExecRun *run, enum ExecStep step, int error);
/* The program must have been executed. */
void expect_output(const ExecRun *run, const char *output);

#define SHELL(text) ((const char *const[]){ "/bin/sh", "-c", text, NULL })

#endif
