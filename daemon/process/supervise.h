/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Supervise: one invocation of one service, from its first process to its last.
 *
 * Preparation commands, the main process, readiness, reload, the stop sequence (signal or command, time limit, kill of
 * the whole cgroup), clean-up commands. It knows nothing of conditions or policy: it reports ProcessEvents, and the
 * engine decides. The order of events: model/process-event.h.
 *
 * Crash-only: everything it needs to go on after the manager died is its phase text (kept in the service's note), the
 * keeper's rows, and the descriptors the keeper keeps.
 */
#ifndef SVCD_PROCESS_SUPERVISE_H
#define SVCD_PROCESS_SUPERVISE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/key.h"
#include "model/process-event.h"
#include "model/service-def.h"
#include "process/keeper-link.h"
#include "worker/pool.h"

typedef struct Supervisor Supervisor;
typedef struct LogRouter LogRouter;

/* What a main process listens on; borrowed. */
typedef struct SpawnSockets {
	const int *fds; /* it finds them from number 3 on */
	unsigned n;
	const char *names; /* LISTEN_FDNAMES */
} SpawnSockets;

/* Does the kernel count the processes of services? */
typedef enum Counting { COUNTING_UNKNOWN, COUNTING_ON, COUNTING_OFF } Counting;

/* What all supervisors share; owned by the manager. */
typedef struct ProcessContext {
	KeeperLink *link;
	WorkerPool *workers;
	LogRouter *logs;
	const char *cgroup_root;    /* NULL: no cgroup v2; sessions and the subreaper must do */
	bool has_marks;             /* without cgroups: go by marks (process/kin.h) */
	const char *runtime_dir;    /* "/run/svcd": notify sockets live below it */
	const char *exec_helper;    /* path of svc-exec */
	const char *const *environment; /* what every service gets: PATH, LANG... */
	const int *machine; /* resources.h; NULL: nothing is known of it */
	Counting counting;
	int null_fd; /* /dev/null, opened when it is needed first; 0: not yet */

	/*
	 * An event of a service. The listener must not free the supervisor inside this call; after PROCESS_GONE it
	 * frees it from the main loop's next turn.
	 */
	void (*event)(void *data, const char *service, uint64_t invocation, const ProcessEvent *event);
	/* The note of @service as it is now, for the datagram of an act; valid until the next call. */
	const char *(*note)(void *data, const char *service);
	/*
	 * Ready=dbus:NAME and path:PATH wait for a condition: its levels come by supervisor_on_level() until unwatched, the
	 * present one first, but never inside this call.
	 */
	void (*watch)(void *data, const char *service, KeyPrefix prefix, const char *key);
	void (*unwatch)(void *data, const char *service, KeyPrefix prefix, const char *key);
	/* Will another run of @service follow the one that is ending? */
	bool (*starts_again)(void *data, const char *service);
	/* Is all to end, the machine or the session, so that what cannot be killed is left behind? */
	bool (*is_ending)(void *data);
	/* What the files of a service without TasksMax= hold, as in ResourceDef; NULL: nothing is written. */
	const char *(*tasks_max)(void *data);
	/* The sockets of a service that has any, all open; valid until the next call. False with @error: the start fails. */
	bool (*sockets)(void *data, const char *service, SpawnSockets *ret, GError **error);
	void *data;
} ProcessContext;

/**
 * supervisor_start() - begin an invocation
 * @def: copied as far as it is needed: the definition may be reloaded while this runs
 */
Supervisor *supervisor_start(ProcessContext *context, const ServiceDef *def, uint64_t invocation);

/**
 * supervisor_resume() - take over an invocation that another manager began
 * @phase:     what supervisor_phase() last gave, "" if the note is lost: alive means ready then
 * @pids:      by role: living (or unacknowledged) rows, 0: none
 *
 * Time limits go on from where they were. Kept descriptors (notify socket, ready descriptor, exec status, log pipe) are
 * handed over by supervisor_give_fd() before the first event is reported; call supervisor_resumed() after the last.
 */
Supervisor *supervisor_resume(ProcessContext *context, const ServiceDef *def, uint64_t invocation, const char *phase,
			      const pid_t pids[ROLE_COUNT]);
/* @kind: the middle part of the kept name "SERVICE/KIND/INDEX". Takes @fd in any case. */
void supervisor_give_fd(Supervisor *supervisor, const char *kind, int fd);
void supervisor_resumed(Supervisor *supervisor);

/**
 * supervisor_redefine() - the service's files may have changed since this invocation began
 *
 * An invocation that is up reloads, stops and cleans up as @def says; in any other step it goes on as it began.
 */
void supervisor_redefine(Supervisor *supervisor, const ServiceDef *def);
void supervisor_stop(Supervisor *supervisor);
/* Answered by PROCESS_RELOADED or PROCESS_RELOAD_FAILED; waits for a RestartCommand= that runs. */
void supervisor_reload(Supervisor *supervisor);
/*
 * supervisor_restart() - run the RestartCommand= of a script; answered by PROCESS_RESTARTED or PROCESS_RESTART_FAILED, unless
 * a stop comes before it begins. While it runs already this is nothing.
 */
void supervisor_restart(Supervisor *supervisor);
/* Run the CheckCommand=; answered by PROCESS_CHECKED. What is not up, or ends meanwhile, has nothing in its way. */
void supervisor_check(Supervisor *supervisor);

/**
 * supervisor_send_signal() - what somebody asked for: it is no stop, and what ends of it ends by itself
 * @to_all: to every process of the service, and not only to the main one
 * Returns: false with NOT_SUPPORTED when it is not known whom to send it to.
 */
bool supervisor_send_signal(Supervisor *supervisor, int signo, bool to_all, GError **error);

/* Messages of the keeper that concern this invocation. An exit is acknowledged by the supervisor itself. */
void supervisor_on_spawned(Supervisor *supervisor, const struct MessageSpawned *message);
void supervisor_on_exited(Supervisor *supervisor, const struct MessageExited *message);
void supervisor_on_adopted(Supervisor *supervisor, const struct MessageAdopted *message);
/* The level of a condition that was asked for by ProcessContext.watch; @why: for people, should it not come true. */
void supervisor_on_level(Supervisor *supervisor, const char *key, Level level, const char *why);

/* At most 40 bytes without blanks, for the note ("p=" key): step, its index, absolute deadline. */
void supervisor_phase(const Supervisor *supervisor, char *text, size_t size);
pid_t supervisor_main_pid(const Supervisor *supervisor);
uint64_t supervisor_invocation(const Supervisor *supervisor);
/* The keeper has a note of where it stands now. */
void supervisor_noted(Supervisor *supervisor);
/* Absolute path of its cgroup, NULL without cgroup v2. */
const char *supervisor_cgroup(const Supervisor *supervisor);
void supervisor_free(Supervisor *supervisor);

#endif
