/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Manager: the one object that knows all rooms. Its parts:
 *
 *	wiring    EngineOps and the keeper's messages, to and from the rooms
 *	recovery  what PID 1 kept -> where the engine stands
 *	notes     what PID 1 is to keep: services, flags, the runlevel
 *	files     generated files, loading, reloading
 *	power     runlevels 0 and 6, signals to PID 1, the finale
 *	helper    programs of ours that the keeper runs
 *	changes   policy changed by a helper, for who asked on the bus
 *	checks    requests that wait for a CheckCommand=
 *	operators who may operate a service, and read what it says
 *	records   the runlevel in utmp and wtmp
 *	history   what boots took
 *	acts      what the engine wants done
 *	boot-file the boot record, for the next manager
 *	requests  what clients of the bus ask for
 *	sockets   what services listen on
 *	sysv      what tools ask for through /run/initctl
 *	watches   who else than the engine looks at a condition
 *	workers   runs svc-worker for worker/pool
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
	int64_t files_read_us;  /* when reading those in force began; 0: not yet */
	int64_t files_failed_us; /* when the last load failed; 0: none has */
	char *files_problem;    /* why the last load failed, a sentence; NULL: it did not */
	int files_fd;           /* memfd with those in force; -1: none */
	GHashTable *secret_files; /* Configuration.secrets of the last load */
	int64_t started_us;

	KeeperLink *link;
	struct MessageWelcome welcome;
	char *reexec_problem; /* a sentence, or NULL */
	char *arguments;        /* ours: words as on the kernel command line */
	char *kernel_cmdline;   /* with @arguments, which are all in a container; NULL before files_begin() */
	char *runtime_dir;      /* /run/svcd, or the user's */

	Recovery *recovery;     /* until the engine has begun */
	Engine *engine;
	DiagList *diags;        /* of the last load */
	GPtrArray *instances;   /* names of instances that somebody asked for by hand; owned strings */
	SystemBus *system_bus;
	SystemBus *session_bus; /* of a user's manager; else NULL */
	Timer *bus_gone;        /* armed while the session bus is gone that was there */
	Registry *registry;
	GHashTable *groups;     /* of /etc/group, as at the last load */
	GHashTable *watches;    /* watches.c: interned key -> who looks at it besides the engine */
	GPtrArray *tainted;     /* sentences for BusInfo.tainted; owned strings */
	WorkerPool *workers;    /* what may wait for ever is done there */
	uint64_t last_worker;   /* the number of the last one that was started */
	LogRouter *logs;
	ProcessContext context;
	int machine[MACHINE_COUNT]; /* of context.machine */
	char **environment;     /* of every service */
	Bus *bus;
	Initctl *initctl;       /* NULL: not PID 1, or there is no /run */
	bool is_halt_asked;     /* through it: the next runlevel 0 leaves the power on */

	GHashTable *running;    /* interned name -> Supervisor *, owned */
	GHashTable *timers;     /* interned name -> its timers, owned; of services that have one armed */
	GArray *acts;           /* Act: what the engine wants done, once it has returned; of base/list.h */
	Timer *drain;           /* calls manager_drain() in the next turn of the loop */
	GPtrArray *gone;        /* Supervisor * to be freed when nobody is inside them */

	GHashTable *sockets;    /* name -> what it listens on, owned */
	GHashTable *sockets_dirty; /* names of services whose sockets are to be looked at; owned */
	Timer *sockets_retry;   /* armed while one cannot be opened */
	int64_t sockets_pause_us; /* until the next try, if nothing happens that may make way */
	int64_t sockets_tried_us; /* the last one */
	AddressWatch *addresses;  /* NULL: no socket waits for one */
	bool are_boot_sockets_open; /* sockets_hold_boot() is over */

	GHashTable *dirty;      /* interned names of services whose note may have changed */
	GHashTable *on_console; /* names of services that have the console to themselves; owned */
	GHashTable *notes;      /* interned name -> text as last sent, owned */
	char note_buffer[PROTOCOL_NOTE_BYTES];
	bool is_global_dirty;

	char *recorded_runlevel; /* as in utmp; NULL: none yet */
	uint64_t record_invocation; /* of the program that writes one; 0: none */

	bool is_history_saved;
	bool is_history_known;  /* the files in force have one */
	bool is_boot_file_lost; /* and that was said */

	GQueue changes;         /* Change *: of policy; the first one is being made, unless it has to wait for another's row */
	Timer *change_limit;    /* armed while the row is in use */
	uint64_t change_row;    /* invocation of the row that is in use; 0: none */

	bool is_lack_told;      /* that limits of services are not in force here was said */
	GQueue checks;          /* Check *: who waits for a CheckCommand= */
	GQueue check_results;   /* CheckResult *: ended, not answered yet */

	enum ShutdownKind shutdown;
	bool is_end_asked;      /* by a signal, before services were known */
	bool is_finale_sent;
	bool is_generating;     /* the generator runs; files are loaded when it ends */
	bool is_generator_alive; /* its row is not acknowledged */
	bool is_load_asked;     /* since it began, or in a recovery: it is to run once more */
	uint64_t generation;    /* invocation of the generator */
	int generator_fd;       /* memfd that it fills; -1: it is another manager's, or was killed */
	char *generator_path;   /* what the last one waited for that had to be killed; or NULL */
	Timer *generate_limit;
} Manager;

/* "svcd --user": not the machine's. */
static inline bool manager_is_users(const Manager *m)
{
	return !(m->welcome.flags & WELCOME_IS_PID1);
}

/* A program of ours that the keeper runs for us, once at a time; no service. */
typedef struct Helper {
	const char *service; /* the name of its row; one that no service can have */
	bool has_many_rows;  /* @service is how their names begin */
	/* Told by the keeper, also of one that a manager before us began. */
	void (*spawned)(Manager *m, const struct MessageSpawned *message);
	/* Its row is free already. */
	void (*exited)(Manager *m, const struct MessageExited *message);
} Helper;

/* wiring.c */
extern const KeeperListener manager_keeper_listener;
void manager_init_engine(Manager *m);
void manager_free_timers(gpointer timers);

/* acts.c */
typedef enum ActKind { ACT_START, ACT_STOP, ACT_RELOAD, ACT_RESTART } ActKind;

void manager_init_drain(Manager *m);
/* Do at once what the engine asked for and what has changed; before a client is answered, above all. */
void manager_drain(Manager *m);
void manager_drain_later(Manager *m);
/* At once what waits to be written for later readers: before we end. */
void manager_write_down(Manager *m);
Supervisor *manager_supervisor(const Manager *m, const char *service);
void manager_add_supervisor(Manager *m, const char *service, Supervisor *supervisor);
void acts_queue(Manager *m, ActKind kind, const Service *s);
/* The supervisor of @service is done: it is freed later, for we may have been called from inside it. */
void acts_retire(Manager *m, const char *service);

/* recovery.c */
Recovery *recovery_new(void);
void recovery_free(Recovery *recovery);
void recovery_add_spawned(Recovery *recovery, const struct MessageSpawned *message);
void recovery_add_exited(Recovery *recovery, const struct MessageExited *message);
void recovery_add_note(Recovery *recovery, const char *service, const char *note);
void recovery_add_fd(Recovery *recovery, const char *name, int fd); /* takes @fd */
/* The private socket is there from the first moment, before files are read. */
void recovery_open_sockets(Manager *m);
/* Did an engine run before in this boot? */
bool recovery_has_begun(const Recovery *recovery);
/* Manager.machine, as kept or opened. */
void recovery_take_machine_files(Manager *m);
void recovery_set_shutdown(Recovery *recovery, enum ShutdownKind kind);
/* Names of services that left something behind, a new NULL-terminated array of borrowed strings. */
GPtrArray *recovery_names(const Recovery *recovery);
/* After the files are loaded and the first levels known: put engine, supervisors and logger where they were, and let the engine begin. */
void recovery_carry_out(Manager *m);
/* RegistryOptions.settled: the levels are known. */
void recovery_on_settled(Manager *m);
/* The memfd with the files that were in force, the caller's; -1: none. */
int recovery_take_files(Recovery *recovery);
/* The living row of the logger, 0 if there is none. */
pid_t recovery_logger(const Recovery *recovery, uint64_t *ret_invocation);

/* notes.c */
const char *notes_get(Manager *m, const char *service); /* for the datagram of an act; counts as sent */
void notes_mark(Manager *m, const char *service);
void notes_send(Manager *m); /* everything that is marked and has changed */
void notes_forget(Manager *m, const char *service);
void notes_remember(Manager *m, const char *service, const char *note); /* as told in the replay */
void notes_send_flag(Manager *m, const char *name); /* as it is now */
/* "" when @name is not that of a flag's note. */
const char *notes_flag_name(const char *name);
#define NOTES_GLOBAL "."

/* files.c */
/* As PID 1 keeps the files in force. */
#define FILES_KEPT ".manager/files/0"
/* Once, after the replay: load those that the manager before had in force, or all anew; then the engine begins. */
void files_begin(Manager *m);
/*
 * Have the generated files made and all files read again. The outcome is in the log, the diagnostics, files_read_us and files_failed_us;
 * changes_on_files() is called then.
 */
void files_load(Manager *m);
/* What svcd has in /run; again when somebody has removed it. */
bool files_make_directories(Manager *m);
extern const Helper files_helper;
/* An instance of a template that nothing mentions: load again with it. Returns: whether it exists now. */
bool files_add_instance(Manager *m, const char *name);
/* Instances that nothing mentions, and that this user was the last to ask something of. */
unsigned files_count_instances(const Manager *m, uid_t uid);

/* operators.c */
void operators_load(Manager *m, const Bundle *bundle); /* with the files of policy */
/* BusOps.read_log */
GByteArray *logs_read(void *manager, const char *service, GError **error);
/* BusOps.is_operator */
bool operators_have(void *manager, const char *service, const gid_t *gids, unsigned n_gids);
/* BusOps.add_instance */
bool operators_add_instance(void *manager, const char *name, const Requester *who, GError **error);
/* The first of them, for the log; 0: none. LogRouterOptions.group */
gid_t operators_log_group(void *manager, const char *service);

/* workers.c */
void workers_init(Manager *m);
extern const Helper worker_helper;

/* helper.c */
typedef struct HelperRun {
	const char *const *argv;
	int input_fd;            /* these two: borrowed; -1: where the manager's own messages go */
	int output_fd;
	const char *row;         /* of a helper that has many; else NULL */
	uint64_t invocation;     /* 0: a new number */
	bool has_log;            /* standard error goes to the manager's messages in any case */
} HelperRun;

/* Run it. Returns: its invocation; 0 with @error. */
uint64_t helper_spawn(Manager *m, const Helper *helper, const HelperRun *run, GError **error);
/* Returns: false if the message is about something else. */
bool helper_on_spawned(Manager *m, const struct MessageSpawned *message);
bool helper_on_exited(Manager *m, const struct MessageExited *message);

/* changes.c */
extern const Helper changes_helper;
/* BusOps.change_policy */
bool changes_ask(void *manager, uint64_t ticket, const char *const *words, const Requester *who, GError **error);
/* A load that began after the last change was made has ended. @problem: as in load_ended() of files.c */
void changes_on_files(Manager *m, const char *problem);

/* checks.c */
typedef struct CheckResult {
	char *service;
	char *problem; /* NULL: none */
	char *output;  /* the last line of the command, for those who asked; NULL: none */
} CheckResult;

/* BusOps.check */
bool checks_ask(void *manager, uint64_t ticket, RequestVerb verb, const char *service, const Requester *who, GError **error);
void checks_on_ended(Manager *m, const char *service, const ProcessEvent *event); /* PROCESS_CHECKED */
void checks_drain(Manager *m); /* answers who waits for what has ended */

/* power.c */
typedef enum PowerSupply { POWER_SUPPLY_FAILED, POWER_SUPPLY_LOW, POWER_SUPPLY_BACK } PowerSupply;
/* Starts the service of that name; without one, a low battery switches off. */
void power_on_supply(Manager *m, PowerSupply supply);
bool power_shutdown(Manager *m, enum ShutdownKind kind, const Requester *who, GError **error);
/* A user's svcd ends; @what has asked for it. */
void power_end(Manager *m, const char *what);
void power_on_request(Manager *m, enum RequestKind kind);
void power_check_finished(Manager *m);

/* quiet.c: our lines and the console */
void quiet_update(Manager *m, const Service *s); /* its state changed */
void quiet_forget(Manager *m, const Service *s);
void quiet_recover(Manager *m);                  /* all that the manager before left */

/* records.c */
void records_remember(Manager *m); /* after a recovery: what the manager before has recorded */
void records_check(Manager *m);    /* record the runlevel if it is another than before */
extern const Helper records_helper;

/* watches.c: services whose readiness is a condition, and clients of the bus */
GHashTable *watches_new(void);
void watches_add_service(Manager *m, const char *service, KeyPrefix prefix, const char *key);
void watches_remove_service(Manager *m, const char *service, KeyPrefix prefix, const char *key);
void watches_add_client(Manager *m, KeyPrefix prefix, const char *key); /* counted */
void watches_remove_client(Manager *m, KeyPrefix prefix, const char *key);
/* A service that does not run may be about to: its conditions below /proc and /sys, of which no change is reported, are looked at again. */
void watches_look_again(Manager *m, const Service *s);

/* The same for all, because the files were read. */
void watches_look_at_all(Manager *m);
void watches_on_level(Manager *m, const char *key, Level level, const char *why);

/* boot-file.c */
void boot_file_recover(Manager *m); /* before the engine begins */
void boot_file_check(Manager *m);   /* keep what is new in the boot record */

/* history.c */
/* own-session.c: of a user's manager. */
char **own_session_environment(void); /* what its services begin with; a new strv */
void own_session_begin(Manager *m);   /* nothing to the machine's */

void history_begin(Manager *m);    /* before the engine begins */
void history_load(Manager *m, const Bundle *bundle);
void history_remember(Manager *m); /* after a recovery: the manager before has saved it */
void history_check(Manager *m);    /* save it when the boot is finished */
void history_on_level(Manager *m, const char *key, Level level);
extern const Helper history_helper;

/* requests.c */
/* By number or name; 0 and 6 end the machine. */
bool requests_set_runlevel(Manager *m, const char *runlevel, const Requester *who, GError **error);
/* The name under which the keeper keeps the private socket. */
#define REQUESTS_KEPT_SOCKET ".manager/private/0"
/* Make the private socket and have it kept; clients wait in its backlog until it is served. -1 if it cannot be. */
int requests_open_socket(Manager *m);
void requests_serve(Manager *m, int listening_fd); /* takes it; -1 is nothing */
/* Is there a socket where clients look for it? */
bool requests_socket_is_there(const Manager *m);

/* sockets.c */
#define SOCKETS_KEPT_KIND "socket"
void sockets_init(Manager *m);
/* Something that decides about the sockets of @service has changed; sockets_update() acts on it, in manager_drain(). */
void sockets_mark(Manager *m, const char *service);
/* As sockets_mark(), and clients may not be able to reach those that are open: its processes have gone. */
void sockets_look(Manager *m, const char *service);
void sockets_mark_all(Manager *m); /* definitions may have changed; looks, too */
void sockets_update(Manager *m);
/* Are those of the beginning of a boot still being opened? Services that connect to them do not say so: nothing may start. */
bool sockets_hold_boot(Manager *m);
/**
 * sockets_hold_start() - are sockets of @s still being opened, or looked at?
 * Returns: true: the start is asked for again by acts_queue() when that is over.
 */
bool sockets_hold_start(Manager *m, const Service *s);
/* Something has gone that may have been in the way of a socket that could not be opened. */
void sockets_retry_soon(Manager *m);
/* One that the keeper kept; takes @fd. Before the engine begins. */
void sockets_recover(Manager *m, const char *service, const char *index, int fd);
/* ProcessContext.sockets */
bool sockets_for_spawn(void *manager, const char *service, SpawnSockets *ret, GError **error);
/* BusOps.is_socket_open; @entry: its place in the definition */
bool sockets_is_open(void *manager, const char *service, unsigned entry, const char **ret_problem);

/* sysv.c */
#define SYSV_KEPT_FIFO ".manager/initctl/0"
/* @kept_fd: taken. -1: the fifo is made, which is only for a time when no service runs: users can hold the lock of /run. */
void sysv_serve(Manager *m, int kept_fd);
/* svc-worker makes it, or opens it again. */
void sysv_open(Manager *m);

#endif
