/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bus world: a World behind a real socket, with org.svcd1 on it, for clients in the same test or svcctl beside it.
 */
#ifndef SVCD_TESTS_LIB_BUS_WORLD_H
#define SVCD_TESTS_LIB_BUS_WORLD_H

#include <gio/gio.h>

#include "bus/bus.h"
#include "tests/lib/tree.h"
#include "tests/lib/world.h"

#define SERVICE_PATH(escaped) OBJECT_PATH_SERVICES "/" escaped

/* PID 1 began so long before the manager. */
#define BUS_WORLD_KEEPER_US (3 * G_USEC_PER_SEC / 2)

typedef struct BusWorld {
	World *world;
	Bus *bus;
	Tree *tree;         /* the socket and the log directory are below it */
	char *socket_path;
	char *log_directory;
	char *proc_directory; /* what svcctl takes for /proc; empty */
	char *cgroup;         /* the cgroup of every service, NULL: none; owned */
	const char *locale;   /* of svcctl; NULL: C.UTF-8 */
	int silent_fd;      /* the socket before bus_world_listen(), else -1 */
	GHashTable *flags;  /* names that are set */
	GString *requests;  /* what BusOps were asked for, "poweroff; reexec" */
	DiagList *diags;    /* what Diagnostics tells */
	GHashTable *outside; /* levels of conditions from outside, for watches: key -> Level; absent: false */
	GHashTable *watched; /* keys that the bus asked us to watch */
	const char *operated; /* who operates what: "GID:SERVICE ..." */
	const char *instance_files; /* what there is once an instance of a template is asked for; NULL: the same */
	const char *instance_policy;
	bool is_full_of_instances; /* no more of them */
	int64_t files_read_us; /* when somebody asked for it; 0: nobody has */
	uint64_t ticket;    /* of the change of policy, or the check, that was asked for last */
	bool settles;       /* requests are carried out at once */
	bool dies;          /* the process ends when somebody asks for a change, or for the manager's properties */
} BusWorld;

/* Files and policy as for world_new_with_policy(). */
BusWorld *bus_world_new(const char *files, const char *policy);
/* base, upper that stands on it, and shy that waits for flag:go; policy wants all three. */
BusWorld *bus_world_new_three(void);
/* As bus_world_new(), with a socket on which nobody accepts yet. */
BusWorld *bus_world_new_silent(const char *files, const char *policy);
void bus_world_listen(BusWorld *bw);
void bus_world_free(BusWorld *bw);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(BusWorld, bus_world_free)

/* After the world changed by itself: what wiring.c would tell. */
void bus_world_tell(BusWorld *bw);

/* A level from outside, for services and watches. */
void bus_world_set(BusWorld *bw, const char *key, Level level, const char *why);

/* Runs the main loop until @is_over says so; fails the test after some seconds. */
void bus_world_run_until(bool (*is_over)(void *data), void *data, const char *what);

GDBusConnection *bus_world_connect(BusWorld *bw);

/* @type: the answer's, NULL for any. */
GVariant *bus_world_call(GDBusConnection *connection, const char *path, const char *interface, const char *method,
			 GVariant *args, const char *type, GError **error);
/* Of org.svcd1.Manager, and it must work. */
GVariant *bus_world_manager(GDBusConnection *connection, const char *method, GVariant *args, const char *type);

/* The value of a property, which must be there. */
GVariant *bus_world_property(GDBusConnection *connection, const char *path, const char *interface, const char *name);

/* The name of the D-Bus error that this call ends with, and its sentence: "NAME: SENTENCE"; a new string. */
char *bus_world_refusal(GDBusConnection *connection, const char *path, const char *interface, const char *method,
			GVariant *args);

/**
 * bus_world_svcctl() - run svcctl while the world goes on
 * @line:    its arguments, split at blanks
 * @ret_out: standard output and error, new strings; may be NULL
 * Returns: its exit code.
 */
int bus_world_svcctl(BusWorld *bw, const char *line, char **ret_out, char **ret_err);

/* The same in two steps. */
typedef struct Run Run;
Run *bus_world_svcctl_begin(BusWorld *bw, const char *line);
int bus_world_svcctl_end(Run *run, char **ret_out, char **ret_err);

/* Only begun; @fd becomes its standard output and is taken. The caller ends it. */
GSubprocess *bus_world_svcctl_launch(BusWorld *bw, const char *line, int fd);

/**
 * bus_world_svcctl_terminal() - the same with a terminal of 60 columns
 * @environment: "NAME=VALUE" pairs with blanks between, besides TERM=xterm
 * Returns: what was shown on the terminal, a new string.
 */
char *bus_world_svcctl_terminal(BusWorld *bw, const char *line, const char *environment);

#endif
