/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Translate: what is known of a script as the text of a service file, and of all links as the text of a policy file.
 */
#ifndef SVCD_LSB_COMPAT_TRANSLATE_H
#define SVCD_LSB_COMPAT_TRANSLATE_H

#include <glib.h>

#include "lsb-compat/nodes.h"
#include "lsb-compat/order.h"

/* The text of NAME.svc; a new string. */
char *lsb_translate_script(const LsbNode *node, const LsbPlan *plan);

/* The text of the policy, a section for each script whose runlevels are known; NULL if there is none. */
char *lsb_translate_links(const LsbNodes *nodes);

#endif
