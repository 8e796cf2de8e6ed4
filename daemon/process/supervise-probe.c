/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Supervise, probes: commands that run beside the steps and ask something about a service that is up. No step waits for one:
 * when the service is to stop they are killed. Each has a row, a time limit and a cgroup of its own, for nothing that it
 * leaves behind may keep the service up.
 */
#include "config.h"

#include <signal.h>
#include <sys/wait.h>

#include "base/log.h"
#include "base/text.h"
#include "process/supervise-private.h"

bool supervisor_is_up(const Supervisor *s)
{
	if (s->step == STEP_ADOPT)
		return s->was_ready;
	return s->step == STEP_READY || s->step == STEP_DONE || s->step == STEP_RELOAD || s->step == STEP_RESTART ||
	       s->step == STEP_LEFT || s->step == STEP_SEEK;
}

/* --- one probe --- */

/* What has not ended so long after KILL waits for something that no signal ends: a disk, a server of files. */
#define PROBE_KILL_US (5 * G_USEC_PER_SEC)

/* Does anything of it live that a stop has to wait for? */
static bool probe_is_alive(const Supervisor *s, enum ProcessRole role)
{
	const Probe *probe = s->probes[role];

	if (probe && probe->is_stuck)
		return false;
	return s->rows[role].in_use || (probe && cgroup_population(probe->cgroup) == CGROUP_POPULATED);
}

static void kill_probe(Probe *probe)
{
	g_autoptr(GError) error = NULL;

	supervisor_signal(probe->owner, probe->role, SIGKILL);
	if (!cgroup_kill(probe->cgroup, &error))
		log_debug(probe->owner->plan.def->name, "%s", error->message); /* made when it began; perhaps it never did */
}

/* What it left behind has been killed: now it is gone. */
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

/* "~" is in no service's name. */
static const char *cgroup_suffix(enum ProcessRole role)
{
	return role == ROLE_HEALTH ? "~health" : "~check";
}

char *probe_describe_stuck(const Probe *probe)
{
	g_autofree char *limit = text_format_duration(probe->limit_us);

	/* One that the manager before began: its limit is not known. */
	return probe->limit_us ? g_strdup_printf("not finished after %s, and it cannot be killed", limit) :
				 g_strdup("not finished in time, and it cannot be killed");
}

static void tell_check_failed(Supervisor *s, const char *text, const char *output)
{
	ProcessEvent event = { .kind = PROCESS_CHECKED, .text = text, .output = output, .at_us = loop_now() };

	supervisor_emit(s, &event);
}

static void tell_checked(Supervisor *s, bool success, const char *text)
{
	ProcessEvent event = { .kind = PROCESS_CHECKED, .success = success, .text = text, .at_us = loop_now() };

	supervisor_emit(s, &event);
}

static void check_stuck(Supervisor *s, const Probe *probe)
{
	g_autofree char *text = probe_describe_stuck(probe);

	if (s->check_wanted)
		return; /* the answer to that is for all */
	if (probe->is_dropped || !supervisor_is_up(s))
		tell_checked(s, true, NULL);
	else
		tell_checked(s, false, text);
}

/* Nothing waits for it any more: not the service's stop, and not who asked. Its end is handled when it comes. */
static void give_up(Probe *probe)
{
	Supervisor *s = probe->owner;
	const bool is_asked = s->rows[probe->role].in_use; /* else only what it left behind is stuck, and it has answered */

	probe->is_stuck = true;
	log_warning(s->plan.def->name, "its %s= cannot be killed; nothing waits for it any more",
		    probe->role == ROLE_HEALTH ? "HealthCommand" : "CheckCommand");
	if (is_asked && probe->role == ROLE_HEALTH)
		health_stuck(s, probe);
	else if (is_asked)
		check_stuck(s, probe);
	if (!supervisor_is_up(s))
		supervisor_row(s)->changed(s); /* it may have been all that was left */
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

bool probe_begin(Supervisor *s, enum ProcessRole role, const Command *command, int64_t limit_us, GError **error)
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

void probe_drop(Supervisor *s, enum ProcessRole role)
{
	Probe *probe = s->probes[role];

	if (!probe || !s->rows[role].in_use || probe->is_dropped)
		return;
	probe->is_dropped = true;
	kill_probe(probe);
	if (!probe->is_late) /* else that time runs already, or is over */
		timer_arm(probe->limit, loop_now() + PROBE_KILL_US);
}

bool probe_is_stuck(const Supervisor *s, enum ProcessRole role)
{
	return s->rows[role].in_use && s->probes[role] && s->probes[role]->is_stuck;
}

char *probe_describe_end(Supervisor *s, const Probe *probe, const struct MessageExited *exit)
{
	g_autofree char *limit = text_format_duration(probe->limit_us);

	if (s->rows[probe->role].problem)
		return g_strdup(s->rows[probe->role].problem);
	if (probe->is_late)
		return g_strdup_printf("not finished after %s", limit);
	return step_describe_control(s, exit);
}

/* --- CheckCommand= --- */

static void begin_check(Supervisor *s)
{
	g_autoptr(GError) error = NULL;

	s->check_wanted = false;
	if (!s->plan.latest->check || !supervisor_is_up(s))
		tell_checked(s, true, NULL);
	else if (!probe_begin(s, ROLE_CHECK, s->plan.latest->check, s->plan.def->start_limit_us, &error))
		tell_checked(s, false, error->message);
}

static void check_ended(Supervisor *s, const Probe *probe, const struct MessageExited *exit)
{
	g_autofree char *text = probe_describe_end(s, probe, exit);

	if (s->check_wanted)
		return; /* that of the manager before, for which nobody waits */
	if (probe->is_dropped || !supervisor_is_up(s))
		tell_checked(s, true, NULL);
	else if (probe->is_late || step_control_failed(s->plan.latest->check, exit))
		tell_check_failed(s, text, probe->output ? capture_last_line(probe->output) : NULL);
	else
		tell_checked(s, true, NULL);
}

/* There is no room for another one beside it. */
static void refuse_check(Supervisor *s)
{
	g_autofree char *text = probe_describe_stuck(s->probes[ROLE_CHECK]);

	s->check_wanted = false;
	tell_checked(s, !supervisor_is_up(s), text);
}

/* --- all --- */

void probe_ended(Supervisor *s, enum ProcessRole role, const struct MessageExited *exit)
{
	Probe *probe = probe_of(s, role);

	timer_disarm(probe->limit);
	if (probe->output)
		capture_drain(probe->output);
	kill_probe(probe); /* what it left behind */
	if (probe->is_stuck)
		probe->is_stuck = false; /* it has counted as a failure already */
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
		supervisor_row(s)->changed(s); /* it may have been all that was left */
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

/* Whoever waited for a check has been told that the manager has gone. */
void probes_resume(Supervisor *s)
{
	if (s->rows[ROLE_CHECK].in_use) {
		(void)probe_of(s, ROLE_CHECK);
		probe_drop(s, ROLE_CHECK);
	}
	/* Its word counts as much as that of the next one, and has most likely come by now. */
	if (s->rows[ROLE_HEALTH].in_use)
		timer_arm(probe_of(s, ROLE_HEALTH)->limit, loop_now() + s->plan.latest->health_limit_us);
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
