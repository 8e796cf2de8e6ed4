/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * FD store: what the manager leaves in PID 1 while it is away: a note for each service, and named
 * descriptors.
 *
 * PID 1 looks into none of them. docs/keeper.md lists their contents; the protocol sets the limits.
 */
#ifndef SVCD_KEEPER_FD_STORE_H
#define SVCD_KEEPER_FD_STORE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * note_set() - replace the note of @service; an empty @text removes it
 * Returns: 0, EINVAL for an impossible name, E2BIG for a text without an end, ENOSPC at the limit.
 */
int note_set(const char *service, const char *text);

/* Returns: the text, or NULL. */
const char *note_find(const char *service);

/* For walks over all rows of the table. Returns: the text of row @n, or NULL. */
const char *note_at(unsigned int n, const char **ret_service);

/**
 * fd_store_keep() - hold @fd under @name; an older one is closed by disposal.c
 *
 * Takes @fd, also on failure. Returns: 0, EINVAL, ENOSPC.
 */
int fd_store_keep(const char *name, int fd);

/* Gives the descriptor @name to disposal.c, if there is one. */
void fd_store_forget(const char *name);

/*
 * Closes the descriptor @name, if there is one. The manager has made sure that close(2) cannot
 * wait.
 */
void fd_store_close_ended(const char *name);

/* Returns: the descriptor, or -1. */
int fd_store_find(const char *name);

/* For walks over all rows of the table. Returns: the descriptor of row @n, or -1. */
int fd_store_at(unsigned int n, const char **ret_name);

/*
 * Sets whether execve(2) closes the descriptors. Removes one that is not open, because it could not
 * be sent to a manager.
 */
void fd_store_set_cloexec(bool cloexec);

/* Gives all descriptors to disposal.c: there will be no other manager. */
void fd_store_close(void);

/**
 * fd_store_resume() - take over the rows of an older image, notes and descriptors
 * @is_trial: descriptors are not checked, because this process does not have them
 *
 * Returns: the number of unsound rows, which are dropped.
 */
unsigned int fd_store_resume(bool is_trial);

#endif
