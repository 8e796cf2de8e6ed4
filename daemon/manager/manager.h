/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Manager: the only object with access to all components. Its parts:
 *
 * 	wiring    EngineOps and the keeper's messages, to and from the components
 * 	recovery  the data that PID 1 kept -> the state of the engine
 * 	notes     the data that PID 1 is to keep: services, flags, the runlevel
 * 	files     generated files, loading, reloading
 * 	power     runlevels 0 and 6, signals to PID 1, the finale
 * 	helper    our own programs that the keeper runs
 * 	changes   changes of policy by a helper, for clients of the bus
 * 	checks    requests that wait for a CheckCommand=
 * 	operators users that may operate a service, and read its log
 * 	records   the runlevel in utmp and wtmp
 * 	history   durations of earlier boots
 * 	acts      actions of the engine
 * 	boot-file the boot record, for the next manager
 * 	requests  requests of bus clients
 * 	sockets   the sockets of services
 * 	sysv      requests of tools through /run/initctl
 * 	watches   the users of conditions beside the engine
 * 	workers   runs svc-worker for worker/pool
 */
#ifndef SVCD_MANAGER_MANAGER_H
#define SVCD_MANAGER_MANAGER_H

#include <glib.h>
#include <stdbool.h>

#include "base/diag.h"
#include "bus/bus.h"
#include "config/bundle.h"
#include "engine/engine.h"
#include "loop/address-watch.h"
#include "loop/loop.h"
#include "loop/system-bus.h"
#include "process/keeper-link.h"
#include "process/resources.h"
#include "process/log-router.h"
#include "process/supervise.h"
#include "protocol/protocol.h"
#include "providers/registry.h"
#include "sysv/initctl.h"
#include "worker/pool.h"

typedef struct Recovery Recovery;

typedef struct Manager {
	GMainLoop *loop;
	int exit_code;
	int64_t files_read_us;  /* when the files in force began to be read; 0: not yet */
	int64_t files_failed_us; /* when the last load failed; 0: never */
	char *files_problem;    /* why the last load failed, a sentence; NULL: it did not */
	int files_fd;           /* memfd with the files in force; -1: none */
	GHashTable *secret_files; /* Configuration.secrets of the last load */
	int64_t started_us;

	KeeperLink *link;
	struct MessageWelcome welcome;
	char *reexec_problem; /* a sentence, or NULL */
	char *arguments;        /* ours: as on the kernel command line */
	char *kernel_cmdline;   /* with @arguments, and only these in a container; NULL before files_begin() */
	char *runtime_dir;      /* /run/svcd, or the user's */

	Recovery *recovery;     /* NULL once the engine has begun */
	Engine *engine;
	DiagList *diags;        /* of the last load */
	GPtrArray *instances;   /* names of instances that were requested by hand; owned strings */
	SystemBus *system_bus;
	SystemBus *session_bus; /* of a user's manager; else NULL */
	Timer *bus_gone;        /* armed while a session bus that existed is gone */
	Registry *registry;
	GHashTable *groups;     /* of /etc/group, as at the last load */
	GHashTable *watches;    /* watches.c: interned key -> its users beside the engine */
	GPtrArray *tainted;     /* sentences for BusInfo.tainted; owned strings */
	WorkerPool *workers;    /* for operations that may block for ever */
	uint64_t last_worker;   /* the number of the worker that was started last */
	LogRouter *logs;
	ProcessContext context;
	int machine[MACHINE_COUNT]; /* of context.machine */
	char **environment;     /* of every service */
	Bus *bus;
	Initctl *initctl;       /* NULL: not PID 1, or there is no /run */
	bool is_halt_asked;     /* requested through it: the next runlevel 0 leaves the power on */

	GHashTable *running;    /* interned name -> Supervisor *, owned */
	GHashTable *timers;     /* interned name -> its timers, owned; of services with an armed timer */
	GArray *acts;           /* Act: actions of the engine, carried out when it has returned; of base/list.h */
	Timer *drain;           /* calls manager_drain() in the next turn of the loop */
	GPtrArray *gone;        /* Supervisor * to be freed when no call is inside them */

	GHashTable *sockets;    /* name -> its sockets, owned */
	GHashTable *sockets_dirty; /* names of services with sockets to be updated; owned */
	Timer *sockets_retry;   /* armed while one cannot be opened */
	int64_t sockets_pause_us; /* until the next try, unless an event comes earlier */
	int64_t sockets_tried_us; /* the time of the last try */
	AddressWatch *addresses;  /* NULL: no socket waits for one */
	bool are_boot_sockets_open; /* sockets_hold_boot() is over */

	GHashTable *dirty;      /* interned names of services with a note that may have changed */
	GHashTable *on_console; /* names of services that use the console exclusively; owned */
	GHashTable *notes;      /* interned name -> text as last sent, owned */
	char note_buffer[PROTOCOL_NOTE_BYTES];
	bool is_global_dirty;

	char *recorded_runlevel; /* as in utmp; NULL: none yet */
	uint64_t record_invocation; /* of the program that writes a record; 0: none */

	bool is_history_saved;
	bool is_history_known;  /* the files in force have one */
	bool is_boot_file_lost; /* and that was logged */

	GQueue changes;         /* Change *: of policy; the first one is in progress, unless it waits for another one's row */
	Timer *change_limit;    /* armed while the row is in use */
	uint64_t change_row;    /* invocation of the row that is in use; 0: none */

	bool is_lack_told;      /* limits of services that are not in force here were reported */
	GQueue checks;          /* Check *: requests that wait for a CheckCommand= */
	GQueue check_results;   /* CheckResult *: ended, not answered yet */

	enum ShutdownKind shutdown;
	bool is_end_asked;      /* by a signal, before the services were known */
	bool is_finale_sent;
	bool is_generating;     /* the generator runs; the files are loaded when it ends */
	bool is_generator_alive; /* its row is not acknowledged */
	bool is_load_asked;     /* requested since it began, or in a recovery: run it once more */
	uint64_t generation;    /* invocation of the generator */
	int generator_fd;       /* memfd that it fills; -1: another manager's, or it was killed */
	char *generator_path;   /* the path at which the last killed one hung; or NULL */
	Timer *generate_limit;
} Manager;

/* "svcd --user": not the machine's manager. */
static inline bool manager_is_users(const Manager *m)
{
	return !(m->welcome.flags & WELCOME_IS_PID1);
}

/* A program of ours that the keeper runs, once at a time; it is not a service. */
typedef struct Helper {
	const char *service; /* the name of its row, which no service can have */
	bool has_many_rows;  /* @service is the prefix of their names */
	/* Reported by the keeper, also for a row of an earlier manager. */
	void (*spawned)(Manager *m, const struct MessageSpawned *message);
	/* Its row is already free. */
	void (*exited)(Manager *m, const struct MessageExited *message);
} Helper;

/* wiring.c */
extern const KeeperListener manager_keeper_listener;
void manager_init_engine(Manager *m);
void manager_free_timers(gpointer timers);

/* acts.c */
typedef enum ActKind { ACT_START, ACT_STOP, ACT_RELOAD, ACT_RESTART } ActKind;

void manager_init_drain(Manager *m);
/*
 * Carries out the actions of the engine and sends all changes, now; for example before a client is
 * answered.
 */
void manager_drain(Manager *m);
void manager_drain_later(Manager *m);
/* Writes all data for later readers, now; called before the manager ends. */
void manager_write_down(Manager *m);
Supervisor *manager_supervisor(const Manager *m, const char *service);
void manager_add_supervisor(Manager *m, const char *service, Supervisor *supervisor);
void acts_queue(Manager *m, ActKind kind, const Service *s);
/*
 * The supervisor of @service is done. It is freed later, because the call may come from inside it.
 */
void acts_retire(Manager *m, const char *service);

/* recovery.c */
Recovery *recovery_new(void);
void recovery_free(Recovery *recovery);
void recovery_add_spawned(Recovery *recovery, const struct MessageSpawned *message);
void recovery_add_exited(Recovery *recovery, const struct MessageExited *message);
void recovery_add_note(Recovery *recovery, const char *service, const char *note);
void recovery_add_fd(Recovery *recovery, const char *name, int fd); /* takes @fd */
/* Opens the private socket at the very beginning, before files are read. */
void recovery_open_sockets(Manager *m);
/* Did an engine run earlier in this boot? */
bool recovery_has_begun(const Recovery *recovery);
/* Manager.machine, as kept or opened. */
void recovery_take_machine_files(Manager *m);
void recovery_set_shutdown(Recovery *recovery, enum ShutdownKind kind);
/* Names of services with any remains, a new NULL-terminated array of borrowed strings. */
GPtrArray *recovery_names(const Recovery *recovery);
/*
 * After the files are loaded and the first levels are known: restores engine, supervisors and
 * logger, and lets the engine begin.
 */
void recovery_carry_out(Manager *m);
/* RegistryOptions.settled: the levels are known. */
void recovery_on_settled(Manager *m);
/* The memfd with the files that were in force, owned by the caller; -1: none. */
int recovery_take_files(Recovery *recovery);
/* The living row of the logger, 0 if there is none. */
pid_t recovery_logger(const Recovery *recovery, uint64_t *ret_invocation);

/* notes.c */
const char *notes_get(Manager *m, const char *service); /* for the datagram of an action; counts as sent */
void notes_mark(Manager *m, const char *service);
void notes_send(Manager *m); /* all marked notes that have changed */
void notes_forget(Manager *m, const char *service);
void notes_remember(Manager *m, const char *service, const char *note); /* as in the replay */
void notes_send_flag(Manager *m, const char *name); /* its present state */
/* "" if @name is not the name of a flag's note. */
const char *notes_flag_name(const char *name);
#define NOTES_GLOBAL "."

/* files.c */
/* The name under which PID 1 keeps the files in force. */
#define FILES_KEPT ".manager/files/0"
/*
 * Called once, after the replay: loads the files that an earlier manager had in force, or reads all
 * anew. Then the engine begins.
 */
void files_begin(Manager *m);
/*
 * Runs the generator and reads all files again. The result is in the log, the diagnostics,
 * files_read_us and files_failed_us. changes_on_files() is called then.
 */
void files_load(Manager *m);
/* Makes svcd's directories in /run; again if they were removed. */
bool files_make_directories(Manager *m);
extern const Helper files_helper;
/*
 * An instance of a template that no file mentions: loads the files again with it. Returns: whether
 * it exists now.
 */
bool files_add_instance(Manager *m, const char *name);
/* The number of instances that no file mentions and that had their last request from this user. */
unsigned files_count_instances(const Manager *m, uid_t uid);

/* operators.c */
void operators_load(Manager *m, const Bundle *bundle); /* with the files of policy */
/* BusOps.read_log */
GByteArray *logs_read(void *manager, const char *service, GError **error);
/* BusOps.is_operator */
bool operators_have(void *manager, const char *service, const gid_t *gids, unsigned n_gids);
/* BusOps.add_instance */
bool operators_add_instance(void *manager, const char *name, const Requester *who, GError **error);
/* The first group, for the log; 0: none. LogRouterOptions.group */
gid_t operators_log_group(void *manager, const char *service);

/* workers.c */
void workers_init(Manager *m);
extern const Helper worker_helper;

/* helper.c */
typedef struct HelperRun {
	const char *const *argv;
	int input_fd;            /* borrowed, like the next; -1: the log of the manager */
	int output_fd;
	const char *row;         /* of a helper that has many; else NULL */
	uint64_t invocation;     /* 0: a new number */
	bool has_log;            /* standard error goes to the manager's log in any case */
} HelperRun;

/* Runs it. Returns: its invocation; 0 with @error. */
uint64_t helper_spawn(Manager *m, const Helper *helper, const HelperRun *run, GError **error);
/* Returns: false if the message is not about a helper. */
bool helper_on_spawned(Manager *m, const struct MessageSpawned *message);
bool helper_on_exited(Manager *m, const struct MessageExited *message);

/* changes.c */
extern const Helper changes_helper;
/* BusOps.change_policy */
bool changes_ask(void *manager, uint64_t ticket, const char *const *words, const Requester *who, GError **error);
/*
 * A load has ended that began after the last change was made. @problem: as in load_ended() of
 * files.c
 */
void changes_on_files(Manager *m, const char *problem);

/* checks.c */
typedef struct CheckResult {
	char *service;
	char *problem; /* NULL: none */
	char *output;  /* the last line of the command, for the clients; NULL: none */
} CheckResult;

/* BusOps.check */
bool checks_ask(void *manager, uint64_t ticket, RequestVerb verb, const char *service, const Requester *who, GError **error);
void checks_on_ended(Manager *m, const char *service, const ProcessEvent *event); /* PROCESS_CHECKED */
void checks_drain(Manager *m); /* answers the clients of all ended checks */

/* power.c */
typedef enum PowerSupply { POWER_SUPPLY_FAILED, POWER_SUPPLY_LOW, POWER_SUPPLY_BACK } PowerSupply;
/*
 * Starts the service for that event. Without such a service, a low battery switches the machine
 * off.
 */
void power_on_supply(Manager *m, PowerSupply supply);
bool power_shutdown(Manager *m, enum ShutdownKind kind, const Requester *who, GError **error);
/* Ends a user's svcd. @what: the cause. */
void power_end(Manager *m, const char *what);
void power_on_request(Manager *m, enum RequestKind kind);
void power_check_finished(Manager *m);

/* quiet.c: our log lines and the console */
void quiet_update(Manager *m, const Service *s); /* its state changed */
void quiet_forget(Manager *m, const Service *s);
void quiet_recover(Manager *m);                  /* after a recovery */

/* records.c */
void records_remember(Manager *m); /* after a recovery: the records of the earlier manager */
void records_check(Manager *m);    /* records the runlevel if it has changed */
extern const Helper records_helper;

/* watches.c: conditions as readiness of services, and clients of the bus */
GHashTable *watches_new(void);
void watches_add_service(Manager *m, const char *service, KeyPrefix prefix, const char *key);
void watches_remove_service(Manager *m, const char *service, KeyPrefix prefix, const char *key);
void watches_add_client(Manager *m, KeyPrefix prefix, const char *key); /* counted */
void watches_remove_client(Manager *m, KeyPrefix prefix, const char *key);
/*
 * The service does not run and may be about to start: its conditions below /proc and /sys, whose
 * changes are not reported, are looked up again.
 */
void watches_look_again(Manager *m, const Service *s);

/* The same for all services, because the files were read. */
void watches_look_at_all(Manager *m);
void watches_on_level(Manager *m, const char *key, Level level, const char *why);

/* boot-file.c */
void boot_file_recover(Manager *m); /* before the engine begins */
void boot_file_check(Manager *m);   /* appends the new lines of the boot record */

/* history.c */
/* own-session.c: of a user's manager. */
char **own_session_environment(void); /* the basic environment of its services; a new strv */
void own_session_begin(Manager *m);   /* does nothing for the machine's */

void history_begin(Manager *m);    /* before the engine begins */
void history_load(Manager *m, const Bundle *bundle);
void history_remember(Manager *m); /* after a recovery: an earlier manager has saved it */
void history_check(Manager *m);    /* saves it when the boot is finished */
void history_on_level(Manager *m, const char *key, Level level);
extern const Helper history_helper;

/* requests.c */
/* By number or name; 0 and 6 end the machine. */
bool requests_set_runlevel(Manager *m, const char *runlevel, const Requester *who, GError **error);
/* The name under which the keeper keeps the private socket. */
#define REQUESTS_KEPT_SOCKET ".manager/private/0"
/*
 * Makes the private socket and has it kept. Clients wait in its backlog until it is served.
 * Returns: -1 on failure.
 */
int requests_open_socket(Manager *m);
void requests_serve(Manager *m, int listening_fd); /* takes it; -1 is allowed */
/* Does a socket exist at the path that clients use? */
bool requests_socket_is_there(const Manager *m);

/* sockets.c */
#define SOCKETS_KEPT_KIND "socket"
void sockets_init(Manager *m);
/*
 * The input for the sockets of @service has changed. sockets_update() acts on it, in
 * manager_drain().
 */
void sockets_mark(Manager *m, const char *service);
/*
 * As sockets_mark(), but clients may be unable to reach the open ones, because processes of the
 * service have ended.
 */
void sockets_look(Manager *m, const char *service);
void sockets_mark_all(Manager *m); /* definitions may have changed; also checks open ones */
void sockets_update(Manager *m);
/*
 * Are sockets of the early boot still being opened? Services that connect to them do not declare
 * that, so nothing may start.
 */
bool sockets_hold_boot(Manager *m);
/**
 * sockets_hold_start() - are sockets of @s still being opened or checked?
 * Returns: true: when that is over, acts_queue() requests the start again.
 */
bool sockets_hold_start(Manager *m, const Service *s);
/* The obstacle of a socket that could not be opened may be gone. */
void sockets_retry_soon(Manager *m);
/* A socket that the keeper has kept; takes @fd. Called before the engine begins. */
void sockets_recover(Manager *m, const char *service, const char *index, int fd);
/* ProcessContext.sockets */
bool sockets_for_spawn(void *manager, const char *service, SpawnSockets *ret, GError **error);
/* BusOps.is_socket_open; @entry: its index in the definition */
bool sockets_is_open(void *manager, const char *service, unsigned entry, const char **ret_problem);

/* sysv.c */
#define SYSV_KEPT_FIFO ".manager/initctl/0"
/*
 * @kept_fd: taken. -1: the fifo is made. That is done only while no service runs, because users can
 * hold the lock of /run.
 */
void sysv_serve(Manager *m, int kept_fd);
/* svc-worker makes it or opens it again. */
void sysv_open(Manager *m);

#endif
