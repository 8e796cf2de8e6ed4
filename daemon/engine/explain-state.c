/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Explain, one state: sentences about the state of a service and its reason. Policy and admins
 * decide whether it is wanted. Terms and the last run decide the rest.
 */
#include "config.h"

#include "base/text.h"
#include "engine/engine-private.h"

char *state_describe(const Service *s, int64_t now_us)
{
	const char *name = s->def->name;
	const Service *holder;
	g_autofree char *since = text_format_ago(now_us - s->since_us);
	g_autofree char *duration = text_format_duration(MAX(now_us - s->since_us, 0));

	switch (s->state) {
	case STATE_IDLE:
		return g_strdup_printf("%s is not running.", name);
	case STATE_WAITING:
		if (s->priv->loses_to)
			return g_strdup_printf("%s is waiting: %s runs instead of it.", name,
					       s->priv->loses_to->def->name);
		if (s->n_false == 0 && engine_waits_for_login_screen(s))
			return g_strdup_printf("%s waits for the login screen.", name);
		holder = start_lock_holder(s);
		if (holder)
			return g_strdup_printf("%s waits for the lock %s, which %s holds.", name,
					       s->priv->turn.lock->name, holder->def->name);
		return g_strdup_printf("%s is waiting for %u condition%s.", name, s->n_false,
				       s->n_false == 1 ? "" : "s");
	case STATE_STARTING:
		return g_strdup_printf("%s is starting; the start began %s.", name, since);
	case STATE_READY:
		return g_strdup_printf("%s has been ready for %s.", name, duration);
	case STATE_DONE:
		return g_strdup_printf("%s has done its work (%s).", name, since);
	case STATE_STOPPING:
		return g_strdup_printf("%s is stopping; the stop began %s.", name, since);
	case STATE_BACKOFF:
		return g_strdup_printf("%s failed, and will be started again.", name);
	case STATE_FAILED:
		return g_strdup_printf("%s failed %s.", name, since);
	case STATE_COUNT:
		break;
	}
	return g_strdup(name);
}

/* --- why: policy and admin --- */

static char *with_policy_reason(const Service *s, char *sentence)
{
	const PolicyService *extra = policy_service(s->priv->engine->policy, s->def->name);
	g_autofree char *own = sentence;

	if (extra && extra->reason)
		return g_strdup_printf("%s: \"%s\".", own, extra->reason);
	return g_strdup_printf("%s.", own);
}

static char *why_not_wanted(const Service *s)
{
	const Engine *engine = s->priv->engine;
	g_autofree char *origin = origin_format(s->policy.activation_origin);
	g_autofree char *requested = NULL;

	if (s->policy.activation == ACTIVATION_NEVER)
		return with_policy_reason(s,
					  g_strdup_printf("Its policy is \"never\" (%s)", origin));
	if (s->admin == ADMIN_STOP) {
		requested = requester_describe("stop", &s->admin_requester);
		return g_strdup_printf("An admin stopped it: %s.", requested);
	}
	if (s->policy.activation == ACTIVATION_BOOT)
		return with_policy_reason(
			s,
			g_strdup_printf(
				"Its policy is \"boot\" (%s), but it is not wanted in runlevel %s, "
				"and no wanted service needs it",
				origin, engine->runlevel ? engine->runlevel : "none"));
	if (s->policy.activation == ACTIVATION_MANUAL)
		return with_policy_reason(
			s, g_strdup_printf("Its policy is \"manual\" (%s), and no admin started it",
					   origin));
	return with_policy_reason(
		s,
		g_strdup_printf("Its policy is \"on-demand\" (%s), and no wanted service needs it",
				origin));
}

static char *why_wanted(const Service *s)
{
	g_autofree char *want = want_describe(s);

	switch (s->want_reason) {
	case WANT_ADMIN:
		return g_strdup_printf("An admin wants it: %s.", want);
	case WANT_POLICY:
		return with_policy_reason(s, g_strdup_printf("It is %s", want));
	case WANT_CONNECTION:
		return g_strdup_printf("A %s requested it.", want);
	case WANT_DEMAND:
	case WANT_NEED:
	case WANT_LINGER:
		return g_strdup_printf("It is %s.", want);
	case WANT_NOTHING:
	case WANT_COUNT:
		break;
	}
	return why_not_wanted(s);
}

static char *why_suppressed(const Service *s)
{
	const Service *winner = s->priv->loses_to;
	const char *rank = "its name comes first";

	if (s->def->stand_in && !winner->def->stand_in)
		return g_strdup_printf(
			"It stands in for %s, which is wanted: it runs when %s is not wanted any "
			"more, has failed, "
			"or cannot run here.",
			winner->def->name, winner->def->name);
	if (winner->admin == ADMIN_START &&
	    winner->admin_at_us > (s->admin == ADMIN_START ? s->admin_at_us : -1))
		rank = "an admin requested it last";
	else if (!winner->policy.is_default &&
		 (s->policy.is_default || winner->policy.order < s->policy.order))
		rank = "policy names it first";
	return g_strdup_printf(
		"It conflicts with %s, which is wanted too and takes precedence because %s. It "
		"returns when %s is not wanted any more.",
		winner->def->name, rank, winner->def->name);
}

/* The names of the services that must stop before @s, at most five. */
static char *list_blockers(const Service *s)
{
	const Engine *engine = s->priv->engine;
	g_autoptr(GString) list = g_string_new(NULL);
	unsigned n = 0;

	for (unsigned i = 0; i < engine->services->len; i++) {
		const Service *other = g_ptr_array_index(engine->services, i);

		if (!other->priv->stop.is_blocking ||
		    !g_ptr_array_find(other->priv->stop.after, s, NULL))
			continue;
		if (n++ < 5)
			g_string_append_printf(list, "%s%s", n > 1 ? ", " : "", other->def->name);
	}
	if (n > 5)
		g_string_append_printf(list, " and %u more", n - 5);
	return g_string_free(g_steal_pointer(&list), FALSE);
}

/* --- why: its state --- */

/* A service that is up. A While= term may be false for less than Settle=. */
static char *why_up(const Service *s, int64_t now_us)
{
	g_autofree char *wanted = why_wanted(s);
	g_autofree char *lapse = NULL;
	g_autofree char *left = NULL;

	if (s->priv->lapse.since_us == 0 || s->priv->lapse.is_over)
		return g_steal_pointer(&wanted);
	lapse = lapse_text(s);
	left = text_format_duration(MAX(s->priv->lapse.since_us + s->def->settle_us - now_us, 0));
	return g_strdup_printf("%s %s; %s are left of Settle=.", wanted, lapse, left);
}

/* A service that is up after a failed stop. The reason for the stop still exists. */
static char *why_not_stopped(const Service *s)
{
	g_autofree char *wanted = why_wanted(s);

	return g_strdup_printf("%s Its stop failed, so it is up as before: %s.", wanted,
			       s->stop_problem);
}

static char *why_running(const Service *s, int64_t now_us)
{
	g_autofree char *blockers = NULL;
	g_autofree char *left = NULL;

	if (s->priv->stop.is_leaving) {
		blockers = list_blockers(s);
		return g_strdup_printf("It will stop after these have stopped: %s.", blockers);
	}
	if (s->stop_problem)
		return why_not_stopped(s);
	if (s->state == STATE_STARTING && !service_is_group(s)) {
		left = text_format_duration(
			MAX(s->started_us + s->def->start_limit_us - now_us, 0));
		return g_strdup_printf(
			"It has not reported that it is ready (Ready=%s); %s are left of "
			"StartTimeout=.",
			ready_kind_name(s->def->ready), left);
	}
	return why_up(s, now_us);
}

/* For a service that is wanted and waits for its terms. */
static char *why_waiting(const Service *s, int64_t now_us)
{
	g_autofree char *wanted = why_wanted(s);
	g_autofree char *left = NULL;

	if (s->n_false == 0 && engine_waits_for_login_screen(s)) {
		left = login_screen_describe(s, now_us);
		return g_strdup_printf("%s It waits %s.", wanted, left);
	}
	if (s->priv->wait_until_us == 0)
		return g_steal_pointer(&wanted);
	left = text_format_duration(MAX(s->priv->wait_until_us - now_us, 0));
	return g_strdup_printf("%s %s are left of WaitTimeout=.", wanted, left);
}

/* For a service that is down: can a connection start it? Takes @sentence. */
static char *with_sockets(const Service *s, char *sentence)
{
	g_autofree char *own = sentence;
	g_autofree char *addresses = listen_describe(s);

	if (addresses && s->awaits_connection)
		return g_strdup_printf("%s It listens on %s; a connection starts it.", own,
				       addresses);
	if (addresses && s->state == STATE_IDLE)
		return g_strdup_printf(
			"%s It listens on %s, but a service that it conflicts with is wanted; "
			"connections wait.",
			own, addresses);
	if (service_def_n_sockets(s->def) > 0)
		return g_strdup_printf("%s Its sockets are %s.", own,
				       addresses ? "open" : "closed");
	return g_steal_pointer(&own);
}

char *state_explain(const Service *s, int64_t now_us)
{
	const char *result = s->result ? s->result : "no result is known";
	g_autofree char *left = NULL;

	switch (s->state) {
	case STATE_IDLE:
		if (engine_is_spent(s))
			return with_sockets(
				s, g_strdup_printf(
					   "It ended by itself: %s; Restart=%s does not start it "
					   "again.",
					   result, restart_policy_name(s->def->restart)));
		return with_sockets(s, why_not_wanted(s));
	case STATE_WAITING:
		return s->priv->loses_to ? why_suppressed(s) : why_waiting(s, now_us);
	case STATE_STARTING:
	case STATE_READY:
	case STATE_DONE:
		return why_running(s, now_us);
	case STATE_STOPPING:
		return g_strdup_printf("%s.", service_cause(s));
	case STATE_BACKOFF:
		left = text_format_duration(MAX(s->backoff_until_us - now_us, 0));
		return g_strdup_printf("Its last run ended: %s. The next start is in %s.", result,
				       left);
	case STATE_FAILED:
		if (s->def->problem)
			return g_strdup_printf("Its service file has an error: %s",
					       s->def->problem);
		return with_sockets(
			s, g_strdup_printf(
				   "%s.%s", service_cause(s),
				   s->priv->run.was_false ?
					   " It is tried again when all its conditions are true." :
					   ""));
	case STATE_COUNT:
		break;
	}
	return g_strdup("");
}
