/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Service: the run-time record of one service. Read by everybody; written only by the engine, and its state only by
 * service_apply().
 */
#ifndef SVCD_ENGINE_SERVICE_H
#define SVCD_ENGINE_SERVICE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/enum-names.h"
#include "base/limits.h"
#include "engine/refusal.h"
#include "model/policy.h"
#include "model/service-def.h"

#define SERVICE_STATES(X, P)                                                                       \
	X(P, IDLE, "idle") X(P, WAITING, "waiting") X(P, STARTING, "starting") X(P, READY, "ready")    \
	X(P, DONE, "done") X(P, STOPPING, "stopping") X(P, BACKOFF, "backoff") X(P, FAILED, "failed")
ENUM_WITH_NAMES(ServiceState, STATE, service_state, SERVICE_STATES)

/*
 * What was last asked for; it lasts until the next start or stop, a change of runlevel, or reboot. A demand, made by a call
 * on the bus, and a connection on one of its sockets are weaker than what an admin says, and end when the service ends by
 * itself with success.
 */
#define ADMIN_WANTS(X, P) X(P, NONE, "none") X(P, START, "start") X(P, STOP, "stop") X(P, DEMAND, "demand") \
	X(P, CONNECTION, "connection")
ENUM_WITH_NAMES(AdminWant, ADMIN, admin_want, ADMIN_WANTS)

/* Why a service is wanted, the strongest reason first. */
#define WANT_REASONS(X, P)                                                                         \
	X(P, NOTHING, "not wanted") X(P, ADMIN, "started by an admin") X(P, POLICY, "wanted in the runlevel")   \
	X(P, DEMAND, "asked for on the bus") X(P, CONNECTION, "asked for by a connection") \
	X(P, NEED, "needed") X(P, LINGER, "lingering")
ENUM_WITH_NAMES(WantReason, WANT, want_reason, WANT_REASONS)

/* What HealthCommand= says of a service that is up. */
#define HEALTHS(X, P) X(P, UNKNOWN, "unknown") X(P, HEALTHY, "healthy") X(P, UNHEALTHY, "unhealthy")
ENUM_WITH_NAMES(Health, HEALTH, health, HEALTHS)

/* Which of the sockets of a service are to be open: none; all but those of the network, for nobody has named it; all. */
#define LISTENS_LEVELS(X, P) X(P, CLOSED, "closed") X(P, LOCAL, "local") X(P, ALL, "all")
ENUM_WITH_NAMES(Listens, LISTENS, listens, LISTENS_LEVELS)

/* Of a service that is active: its file against the one that it was started by. */
#define FILE_STATES(X, P) X(P, CURRENT, "current") X(P, CHANGED, "changed") X(P, GONE, "gone") X(P, INVALID, "invalid")
ENUM_WITH_NAMES(FileState, FILE, file_state, FILE_STATES)

/* Can it run on this machine? Not if its program is missing, or a condition is false that does not change before the next boot. */
#define PRESENCES(X, P) X(P, HERE, "here") X(P, NOT_INSTALLED, "not-installed") X(P, NOT_APPLICABLE, "not-applicable")
ENUM_WITH_NAMES(Presence, PRESENCE, presence, PRESENCES)

/* Who asked; kept with the cause. */
typedef struct Requester {
	uid_t uid;
	pid_t pid;       /* for display; 0: not a client */
	char source[32]; /* what asks without being a client: "Ctrl-Alt-Del", "initctl" */
} Requester;

/* One entry of a service's history: an activation, a stop, a refusal, "not restarted". */
typedef struct CauseRecord {
	struct CauseRecord *older; /* NULL: none is remembered */
	int64_t at_us;
	ServiceState from;
	ServiceState to;    /* equal to @from for refusals and remarks */
	char text[];        /* "network:up became false", "svcctl stop by uid 0 (pid 812)" */
} CauseRecord;

typedef struct Service Service;

struct Service {
	ServiceDef *def;     /* borrowed from the engine's ServiceSet; replaced on reload */
	ServiceState state;
	pid_t main_pid;      /* 0: none or unknown */
	int64_t since_us;    /* when it entered @state */
	uint64_t invocation; /* of the present or last run; 0: never started */

	/* Wanting */
	PolicyDecision policy;
	AdminWant admin;
	WantReason want_reason;
	Requester admin_who;
	int64_t admin_at_us;
	const char *demanded_as; /* ADMIN_DEMAND: the name on the bus; ADMIN_CONNECTION: the address; interned; NULL: not known any more */
	const char *wanted_by; /* WANT_NEED: one that needs it; interned */

	/* Terms in force: the definition's, less Ignore=, plus policy's. Owned. */
	GPtrArray *when; /* Term * */
	GPtrArray *hold; /* Term * */
	unsigned n_false;   /* terms that are not true now */

	/* Sockets */
	Listens listens;
	bool awaits_connection; /* one that comes starts it */

	/* Results */
	bool last_success;     /* of the last run */
	bool is_failed_for_good; /* in STATE_FAILED: restart limit reached, or the file has errors */
	bool is_restarting;    /* its RestartCommand= is to run, or runs */
	bool is_reloading;     /* its Reload= is to be carried out, or is under way */
	Health health;         /* unknown while it is not up, or nobody asks */
	unsigned n_restarts;   /* automatic ones since the admin's last start */
	char *result;          /* "exit status 1"; NULL if it never ended */
	char *status_text;     /* STATUS= of sd_notify(3), or NULL */
	char *resource_problem; /* which of its limits are not in force; NULL: all are, as far as is known */
	char *health_text;     /* why it is unhealthy; else NULL */
	char *stop_problem;    /* why its last stop failed, and it is up as before; NULL: it did not */
	char *restart_problem; /* why the last run of its RestartCommand= failed; NULL: it did not */
	char *reload_problem;  /* why the last Reload= of this run failed; NULL: it did not */
	int64_t ready_us;      /* when it last became ready, 0 never */
	int64_t start_duration_us; /* from start to ready, of the last start */
	int64_t started_us;
	int64_t backoff_until_us; /* STATE_BACKOFF */

	Refusals refusals; /* by policy */
	CauseRecord *newest_cause; /* and from there to the older ones, at most LIMIT_CAUSES */

	struct ServicePrivate *priv; /* the engine's own: edges, work-list membership, back-off history */
};

/* True while it counts as up: ready, or a task that is done. */
static inline bool service_is_up(const Service *s)
{
	return s->state == STATE_READY || s->state == STATE_DONE;
}

static inline bool service_is_wanted(const Service *s)
{
	return s->want_reason != WANT_NOTHING;
}

/* How many there are in its history. */
static inline unsigned service_count_causes(const Service *s)
{
	unsigned n = 0;

	for (const CauseRecord *record = s->newest_cause; record; record = record->older)
		n++;
	return n;
}

/* The newest cause's text, never NULL. */
const char *service_cause(const Service *s);

/*
 * HERE of one that is active or has failed, too, and of one that an admin wants by name: it waits for its program. A policy for every
 * machine and the needs of other services are no such wish.
 */
Presence service_presence(const Service *s);

/* FILE_CURRENT of one that is not active, too. */
FileState service_file_state(const Service *s);

/* Until when it waits for the world outside (WaitTimeout=), and so long the boot for it; 0: it does not, or without a limit. */
int64_t service_wait_until(const Service *s);

#endif
