/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Display manager: of several that are installed, Debian runs the one that /etc/X11/default-display-manager names.
 */
#ifndef SVCD_GENERATE_DISPLAY_MANAGER_H
#define SVCD_GENERATE_DISPLAY_MANAGER_H

#include "svc-generate/output.h"

/**
 * display_manager_generate() - add the policy that leaves the others to an admin's start
 * @chosen: the text of the file: "/usr/sbin/gdm3"
 *
 * Scripts in /etc/init.d look at the file themselves; this is for those that have a service file of ours.
 */
void display_manager_generate(const char *chosen, Output *output);

#endif
