/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A service as its files describe it: vendor file, drop-ins, template expanded. Policy is in
 * policy.h.
 */
#ifndef SVCD_MODEL_SERVICE_DEF_H
#define SVCD_MODEL_SERVICE_DEF_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/enum-names.h"
#include "model/exec-def.h"
#include "model/resource-def.h"
#include "model/socket-def.h"
#include "model/term.h"

/*
 * script: Exec= is a start command that ends, like those of /etc/init.d. The processes that it
 * leaves are the service.
 */
#define SERVICE_TYPES(X, P) \
	X(P, DAEMON, "daemon") X(P, TASK, "task") X(P, SCRIPT, "script") X(P, GROUP, "group")
ENUM_WITH_NAMES(ServiceType, TYPE, service_type, SERVICE_TYPES)

/* clang-format off */
#define READY_KINDS(X, P)                                                                          \
	X(P, EXEC, "exec")     /* the program has been executed (default of daemons) */               \
	X(P, EXIT, "exit")     /* the process has ended with success (tasks and scripts) */           \
	X(P, FORK, "fork")     /* the process has ended and left a daemon behind, see PidFile= */      \
	X(P, NOTIFY, "notify") /* READY=1 on the notify socket (sd_notify(3)) */                       \
	X(P, FD, "fd")         /* a newline on that descriptor (s6's notification fd) */              \
	X(P, PATH, "path")     /* the path exists */                                                 \
	X(P, DBUS, "dbus")     /* the name has an owner on the system bus */
/* clang-format on */
ENUM_WITH_NAMES(ReadyKind, READY, ready_kind, READY_KINDS)

#define RESTART_POLICIES(X, P) X(P, NO, "no") X(P, ON_FAILURE, "on-failure") X(P, ALWAYS, "always")
ENUM_WITH_NAMES(RestartPolicy, RESTART, restart_policy, RESTART_POLICIES)

#define ON_LAPSE_KINDS(X, P) X(P, STOP, "stop") X(P, KEEP, "keep") X(P, RELOAD, "reload")
ENUM_WITH_NAMES(OnLapse, ON_LAPSE, on_lapse, ON_LAPSE_KINDS)

#define KILL_MODES(X, P) X(P, CONTROL_GROUP, "control-group") X(P, PROCESS, "process")
ENUM_WITH_NAMES(KillMode, KILL_MODE, kill_mode, KILL_MODES)

/* Do the lines that order the start also order the stop, in reverse? */
#define STOP_ORDERS(X, P) X(P, REVERSE, "reverse") X(P, SAID, "said")
ENUM_WITH_NAMES(StopOrder, STOP_ORDER, stop_order, STOP_ORDERS)

#define HEALTH_ACTIONS(X, P) X(P, RESTART, "restart") X(P, NONE, "none")
ENUM_WITH_NAMES(HealthAction, HEALTH_ACTION, health_action, HEALTH_ACTIONS)

/* Defaults; docs/service-files.md and svcd.service(5) repeat them. */
#define DEFAULT_START_LIMIT_US (90 * G_USEC_PER_SEC)
#define DEFAULT_STOP_LIMIT_US (10 * G_USEC_PER_SEC)
#define DEFAULT_RESTART_DELAY_US (100 * G_TIME_SPAN_MILLISECOND)
#define DEFAULT_RESTART_DELAY_MAX_US (30 * G_USEC_PER_SEC)
#define DEFAULT_RESTART_LIMIT 5
#define DEFAULT_HEALTH_INTERVAL_US (30 * G_USEC_PER_SEC)
#define DEFAULT_HEALTH_LIMIT_US (10 * G_USEC_PER_SEC)
#define DEFAULT_HEALTH_RETRIES 3
#define DEFAULT_RESTART_WINDOW_US (10 * G_USEC_PER_SEC)

/*
 * The maximum of WatchdogTimeout=, also for a value that a service requests. The note of a
 * supervisor has room for it.
 */
#define WATCHDOG_MAX_US (24 * G_TIME_SPAN_HOUR)

typedef struct Command {
	char **argv; /* argv[0] is an absolute path */
	bool may_fail; /* written with a leading "-": its failure is ignored */
	Origin origin;
} Command;

void command_free(Command *command);

/* Stop= and Reload=: a signal or a command. */
#define ACTION_KINDS(X, P) X(P, NONE, "none") X(P, SIGNAL, "signal") X(P, COMMAND, "command")
ENUM_WITH_NAMES(ActionKind, ACTION, action_kind, ACTION_KINDS)

typedef struct Action {
	ActionKind kind;
	int signal; /* ACTION_SIGNAL */
	Command *command; /* ACTION_COMMAND, owned; $MAINPID in it stands for the main process */
} Action;

/* A name in After=, Wants=, ... with its place. */
typedef struct NameRef {
	const char *name; /* interned */
	Origin origin;
	bool is_turned; /* in After=: from Before= in the file of that service (check.h) */
} NameRef;

/* The lists are those of base/list.h. */
typedef struct ServiceDef {
	unsigned n_users; /* the number of owners: its set, and those from service_def_share() */
	ServiceType type;
	const char *name; /* "sshd", "getty@tty1"; interned */
	char *instance; /* "tty1", NULL when it comes from no template */
	Origin origin; /* the main file */
	bool is_gone; /* no file describes it any more; it stands for the running processes */
	/*
	 * "FILE:LINE: text" of the first error in the files, which excludes the service; NULL: no
	 * error
	 */
	char *problem;
	/*
	 * the error in the newest files, if this is their last version without errors
	 * (config/last-good.h); or NULL
	 */
	char *file_problem;
	char *description; /* NULL: the file gives none, see service_def_description() */

	Command *exec; /* NULL in groups */
	GPtrArray *prepare; /* Command *, in order; never NULL */
	GPtrArray *cleanup; /* Command *, run after the last process is gone; never NULL */
	Action stop; /* default: signal TERM; for a done task: only its command */
	Action reload;
	/* CheckCommand=: before an admin's restart, reload or stop; NULL: none */
	Command *check;
	Command *restart_command; /* RestartCommand= of a script that is up; NULL: stop and start */
	KillMode kill_mode; /* PROCESS: other processes go on (sessions of sshd, jobs of cron) */
	/* FinalKillSignal=: after the stop limit, to the whole cgroup; default KILL */
	int kill_signal;

	ReadyKind ready;
	/* READY_PATH, READY_DBUS: the kind of the condition that means readiness */
	KeyPrefix ready_prefix;
	const char *ready_key; /* that condition, interned; NULL for all other kinds of readiness */
	GPtrArray *bus_names; /* NameRef *: BusName=; a call to such a name starts the service */
	char *pid_file; /* PidFile=, or NULL */
	int ready_fd; /* READY_FD */

	RestartPolicy restart;
	int64_t restart_delay_us; /* first backoff; doubles */
	int64_t restart_delay_max_us;
	unsigned restart_limit; /* this many starts ... */
	int64_t restart_window_us; /* ... in this time, then failed */
	GArray *success_status; /* int: exit statuses other than 0 that count as success */

	int64_t start_limit_us; /* StartTimeout=: from start to ready; never 0 */
	int64_t stop_limit_us; /* StopTimeout=: from the request to stop to the last signal */
	Command *health; /* HealthCommand=: run while it is up; NULL: none */
	int64_t health_interval_us;
	int64_t health_limit_us; /* HealthTimeout= */
	unsigned health_retries; /* this many failures in a row: unhealthy */
	HealthAction health_action;
	int64_t health_start_us; /* HealthStartPeriod=: failures during it are ignored */
	int64_t watchdog_us; /* WatchdogTimeout= between two keep-alive messages; 0: none */
	char *start_lock; /* StartLock=, or NULL: only one service with it starts at a time */
	int64_t linger_us; /* how long it stays after nothing wants it any more */
	bool once; /* a task that does not run again when its When= becomes true again */
	StopOrder stop_order; /* SAID: only its StopAfter= and StopBefore= order its stop */

	OnLapse on_lapse;
	int64_t settle_us;
	/* of its due: conditions: the longest delay of a time, and what happens after a boot */
	int64_t random_delay_us;
	bool is_persistent; /* a time that passed while the machine was off counts */
	int64_t wait_limit_us; /* WaitTimeout=: limit for external conditions; 0: none */

	GPtrArray *when; /* Term *; never NULL, like the lists below */
	GPtrArray *while_terms; /* Term *: While= ("while" is a keyword of C) */
	GPtrArray *done_while; /* Term *: if one is false, an admin's start repeats the task */
	GPtrArray *shown_when; /* Term *: of a login screen: it is visible */
	GPtrArray *after; /* NameRef *: services or $facilities */
	GPtrArray *before;
	GPtrArray *wants;
	GPtrArray *conflicts;
	bool stand_in; /* StandIn=: runs only if its conflicting services cannot */
	GPtrArray *provides; /* NameRef *: $facilities, or aliases of this service */
	GPtrArray *stop_after;
	GPtrArray *stop_before;

	const ExecDef *execution; /* never NULL; written through exec_def_change() */
	ResourceDef *resources; /* NULL: none is set */
	SocketDef *socket; /* NULL: no [Socket] */

	/*
	 * A hash of the settings that a run keeps from its start: all except [Conditions] and the
	 * description.
	 */
	uint32_t mark;

	/* For "svcctl cat": the keys in effect, in order; DefLine *, never NULL. */
	GPtrArray *lines;
} ServiceDef;

typedef struct DefLine {
	const char *section; /* static */
	const char *key;
	char *value;
	Origin origin;
} DefLine;

void def_line_free(DefLine *line);

static inline unsigned service_def_n_sockets(const ServiceDef *def)
{
	return def->socket ? def->socket->listens->len : 0;
}

/* Never NULL: the name if there is no description. */
static inline const char *service_def_description(const ServiceDef *def)
{
	return def->description ? def->description : def->name;
}

ServiceDef *service_def_new(const char *name, Origin origin);
/*
 * For owners that outlive the set of @def, such as a run that continues with its definition after a
 * reload. Each owner calls service_def_free(), and the last call frees the definition.
 */
ServiceDef *service_def_share(const ServiceDef *def);
void service_def_free(ServiceDef *def);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ServiceDef, service_def_free)

/**
 * service_def_relations() - write a service file with the same type and relations to other services
 * Returns: a new string.
 */
char *service_def_relations(const ServiceDef *def);

/**
 * service_def_mount_point() - get the path at which this service mounts something
 *
 * Such a service is a task with a Stop= command that unmounts the path, and with
 * DoneWhile=mounted:PATH.
 * Returns: the path as in the key of the condition; NULL: not such a service.
 */
const char *service_def_mount_point(const ServiceDef *def);

/*
 * @by_path has mount points as keys. Returns: the value for the innermost mount point above @path,
 * or NULL.
 */
gpointer mount_point_find(GHashTable *by_path, const char *path);

NameRef *name_ref_new(const char *name, Origin origin);
void name_ref_free(NameRef *ref);

#endif
