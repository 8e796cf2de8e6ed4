/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Commands: removes systemd's quoting and adds that of the shell or of svcd.
 */
#include "config.h"

#include "import-unit/command.h"

#include <string.h>

#include "base/text.h"

/* --- words --- */

static int digit_of(char c, int base)
{
	const int value = g_ascii_xdigit_value(c);

	return value < base ? value : -1;
}

/* @n digits of @base; -1 if they are missing. */
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

/* The letter after "\" of a simple escape, and its value. */
static char simple_escape(char letter)
{
	static const char from[] = "abfnrtvs\\\"';";
	static const char to[] = "\a\b\f\n\r\t\v \\\"';";
	const char *found = letter ? strchr(from, letter) : NULL;

	return found ? to[found - from] : '\0';
}

/* @at: after the "\". Returns: the number of bytes read, 0 if they are no escape. */
static int read_escape(const char *at, GString *word)
{
	static const struct {
		char letter;
		int n_digits;
		int base;
	} kinds[] = { { 'x', 2, 16 }, { 'u', 4, 16 }, { 'U', 8, 16 } };
	const char simple = simple_escape(*at);
	int value = read_number(at, 3, 8);

	if (simple) {
		g_string_append_c(word, simple);
		return 1;
	}
	if (value > 0 && value < 256) {
		g_string_append_c(word, (char)value);
		return 3;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
		value = *at == kinds[i].letter ? read_number(at + 1, kinds[i].n_digits, kinds[i].base) : -1;
		if (value <= 0)
			continue;
		if (kinds[i].n_digits == 2)
			g_string_append_c(word, (char)value);
		else
			g_string_append_unichar(word, (gunichar)value);
		return 1 + kinds[i].n_digits;
	}
	return 0;
}

/* One word from *@at on; false with *@ret_problem. */
static bool read_word(const char **at, GString *word, char **ret_problem)
{
	char quote = '\0';
	const char *p = *at;

	for (; *p && (quote || !g_ascii_isspace(*p)); p++) {
		if (quote ? *p == quote : *p == '"' || *p == '\'') {
			quote = quote ? '\0' : *p;
		} else if (*p == '\\' && p[1]) {
			const int n = read_escape(p + 1, word);

			/* A "\" that begins no escape stands for itself, as in systemd. */
			if (n == 0)
				g_string_append_c(word, '\\');
			p += n;
		} else {
			g_string_append_c(word, *p);
		}
	}
	*at = p;
	if (quote)
		*ret_problem = g_strdup_printf("a %c is not closed", quote);
	return !quote;
}

char **unit_split_words(const char *text, char **ret_problem)
{
	g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);

	for (const char *at = text; *at;) {
		g_autoptr(GString) word = g_string_new(NULL);

		while (g_ascii_isspace(*at))
			at++;
		if (!*at)
			break;
		if (!read_word(&at, word, ret_problem))
			return NULL;
		if (strpbrk(word->str, "\n\r")) {
			*ret_problem = g_strdup("a line of a service file cannot contain a line break");
			return NULL;
		}
		g_ptr_array_add(words, g_strdup(word->str));
	}
	g_ptr_array_add(words, NULL);
	return (char **)g_ptr_array_free(g_steal_pointer(&words), FALSE);
}

/* --- commands --- */

static void unit_command_free(gpointer data)
{
	UnitCommand *command = data;

	g_ptr_array_unref(command->words);
	g_free(command);
}

/*
 * "${NAME}" anywhere, "$NAME" as a whole word. The length of the variable at @at, 0 if there is
 * none.
 */
static size_t variable_length(const char *at, bool is_whole_word)
{
	const bool has_brace = at[0] == '$' && at[1] == '{';
	const char *name = at + 1 + has_brace;
	size_t n = 0;

	if (*at != '$' || (!has_brace && !is_whole_word))
		return 0;
	while (g_ascii_isalnum(name[n]) || name[n] == '_')
		n++;
	if (n == 0 || g_ascii_isdigit(*name) || name[n] != (has_brace ? '}' : '\0'))
		return 0;
	return 1 + has_brace + n + has_brace;
}

static bool is_main_pid(const char *word)
{
	return strcmp(word, "$MAINPID") == 0 || strcmp(word, "${MAINPID}") == 0;
}

static bool has_variable(const char *word)
{
	for (const char *at = strchr(word, '$'); at; at = strchr(at + 1, '$')) {
		if (at[1] == '$')
			at++;
		else if (variable_length(at, at == word) > 0)
			return true;
	}
	return false;
}

/* The prefix characters of the first word. Returns: the rest of it. */
static const char *read_prefixes(UnitCommand *command, const char *word, bool *is_literal)
{
	for (; *word && strchr("@-:+!|", *word); word++) {
		command->may_fail = command->may_fail || *word == '-';
		command->has_other_name = command->has_other_name || *word == '@';
		command->is_privileged = command->is_privileged || *word == '+' || *word == '!';
		*is_literal = *is_literal || *word == ':';
	}
	return word;
}

/* "$" stays special only in a variable. */
static void add_word(UnitCommand *command, const char *word, bool is_literal)
{
	if (is_main_pid(word) && !is_literal) {
		g_ptr_array_add(command->words, g_strdup("$MAINPID"));
		return;
	}
	command->has_variables = command->has_variables || (!is_literal && has_variable(word));
	g_ptr_array_add(command->words, g_strdup(word));
}

static UnitCommand *read_command(char **words, unsigned n)
{
	UnitCommand *command = g_new0(UnitCommand, 1);
	bool is_literal = false;
	const char *program = read_prefixes(command, words[0], &is_literal);

	command->words = g_ptr_array_new_with_free_func(g_free);
	g_ptr_array_add(command->words, g_strdup(program));
	for (unsigned i = command->has_other_name ? 2 : 1; i < n; i++)
		add_word(command, words[i], is_literal);
	g_ptr_array_add(command->words, NULL);
	return command;
}

static bool has_program(const UnitCommand *command)
{
	const char *program = g_ptr_array_index(command->words, 0);

	return *program != '\0';
}

GPtrArray *unit_command_parse(const char *text, char **ret_problem)
{
	g_auto(GStrv) words = unit_split_words(text, ret_problem);
	g_autoptr(GPtrArray) commands = NULL;

	if (!words)
		return NULL;
	commands = g_ptr_array_new_with_free_func(unit_command_free);
	for (char **from = words; *from;) {
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
		*ret_problem = g_strdup("a command in it has no program");
		return NULL;
	}
	if (commands->len == 0) {
		*ret_problem = g_strdup("there is no command in it");
		return NULL;
	}
	return g_steal_pointer(&commands);
}

/* --- writing --- */

/* Inside "..." of a shell. */
static void append_double_quoted(GString *out, const char *word)
{
	g_string_append_c(out, '"');
	for (const char *at = word; *at; at++) {
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

static bool is_plain(const char *word)
{
	static const char signs[] = "_-+=:,./@%";

	for (const char *at = word; *at; at++) {
		if (!g_ascii_isalnum(*at) && !strchr(signs, *at))
			return false;
	}
	return *word != '\0';
}

static void append_for_shell(GString *out, const char *word)
{
	if (variable_length(word, true) == strlen(word) && word[1] != '{') {
		g_string_append(out, word); /* split into words, as by systemd */
	} else if (has_variable(word) || strstr(word, "$$")) {
		append_double_quoted(out, word);
	} else if (is_plain(word)) {
		g_string_append(out, word);
	} else {
		g_autofree char *quoted = g_shell_quote(word);

		g_string_append(out, quoted);
	}
}

static char *shell_text(const UnitCommand *command)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i + 1 < command->words->len; i++) {
		if (i > 0)
			g_string_append_c(text, ' ');
		append_for_shell(text, g_ptr_array_index(command->words, i));
	}
	return g_string_free(text, FALSE);
}

/*
 * A command line of svcd. "-f": no expansion of "*", which systemd does not expand. $MAINPID is in
 * the environment, too.
 */
static char *write_shell(const char *script)
{
	const char *const words[] = { "/bin/sh", "-fc", script, NULL };

	return text_join_words(words);
}

char *unit_command_write(const UnitCommand *command)
{
	g_autofree char *text = NULL;
	g_autofree char *script = NULL;
	g_auto(GStrv) words = NULL;

	if (command->has_variables) {
		text = shell_text(command);
		script = g_strconcat("exec ", text, NULL);
		return write_shell(script);
	}
	words = g_new0(char *, command->words->len);
	for (guint i = 0; i + 1 < command->words->len; i++) {
		g_auto(GStrv) pieces = g_strsplit(g_ptr_array_index(command->words, i), "$$", -1);

		words[i] = g_strjoinv("$", pieces);
	}
	return text_join_words((const char *const *)words);
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
