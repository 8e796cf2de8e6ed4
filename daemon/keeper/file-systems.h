/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * File systems: made safe at the very end. Runs in a child of PID 1 that may hang and is then left behind.
 */
#ifndef SVCD_KEEPER_FILE_SYSTEMS_H
#define SVCD_KEEPER_FILE_SYSTEMS_H

/* Syncs; on a machine also gives up swap, unmounts what can be, and makes the rest read-only. */
void file_systems_end(void);

#endif
