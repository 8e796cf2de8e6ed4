/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A service as its files describe it: vendor file, drop-ins, template expanded. Logic only; policy is in policy.h.
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

/* script: Exec= is a start command that ends, as those of /etc/init.d do; what it leaves running is the service. */
#define SERVICE_TYPES(X, P)                                                                        \
	X(P, DAEMON, "daemon") X(P, TASK, "task") X(P, SCRIPT, "script") X(P, GROUP, "group")
ENUM_WITH_NAMES(ServiceType, TYPE, service_type, SERVICE_TYPES)

#define READY_KINDS(X, P)                                                                          \
	X(P, EXEC, "exec")     /* the program has been executed (default of daemons) */               \
	X(P, EXIT, "exit")     /* the process has ended with success (tasks and scripts) */           \
	X(P, FORK, "fork")     /* the process has ended and left a daemon behind, see PidFile= */      \
	X(P, NOTIFY, "notify") /* READY=1 on the notify socket (sd_notify(3)) */                       \
	X(P, FD, "fd")         /* a newline on that descriptor (s6's notification fd) */              \
	X(P, PATH, "path")     /* the path exists */                                                 \
	X(P, DBUS, "dbus")     /* the name has an owner on the system bus */
ENUM_WITH_NAMES(ReadyKind, READY, ready_kind, READY_KINDS)

#define RESTART_POLICIES(X, P) X(P, NO, "no") X(P, ON_FAILURE, "on-failure") X(P, ALWAYS, "always")
ENUM_WITH_NAMES(RestartPolicy, RESTART, restart_policy, RESTART_POLICIES)

#define ON_LAPSE_KINDS(X, P) X(P, STOP, "stop") X(P, KEEP, "keep") X(P, RELOAD, "reload")
ENUM_WITH_NAMES(OnLapse, ON_LAPSE, on_lapse, ON_LAPSE_KINDS)

#define KILL_MODES(X, P) X(P, CONTROL_GROUP, "control-group") X(P, PROCESS, "process")
ENUM_WITH_NAMES(KillMode, KILL_MODE, kill_mode, KILL_MODES)

/* Whether the lines that order the start order the stop too, the other way round. */
#define STOP_ORDERS(X, P) X(P, REVERSE, "reverse") X(P, SAID, "said")
ENUM_WITH_NAMES(StopOrder, STOP_ORDER, stop_order, STOP_ORDERS)

/* What is done about a service that is not healthy. */
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

/* WatchdogTimeout=, and what a service may ask for instead: the step's note has room for that. */
#define WATCHDOG_MAX_US (24 * G_TIME_SPAN_HOUR)

typedef struct Command {
	char **argv; /* argv[0] is an absolute path */
	bool may_fail; /* written with "-" in front: its failure is ignored */
	Origin origin;
} Command;

void command_free(Command *command);

/* Stop= and Reload=: a signal or a command. */
#define ACTION_KINDS(X, P) X(P, NONE, "none") X(P, SIGNAL, "signal") X(P, COMMAND, "command")
ENUM_WITH_NAMES(ActionKind, ACTION, action_kind, ACTION_KINDS)

typedef struct Action {
	ActionKind kind;
	int signal;       /* ACTION_SIGNAL */
	Command *command; /* ACTION_COMMAND, owned; the word $MAINPID in it stands for the main process */
} Action;

/* A name in After=, Wants=, ... with the place it was written. */
typedef struct NameRef {
	const char *name; /* interned */
	Origin origin;
	bool is_turned; /* in After=: it was Before= in the file of that service (check.h) */
} NameRef;

/* Its lists are those of base/list.h. */
typedef struct ServiceDef {
	unsigned n_users; /* its set, and who shares it */
	ServiceType type;
	const char *name; /* "sshd", "getty@tty1"; interned */
	char *instance; /* "tty1", NULL when it comes from no template */
	Origin origin;  /* the main file */
	bool is_gone;   /* no file describes it any more: this stands for what runs */
	char *problem;  /* not NULL: the file has errors, and this service is out; "FILE:LINE: text" of the first */
	char *description; /* NULL: the file gives none, see service_def_description() */

	Command *exec;      /* NULL in groups */
	GPtrArray *prepare; /* Command *, in order; never NULL */
	GPtrArray *cleanup; /* Command *, after the last process is gone; never NULL */
	Action stop;        /* default: signal TERM; for a task that is done: nothing but its command, if it has one */
	Action reload;
	Command *check;     /* CheckCommand=: is its configuration in order? Before an admin's restart, reload or stop; NULL: none */
	Command *restart_command; /* RestartCommand=, of scripts: an admin's restart of one that is up; NULL: stop and start */
	KillMode kill_mode; /* PROCESS: what the main process leaves behind is left alone (sessions of sshd, jobs of cron) */
	int kill_signal;    /* FinalKillSignal=: after the stop limit, to the whole cgroup; default KILL */

	ReadyKind ready;
	KeyPrefix ready_prefix; /* READY_PATH, READY_DBUS: readiness is a condition, */
	const char *ready_key;  /* this one, interned; else NULL */
	GPtrArray *bus_names;   /* NameRef *: BusName=, besides that of READY_DBUS; a call to one of them starts it */
	char *pid_file;     /* PidFile=, or NULL */
	int ready_fd;       /* READY_FD */

	RestartPolicy restart;
	int64_t restart_delay_us;     /* first back-off; doubles */
	int64_t restart_delay_max_us;
	unsigned restart_limit;       /* this many starts ... */
	int64_t restart_window_us;    /* ... in this time, then failed */
	GArray *success_status;       /* int: exit statuses that count as success besides 0 */

	int64_t start_limit_us; /* StartTimeout=: from start to ready; never 0 */
	int64_t stop_limit_us;  /* StopTimeout=: from the request to stop to the last signal */
	Command *health;        /* HealthCommand=: is it well? Asked while it is up; NULL: nobody asks */
	int64_t health_interval_us;
	int64_t health_limit_us;  /* HealthTimeout= */
	unsigned health_retries;  /* so many failures in a row: unhealthy */
	HealthAction health_action;
	int64_t health_start_us;  /* HealthStartPeriod=: failures before the first success do not count so long */
	int64_t watchdog_us;    /* WatchdogTimeout=: the longest time between two signs of life; 0: it gives none */
	char *start_lock; /* StartLock=, or NULL: of those with the same one is starting at a time */
	int64_t linger_us; /* keep it this long after nothing wants it any more */
	bool once;        /* a task that is not run again after its When went false and true */
	StopOrder stop_order; /* SAID: of its own lines only StopAfter= and StopBefore= order its stopping */

	OnLapse on_lapse;
	int64_t settle_us;
	int64_t wait_limit_us; /* WaitTimeout=: how long the world outside may hold it back; 0: for ever */

	GPtrArray *when;  /* Term *; never NULL, as all that follow */
	GPtrArray *hold;  /* Term *: While= ("while" is C's) */
	GPtrArray *done_while; /* Term *: a task's work stands; once it does not, an admin's start does it again */
	GPtrArray *shown_when; /* Term *: of a login screen: it can be seen */
	GPtrArray *after; /* NameRef *: services or $facilities */
	GPtrArray *before;
	GPtrArray *wants;
	GPtrArray *conflicts;
	bool stand_in; /* StandIn=: gives way to what it conflicts with, and runs when none of that can */
	GPtrArray *provides; /* NameRef *: $facilities, or further names of this service */
	GPtrArray *stop_after;
	GPtrArray *stop_before;

	const ExecDef *execution; /* never NULL; written through exec_def_change() */
	ResourceDef *resources; /* NULL: none is said */
	SocketDef *socket; /* NULL: it has no [Socket] */

	/* Of all that a run keeps from its start: each setting but those of [Conditions], and the description. */
	uint32_t mark;

	/* For "svcctl cat": every key as it took effect, in order; DefLine *, never NULL. */
	GPtrArray *lines;
} ServiceDef;

typedef struct DefLine {
	const char *section; /* of the table of keys */
	const char *key;
	char *value;
	Origin origin;
} DefLine;

void def_line_free(DefLine *line);

/* How many lines of [Socket] are addresses. */
static inline unsigned service_def_n_sockets(const ServiceDef *def)
{
	return def->socket ? def->socket->listens->len : 0;
}

/* Never NULL: its name, if the file says nothing else. */
static inline const char *service_def_description(const ServiceDef *def)
{
	return def->description ? def->description : def->name;
}

ServiceDef *service_def_new(const char *name, Origin origin);
/*
 * For who needs it longer than its set does: a run that began with it goes on with it when files are read anew. To be freed
 * by service_def_free() as well; the last one does it.
 */
ServiceDef *service_def_share(const ServiceDef *def);
void service_def_free(ServiceDef *def);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ServiceDef, service_def_free)

/**
 * service_def_mount_point() - the path at which this service has something mounted
 *
 * A task whose work stands while a path is mounted (DoneWhile=mounted:PATH), and whose Stop= is a command, which unmounts it.
 * Returns: the path as in the key of the condition; NULL: it is no such service
 */
const char *service_def_mount_point(const ServiceDef *def);

/* Of the values of @by_path, whose keys are mount points, the one that @path is on: the innermost; NULL: there is none. */
gpointer mount_point_find(GHashTable *by_path, const char *path);

NameRef *name_ref_new(const char *name, Origin origin);
void name_ref_free(NameRef *ref);

#endif
