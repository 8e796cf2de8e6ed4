/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Commands: a command line of a unit (systemd.service(5), "COMMAND LINES") as a service file writes it.
 */
#ifndef SVCD_IMPORT_UNIT_COMMAND_H
#define SVCD_IMPORT_UNIT_COMMAND_H

#include <glib.h>
#include <stdbool.h>

typedef struct UnitCommand {
	bool may_fail;       /* "-" in front */
	bool is_privileged;  /* "+" or "!" in front: not as User= */
	bool has_other_name; /* "@" in front: the name that the program was to be told is left out */
	bool has_variables;  /* needs the shell: $X stands in it */
	GPtrArray *words;    /* char *, NULL-terminated; "$" of a variable is still there */
} UnitCommand;

/**
 * unit_command_parse() - one Exec line, which may hold several commands, with ";" as a word between them
 * @ret_problem: on failure what is wrong, a new string
 * Returns: UnitCommand *, owned, one at least; NULL on failure, as for a line without a command.
 */
GPtrArray *unit_command_parse(const char *text, char **ret_problem);

/**
 * unit_command_write() - the command in the words of a service file
 *
 * A command with variables becomes one of the shell's, which takes the place of itself by exec.
 * $MAINPID, which a service file knows, stays where the command has no other variable.
 * Returns: a new string, without the "-" of one that may fail.
 */
char *unit_command_write(const UnitCommand *command);

/* Several commands, one after the other as long as they succeed (or whatever they do, by "-"), as one; a new string. */
char *unit_command_write_all(const GPtrArray *commands);

/* Words as systemd splits and unquotes them. A new strv, NULL with *@ret_problem on failure. */
char **unit_split_words(const char *text, char **ret_problem);

#endif
