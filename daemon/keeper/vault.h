/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vault: the manager's memory, held while it is away: a note per service, and descriptors under names.
 *
 * Nothing here is looked into. What belongs where is docs/keeper.md; the limits are the protocol's.
 */
#ifndef SVCD_KEEPER_VAULT_H
#define SVCD_KEEPER_VAULT_H

#include <stdbool.h>
#include <stdint.h>

#include "keeper/names.h"

/**
 * vault_set_note() - replace the note of @service; an empty @note forgets it
 * Returns: 0, EINVAL for an impossible name, E2BIG for a note without an end, ENOSPC at the limit.
 */
int vault_set_note(const char *service, const char *note);

/* Returns: the note that belongs to a name, or NULL. */
const char *vault_note(NameId id);

/**
 * vault_keep() - hold @fd under @name; one that was held there is disposed of (disposal.h)
 *
 * Takes @fd, also on failure (it is disposed of then). Returns: 0, EINVAL, ENOSPC.
 */
int vault_keep(const char *name, int fd);

/* Disposes of what is held under @name, if anything. */
void vault_forget(const char *name);

/* Closes what is held under @name, if anything. The manager has made sure that close(2) cannot wait. */
void vault_close_ended(const char *name);

/* Returns: the descriptor held under a name, or -1. */
int vault_fd(NameId id);

uint32_t vault_n_notes(void);
uint32_t vault_n_fds(void);

/* Marks all held descriptors as surviving execve(2), or not; forgets one that is not open, which no manager could be told of. */
void vault_set_cloexec(bool cloexec);

/* Disposes of all that is held: there will be no manager any more. */
void vault_close(void);

#endif
