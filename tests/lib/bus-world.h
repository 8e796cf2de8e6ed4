/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bus world: a World behind a real socket, with org.svcd1, for clients in the same test or svcctl
 * in another process.
 */
#ifndef SVCD_TESTS_LIB_BUS_WORLD_H
#define SVCD_TESTS_LIB_BUS_WORLD_H

#include <gio/gio.h>

#include "bus/bus.h"
#include "tests/lib/tree.h"
#include "tests/lib/world.h"

#define SERVICE_PATH(escaped) OBJECT_PATH_SERVICES "/" escaped

/* PID 1 started this long before the manager. */
#define BUS_WORLD_KEEPER_US (3 * G_USEC_PER_SEC / 2)

typedef struct BusWorld {
	World *world;
	Bus *bus;
	Tree *tree; /* contains the socket and the log directory */
	char *socket_path;
	char *log_directory;
	char *proc_directory; /* /proc of svcctl; empty */
	char *cgroup; /* of each service, NULL: none; owned */
	const char *locale; /* of svcctl; NULL: C.UTF-8 */
	int silent_fd; /* the socket before bus_world_listen(), else -1 */
	GHashTable *flags; /* flags that are set */
	GString *requests; /* requests to BusOps, "poweroff; reexec" */
	DiagList *diags; /* content of Diagnostics */
	GHashTable *outside; /* external levels, for watches: key -> Level; absent: false */
	GHashTable *watched; /* keys that the bus watches */
	const char *operated; /* operators: "GID:SERVICE ..." */
	const char *instance_files; /* files after a request for an instance; NULL: unchanged */
	const char *instance_policy;
	bool is_full_of_instances; /* refuse new instances */
	int64_t files_read_us; /* time of the last request to read files; 0: none */
	uint64_t ticket; /* of the last policy change or check */
	bool settles; /* carry out requests at once */
	bool dies; /* at the next request for a change or for the manager's properties */
} BusWorld;

/* Files and policy as in world_new_with_policy(). */
BusWorld *bus_world_new(const char *files, const char *policy);
/* Services: base, upper (needs base) and shy (waits for flag:go). The policy wants all three. */
BusWorld *bus_world_new_three(void);
/* Like bus_world_new(), but no process accepts on the socket yet. */
BusWorld *bus_world_new_silent(const char *files, const char *policy);
void bus_world_listen(BusWorld *bw);
void bus_world_free(BusWorld *bw);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(BusWorld, bus_world_free)

/* Sends the events that wiring.c sends after a change of the world. */
void bus_world_flush(BusWorld *bw);

/* Sets an external level, for services and watches. */
void bus_world_set(BusWorld *bw, const char *key, Level level, const char *why);

/* Runs the main loop until @is_over; fails the test after some seconds. */
void bus_world_run_until(bool (*is_over)(void *data), void *data, const char *what);

GDBusConnection *bus_world_connect(BusWorld *bw);

/* @type: type of the answer, NULL: any. */
GVariant *bus_world_call(GDBusConnection *connection, const char *path, const char *interface,
			 const char *method, GVariant *args, const char *type, GError **error);
/* A method of org.svcd1.Manager; it must succeed. */
GVariant *bus_world_manager(GDBusConnection *connection, const char *method, GVariant *args,
			    const char *type);

/* The value of a property, which must exist. */
GVariant *bus_world_property(GDBusConnection *connection, const char *path, const char *interface,
			     const char *name);

/* The D-Bus error of this call, "NAME: MESSAGE"; a new string. */
char *bus_world_refusal(GDBusConnection *connection, const char *path, const char *interface,
			const char *method, GVariant *args);

/**
 * bus_world_svcctl() - run svcctl while the main loop runs
 * @line: its arguments, split at blanks
 * @ret_out: standard output and error, new strings; may be NULL
 * Returns: its exit code.
 */
int bus_world_svcctl(BusWorld *bw, const char *line, char **ret_out, char **ret_err);

/* bus_world_svcctl() in two steps. */
typedef struct Run Run;
Run *bus_world_svcctl_begin(BusWorld *bw, const char *line);
int bus_world_svcctl_end(Run *run, char **ret_out, char **ret_err);

/*
 * Only starts svcctl. @fd becomes its standard output; ownership is taken. The caller waits for its
 * end.
 */
GSubprocess *bus_world_svcctl_launch(BusWorld *bw, const char *line, int fd);

/**
 * bus_world_svcctl_terminal() - like bus_world_svcctl(), on a terminal of 60 columns
 * @environment: "NAME=VALUE" pairs separated by blanks, in addition to TERM=xterm
 * Returns: the output on the terminal, a new string.
 */
char *bus_world_svcctl_terminal(BusWorld *bw, const char *line, const char *environment);

#endif
