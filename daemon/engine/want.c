/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Want: which services are wanted, and why. The grades are computed from roots (policy, an admin's
 * start) and spread along needs. There are no counters.
 *
 * Each wanted service has one support: itself, or the needer that passes its grade on. When a
 * support is lost, the services that depend on it are removed and checked again. So two services
 * that need only each other are not wanted. The cost of an event depends on the number of services
 * that it affects.
 */
#include "config.h"

#include "engine/engine-private.h"

bool want_is_forbidden(const Service *s)
{
	return s->admin == ADMIN_STOP || s->policy.activation == ACTIVATION_NEVER;
}

GPtrArray *want_with_needs(Service *s)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
	GPtrArray *all = g_ptr_array_new();

	g_hash_table_add(seen, s);
	g_ptr_array_add(all, s);
	for (unsigned i = 0; i < all->len; i++) {
		const Service *needer = g_ptr_array_index(all, i);

		for (unsigned j = 0; j < needer->priv->needs->len; j++) {
			Service *need = g_ptr_array_index(needer->priv->needs, j);

			if (!want_is_forbidden(need) && g_hash_table_add(seen, need))
				g_ptr_array_add(all, need);
		}
	}
	return all;
}

static bool is_demanded(const Service *s)
{
	return (s->admin == ADMIN_DEMAND || s->admin == ADMIN_CONNECTION) &&
	       s->policy.activation != ACTIVATION_MANUAL;
}

static bool is_policy_root(const Service *s)
{
	return s->policy.activation == ACTIVATION_BOOT && s->policy.in_runlevel;
}

/* The grade that @s has by itself, without needs of other services. */
static WantGrade root_grade(const Service *s)
{
	if (want_is_forbidden(s))
		return GRADE_NONE;
	if (s->admin == ADMIN_START)
		return GRADE_ADMIN;
	if (is_policy_root(s) || is_demanded(s))
		return GRADE_NORMAL;
	return s->priv->want.is_lingering ? GRADE_LINGER : GRADE_NONE;
}

static WantGrade inherited_grade(const Service *needer, const Service *s)
{
	if (want_is_forbidden(s))
		return GRADE_NONE;
	if (s->policy.activation == ACTIVATION_MANUAL && needer->priv->want.grade != GRADE_ADMIN)
		return GRADE_NONE;
	return needer->priv->want.grade;
}

static WantGrade find_support(const Service *s, Service **ret_support)
{
	WantGrade best = root_grade(s);

	*ret_support = NULL;
	for (unsigned i = 0; i < s->priv->needers->len && best < GRADE_ADMIN; i++) {
		Service *needer = g_ptr_array_index(s->priv->needers, i);
		const WantGrade grade = inherited_grade(needer, s);

		if (grade > best) {
			best = grade;
			*ret_support = needer;
		}
	}
	return best;
}

static bool is_support_valid(const Service *s)
{
	const Service *support = s->priv->want.support;

	if (!support)
		return root_grade(s) == s->priv->want.grade;
	return inherited_grade(support, s) == s->priv->want.grade &&
	       g_ptr_array_find(support->priv->needs, s, NULL);
}

static void set_grade(Service *s, WantGrade grade, Service *support)
{
	s->priv->want.grade = grade;
	s->priv->want.support = support;
	engine_queue(s, WORK_WANT_PUBLISH);
}

static void queue_needs(Service *s)
{
	for (unsigned i = 0; i < s->priv->needs->len; i++)
		engine_queue(g_ptr_array_index(s->priv->needs, i), WORK_WANT);
}

/*
 * Removes the grade of @s, and of all services that inherit it. Each is queued to find another
 * support.
 */
static void collapse_from(Service *s)
{
	g_autoptr(GPtrArray) out = g_ptr_array_new();

	set_grade(s, GRADE_NONE, NULL);
	g_ptr_array_add(out, s);
	for (unsigned i = 0; i < out->len; i++) {
		Service *leaving = g_ptr_array_index(out, i);

		engine_queue(leaving, WORK_WANT);
		for (unsigned j = 0; j < leaving->priv->needs->len; j++) {
			Service *need = g_ptr_array_index(leaving->priv->needs, j);

			if (need->priv->want.grade != GRADE_NONE &&
			    need->priv->want.support == leaving) {
				set_grade(need, GRADE_NONE, NULL);
				g_ptr_array_add(out, need);
			}
		}
	}
}

void want_update(Service *s)
{
	Service *support;
	WantGrade best;

	if (service_def_n_sockets(s->def) > 0)
		engine_queue(s, WORK_STEP); /* @s may now listen, even if nothing wants it */
	if (s->priv->want.grade != GRADE_NONE && !is_support_valid(s)) {
		collapse_from(s);
		return;
	}
	best = find_support(s, &support);
	if (best > s->priv->want.grade) {
		set_grade(s, best, support);
		queue_needs(s);
	}
	engine_queue(s, WORK_WANT_PUBLISH);
}

static WantReason reason_of(const Service *s)
{
	if (s->priv->want.grade == GRADE_NONE)
		return WANT_NOTHING;
	if (s->admin == ADMIN_START)
		return WANT_ADMIN;
	if (is_policy_root(s))
		return WANT_POLICY;
	if (is_demanded(s))
		return s->admin == ADMIN_CONNECTION ? WANT_CONNECTION : WANT_DEMAND;
	return s->priv->want.support ? WANT_NEED : WANT_LINGER;
}

/* Nothing wants @s any more. Does it linger? */
static bool begins_to_linger(const Service *s)
{
	const Engine *engine = s->priv->engine;

	return s->priv->want.grade == GRADE_NONE && s->priv->want.published_grade >= GRADE_NORMAL &&
	       s->def->linger_us > 0 && !want_is_forbidden(s) && !engine_is_shutting_down(engine) &&
	       engine->is_acting && service_is_active(s) && s->state != STATE_STOPPING;
}

void want_begin_lingering(Service *s)
{
	s->priv->want.is_lingering = true;
	engine_arm(s, ENGINE_TIMER_LINGER, s->priv->engine->now_us + s->def->linger_us);
}

static void update_lingering(Service *s)
{
	if (begins_to_linger(s)) {
		want_begin_lingering(s);
		engine_queue(s, WORK_WANT);
	} else if (s->priv->want.is_lingering &&
		   (s->priv->want.grade >= GRADE_NORMAL || want_is_forbidden(s))) {
		s->priv->want.is_lingering = false;
		engine_arm(s, ENGINE_TIMER_LINGER, 0);
	}
}

void want_end_lingering(Service *s)
{
	if (!s->priv->want.is_lingering)
		return;
	s->priv->want.is_lingering = false;
	engine_arm(s, ENGINE_TIMER_LINGER, 0);
	engine_queue(s, WORK_WANT);
}

static void queue_subscribers(const Condition *c)
{
	for (unsigned i = 0; c && i < c->subscriptions->len; i++) {
		const Subscription *subscription = g_ptr_array_index(c->subscriptions, i);

		engine_queue(subscription->service, WORK_STEP);
	}
}

/*
 * Queues the services with a While= term on @s, because they wait for Settle= only if @s is wanted.
 */
static void queue_dependents(const Service *s)
{
	queue_subscribers(s->priv->condition_service);
	queue_subscribers(s->priv->condition_healthy);
	for (unsigned i = 0; i < s->priv->mounted->len; i++)
		queue_subscribers(g_ptr_array_index(s->priv->mounted, i));
}

/* Only policy counts here. A stop by an admin is not a decision of policy. */
static bool is_never(const Service *s)
{
	return s->policy.activation == ACTIVATION_NEVER;
}

/* @needer became wanted. */
static void refuse_needs(const Service *needer)
{
	for (unsigned i = 0; i < needer->priv->needs->len; i++) {
		Service *need = g_ptr_array_index(needer->priv->needs, i);

		if (is_never(need))
			request_refuse_need(need, needer);
	}
}

/* The policy of @s has become "never". */
static void refuse_needers(Service *s)
{
	for (unsigned i = 0; i < s->priv->needers->len; i++) {
		const Service *needer = g_ptr_array_index(s->priv->needers, i);

		if (service_is_wanted(needer))
			request_refuse_need(s, needer);
	}
}

void want_clear(Service *s)
{
	s->priv->want.grade = GRADE_NONE;
	s->priv->want.support = NULL;
}

void want_publish(Service *s)
{
	struct ServicePrivate *priv = s->priv;
	Engine *engine = priv->engine;
	const WantReason reason = reason_of(s);
	const char *wanted_by =
		priv->want.support ? g_intern_string(priv->want.support->def->name) : NULL;

	update_lingering(s);
	priv->want.published_grade = priv->want.grade;
	engine_queue(s, WORK_RANK);
	if (reason == s->want_reason && wanted_by == s->wanted_by)
		return;
	if (s->want_reason == WANT_NOTHING)
		refuse_needs(s);
	s->want_reason = reason;
	s->wanted_by = wanted_by;
	if (reason == WANT_NOTHING)
		run_forget_end(s);
	engine_queue(s, WORK_LEVEL);
	engine_queue(s, WORK_SETTLED);
	engine_queue(s, WORK_STEP);
	queue_dependents(s);
	service_observe(s, s->state);
	engine->ops.changed(engine->data, s);
}

void want_decide_all(Engine *engine)
{
	for (unsigned i = 0; i < engine->services->len; i++) {
		Service *s = g_ptr_array_index(engine->services, i);
		const bool was_never = is_never(s);

		if (engine->runlevel)
			policy_decide(engine->policy, s->def->name, engine->runlevel, &s->policy);
		if (is_never(s) && !was_never)
			refuse_needers(s);
		engine_queue(s, WORK_WANT);
	}
}

static char *describe_not_wanted(const Service *s)
{
	const Engine *engine = s->priv->engine;
	g_autofree char *origin = origin_format(s->policy.activation_origin);

	if (s->policy.activation == ACTIVATION_NEVER)
		return g_strdup_printf("its policy is never (%s)", origin);
	if (s->admin == ADMIN_STOP)
		return requester_describe("stop", &s->admin_requester);
	if (engine->runlevel_cause && engine_is_shutting_down(engine))
		return g_strdup(engine->runlevel_cause);
	if (s->policy.activation == ACTIVATION_BOOT && engine->runlevel)
		return g_strdup_printf("not wanted in runlevel %s, and nothing needs it",
				       engine->runlevel);
	return g_strdup("nothing wants it any more");
}

char *want_describe(const Service *s)
{
	g_autofree char *origin = NULL;

	switch (s->want_reason) {
	case WANT_ADMIN:
		return requester_describe("start", &s->admin_requester);
	case WANT_POLICY:
		origin = origin_format(s->policy.runlevel_origin);
		return g_strdup_printf("wanted in runlevel %s (%s)", s->priv->engine->runlevel,
				       origin);
	case WANT_DEMAND:
		return s->demanded_as ?
			       g_strdup_printf("requested on the bus, as %s", s->demanded_as) :
			       g_strdup("requested on the bus");
	case WANT_CONNECTION:
		return g_strdup_printf("connection on %s",
				       s->demanded_as ? s->demanded_as : "one of its sockets");
	case WANT_NEED:
		return g_strdup_printf("needed by %s", s->wanted_by);
	case WANT_LINGER:
		return g_strdup("kept for a while after its last use");
	case WANT_NOTHING:
	case WANT_COUNT:
		break;
	}
	return describe_not_wanted(s);
}
