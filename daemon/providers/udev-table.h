/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Udev table: the devices that are known, and the conditions that are asked for. Plain data: who feeds it (providers/udev.c)
 * knows libudev, this does not.
 *
 * Nothing is reported while devices are being put in: udev_table_settle() reports what has changed by then. So a label that
 * moves from one device to another within a batch or a listing is never seen to be gone.
 */
#ifndef SVCD_PROVIDERS_UDEV_TABLE_H
#define SVCD_PROVIDERS_UDEV_TABLE_H

#include <glib.h>
#include <stdbool.h>

#include "providers/provider.h"
#include "providers/udev-record.h"

/* Why a level is unknown. */
#define UDEV_TABLE_BEING_LISTED "the devices are being listed"

typedef struct UdevTable UdevTable;

UdevTable *udev_table_new(const ProviderSink *sink);
void udev_table_free(UdevTable *table); /* NULL is nothing */

/* --- conditions; @key is interned --- */

/* Takes @match. Reports the present level, again if it was there already. */
void udev_table_add(UdevTable *table, const char *key, UdevMatch *match);
/*
 * To be called before @key is added: until the next udev_table_end_waiting() it is unknown rather than absent, because its devices are
 * being listed.
 */
void udev_table_await(UdevTable *table, const char *key);
void udev_table_end_waiting(UdevTable *table);
/* Returns: what was added, now the caller's; NULL if it was not. */
UdevMatch *udev_table_remove(UdevTable *table, const char *key);
const UdevMatch *udev_table_match(const UdevTable *table, const char *key); /* NULL if not added */

/* --- devices --- */

/* This device is so now, whatever was known of it. Takes @record; one that is not ready is as good as gone. */
void udev_table_put(UdevTable *table, UdevRecord *record);
void udev_table_drop(UdevTable *table, const char *syspath);

/* It is there, as far as a listing goes, and stays as it is known. */
void udev_table_keep(UdevTable *table, const char *syspath);

/* What is put between the two is all there is: the others of @subsystem (NULL: of all) are dropped. */
void udev_table_begin_listing(UdevTable *table);
void udev_table_end_listing(UdevTable *table, const char *subsystem);

/* Forget the devices that are of none of these subsystems: nobody asks for them any longer. */
void udev_table_retain(UdevTable *table, GHashTable *subsystems);

/**
 * udev_table_set_live() - does the table hold all there is?
 * @why_not: NULL when it does; otherwise why what is not in the table is unknown rather than absent. A literal or interned.
 */
void udev_table_set_live(UdevTable *table, const char *why_not);

/* Report whatever differs from what was reported last. */
void udev_table_settle(UdevTable *table);

/* --- questions --- */

const UdevRecord *udev_table_record(const UdevTable *table, const char *syspath); /* NULL: not known */

/* What there is instead, "labels present: EFI, ROOT"; a new string, or NULL when @key was not added. */
char *udev_table_describe(const UdevTable *table, const char *key);
/* The devices of a subsystem (NULL: all) in the order of their names in /sys; borrowed. */
GPtrArray *udev_table_records(const UdevTable *table, const char *subsystem);

#endif
