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
 * 	policy-helper changes of policy for clients of the bus
 * 	checks    requests that wait for a CheckCommand=
 * 	operators users that may operate a service, and read its log
 * 	records   the runlevel in utmp and wtmp
 * 	boot-history durations of earlier boots
 * 	last-success when tasks with due: conditions were last done
 * 	actions   actions of the engine
 * 	boot-file the boot record, for the next manager
 * 	requests  requests of bus clients
 * 	sockets   the sockets of services
 * 	sysv      requests of tools through /run/initctl
 * 	watches   the users of conditions besides the engine
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

/*
 * The objects that several files use, and the file that sets each. Data of one file is static in
 * that file, because there is one manager in a process.
 */
typedef struct Manager {
	/* main.c */
	GMainLoop *loop;
	int exit_code; /* wiring.c */
	int64_t started_us;
	char *arguments; /* the arguments of PID 1, as on the kernel command line */
	KeeperLink *link;

	/* wiring.c */
	struct MessageWelcome welcome;
	char *reexec_problem; /* a sentence, or NULL */
	ProcessContext context; /* files.c and recovery.c complete it */
	Engine *engine; /* NULL before files_begin(), like the following objects */

	/* files.c */
	char *runtime_dir; /* /run/svcd, or the user's */
	LogRouter *logs;
	SystemBus *system_bus;
	Registry *registry;

	SystemBus *session_bus; /* user-session.c: of a user's manager; otherwise NULL */
	WorkerPool *workers; /* workers.c: for operations that may block for ever */
	Recovery *recovery; /* recovery.c: NULL once the engine has begun */
	Bus *bus; /* requests.c */
} Manager;

/* Is this the manager of "svcd --user", not the machine's? */
static inline bool manager_is_users(const Manager *m)
{
	return !(m->welcome.flags & WELCOME_IS_PID1);
}

/* A program of svcd that the keeper runs, one process per row of its table. It is not a service. */
typedef struct Helper {
	const char *service; /* the name of its row, which no service can have */
	bool has_many_rows; /* @service is the prefix of the names of the rows */
	/* Called when the keeper reports the start; also for a row of an earlier manager. */
	void (*spawned)(Manager *m, const struct MessageSpawned *message);
	/* Called when the keeper reports the exit. The row is already free. */
	void (*exited)(Manager *m, const struct MessageExited *message);
} Helper;

/* wiring.c */
extern const KeeperListener manager_keeper_listener;
void manager_init_engine(Manager *m);

/* actions.c */
typedef enum EngineActionKind {
	ENGINE_ACTION_START,
	ENGINE_ACTION_STOP,
	ENGINE_ACTION_RELOAD,
	ENGINE_ACTION_RESTART
} EngineActionKind;

void actions_init(Manager *m);
/*
 * Carries out the actions of the engine and sends all changes, now; for example before a client is
 * answered.
 */
void manager_drain(Manager *m);
void manager_drain_later(void);
/* Writes all data for later readers, now; called before the manager ends. */
void manager_write_down(Manager *m);
Supervisor *manager_supervisor(const char *service);
void manager_add_supervisor(const char *service, Supervisor *supervisor);
void actions_queue(EngineActionKind kind, const Service *s);
/* Are there actions to be carried out? */
bool actions_are_pending(void);
/*
 * The supervisor of @service is done. It is freed later, because the call may come from inside it.
 */
void actions_retire(const char *service);

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
/* Sets ProcessContext.machine to the descriptors that PID 1 kept, or opens them. */
void recovery_take_machine_files(Manager *m);
void recovery_set_shutdown(Recovery *recovery, enum ShutdownKind kind);
/*
 * The names of services that had a note or a process; a new NULL-terminated array of borrowed
 * strings.
 */
GPtrArray *recovery_names(const Recovery *recovery);
/*
 * After the files are loaded and the first levels are known: restores the engine, the supervisors
 * and the logger, and lets the engine begin.
 */
void recovery_carry_out(Manager *m);
/* RegistryOptions.settled: the levels are known. */
void recovery_on_settled(Manager *m);
/* The memfd with the files that were in force, owned by the caller; -1: none. */
int recovery_take_files(Recovery *recovery);
/* The memfd of lost-files.c, owned by the caller; -1: none. */
int recovery_take_lost_files(Recovery *recovery);
/* The pid of the logger, or 0 if it does not run. */
pid_t recovery_logger(const Recovery *recovery, uint64_t *ret_invocation);

/* notes.c */
void notes_init(void);
/* The note to send with an action. It is marked as sent. */
const char *notes_get(Manager *m, const char *service);
void notes_mark(const char *service);
void notes_mark_global(void); /* the note of the boot */
void notes_send(Manager *m); /* all marked notes that have changed */
void notes_forget(Manager *m, const char *service);
void notes_remember(const char *service, const char *note); /* a note from the replay */
void notes_send_flag(Manager *m, const char *name); /* the flag's present state */
/* "" if @name is not the name of a flag's note. */
const char *notes_flag_name(const char *name);
#define NOTES_GLOBAL "."

/* lost-files.c */
/* The name under which PID 1 keeps the relations of services without a file. */
#define LOST_FILES_KEPT ".manager/lost-files/0"
/* After each load, except in a recovery: sends these relations to PID 1. */
void lost_files_keep(Manager *m);
/* In a recovery: the relations that the earlier manager sent; NULL: none. */
Bundle *lost_files_take(Manager *m);
/* The definition of a running service that has no file. @lost: from lost_files_take(), or NULL. */
ServiceDef *lost_files_define(const Bundle *lost, const char *service);

/* files.c */
/* The name under which PID 1 keeps the files in force. */
#define FILES_KEPT ".manager/files/0"
/*
 * Called once, after the replay: loads the files that an earlier manager had in force, or reads all
 * files. Then the engine begins.
 */
void files_begin(Manager *m);
/*
 * Runs the generator and reads all files again. The result is in the log, the diagnostics and
 * files_report(). At the end, policy_helper_on_files() is called.
 */
void files_load(Manager *m);
void files_load_if_asked(Manager *m); /* after a recovery: if a load was requested meanwhile */

typedef struct FilesReport {
	int64_t read_us; /* when the reading of the files in force began; 0: not yet */
	int64_t failed_us; /* when the last load failed; 0: never */
	const char *problem; /* why the last load failed, a sentence; NULL: it succeeded */
	const DiagList *diags; /* of the last load */
	GHashTable *secrets; /* for configuration_is_secret() */
} FilesReport;

/* Valid until the next load. */
FilesReport files_report(void);
/* Makes those of svcd's directories in /run that do not exist. */
bool files_make_directories(Manager *m);
extern const Helper files_helper;
/* A memfd for bundle_write(), owned by the caller; -1 with @error. */
int files_make_memfd(GError **error);
/*
 * Adds an instance of a template that no file mentions, by loading the files again. Returns:
 * whether it exists now.
 */
bool files_add_instance(Manager *m, const char *name);
/* The number of instances that no file mentions and whose last request came from this user. */
unsigned files_count_instances(const Manager *m, uid_t uid);

/* operators.c */
void operators_load(const Bundle *bundle); /* with the policy files */
/* BusOps.read_log */
GByteArray *logs_read(void *manager, const char *service, GError **error);
/* BusOps.is_operator */
bool operators_have(void *manager, const char *service, const gid_t *gids, unsigned n_gids);
/* BusOps.add_instance */
bool operators_add_instance(void *manager, const char *name, const Requester *requester,
			    GError **error);
/* LogRouterOptions.group: the first group of Operators=, which may read the log; 0: none */
gid_t operators_log_group(void *manager, const char *service);

/* workers.c */
void workers_init(Manager *m);
extern const Helper worker_helper;

/* helper.c */
typedef struct HelperRun {
	const char *const *argv;
	int input_fd; /* borrowed, like @output_fd; -1: the manager's log */
	int output_fd;
	const char *row; /* of a helper that has many rows; otherwise NULL */
	uint64_t invocation; /* 0: a new number */
	bool has_log; /* standard error goes to the manager's log in any case */
} HelperRun;

/* Runs @helper. Returns: its invocation; 0 with @error. */
uint64_t helper_spawn(Manager *m, const Helper *helper, const HelperRun *run, GError **error);
/* Returns: false if the message is not about a helper. */
bool helper_on_spawned(Manager *m, const struct MessageSpawned *message);
bool helper_on_exited(Manager *m, const struct MessageExited *message);

/* policy-helper.c */
extern const Helper changes_helper;
/* BusOps.change_policy */
bool policy_helper_request(void *manager, uint64_t ticket, const char *const *tokens,
			   const Requester *requester, GError **error);
/*
 * To be called when a load has ended that began after the last change was made. @problem: as in
 * load_ended() of files.c
 */
void policy_helper_on_files(Manager *m, const char *problem);

/* checks.c */
/* BusOps.check */
bool checks_request(void *manager, uint64_t ticket, RequestVerb verb, const char *service,
		    const Requester *requester, GError **error);
void checks_on_ended(const char *service, const ProcessEvent *event); /* PROCESS_CHECKED */
void checks_drain(Manager *m); /* answers the clients of all ended checks */

/* power.c */
typedef enum PowerSupply { POWER_SUPPLY_FAILED, POWER_SUPPLY_LOW, POWER_SUPPLY_BACK } PowerSupply;
/*
 * Starts the service for this event. Without such a service, a low battery switches the machine
 * off.
 */
void power_on_supply(Manager *m, PowerSupply supply);
bool power_shutdown(Manager *m, enum ShutdownKind kind, const Requester *requester, GError **error);
/* Ends a user's svcd. @what: the cause. */
void power_end(Manager *m, const char *what);
/* Called after a recovery: calls power_end() if a signal requested it during the recovery. */
void power_end_if_asked(Manager *m);
bool power_is_ending(void);
/* Continues a shutdown after a recovery. Returns: its runlevel; NULL: there is no shutdown. */
const char *power_resume(enum ShutdownKind kind);
void power_on_request(Manager *m, enum RequestKind kind);
void power_check_finished(Manager *m);

/* console-mute.c: our log lines and the console */
void console_mute_init(void);
void console_mute_update(const Service *s); /* its state changed */
void console_mute_forget(const Service *s);
void console_mute_recover(Manager *m); /* after a recovery */

/* records.c */
void records_remember(Manager *m); /* after a recovery: the records of the earlier manager */
void records_check(Manager *m); /* records the runlevel if it has changed */
extern const Helper records_helper;

/* watches.c: conditions that make a service ready, or that bus clients watch */
void watches_init(void);
void watches_add_service(Manager *m, const char *service, KeyPrefix prefix, const char *key);
void watches_remove_service(Manager *m, const char *service, KeyPrefix prefix, const char *key);
void watches_add_client(Manager *m, KeyPrefix prefix, const char *key); /* counted */
void watches_remove_client(Manager *m, KeyPrefix prefix, const char *key);
/*
 * Checks the files below /proc and /sys in the conditions of @s again, because the kernel does not
 * report their changes. Does nothing while the service runs.
 */
void watches_look_again(Manager *m, const Service *s);

/* Like watches_look_again(), for all services; called after each load. */
void watches_look_at_all(Manager *m);
void watches_on_level(Manager *m, const char *key, Level level, const char *why);

/* boot-file.c */
void boot_file_recover(Manager *m); /* before the engine begins */
void boot_file_check(Manager *m); /* appends the new lines of the boot record */

/* user-session.c: of a user's manager */
char **user_session_environment(void); /* the basic environment of its services; a new strv */
void user_session_begin(Manager *m); /* does nothing in the machine's manager */

/* boot-history.c */
void boot_history_watch_volumes(Manager *m); /* before the engine begins */
void boot_history_load(Manager *m, const Bundle *bundle);
void boot_history_remember(Manager *m); /* after a recovery: the history is already saved */
void boot_history_check(Manager *m); /* saves the history when the boot is finished */
void boot_history_on_level(Manager *m, const char *key, Level level);
extern const Helper boot_history_helper;

/* Is @key "mounted:" and a directory above svcd's files in /var? */
bool boot_history_is_volume(const char *key);

/* last-success.c */
void last_success_init(void);
/* Is there a due: condition whose last success has not been read yet? */
bool last_success_is_missing(const Manager *m);
bool last_success_find(void *manager, const char *service, DueFacts *ret); /* ScheduleOptions */
void last_success_on_level(const char *key, Level level); /* of any condition */
/* After each load: the times of the file, and the time zone. */
void last_success_on_files(Manager *m, const Bundle *bundle);
void last_success_on_state(Manager *m, const Service *s); /* its state changed */
/* An admin's start or restart makes the conditions of the service true until it is done. */
void last_success_on_request(Manager *m, RequestVerb verb, const char *service);
void last_success_check(Manager *m); /* saves the times if they have changed */
char *last_success_note(const char *service); /* for its note; a new string, maybe "" */
void last_success_recover(const char *service, const char *note);
extern const Helper last_success_helper;

/* requests.c */
/* By number or name; 0 and 6 shut down the machine. */
bool requests_set_runlevel(Manager *m, const char *runlevel, const Requester *requester,
			   GError **error);
/* The name under which the keeper keeps the private socket. */
#define REQUESTS_KEPT_SOCKET ".manager/private/0"
/*
 * Makes the private socket, and PID 1 keeps it. Clients wait in its backlog until it is served.
 * Returns: -1 on failure.
 */
int requests_open_socket(Manager *m);
void requests_serve(Manager *m, int listening_fd); /* takes the descriptor; -1 is allowed */
/* Does a socket exist at the path that clients use? */
bool requests_socket_is_there(const Manager *m);

/* sockets.c */
#define SOCKETS_KEPT_KIND "socket"
void sockets_init(Manager *m);
/*
 * A value that determines which sockets of @service are open may have changed. manager_drain()
 * calls sockets_update() for that.
 */
void sockets_mark(const char *service);
/*
 * Like sockets_mark(), and also checks the open sockets: clients may be unable to reach them after
 * processes of the service ended.
 */
void sockets_look(const char *service);
void sockets_mark_all(Manager *m); /* definitions may have changed; also checks the open sockets */
void sockets_update(Manager *m);
/*
 * Are sockets of the early boot still being opened? Until they are open, no service may start,
 * because services that connect to them do not declare that.
 */
bool sockets_hold_boot(void);
void sockets_end_boot(void); /* sockets no longer hold the boot */
/**
 * sockets_hold_start() - are sockets of @s still being opened or checked?
 * Returns: true if the start must wait; actions_queue() then requests it again later.
 */
bool sockets_hold_start(Manager *m, const Service *s);
/* The reason why a socket could not be opened may no longer exist. */
void sockets_retry_soon(void);
/* A socket that the keeper has kept; takes @fd. Called before the engine begins. */
void sockets_recover(Manager *m, const char *service, const char *index, int fd);
/* ProcessContext.sockets */
bool sockets_for_spawn(void *manager, const char *service, SpawnSockets *ret, GError **error);
/* BusOps.is_socket_open; @entry: its index in the definition */
bool sockets_is_open(void *manager, const char *service, unsigned entry, const char **ret_problem);

/* sysv.c */
#define SYSV_KEPT_FIFO ".manager/initctl/0"
/*
 * @kept_fd: taken. -1: the fifo is made. Pass -1 only while no service runs, because users can hold
 * the lock of /run.
 */
void sysv_serve(Manager *m, int kept_fd);
/* svc-worker makes the fifo or opens it again. */
void sysv_open(Manager *m);

#endif
