/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: any text as the notes that PID 1 kept for the next manager: the note of the engine
 * (first line), and those of two services, one with processes and one without. The engine continues
 * with any text. An accepted note is written again so that a third manager reads the same.
 */
#include "config.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "boot/boot.h"
#include "boot/progress.h"
#include "engine/simulation.h"
#include "model/policy.h"
#include "model/service-parse.h"
#include "protocol/protocol.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NOW_US (1000 * G_USEC_PER_SEC)
#define TURNS 40

static void on_start(void *data, const Service *s)
{
	g_assert(s->invocation > 0);
	simulation_start(data, s);
	simulation_queue(data, s);
}

static void on_stop(void *data, const Service *s)
{
	(void)simulation_stop(data, s);
	simulation_queue(data, s);
}

static void on_service(void *data, const Service *s)
{
	(void)data;
	g_assert(s->state < STATE_COUNT && *service_cause(s));
}

static void on_arm_timer(void *data, const Service *s, EngineTimer kind, int64_t at_us)
{
	(void)data;
	g_assert(kind < ENGINE_TIMER_COUNT && at_us >= 0 && s->def);
}

static void on_engine_changed(void *data)
{
	const Simulation *sim = data;

	g_assert(sim->now_us >= NOW_US);
}

static const EngineOps ops = {
	.subscribe = simulation_subscribe,
	.unsubscribe = simulation_unsubscribe,
	.start = on_start,
	.stop = on_stop,
	.reload = on_service,
	.restart = on_service,
	.arm_timer = on_arm_timer,
	.entered = on_service,
	.changed = on_service,
	.removed = on_service,
	.engine_changed = on_engine_changed,
};

static void begin(Simulation *sim)
{
	static const char daemon[] =
		"[Service]\nExec=/bin/d\nRestart=always\nRestartLimit=5/10s\n[Conditions]\n"
		"When=path:/a\nWaitTimeout=20s\n";
	static const char task[] =
		"[Service]\nType=task\nExec=/bin/t\n[Conditions]\nAfter=a\nSettle=5s\n";
	static const char policy_text[] =
		"[runlevel 2]\nActivate=a b\n[policy]\nDefaultRunlevel=2\n";
	const SourceText sources[] = {
		{ .file = "a.svc", .text = daemon, .length = sizeof daemon - 1 },
		{ .file = "b.svc", .text = task, .length = sizeof task - 1 }
	};
	g_autoptr(DiagList) diags = diag_list_new();
	ServiceSet *set = service_set_new();
	Policy *policy = policy_new();

	service_set_add(set, service_parse("a", &sources[0], 1, diags));
	service_set_add(set, service_parse("b", &sources[1], 1, diags));
	(void)policy_parse(policy, POLICY_LAYER_VENDOR, "x.policy", policy_text,
			   sizeof policy_text - 1, diags);
	simulation_init(sim, NOW_US);
	sim->engine = engine_new(&ops, sim);
	boot_observe(sim->engine);
	engine_load(sim->engine, set, policy, sim->now_us);
}

/* A third manager reads the written note: of the service (NULL: of the engine). */
static void check_note(Simulation *sim, const char *service)
{
	char text[PROTOCOL_NOTE_BYTES];
	char again[PROTOCOL_NOTE_BYTES];
	Simulation other;

	begin(&other);
	if (service)
		engine_note(sim->engine, engine_find(sim->engine, service), text, sizeof text);
	else
		boot_note_global(sim->engine, text, sizeof text);
	g_assert(strlen(text) < sizeof text);
	if (!service) {
		g_assert(boot_recover_global(other.engine, text, sim->now_us));
	} else {
		g_assert(!*text ||
			 engine_recover(other.engine, service, text, false, 0, 0, sim->now_us));
		engine_note(other.engine, engine_find(other.engine, service), again, sizeof again);
		g_assert(strlen(again) < sizeof again);
	}
	simulation_clear(&other);
}

static void run(const char *global, const char *of_a, const char *of_b)
{
	Simulation sim;

	begin(&sim);
	(void)boot_recover_global(sim.engine, global, sim.now_us);
	(void)engine_recover(sim.engine, "a", of_a, true, 7, 4711, sim.now_us);
	(void)engine_recover(sim.engine, "b", of_b, false, 0, 0, sim.now_us);
	check_note(&sim, "a");
	check_note(&sim, "b");
	*simulation_run(&sim, "a") = (SimulatedRun){ .invocation = 7, .is_live = true };
	simulation_set_level(&sim, "path:/a", LEVEL_TRUE, "there");
	engine_begin(sim.engine, NULL, sim.now_us);
	for (int i = 0; i < TURNS; i++)
		(void)(simulation_answer(&sim) ||
		       simulation_fire_timer(&sim, ENGINE_TIMERS_ALL, INT64_MAX / 4));
	g_assert(progress_fraction(sim.engine, sim.now_us) <= 1.0);
	check_note(&sim, "a");
	check_note(&sim, "b");
	check_note(&sim, NULL);
	simulation_clear(&sim);
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
