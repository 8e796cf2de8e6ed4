/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The structures that the files of the engine share, and the functions between them. Only the
 * engine includes this file. In a comment on the data of a service, "it" is that service.
 *
 * Each event is processed through work lists, one per kind of work, in the order of WorkKind: which
 * services are wanted, then all levels, then the consequences for each service, then stops, then
 * starts. So no service starts while only some of the levels are up to date.
 */
#ifndef SVCD_ENGINE_ENGINE_PRIVATE_H
#define SVCD_ENGINE_ENGINE_PRIVATE_H

#include <glib.h>

#include "engine/backoff.h"
#include "engine/engine.h"
#include "engine/transitions.h"

/*
 * After this time an unknown level counts as false, for starting only (docs/how-svcd-decides.md,
 * "Allowed").
 */
#define UNKNOWN_LIMIT_US (30 * G_USEC_PER_SEC)

/* The engine's part of a note. With the manager's part it fits PROTOCOL_NOTE_BYTES. */
#define ENGINE_NOTE_BYTES 84

/* The kinds of work that can be queued for a service. Lower kinds are done first. */
typedef enum WorkKind {
	WORK_WANT, /* recompute why the service is wanted */
	WORK_WANT_PUBLISH, /* publish why the service is wanted */
	WORK_RANK, /* choose which members of a conflict group may run */
	WORK_LEVEL, /* publish service:, active:, facility: */
	WORK_SETTLED, /* recompute whether the service is settled */
	WORK_SETTLED_PUBLISH, /* publish settled: */
	WORK_STEP, /* act on levels, state and being wanted */
	WORK_STOP, /* the service may be allowed to stop now */
	WORK_START_FIRST, /* like WORK_START, for a service that the login screen needs */
	WORK_START, /* the service may be allowed to start now */
	WORK_FORGET, /* its file and its processes are gone */
	WORK_COUNT
} WorkKind;

/*
 * How strongly a service is wanted. A needed service inherits the grade of the service that needs
 * it.
 */
typedef enum WantGrade {
	GRADE_NONE,
	GRADE_LINGER, /* only because a service lingers */
	GRADE_NORMAL,
	GRADE_ADMIN, /* also starts manual services */
} WantGrade;

typedef struct Facility {
	const char *name; /* "$network", interned */
	GPtrArray *providers; /* Service * */
	struct Condition *condition_facility;
	struct Condition *condition_settled;
} Facility;

typedef struct Condition {
	const char *key; /* interned */
	KeyPrefix prefix;
	Level level;
	bool is_subscribed;
	bool is_stale; /* unknown for so long that it counts as false for starting */
	int64_t stale_us; /* when it became stale, if @is_stale */
	char *why;
	int64_t since_us;
	Service *subject; /* the service named by the key, or the mount of mounted:; NULL: none */
	Facility *facility; /* the facility named by the key */
	GPtrArray *subscriptions; /* Subscription *: the subscribers, borrowed */
} Condition;

typedef enum TermKind {
	TERM_WHEN,
	TERM_WHILE,
	TERM_AFTER, /* After=, and each term with settled:; used only for starts */
	TERM_CONFLICT, /* Conflicts=, in both directions; used only for starts */
	TERM_DONE, /* DoneWhile=: used only for an admin's start; in a list of its own */
	/* ShownWhen=: used only until the login screen is shown; in a list of its own */
	TERM_SHOWN,
} TermKind;

/* One term of one service, with the conditions of its literals. */
typedef struct Subscription {
	Service *service;
	Term *term; /* borrowed for When= and While=, otherwise owned */
	TermKind kind;
	/* the file has the term under While=; in a group, TERM_WHILE can also be from When= */
	bool is_while;
	bool is_turned; /* TERM_AFTER: the term comes from Before= of the other service */
	Level level; /* from the reported levels */
	Level start_level; /* for starts: a stale unknown counts as false */
	Condition **conditions;
} Subscription;

/* A start lock, for all services with this name in StartLock=. */
typedef struct StartLock {
	const char *name; /* interned */
	GHashTable *holders; /* Service *, a set: at most one starts, others may be stopping */
	GSequence *line; /* Service *: services that only the lock delays, the next holder first */
	const char *last_holder; /* the last holder, interned; NULL: none yet */
	unsigned n_members; /* services with this lock in their file; counted at load */
} StartLock;

/* A ServiceSet with a reference count. It is kept while a service uses one of its definitions. */
typedef struct SetRef {
	ServiceSet *set;
	unsigned n_users;
} SetRef;

/* want.c: why the service is wanted. */
typedef struct WantState {
	WantGrade grade;
	WantGrade published_grade; /* before the present event */
	Service *support; /* the service that needs it and gives @grade; NULL: none */
	bool is_lingering;
} WantState;

/* condition.c: the terms that delay or stop the service. */
typedef struct TermState {
	unsigned n_when_false; /* When= terms that are false (not unknown) */
	unsigned n_while_false;
	const Term *last_true; /* the term that became true last, for the cause record */
} TermState;

/* lapse.c: its While= terms. */
typedef struct LapseState {
	bool is_over; /* a While= term has been false for longer than Settle= */
	int64_t since_us; /* since when a While= term has been false; 0: none is false */
} LapseState;

/* settled.c: whether the service is about to change. */
typedef struct SettleState {
	bool is_unsettled;
	bool holds_up_boot; /* the boot cannot end before it is settled */
	Service *by; /* the unsettled service that it waits for; NULL: none */
} SettleState;

/* stop-order.c: the order in which services stop. */
typedef struct StopState {
	GPtrArray *after; /* Service *, borrowed: services that stop later */
	/*
	 * this many entries at the start of @after are from StopAfter=, the rest from the start
	 * order
	 */
	unsigned n_after_said;
	unsigned n_blockers;
	bool is_leaving; /* it must stop, and waits for the services that stop first */
	bool is_blocking; /* leaving or stopping: the services that stop later wait for it */
} StopState;

/* start-lock.c: its turn. */
typedef struct TurnState {
	StartLock *lock; /* the lock of its file; NULL: none */
	StartLock *held; /* held while it starts or stops, even if its file has changed */
	GSequenceIter *place; /* in the queue of @lock; NULL: not in it */
	/* when the lock became the only delay; 0: it is not the only delay */
	int64_t since_us;
	unsigned order; /* its order in policy when it joined the queue */
	bool is_told; /* the history has a remark about the lock */
} TurnState;

/* listen.c: its sockets. */
typedef struct ListenState {
	bool is_opening; /* its sockets are being opened; other services cannot rely on them yet */
	int64_t again_us; /* STATE_FAILED: the earliest time of a start by a connection */
	int64_t triggers_since_us;
	unsigned n_triggers; /* starts by a connection since @triggers_since_us */
} ListenState;

/* load.c: its file. */
typedef struct FileRef {
	SetRef *definitions; /* the set that contains s->def */
	bool is_gone;
	char *problem; /* error in its new file; the old definition is in force; NULL: no error */
} FileRef;

/* How the last run ended. */
typedef enum RunEnd {
	RUN_END_ORDINARY,
	RUN_END_UNSEEN, /* it ended while no manager was running; engine_begin() handles it */
	RUN_END_REFUSED, /* no resources for the start: the service did not run, and is retried */
	RUN_END_SPENT, /* STATE_IDLE though wanted: it ended by itself, and is not restarted */
} RunEnd;

/* The progress of Reload= or RestartCommand=. */
typedef enum CommandStage {
	COMMAND_NONE,
	COMMAND_PENDING,
	COMMAND_RUNNING,
	COMMAND_AGAIN, /* runs; one more follows, because this one may have read old files */
} CommandStage;

/* run.c: the present or last run. */
typedef struct RunState {
	ServiceType type; /* of this run; the present file may set another type */
	uint32_t mark; /* ServiceDef.mark at its start; 0: unknown */
	RunEnd end;
	/* a term was false after the end; the service gets a new chance when all are true */
	bool was_false;
	bool is_unexplained; /* until engine_begin(): the service was running, but has no note */
	bool is_stop_ordered; /* the engine ordered the present stop */
	bool is_restart_requested; /* the service is to be stopped and started */
	CommandStage restart;
	CommandStage reload;
	char *cause_next; /* the cause of the next transition, from an admin; or NULL */
} RunState;

/* A nested struct or a single value is written only by the file that its comment names. */
struct ServicePrivate {
	/* engine.c */
	Engine *engine;
	unsigned queued; /* a bit per WorkKind */
	int64_t timer_at_us[ENGINE_TIMER_COUNT];

	/* load.c: terms and edges, rebuilt at load. Edges are borrowed Service *. */
	GPtrArray *subscriptions; /* Subscription *, owned */
	GPtrArray *done_subscriptions; /* Subscription *, owned: TERM_DONE */
	GPtrArray *shown_subscriptions; /* Subscription *, owned: TERM_SHOWN */
	GPtrArray *needs; /* the services that this one makes wanted */
	GPtrArray *needers;
	GPtrArray *conflicts; /* in both directions */
	GPtrArray *facilities; /* Facility *: the facilities that it provides */

	/* condition.c: the conditions about this service, borrowed. */
	Condition *condition_service;
	Condition *condition_settled;
	Condition *condition_active;
	Condition *condition_healthy;
	GPtrArray *mounted; /* Condition *: "mounted:" of its mount point, and of paths below it */

	FileRef file;
	WantState want;
	TermState terms;
	LapseState lapse;
	SettleState settle;
	StopState stop;
	TurnState turn;
	ListenState listen;
	RunState run;
	Backoff backoff;
	Service *loses_to; /* conflict.c: the winner, for which it waits; NULL: none */
	int64_t wait_until_us; /* wait-limit.c: the end of WaitTimeout=; 0: not running */
	ServiceClass service_class; /* login-screen.c: as last computed */
	/* service.c: not wanted, and still has processes that can be stopped */
	bool is_left;
	char *note_unknown; /* note.c: unknown keys from the note of a newer version */
};

/* The state of the wait for the login screen of this boot. */
typedef struct LoginScreen {
	bool is_over; /* the wait has ended */
	bool was_awaited;
	bool is_old; /* the classes must be recomputed */
	const char *awaited; /* the entry of LoginScreen= in use; interned, NULL: none */
} LoginScreen;

struct Engine {
	EngineOps ops; /* see complete() */
	void *data;
	const EngineObserver *observer; /* NULL: none */
	void *observer_data; /* owned */
	SetRef *definitions; /* the present definitions; NULL before the first load */
	Policy *policy;
	GHashTable *by_name; /* interned name -> Service */
	GPtrArray *services; /* by name, owned */
	GHashTable *conditions; /* interned key -> Condition, owned */
	GHashTable *facilities; /* interned name -> Facility, owned */
	GHashTable *start_locks; /* interned name -> StartLock, owned */
	GQueue work[WORK_COUNT];

	int64_t now_us; /* the time of the present event */
	int64_t happened_us; /* when the event happened, not when it was reported */
	bool is_acting; /* engine_begin() was called */
	bool is_resuming; /* in engine_begin() of a later manager: refusals were counted before */
	const char *runlevel;
	const char *previous_runlevel;
	char *runlevel_cause;
	int64_t last_admin_us;

	unsigned n_unsettled;
	unsigned n_holding_up; /* unsettled services that delay the end of the boot */
	unsigned n_leaving;
	unsigned n_stopping;
	unsigned n_left;
	bool was_at_rest;
	int64_t boot_us;
	LoginScreen login_screen;
	int64_t rebuilt_us; /* when the conditions on services were rebuilt */
	int64_t begun_us; /* when this engine began; maybe not the first engine of this boot */
};

/* --- engine.c: the work list --- */
void engine_queue(Service *s, WorkKind kind);
void engine_run(Engine *engine);
void engine_set_now(Engine *engine, int64_t now_us);
void engine_arm(Service *s, EngineTimer kind, int64_t at_us);
/* Does @s run as a group? If it has no run: does its file declare a group? */
bool service_is_group(const Service *s);
/* Finds a service by its name or an alias. NULL: there is none. */
Service *engine_resolve(const Engine *engine, const char *name);

/* --- load.c: definitions -> services, subscriptions, edges --- */
void load_rebuild(Engine *engine);
void set_ref_drop(SetRef *ref);
Service *load_new_service(Engine *engine, ServiceDef *def, SetRef *definitions);
/* Frees all services that are queued for WORK_FORGET. */
void load_forget_gone(Engine *engine);

/* --- condition.c --- */
/* Forgets the conditions and terms of @s, before the definitions are read again. */
void condition_clear(Service *s);
void condition_free(gpointer data);
gint condition_compare(gconstpointer a, gconstpointer b);
void condition_set_level(Engine *engine, Condition *c, Level level, const char *why);
/* Publishes service:, active: and healthy: of @s. */
void condition_publish(Service *s);
/*
 * The time from which an unknown level counts as false for starting. That is at once if the service
 * that would report the level is settled and not up.
 */
int64_t condition_stale_at(const Engine *engine, const Condition *c);
/* Marks an unknown level as stale if its time has come. */
void condition_check_stale(Engine *engine, Condition *c);
Subscription *subscription_new(Service *s, Term *term, TermKind kind);
void subscription_free(gpointer data);
/* Recomputes the levels after a literal changed. */
void subscription_update(Subscription *subscription);
void slot_set_kind(Subscription *subscription, TermKind kind);
/* Adds the services that can make @subscription's term true by being up, without duplicates. */
void subscription_add_makers(const Subscription *subscription, GPtrArray *found);
/* Does @s wait for a program that is not installed, or for a kernel command line argument? */
bool service_is_unreachable(const Service *s);
/* Does @s wait for a missing program? */
bool service_lacks_program(const Service *s);
void subscription_start_counting(Subscription *subscription);
/*
 * Is literal @i of the term about a mount that is to stop? Such a literal counts as false, so that
 * the services on the mount stop first.
 */
bool subscription_mount_ends(const Subscription *subscription, unsigned i);
/* Finds the services that make the mounts of mounted: conditions. */
void condition_bind_mounts(Engine *engine);

/* --- explain-state.c --- */
/* A sentence about the state, and one about its reason; new strings. */
char *state_describe(const Service *s, int64_t now_us);
char *state_explain(const Service *s, int64_t now_us);

/* --- explain-term.c --- */
/* A sentence about the condition that the service waits for, with file and line; a new string. */
char *subscription_describe(const Subscription *subscription, int64_t now_us);
/* @s became settled or unsettled. Services may wait for levels that it reports. */
void condition_watcher_settled(const Service *s);
/*
 * The service behind the level: condition_watcher() while the level is unknown, otherwise
 * condition_maker(). NULL: there is none.
 */
Service *condition_source(const Engine *engine, const Condition *c);
/*
 * The service that reports the level, such as udev; and the owner of the bus name. NULL: there is
 * none.
 */
Service *condition_watcher(const Engine *engine, const Condition *c);
Service *condition_maker(const Engine *engine, const Condition *c);
/* The action by which a user can make @c true (@is_negated: false); a new string, or NULL. */
char *condition_advise(const Condition *c, bool is_negated);

/* --- facility.c --- */
Facility *facility_get(Engine *engine, const char *name);
void facility_free(gpointer data);
Level facility_level(const Facility *f);
bool facility_is_settled(const Facility *f);
/* The reason for the level of facility:; a new string. */
char *facility_why(const Facility *f);
void facility_publish(Engine *engine, Facility *f);
void facility_publish_settled(Engine *engine, Facility *f);

/* --- settled.c --- */
void settled_update(Service *s);
void settled_publish(Service *s);
/* Is it certain that @s cannot start before the next boot, whatever its unknown terms become? */
bool settled_waits_for_good(const Service *s);
/* The definitions changed: marks all services as settled, and queues each for a new computation. */
void settled_reset(Engine *engine);

/* --- want.c --- */
void want_update(Service *s);
void want_publish(Service *s);
void want_clear(Service *s);
void want_decide_all(Engine *engine);
void want_begin_lingering(Service *s);
/* Lingering no longer keeps @s wanted. */
void want_end_lingering(Service *s);
/* The reason why @s is wanted or not, as the end of a sentence; a new string. */
char *want_describe(const Service *s);
/* Does policy or an admin forbid @s, so that the needs of other services have no effect? */
bool want_is_forbidden(const Service *s);
/*
 * @s and the services it needs, transitively. Forbidden services and their needs are omitted. A new
 * array of Service *.
 */
GPtrArray *want_with_needs(Service *s);

/* --- conflict.c --- */
void conflict_clear(Service *s);
void conflict_update(Service *s);
/*
 * The state or a term of @s has changed. So @s, or a service that stands in for it, may now be able
 * to run.
 */
void conflict_look_again(Service *s);
/* Is @s wanted, and not the loser of a conflict? */
bool conflict_lets_run(const Service *s);
/* If both services were wanted now, would @s run? */
bool conflict_ranks_above(const Service *s, const Service *other);

/* --- listen.c --- */
/*
 * Recomputes which sockets should be open, from the terms, the state, and the reason why @s is
 * wanted.
 */
void listen_update(Service *s);
/*
 * The service failed, and Restart= does not restart it. Returns: false if a connection may not
 * start it either (RestartLimit=).
 */
bool listen_after_failure(Service *s);

/* --- login-screen.c --- */
/* The login screen may have changed. Returns: true if there is work to do. */
bool login_screen_update(Engine *engine);
/* The definitions changed: the classes are recomputed when next used. */
void login_screen_reset(Engine *engine);
/*
 * The latest end of the wait and the file that requires it, as the end of a sentence; a new string.
 */
char *login_screen_describe(const Service *s, int64_t now_us);

/* --- stop-order.c --- */
void stop_order_set_leaving(Service *s, bool is_leaving);
void stop_order_state_changed(Service *s);
void stop_order_clear(Service *s);
void stop_order_rebuild(Engine *engine);
/*
 * Returns: the service to stop first, if none is stopping and some wait for each other; otherwise
 * NULL.
 */
Service *stop_order_break_cycle(Engine *engine);

/* --- start-lock.c --- */
void start_lock_free(gpointer data);
/*
 * Nothing delays the start of @s except the lock that its file names, if any. When something else
 * delays it, call start_lock_leave().
 */
void start_lock_join(Service *s);
void start_lock_leave(Service *s);
/* A service takes its lock when it starts or stops, and passes it on when it does neither. */
void start_lock_state_changed(Service *s);
/* The next service in the queue of the lock of @s. @s must have a lock. NULL: the lock is held. */
Service *start_lock_next(const Service *s);
/* The service that holds the lock which delays @s. NULL: no lock delays @s. */
Service *start_lock_holder(const Service *s);
/* Makes a remark, once per wait, that the service waits for the lock. */
void start_lock_notify(Service *s);
/*
 * Called before and after the definitions are read again. Held locks stay held, and services in a
 * queue keep their time.
 */
void start_lock_clear(Service *s);
void start_lock_rebuild(Engine *engine);

/* --- step.c: what follows --- */
void step_service(Service *s);
void step_stop(Service *s);
void step_start(Service *s);
void step_level(Service *s);
void step_timer(Service *s, EngineTimer kind);
/* Stops @s, even if other services should stop first. */
void step_stop_now(Service *s);

/* --- lapse.c: While terms that are false --- */
/* Starts or stops the timer of Settle=. After this time, applies OnLapse=. */
void lapse_update(Service *s);
/* Forgets that a While= term is false. */
void lapse_end(Service *s);
/* A sentence about the first false While= term; a new string. */
char *lapse_text(const Service *s);

/* --- process-event.c --- */
void process_event_apply(Service *s, const ProcessEvent *event);

/* --- run.c --- */
void run_enter_state(Service *s);
/* No process is left: selects the next state. */
void run_end(Service *s);
/* @result is taken. */
void run_set_result(Service *s, bool is_success, bool is_refused, char *result);
/*
 * The engine orders the present or the next stop. However the run then ends, it does not prevent
 * another start.
 */
void run_set_stop_ordered(Service *s, bool is_ordered);
/* @is_asked: the service is to be stopped and started again. */
void run_set_restart_asked(Service *s, bool is_asked);
/* The cause of the next transition; taken. */
void run_set_cause(Service *s, char *cause);
char *run_take_cause(Service *s);
void run_set_was_false(Service *s, bool was_false);
/*
 * The steps of RestartCommand= and Reload=: a request, sending it to the supervisor if necessary,
 * and the end.
 */
void run_begin_restart(Service *s);
void run_begin_reload(Service *s);
void run_send_commands(Service *s);
/* @problem: NULL if the command was successful. */
void run_end_restart(Service *s, const char *problem);
void run_end_reload(Service *s, const char *problem);
/* The end of the last run no longer keeps @s from starting. */
void run_forget_end(Service *s);
/* Does what run_forget_end() does, and ends the state backoff or failed. @cause is taken. */
void run_give_chance(Service *s, char *cause);
/*
 * Only before engine_begin(). run_restore() restores the run from a note. Then run_resume()
 * continues a run with processes, or run_ended_unseen() ends a run that was over before this
 * manager began.
 */
void run_restore(Service *s, const RunState *noted);
void run_resume(Service *s, ServiceState state, ServiceType type, bool is_unexplained);
void run_ended_unseen(Service *s, ServiceState noted);

/* --- wait-limit.c: WaitTimeout= --- */
/* Can an external event make this term true, so that the wait for it is limited? */
bool wait_limit_covers(const Subscription *subscription);
/* Starts or stops the timer, as state, terms and file require. */
void wait_limit_update(Service *s);
/* The timer has fired. */
void wait_limit_over(Service *s);
void wait_limit_restore(Service *s, int64_t until_us);

/* --- request.c --- */
/* @needer is wanted, and policy forbids @s, which it needs. */
void request_refuse_need(Service *s, const Service *needer);
/*
 * Was the work of a finished task undone, as umount(8) undoes a mount? If so, a start repeats the
 * task.
 */
bool request_is_undone(const Service *s);

/*
 * A living service that nothing wants stays up as if it had been requested, because the reason for
 * its start was lost with its note.
 */
void request_keep_unexplained(Engine *engine);
/* Can @s be reloaded in this state, if it has a Reload=? */
bool request_reload_fits(const Service *s);
/*
 * The members that a restart or reload of @group applies to. Empty if @group is not a group. A new
 * array of borrowed pointers.
 */
GPtrArray *request_members(const Service *group, RequestVerb verb);

/* --- service.c --- */
Service *service_new(Engine *engine, ServiceDef *def);
void service_free(Service *s);
/*
 * The only writer of s->state: finds the next state, enters it, records @cause (taken, may be NULL)
 * and requests the start or stop.
 */
void service_apply(Service *s, ServiceEvent event, char *cause);
/*
 * One of these changed: the state (@from: the earlier state), the stop problem, whether and why @s
 * is wanted, or whether it is settled.
 */
void service_observe(Service *s, ServiceState from);
/* Adds a remark to the history of @s, without a change of state. Takes @text. */
void service_remark(Service *s, char *text);
/*
 * Adds a refusal to the history of @s. The newest record is replaced if it is also a refusal, of a
 * kind that users can repeat.
 */
void service_remark_refusal(Service *s, CauseKind kind, char *text);
/*
 * After a failed stop: forgets the failure, so that the service is stopped again if there is a
 * reason.
 */
void service_retry_stop(Service *s);
/* Applies the keeper's note. Only before engine_begin(). */
void service_restore(Service *s, ServiceState state, int64_t since_us, const char *cause);
bool service_is_active(const Service *s);
/* May a service have processes in this state? */
bool state_is_active(ServiceState state);

/* --- file-state.c --- */
/*
 * A sentence for explain, and the remedy for an admin. NULL: @s was started with the present file.
 */
char *file_state_describe(const Service *s);
char *file_state_advise(const Service *s);

/* --- note.c --- */
bool note_decode(Service *s, const char *note, ServiceState *ret_state, int64_t *ret_since_us);

#endif
