/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * FD store: keeps a note for each service, and named descriptors, for the next manager. PID 1 does
 * not look into them (docs/keeper.md).
 *
 * Disposal: the last close of a descriptor that a process of a service could have touched. Such a
 * close(2) can wait for ever: for the mutex of a pipe, for a peer that acknowledges nothing
 * (SO_LINGER), for a dead file system. So PID 1 closes its own copy first, and a child that may
 * hang makes the last close.
 */
#ifndef SVCD_KEEPER_FD_STORE_H
#define SVCD_KEEPER_FD_STORE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

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
 * fd_store_keep() - hold @fd under @name; an older descriptor of this name is disposed of
 * @fd: taken, also on failure
 * Returns: 0, EINVAL or ENOSPC.
 */
int fd_store_keep(const char *name, int fd);

/* Disposes of the descriptor @name, if there is one. */
void fd_store_forget(const char *name);

/* Closes the descriptor @name. The manager has made sure that close(2) cannot wait. */
void fd_store_close_ended(const char *name);

/*
 * Return a descriptor, or -1. fd_store_at() returns the descriptor of row @n, for walks over all
 * rows.
 */
int fd_store_find(const char *name);
int fd_store_at(unsigned int n, const char **ret_name);

/*
 * Sets whether execve(2) closes the kept descriptors, and those that no child could take for
 * disposal. The latter must stay open over a re-execution, because closing them could hang. Removes
 * a kept descriptor that is not open, because it could not be sent to a manager.
 */
void fd_store_set_cloexec(bool cloexec);

/* Disposes of all descriptors: there will be no other manager. */
void fd_store_close(void);

/**
 * fd_store_resume() - take over the rows of an older image, notes and descriptors
 * @is_trial: descriptors are not checked, because this process does not have them
 *
 * Returns: the number of unsound rows, which are dropped.
 */
unsigned int fd_store_resume(bool is_trial);

/* Takes @fd. It is closed at the end of this turn of the loop, or later. */
void disposal_add(int fd);

/* Takes @fd while its sender still has a copy. disposal_release() then adds it. */
void disposal_hold(int fd);
void disposal_release(void);

/* Starts a child for the list, if one is due. */
void disposal_tick(uint64_t now_us);
uint64_t disposal_next_us(void);

/* Starts a child at once, because PID 1 is about to shut down the machine or to execute itself. */
void disposal_now(void);

/* Closes all descriptors of this process, except those of the console. */
void disposal_of_everything(void);

/* Must be called when a child was reaped. */
void disposal_on_exit(pid_t pid);

#endif
