/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The engine: desired state, not jobs. Every service moves towards wanted && allowed.
 *
 * Pure: no system call, no clock, no file-level state. Time comes in with each event; effects go out through EngineOps.
 * The same engine runs in the manager, in the unit tests and in the simulator. The idea: docs/engine.md.
 *
 * Every function that takes @now_us may call the operations before it returns; the operations must not call back into
 * the engine (they queue what they learn). Work goes through a list, so the cost of an event is that of the services it touches.
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

/* Timers the engine asks for; one of each kind for a service. */
#define ENGINE_TIMERS(X, P)                                                                        \
	X(P, BACKOFF, "back-off") X(P, SETTLE, "settle") X(P, LINGER, "linger") X(P, UNKNOWN, "unknown level") \
	X(P, WAIT, "wait limit") X(P, LISTEN, "sockets") X(P, LOGIN_SCREEN, "login screen")
ENUM_WITH_NAMES(EngineTimer, ENGINE_TIMER, engine_timer, ENGINE_TIMERS)

typedef struct EngineOps {
	/* Report the level of @key from now on, the present one too, by engine_set_level(). Never for internal prefixes. */
	void (*subscribe)(void *data, KeyPrefix prefix, const char *key);
	void (*unsubscribe)(void *data, KeyPrefix prefix, const char *key);

	/* Begin invocation s->invocation; answers come by engine_process_event(). Never for groups. */
	void (*start)(void *data, const Service *s);
	/* Stop it: main, the rest of the cgroup, clean-up; ends with PROCESS_GONE. May be called again: a no-op. */
	void (*stop)(void *data, const Service *s);
	void (*reload)(void *data, const Service *s);
	/* Run the RestartCommand= of a script that is up; ends with PROCESS_RESTARTED or PROCESS_RESTART_FAILED. May be called again. */
	void (*restart)(void *data, const Service *s);

	/* One timer of @kind for @s at @at_us (CLOCK_MONOTONIC); 0 takes it back. Fires engine_timer_fired(). */
	void (*arm_timer)(void *data, const Service *s, EngineTimer kind, int64_t at_us);

	/*
	 * s->listens or s->awaits_connection changed: open or close its sockets, and call engine_connection() when a client comes.
	 * Until engine_sockets_opened() a service that listens has not settled. May be NULL.
	 */
	void (*listen)(void *data, const Service *s);

	/* It has another state than before. Told at once, before it is told as changed. */
	void (*entered)(void *data, const Service *s);
	/* Something that is published or noted of @s changed (state, cause, want). Coalesce. */
	void (*changed)(void *data, const Service *s);
	/* The service is no longer known: its last trace (note, timers, bus object) may go. Last call for it. */
	void (*removed)(void *data, const Service *s);
	/* Runlevel, boot progress or being at rest changed. Coalesce. */
	void (*engine_changed)(void *data);
	/*
	 * The level of a condition that a service looks at changed, or of one from outside what is said of it. Coalesce.
	 * This one and the next may be NULL: nobody wants to know, and nobody knows.
	 */
	void (*condition_changed)(void *data, const char *key, Level level, const char *why);
	/* What there is instead of what a condition asks for ("labels present: EFI, ROOT"); a new string, or NULL. */
	char *(*describe)(void *data, KeyPrefix prefix, const char *key);
} EngineOps;

Engine *engine_new(const EngineOps *ops, void *data);
void engine_free(Engine *engine);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Engine, engine_free)

/**
 * engine_load() - the first definitions, or new ones while things run
 * @set, @policy: taken; the engine frees the ones before
 *
 * A reload is a difference: levels, states and admin's wants survive; a changed definition is used for the next act.
 * A running service whose file is gone keeps its last definition until it is gone.
 */
void engine_load(Engine *engine, ServiceSet *set, Policy *policy, int64_t now_us);

/**
 * engine_recover() - what the keeper kept of one service; between engine_load() and engine_begin()
 * @note:     text made by engine_note(), maybe by an older version; "" if there is none
 * @is_alive: processes of @invocation live, or their end has not been handled yet (the exit will be told as an event)
 * @main_pid: 0 if none
 * Returns: false when the note cannot be read; the service then starts with no history, but a living one keeps running.
 */
bool engine_recover(Engine *engine, const char *service, const char *note, bool is_alive, uint64_t invocation,
		    pid_t main_pid, int64_t now_us);

/**
 * engine_note() - the memory of one service in at most @size - 1 bytes of "key=value" text; "" when nothing need be kept
 *
 * Holds what cannot be derived: invocation, state, times, restart history, admin's want, result.
 */
void engine_note(const Engine *engine, const Service *s, char *text, size_t size);

/**
 * engine_note_for() - the note of a service of which no more is known than this: for an engine that is to stand where
 * another one does
 * @is_wanted: and if it is idle all the same, it has ended by itself and is not started again
 */
void engine_note_for(ServiceState state, AdminWant admin, bool is_wanted, char *text, size_t size);

/**
 * engine_note_global(), engine_recover_global() - the same for what belongs to no service: runlevel, boot times,
 * boot finished, how far its progress was
 */
void engine_note_global(const Engine *engine, char *text, size_t size);
bool engine_recover_global(Engine *engine, const char *note, int64_t now_us);

/**
 * engine_begin() - act from now on
 * @runlevel: canonical; NULL: the recovered one, else policy's default
 *
 * Before it, events are taken in but nothing is started or stopped: the first levels must be known first.
 */
void engine_begin(Engine *engine, const char *runlevel, int64_t now_us);

/* A condition's level; @why is shown to people ("no such file", "set by uid 0"), may be NULL. Unknown keys are ignored. */
void engine_set_level(Engine *engine, const char *key, Level level, const char *why, int64_t now_us);

/* Events of another invocation than the present one are counted and ignored. */
void engine_process_event(Engine *engine, const char *service, uint64_t invocation, const ProcessEvent *event,
			  int64_t now_us);
void engine_timer_fired(Engine *engine, const char *service, EngineTimer kind, int64_t now_us);

/* --- requests --- */

typedef enum RequestVerb {
	REQUEST_VERB_START,
	REQUEST_VERB_STOP,
	REQUEST_VERB_RESTART, /* running afterwards, whatever it was before */
	REQUEST_VERB_RELOAD,
	REQUEST_VERB_CLEAR,   /* forget failure, restart count and the admin's want */
} RequestVerb;

/* "stop by uid 0 (pid 812)"; a new string. */
char *requester_describe(const char *verb, const Requester *who);

/**
 * engine_request() - an admin asks for something
 * @who:   for the cause record
 * Returns: false with @error: NO_SUCH_SERVICE, POLICY_DENIED (never), INVALID_CONFIGURATION (its file has errors),
 *          SHUTTING_DOWN, NOT_SUPPORTED (reload of one that has none). A start that must wait is no error.
 */
bool engine_request(Engine *engine, RequestVerb verb, const char *service, const Requester *who, int64_t now_us,
		    GError **error);

/**
 * engine_to_check() - whose CheckCommand= is to be run before this request of an admin's is made?
 *
 * That of @s; of a group that is restarted or reloaded those of its members. Only where something runs that would be lost: of one that is not up there is nothing to keep. What the engine does by
 * itself (shutdown, a change of runlevel, a lapse, a conflict) asks nobody.
 * Returns: a new array of Service *, borrowed; empty: nobody is asked.
 */
GPtrArray *engine_to_check(const Service *s, RequestVerb verb);
/* Is anybody's to be run? */
bool engine_needs_check(const Service *s, RequestVerb verb);

/**
 * engine_refuse() - its CheckCommand= failed: the request is not made, and that is a record in its history
 * @problem: how it ended
 */
void engine_refuse(Engine *engine, RequestVerb verb, const char *service, const Requester *who, const char *problem,
		   int64_t now_us, GError **error);

/**
 * engine_demand() - a call on the bus asks for something
 * @bus_name: its name there, for the cause
 *
 * What policy leaves to an admin (manual) and what an admin stopped is refused; what has failed is tried again, but not at
 * once, for anybody may make the bus ask.
 * Returns: false with @error, as engine_request(), and FAILED.
 */
bool engine_demand(Engine *engine, const char *service, const char *bus_name, const Requester *who, int64_t now_us,
		   GError **error);

/**
 * engine_connection() - a client has come to a socket of a service that awaits it (s->awaits_connection)
 * @address: of the socket, for the cause
 *
 * A service that has stopped to await connections meanwhile is left as it is; more starts than TriggerLimit= fail it.
 */
void engine_connection(Engine *engine, const char *service, const char *address, int64_t now_us);

/* The sockets that s->listens asks for are open, or cannot be opened now. */
void engine_sockets_opened(Engine *engine, const char *service);

/* Its sockets are open, as another manager left them; between engine_load() and engine_begin(). */
void engine_recover_listening(Engine *engine, const char *service);

/* Addresses that it listens on, as policy and its terms have it; a new string, NULL if there are none. */
char *listen_describe(const Service *s);

/**
 * engine_reach() - which other services this request may end, as things are now
 *
 * Those that conflict with what is started (with it what it needs, and what comes back when a loser stops), and all whose While=
 * falls with any of them, to the end of the chain. One that would run, if it could, and may not any more is one of them. One too
 * many may be named, none is left out. What was started only for the sake of @service, and goes with it, is not named. Of a
 * group that is restarted or reloaded all members are, for it is they that are.
 * Returns: a new array of const Service *, borrowed.
 */
GPtrArray *engine_reach(RequestVerb verb, const Service *service);

/**
 * engine_holds_on() - does a While= line of @s name @on by itself, as service:, healthy:, or a mount of its by mounted:?
 */
bool engine_holds_on(const Service *s, const Service *on);

/* Names of the services that a restart of the group @s is meant for; of any other service none. A new array, borrowed. */
GPtrArray *engine_members(const Service *s);

/* Change of runlevel; admin's wants end. "0" and "6" are shutdowns: after them starts are refused. */
bool engine_set_runlevel(Engine *engine, const char *runlevel, const Requester *who, int64_t now_us, GError **error);

/* --- questions --- */

Service *engine_find(const Engine *engine, const char *name);
/* All services in the order of their names; owned by the engine. */
const GPtrArray *engine_services(const Engine *engine);
const Policy *engine_policy(const Engine *engine);
const ServiceSet *engine_set(const Engine *engine);
const char *engine_runlevel(const Engine *engine);
const char *engine_previous_runlevel(const Engine *engine); /* NULL: none, at boot */
bool engine_is_shutting_down(const Engine *engine);

/* OnLapse= of policy, else of its file. */
OnLapse engine_on_lapse(const Service *s);

/* The class of @s until the login screen is there (docs/login-screen.md): by policy, else by what the login screen needs. */
ServiceClass engine_class(const Service *s);

/* Has it failed so often in a row (BACKOFF_FAILING) that nothing waits for its further tries? */
bool engine_is_failing(const Service *s);

/* Is its Reload= under way; of a group, that of a member? Why the last one failed, a new string, or NULL. */
bool engine_is_reloading(const Service *s);
char *engine_reload_problem(const Service *s);

/* Is it not about to change by itself? What settled: says. */
bool engine_is_settled(const Service *s);
/* Is the run that is ending to be followed by another, as far as that can be said before it is over? */
bool engine_starts_again(const Service *s);

/* Nothing is in motion: all unwanted are down, all wanted are up, failed or waiting for the world outside. */
bool engine_is_at_rest(const Engine *engine);
/* Runlevel 0 or 6 at rest: what policy does not want there is gone, and what it wants there is up, done or failed. */
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
 * engine_subscribers() - who looks at a condition; names in the order of the alphabet
 * @ret_waiting: wanted services that wait, and one of their terms with this condition is not true; a new array, borrowed
 * @ret_others:  all others with such a term, likewise
 */
void engine_subscribers(const Engine *engine, const char *key, GPtrArray **ret_waiting, GPtrArray **ret_others);

/**
 * engine_internal_level() - the present level of a service:, settled:, active: or facility: condition
 * @key: canonical; no service need look at it
 * @ret_why: a new string, or NULL
 * Returns: false when there is no such service, or no service provides the facility; the level is the one that follows.
 */
bool engine_internal_level(const Engine *engine, KeyPrefix prefix, const char *key, Level *ret_level, char **ret_why);

#endif
