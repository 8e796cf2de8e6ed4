/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Held programs: the package manager's restrictions on the programs of services (docs/packages.md).
 */
#ifndef SVCD_MODEL_HELD_PROGRAMS_H
#define SVCD_MODEL_HELD_PROGRAMS_H

#include <glib.h>

#include "base/diag.h"
#include "model/service-set.h"

typedef struct HeldPrograms HeldPrograms;

typedef enum ProgramHold {
	PROGRAM_FREE,
	PROGRAM_NO_START, /* its package is not set up yet: a running service goes on */
	PROGRAM_STOP, /* its package is being removed */
} ProgramHold;

/**
 * held_programs_parse() - parse the package manager's file
 * @file: its path, for @diags; an invalid line is reported and ignored
 * Returns: a new table.
 */
HeldPrograms *held_programs_parse(const char *text, gsize length, const char *file,
				  DiagList *diags);
void held_programs_free(HeldPrograms *held);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(HeldPrograms, held_programs_free)

/**
 * held_programs_find() - may a service with this program start and run?
 * @held: NULL: all programs are free
 * @ret_why: the reason why it is held, borrowed from @held; NULL: it is free
 */
ProgramHold held_programs_find(const HeldPrograms *held, const char *program, const char **ret_why);

/**
 * held_programs_apply() - add a term to each service with a program that is not free
 *
 * The programs of a service are the one in Exec= and those that its terms check by path:exec:. One
 * free program among several alternatives is enough, just as one existing program is.
 */
void held_programs_apply(const HeldPrograms *held, const ServiceSet *set);

#endif
