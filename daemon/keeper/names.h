/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names: each name of a service or a kept descriptor is held once and known by a small number.
 *
 * The other tables are arrays indexed by that number, so finding a note or a child costs one hash of its name, and
 * thousands of rows do not each carry a 208-byte field.
 */
#ifndef SVCD_KEEPER_NAMES_H
#define SVCD_KEEPER_NAMES_H

#include <stdint.h>

/* Every child, note and kept descriptor could have a name of its own. */
#define NAMES_MAX 32768

typedef uint16_t NameId; /* 0: none */

/* Returns: the number of @text, or 0 if nobody holds it. */
NameId name_find(const char *text);

/**
 * name_take() - hold @text, new or known; name_drop() gives it back
 * Returns: its number, or 0 if it is empty, too long (PROTOCOL_KEEP_NAME_BYTES) or the table is full.
 */
NameId name_take(const char *text);
void name_drop(NameId id);

const char *name_text(NameId id);

/* The highest number that was ever given out: the end of a walk over all. */
NameId name_last(void);

#endif
