/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Consoles: a login for each terminal that the kernel writes to, as policy for getty@.svc.
 */
#ifndef SVCD_GENERATE_CONSOLES_H
#define SVCD_GENERATE_CONSOLES_H

#include <stdbool.h>

#include "svc-generate/output.h"

/**
 * consoles_generate() - add the policy
 * @active:              the text of /sys/class/tty/console/active: "tty0 ttyS0"
 * @has_display_manager: one that takes the first virtual terminal
 *
 * tty0 means the virtual terminals: tty1 to tty6, as Debian has them.
 */
void consoles_generate(const char *active, bool has_display_manager, Output *output);

#endif
