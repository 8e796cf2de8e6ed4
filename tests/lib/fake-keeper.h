/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fake keeper: the functions of process/keeper-link.h for unit tests of the process component.
 * Linked in place of keeper-link.c.
 *
 * It has the keeper's table and rules (a row in use is refused, "spawned" precedes "exited", exits
 * are repeated until they are acknowledged), and runs real processes. It records requests as lines
 * of text.
 */
#ifndef SVCD_TESTS_FAKE_KEEPER_H
#define SVCD_TESTS_FAKE_KEEPER_H

#include <glib.h>
#include <stdbool.h>

#include "process/keeper-link.h"

typedef struct FakeKeeper FakeKeeper;

/* @listener: spawned, exited and adopted are called from the main loop */
FakeKeeper *fake_keeper_new(const KeeperListener *listener, void *data);
KeeperLink *fake_keeper_link(FakeKeeper *keeper);
/* Kills the remaining processes. */
void fake_keeper_free(FakeKeeper *keeper);

/* Refuses each further spawn with @error; 0: stops refusing. */
void fake_keeper_refuse(FakeKeeper *keeper, int error);
/*
 * Holds back the exit of a process of @role until the next call, as if it were in an
 * uninterruptible wait.
 */
void fake_keeper_withhold_end(FakeKeeper *keeper, enum ProcessRole role, bool is_withheld);
/* Sends nothing until the listener changes: the manager is dead. */
void fake_keeper_set_silent(FakeKeeper *keeper, bool silent);

/*
 * The number of recorded lines with this @prefix, such as "spawn main ", "signal main TERM", "ack "
 * or "keep ".
 */
unsigned fake_keeper_count(const FakeKeeper *keeper, const char *prefix);
/* The complete record, one line each; owned by the keeper, valid until the next call. */
const char *fake_keeper_record(FakeKeeper *keeper);
/* The pid of a row, 0 if it is free. Events are reported in the order of the table. */
pid_t fake_keeper_pid(const FakeKeeper *keeper, const char *service, enum ProcessRole role);
/* The note of the last action. */
const char *fake_keeper_note(const FakeKeeper *keeper);
/* A duplicate of a kept descriptor, -1 if there is none. */
int fake_keeper_kept(const FakeKeeper *keeper, const char *name);
unsigned fake_keeper_n_kept(const FakeKeeper *keeper);

#endif
