/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Consoles: a login for each console of the kernel, as policy for getty@.svc.
 */
#ifndef SVCD_GENERATE_CONSOLES_H
#define SVCD_GENERATE_CONSOLES_H

#include "svc-generate/generated-files.h"

/**
 * consoles_generate() - add the policy
 * @active: the text of /sys/class/tty/console/active: "tty0 ttyS0"
 *
 * tty0 means the virtual terminals: tty1 to tty6, as in Debian. On the first one the login gives
 * way to a display manager (StandIn= of getty@.svc).
 */
void consoles_generate(const char *active, GeneratedFiles *output);

#endif
