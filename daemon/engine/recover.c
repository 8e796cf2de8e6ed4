/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Recover: computes the state of a service from the keeper's data. A living process is stronger
 * evidence than the note. An invalid note costs a service its history, never its process.
 */
#include "config.h"

#include "engine/engine-private.h"

/* A living service without a file is kept until it ends. */
static Service *adopt_unknown(Engine *engine, const char *name)
{
	ServiceSet *set = service_set_new();
	ServiceDef *def = service_def_new(name, (Origin){ 0 });
	SetRef *definitions = g_new0(SetRef, 1);
	Service *s;

	def->is_gone = true;
	def->problem = g_strdup("its service file is gone");
	service_set_add(set, def);
	definitions->set = set;
	s = load_new_service(engine, def, definitions);
	load_rebuild(engine);
	return s;
}

static ServiceState state_of_living(const Service *s, ServiceState noted, bool has_note)
{
	if (state_is_active(noted))
		return noted;
	/* Without a note, a living daemon counts as ready and a task as still working. */
	if (!has_note)
		return s->def->type == TYPE_TASK ? STATE_STARTING : STATE_READY;
	/* According to the note its run is over, so the processes are leftovers. */
	return STATE_STOPPING;
}

/* Returns: the state. *@ret_has_ended: a run ended while no manager was running. */
static ServiceState state_of_dead(const Service *s, ServiceState noted, bool *ret_has_ended)
{
	switch (noted) {
	case STATE_STARTING:
	case STATE_READY:
	case STATE_STOPPING:
		/* Groups have no processes. */
		*ret_has_ended = s->priv->run.type != TYPE_GROUP;
		return s->priv->run.type == TYPE_GROUP ? noted : STATE_STOPPING;
	case STATE_IDLE:
	case STATE_WAITING:
	case STATE_DONE:
	case STATE_BACKOFF:
	case STATE_FAILED:
	case STATE_COUNT:
		break;
	}
	return noted;
}

/* The file of @s may have changed since @s was started. */
static ServiceType run_type(const Service *s, ServiceState state, bool is_alive)
{
	if (state == STATE_DONE && s->def->type != TYPE_SCRIPT)
		return TYPE_TASK;
	if (!is_alive && state_is_active(state))
		return s->priv->run.type;
	return is_alive && s->def->type == TYPE_GROUP ? TYPE_DAEMON : s->def->type;
}

/*
 * The cause to record: the result if the service has failed, otherwise the takeover, because the
 * requester is unknown.
 */
static const char *describe_recovery(const Service *s, ServiceState state)
{
	const bool has_failed = state == STATE_FAILED || state == STATE_BACKOFF;

	return has_failed && s->result ? s->result : "taken over from the previous manager";
}

/* Values that follow from the state and its time. */
static void derive_times(Service *s)
{
	if (service_is_up(s)) {
		s->ready_us = s->since_us;
		s->started_us = s->since_us - s->start_duration_us;
	} else if (s->state == STATE_STARTING) {
		s->started_us = s->since_us;
	} else if (s->state == STATE_BACKOFF) {
		s->backoff_until_us = s->since_us + backoff_delay(&s->priv->backoff, s->def);
	}
}

bool engine_recover(Engine *engine, const char *service, const char *note, bool is_alive,
		    uint64_t invocation, pid_t main_pid, int64_t now_us)
{
	Service *s = engine_find(engine, service);
	ServiceState noted = STATE_IDLE;
	ServiceState state;
	int64_t since_us = now_us;
	bool has_note;
	bool has_ended = false;

	engine_set_now(engine, now_us);
	if (!s && !is_alive)
		return false;
	if (!s)
		s = adopt_unknown(engine, service);
	has_note = note_decode(s, note, &noted, &since_us);
	/*
	 * Between two processes of one run, the keeper may have no row with the invocation. Then
	 * the note has it.
	 */
	if (invocation == 0)
		invocation = s->invocation;
	since_us = CLAMP(since_us, 0, now_us);
	if (is_alive) {
		state = state_of_living(s, noted, has_note && s->invocation == invocation);
		s->invocation = invocation;
		s->main_pid = main_pid;
	} else {
		state = state_of_dead(s, noted, &has_ended);
	}
	run_resume(s, state, run_type(s, state, is_alive), is_alive && !has_note);
	if (state != STATE_IDLE)
		service_restore(s, state, since_us, describe_recovery(s, state));
	else if (has_note)
		s->since_us = since_us;
	if (has_ended)
		run_ended_unseen(s, noted);
	derive_times(s);
	engine_queue(s, WORK_WANT);
	engine->last_admin_us = MAX(engine->last_admin_us, s->admin_at_us);
	return has_note || !*note;
}
