/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Unread: files of services on the disk that svcd has not read yet.
 */
#ifndef SVCD_SVCCTL_UNREAD_H
#define SVCD_SVCCTL_UNREAD_H

#include "svcctl/svcctl.h"

/**
 * unread_find() - the file of a service that svcd does not know
 * Returns: "/etc/svcd/services.d/web.svc" or an init script, a new string; NULL if there is none.
 */
char *unread_find(const Context *context, const char *name);

/**
 * unread_change() - the file of a service that has changed since svcd read it, including drop-ins
 * and their directory
 * Returns: its path, a new string; NULL if there is none, or svcd does not answer.
 */
char *unread_change(Context *context, const char *name);

#endif
