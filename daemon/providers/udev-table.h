/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Udev table: the known devices, and the conditions in use. Plain data without libudev:
 * providers/udev.c feeds it.
 *
 * Nothing is reported while devices are put in. udev_table_settle() reports all changes since. So a
 * label that moves from one device to another within a batch or a listing never appears to be
 * missing.
 */
#ifndef SVCD_PROVIDERS_UDEV_TABLE_H
#define SVCD_PROVIDERS_UDEV_TABLE_H

#include <glib.h>
#include <stdbool.h>

#include "providers/provider.h"
#include "providers/udev-record.h"

/* The reason for an unknown level. */
#define UDEV_TABLE_BEING_LISTED "the devices are being listed"

typedef struct UdevTable UdevTable;

UdevTable *udev_table_new(const ProviderSink *sink);
void udev_table_free(UdevTable *table); /* NULL is allowed */

/* --- conditions; @key is interned --- */

/* Takes @match. Reports the present level, also if the key was already there. */
void udev_table_add(UdevTable *table, const char *key, UdevMatch *match);
/*
 * To be called before @key is added: until the next udev_table_end_waiting() a missing device is
 * unknown, not absent, because its devices are being listed.
 */
void udev_table_await(UdevTable *table, const char *key);
void udev_table_end_waiting(UdevTable *table);
/* Returns: the removed entry, now owned by the caller; NULL if there was nothing. */
UdevMatch *udev_table_remove(UdevTable *table, const char *key);
const UdevMatch *udev_table_match(const UdevTable *table, const char *key); /* NULL if not added */

/* --- devices --- */

/*
 * The present state of this device, which replaces the known one. Takes @record. A device that is
 * not ready counts as removed.
 */
void udev_table_put(UdevTable *table, UdevRecord *record);
void udev_table_drop(UdevTable *table, const char *syspath);

/* The listing contains the device, but it keeps its known state. */
void udev_table_keep(UdevTable *table, const char *syspath);

/*
 * The devices put between these two calls are complete: the others of @subsystem (NULL: of all) are
 * dropped.
 */
void udev_table_begin_listing(UdevTable *table);
void udev_table_end_listing(UdevTable *table, const char *subsystem);

/* Drops the devices of all other subsystems, because no condition uses them. */
void udev_table_retain(UdevTable *table, GHashTable *subsystems);

/**
 * udev_table_set_live() - is the table complete?
 * @why_not: NULL if it is; otherwise the reason why a missing device is unknown rather than absent.
 * A literal or interned.
 */
void udev_table_set_live(UdevTable *table, const char *why_not);

/* Reports all levels that differ from the last report. */
void udev_table_settle(UdevTable *table);

/* --- queries --- */

/* NULL: not known */
const UdevRecord *udev_table_record(const UdevTable *table, const char *syspath);

/*
 * The alternatives that exist, "labels present: EFI, ROOT"; a new string, or NULL if @key was not
 * added.
 */
char *udev_table_describe(const UdevTable *table, const char *key);
/* The devices of a subsystem (NULL: all) in the order of their names in /sys; borrowed. */
GPtrArray *udev_table_records(const UdevTable *table, const char *subsystem);

#endif
