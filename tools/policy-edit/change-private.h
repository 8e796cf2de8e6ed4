/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Change, inside: for code that makes a change other than by keys (undo, import).
 */
#ifndef SVCD_CHANGE_PRIVATE_H
#define SVCD_CHANGE_PRIVATE_H

#include "policy-edit/durable.h"
#include "policy-edit/policy-edit.h"

#define POLICY_EDIT_LOCK_NAME "policy.lock"
#define POLICY_EDIT_LOCK "/run/svcd/" POLICY_EDIT_LOCK_NAME

/* The root and the rules for reading and writing files. */
const Durable *change_durable(const Change *change);

/* Files that count as present although they are not on disk, or NULL. */
GHashTable *change_overlay(const Change *change);

/* policy.d/NAME of the layer that the change writes to, a new string. */
char *change_policy_path(const Change *change, const char *name);

/*
 * A whole file of any bytes, NULL: removed. @expected must still be its contents when it is
 * written. A new file gets @if_new; NULL: the default access.
 */
bool change_write(Change *change, const char *path, GBytes *text, GBytes *expected, const FileAccess *if_new,
		  GError **error);

/* The step that it undoes. */
void change_set_undoes(Change *change, uint64_t number);

/* As diff -u, with @path in both headings; empty if they are equal. NULL: no such file. */
void diff_append(GString *out, const char *path, GBytes *before, GBytes *after);

#endif
