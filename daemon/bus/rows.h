/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rows: interfaces as tables. Each method and each property is one row. A test checks that rows and
 * XML declare the same.
 */
#ifndef SVCD_BUS_ROWS_H
#define SVCD_BUS_ROWS_H

#include <dbus/dbus.h>
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "bus/bus-ops.h"

/*
 * The right that a method needs. All except ACCESS_READ and ACCESS_LISTEN are actions of polkit
 * (org.svcd1.policy). Root has all of these rights.
 */
typedef enum Access {
	ACCESS_READ, /* every client has it */
	ACCESS_CONTROL, /* services and flags */
	/* one service: operators of the service have it (operate.h); others need ACCESS_CONTROL */
	ACCESS_OPERATE,
	ACCESS_LOG, /* the output of a service: its operators have it, too */
	/* a flag: the owner of its bus name has it; a flag without one needs ACCESS_CONTROL */
	ACCESS_FLAG,
	/* a condition that no service uses, such as a file that only root may see */
	ACCESS_WATCH,
	/*
	 * a condition in ListConditions: every client may watch it, and svcd remembers the client;
	 * no row contains this value
	 */
	ACCESS_LISTEN,
	ACCESS_POWER, /* the machine as a whole */
	ACCESS_CONFIGURE, /* files, and svcd itself */
	ACCESS_POLICY, /* policy: the services that the machine runs */
} Access;

/* Why a client that is not the owner may make a call. */
typedef enum Grant {
	GRANT_NONE,
	/* polkit allows it with all consequences, or the client owns the flag's bus name */
	GRANT_CALL,
	/* the client operates all that the call may end; checked again after CheckCommand= */
	GRANT_OPERATOR,
} Grant;

typedef struct BusClient BusClient;

/*
 * A client. The transport embeds this struct, and calls conditions_forget_client() when the client
 * leaves.
 */
struct BusClient {
	/* never blocks; does not take @message */
	void (*send)(BusClient *client, DBusMessage *message);
	const char *name; /* the unique name on the system bus; NULL on the private socket */
	const GArray *groups; /* gid_t: the groups of its user; NULL: not known */
	Requester requester; /* not known for a read on the system bus */
	bool is_subscribed;
	bool is_owner; /* root, or the owner of this svcd: may do and see everything */
	Grant grant; /* of the present call; GRANT_NONE on the private socket */
};

typedef struct BusCall {
	Bus *bus;
	const Engine *engine;
	BusClient *client;
	DBusMessage *message; /* its signature matches the row */
	bool is_checked; /* CheckCommand= succeeded; this is the second dispatch */
	bool is_promised; /* set by a handler that answers later (answers.h) */
} BusCall;

typedef struct MethodRow {
	const char *name;
	const char *in; /* signatures */
	const char *out;
	Access access;
	/*
	 * Reads the arguments and appends the answer to @out. After a failure the appended values
	 * are dropped.
	 */
	bool (*handle)(BusCall *call, DBusMessageIter *out, GError **error);
} MethodRow;

/* The source of a property's value. */
typedef struct PropertyContext {
	Bus *bus;
	const Engine *engine;
	const Service *service; /* NULL unless the object is a service */
	int64_t now_us;
} PropertyContext;

enum PropertyFlags {
	PROPERTY_CONST = 1 << 0, /* never changes; also declared in the XML */
	PROPERTY_SILENT = 1 << 1, /* EmitsChangedSignal is false */
	PROPERTY_LISTED = 1 << 2, /* in ListServices */
	/* reads every service; not in GetManagedObjects, which does that already */
	PROPERTY_COSTLY = 1 << 3,
};

/* One of @text, @number and @append is set. @type selects the encoding for @text and @number. */
typedef struct PropertyRow {
	const char *name;
	const char *type;
	unsigned flags;
	const char *(*text)(const PropertyContext *context); /* "s" */
	uint64_t (*number)(const PropertyContext *context); /* "b", "u", "t" */
	void (*append)(const PropertyContext *context, DBusMessageIter *out);
} PropertyRow;

typedef struct Interface {
	const char *name;
	const char *xml; /* the element for Introspect */
	const MethodRow *methods;
	unsigned n_methods;
	const PropertyRow *properties;
	unsigned n_properties;
} Interface;

extern const Interface interface_manager;
extern const Interface interface_service;
extern const Interface interface_boot;
extern const Interface interface_services;
extern const Interface interface_object_manager;
extern const Interface interface_introspectable;
extern const Interface interface_peer;
extern const Interface interface_properties;

#endif
