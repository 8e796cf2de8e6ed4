/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rows: interfaces as tables. A method or a property is one row; a test compares the rows with the XML both ways.
 */
#ifndef SVCD_BUS_ROWS_H
#define SVCD_BUS_ROWS_H

#include <dbus/dbus.h>
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "bus/bus.h"

/* What a method needs. All but the first are actions of polkit (org.svcd1.policy), root has them all. */
typedef enum Access {
	ACCESS_READ,      /* everybody has it */
	ACCESS_CONTROL,   /* services and flags */
	ACCESS_OPERATE,   /* one service: its operators too (operate.h); others as ACCESS_CONTROL */
	ACCESS_FLAG,      /* a flag that belongs to a bus name: who owns that; others as ACCESS_CONTROL */
	ACCESS_WATCH,     /* a condition that no service uses: it could be a file that only root may see */
	ACCESS_LISTEN,    /* one that ListConditions shows: everybody has it, but the caller is remembered; in no row */
	ACCESS_POWER,     /* the machine as a whole */
	ACCESS_CONFIGURE, /* files, and svcd itself */
	ACCESS_POLICY,    /* what the machine wants */
} Access;

/* Why a caller that is not the owner may make a call. */
typedef enum Grant {
	GRANT_NONE,
	GRANT_CALL,     /* polkit allows it, whatever follows from it; or the caller owns the bus name of the flag */
	GRANT_OPERATOR, /* the caller operates all that the call may end: true for a moment, and looked at again after CheckCommand= */
} Grant;

typedef struct BusClient BusClient;

/* Somebody who calls and is told; the transport embeds it, and says when it leaves (conditions_forget_client()). */
struct BusClient {
	void (*send)(BusClient *client, DBusMessage *message); /* never waits; the message stays the caller's */
	const char *name;   /* unique, on the system bus; NULL on the private socket */
	const GArray *groups; /* gid_t: of which its user is a member; NULL: not known, or nobody has asked */
	Requester who;      /* of a read on the system bus: nobody has asked who it is */
	bool is_subscribed;
	bool is_owner;      /* the machine's root, or the user whose svcd this is: all is allowed, and all is shown */
	Grant grant;        /* of the call that is being carried out; never on the private socket */
};

typedef struct BusCall {
	Bus *bus;
	const Engine *engine;
	BusClient *client;
	DBusMessage *message; /* its signature has been checked against the row */
	bool is_checked;      /* CheckCommand= has had nothing against it; this is the second dispatch */
	bool is_promised;     /* set by a handler whose answer comes later (answers.h) */
} BusCall;

typedef struct MethodRow {
	const char *name;
	const char *in;  /* signatures */
	const char *out;
	Access access;
	/* Reads the arguments, appends the answer to @out. On failure what was appended is thrown away. */
	bool (*handle)(BusCall *call, DBusMessageIter *out, GError **error);
} MethodRow;

/* What a property is read from. */
typedef struct Subject {
	Bus *bus;
	const Engine *engine;
	const Service *service; /* NULL unless the object is a service */
	int64_t now_us;
} Subject;

enum PropertyFlags {
	PROPERTY_CONST = 1 << 0,  /* never changes; the XML says so too */
	PROPERTY_SILENT = 1 << 1, /* its changes are not told: EmitsChangedSignal false */
	PROPERTY_LISTED = 1 << 2, /* in ListServices */
	PROPERTY_COSTLY = 1 << 3, /* looks at every service: not in GetManagedObjects, which does that already */
};

/* One of @text, @number and @append is set; the type says how the value of the first two goes out. */
typedef struct PropertyRow {
	const char *name;
	const char *type;
	unsigned flags;
	const char *(*text)(const Subject *subject);    /* "s" */
	uint64_t (*number)(const Subject *subject);     /* "b", "u", "t" */
	void (*append)(const Subject *subject, DBusMessageIter *out);
} PropertyRow;

typedef struct Interface {
	const char *name;
	const char *xml; /* the element, for Introspect */
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
