/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Output: lines, fields, errors and the JSON document. Tables are in table.c.
 */
#include "config.h"

#include "svcctl/output.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"

#define SCHEMA "svcctl/1"

/* Columns of the parts of a field. */
enum { FIELD_INDENT = 2, FIELD_LABEL = 11, FIELD_DEEPER = 4, NARROWEST_TEXT = 20 };

static unsigned terminal_width(FILE *stream)
{
	struct winsize size;
	const char *columns = g_getenv("COLUMNS");
	uint64_t width;

	if (!isatty(fileno(stream)))
		return 0;
	if (columns && text_parse_uint(columns, 10, 10000, &width) && width > 0)
		return (unsigned)width;
	return ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static bool wants_colour(FILE *stream)
{
	const char *no_colour = g_getenv("NO_COLOR"); /* no-color.org: when set and not empty */
	const char *term = g_getenv("TERM");

	return isatty(fileno(stream)) && !(no_colour && *no_colour) && term &&
	       strcmp(term, "dumb") != 0;
}

void output_init(Output *output)
{
	*output = (Output){
		.verb = "",
		.out = stdout,
		.err = stderr,
		.has_colour = wants_colour(stdout),
		.is_ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0,
		.has_header = true,
		.width = terminal_width(stdout),
		.now_us = g_get_monotonic_time(),
		.wall_us = g_get_real_time(),
	};
}

void output_clear(Output *output)
{
	g_clear_pointer(&output->data, json_node_unref);
}

static void G_GNUC_PRINTF(2, 0) print_line(Output *output, const char *format, va_list args)
{
	g_autofree char *text = g_strdup_vprintf(format, args);
	g_autofree char *escaped = text_escape_terminal(text);

	fprintf(output->out, "%s\n", escaped);
}

void output_line(Output *output, const char *format, ...)
{
	va_list args;

	if (output->is_json)
		return;
	va_start(args, format);
	print_line(output, format, args);
	va_end(args);
}

void output_confirm(Output *output, const char *format, ...)
{
	va_list args;

	if (output->is_json || output->is_quiet)
		return;
	va_start(args, format);
	print_line(output, format, args);
	va_end(args);
	(void)fflush(output->out); /* progress; a lost pipe is found at the end */
}

char *output_wrap(const Output *output, const char *text, unsigned indent)
{
	const unsigned width = output->width > indent + NARROWEST_TEXT ? output->width - indent :
									 NARROWEST_TEXT;
	g_auto(GStrv) tokens = g_strsplit(text, " ", -1);
	g_autoptr(GString) wrapped = g_string_new(NULL);
	glong used = 0;

	for (size_t i = 0; tokens[i]; i++) {
		const glong length = g_utf8_strlen(tokens[i], -1);

		if (i > 0 && output->width > 0 && used + 1 + length > (glong)width) {
			g_string_append_c(wrapped, '\n');
			used = 0;
		} else if (i > 0) {
			g_string_append_c(wrapped, ' ');
			used++;
		}
		g_string_append(wrapped, tokens[i]);
		used += length;
	}
	return g_string_free(g_steal_pointer(&wrapped), FALSE);
}

/* Prints @text, which begins in column @indent. */
static void print_wrapped(Output *output, const char *text, unsigned indent)
{
	g_autofree char *wrapped = output_wrap(output, text, indent);
	g_auto(GStrv) lines = g_strsplit(wrapped, "\n", -1);

	for (size_t i = 0; lines[i]; i++)
		fprintf(output->out, "%*s%s\n", i > 0 ? (int)indent : 0, "", lines[i]);
	if (!lines[0])
		fputc('\n', output->out);
}

void output_paragraph(Output *output, unsigned indent, const char *text)
{
	g_autofree char *escaped = output->is_json ? NULL : text_escape_terminal(text);

	if (escaped)
		print_wrapped(output, escaped, indent);
}

void output_headline_at(Output *output, unsigned indent, const char *text)
{
	if (output->is_json)
		return;
	fprintf(output->out, "%*s", (int)indent, "");
	output_paragraph(output, indent, text);
}

void output_headline_deep(Output *output, unsigned depth, const char *text)
{
	output_headline_at(output, FIELD_INDENT + FIELD_DEEPER * MIN(depth, 8), text);
}

void output_field_deep(Output *output, unsigned depth, const char *label, const char *text)
{
	const unsigned indent = FIELD_INDENT + FIELD_DEEPER * MIN(depth, 8);
	g_autofree char *escaped = NULL;

	if (output->is_json || !text)
		return;
	escaped = text_escape_terminal(text);
	fprintf(output->out, "%*s%-*s", (int)indent, "", FIELD_LABEL, label);
	print_wrapped(output, escaped, indent + MAX(FIELD_LABEL, (unsigned)strlen(label)));
}

void output_field(Output *output, const char *label, const char *text)
{
	output_field_deep(output, 0, label, text);
}

/* The symbol and colour of a state. The colour only repeats the meaning of the symbol. */
static const struct {
	const char *state;
	const char *symbol;
	const char *ascii;
	const char *colour;
} looks[] = {
	{ "ready", "●", "*", "\033[32m" },    { "done", "●", "*", "\033[32m" },
	{ "starting", "◐", "~", "\033[33m" }, { "stopping", "◐", "~", "\033[33m" },
	{ "backoff", "◐", "~", "\033[33m" },  { "waiting", "◇", ".", "\033[36m" },
	{ "failed", "✗", "X", "\033[31m" },   { "idle", "○", "-", "" },
};
static const char never_symbol[] = "⊘";
static const char never_colour[] = "\033[35m";

bool output_check_state(const char *state, GError **error)
{
	g_autoptr(GString) names = g_string_new(NULL);

	for (size_t i = 0; i < G_N_ELEMENTS(looks); i++) {
		if (strcmp(looks[i].state, state) == 0)
			return true;
		g_string_append_printf(names, "%s%s", i > 0 ? ", " : "", looks[i].state);
	}
	return fail_ctl(error, CTL_ERROR_USAGE, "there is no state \"%s\"; the states are %s",
			state, names->str);
}

static int find_look(const char *state)
{
	for (size_t i = 0; i < G_N_ELEMENTS(looks); i++) {
		if (strcmp(looks[i].state, state) == 0)
			return (int)i;
	}
	return G_N_ELEMENTS(looks) - 1;
}

/* Only an idle service has the symbol of "never". One that still runs shows its state instead. */
static bool shows_never(const char *state, bool is_never)
{
	return is_never && strcmp(state, "idle") == 0;
}

const char *output_symbol(const Output *output, const char *state, bool is_never)
{
	if (shows_never(state, is_never))
		return output->is_ascii ? "!" : never_symbol;
	return output->is_ascii ? looks[find_look(state)].ascii : looks[find_look(state)].symbol;
}

const char *output_colour(const Output *output, const char *state, bool is_never)
{
	if (!output->has_colour)
		return "";
	return shows_never(state, is_never) ? never_colour : looks[find_look(state)].colour;
}

const char *output_colour_end(const Output *output)
{
	return output->has_colour ? "\033[0m" : "";
}

/* "Sat 09:14:07", with the date if it is some days ago. */
static void format_wall(const Output *output, int64_t at_us, char *text, size_t size)
{
	const int64_t ago_us = MAX(output->now_us - at_us, 0);
	const time_t wall = (time_t)((output->wall_us - ago_us) / G_USEC_PER_SEC);
	const bool is_near = ago_us < 6 * G_TIME_SPAN_DAY;
	struct tm tm;

	*text = '\0';
	if (localtime_r(&wall, &tm))
		/* it fits */
		(void)strftime(text, size, is_near ? "%a %H:%M:%S" : "%Y-%m-%d %H:%M", &tm);
}

char *output_format_time(const Output *output, int64_t at_us)
{
	g_autofree char *ago = text_format_duration(MAX(output->now_us - at_us, 0));
	char wall[64];

	if (at_us <= 0)
		return g_strdup("never");
	format_wall(output, at_us, wall, sizeof wall);
	return g_strdup_printf("%s ago (%s)", ago, wall);
}

char *output_stamp(int64_t at_us)
{
	const int64_t wall_us = MAX(g_get_real_time() - g_get_monotonic_time() + at_us, 0);
	g_autoptr(GDateTime) time = g_date_time_new_from_unix_utc(wall_us / G_USEC_PER_SEC);
	g_autofree char *seconds = time ? g_date_time_format(time, "%Y-%m-%dT%H:%M:%S") :
					  g_strdup("");

	return g_strdup_printf("%s.%03dZ", seconds, (int)(wall_us / 1000 % 1000));
}

char *output_format_since(const Output *output, int64_t at_us)
{
	g_autofree char *ago = text_format_duration(MAX(output->now_us - at_us, 0));
	char wall[64];

	if (at_us <= 0)
		return g_strdup("the boot");
	format_wall(output, at_us, wall, sizeof wall);
	return g_strdup_printf("%s (%s ago)", wall, ago);
}

char *output_format_bytes(uint64_t bytes)
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB" };
	double value = (double)bytes / 1024;
	size_t unit = 0;

	if (bytes == 0)
		return g_strdup("");
	for (; value >= 1024 && unit + 1 < G_N_ELEMENTS(units); unit++)
		value /= 1024;
	return g_strdup_printf("%.1f %s", value, units[unit]);
}

char *output_count(unsigned n, const char *token)
{
	return g_strdup_printf("%u %s%s", n, token, n == 1 ? "" : "s");
}

/* --- errors and the document --- */

void output_set_data(Output *output, JsonNode *node)
{
	g_clear_pointer(&output->data, json_node_unref);
	output->data = node;
}

void output_set_array(Output *output, JsonArray *array)
{
	output_set_data(output, json_node_init_array(json_node_alloc(), array));
	json_array_unref(array);
}

JsonNode *object_to_node(JsonObject *object)
{
	JsonNode *node = json_node_init_object(json_node_alloc(), object);

	json_object_unref(object);
	return node;
}

void output_set_object(Output *output, JsonObject *object)
{
	output_set_data(output, object_to_node(object));
}

static void set_valid(JsonObject *object, const char *key, const char *text)
{
	g_autofree char *valid = g_utf8_make_valid(text, -1);

	json_object_set_string_member(object, key, valid);
}

JsonNode *output_error_to_json(const GError *error, const char *hint)
{
	JsonNode *node = json_node_new(JSON_NODE_OBJECT);
	JsonObject *object = json_object_new();

	set_valid(object, "code", error_code_text(error));
	set_valid(object, "message", error->message);
	if (hint)
		set_valid(object, "hint", hint);
	json_node_take_object(node, object);
	return node;
}

void output_print_error(Output *output, const GError *error, const char *hint)
{
	g_autofree char *message = text_escape_terminal(error->message);
	g_auto(GStrv) lines = g_strsplit(hint ? hint : "", "\n", -1);

	fprintf(output->err, "svcctl: %s\n", message);
	for (size_t i = 0; lines[i] && *lines[i]; i++) {
		g_autofree char *line = text_escape_terminal(lines[i]);

		fprintf(output->err, "  %s\n", line);
	}
}

/* The text may be read on a terminal, and contains output of services. */
void output_json(Output *output, const char *text)
{
	g_autofree char *escaped = text_escape_json(text);

	fprintf(output->out, "%s\n", escaped);
}

static void print_document(Output *output, ExitCode code, const GError *error, const char *hint)
{
	g_autoptr(JsonNode) node = json_node_new(JSON_NODE_OBJECT);
	g_autoptr(JsonGenerator) generator = json_generator_new();
	JsonObject *object = json_object_new();
	g_autofree char *text = NULL;

	json_object_set_string_member(object, "schema", SCHEMA);
	json_object_set_string_member(object, "verb", output->verb);
	json_object_set_int_member(object, "exit", code);
	if (output->data)
		json_object_set_member(object, "data", json_node_copy(output->data));
	if (error)
		json_object_set_member(object, "error", output_error_to_json(error, hint));
	json_node_take_object(node, object);
	json_generator_set_root(generator, node);
	json_generator_set_pretty(generator, output->is_pretty);
	text = json_generator_to_data(generator, NULL);
	output_json(output, text);
}

/* One line per object, also if the final document is indented. */
void output_progress(Output *output, JsonObject *progress)
{
	g_autoptr(JsonNode) node = json_node_new(JSON_NODE_OBJECT);
	JsonObject *object = json_object_new();
	g_autofree char *text = NULL;

	json_object_set_string_member(object, "schema", SCHEMA);
	json_object_set_string_member(object, "verb", output->verb);
	json_object_set_object_member(object, "progress", progress);
	json_node_take_object(node, object);
	text = json_to_string(node, FALSE);
	output_json(output, text);
	(void)fflush(output->out); /* a lost pipe is found at the end */
}

void output_finish(Output *output, ExitCode code, const GError *error, const char *hint)
{
	if (output->is_json && output->is_stream && !error)
		return;
	if (output->is_json)
		print_document(output, code, error, hint);
	else if (error)
		output_print_error(output, error, hint);
}
