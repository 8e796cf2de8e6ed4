/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Log lines: implementation; the header describes the purpose.
 */
#include "config.h"

#include "svcctl/log-lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/limits.h"
#include "base/text.h"
#include "svcctl/boot-changes.h"

/* "2026-11-21T10:31:07.042Z" */
#define STAMP_BYTES 24

static void line_free(gpointer data)
{
	LogLine *line = data;

	g_free(line->text);
	g_free(line);
}

GPtrArray *log_lines_new(void)
{
	return g_ptr_array_new_with_free_func(line_free);
}

void log_lines_add(GPtrArray *lines, const char *name, char *text, bool is_mark)
{
	LogLine *line = g_new(LogLine, 1);

	*line = (LogLine){ .name = name, .text = text, .is_mark = is_mark };
	g_ptr_array_add(lines, line);
}

bool log_may_open(const Context *context, const char *name)
{
	g_autofree char *directory = log_directory(context);
	g_autofree char *path = log_path(directory, name);

	return faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0 || errno != EACCES;
}

static void add_text(GPtrArray *lines, const char *name, const char *bytes, gsize length)
{
	g_autofree char *text = g_strndup(bytes, length);
	g_auto(GStrv) parts = g_strsplit(text, "\n", -1);

	/* An answer of the full size may begin within a line. */
	for (size_t i = length >= LIMIT_LOG_ANSWER_BYTES; parts[i] && parts[i + 1]; i++)
		log_lines_add(lines, name, g_strdup(parts[i]), false);
}

static bool get_manager(Context *context, const char *name, GPtrArray *lines, GError **error)
{
	g_autoptr(GError) problem = NULL;
	g_autoptr(GVariant) reply = client_change_service(context->client, name, "ReadLog",
							  g_variant_new("()"), "(ay)", &problem);
	g_autoptr(GVariant) array = NULL;
	const char *bytes;
	gsize length;

	if (!reply && g_error_matches(problem, SVCD_ERROR_DOMAIN, SVCD_ERROR_NO_SUCH_SERVICE)) {
		g_propagate_error(error, g_steal_pointer(&problem));
		return false;
	}
	if (!reply)
		return fail(
			error, SVCD_ERROR_NOT_AUTHORIZED,
			"permission denied: only root and the operators of %s may read its log; %s",
			name, problem->message);
	array = g_variant_get_child_value(reply, 0);
	bytes = g_variant_get_fixed_array(array, &length, 1);
	add_text(lines, name, bytes ? bytes : "", length);
	return true;
}

bool log_lines_read(Context *context, const char *name, GPtrArray *lines, LogEnd *ret_end,
		    GError **error)
{
	g_autofree char *directory = log_directory(context);
	g_autoptr(GPtrArray) texts = NULL;

	if (!log_may_open(context, name))
		return get_manager(context, name, lines, error);
	texts = log_tail(directory, name, G_MAXUINT, ret_end);
	for (guint i = 0; i < texts->len; i++)
		log_lines_add(lines, name, g_strdup(g_ptr_array_index(texts, i)), false);
	return true;
}

/* At equal times the mark comes first, because a service writes nothing before it starts. */
static int compare(gconstpointer a, gconstpointer b)
{
	const LogLine *x = *(LogLine *const *)a;
	const LogLine *y = *(LogLine *const *)b;
	const int order = strncmp(x->text, y->text, STAMP_BYTES);

	if (order != 0)
		return order;
	return x->is_mark != y->is_mark ? (int)y->is_mark - (int)x->is_mark :
					  strcmp(x->name, y->name);
}

void log_lines_select(GPtrArray *lines, const char *since, unsigned n)
{
	guint first = 0;

	g_ptr_array_sort(lines, compare); /* is stable */
	while (first < lines->len &&
	       strncmp(((LogLine *)g_ptr_array_index(lines, first))->text, since, STAMP_BYTES) < 0)
		first++;
	if (lines->len - first > n)
		first = lines->len - n;
	if (first > 0)
		g_ptr_array_remove_range(lines, 0, first);
}

/* The first line of @name; NULL: there is none. */
static const char *first_of(const GPtrArray *lines, const char *name)
{
	for (guint i = 0; i < lines->len; i++) {
		const LogLine *line = g_ptr_array_index(lines, i);

		if (strcmp(line->name, name) == 0)
			return line->text;
	}
	return NULL;
}

void log_lines_mark(Context *context, const char *name, GPtrArray *lines)
{
	const char *first = first_of(lines, name);
	g_autoptr(GVariant) service = first ? client_service(context->client, name, NULL) : NULL;
	g_autoptr(GVariant) causes =
		service ? g_variant_lookup_value(service, "Causes", G_VARIANT_TYPE("a(tsss)")) :
			  NULL;
	const guint n = lines->len;
	GVariantIter iter;
	const char *to;
	const char *text;
	guint64 at_us;

	if (!causes)
		return;
	g_variant_iter_init(&iter, causes);
	while (g_variant_iter_next(&iter, "(t&s&s&s)", &at_us, NULL, &to, &text)) {
		g_autofree char *stamp = output_stamp((int64_t)at_us);

		if (strcmp(to, "starting") == 0 && strncmp(stamp, first, STAMP_BYTES) > 0)
			log_lines_add(lines, name,
				      g_strdup_printf("%s -- %s starts: %s", stamp, name, text),
				      true);
	}
	if (lines->len > n)
		g_ptr_array_sort(lines, compare);
}

/* --- output --- */

static JsonArray *changes_to_json(const char *name, const GPtrArray *changes)
{
	JsonArray *array = json_array_new();

	for (guint i = 0; i < changes->len; i++) {
		const BootChange *change = g_ptr_array_index(changes, i);
		JsonObject *object;

		if (strcmp(change->name, name) != 0)
			continue;
		object = json_object_new();
		json_object_set_string_member(object, "at", change->stamp);
		json_object_set_string_member(object, "from", change->from);
		json_object_set_string_member(object, "to", change->to);
		json_object_set_string_member(object, "cause", change->text);
		json_array_add_object_element(array, object);
	}
	return array;
}

static JsonNode *to_json(const char *name, const GPtrArray *lines, const GPtrArray *changes)
{
	JsonObject *object = json_object_new();
	JsonArray *array = json_array_new();

	for (guint i = 0; i < lines->len; i++) {
		const LogLine *line = g_ptr_array_index(lines, i);
		g_autofree char *valid = g_utf8_make_valid(line->text, -1);

		if (strcmp(line->name, name) == 0)
			json_array_add_string_element(array, valid);
	}
	json_object_set_string_member(object, "name", name);
	json_object_set_array_member(object, "lines", array);
	if (changes)
		json_object_set_array_member(object, "changes", changes_to_json(name, changes));
	return object_to_node(object);
}

void log_lines_set_data(Context *context, const GPtrArray *names, const GPtrArray *lines,
			const GPtrArray *changes)
{
	JsonArray *array;

	if (context->n_names == 1) {
		output_set_data(&context->output, to_json(context->names[0], lines, changes));
		return;
	}
	array = json_array_new();
	for (guint i = 0; i < names->len; i++)
		json_array_add_element(array, to_json(g_ptr_array_index(names, i), lines, changes));
	output_set_array(&context->output, array);
}

/* "2026-11-28T05:20:01.123Z web: text" if there are several services. */
static void print_line(Output *output, const LogLine *line, bool has_name)
{
	const char *blank = has_name && !line->is_mark ? strchr(line->text, ' ') : NULL;

	if (blank)
		output_line(output, "%.*s %s:%s", (int)(blank - line->text), line->text, line->name,
			    blank);
	else
		output_line(output, "%s", line->text);
}

void log_lines_print(Context *context, const GPtrArray *lines)
{
	for (guint i = 0; i < lines->len; i++)
		print_line(&context->output, g_ptr_array_index(lines, i), context->n_names != 1);
}

/* --- since --- */

/* The time of day today, or yesterday if it is still in the future. */
static GDateTime *time_of_day(int hour, int minute, double second)
{
	g_autoptr(GDateTime) now = g_date_time_new_now_local();
	GDateTime *at = g_date_time_new_local(g_date_time_get_year(now), g_date_time_get_month(now),
					      g_date_time_get_day_of_month(now), hour, minute,
					      second);
	GDateTime *before;

	if (!at || g_date_time_compare(at, now) <= 0)
		return at;
	before = g_date_time_add_days(at, -1);
	g_date_time_unref(at);
	return before;
}

/* The beginning of today or of a day before it. */
static GDateTime *day_before(int days)
{
	g_autoptr(GDateTime) now = g_date_time_new_now_local();
	g_autoptr(GDateTime) day = g_date_time_add_days(now, -days);

	return g_date_time_new_local(g_date_time_get_year(day), g_date_time_get_month(day),
				     g_date_time_get_day_of_month(day), 0, 0, 0);
}

static GDateTime *parse_date(const char *text)
{
	int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, end = 0, more = 0;

	if (sscanf(text, "%4d-%2d-%2d%n%*1[T ]%2d:%2d%n:%2d%n", &year, &month, &day, &end, &hour,
		   &minute, &more, &second, &more) >= 3 &&
	    (text[end] == '\0' || (more > 0 && text[more] == '\0')))
		return g_date_time_new_local(year, month, day, hour, minute, second);
	if (strcmp(text, "today") == 0 || strcmp(text, "yesterday") == 0)
		return day_before(strcmp(text, "yesterday") == 0);
	end = more = 0;
	if (sscanf(text, "%2d:%2d%n:%2d%n", &hour, &minute, &end, &second, &more) >= 2 &&
	    (text[end] == '\0' || (more > 0 && text[more] == '\0')))
		return time_of_day(hour, minute, second);
	return NULL;
}

char *log_parse_since(const char *text, GError **error)
{
	g_autoptr(GDateTime) at = NULL;
	int64_t ago_us;

	if (text_parse_duration(text, &ago_us))
		return output_stamp(g_get_monotonic_time() - ago_us);
	at = parse_date(text);
	if (!at) {
		fail_ctl(error, CTL_ERROR_USAGE,
			 "--since takes a time like 10min (ago), today, 09:30 or \"2026-11-28 "
			 "09:30\", not \"%s\"",
			 text);
		return NULL;
	}
	return output_stamp(g_date_time_to_unix(at) * G_USEC_PER_SEC -
			    (g_get_real_time() - g_get_monotonic_time()));
}
