/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Saved boot: the record of one boot, as JSON in /var/lib/svcd/boots/NUMBER.json, and the files
 * with the records of the last boots. NUMBER.logs is the directory with its logs (boot-logs.h) and
 * changes (boot-changes.h). docs/boots.md describes the members.
 *
 * Times with "_us" are microseconds since the start of PID 1; 0: that point was not reached.
 */
#ifndef SVCD_SVCCTL_SAVED_BOOT_H
#define SVCD_SVCCTL_SAVED_BOOT_H

#include <json-glib/json-glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "svcctl/boot-times.h"

/* Older records are removed beyond either limit. The second one includes the logs. */
#define BOOTS_KEPT 20
#define BOOTS_BYTES (8 * 1024 * 1024)

typedef struct SavedBoot {
	unsigned number;
	JsonObject *object; /* owned, like @times */
	BootTimes *times;
	GHashTable *services; /* name -> its JsonObject */
} SavedBoot;

/**
 * saved_boot_new() - check the members that the functions below use
 * @object: taken
 * Returns: NULL with @error if a service has no name.
 */
SavedBoot *saved_boot_new(JsonObject *object, unsigned number, GError **error);
void saved_boot_free(SavedBoot *boot);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SavedBoot, saved_boot_free)

/*
 * A member of the object @group, or of the record itself if @group is NULL; 0 or "" if it is
 * missing.
 */
int64_t saved_boot_int(const SavedBoot *boot, const char *group, const char *member);
const char *saved_boot_text(const SavedBoot *boot, const char *group, const char *member);
/* The strings of the array @member; empty if it is missing. @object may be NULL. A new strv. */
char **saved_boot_strings(JsonObject *object, const char *member);
/* A number of a service; 0: not known. */
int64_t saved_boot_of_service(const SavedBoot *boot, const char *name, const char *member);
/* Firmware, kernel and svcd until the end of the boot. */
int64_t saved_boot_total(const SavedBoot *boot);

/* A stop of this length is shown with the shutdown of its boot. */
#define SAVED_STOP_SLOW_US G_USEC_PER_SEC

/* The stop of a service during the shutdown. Texts are borrowed from the record. */
typedef struct SavedStop {
	const char *name;
	int64_t from_us; /* since the request */
	int64_t took_us;
	bool is_stopped; /* false: it was still stopping when the record ended */
	/* it is one of the stops that the shutdown waited for, one after the other */
	bool is_in_chain;
	const char *waited_for; /* the last one that had to stop before it; "": none */
} SavedStop;

/*
 * The stops that took at least @least_us, in order of their beginning; a new array of SavedStop *.
 */
GPtrArray *saved_boot_stops(const SavedBoot *boot, int64_t least_us);

/*
 * The shortest possible duration of a boot with the same work on this machine, up to its end or to
 * the login screen.
 */
typedef struct BootBound {
	int64_t took_us; /* from the start of PID 1 */
	int64_t cpu_us; /* of the services */
	int64_t chain_us; /* the longest chain of starts without their waiting */
	int64_t bound_us; /* the larger of the CPU time per processor and the chain */
} BootBound;

/**
 * saved_boot_bound() - compare the boot with the ideal one
 * @is_login: only the services that the login screen needs
 * Returns: false if the login screen was not shown, or nothing was measured.
 */
bool saved_boot_bound(const SavedBoot *boot, bool is_login, BootBound *ret);
/* "5.2 s (1.75 of the ideal 3.0 s)"; a new string. */
char *boot_bound_text(const BootBound *bound);

/* --- the files --- */

/* /var/lib/svcd/boots, or $SVCD_BOOTS_DIRECTORY */
const char *boots_directory(void);
/* The numbers of the records, ascending; a new array of unsigned. */
GArray *boots_list(const char *directory);
/* NULL with @error if there is no such record, or it is not valid. */
SavedBoot *boots_load(const char *directory, unsigned number, GError **error);
/* The newest valid record; NULL: there is none. */
SavedBoot *boots_load_last(const char *directory);
/**
 * boots_save() - write a record, or replace it, and remove the oldest ones
 *
 * Only one process writes at a time.
 */
bool boots_save(const char *directory, unsigned number, JsonObject *object, GError **error);
/* The path of a record, and of the directory with its logs; a new string. */
char *boots_path(const char *directory, unsigned number);
char *boots_logs(const char *directory, unsigned number);
/* Removes the oldest logs and records beyond the limits. */
void boots_prune(const char *directory);
void boots_remove_logs(const char *directory, unsigned number);

#endif
