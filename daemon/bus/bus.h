/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bus: org.svcd1 as clients see it. The bus reads the engine, and makes every change through
 * BusOps.
 *
 * Clients come through the private socket (client-socket.h) or the system bus (system-client.h).
 * Objects, interfaces and rows do not know by which way a call came. See docs/dbus.md.
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

/* The owner of a private socket. On the machine's, only root has the rights (client-socket.h). */
typedef enum ClientSocketKind { CLIENT_SOCKET_OF_MACHINE, CLIENT_SOCKET_OF_USER } ClientSocketKind;

/*
 * What the bus publishes about the manager. Borrowed, valid until the next turn of the main loop.
 */
typedef struct BusInfo {
	const char *virtualization;  /* NULL or "", "container", "vm" */
	const char *const *tainted;  /* sentences, NULL-terminated, or NULL */
	const char *reexec_problem;  /* a sentence: why no new manager took over; NULL: one did, or no request */
	unsigned generation;         /* the number of managers before this one */
	int64_t keeper_started_us;   /* the start of PID 1 */
	int64_t started_us;          /* the start of this manager */
	int64_t files_read_us;       /* start of the read of the files in force; 0: not yet */
	int64_t files_failed_us;     /* the last failed load; 0: none */
	const char *files_problem;   /* a sentence: why the last load failed; NULL: it did not */
} BusInfo;

/*
 * The requests of the bus to the rest of the manager. A function that fails sets @error. Its code
 * selects the D-Bus error.
 */
typedef struct BusOps {
	/* engine_request(). Loads an instance of a template first, if @service names one. */
	bool (*request)(void *data, RequestVerb verb, const char *service, const Requester *who, GError **error);
	/*
	 * @service: of an object. @signo: 1 to SIGRTMAX. @to_all: to all processes, not only to the
	 * main process.
	 */
	bool (*signal)(void *data, const char *service, int signo, bool to_all, const Requester *who, GError **error);
	/*
	 * Runs CheckCommand= of a service that needs it, or of those members of a group that need
	 * it. Later, and not before this returns, bus_check_ended() is called with @ticket.
	 */
	bool (*check)(void *data, uint64_t ticket, RequestVerb verb, const char *service, const Requester *who, GError **error);
	/*
	 * engine_demand(). From now on the names that @stand_in ("": none) owns on the system bus
	 * do not count.
	 */
	bool (*activate)(void *data, const char *service, const char *bus_name, const char *stand_in, const Requester *who,
			 GError **error);
	bool (*set_runlevel)(void *data, const char *runlevel, const Requester *who, GError **error);
	/* @kind: "poweroff", "reboot" or "halt"; already checked. */
	bool (*shutdown)(void *data, const char *kind, const Requester *who, GError **error);
	/*
	 * @name: already checked. @holder: the calling connection, which owns a flag that belongs
	 * to a bus name; NULL: not on the bus.
	 */
	bool (*set_flag)(void *data, const char *name, bool set, const char *holder, const Requester *who, GError **error);
	/* The names of the flags that are set, as a new strv. */
	char **(*flags)(void *data);
	bool (*reload_files)(void *data, const Requester *who, GError **error);
	/* Happens in a later turn of the loop, because the answer must be sent first. */
	bool (*reexec)(void *data, const Requester *who, GError **error);
	/*
	 * Starts a change of policy. bus_change_ended() or bus_change_failed() is called with
	 * @ticket.
	 * @words: the arguments of a svcctl command, NULL-terminated, at least one and at most
	 * LIMIT_CHANGE_WORDS
	 */
	bool (*change_policy)(void *data, uint64_t ticket, const char *const *words, const Requester *who,
			      GError **error);
	/*
	 * Registers @name if it names an instance of a template, and reads its file now. The
	 * requester is an operator of it.
	 * Returns: false with LIMIT_REACHED if the requester has too many instances.
	 */
	bool (*add_instance)(void *data, const char *name, const Requester *who, GError **error);
	/*
	 * The last bytes of a service's output, at most LIMIT_LOG_ANSWER_BYTES. The first line may
	 * be incomplete. A new array.
	 */
	GByteArray *(*read_log)(void *data, const char *service, GError **error);
	/* Does Operators= of the service contain one of these groups? */
	bool (*is_operator)(void *data, const char *service, const gid_t *gids, unsigned n_gids);
	/* The absolute directory of the cgroup, borrowed, or NULL. */
	const char *(*cgroup)(void *data, const char *service);
	/*
	 * Is socket number @entry of the service open? *@ret_problem: why not, borrowed; NULL: it
	 * is not meant to be open.
	 */
	bool (*is_socket_open)(void *data, const char *service, unsigned entry, const char **ret_problem);
	/*
	 * For a requester other than root, a diagnostic that quotes a private file has another
	 * text.
	 */
	void (*foreach_diagnostic)(void *data, const Requester *who, void (*func)(const Diagnostic *diagnostic, void *user), void *user);
	void (*info)(void *data, BusInfo *ret);
	/*
	 * From now on bus_condition_changed() reports every level of @key. The present level comes
	 * first, in this turn or a later one.
	 * @key: canonical, not of an internal prefix. Watches are counted: each one is ended once.
	 */
	void (*watch_condition)(void *data, KeyPrefix prefix, const char *key);
	void (*unwatch_condition)(void *data, KeyPrefix prefix, const char *key);
	/* A sentence about what exists in place of the condition; a new string, or NULL. */
	char *(*describe_condition)(void *data, KeyPrefix prefix, const char *key);
	/* Takes @fd, which a hostile process may hold. A process that may block closes it. */
	void (*dispose)(void *data, int fd);
} BusOps;

/**
 * bus_new() - make a bus without clients
 * @engine, @ops: borrowed, must outlive the bus
 */
Bus *bus_new(const Engine *engine, const BusOps *ops, void *data);
void bus_free(Bus *bus);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Bus, bus_free)

/**
 * bus_listen() - serve clients of the private socket; disconnects the clients of an earlier socket
 * @fd: taken; a listening socket, made by client_socket_open() or kept by the keeper
 */
void bus_listen(Bus *bus, ClientSocketKind kind, int fd);

/**
 * bus_attach_system() - publish org.svcd1 on the system bus too, whenever that is there; call once
 * @system_bus: borrowed, must outlive the bus
 */
void bus_attach_system(Bus *bus, SystemBus *system_bus);

/**
 * bus_service_changed(), bus_engine_changed() - published state changed
 *
 * Cheap: names are collected, and one PropertiesChanged per object is sent when the loop comes to
 * rest. The first change of a service that was not published yet becomes InterfacesAdded.
 */
void bus_service_changed(Bus *bus, const char *service);
void bus_service_removed(Bus *bus, const char *service);
void bus_engine_changed(Bus *bus);

/* The files were read. The manager's properties, such as FilesReadAt, are published again. */
void bus_files_read(Bus *bus);

/*
 * The level or the reason of a condition changed. A service uses it, or a client watches it. Cheap,
 * as above.
 */
void bus_condition_changed(Bus *bus, const char *key, Level level, const char *why);

/**
 * bus_change_ended(), bus_change_failed() - answer the client that requested a change of policy, if
 * it is still connected
 * @exit, @output: of the program that made the change
 */
void bus_change_ended(Bus *bus, uint64_t ticket, unsigned exit, const char *output);
void bus_change_failed(Bus *bus, uint64_t ticket, const GError *error);

/*
 * Refuses the call that waits for this check with @problem, or carries it out if NULL. The client
 * may have left.
 */
void bus_check_ended(Bus *bus, uint64_t ticket, const GError *problem);

/**
 * bus_flush() - write what the sockets accept without waiting; called before the manager leaves
 */
void bus_flush(Bus *bus);

#endif
