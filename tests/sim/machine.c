/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Machine: the engine's operations, the clock, and random events.
 */
#include "config.h"

#include "tests/sim/machine.h"

#include <stdio.h>
#include <string.h>

#include "boot/boot.h"
#include "boot/progress.h"
#include "model/check.h"
#include "model/service-parse.h"
#include "tests/sim/crash.h"
#include "tests/sim/invariants.h"
#include "tests/sim/levels.h"
#include "tests/sim/process.h"
#include "tests/sim/requests.h"

/* --- trace --- */

void machine_trace(Machine *m, const char *format, ...)
{
	char line[256];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	/* FNV-1a */
	for (const char *c = line; *c; c++)
		m->hash = (m->hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
	m->hash ^= (uint64_t)m->sim.now_us;
	if (m->is_tracing)
		printf("%12.6f %s\n", (double)m->sim.now_us / G_USEC_PER_SEC, line);
}

const char *machine_text(const Machine *m, const char *text)
{
	return m->is_tracing ? text : "";
}

void machine_count(Machine *m, SimFault fault)
{
	if (m->n_faults)
		m->n_faults[fault]++;
}

void machine_fail(Machine *m, const char *format, ...)
{
	va_list args;

	if (m->failure)
		return;
	va_start(args, format);
	m->failure = g_strdup_vprintf(format, args);
	va_end(args);
	machine_trace(m, "BROKEN: %s", m->failure);
}

/* --- services --- */

unsigned machine_index(const char *service)
{
	for (unsigned i = 0; i < PLAN_MAX_SERVICES; i++) {
		if (strcmp(plan_service_name(i), service) == 0)
			return i;
	}
	g_assert_not_reached();
}

SimProcess *machine_process(Machine *m, const char *service)
{
	return &m->processes[machine_index(service)];
}

bool machine_has_file(const Machine *m, const char *service)
{
	return m->plan->files[machine_index(service)] != NULL;
}

bool machine_has_live(const Machine *m)
{
	for (unsigned i = 0; i < PLAN_MAX_SERVICES; i++) {
		if (m->processes[i].run->is_live)
			return true;
	}
	return false;
}

bool machine_happens(Machine *m, unsigned percent)
{
	return m->has_faults && chance_percent(&m->chance, MIN(percent * m->misery, 95));
}

/* --- operations --- */

static void on_start(void *data, const Service *s)
{
	Machine *m = data;
	SimProcess *p = machine_process(m, s->def->name);

	machine_trace(m, "start %s %u: %s", s->def->name, (unsigned)s->invocation,
		      machine_text(m, service_cause(s)));
	invariants_at_start(m, s);
	simulation_start(&m->sim, s);
	p->is_ready = false;
	p->is_restarting = false;
	p->is_script = s->def->type == TYPE_SCRIPT;
	process_start(m, p, s);
}

static void on_stop(void *data, const Service *s)
{
	Machine *m = data;
	SimProcess *p = machine_process(m, s->def->name);

	if (p->run->is_stop_requested)
		return;
	machine_trace(m, "stop %s: %s", s->def->name, machine_text(m, service_cause(s)));
	invariants_at_stop(m, s);
	if (process_ends_by_itself(p))
		return;
	(void)simulation_stop(&m->sim, s);
	p->is_restarting = false;
	process_stop(m, p, s);
}

static void on_reload(void *data, const Service *s)
{
	machine_trace(data, "reload %s", s->def->name);
}

/* No second command runs, and no command runs in a service that is stopping. */
static void on_restart(void *data, const Service *s)
{
	Machine *m = data;
	SimProcess *p = machine_process(m, s->def->name);

	machine_trace(m, "restart %s", s->def->name);
	invariants_at_restart(m, s);
	if (p->is_restarting || p->run->is_stop_requested)
		return;
	machine_count(m, SIM_FAULT_COMMAND);
	p->is_restarting = true;
	process_restart(m, p, s);
}

static void on_arm_timer(void *data, const Service *s, EngineTimer kind, int64_t at_us)
{
	(void)s;
	if (kind == ENGINE_TIMER_LINGER && at_us)
		machine_count(data, SIM_FAULT_LINGERED);
}

static void on_changed(void *data, const Service *s)
{
	machine_trace(data, "%s is %s", s->def->name, service_state_name(s->state));
	process_begin_health(data, s);
	if (s->state == STATE_FAILED && s->def->problem)
		machine_count(data, SIM_FAULT_BROKEN_FILE);
	if (s->state == STATE_FAILED && s->is_failed_for_good)
		machine_count(data, SIM_FAULT_GAVE_UP);
	if (s->state == STATE_STOPPING && strstr(service_cause(s), " is false"))
		machine_count(data, SIM_FAULT_LAPSED);
	if (s->state == STATE_STOPPING && g_str_has_prefix(service_cause(s), "conflicts with"))
		machine_count(data, SIM_FAULT_LOST_CONFLICT);
}

static void on_removed(void *data, const Service *s)
{
	Machine *m = data;
	SimProcess *p = machine_process(m, s->def->name);

	machine_trace(m, "removed %s", s->def->name);
	if (p->run->is_live)
		machine_fail(m, "%s was forgotten while it ran", s->def->name);
	process_forget_health(p);
	requests_forget(p);
}

static const EngineOps ops = {
	.subscribe = levels_subscribe,
	.unsubscribe = levels_unsubscribe,
	.start = on_start,
	.stop = on_stop,
	.reload = on_reload,
	.restart = on_restart,
	.arm_timer = on_arm_timer,
	.changed = on_changed,
	.removed = on_removed,
};

/* --- files --- */

void machine_read_files(const Machine *m, ServiceSet **ret_set, Policy **ret_policy)
{
	g_autoptr(DiagList) diags = diag_list_new();
	ServiceSet *set = service_set_new();
	Policy *policy = policy_new();

	for (unsigned i = 0; i < m->plan->n_services; i++) {
		const char *text = m->plan->files[i];
		const SourceText source = { .file = "sim.svc",
					    .text = text,
					    .length = text ? strlen(text) : 0 };

		if (text)
			service_set_add(set,
					service_parse(plan_service_name(i), &source, 1, diags));
	}
	g_assert(policy_parse(policy, POLICY_LAYER_ADMIN, "sim.policy", m->plan->policy,
			      strlen(m->plan->policy), diags));
	check_set(set, policy, diags);
	*ret_set = set;
	*ret_policy = policy;
}

static void load(Machine *m)
{
	ServiceSet *set;
	Policy *policy;

	machine_read_files(m, &set, &policy);
	engine_load(m->sim.engine, set, policy, m->sim.now_us);
}

static void show_files(const Machine *m)
{
	for (unsigned i = 0; i < m->plan->n_services; i++) {
		if (m->plan->files[i])
			printf("== %s\n%s", plan_service_name(i), m->plan->files[i]);
	}
	printf("== policy\n%s", m->plan->policy);
}

/* --- time --- */

static void fire_timer(Machine *m, unsigned index, EngineTimer kind)
{
	machine_trace(m, "%s: timer %s", plan_service_name(index), engine_timer_name(kind));
	if (kind == ENGINE_TIMER_LOGIN_SCREEN)
		machine_count(m, SIM_FAULT_LOGIN_GIVEN_UP);
	if (kind == ENGINE_TIMER_WAIT) {
		machine_count(m, SIM_FAULT_WAITED_TOO_LONG);
		invariants_at_wait_over(m, engine_find(m->sim.engine, plan_service_name(index)));
	}
	engine_timer_fired(m->sim.engine, plan_service_name(index), kind, m->sim.now_us);
}

/* With an odd number of services, half of them have known durations; otherwise none has. */
static void know_durations(Machine *m)
{
	Durations *durations;

	if (m->plan->n_services % 2 == 0)
		return;
	durations = durations_new();
	for (unsigned i = 0; i < m->plan->n_services; i += 2)
		durations_learn(durations, plan_service_name(i),
				(Duration){ i * G_USEC_PER_SEC / 4, G_USEC_PER_SEC });
	durations_learn_boot(durations, G_USEC_PER_SEC, 0);
	progress_know(m->sim.engine, durations, m->sim.now_us);
}

static void begin_manager(Machine *m)
{
	m->manager_back_us = 0;
	m->begun_us = m->sim.now_us;
	machine_trace(m, "manager begins");
	m->sim.engine = engine_new(&ops, m);
	boot_observe(m->sim.engine);
	load(m);
	know_durations(m);
	crash_recover(m);
	levels_report_due(m);
	engine_begin(m->sim.engine, NULL, m->sim.now_us);
	requests_take_over(m);
}

/* The next event: its source and its time. */
typedef struct Next {
	int64_t at_us;
	enum { NEXT_NOTHING, NEXT_MANAGER, NEXT_LEVEL, NEXT_SCRIPT, NEXT_TIMER, NEXT_HEALTH } what;
	unsigned index;
	EngineTimer kind;
} Next;

static void take_earlier(Next *next, int64_t at_us, int what, unsigned index, EngineTimer kind)
{
	if (at_us != 0 && at_us < next->at_us)
		*next = (Next){ .at_us = at_us, .what = what, .index = index, .kind = kind };
}

static Next find_next(const Machine *m)
{
	Next next = { .at_us = INT64_MAX, .what = NEXT_NOTHING };

	if (!m->sim.engine) {
		take_earlier(&next, m->manager_back_us, NEXT_MANAGER, 0, 0);
		return next;
	}
	take_earlier(&next, levels_next_us(m), NEXT_LEVEL, 0, 0);
	for (unsigned i = 0; i < m->plan->n_services; i++) {
		const SimProcess *p = &m->processes[i];
		const Service *s = engine_find(m->sim.engine, plan_service_name(i));

		if (p->n_script > 0)
			take_earlier(&next, p->script[0].at_us, NEXT_SCRIPT, i, 0);
		for (EngineTimer kind = 0; s && kind < ENGINE_TIMER_COUNT; kind++)
			take_earlier(&next, engine_timer_at(s, kind), NEXT_TIMER, i, kind);
		take_earlier(&next, p->health_at_us, NEXT_HEALTH, i, 0);
	}
	return next;
}

int64_t machine_next_us(const Machine *m)
{
	return find_next(m).at_us;
}

static void do_next(Machine *m, const Next *next)
{
	switch (next->what) {
	case NEXT_MANAGER:
		begin_manager(m);
		break;
	case NEXT_LEVEL:
		levels_report_due(m);
		break;
	case NEXT_SCRIPT:
		process_notify(m, next->index);
		break;
	case NEXT_TIMER:
		fire_timer(m, next->index, next->kind);
		break;
	case NEXT_HEALTH:
		process_answer_health(m, next->index);
		break;
	case NEXT_NOTHING:
		break;
	}
}

void machine_run(Machine *m, int64_t to_us)
{
	Next next;

	while (!m->failure && (next = find_next(m)).at_us <= to_us) {
		m->sim.now_us = MAX(m->sim.now_us, next.at_us);
		do_next(m, &next);
		invariants_always(m);
	}
	m->sim.now_us = MAX(m->sim.now_us, to_us);
}

/* --- events from people and outside --- */

void machine_set_runlevel(Machine *m, const char *runlevel)
{
	machine_trace(m, "runlevel %s", runlevel);
	requests_change_runlevel(m, runlevel);
	invariants_always(m);
}

static void poke_runlevel(Machine *m)
{
	machine_count(m, SIM_FAULT_RUNLEVEL);
	machine_set_runlevel(m, chance_percent(&m->chance, 50) ? "2" : "3");
}

void machine_load(Machine *m)
{
	m->altered_us = m->sim.now_us;
	machine_count(m, SIM_FAULT_RELOAD);
	for (unsigned i = 0; i < m->plan->n_services; i++) {
		if (!m->plan->files[i] && m->processes[i].run->is_live)
			machine_count(m, SIM_FAULT_FILE_GONE);
	}
	machine_trace(m, "files are read again");
	if (m->is_tracing)
		show_files(m);
	load(m);
}

static void poke_reload(Machine *m)
{
	plan_alter(m->plan, &m->chance);
	machine_load(m);
}

static void poke_stray(Machine *m)
{
	const unsigned index = chance_below(&m->chance, m->plan->n_services);
	const ProcessEvent event = { .kind = chance_below(&m->chance, PROCESS_COUNT), .pid = 7 };

	if (m->processes[index].run->invocation == 0)
		return;
	machine_count(m, SIM_FAULT_STRAY_EVENT);
	machine_trace(m, "%s: a late %s", plan_service_name(index),
		      process_event_kind_name(event.kind));
	engine_process_event(m->sim.engine, plan_service_name(index),
			     m->processes[index].run->invocation - 1, &event, m->sim.now_us);
}

void machine_poke(Machine *m)
{
	const unsigned kind = chance_below(&m->chance, 100);

	if (!m->sim.engine)
		return;
	if (kind < 47)
		levels_poke(m);
	else if (kind < 73)
		requests_poke(m);
	else if (kind < 78)
		requests_poke_demand(m);
	else if (kind < 82)
		requests_poke_connection(m);
	else if (kind < 87)
		poke_runlevel(m);
	else if (kind < 89)
		poke_reload(m);
	else if (kind < 94)
		poke_stray(m);
	else if (!m->is_one_life)
		crash_now(m);
	if (m->sim.engine)
		invariants_always(m);
}

void machine_calm(Machine *m)
{
	machine_trace(m, "calm");
	m->has_faults = false;
	for (unsigned i = 0; i < PLAN_MAX_SERVICES; i++)
		process_calm(m, i);
	levels_calm(m);
}

Machine *machine_new(uint64_t seed, bool is_tracing, bool is_reworded, unsigned long *n_faults)
{
	Machine *m = g_new0(Machine, 1);

	m->chance.state = seed;
	m->is_tracing = is_tracing;
	m->is_reworded = is_reworded;
	m->n_faults = n_faults;
	m->has_faults = true;
	simulation_init(&m->sim, 1000 * G_USEC_PER_SEC);
	for (unsigned i = 0; i < PLAN_MAX_SERVICES; i++)
		m->processes[i].run = simulation_run(&m->sim, plan_service_name(i));
	m->hash = UINT64_C(0xcbf29ce484222325);
	m->misery = chance_percent(&m->chance, 15) ? 4 : 1;
	m->plan = plan_new(&m->chance);
	m->boot_record = g_string_new(NULL);
	if (is_tracing)
		show_files(m);
	levels_init(m);
	m->sim.engine = engine_new(&ops, m);
	boot_observe(m->sim.engine);
	load(m);
	know_durations(m);
	levels_report_due(m);
	engine_begin(m->sim.engine, "2", m->sim.now_us);
	invariants_always(m);
	return m;
}

void machine_free(Machine *m)
{
	if (!m)
		return;
	g_string_free(m->boot_record, TRUE);
	simulation_clear(&m->sim);
	plan_free(m->plan);
	for (unsigned i = 0; i < PLAN_MAX_SERVICES; i++)
		g_free(m->notes[i]);
	g_free(m->failure);
	g_free(m);
}
