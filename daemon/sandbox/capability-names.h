/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Capability names: as in capabilities(7). A set of capabilities is a mask: bit n is the capability
 * with the number n.
 */
#ifndef SVCD_SANDBOX_CAPABILITY_NAMES_H
#define SVCD_SANDBOX_CAPABILITY_NAMES_H

#include <stdbool.h>

/* "CAP_CHOWN" or "cap_chown". */
bool capability_from_name(const char *name, unsigned *ret_number);
/* NULL for a number without a name. */
const char *capability_name(unsigned number);
/* A NULL-terminated list for token_nearest(); static. */
const char *const *capability_names(void);

#endif
