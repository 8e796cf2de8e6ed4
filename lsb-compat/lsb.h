/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * LSB: the init scripts of a machine as service files, and its rc links as a policy file.
 *
 * This is the interface of the component. It reads a directory tree, runs nothing and looks at
 * nothing else. lsb-compat/README.md describes how scripts are read, and the differences from
 * insserv(8).
 */
#ifndef SVCD_LSB_COMPAT_LSB_H
#define SVCD_LSB_COMPAT_LSB_H

#include <glib.h>

#include "base/diag.h"
#include "lsb-compat/natives.h"

/* One generated file. */
typedef struct LsbFile {
	char *name; /* below /run/svcd/generated: "cron.svc", LSB_POLICY_FILE */
	char *from; /* its source: "/etc/init.d/cron", "/etc/rc?.d" */
	char *text; /* ends with a line break */
} LsbFile;

#define LSB_POLICY_FILE "rc-links/init-scripts.policy"

/**
 * lsb_read() - read /etc/init.d, /etc/rc?.d, /etc/insserv* and /usr/share/insserv below @root
 * @root: "" or "/": the machine itself; symbolic links do not lead out of it
 * @natives: services with names that scripts may not take; NULL: there are none
 * @diags: faults in these files, with their paths below @root
 *
 * A script that a service of @natives replaces, or that does a job of svcd, gets no file, but other
 * scripts can still be ordered against it. No script is left out because of its order.
 * Returns: a new array of LsbFile *, sorted by name; empty if there are no scripts.
 */
GPtrArray *lsb_read(const char *root, const LsbNatives *natives, DiagList *diags);

#endif
