/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Child slots: room for children that live in our memory until their exec, and need not be given a copy of it.
 *
 * That is what vfork(2) and posix_spawn(3) do, but for one thing: we do not wait for the exec, which may hang on a file system for ever. So a
 * child has a stack of its own, and a copy of its request, in a slot that nobody else uses until the kernel says that it is
 * free (CLONE_CHILD_CLEARTID: at the exec, or the end). It makes system calls and nothing else (become.c): libc has variables that
 * would be ours. When no slot is free, or it is not safe (child_slots_init(), child_slot_find()), a child gets a copy.
 */
#ifndef SVCD_KEEPER_CHILD_SLOT_H
#define SVCD_KEEPER_CHILD_SLOT_H

#include <stddef.h>
#include <sys/types.h>

#include "keeper/spawn.h"
#include "protocol/protocol.h"

struct clone_args;
struct ChildSlot;

/* Are there to be any? Once, when it is known where we are. */
void child_slots_init(void);

/* No more from now on: the kernel has no clone3(2) for us. */
void child_slots_disable(void);

/* A free slot, which stays free until something is cloned into it; NULL: none, or not for this one. */
struct ChildSlot *child_slot_find(const struct MessageSpawn *message);

/* A copy of @size bytes, at most PROTOCOL_MESSAGE_BYTES, that is there as long as the child needs it. */
const void *child_slot_copy(struct ChildSlot *slot, const void *message, size_t size);

struct SpawnRequest *child_slot_request(struct ChildSlot *slot);

/**
 * child_slot_clone() - a child that becomes what the request of @slot says
 * @args: for clone3(2); what has to do with memory is filled in
 *
 * Returns: its pid, or -1 with errno set. It never returns in the child.
 */
pid_t child_slot_clone(struct ChildSlot *slot, struct clone_args *args);

/* A child of ours has been reaped. */
void child_slots_on_exit(pid_t pid);

#endif
