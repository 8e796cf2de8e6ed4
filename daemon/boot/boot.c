/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Boot: the observer of the engine, and the part of the global note that belongs to this component.
 */
#include "config.h"

#include "boot/boot.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "boot/boot-private.h"

BootService *boot_service(Service *s)
{
	if (!s->observed)
		s->observed = g_new0(BootService, 1);
	return s->observed;
}

/* --- the observer --- */

static void on_changed(void *data, Service *s, ServiceState from)
{
	if (s->state != from)
		boot_record_state_changed(data, s, from);
	progress_count(data, s);
}

static void on_removed(void *data, Service *s)
{
	Boot *boot = data;
	const BootService *service = s->observed;

	if (!service)
		return;
	progress_remove(&boot->progress, service);
	if (service->is_news)
		(void)g_ptr_array_remove_fast(boot->news, s);
	g_clear_pointer(&s->observed, g_free); /* last, because progress_remove() reads it */
}

static void free_boot(void *data)
{
	Boot *boot = data;

	g_ptr_array_unref(boot->progress.moving);
	durations_free(boot->progress.durations);
	g_ptr_array_unref(boot->news);
	g_free(boot);
}

static const EngineObserver observer = {
	.starting = boot_record_start,
	.changed = on_changed,
	.removed = on_removed,
	.turn_over = progress_update,
	.free = free_boot,
};

void boot_observe(Engine *engine)
{
	Boot *boot = g_new0(Boot, 1);

	boot->engine = engine;
	boot->progress.moving = g_ptr_array_new();
	boot->progress.durations = durations_new();
	boot->news = g_ptr_array_new();
	engine_observe(engine, &observer, boot);
}

/* --- the note: the end of the boot; until then also the aim and the expected duration --- */

/* Rounds up, because the bar must not go back when another manager takes over. */
static int to_billionths(double fraction, double most)
{
	return (int)(MIN(fraction + 1e-9, most) * 1e9 + 0.5);
}

/* Appends a token if it fits. */
static void append_token(char *text, size_t size, char key, const char *value)
{
	g_autofree char *token = g_strdup_printf(" %c=%s", key, value);

	if (strlen(text) + strlen(token) < size)
		(void)g_strlcat(text, token, size);
}

static void append_time(char *text, size_t size, char key, int64_t us)
{
	char digits[TEXT_BASE36_BYTES];

	if (us > 0)
		append_token(text, size, key, text_base36(digits, (uint64_t)us));
}

void boot_note_global(const Engine *engine, char *text, size_t size)
{
	const BootProgress *p = &boot_of(engine)->progress;
	g_autofree char *end = g_strdup_printf("%" G_GINT64_FORMAT, p->finished_us);
	g_autofree char *aim = g_strdup_printf("%d t=%d", to_billionths(p->aim.from, PROGRESS_MOST),
					       to_billionths(p->aim.to, 1.0));

	engine_note_global(engine, text, size);
	append_token(text, size, 'f', end);
	if (p->finished_us)
		return;
	append_token(text, size, 'h', aim);
	/* Relative to the start of the boot. */
	append_time(text, size, 'a', p->aim.at_us - engine_times(engine).boot_us);
	append_time(text, size, 'e', p->aim.rest_us);
	append_time(text, size, 'x', p->expected_us);
}

static void read_time(const char *text, int64_t *ret)
{
	const char *end;

	if (!text_parse_base36(text, ret, &end) || *end)
		*ret = 0;
}

static void read_token(BootProgress *p, char key, const char *value)
{
	switch (key) {
	case 'f':
		p->finished_us = g_ascii_strtoll(value, NULL, 10);
		break;
	case 'h':
		p->aim.from = MIN(CLAMP(atoi(value), 0, 1000000000) / 1e9, PROGRESS_MOST);
		break;
	case 't':
		p->aim.to = CLAMP(atoi(value), 0, 1000000000) / 1e9;
		break;
	case 'a':
		read_time(value, &p->aim.at_us);
		break;
	case 'e':
		read_time(value, &p->aim.rest_us);
		break;
	case 'x':
		read_time(value, &p->expected_us);
		break;
	}
}

bool boot_recover_global(Engine *engine, const char *note, int64_t now_us)
{
	g_auto(GStrv) tokens = g_strsplit(note, " ", -1);
	BootProgress *p = &boot_of(engine)->progress;

	if (!engine_recover_global(engine, note, now_us))
		return false;
	for (char **token = tokens; *token; token++) {
		if ((*token)[0] && (*token)[1] == '=')
			read_token(p, (*token)[0], *token + 2);
	}
	p->aim.at_us = MIN(p->aim.at_us, now_us) + engine_times(engine).boot_us;
	p->aim.to = MAX(p->aim.to, p->aim.from);
	return true;
}
