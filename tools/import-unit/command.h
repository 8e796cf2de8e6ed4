/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Commands: a command line of a unit (systemd.service(5), "COMMAND LINES") in the syntax of a
 * service file.
 */
#ifndef SVCD_IMPORT_UNIT_COMMAND_H
#define SVCD_IMPORT_UNIT_COMMAND_H

#include <glib.h>
#include <stdbool.h>

typedef struct UnitCommand {
	bool may_fail; /* "-" prefix */
	bool is_privileged; /* "+" or "!" prefix: not as User= */
	bool has_other_name; /* "@" prefix: the argv[0] of the program is left out */
	bool has_variables; /* needs the shell, because it contains $X */
	GPtrArray *tokens; /* char *, NULL-terminated; variables still contain their "$" */
} UnitCommand;

/**
 * unit_command_parse() - one Exec line, which may contain several commands, separated by ";"
 * @ret_problem: on failure the reason, a new string
 * Returns: UnitCommand *, owned, at least one; NULL on failure, also for a line without a command.
 */
GPtrArray *unit_command_parse(const char *text, char **ret_problem);

/**
 * unit_command_write() - the command in the syntax of a service file
 *
 * A command with variables is run by the shell, which replaces itself by exec. $MAINPID, which
 * service files support, stays if the command has no other variable.
 * Returns: a new string, without the "-" prefix.
 */
char *unit_command_write(const UnitCommand *command);

/*
 * Several commands as one: each runs if the previous one succeeds (or may fail, by "-"); a new
 * string.
 */
char *unit_command_write_all(const GPtrArray *commands);

/* Splits and unquotes tokens as systemd does. A new strv, NULL with *@ret_problem on failure. */
char **unit_split_tokens(const char *text, char **ret_problem);

#endif
