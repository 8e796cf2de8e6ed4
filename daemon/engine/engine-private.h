/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The structures that the files of the engine share, and the functions between them. Only the
 * engine includes this file.
 *
 * Each event is processed through work lists, one per kind of work, in the order of WorkKind:
 * wants, then all levels, then the consequences for each service, then stops, then starts. So no
 * service starts while only some of the levels are up to date.
 */
#ifndef SVCD_ENGINE_ENGINE_PRIVATE_H
#define SVCD_ENGINE_ENGINE_PRIVATE_H

#include <glib.h>

#include "engine/backoff.h"
#include "engine/boot-record.h"
#include "engine/durations.h"
#include "engine/engine.h"
#include "engine/transitions.h"

/*
 * After this time an unknown level counts as false, for starting only (docs/how-svcd-decides.md,
 * "Allowed").
 */
#define UNKNOWN_LIMIT_US (30 * G_USEC_PER_SEC)

/* The engine's part of a note. With the manager's part it fits NOTE_MAX of the protocol. */
#define ENGINE_NOTE_BYTES 84

/* The kinds of work that can be queued for a service. Lower kinds are done first. */
typedef enum WorkKind {
	WORK_WANT,       /* recompute why it is wanted */
	WORK_WANT_SHOWN, /* publish the want */
	WORK_RANK,       /* choose the members of its conflict group that may run */
	WORK_LEVEL,      /* publish service:, active:, facility: */
	WORK_SETTLED,    /* recompute whether it is settled */
	WORK_SETTLED_SHOWN, /* publish settled: */
	WORK_STEP,       /* the consequences of want, levels and state */
	WORK_STOP,       /* it may be allowed to stop now */
	WORK_START_FIRST, /* it may be allowed to start now, and the login screen needs it */
	WORK_START,      /* it may be allowed to start now */
	WORK_FORGET,     /* its file is gone, and so are its processes */
	WORK_COUNT
} WorkKind;

/* The strength of a want. A need inherits it from the service that needs it. */
typedef enum WantGrade {
	GRADE_NONE,
	GRADE_LINGER, /* only because a service lingers */
	GRADE_NORMAL,
	GRADE_ADMIN,  /* also starts manual services */
} WantGrade;

/* The class of a service in the progress of the boot. Each service has one class. */
typedef enum ProgressClass {
	CLASS_OFF,    /* not wanted, and no processes or a failed stop */
	CLASS_LEFT,   /* not wanted, still has processes */
	CLASS_MOVING,
	CLASS_UP,
	CLASS_FAILED,
	CLASS_HELD,   /* wanted, waits for an external condition */
	CLASS_COUNT
} ProgressClass;

typedef struct Facility {
	const char *name;     /* "$network", interned */
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
	int64_t stale_us; /* since when, if @is_stale */
	char *why;
	int64_t since_us;
	Service *subject;   /* service:, settled:, active:, or the mount of mounted:; NULL: none */
	Facility *facility; /* facility:, settled:$x */
	GPtrArray *slots;   /* Slot *: the subscribers, borrowed */
} Condition;

typedef enum SlotKind {
	SLOT_WHEN,
	SLOT_HOLD,
	SLOT_AFTER,    /* After=, and each term with settled:; used only for starts */
	SLOT_CONFLICT, /* Conflicts=, in both directions; used only for starts */
	SLOT_DONE,     /* DoneWhile=: used only for an admin's start; not with the others */
	SLOT_SHOWN,    /* ShownWhen=: used only until the login screen is shown; not with the others */
} SlotKind;

/* One term of one service, with the conditions of its literals. */
typedef struct Slot {
	Service *service;
	Term *term; /* borrowed for When= and While=, otherwise owned */
	SlotKind kind;
	bool is_while; /* from While= in the file; a group keeps its When= terms too */
	bool is_turned;    /* SLOT_AFTER: from Before= of the other service */
	Level level;       /* as reported */
	Level start_level; /* for starts: a stale unknown counts as false */
	Condition **conditions;
} Slot;

/* A start lock, for all services with this name in StartLock=. */
typedef struct StartLock {
	const char *name;    /* interned */
	GHashTable *holders; /* Service *, a set: at most one starts, others may be stopping */
	GSequence *line;     /* Service *: those that only the lock delays, the next one first */
	const char *last_holder; /* the last holder, interned; NULL: none yet */
	unsigned n_members;  /* services with this lock in their file; counted at load */
} StartLock;

/* A ServiceSet with a reference count. It lives while a service uses one of its definitions. */
typedef struct SetRef {
	ServiceSet *set;
	unsigned n_users;
} SetRef;

struct ServicePrivate {
	Engine *engine;
	SetRef *home;         /* the set that contains s->def */
	unsigned n_stops_after_said; /* the first of @stops_after, from StopAfter= */
	bool is_file_gone;
	char *file_problem;   /* error of its new file; the old definition is in force; NULL: none */
	uint32_t run_mark;    /* ServiceDef.mark at its start; 0: unknown */
	bool is_unexplained; /* until engine_begin(): running before, without a note */
	unsigned queued;      /* a bit per WorkKind */
	GPtrArray *slots;     /* Slot *, owned */
	GPtrArray *done_slots; /* Slot *, owned: SLOT_DONE */
	GPtrArray *shown_slots; /* Slot *, owned: SLOT_SHOWN */

	/* Edges, rebuilt at load; Service *, borrowed. */
	GPtrArray *needs;      /* the services that it makes wanted */
	GPtrArray *needers;
	GPtrArray *conflicts;  /* in both directions */
	GPtrArray *stops_after; /* services that stop later, by start order or StopAfter= */
	GPtrArray *facilities; /* Facility *: those that it provides */
	Condition *condition_service;
	Condition *condition_settled;
	Condition *condition_active;
	Condition *condition_healthy;
	GPtrArray *mounted;    /* Condition *, borrowed: mounted: of its mount point and below */

	/* Want. */
	WantGrade grade;
	WantGrade shown_grade; /* before the present event */
	WantReason shown_reason;
	bool is_lingering;
	bool is_suppressed; /* lost a conflict, so it waits */
	Service *want_support; /* the service that needs it and gives @grade; NULL: none */
	Service *loses_to;

	/* Terms. */
	unsigned n_when_false; /* When= terms that are false (not unknown) */
	unsigned n_hold_false;
	unsigned n_unknown;    /* slots that are unknown and not stale */
	bool was_false;        /* a term was false since it came to rest, so true is a new chance */
	bool is_lapsed;        /* a While= term has been false for longer than Settle= */
	int64_t lapse_since_us; /* since when a While= term is false; 0: none is */
	const Term *last_true;  /* the last term that became true, for the cause record */

	/* Motion. */
	Service *unsettled_by; /* the unsettled service that it waits for; NULL: none */
	bool is_unsettled;
	bool holds_up_boot; /* the boot cannot end before it is settled */
	bool is_opening;       /* its sockets are being opened; others cannot rely on them yet */
	bool is_leaving;       /* it is to stop, and waits for the services that stop first */
	bool is_blocking;      /* leaving or stopping: the services that stop later wait for it */
	unsigned n_blockers;
	int64_t wait_until_us; /* the end of WaitTimeout=; 0: not running */
	StartLock *lock;       /* the lock of its file; NULL: none */
	StartLock *held_lock;  /* held while it starts or stops, whatever its file names now */
	GSequenceIter *place_in_line; /* in the queue of @lock; NULL: not in it */
	int64_t turn_us;       /* since when only the lock delays it; 0: something else does */
	unsigned turn_order;   /* its order in policy when it joined the queue */
	bool is_turn_told;     /* the remark about the lock was made */
	bool is_restart_asked;
	bool is_restart_told;  /* s->is_restarting, and this manager has asked its supervisor */
	bool is_reload_told;   /* s->is_reloading, and this manager has asked its supervisor */
	bool is_reload_asked_again; /* again during a reload that may have read the old files */
	bool is_stop_ordered;  /* the engine ordered the present stop */
	ServiceClass service_class; /* as last computed: engine_class() */
	ServiceType run_type;  /* its type in this run, independent of its present file */
	bool is_refused;       /* no resources for its last start; it did not run, and is retried */
	bool is_spent;         /* STATE_IDLE though wanted: it ended by itself and is not restarted */
	bool has_ended;        /* recovered: its end was missed, and is handled in engine_begin() */
	bool is_boot_news;     /* it is in engine->boot_news */
	Backoff backoff;
	int64_t listen_again_us; /* STATE_FAILED: the earliest time of a start by a connection */
	int64_t triggers_since_us;
	unsigned n_triggers;   /* starts by a connection since then */
	unsigned n_strays;    /* process events that came too late or are impossible */
	int64_t timer_at_us[ENGINE_TIMER_COUNT];
	char *cause_next;     /* the cause of the next transition, from an admin; or NULL */
	char *note_extra;     /* unknown keys from the note of a newer version */
	ProgressClass counted_as;
	unsigned moving_index; /* CLASS_MOVING: its index in engine->moving */
	struct BootRecord *boot; /* owned; NULL: not wanted in this boot */
};

/*
 * The upper limit of the progress until the boot is finished. Rounding would otherwise turn a value
 * close to 1 into 1.
 */
#define PROGRESS_MOST 0.999999999

/* The target and speed of the progress bar. */
typedef struct ProgressAim {
	int64_t at_us; /* the time of @from */
	double from;
	double to;     /* the end of the line, unless an event changes it */
	int64_t rest_us; /* the duration of the line; 0: no movement */
} ProgressAim;

/* The state of the wait for the login screen of this boot. */
typedef struct LoginScreen {
	bool is_over; /* the wait has ended */
	bool was_awaited;
	bool is_old;  /* the classes must be recomputed */
	const char *awaited; /* the entry of LoginScreen= in use; interned, NULL: none */
} LoginScreen;

struct Engine {
	const EngineOps *ops;
	void *data;
	SetRef *home; /* the present definitions; NULL before the first load */
	Policy *policy;
	GHashTable *by_name;    /* interned name -> Service */
	GPtrArray *services;    /* by name, owned */
	GHashTable *conditions; /* interned key -> Condition, owned */
	GHashTable *facilities; /* interned name -> Facility, owned */
	GHashTable *start_locks; /* interned name -> StartLock, owned */
	GQueue work[WORK_COUNT];

	int64_t now_us;      /* the time of the present event */
	int64_t happened_us; /* when the event happened, not when it was reported */
	bool is_acting;      /* engine_begin() was called */
	bool is_resuming;    /* in engine_begin() after a restart: refusals were counted before */
	const char *runlevel;
	const char *previous_runlevel;
	char *runlevel_cause;
	int64_t last_admin_us;

	unsigned n_unsettled;
	unsigned n_holding_up; /* unsettled services that the boot cannot end before */
	unsigned n_leaving;
	unsigned n_stopping;
	unsigned n_class[CLASS_COUNT];
	bool was_at_rest;
	int64_t boot_us;
	int64_t finished_us;
	int64_t expected_us;  /* the expected duration of the boot, as first known; 0: not yet */
	Durations *durations; /* of earlier boots, and of this one once it is finished */
	GPtrArray *moving;    /* Service * of CLASS_MOVING */
	ProgressAim aim;
	bool is_aim_old;      /* services have moved since the aim was computed */
	bool is_progress_changed;
	LoginScreen login_screen;
	int64_t rebuilt_us;   /* when the conditions of services were remade */
	int64_t begun_us;     /* when this engine began; maybe not the first one of this boot */
	GPtrArray *boot_news; /* Service * with new data for boot_record_take_news() */
};

/* --- engine.c: the work list --- */
void engine_queue(Service *s, WorkKind kind);
void engine_run(Engine *engine);
void engine_set_now(Engine *engine, int64_t now_us);
void engine_arm(Service *s, EngineTimer kind, int64_t at_us);
/* The type of its present run. Without a run, the type in its file. */
ServiceType service_type(const Service *s);
bool service_is_group(const Service *s);
/* Finds a service by its name or an alias. NULL: there is none. */
Service *engine_resolve(const Engine *engine, const char *name);

/* --- load.c: definitions -> services, slots, edges --- */
void load_rebuild(Engine *engine);
void set_ref_drop(SetRef *ref);
Service *load_new_service(Engine *engine, ServiceDef *def, SetRef *home);
/* Frees all services that are queued for WORK_FORGET. */
void load_forget_gone(Engine *engine);

/* --- condition.c --- */
Condition *condition_get(Engine *engine, const char *key, KeyPrefix prefix);
void condition_free(gpointer data);
gint condition_compare(gconstpointer a, gconstpointer b);
void condition_set_level(Engine *engine, Condition *c, Level level, const char *why);
/* Publishes service:, active: and healthy: of @s. */
void condition_publish(Service *s);
/*
 * When an unknown level counts as false for starting. At once if the service that would report it
 * is settled and not up.
 */
int64_t condition_stale_at(const Engine *engine, const Condition *c);
/* Marks an unknown level as stale if its time has come. */
void condition_check_stale(Engine *engine, Condition *c);
Slot *slot_new(Service *s, Term *term, SlotKind kind);
void slot_free(gpointer data);
/* Recomputes the levels after a literal changed. */
void slot_update(Slot *slot);
/* Adds the services that can make @slot's term true by being up, without duplicates. */
void slot_add_makers(const Slot *slot, GPtrArray *found);
/* Does it wait for a program that is not installed, or for a setting of the kernel command line? */
bool service_is_beyond_reach(const Service *s);
/* Does it wait for a missing program? */
bool service_lacks_program(const Service *s);
void slot_start_counting(Slot *slot);
/*
 * Is its literal @i a mount that is to stop? Then the term is false, so that the services on the
 * mount stop first.
 */
bool slot_mount_ends(const Slot *slot, unsigned i);
/* Finds the services that make the mounts of mounted: conditions. */
void condition_bind_mounts(Engine *engine);

/* --- explain-state.c --- */
/* A sentence about the state, and one about its reason; new strings. */
char *state_describe(const Service *s, int64_t now_us);
char *state_explain(const Service *s, int64_t now_us);

/* --- explain-term.c --- */
/* A sentence about the condition that the service waits for, with file and line; a new string. */
char *slot_describe(const Slot *slot, int64_t now_us);
/* @s became settled or unsettled. Services may wait for levels that it reports. */
void condition_watcher_settled(const Service *s);
/*
 * The service that reports the level, if it is unknown, or that owns the bus name. NULL: there is
 * none.
 */
Service *condition_source(const Engine *engine, const Condition *c);
/* The same two services for any level. NULL: no service is known. */
Service *condition_watcher(const Engine *engine, const Condition *c);
Service *condition_maker(const Engine *engine, const Condition *c);
/* The action by which a user can make it true (@is_negated: false); a new string, or NULL. */
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
void settled_show(Service *s);
/* Can it not start before the next boot, whatever its unknown terms become? */
bool settled_waits_for_good(const Service *s);
/* A service that may still make this term true, or NULL. */
Service *settled_find_supplier(const Slot *slot);
/* The definitions changed: marks all as settled, and queues each for a new computation. */
void settled_reset(Engine *engine);

/* --- want.c --- */
void want_update(Service *s);
void want_show(Service *s);
void want_decide_all(Engine *engine);
/* The reason why it is wanted or not, as the end of a sentence; a new string. */
char *want_describe(const Service *s);
/* Policy or an admin forbids it, so needs have no effect. */
bool want_is_forbidden(const Service *s);
/*
 * @s and the services it needs, transitively. Forbidden services and their needs are omitted. A new
 * array of Service *.
 */
GPtrArray *want_with_needs(Service *s);

/* --- conflict.c --- */
void conflict_update(Service *s);
/*
 * The state or a term of @s has changed. It or a service that stands in for it may now be able to
 * run.
 */
void conflict_look_again(Service *s);
/* Wanted, and not the loser of a conflict. */
bool conflict_lets_run(const Service *s);
/* If both were wanted now, would @s run? */
bool conflict_ranks_above(const Service *s, const Service *other);

/* --- listen.c --- */
/* Recomputes which sockets should be open, from want, terms and state. */
void listen_update(Service *s);
/*
 * The service failed, and Restart= does not restart it. Returns: false if a connection may not
 * start it either (RestartLimit=).
 */
bool listen_after_failure(Service *s);

/* --- login-screen.c --- */
/* Something about it may have changed. Returns: true if there is work to do. */
bool login_screen_update(Engine *engine);
/* The definitions changed: the classes are recomputed when next used. */
void login_screen_reset(Engine *engine);
/* Does it wait for the login screen? Other conditions may delay it too. */
bool login_screen_holds(const Service *s);
/*
 * The latest end of the wait and the file that requires it, as the end of a sentence; a new string.
 */
char *login_screen_describe(const Service *s, int64_t now_us);

/* --- stop-order.c --- */
void stop_order_set_leaving(Service *s, bool is_leaving);
void stop_order_state_changed(Service *s);
void stop_order_rebuild(Engine *engine);
/*
 * If no service is stopping and some wait for each other, the service to stop first. NULL: there is
 * no cycle.
 */
Service *stop_order_break_cycle(Engine *engine);

/* --- start-lock.c --- */
void start_lock_free(gpointer data);
/*
 * Only the lock, if its file names one, delays the start of @s. When that ends, call
 * start_lock_leave().
 */
void start_lock_join(Service *s);
void start_lock_leave(Service *s);
/* A service takes its lock when it starts or stops, and passes it on when it does neither. */
void start_lock_state_changed(Service *s);
/* The next service in the queue of the lock of @s, which must have one. NULL: the lock is held. */
Service *start_lock_next(const Service *s);
/* The service that holds the lock which delays @s. NULL: no lock does. */
Service *start_lock_holder(const Service *s);
/* Makes a remark, once per wait, that the service waits for the lock. */
void start_lock_tell(Service *s);
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
/* Stops it, even if others should stop first. */
void step_stop_now(Service *s);
bool step_may_start(const Service *s);

/* --- lapse.c: While terms that are false --- */
/* Starts or stops the timer of Settle=. When it has passed, applies OnLapse=. */
void lapse_update(Service *s);
/* A sentence about the first false While= term; a new string. */
char *lapse_text(const Service *s);

/* --- process-event.c --- */
void process_event_apply(Service *s, const ProcessEvent *event);

/* --- run-end.c --- */
/* No process is left: selects the next state. */
void run_end(Service *s);
/* Ends its lingering, which no longer keeps it wanted. */
void run_end_lingering(Service *s);

/* --- wait-limit.c: WaitTimeout= --- */
/* Can an external event make this term true, so that the wait for it is limited? */
bool wait_limit_covers(const Slot *slot);
/* Starts or stops the timer, as state, terms and file require. */
void wait_limit_update(Service *s);
/* The timer has fired. */
void wait_limit_over(Service *s);

/* --- request.c --- */
/* @needer is wanted, and policy forbids @s, which it needs. */
void request_refuse_need(Service *s, const Service *needer);
/*
 * A task is done, and its work was undone since, as umount(8) does with a mount. A start repeats
 * the task.
 */
bool request_is_undone(const Service *s);

/*
 * A living service that nothing wants stays up as if it had been requested. Its note is lost, and
 * the reason for its start with it.
 */
void request_keep_unexplained(Engine *engine);
/* Can it be reloaded in this state, if it has a Reload=? */
bool request_reload_fits(const Service *s);
/* It is ready, and has a Reload=. */
void request_begin_reload(Service *s);
/*
 * The members that a restart or reload of @group applies to. Empty for other services. A new array
 * of borrowed pointers.
 */
GPtrArray *request_members(const Service *group, RequestVerb verb);

/* --- service.c --- */
Service *service_new(Engine *engine, ServiceDef *def);
void service_free(Service *s);
/*
 * The only writer of s->state: finds the row, changes the state, records @cause (taken, may be
 * NULL) and does the action.
 */
bool service_apply(Service *s, ServiceEvent event, char *cause);
/* Adds a remark to its history, without a change of state. Takes @text. */
void service_remark(Service *s, char *text);
/* The same for a refusal. It replaces the newest record if that is a refusal users can repeat. */
void service_remark_refusal(Service *s, CauseKind kind, char *text);
/* After a failed stop: forgets the failure, so that it is stopped again if there is a reason. */
void service_retry_stop(Service *s);
/* Applies the keeper's note. Only before engine_begin(). */
void service_restore(Service *s, ServiceState state, int64_t since_us, const char *cause);
bool service_is_active(const Service *s);
/* May a service have processes in this state? */
bool state_is_active(ServiceState state);

/* --- file-state.c --- */
/*
 * A sentence for explain, and the remedy for an admin. NULL: the file is the one that it was
 * started with.
 */
char *file_state_describe(const Service *s);
char *file_state_advise(const Service *s);

/* --- note.c --- */
bool note_decode(Service *s, const char *note, ServiceState *ret_state, int64_t *ret_since_us);

/* --- progress.c --- */
/* Its state or want changed. */
void progress_count(Service *s);
void progress_add(Service *s);
void progress_remove(Service *s);
void progress_update(Engine *engine);

/* --- boot-record.c --- */
/* It is about to start. */
void boot_record_start(Service *s);
void boot_record_state_changed(Service *s, ServiceState from);
void boot_record_forget(Service *s);

#endif
