/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Policy edit: changes to the files that belong to the admin. Each change is checked as a whole before a byte is written,
 * written so that a power cut leaves the old or the new, and kept in a numbered history that can be undone.
 *
 * Works on a running machine and below --root alike; tells nobody: who calls it lets svcd read its files again.
 */
#ifndef SVCD_POLICY_EDIT_H
#define SVCD_POLICY_EDIT_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/diag.h"
#include "config/loader.h"

#define POLICY_EDIT_FILE_NAME "90-svcctl.policy"
#define POLICY_EDIT_FILE SVCD_SYSCONFDIR "/policy.d/90-svcctl.policy"
#define POLICY_EDIT_FILE_UNTIL_REBOOT "/run/svcd/policy.d/90-svcctl.policy"
/* Drop-ins of "svcctl edit": NAME.svc.d/90-svcctl.conf below /etc/svcd/services.d or /run/svcd/services.d. */
#define POLICY_EDIT_HISTORY POLICY_HISTORY_DIRECTORY
/* What policy_import_sysv() writes. */
#define POLICY_EDIT_SYSV_FILE "50-sysv-import.policy"

typedef struct Change Change;

/**
 * change_new() - nothing yet
 * @root: "" for the machine itself
 * @until_reboot: write below /run/svcd, without history
 */
Change *change_new(const char *root, bool until_reboot);
/* In the user's own files, those of "svcd --user"; without history. */
Change *change_new_user(bool until_reboot);
void change_free(Change *change);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Change, change_free)

/**
 * change_set_overlay() - from now on look at all files as if these were there, too (LoaderOptions.overlay)
 * @overlay: borrowed, must stay; NULL: only what is on disk
 */
void change_set_overlay(Change *change, GHashTable *overlay);

/* --- what is to change; all of it goes into one step of the history --- */

/* [service @service] @key=@value in our policy file; NULL takes the key out, and the section with its last key. */
bool change_set_policy(Change *change, const char *service, const char *key, const char *value, GError **error);
/* The same in [SECTION], for [runlevel N] and [defaults]. Comments and lines that are not concerned stay as they are. */
bool change_set_section(Change *change, const char *section, const char *key, const char *value, GError **error);
/* @service may be one that no file describes yet: what policy says of it counts when there is one. */
void change_expect_service(Change *change, const char *service);
/* @key of [Service] or [Conditions] in our drop-in for @service; @value NULL takes it out. Of a list the second value in one
 * change is one more line. A key of policy is refused with the verb that is meant for it. */
bool change_set_override(Change *change, const char *service, const char *key, const char *value, GError **error);
/* Everything that we ever wrote about @service: its section in our policy file, and our drop-in. */
bool change_revert(Change *change, const char *service, GError **error);
/* A whole file, relative to root; NULL removes it ("edit", "import --sysv"). Refused outside of policy.d and services.d. */
bool change_set_file(Change *change, const char *path, const char *text, GError **error);

/**
 * policy_import_sysv() - what /etc/rcN.d and /etc/inittab of a SysV init start, as policy
 * @diags: scripts that no service stands for; told, and listed in the file
 *
 * One whole file, [runlevel N] Activate=... for N of 1 to 5 and S, and Activate=-... where the vendor's policy wants what
 * the links of that runlevel do not start. A second time nothing changes, unless the links have.
 */
bool policy_import_sysv(Change *change, DiagList *diags, GError **error);

/* In the same file, a comment that says no: the import is not offered again. */
bool policy_decline_sysv(Change *change, GError **error);

/* Has a SysV init's rcN.d links that start something, and the admin's policy.d no file yet? Then an import is offered. */
bool policy_sysv_is_offered(const char *root);

/* In /run/svcd/generated: it was offered on the console in this boot, and there was no answer yet. */
#define POLICY_EDIT_SYSV_OFFERED "sysv-import.offer"

/* The one sentence that offers it. */
#define POLICY_EDIT_SYSV_OFFER                                                                        \
	"the links in /etc/rc?.d started services, and its policy does not know them: " \
	"svcctl import --sysv (or, to hear no more of it: svcctl import --sysv --none)"

/* --- what would become of it --- */

/* Is anything different from what is on disk? */
bool change_is_empty(const Change *change);
/* As diff -u would show it; a new string. */
char *change_diff(const Change *change);
/**
 * change_preview() - everything the files would say
 * Returns: a new Configuration, loaded with the changed files in place of those on disk. What is wrong that was not wrong
 * before is in *@ret_new_errors (a new DiagList, never NULL); so is a service that the change names, nobody has and nobody expects, and
 * whatever else is wrong in a file of which it sets keys, for such a file counts for nothing.
 */
Configuration *change_preview(const Change *change, const char *kernel_cmdline, DiagList **ret_new_errors);

/* --- doing it --- */

typedef struct ChangeAuthor {
	uid_t uid;
	const char *command; /* "svcctl set ssh never", for the history */
} ChangeAuthor;

/**
 * change_apply() - write everything, durably, and remember it
 * @ret_number: of the step in the history; 0 until reboot, if nothing is different, and if the history cannot be written
 *
 * What others have changed in the same files since the keys were set here is kept, and so are mode and owner of the files. A
 * drop-in that is new can be read by those who can read all files of the service. What undo brings back is as it was.
 * One writer at a time, for others we
 * wait some seconds (then BUSY).
 * Returns: false when nothing was written (INVALID_CONFIGURATION: it would bring a new error, whose sentence is in @error).
 */
bool change_apply(Change *change, const ChangeAuthor *author, uint64_t *ret_number, GError **error);

/* After change_apply(): why it cannot be undone though it was done (/var read-only), a sentence; else NULL. Borrowed. */
const char *change_warning(const Change *change);

/**
 * policy_save_last_good() - keep copies of the admin's policy and service files that have no errors
 *
 * @bundle: the files as they were handed over; NULL: those on the disk
 *
 * The copies of a policy file or service with an error stay as they are.
 * Returns: false with @error if a copy cannot be written.
 */
bool policy_save_last_good(const char *root, Bundle *bundle, GError **error);

/* --- history --- */

typedef struct HistoryStep {
	uint64_t number;
	int64_t at_us;  /* CLOCK_REALTIME */
	uid_t uid;
	char *command;
	char **paths;   /* relative to root */
	uint64_t undoes; /* the step that this one undid, 0: none */
} HistoryStep;

void history_step_free(HistoryStep *step);
/* The newest first; HistoryStep *, a new array. Steps that cannot be read, or were not finished, are left out and told.
 * NULL with @error (NOT_AUTHORIZED: it is for root alone, since it holds what files once said). */
GPtrArray *history_list(const char *root, DiagList *diags, GError **error);
/**
 * history_end_begun() - end what a writer began who was stopped in between, as the next change does
 * @ret_ended: a sentence for each step that was begun, char *, a new array; empty: all is as it was
 *
 * All files of such a step are then the new or the old ones, unless somebody has changed one of them since: then they stay.
 */
bool history_end_begun(const char *root, GPtrArray **ret_ended, GError **error);

/* Puts back exactly what was there before @number (0: the newest that is not undone); refused if somebody has changed the
 * files since, with the file's name. A step that a power cut has left begun is ended first, if we may write. Not applied
 * yet: a Change like others. */
Change *history_undo(const char *root, uint64_t number, GError **error);

/* The step that @change puts back, 0: none. */
uint64_t change_undoes(const Change *change);

#endif
