/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Text: the small grammars that several components read or write.
 */
#include "config.h"

#include "base/text.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

int text_compare(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

char **text_split_tokens(const char *text, char **ret_problem)
{
	const char *problem;
	char **tokens = tokens_split(text, &problem);

	if (!tokens)
		*ret_problem = g_strdup(problem);
	return tokens; /* freed by g_strfreev() */
}

static bool needs_quotes(const char *token)
{
	return !*token || strpbrk(token, " \t\n\r'\"\\|") != NULL;
}

char *text_join_tokens(const char *const *tokens)
{
	g_autoptr(GString) line = g_string_new(NULL);

	for (size_t i = 0; tokens && tokens[i]; i++) {
		if (i > 0)
			g_string_append_c(line, ' ');
		if (!needs_quotes(tokens[i])) {
			g_string_append(line, tokens[i]);
			continue;
		}
		g_string_append_c(line, '"');
		for (const char *p = tokens[i]; *p; p++) {
			if (*p == '"' || *p == '\\')
				g_string_append_c(line, '\\');
			g_string_append_c(line, *p);
		}
		g_string_append_c(line, '"');
	}
	return g_string_free(g_steal_pointer(&line), FALSE);
}

char *text_expand(const char *text, const char *instance, const char *runtime, char **ret_problem)
{
	g_autoptr(GString) out = g_string_new(NULL);

	for (const char *p = text; *p; p++) {
		if (*p != '%') {
			g_string_append_c(out, *p);
		} else if (p[1] == 'i' && instance) {
			g_string_append(out, instance);
			p++;
		} else if (p[1] == 't') {
			g_string_append(out, runtime);
			p++;
		} else if (p[1] == '%') {
			g_string_append_c(out, '%');
			p++;
		} else {
			*ret_problem =
				p[1] == 'i' ?
					g_strdup("%i is replaced only in a template (NAME@.svc)") :
					g_strdup("only %i and %t are replaced; write %% for a "
						 "percent sign");
			return NULL;
		}
	}
	return g_string_free(g_steal_pointer(&out), FALSE);
}

static bool duration_unit(const char *unit, size_t length, double *ret_us)
{
	static const struct {
		const char *name;
		double us;
	} units[] = {
		{ "us", 1 },     { "ms", 1e3 },   { "s", 1e6 },     { "sec", 1e6 }, { "m", 60e6 },
		{ "min", 60e6 }, { "h", 3600e6 }, { "d", 86400e6 }, { "", 1e6 },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(units); i++) {
		if (strlen(units[i].name) == length && strncmp(units[i].name, unit, length) == 0) {
			*ret_us = units[i].us;
			return true;
		}
	}
	return false;
}

bool text_parse_duration(const char *text, int64_t *ret_us)
{
	double total = 0;
	bool any = false;

	for (const char *p = text; *p;) {
		char *end;
		double number;
		double unit_us;
		size_t length;

		if (is_blank(*p)) {
			p++;
			continue;
		}
		if (!g_ascii_isdigit(*p))
			return false;
		number = g_ascii_strtod(p, &end);
		if (end != p + strspn(p, "0123456789.")) /* rejects 0x10 and 1e3 */
			return false;
		length = strspn(end, "abcdefghijklmnopqrstuvwxyz");
		if (!duration_unit(end, length, &unit_us))
			return false;
		p = end + length;
		if (*p && !is_blank(*p) && !g_ascii_isdigit(*p))
			return false;
		total += number * unit_us;
		any = true;
	}
	/* Ten years: longer than any useful wait, and far from an overflow. */
	if (!any || total > 10.0 * 365 * 86400e6)
		return false;
	*ret_us = (int64_t)(total + 0.5);
	return true;
}

char *text_format_duration(int64_t us)
{
	int64_t s = us / G_USEC_PER_SEC;

	if (us < G_USEC_PER_SEC)
		return g_strdup_printf("%d ms", (int)(us / 1000));
	if (s < 60)
		return g_strdup_printf("%d.%d s", (int)s, (int)(us % G_USEC_PER_SEC / 100000));
	if (s < 3600)
		return g_strdup_printf("%d min %d s", (int)(s / 60), (int)(s % 60));
	if (s < 86400)
		return g_strdup_printf("%d h %d min", (int)(s / 3600), (int)(s % 3600 / 60));
	return g_strdup_printf("%d d %d h", (int)(s / 86400), (int)(s % 86400 / 3600));
}

char *text_format_ago(int64_t us)
{
	g_autofree char *duration = text_format_duration(MAX(us, 0));

	return us < G_USEC_PER_SEC ? g_strdup("just now") : g_strdup_printf("%s ago", duration);
}

bool text_parse_uint(const char *text, int base, uint64_t max, uint64_t *ret)
{
	char *end;
	unsigned long long value;

	if (!g_ascii_isdigit(*text))
		return false;
	errno = 0;
	value = strtoull(text, &end, base);
	if (errno || *end || value > max)
		return false;
	*ret = value;
	return true;
}

bool text_parse_int(const char *text, int64_t min, int64_t max, int64_t *ret)
{
	char *end;
	long long value;

	if (!g_ascii_isdigit(*text) && !(*text == '-' && g_ascii_isdigit(text[1])))
		return false;
	errno = 0;
	value = strtoll(text, &end, 10);
	if (errno || *end || value < min || value > max)
		return false;
	*ret = value;
	return true;
}

const char *text_base36(char digits[TEXT_BASE36_BYTES], uint64_t value)
{
	char *first = digits + TEXT_BASE36_BYTES - 1;

	*first = '\0';
	do {
		*--first = "0123456789abcdefghijklmnopqrstuvwxyz"[value % 36];
		value /= 36;
	} while (value);
	return first;
}

bool text_parse_base36(const char *text, int64_t *ret, const char **ret_end)
{
	char *end;
	const guint64 value = g_ascii_strtoull(text, &end, 36);

	if (end == text || !g_ascii_isalnum(*text) || value > INT64_MAX)
		return false;
	*ret = (int64_t)value;
	*ret_end = end;
	return true;
}

bool text_parse_size(const char *text, uint64_t *ret_bytes)
{
	static const char suffixes[] = "KMGT";
	const size_t length = strlen(text);
	const char *suffix = length > 0 ? strchr(suffixes, text[length - 1]) : NULL;
	const unsigned shift = suffix ? 10 * (unsigned)(suffix - suffixes + 1) : 0;
	g_autofree char *number = g_strndup(text, length - (suffix ? 1 : 0));
	uint64_t value;

	if (strcmp(text, "infinity") == 0) {
		*ret_bytes = UINT64_MAX;
		return true;
	}
	if (!text_parse_uint(number, 10, UINT64_MAX >> shift, &value))
		return false;
	*ret_bytes = value << shift;
	return true;
}

char *text_escape_bus_path(const char *name)
{
	g_autoptr(GString) out = g_string_new(*name ? NULL : "_");

	for (const char *p = name; *p; p++) {
		if (g_ascii_isalnum(*p))
			g_string_append_c(out, *p);
		else
			g_string_append_printf(out, "_%02x", (unsigned char)*p);
	}
	return g_string_free(g_steal_pointer(&out), FALSE);
}

char *text_unescape_bus_path(const char *element)
{
	g_autoptr(GString) out = g_string_new(NULL);

	if (strcmp(element, "_") == 0)
		return g_strdup("");
	for (const char *p = element; *p; p++) {
		if (*p != '_') {
			g_string_append_c(out, *p);
			continue;
		}
		if (!g_ascii_isxdigit(p[1]) || !g_ascii_isxdigit(p[2]))
			return NULL;
		g_string_append_c(
			out, (char)(g_ascii_xdigit_value(p[1]) * 16 + g_ascii_xdigit_value(p[2])));
		p += 2;
	}
	return g_string_free(g_steal_pointer(&out), FALSE);
}

/*
 * Does the character change the display order of the text after it, or is it invisible? (Unicode
 * Standard Annex 9, 2; 23.2 and 23.7.)
 */
static bool is_deceptive(gunichar c)
{
	static const struct {
		gunichar first;
		gunichar last;
	} ranges[] = {
		{ 0x00ad, 0x00ad }, /* soft hyphen */
		{ 0x061c, 0x061c }, /* Arabic letter mark */
		{ 0x200b, 0x200b }, /* zero width space; some languages need U+200C and U+200D */
		{ 0x200e, 0x200f }, /* left-to-right, right-to-left marks */
		{ 0x2028, 0x202e }, /* line and paragraph separators, embeddings and overrides */
		/* invisible operators, isolates, deprecated format characters */
		{ 0x2060, 0x206f },
		{ 0xfeff, 0xfeff }, /* zero width no-break space */
		{ 0xfff9, 0xfffb }, /* interlinear annotations */
		{ 0xe0000, 0xe007f }, /* tags */
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(ranges); i++) {
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	}
	return false;
}

char *text_escape_terminal(const char *text)
{
	g_autoptr(GString) out = g_string_sized_new(strlen(text) + 1);

	for (const char *p = text; *p;) {
		const gunichar c = g_utf8_get_char_validated(p, -1);

		if (c == (gunichar)-1 || c == (gunichar)-2) {
			g_string_append_printf(out, "\\x%02x", (unsigned char)*p);
			p++;
			continue;
		}
		if (c == '\t')
			g_string_append_c(out, ' ');
		else if (c < 0x20 || (c >= 0x7f && c < 0xa0))
			g_string_append_printf(out, "\\x%02x", (unsigned)c);
		else if (is_deceptive(c))
			g_string_append_printf(out, "\\u%04x", (unsigned)c);
		else
			g_string_append_unichar(out, c);
		p = g_utf8_next_char(p);
	}
	return g_string_free(g_steal_pointer(&out), FALSE);
}

char *text_escape_json(const char *json)
{
	g_autoptr(GString) out = g_string_sized_new(strlen(json) + 1);

	for (const char *p = json; *p; p = g_utf8_next_char(p)) {
		const gunichar c = g_utf8_get_char(p);

		if ((c < 0x7f || c >= 0xa0) && !is_deceptive(c))
			g_string_append_unichar(out, c);
		else if (c < 0x10000)
			g_string_append_printf(out, "\\u%04x", (unsigned)c);
		else /* a surrogate pair (RFC 8259, 7) */
			g_string_append_printf(out, "\\u%04x\\u%04x",
					       0xd800 + (((unsigned)c - 0x10000) >> 10),
					       0xdc00 + (((unsigned)c - 0x10000) & 0x3ff));
	}
	return g_string_free(g_steal_pointer(&out), FALSE);
}

static const struct {
	const char *name;
	int number;
	/* clang-format off */
} signal_names[] = {
	{ "HUP", SIGHUP }, { "INT", SIGINT }, { "QUIT", SIGQUIT }, { "ILL", SIGILL }, { "TRAP", SIGTRAP },
	{ "ABRT", SIGABRT }, { "BUS", SIGBUS }, { "FPE", SIGFPE }, { "KILL", SIGKILL }, { "USR1", SIGUSR1 },
	{ "SEGV", SIGSEGV }, { "USR2", SIGUSR2 }, { "PIPE", SIGPIPE }, { "ALRM", SIGALRM }, { "TERM", SIGTERM },
	{ "CHLD", SIGCHLD }, { "CONT", SIGCONT }, { "STOP", SIGSTOP }, { "TSTP", SIGTSTP }, { "TTIN", SIGTTIN },
	{ "TTOU", SIGTTOU }, { "URG", SIGURG }, { "XCPU", SIGXCPU }, { "XFSZ", SIGXFSZ },
	{ "VTALRM", SIGVTALRM }, { "PROF", SIGPROF }, { "WINCH", SIGWINCH }, { "IO", SIGIO }, { "PWR", SIGPWR },
	{ "SYS", SIGSYS },
};
/* clang-format on */

bool text_parse_signal(const char *text, int *ret_signal)
{
	const char *name = g_str_has_prefix(text, "SIG") ? text + 3 : text;
	uint64_t number;

	if (text_parse_uint(text, 10, (uint64_t)SIGRTMAX, &number) && number > 0) {
		*ret_signal = (int)number;
		return true;
	}
	if (g_str_has_prefix(name, "RTMIN+") &&
	    text_parse_uint(name + 6, 10, (uint64_t)(SIGRTMAX - SIGRTMIN), &number)) {
		*ret_signal = SIGRTMIN + (int)number;
		return true;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(signal_names); i++) {
		if (strcmp(signal_names[i].name, name) == 0) {
			*ret_signal = signal_names[i].number;
			return true;
		}
	}
	return false;
}

const char *text_signal_name(int signal)
{
	for (size_t i = 0; i < G_N_ELEMENTS(signal_names); i++) {
		if (signal_names[i].number == signal)
			return signal_names[i].name;
	}
	return signal >= SIGRTMIN && signal <= SIGRTMAX ? "a real-time signal" :
							  "an unknown signal";
}
