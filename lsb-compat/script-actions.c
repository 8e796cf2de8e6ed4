/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Script actions: patterns of "case", and plain assignments. A wrong guess costs little: for an
 * unknown action the script exits with 3, and a pid file is checked against the cgroup.
 */
#include "config.h"

#include "lsb-compat/script-actions.h"

#include <limits.h>
#include <string.h>

#include "lsb-compat/lsb-tokens.h"

/* The number of bytes that are examined to distinguish text from a program. */
#define SAMPLE_BYTES 4096

static bool is_token_byte(char c)
{
	return g_ascii_isalnum(c) || c == '_' || c == '-' || c == '$' || c == '/' || c == '.';
}

/* @found is the place of @action in @line. Is it an alternative of a pattern? */
static bool is_pattern(const char *line, const char *found, gsize action_length)
{
	const char *end = found + action_length;

	if (found > line && is_token_byte(found[-1]))
		return false;
	if (*end == '"' || *end == '\'')
		end++;
	if (is_token_byte(*end))
		return false;
	end += strspn(end, " \t");
	/* In a usage message, such as {start|stop|reload}, no ")" follows "|". */
	return *end == ')' ||
	       (*end == '|' && end[1] != '|' && strchr(end, ')') && !strchr(line, '{'));
}

static bool line_has_pattern(const char *line, const char *action)
{
	const gsize length = strlen(action);

	if (line[strspn(line, " \t")] == '#')
		return false;
	for (const char *found = strstr(line, action); found; found = strstr(found + 1, action)) {
		if (is_pattern(line, found, length))
			return true;
	}
	return false;
}

static bool line_defines(const char *line, const char *action)
{
	const char *begin = line + strspn(line, " \t");
	g_autofree char *name = g_strconcat("do_", action, NULL);

	if (g_str_has_prefix(begin, "function "))
		begin += strlen("function ");
	if (!g_str_has_prefix(begin, name))
		return false;
	begin += strlen(name);
	return begin[strspn(begin, " \t")] == '(';
}

static bool text_has(const char *text, gsize length,
		     bool (*line_has)(const char *line, const char *action), const char *action)
{
	bool found = false;
	char *line;

	while (!found && (line = lsb_next_line(&text, &length)) != NULL) {
		found = line_has(line, action);
		g_free(line);
	}
	return found;
}

/*
 * With init-d-script, the actions are functions. A script with a "case" of its own may have unused
 * functions.
 */
bool lsb_action_exists(const char *text, gsize length, const char *action)
{
	return text_has(text, length, line_has_pattern, action) ||
	       (!text_has(text, length, line_has_pattern, "start") &&
		text_has(text, length, line_defines, action));
}

/* LSB's 3: "unimplemented feature". */
static bool line_answers_3(const char *line)
{
	const char *status = strstr(line, "=3");

	return strstr(line, "exit 3") || strstr(line, "return 3") ||
	       (status && strspn(status + 2, " \t;") == strlen(status + 2));
}

bool lsb_action_is_refused(const char *text, gsize length, const char *action)
{
	bool is_inside = false;
	bool is_refused = false;
	char *line;

	while (!is_refused && (line = lsb_next_line(&text, &length)) != NULL) {
		is_inside |= line_has_pattern(line, action);
		is_refused = is_inside && line_answers_3(line);
		is_inside &= strstr(line, ";;") == NULL;
		g_free(line);
	}
	return is_refused;
}

/*
 * Returns: the value of "NAME=value", if it is one word that contains nothing for the shell except
 * variables; a new string.
 */
static char *plain_value(const char *assignment)
{
	const char *value = strchr(assignment, '=') + 1;
	const char quote = *value == '"' || *value == '\'' ? *value : '\0';
	const char *begin = value + (quote ? 1 : 0);
	const gsize length = quote ? strcspn(begin, "\"'") : strcspn(begin, " \t;#");

	if ((quote && begin[length] != quote) || memchr(begin, '`', length) ||
	    memchr(begin, '(', length))
		return NULL;
	return g_strndup(begin, length);
}

/*
 * Replaces $NAME and ${NAME}. Returns: NULL if a variable is unknown, or if the result is longer
 * than a path.
 */
static char *expand(const char *value, GHashTable *variables)
{
	g_autoptr(GString) out = g_string_new(NULL);

	while (*value) {
		const bool braces = value[0] == '$' && value[1] == '{';
		g_autofree char *name = NULL;
		gsize length;

		if (*value != '$') {
			g_string_append_c(out, *value++);
			continue;
		}
		value += 1 + braces;
		length = strspn(value, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_");
		name = g_strndup(value, length);
		if (!g_hash_table_contains(variables, name) || (braces && value[length] != '}'))
			return NULL;
		g_string_append(out, g_hash_table_lookup(variables, name));
		if (out->len >= PATH_MAX)
			return NULL;
		value += length + braces;
	}
	return g_string_free(g_steal_pointer(&out), FALSE);
}

static bool is_pid_file_variable(const char *name)
{
	return g_ascii_strcasecmp(name, "PIDFILE") == 0 ||
	       g_ascii_strcasecmp(name, "PID_FILE") == 0;
}

/*
 * Only an assignment at the beginning of a line counts, because an indented one may be in a branch
 * that is not taken.
 */
static char *read_assignment(const char *line, GHashTable *variables)
{
	const gsize length = strspn(line, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_");
	g_autofree char *name = g_strndup(line, length);
	const bool is_assignment = length > 0 && line[length] == '=';
	g_autofree char *raw = is_assignment ? plain_value(line) : NULL;
	g_autofree char *value = raw ? expand(raw, variables) : NULL;

	if (!value) {
		/* A value that only a shell can compute replaces the known one. */
		if (is_assignment)
			g_hash_table_remove(variables, name);
		return NULL;
	}
	if (is_pid_file_variable(name) && lsb_path_is_plain(value))
		return g_steal_pointer(&value);
	g_hash_table_replace(variables, g_steal_pointer(&name), g_steal_pointer(&value));
	return NULL;
}

char *lsb_pid_file_guess(const char *text, gsize length)
{
	g_autoptr(GHashTable)
		variables = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	char *found = NULL;
	char *line;

	while (!found && (line = lsb_next_line(&text, &length)) != NULL) {
		found = read_assignment(line, variables);
		g_free(line);
	}
	return found;
}

static bool line_has_command(const char *line, const char *command)
{
	for (const char *found = strstr(line, command); found; found = strstr(found + 1, command)) {
		const char after = found[strlen(command)];

		if ((found == line || !is_token_byte(found[-1]) || found[-1] == '/') &&
		    !is_token_byte(after))
			return true;
	}
	return false;
}

/*
 * Also true for a PID file whose path only a shell can compute: PIDFILE=$(nsd-checkconf -o pidfile
 * nsd.conf).
 */
static bool line_has_pid_file(const char *line)
{
	const gsize length = strcspn(line, "=");
	g_autofree char *name = g_strndup(line, length);

	return line[length] == '=' && is_pid_file_variable(name);
}

static bool line_has_daemon(const char *line)
{
	static const char *const commands[] = { "start-stop-daemon", "start_daemon", "killproc",
						"pidofproc", "status_of_proc" };

	if (line[strspn(line, " \t")] == '#')
		return g_str_has_prefix(line, "#!") && line_has_command(line, "init-d-script");
	for (gsize i = 0; i < G_N_ELEMENTS(commands); i++) {
		if (line_has_command(line, commands[i]))
			return true;
	}
	return line_has_pid_file(line);
}

bool lsb_text_has_daemon(const char *text, gsize length)
{
	bool found = false;
	char *line;

	while (!found && (line = lsb_next_line(&text, &length)) != NULL) {
		found = line_has_daemon(line);
		g_free(line);
	}
	return found;
}

bool lsb_text_is_binary(const char *text, gsize length)
{
	return !g_str_has_prefix(text, "#!") &&
	       memchr(text, '\0', MIN(length, SAMPLE_BYTES)) != NULL;
}
