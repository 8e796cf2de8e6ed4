/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Wiring: connects EngineOps to the components that have side effects.
 *
 * The engine's operations are called from inside the engine and must not call back, so they only
 * record the actions (actions.c). Events go the other way at once: a supervisor reports an exit,
 * the engine handles it, and the acknowledgement carries the resulting note.
 */
#include "config.h"

#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/log.h"
#include "base/text.h"
#include "boot/boot.h"
#include "manager/manager.h"
#include "process/outcome.h"

/* --- timers of the engine --- */

typedef struct ServiceTimer {
	Manager *manager;
	const char *service; /* interned */
	EngineTimer kind;
	Timer *timer; /* NULL: not armed */
} ServiceTimer;

typedef struct ServiceTimers {
	ServiceTimer of_kind[ENGINE_TIMER_COUNT];
} ServiceTimers;

static void free_timers(gpointer data)
{
	ServiceTimers *armed = data;

	for (int i = 0; i < (int)ENGINE_TIMER_COUNT; i++)
		timer_free(armed->of_kind[i].timer);
	g_free(armed);
}

/* interned name -> ServiceTimers, owned; of services with an armed timer */
static GHashTable *timers;
static bool is_lack_reported; /* it was logged that limits of services are not in force */

/* The record exists while one of its timers is armed. */
static void disarm_timer(const char *service, EngineTimer kind)
{
	ServiceTimers *armed = g_hash_table_lookup(timers, service);

	if (!armed)
		return;
	g_clear_pointer(&armed->of_kind[kind].timer, timer_free);
	for (int i = 0; i < (int)ENGINE_TIMER_COUNT; i++) {
		if (armed->of_kind[i].timer)
			return;
	}
	g_hash_table_remove(timers, service);
}

static void on_engine_timer(void *data)
{
	const ServiceTimer fired = *(const ServiceTimer *)data;
	Manager *m = fired.manager;

	disarm_timer(fired.service, fired.kind);
	/* A service without a file is dropped when it ends, and so are its timers. */
	engine_timer_fired(m->engine, fired.service, fired.kind, loop_now());
	manager_drain_later();
}

static void arm_timer(Manager *m, const char *service, EngineTimer kind, int64_t at_us)
{
	ServiceTimers *armed = g_hash_table_lookup(timers, service);
	ServiceTimer *timer;

	if (!armed) {
		armed = g_new0(ServiceTimers, 1);
		g_hash_table_insert(timers, (gpointer)service, armed);
	}
	timer = &armed->of_kind[kind];
	timer->manager = m;
	timer->service = service;
	timer->kind = kind;
	timer_set(&timer->timer, at_us, on_engine_timer, timer);
}

/* --- operations of the engine --- */

static void op_subscribe(void *data, KeyPrefix prefix, const char *key)
{
	registry_subscribe(((Manager *)data)->registry, prefix, key);
}

static void op_unsubscribe(void *data, KeyPrefix prefix, const char *key)
{
	registry_unsubscribe(((Manager *)data)->registry, prefix, key);
}

static void op_start(void *data, const Service *s)
{
	(void)data;
	actions_queue(ENGINE_ACTION_START, s);
}

static void op_stop(void *data, const Service *s)
{
	(void)data;
	actions_queue(ENGINE_ACTION_STOP, s);
}

static void op_reload(void *data, const Service *s)
{
	(void)data;
	actions_queue(ENGINE_ACTION_RELOAD, s);
}

static void op_restart(void *data, const Service *s)
{
	(void)data;
	actions_queue(ENGINE_ACTION_RESTART, s);
}

static void op_arm_timer(void *data, const Service *s, EngineTimer kind, int64_t at_us)
{
	if (at_us > 0)
		arm_timer(data, s->def->name, kind, at_us);
	else
		disarm_timer(s->def->name, kind);
}

static void log_state(const Service *s)
{
	static const LogLevel levels[STATE_COUNT] = {
		[STATE_IDLE] = LOG_DEBUG,      [STATE_WAITING] = LOG_DEBUG,
		[STATE_STARTING] = LOG_DEBUG,  [STATE_READY] = LOG_NOTICE,
		[STATE_DONE] = LOG_NOTICE,     [STATE_STOPPING] = LOG_NOTICE,
		[STATE_BACKOFF] = LOG_WARNING, [STATE_FAILED] = LOG_ERROR,
	};

	if (service_is_up(s) && s->start_duration_us > 0) {
		g_autofree char *took = text_format_duration(s->start_duration_us);

		log_line(levels[s->state], s->def->name, "%s after %s",
			 service_state_name(s->state), took);
	} else {
		log_line(levels[s->state], s->def->name, "%s: %s", service_state_name(s->state),
			 service_cause(s));
	}
}

static void op_listen(void *data, const Service *s)
{
	(void)data;
	sockets_mark(s->def->name);
	manager_drain_later();
}

/* The log line is delayed until all resulting actions have begun. */
static void op_entered(void *data, const Service *s)
{
	(void)data;
	console_mute_update(s);
	last_success_on_state(data, s);
	log_put_off();
	manager_drain_later();
	log_state(s);
}

static void op_changed(void *data, const Service *s)
{
	Manager *m = data;

	notes_mark(s->def->name);
	watches_look_again(m, s);
	if (m->bus)
		bus_service_changed(m->bus, s->def->name);
	manager_drain_later();
}

static void op_removed(void *data, const Service *s)
{
	Manager *m = data;

	console_mute_forget(s);
	notes_forget(m, s->def->name);
	g_hash_table_remove(timers, s->def->name);
	sockets_mark(s->def->name);
	manager_drain_later();
	if (m->bus)
		bus_service_removed(m->bus, s->def->name);
}

static void op_engine_changed(void *data)
{
	Manager *m = data;

	notes_mark_global();
	if (m->bus)
		bus_engine_changed(m->bus);
	manager_drain_later();
}

static void op_condition_changed(void *data, const char *key, Level level, const char *why)
{
	Manager *m = data;

	if (m->bus)
		bus_condition_changed(m->bus, key, level, why);
}

static char *op_describe(void *data, KeyPrefix prefix, const char *key)
{
	return registry_describe(((Manager *)data)->registry, prefix, key);
}

static const EngineOps engine_ops = {
	.subscribe = op_subscribe,
	.unsubscribe = op_unsubscribe,
	.start = op_start,
	.stop = op_stop,
	.reload = op_reload,
	.restart = op_restart,
	.arm_timer = op_arm_timer,
	.listen = op_listen,
	.entered = op_entered,
	.changed = op_changed,
	.removed = op_removed,
	.engine_changed = op_engine_changed,
	.condition_changed = op_condition_changed,
	.describe = op_describe,
};

void manager_init_engine(Manager *m)
{
	timers = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, free_timers);
	m->engine = engine_new(&engine_ops, m);
	boot_observe(m->engine);
	sockets_init(m);
}

/* --- events of services --- */

/*
 * Reads the mount table at once. Otherwise services on the volume could be started again before the
 * change of the table is handled.
 */
static void update_mounts(Manager *m, const char *service)
{
	const Service *s = engine_find(m->engine, service);

	if (m->registry && s && service_def_mount_point(s->def))
		registry_update_mounts(m->registry);
}

static void on_process_event(void *data, const char *service, uint64_t invocation,
			     const ProcessEvent *event)
{
	Manager *m = data;

	if (event->kind == PROCESS_RELOAD_FAILED)
		log_warning(service, "reload failed: %s",
			    event->text ? event->text : "no reason was given");
	if (event->kind == PROCESS_RESTART_FAILED)
		log_warning(service, "restart failed: %s",
			    event->text ? event->text : "no reason was given");
	if (event->kind == PROCESS_STOP_FAILED)
		log_warning(service, "stop failed, so it is up as before: %s",
			    event->text ? event->text : "no reason was given");
	if (event->kind == PROCESS_RESOURCES && event->text && !is_lack_reported) {
		is_lack_reported = true;
		log_warning(service, "%s; svcctl status shows this for other services",
			    event->text);
	}
	if (event->kind == PROCESS_CHECKED) {
		checks_on_ended(service, event);
		return;
	}
	notes_mark(service);
	if (event->kind == PROCESS_GONE)
		update_mounts(m, service);
	if (event->kind != PROCESS_PHASE)
		engine_process_event(m->engine, service, invocation, event, loop_now());
	if (event->kind == PROCESS_GONE) {
		Supervisor *supervisor = manager_supervisor(service);

		if (supervisor && supervisor_invocation(supervisor) == invocation)
			actions_retire(service);
		sockets_look(service);
		/* this service may have used an address that another service needs */
		sockets_retry_soon();
	}
	manager_drain_later();
}

static const char *on_note_wanted(void *data, const char *service)
{
	return notes_get(data, service);
}

static void on_watch(void *data, const char *service, KeyPrefix prefix, const char *key)
{
	watches_add_service(data, service, prefix, key);
}

static void on_unwatch(void *data, const char *service, KeyPrefix prefix, const char *key)
{
	watches_remove_service(data, service, prefix, key);
}

static bool on_is_ending(void *data)
{
	(void)data;
	return power_is_ending();
}

static bool on_starts_again(void *data, const char *service)
{
	const Manager *m = data;
	const Service *s = engine_find(m->engine, service);

	return s && engine_starts_again(s);
}

/* --- messages of the keeper --- */

/* Why the installed keeper failed its trial, as far as it is known here; a new string. */
static char *describe_refusal(int wait_status)
{
	if (wait_status < 0)
		return g_strdup("it did not answer in time");
	if (WIFSIGNALED(wait_status))
		return outcome_describe(CLD_KILLED, WTERMSIG(wait_status), 0);
	if (WEXITSTATUS(wait_status) == 127)
		return g_strdup("it cannot be executed");
	if (WEXITSTATUS(wait_status) == EXIT_FAILURE)
		return g_strdup("it cannot read the tables of the running program");
	return outcome_describe(CLD_EXITED, WEXITSTATUS(wait_status), 0);
}

static void take_refusal(Manager *m, const struct MessageWelcome *message)
{
	g_autofree char *reason = NULL;

	if (!(message->flags & WELCOME_NOT_TAKEN_OVER))
		return;
	reason = describe_refusal(message->trial_status);
	m->reexec_problem = g_strdup_printf(
		SVCD_SBINDIR "/svcd could not take over (%s): the previous program keeps running",
		reason);
}

static const char *tasks_max(void *data)
{
	return policy_tasks_max(engine_policy(((Manager *)data)->engine));
}

static void on_welcome(void *data, const struct MessageWelcome *message)
{
	Manager *m = data;

	m->welcome = *message;
	take_refusal(m, message);
	if (message->busy_ms > 0 && fcntl(PROTOCOL_CLOCK_FD, F_SETFD, FD_CLOEXEC) == 0)
		loop_watch_over(PROTOCOL_CLOCK_FD, (int64_t)message->busy_ms * 1000);
	m->welcome.cgroup_root[sizeof m->welcome.cgroup_root - 1] = '\0';
	m->welcome.virtualization[sizeof m->welcome.virtualization - 1] = '\0';
	m->context = (ProcessContext){
		.link = m->link,
		.cgroup_root = m->welcome.cgroup_root[0] ? m->welcome.cgroup_root : NULL,
		.has_marks = manager_is_users(m) && !m->welcome.cgroup_root[0],
		.exec_helper = SVCD_LIBDIR "/svc-exec",
		.null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC),
		.event = on_process_event,
		.note = on_note_wanted,
		.watch = on_watch,
		.unwatch = on_unwatch,
		.starts_again = on_starts_again,
		.is_ending = on_is_ending,
		.sockets = sockets_for_spawn,
		.tasks_max = tasks_max,
		.data = m,
	};
}

static void on_spawned(void *data, const struct MessageSpawned *message)
{
	Manager *m = data;
	Supervisor *supervisor = manager_supervisor(message->id.service);

	if (helper_on_spawned(m, message))
		return;
	if (m->recovery)
		recovery_add_spawned(m->recovery, message);
	else if (strcmp(message->id.service, LOGGER_SERVICE) == 0)
		log_router_on_spawned(m->logs, message);
	else if (supervisor && supervisor_invocation(supervisor) == message->id.invocation)
		supervisor_on_spawned(supervisor, message);
}

static void on_exited(void *data, const struct MessageExited *message)
{
	Manager *m = data;
	Supervisor *supervisor = manager_supervisor(message->id.service);

	if (helper_on_exited(m, message))
		return;
	if (m->recovery)
		recovery_add_exited(m->recovery, message);
	else if (strcmp(message->id.service, LOGGER_SERVICE) == 0)
		log_router_on_exited(m->logs, message);
	else if (supervisor && supervisor_invocation(supervisor) == message->id.invocation)
		supervisor_on_exited(supervisor, message);
	else
		/* no supervisor will acknowledge it, and its row must not stay */
		keeper_link_ack(m->link, &message->id, NULL);
}

static void on_adopted(void *data, const struct MessageAdopted *message)
{
	Supervisor *supervisor = manager_supervisor(message->id.service);

	(void)data;
	if (supervisor && supervisor_invocation(supervisor) == message->id.invocation)
		supervisor_on_adopted(supervisor, message);
}

static void on_note(void *data, const struct MessageNote *message)
{
	Manager *m = data;

	if (m->recovery)
		recovery_add_note(m->recovery, message->service, message->note);
}

static void on_kept(void *data, const char *name, int fd)
{
	Manager *m = data;

	if (m->recovery)
		recovery_add_fd(m->recovery, name, fd);
	else
		fd_close(&fd);
}

static void on_shutdown_intent(void *data, const struct MessageShutdown *message)
{
	Manager *m = data;

	if (m->recovery)
		recovery_set_shutdown(m->recovery, (enum ShutdownKind)message->kind);
}

static void on_replayed(void *data, const struct MessageReplayed *message)
{
	Manager *m = data;

	if (!m->recovery)
		return;
	log_debug(NULL, "replayed: %u processes, %u notes, %u descriptors", message->n_children,
		  message->n_notes, message->n_fds);
	files_begin(m);
}

static void on_request(void *data, enum RequestKind kind)
{
	power_on_request(data, kind);
}

/*
 * The keeper ends this manager and will start another one. Its data is safe, so nothing is cleaned
 * up.
 */
static void on_closed(void *data)
{
	Manager *m = data;

	if (m->bus)
		bus_flush(m->bus);
	m->exit_code = PROTOCOL_EXIT_REEXEC;
	g_main_loop_quit(m->loop);
}

const KeeperListener manager_keeper_listener = {
	.welcome = on_welcome,
	.spawned = on_spawned,
	.exited = on_exited,
	.adopted = on_adopted,
	.note = on_note,
	.kept = on_kept,
	.shutdown_intent = on_shutdown_intent,
	.replayed = on_replayed,
	.request = on_request,
	.closed = on_closed,
};
