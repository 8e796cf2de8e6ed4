/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Supervise, inside: the steps of an invocation and their shared state. Only for supervise*.c.
 *
 * A step function examines the event, chooses the next step by supervisor_go(), and returns. Then
 * the exit is acknowledged with a note that contains the new step, and after that the new step is
 * entered. So a manager that dies in between leaves either the old step with the keeper's row, or
 * the new step without that row. Both can be resumed.
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

/* clang-format off */
#define SUPERVISE_STEPS(X, P)                                                                      \
	X(P, NEW, "new")         /* nothing has been done yet */                                      \
	X(P, CLEAR, "clear")     /* kills the processes of an earlier run in the cgroup */            \
	X(P, PREPARE, "prepare") /* index: the Prepare= command that runs */                          \
	X(P, MAIN, "main")       /* the main process runs, and is not ready */                        \
	X(P, FORKED, "forked")   /* the first process has ended; its daemon is looked for */          \
	X(P, ADOPT, "adopt")     /* index: the process that the keeper is to adopt */                 \
	X(P, LEFT, "left")       /* a script's command has ended: look at what it left; index: its exit status, or LEFT_... */ \
	X(P, READY, "ready")                                                                          \
	X(P, RELOAD, "reload")   /* ready, and the Reload= command runs; index 1: it took too long */ \
	X(P, RESTART, "restart") /* ready or done, and the RestartCommand= runs; index 1: it took too long; 2 or more: RESTART_RECHECK */ \
	X(P, SEEK, "seek")       /* the main process of a script has ended: its successor is looked for */ \
	X(P, DONE, "done")       /* a task that succeeded; a script that left nothing running */      \
	X(P, ABORT, "abort")     /* the watchdog has expired: the main process got SIGABRT */         \
	X(P, STOP, "stop")       /* the Stop= command runs; index 0: not yet, another command occupies its row */ \
	X(P, TERM, "term")       /* the main process got the stop signal; index 1: Stop= comes after that */ \
	X(P, REST, "rest")       /* the main process has ended; the others in the cgroup got a signal */          \
	X(P, KILL, "kill")       /* index: the attempt */                                             \
	X(P, CLEANUP, "cleanup") /* index: the Cleanup= command that runs */                          \
	X(P, SWEEP, "sweep")     /* kills the processes that the clean-up commands left */            \
	X(P, TIDY, "tidy")       /* removes runtime directories and the private /tmp */               \
	X(P, GONE, "gone")
/* clang-format on */
ENUM_WITH_NAMES(Step, STEP, step, SUPERVISE_STEPS)

/* The index of STEP_LEFT if a signal ended the command, or if it was the Reload= command. */
#define LEFT_KILLED 256
#define LEFT_RELOADED 257

/* Descriptors that the keeper keeps as "SERVICE/KIND/0" for the next manager. */
#define KEPT_KINDS(X, P) X(P, STATUS, "status") X(P, READY, "ready") X(P, NOTIFY, "notify")
ENUM_WITH_NAMES(KeptKind, KEPT, kept_kind, KEPT_KINDS)

/* A row of the keeper's table, as far as it is known here. */
typedef struct ProcessRow {
	bool in_use; /* requested, and its exit not yet handled */
	pid_t pid; /* 0 until it is reported */
	ReadyFd *status;
	char *problem; /* why the program did not run; NULL: it runs, or this is not known yet */
} ProcessRow;

/* A command beside the steps that checks a service that is up: CheckCommand=, HealthCommand=. */
typedef struct Probe {
	Supervisor *owner;
	enum ProcessRole role;
	Cgroup *cgroup; /* its own: the service's life does not depend on these processes */
	Capture *output; /* NULL: begun by the previous manager */
	Timer *limit;
	int64_t limit_us;
	bool is_late; /* killed, because its time limit has passed */
	bool is_dropped; /* killed, because its result is no longer needed */
	bool is_stuck; /* killed, but it does not end: nothing waits for it */
} Probe;

/* The health as reported by the probe. */
typedef struct HealthWatch {
	Timer *next; /* the next run of the probe */
	/* the service has been up since then, as far as this manager knows; 0: it is not up */
	int64_t up_us;
	unsigned n_failures; /* consecutive */
	bool is_reported; /* a report was made */
	bool is_healthy; /* as in the last report */
} HealthWatch;

struct Supervisor {
	ProcessContext *context;
	Plan plan;
	uint64_t invocation;

	Step step;
	unsigned index;
	bool has_begun; /* false until the first turn of the main loop */
	bool is_in_line; /* before that: waits until the link to the keeper is writable */
	bool is_entering; /* @step is new and has not been entered yet */
	bool is_resumed;
	bool is_stopping; /* the stop limit is running */
	/*
	 * the last process of its start was refused: no resources, or the program is being written
	 */
	bool is_refused;
	bool is_watching; /* Ready=dbus: or path:, between executed and ready */
	char noted[48]; /* the phase in the last note */

	/* Requests, handled in the next turn. */
	bool stop_wanted;
	bool reload_wanted;
	bool restart_wanted; /* waits until the service is ready or done */
	bool check_wanted; /* waits for the end of a check that no client waits for */

	/* Events that were reported to the engine. Part of the phase. */
	bool was_ready;
	bool failure_reported;
	bool exit_reported; /* only for a script in STEP_DONE: its end was reported */
	bool has_run; /* only for a script: it was up before its last restart or reload */

	ProcessRow rows[ROLE_COUNT];
	Probe *probes[ROLE_COUNT]; /* ROLE_CHECK, ROLE_HEALTH; NULL: never begun */
	/*
	 * output of the Stop= command, to report its failure; NULL: none, or begun by the previous
	 * manager
	 */
	Capture *stop_output;
	HealthWatch *health; /* NULL: the probe has not run yet */
	/* reported before a resumed supervisor had all its descriptors; or NULL */
	struct MessageExited *early_exits[ROLE_COUNT];
	/* MAINPID=: takes over when the present main process ends; 0: none. Part of the phase */
	pid_t next_main_pid;
	int errnum; /* ERRNO= */
	/* exit of the main process that is being replaced; NULL: none has ended */
	struct MessageExited *last_exit;
	/* The counters before any process of this run could be killed or refused. */
	OutOfMemory memory;
	uint64_t n_task_refusals;
	WorkerJob *search; /* the search for the main process; NULL: none */
	Step search_step; /* the step that started the search */
	/* asks whether a datagram's sender belongs to the service; NULL: no question is pending */
	WorkerJob *sender_question;
	WorkerJob *successor_question; /* asks the same about the process in MAINPID= */
	char *status_text; /* STATUS= */
	char *forked_problem; /* why the daemon of Ready=fork is not found yet */
	char *unready_why; /* why the condition of Ready= is not true yet */

	Cgroup *cgroup;
	char *notify_path; /* NULL unless the service may send notifications */
	NotifySocket *notify;
	NotifyEater *eater; /* NULL until a datagram has descriptors */
	bool is_notify_abused; /* its first socket was given up */
	ReadyFd *ready;
	bool is_kept[KEPT_COUNT];
	int64_t known_us; /* this supervisor knows all events since then */

	/* the longest time between two WATCHDOG=1 messages; 0: no watchdog. Part of the phase */
	int64_t watchdog_us;
	/* Each is NULL while it is not needed. An idle service needs none. */
	Timer *watchdog; /* deadline of the next WATCHDOG=1 */
	Timer *turn; /* when it fires, requests are handled */
	Timer *limit; /* deadline of the step */
	Timer *poll; /* pid file; kill again */
	int64_t poll_us;
	unsigned n_renewals; /* how often step_renew_cgroup() was postponed */
};

typedef struct StepRow {
	void (*enter)(Supervisor *s);
	void (*main_ended)(Supervisor *s, const struct MessageExited *exit);
	void (*control_ended)(Supervisor *s, const struct MessageExited *exit);
	void (*limit)(Supervisor *s); /* the deadline has passed */
	void (*changed)(Supervisor *s); /* the cgroup may be empty, or it is time to look again */
	void (*stop)(Supervisor *s);
	/*
	 * The result of supervisor_search_main(). @pid: 0: none; then @problem, if not "", is the
	 * reason.
	 */
	void (*found)(Supervisor *s, pid_t pid, unsigned n_processes, const char *problem);
} StepRow;

/* The row of the present step. A script may have its own row for it. */
const StepRow *supervisor_row(const Supervisor *s);
/* A row without an entry function: the script uses the ordinary row. */
extern const StepRow script_rows[STEP_COUNT];

/* --- supervise.c: functions for the steps --- */

/* Sets the next step. It is entered when the present callback has returned. */
void supervisor_go(Supervisor *s, Step step, unsigned index);
/* Like supervisor_go(), but the step's entry actions have been done already. */
void supervisor_stay(Supervisor *s, Step step, unsigned index);
/* Enters steps until one waits for an event. Every callback from outside ends with this call. */
void supervisor_settle(Supervisor *s);

void supervisor_emit(Supervisor *s, ProcessEvent *event);
void supervisor_event(Supervisor *s, ProcessEventKind kind, const char *text);
/* Reports the end of a daemon that a restart of its script should have left running. */
void supervisor_report_restart_end(Supervisor *s, const struct MessageExited *exit,
				   const char *text);
void supervisor_report_exit(Supervisor *s, const struct MessageExited *exit, bool success,
			    const char *text);
/* Reports EXITED with success for a script that has no processes left. */
void supervisor_report_done(Supervisor *s, const char *text);
/* Reports START_FAILED once, then goes to @next. */
void supervisor_fail_start(Supervisor *s, Step next, const char *format, ...) G_GNUC_PRINTF(3, 4);

void supervisor_set_limit(Supervisor *s, int64_t at_us); /* 0: none */
/* The step's "look again" function is called at that time; 0: never. */
void supervisor_set_poll(Supervisor *s, int64_t at_us);
void supervisor_signal(Supervisor *s, enum ProcessRole role, int signo);
const char *supervisor_note(Supervisor *s);

/* --- supervise-processes.c --- */

/* @command: NULL: svc-exec removes the directories of the run. */
bool supervisor_spawn(Supervisor *s, enum ProcessRole role, const Command *command, GError **error);
bool supervisor_open_notify(Supervisor *s, GError **error);
void supervisor_arm(Supervisor *s); /* arms the channels from the main process */
void supervisor_drain(Supervisor *s, enum ProcessRole role);
void supervisor_forget_fds(Supervisor *s);
/* Are the service's runtime directories to be removed after this run? */
bool supervisor_ends_runtime(const Supervisor *s);
/* NOTIFY_LOOKED_UP: only svc-worker can find out. */
NotifyTrust supervisor_trust(const Supervisor *s, pid_t pid);

/*
 * Looks for the main process by its PID file, and if @with_guess, as the only process that has
 * become the keeper's child. The result is passed to the present step.
 */
void supervisor_search_main(Supervisor *s, bool with_guess);
/*
 * Is @pid in the service's control group, or in one below it? supervisor_is_yes() reads the answer.
 */
WorkerJob *supervisor_query_process(Supervisor *s, pid_t pid, const WorkerListener *listener);
bool supervisor_is_yes(const char *const *fields, unsigned n_fields);
/* Logs which processes survive SIGKILL. */
void supervisor_report_remains(const Supervisor *s, bool is_left);

/* --- supervise-health.c --- */

/* Keeps the watchdog armed while the service is up. */
void watchdog_update(Supervisor *s);
/* Handles the watchdog fields of a datagram. */
void watchdog_take_message(Supervisor *s, const NotifyMessage *message);
/* For EXTEND_TIMEOUT_USEC=: the watchdog does not expire before @at_us. */
void watchdog_extend(Supervisor *s, int64_t at_us);
void step_abort_enter(Supervisor *s);
void step_abort_main_ended(Supervisor *s, const struct MessageExited *exit);

static inline bool role_is_probe(enum ProcessRole role)
{
	return role == ROLE_CHECK || role == ROLE_HEALTH;
}
/* Is the service running, so that it can be probed? */
bool supervisor_is_up(const Supervisor *s);
/* Starts the probes that are due, and ends those that are no longer needed. */
void probes_update(Supervisor *s);
void probes_resume(Supervisor *s);
void probe_ended(Supervisor *s, enum ProcessRole role, const struct MessageExited *exit);
bool probes_are_alive(const Supervisor *s);
void probes_free(Supervisor *s);

/* --- supervise-start.c: reports of readiness --- */

void supervisor_is_ready(Supervisor *s);
void step_main_level(Supervisor *s, Level level, const char *why);
/* Ends the watch of the condition that Ready= names, if there is one. */
void supervisor_unwatch(Supervisor *s);
void step_main_executed(Supervisor *s);
void step_adopted(Supervisor *s, pid_t pid, int error);

/* --- supervise-steps.c: functions that steps share --- */

/* Must processes be ended besides the main and the control process? */
bool step_has_others(const Supervisor *s);
/* Calls the step's "look again" function after a growing delay. */
void step_poll_again(Supervisor *s);
/*
 * Sends SIGKILL to all known processes of the service; repeated with a delay that grows with
 * @attempt.
 */
void step_kill_all(Supervisor *s, unsigned attempt);
/* New strings. */
char *step_describe_exit(const Supervisor *s, const struct MessageExited *exit);
char *step_describe_control(const Supervisor *s, const struct MessageExited *exit);
/*
 * Like the two above, for a command that starts, stops or reloads. LSB defines the exit statuses of
 * such a command of a script.
 */
char *step_describe_action(const Supervisor *s, enum ProcessRole role,
			   const struct MessageExited *exit);
/* @command: NULL if a changed file no longer has it; then only the exit status decides. */
bool step_control_failed(const Command *command, const struct MessageExited *exit);
/* NULL after the last command. */
const Command *step_command_at(const GPtrArray *commands, unsigned index);
/*
 * Handles the end of the main process of a task, or of any service that ends with that process.
 * After success the service stays done.
 */
void step_end_by_itself(Supervisor *s, const struct MessageExited *exit);
/* Handles the end of a process that has no effect in the present step. */
void step_stray_exit(Supervisor *s, const struct MessageExited *exit);
void step_nothing(Supervisor *s);
void step_ready_stop(Supervisor *s);
void step_reload_limit(Supervisor *s);

/* --- supervise-start.c: entries of the table --- */

/* Applies the limits of the service, and logs those that are not in force. */
void step_apply_resources(Supervisor *s);
/* Records the counters of a group that earlier processes have used. */
void step_count_events(Supervisor *s);
/*
 * Calls cgroup_renew() before a process is started in a cgroup to which cgroup.kill may have been
 * written. Returns: false if it must be tried again after the poll.
 */
bool step_renew_cgroup(Supervisor *s);
/* Calls cgroup_clear() when no process is left. Returns: like step_renew_cgroup(). */
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

/* Reports READY if it has not been reported, and goes to STEP_READY. */
void script_is_up(Supervisor *s);
void script_adopt_failed(Supervisor *s);
void script_left_enter(Supervisor *s);
void script_seek_enter(Supervisor *s);
void script_seek_found(Supervisor *s, pid_t pid, unsigned n_processes, const char *problem);
void script_restart_enter(Supervisor *s);
void script_restart_ended(Supervisor *s, const struct MessageExited *exit);
void script_restart_main_ended(Supervisor *s, const struct MessageExited *exit);
void script_restart_limit(Supervisor *s);

/*
 * Is the service a task with DoneWhile= that is done? The result of its work exists until its Stop=
 * succeeds. A shutdown does not wait for that.
 */
bool supervisor_stays_done(const Supervisor *s);
/* Starts the stop limit unless it already runs. */
void step_begin_stopping(Supervisor *s);
void step_term_enter(Supervisor *s);
void step_term_main_ended(Supervisor *s, const struct MessageExited *exit);
void step_stop_limit(Supervisor *s);

#endif
