/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Change, inside: for those who make one other than by keys (undo, import).
 */
#ifndef SVCD_CHANGE_PRIVATE_H
#define SVCD_CHANGE_PRIVATE_H

#include "policy-edit/durable.h"
#include "policy-edit/policy-edit.h"

#define POLICY_EDIT_LOCK_NAME "policy.lock"
#define POLICY_EDIT_LOCK "/run/svcd/" POLICY_EDIT_LOCK_NAME

/* Where a file is read and written. */
const Durable *change_durable(const Change *change);

/* What is there though it is on no disk, or NULL. */
GHashTable *change_overlay(const Change *change);

/* policy.d/NAME of the layer that the change is for, a new string. */
char *change_policy_path(const Change *change, const char *name);

/* A whole file of any bytes, NULL: none; @expected is what must be there until then. If nothing is, it gets @if_new; NULL:
 * what new files get. */
bool change_write(Change *change, const char *path, GBytes *text, GBytes *expected, const FileAccess *if_new,
		  GError **error);

/* The step that it undoes. */
void change_set_undoes(Change *change, uint64_t number);

/* As diff -u, with @path in both headings; empty if they are equal. NULL: no such file. */
void diff_append(GString *out, const char *path, GBytes *before, GBytes *after);

#endif
