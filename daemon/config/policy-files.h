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

/* Never fails: a file that cannot be read, or that is wrong, is left out as a whole, and that is told. */
void policy_files_load(SourceReader *reader, const LoaderOptions *options, Policy *policy, DiagList *diags);

/* Warns of changes of policy that were begun and not ended (POLICY_HISTORY_DIRECTORY). */
void policy_files_tell_begun(SourceReader *reader, const LoaderOptions *options, DiagList *diags);

#endif
