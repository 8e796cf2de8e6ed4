/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Boot record: the last condition that a service waited for is computed when the service starts
 * (engine/last-wait.c). So nothing is recorded while it waits.
 */
#include "config.h"

#include "boot/boot-record.h"

#include <string.h>

#include "base/text.h"
#include "boot/boot-private.h"

/* The fields of a line before the condition, which may contain blanks. */
enum { LINE_FIELDS = 7 };

static bool is_recording(const Boot *boot)
{
	return engine_times(boot->engine).begun_us != 0 && boot->progress.finished_us == 0;
}

const BootRecord *boot_record_get(const Service *s)
{
	const BootService *service = s->observed;

	return service && service->record.wanted_us ? &service->record : NULL;
}

static void mark_as_news(Boot *boot, Service *s)
{
	BootService *service = boot_service(s);

	if (service->is_news)
		return;
	service->is_news = true;
	g_ptr_array_add(boot->news, s);
}

/* Returns: the record, or NULL if there is no open record. */
static BootRecord *open_record(const Boot *boot, Service *s)
{
	const BootRecord *record = boot_record_get(s);

	return is_recording(boot) && record && record->over_us == 0 ? &boot_service(s)->record :
								      NULL;
}

static void set_last(BootRecord *record, const char *last, const char *by)
{
	record->last = last ? g_intern_string(last) : NULL;
	record->last_by = by ? g_intern_string(by) : NULL;
}

static void record_wait(BootRecord *record, int64_t begun_us, LastWait wait)
{
	record->allowed_us = record->wanted_us;
	set_last(record, NULL, NULL);
	/*
	 * A new manager does not know when the earlier conditions changed. Only a condition that
	 * became true later has a time of its own.
	 */
	if (record->wanted_us < begun_us) {
		record->allowed_us = begun_us;
		set_last(record, BOOT_RECORD_MANAGER, NULL);
	}
	if (wait.until_us > record->allowed_us) {
		record->allowed_us = wait.until_us;
		set_last(record, wait.key, wait.by);
	}
	if (wait.lock) {
		g_autofree char *key = g_strconcat("StartLock=", wait.lock, NULL);

		set_last(record, key, wait.lock_by);
	}
}

/* --- events --- */

void boot_record_start(void *data, Service *s)
{
	Boot *boot = data;
	BootRecord *record = open_record(boot, s);
	const EngineTimes times = engine_times(boot->engine);

	if (!record || record->started_us)
		return;
	record_wait(record, times.begun_us, engine_last_wait(s));
	record->started_us = times.now_us;
	mark_as_news(boot, s);
}

/* A service that was stopped before it was up gets a new record. */
static void want(Boot *boot, Service *s)
{
	const BootRecord *record = boot_record_get(s);

	if (!is_recording(boot) || (record && record->result != BOOT_RESULT_STOPPED))
		return;
	boot_service(s)->record = (BootRecord){ .wanted_us = engine_times(boot->engine).now_us };
	mark_as_news(boot, s);
}

/* The service waits again, or is no longer wanted and has not started. */
static void begin_again(Boot *boot, Service *s, int64_t wanted_us)
{
	BootRecord *record = open_record(boot, s);

	if (!record)
		return;
	*record = (BootRecord){ .wanted_us = wanted_us };
	mark_as_news(boot, s);
}

static void close_record(Boot *boot, Service *s, BootResult result)
{
	BootRecord *record = open_record(boot, s);

	if (!record)
		return;
	if (record->started_us == 0)
		record->started_us = s->started_us; /* the manager died before recording it */
	record->over_us = s->since_us;
	record->result = result;
	mark_as_news(boot, s);
}

void boot_record_state_changed(Boot *boot, Service *s, ServiceState from)
{
	const BootRecord *record = boot_record_get(s);

	switch (s->state) {
	case STATE_WAITING:
		want(boot, s);
		if (from == STATE_STARTING || from == STATE_STOPPING)
			begin_again(boot, s, engine_times(boot->engine).now_us);
		break;
	case STATE_IDLE:
		if (record && record->started_us)
			close_record(boot, s,
				     engine_is_spent(s) ? BOOT_RESULT_ENDED : BOOT_RESULT_STOPPED);
		else
			begin_again(boot, s, 0);
		break;
	case STATE_READY:
	case STATE_DONE:
		close_record(boot, s, BOOT_RESULT_UP);
		break;
	case STATE_FAILED:
		want(boot, s); /* a service with an error in its file fails without waiting */
		close_record(boot, s, BOOT_RESULT_FAILED);
		break;
	case STATE_BACKOFF:
		if (engine_is_failing(s))
			close_record(boot, s, BOOT_RESULT_FAILED);
		break;
	case STATE_STARTING:
	case STATE_STOPPING:
	case STATE_COUNT:
		break;
	}
}

/* --- text form --- */

/* "NAME WANTED ALLOWED STARTED OVER RESULT BY CONDITION"; "-" means none. */
static void append_line(GString *out, Service *s)
{
	const BootRecord *r = &boot_service(s)->record;

	g_string_append_printf(out,
			       "%s %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT
			       " %" G_GINT64_FORMAT " %s %s %s\n",
			       s->def->name, r->wanted_us, r->allowed_us, r->started_us, r->over_us,
			       boot_result_name(r->result), r->last_by ? r->last_by : "-",
			       r->last ? r->last : "-");
}

char *boot_record_take_news(Engine *engine)
{
	GPtrArray *news = boot_of(engine)->news;
	g_autoptr(GString) out = NULL;

	if (news->len == 0)
		return NULL;
	out = g_string_new(NULL);
	for (unsigned i = 0; i < news->len; i++) {
		Service *s = g_ptr_array_index(news, i);

		boot_service(s)->is_news = false;
		append_line(out, s);
	}
	g_ptr_array_set_size(news, 0);
	return g_string_free(g_steal_pointer(&out), FALSE);
}

static const char *text_or_null(const char *text)
{
	return strcmp(text, "-") == 0 ? NULL : text;
}

static bool read_time(const char *text, int64_t *ret)
{
	return text_parse_int(text, 0, INT64_MAX, ret);
}

static bool read_line(char **fields, BootRecord *ret)
{
	BootRecord record = { 0 };

	if (!read_time(fields[1], &record.wanted_us) || !read_time(fields[2], &record.allowed_us) ||
	    !read_time(fields[3], &record.started_us) || !read_time(fields[4], &record.over_us) ||
	    !boot_result_from_name(fields[5], &record.result))
		return false;
	set_last(&record, text_or_null(fields[7]), text_or_null(fields[6]));
	*ret = record;
	return true;
}

static void recover_line(Engine *engine, const char *line)
{
	g_auto(GStrv) fields = g_strsplit(line, " ", LINE_FIELDS + 1);
	Service *s = fields[0] ? engine_find(engine, fields[0]) : NULL;
	BootRecord record;

	if (!s || g_strv_length(fields) != LINE_FIELDS + 1 || !read_line(fields, &record))
		return;
	boot_service(s)->record = record;
}

void boot_record_recover(Engine *engine, const char *text, size_t length)
{
	const char *end = text + length;

	/* A last line without a line end was truncated. */
	for (const char *next; (next = memchr(text, '\n', (size_t)(end - text))); text = next + 1) {
		g_autofree char *line = g_strndup(text, (size_t)(next - text));

		recover_line(engine, line);
	}
}
