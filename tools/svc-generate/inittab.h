/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * inittab: the lines of inittab(5), split into fields and checked. respawns.h makes services of
 * them.
 */
#ifndef SVCD_GENERATE_INITTAB_H
#define SVCD_GENERATE_INITTAB_H

#include <glib.h>

#include "base/diag.h"
#include "base/enum-names.h"

/* clang-format off */
#define INITTAB_ACTIONS(X, P)                                                                      \
	X(P, RESPAWN, "respawn")                                                                   \
	X(P, WAIT, "wait")                                                                         \
	X(P, ONCE, "once")                                                                         \
	X(P, BOOT, "boot")                                                                         \
	X(P, BOOT_WAIT, "bootwait")                                                                \
	X(P, OFF, "off")                                                                           \
	X(P, ON_DEMAND, "ondemand")                                                                \
	X(P, INIT_DEFAULT, "initdefault")                                                          \
	X(P, SYSINIT, "sysinit")                                                                   \
	X(P, POWER_WAIT, "powerwait")                                                              \
	X(P, POWER_FAIL, "powerfail")                                                              \
	X(P, POWER_OK_WAIT, "powerokwait")                                                         \
	X(P, POWER_FAIL_NOW, "powerfailnow")                                                       \
	X(P, CTRL_ALT_DEL, "ctrlaltdel")                                                           \
	X(P, KEYBOARD_REQUEST, "kbrequest")
/* clang-format on */
ENUM_WITH_NAMES(InittabAction, INITTAB, inittab_action, INITTAB_ACTIONS)

typedef struct InittabEntry {
	char *id; /* 1 to 4 letters, digits or characters of "~_.+-" */
	char *levels; /* runlevels, each once: digits, S, a, b and c; "" if the field is empty */
	InittabAction action;
	char *process; /* without init's "+" and "@"; "" if the action needs none */
	Origin origin;
} InittabEntry;

/**
 * inittab_parse() - all valid lines of @text; the others are reported to @diags
 * @file: its name in diagnostics and origins
 * Returns: a new array of InittabEntry *, in the order of the file, without duplicate ids.
 */
GPtrArray *inittab_parse(const char *file, const char *text, DiagList *diags);

#endif
