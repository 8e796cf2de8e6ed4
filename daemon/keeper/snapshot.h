/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Snapshot: all of PID 1's tables as bytes, for the image that comes after this one.
 */
#ifndef SVCD_KEEPER_SNAPSHOT_H
#define SVCD_KEEPER_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>

/**
 * snapshot_encode() - write all tables into @buffer
 * Returns: the bytes used; if more than @size, nothing useful was written.
 */
size_t snapshot_encode(void *buffer, size_t size);

/* Is this a whole, undamaged table that we can read? Changes nothing. */
bool snapshot_check(const void *buffer, size_t size);

/* Fills the (empty) tables from a buffer that snapshot_check() accepts. */
void snapshot_apply(const void *buffer, size_t size);

/* The same without what is more than memory: descriptors, the manager of before, the watchdog. */
void snapshot_apply_memory(const void *buffer, size_t size);

#endif
