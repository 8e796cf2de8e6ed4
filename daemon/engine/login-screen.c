/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Login screen: the login prompt that the user at the machine is waiting for. Until it is shown,
 * the services that it needs start first, and services of class after-login wait. This happens once
 * per boot, and it always ends. The idea is in docs/login-screen.md.
 *
 * The needs of the login screen are computed from the conditions of its services. This happens when
 * the files are read, and when another entry of LoginScreen= is selected. The end of the wait is
 * checked after each event, for the few services that the entry names.
 */
#include "config.h"

#include "base/limits.h"
#include "base/text.h"
#include "engine/engine-private.h"

/* --- selection --- */

/* Is @s up, or can it still come up? */
static bool is_candidate(Service *s)
{
	return conflict_lets_run(s) && !s->is_failed_for_good && !engine_is_spent(s) &&
	       !settled_waits_for_good(s) && (service_is_active(s) || !service_is_unreachable(s));
}

typedef bool (*ServiceTest)(Service *s);

/*
 * Finds a service that @token names, as a service or a facility, and that passes @test. NULL: there
 * is none.
 */
static Service *find_named(const Engine *engine, const char *token, ServiceTest test)
{
	const Facility *f = *token == '$' ? g_hash_table_lookup(engine->facilities, token) : NULL;
	Service *s = *token == '$' ? NULL : engine_resolve(engine, token);

	if (s && test(s))
		return s;
	for (unsigned i = 0; f && i < f->providers->len; i++) {
		s = g_ptr_array_index(f->providers, i);
		if (test(s))
			return s;
	}
	return NULL;
}

/* The first entry with a service that can still be shown; NULL: there is none. */
static const char *choose_token(const Engine *engine)
{
	const GPtrArray *tokens = policy_login_screen(engine->policy);

	for (unsigned i = 0; i < tokens->len; i++) {
		const char *token = ((const NameRef *)g_ptr_array_index(tokens, i))->name;

		if (find_named(engine, token, is_candidate))
			return token;
	}
	return NULL;
}

/* --- the end of the wait --- */

/*
 * A service that has been ready for a while counts as shown, because not every display manager
 * reports when its picture is complete.
 */
static int64_t deadline(const Service *s)
{
	const int64_t latest_us = s->priv->engine->boot_us + LIMIT_LOGIN_SCREEN_US;

	return service_is_up(s) ? MIN(latest_us, s->since_us + LIMIT_LOGIN_SCREEN_DRAWN_US) :
				  latest_us;
}

static bool is_shown(Service *s)
{
	if (!is_candidate(s))
		return false;
	if (s->priv->engine->now_us >= deadline(s))
		return true;
	for (unsigned i = 0; i < s->priv->shown_subscriptions->len; i++) {
		if (((const Subscription *)g_ptr_array_index(s->priv->shown_subscriptions, i))
			    ->level != LEVEL_TRUE)
			return false;
	}
	return service_is_up(s);
}

/* Returns false, as arm() does, so that find_named() visits all services. */
static bool disarm(Service *s)
{
	engine_arm(s, ENGINE_TIMER_LOGIN_SCREEN, 0);
	return false;
}

/* Sets the timer for the next check. */
static bool arm(Service *s)
{
	engine_arm(s, ENGINE_TIMER_LOGIN_SCREEN, is_candidate(s) ? deadline(s) : 0);
	return false;
}

/* --- classes --- */

static void add_needed(GPtrArray *found, Service *s)
{
	const PolicyService *policy;

	if (!s || s->priv->service_class == SERVICE_CLASS_LOGIN_SCREEN)
		return;
	policy = policy_service(s->priv->engine->policy, s->def->name);
	if (policy && policy->has_class && policy->service_class == SERVICE_CLASS_NORMAL)
		return;
	s->priv->service_class = SERVICE_CLASS_LOGIN_SCREEN;
	g_ptr_array_add(found, s);
}

static void add_makers(GPtrArray *found, const Subscription *subscription)
{
	const Engine *engine = subscription->service->priv->engine;
	g_autoptr(GPtrArray) makers = g_ptr_array_new();

	if (subscription->kind == TERM_CONFLICT)
		return;
	subscription_add_makers(subscription, makers);
	for (unsigned i = 0; i < makers->len; i++)
		add_needed(found, g_ptr_array_index(makers, i));
	for (unsigned i = 0; i < term_length(subscription->term); i++) {
		if (term_literal(subscription->term, i)->negated)
			continue;
		add_needed(found, condition_watcher(engine, subscription->conditions[i]));
		add_needed(found, condition_maker(engine, subscription->conditions[i]));
	}
}

/* Adds all services that the services in @found wait for, transitively. */
static void spread(GPtrArray *found)
{
	for (unsigned i = 0; i < found->len; i++) {
		const Service *s = g_ptr_array_index(found, i);

		for (unsigned j = 0; j < s->priv->subscriptions->len; j++)
			add_makers(found, g_ptr_array_index(s->priv->subscriptions, j));
		for (unsigned j = 0; j < s->priv->needs->len; j++)
			add_needed(found, g_ptr_array_index(s->priv->needs, j));
	}
}

static void compute_classes(Engine *engine)
{
	g_autoptr(GPtrArray) found = g_ptr_array_new();
	const char *token = engine->login_screen.awaited;
	const Facility *f =
		token && *token == '$' ? g_hash_table_lookup(engine->facilities, token) : NULL;

	engine->login_screen.is_old = false;
	for (unsigned i = 0; i < engine->services->len; i++) {
		Service *s = g_ptr_array_index(engine->services, i);
		const PolicyService *policy = policy_service(engine->policy, s->def->name);

		s->priv->service_class = policy && policy->has_class ? policy->service_class :
								       SERVICE_CLASS_NORMAL;
		if (s->priv->service_class == SERVICE_CLASS_LOGIN_SCREEN)
			g_ptr_array_add(found, s);
	}
	if (token)
		add_needed(found, *token == '$' ? NULL : engine_resolve(engine, token));
	for (unsigned i = 0; f && i < f->providers->len; i++)
		add_needed(found, g_ptr_array_index(f->providers, i));
	spread(found);
	for (unsigned i = 0; i < found->len; i++) {
		Service *s = g_ptr_array_index(found, i);

		if (s->state == STATE_WAITING)
			engine_queue(s, WORK_STEP); /* @s may have waited for the login screen */
	}
}

static void choose(Engine *engine)
{
	LoginScreen *screen = &engine->login_screen;
	const char *token = choose_token(engine);

	if (screen->awaited == token && !screen->is_old)
		return;
	if (screen->awaited && screen->awaited != token)
		(void)find_named(engine, screen->awaited, disarm);
	screen->awaited = token;
	compute_classes(engine);
}

ServiceClass engine_class(const Service *s)
{
	Engine *engine = s->priv->engine;

	if (engine->login_screen.is_old)
		choose(engine);
	return s->priv->service_class;
}

void login_screen_reset(Engine *engine)
{
	engine->login_screen.is_old = true;
}

/* --- during the wait --- */

static bool is_awaited(const Engine *engine)
{
	return engine->is_acting && !engine->login_screen.is_over;
}

/*
 * Did a user or a client request @s? Then that user waits for @s now, and @s may be the login
 * screen itself.
 */
static bool is_requested(const Service *s)
{
	return s->admin == ADMIN_START || s->admin == ADMIN_DEMAND || s->admin == ADMIN_CONNECTION;
}

bool engine_waits_for_login_screen(const Service *s)
{
	return is_awaited(s->priv->engine) && engine_class(s) == SERVICE_CLASS_AFTER_LOGIN &&
	       !is_requested(s);
}

char *login_screen_describe(const Service *s, int64_t now_us)
{
	const Engine *engine = s->priv->engine;
	const PolicyService *policy = policy_service(engine->policy, s->def->name);
	g_autofree char *origin = policy ? origin_format(policy->class_origin) : NULL;
	g_autofree char *left =
		text_format_duration(MAX(engine->boot_us + LIMIT_LOGIN_SCREEN_US - now_us, 0));

	return g_strdup_printf("for the login screen (%s), at most %s: Class=after-login (%s)",
			       engine->login_screen.awaited, left, origin);
}

static void end_wait(Engine *engine)
{
	LoginScreen *screen = &engine->login_screen;

	screen->is_over = true;
	if (screen->awaited)
		(void)find_named(engine, screen->awaited, disarm);
	for (unsigned i = 0; i < engine->services->len; i++) {
		Service *s = g_ptr_array_index(engine->services, i);

		if (s->priv->service_class == SERVICE_CLASS_AFTER_LOGIN &&
		    s->state == STATE_WAITING) {
			engine_queue(s, WORK_SETTLED);
			engine_queue(s, WORK_STEP);
		}
	}
}

bool login_screen_update(Engine *engine)
{
	const char *token;

	if (!is_awaited(engine))
		return false;
	choose(engine);
	token = engine->login_screen.awaited;
	engine->login_screen.was_awaited |=
		token && engine->now_us < engine->boot_us + LIMIT_LOGIN_SCREEN_US;
	if (!token || !engine->login_screen.was_awaited || engine_is_shutting_down(engine) ||
	    find_named(engine, token, is_shown))
		end_wait(engine);
	else
		(void)find_named(engine, token, arm);
	return !g_queue_is_empty(&engine->work[WORK_STEP]);
}
