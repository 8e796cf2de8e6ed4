/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fake keeper: the functions of process/keeper-link.h for unit tests of the process room. Linked instead of
 * keeper-link.c.
 *
 * It keeps the keeper's table and its rules (a row in use refuses, spawned before exited, exits until acknowledged),
 * and runs real processes. What it was asked is recorded as lines of text.
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
/* Kills what still runs. */
void fake_keeper_free(FakeKeeper *keeper);

/* Every further spawn is refused with @error; 0: no more. */
void fake_keeper_refuse(FakeKeeper *keeper, int error);
/* The end of a process of @role is not told until that is over, as if it were in an uninterruptible wait. */
void fake_keeper_withhold_end(FakeKeeper *keeper, enum ProcessRole role, bool is_withheld);
/* Nothing is told any more until the listener is changed: the manager is dead. */
void fake_keeper_set_silent(FakeKeeper *keeper, bool silent);

/* How often a line of the record begins with @prefix: "spawn main ", "signal main TERM", "ack ", "keep ", "adopt " ... */
unsigned fake_keeper_count(const FakeKeeper *keeper, const char *prefix);
/* The whole record, one line each; owned by the keeper, valid until the next call. */
const char *fake_keeper_record(FakeKeeper *keeper);
/* What a process has to say is told in the order of the table: the pid of a row, 0 when it is free. */
pid_t fake_keeper_pid(const FakeKeeper *keeper, const char *service, enum ProcessRole role);
/* The note that came with the last act. */
const char *fake_keeper_note(const FakeKeeper *keeper);
/* A duplicate of a kept descriptor, -1 if there is none. */
int fake_keeper_kept(const FakeKeeper *keeper, const char *name);
unsigned fake_keeper_n_kept(const FakeKeeper *keeper);

#endif
