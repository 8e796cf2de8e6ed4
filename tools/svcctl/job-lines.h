/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Job lines: what is under way, while svcctl waits for it.
 *
 * On a terminal one line a job, rewritten in place at most ten times a second, and gone in the end; elsewhere a line a job
 * whenever its state changes; with --json --progress an object a line; with -q or --json alone nothing.
 */
#ifndef SVCD_SVCCTL_JOB_LINES_H
#define SVCD_SVCCTL_JOB_LINES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "svcctl/output.h"

typedef struct JobLines JobLines;

/* One job as it is now; texts are borrowed, NULL is nothing. */
typedef struct JobLine {
	const char *name;
	const char *state;
	int64_t elapsed_us; /* in this state */
	int64_t limit_us;   /* how long it may take; 0: as long as it likes */
	const char *note;   /* "pid 811" */
	const char *detail; /* what it says of itself (STATUS=), or what it waits for */
} JobLine;

/**
 * job_lines_new() - nothing is shown yet
 * @output:    borrowed
 * @is_stream: --progress
 */
JobLines *job_lines_new(Output *output, bool is_stream);
/* Takes the lines from the terminal. */
void job_lines_free(JobLines *lines);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(JobLines, job_lines_free)

/* These jobs are under way, and no others. May be called at any time: what comes too soon is shown with the next call. */
void job_lines_show(JobLines *lines, const JobLine *jobs, unsigned n);

/* Take the lines from the terminal: something else is to be printed. The next job_lines_show() puts them back. */
void job_lines_clear(JobLines *lines);

/* Are they rewritten in place? Then time alone changes them. */
bool job_lines_are_live(const JobLines *lines);

/* When job_lines_show() is to be called again, if nothing happens. */
int64_t job_lines_next_us(const JobLines *lines);

/* As much of @text as fits into @columns of a terminal; a new string, with a mark at its end if something was left out. */
char *job_line_fit(const char *text, unsigned columns, bool is_ascii);

#endif
