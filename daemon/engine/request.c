/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Request: the requests of admins and of bus clients. A request changes a want or a flag, and the
 * work lists do the rest. A refusal is a record in the service's history.
 */
#include "config.h"

#include <string.h>

#include "base/errors.h"
#include "engine/engine-private.h"

char *requester_describe(const char *verb, const Requester *who)
{
	if (who->pid <= 0 && *who->source)
		return g_strdup_printf("%s by %s", verb, who->source);
	if (who->pid <= 0)
		return g_strdup_printf("%s by uid %u", verb, (unsigned)who->uid);
	return g_strdup_printf("%s by uid %u (pid %d)", verb, (unsigned)who->uid, (int)who->pid);
}

/* Without the pid, which differs in each request. */
static char *describe_asker(const char *verb, const Requester *who)
{
	return g_strdup_printf("%s by uid %u", verb, (unsigned)who->uid);
}

static void count_refusal(Service *s, const char *verb, const Requester *who, const char *asked)
{
	g_autofree char *asker = describe_asker(verb, who);

	refusals_add(&s->refusals, who->door, asker, asked, true, s->priv->engine->now_us);
}

/* Takes @text. */
static bool refuse(Service *s, const char *verb, const Requester *who, GError **error, ErrorCode code, char *text)
{
	const CauseKind kind = who->door == REFUSAL_BUS ? CAUSE_REFUSED_DEMAND : CAUSE_REFUSAL;
	g_autofree char *asked = requester_describe(verb, who);
	char *remark = g_strdup_printf("refused: %s: %s", asked, text);

	if (code == SVCD_ERROR_POLICY_DENIED)
		count_refusal(s, verb, who, asked);
	service_remark_refusal(s, kind, remark);
	fail(error, code, "%s: %s", s->def->name, text);
	g_free(text);
	return false;
}

void request_refuse_need(Service *s, const Service *needer)
{
	Engine *engine = s->priv->engine;
	g_autofree char *who = g_strdup_printf("needed by %s", needer->def->name);

	refusals_add(&s->refusals, REFUSAL_NEED, who, who, !engine->is_resuming, engine->now_us);
	engine->ops->changed(engine->data, s);
}

static bool check_start(Service *s, const char *verb, const Requester *who, GError **error)
{
	const Engine *engine = s->priv->engine;
	g_autofree char *origin = origin_format(s->policy.activation_origin);

	if (s->policy.activation == ACTIVATION_NEVER)
		return refuse(s, verb, who, error, SVCD_ERROR_POLICY_DENIED,
			      g_strdup_printf("its policy is never (%s)", origin));
	if (s->priv->is_file_gone)
		return refuse(s, verb, who, error, SVCD_ERROR_INVALID_CONFIGURATION,
			      g_strdup("its service file is gone"));
	if (s->def->problem)
		return refuse(s, verb, who, error, SVCD_ERROR_INVALID_CONFIGURATION, g_strdup(s->def->problem));
	if (engine_is_shutting_down(engine) && !service_is_wanted(s))
		return refuse(s, verb, who, error, SVCD_ERROR_SHUTTING_DOWN,
			      g_strdup_printf("the machine is going to runlevel %s", engine->runlevel));
	return true;
}

static void set_admin(Service *s, AdminWant want, const Requester *who)
{
	Engine *engine = s->priv->engine;

	/*
	 * Strictly later than the last request, because among conflicting services the last one
	 * wins.
	 */
	engine->last_admin_us = MAX(engine->now_us, engine->last_admin_us + 1);
	s->admin = want;
	s->admin_who = *who;
	s->admin_at_us = engine->last_admin_us;
	engine_queue(s, WORK_WANT);
}

void request_keep_unexplained(Engine *engine)
{
	static const Requester unknown = { .source = "an unknown requester" };

	for (unsigned i = 0; i < engine->services->len; i++) {
		Service *s = g_ptr_array_index(engine->services, i);

		if (s->priv->is_unexplained && !service_is_wanted(s) && !engine_is_shutting_down(engine))
			set_admin(s, ADMIN_START, &unknown);
		s->priv->is_unexplained = false;
	}
}

/* Forgets failures and allows another try. */
static void give_chance(Service *s, char *cause)
{
	backoff_clear(&s->priv->backoff);
	s->n_restarts = 0;
	s->priv->is_spent = false;
	service_apply(s, EVENT_NEW_CHANCE, cause);
	engine_queue(s, WORK_SETTLED);
	engine_queue(s, WORK_STEP);
}

/* A request for a service includes its needs, so failed needs are retried too. */
static void give_chance_with_needs(Service *s, const char *verb, const Requester *who)
{
	g_autoptr(GPtrArray) all = want_with_needs(s);

	for (unsigned i = 0; i < all->len; i++) {
		Service *next = g_ptr_array_index(all, i);
		const bool is_at_rest = next->state == STATE_FAILED || next->priv->is_spent;

		if (next == s || (is_at_rest && !next->def->problem))
			give_chance(next, requester_describe(verb, who));
	}
}

bool request_is_undone(const Service *s)
{
	if (s->state != STATE_DONE)
		return false;
	for (unsigned i = 0; i < s->priv->done_slots->len; i++) {
		const Slot *slot = g_ptr_array_index(s->priv->done_slots, i);

		if (slot->level == LEVEL_FALSE)
			return true;
	}
	return false;
}

static bool request_start(Service *s, const Requester *who, GError **error)
{
	if (!check_start(s, "start", who, error))
		return false;
	set_admin(s, ADMIN_START, who);
	if (s->stop_problem) {
		s->priv->is_restart_asked = false; /* a restart ends with its failed stop */
		engine_queue(s, WORK_STEP);
	}
	if (request_is_undone(s)) {
		g_free(s->priv->cause_next);
		s->priv->cause_next = requester_describe("start", who);
		s->priv->is_restart_asked = true;
	}
	give_chance_with_needs(s, "start", who);
	return true;
}

static bool request_stop(Service *s, const Requester *who, GError **error)
{
	(void)error;
	set_admin(s, ADMIN_STOP, who);
	service_retry_stop(s);
	return true;
}

/* A script that is up can restart itself, without a stop that dependents would have to follow. */
static bool can_restart_by_command(const Service *s)
{
	return service_type(s) == TYPE_SCRIPT && s->def->restart_command && service_is_up(s) && conflict_lets_run(s) &&
	       !s->priv->is_leaving;
}

static void restart_by_command(Service *s, const Requester *who)
{
	service_remark(s, requester_describe("restart", who));
	g_clear_pointer(&s->restart_problem, g_free);
	s->is_restarting = true; /* a restart under way answers this request too */
	engine_queue(s, WORK_STEP);
}

static bool restart_one(Service *s, const Requester *who, GError **error)
{
	if (!check_start(s, "restart", who, error))
		return false;
	/* A service that is wanted for another reason returns without an admin's want. */
	if (s->admin == ADMIN_STOP || !service_is_wanted(s) || s->want_reason == WANT_LINGER)
		set_admin(s, ADMIN_START, who);
	if (can_restart_by_command(s)) {
		restart_by_command(s, who);
		return true;
	}
	service_retry_stop(s);
	g_free(s->priv->cause_next);
	s->priv->cause_next = requester_describe("restart", who);
	if (service_is_active(s) && s->state != STATE_STOPPING)
		s->priv->is_restart_asked = true;
	if (s->state == STATE_STOPPING)
		s->priv->is_stop_ordered = true; /* it is started again however it ends */
	give_chance_with_needs(s, "restart", who);
	return true;
}

/* A script can be reloaded even if it left nothing running, such as networking or procps. */
bool request_reload_fits(const Service *s)
{
	return s->state == STATE_READY || (s->state == STATE_DONE && service_type(s) == TYPE_SCRIPT);
}

/* A group by its file and by its present run, which may have begun with an earlier file. */
static bool is_only_a_group(const Service *s)
{
	return service_is_group(s) && s->def->type == TYPE_GROUP;
}

/* Does @verb apply to this member? */
static bool is_meant(const Service *member, RequestVerb verb)
{
	if (!service_is_wanted(member) || member->want_reason == WANT_LINGER || is_only_a_group(member))
		return false;
	return verb != REQUEST_VERB_RELOAD || (member->def->reload.kind != ACTION_NONE && request_reload_fits(member));
}

/*
 * A group has no processes, so a restart or reload applies to the wanted services in its Wants=.
 * Nested groups are skipped, because they may form a cycle.
 */
GPtrArray *request_members(const Service *group, RequestVerb verb)
{
	GPtrArray *members = g_ptr_array_new();

	if (group->def->type != TYPE_GROUP || (verb != REQUEST_VERB_RESTART && verb != REQUEST_VERB_RELOAD))
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
		g_ptr_array_index(members, i) = (gpointer)((const Service *)g_ptr_array_index(members, i))->def->name;
	return members;
}

static bool request_restart(Service *s, const Requester *who, GError **error)
{
	g_autoptr(GPtrArray) members = NULL;

	if (!restart_one(s, who, error))
		return false;
	members = request_members(s, REQUEST_VERB_RESTART);
	for (unsigned i = 0; i < members->len; i++)
		(void)restart_one(g_ptr_array_index(members, i), who, NULL); /* refusals are recorded */
	return true;
}

void request_begin_reload(Service *s)
{
	s->priv->is_reload_asked_again = s->is_reloading;
	s->is_reloading = true;
	g_clear_pointer(&s->reload_problem, g_free);
	engine_queue(s, WORK_STEP);
}

static bool reload_one(Service *s, const Requester *who, GError **error)
{
	if (s->def->reload.kind == ACTION_NONE)
		return refuse(s, "reload", who, error, SVCD_ERROR_NOT_SUPPORTED,
			      g_strdup("it has no Reload= in its service file"));
	if (!request_reload_fits(s))
		return refuse(s, "reload", who, error, SVCD_ERROR_FAILED,
			      g_strdup_printf("it is %s; only a service that is ready can be reloaded",
					      service_state_name(s->state)));
	service_remark(s, requester_describe("reload", who));
	request_begin_reload(s);
	return true;
}

static bool request_reload(Service *s, const Requester *who, GError **error)
{
	g_autoptr(GPtrArray) members = request_members(s, REQUEST_VERB_RELOAD);
	bool any = false;

	for (unsigned i = 0; i < members->len; i++)
		any |= reload_one(g_ptr_array_index(members, i), who, NULL);
	return any || reload_one(s, who, error);
}

bool engine_is_reloading(const Service *s)
{
	g_autoptr(GPtrArray) members = request_members(s, REQUEST_VERB_RELOAD);
	bool any = s->is_reloading;

	for (unsigned i = 0; i < members->len; i++)
		any |= ((const Service *)g_ptr_array_index(members, i))->is_reloading;
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

static bool request_clear(Service *s, const Requester *who, GError **error)
{
	(void)error;
	s->admin = ADMIN_NONE;
	engine_queue(s, WORK_WANT);
	engine_queue(s, WORK_STEP);
	if (!s->def->problem)
		give_chance(s, requester_describe("clear", who));
	return true;
}

/* --- bus activation --- */

static bool check_demand(Service *s, const char *verb, const Requester *who, GError **error)
{
	g_autofree char *origin = origin_format(s->policy.activation_origin);
	g_autofree char *stopped = NULL;

	if (!check_start(s, verb, who, error))
		return false;
	if (s->policy.activation == ACTIVATION_MANUAL && !service_is_wanted(s))
		return refuse(s, verb, who, error, SVCD_ERROR_POLICY_DENIED,
			      g_strdup_printf("its policy is manual (%s); only an admin starts it", origin));
	if (s->admin == ADMIN_STOP) {
		stopped = requester_describe("stop", &s->admin_who);
		return refuse(s, verb, who, error, SVCD_ERROR_POLICY_DENIED,
			      g_strdup_printf("an admin stopped it: %s", stopped));
	}
	return true;
}

/*
 * At most as often as RestartLimit= allows on average, because any user can cause activations again
 * and again.
 */
static bool may_try_again(const Service *s)
{
	return s->priv->engine->now_us - s->since_us >= s->def->restart_window_us / s->def->restart_limit;
}

static void give_chance_on_demand(Service *s, const char *verb, const Requester *who)
{
	if (s->state != STATE_FAILED && !s->priv->is_spent)
		return;
	s->priv->is_spent = false;
	service_apply(s, EVENT_NEW_CHANCE, requester_describe(verb, who));
	engine_queue(s, WORK_SETTLED);
	engine_queue(s, WORK_STEP);
}

static bool request_demand(Service *s, const char *bus_name, const Requester *who, GError **error)
{
	g_autofree char *verb = g_strdup_printf("asked for on the bus, as %s,", bus_name);

	if (!check_demand(s, verb, who, error))
		return false;
	if (s->state == STATE_FAILED && !may_try_again(s))
		return refuse(s, verb, who, error, SVCD_ERROR_FAILED,
			      g_strdup_printf("it has failed: %s", s->result ? s->result : "nothing more is known"));
	if (s->admin == ADMIN_NONE) {
		s->admin = ADMIN_DEMAND;
		s->admin_who = *who;
		s->admin_at_us = s->priv->engine->now_us;
		s->demanded_as = g_intern_string(bus_name);
		engine_queue(s, WORK_WANT);
		engine_queue(s, WORK_STEP); /* requests do not wait for the login screen */
	}
	give_chance_on_demand(s, verb, who);
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
	engine->ops->changed(engine->data, s);
	engine_run(engine);
	return is_done;
}

bool engine_demand(Engine *engine, const char *service, const char *bus_name, const Requester *who, int64_t now_us,
		   GError **error)
{
	Service *s = begin_request(engine, service, now_us, error);
	Requester demander = *who;

	demander.door = REFUSAL_BUS;
	return s && end_request(engine, s, request_demand(s, bus_name, &demander, error));
}

static bool (*const request_functions[])(Service *s, const Requester *who, GError **error) = {
	[REQUEST_VERB_START] = request_start,
	[REQUEST_VERB_STOP] = request_stop,
	[REQUEST_VERB_RESTART] = request_restart,
	[REQUEST_VERB_RELOAD] = request_reload,
	[REQUEST_VERB_CLEAR] = request_clear,
};

bool engine_request(Engine *engine, RequestVerb verb, const char *service, const Requester *who, int64_t now_us,
		    GError **error)
{
	Service *s = begin_request(engine, service, now_us, error);

	return s && end_request(engine, s, request_functions[verb](s, who, error));
}

/* --- CheckCommand= --- */

static bool may_be_restarted(const Service *s)
{
	return s->policy.activation != ACTIVATION_NEVER && !s->priv->is_file_gone && !s->def->problem;
}

static bool needs_check(const Service *s, RequestVerb verb)
{
	if (!s->def->check || !service_is_up(s) || s->priv->is_leaving || engine_is_shutting_down(s->priv->engine))
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
	const bool is_refused = verb == REQUEST_VERB_RESTART && !may_be_restarted(s); /* members do not matter */
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

void engine_refuse(Engine *engine, RequestVerb verb, const char *service, const Requester *who, const char *problem,
		   int64_t now_us, GError **error)
{
	static const char *const names[] = {
		[REQUEST_VERB_START] = "start",	  [REQUEST_VERB_STOP] = "stop",	  [REQUEST_VERB_RESTART] = "restart",
		[REQUEST_VERB_RELOAD] = "reload", [REQUEST_VERB_CLEAR] = "clear",
	};
	Service *s = begin_request(engine, service, now_us, error);

	if (s)
		refuse(s, names[verb], who, error, SVCD_ERROR_CHECK_FAILED,
		       g_strdup_printf("its CheckCommand= failed, so it goes on as it is: %s", problem));
}

bool engine_set_runlevel(Engine *engine, const char *runlevel, const Requester *who, int64_t now_us, GError **error)
{
	const char *canonical = policy_find_runlevel(engine->policy, runlevel);
	g_autofree char *asked = NULL;

	engine_set_now(engine, now_us);
	if (!canonical)
		return fail(error, SVCD_ERROR_INVALID_ARGUMENT, "there is no runlevel \"%s\"", runlevel);
	if (engine->runlevel && strcmp(engine->runlevel, canonical) == 0)
		return true;
	if (engine_is_shutting_down(engine) && strcmp(canonical, "0") != 0 && strcmp(canonical, "6") != 0)
		return fail(error, SVCD_ERROR_SHUTTING_DOWN, "the machine is going to runlevel %s", engine->runlevel);
	engine->previous_runlevel = engine->runlevel;
	engine->runlevel = g_intern_string(canonical);
	asked = requester_describe("asked", who);
	g_free(engine->runlevel_cause);
	engine->runlevel_cause = g_strdup_printf("runlevel %s, %s", canonical, asked);
	for (unsigned i = 0; i < engine->services->len; i++) {
		Service *s = g_ptr_array_index(engine->services, i);

		s->admin = ADMIN_NONE;
		if (s->state == STATE_WAITING)
			engine_queue(s, WORK_STEP); /* it may have to wait for the login screen now */
		service_retry_stop(s);
	}
	want_decide_all(engine);
	engine->ops->engine_changed(engine->data);
	engine_run(engine);
	return true;
}
