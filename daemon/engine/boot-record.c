/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Boot record: the last condition that a service waited for is computed at its start, from the
 * times of its conditions. So nothing is recorded while it waits.
 */
#include "config.h"

#include "engine/boot-record.h"

#include <string.h>

#include "base/text.h"
#include "engine/engine-private.h"

/* The fields of a line before the condition, which may contain blanks. */
enum { LINE_FIELDS = 7 };

static bool is_recording(const Engine *engine)
{
	return engine->is_acting && engine->finished_us == 0;
}

const BootRecord *boot_record_get(const Service *s)
{
	return s->priv->boot;
}

static void mark_as_news(Service *s)
{
	if (s->priv->is_boot_news)
		return;
	s->priv->is_boot_news = true;
	g_ptr_array_add(s->priv->engine->boot_news, s);
}

/* The record, or NULL if there is none or it is closed. */
static BootRecord *open_record(Service *s)
{
	BootRecord *record = s->priv->boot;

	return is_recording(s->priv->engine) && record && record->over_us == 0 ? record : NULL;
}

/* --- the last wait --- */

/* A wait that has ended, with its condition and time. */
typedef struct Wait {
	const Condition *condition; /* NULL: no wait */
	int64_t until_us;
} Wait;

/*
 * The time of the last change. A stale unknown counts as false, so its time is that of becoming
 * stale. A condition that was remade with the definitions or by a new manager has the time of its
 * service's state.
 */
static int64_t condition_changed_us(const Condition *c)
{
	if (c->subject && key_prefix_is_internal(c->prefix)) {
		const Engine *engine = c->subject->priv->engine;

		if (c->since_us <= MAX(engine->begun_us, engine->rebuilt_us))
			return c->subject->since_us;
	}
	return c->is_stale ? c->stale_us : c->since_us;
}

static bool is_literal_true(const Slot *slot, unsigned i)
{
	const Condition *c = slot->conditions[i];

	if (term_literal(slot->term, i)->negated)
		return c->level == LEVEL_FALSE || c->is_stale;
	return c->level == LEVEL_TRUE;
}

/* A term became true with the earliest of its literals that are true now. */
static Wait slot_wait(const Slot *slot)
{
	Wait wait = { 0 };

	for (unsigned i = 0; i < term_length(slot->term); i++) {
		const Condition *c = slot->conditions[i];

		if (is_literal_true(slot, i) && (!wait.condition || condition_changed_us(c) < wait.until_us))
			wait = (Wait){ .condition = c, .until_us = condition_changed_us(c) };
	}
	return wait;
}

/* If two ended in the same event, readiness is more informative than settled:. */
static bool is_later(const Wait *a, const Wait *b)
{
	if (!a->condition || !b->condition)
		return a->condition != NULL;
	if (a->until_us != b->until_us)
		return a->until_us > b->until_us;
	return b->condition->prefix == KEY_SETTLED && a->condition->prefix != KEY_SETTLED;
}

static Wait find_last_wait(const Service *s)
{
	Wait last = { 0 };

	for (unsigned i = 0; i < s->priv->slots->len; i++) {
		const Wait wait = slot_wait(g_ptr_array_index(s->priv->slots, i));

		if (is_later(&wait, &last))
			last = wait;
	}
	return last;
}

/* The provider of a facility that changed last. */
static const Service *last_provider(const Facility *f)
{
	const Service *last = NULL;

	for (unsigned i = 0; i < f->providers->len; i++) {
		const Service *s = g_ptr_array_index(f->providers, i);

		if (!last || s->since_us > last->since_us)
			last = s;
	}
	return last;
}

static const char *name_who_ended(const Engine *engine, const Condition *c)
{
	const Service *s = c->subject;

	if (c->facility)
		s = last_provider(c->facility);
	else if (!s)
		s = condition_source(engine, c);
	return s ? s->def->name : NULL;
}

static void set_last(BootRecord *record, const char *last, const char *by)
{
	record->last = last ? g_intern_string(last) : NULL;
	record->last_by = by ? g_intern_string(by) : NULL;
}

static void record_wait(const Service *s, BootRecord *record)
{
	const Engine *engine = s->priv->engine;
	const Wait wait = find_last_wait(s);

	record->allowed_us = record->wanted_us;
	set_last(record, NULL, NULL);
	/*
	 * Conditions that a new manager asks for again have no change times of their own. A
	 * condition that became true later has one.
	 */
	if (record->wanted_us < engine->begun_us) {
		record->allowed_us = engine->begun_us;
		set_last(record, BOOT_RECORD_MANAGER, NULL);
	}
	if (wait.condition && wait.until_us > record->allowed_us) {
		record->allowed_us = wait.until_us;
		set_last(record, wait.condition->key, name_who_ended(engine, wait.condition));
	}
}

static void record_turn(const Service *s, BootRecord *record)
{
	const StartLock *lock = s->priv->lock;
	g_autofree char *key = NULL;

	if (!lock || s->priv->turn_us == 0 || s->priv->turn_us >= s->priv->engine->now_us)
		return;
	key = g_strconcat("StartLock=", lock->name, NULL);
	set_last(record, key, lock->last_holder);
}

/* --- events --- */

void boot_record_start(Service *s)
{
	BootRecord *record = open_record(s);

	if (!record || record->started_us)
		return;
	record_wait(s, record);
	record_turn(s, record);
	record->started_us = s->priv->engine->now_us;
	mark_as_news(s);
}

/* A service that was stopped before it was up gets a new record. */
static void want(Service *s)
{
	struct ServicePrivate *priv = s->priv;

	if (!is_recording(priv->engine) ||
	    (priv->boot && priv->boot->wanted_us && priv->boot->result != BOOT_RESULT_STOPPED))
		return;
	if (!priv->boot)
		priv->boot = g_new0(BootRecord, 1);
	*priv->boot = (BootRecord){ .wanted_us = priv->engine->now_us };
	mark_as_news(s);
}

/* The service waits again, or is no longer wanted and has not started. */
static void begin_again(Service *s, int64_t wanted_us)
{
	BootRecord *record = open_record(s);

	if (!record)
		return;
	*record = (BootRecord){ .wanted_us = wanted_us };
	mark_as_news(s);
}

static void close_record(Service *s, BootResult result)
{
	BootRecord *record = open_record(s);

	if (!record)
		return;
	if (record->started_us == 0)
		record->started_us = s->started_us; /* the manager died before recording it */
	record->over_us = s->since_us;
	record->result = result;
	mark_as_news(s);
}

void boot_record_state_changed(Service *s, ServiceState from)
{
	const BootRecord *record = s->priv->boot;

	switch (s->state) {
	case STATE_WAITING:
		want(s);
		if (from == STATE_STARTING || from == STATE_STOPPING)
			begin_again(s, s->priv->engine->now_us);
		break;
	case STATE_IDLE:
		if (record && record->started_us)
			close_record(s, s->priv->is_spent ? BOOT_RESULT_ENDED : BOOT_RESULT_STOPPED);
		else
			begin_again(s, 0);
		break;
	case STATE_READY:
	case STATE_DONE:
		close_record(s, BOOT_RESULT_UP);
		break;
	case STATE_FAILED:
		want(s); /* with a broken file it may never have waited */
		close_record(s, BOOT_RESULT_FAILED);
		break;
	case STATE_BACKOFF:
		if (engine_is_failing(s))
			close_record(s, BOOT_RESULT_FAILED);
		break;
	case STATE_STARTING:
	case STATE_STOPPING:
	case STATE_COUNT:
		break;
	}
}

void boot_record_forget(Service *s)
{
	if (s->priv->is_boot_news)
		(void)g_ptr_array_remove_fast(s->priv->engine->boot_news, s);
	g_clear_pointer(&s->priv->boot, g_free);
}

/* --- text form --- */

/* "NAME WANTED ALLOWED STARTED OVER RESULT BY CONDITION"; "-" means none. */
static void append_line(GString *out, const Service *s)
{
	const BootRecord *r = s->priv->boot;

	g_string_append_printf(out,
			       "%s %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT
			       " %s %s %s\n",
			       s->def->name, r->wanted_us, r->allowed_us, r->started_us, r->over_us,
			       boot_result_name(r->result), r->last_by ? r->last_by : "-", r->last ? r->last : "-");
}

char *boot_record_take_news(Engine *engine)
{
	g_autoptr(GString) out = NULL;

	if (engine->boot_news->len == 0)
		return NULL;
	out = g_string_new(NULL);
	for (unsigned i = 0; i < engine->boot_news->len; i++) {
		Service *s = g_ptr_array_index(engine->boot_news, i);

		s->priv->is_boot_news = false;
		append_line(out, s);
	}
	g_ptr_array_set_size(engine->boot_news, 0);
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
	if (!s->priv->boot)
		s->priv->boot = g_new0(BootRecord, 1);
	*s->priv->boot = record;
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
