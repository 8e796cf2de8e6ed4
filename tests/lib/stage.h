/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stage: one invocation of a service with real processes, for unit tests of the supervisor. What it tells the engine is
 * recorded as lines of text; the manager may be killed and another one take over.
 */
#ifndef SVCD_TESTS_STAGE_H
#define SVCD_TESTS_STAGE_H

#include <glib.h>
#include <stdbool.h>

#include "tests/lib/fake-keeper.h"
#include "process/supervise.h"
#include "tests/lib/tree.h"

#define STAGE_SERVICE "probe"

/* A service file: Ready=notify, and a daemon that tells its status, too. */
extern const char stage_notifying[];

typedef struct Stage {
	FakeKeeper *keeper;
	ProcessContext context;
	WorkerPool *workers;
	Supervisor *supervisor;
	ServiceDef *def;
	Tree *tree;
	char *runtime_dir;
	char *cgroup_root; /* NULL: none to be had */
	GString *events;   /* "kind: text\n" */
	const char *watched; /* the condition that it looks at, NULL: none */
	bool starts_again;   /* what the engine would say of the run that ends */
	bool keeps_no_notes; /* until it crashes, what comes to be is not told to the keeper */
	char note[128];
} Stage;

/* @text: of its service file. Nothing is started before stage_start(). */
Stage *stage_set(const char *text);
/* What is expanded in @text: {DIR}, a directory that this test may write to. */
Stage *stage_set_in_directory(const char *text);
void stage_start(Stage *stage);
Stage *stage_new(const char *text);
Stage *stage_new_in_directory(const char *text);
/* Stops it first, if it has not been; nothing of it may be left. */
void stage_free(Stage *stage);

/* Until it is gone. */
void stage_stop(Stage *stage);
/* The manager dies and another one takes over, with what the keeper has. */
void stage_crash(Stage *stage);
/*
 * Runs until @event, and kills the manager after every @period turns of the main loop. @ask_again: of each new supervisor, as
 * the engine does; NULL: nothing. Returns: how often it was killed.
 */
unsigned run_with_crashes(Stage *stage, const char *event, int period, void (*ask_again)(Supervisor *supervisor));

bool has_event(const Stage *stage, const char *line);
/* Runs the main loop until @is_so; fails the test after a time that only a hanging program needs. */
void run_until(Stage *stage, bool (*is_so)(const Stage *stage, const char *what), const char *what);
void expect_event(Stage *stage, const char *line);
/* All of them so far. */
void expect_events(const Stage *stage, const char *lines);

/* Below {DIR}. */
bool has_file(const Stage *stage, const char *path);
void expect_file(Stage *stage, const char *path);
void touch_file(const Stage *stage, const char *path);
char *read_text(const Stage *stage, const char *path);

unsigned count_lines(const char *text, const char *line);
/* Is there cgroup v2, and may it be written to? */
bool has_cgroups(void);

#endif
