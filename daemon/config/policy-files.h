/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Policy files: merges the files of all layers and the kernel command line into one policy.
 */
#ifndef SVCD_CONFIG_POLICY_FILES_H
#define SVCD_CONFIG_POLICY_FILES_H

#include "base/diag.h"
#include "config/loader-options.h"
#include "config/source-file.h"
#include "model/policy.h"

/*
 * Never fails. A file that has an error or cannot be read is omitted as a whole. For a file of the
 * admin, the last version without errors is used instead, if there is one. Both cases are reported.
 */
void policy_files_load(SourceReader *reader, const LoaderOptions *options, Policy *policy,
		       DiagList *diags);

typedef struct PolicyFile {
	PolicyLayer layer;
	char *path;
	char *text; /* NULL: it cannot be read */
	gsize length;
} PolicyFile;

/* The files in the admin's policy.d, as the loader reads them; a new array of PolicyFile. */
GPtrArray *policy_files_of_admin(SourceReader *reader, const LoaderOptions *options,
				 DiagList *diags);

#endif
