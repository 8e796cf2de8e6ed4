/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * LSB: the init scripts of a machine as the text of service files, and its rc links as the text of a policy file.
 *
 * This is the room's front door. It reads a directory tree, runs nothing and looks at nothing else. How scripts are read,
 * and where that differs from insserv(8): lsb-compat/README.md.
 */
#ifndef SVCD_LSB_COMPAT_LSB_H
#define SVCD_LSB_COMPAT_LSB_H

#include <glib.h>

#include "base/diag.h"

/* The services that have a file of their own, without what is made from scripts. */
typedef struct LsbNatives {
	/*
	 * Returns: the name of the service called @name, or that has it in its Provides=; NULL if there is none. It must
	 * stay while lsb_read() runs.
	 */
	const char *(*find)(const void *data, const char *name);
	const void *data;
} LsbNatives;

/* One file that was made. */
typedef struct LsbFile {
	char *name; /* below /run/svcd/generated: "cron.svc", LSB_POLICY_FILE */
	char *from; /* what it was made from: "/etc/init.d/cron", "/etc/rc?.d" */
	char *text; /* ends with a line break */
} LsbFile;

#define LSB_POLICY_FILE "rc-links/init-scripts.policy"

/**
 * lsb_read() - read /etc/init.d, /etc/rc?.d, /etc/insserv* and /usr/share/insserv below @root
 * @root:    "" or "/": the machine itself; symbolic links do not lead out of it
 * @natives: whose names scripts may not take; NULL: there are none
 * @diags:   what is wrong in these files, with their paths as seen below @root
 *
 * A script that a service of @natives replaces, and one that is svcd's own job, has no file; what others say about
 * their order to it still counts. No script is left out because of its order.
 * Returns: a new array of LsbFile *, sorted by name; empty if there are no scripts.
 */
GPtrArray *lsb_read(const char *root, const LsbNatives *natives, DiagList *diags);

#endif
