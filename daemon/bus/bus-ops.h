/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bus operations: what the bus requests from the rest of the manager, and what it publishes about
 * the manager.
 */
#ifndef SVCD_BUS_BUS_OPS_H
#define SVCD_BUS_BUS_OPS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/diag.h"
#include "engine/engine.h"
#include "model/time-key.h"

typedef struct Bus Bus;

/* The owner of a private socket. Only root may use the machine's socket (client-socket.h). */
typedef enum ClientSocketKind { CLIENT_SOCKET_OF_MACHINE, CLIENT_SOCKET_OF_USER } ClientSocketKind;

/*
 * What the bus publishes about the manager. Borrowed, valid until the next turn of the main loop.
 */
typedef struct BusInfo {
	const char *virtualization; /* NULL or "", "container", "vm" */
	const char *const *tainted; /* sentences, NULL-terminated, or NULL */
	/* a sentence: why the last requested re-execution failed; NULL: no failure */
	const char *reexec_problem;
	unsigned generation; /* the number of managers before this one */
	int64_t keeper_started_us;
	int64_t started_us;
	int64_t files_read_us; /* when the load of the current files began; 0: not yet */
	int64_t files_failed_us; /* the last failed load; 0: none */
	const char *files_problem; /* a sentence: why the last load failed; NULL: it succeeded */
} BusInfo;

/*
 * The requests of the bus to the rest of the manager. A function that fails sets @error, whose code
 * selects the D-Bus error.
 */
typedef struct BusOps {
	/* engine_request(). Loads an instance of a template first, if @service names one. */
	bool (*request)(void *data, RequestVerb verb, const char *service,
			const Requester *requester, GError **error);
	/*
	 * @service: the service of an object. @signo: 1 to SIGRTMAX. @to_all: to all processes, not
	 * only to the main process.
	 */
	bool (*signal)(void *data, const char *service, int signo, bool to_all,
		       const Requester *requester, GError **error);
	/*
	 * Runs the required CheckCommand= of a service, or of the members of a group.
	 * bus_check_ended() is called with @ticket later, never before this returns.
	 */
	bool (*check)(void *data, uint64_t ticket, RequestVerb verb, const char *service,
		      const Requester *requester, GError **error);
	/*
	 * engine_demand(). @stand_in: a connection to the system bus; the bus names that it owns
	 * are ignored from now on. "": none.
	 */
	bool (*activate)(void *data, const char *service, const char *bus_name,
			 const char *stand_in, const Requester *requester, GError **error);
	bool (*set_runlevel)(void *data, const char *runlevel, const Requester *requester,
			     GError **error);
	/* @kind: "poweroff", "reboot" or "halt"; already checked. */
	bool (*shutdown)(void *data, const char *kind, const Requester *requester, GError **error);
	/*
	 * @name: already checked. @holder: the calling connection, NULL if not on the bus. If the
	 * flag belongs to a bus name, @holder must own it.
	 */
	bool (*set_flag)(void *data, const char *name, bool set, const char *holder,
			 const Requester *requester, GError **error);
	/* The names of the flags that are set, as a new strv. */
	char **(*flags)(void *data);
	bool (*reload_files)(void *data, const Requester *requester, GError **error);
	/* Happens in a later turn of the loop, because the answer must be sent first. */
	bool (*reexec)(void *data, const Requester *requester, GError **error);
	/*
	 * Starts a change of policy. bus_change_ended() or bus_change_failed() is called with
	 * @ticket.
	 * @tokens: the arguments of a svcctl command, NULL-terminated, at least one and at most
	 * LIMIT_CHANGE_ARGUMENTS
	 */
	bool (*change_policy)(void *data, uint64_t ticket, const char *const *tokens,
			      const Requester *requester, GError **error);
	/*
	 * Registers @name if it names an instance of a template, and reads its file now. The
	 * requester is an operator of the instance.
	 * Returns: false with LIMIT_REACHED if the requester has too many instances.
	 */
	bool (*add_instance)(void *data, const char *name, const Requester *requester,
			     GError **error);
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
	 * Is socket number @entry of the service open? If not, *@ret_problem is the reason,
	 * borrowed; NULL: it is not meant to be open.
	 */
	bool (*is_socket_open)(void *data, const char *service, unsigned entry,
			       const char **ret_problem);
	/*
	 * For a requester other than root, a diagnostic that quotes a private file has another
	 * text.
	 */
	void (*foreach_diagnostic)(void *data, const Requester *requester,
				   void (*func)(const Diagnostic *diagnostic, void *user),
				   void *user);
	void (*info)(void *data, BusInfo *ret);
	/*
	 * From now on bus_condition_changed() reports every level of @key. The present level comes
	 * first, in this turn or a later one.
	 * @key: canonical, not of an internal prefix. Watches are counted: each watch must be ended
	 * once.
	 */
	void (*watch_condition)(void *data, KeyPrefix prefix, const char *key);
	void (*unwatch_condition)(void *data, KeyPrefix prefix, const char *key);
	/* What exists in place of @key, as text (registry_describe()); a new string, or NULL. */
	char *(*describe_condition)(void *data, KeyPrefix prefix, const char *key);
	/* Calls @visit for each due: condition in use, in no order. */
	void (*foreach_timer)(void *data, void (*visit)(void *visit_data, const DueTime *time),
			      void *visit_data);
	/* Takes @fd, which a hostile process may hold. An expendable process closes it. */
	void (*dispose)(void *data, int fd);
} BusOps;

#endif
