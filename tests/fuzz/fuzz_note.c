/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: any text as the notes that PID 1 kept for the next manager: the note of the engine
 * (first line), and those of two services, one with processes and one without. The engine continues
 * with any text. An accepted note is written again so that a third manager reads the same.
 */
#include "config.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "engine/engine.h"
#include "engine/progress.h"
#include "model/policy.h"
#include "model/service-parse.h"
#include "protocol/protocol.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NOW_US (1000 * G_USEC_PER_SEC)
#define TURNS 40

/* The engine's requests, which succeed. */
typedef struct World {
	Engine *engine;
	int64_t now_us;
	GHashTable *timers; /* "NAME KIND" -> at_us */
	GHashTable *starting; /* name -> itself */
	GHashTable *stopping;
} World;

static void on_subscribe(void *data, KeyPrefix prefix, const char *key)
{
	(void)data;
	g_assert(prefix < KEY_COUNT && *key);
}

static void on_start(void *data, const Service *s)
{
	const World *w = data;

	g_assert(s->invocation > 0);
	g_hash_table_add(w->starting, (gpointer)g_intern_string(s->def->name));
}

static void on_stop(void *data, const Service *s)
{
	const World *w = data;

	g_hash_table_add(w->stopping, (gpointer)g_intern_string(s->def->name));
}

static void on_service(void *data, const Service *s)
{
	(void)data;
	g_assert(s->state < STATE_COUNT && *service_cause(s));
}

static void on_arm_timer(void *data, const Service *s, EngineTimer kind, int64_t at_us)
{
	const World *w = data;
	char *name = g_strdup_printf("%s %d", s->def->name, (int)kind);

	g_assert(at_us >= 0);
	if (at_us == 0) {
		g_hash_table_remove(w->timers, name);
		g_free(name);
	} else {
		g_hash_table_insert(w->timers, name, g_memdup2(&at_us, sizeof at_us));
	}
}

static void on_engine_changed(void *data)
{
	const World *w = data;

	g_assert(w->now_us >= NOW_US);
}

static const EngineOps ops = {
	.subscribe = on_subscribe, .unsubscribe = on_subscribe, .start = on_start, .stop = on_stop, .reload = on_service,
	.restart = on_service, .arm_timer = on_arm_timer, .entered = on_service, .changed = on_service, .removed = on_service,
	.engine_changed = on_engine_changed,
};

static World *world_new(void)
{
	static const char daemon[] = "[Service]\nExec=/bin/d\nRestart=always\nRestartLimit=5/10s\n[Conditions]\nWhen=path:/a\nWaitTimeout=20s\n";
	static const char task[] = "[Service]\nType=task\nExec=/bin/t\n[Conditions]\nAfter=a\nSettle=5s\n";
	static const char policy_text[] = "[runlevel 2]\nActivate=a b\n[policy]\nDefaultRunlevel=2\n";
	const SourceText sources[] = { { .file = "a.svc", .text = daemon, .length = sizeof daemon - 1 },
				       { .file = "b.svc", .text = task, .length = sizeof task - 1 } };
	g_autoptr(DiagList) diags = diag_list_new();
	ServiceSet *set = service_set_new();
	Policy *policy = policy_new();
	World *w = g_new0(World, 1);

	service_set_add(set, service_parse("a", &sources[0], 1, diags));
	service_set_add(set, service_parse("b", &sources[1], 1, diags));
	(void)policy_parse(policy, POLICY_LAYER_VENDOR, "x.policy", policy_text, sizeof policy_text - 1, diags);
	w->now_us = NOW_US;
	w->timers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	w->starting = g_hash_table_new(g_str_hash, g_str_equal);
	w->stopping = g_hash_table_new(g_str_hash, g_str_equal);
	w->engine = engine_new(&ops, w);
	engine_load(w->engine, set, policy, w->now_us);
	return w;
}

static void world_free(World *w)
{
	engine_free(w->engine);
	g_hash_table_unref(w->timers);
	g_hash_table_unref(w->starting);
	g_hash_table_unref(w->stopping);
	g_free(w);
}

/* Takes an entry of one of the two tables, if there is any. */
static const char *take_one(GHashTable *table)
{
	GHashTableIter iter;
	gpointer name;

	g_hash_table_iter_init(&iter, table);
	if (!g_hash_table_iter_next(&iter, &name, NULL))
		return NULL;
	g_hash_table_iter_remove(&iter);
	return name;
}

static void tell(World *w, const char *name, ProcessEventKind kind)
{
	const ProcessEvent event = { .kind = kind };
	const Service *s = engine_find(w->engine, name);

	if (s)
		engine_process_event(w->engine, name, s->invocation, &event, w->now_us);
}

/* Fires the timer that is due first. Returns: whether there was one. */
static bool fire_timer(World *w)
{
	GHashTableIter iter;
	gpointer name;
	gpointer at;
	char *first = NULL;
	int64_t first_us = INT64_MAX;
	char service[8];
	int kind;

	g_hash_table_iter_init(&iter, w->timers);
	while (g_hash_table_iter_next(&iter, &name, &at)) {
		if (*(const int64_t *)at <= first_us) {
			first_us = *(const int64_t *)at;
			first = name;
		}
	}
	if (!first || sscanf(first, "%7s %d", service, &kind) != 2)
		return false;
	w->now_us = CLAMP(first_us, w->now_us, INT64_MAX / 4);
	g_hash_table_remove(w->timers, first);
	engine_timer_fired(w->engine, service, (EngineTimer)kind, w->now_us);
	return true;
}

static void turn(World *w)
{
	const char *name = take_one(w->stopping);

	if (name) {
		tell(w, name, PROCESS_EXITED);
		tell(w, name, PROCESS_GONE);
		return;
	}
	name = take_one(w->starting);
	if (name) {
		tell(w, name, PROCESS_STARTED);
		tell(w, name, PROCESS_READY);
	} else {
		(void)fire_timer(w);
	}
}

/* A third manager reads the written note: of the service (NULL: of the engine). */
static void check_note(World *w, const char *service)
{
	char text[PROTOCOL_NOTE_BYTES];
	char again[PROTOCOL_NOTE_BYTES];
	World *other = world_new();

	if (service)
		engine_note(w->engine, engine_find(w->engine, service), text, sizeof text);
	else
		engine_note_global(w->engine, text, sizeof text);
	g_assert(strlen(text) < sizeof text);
	if (!service) {
		g_assert(engine_recover_global(other->engine, text, w->now_us));
	} else {
		g_assert(!*text || engine_recover(other->engine, service, text, false, 0, 0, w->now_us));
		engine_note(other->engine, engine_find(other->engine, service), again, sizeof again);
		g_assert(strlen(again) < sizeof again);
	}
	world_free(other);
}

static void run(const char *global, const char *of_a, const char *of_b)
{
	World *w = world_new();

	(void)engine_recover_global(w->engine, global, w->now_us);
	(void)engine_recover(w->engine, "a", of_a, true, 7, 4711, w->now_us);
	(void)engine_recover(w->engine, "b", of_b, false, 0, 0, w->now_us);
	check_note(w, "a");
	check_note(w, "b");
	engine_set_level(w->engine, g_intern_static_string("path:/a"), LEVEL_TRUE, "there", w->now_us);
	engine_begin(w->engine, NULL, w->now_us);
	for (int i = 0; i < TURNS; i++)
		turn(w);
	g_assert(progress_fraction(w->engine, w->now_us) <= 1.0);
	check_note(w, "a");
	check_note(w, "b");
	check_note(w, NULL);
	world_free(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup((const char *)data, size);
	g_auto(GStrv) lines = g_strsplit(text, "\n", 3);
	const guint n = g_strv_length(lines);

	for (guint i = 0; i < n; i++)
		lines[i][strnlen(lines[i], PROTOCOL_NOTE_BYTES - 1)] = '\0';
	run(n > 0 ? lines[0] : "", n > 1 ? lines[1] : "", n > 2 ? lines[2] : "");
	return 0;
}
