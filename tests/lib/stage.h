/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stage: one invocation of a service with real processes, for unit tests of the supervisor. The
 * supervisor's events for the engine are recorded as lines of text. A test may kill the manager,
 * and another one takes over.
 */
#ifndef SVCD_TESTS_STAGE_H
#define SVCD_TESTS_STAGE_H

#include <glib.h>
#include <stdbool.h>

#include "tests/lib/fake-keeper.h"
#include "process/supervise.h"
#include "tests/lib/tree.h"

#define STAGE_SERVICE "probe"

/* A service file with Ready=notify, and a daemon that also sends its status. */
extern const char stage_notifying[];

typedef struct Stage {
	FakeKeeper *keeper;
	ProcessContext context;
	WorkerPool *workers;
	Supervisor *supervisor;
	ServiceDef *def;
	Tree *tree;
	char *runtime_dir;
	char *cgroup_root; /* NULL: unavailable */
	GString *events; /* "kind: text\n" */
	const char *watched; /* the condition that it watches, NULL: none */
	bool starts_again; /* the engine's answer at the end of the run */
	bool keeps_no_notes; /* until a crash the keeper gets no notes */
	char note[128];
} Stage;

/* @text: the service file. Nothing starts before stage_start(). */
Stage *stage_set(const char *text);
/* Expands {DIR} in @text, a directory that this test may write to. */
Stage *stage_set_in_directory(const char *text);
void stage_start(Stage *stage);
Stage *stage_new(const char *text);
Stage *stage_new_in_directory(const char *text);
/* Stops the service first, if necessary. No process may be left. */
void stage_free(Stage *stage);

/* Stops the service, and waits until it is gone. */
void stage_stop(Stage *stage);
/* The manager dies and another one takes over, with the keeper's data. */
void stage_crash(Stage *stage);
/*
 * Runs until @event, and kills the manager after each @period turns of the main loop. @request
 * repeats the engine's request to each new supervisor; NULL: none. Returns: the number of kills.
 */
unsigned run_with_crashes(Stage *stage, const char *event, int period,
			  void (*request)(Supervisor *supervisor));

bool has_event(const Stage *stage, const char *line);
/* Runs the main loop until @is_so. The long limit only ends hanging programs. */
void run_until(Stage *stage, bool (*is_so)(const Stage *stage, const char *what), const char *what);
void expect_event(Stage *stage, const char *line);
/* @lines are all events so far. */
void expect_events(const Stage *stage, const char *lines);

/* @path is below {DIR}. */
bool has_file(const Stage *stage, const char *path);
void expect_file(Stage *stage, const char *path);
void touch_file(const Stage *stage, const char *path);
char *read_text(const Stage *stage, const char *path);

unsigned count_lines(const char *text, const char *line);
/* Is there a writable cgroup v2? */
bool has_cgroups(void);

#endif
