/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Process events: the reports of the component process/ to the engine about one invocation of a
 * service.
 *
 * The life of an invocation, as the supervisor reports it:
 *
 * 	start ->  STARTED -> READY -> EXITED -> GONE
 * 	          a daemon (GONE follows EXITED without a request)
 * 	start ->  STARTED -> EXITED(success)  ... stop -> GONE
 * 	          a task that succeeded lasts until it is stopped, because it may have a Stop=
 * 	          command or leave processes
 * 	start ->  STARTED -> READY -> EXITED -> GONE
 * 	          a script that left processes
 * 	start ->  STARTED -> EXITED(success, is_done) ...
 * 	          a script whose start command left no process; READY may follow, because its
 * 	          other commands may leave processes
 * 	start ->  START_FAILED -> GONE
 * 	          exec failed, a Prepare= failed, not ready in time, or (daemons) ended before ready
 * 	stop  ->  [EXITED] -> GONE
 * 	          at any time after start; GONE is always the last event
 * 	stop  ->  STOP_FAILED
 * 	          the Stop= of a done task with DoneWhile= failed, and the task is done as before
 *
 * GONE means: the main process is reaped, the cgroup is empty, and the clean-up commands have
 * ended.
 */
#ifndef SVCD_MODEL_PROCESS_EVENT_H
#define SVCD_MODEL_PROCESS_EVENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/enum-names.h"

/* clang-format off */
#define PROCESS_EVENT_KINDS(X, P)                                                                  \
	X(P, STARTED, "started")           /* main process spawned; pid */                            \
	X(P, MAIN_PID, "main pid")         /* another process is the main one now; pid */             \
	X(P, READY, "ready")                                                                          \
	X(P, START_FAILED, "start failed") /* text */                                                 \
	X(P, EXITED, "exited")             /* success, code, status, text */                          \
	X(P, STOPPING, "stopping")         /* the service announced that it stops by itself (STOPPING=1) */ \
	X(P, RELOADED, "reloaded")                                                                    \
	X(P, RELOAD_FAILED, "reload failed") /* text */                                               \
	X(P, RESTARTED, "restarted")       /* RestartCommand= succeeded */                            \
	X(P, RESTART_FAILED, "restart failed") /* text */                                             \
	X(P, STOP_FAILED, "stop failed")   /* text, output */                                         \
	X(P, CHECKED, "checked")           /* CheckCommand=: success; text: why not. The engine ignores it */ \
	X(P, HEALTH, "health")             /* HealthCommand= of a service that is up: success; text: why it is unhealthy */ \
	X(P, RESOURCES, "resources")       /* text: the limits that are not in force, and why; NULL: all are */ \
	X(P, STATUS, "status")             /* text: STATUS= of sd_notify(3) */                        \
	X(P, PHASE, "phase")               /* the engine ignores it; the note must be stored again */ \
	X(P, GONE, "gone")
/* clang-format on */
ENUM_WITH_NAMES(ProcessEventKind, PROCESS, process_event_kind, PROCESS_EVENT_KINDS)

typedef struct ProcessEvent {
	ProcessEventKind kind;
	pid_t pid;
	bool success;
	bool is_done; /* EXITED of a script: its start command left no process and no error */
	/*
	 * EXITED of a script: a restart ended its daemon and left no new one, so the script is
	 * started again
	 */
	bool is_restart;
	bool is_refused; /* START_FAILED: no resources, or the program is being written */
	int code; /* CLD_*, as waitid(2) */
	int status;
	const char *text; /* borrowed; NULL or one sentence without the service's name */
	const char *output; /* borrowed; STOP_FAILED; CHECKED: for the caller, not for records */
	int64_t at_us; /* CLOCK_MONOTONIC; when it happened, not when it was reported */
} ProcessEvent;

#endif
