/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Request: the requests of admins and of bus clients. A request changes a few values of the
 * service, and the work lists do the rest. A refusal is a record in the service's history.
 */
#include "config.h"

#include <string.h>

#include "base/errors.h"
#include "engine/engine-private.h"

char *requester_describe(const char *verb, const Requester *requester)
{
	if (requester->pid <= 0 && *requester->source)
		return g_strdup_printf("%s by %s", verb, requester->source);
	if (requester->pid <= 0)
		return g_strdup_printf("%s by uid %u", verb, (unsigned)requester->uid);
	return g_strdup_printf("%s by uid %u (pid %d)", verb, (unsigned)requester->uid,
			       (int)requester->pid);
}

/* Like requester_describe(), but without the pid, which differs in each request. */
static char *describe_requester(const char *verb, const Requester *requester)
{
	return g_strdup_printf("%s by uid %u", verb, (unsigned)requester->uid);
}

static void count_refusal(Service *s, const char *verb, const Requester *requester,
			  const char *requested)
{
	g_autofree char *caller = describe_requester(verb, requester);

	refusals_add(&s->refusals, requester->door, caller, requested, true,
		     s->priv->engine->now_us);
}

/* Takes @text. */
static bool refuse(Service *s, const char *verb, const Requester *requester, GError **error,
		   ErrorCode code, char *text)
{
	const CauseKind kind = requester->door == REFUSAL_BUS ? CAUSE_REFUSED_DEMAND :
								CAUSE_REFUSAL;
	g_autofree char *requested = requester_describe(verb, requester);
	char *remark = g_strdup_printf("refused: %s: %s", requested, text);

	if (code == SVCD_ERROR_POLICY_DENIED)
		count_refusal(s, verb, requester, requested);
	service_remark_refusal(s, kind, remark);
	fail(error, code, "%s: %s", s->def->name, text);
	g_free(text);
	return false;
}

void request_refuse_need(Service *s, const Service *needer)
{
	Engine *engine = s->priv->engine;
	g_autofree char *refused_by = g_strdup_printf("needed by %s", needer->def->name);

	refusals_add(&s->refusals, REFUSAL_NEED, refused_by, refused_by, !engine->is_resuming,
		     engine->now_us);
	engine->ops.changed(engine->data, s);
}

static bool check_start(Service *s, const char *verb, const Requester *requester, GError **error)
{
	const Engine *engine = s->priv->engine;
	g_autofree char *origin = origin_format(s->policy.activation_origin);

	if (s->policy.activation == ACTIVATION_NEVER)
		return refuse(s, verb, requester, error, SVCD_ERROR_POLICY_DENIED,
			      g_strdup_printf("its policy is never (%s)", origin));
	if (s->priv->file.is_gone)
		return refuse(s, verb, requester, error, SVCD_ERROR_INVALID_CONFIGURATION,
			      g_strdup("its service file is gone"));
	if (s->def->problem)
		return refuse(s, verb, requester, error, SVCD_ERROR_INVALID_CONFIGURATION,
			      g_strdup(s->def->problem));
	if (engine_is_shutting_down(engine) && !service_is_wanted(s))
		return refuse(s, verb, requester, error, SVCD_ERROR_SHUTTING_DOWN,
			      g_strdup_printf("the machine is going to runlevel %s",
					      engine->runlevel));
	return true;
}

static void set_admin(Service *s, AdminWant want, const Requester *requester)
{
	Engine *engine = s->priv->engine;

	/*
	 * Strictly later than the last request, because the last requested service wins a conflict.
	 */
	engine->last_admin_us = MAX(engine->now_us, engine->last_admin_us + 1);
	s->admin = want;
	s->admin_requester = *requester;
	s->admin_at_us = engine->last_admin_us;
	engine_queue(s, WORK_WANT);
}

void request_keep_unexplained(Engine *engine)
{
	static const Requester unknown = { .source = "an unknown requester" };

	for (unsigned i = 0; i < engine->services->len; i++) {
		Service *s = g_ptr_array_index(engine->services, i);

		if (s->priv->run.is_unexplained && !service_is_wanted(s) &&
		    !engine_is_shutting_down(engine))
			set_admin(s, ADMIN_START, &unknown);
	}
}

/* Forgets failures and allows another try. */
static void give_chance(Service *s, char *cause)
{
	backoff_clear(&s->priv->backoff);
	s->n_restarts = 0;
	run_give_chance(s, cause);
}

/* A request for a service includes its needs, so failed needs are retried too. */
static void give_chance_with_needs(Service *s, const char *verb, const Requester *requester)
{
	g_autoptr(GPtrArray) all = want_with_needs(s);

	for (unsigned i = 0; i < all->len; i++) {
		Service *next = g_ptr_array_index(all, i);
		const bool is_at_rest = next->state == STATE_FAILED || engine_is_spent(next);

		if (next == s || (is_at_rest && !next->def->problem))
			give_chance(next, requester_describe(verb, requester));
	}
}

bool request_is_undone(const Service *s)
{
	if (s->state != STATE_DONE)
		return false;
	for (unsigned i = 0; i < s->priv->done_subscriptions->len; i++) {
		const Subscription *subscription =
			g_ptr_array_index(s->priv->done_subscriptions, i);

		if (subscription->level == LEVEL_FALSE)
			return true;
	}
	return false;
}

static bool request_start(Service *s, const Requester *requester, GError **error)
{
	if (!check_start(s, "start", requester, error))
		return false;
	set_admin(s, ADMIN_START, requester);
	if (s->stop_problem) {
		run_set_restart_asked(s, false); /* a restart is over if its stop failed */
		engine_queue(s, WORK_STEP);
	}
	if (request_is_undone(s)) {
		run_set_cause(s, requester_describe("start", requester));
		run_set_restart_asked(s, true);
	}
	give_chance_with_needs(s, "start", requester);
	return true;
}

static bool request_stop(Service *s, const Requester *requester, GError **error)
{
	(void)error;
	set_admin(s, ADMIN_STOP, requester);
	service_retry_stop(s);
	return true;
}

/* A script that is up can restart itself, without a stop that dependents would have to follow. */
static bool can_restart_by_command(const Service *s)
{
	return service_type(s) == TYPE_SCRIPT && s->def->restart_command && service_is_up(s) &&
	       conflict_lets_run(s) && !s->priv->stop.is_leaving;
}

static void restart_by_command(Service *s, const Requester *requester)
{
	service_remark(s, requester_describe("restart", requester));
	run_begin_restart(s);
}

static bool restart_one(Service *s, const Requester *requester, GError **error)
{
	if (!check_start(s, "restart", requester, error))
		return false;
	/*
	 * A service that is wanted for another reason is started again without a request of an
	 * admin.
	 */
	if (s->admin == ADMIN_STOP || !service_is_wanted(s) || s->want_reason == WANT_LINGER)
		set_admin(s, ADMIN_START, requester);
	if (can_restart_by_command(s)) {
		restart_by_command(s, requester);
		return true;
	}
	service_retry_stop(s);
	run_set_cause(s, requester_describe("restart", requester));
	if (service_is_active(s) && s->state != STATE_STOPPING)
		run_set_restart_asked(s, true);
	if (s->state == STATE_STOPPING)
		run_set_stop_ordered(s, true); /* it is started again however it ends */
	give_chance_with_needs(s, "restart", requester);
	return true;
}

/* A script such as networking or procps can be reloaded even though it left no process running. */
bool request_reload_fits(const Service *s)
{
	return s->state == STATE_READY ||
	       (s->state == STATE_DONE && service_type(s) == TYPE_SCRIPT);
}

/* Is @s a group by its file and by its present run? The run may have begun with an earlier file. */
static bool is_only_a_group(const Service *s)
{
	return service_is_group(s) && s->def->type == TYPE_GROUP;
}

/* Does @verb apply to this member? */
static bool is_meant(const Service *member, RequestVerb verb)
{
	if (!service_is_wanted(member) || member->want_reason == WANT_LINGER ||
	    is_only_a_group(member))
		return false;
	return verb != REQUEST_VERB_RELOAD ||
	       (member->def->reload.kind != ACTION_NONE && request_reload_fits(member));
}

/*
 * A group has no processes, so a restart or reload applies to the wanted services in its Wants=.
 * Nested groups are skipped, because they may form a cycle.
 */
GPtrArray *request_members(const Service *group, RequestVerb verb)
{
	GPtrArray *members = g_ptr_array_new();

	if (group->def->type != TYPE_GROUP ||
	    (verb != REQUEST_VERB_RESTART && verb != REQUEST_VERB_RELOAD))
		return members;
	for (unsigned i = 0; i < group->def->wants->len; i++) {
		const NameRef *ref = g_ptr_array_index(group->def->wants, i);
		Service *member = engine_find(group->priv->engine, ref->name);

		if (member && is_meant(member, verb))
			g_ptr_array_add(members, member);
	}
	return members;
}

GPtrArray *engine_members(const Service *s)
{
	GPtrArray *members = request_members(s, REQUEST_VERB_RESTART);

	for (unsigned i = 0; i < members->len; i++)
		g_ptr_array_index(members, i) =
			(gpointer)((const Service *)g_ptr_array_index(members, i))->def->name;
	return members;
}

static bool request_restart(Service *s, const Requester *requester, GError **error)
{
	g_autoptr(GPtrArray) members = NULL;

	if (!restart_one(s, requester, error))
		return false;
	members = request_members(s, REQUEST_VERB_RESTART);
	for (unsigned i = 0; i < members->len; i++)
		/* refusals are recorded */
		(void)restart_one(g_ptr_array_index(members, i), requester, NULL);
	return true;
}

static bool reload_one(Service *s, const Requester *requester, GError **error)
{
	if (s->def->reload.kind == ACTION_NONE)
		return refuse(s, "reload", requester, error, SVCD_ERROR_NOT_SUPPORTED,
			      g_strdup("it has no Reload= in its service file"));
	if (!request_reload_fits(s))
		return refuse(
			s, "reload", requester, error, SVCD_ERROR_FAILED,
			g_strdup_printf("it is %s; only a service that is ready can be reloaded",
					service_state_name(s->state)));
	service_remark(s, requester_describe("reload", requester));
	run_begin_reload(s);
	return true;
}

static bool request_reload(Service *s, const Requester *requester, GError **error)
{
	g_autoptr(GPtrArray) members = request_members(s, REQUEST_VERB_RELOAD);
	bool any = false;

	for (unsigned i = 0; i < members->len; i++)
		any |= reload_one(g_ptr_array_index(members, i), requester, NULL);
	return any || reload_one(s, requester, error);
}

bool engine_is_reloading(const Service *s)
{
	g_autoptr(GPtrArray) members = request_members(s, REQUEST_VERB_RELOAD);
	bool any = s->priv->run.reload != COMMAND_NONE;

	for (unsigned i = 0; i < members->len; i++)
		any |= ((const Service *)g_ptr_array_index(members, i))->priv->run.reload !=
		       COMMAND_NONE;
	return any;
}

char *engine_reload_problem(const Service *s)
{
	g_autoptr(GPtrArray) members = request_members(s, REQUEST_VERB_RELOAD);

	for (unsigned i = 0; i < members->len; i++) {
		const Service *member = g_ptr_array_index(members, i);

		if (member->reload_problem)
			return g_strdup_printf("%s: %s", member->def->name, member->reload_problem);
	}
	return g_strdup(s->reload_problem);
}

static bool request_clear(Service *s, const Requester *requester, GError **error)
{
	(void)error;
	s->admin = ADMIN_NONE;
	engine_queue(s, WORK_WANT);
	engine_queue(s, WORK_STEP);
	if (!s->def->problem)
		give_chance(s, requester_describe("clear", requester));
	return true;
}

/* --- bus activation --- */

static bool check_demand(Service *s, const char *verb, const Requester *requester, GError **error)
{
	g_autofree char *origin = origin_format(s->policy.activation_origin);
	g_autofree char *stopped = NULL;

	if (!check_start(s, verb, requester, error))
		return false;
	if (s->policy.activation == ACTIVATION_MANUAL && !service_is_wanted(s))
		return refuse(s, verb, requester, error, SVCD_ERROR_POLICY_DENIED,
			      g_strdup_printf("its policy is manual (%s); only an admin starts it",
					      origin));
	if (s->admin == ADMIN_STOP) {
		stopped = requester_describe("stop", &s->admin_requester);
		return refuse(s, verb, requester, error, SVCD_ERROR_POLICY_DENIED,
			      g_strdup_printf("an admin stopped it: %s", stopped));
	}
	return true;
}

/*
 * Allows another try at most as often as RestartLimit= does on average, because any user can cause
 * activations again and again.
 */
static bool may_try_again(const Service *s)
{
	return s->priv->engine->now_us - s->since_us >=
	       s->def->restart_window_us / s->def->restart_limit;
}

static void give_chance_on_demand(Service *s, const char *verb, const Requester *requester)
{
	if (s->state == STATE_FAILED || engine_is_spent(s))
		run_give_chance(s, requester_describe(verb, requester));
}

static bool request_demand(Service *s, const char *bus_name, const Requester *requester,
			   GError **error)
{
	g_autofree char *verb = g_strdup_printf("requested on the bus, as %s,", bus_name);

	if (!check_demand(s, verb, requester, error))
		return false;
	if (s->state == STATE_FAILED && !may_try_again(s))
		return refuse(s, verb, requester, error, SVCD_ERROR_FAILED,
			      g_strdup_printf("it has failed: %s",
					      s->result ? s->result : "no reason is known"));
	if (s->admin == ADMIN_NONE) {
		s->admin = ADMIN_DEMAND;
		s->admin_requester = *requester;
		s->admin_at_us = s->priv->engine->now_us;
		s->demanded_as = g_intern_string(bus_name);
		engine_queue(s, WORK_WANT);
		engine_queue(s, WORK_STEP); /* requests do not wait for the login screen */
	}
	give_chance_on_demand(s, verb, requester);
	return true;
}

/* Sets the time, and finds the service of a request. Returns: NULL with @error if there is none. */
static Service *begin_request(Engine *engine, const char *service, int64_t now_us, GError **error)
{
	Service *s = engine_resolve(engine, service);

	engine_set_now(engine, now_us);
	if (!s)
		fail(error, SVCD_ERROR_NO_SUCH_SERVICE, "there is no service \"%s\"", service);
	return s;
}

/* A refused request is published too, because it is recorded. */
static bool end_request(Engine *engine, Service *s, bool is_done)
{
	engine->ops.changed(engine->data, s);
	engine_run(engine);
	return is_done;
}

bool engine_demand(Engine *engine, const char *service, const char *bus_name,
		   const Requester *requester, int64_t now_us, GError **error)
{
	Service *s = begin_request(engine, service, now_us, error);
	Requester demander = *requester;

	demander.door = REFUSAL_BUS;
	return s && end_request(engine, s, request_demand(s, bus_name, &demander, error));
}

static bool (*const request_functions[])(Service *s, const Requester *requester, GError **error) = {
	[REQUEST_VERB_START] = request_start,     [REQUEST_VERB_STOP] = request_stop,
	[REQUEST_VERB_RESTART] = request_restart, [REQUEST_VERB_RELOAD] = request_reload,
	[REQUEST_VERB_CLEAR] = request_clear,
};

bool engine_request(Engine *engine, RequestVerb verb, const char *service,
		    const Requester *requester, int64_t now_us, GError **error)
{
	Service *s = begin_request(engine, service, now_us, error);

	return s && end_request(engine, s, request_functions[verb](s, requester, error));
}

/* --- CheckCommand= --- */

static bool may_be_restarted(const Service *s)
{
	return s->policy.activation != ACTIVATION_NEVER && !s->priv->file.is_gone &&
	       !s->def->problem;
}

static bool needs_check(const Service *s, RequestVerb verb)
{
	if (!s->def->check || !service_is_up(s) || s->priv->stop.is_leaving ||
	    engine_is_shutting_down(s->priv->engine))
		return false;
	switch (verb) {
	case REQUEST_VERB_STOP:
		return true;
	case REQUEST_VERB_RESTART:
		return may_be_restarted(s);
	case REQUEST_VERB_RELOAD:
		return s->def->reload.kind != ACTION_NONE && request_reload_fits(s);
	case REQUEST_VERB_START:
	case REQUEST_VERB_CLEAR:
		break;
	}
	return false;
}

GPtrArray *engine_to_check(const Service *s, RequestVerb verb)
{
	/* if the group itself may not be restarted, its members are not checked either */
	const bool is_refused = verb == REQUEST_VERB_RESTART && !may_be_restarted(s);
	GPtrArray *all = is_refused ? g_ptr_array_new() : request_members(s, verb);
	unsigned n = 0;

	g_ptr_array_add(all, engine_find(s->priv->engine, s->def->name));
	for (unsigned i = 0; i < all->len; i++) {
		if (needs_check(g_ptr_array_index(all, i), verb))
			g_ptr_array_index(all, n++) = g_ptr_array_index(all, i);
	}
	g_ptr_array_set_size(all, (gint)n);
	return all;
}

bool engine_needs_check(const Service *s, RequestVerb verb)
{
	g_autoptr(GPtrArray) all = engine_to_check(s, verb);

	return all->len > 0;
}

void engine_refuse(Engine *engine, RequestVerb verb, const char *service,
		   const Requester *requester, const char *problem, int64_t now_us, GError **error)
{
	static const char *const names[] = {
		[REQUEST_VERB_START] = "start",     [REQUEST_VERB_STOP] = "stop",
		[REQUEST_VERB_RESTART] = "restart", [REQUEST_VERB_RELOAD] = "reload",
		[REQUEST_VERB_CLEAR] = "clear",
	};
	Service *s = begin_request(engine, service, now_us, error);

	if (s)
		refuse(s, names[verb], requester, error, SVCD_ERROR_CHECK_FAILED,
		       g_strdup_printf("its CheckCommand= failed, so it keeps running unchanged: "
				       "%s",
				       problem));
}

bool engine_set_runlevel(Engine *engine, const char *runlevel, const Requester *requester,
			 int64_t now_us, GError **error)
{
	const char *canonical = policy_find_runlevel(engine->policy, runlevel);
	g_autofree char *requested = NULL;

	engine_set_now(engine, now_us);
	if (!canonical)
		return fail(error, SVCD_ERROR_INVALID_ARGUMENT, "there is no runlevel \"%s\"",
			    runlevel);
	if (engine->runlevel && strcmp(engine->runlevel, canonical) == 0)
		return true;
	if (engine_is_shutting_down(engine) && strcmp(canonical, "0") != 0 &&
	    strcmp(canonical, "6") != 0)
		return fail(error, SVCD_ERROR_SHUTTING_DOWN, "the machine is going to runlevel %s",
			    engine->runlevel);
	engine->previous_runlevel = engine->runlevel;
	engine->runlevel = g_intern_string(canonical);
	requested = requester_describe("requested", requester);
	g_free(engine->runlevel_cause);
	engine->runlevel_cause = g_strdup_printf("runlevel %s, %s", canonical, requested);
	for (unsigned i = 0; i < engine->services->len; i++) {
		Service *s = g_ptr_array_index(engine->services, i);

		s->admin = ADMIN_NONE;
		if (s->state == STATE_WAITING)
			/* it may have to wait for the login screen now */
			engine_queue(s, WORK_STEP);
		service_retry_stop(s);
	}
	want_decide_all(engine);
	engine->ops.engine_changed(engine->data);
	engine_run(engine);
	return true;
}
