/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Start and stop: see start-stop.h. The states of a unit, and what its process does:
 *
 *   inactive -> starting -> spawned -> active -> ending -> signalled -> inactive, failed
 *
 * A scope has one process, svc-session, from its start to its end: it makes the cgroup, waits until
 * it is empty, and removes it. That of a user manager is the parent of systemd --user; another one
 * clears the cgroup after it.
 */
#include "config.h"

#include "svc-systemd1/start-stop.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "base/log.h"
#include "svc-systemd1/bus.h"
#include "svc-systemd1/job.h"
#include "svc-systemd1/spawn.h"

#define SESSION_PROGRAM SVCD_LIBDIR "/svc-session"
#define SVCCTL SVCD_BINDIR "/svcctl"
#define SYSTEMD_DIR "/lib/systemd"

/* systemd's DefaultTimeoutStartSec=, DefaultTimeoutStopSec=, and user@.service's TimeoutStopSec=. */
#define START_LIMIT_US (90 * G_USEC_PER_SEC)
#define SCOPE_STOP_LIMIT_S "90"
#define MANAGER_STOP_LIMIT_S "120"

enum { ARGUMENTS_MAX = 80 };

typedef struct Arguments {
	const char *argv[ARGUMENTS_MAX + 1];
	unsigned n;
} Arguments;

static void add(Arguments *arguments, const char *text)
{
	g_assert(arguments->n < ARGUMENTS_MAX);
	arguments->argv[arguments->n++] = text;
}

/* --- states and jobs --- */

static void set_state(Unit *unit, UnitState state)
{
	const char *before = unit_active_state(unit);

	unit->state = state;
	if (strcmp(before, unit_active_state(unit)) != 0)
		bus_emit_active_state(unit->name, unit_active_state(unit));
}

static void finish_job(const Unit *unit, uint32_t *job, const char *result)
{
	const uint32_t id = *job;

	if (!id)
		return;
	*job = 0;
	job_end(id);
	bus_emit_job_removed(id, unit->name, result);
}

/* Its last process has ended. */
static void end(Unit *unit, const char *start_result)
{
	const bool is_again = unit->is_start_pending;

	unit->deadline_us = 0;
	unit->is_explicit = false;
	if (!is_again)
		finish_job(unit, &unit->start_job, start_result);
	set_state(unit, unit->has_failed ? UNIT_FAILED : UNIT_INACTIVE);
	finish_job(unit, &unit->stop_job, "done");
	unit->has_failed = false;
	unit->is_watched = false;
	unit->is_start_pending = false;
	if (is_again) {
		set_state(unit, UNIT_STARTING);
		return;
	}
	if (unit->state == UNIT_FAILED && unit->kind != UNIT_SCOPE)
		return; /* the next start resets it */
	bus_emit_unit_removed(unit->name);
	unit_remove(unit);
}

static void fail_start(Unit *unit, const char *result)
{
	log_warning(NULL, "%s: cannot be started: %s", unit->name, result);
	unit->has_failed = true;
	end(unit, result);
}

/* --- processes --- */

static pid_t spawn_session(const char *verb, const char *name, uint32_t uid, const char *how,
			   const char *limit)
{
	g_autofree char *cgroup = unit_name_cgroup(name, uid);
	const char *const argv[] = { SESSION_PROGRAM, verb, cgroup, how, limit, NULL };

	return spawn(argv, NULL, 0);
}

static pid_t spawn_scope(const Unit *unit)
{
	g_autofree char *cgroup = unit_name_cgroup(unit->name, unit->uid);
	g_autoptr(GPtrArray) pids = g_ptr_array_new_with_free_func(g_free);
	Arguments arguments = { .n = 0 };

	add(&arguments, SESSION_PROGRAM);
	add(&arguments, "scope");
	add(&arguments, cgroup);
	for (unsigned i = 0; i < unit->transient->pids->len; i++) {
		g_ptr_array_add(pids, g_strdup_printf("%u", g_array_index(unit->transient->pids,
									  dbus_uint32_t, i)));
		add(&arguments, g_ptr_array_index(pids, i));
	}
	return spawn(arguments.argv, (const int *)(const void *)unit->transient->pidfds->data,
		     unit->transient->pidfds->len);
}

static pid_t spawn_runtime_dir(const Unit *unit, const char *verb)
{
	g_autofree char *uid = unit_name_instance(unit->name);
	const char *const argv[] = { SYSTEMD_DIR "/systemd-user-runtime-dir", verb, uid, NULL };

	return spawn(argv, NULL, 0);
}

static pid_t spawn_getty(const Unit *unit)
{
	g_autofree char *terminal = unit_name_instance(unit->name);
	g_autofree char *service = g_strconcat("getty@", terminal, NULL);
	const char *const argv[] = { SVCCTL, "start", service, NULL };

	return spawn(argv, NULL, 0);
}

static pid_t spawn_machine_end(const Unit *unit)
{
	const bool is_reboot = g_str_has_prefix(unit->name, "reboot");
	const bool is_halt = g_str_has_prefix(unit->name, "halt");
	const char *const argv[] = { SVCCTL, is_reboot ? "reboot" : "poweroff", "--force",
				     is_halt ? "--halt" : NULL, NULL };

	log_notice(NULL, "%s: requested by logind", unit->name);
	return spawn(argv, NULL, 0);
}

/* systemd-sleep would ask the socket of systemd to freeze user.slice. */
static pid_t spawn_sleep(const Unit *unit)
{
	g_autofree char *verb = unit_name_instance(unit->name);
	const char *const argv[] = { "/usr/bin/env", "SYSTEMD_SLEEP_FREEZE_USER_SESSIONS=0",
				     SYSTEMD_DIR "/systemd-sleep", verb, NULL };

	log_notice(NULL, "%s: requested by logind", unit->name);
	return spawn(argv, NULL, 0);
}

static pid_t spawn_user_manager(const Unit *unit)
{
	g_autofree char *uid = unit_name_instance(unit->name);
	const char *const argv[] = { SESSION_PROGRAM, "user", uid, NULL };

	return spawn(argv, NULL, 0);
}

static pid_t spawn_start(const Unit *unit)
{
	switch (unit->kind) {
	case UNIT_SCOPE:
		return spawn_scope(unit);
	case UNIT_USER_MANAGER:
		return spawn_user_manager(unit);
	case UNIT_RUNTIME_DIR:
		return spawn_runtime_dir(unit, "start");
	case UNIT_GETTY:
		return spawn_getty(unit);
	case UNIT_MACHINE_END:
		return spawn_machine_end(unit);
	case UNIT_SLEEP:
		return spawn_sleep(unit);
	case UNIT_USER_SLICE:
	case UNIT_OTHER:
		return 0;
	}
	return 0;
}

/* The kinds that are a command, and inactive again after it. */
static bool is_command(const Unit *unit)
{
	return unit->kind == UNIT_GETTY || unit->kind == UNIT_MACHINE_END ||
	       unit->kind == UNIT_SLEEP;
}

static void begin_start(Unit *unit)
{
	unit->process = spawn_start(unit);
	if (unit->transient) {
		transient_clear(unit->transient);
		g_clear_pointer(&unit->transient, g_free);
		g_clear_pointer(&unit->message, dbus_message_unref);
	}
	if (!unit->process) {
		fail_start(unit, "failed");
		return;
	}
	if (unit->kind != UNIT_MACHINE_END && unit->kind != UNIT_SLEEP)
		unit->deadline_us = g_get_monotonic_time() + START_LIMIT_US;
	set_state(unit, UNIT_SPAWNED);
}

static void begin_stop(Unit *unit)
{
	set_state(unit, UNIT_SIGNALLED);
	unit->deadline_us = 0;
	if (unit->kind == UNIT_RUNTIME_DIR) {
		unit->process = spawn_runtime_dir(unit, "stop");
		if (!unit->process)
			end(unit, "canceled");
		return;
	}
	if (unit->kind == UNIT_USER_MANAGER && unit->process && !unit->is_watched)
		(void)kill(unit->process, SIGTERM); /* it may not be in its cgroup yet */
	if (unit->kind == UNIT_USER_MANAGER)
		unit->stopper = spawn_session("stop", unit->name, unit->uid, "main",
					      MANAGER_STOP_LIMIT_S);
	else
		unit->stopper = spawn_session("stop", unit->name, unit->uid,
					      unit->sends_hup ? "hup" : "term", SCOPE_STOP_LIMIT_S);
}

/* --- requests --- */

static void request_start(Unit *unit)
{
	if (unit->state == UNIT_ENDING || unit->state == UNIT_SIGNALLED)
		unit->is_start_pending = true;
	else if (unit->state == UNIT_INACTIVE || unit->state == UNIT_FAILED)
		set_state(unit, UNIT_STARTING);
	for (unsigned i = 0; i < unit->requires->len; i++) {
		Unit *needed = unit_get(g_ptr_array_index(unit->requires, i));

		if (needed)
			request_start(needed);
	}
}

/* user@.service has BindsTo= its runtime directory. */
static void request_stop(Unit *unit)
{
	if (unit->kind == UNIT_RUNTIME_DIR) {
		g_autofree char *name = g_strdup_printf("user@%u.service", unit->uid);
		Unit *manager = unit_find(name);

		if (manager)
			request_stop(manager);
	}
	unit->is_start_pending = false;
	/* the others are stopped when their start has ended */
	if (unit->state == UNIT_ACTIVE || unit->state == UNIT_STARTING ||
	    (unit->state == UNIT_SPAWNED && unit->kind == UNIT_USER_MANAGER))
		set_state(unit, UNIT_ENDING);
}

static uint32_t add_job(const Unit *unit, uint32_t *job)
{
	if (!*job)
		*job = job_new(unit->name);
	return *job;
}

uint32_t start_stop_request_start(const char *name, CallError *error)
{
	const UnitKind kind = unit_name_kind(name);
	Unit *unit;

	if (kind == UNIT_OTHER || kind == UNIT_SCOPE || kind == UNIT_USER_SLICE) {
		(void)call_fail(error, ERROR_NO_SUCH_UNIT, "Unit %.255s not found.", name);
		return 0;
	}
	unit = unit_get(name);
	if (!unit) {
		(void)call_fail(error, DBUS_ERROR_LIMITS_EXCEEDED, "too many units");
		return 0;
	}
	request_start(unit);
	unit->is_explicit = true;
	return add_job(unit, &unit->start_job);
}

uint32_t start_stop_request_stop(const char *name, CallError *error)
{
	Unit *unit = unit_find(name);

	if (!unit) {
		(void)call_fail(error, ERROR_NO_SUCH_UNIT, "Unit %.255s not loaded.", name);
		return 0;
	}
	if (is_command(unit)) {
		(void)call_fail(error, DBUS_ERROR_NOT_SUPPORTED, "%s: cannot be stopped", name);
		return 0;
	}
	request_stop(unit);
	return add_job(unit, &unit->stop_job);
}

/* Wants= of units that this program does not have are without effect, as for systemd. */
static void take_dependencies(GPtrArray *names, GPtrArray *to)
{
	for (unsigned i = 0; i < names->len; i++) {
		const char *name = g_ptr_array_index(names, i);
		const UnitKind kind = unit_name_kind(name);

		if (kind == UNIT_USER_MANAGER || kind == UNIT_RUNTIME_DIR)
			g_ptr_array_add(to, g_strdup(name));
	}
}

static void start_wanted(const Unit *unit)
{
	for (unsigned i = 0; i < unit->wants->len; i++) {
		Unit *wanted = unit_get(g_ptr_array_index(unit->wants, i));

		if (wanted)
			request_start(wanted);
	}
}

uint32_t start_stop_request_scope(Transient *transient, DBusMessage *message, CallError *error)
{
	Unit *unit = unit_find(transient->name);

	if (unit) {
		(void)call_fail(error, ERROR_UNIT_EXISTS, "Unit %.255s was already loaded.",
				transient->name);
		return 0;
	}
	unit = unit_get(transient->name);
	if (!unit) {
		(void)call_fail(error, DBUS_ERROR_LIMITS_EXCEEDED, "too many units");
		return 0;
	}
	unit->uid = transient->uid;
	unit->description = g_strdup(transient->description);
	unit->sends_hup = transient->sends_hup;
	take_dependencies(transient->requires, unit->requires);
	take_dependencies(transient->wants, unit->wants);
	unit->transient = g_memdup2(transient, sizeof(*transient));
	unit->message = dbus_message_ref(message);
	request_start(unit);
	start_wanted(unit);
	return add_job(unit, &unit->start_job);
}

/* --- progress --- */

static void stop_needless(Unit *unit)
{
	log_debug(NULL, "%s: no longer needed", unit->name);
	request_stop(unit);
}

/* The unit has no process yet, or its start is cut short. */
static void stop_now(Unit *unit)
{
	finish_job(unit, &unit->start_job, "canceled");
	if (!unit->process && unit->kind != UNIT_RUNTIME_DIR)
		end(unit, "canceled");
	else
		begin_stop(unit);
}

static void advance(Unit *unit, void *data)
{
	bool *has_changed = data;
	const UnitStep step = unit_next_step(unit);

	*has_changed = *has_changed || step != STEP_NONE;
	switch (step) {
	case STEP_SPAWN:
		begin_start(unit);
		return;
	case STEP_FAIL:
		fail_start(unit, "dependency");
		return;
	case STEP_STOP:
		stop_needless(unit);
		return;
	case STEP_SIGNAL:
		stop_now(unit);
		return;
	case STEP_NONE:
		break;
	}
	if (unit->state == UNIT_ACTIVE && unit->start_job)
		finish_job(unit, &unit->start_job, "done"); /* it was already up */
	else if (unit->state == UNIT_ACTIVE && unit->stop_job)
		request_stop(unit); /* requested during its start */
	else if ((unit->state == UNIT_FAILED || unit->state == UNIT_INACTIVE) && unit->stop_job)
		end(unit, "canceled");
	else
		return;
	*has_changed = true;
}

void start_stop_advance(void)
{
	bool has_changed = true;

	while (has_changed) {
		has_changed = false;
		unit_foreach(advance, &has_changed);
	}
}

void start_stop_on_ready(pid_t pid)
{
	Unit *unit = unit_find_process(pid);

	if (!unit || unit->state != UNIT_SPAWNED || unit->process != pid)
		return;
	unit->deadline_us = 0;
	set_state(unit, UNIT_ACTIVE);
}

/* The user manager has ended. The processes that it left are killed. */
static void on_manager_end(Unit *unit, bool is_success)
{
	if (unit->state == UNIT_SPAWNED || unit->state == UNIT_ACTIVE) {
		unit->has_failed = unit->state == UNIT_SPAWNED || !is_success;
		if (unit->has_failed)
			log_warning(NULL, "%s: it %s", unit->name,
				    unit->state == UNIT_SPAWNED ? "ended before it was ready" :
								  "has failed");
	}
	finish_job(unit, &unit->start_job, "failed");
	unit->deadline_us = 0;
	unit->is_watched = true;
	unit->process = spawn_session("clear", unit->name, unit->uid, NULL, NULL);
	set_state(unit, UNIT_SIGNALLED);
	if (!unit->process)
		end(unit, "failed");
}

static void on_command_end(Unit *unit, bool is_success)
{
	if (unit->kind == UNIT_MACHINE_END && is_success)
		return; /* the job ends with the machine */
	unit->has_failed = !is_success;
	finish_job(unit, &unit->start_job, is_success ? "done" : "failed");
	end(unit, "done");
}

static void on_runtime_dir_end(Unit *unit, bool is_success)
{
	if (unit->state == UNIT_SPAWNED && is_success) {
		unit->deadline_us = 0;
		set_state(unit, UNIT_ACTIVE);
	} else if (unit->state == UNIT_SPAWNED) {
		fail_start(unit, "failed");
	} else {
		end(unit, "failed");
	}
}

/* A process that only waits was killed, for example because memory was short. */
static void watch_again(Unit *unit)
{
	unit->process = spawn_session(unit->is_watched ? "watch-manager" : "watch", unit->name,
				      unit->uid, NULL, NULL);
	if (!unit->process)
		end(unit, "failed");
}

static void on_process_end(Unit *unit, int status)
{
	const bool is_success = WIFEXITED(status) && WEXITSTATUS(status) == 0;
	const bool is_starting = unit->state == UNIT_SPAWNED;

	unit->process = 0;
	if (is_command(unit)) {
		on_command_end(unit, is_success);
	} else if (unit->kind == UNIT_RUNTIME_DIR) {
		on_runtime_dir_end(unit, is_success);
	} else if (unit->kind == UNIT_USER_MANAGER && !unit->is_watched) {
		on_manager_end(unit, is_success);
	} else if (WIFSIGNALED(status) && !is_starting) {
		watch_again(unit);
	} else if (is_starting) {
		fail_start(unit, "failed");
	} else {
		end(unit, "failed");
	}
}

bool start_stop_on_exit(pid_t pid, int status)
{
	Unit *unit = unit_find_process(pid);

	if (!unit)
		return false;
	if (unit->stopper == pid)
		unit->stopper = 0; /* the end of the other process shows the result */
	else
		on_process_end(unit, status);
	return true;
}

static void check_deadline(Unit *unit, void *data)
{
	const int64_t *now_us = data;

	if (!unit->deadline_us || *now_us < unit->deadline_us)
		return;
	log_warning(NULL, "%s: the start takes longer than %ld s", unit->name,
		    (long)(START_LIMIT_US / G_USEC_PER_SEC));
	unit->deadline_us = 0;
	finish_job(unit, &unit->start_job, "timeout");
	if (unit->kind == UNIT_USER_MANAGER) {
		unit->has_failed = true;
		begin_stop(unit);
		return;
	}
	/* it cannot be waited for: it may hang for ever */
	(void)kill(unit->process, SIGKILL);
	unit->process = 0;
	fail_start(unit, "timeout");
}

void start_stop_on_time(int64_t now_us)
{
	unit_foreach(check_deadline, &now_us);
}

void start_stop_recover(const char *name, uint32_t uid)
{
	const UnitKind kind = unit_name_kind(name);
	Unit *unit;

	if (kind != UNIT_SCOPE && kind != UNIT_USER_MANAGER && kind != UNIT_RUNTIME_DIR)
		return;
	unit = unit_get(name);
	if (!unit)
		return;
	unit->uid = uid;
	unit->sends_hup = true;
	unit->state = UNIT_ACTIVE;
	if (kind == UNIT_SCOPE)
		unit_needs_runtime_dir(unit);
	unit->is_watched = kind == UNIT_USER_MANAGER;
	if (kind != UNIT_RUNTIME_DIR)
		watch_again(unit);
}
