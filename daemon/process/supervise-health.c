/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Supervise, health: HealthCommand= asks a service that is up, again and again, whether it is well. So many failures in a row,
 * and it is not; with HealthAction=restart that is an end like any other, and Restart= says what follows.
 *
 * Only changes are told. Nothing of it is in the note: the next manager asks at once, and counts from the beginning.
 */
#include "config.h"

#include <sys/wait.h>

#include "base/log.h"
#include "process/supervise-private.h"

static void tell(Supervisor *s, bool is_healthy, const char *text)
{
	ProcessEvent event = { .kind = PROCESS_HEALTH, .success = is_healthy, .text = text, .at_us = loop_now() };
	HealthWatch *health = s->health;

	if (health->is_told && health->is_healthy == is_healthy)
		return;
	health->is_told = true;
	health->is_healthy = is_healthy;
	supervisor_emit(s, &event);
}

static void is_unhealthy(Supervisor *s, const char *text)
{
	struct MessageExited unknown = { .pid = s->rows[ROLE_MAIN].pid, .at_us = (uint64_t)loop_now() };
	g_autofree char *end = g_strdup_printf("unhealthy: %s", text);

	tell(s, false, text);
	if (s->plan.latest->health_action != HEALTH_ACTION_RESTART || s->step != STEP_READY)
		return;
	supervisor_tell_exit(s, &unknown, false, end);
	supervisor_go(s, STEP_STOP, 0);
}

static void count_failure(Supervisor *s, const char *text)
{
	HealthWatch *health = s->health;
	const bool is_starting = !health->is_told && loop_now() - health->up_us < s->plan.latest->health_start_us;
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

/* A script's restart or reload may take it down for a moment. */
static bool is_busy(const Supervisor *s)
{
	return s->step != STEP_READY;
}

void health_stuck(Supervisor *s, const Probe *probe)
{
	g_autofree char *text = probe_describe_stuck(probe);

	if (!probe->is_dropped && s->health && s->health->up_us && !is_busy(s))
		count_failure(s, text);
}

static void ask(Supervisor *s)
{
	g_autoptr(GError) error = NULL;

	timer_arm(s->health->next, loop_now() + s->plan.latest->health_interval_us);
	if (is_busy(s))
		return;
	if (probe_is_stuck(s, ROLE_HEALTH))
		health_stuck(s, s->probes[ROLE_HEALTH]); /* that there is no answer still is one */
	if (s->rows[ROLE_HEALTH].in_use)
		return;
	if (!probe_begin(s, ROLE_HEALTH, s->plan.latest->health, s->plan.latest->health_limit_us, &error))
		count_failure(s, error->message);
}

static void on_next(void *data)
{
	Supervisor *s = data;

	ask(s);
	supervisor_settle(s);
}

static void stop_asking(Supervisor *s)
{
	HealthWatch *health = s->health;

	if (!health)
		return;
	probe_drop(s, ROLE_HEALTH);
	timer_disarm(health->next);
	*health = (HealthWatch){ .next = health->next };
}

void health_update(Supervisor *s)
{
	if (!s->plan.latest->health || !supervisor_is_up(s) || s->step == STEP_DONE) {
		stop_asking(s);
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

void health_ended(Supervisor *s, const Probe *probe, const struct MessageExited *exit)
{
	g_autofree char *text = probe_describe_end(s, probe, exit);

	if (probe->is_dropped || !s->health || !s->health->up_us || is_busy(s))
		return;
	if (probe->is_late || step_control_failed(s->plan.latest->health, exit)) {
		count_failure(s, text);
		return;
	}
	s->health->n_failures = 0;
	tell(s, true, NULL);
}

void health_free(Supervisor *s)
{
	if (!s->health)
		return;
	timer_free(s->health->next);
	g_free(s->health);
}
