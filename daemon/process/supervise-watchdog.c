/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Supervise, the watchdog: a daemon that is up says WATCHDOG=1 again and again (sd_watchdog_enabled(3)); one that does not
 * hangs, and is told ABRT, so that it may leave a core that shows where.
 *
 * A sign of life may wait in the socket while we were away or busy, so that is read before anything is concluded; and a
 * manager that takes over gives the whole time once more. How long that is it knows from the note: what runs was told that,
 * whatever the file says by now.
 */
#include "config.h"

#include <signal.h>
#include <sys/wait.h>

#include "base/log.h"
#include "base/text.h"
#include "process/supervise-private.h"

static void give_up(Supervisor *s, const char *text)
{
	struct MessageExited unknown = { .pid = s->rows[ROLE_MAIN].pid, .code = CLD_KILLED, .status = SIGABRT,
					 .at_us = (uint64_t)loop_now() };

	timer_disarm(s->watchdog);
	log_warning(s->plan.def->name, "%s", text);
	supervisor_tell_exit(s, &unknown, false, text);
	supervisor_go(s, STEP_ABORT, 0);
}

static void on_watchdog(void *data)
{
	Supervisor *s = data;
	g_autofree char *time = text_format_duration(s->watchdog_us);
	g_autofree char *text = g_strdup_printf("no sign of life for %s (WatchdogTimeout=), aborted", time);

	if (s->notify)
		notify_socket_drain(s->notify);
	if (!timer_is_armed(s->watchdog) && supervisor_is_up(s) && s->watchdog_us > 0)
		give_up(s, text);
	supervisor_settle(s);
}

static void arm(Supervisor *s)
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
		arm(s);
	else if (!is_due)
		g_clear_pointer(&s->watchdog, timer_free);
}

void watchdog_hear(Supervisor *s, const NotifyMessage *message)
{
	if (message->has_watchdog)
		s->watchdog_us = message->watchdog_us;
	if (!supervisor_is_up(s))
		return;
	if (message->is_in_trouble)
		give_up(s, "it asked for it (WATCHDOG=trigger), aborted");
	else if ((message->is_alive || message->has_watchdog) && s->watchdog_us > 0)
		arm(s);
}

void watchdog_extend(Supervisor *s, int64_t at_us)
{
	if (is_watched(s) && at_us > timer_deadline(s->watchdog))
		timer_arm(s->watchdog, at_us);
}

/* --- abort --- */

/*
 * With KillMode=control-group to all of it, as systemd's WatchdogSignal= (unit_kill_context() there): the one that hangs may be
 * a process that the main one waits for. A stopped process gets no other signal before SIGCONT.
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

	log_notice(s->plan.def->name, "after ABRT: %s", text);
	supervisor_go(s, STEP_REST, 0);
}
