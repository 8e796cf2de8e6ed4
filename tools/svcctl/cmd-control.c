/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * start, stop, restart, reload, clear: asking for something, and seeing it happen.
 *
 * A start or a stop that is under way is waited for (--no-wait: not), so that the exit code can tell how it went. A
 * service that has to wait for its terms is not waited for unless --wait asks for it.
 */
#include "config.h"

#include <string.h>

#include "base/errors.h"
#include "base/text.h"
#include "svcctl/svcctl.h"

/* How a request that changes the state ends. */
typedef enum Verdict {
	VERDICT_GOING_ON,
	VERDICT_DONE,
	VERDICT_WAITS,  /* for its terms */
	VERDICT_FAILED,
} Verdict;

typedef struct Request {
	const char *method;
	const char *arguments; /* signatures */
	const char *answer;
	const char *done;     /* "started" */
	const char *already;  /* "was already running" */
	const char *waiting;  /* "starts as soon as" */
	Verdict (*judge)(GVariant *service, uint64_t old_invocation);
	bool (*is_done_before)(const char *state); /* nothing to do; NULL: always something */
} Request;

static bool is(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

static Verdict judge_start(GVariant *service, uint64_t old_invocation)
{
	const char *state = record_text(service, "State");

	if (state_is_up(state))
		return VERDICT_DONE;
	if (is(state, "waiting"))
		return VERDICT_WAITS;
	return is(state, "starting") || is(state, "stopping") ? VERDICT_GOING_ON : VERDICT_FAILED;
}

/* Up again, not still: unless nothing runs in it, it is another invocation than before. */
static Verdict judge_restart(GVariant *service, uint64_t old_invocation)
{
	const bool is_group = is(record_text(service, "Type"), "group");

	if (state_is_up(record_text(service, "State")) && !is_group && old_invocation > 0 &&
	    record_number(service, "Invocation") == old_invocation)
		return VERDICT_GOING_ON;
	return judge_start(service, old_invocation);
}

static Verdict judge_stop(GVariant *service, uint64_t old_invocation)
{
	const char *state = record_text(service, "State");

	if (is(state, "idle") || is(state, "waiting") || is(state, "failed"))
		return VERDICT_DONE;
	/* What was to stop has stopped, and somebody has started it again since. */
	if (old_invocation > 0 && record_number(service, "Invocation") != old_invocation)
		return VERDICT_DONE;
	return VERDICT_GOING_ON;
}

static bool is_off(const char *state)
{
	return is(state, "idle");
}

static const Request start_request = {
	.method = "Start", .arguments = "(s)", .answer = "(a(ssss))",
	.done = "started", .already = "is already up", .waiting = "starts as soon as",
	.judge = judge_start, .is_done_before = state_is_up,
};
static const Request stop_request = {
	.method = "Stop", .arguments = "(sb)", .answer = "()",
	.done = "stopped", .already = "is not running", .waiting = "",
	.judge = judge_stop, .is_done_before = is_off,
};
static const Request restart_request = {
	.method = "Restart", .arguments = "(s)", .answer = "(a(ssss))",
	.done = "restarted", .already = "", .waiting = "starts as soon as",
	.judge = judge_restart,
};

/* "starting for 3.0 s, pid 811: flushing" */
static char *progress_text(GVariant *service, const Output *output)
{
	const int64_t for_us = g_get_monotonic_time() - (int64_t)record_number(service, "Since");
	g_autofree char *duration = text_format_duration(MAX(for_us, 0));
	const char *status = record_text(service, "StatusText");
	const unsigned pid = (unsigned)record_number(service, "MainPid");
	g_autofree char *process = pid > 0 ? g_strdup_printf(", pid %u", pid) : g_strdup("");

	return g_strdup_printf("%s %s  %s for %s%s%s%s", output_symbol(output, record_text(service, "State"), false),
			       record_text(service, "Name"), record_text(service, "State"), duration, process,
			       *status ? ": " : "", status);
}

/* A line for each new state; on a terminal it is the same line, written anew. */
static void show_progress(Context *context, GVariant *service, char **last)
{
	Output *output = &context->output;
	g_autofree char *text = NULL;
	g_autofree char *escaped = NULL;

	if (output->is_json || output->is_quiet)
		return;
	if (output->width > 0) {
		text = progress_text(service, output);
		escaped = text_escape_terminal(text);
		fprintf(output->out, "\r%s\033[K", escaped);
		(void)fflush(output->out); /* a lost terminal is found at the end */
	} else if (g_strcmp0(*last, record_text(service, "State")) != 0) {
		text = progress_text(service, output);
		output_confirm(output, "%s", text);
	}
	g_free(*last);
	*last = g_strdup(record_text(service, "State"));
}

static void end_progress(Context *context, const char *last)
{
	if (last && context->output.width > 0 && !context->output.is_json && !context->output.is_quiet)
		fprintf(context->output.out, "\r\033[K");
}

/* Until the verdict is there, with --wait also until the terms are true. Returns: the last record. */
static GVariant *wait_for(Context *context, const char *name, const Request *request, uint64_t old_invocation,
			  GError **error)
{
	const int64_t deadline_us = g_get_monotonic_time() + context->timeout_us;
	g_autofree char *last = NULL;

	for (;;) {
		g_autoptr(GVariant) service = client_service(context->client, name, error);
		Verdict verdict;

		if (!service)
			return NULL;
		verdict = request->judge(service, old_invocation);
		if (context->options.has_no_wait || verdict == VERDICT_DONE || verdict == VERDICT_FAILED ||
		    (verdict == VERDICT_WAITS && !context->options.waits)) {
			end_progress(context, last);
			return g_steal_pointer(&service);
		}
		show_progress(context, service, &last);
		if (g_get_monotonic_time() >= deadline_us) {
			end_progress(context, last);
			fail_ctl(error, CTL_ERROR_TIMED_OUT, "%s: timed out; it is %s and the %s goes on", name,
				 record_text(service, "State"), context->verb->name);
			return NULL;
		}
		/* Each second at least: the line shows the time, and a lost signal costs no more than that. */
		(void)client_wait(context->client, MIN(deadline_us, g_get_monotonic_time() + G_USEC_PER_SEC));
	}
}

/* What it waits for, one line a term. */
/* What a start waits for. Not every reason is a term of its own: another may have to stop first. */
static void print_waiting(Context *context, const Request *request, const char *name, GVariant *service)
{
	g_autoptr(GVariant) terms = g_variant_lookup_value(service, "FalseTerms", G_VARIANT_TYPE("a(ssss)"));
	GVariantIter iter;
	const char *text;
	const char *level;
	const char *why;
	const char *origin;

	if (!terms || g_variant_n_children(terms) == 0) {
		output_confirm(&context->output, "%s waits: %s", name, record_text(service, "Cause"));
		return;
	}
	output_confirm(&context->output, "%s %s this is true:", name, request->waiting);
	g_variant_iter_init(&iter, terms);
	while (!context->output.is_quiet && g_variant_iter_next(&iter, "(&s&s&s&s)", &text, &level, &why, &origin)) {
		g_autofree char *line = g_strdup_printf("%s is %s%s%s%s (%s)", text, level, *why ? " (" : "", why,
							*why ? ")" : "", origin);

		output_field(&context->output, "", line);
	}
}

/* What a request came to. @before: the record when it was made, or NULL. */
static bool report(Context *context, const Request *request, const char *name, GVariant *before, GVariant *service,
		   GError **error)
{
	const bool was_done = before && request->is_done_before && request->is_done_before(record_text(before, "State"));
	Output *output = &context->output;
	const char *state = record_text(service, "State");

	switch (request->judge(service, before ? record_number(before, "Invocation") : 0)) {
	case VERDICT_DONE:
		output_confirm(output, "%s %s", name, was_done ? request->already : request->done);
		return true;
	case VERDICT_GOING_ON:
		output_confirm(output, "%s: %s", name, state);
		return true;
	case VERDICT_WAITS:
		print_waiting(context, request, name, service);
		return true;
	case VERDICT_FAILED:
		break;
	}
	context_hint(context, "svcctl explain %s\nsvcctl log %s", name, name);
	return fail_ctl(error, CTL_ERROR_START_FAILED, "%s did not start: %s", name, record_text(service, "Cause"));
}

static GVariant *request_arguments(const Context *context, const Request *request, const char *name)
{
	if (is(request->arguments, "(sb)"))
		return g_variant_new("(sb)", name, context->options.with_dependents);
	return g_variant_new("(s)", name);
}

/* One service: ask, wait, tell. @ret_record: its record in the end, maybe NULL. */
static bool carry_out(Context *context, const Request *request, const char *name, GVariant **ret_record,
		      GError **error)
{
	g_autoptr(GVariant) before = NULL;
	g_autoptr(GVariant) reply = NULL;
	g_autoptr(GError) problem = NULL;

	if (!g_utf8_validate(name, -1, NULL))
		return fail(error, SVCD_ERROR_NO_SUCH_SERVICE, "a service's name is not made of such bytes");
	before = client_service(context->client, name, NULL); /* an instance may not exist yet; the request tells */
	reply = client_change(context->client, request->method, request_arguments(context, request, name),
			      request->answer, error);
	if (!reply)
		return false;
	*ret_record = wait_for(context, name, request, before ? record_number(before, "Invocation") : 0, &problem);
	if (!*ret_record && request == &stop_request &&
	    g_error_matches(problem, SVCD_ERROR_DOMAIN, SVCD_ERROR_NO_SUCH_SERVICE)) {
		/* Its file was gone already; now that it has stopped, nothing of it is left. */
		output_confirm(&context->output, "%s %s", name, request->done);
		return true;
	}
	if (!*ret_record)
		g_propagate_error(error, g_steal_pointer(&problem));
	return *ret_record && report(context, request, name, before, *ret_record, error);
}

static const Column result_columns[] = {
	{ "name", NULL, "Name", CELL_TEXT },
	{ "state", NULL, "State", CELL_STATE },
	{ "pid", NULL, "MainPid", CELL_OPTIONAL },
	{ "result", NULL, "Result", CELL_TEXT },
	{ "cause", NULL, "Cause", CELL_TEXT },
	{ "false_terms", NULL, "FalseTerms", CELL_STRUCTS,
	  (const char *const[]){ "text", "level", "why", "origin", NULL } },
};

static JsonNode *result_to_json(const char *name, GVariant *record, const GError *error, const char *hint)
{
	JsonNode *node;
	JsonObject *object;

	if (record) {
		node = record_to_json(record, result_columns, G_N_ELEMENTS(result_columns));
		object = json_node_get_object(node);
	} else {
		g_autofree char *valid = g_utf8_make_valid(name, -1);

		object = json_object_new();
		json_object_set_string_member(object, "name", valid);
		node = json_node_init_object(json_node_alloc(), object);
		json_object_unref(object);
	}
	if (error)
		json_object_set_member(object, "error", output_error_to_json(error, hint));
	return node;
}

typedef bool (*ActFunc)(Context *context, const char *name, GVariant **ret_record, GError **error);

/* What several names come to together: the code they share, or "some of several failed". */
static ExitCode join_codes(ExitCode before, ExitCode now, unsigned index)
{
	if (index == 0)
		return now;
	return before == now ? now : EXIT_CODE_FAILED;
}

/*
 * All names, one after the other; one that fails does not keep the others from it. The last error is returned, those
 * before it are printed at once.
 */
static bool for_each_name(Context *context, ActFunc act, GError **error)
{
	JsonArray *array = json_array_new();
	g_autoptr(GError) kept = NULL;
	JsonNode *node;

	for (unsigned i = 0; i < context->n_names; i++) {
		g_autoptr(GVariant) record = NULL;

		if (kept && !context->output.is_json)
			output_print_error(&context->output, kept, context->hint);
		g_clear_error(&kept);
		g_clear_pointer(&context->hint, g_free);
		if (!act(context, context->names[i], &record, &kept))
			context_advise(context, kept, context->names[i]);
		context->exit = join_codes(context->exit, exit_code_of(kept), i);
		json_array_add_element(array, result_to_json(context->names[i], record, kept, context->hint));
	}
	node = json_node_init_array(json_node_alloc(), array);
	json_array_unref(array);
	output_set_data(&context->output, node);
	if (!kept)
		return true;
	g_propagate_error(error, g_steal_pointer(&kept));
	return false;
}

static bool start_one(Context *context, const char *name, GVariant **ret_record, GError **error)
{
	return carry_out(context, &start_request, name, ret_record, error);
}

static bool stop_one(Context *context, const char *name, GVariant **ret_record, GError **error)
{
	return carry_out(context, &stop_request, name, ret_record, error);
}

static bool restart_one(Context *context, const char *name, GVariant **ret_record, GError **error)
{
	return carry_out(context, &restart_request, name, ret_record, error);
}

static bool simple_one(Context *context, const char *method, const char *done, const char *name, GVariant **ret_record,
		       GError **error)
{
	g_autoptr(GVariant) reply = NULL;

	if (!g_utf8_validate(name, -1, NULL))
		return fail(error, SVCD_ERROR_NO_SUCH_SERVICE, "a service's name is not made of such bytes");
	reply = client_change(context->client, method, g_variant_new("(s)", name), "()", error);
	if (!reply)
		return false;
	*ret_record = client_service(context->client, name, NULL); /* only for --json */
	output_confirm(&context->output, "%s %s", name, done);
	return true;
}

static bool reload_one(Context *context, const char *name, GVariant **ret_record, GError **error)
{
	return simple_one(context, "Reload", "was told to reload", name, ret_record, error);
}

static bool clear_one(Context *context, const char *name, GVariant **ret_record, GError **error)
{
	return simple_one(context, "Clear", "begins with a clean record", name, ret_record, error);
}

bool cmd_start(Context *context, GError **error)
{
	return client_watch(context->client, error) && for_each_name(context, start_one, error);
}

bool cmd_stop(Context *context, GError **error)
{
	return client_watch(context->client, error) && for_each_name(context, stop_one, error);
}

bool cmd_restart(Context *context, GError **error)
{
	return client_watch(context->client, error) && for_each_name(context, restart_one, error);
}

bool cmd_reload(Context *context, GError **error)
{
	return for_each_name(context, reload_one, error);
}

bool cmd_clear(Context *context, GError **error)
{
	return for_each_name(context, clear_one, error);
}
