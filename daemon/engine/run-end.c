/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Run end: no process of a service is left. A table selects the event (transitions.h).
 */
#include "config.h"

#include "base/text.h"
#include "engine/engine-private.h"
#include "engine/transitions.h"

/* Returns: the time for which it was ready. */
static int64_t time_up(const Service *s)
{
	if (s->ready_us < s->started_us || s->ready_us == 0)
		return 0;
	return (s->state == STATE_STOPPING ? s->since_us : s->priv->engine->now_us) - s->ready_us;
}

static char *give_up_text(const Service *s)
{
	g_autofree char *window = text_format_duration(s->def->restart_window_us);

	return g_strdup_printf("%s; it ended %u times within %s, and is not started again (RestartLimit=)", s->result,
			       s->priv->backoff.n_failures, window);
}

/*
 * A start that timed out counts as several failures, because other services have waited for the
 * whole limit.
 */
static bool has_used_up_its_start(const Service *s)
{
	return s->state == STATE_STOPPING && s->ready_us < s->started_us && s->since_us - s->started_us >= s->def->start_limit_us;
}

static int64_t next_start(Service *s)
{
	Backoff *backoff = &s->priv->backoff;
	const int64_t now_us = s->priv->engine->now_us;

	if (has_used_up_its_start(s))
		backoff->level = MAX(backoff->level, BACKOFF_FAILING - 1);
	return s->priv->is_refused ? backoff_next_try(backoff, s->def, now_us) :
				     backoff_next_start(backoff, s->def, now_us);
}

static void retry_or_give_up(Service *s)
{
	const int64_t next_us = next_start(s);
	g_autofree char *delay = NULL;

	if (next_us == BACKOFF_GIVE_UP) {
		service_apply(s, EVENT_GIVE_UP, give_up_text(s));
		s->is_failed_for_good = true;
		return;
	}
	delay = text_format_duration(next_us - s->priv->engine->now_us);
	s->n_restarts++;
	s->backoff_until_us = next_us;
	service_apply(s, EVENT_RETRY, g_strdup_printf("%s; next start in %s", s->result, delay));
}

/* A demand ends with the run, because many bus-activated daemons exit when idle. */
static void end_demand(Service *s)
{
	if (s->admin != ADMIN_DEMAND && s->admin != ADMIN_CONNECTION)
		return;
	s->admin = ADMIN_NONE;
	engine_queue(s, WORK_WANT);
}

static RunResult result_of_run(const Service *s)
{
	if (s->priv->is_refused)
		return RUN_REFUSED;
	return s->last_success ? RUN_SUCCEEDED : RUN_FAILED;
}

static bool is_still_wanted(const Service *s)
{
	return service_is_wanted(s) && s->want_reason != WANT_LINGER && !s->priv->is_file_gone;
}

static ServiceEvent event_of_end(const Service *s)
{
	return run_end_event(s->priv->is_stop_ordered || service_is_group(s), result_of_run(s), s->def->restart);
}

bool engine_starts_again(const Service *s)
{
	const ServiceEvent event = event_of_end(s);

	return is_still_wanted(s) && (event == EVENT_GONE_WANTED || event == EVENT_RETRY);
}

static void rest(Service *s)
{
	s->priv->is_spent = true;
	end_demand(s);
	service_apply(s, EVENT_SPENT, g_strdup_printf("it ended by itself: %s", s->result));
}

/* If a socket stays open, the next client can start it. */
static void give_up(Service *s)
{
	const bool listens = listen_after_failure(s);

	service_apply(s, EVENT_GIVE_UP, listens ? g_strdup(s->result) : give_up_text(s));
	s->is_failed_for_good = !listens;
}

void run_end_lingering(Service *s)
{
	if (!s->priv->is_lingering)
		return;
	s->priv->is_lingering = false;
	engine_arm(s, ENGINE_TIMER_LINGER, 0);
	engine_queue(s, WORK_WANT);
}

void run_end(Service *s)
{
	const bool is_wanted = is_still_wanted(s); /* read before its lingering ends */
	ServiceEvent event;

	run_end_lingering(s);
	backoff_run_ended(&s->priv->backoff, s->def, time_up(s));
	if (s->state != STATE_STOPPING && !service_is_group(s)) {
		s->last_success = false;
		s->priv->is_refused = false;
		g_free(s->result);
		s->result = g_strdup("its processes are gone");
	}
	if (!s->result)
		s->result = g_strdup("stopped");
	event = is_wanted ? event_of_end(s) : EVENT_GONE;
	if (event == EVENT_GONE)
		service_apply(s, event, want_describe(s));
	else if (event == EVENT_GONE_WANTED)
		service_apply(s, event, g_strdup("stopped"));
	else if (event == EVENT_RETRY)
		retry_or_give_up(s);
	else if (event == EVENT_SPENT)
		rest(s);
	else
		give_up(s);
}
