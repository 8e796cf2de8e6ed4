/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Transitions: what a service does in each state on each event. One row for every pair; docs/engine.md prints the table.
 */
#ifndef SVCD_ENGINE_TRANSITIONS_H
#define SVCD_ENGINE_TRANSITIONS_H

#include "base/enum-names.h"
#include "engine/service.h"

#define SERVICE_EVENTS(X, P)                                                                       \
	X(P, WANTED, "wanted")             /* something wants it */                                   \
	X(P, UNWANTED, "unwanted")         /* nothing wants it, and it has no processes */            \
	X(P, ALLOWED, "allowed")           /* wanted, and all terms are true */                       \
	X(P, STOP, "stop")                 /* unwanted, lapsed, to be restarted; its turn has come */ \
	X(P, READY, "became ready")                                                                   \
	X(P, SUCCEEDED, "succeeded")       /* a task's process ended with success */                  \
	X(P, START_FAILED, "start failed")                                                            \
	X(P, EXITED, "exited")             /* its main process ended by itself */                     \
	X(P, STOPS_ITSELF, "stops itself") /* it said so: STOPPING=1 */                                \
	X(P, STOP_FAILED, "stop failed")   /* its Stop= command failed, and what it did still stands */ \
	X(P, GONE, "gone")                 /* stopped on order; nothing wants it any more */          \
	X(P, GONE_WANTED, "gone, wanted")  /* stopped on order; wanted: it waits for its terms */     \
	X(P, SPENT, "gone, spent")         /* ended by itself with success; Restart= leaves it so */  \
	X(P, RETRY, "gone, retry")         /* ended by itself; Restart= tries again */                \
	X(P, GIVE_UP, "gone, give up")     /* failed; Restart= says no, or the limit is reached */    \
	X(P, BACKOFF_OVER, "back-off over")                                                           \
	X(P, NEW_CHANCE, "new chance")     /* an admin's start or clear, or its terms were false and are true again */ \
	X(P, WAIT_OVER, "wait over")       /* WaitTimeout= has passed */                               \
	X(P, BROKEN, "broken file")        /* its file has errors */
ENUM_WITH_NAMES(ServiceEvent, EVENT, service_event, SERVICE_EVENTS)

#define TRANSITION_ACTIONS(X, P)                                                                   \
	X(P, NOTHING, "-")                                                                            \
	X(P, START, "start its process")                                                              \
	X(P, STOP, "tell it to stop")                                                                 \
	X(P, WAIT, "arm the back-off timer")                                                          \
	X(P, IGNORE, "ignore it")        /* may happen, means nothing here */                         \
	X(P, STRAY, "count it as stray") /* a late or wrong word about its processes */               \
	X(P, NEVER, "cannot happen")     /* the engine itself never does this */
ENUM_WITH_NAMES(TransitionAction, DO, transition_action, TRANSITION_ACTIONS)

typedef struct Transition {
	ServiceState in;
	ServiceEvent on;
	ServiceState to;
	TransitionAction action;
	const char *remark; /* why, for the docs; "" if it is plain */
} Transition;

/* The row for this pair; there is always one. */
const Transition *transition_find(ServiceState in, ServiceEvent on);

#endif
