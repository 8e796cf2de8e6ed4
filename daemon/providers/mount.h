/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Mount: which paths are mount points, from /proc/self/mountinfo (proc(5)).
 */
#ifndef SVCD_PROVIDERS_MOUNT_H
#define SVCD_PROVIDERS_MOUNT_H

#include "providers/provider.h"

/**
 * mount_provider_new() - watch the table of mounts
 * @mountinfo: path of the table; it signals changes by POLLPRI
 * @changed:   called after each change, when reports are out: what lies below paths may have changed too
 */
Provider *mount_provider_new(const ProviderSink *sink, const char *mountinfo, void (*changed)(void *data), void *data);

#endif
