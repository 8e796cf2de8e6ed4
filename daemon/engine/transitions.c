/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Transitions: the two tables of transitions.h.
 */
#include "config.h"

#include "engine/transitions.h"

/* clang-format off */

/* The states by short names, so that the table is a matrix. */
enum {
	IDLE = STATE_IDLE, WAITING = STATE_WAITING, STARTING = STATE_STARTING, READY = STATE_READY,
	DONE = STATE_DONE, STOPPING = STATE_STOPPING, BACKOFF = STATE_BACKOFF, FAILED = STATE_FAILED,
	NONE = TRANSITION_NONE, NEVER = TRANSITION_NEVER,
};

#define ON(event, ...) [EVENT_##event] = { __VA_ARGS__ }

static const signed char transitions[EVENT_COUNT][STATE_COUNT] = {
	/*               in: idle     waiting   starting  ready     done      stopping  backoff   failed */
	ON(WANTED,           WAITING, NEVER,    NEVER,    NEVER,    NEVER,    NEVER,    NEVER,    NEVER),
	ON(UNWANTED,         NEVER,   IDLE,     NEVER,    NEVER,    NEVER,    NEVER,    IDLE,     IDLE),
	ON(ALLOWED,          NEVER,   STARTING, NEVER,    NEVER,    NEVER,    NEVER,    NEVER,    NEVER),
	ON(STOP,             NEVER,   NEVER,    STOPPING, STOPPING, STOPPING, NONE,     NEVER,    NEVER),
	ON(BACKOFF_OVER,     NEVER,   NEVER,    NEVER,    NEVER,    NEVER,    NEVER,    WAITING,  NEVER),
	ON(NEW_CHANCE,       NONE,    NONE,     NONE,     NONE,     NONE,     NONE,     WAITING,  WAITING),
	ON(WAIT_OVER,        NEVER,   FAILED,   NEVER,    NEVER,    NEVER,    NEVER,    NEVER,    NEVER),
	ON(BROKEN,           FAILED,  FAILED,   NEVER,    NEVER,    NEVER,    NEVER,    FAILED,   NONE),

	/*
	 * Reports about processes. A report that has no effect is late, or repeats an earlier one.
	 */
	ON(READY,            NONE,    NONE,     READY,    NONE,     READY,    NONE,     NONE,     NONE),
	ON(SUCCEEDED,        NONE,    NONE,     DONE,     DONE,     NONE,     NONE,     NONE,     NONE),
	ON(START_FAILED,     NONE,    NONE,     STOPPING, NONE,     NONE,     NONE,     NONE,     NONE),
	ON(EXITED,           NONE,    NONE,     STOPPING, STOPPING, NONE,     NONE,     NONE,     NONE),
	ON(STOPS_ITSELF,     NONE,    NONE,     STOPPING, STOPPING, NONE,     NONE,     NONE,     NONE),
	ON(STOP_FAILED,      NONE,    NONE,     NONE,     NONE,     NONE,     DONE,     NONE,     NONE),

	/* No process is left. The second table selects one of these. */
	ON(GONE,             NONE,    NONE,     IDLE,     IDLE,     NONE,     IDLE,     NONE,     NONE),
	ON(GONE_WANTED,      NONE,    NONE,     WAITING,  WAITING,  NONE,     WAITING,  NONE,     NONE),
	ON(SPENT,            NONE,    NONE,     IDLE,     IDLE,     NONE,     IDLE,     NONE,     NONE),
	ON(RETRY,            NONE,    NONE,     BACKOFF,  BACKOFF,  NONE,     BACKOFF,  NONE,     NONE),
	ON(GIVE_UP,          NONE,    NONE,     FAILED,   FAILED,   NONE,     FAILED,   NONE,     NONE),
};

enum { NO, YES, ANY };

/* The first row that matches applies. */
static const struct {
	signed char wanted;
	signed char ordered;
	signed char result; /* RunResult, or RUN_COUNT: any */
	ServiceEvent event[RESTART_COUNT];
} run_ends[] = {
	/* wanted, ordered, result            Restart=no         on-failure         always */
	{ NO,  ANY, RUN_COUNT,     { EVENT_GONE,        EVENT_GONE,        EVENT_GONE } },
	{ YES, YES, RUN_COUNT,     { EVENT_GONE_WANTED, EVENT_GONE_WANTED, EVENT_GONE_WANTED } },
	{ YES, NO,  RUN_SUCCEEDED, { EVENT_SPENT,       EVENT_SPENT,       EVENT_RETRY } },
	{ YES, NO,  RUN_FAILED,    { EVENT_GIVE_UP,     EVENT_RETRY,       EVENT_RETRY } },
	{ YES, NO,  RUN_REFUSED,   { EVENT_RETRY,       EVENT_RETRY,       EVENT_RETRY } },
};

/* clang-format on */

int transition_find(ServiceState in, ServiceEvent on)
{
	return transitions[on][in];
}

ServiceEvent run_end_event(bool is_wanted, bool is_ordered, RunResult result, RestartPolicy restart)
{
	for (size_t i = 0; i < sizeof(run_ends) / sizeof(run_ends[0]); i++) {
		if (run_ends[i].wanted == is_wanted &&
		    (run_ends[i].ordered == ANY || run_ends[i].ordered == is_ordered) &&
		    (run_ends[i].result == RUN_COUNT || run_ends[i].result == (signed char)result))
			return run_ends[i].event[restart];
	}
	g_assert_not_reached();
}
