/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * In force: the files as svcd has read them. The files on the disk may have changed since.
 */
#ifndef SVCD_SVCCTL_IN_FORCE_H
#define SVCD_SVCCTL_IN_FORCE_H

#include "config/bundle.h"
#include "svcctl/svcctl.h"

/**
 * in_force_read() - the bundle that the manager has loaded
 * @manager: the properties of org.svcd1.Manager
 *
 * The manager has it as a memfd, which root may open in /proc. Returns: NULL if it cannot be
 * opened.
 */
Bundle *in_force_read(GVariant *manager);

#endif
