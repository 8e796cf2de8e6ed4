/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Machine: a simulated machine around an engine, with its own clock: faulty processes, timers,
 * levels, and a manager that crashes. It plays the supervisor, the providers and the keeper.
 */
#ifndef SVCD_TESTS_SIM_MACHINE_H
#define SVCD_TESTS_SIM_MACHINE_H

#include <glib.h>

#include "engine/simulation.h"
#include "tests/sim/chance.h"
#include "tests/sim/plan.h"

/* Faults and events. A large run must contain each of them. */
/* clang-format off */
#define SIM_FAULTS(X, P)                                                                            \
	X(P, FORK_FAILS, "no room for a process") X(P, EXEC_FAILS, "program cannot be executed")      \
	X(P, CRASH_EARLY, "crash before ready")                                                    \
	X(P, CRASH, "crash") X(P, GOOD_END, "end with success") X(P, TASK_FAILS, "task fails")           \
	X(P, SLOW_READY, "not ready in time") X(P, IGNORES_TERM, "ignores TERM")                         \
	X(P, STOPS_ITSELF, "stops by itself") X(P, STRAY_EVENT, "event from an earlier run")              \
	X(P, UNKNOWN_LEVEL, "unknown level") X(P, LATE_LEVEL, "level reported late")                        \
	X(P, PROVIDER_GONE, "provider vanished") X(P, RELISTED, "provider listed again")                \
	X(P, UNSEEN_CHANGE, "changed and changed back unseen") X(P, FLAPPED, "level flapped")                   \
	X(P, MANAGER_CRASH, "manager crashes") X(P, EXIT_UNSEEN, "exit while no manager ran")           \
	X(P, NOTE_LOST, "note lost") X(P, END_UNSEEN, "all processes ended while no manager ran") \
	X(P, CRASH_AT_STOP, "manager crashes during a stop")                                        \
	X(P, RELOAD, "files reloaded") X(P, FILE_GONE, "file of a running service gone")                \
	X(P, RUNLEVEL, "runlevel changed") X(P, START, "start requested") X(P, STOP, "stop requested")          \
	X(P, RESTART, "restart requested") X(P, CLEAR, "clear requested") X(P, REFUSED, "request refused")      \
	X(P, GAVE_UP, "failed for good") X(P, LOST_CONFLICT, "loser of a conflict")                     \
	X(P, LINGERED, "lingered") X(P, LAPSED, "stopped by a lapse") X(P, BROKEN_FILE, "file with errors") \
	X(P, WAITED_TOO_LONG, "waited too long") X(P, WAITED_ACROSS_CRASH, "crash during a limited wait") \
	X(P, UNDONE, "work undone, and requested again") X(P, DEMAND, "requested on the bus")            \
	X(P, DEMAND_REFUSED, "demand refused") X(P, DEMAND_AFTER_FAILURE, "demand for a failed service")   \
	X(P, DEMAND_OVER, "demand over: it ended by itself") X(P, DEMAND_ACROSS_CRASH, "crash with a demand in force") \
	X(P, CONNECTION, "started by a connection") X(P, CONNECTION_AFTER_FAILURE, "connection to a failed service") \
	X(P, CONNECTION_LATE, "connection that is too late") X(P, NOT_TAKEN, "connections that no service accepted") \
	X(P, CONNECTION_ACROSS_CRASH, "manager crash after a start by a connection")          \
	X(P, LEFT_NOTHING, "script that leaves nothing") X(P, LOOSE_END, "loose end of a script")       \
	X(P, CAME_LATER, "daemon of a script that was done") X(P, COMMAND, "restart by command")        \
	X(P, COMMAND_FAILED, "restart by command fails") X(P, COMMAND_ENDS, "restart by command leaves nothing") \
	X(P, COMMAND_ACROSS_CRASH, "crash during a restart by command")     \
	X(P, LOCKED_OUT, "waited for a lock") X(P, CHECK_FAILED, "check before a request failed") \
	X(P, UNHEALTHY, "unhealthy") X(P, LOGIN_AWAITED, "waited for the login screen") \
	X(P, LOGIN_GIVEN_UP, "login screen that did not appear or was not reported")
/* clang-format on */
ENUM_WITH_NAMES(SimFault, SIM_FAULT, sim_fault, SIM_FAULTS)

enum { MAX_SCRIPT = 6 };

typedef struct ScriptLine {
	int64_t at_us;
	ProcessEventKind kind;
	bool success;
	bool is_done;
	bool is_refused;
} ScriptLine;

/* The processes of one service, as the keeper and the supervisor know them. */
typedef struct SimProcess {
	SimulatedRun *run;
	bool is_ready; /* the service has sent its readiness */
	bool is_script; /* started, or taken over, as a Type=script */
	bool is_restarting; /* the restart command runs */
	ScriptLine script[MAX_SCRIPT]; /* future events, in order of time */
	unsigned n_script;
	int64_t health_at_us; /* next answer of HealthCommand=; 0: it is not running */
	Health health; /* as reported to this manager for the run @health_run */
	uint64_t health_run;
	bool is_unexplained; /* alive when the manager started, but without its note */
	AdminWant requested; /* the last request of an admin or the bus, while it is in force */
	bool was_listening; /* its sockets were open when the manager died */
	uint64_t redo_run; /* an admin requested another run after this run; 0: none */
	uint64_t perhaps_redo_run; /* another run follows unless the restart command was enough */
	int64_t hold_false_us; /* invariants: since when a While term is false; 0: none is */
	bool has_others; /* invariants: other services or the kernel command line held it */
	int64_t held_us; /* invariants: start of its wait for external conditions; 0: none */
	int64_t perhaps_held_us; /* like held_us, but allows for changes hidden within an event */
} SimProcess;

typedef struct SimLevel {
	const char *key;
	Level level; /* the real level */
	Level reported; /* as reported to the engine */
	int64_t reported_us;
	bool is_subscribed;
	bool is_reported_again; /* the next report may repeat the last */
	int64_t report_at_us; /* 0: no report is due */
} SimLevel;

/* A source of levels: a bus, udev. While it is away its levels are unknown, and change unseen. */
typedef struct SimProvider {
	int64_t back_at_us; /* 0: the provider is not away */
} SimProvider;

enum { N_LEVELS = PLAN_FLAGS + 2, N_PROVIDERS = 3 };

typedef struct Machine {
	Simulation sim;
	Plan *plan;
	Chance chance;
	SimProcess processes[PLAN_MAX_SERVICES];
	SimLevel levels[N_LEVELS];
	SimProvider providers[N_PROVIDERS]; /* of the flags */
	char *notes[PLAN_MAX_SERVICES]; /* while no manager runs */
	char global_note[128];
	GString *boot_record; /* as the manager keeps it */
	int64_t manager_back_us;
	int64_t begun_us; /* start of this manager */
	int64_t altered_us; /* last change of files */
	bool is_login_unsure; /* invariants: the login screen may be drawn, or given up */
	double shown; /* invariants: the last progress of the boot */
	bool has_faults;
	bool is_orderly; /* each race of services has a fixed winner: see duration() */
	int64_t n_durations;
	bool is_one_life; /* the manager never crashes, so that leaks add up */
	unsigned misery; /* factor for the probability of faults */
	bool is_tracing;
	bool is_reworded; /* all events have other texts, which must not change a decision */
	uint64_t hash; /* hash of the trace, without texts */
	unsigned long *n_faults; /* by SimFault; may be NULL */
	char *failure; /* the first broken invariant, or NULL */
} Machine;

/* The text of all events of a reworded machine. It contains words from svcd's own messages. */
#define OTHER_TEXT \
	"its conditions were false; conflicts with s1; stopped; restart; flag:f0 is false"

Machine *machine_new(uint64_t seed, bool is_tracing, bool is_reworded, unsigned long *n_faults);
void machine_free(Machine *m);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Machine, machine_free)

/* The time of the next event; INT64_MAX: none. */
int64_t machine_next_us(const Machine *m);
/* Advances the clock to @to_us, with all events until then. */
void machine_run(Machine *m, int64_t to_us);

/* A random event from people or from outside. */
void machine_poke(Machine *m);
/* Stops all faults: processes behave, and all levels become known. */
void machine_calm(Machine *m);
/* Parses the files of the plan. */
void machine_read_files(const Machine *m, ServiceSet **ret_set, Policy **ret_policy);
/* The engine reads the changed plan. */
void machine_load(Machine *m);
void machine_set_runlevel(Machine *m, const char *runlevel);

unsigned machine_index(const char *service);
SimProcess *machine_process(Machine *m, const char *service);
/* Does the service have a file at the moment? */
bool machine_has_file(const Machine *m, const char *service);
/* Does a fault of this probability happen now? After machine_calm() no fault happens. */
bool machine_happens(Machine *m, unsigned percent);
bool machine_has_live(const Machine *m);
void machine_trace(Machine *m, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* A text from the engine for machine_trace(); "" unless the trace is printed. */
const char *machine_text(const Machine *m, const char *text);
void machine_count(Machine *m, SimFault fault);
/* Records that an invariant is broken; only the first one is kept. */
void machine_fail(Machine *m, const char *format, ...) G_GNUC_PRINTF(2, 3);

#endif
