/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Supervise: one invocation of one service, from its first process to its last.
 *
 * Covers preparation commands, the main process, readiness, reload, the stop sequence (signal or
 * command, time limit, kill of the whole cgroup) and clean-up commands. It knows no conditions and
 * no policy: it reports ProcessEvents, and the engine decides. The order of events is in
 * model/process-event.h.
 *
 * Crash-only: a new manager resumes it from its phase text (in the service's note), the keeper's
 * rows, and the descriptors that the keeper keeps.
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

/* The sockets of a main process; borrowed. */
typedef struct SpawnSockets {
	const int *fds; /* numbered from 3 in the process */
	unsigned n;
	const char *names; /* LISTEN_FDNAMES */
} SpawnSockets;

/* Does the kernel count the processes of services? */
typedef enum Counting { COUNTING_UNKNOWN, COUNTING_ON, COUNTING_OFF } Counting;

/* The data that all supervisors share; owned by the manager. */
typedef struct ProcessContext {
	KeeperLink *link;
	WorkerPool *workers;
	LogRouter *logs;
	/* NULL: no cgroup v2; sessions and the subreaper are used instead */
	const char *cgroup_root;
	bool has_marks; /* without cgroups: find processes by marks (process/tagged-processes.h) */
	const char *runtime_dir; /* "/run/svcd": notify sockets are below it */
	const char *exec_helper; /* path of svc-exec */
	const char *const *environment; /* for every service: PATH, LANG, ... */
	const int *machine; /* resources.h; NULL: none is known */
	Counting counting;
	int null_fd; /* /dev/null, opened at the first use; 0: not yet */

	/*
	 * An event of a service. The listener must not free the supervisor inside this call. After
	 * PROCESS_GONE it frees the supervisor in the next turn of the main loop.
	 */
	void (*event)(void *data, const char *service, uint64_t invocation,
		      const ProcessEvent *event);
	/* The present note of @service, to be sent with a message; valid until the next call. */
	const char *(*note)(void *data, const char *service);
	/*
	 * Ready=dbus:NAME and path:PATH wait for a condition. The levels of this condition are
	 * passed to supervisor_on_level() until unwatch() is called. The present level comes first,
	 * but never inside this call.
	 */
	void (*watch)(void *data, const char *service, KeyPrefix prefix, const char *key);
	void (*unwatch)(void *data, const char *service, KeyPrefix prefix, const char *key);
	/* Will another run of @service follow the one that is ending? */
	bool (*starts_again)(void *data, const char *service);
	/*
	 * Is the machine or the session shutting down, so that processes that cannot be killed are
	 * left behind?
	 */
	bool (*is_ending)(void *data);
	/* The TasksMax= of services that set none, as in ResourceDef; NULL: nothing is written. */
	const char *(*tasks_max)(void *data);
	/*
	 * The open sockets of a service that has any; valid until the next call. False with @error:
	 * the start fails.
	 */
	bool (*sockets)(void *data, const char *service, SpawnSockets *ret, GError **error);
	void *data;
} ProcessContext;

/**
 * supervisor_start() - begin an invocation
 * @def: shared until the invocation ends, because the files may be loaded again meanwhile
 */
Supervisor *supervisor_start(ProcessContext *context, const ServiceDef *def, uint64_t invocation);

/**
 * supervisor_resume() - take over an invocation that another manager began
 * @phase: the last result of supervisor_phase(), "" if the note is lost: then a live process means
 * ready
 * @pids: by role: living (or unacknowledged) rows, 0: none
 *
 * Time limits continue. Kept descriptors (notify socket, ready descriptor, exec status, log
 * channel) are handed over by supervisor_give_fd() before the first event is reported. Call
 * supervisor_resumed() after the last one.
 */
Supervisor *supervisor_resume(ProcessContext *context, const ServiceDef *def, uint64_t invocation,
			      const char *phase, const pid_t pids[ROLE_COUNT]);
/* @kind: the middle part of the kept name "SERVICE/KIND/INDEX". Takes @fd in any case. */
void supervisor_give_fd(Supervisor *supervisor, const char *kind, int fd);
void supervisor_resumed(Supervisor *supervisor);

/**
 * supervisor_redefine() - the service's files may have changed since this invocation began
 *
 * An invocation that is up will reload, stop and clean up as @def specifies. In any other step it
 * continues as it began.
 */
void supervisor_redefine(Supervisor *supervisor, const ServiceDef *def);
void supervisor_stop(Supervisor *supervisor);
/* Answered by PROCESS_RELOADED or PROCESS_RELOAD_FAILED. Waits for a running RestartCommand=. */
void supervisor_reload(Supervisor *supervisor);
/*
 * Runs the RestartCommand= of a script. Answered by PROCESS_RESTARTED or PROCESS_RESTART_FAILED,
 * unless a stop comes before it begins. Does nothing while the command already runs.
 */
void supervisor_restart(Supervisor *supervisor);
/*
 * Runs the CheckCommand=; answered by PROCESS_CHECKED. A service that is not up, or ends meanwhile,
 * passes the check.
 */
void supervisor_check(Supervisor *supervisor);

/**
 * supervisor_send_signal() - send a signal that a user requests; this is not a stop
 * @to_all: to every process of the service, not only to the main one
 * Returns: false with NOT_SUPPORTED if no recipient is known.
 */
bool supervisor_send_signal(Supervisor *supervisor, int signo, bool to_all, GError **error);

/* Messages from the keeper about this invocation. The supervisor acknowledges an exit itself. */
void supervisor_on_spawned(Supervisor *supervisor, const struct MessageSpawned *message);
void supervisor_on_exited(Supervisor *supervisor, const struct MessageExited *message);
void supervisor_on_adopted(Supervisor *supervisor, const struct MessageAdopted *message);
/*
 * The level of a condition requested by ProcessContext.watch. @why: shown to users if it does not
 * become true.
 */
void supervisor_on_level(Supervisor *supervisor, const char *key, Level level, const char *why);

/* At most 40 bytes without blanks, for the note ("p=" key): step, its index, absolute deadline. */
void supervisor_phase(const Supervisor *supervisor, char *text, size_t size);
pid_t supervisor_main_pid(const Supervisor *supervisor);
uint64_t supervisor_invocation(const Supervisor *supervisor);
/* Called when the keeper has a note of the present phase. */
void supervisor_noted(Supervisor *supervisor);
/* Absolute path of its cgroup, NULL without cgroup v2. */
const char *supervisor_cgroup(const Supervisor *supervisor);
void supervisor_free(Supervisor *supervisor);

#endif
