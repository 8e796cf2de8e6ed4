/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Display manager: of several installed ones, Debian runs the one in
 * /etc/X11/default-display-manager.
 */
#ifndef SVCD_GENERATE_DISPLAY_MANAGER_H
#define SVCD_GENERATE_DISPLAY_MANAGER_H

#include "svc-generate/output.h"

/**
 * display_manager_generate() - add the policy that makes the others start only on request
 * @chosen: the text of the file: "/usr/sbin/gdm3"
 *
 * Scripts in /etc/init.d read that file themselves. This is for display managers with a service
 * file of ours.
 */
void display_manager_generate(const char *chosen, Output *output);

#endif
