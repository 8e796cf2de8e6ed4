/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The engine: desired states, not jobs. A service should be up if it is wanted and allowed.
 *
 * The engine is pure: no system calls, no clock, and no state at file level. Each event contains
 * its time. Effects leave through EngineOps. The same engine runs in the manager, the unit tests
 * and the simulator. The idea is in docs/engine.md.
 *
 * A function that takes @now_us may call the operations before it returns. The operations must not
 * call the engine, so they queue their reports. Work goes through lists, so the cost of an event
 * depends on the number of services that it affects.
 */
#ifndef SVCD_ENGINE_ENGINE_H
#define SVCD_ENGINE_ENGINE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/service.h"
#include "model/key.h"
#include "model/policy.h"
#include "model/process-event.h"
#include "model/service-set.h"

typedef struct Engine Engine;

/* The timers of the engine, one of each kind per service. */
/* clang-format off */
#define ENGINE_TIMERS(X, P)                                                                        \
	X(P, BACKOFF, "backoff") X(P, SETTLE, "settle") X(P, LINGER, "linger") X(P, UNKNOWN, "unknown level") \
	X(P, WAIT, "wait limit") X(P, LISTEN, "sockets") X(P, LOGIN_SCREEN, "login screen")
/* clang-format on */
ENUM_WITH_NAMES(EngineTimer, ENGINE_TIMER, engine_timer, ENGINE_TIMERS)

/* All except the first four may be NULL. */
typedef struct EngineOps {
	/*
	 * Reports the level of @key through engine_set_level() from now on, beginning with the
	 * present level. Never called for internal prefixes.
	 */
	void (*subscribe)(void *data, KeyPrefix prefix, const char *key);
	void (*unsubscribe)(void *data, KeyPrefix prefix, const char *key);

	/*
	 * Begins invocation s->invocation. Results arrive through engine_process_event(). Never
	 * called for groups.
	 */
	void (*start)(void *data, const Service *s);
	/*
	 * Stops the main process, then the rest of the cgroup, then cleans up. Ends with
	 * PROCESS_GONE. A repeated call does nothing.
	 */
	void (*stop)(void *data, const Service *s);
	void (*reload)(void *data, const Service *s);
	/*
	 * Runs the RestartCommand= of a script that is up. Ends with PROCESS_RESTARTED or
	 * PROCESS_RESTART_FAILED. May be called again.
	 */
	void (*restart)(void *data, const Service *s);

	/*
	 * Sets the timer of @kind for @s to @at_us (CLOCK_MONOTONIC), or removes it if @at_us is 0.
	 * The timer calls engine_timer_fired().
	 */
	void (*arm_timer)(void *data, const Service *s, EngineTimer kind, int64_t at_us);

	/*
	 * s->listens or s->awaits_connection changed: opens or closes its sockets, and calls
	 * engine_connection() when a client connects. A service that listens is unsettled until
	 * engine_sockets_opened().
	 */
	void (*listen)(void *data, const Service *s);

	/* The state changed. Called at once, before changed(). */
	void (*entered)(void *data, const Service *s);
	/*
	 * A published or noted value of @s changed (state, cause, why it is wanted). The receiver
	 * should coalesce these calls.
	 */
	void (*changed)(void *data, const Service *s);
	/*
	 * The service is forgotten, and its note, timers and bus object can be removed. This is the
	 * last call for @s.
	 */
	void (*removed)(void *data, const Service *s);
	/*
	 * The runlevel, the boot progress or engine_is_at_rest() changed. The receiver should
	 * coalesce these calls.
	 */
	void (*engine_changed)(void *data);
	/*
	 * The level of a condition in use changed, or the reason for the level of an external one.
	 * The receiver should coalesce these calls.
	 */
	void (*condition_changed)(void *data, const char *key, Level level, const char *why);
	/*
	 * A sentence about what exists in place of the condition ("labels present: EFI, ROOT"); a
	 * new string, or NULL.
	 */
	char *(*describe)(void *data, KeyPrefix prefix, const char *key);
} EngineOps;

Engine *engine_new(const EngineOps *ops, void *data);
void engine_free(Engine *engine);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Engine, engine_free)

/*
 * An observer of all services. It may store a pointer per service in s->observed, and may call only
 * queries of the engine. The cost of its calls must not depend on the number of services.
 */
typedef struct EngineObserver {
	/* The service starts next. */
	void (*starting)(void *data, Service *s);
	/*
	 * The state of @s changed, or why it is wanted, or whether it is settled. @from: the state
	 * before, maybe the same.
	 */
	void (*changed)(void *data, Service *s, ServiceState from);
	/* The engine frees the service. */
	void (*removed)(void *data, Service *s);
	/*
	 * The event and its consequences have been handled. Returns: true if engine_changed() is
	 * necessary.
	 */
	bool (*turn_over)(void *data);
	/* The engine frees the observer. */
	void (*free)(void *data);
} EngineObserver;

/* Sets the only observer, before engine_load(). The engine takes @data. */
void engine_observe(Engine *engine, const EngineObserver *observer, void *data);
void *engine_observer_data(const Engine *engine);
/* Calls turn_over(), because the observer itself has changed. */
void engine_end_turn(Engine *engine, int64_t now_us);

/**
 * engine_load() - take the first definitions, or new ones at run time
 * @set, @policy: taken; the engine frees the earlier ones
 *
 * A reload applies only the differences. Levels, states and admins' requests are kept, and a
 * changed definition applies to the next action. A running service keeps its last definition until
 * it ends, even if its file is gone.
 */
void engine_load(Engine *engine, ServiceSet *set, Policy *policy, int64_t now_us);

/**
 * engine_recover() - restore one service from the keeper; between engine_load() and engine_begin()
 * @note: text from engine_note(), maybe of an older version; "" if there is none
 * @is_alive: @invocation has processes, or their end has not been handled yet (the exit will come
 * as an event)
 * @main_pid: 0 if none
 * Returns: false if the note is invalid. Then the service has no history, but a living one keeps
 * running.
 */
bool engine_recover(Engine *engine, const char *service, const char *note, bool is_alive,
		    uint64_t invocation, pid_t main_pid, int64_t now_us);

/**
 * engine_note() - encode the state of one service; "" if nothing must be kept
 *
 * The text consists of "key=value" tokens, at most @size - 1 bytes. It contains only values that
 * cannot be derived: invocation, state, times, restart history, the admin's request and the result.
 */
void engine_note(const Engine *engine, const Service *s, char *text, size_t size);

/**
 * engine_note_for() - make a note from these values alone, for an engine that copies another one
 * @admin_at_us: the order of the admins' requests decides conflicts
 * @is_wanted: if true and @state is idle, the service ended by itself and is not started again
 * @is_group: the service runs as a group, even if its file has changed
 * Returns: a new string.
 */
char *engine_note_for(ServiceState state, AdminWant admin, int64_t admin_at_us, bool is_wanted,
		      bool is_group);

/**
 * engine_note_global(), engine_recover_global() - encode and restore the values that belong to no
 * service: runlevel, boot times and progress
 */
void engine_note_global(const Engine *engine, char *text, size_t size);
bool engine_recover_global(Engine *engine, const char *note, int64_t now_us);

/**
 * engine_begin() - act from now on
 * @runlevel: canonical; NULL: the recovered runlevel, otherwise policy's default
 *
 * Before this call, events are accepted but no service is started or stopped, because the first
 * levels must be known.
 */
void engine_begin(Engine *engine, const char *runlevel, int64_t now_us);

/*
 * Sets the level of a condition. @why is displayed ("no such file", "set by uid 0") and may be
 * NULL. Unknown keys are ignored.
 */
void engine_set_level(Engine *engine, const char *key, Level level, const char *why,
		      int64_t now_us);

/* Events of an invocation other than the present one are ignored. */
void engine_process_event(Engine *engine, const char *service, uint64_t invocation,
			  const ProcessEvent *event, int64_t now_us);
void engine_timer_fired(Engine *engine, const char *service, EngineTimer kind, int64_t now_us);

/* The time for which a timer is set; 0: it is not set. */
int64_t engine_timer_at(const Service *s, EngineTimer kind);
/**
 * engine_next_timer() - find the timer that fires first, for a simulated clock
 * @kinds: a bit for each EngineTimer
 * Returns: the timer's service, the first by name on a tie; NULL: no such timer is set
 */
Service *engine_next_timer(const Engine *engine, unsigned kinds, EngineTimer *ret_kind);
#define ENGINE_TIMERS_ALL ((1u << ENGINE_TIMER_COUNT) - 1)

/* --- requests --- */

typedef enum RequestVerb {
	REQUEST_VERB_START,
	REQUEST_VERB_STOP,
	REQUEST_VERB_RESTART, /* the service runs afterwards, whatever its state was */
	REQUEST_VERB_RELOAD,
	REQUEST_VERB_CLEAR, /* resets failure, restart count and the admin's request */
} RequestVerb;

/* "stop by uid 0 (pid 812)"; a new string. */
char *requester_describe(const char *verb, const Requester *requester);

/**
 * engine_request() - handle a request of an admin
 * @requester: for the cause record
 * Returns: false with @error: NO_SUCH_SERVICE, POLICY_DENIED (never), INVALID_CONFIGURATION (the
 * service's file has errors), SHUTTING_DOWN or NOT_SUPPORTED (no Reload=). A start that must wait
 * is not an error.
 */
bool engine_request(Engine *engine, RequestVerb verb, const char *service,
		    const Requester *requester, int64_t now_us, GError **error);

/**
 * engine_to_check() - find the services with a CheckCommand= to run before this request of an admin
 *
 * That is @s itself, and its members if a group is restarted or reloaded. Only services that are up
 * are checked, because a request cannot interrupt the others. Actions of the engine itself
 * (shutdown, change of runlevel, lapse, conflict) are never checked.
 * Returns: a new array of Service *, borrowed; maybe empty.
 */
GPtrArray *engine_to_check(const Service *s, RequestVerb verb);
/* Does engine_to_check() find a service? */
bool engine_needs_check(const Service *s, RequestVerb verb);

/**
 * engine_refuse() - refuse a request because CheckCommand= failed, and record that in the history
 * @problem: the result of the command
 */
void engine_refuse(Engine *engine, RequestVerb verb, const char *service,
		   const Requester *requester, const char *problem, int64_t now_us, GError **error);

/**
 * engine_demand() - handle a bus activation of a service
 * @bus_name: the activated name, for the cause
 *
 * Refused if the service's policy is manual or an admin stopped the service. A failed service is
 * retried only after a delay, because any user can cause activations.
 * Returns: false with @error, as engine_request(), or FAILED.
 */
bool engine_demand(Engine *engine, const char *service, const char *bus_name,
		   const Requester *requester, int64_t now_us, GError **error);

/**
 * engine_connection() - a client has connected to a socket of a service
 * @address: of the socket, for the cause
 *
 * Does nothing if the service does not await connections (s->awaits_connection). More starts than
 * TriggerLimit= make the service fail.
 */
void engine_connection(Engine *engine, const char *service, const char *address, int64_t now_us);

/* The sockets that s->listens requires are open, or cannot be opened now. */
void engine_sockets_opened(Engine *engine, const char *service);

/* An earlier manager left its sockets open. Called between engine_load() and engine_begin(). */
void engine_recover_listening(Engine *engine, const char *service);

/*
 * The addresses that @s listens on, according to policy and terms; a new string, NULL if there are
 * none.
 */
char *listen_describe(const Service *s);

/**
 * engine_impact() - find the other services that this request may end now
 *
 * The request may start @service, its needs, and services that lost a conflict and now return. The
 * result contains the services that conflict with one of these. It also contains the services that
 * depend by While= on a service that starts or stops, to the end of the chain. A service that may
 * no longer run is included even if it does not run now.
 *
 * The result may contain unaffected services, but misses no affected one. Services that run only
 * because of @service, and end with it, are omitted. The restart or reload of a group lists all its
 * members.
 * Returns: a new array of const Service *, borrowed.
 */
GPtrArray *engine_impact(RequestVerb verb, const Service *service);

/**
 * engine_depends_on() - does a While= line of @s name only @on, by service:, healthy: or mounted:?
 */
bool engine_depends_on(const Service *s, const Service *on);

/*
 * The names of the services that a restart of the group @s applies to. Empty for other services. A
 * new array of borrowed names.
 */
GPtrArray *engine_members(const Service *s);

/*
 * Changes the runlevel, which ends the requests of admins. "0" and "6" are shutdowns, after which
 * starts are refused.
 */
bool engine_set_runlevel(Engine *engine, const char *runlevel, const Requester *requester,
			 int64_t now_us, GError **error);

/* --- queries --- */

Service *engine_find(const Engine *engine, const char *name);
/* All services sorted by name; owned by the engine. */
const GPtrArray *engine_services(const Engine *engine);
const Policy *engine_policy(const Engine *engine);
const ServiceSet *engine_set(const Engine *engine);
const char *engine_runlevel(const Engine *engine);
const char *engine_previous_runlevel(const Engine *engine); /* NULL: at boot */
bool engine_is_shutting_down(const Engine *engine);

/*
 * The type of the present run, even if the file has changed. Without a run, the type in the file.
 */
ServiceType service_type(const Service *s);

/* OnLapse= from policy, otherwise from the service file. */
OnLapse engine_on_lapse(const Service *s);

/*
 * The class of @s until the login screen is shown (docs/login-screen.md). Policy or the needs of
 * the login screen set it.
 */
ServiceClass engine_class(const Service *s);

/* Has @s failed BACKOFF_FAILING times in a row, so that no service waits for further tries? */
bool engine_is_failing(const Service *s);

/* Is RestartCommand= of @s pending or running? */
bool engine_is_restarting(const Service *s);
/*
 * Is Reload= of @s, or of a member of the group @s, under way? engine_reload_problem(): why the
 * last reload failed; a new string, or NULL.
 */
bool engine_is_reloading(const Service *s);
char *engine_reload_problem(const Service *s);

/* Is @s idle though wanted, because it ended by itself and is not restarted? */
bool engine_is_spent(const Service *s);

/* Does @s wait for the login screen? Other conditions may delay it too. */
bool engine_waits_for_login_screen(const Service *s);

/* Is @s settled, that is, not about to change by itself? This is the level of settled:. */
bool engine_is_settled(const Service *s);
/* Will another run follow the run that is ending, as far as is known before the end? */
bool engine_starts_again(const Service *s);

/*
 * Is nothing in motion? Then unwanted services are down, and wanted services are up, failed or
 * waiting for external conditions.
 */
bool engine_is_at_rest(const Engine *engine);
/*
 * Is the boot over, because no service delays its end? A later service may make this false again.
 */
bool engine_has_booted(const Engine *engine);
/*
 * Is the engine at rest in runlevel 0 or 6? Then unwanted services are gone, and the others are up,
 * done or failed.
 */
bool engine_is_stopped(const Engine *engine);

/* CLOCK_MONOTONIC, in microseconds. */
typedef struct EngineTimes {
	int64_t now_us; /* of the present event */
	int64_t boot_us; /* when the first engine of this boot began; 0: not yet */
	int64_t begun_us; /* when this engine began; 0: not yet */
} EngineTimes;

EngineTimes engine_times(const Engine *engine);

/* The last wait of a service that is about to start. Strings are interned, NULL: none. */
typedef struct LastWait {
	const char *key; /* the condition that became true last */
	const char *by; /* the service that ended this wait */
	int64_t until_us;
	const char *lock; /* the StartLock= that it waited for afterwards */
	const char *lock_by; /* the last holder of @lock */
} LastWait;

LastWait engine_last_wait(const Service *s);

typedef struct ConditionView {
	const char *key;
	KeyPrefix prefix;
	Level level;
	const char *why; /* borrowed, may be NULL */
	int64_t since_us;
} ConditionView;

bool engine_condition(const Engine *engine, const char *key, ConditionView *ret);
void engine_foreach_condition(const Engine *engine,
			      void (*func)(const ConditionView *view, void *data), void *data);

/**
 * engine_subscribers() - find the services that use a condition, sorted by name
 * @ret_waiting: wanted services that wait for a term with this condition; a new array, borrowed
 * @ret_others: all other services with such a term; a new array, borrowed
 */
void engine_subscribers(const Engine *engine, const char *key, GPtrArray **ret_waiting,
			GPtrArray **ret_others);

/**
 * engine_internal_level() - compute the present level of a condition on a service or facility
 * @key: canonical; it need not be in use
 * @ret_why: a new string, or NULL
 * Returns: false if there is no such service, or no provider of the facility. The level is set in
 * any case.
 */
bool engine_internal_level(const Engine *engine, KeyPrefix prefix, const char *key,
			   Level *ret_level, char **ret_why);

#endif
