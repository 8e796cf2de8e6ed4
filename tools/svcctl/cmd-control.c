/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * start, stop, restart, reload, clear: send requests and wait for their results.
 *
 * Each name is a job. All requests are sent first and then waited for together (except with
 * --no-wait), so that the exit code can report the result. "start" succeeds when the service is up.
 * A service that waits for its terms counts as a failure, unless --wait waits for it.
 */
#include "config.h"

#include <string.h>

#include "base/errors.h"
#include "base/text.h"
#include "svcctl/dry-run.h"
#include "svcctl/job-lines.h"
#include "svcctl/svcctl.h"
#include "svcctl/unread.h"

/* The result of a request that changes the state. */
typedef enum RequestVerdict {
	VERDICT_GOING_ON,
	VERDICT_DONE,
	VERDICT_WAITS, /* for its terms */
	VERDICT_FAILED,
} RequestVerdict;

typedef struct Request {
	RequestVerb verb;
	const char *method;
	const char *arguments; /* signatures */
	const char *answer;
	const char *done; /* "started" */
	const char *already; /* "was already running" */
	RequestVerdict (*judge)(GVariant *service, uint64_t old_invocation);
	bool (*is_done_before)(const char *state); /* no request is needed; NULL: always needed */
} Request;

static bool is(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

/*
 * The service was up, its process exited successfully, and Restart= leaves it off. So it counts as
 * started.
 */
static bool has_ended_well(GVariant *service, uint64_t old_invocation)
{
	return is(record_text(service, "State"), "idle") && record_number(service, "Wanted") &&
	       record_number(service, "Invocation") != old_invocation;
}

static RequestVerdict judge_start(GVariant *service, uint64_t old_invocation)
{
	const char *state = record_text(service, "State");

	if (state_is_up(state) || has_ended_well(service, old_invocation))
		return VERDICT_DONE;
	if (is(state, "waiting"))
		return record_number(service, "Settled") ? VERDICT_WAITS : VERDICT_GOING_ON;
	return is(state, "starting") || is(state, "stopping") ? VERDICT_GOING_ON : VERDICT_FAILED;
}

/*
 * RestartCommand= of a script runs in the same invocation. A service that must stop first is not
 * settled yet.
 */
static bool is_restarted_by_command(GVariant *service)
{
	return is(record_text(service, "Type"), "script") &&
	       state_is_up(record_text(service, "State")) && record_number(service, "Settled");
}

/* Has the stop failed, so that the service is still up? */
static bool is_not_stopped(GVariant *service)
{
	return state_is_up(record_text(service, "State")) && *record_text(service, "StopProblem");
}

/* The service must be up in a new invocation, unless it has no processes. */
static RequestVerdict judge_restart(GVariant *service, uint64_t old_invocation)
{
	const bool is_group = is(record_text(service, "Type"), "group");

	if (is_not_stopped(service))
		return VERDICT_FAILED;
	if (record_number(service, "Restarting"))
		return VERDICT_GOING_ON;
	if (is_restarted_by_command(service))
		return *record_text(service, "RestartProblem") ? VERDICT_FAILED : VERDICT_DONE;
	if (state_is_up(record_text(service, "State")) && !is_group && old_invocation > 0 &&
	    record_number(service, "Invocation") == old_invocation)
		return VERDICT_GOING_ON;
	return judge_start(service, old_invocation);
}

static RequestVerdict judge_stop(GVariant *service, uint64_t old_invocation)
{
	const char *state = record_text(service, "State");

	if (is_not_stopped(service))
		return VERDICT_FAILED;
	if (is(state, "idle") || is(state, "waiting") || is(state, "failed"))
		return VERDICT_DONE;
	/* The old invocation has stopped, and the service was started again since. */
	if (old_invocation > 0 && record_number(service, "Invocation") != old_invocation)
		return VERDICT_DONE;
	return VERDICT_GOING_ON;
}

static RequestVerdict judge_reload(GVariant *service, uint64_t old_invocation)
{
	(void)old_invocation;
	if (record_number(service, "Reloading"))
		return VERDICT_GOING_ON;
	return *record_text(service, "ReloadProblem") ? VERDICT_FAILED : VERDICT_DONE;
}

static bool is_off(const char *state)
{
	return is(state, "idle");
}

static const Request start_request = {
	.method = "Start",
	.arguments = "(s)",
	.answer = "(a(ssss))",
	.done = "started",
	.already = "is already up",
	.verb = REQUEST_VERB_START,
	.judge = judge_start,
	.is_done_before = state_is_up,
};
static const Request stop_request = {
	.method = "Stop",
	.arguments = "(sb)",
	.answer = "()",
	.done = "stopped",
	.already = "is not running",
	.verb = REQUEST_VERB_STOP,
	.judge = judge_stop,
	.is_done_before = is_off,
};
static const Request reload_request = {
	.method = "Reload",
	.arguments = "(s)",
	.answer = "()",
	.done = "reloaded",
	.already = "",
	.verb = REQUEST_VERB_RELOAD,
	.judge = judge_reload,
};
static const Request restart_request = {
	.method = "Restart",
	.arguments = "(s)",
	.answer = "(a(ssss))",
	.done = "restarted",
	.already = "",
	.verb = REQUEST_VERB_RESTART,
	.judge = judge_restart,
};

/*
 * The terms that are false, one per line; a new string. @part: only those that contain it, NULL:
 * all.
 */
static char *list_false_terms(GVariant *service, const char *part)
{
	g_autoptr(GVariant)
		terms = g_variant_lookup_value(service, "FalseTerms", G_VARIANT_TYPE("a(ssss)"));
	g_autoptr(GString) lines = g_string_new(NULL);

	for (gsize i = 0; terms && i < g_variant_n_children(terms); i++) {
		const char *text;
		const char *level;
		const char *why;
		const char *origin;

		g_variant_get_child(terms, i, "(&s&s&s&s)", &text, &level, &why, &origin);
		if (!part || strstr(text, part))
			g_string_append_printf(lines, "%s is %s%s%s%s (%s)\n", text, level,
					       *why ? " (" : "", why, *why ? ")" : "", origin);
	}
	return g_string_free(g_steal_pointer(&lines), FALSE);
}

/*
 * The service waits for conditions that no running job will make true, or for the stop of another
 * service. The request stays in force.
 */
static bool fail_waiting(Context *context, const char *name, GVariant *service, GError **error)
{
	g_autofree char *terms = list_false_terms(service, NULL);

	context_hint(context, "%sTo wait until it is up: svcctl start %s --wait", terms, name);
	return fail_ctl(error, CTL_ERROR_NOT_UP, "%s is not up; it starts as soon as %s", name,
			*terms ? "its conditions are true" : "other services allow it");
}

/*
 * The first error of the service's new file; a new string, NULL if there is none or svcd does not
 * answer.
 */
static char *find_file_error(Context *context, const char *service)
{
	g_autoptr(GPtrArray) diagnostics = get_diagnostics(context, NULL);

	for (guint i = 0; diagnostics && i < diagnostics->len; i++) {
		GVariant *record = g_ptr_array_index(diagnostics, i);

		if (is(record_text(record, "level"), "error") &&
		    is(record_text(record, "service"), service))
			return diagnostic_sentence(record);
	}
	return NULL;
}

static bool is_start(const Request *request)
{
	return request == &start_request || request == &restart_request;
}

/* Reports that the file has changed since svcd read it. */
static void confirm_unread(Context *context, const Request *request, const char *name)
{
	g_autofree char *path = is_start(request) && !context->output.is_quiet ?
					unread_change(context, name) :
					NULL;

	if (path)
		output_confirm(&context->output,
			       "  %s has changed since svcd read it: svcctl reload-files", path);
}

/* Fails if the service runs with earlier settings because its present file has an error. */
static bool check_file(Context *context, const Request *request, GVariant *service, GError **error)
{
	const char *name = record_text(service, "Name");
	g_autofree char *problem = NULL;

	if (!is_start(request) || !is(record_text(service, "FileState"), "invalid"))
		return true;
	problem = find_file_error(context, name);
	return fail(error, SVCD_ERROR_INVALID_CONFIGURATION,
		    "%s was %s with its earlier settings, because its file has an error%s%s", name,
		    request->done, problem ? ": " : "", problem ? problem : "");
}

/* The service's status text, or the first condition that it waits for; a new string. */
static char *detail_of(GVariant *service)
{
	g_autoptr(GVariant)
		terms = g_variant_lookup_value(service, "FalseTerms", G_VARIANT_TYPE("a(ssss)"));
	const char *state = record_text(service, "State");
	const char *text;
	const char *level;

	if (!is(state, "waiting"))
		return g_strdup(record_text(service, "StatusText"));
	if (!terms || g_variant_n_children(terms) == 0)
		return g_strdup(record_text(service, "Cause"));
	g_variant_get_child(terms, 0, "(&s&sss)", &text, &level, NULL, NULL);
	return g_strdup_printf("waits for %s, which is %s", text, level);
}

/* Reports the result of a request. @before: the record at the time of the request, or NULL. */
static bool report(Context *context, const Request *request, const char *name, GVariant *before,
		   GVariant *service, GError **error)
{
	const bool was_done = before && request->is_done_before &&
			      request->is_done_before(record_text(before, "State"));
	Output *output = &context->output;
	const char *state = record_text(service, "State");
	const uint64_t old_invocation = before ? record_number(before, "Invocation") : 0;
	g_autofree char *detail = NULL;

	switch (request->judge(service, old_invocation)) {
	case VERDICT_DONE:
		if (!was_done && !check_file(context, request, service, error))
			return false;
		if (has_ended_well(service, old_invocation))
			output_confirm(output, "%s %s; %s", name, request->done,
				       record_text(service, "Cause"));
		else
			output_confirm(output, "%s %s", name,
				       was_done ? request->already : request->done);
		if (!was_done)
			confirm_unread(context, request, name);
		return true;
	case VERDICT_WAITS:
		if (!context->options.has_no_wait)
			return fail_waiting(context, name, service, error);
		/* fall through */
	case VERDICT_GOING_ON:
		detail = is(state, "waiting") ? detail_of(service) : g_strdup(state);
		output_confirm(output, "%s: %s", name, detail);
		return true;
	case VERDICT_FAILED:
		break;
	}
	context_hint(context, "svcctl explain %s\nsvcctl log %s", name, name);
	if (request == &reload_request)
		return fail_ctl(error, CTL_ERROR_FAILED, "%s: its reload failed, and it is %s: %s",
				name, state, record_text(service, "ReloadProblem"));
	if (is_not_stopped(service))
		return fail_ctl(error, CTL_ERROR_STOP_FAILED,
				"%s: its stop failed, and it is up as before: %s", name,
				record_text(service, "StopProblem"));
	if (state_is_up(state))
		return fail_ctl(error, CTL_ERROR_START_FAILED,
				"%s: its restart failed, and it is still %s: %s", name, state,
				record_text(service, "RestartProblem"));
	return fail_ctl(error, CTL_ERROR_START_FAILED, "%s did not start: %s", name,
			record_text(service, "Cause"));
}

/*
 * A service that cannot run here is not requested, because the request would have no effect. A
 * program may be installed later, so --wait and --no-wait request it anyway.
 */
static bool check_presence(Context *context, const Request *request, GVariant *service,
			   GError **error)
{
	const char *name = record_text(service, "Name");
	const bool is_installed = !is(record_text(service, "Presence"), "not-installed");
	g_autofree char *terms = NULL;

	if (!is_start(request) || !record_is_absent(service) || context->options.has_no_wait ||
	    (context->options.waits && !is_installed))
		return true;
	if (!is_installed) {
		terms = list_false_terms(service, "path:exec:");
		context_hint(context, "%sTo start it when it is installed: svcctl start %s --wait",
			     terms, name);
		return fail_ctl(error, CTL_ERROR_NOT_UP, "%s is not installed", name);
	}
	terms = list_false_terms(service, NULL);
	context_hint(context, "%ssvcctl explain %s", terms, name);
	return fail_ctl(error, CTL_ERROR_NOT_UP, "%s cannot run on this machine", name);
}

/* --force: the service's own Request method takes all parameters of a request. */
static GVariant *forced_arguments(const Context *context)
{
	const char *options[3] = { "force" };

	if (context->options.with_dependents)
		options[1] = "with-dependents";
	return g_variant_new("(s^as)", context->verb->name, options);
}

static GVariant *change(Context *context, const char *method, GVariant *arguments, const char *type,
			const char *name, GError **error)
{
	if (!context->options.is_forced)
		return client_change(context->client, method, arguments, type, error);
	g_variant_unref(g_variant_ref_sink(arguments));
	return client_change_service(context->client, name, "Request", forced_arguments(context),
				     "()", error);
}

static GVariant *request_arguments(const Context *context, const Request *request, const char *name)
{
	if (is(request->arguments, "(sb)"))
		return g_variant_new("(sb)", name, context->options.with_dependents);
	return g_variant_new("(s)", name);
}

/* --- jobs: a request for one service, from the call to the end --- */

typedef struct Job {
	char *name;
	unsigned n_members; /* of a restarted group: the number of member jobs just before it */
	GVariant *before; /* its record at the request; NULL: none yet */
	GVariant *record; /* as last seen; NULL: none */
	GPtrArray *dependents; /* owned names: services that stop with it; NULL: not requested */
	GError *error; /* the reason for its failure */
	char *hint;
	bool is_over;
} Job;

typedef struct Jobs {
	Context *context;
	const Request *request;
	JobLines *lines;
	GPtrArray *all; /* Job * */
	GPtrArray *before; /* records of all services before the request; NULL: not known */
	const Job *unsaid; /* the last one that failed: its error becomes svcctl's error */
} Jobs;

static Job *job_at(const Jobs *jobs, unsigned i)
{
	return g_ptr_array_index(jobs->all, i);
}

static void job_free(gpointer data)
{
	Job *job = data;

	g_free(job->name);
	g_clear_pointer(&job->before, g_variant_unref);
	g_clear_pointer(&job->record, g_variant_unref);
	g_clear_pointer(&job->dependents, g_ptr_array_unref);
	g_clear_error(&job->error);
	g_free(job->hint);
	g_free(job);
}

/*
 * Takes @error and the context's hint. An error is printed when the next one occurs, or at the end.
 */
static void job_fail(Jobs *jobs, Job *job, GError *error)
{
	Context *context = jobs->context;

	job->is_over = true;
	if (!error)
		return;
	context_advise(context, error, job->name);
	job->error = error;
	job->hint = g_steal_pointer(&context->hint);
	if (jobs->unsaid && !context->output.is_json)
		output_print_error(&context->output, jobs->unsaid->error, jobs->unsaid->hint);
	jobs->unsaid = job;
}

static uint64_t old_invocation(const Job *job)
{
	return job->before ? record_number(job->before, "Invocation") : 0;
}

/* restart --if-running: a service that is off stays off, and that is not a failure. */
static bool is_left_off(const Jobs *jobs, const Job *job)
{
	static const char *const off[] = { "idle", "waiting", "failed", "backoff", NULL };

	return jobs->context->options.only_running && job->before &&
	       g_strv_contains(off, record_text(job->before, "State"));
}

static bool has_name(const GPtrArray *names, const char *name)
{
	for (guint i = 0; i < names->len; i++) {
		if (is(g_ptr_array_index(names, i), name))
			return true;
	}
	return false;
}

static void add_dependents(GPtrArray *names, GVariant *service, const char *first)
{
	g_autoptr(GVariant) list =
		service ? g_variant_lookup_value(service, "Dependents", G_VARIANT_TYPE("as")) :
			  NULL;
	g_autofree const char **found = list ? g_variant_get_strv(list, NULL) : NULL;

	for (unsigned i = 0; found && found[i]; i++) {
		if (!is(found[i], first) && !has_name(names, found[i]))
			g_ptr_array_add(names, g_strdup(found[i]));
	}
}

/*
 * All services that stop with the job's service, directly or indirectly. They are listed before
 * they stop.
 */
static GPtrArray *find_dependents(const Jobs *jobs, const Job *job)
{
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);

	if (jobs->request != &stop_request || !jobs->context->options.with_dependents ||
	    !job->before)
		return names;
	add_dependents(names, job->before, record_text(job->before, "Name"));
	for (guint i = 0; i < names->len; i++) {
		g_autoptr(GVariant) service =
			client_service(jobs->context->client, g_ptr_array_index(names, i), NULL);

		add_dependents(names, service, record_text(job->before, "Name"));
	}
	return names;
}

static void report_dependents(Jobs *jobs, const Job *job)
{
	g_autoptr(GString) list = g_string_new(NULL);

	for (guint i = 0; i < job->dependents->len; i++)
		g_string_append_printf(list, "%s%s", i > 0 ? ", " : "",
				       (const char *)g_ptr_array_index(job->dependents, i));
	if (list->len > 0)
		output_confirm(&jobs->context->output,
			       "%s: the services that need it stop, too: %s", job->name, list->str);
}

static JsonNode *job_to_json(const Job *job)
{
	JsonNode *node = result_to_json(job->name, job->record, job->error, job->hint);
	JsonArray *names;

	if (!job->dependents || job->dependents->len == 0)
		return node;
	names = json_array_new();
	for (guint i = 0; i < job->dependents->len; i++)
		json_array_add_string_element(names, g_ptr_array_index(job->dependents, i));
	json_object_set_array_member(json_node_get_object(node), "dependents", names);
	return node;
}

static void job_request(Jobs *jobs, Job *job)
{
	const Request *request = jobs->request;
	Context *context = jobs->context;
	g_autoptr(GVariant) reply = NULL;
	GError *error = NULL;

	if (!g_utf8_validate(job->name, -1, NULL)) {
		fail(&error, SVCD_ERROR_NO_SUCH_SERVICE,
		     "the name of a service must be valid UTF-8");
		job_fail(jobs, job, error);
		return;
	}
	if (is_left_off(jobs, job)) {
		output_confirm(&context->output, "%s is not running, and stays off", job->name);
		job->record = g_variant_ref(job->before);
		job->is_over = true;
		return;
	}
	if (job->before && !check_presence(context, request, job->before, &error)) {
		job_fail(jobs, job, error);
		return;
	}
	job->dependents = find_dependents(jobs, job);
	reply = change(context, request->method, request_arguments(context, request, job->name),
		       request->answer, job->name, &error);
	if (reply)
		report_dependents(jobs, job);
	else
		job_fail(jobs, job, error);
}

static void add_job(Jobs *jobs, const char *name)
{
	Job *job = g_new0(Job, 1);

	job->name = g_strdup(name);
	/* an instance may not exist yet; the request reports that */
	if (g_utf8_validate(name, -1, NULL))
		job->before = client_service(jobs->context->client, name, NULL);
	g_ptr_array_add(jobs->all, job);
}

static bool is_named(const Context *context, const char *name)
{
	for (unsigned i = 0; i < context->n_names; i++) {
		if (is(context->names[i], name))
			return true;
	}
	return false;
}

/* A restart of a group restarts its members, and is over when their restarts are. */
static unsigned add_members(Jobs *jobs, const char *group)
{
	g_autoptr(GVariant) service = client_service(jobs->context->client, group, NULL);
	g_autoptr(GVariant) list =
		service ? g_variant_lookup_value(service, "Members", G_VARIANT_TYPE("as")) : NULL;
	g_autofree const char **names = list ? g_variant_get_strv(list, NULL) : NULL;
	const unsigned n = jobs->all->len;

	for (unsigned i = 0; names && names[i]; i++) {
		if (!is_named(jobs->context, names[i]))
			add_job(jobs, names[i]);
	}
	return jobs->all->len - n;
}

/* Adds the members that stop with the group. A member that another service wants stays up. */
static void add_stopping_members(Jobs *jobs, const char *group, GVariant *before)
{
	g_autoptr(GVariant) list =
		before ? g_variant_lookup_value(before, "Members", G_VARIANT_TYPE("as")) : NULL;
	g_autofree const char **names = list ? g_variant_get_strv(list, NULL) : NULL;

	for (unsigned i = 0; names && names[i]; i++) {
		g_autoptr(GVariant) service =
			is(names[i], group) ? NULL :
					      client_service(jobs->context->client, names[i], NULL);

		if (service && is(record_text(service, "State"), "stopping") &&
		    !is_named(jobs->context, names[i]))
			add_job(jobs, names[i]);
	}
}

static void job_begin(Jobs *jobs, const char *name)
{
	const bool has_members = jobs->request == &restart_request &&
				 !jobs->context->options.has_no_wait &&
				 g_utf8_validate(name, -1, NULL);
	const unsigned n_members = has_members ? add_members(jobs, name) : 0;
	const unsigned own = jobs->all->len;

	add_job(jobs, name);
	job_at(jobs, own)->n_members = n_members;
	job_request(jobs, job_at(jobs, own));
	if (jobs->request == &stop_request && !jobs->context->options.has_no_wait &&
	    !job_at(jobs, own)->is_over)
		add_stopping_members(jobs, name, job_at(jobs, own)->before);
	if (!job_at(jobs, own)->is_over || n_members == 0)
		return;
	job_at(jobs, own)->n_members = 0; /* no request was sent for them */
	g_ptr_array_remove_range(jobs->all, own - n_members, n_members);
}

static bool are_members_over(const Jobs *jobs, unsigned group)
{
	for (unsigned i = group - job_at(jobs, group)->n_members; i < group; i++) {
		if (!job_at(jobs, i)->is_over)
			return false;
	}
	return true;
}

/* Ends the job and prints its result. */
static void job_end(Jobs *jobs, Job *job)
{
	GError *error = NULL;

	job_lines_clear(jobs->lines);
	(void)report(jobs->context, jobs->request, job->name, job->before, job->record, &error);
	job_fail(jobs, job, error);
}

/* Is there anything to wait for? */
static bool is_going_on(const Jobs *jobs, const Job *job)
{
	const Options *options = &jobs->context->options;

	if (options->has_no_wait)
		return false;
	switch (jobs->request->judge(job->record, old_invocation(job))) {
	case VERDICT_GOING_ON:
		return true;
	case VERDICT_WAITS:
		return options->waits;
	case VERDICT_DONE:
	case VERDICT_FAILED:
		break;
	}
	return false;
}

static void job_look(Jobs *jobs, Job *job)
{
	g_autoptr(GError) error = NULL;

	g_clear_pointer(&job->record, g_variant_unref);
	job->record = client_service(jobs->context->client, job->name, &error);
	if (job->record && !is_going_on(jobs, job))
		job_end(jobs, job);
	if (job->record)
		return;
	job_lines_clear(jobs->lines);
	if (jobs->request == &stop_request &&
	    g_error_matches(error, SVCD_ERROR_DOMAIN, SVCD_ERROR_NO_SUCH_SERVICE)) {
		/* Its file was already gone, so the service disappears when it has stopped. */
		output_confirm(&jobs->context->output, "%s %s", job->name, jobs->request->done);
		job->is_over = true;
	} else {
		job_fail(jobs, job, g_steal_pointer(&error));
	}
}

static void job_time_out(Jobs *jobs, Job *job)
{
	/* a group that waits for its members has no new record yet */
	GVariant *seen = job->record ? job->record : job->before;
	GError *error = NULL;

	fail_ctl(&error, CTL_ERROR_TIMED_OUT, "%s: timed out; it is %s and the %s goes on",
		 job->name, record_text(seen, "State"), jobs->context->verb->name);
	job_fail(jobs, job, error);
}

/* A limit longer than a lifetime counts as no limit. */
static int64_t limit_of(GVariant *service)
{
	const char *state = record_text(service, "State");
	int64_t limit_us = 0;

	if (is(state, "starting"))
		limit_us = (int64_t)record_number(service, "StartLimit");
	else if (is(state, "stopping"))
		limit_us = (int64_t)record_number(service, "StopLimit");
	return limit_us < 365 * G_TIME_SPAN_DAY ? limit_us : 0;
}

static void show_jobs(Jobs *jobs)
{
	g_autofree JobLine *shown = g_new0(JobLine, jobs->all->len);
	g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
	unsigned n_shown = 0;

	for (unsigned i = 0; i < jobs->all->len; i++) {
		GVariant *service = job_at(jobs, i)->record;
		JobLine *line = &shown[n_shown];
		char *note;

		if (job_at(jobs, i)->is_over || !service)
			continue;
		note = record_number(service, "MainPid") > 0 ?
			       g_strdup_printf("pid %u",
					       (unsigned)record_number(service, "MainPid")) :
			       g_strdup("");
		*line = (JobLine){ .name = job_at(jobs, i)->name,
				   .state = record_text(service, "State"),
				   .note = note,
				   .detail = detail_of(service),
				   .limit_us = limit_of(service) };
		line->elapsed_us =
			MAX(g_get_monotonic_time() - (int64_t)record_number(service, "Since"), 0);
		g_ptr_array_add(texts, note);
		g_ptr_array_add(texts, (gpointer)line->detail);
		n_shown++;
	}
	job_lines_show(jobs->lines, shown, n_shown);
}

static unsigned look_at_all(Jobs *jobs)
{
	unsigned n_left = 0;

	for (unsigned i = 0; i < jobs->all->len; i++) {
		if (!job_at(jobs, i)->is_over && are_members_over(jobs, i))
			job_look(jobs, job_at(jobs, i));
		n_left += !job_at(jobs, i)->is_over;
	}
	return n_left;
}

/* Waits until all jobs are over, or the time limit is reached. */
static void wait_for_jobs(Jobs *jobs)
{
	const int64_t deadline_us = g_get_monotonic_time() + jobs->context->timeout_us;

	while (look_at_all(jobs) > 0) {
		show_jobs(jobs);
		if (g_get_monotonic_time() >= deadline_us)
			break;
		/*
		 * Wakes at least every second, because the lines show the time. A lost signal then
		 * costs at most a second.
		 */
		(void)client_wait(jobs->context->client,
				  MIN(deadline_us, job_lines_next_us(jobs->lines)));
	}
	job_lines_clear(jobs->lines);
	for (unsigned i = 0; i < jobs->all->len; i++) {
		if (!job_at(jobs, i)->is_over)
			job_time_out(jobs, job_at(jobs, i));
	}
}

/* --- other services that a request has stopped --- */

static GPtrArray *ask_all(Context *context)
{
	return get_services_with(context, "Name State Wanted Settled Invocation", NULL);
}

static GVariant *find_record(const GPtrArray *records, const char *name)
{
	for (guint i = 0; i < records->len; i++) {
		if (is(record_text(g_ptr_array_index(records, i), "Name"), name))
			return g_ptr_array_index(records, i);
	}
	return NULL;
}

/* Has @name been printed, by its own job or as a dependent of another job's service? */
static bool was_named(const Jobs *jobs, const char *name)
{
	for (guint i = 0; i < jobs->all->len; i++) {
		const Job *job = job_at(jobs, i);

		if (is(job->name, name) ||
		    (job->record && is(record_text(job->record, "Name"), name)) ||
		    (job->dependents && has_name(job->dependents, name)))
			return true;
	}
	return false;
}

/* A label for what became of a service; NULL: it stays up. @now: its record, NULL if it is gone. */
static const char *change_label(GVariant *before, GVariant *now)
{
	const bool is_same = now && state_is_up(record_text(now, "State")) &&
			     record_number(now, "Invocation") ==
				     record_number(before, "Invocation");

	if (is_same && record_number(now, "Settled"))
		return NULL;
	if (is_same)
		return record_number(now, "Wanted") ? NULL : "Also stops";
	if (now && record_number(now, "Wanted") &&
	    (state_is_up(record_text(now, "State")) || !record_number(now, "Settled")))
		return "Restarts";
	return "Also stops";
}

/*
 * Prints the other services that the requests stopped: conflicting ones, those that are no longer
 * needed, and dependents of a restarted service.
 */
static void print_others(Jobs *jobs)
{
	g_autoptr(GPtrArray) now = jobs->before ? ask_all(jobs->context) : NULL;
	static const char *const labels[] = { "Also stops", "Restarts" };

	for (size_t k = 0; now && k < G_N_ELEMENTS(labels); k++) {
		g_autoptr(GString) names = g_string_new(NULL);

		for (guint i = 0; i < jobs->before->len; i++) {
			GVariant *before = g_ptr_array_index(jobs->before, i);
			const char *name = record_text(before, "Name");

			if (state_is_up(record_text(before, "State")) && !was_named(jobs, name) &&
			    g_strcmp0(change_label(before, find_record(now, name)), labels[k]) == 0)
				g_string_append_printf(names, "%s%s", names->len > 0 ? " " : "",
						       name);
		}
		if (names->len > 0)
			output_field(&jobs->context->output, labels[k], names->str);
	}
}

/* The last error is returned; the earlier ones have been printed. */
static bool finish_jobs(Jobs *jobs, GError **error)
{
	Context *context = jobs->context;
	JsonArray *array = json_array_new();

	for (unsigned i = 0; i < jobs->all->len; i++) {
		const Job *job = job_at(jobs, i);

		context->exit = join_codes(context->exit, exit_code_of(job->error), i);
		json_array_add_element(array, job_to_json(job));
	}
	output_set_array(&context->output, array);
	if (!jobs->unsaid)
		return true;
	if (jobs->unsaid->hint)
		context_hint(context, "%s", jobs->unsaid->hint);
	if (error)
		*error = g_error_copy(jobs->unsaid->error);
	return false;
}

static Jobs jobs_new(Context *context, const Request *request)
{
	Jobs jobs = { .context = context, .request = request };

	jobs.lines = job_lines_new(&context->output, context->options.shows_progress);
	jobs.all = g_ptr_array_new_with_free_func(job_free);
	return jobs;
}

static void jobs_clear(Jobs *jobs)
{
	job_lines_free(jobs->lines);
	g_ptr_array_unref(jobs->all);
	g_clear_pointer(&jobs->before, g_ptr_array_unref);
}

static bool dry_run(Context *context, const Request *request, GError **error)
{
	for (unsigned i = 0; i < context->n_names; i++) {
		g_autoptr(GVariant)
			service = g_utf8_validate(context->names[i], -1, NULL) ?
					  client_service(context->client, context->names[i], NULL) :
					  NULL;

		if (service && !check_presence(context, request, service, error))
			return false;
	}
	return dry_run_request(context, request->verb, error);
}

/*
 * All requests are sent first, in order, and then waited for together, because one may wait for
 * another.
 */
static bool run_jobs(Context *context, const Request *request, GError **error)
{
	Jobs jobs;
	bool is_fine;

	if (context->options.is_dry_run)
		return dry_run(context, request, error);
	if (!client_watch(context->client, error))
		return false;
	jobs = jobs_new(context, request);
	jobs.before = ask_all(context);
	for (unsigned i = 0; i < context->n_names; i++)
		job_begin(&jobs, context->names[i]);
	wait_for_jobs(&jobs);
	print_others(&jobs);
	is_fine = finish_jobs(&jobs, error);
	jobs_clear(&jobs);
	return is_fine;
}

/* --- a request that is finished when it is accepted --- */

static bool clear_one(Context *context, const char *name, GVariant **ret_record, GError **error)
{
	g_autoptr(GVariant) reply = NULL;

	if (!g_utf8_validate(name, -1, NULL))
		return fail(error, SVCD_ERROR_NO_SUCH_SERVICE,
			    "the name of a service must be valid UTF-8");
	reply = change(context, "Clear", g_variant_new("(s)", name), "()", name, error);
	if (!reply)
		return false;
	*ret_record = client_service(context->client, name, NULL); /* only for --json */
	output_confirm(&context->output, "%s: failure state and restart counter reset", name);
	return true;
}

bool cmd_start(Context *context, GError **error)
{
	return run_jobs(context, &start_request, error);
}

bool cmd_stop(Context *context, GError **error)
{
	return run_jobs(context, &stop_request, error);
}

bool cmd_restart(Context *context, GError **error)
{
	return run_jobs(context, &restart_request, error);
}

bool cmd_reload(Context *context, GError **error)
{
	return run_jobs(context, &reload_request, error);
}

bool cmd_clear(Context *context, GError **error)
{
	return context->options.is_dry_run ? dry_run_request(context, REQUEST_VERB_CLEAR, error) :
					     for_each_name(context, clear_one, error);
}
