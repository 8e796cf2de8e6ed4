/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * FD store: the manager's memory, held while it is away: a note for each service, and descriptors under names.
 *
 * Nothing here is looked into. What belongs where is docs/keeper.md; the limits are the protocol's.
 */
#ifndef SVCD_KEEPER_FD_STORE_H
#define SVCD_KEEPER_FD_STORE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * note_set() - replace the note of @service; an empty @text forgets it
 * Returns: 0, EINVAL for an impossible name, E2BIG for a text without an end, ENOSPC at the limit.
 */
int note_set(const char *service, const char *text);

/* Returns: the text, or NULL. */
const char *note_find(const char *service);

/* Of row @n of the table, for walks over all. Returns: the text, or NULL. */
const char *note_at(unsigned int n, const char **ret_service);

/**
 * fd_store_keep() - hold @fd under @name; one that was held there is disposed of (disposal.h)
 *
 * Takes @fd, also on failure (it is disposed of then). Returns: 0, EINVAL, ENOSPC.
 */
int fd_store_keep(const char *name, int fd);

/* Disposes of what is held under @name, if anything. */
void fd_store_forget(const char *name);

/* Closes what is held under @name, if anything. The manager has made sure that close(2) cannot wait. */
void fd_store_close_ended(const char *name);

/* Returns: the descriptor, or -1. */
int fd_store_find(const char *name);

/* Of row @n of the table, for walks over all. Returns: the descriptor, or -1. */
int fd_store_at(unsigned int n, const char **ret_name);

/* Marks all held descriptors as surviving execve(2), or not; forgets one that is not open, which no manager could be told of. */
void fd_store_set_cloexec(bool cloexec);

/* Disposes of all that is held: there will be no manager any more. */
void fd_store_close(void);

/**
 * fd_store_resume() - take over the rows of an older image, notes and descriptors
 * @is_trial:  descriptors are not looked at: this process does not have them
 *
 * Returns: how many made no sense, and are dropped.
 */
unsigned int fd_store_resume(bool is_trial);

#endif
