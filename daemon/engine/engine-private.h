/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files of the engine share: its structures, and the words they say to each other. Nobody else includes it.
 *
 * One event is worked off through lists, one list a kind of work, taken in the order of WorkKind: who is wanted, then all
 * levels, then what follows for each service, then stops, then starts. So nothing starts on a level half propagated.
 */
#ifndef SVCD_ENGINE_ENGINE_PRIVATE_H
#define SVCD_ENGINE_ENGINE_PRIVATE_H

#include <glib.h>

#include "engine/backoff.h"
#include "engine/boot-record.h"
#include "engine/durations.h"
#include "engine/engine.h"
#include "engine/transitions.h"

/* An unknown level counts as false after this time, for starting only (docs/how-svcd-decides.md, "Allowed"). */
#define UNKNOWN_LIMIT_US (30 * G_USEC_PER_SEC)

/* The engine's part of a note; the manager adds its own to make NOTE_MAX of the protocol. */
#define ENGINE_NOTE_BYTES 84

/* What can wait to be done for a service; lower ones are done first. */
typedef enum WorkKind {
	WORK_WANT,       /* compute anew who wants it */
	WORK_WANT_SHOWN, /* tell what came out of it */
	WORK_RANK,       /* who of its conflicting group may run */
	WORK_LEVEL,      /* publish service:, active:, facility: */
	WORK_SETTLED,    /* compute anew whether it has settled */
	WORK_SETTLED_SHOWN, /* publish settled: */
	WORK_STEP,       /* what follows from want, levels and state */
	WORK_STOP,       /* may be told to stop now */
	WORK_START_FIRST, /* may be started now, and the login screen waits for it */
	WORK_START,      /* may be started now */
	WORK_FORGET,     /* its file is gone, and so are its processes */
	WORK_COUNT
} WorkKind;

/* How strongly something is wanted; a need hands on the needer's. */
typedef enum WantGrade {
	GRADE_NONE,
	GRADE_LINGER, /* only because something lingers */
	GRADE_NORMAL,
	GRADE_ADMIN,  /* reaches manual services too */
} WantGrade;

/* What a service is for the progress of the boot; every service is counted in one class. */
typedef enum ProgressClass {
	CLASS_OFF,    /* not wanted, no processes; or its stop has failed */
	CLASS_LEFT,   /* not wanted, not gone yet */
	CLASS_MOVING,
	CLASS_UP,
	CLASS_FAILED,
	CLASS_HELD,   /* wanted, waits for something outside */
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
	bool is_stale; /* unknown, and counts as false for starting */
	int64_t stale_us; /* since when, if @is_stale */
	char *why;
	int64_t since_us;
	Service *subject;   /* service:, settled:, active:; mounted:: the mount that the path is on. NULL: there is none */
	Facility *facility; /* facility:, settled:$x */
	GPtrArray *slots;   /* Slot *: the subscribers, borrowed */
} Condition;

typedef enum SlotKind {
	SLOT_WHEN,
	SLOT_HOLD,
	SLOT_AFTER,    /* After=, and every term with settled: in it; looked at only to start */
	SLOT_CONFLICT, /* Conflicts=, of either side; looked at only to start */
	SLOT_DONE,     /* DoneWhile=: looked at only when an admin says start; kept apart from the others */
	SLOT_SHOWN,    /* ShownWhen=: looked at only while the login screen is waited for; kept apart likewise */
} SlotKind;

/* One term of one service, with the conditions that its literals stand for. */
typedef struct Slot {
	Service *service;
	Term *term; /* borrowed for When= and While=, owned for the others */
	SlotKind kind;
	bool is_while; /* by the file; a group holds on to its When= terms, too */
	bool is_turned;    /* SLOT_AFTER: the other's Before= */
	Level level;       /* as told */
	Level start_level; /* for starting: a stale unknown is false */
	Condition **conditions;
} Slot;

/* StartLock= of that name. */
typedef struct StartLock {
	const char *name;    /* interned */
	GHashTable *holders; /* Service *, a set: at most one is starting, others may be stopping */
	GSequence *line;     /* Service * that may start but for the lock, the next one first */
	const char *last_holder; /* who gave it back last, interned; NULL: nobody has had it yet */
	unsigned n_members;  /* services whose file names it; counted at load */
} StartLock;

/* A ServiceSet lives until no service uses a definition in it. */
typedef struct SetRef {
	ServiceSet *set;
	unsigned n_users;
} SetRef;

struct ServicePrivate {
	Engine *engine;
	SetRef *home;         /* where s->def lives */
	unsigned n_stops_after_said; /* the first so many of stops_after say so */
	bool is_file_gone;
	char *file_problem;   /* of its new file; the one before is still in force. NULL: none */
	uint32_t run_mark;    /* ServiceDef.mark when it was started; 0: not known */
	bool is_unexplained; /* it lived when this engine began, and no note said why; until engine_begin() */
	unsigned queued;      /* bit WorkKind */
	GPtrArray *slots;     /* Slot *, owned */
	GPtrArray *done_slots; /* Slot *, owned: SLOT_DONE */
	GPtrArray *shown_slots; /* Slot *, owned: SLOT_SHOWN */

	/* Edges, rebuilt at load; Service *, borrowed */
	GPtrArray *needs;      /* what it makes wanted */
	GPtrArray *needers;
	GPtrArray *conflicts;  /* both directions */
	GPtrArray *stops_after; /* stop later than this one: what it was started after, or say so in StopAfter= */
	GPtrArray *facilities; /* Facility * it provides */
	Condition *condition_service;
	Condition *condition_settled;
	Condition *condition_active;
	Condition *condition_healthy;
	GPtrArray *mounted;    /* Condition *, borrowed: mounted: of its mount point, and of paths below it */

	/* Wanting */
	WantGrade grade;
	WantGrade shown_grade; /* before the present event */
	WantReason shown_reason;
	bool is_lingering;
	bool is_suppressed; /* loses a conflict: waits */
	Service *want_support; /* the needer that gives @grade, NULL: itself */
	Service *loses_to;

	/* Terms */
	unsigned n_when_false; /* When terms that are false (not unknown) */
	unsigned n_hold_false;
	unsigned n_unknown;    /* slots unknown, not stale */
	bool was_false;        /* since it came to rest a term was false: true again is a new chance */
	bool is_lapsed;        /* a While term is false for longer than Settle= */
	int64_t lapse_since_us; /* a While term is false since; 0: none is */
	const Term *last_true;  /* the term that became true last, for the cause */

	/* Motion */
	Service *unsettled_by; /* NULL: by itself */
	bool is_unsettled;
	bool holds_up_boot; /* the boot is not over before it */
	bool is_opening;       /* its sockets; nothing that is ordered after it may rely on them yet */
	bool is_leaving;       /* is to stop, and waits for those that stop first */
	bool is_blocking;      /* leaving or stopping: those that stop later wait for it */
	unsigned n_blockers;
	int64_t wait_until_us; /* WaitTimeout= runs until then; 0: it does not run */
	StartLock *lock;       /* of its file; NULL: none */
	StartLock *held_lock;  /* starting or stopping: the one it holds, whatever its file says now */
	GSequenceIter *place_in_line; /* of @lock; NULL: it does not stand there */
	int64_t turn_us;       /* nothing but the lock holds it back since; 0: something else does */
	unsigned turn_order;   /* policy's order when it came into line */
	bool is_turn_told;     /* that it waits for the lock was remarked */
	bool is_restart_asked;
	bool is_restart_told;  /* s->is_restarting, and this manager has told its supervisor */
	bool is_reload_told;   /* s->is_reloading, and this manager has told its supervisor */
	bool is_reload_asked_again; /* while one was under way, which may have read the files of before */
	bool is_stop_ordered;  /* the present stop is ours, not its own */
	ServiceClass service_class; /* as last computed: login_screen_class() */
	ServiceType run_type;  /* what it is while it runs, whatever its file says now */
	bool is_refused;       /* the machine had no room for its last start: it has not run, and is tried again */
	bool is_spent;         /* STATE_IDLE though wanted: it ended by itself and is not restarted */
	bool has_ended;        /* recovered: its end was missed, and is handled when the engine begins */
	bool is_boot_news;     /* is in engine->boot_news */
	Backoff backoff;
	int64_t listen_again_us; /* STATE_FAILED: not before that a connection starts it again */
	int64_t triggers_since_us;
	unsigned n_triggers;   /* starts by a connection since then */
	unsigned n_strays;    /* process events that were too late or impossible */
	int64_t timer_at_us[ENGINE_TIMER_COUNT];
	char *cause_next;     /* the admin's words for what is about to happen, or NULL */
	char *note_extra;     /* keys of a newer version's note */
	ProgressClass counted_as;
	unsigned moving_index; /* CLASS_MOVING: its place in engine->moving */
	struct BootRecord *boot; /* owned; NULL: not wanted in this boot */
};

/* The bar is never further while the boot is in motion: what comes nearer to 1 for ever is 1 in the end, for a double. */
#define PROGRESS_MOST 0.999999999

/* Where the bar of the boot goes, and how fast. */
typedef struct ProgressAim {
	int64_t at_us; /* when it was at @from */
	double from;
	double to;     /* where it gets to, unless something happens */
	int64_t rest_us; /* in this time; 0: it stands still */
} ProgressAim;

/* Who waits for the login screen of this boot, and for what. */
typedef struct LoginScreen {
	bool is_over; /* nobody waits for it any more */
	bool was_awaited;
	bool is_old;  /* the classes are to be computed anew */
	const char *awaited; /* the word of LoginScreen= that counts; interned, NULL: none */
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

	int64_t now_us;      /* of the event at hand */
	int64_t happened_us; /* when it happened, not when it was told */
	bool is_acting;      /* engine_begin() was called */
	bool is_resuming;    /* in engine_begin(), not the first of this boot: what follows has been counted */
	const char *runlevel;
	const char *previous_runlevel;
	char *runlevel_cause;
	int64_t last_admin_us;

	unsigned n_unsettled;
	unsigned n_holding_up; /* of these, what the boot goes on for */
	unsigned n_leaving;
	unsigned n_stopping;
	unsigned n_class[CLASS_COUNT];
	bool was_at_rest;
	int64_t boot_us;
	int64_t finished_us;
	int64_t expected_us;  /* what the boot was expected to take when that was first known; 0: not yet */
	Durations *durations; /* of earlier boots, and of this one once it is finished */
	GPtrArray *moving;    /* Service * of CLASS_MOVING */
	ProgressAim aim;
	bool is_aim_old;      /* something moved since */
	bool is_progress_changed;
	LoginScreen login_screen;
	int64_t rebuilt_us;   /* when the conditions of services were made anew */
	int64_t begun_us;     /* when this engine began, which need not be the first one of this boot */
	GPtrArray *boot_news; /* Service * whose boot record has changed since the last boot_record_take_news() */
};

/* --- engine.c: the work list --- */
void engine_queue(Service *s, WorkKind kind);
void engine_run(Engine *engine);
void engine_set_now(Engine *engine, int64_t now_us);
void engine_arm(Service *s, EngineTimer kind, int64_t at_us);
/* What it runs as; before it runs, what its file says. */
ServiceType service_type(const Service *s);
bool service_is_group(const Service *s);
/* Its own or another name of it; NULL if there is none. */
Service *engine_resolve(const Engine *engine, const char *name);

/* --- load.c: definitions -> services, slots, edges --- */
void load_rebuild(Engine *engine);
void set_ref_drop(SetRef *ref);
Service *load_new_service(Engine *engine, ServiceDef *def, SetRef *home);
/* All that are queued for WORK_FORGET. */
void load_forget_gone(Engine *engine);

/* --- condition.c --- */
Condition *condition_get(Engine *engine, const char *key, KeyPrefix prefix);
void condition_free(gpointer data);
gint condition_compare(gconstpointer a, gconstpointer b);
void condition_set_level(Engine *engine, Condition *c, Level level, const char *why);
/* service: and active: of @s, from its state. */
void condition_publish(Service *s);
/* When an unknown level counts as false for starting; at once if what would make it known has settled without being up. */
int64_t condition_stale_at(const Engine *engine, const Condition *c);
/* It is that late: from now on false for starting. */
void condition_check_stale(Engine *engine, Condition *c);
Slot *slot_new(Service *s, Term *term, SlotKind kind);
void slot_free(gpointer data);
/* Compute it for the first time, or after a literal changed. */
void slot_update(Slot *slot);
/* Adds the services that can make @slot's term true by being up; each once. */
void slot_add_makers(const Slot *slot, GPtrArray *found);
/* Does it wait for a program that is not installed, or for a word that the kernel was not told? */
bool service_is_beyond_reach(const Service *s);
/* Is a program missing that it waits for? */
bool service_lacks_program(const Service *s);
void slot_start_counting(Slot *slot);
/* Is its literal @i a mount whose service is to stop? The term is false then, so that what stands on the mount stops first. */
bool slot_mount_ends(const Slot *slot, unsigned i);
/* Which services are the mounts that mounted: conditions are about. */
void condition_bind_mounts(Engine *engine);

/* --- explain-state.c --- */
/* How it is, in a sentence, and why; new strings. */
char *state_describe(const Service *s, int64_t now_us);
char *state_explain(const Service *s, int64_t now_us);

/* --- explain-term.c --- */
/* What holds the service back, in a sentence with file and line; a new string. */
char *slot_describe(const Slot *slot, int64_t now_us);
/* It has settled, or has not any more: services may wait for a level that it makes known. */
void condition_watcher_settled(const Service *s);
/* The service that makes its level known, or that takes the name on the bus when it runs; NULL: there is none. */
Service *condition_source(const Engine *engine, const Condition *c);
/* The same two, of a condition of any level: who has to run before it can be true; NULL: no service is known. */
Service *condition_watcher(const Engine *engine, const Condition *c);
Service *condition_maker(const Engine *engine, const Condition *c);
/* What a person can do to make it true (@is_negated: false); a new string, or NULL. */
char *condition_advise(const Condition *c, bool is_negated);

/* --- facility.c --- */
Facility *facility_get(Engine *engine, const char *name);
void facility_free(gpointer data);
Level facility_level(const Facility *f);
bool facility_is_settled(const Facility *f);
/* Why facility: has its level; a new string. */
char *facility_why(const Facility *f);
void facility_publish(Engine *engine, Facility *f);
void facility_publish_settled(Engine *engine, Facility *f);

/* --- settled.c --- */
void settled_update(Service *s);
void settled_show(Service *s);
/* Whatever else is unknown: it does not start before the next boot. */
bool settled_waits_for_good(const Service *s);
/* A service that may still make this term true, or NULL. */
Service *settled_find_supplier(const Slot *slot);
/* The definitions changed: forget all; each service has to be computed anew. */
void settled_reset(Engine *engine);

/* --- want.c --- */
void want_update(Service *s);
void want_show(Service *s);
void want_decide_all(Engine *engine);
/* What it is that wants it, or does not, as a sentence's end; a new string. */
char *want_describe(const Service *s);
/* Policy or an admin keeps it off, whoever needs it. */
bool want_is_forbidden(const Service *s);
/* @s and all that it needs, to the end of the chain; what is kept off hands nothing on. A new array of Service *. */
GPtrArray *want_with_needs(Service *s);

/* --- conflict.c --- */
void conflict_update(Service *s);
/* Its state or a term has changed: may it still come up, or does who stands in for it? */
void conflict_look_again(Service *s);
/* Wanted, and not the loser of a conflict. */
bool conflict_lets_run(const Service *s);
/* If both are wanted, as things are, @s is the one that runs. */
bool conflict_ranks_above(const Service *s, const Service *other);

/* --- listen.c --- */
/* Which sockets are to be open follows from want, terms and state. */
void listen_update(Service *s);
/* It has failed, and Restart= leaves it so. Returns: false if it is not even to be started by a connection (RestartLimit=). */
bool listen_after_failure(Service *s);

/* --- login-screen.c --- */
/* What is known of it may have changed. Returns: true when something follows from that. */
bool login_screen_update(Engine *engine);
/* The definitions changed: classes are computed anew when they are asked for next. */
void login_screen_reset(Engine *engine);
/* Does it wait for the login screen, though nothing else may hold it back? */
bool login_screen_holds(const Service *s);
/* When that ends at the latest, and by whose word it waits, as a sentence's end; a new string. */
char *login_screen_describe(const Service *s, int64_t now_us);

/* --- stop-order.c --- */
void stop_order_set_leaving(Service *s, bool is_leaving);
void stop_order_state_changed(Service *s);
void stop_order_rebuild(Engine *engine);
/* Nothing moves, but some wait for each other: the one to stop all the same, or NULL. */
Service *stop_order_break_cycle(Engine *engine);

/* --- start-lock.c --- */
void start_lock_free(gpointer data);
/* @s may start but for the lock, if its file names one; no longer so: start_lock_leave(). */
void start_lock_join(Service *s);
void start_lock_leave(Service *s);
/* It takes the lock when it starts or stops, and hands it on when it does neither. */
void start_lock_state_changed(Service *s);
/* Whose turn it is, of those with the lock of @s, which has one; NULL: somebody holds it. */
Service *start_lock_next(const Service *s);
/* Who holds the lock that keeps @s from starting; NULL: no lock does. */
Service *start_lock_holder(const Service *s);
/* Once for each wait: a remark that the lock is what it waits for. */
void start_lock_tell(Service *s);
/* Before the definitions are looked at anew, and after it. What is held stays held, and who stood in line keeps the time. */
void start_lock_clear(Service *s);
void start_lock_rebuild(Engine *engine);

/* --- step.c: what follows --- */
void step_service(Service *s);
void step_stop(Service *s);
void step_start(Service *s);
void step_level(Service *s);
void step_timer(Service *s, EngineTimer kind);
/* Although others should be gone first. */
void step_stop_now(Service *s);
bool step_may_start(const Service *s);

/* --- lapse.c: While terms that are false --- */
/* Begin to count, or stop; what OnLapse= says is done when Settle= is over. */
void lapse_update(Service *s);
/* The sentence for the first of them; a new string. */
char *lapse_text(const Service *s);

/* --- process-event.c --- */
void process_event_apply(Service *s, const ProcessEvent *event);

/* --- run-end.c --- */
/* Its processes are gone: what is it from now on? */
void run_end(Service *s);
/* It is not kept up any more by what lingers. */
void run_end_lingering(Service *s);

/* --- wait-limit.c: WaitTimeout= --- */
/* Can the world outside make this term true, so that a wait for it has a limit? */
bool wait_limit_covers(const Slot *slot);
/* Begin the clock, let it run, or take it back: whatever follows from state, terms and file. */
void wait_limit_update(Service *s);
/* The clock has run out. */
void wait_limit_over(Service *s);

/* --- request.c --- */
/* @needer is wanted, and policy keeps from it what it needs. */
void request_refuse_need(Service *s, const Service *needer);
/* A task is done, and somebody has undone its work since, as umount(8) does with a mount. A start does it again. */
bool request_is_undone(const Service *s);

/* What lives and is wanted by nobody we know of stays, as if it had been asked for: its note, which said who wanted it, is lost. */
void request_keep_unexplained(Engine *engine);
/* Is it in a state in which it can be reloaded, if it has a Reload=? */
bool request_reload_fits(const Service *s);
/* It is ready, and has a Reload=. */
void request_begin_reload(Service *s);
/* The members of a group that a restart or reload of it is meant for; else none. A new array, borrowed. */
GPtrArray *request_members(const Service *group, RequestVerb verb);

/* --- service.c --- */
Service *service_new(Engine *engine, ServiceDef *def);
void service_free(Service *s);
/* The only writer of s->state: looks the row up, goes there, records @cause (taken, may be NULL), acts. */
bool service_apply(Service *s, ServiceEvent event, char *cause);
/* A remark in its history without a change of state. Takes @text. */
void service_remark(Service *s, char *text);
/* One that anybody can make come again and again: it replaces the newest record if that has the same @beginning. */
void service_remark_once(Service *s, const char *beginning, char *text);
/* If its last stop has failed: it is stopped again, if there is a reason. */
void service_retry_stop(Service *s);
/* What the keeper's note says; before engine_begin() only. */
void service_restore(Service *s, ServiceState state, int64_t since_us, const char *cause);
bool service_is_active(const Service *s);
/* In this state a service may have processes. */
bool state_is_active(ServiceState state);

/* --- file-state.c --- */
/* A sentence for explain, and what an admin can do; NULL: its file is the one that it was started by. */
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
