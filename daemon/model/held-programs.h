/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Held programs: what the package manager says about the programs of services (docs/packages.md).
 */
#ifndef SVCD_MODEL_HELD_PROGRAMS_H
#define SVCD_MODEL_HELD_PROGRAMS_H

#include <glib.h>

#include "base/diag.h"
#include "model/service-set.h"

typedef struct HeldPrograms HeldPrograms;

typedef enum ProgramHold {
	PROGRAM_FREE,
	PROGRAM_NO_START, /* its package is not set up yet: what runs goes on */
	PROGRAM_STOP,     /* its package is being removed */
} ProgramHold;

/**
 * held_programs_parse() - read the package manager's file
 * @file: its path, for @diags; a line that cannot be read is reported and left out
 * Returns: a new table.
 */
HeldPrograms *held_programs_parse(const char *text, gsize length, const char *file, DiagList *diags);
void held_programs_free(HeldPrograms *held);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(HeldPrograms, held_programs_free)

/**
 * held_programs_find() - may a service with this program start, and may it run?
 * @held:    NULL: all programs are free
 * @ret_why: of one that is not free, the reason: borrowed from @held
 */
ProgramHold held_programs_find(const HeldPrograms *held, const char *program, const char **ret_why);

/**
 * held_programs_apply() - add a term to each service with a program that is not free
 *
 * The programs of a service are that of Exec= and those that its terms look for by path:exec:. Of alternatives one that is free is
 * enough, as one that exists is.
 */
void held_programs_apply(const HeldPrograms *held, const ServiceSet *set);

#endif
