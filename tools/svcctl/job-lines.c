/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Job lines: the cursor stands at the end of the last line. To rewrite the lines, the cursor moves
 * up by the rows that they take now. The terminal may have become narrower since, and may have
 * wrapped them.
 */
#include "config.h"

#include "svcctl/job-lines.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"

#define REDRAW_US (G_USEC_PER_SEC / 10)

/* For a terminal that does not report its size. */
enum { USUAL_COLUMNS = 80, USUAL_ROWS = 24 };

typedef enum JobLinesMode { MODE_SILENT, MODE_PLAIN, MODE_LIVE, MODE_STREAM } JobLinesMode;

struct JobLines {
	Output *output;
	JobLinesMode mode;
	GArray *drawn; /* unsigned: how many columns each line on the terminal takes */
	int64_t drawn_us;
	bool is_late; /* a change came too soon after @drawn_us */
	GHashTable *reported; /* MODE_PLAIN, MODE_STREAM: name -> its last printed line; owned */
};

static JobLinesMode choose_mode(const Output *output, bool is_stream)
{
	if (output->is_json)
		return is_stream ? MODE_STREAM : MODE_SILENT;
	if (output->is_quiet)
		return MODE_SILENT;
	/*
	 * Moving the cursor is an escape sequence like a colour, so without colours the lines are
	 * not rewritten.
	 */
	return output->has_colour && isatty(fileno(output->out)) ? MODE_LIVE : MODE_PLAIN;
}

JobLines *job_lines_new(Output *output, bool is_stream)
{
	JobLines *lines = g_new0(JobLines, 1);

	lines->output = output;
	lines->mode = choose_mode(output, is_stream);
	lines->drawn = g_array_new(FALSE, FALSE, sizeof(unsigned));
	lines->reported = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	return lines;
}

bool job_lines_are_live(const JobLines *lines)
{
	return lines->mode == MODE_LIVE;
}

int64_t job_lines_next_us(const JobLines *lines)
{
	return lines->is_late ? lines->drawn_us + REDRAW_US :
				g_get_monotonic_time() + G_USEC_PER_SEC;
}

/* --- one line --- */

static unsigned columns_of(gunichar c)
{
	if (g_unichar_iszerowidth(c))
		return 0;
	return g_unichar_iswide(c) ? 2 : 1;
}

static unsigned text_columns(const char *text)
{
	unsigned columns = 0;

	for (; *text; text = g_utf8_next_char(text))
		columns += columns_of(g_utf8_get_char(text));
	return columns;
}

char *job_line_fit(const char *text, unsigned columns, bool is_ascii)
{
	const char *mark = is_ascii ? "..." : "…";
	const unsigned width = columns > text_columns(mark) ? columns - text_columns(mark) : 0;
	unsigned used = 0;
	const char *end = text;

	if (text_columns(text) <= columns)
		return g_strdup(text);
	while (used + columns_of(g_utf8_get_char(end)) <= width) {
		used += columns_of(g_utf8_get_char(end));
		end = g_utf8_next_char(end);
	}
	return g_strdup_printf("%.*s%s", (int)(end - text), text, width > 0 ? mark : "");
}

/* Seconds are precise enough for a live display. */
static char *time_text(const JobLine *job)
{
	const int64_t whole_us = job->elapsed_us / G_USEC_PER_SEC * G_USEC_PER_SEC;
	g_autofree char *elapsed =
		job->elapsed_us < 60 * G_USEC_PER_SEC ?
			g_strdup_printf("%d s", (int)(whole_us / G_USEC_PER_SEC)) :
			text_format_duration(whole_us);
	g_autofree char *limit = NULL;

	if (job->limit_us <= 0)
		return g_steal_pointer(&elapsed);
	limit = job->limit_us < 60 * G_USEC_PER_SEC ?
			g_strdup_printf("%d s", (int)(job->limit_us / G_USEC_PER_SEC)) :
			text_format_duration(job->limit_us);
	return g_strdup_printf("%s / %s", elapsed, limit);
}

static void append_part(GString *text, const char *part)
{
	if (part && *part)
		g_string_append_printf(text, "  %s", part);
}

/* "◐ postgresql  stopping  3 s / 10 s  pid 811  flushing"; a new string. */
static char *line_text(const JobLines *lines, const JobLine *job)
{
	g_autoptr(GString) text = g_string_new(output_symbol(lines->output, job->state, false));
	g_autofree char *time = time_text(job);

	g_string_append_printf(text, " %s", job->name);
	append_part(text, job->state);
	append_part(text, time);
	append_part(text, job->note);
	append_part(text, job->detail);
	return text_escape_terminal(text->str);
}

/* --- in place --- */

static struct winsize terminal_size(const Output *output)
{
	struct winsize size = { 0 };

	(void)ioctl(fileno(output->out), TIOCGWINSZ, &size); /* leaves 0 if the size is unknown */
	if (size.ws_col == 0)
		size.ws_col = USUAL_COLUMNS;
	if (size.ws_row == 0)
		size.ws_row = USUAL_ROWS;
	return size;
}

/* Moves to the first column of the first line, and erases everything from there. */
static void append_erase(JobLines *lines, GString *out, unsigned width)
{
	unsigned rows = 0;

	if (lines->drawn->len == 0)
		return;
	for (guint i = 0; i < lines->drawn->len; i++)
		rows += MAX((g_array_index(lines->drawn, unsigned, i) + width - 1) / width, 1);
	g_string_append_c(out, '\r');
	if (rows > 1)
		g_string_append_printf(out, "\033[%uA", rows - 1);
	g_string_append(out, "\033[J");
	g_array_set_size(lines->drawn, 0);
}

static void append_live_line(JobLines *lines, GString *out, const char *text, unsigned width)
{
	/*
	 * The last column stays free, because terminals differ in the cursor's row after it is
	 * used.
	 */
	g_autofree char *fitting = job_line_fit(text, width - 1, lines->output->is_ascii);
	const unsigned columns = text_columns(fitting);

	g_string_append_printf(out, "%s%s", lines->drawn->len > 0 ? "\n" : "", fitting);
	g_array_append_val(lines->drawn, columns);
}

static void write_out(JobLines *lines, const GString *out)
{
	/* errors of both calls are ignored: a lost terminal is found at the end */
	(void)fwrite(out->str, 1, out->len, lines->output->out);
	(void)fflush(lines->output->out);
}

static void draw(JobLines *lines, const JobLine *jobs, unsigned n)
{
	const struct winsize size = terminal_size(lines->output);
	const unsigned n_shown = n < size.ws_row ? n : MAX(size.ws_row - 2u, 1u);
	g_autoptr(GString) out = g_string_new(NULL);
	g_autofree char *rest = NULL;

	append_erase(lines, out, size.ws_col);
	for (unsigned i = 0; i < n_shown; i++) {
		g_autofree char *text = line_text(lines, &jobs[i]);

		append_live_line(lines, out, text, size.ws_col);
	}
	if (n > n_shown) {
		rest = g_strdup_printf("  and %u more", n - n_shown);
		append_live_line(lines, out, rest, size.ws_col);
	}
	write_out(lines, out);
}

void job_lines_clear(JobLines *lines)
{
	g_autoptr(GString) out = g_string_new(NULL);

	append_erase(lines, out, terminal_size(lines->output).ws_col);
	if (out->len > 0)
		write_out(lines, out);
	lines->drawn_us = 0;
}

static void show_live(JobLines *lines, const JobLine *jobs, unsigned n)
{
	const int64_t now_us = g_get_monotonic_time();

	lines->is_late = now_us < lines->drawn_us + REDRAW_US;
	if (lines->is_late)
		return;
	lines->drawn_us = now_us;
	draw(lines, jobs, n);
}

/* --- line after line --- */

/* Is @token different from the last printed one? Takes @token. */
static bool is_news(JobLines *lines, const JobLine *job, char *token)
{
	if (g_strcmp0(g_hash_table_lookup(lines->reported, job->name), token) == 0) {
		g_free(token);
		return false;
	}
	g_hash_table_replace(lines->reported, g_strdup(job->name), token);
	return true;
}

static void show_plain(JobLines *lines, const JobLine *job)
{
	g_autofree char *text = NULL;

	if (!is_news(lines, job, g_strdup(job->state)))
		return;
	text = line_text(lines, job);
	output_confirm(lines->output, "%s", text);
}

static void set_text(JsonObject *object, const char *key, const char *text)
{
	g_autofree char *valid = text && *text ? g_utf8_make_valid(text, -1) : NULL;

	if (valid)
		json_object_set_string_member(object, key, valid);
	else
		json_object_set_null_member(object, key);
}

static void show_stream(JobLines *lines, const JobLine *job)
{
	JsonObject *object;

	if (!is_news(lines, job, g_strconcat(job->state, " ", job->detail, NULL)))
		return;
	object = json_object_new();
	set_text(object, "name", job->name);
	set_text(object, "state", job->state);
	json_object_set_int_member(object, "elapsed_us", job->elapsed_us);
	json_object_set_int_member(object, "limit_us", job->limit_us);
	set_text(object, "note", job->note);
	set_text(object, "detail", job->detail);
	output_progress(lines->output, object);
}

void job_lines_show(JobLines *lines, const JobLine *jobs, unsigned n)
{
	switch (lines->mode) {
	case MODE_SILENT:
		break;
	case MODE_LIVE:
		show_live(lines, jobs, n);
		break;
	case MODE_PLAIN:
		for (unsigned i = 0; i < n; i++)
			show_plain(lines, &jobs[i]);
		break;
	case MODE_STREAM:
		for (unsigned i = 0; i < n; i++)
			show_stream(lines, &jobs[i]);
		break;
	}
}

void job_lines_free(JobLines *lines)
{
	if (!lines)
		return;
	job_lines_clear(lines);
	g_array_unref(lines->drawn);
	g_hash_table_unref(lines->reported);
	g_free(lines);
}
