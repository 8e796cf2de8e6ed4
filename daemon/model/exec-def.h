/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Execution settings of a service: who it runs as and with which limits. Names of keys: systemd.exec(5) where the
 * meaning is the same.
 */
#ifndef SVCD_MODEL_EXEC_DEF_H
#define SVCD_MODEL_EXEC_DEF_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"

typedef struct Rlimit {
	int resource; /* RLIMIT_* */
	uint64_t soft;
	uint64_t hard;
} Rlimit;

typedef struct EnvironmentFile {
	char *path;
	bool optional; /* written with "-" in front */
} EnvironmentFile;

typedef struct ExecDef {
	char *user;              /* User=: a name or digits; NULL: root */
	char *group;             /* Group= */
	GPtrArray *groups;       /* SupplementaryGroups=: char *, never NULL */
	GPtrArray *environment;  /* Environment=: "NAME=value", never NULL */
	GPtrArray *environment_files; /* EnvironmentFile *, never NULL */
	GArray *rlimits;         /* Rlimit, never NULL */
	char *directory;         /* WorkingDirectory=, NULL: / */
	char *tty;               /* TTYPath=: becomes stdin, stdout, stderr and the controlling terminal; NULL: none */
	GPtrArray *runtime_directories; /* RuntimeDirectory=: names below /run, made by svc-exec; never NULL */
	unsigned runtime_directory_mode;
	bool has_umask;
	unsigned umask;
	bool has_nice;
	int nice;
	bool has_oom_score_adjust;
	int oom_score_adjust;
} ExecDef;

void exec_def_init(ExecDef *def);
void exec_def_clear(ExecDef *def);
void exec_def_copy(ExecDef *to, const ExecDef *from); /* @to is uninitialised */

/**
 * exec_def_needs_helper() - does this take svc-exec: a name to look up, a file to read, a terminal to open?
 */
bool exec_def_needs_helper(const ExecDef *def);

#endif
