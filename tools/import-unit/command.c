/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Commands: removes systemd's quoting and adds the quoting of the shell or of svcd.
 */
#include "config.h"

#include "import-unit/command.h"

#include <string.h>

#include "base/text.h"

/* --- tokens --- */

static int digit_of(char c, int base)
{
	const int value = g_ascii_xdigit_value(c);

	return value < base ? value : -1;
}

/* Reads @n digits of @base. Returns: -1 if they are missing. */
static int read_number(const char *at, int n, int base)
{
	int value = 0;

	for (int i = 0; i < n; i++) {
		const int digit = digit_of(at[i], base);

		if (digit < 0)
			return -1;
		value = value * base + digit;
	}
	return value;
}

/* The value of the simple escape "\" with @letter. */
static char simple_escape(char letter)
{
	static const char from[] = "abfnrtvs\\\"';";
	static const char to[] = "\a\b\f\n\r\t\v \\\"';";
	const char *found = letter ? strchr(from, letter) : NULL;

	return found ? to[found - from] : '\0';
}

/* @at: after the "\". Returns: the number of bytes read, 0 if they are not an escape. */
static int read_escape(const char *at, GString *token)
{
	static const struct {
		char letter;
		int n_digits;
		int base;
	} kinds[] = { { 'x', 2, 16 }, { 'u', 4, 16 }, { 'U', 8, 16 } };
	const char simple = simple_escape(*at);
	int value = read_number(at, 3, 8);

	if (simple) {
		g_string_append_c(token, simple);
		return 1;
	}
	if (value > 0 && value < 256) {
		g_string_append_c(token, (char)value);
		return 3;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
		value = *at == kinds[i].letter ?
				read_number(at + 1, kinds[i].n_digits, kinds[i].base) :
				-1;
		if (value <= 0)
			continue;
		if (kinds[i].n_digits == 2)
			g_string_append_c(token, (char)value);
		else
			g_string_append_unichar(token, (gunichar)value);
		return 1 + kinds[i].n_digits;
	}
	return 0;
}

/* Reads one token from *@at on. Returns: false with *@ret_problem. */
static bool read_token(const char **at, GString *token, char **ret_problem)
{
	char quote = '\0';
	const char *p = *at;

	for (; *p && (quote || !g_ascii_isspace(*p)); p++) {
		if (quote ? *p == quote : *p == '"' || *p == '\'') {
			quote = quote ? '\0' : *p;
		} else if (*p == '\\' && p[1]) {
			const int n = read_escape(p + 1, token);

			/* A "\" that begins no escape stands for itself, as in systemd. */
			if (n == 0)
				g_string_append_c(token, '\\');
			p += n;
		} else {
			g_string_append_c(token, *p);
		}
	}
	*at = p;
	if (quote)
		*ret_problem = g_strdup_printf("a %c is not closed", quote);
	return !quote;
}

char **unit_split_tokens(const char *text, char **ret_problem)
{
	g_autoptr(GPtrArray) tokens = g_ptr_array_new_with_free_func(g_free);

	for (const char *at = text; *at;) {
		g_autoptr(GString) token = g_string_new(NULL);

		while (g_ascii_isspace(*at))
			at++;
		if (!*at)
			break;
		if (!read_token(&at, token, ret_problem))
			return NULL;
		if (strpbrk(token->str, "\n\r")) {
			*ret_problem =
				g_strdup("a line of a service file cannot contain a line break");
			return NULL;
		}
		g_ptr_array_add(tokens, g_strdup(token->str));
	}
	g_ptr_array_add(tokens, NULL);
	return (char **)g_ptr_array_free(g_steal_pointer(&tokens), FALSE);
}

/* --- commands --- */

static void unit_command_free(gpointer data)
{
	UnitCommand *command = data;

	g_ptr_array_unref(command->tokens);
	g_free(command);
}

/*
 * A variable is "${NAME}" anywhere, or "$NAME" as a whole token. Returns: the length of the
 * variable at @at, 0 if there is none.
 */
static size_t variable_length(const char *at, bool is_whole_token)
{
	const bool has_brace = at[0] == '$' && at[1] == '{';
	const char *name = at + 1 + has_brace;
	size_t n = 0;

	if (*at != '$' || (!has_brace && !is_whole_token))
		return 0;
	while (g_ascii_isalnum(name[n]) || name[n] == '_')
		n++;
	if (n == 0 || g_ascii_isdigit(*name) || name[n] != (has_brace ? '}' : '\0'))
		return 0;
	return 1 + has_brace + n + has_brace;
}

static bool is_main_pid(const char *token)
{
	return strcmp(token, "$MAINPID") == 0 || strcmp(token, "${MAINPID}") == 0;
}

static bool has_variable(const char *token)
{
	for (const char *at = strchr(token, '$'); at; at = strchr(at + 1, '$')) {
		if (at[1] == '$')
			at++;
		else if (variable_length(at, at == token) > 0)
			return true;
	}
	return false;
}

/* Reads the prefix characters of the first token. Returns: the rest of it. */
static const char *read_prefixes(UnitCommand *command, const char *token, bool *is_literal)
{
	for (; *token && strchr("@-:+!|", *token); token++) {
		command->may_fail = command->may_fail || *token == '-';
		command->has_other_name = command->has_other_name || *token == '@';
		command->is_privileged = command->is_privileged || *token == '+' || *token == '!';
		*is_literal = *is_literal || *token == ':';
	}
	return token;
}

/* "$" stays special only in a variable. */
static void add_token(UnitCommand *command, const char *token, bool is_literal)
{
	if (is_main_pid(token) && !is_literal) {
		g_ptr_array_add(command->tokens, g_strdup("$MAINPID"));
		return;
	}
	command->has_variables = command->has_variables || (!is_literal && has_variable(token));
	g_ptr_array_add(command->tokens, g_strdup(token));
}

static UnitCommand *read_command(char **tokens, unsigned n)
{
	UnitCommand *command = g_new0(UnitCommand, 1);
	bool is_literal = false;
	const char *program = read_prefixes(command, tokens[0], &is_literal);

	command->tokens = g_ptr_array_new_with_free_func(g_free);
	g_ptr_array_add(command->tokens, g_strdup(program));
	for (unsigned i = command->has_other_name ? 2 : 1; i < n; i++)
		add_token(command, tokens[i], is_literal);
	g_ptr_array_add(command->tokens, NULL);
	return command;
}

static bool has_program(const UnitCommand *command)
{
	const char *program = g_ptr_array_index(command->tokens, 0);

	return *program != '\0';
}

GPtrArray *unit_command_parse(const char *text, char **ret_problem)
{
	g_auto(GStrv) tokens = unit_split_tokens(text, ret_problem);
	g_autoptr(GPtrArray) commands = NULL;

	if (!tokens)
		return NULL;
	commands = g_ptr_array_new_with_free_func(unit_command_free);
	for (char **from = tokens; *from;) {
		unsigned n = 0;

		while (from[n] && strcmp(from[n], ";") != 0)
			n++;
		if (n > 0)
			g_ptr_array_add(commands, read_command(from, n));
		from += n + (from[n] != NULL);
	}
	for (guint i = 0; i < commands->len; i++) {
		if (has_program(g_ptr_array_index(commands, i)))
			continue;
		*ret_problem = g_strdup("a command has no program");
		return NULL;
	}
	if (commands->len == 0) {
		*ret_problem = g_strdup("there is no command");
		return NULL;
	}
	return g_steal_pointer(&commands);
}

/* --- writing --- */

/* Writes @token in the double quotes of a shell. */
static void append_double_quoted(GString *out, const char *token)
{
	g_string_append_c(out, '"');
	for (const char *at = token; *at; at++) {
		const size_t n = variable_length(at, false);

		if (n > 0) {
			g_string_append_len(out, at, (gssize)n);
			at += n - 1;
			continue;
		}
		if (at[0] == '$' && at[1] == '$')
			at++;
		if (strchr("$`\"\\", *at))
			g_string_append_c(out, '\\');
		g_string_append_c(out, *at);
	}
	g_string_append_c(out, '"');
}

static bool is_plain(const char *token)
{
	static const char signs[] = "_-+=:,./@%";

	for (const char *at = token; *at; at++) {
		if (!g_ascii_isalnum(*at) && !strchr(signs, *at))
			return false;
	}
	return *token != '\0';
}

static void append_for_shell(GString *out, const char *token)
{
	if (variable_length(token, true) == strlen(token) && token[1] != '{') {
		g_string_append(out, token); /* split into words, as by systemd */
	} else if (has_variable(token) || strstr(token, "$$")) {
		append_double_quoted(out, token);
	} else if (is_plain(token)) {
		g_string_append(out, token);
	} else {
		g_autofree char *quoted = g_shell_quote(token);

		g_string_append(out, quoted);
	}
}

static char *shell_text(const UnitCommand *command)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i + 1 < command->tokens->len; i++) {
		if (i > 0)
			g_string_append_c(text, ' ');
		append_for_shell(text, g_ptr_array_index(command->tokens, i));
	}
	return g_string_free(text, FALSE);
}

/*
 * A command line of svcd. "-f" prevents the expansion of "*", because systemd does not expand it.
 * $MAINPID is in the environment, too.
 */
static char *write_shell(const char *script)
{
	const char *const tokens[] = { "/bin/sh", "-fc", script, NULL };

	return text_join_tokens(tokens);
}

char *unit_command_write(const UnitCommand *command)
{
	g_autofree char *text = NULL;
	g_autofree char *script = NULL;
	g_auto(GStrv) tokens = NULL;

	if (command->has_variables) {
		text = shell_text(command);
		script = g_strconcat("exec ", text, NULL);
		return write_shell(script);
	}
	tokens = g_new0(char *, command->tokens->len);
	for (guint i = 0; i + 1 < command->tokens->len; i++) {
		g_auto(GStrv) pieces = g_strsplit(g_ptr_array_index(command->tokens, i), "$$", -1);

		tokens[i] = g_strjoinv("$", pieces);
	}
	return text_join_tokens((const char *const *)tokens);
}

char *unit_command_write_all(const GPtrArray *commands)
{
	g_autoptr(GString) script = g_string_new(NULL);

	if (commands->len == 1)
		return unit_command_write(g_ptr_array_index(commands, 0));
	for (guint i = 0; i < commands->len; i++) {
		const UnitCommand *command = g_ptr_array_index(commands, i);
		g_autofree char *text = shell_text(command);

		g_string_append(script, text);
		if (i + 1 < commands->len)
			g_string_append(script, command->may_fail ? "; " : " && ");
	}
	return write_shell(script->str);
}
