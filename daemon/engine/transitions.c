/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Transitions: the two tables.
 */
#include "config.h"

#include "engine/transitions.h"

#define ROW(state, event, next, do_what)                                                           \
	[STATE_##state][EVENT_##event] = { .is_there = true, .row = { STATE_##next, DO_##do_what } }

/*
 * Pairs without a row: a process report is stray, and the engine never sends its own event in that
 * state.
 */
static const struct {
	bool is_there;
	Transition row;
} transitions[STATE_COUNT][EVENT_COUNT] = {
	/*   in state   on event       go to      and do */
	ROW(IDLE,     WANTED,       WAITING,  NOTHING),
	ROW(IDLE,     NEW_CHANCE,   IDLE,     NOTHING), /* it had ended by itself; WANTED follows */
	ROW(IDLE,     BROKEN,       FAILED,   NOTHING),

	ROW(WAITING,  UNWANTED,     IDLE,     NOTHING),
	ROW(WAITING,  ALLOWED,      STARTING, START),
	ROW(WAITING,  NEW_CHANCE,   WAITING,  IGNORE),
	ROW(WAITING,  WAIT_OVER,    FAILED,   NOTHING),
	ROW(WAITING,  BROKEN,       FAILED,   NOTHING),

	ROW(STARTING, STOP,         STOPPING, STOP),
	ROW(STARTING, READY,        READY,    NOTHING),
	ROW(STARTING, SUCCEEDED,    DONE,     NOTHING),
	ROW(STARTING, START_FAILED, STOPPING, STOP), /* first its remaining processes are ended */
	ROW(STARTING, EXITED,       STOPPING, STOP),
	ROW(STARTING, STOPS_ITSELF, STOPPING, STOP), /* so that StopTimeout= holds */
	ROW(STARTING, GONE,         IDLE,     NOTHING), /* reported without an exit; also below */
	ROW(STARTING, GONE_WANTED,  WAITING,  NOTHING),
	ROW(STARTING, SPENT,        IDLE,     NOTHING),
	ROW(STARTING, RETRY,        BACKOFF,  WAIT),
	ROW(STARTING, GIVE_UP,      FAILED,   NOTHING),
	ROW(STARTING, NEW_CHANCE,   STARTING, IGNORE),

	ROW(READY,    STOP,         STOPPING, STOP),
	ROW(READY,    READY,        READY,    IGNORE), /* READY=1 was sent twice */
	ROW(READY,    SUCCEEDED,    DONE,     NOTHING), /* a task that was ready; or a script's processes ended */
	ROW(READY,    EXITED,       STOPPING, STOP),
	ROW(READY,    STOPS_ITSELF, STOPPING, STOP),
	ROW(READY,    GONE,         IDLE,     NOTHING),
	ROW(READY,    GONE_WANTED,  WAITING,  NOTHING),
	ROW(READY,    SPENT,        IDLE,     NOTHING),
	ROW(READY,    RETRY,        BACKOFF,  WAIT),
	ROW(READY,    GIVE_UP,      FAILED,   NOTHING),
	ROW(READY,    NEW_CHANCE,   READY,    IGNORE),

	ROW(DONE,     STOP,         STOPPING, STOP), /* its Stop= command, and the remaining processes */
	ROW(DONE,     READY,        READY,    NOTHING), /* the restart of a script left a daemon */
	ROW(DONE,     NEW_CHANCE,   DONE,     IGNORE),

	ROW(STOPPING, STOP,         STOPPING, IGNORE),
	ROW(STOPPING, READY,        STOPPING, IGNORE), /* reports that came after the stop */
	ROW(STOPPING, SUCCEEDED,    STOPPING, IGNORE),
	ROW(STOPPING, START_FAILED, STOPPING, IGNORE),
	ROW(STOPPING, EXITED,       STOPPING, IGNORE),
	ROW(STOPPING, STOPS_ITSELF, STOPPING, IGNORE),
	ROW(STOPPING, STOP_FAILED,  DONE,     NOTHING), /* DoneWhile=: its work is still in force */
	ROW(STOPPING, GONE,         IDLE,     NOTHING),
	ROW(STOPPING, GONE_WANTED,  WAITING,  NOTHING),
	ROW(STOPPING, SPENT,        IDLE,     NOTHING),
	ROW(STOPPING, RETRY,        BACKOFF,  WAIT),
	ROW(STOPPING, GIVE_UP,      FAILED,   NOTHING),
	ROW(STOPPING, NEW_CHANCE,   STOPPING, IGNORE), /* decided when its processes are gone */

	ROW(BACKOFF,  UNWANTED,     IDLE,     NOTHING),
	ROW(BACKOFF,  BACKOFF_OVER, WAITING,  NOTHING),
	ROW(BACKOFF,  NEW_CHANCE,   WAITING,  NOTHING),
	ROW(BACKOFF,  BROKEN,       FAILED,   NOTHING),

	ROW(FAILED,   UNWANTED,     IDLE,     NOTHING),
	ROW(FAILED,   NEW_CHANCE,   WAITING,  NOTHING),
	ROW(FAILED,   BROKEN,       FAILED,   NOTHING), /* another error in its file */
};

Transition transition_find(ServiceState in, ServiceEvent on)
{
	if (transitions[in][on].is_there)
		return transitions[in][on].row;
	return (Transition){ in, on >= EVENT_READY ? DO_STRAY : DO_NEVER };
}

static const ServiceEvent run_ends[RUN_COUNT][RESTART_COUNT] = {
	[RUN_SUCCEEDED] = { [RESTART_NO] = EVENT_SPENT, [RESTART_ON_FAILURE] = EVENT_SPENT, [RESTART_ALWAYS] = EVENT_RETRY },
	[RUN_FAILED] = { [RESTART_NO] = EVENT_GIVE_UP, [RESTART_ON_FAILURE] = EVENT_RETRY, [RESTART_ALWAYS] = EVENT_RETRY },
	[RUN_REFUSED] = { [RESTART_NO] = EVENT_RETRY, [RESTART_ON_FAILURE] = EVENT_RETRY, [RESTART_ALWAYS] = EVENT_RETRY },
};

ServiceEvent run_end_event(bool is_ordered, RunResult result, RestartPolicy restart)
{
	return is_ordered ? EVENT_GONE_WANTED : run_ends[result][restart];
}
