/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Path elsewhere: one process of svc-look a mount and never two, for one that waits for a server may be beyond the reach of any
 * signal. It is given its list once, at the start; when the list changes it is let go, by closing the pipe that it writes to, and
 * the next begins when it has ended.
 */
#include "config.h"

#include "providers/path-elsewhere.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/log.h"
#include "base/text.h"
#include "loop/loop.h"
#include "providers/path-test.h"

/* It says something every second (svc-look). Nothing for so long: the file system does not answer. */
#define SILENCE_US (5 * G_TIME_SPAN_SECOND)

/* One that ended by itself, or could not be started, is not started again at once. */
#define AGAIN_US (5 * G_TIME_SPAN_SECOND)

/* So much of what it says is read in a turn. */
#define READ_BYTES 4096

#define UNHEARD (-1)

typedef struct Place {
	struct Elsewhere *elsewhere;
	char *point;
	GHashTable *verdicts; /* interned key -> PathVerdict + 1; 0: UNHEARD. What is asked for now */
	GPtrArray *asked;     /* interned keys: what the process was given */
	uint64_t number;      /* of the process; 0: there is none */
	int output;           /* what it says; -1: nothing more is heard */
	bool is_let_go;       /* it is to end */
	FdSource *source;
	GString *line;        /* of what it says, not whole yet */
	Timer *begin;
	Timer *silence;
	char *why_unknown;    /* NULL: it answers */
} Place;

struct Elsewhere {
	ElsewhereOps ops;
	ProviderSink sink;
	GHashTable *places; /* point -> Place, owned */
};

/* --- what is known --- */

static void report(const Place *place, const char *key)
{
	const int verdict = GPOINTER_TO_INT(g_hash_table_lookup(place->verdicts, key)) - 1;
	const bool is_known = !place->why_unknown && verdict != UNHEARD && verdict != VERDICT_MISREAD;
	const Level level = !is_known ? LEVEL_UNKNOWN : verdict == VERDICT_HOLDS ? LEVEL_TRUE : LEVEL_FALSE;
	g_autofree char *not_yet = NULL;

	if (place->why_unknown || verdict == UNHEARD)
		not_yet = place->why_unknown ? g_strdup(place->why_unknown) : g_strdup_printf("the file system at %s is asked", place->point);
	provider_report(&place->elsewhere->sink, key, level, not_yet ? not_yet : path_verdict_text((PathVerdict)verdict));
}

static void report_all(const Place *place)
{
	g_autoptr(GList) keys = g_hash_table_get_keys(place->verdicts);

	for (GList *l = keys; l; l = l->next)
		report(place, l->data);
}

/* @text: what it does not do */
static void lose_sight(Place *place, const char *text)
{
	if (place->why_unknown || g_hash_table_size(place->verdicts) == 0)
		return;
	place->why_unknown = g_strdup_printf("the file system at %s %s", place->point, text);
	log_warning(NULL, "%s: conditions on what is below it are unknown", place->why_unknown);
	report_all(place);
}

static void on_silence(void *data)
{
	lose_sight(data, "does not answer");
}

/* --- the process --- */

static void stop_listening(Place *place)
{
	g_clear_pointer(&place->source, fd_source_free);
	fd_close(&place->output);
}

/* A whole round: it has said what has changed. */
static void hear_round(Place *place)
{
	timer_arm(place->silence, loop_now() + SILENCE_US);
	if (!place->why_unknown)
		return;
	g_clear_pointer(&place->why_unknown, g_free);
	log_notice(NULL, "the file system at %s answers", place->point);
	report_all(place);
}

static void hear_verdict(Place *place, unsigned number, unsigned verdict)
{
	const char *key;

	if (number >= place->asked->len || verdict >= VERDICT_COUNT)
		return;
	key = g_ptr_array_index(place->asked, number);
	if (!g_hash_table_contains(place->verdicts, key))
		return; /* nobody asks any longer */
	g_hash_table_insert(place->verdicts, (gpointer)key, GINT_TO_POINTER((int)verdict + 1));
	if (!place->why_unknown)
		report(place, key);
}

static void hear_line(Place *place, const char *line)
{
	char *end;
	const unsigned long number = strtoul(line, &end, 10);

	if (*line == '\0')
		hear_round(place);
	else if (*end == ' ' && number < G_MAXUINT)
		hear_verdict(place, (unsigned)number, (unsigned)strtoul(end, NULL, 10));
}

static void on_output(GIOCondition condition, void *data)
{
	Place *place = data;
	char bytes[READ_BYTES];
	const ssize_t n = read(place->output, bytes, sizeof bytes);

	(void)condition;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		stop_listening(place); /* it has ended, and the keeper will say so */
		return;
	}
	for (ssize_t i = 0; i < n; i++) {
		if (bytes[i] != '\n') {
			if (place->line->len < READ_BYTES)
				g_string_append_c(place->line, bytes[i]);
			continue;
		}
		hear_line(place, place->line->str);
		g_string_truncate(place->line, 0);
	}
}

/* The arguments of the keys, each with its NUL. */
static int make_list(const GPtrArray *keys)
{
	g_autoptr(GString) list = g_string_new(NULL);
	auto_fd int fd = memfd_create("svcd-paths", MFD_CLOEXEC);

	for (guint i = 0; i < keys->len; i++) {
		const char *argument = key_argument(g_ptr_array_index(keys, i));

		g_string_append_len(list, argument, (gssize)strlen(argument) + 1);
	}
	if (fd < 0 || !fd_write_all(fd, list->str, list->len) || lseek(fd, 0, SEEK_SET) != 0)
		return -1;
	return fd_steal(&fd);
}

static bool start(Place *place)
{
	const ElsewhereOps *ops = &place->elsewhere->ops;
	auto_fd int list = make_list(place->asked);
	auto_fd int output = -1;
	int ends[2];

	if (!ops->start || list < 0 || pipe2(ends, O_CLOEXEC) < 0)
		return false;
	place->output = ends[0];
	output = ends[1];
	if (fcntl(place->output, F_SETFL, O_NONBLOCK) == 0)
		place->number = ops->start(ops->data, list, output);
	if (place->number == 0)
		fd_close(&place->output);
	return place->number != 0;
}

static void on_begin(void *data)
{
	Place *place = data;
	GHashTableIter iter;
	gpointer key;

	if (place->number) {
		place->is_let_go = true; /* its end is what we wait for */
		stop_listening(place);
		return;
	}
	if (g_hash_table_size(place->verdicts) == 0) {
		g_hash_table_remove(place->elsewhere->places, place->point);
		return;
	}
	g_ptr_array_set_size(place->asked, 0);
	g_string_truncate(place->line, 0);
	g_hash_table_iter_init(&iter, place->verdicts);
	while (g_hash_table_iter_next(&iter, &key, NULL))
		g_ptr_array_add(place->asked, key);
	if (!start(place)) {
		lose_sight(place, "cannot be asked");
		timer_arm(place->begin, loop_now() + AGAIN_US);
		return;
	}
	place->source = fd_source_new(place->output, G_IO_IN, LOOP_PRIORITY_PROVIDER, on_output, place);
	timer_arm(place->silence, loop_now() + SILENCE_US);
}

void elsewhere_ended(Elsewhere *elsewhere, uint64_t number)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, elsewhere->places);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		Place *place = value;
		if (place->number != number)
			continue;
		place->number = 0;
		stop_listening(place);
		timer_arm(place->begin, loop_now() + (place->is_let_go ? 0 : AGAIN_US));
		place->is_let_go = false;
		return;
	}
}

/* --- what is asked for --- */

static void place_free(gpointer data)
{
	Place *place = data;

	stop_listening(place);
	timer_free(place->begin);
	timer_free(place->silence);
	g_hash_table_unref(place->verdicts);
	g_ptr_array_unref(place->asked);
	(void)g_string_free(place->line, TRUE);
	g_free(place->why_unknown);
	g_free(place->point);
	g_free(place);
}

static Place *place_at(Elsewhere *elsewhere, const char *point)
{
	Place *place = g_hash_table_lookup(elsewhere->places, point);

	if (place)
		return place;
	place = g_new0(Place, 1);
	place->elsewhere = elsewhere;
	place->point = g_strdup(point);
	place->verdicts = g_hash_table_new(NULL, NULL);
	place->asked = g_ptr_array_new();
	place->output = -1;
	place->line = g_string_new(NULL);
	place->begin = timer_new(on_begin, place);
	place->silence = timer_new(on_silence, place);
	g_hash_table_insert(elsewhere->places, place->point, place);
	return place;
}

Elsewhere *elsewhere_new(const ElsewhereOps *ops, const ProviderSink *sink)
{
	Elsewhere *elsewhere = g_new0(Elsewhere, 1);

	elsewhere->ops = *ops;
	elsewhere->sink = *sink;
	elsewhere->places = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, place_free);
	return elsewhere;
}

void elsewhere_free(Elsewhere *elsewhere)
{
	if (!elsewhere)
		return;
	g_hash_table_unref(elsewhere->places);
	g_free(elsewhere);
}

/* All that change in one turn make one new list. */
static void change_list(Place *place)
{
	timer_arm(place->begin, loop_now());
}

void elsewhere_add(Elsewhere *elsewhere, const char *point, const char *key)
{
	Place *place = place_at(elsewhere, point);

	if (!g_hash_table_contains(place->verdicts, key)) {
		elsewhere_remove(elsewhere, key);
		g_hash_table_insert(place->verdicts, (gpointer)key, GINT_TO_POINTER(UNHEARD + 1));
		change_list(place);
	}
	report(place, key);
}

void elsewhere_remove(Elsewhere *elsewhere, const char *key)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, elsewhere->places);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		Place *place = value;

		if (g_hash_table_remove(place->verdicts, key))
			change_list(place);
	}
}
