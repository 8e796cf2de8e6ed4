/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Translate: a script as a service file, and all links as a policy file.
 */
#ifndef SVCD_LSB_COMPAT_TRANSLATE_H
#define SVCD_LSB_COMPAT_TRANSLATE_H

#include <glib.h>

#include "lsb-compat/nodes.h"
#include "lsb-compat/order.h"

/* Returns: the text of NAME.svc, a new string. */
char *lsb_translate_script(const LsbNode *node, const LsbPlan *plan);

/*
 * Returns: the text of the policy, a section for each script with known runlevels; NULL if there is
 * none.
 */
char *lsb_translate_links(const LsbNodes *nodes);

#endif
