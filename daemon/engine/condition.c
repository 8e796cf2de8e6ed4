/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Condition: a level and its subscribers. A subscription is one term of one service, with the
 * term's level. The service counts its subscriptions that are not true. So the cost of a change
 * depends on the number of terms that use the condition.
 */
#include "config.h"

#include <string.h>

#include "base/list.h"
#include "base/text.h"
#include "engine/engine-private.h"

/*
 * Conditions that begin with this are about a program. If the program is not installed, only an
 * admin can end the wait.
 */
#define PROGRAM_KEY "path:exec:"

static Level level_of(bool is_true)
{
	return is_true ? LEVEL_TRUE : LEVEL_FALSE;
}

static Level service_level(const Service *s)
{
	return level_of(service_is_up(s) && !s->priv->stop.is_leaving);
}

static char *service_why(const Service *s)
{
	return g_strdup_printf("%s is %s", s->def->name,
			       s->priv->stop.is_leaving ? "about to stop" :
							  service_state_name(s->state));
}

/*
 * Before the first health check the level is unknown. An unknown level delays a start, but stops no
 * service.
 */
static Level healthy_level(const Service *s)
{
	if (service_level(s) != LEVEL_TRUE || s->health == HEALTH_UNHEALTHY)
		return LEVEL_FALSE;
	return s->health == HEALTH_HEALTHY ? LEVEL_TRUE : LEVEL_UNKNOWN;
}

static char *healthy_why(const Service *s)
{
	if (service_level(s) != LEVEL_TRUE)
		return service_why(s);
	if (s->health == HEALTH_UNHEALTHY)
		return g_strdup_printf("%s is unhealthy: %s", s->def->name, s->health_text);
	return g_strdup_printf("%s is %s", s->def->name,
			       s->health == HEALTH_HEALTHY ? "healthy" : "not checked yet");
}

static void update_subscriptions(Condition *c)
{
	for (unsigned i = 0; i < c->subscriptions->len; i++)
		subscription_update(g_ptr_array_index(c->subscriptions, i));
}

void condition_publish(Service *s)
{
	struct ServicePrivate *priv = s->priv;
	g_autofree char *why = NULL;
	g_autofree char *health = NULL;

	for (unsigned i = 0; i < priv->mounted->len; i++)
		update_subscriptions(g_ptr_array_index(priv->mounted, i));
	if (!priv->condition_service && !priv->condition_active && !priv->condition_healthy)
		return;
	if (priv->condition_healthy) {
		health = healthy_why(s);
		condition_set_level(priv->engine, priv->condition_healthy, healthy_level(s),
				    health);
	}
	why = service_why(s);
	if (priv->condition_service)
		condition_set_level(priv->engine, priv->condition_service, service_level(s), why);
	if (priv->condition_active)
		condition_set_level(priv->engine, priv->condition_active,
				    level_of(service_is_active(s)), why);
}

static void bind_internal(Engine *engine, Condition *c)
{
	const char *argument = key_argument(c->key);

	if (*argument == '$') {
		c->facility = facility_get(engine, argument);
		if (c->prefix == KEY_FACILITY) {
			c->facility->condition_facility = c;
			facility_publish(engine, c->facility);
		} else {
			c->facility->condition_settled = c;
			facility_publish_settled(engine, c->facility);
		}
		return;
	}
	c->subject = engine_resolve(engine, argument);
	if (!c->subject)
		return;
	if (c->prefix == KEY_SERVICE)
		c->subject->priv->condition_service = c;
	else if (c->prefix == KEY_SETTLED)
		c->subject->priv->condition_settled = c;
	else if (c->prefix == KEY_HEALTHY)
		c->subject->priv->condition_healthy = c;
	else
		c->subject->priv->condition_active = c;
	condition_publish(c->subject);
}

/* "service:mta" and "service:postfix" are one condition if postfix provides the name mta. */
static const char *canonical_key(Engine *engine, const char *key, KeyPrefix prefix)
{
	const char *argument = key_argument(key);
	const Service *s = *argument == '$' ? NULL : engine_resolve(engine, argument);
	g_autofree char *text = NULL;

	if (!s || strcmp(s->def->name, argument) == 0)
		return key;
	text = g_strconcat(key_prefix_name(prefix), ":", s->def->name, NULL);
	return g_intern_string(text);
}

static Condition *condition_get(Engine *engine, const char *key, KeyPrefix prefix)
{
	const bool is_internal = key_prefix_is_internal(prefix);
	const char *own = is_internal ? canonical_key(engine, key, prefix) : key;
	Condition *c = g_hash_table_lookup(engine->conditions, own);

	if (c)
		return c;
	c = g_new0(Condition, 1);
	c->key = own;
	c->prefix = prefix;
	c->level = is_internal ? LEVEL_FALSE : LEVEL_UNKNOWN;
	c->since_us = engine->now_us;
	c->subscriptions = g_ptr_array_new();
	g_hash_table_insert(engine->conditions, (gpointer)own, c);
	if (is_internal)
		bind_internal(engine, c);
	/* A service that does not exist is settled. Its other conditions are false. */
	if (prefix == KEY_SETTLED && !c->subject)
		c->level = LEVEL_TRUE;
	if (is_internal && !c->subject && !c->facility)
		c->why = g_strdup("there is no such service");
	return c;
}

void condition_free(gpointer data)
{
	Condition *c = data;

	g_ptr_array_unref(c->subscriptions);
	g_free(c->why);
	g_free(c);
}

gint condition_compare(gconstpointer a, gconstpointer b)
{
	const Condition *left = *(Condition *const *)a;
	const Condition *right = *(Condition *const *)b;

	return strcmp(left->key, right->key);
}

static void notify_subscribers(Engine *engine, const Condition *c)
{
	if (engine->ops.condition_changed)
		engine->ops.condition_changed(engine->data, c->key, c->level, c->why);
}

void condition_set_level(Engine *engine, Condition *c, Level level, const char *why)
{
	const bool is_news = g_strcmp0(c->why, why) != 0;

	if (is_news) {
		g_free(c->why);
		c->why = g_strdup(why);
	}
	if (c->level == level) {
		/*
		 * The reason for the level of an internal condition changes with each state of its
		 * service, and states are published separately.
		 */
		if (is_news && !key_prefix_is_internal(c->prefix))
			notify_subscribers(engine, c);
		return;
	}
	c->level = level;
	notify_subscribers(engine, c);
	c->is_stale = false;
	c->since_us = engine->now_us;
	update_subscriptions(c);
}

int64_t condition_stale_at(const Engine *engine, const Condition *c)
{
	const Service *watcher = engine->is_acting ? condition_watcher(engine, c) : NULL;

	return watcher && engine_is_settled(watcher) && !service_is_up(watcher) ?
		       c->since_us :
		       c->since_us + UNKNOWN_LIMIT_US;
}

void condition_check_stale(Engine *engine, Condition *c)
{
	if (c->level != LEVEL_UNKNOWN || c->is_stale ||
	    engine->now_us < condition_stale_at(engine, c))
		return;
	c->is_stale = true;
	c->stale_us = engine->now_us;
	update_subscriptions(c);
}

Subscription *subscription_new(Service *s, Term *term, TermKind kind)
{
	Subscription *subscription = g_new0(Subscription, 1);

	subscription->service = s;
	subscription->term = term;
	subscription->kind = kind;
	subscription->level = LEVEL_UNKNOWN;
	subscription->start_level = LEVEL_UNKNOWN;
	subscription->conditions = g_new0(Condition *, term_length(term));
	for (unsigned i = 0; i < term_length(term); i++) {
		const Literal *literal = term_literal(term, i);

		subscription->conditions[i] =
			condition_get(s->priv->engine, literal->key, literal->prefix);
		g_ptr_array_add(subscription->conditions[i]->subscriptions, subscription);
	}
	return subscription;
}

/* A subscription of these kinds never delays a start, and owns its term. */
static bool is_apart(const Subscription *subscription)
{
	return subscription->kind == TERM_DONE || subscription->kind == TERM_SHOWN;
}

void subscription_free(gpointer data)
{
	Subscription *subscription = data;

	if (subscription->kind == TERM_CONFLICT || subscription->kind == TERM_AFTER ||
	    is_apart(subscription))
		term_free(subscription->term);
	g_free(subscription->conditions);
	g_free(subscription);
}

static Level negate_if(Level level, bool is_negated)
{
	if (!is_negated || level == LEVEL_UNKNOWN)
		return level;
	return level == LEVEL_TRUE ? LEVEL_FALSE : LEVEL_TRUE;
}

bool subscription_mount_ends(const Subscription *subscription, unsigned i)
{
	const Condition *c = subscription->conditions[i];

	/* DoneWhile= and "not mounted" depend on the kernel alone. */
	return c->prefix == KEY_MOUNTED && c->subject && c->subject->priv->stop.is_blocking &&
	       subscription->kind != TERM_DONE && !term_literal(subscription->term, i)->negated;
}

/* Like term_evaluate(), over the conditions of the subscription. */
static Level evaluate(const Subscription *subscription, bool for_start)
{
	Level result = LEVEL_FALSE;

	for (unsigned i = 0; i < term_length(subscription->term); i++) {
		const Condition *c = subscription->conditions[i];
		const bool is_false = (for_start && c->is_stale) ||
				      subscription_mount_ends(subscription, i);
		const Level own = is_false ? LEVEL_FALSE : c->level;
		const Level value = negate_if(own, term_literal(subscription->term, i)->negated);

		if (value == LEVEL_TRUE)
			return LEVEL_TRUE;
		if (value == LEVEL_UNKNOWN)
			result = LEVEL_UNKNOWN;
	}
	return result;
}

static void count(Subscription *subscription, unsigned by)
{
	struct ServicePrivate *priv = subscription->service->priv;

	if (is_apart(subscription))
		return;
	if (subscription->start_level != LEVEL_TRUE)
		subscription->service->n_false += by;
	if (subscription->level == LEVEL_FALSE && subscription->kind == TERM_WHEN)
		priv->terms.n_when_false += by;
	if (subscription->level == LEVEL_FALSE && subscription->kind == TERM_WHILE)
		priv->terms.n_while_false += by;
}

void condition_clear(Service *s)
{
	struct ServicePrivate *priv = s->priv;

	priv->condition_service = NULL;
	priv->condition_settled = NULL;
	priv->condition_active = NULL;
	priv->condition_healthy = NULL;
	list_empty(priv->mounted);
	priv->terms = (TermState){ 0 };
	s->n_false = 0;
}

void subscription_start_counting(Subscription *subscription)
{
	subscription->level = evaluate(subscription, false);
	subscription->start_level = evaluate(subscription, true);
	count(subscription, 1);
}

void slot_set_kind(Subscription *subscription, TermKind kind)
{
	count(subscription, -1u);
	subscription->kind = kind;
	count(subscription, 1);
}

void subscription_update(Subscription *subscription)
{
	const Level level = evaluate(subscription, false);
	const Level start_level = evaluate(subscription, true);
	Service *s = subscription->service;

	if (level == subscription->level && start_level == subscription->start_level)
		return;
	count(subscription, -1u);
	subscription->level = level;
	subscription->start_level = start_level;
	count(subscription, 1);
	if (is_apart(subscription))
		return;
	if (start_level == LEVEL_TRUE && subscription->kind != TERM_CONFLICT)
		s->priv->terms.last_true = subscription->term;
	conflict_look_again(s);
	engine_queue(s, WORK_SETTLED);
	engine_queue(s, WORK_STEP);
}

/* --- mounts --- */

static GHashTable *collect_mounts(const Engine *engine)
{
	GHashTable *mounts = g_hash_table_new(g_str_hash, g_str_equal);

	for (unsigned i = engine->services->len; i > 0; i--) { /* the first of two services wins */
		Service *s = g_ptr_array_index(engine->services, i - 1);
		const char *point = service_def_mount_point(s->def);

		if (point)
			g_hash_table_insert(mounts, (gpointer)point, s);
	}
	return mounts;
}

void condition_bind_mounts(Engine *engine)
{
	g_autoptr(GHashTable) mounts = collect_mounts(engine);
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, engine->conditions);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		Condition *c = value;

		if (c->prefix != KEY_MOUNTED)
			continue;
		c->subject = c->subscriptions->len > 0 ?
				     mount_point_find(mounts, key_argument(c->key)) :
				     NULL;
		if (c->subject)
			list_add(&c->subject->priv->mounted, c, NULL);
	}
}

/* --- queries --- */

/*
 * Is the term false until a boot with another kernel command line, or until a package is installed?
 */
static bool is_unreachable(const Subscription *subscription)
{
	if (subscription->level != LEVEL_FALSE ||
	    (subscription->kind != TERM_WHEN && subscription->kind != TERM_WHILE))
		return false;
	for (unsigned i = 0; i < term_length(subscription->term); i++) {
		const Condition *c = subscription->conditions[i];

		if (c->prefix != KEY_KERNEL && c->prefix != KEY_VIRTUAL &&
		    c->prefix != KEY_INSTALLED && !g_str_has_prefix(c->key, PROGRAM_KEY))
			return false;
	}
	return true;
}

bool service_is_unreachable(const Service *s)
{
	for (unsigned i = 0; i < s->priv->subscriptions->len; i++) {
		if (is_unreachable(g_ptr_array_index(s->priv->subscriptions, i)))
			return true;
	}
	return false;
}

/*
 * Why the term of @subscription is false, if that depends only on programs and on facts that are
 * constant until the next boot. Otherwise PRESENCE_HERE.
 */
static Presence subscription_presence(const Subscription *subscription)
{
	Presence presence = PRESENCE_NOT_APPLICABLE;

	if (subscription->level != LEVEL_FALSE ||
	    (subscription->kind != TERM_WHEN && subscription->kind != TERM_WHILE))
		return PRESENCE_HERE;
	for (unsigned i = 0; i < term_length(subscription->term); i++) {
		const Condition *c = subscription->conditions[i];

		if (g_str_has_prefix(c->key, PROGRAM_KEY) &&
		    !term_literal(subscription->term, i)->negated)
			presence = PRESENCE_NOT_INSTALLED;
		else if (c->prefix != KEY_KERNEL && c->prefix != KEY_VIRTUAL)
			return PRESENCE_HERE;
	}
	return presence;
}

static Presence find_presence(const Service *s)
{
	Presence presence = PRESENCE_HERE;

	for (unsigned i = 0; i < s->priv->subscriptions->len && presence != PRESENCE_NOT_INSTALLED;
	     i++) {
		const Presence next =
			subscription_presence(g_ptr_array_index(s->priv->subscriptions, i));

		presence = next != PRESENCE_HERE ? next : presence;
	}
	return presence;
}

bool service_lacks_program(const Service *s)
{
	return find_presence(s) == PRESENCE_NOT_INSTALLED;
}

/* Does an admin want @s, by a policy that names @s or by a request? */
static bool is_awaited(const Service *s)
{
	if (s->want_reason == WANT_POLICY)
		return s->policy.runlevel_layer > POLICY_LAYER_RC_LINKS;
	return s->want_reason != WANT_NEED && s->want_reason != WANT_NOTHING;
}

Presence service_presence(const Service *s)
{
	if ((s->state != STATE_IDLE && s->state != STATE_WAITING) || is_awaited(s))
		return PRESENCE_HERE;
	return find_presence(s);
}

static void add_once(GPtrArray *found, Service *s)
{
	if (s && !g_ptr_array_find(found, s, NULL))
		g_ptr_array_add(found, s);
}

void subscription_add_makers(const Subscription *subscription, GPtrArray *found)
{
	for (unsigned i = 0; i < term_length(subscription->term); i++) {
		const Condition *c = subscription->conditions[i];

		if (term_literal(subscription->term, i)->negated)
			continue;
		add_once(found, c->subject);
		for (unsigned j = 0; c->facility && j < c->facility->providers->len; j++)
			add_once(found, g_ptr_array_index(c->facility->providers, j));
	}
}

void engine_subscribers(const Engine *engine, const char *key, GPtrArray **ret_waiting,
			GPtrArray **ret_others)
{
	const Condition *c = g_hash_table_lookup(engine->conditions, g_intern_string(key));
	g_autoptr(GHashTable) waiting = g_hash_table_new(NULL, NULL);
	g_autoptr(GHashTable) others = g_hash_table_new(NULL, NULL);

	*ret_waiting = g_ptr_array_new();
	*ret_others = g_ptr_array_new();
	for (unsigned i = 0; c && i < c->subscriptions->len; i++) {
		const Subscription *subscription = g_ptr_array_index(c->subscriptions, i);
		const Service *s = subscription->service;

		if (s->state == STATE_WAITING && service_is_wanted(s) &&
		    subscription->start_level != LEVEL_TRUE &&
		    g_hash_table_add(waiting, (gpointer)s->def->name))
			g_ptr_array_add(*ret_waiting, (gpointer)s->def->name);
	}
	for (unsigned i = 0; c && i < c->subscriptions->len; i++) {
		const char *name = ((const Subscription *)g_ptr_array_index(c->subscriptions, i))
					   ->service->def->name;

		if (!g_hash_table_contains(waiting, name) &&
		    g_hash_table_add(others, (gpointer)name))
			g_ptr_array_add(*ret_others, (gpointer)name);
	}
	g_ptr_array_sort(*ret_waiting, text_compare);
	g_ptr_array_sort(*ret_others, text_compare);
}

static bool look_at_facility(const Facility *f, KeyPrefix prefix, Level *ret_level, char **ret_why)
{
	*ret_level = prefix == KEY_SETTLED ? LEVEL_TRUE : LEVEL_FALSE;
	*ret_why = NULL;
	if (!f || f->providers->len == 0) {
		*ret_why = g_strdup("no service provides it");
		return false;
	}
	if (prefix == KEY_SETTLED) {
		*ret_level = level_of(facility_is_settled(f));
	} else {
		*ret_level = facility_level(f);
		*ret_why = facility_why(f);
	}
	return true;
}

bool engine_internal_level(const Engine *engine, KeyPrefix prefix, const char *key,
			   Level *ret_level, char **ret_why)
{
	const char *argument = key_argument(key);
	const char *facility = *argument == '$' ? key_known(argument) : NULL;
	const Service *s;

	if (*argument == '$')
		return look_at_facility(
			facility ? g_hash_table_lookup(engine->facilities, facility) : NULL, prefix,
			ret_level, ret_why);
	s = engine_resolve(engine, argument);
	if (!s) {
		/* A service that does not exist is settled. Its other conditions are false. */
		*ret_level = level_of(prefix == KEY_SETTLED);
		*ret_why = g_strdup("there is no such service");
		return false;
	}
	*ret_why = prefix == KEY_HEALTHY ? healthy_why(s) : service_why(s);
	if (prefix == KEY_HEALTHY)
		*ret_level = healthy_level(s);
	else if (prefix == KEY_SETTLED)
		*ret_level = level_of(!s->priv->settle.is_unsettled);
	else
		*ret_level = prefix == KEY_ACTIVE ? level_of(service_is_active(s)) :
						    service_level(s);
	return true;
}
