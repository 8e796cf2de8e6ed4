/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * svcctl world: a machine for svcctl, and command lines with their expected output.
 */
#ifndef SVCD_TESTS_LIB_SVCCTL_WORLD_H
#define SVCD_TESTS_LIB_SVCCTL_WORLD_H

#include <check.h>
#include <json-glib/json-glib.h>

#include "tests/lib/bus-world.h"

extern const char machine_files[];
extern const char machine_policy[];

/* A machine with one failed and one waiting service. */
BusWorld *machine(void);

/*
 * Replaces varying times and pids: "1 h 4 min ago (Sat 09:39:25)" becomes "AGO", "pid 812" becomes
 * "pid N".
 */
char *steady(const char *text);

typedef struct Typed {
	const char *line;
	int code;
	const char *out; /* NULL: anything */
	const char *err;
} Typed;

/* Runs the command line, and compares the complete output. */
void expect_typed(BusWorld *bw, const Typed *typed);
/* A case of @n command lines. Each runs on a separate machine(), and then again with --json. */
void suite_add_typed(Suite *suite, const Typed *typed, size_t n);

/* @text as a JSON document; @parser owns it. */
JsonObject *parse_answer(JsonParser *parser, const char *text);

#endif
