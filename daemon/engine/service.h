/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Service: the run-time record of one service. All components may read it. Only the engine writes
 * it, and only service_apply() writes the state.
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

/* clang-format off */
#define SERVICE_STATES(X, P)                                                                       \
	X(P, IDLE, "idle") X(P, WAITING, "waiting") X(P, STARTING, "starting") X(P, READY, "ready")    \
	X(P, DONE, "done") X(P, STOPPING, "stopping") X(P, BACKOFF, "backoff") X(P, FAILED, "failed")
/* clang-format on */
ENUM_WITH_NAMES(ServiceState, STATE, service_state, SERVICE_STATES)

/*
 * The last request. It lasts until the next start or stop, a change of runlevel, or the reboot. A
 * bus activation (demand) or a connection is weaker than a request of an admin. It also ends when
 * the service ends by itself with success.
 */
/* clang-format off */
#define ADMIN_WANTS(X, P) X(P, NONE, "none") X(P, START, "start") X(P, STOP, "stop") X(P, DEMAND, "demand") \
	X(P, CONNECTION, "connection")
/* clang-format on */
ENUM_WITH_NAMES(AdminWant, ADMIN, admin_want, ADMIN_WANTS)

/* The reasons why a service is wanted, the strongest first. */
/* clang-format off */
#define WANT_REASONS(X, P)                                                                         \
	X(P, NOTHING, "not wanted") X(P, ADMIN, "started by an admin") X(P, POLICY, "wanted in the runlevel")   \
	X(P, DEMAND, "requested on the bus") X(P, CONNECTION, "requested by a connection") \
	X(P, NEED, "needed") X(P, LINGER, "lingering")
/* clang-format on */
ENUM_WITH_NAMES(WantReason, WANT, want_reason, WANT_REASONS)

/* The result of HealthCommand= for a service that is up. */
#define HEALTHS(X, P) X(P, UNKNOWN, "unknown") X(P, HEALTHY, "healthy") X(P, UNHEALTHY, "unhealthy")
ENUM_WITH_NAMES(Health, HEALTH, health, HEALTHS)

/*
 * Which sockets of a service should be open: none; all except network sockets, if neither policy
 * nor an admin has named the service; or all.
 */
#define LISTENS_LEVELS(X, P) X(P, CLOSED, "closed") X(P, LOCAL, "local") X(P, ALL, "all")
ENUM_WITH_NAMES(Listens, LISTENS, listens, LISTENS_LEVELS)

/* For an active service: its file compared with the one that it was started with. */
#define FILE_STATES(X, P)        \
	X(P, CURRENT, "current") \
	X(P, CHANGED, "changed") X(P, GONE, "gone") X(P, INVALID, "invalid")
ENUM_WITH_NAMES(FileState, FILE, file_state, FILE_STATES)

/*
 * Can the service run on this machine? It cannot if its program is missing, or if a condition is
 * false until the next boot.
 */
#define PRESENCES(X, P)    \
	X(P, HERE, "here") \
	X(P, NOT_INSTALLED, "not-installed") X(P, NOT_APPLICABLE, "not-applicable")
ENUM_WITH_NAMES(Presence, PRESENCE, presence, PRESENCES)

/* The requester, kept with the cause. */
typedef struct Requester {
	uid_t uid;
	pid_t pid; /* for display; 0: not a client */
	char source[32]; /* a requester other than a client: "Ctrl-Alt-Del", "initctl" */
	RefusalDoor door; /* how the request came */
} Requester;

typedef enum CauseKind {
	CAUSE_EVENT,
	CAUSE_REFUSAL,
	CAUSE_REFUSED_DEMAND, /* a refused call on the bus, which every user can repeat */
} CauseKind;

/* A record in a service's history: a transition, a refusal, or a remark such as "not restarted". */
typedef struct CauseRecord {
	struct CauseRecord *older; /* NULL: this record is the oldest */
	int64_t at_us;
	ServiceState from;
	ServiceState to; /* equal to @from for refusals and remarks */
	CauseKind kind;
	char text[]; /* "network:up became false", "svcctl stop by uid 0 (pid 812)" */
} CauseRecord;

typedef struct Service Service;

struct Service {
	ServiceDef *def; /* borrowed from the engine's ServiceSet; replaced on reload */
	ServiceState state;
	pid_t main_pid; /* 0: none or unknown */
	int64_t since_us; /* when it entered @state */
	uint64_t invocation; /* of the present or last run; 0: never started */

	/* Why the service is wanted. */
	PolicyDecision policy;
	AdminWant admin;
	WantReason want_reason;
	Requester admin_requester;
	int64_t admin_at_us;
	/* the bus name of a demand, or the address of a connection; interned; NULL: unknown */
	const char *demanded_as;
	const char *wanted_by; /* WANT_NEED: a service that needs this one; interned */

	/* Terms in force: from the definition, except Ignore=, and from policy. Owned. */
	GPtrArray *when; /* Term * */
	GPtrArray *while_terms; /* Term * */
	unsigned n_false; /* terms that are not true now */

	/* Sockets. */
	Listens listens;
	bool awaits_connection; /* a connection starts the service */

	/* Results. */
	bool last_success; /* of the last run */
	bool is_failed_for_good; /* STATE_FAILED: restart limit reached, or file with errors */
	Health health; /* unknown while it is not up or not checked */
	unsigned n_restarts; /* automatic restarts since the last start by an admin */
	char *result; /* "exit status 1"; NULL if no run has ended */
	char *status_text; /* STATUS= of sd_notify(3), or NULL */
	char *resource_problem; /* its limits that are not in force; NULL: none known */
	char *health_text; /* why it is unhealthy; NULL otherwise */
	char *stop_problem; /* why its last stop failed; it is still up; NULL: no failure */
	char *restart_problem; /* why the last RestartCommand= failed; NULL: no failure */
	char *reload_problem; /* why the last Reload= of this run failed; NULL: no failure */
	int64_t ready_us; /* when it last became ready; 0: never */
	int64_t start_duration_us; /* of the last start, from start to ready */
	int64_t started_us;
	int64_t backoff_until_us; /* STATE_BACKOFF */

	Refusals refusals; /* refused by policy */
	CauseRecord *newest_cause; /* the head of the list, at most LIMIT_CAUSES */

	void *observed; /* private to the observer of the engine */
	struct ServicePrivate *priv; /* private to the engine: edges, work lists, backoff */
};

/* Is the service up, that is, ready, or a task that is done? */
static inline bool service_is_up(const Service *s)
{
	return s->state == STATE_READY || s->state == STATE_DONE;
}

static inline bool service_is_wanted(const Service *s)
{
	return s->want_reason != WANT_NOTHING;
}

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
 * PRESENCE_HERE also if the service is active or has failed, or if an admin wants it by name,
 * because then it waits for its program. A policy for all machines or the need of another service
 * is not a decision of the admin.
 */
Presence service_presence(const Service *s);

/* FILE_CURRENT also if the service is not active. */
FileState service_file_state(const Service *s);

/*
 * The end of the time for which the service, and with it the boot, waits for external conditions
 * (WaitTimeout=). 0: the service does not wait, or its wait has no limit.
 */
int64_t service_wait_until(const Service *s);

#endif
