/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Supervise, inside: the steps of an invocation and what they share. For supervise*.c only.
 *
 * A step function looks at what happened, says what follows by supervisor_go(), and returns. Only then the exit is
 * acknowledged, with a note that names the new step, and only then the new step is entered. So a manager that dies
 * anywhere in between leaves either the old step with the row, or the new step without it, and both can be gone on from.
 */
#ifndef SVCD_PROCESS_SUPERVISE_PRIVATE_H
#define SVCD_PROCESS_SUPERVISE_PRIVATE_H

#include "base/enum-names.h"
#include "loop/loop.h"
#include "process/capture.h"
#include "process/cgroup.h"
#include "process/notify-eater.h"
#include "process/notify-socket.h"
#include "process/plan.h"
#include "process/ready-fd.h"
#include "process/resources.h"
#include "process/supervise.h"

#define SUPERVISE_STEPS(X, P)                                                                      \
	X(P, NEW, "new")         /* nothing has been done yet */                                      \
	X(P, CLEAR, "clear")     /* kills what an earlier run left in the cgroup */                   \
	X(P, PREPARE, "prepare") /* index: the Prepare= command that runs */                          \
	X(P, MAIN, "main")       /* the main process runs, and is not ready */                        \
	X(P, FORKED, "forked")   /* the first process has ended; its daemon is looked for */          \
	X(P, ADOPT, "adopt")     /* index: the process that the keeper was asked to adopt */          \
	X(P, LEFT, "left")       /* a command of a script has ended: what it left; index: its exit status, or LEFT_... */ \
	X(P, READY, "ready")                                                                          \
	X(P, RELOAD, "reload")   /* ready, and the Reload= command runs; index 1: it took too long */ \
	X(P, RESTART, "restart") /* ready or done, and the RestartCommand= runs; index 1: it took too long; more: RESTART_RECHECK */ \
	X(P, SEEK, "seek")       /* the main process of a script has ended: its successor is looked for */ \
	X(P, DONE, "done")       /* a task that succeeded; a script that left nothing running */      \
	X(P, ABORT, "abort")     /* the main process gives no sign of life, and has been told ABRT */     \
	X(P, STOP, "stop")       /* the Stop= command runs; index 0: not yet, another one is in its place */ \
	X(P, TERM, "term")       /* the main process has been told to end; index 1: Stop= comes after that */ \
	X(P, REST, "rest")       /* it has; the others in the cgroup have been told */                \
	X(P, KILL, "kill")       /* index: how often */                                               \
	X(P, CLEANUP, "cleanup") /* index: the Cleanup= command that runs */                          \
	X(P, SWEEP, "sweep")     /* kills what the clean-up commands left */                          \
	X(P, TIDY, "tidy")       /* removes runtime directories and the private /tmp */               \
	X(P, GONE, "gone")
ENUM_WITH_NAMES(Step, STEP, step, SUPERVISE_STEPS)

/* STEP_LEFT: the command was ended by a signal; it was the Reload= command. */
#define LEFT_KILLED 256
#define LEFT_RELOADED 257

/* Descriptors that the keeper keeps as "SERVICE/KIND/0", so that the next manager has them too. */
#define KEPT_KINDS(X, P) X(P, STATUS, "status") X(P, READY, "ready") X(P, NOTIFY, "notify")
ENUM_WITH_NAMES(KeptKind, KEPT, kept_kind, KEPT_KINDS)

/* A row of the keeper's table, as far as we know it. */
typedef struct ProcessRow {
	bool in_use; /* asked for, and its end not yet handled */
	pid_t pid;   /* 0 until it is told */
	ReadyFd *status;
	char *problem; /* why it was not executed; NULL: it was, or is not known */
} ProcessRow;

/* A command that runs beside the steps and asks something about a service that is up: CheckCommand=, HealthCommand=. */
typedef struct Probe {
	Supervisor *owner;
	enum ProcessRole role;
	Cgroup *cgroup;  /* its own: it is none of the processes of which the service's life depends */
	Capture *output; /* NULL: begun by the manager before */
	Timer *limit;
	int64_t limit_us;
	bool is_late;    /* killed, for its time was up */
	bool is_dropped; /* killed, for nobody wants to know any more */
	bool is_stuck;   /* killed, and it does not end: nothing waits for it */
} Probe;

/* What is known of its health by asking. */
typedef struct HealthWatch {
	Timer *next;         /* the next time to ask */
	int64_t up_us;       /* since then it is up, as far as this manager knows; 0: it is not */
	unsigned n_failures; /* in a row */
	bool is_reported;        /* the last report was: */
	bool is_healthy;
} HealthWatch;

struct Supervisor {
	ProcessContext *context;
	Plan plan;
	uint64_t invocation;

	Step step;
	unsigned index;
	bool has_begun;   /* false until the first turn of the main loop */
	bool is_in_line;  /* before that: the link to the keeper is to let it in; it has its turn then */
	bool is_entering; /* @step is new, and what it does has not been done */
	bool is_resumed;
	bool is_stopping;  /* the stop limit is running */
	bool is_refused;   /* the machine had no room for the last process of its start, or its program is being written */
	bool is_watching;  /* Ready=dbus: or path:, between executed and ready */
	char noted[48]; /* the phase that the last note held */

	/* Asked for, handled in the next turn. */
	bool stop_wanted;
	bool reload_wanted;
	bool restart_wanted; /* waits until the service is ready or done */
	bool check_wanted;   /* waits for the end of one that nobody waits for */

	/* What has been reported to the engine, and part of the phase. */
	bool was_ready;
	bool failure_reported;
	bool exit_reported; /* of a script in STEP_DONE: that it is done */
	bool has_run;     /* of a script: it was up before its last restart or reload */

	ProcessRow rows[ROLE_COUNT];
	Probe *probes[ROLE_COUNT]; /* ROLE_CHECK, ROLE_HEALTH; NULL: never begun */
	Capture *stop_output;      /* of a Stop= command whose failure is reported; NULL: there is none, or the manager before began it */
	HealthWatch *health;       /* NULL: nobody has asked yet */
	struct MessageExited *early_exits[ROLE_COUNT]; /* told before a resumed supervisor had all its descriptors; or NULL */
	pid_t next_main_pid;    /* MAINPID=: takes over when the present main process ends; 0: none. Part of the phase */
	int errnum;             /* ERRNO= */
	struct MessageExited *last_exit; /* of the main process that is being replaced; NULL: none has ended */
	/* As counted before anything of this run could be killed, or refused. */
	OutOfMemory memory;
	uint64_t n_task_refusals;
	WorkerJob *search; /* for the main process; NULL: none */
	Step search_step;  /* that asked for it */
	WorkerJob *sender_question; /* is the sender of a datagram one of its processes? NULL: that is not asked */
	WorkerJob *successor_question;   /* the same of MAINPID= */
	char *status_text;      /* STATUS= */
	char *forked_problem;   /* why the daemon behind Ready=fork is not found yet */
	char *unready_why;      /* why that condition does not hold yet */

	Cgroup *cgroup;
	char *notify_path; /* NULL unless it may say something */
	NotifySocket *notify;
	NotifyEater *eater; /* NULL until a datagram has descriptors */
	bool is_notify_abused; /* its first socket was given up */
	ReadyFd *ready;
	bool is_kept[KEPT_COUNT];
	int64_t known_us;  /* this supervisor knows of what has happened since then */

	int64_t watchdog_us; /* the longest time between two signs of life; 0: none are asked for. Part of the phase */
	/* NULL while they are not needed, and none of them is while nothing happens */
	Timer *watchdog; /* the next sign's deadline */
	Timer *turn;  /* what was asked for */
	Timer *limit; /* deadline of the step */
	Timer *poll;  /* pid file; kill again */
	int64_t poll_us;
	unsigned n_renewals; /* how often step_renew_cgroup() was put off */
};

typedef struct StepRow {
	void (*enter)(Supervisor *s);
	void (*main_ended)(Supervisor *s, const struct MessageExited *exit);
	void (*control_ended)(Supervisor *s, const struct MessageExited *exit);
	void (*limit)(Supervisor *s);   /* the deadline has passed */
	void (*changed)(Supervisor *s); /* the cgroup may be empty, or it is time to look again */
	void (*stop)(Supervisor *s);
	/* The answer to supervisor_search_main(). @pid: 0: none; then @problem, if not "", is the reason. */
	void (*found)(Supervisor *s, pid_t pid, unsigned n_processes, const char *problem);
} StepRow;

/* The row of the present step; a script's may be one of its own. */
const StepRow *supervisor_row(const Supervisor *s);
/* Without an entry function: a script's step is that of any other service. */
extern const StepRow script_rows[STEP_COUNT];

/* --- supervise.c: what steps may use --- */

/* The next step; entered when the present call-back is over. */
void supervisor_go(Supervisor *s, Step step, unsigned index);
/* The same, but what the step does on entry has been done already. */
void supervisor_stay(Supervisor *s, Step step, unsigned index);
/* Enters steps until one waits for something. Every call-back from outside ends with it. */
void supervisor_settle(Supervisor *s);

void supervisor_emit(Supervisor *s, ProcessEvent *event);
void supervisor_event(Supervisor *s, ProcessEventKind kind, const char *text);
/* The end of a daemon that a restart of its script should have left running. */
void supervisor_report_restart_end(Supervisor *s, const struct MessageExited *exit, const char *text);
void supervisor_report_exit(Supervisor *s, const struct MessageExited *exit, bool success, const char *text);
/* EXITED with success of a script of which nothing is left. */
void supervisor_report_done(Supervisor *s, const char *text);
/* START_FAILED, once, and then @next. */
void supervisor_fail_start(Supervisor *s, Step next, const char *format, ...) G_GNUC_PRINTF(3, 4);

void supervisor_set_limit(Supervisor *s, int64_t at_us); /* 0: none */
/* The step's "look again" is called then; 0: not any more. */
void supervisor_set_poll(Supervisor *s, int64_t at_us);
void supervisor_signal(Supervisor *s, enum ProcessRole role, int signo);
const char *supervisor_note(Supervisor *s);

/* --- supervise-processes.c --- */

/* @command: NULL: svc-exec removes what the run leaves. */
bool supervisor_spawn(Supervisor *s, enum ProcessRole role, const Command *command, GError **error);
bool supervisor_open_notify(Supervisor *s, GError **error);
void supervisor_arm(Supervisor *s);            /* the descriptors that the main process may speak on */
void supervisor_drain(Supervisor *s, enum ProcessRole role);
void supervisor_forget_fds(Supervisor *s);
/* Are its runtime directories to be removed after this run? */
bool supervisor_ends_runtime(const Supervisor *s);
/* NOTIFY_ASKED: only svc-worker can find out. */
NotifyTrust supervisor_trust(const Supervisor *s, pid_t pid);

/* By its PID file, and @with_guess as the only process that has become the keeper's child. The answer is for the present step. */
void supervisor_search_main(Supervisor *s, bool with_guess);
/* Is @pid in its control group, or in one below it? supervisor_is_yes() reads the answer. */
WorkerJob *supervisor_ask_process(Supervisor *s, pid_t pid, const WorkerListener *listener);
bool supervisor_is_yes(const char *const *words, unsigned n_words);
/* Logs which processes survive KILL. */
void supervisor_report_remains(const Supervisor *s, bool is_left);

/* --- supervise-health.c --- */

/* Watches as long as the service is up. */
void watchdog_update(Supervisor *s);
/* What a datagram says of it. */
void watchdog_take_message(Supervisor *s, const NotifyMessage *message);
/* EXTEND_TIMEOUT_USEC=: not before that time. */
void watchdog_extend(Supervisor *s, int64_t at_us);
void step_abort_enter(Supervisor *s);
void step_abort_main_ended(Supervisor *s, const struct MessageExited *exit);

static inline bool role_is_probe(enum ProcessRole role)
{
	return role == ROLE_CHECK || role == ROLE_HEALTH;
}
/* Does the service run, so that there is something to ask about? */
bool supervisor_is_up(const Supervisor *s);
/* Begins what is to be begun, and ends what is of no use any more. */
void probes_update(Supervisor *s);
void probes_resume(Supervisor *s);
void probe_ended(Supervisor *s, enum ProcessRole role, const struct MessageExited *exit);
bool probes_are_alive(const Supervisor *s);
void probes_free(Supervisor *s);

/* --- supervise-start.c: what is heard --- */

void supervisor_is_ready(Supervisor *s);
void step_main_level(Supervisor *s, Level level, const char *why);
/* Ends the look at the condition that Ready= names, if there is one. */
void supervisor_unwatch(Supervisor *s);
void step_main_executed(Supervisor *s);
void step_adopted(Supervisor *s, pid_t pid, int error);

/* --- supervise-steps.c: what steps share --- */

/* Processes besides the main and the control one, which have to go with them. */
bool step_has_others(const Supervisor *s);
/* Calls the step's "look again" after a time that grows. */
void step_poll_again(Supervisor *s);
/* KILL to all that is known of the service; to be repeated after a time that grows with @attempt. */
void step_kill_all(Supervisor *s, unsigned attempt);
/* New strings. */
char *step_describe_exit(const Supervisor *s, const struct MessageExited *exit);
char *step_describe_control(const Supervisor *s, const struct MessageExited *exit);
/* The same of a command for starting, stopping, reloading: a script's exit statuses have meanings. */
char *step_describe_action(const Supervisor *s, enum ProcessRole role, const struct MessageExited *exit);
/* @command: NULL if a new file does not have it any more, so that only its exit says how it ended. */
bool step_control_failed(const Command *command, const struct MessageExited *exit);
/* NULL behind the last one. */
const Command *step_command_at(const GPtrArray *commands, unsigned index);
/* A task, or any other service whose work ends with its process: success keeps it up. */
void step_end_by_itself(Supervisor *s, const struct MessageExited *exit);
/* The end of a process that means nothing in the present step. */
void step_stray_exit(Supervisor *s, const struct MessageExited *exit);
void step_nothing(Supervisor *s);
void step_ready_stop(Supervisor *s);
void step_reload_limit(Supervisor *s);

/* --- supervise-start.c: entries of the table --- */

/* Its limits, and what is said of those that are not in force. */
void step_apply_resources(Supervisor *s);
/* A group that others were in counts from here on. */
void step_count_events(Supervisor *s);
/*
 * Before somebody is started into a cgroup that may have been killed: cgroup_renew(). Returns: false when that is to be tried again,
 * as soon as the poll is over.
 */
bool step_renew_cgroup(Supervisor *s);
/* The same of groups that it has made below its own, when no process is left. */
bool step_clear_groups(Supervisor *s);

void step_clear_look(Supervisor *s);
void step_new_enter(Supervisor *s);
void step_new_stop(Supervisor *s);
void step_clear_enter(Supervisor *s);
void step_clear_limit(Supervisor *s);
void step_prepare_enter(Supervisor *s);
void step_prepare_ended(Supervisor *s, const struct MessageExited *exit);
void step_prepare_limit(Supervisor *s);
void step_prepare_stop(Supervisor *s);
void step_main_enter(Supervisor *s);
void step_main_ended(Supervisor *s, const struct MessageExited *exit);
void step_main_limit(Supervisor *s);
void step_main_stop(Supervisor *s);
void step_forked_enter(Supervisor *s);
void step_forked_found(Supervisor *s, pid_t pid, unsigned n_processes, const char *problem);
void step_forked_limit(Supervisor *s);
void step_forked_stop(Supervisor *s);
void step_adopt_enter(Supervisor *s);
void step_adopt_stop(Supervisor *s);

/* --- supervise-script.c --- */

/* Told READY, if it has not been told already, and in STEP_READY. */
void script_is_up(Supervisor *s);
void script_adopt_failed(Supervisor *s);
void script_left_enter(Supervisor *s);
void script_seek_enter(Supervisor *s);
void script_seek_found(Supervisor *s, pid_t pid, unsigned n_processes, const char *problem);
void script_restart_enter(Supervisor *s);
void script_restart_ended(Supervisor *s, const struct MessageExited *exit);
void script_restart_main_ended(Supervisor *s, const struct MessageExited *exit);
void script_restart_limit(Supervisor *s);

/* A task with DoneWhile= that is done: its work stands until its Stop= succeeds. When all is to end, nothing waits for that. */
bool supervisor_stays_done(const Supervisor *s);
/* The stop limit runs from now, if it does not run already. */
void step_begin_stopping(Supervisor *s);
void step_term_enter(Supervisor *s);
void step_term_main_ended(Supervisor *s, const struct MessageExited *exit);
void step_stop_limit(Supervisor *s);

#endif
