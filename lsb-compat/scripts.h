/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Scripts: which files of /etc/init.d are init scripts, and which actions they have.
 */
#ifndef SVCD_LSB_COMPAT_SCRIPTS_H
#define SVCD_LSB_COMPAT_SCRIPTS_H

#include <glib.h>
#include <stdbool.h>

#include "base/diag.h"
#include "lsb-compat/header.h"
#include "lsb-compat/rc-links.h"
#include "lsb-compat/tree.h"

#define LSB_SCRIPTS "/etc/init.d"

typedef struct LsbScript {
	char *file; /* in LSB_SCRIPTS: "hostname.sh" */
	char *path; /* "/etc/init.d/hostname.sh" */
	char *service; /* "hostname" */
	LsbHeader *header;
	LsbLinks links;
	char *text;
	gsize length;
} LsbScript;

/*
 * These are called only for scripts that svcd runs, because many scripts have a native service. The
 * first function tests for "#!". /bin/sh runs any other text, as rc does.
 */
bool lsb_script_has_interpreter(const LsbScript *script);
bool lsb_script_can_restart(const LsbScript *script);
bool lsb_script_can_reload(const LsbScript *script);
bool lsb_script_has_daemon(const LsbScript *script); /* has a pid file, or starts a daemon */
/* From the comment, or from a plain assignment to PIDFILE; a new string, or NULL. */
char *lsb_script_pid_file(const LsbScript *script);

/* Frees an LsbScript *, for arrays of scripts. */
void lsb_script_free(gpointer data);

/**
 * lsb_scripts_read() - the scripts of @tree with their headers and overrides
 *
 * Left out without a report: everything that insserv leaves out, such as backups, files that are
 * not executable, and links to another script. Left out with an error: files that cannot be
 * scripts, or have a name that is invalid for a service.
 * Returns: a new array of LsbScript *, in the order of their file names; their links are empty.
 */
GPtrArray *lsb_scripts_read(const LsbTree *tree, DiagList *diags);

#endif
