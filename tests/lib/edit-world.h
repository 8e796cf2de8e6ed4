/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Edit world: a machine with three services, for policy changes and their undo.
 */
#ifndef SVCD_TESTS_LIB_EDIT_WORLD_H
#define SVCD_TESTS_LIB_EDIT_WORLD_H

#include "policy-edit/ini-edit.h"
#include "policy-edit/policy-edit.h"
#include "tests/lib/tree.h"

#define HEAD INI_EDIT_HEAD
#define VENDOR SVCD_LIBDIR "/services.d/"
#define PLAIN "[Service]\nExec=/bin/x\n"
#define DROP_IN SVCD_SYSCONFDIR "/services.d/ssh.svc.d/90-svcctl.conf"

/* Uid 1000, "svcctl set ssh never". */
extern const ChangeAuthor edit_author;

/* ssh, cron and the template getty@, each with the text PLAIN. */
Tree *edit_machine(void);

/* Applies the change, which must succeed. Returns: the number of its step. */
uint64_t edit_apply(Change *change);
/* Sets one key of a service's policy; NULL removes it. Returns: as edit_apply(). */
uint64_t edit_set(const Tree *tree, const char *service, const char *key, const char *value);
/* Undoes step @number, 0: the last. Returns: the number of the new step. */
uint64_t edit_undo(const Tree *tree, uint64_t number);

/* NULL: no such file. */
void edit_expect_file(const Tree *tree, const char *path, const char *expected);
/* The message is compared without the root; *@error is cleared. */
void edit_expect_error(const Tree *tree, GError **error, const char *expected);

#endif
