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

#define POLICY_EDIT_FILE "/etc/svcd/policy.d/90-svcctl.policy"
#define POLICY_EDIT_FILE_UNTIL_REBOOT "/run/svcd/policy.d/90-svcctl.policy"
/* Drop-ins of "svcctl override": NAME.svc.d/90-svcctl.conf below /etc/svcd/services.d or /run/svcd/services.d. */
#define POLICY_EDIT_HISTORY "/var/lib/svcd/policy-history"

typedef struct Change Change;

/**
 * change_new() - nothing yet
 * @root: "" for the machine itself
 * @until_reboot: write below /run/svcd, without history
 */
Change *change_new(const char *root, bool until_reboot);
void change_free(Change *change);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Change, change_free)

/* --- what is to change; all of it goes into one step of the history --- */

/* [service @service] @key=@value in our policy file; NULL takes the key out, and the section with its last key. */
bool change_set_policy(Change *change, const char *service, const char *key, const char *value, GError **error);
/* The same in [SECTION], for [runlevel N] and [defaults]. Comments and lines that are not concerned stay as they are. */
bool change_set_section(Change *change, const char *section, const char *key, const char *value, GError **error);
/* @key of [Service] or [Conditions] in our drop-in for @service; @value NULL takes it out. A key of policy is refused with
 * the verb that is meant for it. */
bool change_set_override(Change *change, const char *service, const char *key, const char *value, GError **error);
/* Everything that we ever wrote about @service. */
bool change_revert(Change *change, const char *service, GError **error);
/* A whole file, relative to root; NULL removes it ("edit", "policy import"). */
bool change_set_file(Change *change, const char *path, const char *text, GError **error);

/* --- what would become of it --- */

/* Is anything different from what is on disk? */
bool change_is_empty(const Change *change);
/* As diff -u would show it; a new string. */
char *change_diff(const Change *change);
/**
 * change_preview() - everything the files would say
 * Returns: a new Configuration, loaded with the changed files in place of those on disk. What is wrong that was not wrong
 * before is in *@ret_new_errors (a new DiagList, never NULL).
 */
Configuration *change_preview(const Change *change, const char *kernel_cmdline, DiagList **ret_new_errors);

/* --- doing it --- */

typedef struct ChangeAuthor {
	uid_t uid;
	const char *command; /* "svcctl set ssh never", for the history */
} ChangeAuthor;

/**
 * change_apply() - write everything, durably, and remember it
 * @ret_number: of the step in the history; 0 until reboot
 * Returns: false when nothing was written (INVALID_CONFIGURATION: it would bring a new error, whose sentence is in @error).
 */
bool change_apply(Change *change, const ChangeAuthor *author, uint64_t *ret_number, GError **error);

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
/* The newest first; HistoryStep *, a new array. Steps that cannot be read are left out and told. */
GPtrArray *history_list(const char *root, DiagList *diags);
/* Puts back exactly what was there before @number (0: the newest that is not undone); refused if somebody has changed the
 * files since, with the file's name. Not applied yet: a Change like others. */
Change *history_undo(const char *root, uint64_t number, GError **error);

#endif
