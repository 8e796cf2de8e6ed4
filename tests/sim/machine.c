/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Machine: every process follows a script that chance writes when it is started, and another one when it is told to stop.
 */
#include "config.h"

#include "tests/sim/machine.h"

#include <stdio.h>
#include <string.h>

#include "engine/boot-record.h"
#include "engine/progress.h"
#include "model/check.h"
#include "model/service-parse.h"
#include "tests/sim/invariants.h"
#include "tests/sim/levels.h"
#include "tests/sim/requests.h"

#define MS G_TIME_SPAN_MILLISECOND

/* --- what it writes down --- */

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
	m->hash ^= (uint64_t)m->now_us;
	if (m->is_tracing)
		printf("%12.6f %s\n", (double)m->now_us / G_USEC_PER_SEC, line);
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

static unsigned index_of(const char *service)
{
	for (unsigned i = 0; i < PLAN_MAX_SERVICES; i++) {
		if (strcmp(plan_service_name(i), service) == 0)
			return i;
	}
	g_assert_not_reached();
}

SimProcess *machine_process(Machine *m, const char *service)
{
	return &m->processes[index_of(service)];
}

bool machine_has_file(const Machine *m, const char *service)
{
	return m->plan->files[index_of(service)] != NULL;
}

bool machine_has_live(const Machine *m)
{
	for (unsigned i = 0; i < PLAN_MAX_SERVICES; i++) {
		if (m->processes[i].is_live)
			return true;
	}
	return false;
}

bool machine_happens(Machine *m, unsigned percent)
{
	return m->has_faults && chance_percent(&m->chance, MIN(percent * m->misery, 95));
}

/* --- scripts --- */

static void script_add(SimProcess *p, int64_t at_us, ProcessEventKind kind, bool success)
{
	g_assert(p->n_script < MAX_SCRIPT);
	p->script[p->n_script++] = (ScriptLine){ .at_us = at_us, .kind = kind, .success = success };
}

static bool script_has(const SimProcess *p, ProcessEventKind kind)
{
	for (unsigned i = 0; i < p->n_script; i++) {
		if (p->script[i].kind == kind)
			return true;
	}
	return false;
}

/* Nothing of a Type=script is left. */
static void script_leaves_nothing(SimProcess *p, int64_t at_us)
{
	script_add(p, at_us, PROCESS_EXITED, true);
	p->script[p->n_script - 1].is_done = true;
}

/* It runs for a while, and ends by itself. */
static void script_end(Machine *m, SimProcess *p, int64_t at_us, const Service *s)
{
	int64_t end_us = at_us + chance_time(&m->chance, 20 * G_USEC_PER_SEC);
	const bool success = chance_percent(&m->chance, 40);

	if (chance_percent(&m->chance, 15)) {
		script_add(p, end_us, PROCESS_STOPPING, true);
		machine_count(m, SIM_FAULT_STOPS_ITSELF);
		end_us += chance_time(&m->chance, 500 * MS);
	}
	script_add(p, end_us, PROCESS_EXITED, success);
	script_add(p, end_us + chance_time(&m->chance, s->def->stop_limit_us), PROCESS_GONE, false);
	machine_count(m, success ? SIM_FAULT_GOOD_END : SIM_FAULT_CRASH);
}

static bool script_failed_start(Machine *m, SimProcess *p, int64_t at_us, const Service *s)
{
	int64_t fails_us;

	if (machine_happens(m, 5)) {
		fails_us = at_us;
		machine_count(m, SIM_FAULT_EXEC_FAILS);
	} else if (machine_happens(m, 8)) {
		fails_us = at_us + chance_time(&m->chance, 300 * MS);
		machine_count(m, SIM_FAULT_CRASH_EARLY);
	} else if (machine_happens(m, 5)) {
		fails_us = at_us + s->def->start_limit_us;
		machine_count(m, SIM_FAULT_SLOW_READY);
	} else {
		return false;
	}
	script_add(p, fails_us, PROCESS_START_FAILED, false);
	script_add(p, fails_us + chance_time(&m->chance, s->def->stop_limit_us), PROCESS_GONE, false);
	return true;
}

/* Type=script: it leaves a daemon, or nothing, or what ends soon, or nothing until later. */
static void script_start_of_script(Machine *m, SimProcess *p, int64_t at_us, const Service *s)
{
	const unsigned kind = chance_below(&m->chance, 10);

	if (kind >= 7) {
		script_leaves_nothing(p, at_us);
		machine_count(m, SIM_FAULT_LEFT_NOTHING);
	}
	if (kind == 8)
		return;
	if (kind >= 7) {
		at_us += chance_time(&m->chance, 5 * G_USEC_PER_SEC);
		machine_count(m, SIM_FAULT_CAME_LATER);
	}
	script_add(p, at_us, PROCESS_READY, true);
	if (kind == 6) {
		script_leaves_nothing(p, at_us + chance_time(&m->chance, G_USEC_PER_SEC));
		machine_count(m, SIM_FAULT_LOOSE_END);
	} else if (machine_happens(m, 25)) {
		script_end(m, p, at_us, s);
	}
}

static void script_start(Machine *m, SimProcess *p, const Service *s)
{
	int64_t at_us = m->now_us + chance_time(&m->chance, 2 * MS);

	p->n_script = 0;
	script_add(p, at_us, PROCESS_STARTED, true);
	if (script_failed_start(m, p, at_us, s))
		return;
	at_us += chance_time(&m->chance, 800 * MS);
	if (s->def->type == TYPE_TASK) {
		const bool success = !machine_happens(m, 15);

		script_add(p, at_us, PROCESS_EXITED, success);
		if (!success) {
			machine_count(m, SIM_FAULT_TASK_FAILS);
			script_add(p, at_us + chance_time(&m->chance, 50 * MS), PROCESS_GONE, false);
		}
		return;
	}
	if (s->def->type == TYPE_SCRIPT) {
		script_start_of_script(m, p, at_us, s);
		return;
	}
	script_add(p, at_us, PROCESS_READY, true);
	if (machine_happens(m, 25))
		script_end(m, p, at_us, s);
}

static void script_restart(Machine *m, SimProcess *p, const Service *s)
{
	const bool had_daemon = p->is_main_live;
	const bool fails = machine_happens(m, 25);
	int64_t at_us = m->now_us + chance_time(&m->chance, 2 * G_USEC_PER_SEC);

	p->n_script = 0;
	script_add(p, at_us, fails ? PROCESS_RESTART_FAILED : PROCESS_RESTARTED, !fails);
	if (fails)
		machine_count(m, SIM_FAULT_COMMAND_FAILED);
	if (had_daemon && machine_happens(m, 25)) {
		machine_count(m, SIM_FAULT_COMMAND_ENDS);
		script_add(p, at_us, PROCESS_EXITED, !fails);
		script_add(p, at_us + chance_time(&m->chance, s->def->stop_limit_us), PROCESS_GONE, false);
	} else if (!had_daemon && chance_percent(&m->chance, 50)) {
		script_add(p, at_us, PROCESS_READY, true);
	}
}

static void script_stop(Machine *m, SimProcess *p, const Service *s)
{
	int64_t at_us = m->now_us + chance_time(&m->chance, 100 * MS);

	p->n_script = 0;
	if (machine_happens(m, 15)) {
		at_us = m->now_us + s->def->stop_limit_us;
		machine_count(m, SIM_FAULT_IGNORES_TERM);
	}
	if (p->is_main_live)
		script_add(p, at_us, PROCESS_EXITED, chance_percent(&m->chance, 80));
	script_add(p, at_us, PROCESS_GONE, false);
}

/* --- HealthCommand= --- */

static void forget_health(SimProcess *p)
{
	p->health_at_us = 0;
	p->health = HEALTH_UNKNOWN;
}

/* Who is up, and has one, is asked, also by a new manager and after new files. */
static void ask_health(Machine *m, const Service *s)
{
	SimProcess *p = machine_process(m, s->def->name);

	if (s->state != STATE_READY || !s->def->health || !p->is_main_live || p->is_stop_asked)
		p->health_at_us = 0;
	else if (!p->health_at_us && (m->has_faults || p->health_run != s->invocation || p->health != HEALTH_HEALTHY))
		p->health_at_us = m->now_us + chance_time(&m->chance, m->has_faults ? 40 * G_USEC_PER_SEC : G_USEC_PER_SEC);
}

/* What HealthAction=restart means: it ends as if by itself. */
static void end_unhealthy(Machine *m, SimProcess *p, const Service *s)
{
	p->n_script = 0;
	script_add(p, m->now_us, PROCESS_EXITED, false);
	script_add(p, m->now_us + chance_time(&m->chance, s->def->stop_limit_us), PROCESS_GONE, false);
}

static void tell_health(Machine *m, unsigned index)
{
	SimProcess *p = &m->processes[index];
	const char *name = plan_service_name(index);
	const bool is_well = !machine_happens(m, 25);
	const ProcessEvent event = { .kind = PROCESS_HEALTH, .success = is_well, .text = is_well ? NULL : "exit status 1" };
	const Service *s = engine_find(m->engine, name);

	if (!is_well)
		machine_count(m, SIM_FAULT_UNHEALTHY);
	p->health_at_us = 0;
	p->health = is_well ? HEALTH_HEALTHY : HEALTH_UNHEALTHY;
	p->health_run = p->invocation;
	machine_trace(m, "%s: %s", name, health_name(p->health));
	engine_process_event(m->engine, name, p->invocation, &event, m->now_us);
	if (!is_well && s->def->health_action == HEALTH_ACTION_RESTART && s->state == STATE_READY && !p->is_stop_asked)
		end_unhealthy(m, p, s);
}

/* --- operations --- */

static void on_start(void *data, const Service *s)
{
	Machine *m = data;
	SimProcess *p = machine_process(m, s->def->name);

	machine_trace(m, "start %s %u: %s", s->def->name, (unsigned)s->invocation, service_cause(s));
	invariants_at_start(m, s);
	p->invocation = s->invocation;
	p->is_live = true;
	p->is_main_live = true;
	p->is_ready = false;
	p->is_stop_asked = false;
	p->is_restarting = false;
	p->is_script = s->def->type == TYPE_SCRIPT;
	script_start(m, p, s);
}

static void on_stop(void *data, const Service *s)
{
	Machine *m = data;
	SimProcess *p = machine_process(m, s->def->name);

	if (p->is_stop_asked)
		return;
	machine_trace(m, "stop %s: %s", s->def->name, service_cause(s));
	invariants_at_stop(m, s);
	/* What ends by itself already needs no other script. */
	if (!p->is_main_live && script_has(p, PROCESS_GONE) && !script_has(p, PROCESS_READY))
		return;
	p->is_stop_asked = true;
	p->is_live = true;
	p->is_restarting = false;
	p->invocation = s->invocation;
	script_stop(m, p, s);
}

static void on_reload(void *data, const Service *s)
{
	machine_trace(data, "reload %s", s->def->name);
}

/* What ends by itself ends: then the command is not run. */
static void on_restart(void *data, const Service *s)
{
	Machine *m = data;
	SimProcess *p = machine_process(m, s->def->name);

	machine_trace(m, "restart %s", s->def->name);
	invariants_at_restart(m, s);
	if (p->is_restarting || p->is_stop_asked)
		return;
	machine_count(m, SIM_FAULT_COMMAND);
	p->is_restarting = true;
	script_restart(m, p, s);
}

static void on_arm_timer(void *data, const Service *s, EngineTimer kind, int64_t at_us)
{
	machine_process(data, s->def->name)->timer_at_us[kind] = at_us;
	if (kind == ENGINE_TIMER_LINGER && at_us)
		machine_count(data, SIM_FAULT_LINGERED);
}

static void on_changed(void *data, const Service *s)
{
	machine_trace(data, "%s is %s", s->def->name, service_state_name(s->state));
	ask_health(data, s);
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
	if (p->is_live)
		machine_fail(m, "%s was forgotten while it ran", s->def->name);
	memset(p->timer_at_us, 0, sizeof(p->timer_at_us));
	forget_health(p);
	requests_forget(p);
}

static void on_engine_changed(void *data)
{
	(void)data;
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
	.engine_changed = on_engine_changed,
};

/* --- files --- */

static void load(Machine *m)
{
	g_autoptr(DiagList) diags = diag_list_new();
	ServiceSet *set = service_set_new();
	Policy *policy = policy_new();

	for (unsigned i = 0; i < m->plan->n_services; i++) {
		const char *text = m->plan->files[i];
		const SourceText source = { .file = "sim.svc", .text = text, .length = text ? strlen(text) : 0 };

		if (text)
			service_set_add(set, service_parse(plan_service_name(i), &source, 1, diags));
	}
	g_assert(policy_parse(policy, POLICY_LAYER_ADMIN, "sim.policy", m->plan->policy, strlen(m->plan->policy), diags));
	check_set(set, policy, diags);
	engine_load(m->engine, set, policy, m->now_us);
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

static void tell_script(Machine *m, unsigned index)
{
	SimProcess *p = &m->processes[index];
	const ScriptLine line = p->script[0];
	const ProcessEvent event = {
		.kind = line.kind,
		.pid = 1000 + (pid_t)index,
		.success = line.success,
		.is_done = line.is_done,
		.status = line.success ? 0 : 1,
		.at_us = line.at_us,
	};

	memmove(p->script, p->script + 1, --p->n_script * sizeof(p->script[0]));
	machine_trace(m, "%s: %s", plan_service_name(index), process_event_kind_name(line.kind));
	if (line.kind == PROCESS_EXITED || line.kind == PROCESS_START_FAILED)
		p->is_main_live = false;
	p->is_ready |= line.kind == PROCESS_READY;
	p->is_main_live |= line.kind == PROCESS_READY;
	if (line.kind == PROCESS_RESTARTED || line.kind == PROCESS_RESTART_FAILED)
		p->is_restarting = false;
	if (line.kind == PROCESS_GONE) {
		p->is_live = false;
		p->is_main_live = false;
		p->is_stop_asked = false;
	}
	engine_process_event(m->engine, plan_service_name(index), p->invocation, &event, m->now_us);
}

static void fire_timer(Machine *m, unsigned index, EngineTimer kind)
{
	m->processes[index].timer_at_us[kind] = 0;
	machine_trace(m, "%s: timer %s", plan_service_name(index), engine_timer_name(kind));
	if (kind == ENGINE_TIMER_WAIT) {
		machine_count(m, SIM_FAULT_WAITED_TOO_LONG);
		invariants_at_wait_over(m, engine_find(m->engine, plan_service_name(index)));
	}
	engine_timer_fired(m->engine, plan_service_name(index), kind, m->now_us);
}

static bool recover_one(Machine *m, unsigned index)
{
	SimProcess *p = &m->processes[index];
	const char *name = plan_service_name(index);
	g_autofree char *note = g_steal_pointer(&m->notes[index]);
	bool is_alive = p->is_live;
	const Service *s;
	bool is_read;

	if (!note && !p->is_live)
		return true;
	if (note && machine_happens(m, 3)) {
		machine_count(m, SIM_FAULT_NOTE_LOST);
		*note = '\0';
		p->held_us = p->perhaps_held_us = 0;
		requests_forget(p);
	}
	if (p->is_live && p->is_main_live && machine_happens(m, 3)) {
		machine_count(m, SIM_FAULT_END_UNSEEN);
		p->is_live = p->is_main_live = p->is_stop_asked = is_alive = false;
		p->n_script = 0;
	}
	/* A task that is done has no row, and may have a phase in its note. */
	if (p->is_live && !p->is_main_live && p->n_script == 0)
		is_alive = note && *note && chance_percent(&m->chance, 50);
	/* Nothing lives, and nobody remembers it: it never was. */
	if (!is_alive && (!(note && *note) || !engine_find(m->engine, name)))
		p->is_live = false;
	if (is_alive && p->n_script > 0 && p->script[0].kind == PROCESS_EXITED && p->script[0].at_us <= m->now_us)
		machine_count(m, SIM_FAULT_EXIT_UNSEEN);
	machine_trace(m, "recover %s \"%s\"%s", name, note ? note : "", is_alive ? " alive" : "");
	if (p->was_listening)
		engine_recover_listening(m->engine, name);
	is_read = engine_recover(m->engine, name, note ? note : "", is_alive, p->invocation,
				 p->is_main_live ? 1000 + (pid_t)index : 0, m->now_us);
	s = engine_find(m->engine, name);
	if (!s)
		requests_forget(p);
	/* Whose note was lost on the way is not known to be done: told that nothing lives, the engine takes it for ended. */
	if (!is_alive && s && s->state != STATE_DONE)
		p->is_live = false;
	p->is_script = s && s->def->type == TYPE_SCRIPT;
	/* A daemon whose file has made it a task, and whose note is lost, is taken for a task that works: it ends. */
	if (s && s->state == STATE_STARTING && is_alive && (p->n_script == 0 || (p->is_restarting && p->n_script == 1)))
		script_add(p, m->now_us, PROCESS_EXITED, true);
	return is_read || !is_alive;
}

/* What earlier boots took, of half the services; in every other history nothing. */
static void know_durations(Machine *m)
{
	Durations *durations;

	if (m->plan->n_services % 2 == 0)
		return;
	durations = durations_new();
	for (unsigned i = 0; i < m->plan->n_services; i += 2)
		durations_learn(durations, plan_service_name(i), (Duration){ i * G_USEC_PER_SEC / 4, G_USEC_PER_SEC });
	durations_learn_boot(durations, G_USEC_PER_SEC, 0);
	progress_know(m->engine, durations, m->now_us);
}

static void keep_boot_record(Machine *m)
{
	g_autofree char *news = boot_record_take_news(m->engine);

	if (news)
		g_string_append(m->boot_record, news);
}

static void begin_manager(Machine *m)
{
	m->manager_back_us = 0;
	m->begun_us = m->now_us;
	machine_trace(m, "manager begins");
	m->engine = engine_new(&ops, m);
	load(m);
	know_durations(m);
	if (!engine_recover_global(m->engine, m->global_note, m->now_us))
		machine_fail(m, "the engine cannot read its own note \"%s\"", m->global_note);
	for (unsigned i = 0; i < PLAN_MAX_SERVICES; i++) {
		if (!recover_one(m, i))
			machine_fail(m, "the engine cannot read its own note of %s", plan_service_name(i));
	}
	boot_record_recover(m->engine, m->boot_record->str, m->boot_record->len);
	levels_tell_due(m);
	engine_begin(m->engine, NULL, m->now_us);
}

/* Everything that may come next: who, and when. */
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

	if (!m->engine) {
		take_earlier(&next, m->manager_back_us, NEXT_MANAGER, 0, 0);
		return next;
	}
	take_earlier(&next, levels_next_us(m), NEXT_LEVEL, 0, 0);
	for (unsigned i = 0; i < m->plan->n_services; i++) {
		const SimProcess *p = &m->processes[i];

		if (p->n_script > 0)
			take_earlier(&next, p->script[0].at_us, NEXT_SCRIPT, i, 0);
		for (EngineTimer kind = 0; kind < ENGINE_TIMER_COUNT; kind++)
			take_earlier(&next, p->timer_at_us[kind], NEXT_TIMER, i, kind);
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
		levels_tell_due(m);
		break;
	case NEXT_SCRIPT:
		tell_script(m, next->index);
		break;
	case NEXT_TIMER:
		fire_timer(m, next->index, next->kind);
		break;
	case NEXT_HEALTH:
		tell_health(m, next->index);
		break;
	case NEXT_NOTHING:
		break;
	}
}

void machine_run(Machine *m, int64_t to_us)
{
	Next next;

	while (!m->failure && (next = find_next(m)).at_us <= to_us) {
		m->now_us = MAX(m->now_us, next.at_us);
		do_next(m, &next);
		invariants_always(m);
	}
	m->now_us = MAX(m->now_us, to_us);
}

/* --- what people and the world do --- */

void machine_set_runlevel(Machine *m, const char *runlevel)
{
	machine_trace(m, "runlevel %s", runlevel);
	requests_set_runlevel(m, runlevel);
	invariants_always(m);
}

static void poke_runlevel(Machine *m)
{
	machine_count(m, SIM_FAULT_RUNLEVEL);
	machine_set_runlevel(m, chance_percent(&m->chance, 50) ? "2" : "3");
}

static void poke_reload(Machine *m)
{
	plan_alter(m->plan, &m->chance);
	m->altered_us = m->now_us;
	machine_count(m, SIM_FAULT_RELOAD);
	for (unsigned i = 0; i < m->plan->n_services; i++) {
		if (!m->plan->files[i] && m->processes[i].is_live)
			machine_count(m, SIM_FAULT_FILE_GONE);
	}
	machine_trace(m, "files are read again");
	if (m->is_tracing)
		show_files(m);
	load(m);
}

static void poke_stray(Machine *m)
{
	const unsigned index = chance_below(&m->chance, m->plan->n_services);
	const ProcessEvent event = { .kind = chance_below(&m->chance, PROCESS_COUNT), .pid = 7 };

	if (m->processes[index].invocation == 0)
		return;
	machine_count(m, SIM_FAULT_STRAY_EVENT);
	machine_trace(m, "%s: a late %s", plan_service_name(index), process_event_kind_name(event.kind));
	engine_process_event(m->engine, plan_service_name(index), m->processes[index].invocation - 1, &event,
			     m->now_us);
}

static void poke_crash(Machine *m)
{
	const GPtrArray *services = engine_services(m->engine);

	machine_count(m, SIM_FAULT_MANAGER_CRASH);
	machine_trace(m, "manager crashes");
	for (unsigned i = 0; i < services->len; i++) {
		const Service *s = g_ptr_array_index(services, i);
		char note[128];

		engine_note(m->engine, s, note, sizeof(note));
		if (*note)
			m->notes[index_of(s->def->name)] = g_strdup(note);
		if (s->state == STATE_STOPPING)
			machine_count(m, SIM_FAULT_CRASH_AT_STOP);
		if (machine_process(m, s->def->name)->timer_at_us[ENGINE_TIMER_WAIT])
			machine_count(m, SIM_FAULT_WAITED_ACROSS_CRASH);
		if (s->admin == ADMIN_DEMAND)
			machine_count(m, SIM_FAULT_DEMAND_ACROSS_CRASH);
		if (s->admin == ADMIN_CONNECTION)
			machine_count(m, SIM_FAULT_CONNECTION_ACROSS_CRASH);
		machine_process(m, s->def->name)->was_listening = s->listens != LISTENS_CLOSED;
		if (s->is_restarting)
			machine_count(m, SIM_FAULT_COMMAND_ACROSS_CRASH);
	}
	engine_note_global(m->engine, m->global_note, sizeof(m->global_note));
	keep_boot_record(m);
	g_clear_pointer(&m->engine, engine_free);
	for (unsigned i = 0; i < PLAN_MAX_SERVICES; i++)
		memset(m->processes[i].timer_at_us, 0, sizeof(m->processes[i].timer_at_us));
	for (unsigned i = 0; i < PLAN_MAX_SERVICES; i++)
		forget_health(&m->processes[i]);
	levels_forget(m);
	/* A new manager waits out Settle= anew. */
	for (unsigned i = 0; i < PLAN_MAX_SERVICES; i++)
		m->processes[i].hold_false_us = 0;
	m->manager_back_us = m->now_us + chance_time(&m->chance, 2 * G_USEC_PER_SEC);
}

void machine_poke(Machine *m)
{
	const unsigned kind = chance_below(&m->chance, 100);

	if (!m->engine)
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
	else
		poke_crash(m);
	if (m->engine)
		invariants_always(m);
}

/* What it would have done wrong is taken out of its script. */
static void calm_process(Machine *m, unsigned index)
{
	SimProcess *p = &m->processes[index];
	const Service *s = m->engine ? engine_find(m->engine, plan_service_name(index)) : NULL;

	for (unsigned i = 0; i < p->n_script; i++) {
		const ProcessEventKind kind = p->script[i].kind;

		if (kind == PROCESS_READY || (p->is_restarting && kind != PROCESS_EXITED && !script_has(p, PROCESS_READY)))
			p->n_script = i + 1;
	}
	/* Ready already, and not told to stop: it goes on; but not what the engine takes for a task that works (recover_one()). */
	if (s && s->state == STATE_STARTING)
		return;
	if (p->is_main_live && p->is_ready && !p->is_stop_asked && p->n_script > 0 &&
	    p->script[0].kind == PROCESS_EXITED)
		p->n_script = 0;
}

void machine_calm(Machine *m)
{
	machine_trace(m, "calm");
	m->has_faults = false;
	for (unsigned i = 0; i < PLAN_MAX_SERVICES; i++)
		calm_process(m, i);
	levels_calm(m);
}

Machine *machine_new(uint64_t seed, bool is_tracing, unsigned long *n_faults)
{
	Machine *m = g_new0(Machine, 1);

	m->chance.state = seed;
	m->is_tracing = is_tracing;
	m->n_faults = n_faults;
	m->has_faults = true;
	m->now_us = 1000 * G_USEC_PER_SEC;
	m->hash = UINT64_C(0xcbf29ce484222325);
	m->misery = chance_percent(&m->chance, 15) ? 4 : 1;
	m->plan = plan_new(&m->chance);
	m->boot_record = g_string_new(NULL);
	if (is_tracing)
		show_files(m);
	levels_init(m);
	m->engine = engine_new(&ops, m);
	load(m);
	know_durations(m);
	levels_tell_due(m);
	engine_begin(m->engine, "2", m->now_us);
	invariants_always(m);
	return m;
}

void machine_free(Machine *m)
{
	if (!m)
		return;
	g_string_free(m->boot_record, TRUE);
	engine_free(m->engine);
	plan_free(m->plan);
	for (unsigned i = 0; i < PLAN_MAX_SERVICES; i++)
		g_free(m->notes[i]);
	g_free(m->failure);
	g_free(m);
}
