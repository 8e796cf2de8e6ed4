/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Address watch: reports that an address of the machine was added, changed or removed. So a caller
 * that needs an absent address can try again without polling. Uses rtnetlink(7).
 */
#ifndef SVCD_LOOP_ADDRESS_WATCH_H
#define SVCD_LOOP_ADDRESS_WATCH_H

#include <glib.h>

typedef struct AddressWatch AddressWatch;

/**
 * address_watch_new() - start watching
 * @changed: called from the main loop, once for all changes of a turn; may free the watch
 * Returns: NULL with @error if the kernel refuses.
 */
AddressWatch *address_watch_new(void (*changed)(void *data), void *data, GError **error);
void address_watch_free(AddressWatch *watch); /* NULL is allowed */

#endif
