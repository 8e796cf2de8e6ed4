/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Units: the systemd units of a machine as services.
 *
 * This is the interface of the component. It reads the directories of systemd.unit(5) below a root
 * and runs nothing. unit-compat/README.md describes which units are read.
 */
#ifndef SVCD_UNIT_COMPAT_UNITS_H
#define SVCD_UNIT_COMPAT_UNITS_H

#include <glib.h>
#include <stdbool.h>

#include "base/diag.h"
#include "unit-compat/import-result.h"
#include "unit-compat/unit-tree.h"
#include "unit-compat/weights.h"

typedef enum UnitFate {
	UNIT_READ, /* it is a service */
	UNIT_REPLACED, /* a service file or another unit does its work */
	UNIT_OWN, /* svcd does its work: own-units.h */
	UNIT_MASKED, /* by a link to /dev/null or an empty file in /etc or /run */
	UNIT_REFUSED, /* svcd cannot run it as written; a script may take its place */
} UnitFate;

/* A line without an equivalent. */
typedef struct UnitLoss {
	Origin origin;
	char *setting; /* "KEY=VALUE" */
	char *note;
	UnitWeight weight;
} UnitLoss;

/* A service unit: a file, a template, or an instance with files of its own. */
typedef struct Unit {
	char *name; /* "ssh.service" */
	char *path; /* below the root */
	UnitFate fate;
	char *service; /* the service that does its work, or that it would be; "getty@" */
	char *reason; /* of UNIT_OWN and UNIT_REFUSED, one sentence with file and line */
	GPtrArray *losses; /* UnitLoss *, sorted by weight */
	Import *import; /* of UNIT_READ and UNIT_REFUSED, or NULL */
	char *program; /* of a daemon; NULL: unknown, or the program of many services */
	bool has_install; /* the unit or its socket has an [Install] section */
	bool has_socket; /* a socket is part of the service */
	bool has_admins_drop_in;
} Unit;

/* The services with a file of their own, without those made from units and scripts. */
typedef struct UnitNatives {
	/* Returns: the name of the service with this name or alias; NULL: there is none. */
	const char *(*find)(const void *data, const char *name);
	/* The same for the service that runs this program. */
	const char *(*find_program)(const void *data, const char *program);
	const void *data;
} UnitNatives;

typedef struct Units {
	UnitTree *tree;
	GPtrArray *list; /* Unit *, sorted by name */
	GHashTable *by_name; /* "ssh.service" -> Unit *, also by aliases */
	GHashTable *by_service; /* "ssh" -> Unit *, of those that are read */
	GHashTable *sockets; /* "ssh.socket" -> the name of its service unit */
} Units;

/**
 * units_read() - all service units below @root, with their drop-ins and sockets
 * @root: "" or "/": the machine itself; symbolic links do not lead out of it
 * @natives: borrowed during the call
 */
Units *units_read(const char *root, const UnitNatives *natives);
void units_free(Units *units);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Units, units_free)

/* @name: "ssh", "ssh.service", an alias, or an instance. Returns: NULL if there is no such unit. */
const Unit *units_find(const Units *units, const char *name);

/*
 * The service made from the unit that is called @name, or has it as an alias, also in [Install];
 * NULL: there is none, or the unit is not read.
 */
const char *units_service(const Units *units, const char *name);

/* Is it the same path? /sbin and /usr/sbin are one directory. */
bool units_is_same_program(const char *a, const char *b);

/* The service made from the unit whose daemon is @program; NULL: there is none. */
const char *units_service_of_program(const Units *units, const char *program);

#endif
