/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Listen: which sockets of a service should be open, whether a connection may start it, and the
 * effect of a connection. The manager owns the sockets (EngineOps.listen). See
 * docs/how-svcd-decides.md, "Sockets".
 */
#include "config.h"

#include <string.h>

#include "base/text.h"
#include "engine/engine-private.h"

/*
 * Was @s named by policy, by an admin, or by a chain of needs that begins with one of these? Bus
 * calls and connections do not count, because the mere installation of a package must not open a
 * network port.
 */
static bool is_named(const Service *s)
{
	const Service *root = s;

	while (root->priv->want.support)
		root = root->priv->want.support;
	return !s->policy.is_default || root->want_reason == WANT_ADMIN ||
	       root->want_reason == WANT_POLICY ||
	       (service_is_wanted(s) && !root->policy.is_default);
}

/* May @s listen by policy, although nothing wants it? */
static bool is_offered(const Service *s)
{
	switch (s->policy.activation) {
	case ACTIVATION_ON_DEMAND:
		return true;
	case ACTIVATION_BOOT:
		return s->policy.in_runlevel;
	case ACTIVATION_MANUAL:
	case ACTIVATION_NEVER:
	case ACTIVATION_COUNT:
		break;
	}
	return false;
}

/*
 * Do other services make the term true? Such a term does not matter, because these services are
 * started or awaited when a client connects.
 */
static bool is_up_to_services(const Subscription *subscription)
{
	for (unsigned i = 0; i < term_length(subscription->term); i++) {
		if (key_prefix_is_internal(subscription->conditions[i]->prefix))
			return true;
	}
	return false;
}

/* Are all terms of @s on external conditions true? */
static bool is_world_ready(const Service *s)
{
	for (unsigned i = 0; i < s->priv->subscriptions->len; i++) {
		const Subscription *subscription = g_ptr_array_index(s->priv->subscriptions, i);

		if (subscription->kind != TERM_WHEN && subscription->kind != TERM_WHILE)
			continue;
		if (subscription->level != LEVEL_TRUE && !is_up_to_services(subscription))
			return false;
	}
	return true;
}

static bool is_to_listen(const Service *s)
{
	if (service_def_n_sockets(s->def) == 0 || s->priv->file.is_gone)
		return false;
	if (service_is_active(s))
		return true;
	if (s->def->problem || want_is_forbidden(s) || engine_is_shutting_down(s->priv->engine))
		return false;
	if (s->state == STATE_FAILED && s->is_failed_for_good)
		return false; /* a refused connection is better than one that waits */
	if (service_lacks_program(s))
		return false; /* its package was removed */
	if (!service_is_wanted(s) && !is_offered(s))
		return false;
	return s->listens != LISTENS_CLOSED || is_world_ready(s);
}

/*
 * May a conflicting service run? Then a connection, which any client can make, must not start @s
 * and so stop a service that is wanted for a better reason.
 */
static bool is_kept_down(const Service *s)
{
	for (unsigned i = 0; i < s->priv->conflicts->len; i++) {
		if (conflict_lets_run(g_ptr_array_index(s->priv->conflicts, i)))
			return true;
	}
	return false;
}

/* Is @s down with no start pending, so that a connection may start it? */
static bool may_be_triggered(const Service *s)
{
	if (is_kept_down(s))
		return false;
	if (s->state == STATE_IDLE)
		return !service_is_wanted(s) || engine_is_spent(s);
	return s->state == STATE_FAILED && s->priv->engine->now_us >= s->priv->listen.again_us;
}

void listen_update(Service *s)
{
	Engine *engine = s->priv->engine;
	Listens listens = LISTENS_CLOSED;
	bool awaits = false;

	if (!engine->is_acting)
		return;
	if (is_to_listen(s))
		listens = is_named(s) ? LISTENS_ALL : LISTENS_LOCAL;
	if (listens != LISTENS_CLOSED)
		awaits = may_be_triggered(s);
	if (listens == s->listens && awaits == s->awaits_connection)
		return;
	if (listens != s->listens) {
		s->priv->listen.is_opening = listens != LISTENS_CLOSED && engine->ops.listen;
		engine_queue(s, WORK_SETTLED);
	}
	s->listens = listens;
	s->awaits_connection = awaits;
	if (engine->ops.listen)
		engine->ops.listen(engine->data, s);
	engine->ops.changed(engine->data, s);
}

bool listen_after_failure(Service *s)
{
	int64_t next_us;

	if (s->listens == LISTENS_CLOSED)
		return true;
	next_us = backoff_next_start(&s->priv->backoff, s->def, s->priv->engine->now_us);
	if (next_us == BACKOFF_GIVE_UP)
		return false;
	s->priv->listen.again_us = next_us;
	engine_arm(s, ENGINE_TIMER_LISTEN, next_us);
	return true;
}

/* Counts a start by a connection. Returns: false if it exceeds TriggerLimit=. */
static bool count_trigger(Service *s)
{
	struct ServicePrivate *priv = s->priv;
	const int64_t now_us = priv->engine->now_us;

	if (priv->listen.n_triggers == 0 ||
	    now_us >= priv->listen.triggers_since_us + s->def->socket->trigger_window_us) {
		priv->listen.triggers_since_us = now_us;
		priv->listen.n_triggers = 0;
	}
	return priv->listen.n_triggers++ < s->def->socket->trigger_limit;
}

static void fail_untaken(Service *s, const char *address)
{
	g_autofree char *window = text_format_duration(s->def->socket->trigger_window_us);
	char *cause = g_strdup_printf(
		"connections on %s started it %u times within %s, and it did not accept them "
		"(TriggerLimit=)",
		address, s->def->socket->trigger_limit, window);

	s->priv->listen.n_triggers = 0;
	if (s->state == STATE_IDLE) {
		service_apply(s, EVENT_WANTED, g_strdup_printf("connection on %s", address));
		service_apply(s, EVENT_WAIT_OVER, cause);
	} else {
		service_remark(s, cause);
	}
	s->last_success = false;
	s->is_failed_for_good = true;
	engine_queue(s, WORK_STEP);
}

static void start_for(Service *s, const char *address)
{
	run_set_cause(s, g_strdup_printf("connection on %s", address));
	/* if it is idle, it starts once it is wanted */
	run_give_chance(s, g_strdup(s->priv->run.cause_next));
}

void engine_connection(Engine *engine, const char *service, const char *address, int64_t now_us)
{
	Service *s = engine_find(engine, service);

	engine_set_now(engine, now_us);
	if (!s || !s->awaits_connection)
		return;
	if (s->admin == ADMIN_NONE) {
		s->admin = ADMIN_CONNECTION;
		s->admin_requester = (Requester){ 0 };
		s->admin_at_us = engine->now_us;
		s->demanded_as = g_intern_string(address);
		engine_queue(s, WORK_WANT);
		engine_queue(s, WORK_STEP); /* requests do not wait for the login screen */
	}
	if (count_trigger(s))
		start_for(s, address);
	else
		fail_untaken(s, address);
	engine->ops.changed(engine->data, s);
	engine_run(engine);
}

char *listen_describe(const Service *s)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < service_def_n_sockets(s->def); i++) {
		const Listen *listen = g_ptr_array_index(s->def->socket->listens, i);

		if (s->listens == LISTENS_ALL ||
		    (s->listens == LISTENS_LOCAL && !listen_is_network(listen)))
			g_string_append_printf(text, "%s%s", text->len > 0 ? ", " : "",
					       listen->text);
	}
	return text->len > 0 ? g_string_free(g_steal_pointer(&text), FALSE) : NULL;
}

void engine_sockets_opened(Engine *engine, const char *service)
{
	Service *s = engine_find(engine, service);

	if (!s || !s->priv->listen.is_opening)
		return;
	s->priv->listen.is_opening = false;
	engine_queue(s, WORK_SETTLED);
	engine_run(engine);
}

void engine_recover_listening(Engine *engine, const char *service)
{
	Service *s = engine_find(engine, service);

	if (s)
		s->listens = LISTENS_LOCAL;
}
