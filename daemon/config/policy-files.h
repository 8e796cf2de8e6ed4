/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Policy files: those of all layers, and what the kernel command line says, into one policy.
 */
#ifndef SVCD_CONFIG_POLICY_FILES_H
#define SVCD_CONFIG_POLICY_FILES_H

#include "base/diag.h"
#include "config/loader.h"
#include "config/source-file.h"
#include "model/policy.h"

/*
 * Never fails. In place of a file of the admin's that cannot be read or has an error its last version without errors counts; if there is none,
 * and for other files, it is left out as a whole. Both are told.
 */
void policy_files_load(SourceReader *reader, const LoaderOptions *options, Policy *policy, DiagList *diags);

typedef struct PolicyFile {
	PolicyLayer layer;
	char *path;
	char *text; /* NULL: it cannot be read */
	gsize length;
} PolicyFile;

/* The files in the admin's policy.d, as the loader reads them; a new array of PolicyFile. */
GPtrArray *policy_files_of_admin(SourceReader *reader, const LoaderOptions *options, DiagList *diags);

/* Warns of changes of policy that were begun and not ended (POLICY_HISTORY_DIRECTORY). */
void policy_files_tell_begun(SourceReader *reader, const LoaderOptions *options, DiagList *diags);

#endif
