/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Explain: a walk from a service over its false terms to the services behind them. It ends at
 * causes that only external events or a user can change. Each service is visited once. The walk has
 * its own stack.
 */
#include "config.h"

#include "engine/explain.h"

#include "base/text.h"
#include "engine/engine-private.h"

typedef struct Frame {
	Service *service;
	unsigned depth;
	unsigned next_subscription;
	bool is_begun;
	bool has_deeper; /* the root cause is deeper: no advice here */
} Frame;

typedef struct ExplainWalk {
	const Engine *engine;
	GPtrArray *reasons;
	GArray *stack; /* Frame */
	GHashTable *visited; /* Service */
	int64_t now_us;
} ExplainWalk;

void reason_free(Reason *reason)
{
	if (!reason)
		return;
	g_free(reason->text);
	g_free(reason);
}

/* Takes @text. */
static void add(ExplainWalk *walk, const Service *s, unsigned depth, ReasonKind kind, char *text)
{
	Reason *reason = g_new0(Reason, 1);

	reason->depth = depth;
	reason->kind = kind;
	reason->service = g_intern_string(s->def->name);
	reason->text = text;
	g_ptr_array_add(walk->reasons, reason);
}

/* --- NEXT --- */

static char *advise_not_wanted(const Service *s)
{
	g_autofree char *origin = origin_format(s->policy.activation_origin);

	if (s->policy.activation == ACTIVATION_NEVER && s->policy.activation_origin.file)
		return g_strdup_printf(
			"To allow the service, change its policy (%s): svcctl set %s "
			"on-demand",
			origin, s->def->name);
	if (s->policy.activation == ACTIVATION_NEVER)
		return g_strdup("To allow the service, set its Activation= in a policy file.");
	return g_strdup_printf("svcctl start %s", s->def->name);
}

static void advise(ExplainWalk *walk, const Frame *frame)
{
	const Service *s = frame->service;
	const char *name = s->def->name;

	switch (s->state) {
	case STATE_IDLE:
		add(walk, s, frame->depth, REASON_NEXT,
		    engine_is_spent(s) ? g_strdup_printf("svcctl start %s", name) :
					 advise_not_wanted(s));
		break;
	case STATE_FAILED:
		if (s->def->problem) {
			add(walk, s, frame->depth, REASON_NEXT, g_strdup("svcctl check"));
			break;
		}
		add(walk, s, frame->depth, REASON_NEXT, g_strdup_printf("svcctl log %s", name));
		add(walk, s, frame->depth, REASON_NEXT, g_strdup_printf("svcctl start %s", name));
		break;
	case STATE_BACKOFF:
		add(walk, s, frame->depth, REASON_NEXT, g_strdup_printf("svcctl log %s", name));
		break;
	case STATE_WAITING:
		if (s->priv->loses_to)
			add(walk, s, frame->depth, REASON_NEXT,
			    g_strdup_printf("svcctl start %s", name));
		break;
	case STATE_STARTING:
	case STATE_STOPPING:
		add(walk, s, frame->depth, REASON_NEXT, g_strdup_printf("svcctl status %s", name));
		break;
	case STATE_READY:
	case STATE_DONE:
		if (s->stop_problem)
			add(walk, s, frame->depth, REASON_NEXT,
			    g_strdup_printf("svcctl stop %s", name));
		break;
	case STATE_COUNT:
		break;
	}
}

/* --- IMPACT --- */

static void add_held(const Condition *c, GPtrArray *held)
{
	for (unsigned i = 0; c && i < c->subscriptions->len; i++) {
		const Subscription *subscription = g_ptr_array_index(c->subscriptions, i);

		if (subscription->service->state == STATE_WAITING &&
		    subscription->start_level != LEVEL_TRUE &&
		    !g_ptr_array_find(held, subscription->service, NULL))
			g_ptr_array_add(held, subscription->service);
	}
}

static void add_impact(ExplainWalk *walk, const Service *s)
{
	g_autoptr(GPtrArray) held = g_ptr_array_new();
	g_autoptr(GString) list = g_string_new(NULL);

	add_held(s->priv->condition_service, held);
	for (unsigned i = 0; i < s->priv->mounted->len; i++)
		add_held(g_ptr_array_index(s->priv->mounted, i), held);
	for (unsigned i = 0; i < MIN(held->len, 8); i++)
		g_string_append_printf(list, "%s%s", i > 0 ? ", " : "",
				       ((const Service *)g_ptr_array_index(held, i))->def->name);
	if (held->len > 8)
		g_string_append_printf(list, " and %u more", held->len - 8);
	if (held->len > 0)
		add(walk, s, 0, REASON_IMPACT, g_strdup_printf("Waiting for it: %s.", list->str));
	else if (!service_is_up(s))
		add(walk, s, 0, REASON_IMPACT, g_strdup("Nothing waits for it."));
}

/* --- the walk --- */

static void push(ExplainWalk *walk, Service *s, unsigned depth)
{
	const Frame frame = { .service = s, .depth = depth };

	g_hash_table_add(walk->visited, s);
	g_array_append_val(walk->stack, frame);
}

/* Puts @s on the stack unless it was visited. Returns: true in both cases. */
static bool push_if_new(ExplainWalk *walk, Service *s, unsigned depth)
{
	if (!g_hash_table_contains(walk->visited, s))
		push(walk, s, depth);
	return true;
}

/* Visits the services behind a term that is not true. */
static bool push_subjects(ExplainWalk *walk, const Subscription *subscription, unsigned depth)
{
	bool has_any = false;

	for (unsigned i = term_length(subscription->term); i > 0; i--) {
		const Condition *c = subscription->conditions[i - 1];

		Service *source = condition_source(walk->engine, c);

		if (c->subject)
			has_any |= push_if_new(walk, c->subject, depth);
		if (source && source != subscription->service && c->level != LEVEL_TRUE)
			has_any |= push_if_new(walk, source, depth);
		for (unsigned j = c->facility ? c->facility->providers->len : 0; j > 0; j--) {
			Service *provider = g_ptr_array_index(c->facility->providers, j - 1);

			if (service_is_wanted(provider) && !service_is_up(provider))
				has_any |= push_if_new(walk, provider, depth);
		}
	}
	return has_any;
}

/* Alternatives of one kind often have the same remedy, which is printed once. */
static void advise_subscription(ExplainWalk *walk, const Frame *frame,
				const Subscription *subscription)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

	for (unsigned i = 0; i < term_length(subscription->term); i++) {
		g_autofree char *text = condition_advise(
			subscription->conditions[i], term_literal(subscription->term, i)->negated);

		if (!text || g_hash_table_contains(seen, text))
			continue;
		g_hash_table_add(seen, text);
		add(walk, frame->service, frame->depth, REASON_NEXT, g_steal_pointer(&text));
	}
}

/*
 * The next term that is not true. A push may move the frames, so the caller copies @frame before a
 * push.
 */
static const Subscription *next_subscription(Frame *frame)
{
	const Service *s = frame->service;
	const GPtrArray *subscriptions = s->priv->subscriptions;
	/* A failed service is explained with the terms that delay its new chance. */
	const bool is_held = s->state == STATE_WAITING ||
			     (s->state == STATE_FAILED && s->priv->run.was_false);

	if (!is_held)
		return NULL;
	while (frame->next_subscription < subscriptions->len) {
		const Subscription *subscription =
			g_ptr_array_index(subscriptions, frame->next_subscription++);

		/* The winner of the conflict was already named. */
		if (subscription->kind == TERM_CONFLICT && s->priv->loses_to)
			continue;
		if (subscription->start_level != LEVEL_TRUE)
			return subscription;
	}
	return NULL;
}

static void explain_ignored(ExplainWalk *walk, const Service *s, const PolicyService *extra)
{
	for (unsigned i = 0; i < extra->ignore->len; i++) {
		const NameRef *ref = g_ptr_array_index(extra->ignore, i);
		g_autofree char *where = origin_format(ref->origin);

		add(walk, s, 0, REASON_WHY,
		    g_strdup_printf("%s is ignored by %s.", ref->name, where));
	}
}

static void explain_added(ExplainWalk *walk, const Service *s, const char *key,
			  const GPtrArray *terms)
{
	for (unsigned i = 0; i < terms->len; i++) {
		const Term *term = g_ptr_array_index(terms, i);
		g_autofree char *where = origin_format(term->origin);

		add(walk, s, 0, REASON_WHY,
		    g_strdup_printf("%s=%s is added by policy, %s.", key, term->text, where));
	}
}

/* The changes that policy made to the terms of the service. */
static void explain_policy_terms(ExplainWalk *walk, const Service *s)
{
	const PolicyService *extra = policy_service(walk->engine->policy, s->def->name);

	if (!extra)
		return;
	explain_ignored(walk, s, extra);
	explain_added(walk, s, "When", extra->when);
	explain_added(walk, s, "While", extra->while_terms);
}

static void explain_limits(ExplainWalk *walk, const Service *s)
{
	if (s->resource_problem)
		add(walk, s, 0, REASON_LIMITS, g_strdup_printf("%s.", s->resource_problem));
}

static void explain_file(ExplainWalk *walk, const Service *s)
{
	char *text = file_state_describe(s);

	if (text)
		add(walk, s, 0, REASON_WHY, text);
}

static bool names_a_time(const Subscription *subscription)
{
	for (unsigned i = 0; i < term_length(subscription->term); i++) {
		if (subscription->conditions[i]->prefix == KEY_DUE)
			return true;
	}
	return false;
}

/* When a done task runs again. */
static void explain_times(ExplainWalk *walk, const Service *s)
{
	for (unsigned i = 0; s->state == STATE_DONE && i < s->priv->subscriptions->len; i++) {
		const Subscription *subscription = g_ptr_array_index(s->priv->subscriptions, i);

		if (subscription->kind == TERM_WHEN && subscription->level == LEVEL_FALSE &&
		    names_a_time(subscription))
			add(walk, s, 0, REASON_WHY,
			    subscription_describe(subscription, walk->now_us));
	}
}

static void begin_frame(ExplainWalk *walk, const Frame *frame)
{
	Service *s = frame->service;

	add(walk, s, frame->depth, REASON_STATE, state_describe(s, walk->now_us));
	add(walk, s, frame->depth, REASON_WHY, state_explain(s, walk->now_us));
	if (frame->depth == 0) {
		explain_file(walk, s);
		explain_policy_terms(walk, s);
		explain_limits(walk, s);
		explain_times(walk, s);
	}
}

/* The sentence ends with a full stop, like the others. */
static void add_refusals(ExplainWalk *walk, const Service *s)
{
	char *text = refusals_describe(&s->refusals, walk->now_us);

	if (text)
		add(walk, s, 0, REASON_CAUSE, text);
}

static void advise_about_file(ExplainWalk *walk, const Service *s)
{
	char *text = file_state_advise(s);

	if (text)
		add(walk, s, 0, REASON_NEXT, text);
}

static void end_frame(ExplainWalk *walk, const Frame *frame)
{
	const CauseRecord *newest = frame->service->newest_cause;
	g_autofree char *when = newest ? text_format_ago(walk->now_us - newest->at_us) : NULL;

	if (frame->depth == 0 && newest)
		add(walk, frame->service, 0, REASON_CAUSE,
		    g_strdup_printf("%s: %s (%s).", service_state_name(newest->to), newest->text,
				    when));
	if (frame->depth == 0) {
		add_refusals(walk, frame->service);
		add_impact(walk, frame->service);
	}
	if (!frame->has_deeper)
		advise(walk, frame);
	if (frame->depth == 0)
		advise_about_file(walk, frame->service);
}

/* Returns: true if a lock delays the start. Then the holder of the lock is visited next. */
static bool push_lock_holder(ExplainWalk *walk, Frame *frame)
{
	const unsigned depth = frame->depth + 1;
	Service *holder = start_lock_holder(frame->service);

	if (!holder)
		return false;
	frame->has_deeper = true; /* before push() moves the frame */
	push_if_new(walk, holder, depth);
	return true;
}

static void walk_once(ExplainWalk *walk)
{
	Frame *top = &g_array_index(walk->stack, Frame, walk->stack->len - 1);
	const bool was_begun = top->is_begun;
	const Subscription *subscription = next_subscription(top);
	Frame now;

	top->is_begun = true;
	now = *top;
	if (!was_begun) {
		begin_frame(walk, &now);
		if (push_lock_holder(walk, top))
			return;
	}
	if (!subscription) {
		end_frame(walk, &now);
		/* All frames above this one are done, so it is the top again. */
		g_array_set_size(walk->stack, walk->stack->len - 1);
		return;
	}
	top->has_deeper = now.service->state == STATE_WAITING;
	add(walk, now.service, now.depth, REASON_WHY,
	    subscription_describe(subscription, walk->now_us));
	if (!push_subjects(walk, subscription, now.depth + 1))
		advise_subscription(walk, &now, subscription);
}

GPtrArray *explain_service(const Engine *engine, const char *name, int64_t now_us)
{
	g_autoptr(GHashTable) visited = g_hash_table_new(NULL, NULL);
	g_autoptr(GArray) stack = g_array_new(FALSE, FALSE, sizeof(Frame));
	Service *s = engine_resolve(engine, name);
	ExplainWalk walk = {
		.engine = engine, .stack = stack, .visited = visited, .now_us = now_us
	};

	if (!s)
		return NULL;
	walk.reasons = g_ptr_array_new_with_free_func((GDestroyNotify)reason_free);
	push(&walk, s, 0);
	while (stack->len > 0)
		walk_once(&walk);
	return walk.reasons;
}

/*
 * Does the term exclude this machine, because of a missing program, the kernel command line or the
 * virtualization?
 */
static bool subscription_excludes_machine(const Subscription *subscription)
{
	const Condition *c = subscription->conditions[0];

	if (subscription->start_level == LEVEL_TRUE || term_length(subscription->term) != 1)
		return false;
	if (c->prefix == KEY_PATH)
		return g_str_has_prefix(key_argument(c->key), "exec:") &&
		       !term_literal(subscription->term, 0)->negated;
	return c->prefix == KEY_KERNEL || c->prefix == KEY_VIRTUAL;
}

/*
 * The vendor's policy is the same on all machines, and wants services that some machines lack. Rc
 * links may remain after a package was removed. An admin's policy is deliberate.
 */
static bool is_for_other_machines(const Service *s)
{
	if (s->state != STATE_WAITING || s->want_reason != WANT_POLICY ||
	    s->policy.runlevel_layer > POLICY_LAYER_RC_LINKS)
		return false;
	for (unsigned i = 0; i < s->priv->subscriptions->len; i++)
		if (subscription_excludes_machine(g_ptr_array_index(s->priv->subscriptions, i)))
			return true;
	return false;
}

GPtrArray *explain_not_as_wanted(const Engine *engine)
{
	GPtrArray *names = g_ptr_array_new();

	for (unsigned i = 0; i < engine->services->len; i++) {
		const Service *s = g_ptr_array_index(engine->services, i);
		const bool is_off = s->state == STATE_WAITING || s->state == STATE_IDLE;

		if (s->state == STATE_FAILED || s->state == STATE_BACKOFF ||
		    (service_is_wanted(s) && is_off && !is_for_other_machines(s)))
			g_ptr_array_add(names, (gpointer)s->def->name);
	}
	return names;
}
