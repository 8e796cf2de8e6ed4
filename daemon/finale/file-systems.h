/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * File systems: unmounts them, or makes them read-only, at the end of a shutdown.
 */
#ifndef SVCD_FINALE_FILE_SYSTEMS_H
#define SVCD_FINALE_FILE_SYSTEMS_H

/*
 * Syncs, switches swap off, unmounts most file systems, and makes the rest read-only. It can hang.
 * Not for containers, because their file systems may be the host's.
 */
void file_systems_end(void);

#endif
