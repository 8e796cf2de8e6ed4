/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Transitions: the effect of each event in each state, and the event that follows from the end of a
 * run.
 *
 * docs/how-svcd-decides.md prints both tables. tests/unit/test_transitions.c compares them with the
 * code.
 */
#ifndef SVCD_ENGINE_TRANSITIONS_H
#define SVCD_ENGINE_TRANSITIONS_H

#include "base/enum-names.h"
#include "engine/service.h"

/* clang-format off */
#define SERVICE_EVENTS(X, P)                                                                       \
	X(P, WANTED, "wanted")             /* something wants it */                                \
	X(P, UNWANTED, "unwanted")         /* nothing wants it, and it has no processes */         \
	X(P, ALLOWED, "allowed")           /* wanted, and all terms are true */                    \
	X(P, STOP, "stop")                 /* unwanted, lapsed or to be restarted; all blockers are gone */ \
	X(P, BACKOFF_OVER, "backoff over")                                                         \
	X(P, NEW_CHANCE, "new chance")     /* an admin's start or clear, or its terms are true again */ \
	X(P, WAIT_OVER, "wait over")       /* WaitTimeout= has passed */                           \
	X(P, BROKEN, "broken file")        /* its file has errors */                               \
	X(P, READY, "became ready")                                                                \
	X(P, SUCCEEDED, "succeeded")       /* a task's process ended with success */               \
	X(P, START_FAILED, "start failed")                                                         \
	X(P, EXITED, "exited")             /* its main process ended by itself */                  \
	X(P, STOPS_ITSELF, "stops itself") /* it sent STOPPING=1 */                                \
	X(P, STOP_FAILED, "stop failed")   /* its Stop= command failed */                          \
	X(P, GONE, "gone")                 /* no process is left, and nothing wants it */          \
	X(P, GONE_WANTED, "gone, wanted")  /* stopped on request, and wanted again */              \
	X(P, SPENT, "gone, spent")         /* ended by itself with success; not started again */   \
	X(P, RETRY, "gone, retry")         /* ended by itself; started again after a delay */      \
	X(P, GIVE_UP, "gone, give up")     /* failed; not started again */
/* clang-format on */
ENUM_WITH_NAMES(ServiceEvent, EVENT, service_event, SERVICE_EVENTS)

enum {
	TRANSITION_NONE = -1, /* the event has no effect in this state */
	TRANSITION_NEVER = -2, /* the engine never sends the event in this state */
};

/* Returns: the next state, TRANSITION_NONE or TRANSITION_NEVER. */
int transition_find(ServiceState in, ServiceEvent on);

/* clang-format off */
#define RUN_RESULTS(X, P)                                                                          \
	X(P, SUCCEEDED, "success")                                                                 \
	X(P, FAILED, "failure")                                                                    \
	X(P, REFUSED, "not started")     /* no resources, or the program is being written */
/* clang-format on */
ENUM_WITH_NAMES(RunResult, RUN, run_result, RUN_RESULTS)

/**
 * run_end_event() - select the event when no process is left
 * @is_ordered: the engine has stopped the service, or it is a group
 *
 * Returns: EVENT_GONE, GONE_WANTED, SPENT, RETRY (GIVE_UP at the restart limit) or GIVE_UP.
 */
ServiceEvent run_end_event(bool is_wanted, bool is_ordered, RunResult result,
			   RestartPolicy restart);

#endif
