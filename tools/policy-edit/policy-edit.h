/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Policy edit: changes to the admin's files. Each change is checked as a whole before a byte is
 * written. It is written so that a power cut leaves the old or the new text of each file. The
 * history numbers the changes, and each can be undone.
 *
 * This library works on a running machine and below --root. It does not notify svcd; the caller
 * lets svcd read its files again.
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
/*
 * svcctl's drop-ins for service files are NAME.svc.d/90-svcctl.conf below /etc/svcd/services.d or
 * /run/svcd/services.d.
 */

/* The steps of the history. */
#define POLICY_EDIT_HISTORY SVCD_STATEDIR "/policy-history"
/* The file that policy_import_sysv() writes. */
#define POLICY_EDIT_SYSV_FILE "50-sysv-import.policy"

typedef struct Change Change;

/**
 * change_new() - an empty change
 * @root: "" for this machine
 * @until_reboot: write below /run/svcd, without history
 */
Change *change_new(const char *root, bool until_reboot);
/* For the files of "svcd --user"; without history. */
Change *change_new_user(bool until_reboot);
void change_free(Change *change);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Change, change_free)

/**
 * change_set_overlay() - load all files as if those of @overlay existed, too
 * (LoaderOptions.overlay)
 * @overlay: borrowed, must stay valid; NULL: only the files on disk
 */
void change_set_overlay(Change *change, GHashTable *overlay);

/* --- operations; all of them become one step of the history --- */

/*
 * Sets @key=@value in [service @service] of svcctl's policy file. NULL removes the key, and the
 * section with its last key.
 */
bool change_set_policy(Change *change, const char *service, const char *key, const char *value,
		       GError **error);
/* @service need not have a file yet. Its policy takes effect when the service exists. */
void change_expect_service(Change *change, const char *service);
/*
 * Sets @key of [Service] or [Conditions] in svcctl's drop-in for @service; NULL removes it. For a
 * list, the second value in one change adds a line. A key of policy is refused, and the error names
 * the right command.
 */
bool change_set_override(Change *change, const char *service, const char *key, const char *value,
			 GError **error);
/*
 * Removes all of svcctl's entries about @service: its section in svcctl's policy file, and the
 * drop-in.
 */
bool change_revert(Change *change, const char *service, GError **error);
/*
 * Replaces a whole file, relative to root; NULL removes it ("edit", "import --sysv"). Refused
 * outside of policy.d and services.d.
 */
bool change_set_file(Change *change, const char *path, const char *text, GError **error);

/**
 * policy_import_sysv() - the links in /etc/rcN.d and the inittab of a SysV init, as policy
 * @diags: scripts without a service; reported, and listed in the file
 *
 * Writes one whole file: [runlevel N] Activate=... for N of 1 to 5 and S, and Activate=-... where
 * the vendor's policy wants a service that the links of that runlevel do not start. A repetition
 * changes nothing unless the links have changed.
 */
bool policy_import_sysv(Change *change, DiagList *diags, GError **error);

/* Declines the import with a comment in the same file, so that it is not offered again. */
bool policy_decline_sysv(Change *change, GError **error);

/*
 * Are there rcN.d links of a SysV init that start a service, and is the admin's policy.d still
 * empty? Then an import is offered.
 */
bool policy_sysv_is_offered(const char *root);

/*
 * This file in /run/svcd/generated exists if the import was offered on the console in this boot,
 * and the admin has not decided yet.
 */
#define POLICY_EDIT_SYSV_OFFERED "sysv-import.offer"

/* The sentence of the offer. */
#define POLICY_EDIT_SYSV_OFFER                                                              \
	"the links in /etc/rc?.d name services that policy does not know; to import them: " \
	"svcctl import --sysv (or, to stop this message: svcctl import --sysv --none)"

/* --- preview --- */

/* Is the result the same as the files on disk? */
bool change_is_empty(const Change *change);
/**
 * change_preview() - the configuration after the change
 * Returns: a new Configuration, loaded with the changed files in place of those on disk.
 * *@ret_new_errors (a new DiagList, never NULL) contains the errors that are new. It also contains
 * each service that the change names, if it neither exists nor is expected. For a file in which the
 * change sets keys it contains all errors, because a file with an error is not in force.
 */
Configuration *change_preview(const Change *change, const char *kernel_cmdline,
			      DiagList **ret_new_errors);

/* --- writing --- */

typedef struct ChangeAuthor {
	uid_t uid;
	const char *command; /* "svcctl set ssh never", for the history */
} ChangeAuthor;

/**
 * change_apply() - write all files durably, and record the step
 * @ret_number: the number of the step in the history; 0 for a change until reboot, if nothing is
 * different, or if the history cannot be written
 *
 * Changes that others have made in the same files meanwhile are kept, and so are mode and owner of
 * the files. A new drop-in can be read by the users who can read all files of its service. A
 * removed file that undo restores gets its earlier mode and owner. There is one writer at a time;
 * the function waits some seconds for others (then BUSY).
 * Returns: false if nothing was written (INVALID_CONFIGURATION: it would cause a new error, which
 * is in @error).
 */
bool change_apply(Change *change, const ChangeAuthor *author, uint64_t *ret_number, GError **error);

/*
 * After change_apply(): a sentence that explains why the change cannot be undone (/var is
 * read-only); else NULL. Borrowed.
 */
const char *change_warning(const Change *change);

/**
 * policy_save_last_good() - keep copies of the admin's policy and service files that have no errors
 *
 * @bundle: the files as they were received; NULL: those on the disk
 *
 * The copies of a policy file or service with an error stay as they are.
 * Returns: false with @error if a copy cannot be written.
 */
bool policy_save_last_good(const char *root, Bundle *bundle, GError **error);

/* --- history --- */

typedef struct HistoryStep {
	uint64_t number;
	int64_t at_us; /* CLOCK_REALTIME */
	uid_t uid;
	char *command;
	char **paths; /* relative to root */
	uint64_t undoes; /* the step that this one undid, 0: none */
	GPtrArray *files; /* for history.c */
} HistoryStep;

void history_step_free(HistoryStep *step);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(HistoryStep, history_step_free)
/*
 * The newest first; HistoryStep *, a new array. Unreadable steps are left out and reported. The
 * newest step is also reported if not all of its files were written. NULL with @error
 * (NOT_AUTHORIZED: only root may read it, because it contains earlier texts of files).
 */
GPtrArray *history_list(const char *root, DiagList *diags, GError **error);
/*
 * Restores the files as they were before step @number (0: the newest that is in effect and not
 * undone). Refused, with the file's name, if a file has been changed since. The result is a Change
 * that is not applied yet.
 */
Change *history_undo(const char *root, uint64_t number, GError **error);

/* The step that @change undoes, 0: none. */
uint64_t change_undoes(const Change *change);

#endif
