/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Job lines: the pending jobs, while svcctl waits for them.
 *
 * On a terminal there is one line per job, rewritten at most ten times a second, and erased at the
 * end. Elsewhere a line is printed when the state of a job changes; with --json --progress one
 * object per line; with -q or --json alone nothing.
 */
#ifndef SVCD_SVCCTL_JOB_LINES_H
#define SVCD_SVCCTL_JOB_LINES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "svcctl/output.h"

typedef struct JobLines JobLines;

/* The present state of one job; texts are borrowed, NULL: none. */
typedef struct JobLine {
	const char *name;
	const char *state;
	int64_t elapsed_us; /* in this state */
	int64_t limit_us; /* the time limit; 0: none */
	const char *note; /* "pid 811" */
	const char *detail; /* its status text (STATUS=), or the condition that it waits for */
} JobLine;

/**
 * job_lines_new() - make a display, which shows nothing yet
 * @output:    borrowed
 * @is_stream: --progress
 */
JobLines *job_lines_new(Output *output, bool is_stream);
/* Erases the lines from the terminal. */
void job_lines_free(JobLines *lines);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(JobLines, job_lines_free)

/*
 * The complete list of pending jobs. May be called at any time; a change that comes too soon is
 * shown with the next call.
 */
void job_lines_show(JobLines *lines, const JobLine *jobs, unsigned n);

/* Erases the lines before other output is printed. The next job_lines_show() restores them. */
void job_lines_clear(JobLines *lines);

/* Are the lines rewritten in place? Then the time alone changes them. */
bool job_lines_are_live(const JobLines *lines);

/* When job_lines_show() must be called again without an event. */
int64_t job_lines_next_us(const JobLines *lines);

/*
 * As much of @text as fits into @columns of a terminal; a new string, with a mark at its end if it
 * was cut.
 */
char *job_line_fit(const char *text, unsigned columns, bool is_ascii);

#endif
