/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * World: a simulation that records the engine's requests; the test answers.
 */
#include "config.h"

#include "tests/lib/world.h"

#include <string.h>
#include <sys/wait.h>

#include "boot/boot-record.h"
#include "boot/boot.h"
#include "engine/simulation.h"
#include "model/check.h"
#include "model/service-parse.h"

static const Requester admin = { .uid = 0, .pid = 812 };

/* The start time of the next world. */
static int64_t birth_us = 100 * G_USEC_PER_SEC;

struct World {
	Simulation sim;
	char *files;
	char *policy;
	PolicyLayer layer; /* of the policy */
	GHashTable *alternatives; /* key -> alternatives to that condition */
	WorldConditionFunc on_condition; /* or NULL */
	void *on_condition_data;
	GString *log;
	GString *condition_log;
	GString *boot_record; /* as the manager keeps it */
	char *log_shown;
	char *refusal;
};

void world_set_birth(int64_t now_us)
{
	birth_us = now_us;
}

int64_t world_birth(void)
{
	return birth_us;
}

static void write_log(World *w, const char *act, const char *service)
{
	g_string_append_printf(w->log, "%s%s %s", w->log->len ? ", " : "", act, service);
}

/* --- operations --- */

static void on_start(void *data, const Service *s)
{
	World *w = data;

	ck_assert_msg(!simulation_run(&w->sim, s->def->name)->is_live,
		      "%s was started while it ran", s->def->name);
	simulation_start(&w->sim, s);
	simulation_queue(&w->sim, s);
	write_log(w, "start", s->def->name);
}

static void on_stop(void *data, const Service *s)
{
	World *w = data;

	if (!simulation_stop(&w->sim, s))
		return;
	simulation_queue(&w->sim, s);
	write_log(w, "stop", s->def->name);
}

static void on_reload(void *data, const Service *s)
{
	World *w = data;

	simulation_queue(&w->sim, s);
	write_log(w, "reload", s->def->name);
}

static void on_restart(void *data, const Service *s)
{
	write_log(data, "restart", s->def->name);
}

static void on_removed(void *data, const Service *s)
{
	write_log(data, "removed", s->def->name);
}

static void on_condition_changed(void *data, const char *key, Level level, const char *why)
{
	World *w = data;

	g_string_append_printf(w->condition_log, "%s%s %s", w->condition_log->len ? ", " : "", key,
			       level_name(level));
	if (w->on_condition)
		w->on_condition(w->on_condition_data, key, level, why);
}

static char *on_describe(void *data, KeyPrefix prefix, const char *key)
{
	(void)prefix;
	return g_strdup(g_hash_table_lookup(((World *)data)->alternatives, key));
}

static EngineOps ops = {
	.subscribe = simulation_subscribe,
	.unsubscribe = simulation_unsubscribe,
	.start = on_start,
	.stop = on_stop,
	.reload = on_reload,
	.restart = on_restart,
	.removed = on_removed,
	.condition_changed = on_condition_changed,
	.describe = on_describe,
};

static void on_listen(void *data, const Service *s)
{
	(void)data;
	(void)s;
}

void world_open_sockets_slowly(void)
{
	ops.listen = on_listen;
}

/* --- files --- */

static void add_file(ServiceSet *set, const char *name, const char *text, DiagList *diags)
{
	g_autofree char *file = g_strdup_printf("/etc/svcd/services.d/%s.svc", name);
	const SourceText source = { .file = file, .text = text, .length = strlen(text) };

	service_set_add(set, service_parse(name, &source, 1, diags));
}

static ServiceSet *read_files(const char *files, DiagList *diags, GString *names)
{
	ServiceSet *set = service_set_new();
	g_auto(GStrv) parts = NULL;

	if (!g_str_has_prefix(files, "== ")) {
		g_string_append(names, " it");
		add_file(set, "it", files, diags);
		return set;
	}
	parts = g_strsplit(files + strlen("== "), "\n== ", -1);
	for (char **part = parts; *part; part++) {
		char *text = strchr(*part, '\n');

		ck_assert_ptr_nonnull(text);
		*text++ = '\0';
		g_string_append_printf(names, " %s", *part);
		add_file(set, *part, text, diags);
	}
	return set;
}

static void load(World *w)
{
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(GString) names = g_string_new(NULL);
	ServiceSet *set = read_files(w->files, diags, names);
	Policy *policy = policy_new();
	g_autofree char *all = g_strdup_printf("[runlevel 2]\nActivate=%s\n", names->str + 1);
	const char *text = w->policy ? w->policy : all;

	ck_assert(policy_parse(policy, w->layer, "/etc/svcd/policy.d/local.policy", text,
			       strlen(text), diags));
	check_set(set, policy, diags);
	engine_load(w->sim.engine, set, policy, w->sim.now_us);
}

static World *world_new_with_layer(const char *files, const char *policy, PolicyLayer layer)
{
	World *w = g_new0(World, 1);

	w->layer = layer;
	w->files = g_strdup(files);
	w->policy = g_strdup(policy);
	simulation_init(&w->sim, birth_us);
	w->alternatives = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	w->log = g_string_new(NULL);
	w->condition_log = g_string_new(NULL);
	w->boot_record = g_string_new(NULL);
	w->sim.engine = engine_new(&ops, w);
	boot_observe(w->sim.engine);
	load(w);
	simulation_report_levels(&w->sim);
	engine_begin(w->sim.engine, "2", w->sim.now_us);
	return w;
}

World *world_new_with_policy(const char *files, const char *policy)
{
	return world_new_with_layer(files, policy, POLICY_LAYER_ADMIN);
}

World *world_new_with_vendor_policy(const char *files, const char *policy)
{
	return world_new_with_layer(files, policy, POLICY_LAYER_VENDOR);
}

World *world_new(const char *files)
{
	return world_new_with_policy(files, NULL);
}

void world_free(World *w)
{
	if (!w)
		return;
	simulation_clear(&w->sim);
	g_hash_table_unref(w->alternatives);
	g_string_free(w->log, TRUE);
	g_string_free(w->condition_log, TRUE);
	g_string_free(w->boot_record, TRUE);
	g_free(w->log_shown);
	g_free(w->refusal);
	g_free(w->files);
	g_free(w->policy);
	g_free(w);
}

Engine *world_engine(World *w)
{
	return w->sim.engine;
}

Service *world_find(World *w, const char *service)
{
	Service *s = engine_find(w->sim.engine, service);

	ck_assert_msg(s, "there is no service %s", service);
	return s;
}

int64_t world_now(World *w)
{
	return w->sim.now_us;
}

void world_reload(World *w, const char *files, const char *policy)
{
	g_free(w->files);
	w->files = g_strdup(files);
	if (policy) {
		g_free(w->policy);
		w->policy = g_strdup(policy);
	}
	load(w);
	simulation_report_levels(&w->sim);
}

/* --- events --- */

void world_set_level(World *w, const char *key, Level level, const char *why,
		     const char *alternatives)
{
	if (alternatives)
		g_hash_table_insert(w->alternatives, g_strdup(key), g_strdup(alternatives));
	else
		g_hash_table_remove(w->alternatives, key);
	simulation_set_level(&w->sim, key, level, why);
}

void world_set(World *w, const char *key, bool is_true)
{
	world_set_level(w, key, is_true ? LEVEL_TRUE : LEVEL_FALSE, NULL, NULL);
}

void world_set_unknown(World *w, const char *key)
{
	world_set_level(w, key, LEVEL_UNKNOWN, NULL, NULL);
}

void world_on_condition(World *w, WorldConditionFunc func, void *data)
{
	w->on_condition = func;
	w->on_condition_data = data;
}

void world_started(World *w, const char *service)
{
	simulation_report(&w->sim, service, (ProcessEvent){ .kind = PROCESS_STARTED, .pid = 4711 });
}

void world_ready(World *w, const char *service)
{
	simulation_report(&w->sim, service, (ProcessEvent){ .kind = PROCESS_READY });
}

void world_start_fails(World *w, const char *service, const char *text)
{
	simulation_report(&w->sim, service,
			  (ProcessEvent){ .kind = PROCESS_START_FAILED, .text = text });
}

void world_start_is_refused(World *w, const char *service, const char *text)
{
	simulation_report(
		&w->sim, service,
		(ProcessEvent){ .kind = PROCESS_START_FAILED, .text = text, .is_refused = true });
}

void world_exits(World *w, const char *service, int status)
{
	g_autofree char *text = g_strdup_printf("exit status %d", status);

	simulation_report(&w->sim, service,
			  (ProcessEvent){ .kind = PROCESS_EXITED,
					  .success = status == 0,
					  .code = CLD_EXITED,
					  .status = status,
					  .text = text });
}

void world_leaves_nothing(World *w, const char *service)
{
	simulation_report(&w->sim, service,
			  (ProcessEvent){ .kind = PROCESS_EXITED,
					  .success = true,
					  .is_done = true,
					  .code = CLD_EXITED,
					  .text = "exit status 0; it left nothing running" });
}

void world_ends_in_restart(World *w, const char *service)
{
	simulation_report(
		&w->sim, service,
		(ProcessEvent){ .kind = PROCESS_EXITED,
				.is_restart = true,
				.code = CLD_EXITED,
				.text = "its restart left nothing running: exit status 0" });
}

void world_restarted(World *w, const char *service, const char *problem)
{
	simulation_report(&w->sim, service,
			  (ProcessEvent){ .kind = problem ? PROCESS_RESTART_FAILED :
							    PROCESS_RESTARTED,
					  .text = problem });
}

void world_reloaded(World *w, const char *service, const char *problem)
{
	simulation_report(&w->sim, service,
			  (ProcessEvent){ .kind = problem ? PROCESS_RELOAD_FAILED :
							    PROCESS_RELOADED,
					  .text = problem });
}

void world_health(World *w, const char *service, const char *problem)
{
	simulation_report(
		&w->sim, service,
		(ProcessEvent){ .kind = PROCESS_HEALTH, .success = !problem, .text = problem });
}

void world_stops_itself(World *w, const char *service)
{
	simulation_report(&w->sim, service, (ProcessEvent){ .kind = PROCESS_STOPPING });
}

void world_stop_fails(World *w, const char *service, const char *text, const char *output)
{
	simulation_report(
		&w->sim, service,
		(ProcessEvent){ .kind = PROCESS_STOP_FAILED, .text = text, .output = output });
}

void world_gone(World *w, const char *service)
{
	simulation_report(&w->sim, service, (ProcessEvent){ .kind = PROCESS_GONE });
}

void world_dies(World *w, const char *service, int status)
{
	world_exits(w, service, status);
	world_gone(w, service);
}

void world_settle(World *w)
{
	while (simulation_answer(&w->sim))
		;
}

void world_advance(World *w, int64_t us)
{
	const int64_t until_us = w->sim.now_us + us;

	while (simulation_fire_timer(&w->sim, ENGINE_TIMERS_ALL, until_us))
		;
	w->sim.now_us = until_us;
}

/* --- requests --- */

bool world_request(World *w, RequestVerb verb, const char *service)
{
	g_autoptr(GError) error = NULL;
	const bool is_granted =
		engine_request(w->sim.engine, verb, service, &admin, w->sim.now_us, &error);

	g_free(w->refusal);
	w->refusal = g_strdup(error ? error->message : "");
	return is_granted;
}

void world_start(World *w, const char *service)
{
	ck_assert(world_request(w, REQUEST_VERB_START, service));
}

void world_stop(World *w, const char *service)
{
	ck_assert(world_request(w, REQUEST_VERB_STOP, service));
}

void world_restart(World *w, const char *service)
{
	ck_assert(world_request(w, REQUEST_VERB_RESTART, service));
}

const char *world_refusal(World *w, RequestVerb verb, const char *service)
{
	ck_assert(!world_request(w, verb, service));
	return w->refusal;
}

void world_runlevel(World *w, const char *runlevel)
{
	ck_assert(engine_set_runlevel(w->sim.engine, runlevel, &admin, w->sim.now_us, NULL));
}

/* --- a crash of the manager --- */

static GHashTable *collect_notes(World *w)
{
	GHashTable *notes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	const GPtrArray *services = engine_services(w->sim.engine);

	for (unsigned i = 0; i < services->len; i++) {
		const Service *s = g_ptr_array_index(services, i);
		char note[128];

		engine_note(w->sim.engine, s, note, sizeof(note));
		g_hash_table_insert(notes, g_strdup(s->def->name), g_strdup(note));
	}
	return notes;
}

static void keep_boot_record(World *w)
{
	g_autofree char *news = boot_record_take_news(w->sim.engine);

	if (news)
		g_string_append(w->boot_record, news);
}

void world_crash(World *w)
{
	g_autoptr(GHashTable) notes = collect_notes(w);
	GHashTableIter iter;
	gpointer name;
	gpointer note;
	char global[128];

	keep_boot_record(w);
	boot_note_global(w->sim.engine, global, sizeof(global));
	engine_free(w->sim.engine);
	w->sim.engine = engine_new(&ops, w);
	boot_observe(w->sim.engine);
	load(w);
	ck_assert(boot_recover_global(w->sim.engine, global, w->sim.now_us));
	g_hash_table_iter_init(&iter, notes);
	while (g_hash_table_iter_next(&iter, &name, &note)) {
		const SimulatedRun *run = simulation_run(&w->sim, name);

		ck_assert(engine_recover(
			w->sim.engine, name, note,
			run->is_live && (run->is_main_live || run->is_stop_requested),
			run->invocation, run->is_main_live ? 4711 : 0, w->sim.now_us));
	}
	boot_record_recover(w->sim.engine, w->boot_record->str, w->boot_record->len);
	simulation_report_levels(&w->sim);
	engine_begin(w->sim.engine, NULL, w->sim.now_us);
}

/* --- results --- */

static const char *show(World *w, GString *log)
{
	g_free(w->log_shown);
	w->log_shown = g_strdup(log->str);
	g_string_truncate(log, 0);
	return w->log_shown;
}

const char *world_log(World *w)
{
	return show(w, w->log);
}

const char *world_condition_log(World *w)
{
	return show(w, w->condition_log);
}

unsigned world_count_live(World *w, const char *service)
{
	return simulation_run(&w->sim, service)->is_live;
}

Level world_level(World *w, const char *key)
{
	ConditionView view;

	ck_assert_msg(engine_condition(w->sim.engine, key, &view), "no service names %s", key);
	return view.level;
}
