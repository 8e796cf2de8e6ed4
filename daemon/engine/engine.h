/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The engine: desired state, not jobs. Each service moves towards wanted && allowed.
 *
 * The engine is pure: no system calls, no clock, and no state at file level. Each event contains
 * its time. Effects leave through EngineOps. The same engine runs in the manager, the unit tests
 * and the simulator. The idea is in docs/engine.md.
 *
 * A function that takes @now_us may call the operations before it returns. The operations must not
 * call the engine: they queue their news. Work goes through lists, so the cost of an event depends
 * on the number of services that it affects.
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
#define ENGINE_TIMERS(X, P)                                                                        \
	X(P, BACKOFF, "back-off") X(P, SETTLE, "settle") X(P, LINGER, "linger") X(P, UNKNOWN, "unknown level") \
	X(P, WAIT, "wait limit") X(P, LISTEN, "sockets") X(P, LOGIN_SCREEN, "login screen")
ENUM_WITH_NAMES(EngineTimer, ENGINE_TIMER, engine_timer, ENGINE_TIMERS)

typedef struct EngineOps {
	/*
	 * From now on reports the level of @key through engine_set_level(), the present one too.
	 * Never for internal prefixes.
	 */
	void (*subscribe)(void *data, KeyPrefix prefix, const char *key);
	void (*unsubscribe)(void *data, KeyPrefix prefix, const char *key);

	/*
	 * Begins invocation s->invocation. Results arrive through engine_process_event(). Never for
	 * groups.
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
	 * Sets the timer of @kind for @s to @at_us (CLOCK_MONOTONIC), or removes it if 0. It calls
	 * engine_timer_fired().
	 */
	void (*arm_timer)(void *data, const Service *s, EngineTimer kind, int64_t at_us);

	/*
	 * s->listens or s->awaits_connection changed: opens or closes its sockets, and calls
	 * engine_connection() when a client connects. A service that listens is unsettled until
	 * engine_sockets_opened(). May be NULL.
	 */
	void (*listen)(void *data, const Service *s);

	/* The state changed. Called at once, before changed(). */
	void (*entered)(void *data, const Service *s);
	/*
	 * A published or noted value of @s changed (state, cause, want). The receiver should
	 * coalesce these calls.
	 */
	void (*changed)(void *data, const Service *s);
	/*
	 * The service is forgotten, and its note, timers and bus object can be removed. The last
	 * call for it.
	 */
	void (*removed)(void *data, const Service *s);
	/*
	 * The runlevel, the boot progress or at rest changed. The receiver should coalesce these
	 * calls.
	 */
	void (*engine_changed)(void *data);
	/*
	 * The level of a condition in use changed, or the reason of an external one. The receiver
	 * should coalesce these calls. This and the next one may be NULL.
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

/**
 * engine_load() - take the first definitions, or new ones at run time
 * @set, @policy: taken; the engine frees the earlier ones
 *
 * A reload applies only the differences. Levels, states and admin's wants are kept, and a changed
 * definition applies to the next action. A running service keeps its last definition until it ends,
 * even if its file is gone.
 */
void engine_load(Engine *engine, ServiceSet *set, Policy *policy, int64_t now_us);

/**
 * engine_recover() - restore one service from the keeper; between engine_load() and engine_begin()
 * @note: text from engine_note(), maybe of an older version; "" if there is none
 * @is_alive: @invocation has processes, or their end was not handled yet (the exit will come as an
 * event)
 * @main_pid: 0 if none
 * Returns: false if the note is invalid. Then the service has no history, but a living one keeps
 * running.
 */
bool engine_recover(Engine *engine, const char *service, const char *note, bool is_alive, uint64_t invocation,
		    pid_t main_pid, int64_t now_us);

/**
 * engine_note() - encode the state of one service; "" if nothing must be kept
 *
 * The text consists of "key=value" tokens, at most @size - 1 bytes. It contains only values that
 * cannot be derived: invocation, state, times, restart history, admin's want and result.
 */
void engine_note(const Engine *engine, const Service *s, char *text, size_t size);

/**
 * engine_note_for() - make a note from these values alone, for an engine that copies another one
 * @is_wanted: if true and @state is idle, the service ended by itself and is not started again
 */
void engine_note_for(ServiceState state, AdminWant admin, bool is_wanted, char *text, size_t size);

/**
 * engine_note_global(), engine_recover_global() - the same for values that belong to no service:
 * runlevel, boot times and progress
 */
void engine_note_global(const Engine *engine, char *text, size_t size);
bool engine_recover_global(Engine *engine, const char *note, int64_t now_us);

/**
 * engine_begin() - act from now on
 * @runlevel: canonical; NULL: the recovered one, else policy's default
 *
 * Before this call, events are accepted but no service is started or stopped, because the first
 * levels must be known.
 */
void engine_begin(Engine *engine, const char *runlevel, int64_t now_us);

/*
 * Sets the level of a condition. @why is displayed ("no such file", "set by uid 0") and may be
 * NULL. Unknown keys are ignored.
 */
void engine_set_level(Engine *engine, const char *key, Level level, const char *why, int64_t now_us);

/* Events of an invocation other than the present one are counted and ignored. */
void engine_process_event(Engine *engine, const char *service, uint64_t invocation, const ProcessEvent *event,
			  int64_t now_us);
void engine_timer_fired(Engine *engine, const char *service, EngineTimer kind, int64_t now_us);

/* --- requests --- */

typedef enum RequestVerb {
	REQUEST_VERB_START,
	REQUEST_VERB_STOP,
	REQUEST_VERB_RESTART, /* runs afterwards, whatever its state before */
	REQUEST_VERB_RELOAD,
	REQUEST_VERB_CLEAR,   /* resets failure, restart count and the admin's want */
} RequestVerb;

/* "stop by uid 0 (pid 812)"; a new string. */
char *requester_describe(const char *verb, const Requester *who);

/**
 * engine_request() - handle a request of an admin
 * @who: for the cause record
 * Returns: false with @error: NO_SUCH_SERVICE, POLICY_DENIED (never), INVALID_CONFIGURATION (its
 * file has errors), SHUTTING_DOWN or NOT_SUPPORTED (no Reload=). A start that must wait is not an
 * error.
 */
bool engine_request(Engine *engine, RequestVerb verb, const char *service, const Requester *who, int64_t now_us,
		    GError **error);

/**
 * engine_to_check() - find the services with a CheckCommand= to run before this request of an admin
 *
 * That is @s itself. For the restart or reload of a group, its members too. Only services that are
 * up are checked, because others have nothing to lose. Actions of the engine itself (shutdown,
 * change of runlevel, lapse, conflict) are never checked.
 * Returns: a new array of Service *, borrowed; maybe empty.
 */
GPtrArray *engine_to_check(const Service *s, RequestVerb verb);
/* Is engine_to_check() not empty? */
bool engine_needs_check(const Service *s, RequestVerb verb);

/**
 * engine_refuse() - refuse a request because CheckCommand= failed, and record that in the history
 * @problem: the result of the command
 */
void engine_refuse(Engine *engine, RequestVerb verb, const char *service, const Requester *who, const char *problem,
		   int64_t now_us, GError **error);

/**
 * engine_demand() - handle a bus activation of a service
 * @bus_name: the activated name, for the cause
 *
 * Refused if policy is manual or an admin stopped the service. A failed service is retried only
 * after a delay, because any user can cause activations.
 * Returns: false with @error, as engine_request(), or FAILED.
 */
bool engine_demand(Engine *engine, const char *service, const char *bus_name, const Requester *who, int64_t now_us,
		   GError **error);

/**
 * engine_connection() - a client has connected to a socket of a service
 * @address: of the socket, for the cause
 *
 * Does nothing if the service does not await connections (s->awaits_connection). More starts than
 * TriggerLimit= make it fail.
 */
void engine_connection(Engine *engine, const char *service, const char *address, int64_t now_us);

/* The sockets that s->listens requires are open, or cannot be opened now. */
void engine_sockets_opened(Engine *engine, const char *service);

/* An earlier manager left its sockets open. Called between engine_load() and engine_begin(). */
void engine_recover_listening(Engine *engine, const char *service);

/*
 * The addresses that it listens on, according to policy and terms; a new string, NULL if there are
 * none.
 */
char *listen_describe(const Service *s);

/**
 * engine_reach() - find the other services that this request may end now
 *
 * These are the services that conflict with a started one: the service itself, its needs, and
 * losers of a conflict that return. Services that hold on to any of these by While= are included,
 * to the end of the chain. A service that may no longer run counts too, even if it does not run
 * now.
 *
 * The result may contain a service too many, but never one too few. Services that run only because
 * of @service, and end with it, are omitted. The restart or reload of a group lists all its
 * members.
 * Returns: a new array of const Service *, borrowed.
 */
GPtrArray *engine_reach(RequestVerb verb, const Service *service);

/**
 * engine_holds_on() - does a While= line of @s name only @on, by service:, healthy: or mounted:?
 */
bool engine_holds_on(const Service *s, const Service *on);

/*
 * The names of the services that a restart of the group @s applies to. Empty for other services. A
 * new array of borrowed names.
 */
GPtrArray *engine_members(const Service *s);

/*
 * Changes the runlevel, which ends the wants of admins. "0" and "6" are shutdowns, after which
 * starts are refused.
 */
bool engine_set_runlevel(Engine *engine, const char *runlevel, const Requester *who, int64_t now_us, GError **error);

/* --- queries --- */

Service *engine_find(const Engine *engine, const char *name);
/* All services sorted by name; owned by the engine. */
const GPtrArray *engine_services(const Engine *engine);
const Policy *engine_policy(const Engine *engine);
const ServiceSet *engine_set(const Engine *engine);
const char *engine_runlevel(const Engine *engine);
const char *engine_previous_runlevel(const Engine *engine); /* NULL: at boot */
bool engine_is_shutting_down(const Engine *engine);

/* OnLapse= of policy, else of its file. */
OnLapse engine_on_lapse(const Service *s);

/*
 * The class of @s until the login screen is shown (docs/login-screen.md). Set by policy, or by the
 * needs of the login screen.
 */
ServiceClass engine_class(const Service *s);

/* Has it failed BACKOFF_FAILING times in a row, so that no service waits for further tries? */
bool engine_is_failing(const Service *s);

/*
 * Is its Reload= under way, or for a group that of a member? engine_reload_problem(): why the last
 * one failed; a new string, or NULL.
 */
bool engine_is_reloading(const Service *s);
char *engine_reload_problem(const Service *s);

/* Is it not about to change by itself? This is the level of settled:. */
bool engine_is_settled(const Service *s);
/* Will another run follow the one that is ending, as far as known before its end? */
bool engine_starts_again(const Service *s);

/*
 * Nothing is in motion: unwanted services are down; wanted ones are up, failed or waiting for
 * external conditions.
 */
bool engine_is_at_rest(const Engine *engine);
/*
 * Runlevel 0 or 6 and at rest: services that policy does not want are gone, the others are up, done
 * or failed.
 */
bool engine_is_stopped(const Engine *engine);

typedef struct ConditionView {
	const char *key;
	KeyPrefix prefix;
	Level level;
	const char *why;    /* borrowed, may be NULL */
	int64_t since_us;
} ConditionView;

bool engine_condition(const Engine *engine, const char *key, ConditionView *ret);
void engine_foreach_condition(const Engine *engine, void (*func)(const ConditionView *view, void *data), void *data);

/**
 * engine_subscribers() - find the services that use a condition, sorted by name
 * @ret_waiting: wanted services that wait for a term with this condition; a new array, borrowed
 * @ret_others: all other services with such a term, likewise
 */
void engine_subscribers(const Engine *engine, const char *key, GPtrArray **ret_waiting, GPtrArray **ret_others);

/**
 * engine_internal_level() - compute the present level of a condition on a service or facility
 * @key: canonical; it need not be in use
 * @ret_why: a new string, or NULL
 * Returns: false if there is no such service, or no provider of the facility. The level is set in
 * any case.
 */
bool engine_internal_level(const Engine *engine, KeyPrefix prefix, const char *key, Level *ret_level, char **ret_why);

#endif
