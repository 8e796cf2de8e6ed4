/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Execution settings of a service: its account and its limits. Keys are named as in systemd.exec(5)
 * where the meaning is the same.
 */
#ifndef SVCD_MODEL_EXEC_DEF_H
#define SVCD_MODEL_EXEC_DEF_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/enum-names.h"
#include "sandbox/sandbox.h"

typedef struct Rlimit {
	int resource; /* RLIMIT_* */
	uint64_t soft;
	uint64_t hard;
} Rlimit;

typedef struct EnvironmentFile {
	char *path;
	bool optional; /* written with a leading "-" */
} EnvironmentFile;

/* RuntimeDirectoryPreserve=: when runtime directories outlive a run of their service. */
#define PRESERVE_KINDS(X, P) X(P, NO, "no") X(P, YES, "yes") X(P, RESTART, "restart")
ENUM_WITH_NAMES(Preserve, PRESERVE, preserve, PRESERVE_KINDS)

#define CPU_POLICIES(X, P)   \
	X(P, UNSET, "")      \
	X(P, OTHER, "other") \
	X(P, BATCH, "batch") X(P, IDLE, "idle") X(P, FIFO, "fifo") X(P, RR, "rr")
ENUM_WITH_NAMES(CpuPolicy, CPU_POLICY, cpu_policy, CPU_POLICIES)

/* The numbers of ioprio_set(2). */
#define IO_CLASSES(X, P)   \
	X(P, NONE, "none") \
	X(P, REALTIME, "realtime") X(P, BEST_EFFORT, "best-effort") X(P, IDLE, "idle")
ENUM_WITH_NAMES(IoClass, IO_CLASS, io_class, IO_CLASSES)

typedef struct SchedulingDef {
	CpuPolicy cpu_policy; /* UNSET: the policy of svcd itself */
	int cpu_priority; /* 1 to 99 with fifo and rr; 0: not set */
	bool has_io;
	IoClass io_class;
	int io_priority; /* 0 (first) to 7 */
	GArray *cpus; /* unsigned: CPUAffinity=, never NULL; empty: all */
} SchedulingDef;

/* The lists are those of base/list.h. */
typedef struct ExecDef {
	char *user; /* User=: a name or digits; NULL: root */
	char *group; /* Group= */
	GPtrArray *groups; /* SupplementaryGroups=: char *, never NULL */
	GPtrArray *environment; /* Environment=: "NAME=value", never NULL */
	GPtrArray *environment_files; /* EnvironmentFile *, never NULL */
	GArray *rlimits; /* Rlimit, never NULL */
	char *directory; /* WorkingDirectory=, NULL: / */
	/* TTYPath=: becomes stdin, stdout, stderr and the controlling terminal; NULL: none */
	char *tty;
	bool is_tty_optional; /* "-" in front: if it is not a terminal, run without one */
	char *input; /* StandardInput=file:PATH; NULL: /dev/null */
	Preserve runtime_preserve;
	bool has_umask;
	unsigned umask;
	bool has_nice;
	int nice;
	bool has_oom_score_adjust;
	int oom_score_adjust;
	SchedulingDef scheduling;
	struct Sandbox *sandbox; /* NULL: no sandbox key is set */
	GPtrArray *sandbox_lines; /* char *: the "KEY=VALUE" lines, for svc-exec; never NULL */
} ExecDef;

void environment_file_free(EnvironmentFile *file);

/* All defaults. Shared by all services without such keys. */
extern const ExecDef exec_def_plain;

void exec_def_init(ExecDef *def);
void exec_def_clear(ExecDef *def);

/* For writing: replaces the shared default in *@def by a private copy. */
ExecDef *exec_def_change(const ExecDef **def);
/* Frees a private copy. */
void exec_def_free(const ExecDef *def);

/**
 * exec_def_runtime_ends() - must runtime directories be removed after the last process of a run?
 * @starts_again: another run follows
 */
bool exec_def_runtime_ends(const ExecDef *def, bool starts_again);

/**
 * exec_def_needs_helper() - is svc-exec needed?
 *
 * It looks up names, reads files and builds sandboxes, for example.
 */
bool exec_def_needs_helper(const ExecDef *def);

#endif
