/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tables: what all our static tables have in common, which are what is zero at start.
 *
 * They have room for the largest machine, and small ones touch little of them.
 */
#ifndef SVCD_KEEPER_TABLES_H
#define SVCD_KEEPER_TABLES_H

#include <stddef.h>

/*
 * With huge pages, which are many a system's default, each touch would be 2 MiB, and so would be each copy after a clone. To be
 * called before the first touch: a page that is huge stays so. Not by prctl(2), which services would inherit.
 */
void tables_use_small_pages(void);

/* What tables_hide() is to leave out; one such piece there can be. */
void tables_never_hide(const void *begin, size_t size);

/* From now on a child has none of them, but that, and what is marked SEEN_BY_CHILDREN. Without effect under sanitizers and gcov(1). */
void tables_hide(void);

/* From now on a child has all of them. */
void tables_show(void);

#endif
