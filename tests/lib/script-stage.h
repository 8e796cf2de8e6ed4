/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Script stage: a service of Type=script with a script from the test.
 *
 * @branches: the branches of the script's case statement, one for each action: "start) keep pid ;;
 * stop) end pid ;;\n". "keep FILE" starts a process in the background and writes its pid to FILE,
 * "end FILE" kills it, "end_and_wait FILE" also waits for its exit. Each call is logged.
 */
#ifndef SVCD_TESTS_SCRIPT_STAGE_H
#define SVCD_TESTS_SCRIPT_STAGE_H

#include "tests/lib/stage.h"

/* For a branch: creates /here, and waits until the test writes /go. */
#define HELD "touch here; while [ ! -e go ]; do sleep 0.02; done"

/* A service with PidFile={DIR}/pid; not started. */
Stage *script_set(const char *branches, const char *further_keys);
/* Like script_set(), but the service is started. */
Stage *script_new(const char *branches, const char *further_keys);
/* Like script_new(), and waits until the service is ready with "keep pid" as its main process. */
Stage *script_new_up(const char *branches, const char *further_keys);
Stage *script_new_without_pid_file(const char *branches);
Stage *script_new_without_cgroups(const char *branches);

/*
 * Waits until the service is up and a HELD process left by the start command is its main process.
 * That process then continues.
 */
void script_let_go(Stage *stage);

/* Compares the calls so far: "start stop". */
void expect_calls(const Stage *stage, const char *calls);

/* The process that "keep" recorded in @path. */
pid_t pid_in(const Stage *stage, const char *path);
/* Whether that process is the main process; for run_until(). */
bool has_main_of(const Stage *stage, const char *path);

#endif
