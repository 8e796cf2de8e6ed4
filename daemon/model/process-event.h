/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Process events: what the process room tells the engine about one invocation of a service.
 *
 * The life of an invocation, as the supervisor reports it:
 *
 *	start ->  STARTED -> READY -> EXITED -> GONE             a daemon (GONE follows by itself after EXITED)
 *	start ->  STARTED -> EXITED(success)  ... stop -> GONE   a task that succeeded stays until it is stopped: it may
 *	                                                         have a Stop= command, and may have left processes behind
 *	start ->  STARTED -> READY -> EXITED -> GONE             a script that left processes
 *	start ->  STARTED -> EXITED(success, is_done) ...        a script that left none; READY may still follow, for its other
 *	                                                         commands may leave some
 *	start ->  START_FAILED -> GONE                           could not be executed, a Prepare= failed, not ready in time,
 *	                                                         or (daemons) ended before it was ready
 *	stop  ->  [EXITED] -> GONE                               at any time after start; GONE is always the last event
 *	stop  ->  STOP_FAILED                                    a task with DoneWhile= that is done: its Stop= failed, and
 *	                                                         it is done as before
 *
 * GONE means: main process reaped, cgroup empty, clean-up commands done.
 */
#ifndef SVCD_MODEL_PROCESS_EVENT_H
#define SVCD_MODEL_PROCESS_EVENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/enum-names.h"

#define PROCESS_EVENT_KINDS(X, P)                                                                  \
	X(P, STARTED, "started")           /* main process spawned; pid */                            \
	X(P, MAIN_PID, "main pid")         /* another process is the main one now; pid */             \
	X(P, READY, "ready")                                                                          \
	X(P, START_FAILED, "start failed") /* text */                                                 \
	X(P, EXITED, "exited")             /* success, code, status, text */                          \
	X(P, STOPPING, "stopping")         /* the service says that it stops by itself (STOPPING=1) */ \
	X(P, RELOADED, "reloaded")                                                                    \
	X(P, RELOAD_FAILED, "reload failed") /* text */                                               \
	X(P, RESTARTED, "restarted")       /* RestartCommand= succeeded */                            \
	X(P, RESTART_FAILED, "restart failed") /* text */                                             \
	X(P, STOP_FAILED, "stop failed")   /* text, output */                                         \
	X(P, CHECKED, "checked")           /* CheckCommand=: success; text: why not. Nothing for the engine */ \
	X(P, HEALTH, "health")             /* HealthCommand= of one that is up: success: it is well; text: why it is not */ \
	X(P, RESOURCES, "resources")       /* text: which of its limits are not in force, and why; NULL: all are */ \
	X(P, STATUS, "status")             /* text: STATUS= of sd_notify(3) */                        \
	X(P, PHASE, "phase")               /* nothing for the engine; the note must be stored anew */ \
	X(P, GONE, "gone")
ENUM_WITH_NAMES(ProcessEventKind, PROCESS, process_event_kind, PROCESS_EVENT_KINDS)

typedef struct ProcessEvent {
	ProcessEventKind kind;
	pid_t pid;
	bool success;
	bool is_done; /* EXITED of a script: nothing is left of what its start command left, and nothing went wrong */
	bool is_restart; /* EXITED of a script: its restart succeeded and left nothing running, so it is started as a part of the restart */
	bool is_refused; /* START_FAILED: no room on the machine, or a program that is being written; another try may do */
	int code;   /* CLD_*, as waitid(2) */
	int status;
	const char *text; /* borrowed; NULL or one sentence without the service's name: "exit status 1", "cannot execute /x: ..." */
	const char *output; /* borrowed; CHECKED: the last line that it wrote: for the caller, but not in records that every user reads; STOP_FAILED */
	int64_t at_us; /* CLOCK_MONOTONIC; when it happened, not when it was told */
} ProcessEvent;

#endif
