/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Supervise, health: the health of a service that is up, as its watchdog and its probe commands
 * show it.
 *
 * The watchdog: a daemon sends WATCHDOG=1 regularly (sd_watchdog_enabled(3)). A daemon that stops
 * sending is assumed to hang. It gets SIGABRT, so that it can leave a core for analysis. A message
 * may still be in the socket if the manager was away or busy, so the socket is read before the
 * daemon is aborted. A manager that takes over starts the full interval again. It takes the
 * interval from the note, because the process keeps the interval it was started with, even if the
 * file has changed.
 *
 * Probes are the commands CheckCommand= and HealthCommand=. No step of the invocation waits for a
 * probe: all probes are killed when the service is to stop. Each has a row, a time limit and a
 * cgroup of its own, because a process that a probe leaves behind must not keep the service up.
 *
 * HealthCommand= runs repeatedly. After a number of consecutive failures the service is unhealthy.
 * With HealthAction=restart that ends the run, and Restart= decides what follows. Only changes are
 * reported. The note contains no health state: the next manager runs the command at once and counts
 * from zero.
 */
#include "config.h"

#include <signal.h>
#include <sys/wait.h>

#include "base/log.h"
#include "base/text.h"
#include "process/supervise-private.h"

static void health_stuck(Supervisor *s, const Probe *probe);

/* --- the watchdog --- */

static void stop_hanging(Supervisor *s, const char *text)
{
	struct MessageExited unknown = { .pid = s->rows[ROLE_MAIN].pid,
					 .code = CLD_KILLED,
					 .status = SIGABRT,
					 .at_us = (uint64_t)loop_now() };

	timer_disarm(s->watchdog);
	log_warning(s->plan.def->name, "%s", text);
	supervisor_report_exit(s, &unknown, false, text);
	supervisor_go(s, STEP_ABORT, 0);
}

static void on_watchdog(void *data)
{
	Supervisor *s = data;
	g_autofree char *time = text_format_duration(s->watchdog_us);
	g_autofree char *text =
		g_strdup_printf("no WATCHDOG=1 for %s (WatchdogTimeout=), aborted", time);

	if (s->notify)
		notify_socket_drain(s->notify);
	if (!timer_is_armed(s->watchdog) && supervisor_is_up(s) && s->watchdog_us > 0)
		stop_hanging(s, text);
	supervisor_settle(s);
}

static void arm_watchdog(Supervisor *s)
{
	timer_set(&s->watchdog, loop_now() + s->watchdog_us, on_watchdog, s);
}

static bool is_watched(const Supervisor *s)
{
	return timer_is_armed(s->watchdog);
}

void watchdog_update(Supervisor *s)
{
	const bool is_due = s->watchdog_us > 0 && supervisor_is_up(s) && s->step != STEP_DONE;

	if (is_due && !is_watched(s))
		arm_watchdog(s);
	else if (!is_due)
		g_clear_pointer(&s->watchdog, timer_free);
}

void watchdog_take_message(Supervisor *s, const NotifyMessage *message)
{
	if (message->has_watchdog)
		s->watchdog_us = message->watchdog_us;
	if (!supervisor_is_up(s))
		return;
	if (message->is_in_trouble)
		stop_hanging(s, "aborted at its own request (WATCHDOG=trigger)");
	else if ((message->is_alive || message->has_watchdog) && s->watchdog_us > 0)
		arm_watchdog(s);
}

void watchdog_extend(Supervisor *s, int64_t at_us)
{
	if (is_watched(s) && at_us > timer_deadline(s->watchdog))
		timer_arm(s->watchdog, at_us);
}

/* --- abort --- */

/*
 * With KillMode=control-group all processes get the signal, as with systemd's WatchdogSignal=
 * (unit_kill_context()): the main process may be waiting for the process that hangs. A stopped
 * process handles no other signal before SIGCONT.
 */
void step_abort_enter(Supervisor *s)
{
	step_begin_stopping(s);
	supervisor_signal(s, ROLE_CONTROL, SIGKILL);
	supervisor_signal(s, ROLE_MAIN, SIGABRT);
	supervisor_signal(s, ROLE_MAIN, SIGCONT);
	if (step_has_others(s)) {
		cgroup_signal(s->cgroup, SIGABRT, s->rows[ROLE_MAIN].pid);
		cgroup_signal(s->cgroup, SIGCONT, s->rows[ROLE_MAIN].pid);
	}
	if (!s->rows[ROLE_MAIN].in_use)
		supervisor_go(s, STEP_REST, 0);
}

void step_abort_main_ended(Supervisor *s, const struct MessageExited *exit)
{
	g_autofree char *text = step_describe_exit(s, exit);

	log_notice(s->plan.def->name, "ended after ABRT: %s", text);
	supervisor_go(s, STEP_REST, 0);
}

/* --- commands beside the steps --- */

bool supervisor_is_up(const Supervisor *s)
{
	if (s->step == STEP_ADOPT)
		return s->was_ready;
	return s->step == STEP_READY || s->step == STEP_DONE || s->step == STEP_RELOAD ||
	       s->step == STEP_RESTART || s->step == STEP_LEFT || s->step == STEP_SEEK;
}

/* --- one probe --- */

/*
 * A process that has not ended this long after SIGKILL waits for something that no signal
 * interrupts, such as a disk or a file server.
 */
#define PROBE_KILL_US (5 * G_USEC_PER_SEC)

/* Does the probe have a live process for which a stop must wait? */
static bool probe_is_alive(const Supervisor *s, enum ProcessRole role)
{
	const Probe *probe = s->probes[role];

	if (probe && probe->is_stuck)
		return false;
	return s->rows[role].in_use ||
	       (probe && cgroup_population(probe->cgroup) == CGROUP_POPULATED);
}

static void kill_probe(Probe *probe)
{
	g_autoptr(GError) error = NULL;

	supervisor_signal(probe->owner, probe->role, SIGKILL);
	if (!cgroup_kill(probe->cgroup, &error))
		/* the cgroup was made when the probe began, or never */
		log_debug(probe->owner->plan.def->name, "%s", error->message);
}

/* The processes that the probe left behind were killed and are gone now. */
static void on_cgroup(void *data)
{
	Probe *probe = data;
	Supervisor *s = probe->owner;

	if (cgroup_population(probe->cgroup) == CGROUP_POPULATED)
		return;
	cgroup_watch(probe->cgroup, false);
	cgroup_remove(probe->cgroup);
	if (!s->rows[probe->role].in_use)
		timer_disarm(probe->limit);
	if (!supervisor_is_up(s))
		supervisor_row(s)->changed(s);
	supervisor_settle(s);
}

/* No service name contains "~". */
static const char *cgroup_suffix(enum ProcessRole role)
{
	return role == ROLE_HEALTH ? "~health" : "~check";
}

/* A description for the report; a new string. */
static char *probe_describe_stuck(const Probe *probe)
{
	g_autofree char *limit = text_format_duration(probe->limit_us);

	/* A probe that the previous manager began: its limit is not known. */
	return probe->limit_us ?
		       g_strdup_printf("not finished after %s, and it cannot be killed", limit) :
		       g_strdup("not finished in time, and it cannot be killed");
}

/* @output: the last line of its output, or NULL */
static void report_check(Supervisor *s, bool success, const char *text, const char *output)
{
	ProcessEvent event = { .kind = PROCESS_CHECKED,
			       .success = success,
			       .text = text,
			       .output = output,
			       .at_us = loop_now() };

	supervisor_emit(s, &event);
}

static void check_stuck(Supervisor *s, const Probe *probe)
{
	g_autofree char *text = probe_describe_stuck(probe);

	if (s->check_wanted)
		return; /* that event answers all requests */
	if (probe->is_dropped || !supervisor_is_up(s))
		report_check(s, true, NULL, NULL);
	else
		report_check(s, false, text, NULL);
}

/*
 * Nothing waits for the probe any more: neither the service's stop nor the client of the check. Its
 * exit is handled when it comes.
 */
static void give_up(Probe *probe)
{
	Supervisor *s = probe->owner;
	/* if not, the probe has ended, and only the processes that it left hang */
	const bool is_requested = s->rows[probe->role].in_use;

	probe->is_stuck = true;
	log_warning(s->plan.def->name, "its %s= cannot be killed; nothing waits for it any more",
		    probe->role == ROLE_HEALTH ? "HealthCommand" : "CheckCommand");
	if (is_requested && probe->role == ROLE_HEALTH)
		health_stuck(s, probe);
	else if (is_requested)
		check_stuck(s, probe);
	if (!supervisor_is_up(s))
		supervisor_row(s)->changed(s); /* this may have been the last probe */
}

static void on_limit(void *data)
{
	Probe *probe = data;
	Supervisor *s = probe->owner;

	if (s->rows[probe->role].in_use && !probe->is_late && !probe->is_dropped) {
		probe->is_late = true;
		kill_probe(probe);
		timer_arm(probe->limit, loop_now() + PROBE_KILL_US);
		return;
	}
	if (probe_is_alive(s, probe->role))
		give_up(probe);
	supervisor_settle(s);
}

static Probe *probe_of(Supervisor *s, enum ProcessRole role)
{
	g_autofree char *name = NULL;
	Probe *probe = s->probes[role];

	if (probe)
		return probe;
	probe = g_new0(Probe, 1);
	name = g_strconcat(s->plan.def->name, cgroup_suffix(role), NULL);
	probe->owner = s;
	probe->role = role;
	probe->cgroup = cgroup_new(s->context->cgroup_root, name, on_cgroup, probe);
	cgroup_use_workers(probe->cgroup, s->context->workers);
	if (s->context->has_marks)
		cgroup_use_marks(probe->cgroup, keeper_link_keeper_pid(s->context->link));
	probe->limit = timer_new(on_limit, probe);
	s->probes[role] = probe;
	return probe;
}

static bool probe_begin(Supervisor *s, enum ProcessRole role, const Command *command,
			int64_t limit_us, GError **error)
{
	Probe *probe = probe_of(s, role);

	probe->is_late = false;
	probe->is_dropped = false;
	probe->is_stuck = false;
	probe->limit_us = limit_us;
	cgroup_watch(probe->cgroup, false);
	if (!cgroup_create(probe->cgroup, error) || !supervisor_spawn(s, role, command, error))
		return false;
	timer_arm(probe->limit, loop_now() + limit_us);
	return true;
}

/* Kills the probe. Its exit is still reported. */
static void probe_drop(Supervisor *s, enum ProcessRole role)
{
	Probe *probe = s->probes[role];

	if (!probe || !s->rows[role].in_use || probe->is_dropped)
		return;
	probe->is_dropped = true;
	kill_probe(probe);
	if (!probe->is_late) /* otherwise that limit already runs or has passed */
		timer_arm(probe->limit, loop_now() + PROBE_KILL_US);
}

/* Does the probe still run because it cannot be killed? */
static bool probe_is_stuck(const Supervisor *s, enum ProcessRole role)
{
	return s->rows[role].in_use && s->probes[role] && s->probes[role]->is_stuck;
}

/* "exit status 1", without its output, which may be secret; a new string. */
static char *probe_describe_end(Supervisor *s, const Probe *probe, const struct MessageExited *exit)
{
	g_autofree char *limit = text_format_duration(probe->limit_us);

	if (s->rows[probe->role].problem)
		return g_strdup(s->rows[probe->role].problem);
	if (probe->is_late)
		return g_strdup_printf("not finished after %s", limit);
	return step_describe_control(s, exit);
}

/* --- HealthCommand= --- */

static void report_health(Supervisor *s, bool is_healthy, const char *text)
{
	ProcessEvent event = {
		.kind = PROCESS_HEALTH, .success = is_healthy, .text = text, .at_us = loop_now()
	};
	HealthWatch *health = s->health;

	if (health->is_reported && health->is_healthy == is_healthy)
		return;
	health->is_reported = true;
	health->is_healthy = is_healthy;
	supervisor_emit(s, &event);
}

static void is_unhealthy(Supervisor *s, const char *text)
{
	struct MessageExited unknown = { .pid = s->rows[ROLE_MAIN].pid,
					 .at_us = (uint64_t)loop_now() };
	g_autofree char *end = g_strdup_printf("unhealthy: %s", text);

	report_health(s, false, text);
	if (s->plan.latest->health_action != HEALTH_ACTION_RESTART || s->step != STEP_READY)
		return;
	supervisor_report_exit(s, &unknown, false, end);
	supervisor_go(s, STEP_STOP, 0);
}

static void count_failure(Supervisor *s, const char *text)
{
	HealthWatch *health = s->health;
	const bool is_starting = !health->is_reported &&
				 loop_now() - health->up_us < s->plan.latest->health_start_us;
	g_autofree char *whole = NULL;

	log_debug(s->plan.def->name, "HealthCommand= failed: %s", text);
	if (is_starting)
		return;
	health->n_failures++;
	if (health->n_failures < s->plan.latest->health_retries)
		return;
	whole = g_strdup_printf("HealthCommand= failed %u times: %s", health->n_failures, text);
	is_unhealthy(s, whole);
}

/* A script's restart or reload may take the service down briefly. */
static bool is_busy(const Supervisor *s)
{
	return s->step != STEP_READY;
}

/* The probe cannot be killed, which counts as one more failure. */
static void health_stuck(Supervisor *s, const Probe *probe)
{
	g_autofree char *text = probe_describe_stuck(probe);

	if (!probe->is_dropped && s->health && s->health->up_us && !is_busy(s))
		count_failure(s, text);
}

static void run_check(Supervisor *s)
{
	g_autoptr(GError) error = NULL;

	timer_arm(s->health->next, loop_now() + s->plan.latest->health_interval_us);
	if (is_busy(s))
		return;
	if (probe_is_stuck(s, ROLE_HEALTH))
		health_stuck(s, s->probes[ROLE_HEALTH]); /* a missing answer counts as a failure */
	if (s->rows[ROLE_HEALTH].in_use)
		return;
	if (!probe_begin(s, ROLE_HEALTH, s->plan.latest->health, s->plan.latest->health_limit_us,
			 &error))
		count_failure(s, error->message);
}

static void on_next(void *data)
{
	Supervisor *s = data;

	run_check(s);
	supervisor_settle(s);
}

static void stop_checks(Supervisor *s)
{
	HealthWatch *health = s->health;

	if (!health)
		return;
	probe_drop(s, ROLE_HEALTH);
	timer_disarm(health->next);
	*health = (HealthWatch){ .next = health->next };
}

/* Runs the probe as long as the service is up. */
static void health_update(Supervisor *s)
{
	if (!s->plan.latest->health || !supervisor_is_up(s) || s->step == STEP_DONE) {
		stop_checks(s);
		return;
	}
	if (!s->health) {
		s->health = g_new0(HealthWatch, 1);
		s->health->next = timer_new(on_next, s);
	}
	if (s->health->up_us)
		return;
	s->health->up_us = loop_now();
	timer_arm(s->health->next, loop_now());
}

static void health_ended(Supervisor *s, const Probe *probe, const struct MessageExited *exit)
{
	g_autofree char *text = probe_describe_end(s, probe, exit);

	if (probe->is_dropped || !s->health || !s->health->up_us || is_busy(s))
		return;
	if (probe->is_late || step_control_failed(s->plan.latest->health, exit)) {
		count_failure(s, text);
		return;
	}
	s->health->n_failures = 0;
	report_health(s, true, NULL);
}

static void health_free(Supervisor *s)
{
	if (!s->health)
		return;
	timer_free(s->health->next);
	g_free(s->health);
}

/* --- CheckCommand= --- */

static void begin_check(Supervisor *s)
{
	g_autoptr(GError) error = NULL;

	s->check_wanted = false;
	if (!s->plan.latest->check || !supervisor_is_up(s))
		report_check(s, true, NULL, NULL);
	else if (!probe_begin(s, ROLE_CHECK, s->plan.latest->check, s->plan.def->start_limit_us,
			      &error))
		report_check(s, false, error->message, NULL);
}

static void check_ended(Supervisor *s, const Probe *probe, const struct MessageExited *exit)
{
	g_autofree char *text = probe_describe_end(s, probe, exit);

	if (s->check_wanted)
		return; /* begun by the previous manager; no client waits for it */
	if (probe->is_dropped || !supervisor_is_up(s))
		report_check(s, true, NULL, NULL);
	else if (probe->is_late || step_control_failed(s->plan.latest->check, exit))
		report_check(s, false, text,
			     probe->output ? capture_last_line(probe->output) : NULL);
	else
		report_check(s, true, NULL, NULL);
}

/* The row is occupied, so no second check can run. */
static void refuse_check(Supervisor *s)
{
	g_autofree char *text = probe_describe_stuck(s->probes[ROLE_CHECK]);

	s->check_wanted = false;
	report_check(s, !supervisor_is_up(s), text, NULL);
}

/* --- all --- */

void probe_ended(Supervisor *s, enum ProcessRole role, const struct MessageExited *exit)
{
	Probe *probe = probe_of(s, role);

	timer_disarm(probe->limit);
	if (probe->output)
		capture_drain(probe->output);
	kill_probe(probe); /* the processes that it left behind */
	if (probe->is_stuck)
		probe->is_stuck = false; /* it has already counted as a failure */
	else if (role == ROLE_HEALTH)
		health_ended(s, probe, exit);
	else
		check_ended(s, probe, exit);
	g_clear_pointer(&probe->output, capture_free);
	cgroup_remove(probe->cgroup);
	cgroup_watch(probe->cgroup, true); /* not yet empty */
	if (cgroup_population(probe->cgroup) == CGROUP_POPULATED)
		timer_arm(probe->limit, loop_now() + PROBE_KILL_US);
	if (!supervisor_is_up(s))
		supervisor_row(s)->changed(s); /* this may have been the last probe */
}

void probes_update(Supervisor *s)
{
	if (!supervisor_is_up(s))
		probe_drop(s, ROLE_CHECK);
	if (s->check_wanted && probe_is_stuck(s, ROLE_CHECK))
		refuse_check(s);
	if (s->check_wanted && !s->rows[ROLE_CHECK].in_use)
		begin_check(s);
	health_update(s);
}

/* The clients that waited for a check know that the previous manager is gone. */
void probes_resume(Supervisor *s)
{
	if (s->rows[ROLE_CHECK].in_use) {
		(void)probe_of(s, ROLE_CHECK);
		probe_drop(s, ROLE_CHECK);
	}
	/* The result of a running probe is as good as that of the next one, and comes soon. */
	if (s->rows[ROLE_HEALTH].in_use)
		timer_arm(probe_of(s, ROLE_HEALTH)->limit,
			  loop_now() + s->plan.latest->health_limit_us);
}

bool probes_are_alive(const Supervisor *s)
{
	return probe_is_alive(s, ROLE_CHECK) || probe_is_alive(s, ROLE_HEALTH);
}

void probes_free(Supervisor *s)
{
	health_free(s);
	for (int role = 0; role < ROLE_COUNT; role++) {
		Probe *probe = s->probes[role];

		if (!probe)
			continue;
		timer_free(probe->limit);
		capture_free(probe->output);
		cgroup_free(probe->cgroup);
		g_free(probe);
	}
}
