/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bus: org.svcd1 as clients see it. Reads the engine; whatever changes something goes through BusOps.
 *
 * Clients come by the private socket (client-socket.h) and by the system bus (system-client.h). Objects, interfaces and
 * rows do not know by which way a call came. In words: docs/dbus.md.
 */
#ifndef SVCD_BUS_BUS_H
#define SVCD_BUS_BUS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "engine/engine.h"
#include "loop/system-bus.h"

typedef struct Bus Bus;

/* Whose private socket: only root has the rights of the machine's (client-socket.h). */
typedef enum ClientSocketKind { CLIENT_SOCKET_OF_MACHINE, CLIENT_SOCKET_OF_USER } ClientSocketKind;

/* What the bus tells of the manager itself; borrowed, valid until the next turn of the main loop. */
typedef struct BusInfo {
	const char *virtualization;  /* NULL or "", "container", "vm" */
	const char *const *tainted;  /* sentences, NULL-terminated, or NULL */
	const char *reexec_problem;  /* why the installed program did not take over, a sentence; NULL: it did, or nobody asked */
	unsigned generation;         /* how many managers there were before */
	int64_t keeper_started_us;   /* PID 1's start */
	int64_t started_us;          /* this manager's start */
	int64_t files_read_us;       /* when reading the files that are in force began; 0: not yet */
	int64_t files_failed_us;     /* when a load failed for the last time; 0: none has */
	const char *files_problem;   /* why the last load failed, a sentence; NULL: it did not */
} BusInfo;

/* What the bus asks of the rest of the manager. Failing functions set @error; its code names the D-Bus error. */
typedef struct BusOps {
	/* engine_request(), after loading an instance of a template if the name asks for one. */
	bool (*request)(void *data, RequestVerb verb, const char *service, const Requester *who, GError **error);
	/* @service: that of an object. @signo: 1 to SIGRTMAX. @to_all: not only to its main process. */
	bool (*signal)(void *data, const char *service, int signo, bool to_all, const Requester *who, GError **error);
	/*
	 * Run CheckCommand= of a service that needs it, or of the members of a group that do; bus_check_ended() will be called
	 * with @ticket, but not before this returns.
	 */
	bool (*check)(void *data, uint64_t ticket, RequestVerb verb, const char *service, const Requester *who, GError **error);
	/* engine_demand(); names that @stand_in ("": nobody) owns on the system bus do not count from now on. */
	bool (*activate)(void *data, const char *service, const char *bus_name, const char *stand_in, const Requester *who,
			 GError **error);
	bool (*set_runlevel)(void *data, const char *runlevel, const Requester *who, GError **error);
	/* @kind: "poweroff", "reboot", "halt", checked. */
	bool (*shutdown)(void *data, const char *kind, const Requester *who, GError **error);
	/* @name: checked. @holder: for a flag that belongs to a bus name: the connection that owns it; NULL: not on the bus. */
	bool (*set_flag)(void *data, const char *name, bool set, const char *holder, const Requester *who, GError **error);
	/* Names of the flags that are set, a new strv. */
	char **(*flags)(void *data);
	/* Read all files again. */
	bool (*reload_files)(void *data, const Requester *who, GError **error);
	/* Leave in a later turn of the loop: the answer must go out first. */
	bool (*reexec)(void *data, const Requester *who, GError **error);
	/*
	 * Have policy changed; bus_change_ended() or bus_change_failed() will be called with @ticket.
	 * @words: a command of svcctl's, NULL-terminated, at least one and at most LIMIT_CHANGE_WORDS
	 */
	bool (*change_policy)(void *data, uint64_t ticket, const char *const *words, const Requester *who,
			      GError **error);
	/*
	 * If @name is that of an instance of a template, it is made known; its file is read now. @who: an operator of it.
	 * Returns: false with LIMIT_REACHED when @who has too many.
	 */
	bool (*add_instance)(void *data, const char *name, const Requester *who, GError **error);
	/* Is one of these groups in the service's Operators=? */
	bool (*is_operator)(void *data, const char *service, const gid_t *gids, unsigned n_gids);
	/* The cgroup's absolute directory, borrowed, or NULL. */
	const char *(*cgroup)(void *data, const char *service);
	/* Is the socket at this place of its definition open? *@ret_problem: why not, borrowed; NULL: it is not to be. */
	bool (*is_socket_open)(void *data, const char *service, unsigned entry, const char **ret_problem);
	/* What quotes files that not every user may read, and @who is not root, has another text. */
	void (*foreach_diagnostic)(void *data, const Requester *who, void (*func)(const Diagnostic *diagnostic, void *user), void *user);
	void (*info)(void *data, BusInfo *ret);
	/*
	 * bus_condition_changed() tells every level of @key from now on, the present one first (in a later turn, or in this).
	 * @key: canonical, not of an internal prefix. Counted: each watch is ended once.
	 */
	void (*watch_condition)(void *data, KeyPrefix prefix, const char *key);
	void (*unwatch_condition)(void *data, KeyPrefix prefix, const char *key);
	/* What there is instead, in words; a new string, or NULL. */
	char *(*describe_condition)(void *data, KeyPrefix prefix, const char *key);
	/* Takes @fd, which a hostile process may hold: it is closed by a process that may wait. */
	void (*dispose)(void *data, int fd);
} BusOps;

/**
 * bus_new() - no client yet
 * @engine, @ops: borrowed, must outlive it
 */
Bus *bus_new(const Engine *engine, const BusOps *ops, void *data);
void bus_free(Bus *bus);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Bus, bus_free)

/**
 * bus_listen() - serve clients of the private socket; of an earlier one the clients are disconnected
 * @fd: taken; a listening socket, made by client_socket_open() or kept by the keeper
 */
void bus_listen(Bus *bus, ClientSocketKind kind, int fd);

/**
 * bus_attach_system() - be org.svcd1 on the system bus as well, whenever it is there; once
 * @system_bus: borrowed, must outlive it
 */
void bus_attach_system(Bus *bus, SystemBus *system_bus);

/**
 * bus_service_changed(), bus_engine_changed() - something that is published changed
 *
 * Cheap: names are collected, and one PropertiesChanged an object goes out when the loop comes to rest. The first
 * word of a service that was not published yet becomes InterfacesAdded.
 */
void bus_service_changed(Bus *bus, const char *service);
void bus_service_removed(Bus *bus, const char *service);
void bus_engine_changed(Bus *bus);

/* What comes from files may be another now: the next word of each service is all that there is to say of it. */
void bus_files_read(Bus *bus);

/* The level of a condition that services look at or bus clients watch, or what is said of it. Cheap, as above. */
void bus_condition_changed(Bus *bus, const char *key, Level level, const char *why);

/**
 * bus_change_ended(), bus_change_failed() - the answer to who asked for a change of policy, if it is still there
 * @exit, @output: of the program that made it
 */
void bus_change_ended(Bus *bus, uint64_t ticket, unsigned exit, const char *output);
void bus_change_failed(Bus *bus, uint64_t ticket, const GError *error);

/* The call that waits for this check is refused with @problem, or, without one, carried out, if its client is still there. */
void bus_check_ended(Bus *bus, uint64_t ticket, const GError *problem);

/**
 * bus_flush() - write what the sockets take now, without waiting; before the manager leaves
 */
void bus_flush(Bus *bus);

#endif
