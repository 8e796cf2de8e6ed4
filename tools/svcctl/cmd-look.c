/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * overview, list: all services at once.
 */
#include "config.h"

#include <fnmatch.h>
#include <string.h>

#include "base/errors.h"
#include "base/text.h"
#include "bus/names.h"
#include "policy-edit/policy-edit.h"
#include "svcctl/boot-spans.h"
#include "svcctl/boot-wait.h"
#include "svcctl/doctor.h"
#include "svcctl/end-later.h"
#include "svcctl/svcctl.h"

/* The indentation of a sentence's continuation lines in the overview. */
#define CONTINUED 4

static const char *const term_fields[] = { "text", "level", "why", "origin", NULL };

static const Column list_columns[] = {
	{ "name", "NAME", "Name", CELL_TEXT },
	{ "state", "STATE", "State", CELL_STATE },
	{ "since_us", NULL, "Since", CELL_TIME },
	{ "policy", "POLICY", "Activation", CELL_TEXT },
	{ "policy_origin", NULL, "ActivationOrigin", CELL_TEXT },
	{ "policy_is_default", NULL, "ActivationIsDefault", CELL_BOOL },
	{ "in_runlevel", NULL, "InRunlevel", CELL_BOOL },
	{ "presence", NULL, "Presence", CELL_TEXT },
	{ "pid", "PID", "MainPid", CELL_OPTIONAL },
	{ "invocation", NULL, "Invocation", CELL_OPTIONAL },
	{ "restarts", NULL, "Restarts", CELL_NUMBER },
	{ "type", NULL, "Type", CELL_TEXT },
	{ "wanted", NULL, "Wanted", CELL_BOOL },
	{ "want_reason", NULL, "WantReason", CELL_TEXT },
	{ "wanted_by", NULL, "WantedBy", CELL_TEXT },
	{ "admin", NULL, "Admin", CELL_TEXT },
	{ "cause", NULL, "Cause", CELL_TEXT },
	{ "result", NULL, "Result", CELL_TEXT },
	{ "false_terms", NULL, "FalseTerms", CELL_STRUCTS, term_fields },
	{ "ready_duration_us", NULL, "ReadyDuration", CELL_DURATION },
	{ "problem", NULL, "Problem", CELL_TEXT },
	{ "description", "DESCRIPTION", "Description", CELL_TEXT },
	{ "why", "WHY", "Why", CELL_TEXT },
};

/* The columns on a terminal that has no room for a description. */
#define NARROW_COLUMNS "name,state,policy,pid,why"
enum { NARROW_TERMINAL = 120 };

bool state_is_up(const char *state)
{
	return strcmp(state, "ready") == 0 || strcmp(state, "done") == 0;
}

bool record_is_absent(GVariant *record)
{
	const char *presence = record_text(record, "Presence");

	return *presence && strcmp(presence, "here") != 0;
}

static void unref_record(gpointer record)
{
	g_variant_unref(record);
}

GPtrArray *records_new(void)
{
	return g_ptr_array_new_with_free_func(unref_record);
}

GPtrArray *records_from_reply(GVariant *reply, const char *const *fields)
{
	g_autoptr(GVariant) array = g_variant_get_child_value(reply, 0);
	GPtrArray *records = records_new();

	for (gsize i = 0; i < g_variant_n_children(array); i++)
		g_ptr_array_add(records,
				record_from_tuple(g_variant_get_child_value(array, i), fields));
	return records;
}

GPtrArray *get_records(Context *context, const char *method, GVariant *args, const char *type,
		       const char *const *fields, GError **error)
{
	g_autoptr(GVariant) reply = client_get_manager(context->client, method, args, type, error);

	return reply ? records_from_reply(reply, fields) : NULL;
}

void records_add(GPtrArray *records, GVariantDict *dict)
{
	g_ptr_array_add(records, g_variant_ref_sink(g_variant_dict_end(dict)));
}

void record_add_text(GVariantDict *dict, const char *name, const char *text)
{
	g_autofree char *valid = g_utf8_make_valid(text ? text : "", -1);

	g_variant_dict_insert(dict, name, "s", valid);
}

/* The records in an answer "(aa{sv})". */
static GPtrArray *records_of(GVariant *reply)
{
	g_autoptr(GVariant) array = g_variant_get_child_value(reply, 0);
	GPtrArray *records = records_new();

	for (gsize i = 0; i < g_variant_n_children(array); i++)
		g_ptr_array_add(records, g_variant_get_child_value(array, i));
	return records;
}

GPtrArray *get_services(Context *context, GError **error)
{
	g_autoptr(GVariant) reply =
		client_get_manager(context->client, "ListServices", NULL, "(aa{sv})", error);

	return reply ? records_of(reply) : NULL;
}

GPtrArray *get_services_with(Context *context, const char *properties, GError **error)
{
	g_auto(GStrv) names = g_strsplit(properties, " ", -1);
	g_autoptr(GError) problem = NULL;
	g_autoptr(GVariant)
		reply = client_get(context->client, OBJECT_PATH_SERVICES, INTERFACE_SERVICES,
				   "List", g_variant_new("(^as)", names), "(aa{sv})", &problem);

	if (reply)
		return records_of(reply);
	/* The manager is older than this program, which has been upgraded since. */
	if (error_is_ctl(problem, CTL_ERROR_FAILED) ||
	    g_error_matches(problem, SVCD_ERROR_DOMAIN, SVCD_ERROR_INVALID_ARGUMENT))
		return get_services(context, error);
	g_propagate_error(error, g_steal_pointer(&problem));
	return NULL;
}

bool name_is_pattern(const char *name)
{
	return strpbrk(name, "*?[") != NULL;
}

/*
 * The arguments of the command line, with patterns replaced by the names in @known that they match.
 */
static char **expand_among(const Context *context, const GPtrArray *known, GError **error)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);

	for (unsigned i = 0; i < context->n_names; i++) {
		const guint before = names->len;

		if (!name_is_pattern(context->names[i])) {
			g_ptr_array_add(names, g_strdup(context->names[i]));
			continue;
		}
		for (guint k = 0; k < known->len; k++) {
			if (fnmatch(context->names[i], g_ptr_array_index(known, k), 0) == 0)
				g_ptr_array_add(names, g_strdup(g_ptr_array_index(known, k)));
		}
		if (names->len == before) {
			fail(error, SVCD_ERROR_NO_SUCH_SERVICE, "no service matches %s",
			     context->names[i]);
			return NULL;
		}
	}
	g_ptr_array_add(names, NULL);
	return (char **)g_ptr_array_free(g_steal_pointer(&names), FALSE);
}

bool has_patterns(const Context *context)
{
	for (unsigned i = 0; i < context->n_names; i++) {
		if (name_is_pattern(context->names[i]))
			return true;
	}
	return false;
}

char **expand_names(Context *context, GError **error)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	g_autoptr(GPtrArray)
		records = has_patterns(context) ? get_services_with(context, "Name", error) : NULL;

	if (has_patterns(context) && !records)
		return NULL;
	for (guint i = 0; records && i < records->len; i++)
		g_ptr_array_add(names,
				(gpointer)record_text(g_ptr_array_index(records, i), "Name"));
	return expand_among(context, names, error);
}

char **expand_names_in(const Context *context, const ServiceSet *set, GError **error)
{
	const GPtrArray *all = service_set_list(set);
	g_autoptr(GPtrArray) names = g_ptr_array_new();

	for (guint i = 0; i < all->len; i++)
		g_ptr_array_add(names,
				(gpointer)((const ServiceDef *)g_ptr_array_index(all, i))->name);
	return expand_among(context, names, error);
}

/* --- list --- */

static bool is_listed_name(const GPtrArray *records, const char *name)
{
	for (guint i = 0; i < records->len; i++) {
		if (strcmp(record_text(g_ptr_array_index(records, i), "Name"), name) == 0)
			return true;
	}
	return false;
}

/* Patterns and names; an alias of a service (Provides=) becomes its name. A new strv. */
static char **names_to_list(const Context *context, const GPtrArray *records)
{
	char **names = g_new0(char *, context->n_names + 1);

	for (unsigned i = 0; i < context->n_names; i++) {
		const char *name = context->names[i];
		g_autoptr(GVariant) service = NULL;

		if (!name_is_pattern(name) && !is_listed_name(records, name))
			/* unknown: not listed */
			service = client_service(context->client, name, NULL);
		names[i] = g_strdup(service ? record_text(service, "Name") : name);
	}
	return names;
}

static bool matches_any(char *const *names, const char *name)
{
	for (size_t i = 0; names[i]; i++) {
		if (fnmatch(names[i], name, 0) == 0)
			return true;
	}
	return !names[0];
}

/*
 * Services that are off and not wanted, and those that are not installed, are listed only on
 * request.
 */
static bool is_listed(const Context *context, char *const *names, GVariant *record)
{
	const char *state = record_text(record, "State");

	if (!matches_any(names, record_text(record, "Name")))
		return false;
	if (record_is_absent(record) && !context->options.is_all && context->n_names == 0)
		return false;
	if (context->options.state)
		return strcmp(context->options.state, state) == 0;
	return context->options.is_all || context->n_names > 0 || strcmp(state, "idle") != 0 ||
	       record_number(record, "Wanted") || *record_text(record, "Problem");
}

/*
 * "network:up is false: no default route": the first term that is not true; a new string, or NULL.
 */
static char *first_false_term(GVariant *record)
{
	g_autoptr(GVariant)
		terms = g_variant_lookup_value(record, "FalseTerms", G_VARIANT_TYPE("a(ssss)"));
	const char *text;
	const char *level;
	const char *why;

	if (!terms || g_variant_n_children(terms) == 0)
		return NULL;
	g_variant_get_child(terms, 0, "(&s&s&s&s)", &text, &level, &why, NULL);
	return g_strdup_printf("%s is %s%s%s", text, level, *why ? ": " : "", why);
}

static bool has_text(GVariant *record, const char *property, const char *text)
{
	return strcmp(record_text(record, property), text) == 0;
}

/*
 * The reason why the service is not up, or its problem if it is up; a new string, "" if it is off
 * or in order.
 */
static char *describe_why(GVariant *record)
{
	const char *state = record_text(record, "State");
	char *term;

	if (*record_text(record, "Problem"))
		return g_strdup(record_text(record, "Problem"));
	if (state_is_up(state))
		return g_strdup(
			has_text(record, "Health", "unhealthy") ?
				"unhealthy" :
			has_text(record, "FileState", "changed") ?
				"its file has changed since its start" :
			has_text(record, "FileState", "gone") ?
				"its file is gone" :
			has_text(record, "FileState", "invalid") ?
				"its file has an error, so its earlier settings stay in force" :
				"");
	term = strcmp(state, "waiting") == 0 || record_is_absent(record) ?
		       first_false_term(record) :
		       NULL;
	if (term)
		return term;
	if (strcmp(state, "starting") == 0 ||
	    (strcmp(state, "idle") == 0 && !record_number(record, "Wanted") &&
	     has_text(record, "Admin", "none")))
		return g_strdup("");
	return g_strdup(record_text(record, "Cause"));
}

/* Takes @record. */
static GVariant *add_why(GVariant *record)
{
	g_autoptr(GVariant) own = record;
	g_autofree char *why = describe_why(record);
	GVariantDict dict;

	g_variant_dict_init(&dict, record);
	record_add_text(&dict, "Why", why);
	return g_variant_ref_sink(g_variant_dict_end(&dict));
}

/* The properties that the table shows and is_listed() needs; all of them if more may be shown. */
static GPtrArray *get_list(Context *context, GError **error)
{
	if (context->output.is_json || context->options.columns)
		return get_services(context, error);
	return get_services_with(
		context,
		"Name State Activation MainPid Wanted Presence Problem Description Cause Admin "
		"FalseTerms Health "
		"FileState",
		error);
}

typedef struct Counts {
	unsigned total, up, moving, waiting, off, failed, never, absent, foreign;
} Counts;

static Counts count_services(const GPtrArray *records)
{
	Counts counts = { .total = records->len };

	for (guint i = 0; i < records->len; i++) {
		GVariant *record = g_ptr_array_index(records, i);
		const char *state = record_text(record, "State");

		if (state_is_up(state))
			counts.up++;
		else if (strcmp(state, "failed") == 0)
			counts.failed++;
		else if (has_text(record, "Presence", "not-installed"))
			counts.absent++;
		else if (has_text(record, "Presence", "not-applicable"))
			counts.foreign++;
		else if (strcmp(state, "waiting") == 0)
			counts.waiting++;
		else if (strcmp(state, "idle") != 0)
			counts.moving++;
		else if (strcmp(record_text(record, "Activation"), "never") == 0)
			counts.never++;
		else
			counts.off++;
	}
	return counts;
}

static const char *separator(const Output *output)
{
	return output->is_ascii ? ", " : " · ";
}

static void add_count(const Output *output, GString *line, unsigned count, const char *token)
{
	if (count > 0)
		g_string_append_printf(line, "%s%u %s", line->len > 0 ? separator(output) : "",
				       count, token);
}

/* Prints the number of hidden services, unless names or a state were given. */
static void confirm_rest(Context *context, const GPtrArray *hidden)
{
	const Counts counts = count_services(hidden);
	g_autoptr(GString) line = g_string_new(NULL);

	add_count(&context->output, line, counts.off, "off");
	add_count(&context->output, line, counts.never, "never");
	add_count(&context->output, line, counts.absent, "not installed");
	add_count(&context->output, line, counts.foreign, "not for this machine");
	if (line->len > 0)
		output_confirm(&context->output, "Not shown: %s (svcctl list --all)", line->str);
}

static const char *columns_to_show(const Context *context)
{
	const Output *output = &context->output;

	if (context->options.columns)
		return context->options.columns;
	return output->width > 0 && output->width < NARROW_TERMINAL ? NARROW_COLUMNS : NULL;
}

static bool list_services(Context *context, GError **error)
{
	const char *state = context->options.state;
	g_autoptr(GPtrArray) records =
		!state || output_check_state(state, error) ? get_list(context, error) : NULL;
	g_autoptr(GPtrArray) listed = records_new();
	g_autoptr(GPtrArray) hidden = records_new();
	g_auto(GStrv) names = records ? names_to_list(context, records) : NULL;

	if (!records)
		return false;
	for (guint i = 0; i < records->len; i++) {
		GVariant *record = g_variant_ref(g_ptr_array_index(records, i));

		if (is_listed(context, names, record))
			g_ptr_array_add(listed, add_why(record));
		else
			g_ptr_array_add(hidden, record);
	}
	if (!output_table(&context->output, list_columns, G_N_ELEMENTS(list_columns), listed,
			  columns_to_show(context), error))
		return false;
	if (listed->len == 0 && context->n_names > 0) {
		if (output_check_state(context->names[0], NULL))
			context_hint(context, "svcctl list --state %s", context->names[0]);
		return fail(error, SVCD_ERROR_NO_SUCH_SERVICE, "no service matches %s",
			    context->names[0]);
	}
	if (!context->options.columns && context->n_names == 0 && !context->options.state)
		confirm_rest(context, hidden);
	return true;
}

bool cmd_list(Context *context, GError **error)
{
	if (!context->options.is_unmanaged)
		return list_services(context, error);
	if (context->n_names > 0 || context->options.is_all || context->options.state)
		return fail_ctl(error, CTL_ERROR_USAGE,
				"list --unmanaged takes no PATTERN, --all or --state");
	return list_unmanaged(context, error);
}

/* --- overview --- */

static void print_counts(Output *output, const Counts *counts)
{
	g_autoptr(GString) line = g_string_new(NULL);
	g_autofree char *text = NULL;

	add_count(output, line, counts->up, "up");
	add_count(output, line, counts->moving, "changing");
	add_count(output, line, counts->waiting, "waiting");
	add_count(output, line, counts->off, "off");
	add_count(output, line, counts->failed, "failed");
	add_count(output, line, counts->never, "never");
	add_count(output, line, counts->absent, "not installed");
	add_count(output, line, counts->foreign, "not for this machine");
	text = g_strdup_printf("  %u services: %s", counts->total,
			       line->len > 0 ? line->str : "none");
	output_paragraph(output, CONTINUED, text);
}

static double progress_of(GVariant *boot)
{
	double fraction = 0;

	(void)g_variant_lookup(boot, "Progress", "d", &fraction);
	return fraction;
}

/* "boot finished in 6.4 s, up 2 h 11 min" */
static char *boot_sentence(const Output *output, GVariant *manager, GVariant *boot)
{
	const BootSpans spans = boot_spans_measure(manager, boot, output->now_us);
	g_autofree char *up = text_format_duration(spans.up_us);
	g_autofree char *took = text_format_duration(boot_spans_total(&spans));
	g_autofree char *progress = boot_wait_progress(boot);

	if (record_number(manager, "ShuttingDown"))
		return g_strdup_printf("shutting down, up %s", up);
	if (!record_number(manager, "BootFinished"))
		return g_strdup_printf("booting for %s, %s", took, progress);
	return g_strdup_printf("boot finished in %s, up %s", took, up);
}

static void print_broken(Context *context, const GPtrArray *records)
{
	for (guint i = 0; i < records->len; i++) {
		GVariant *record = g_ptr_array_index(records, i);
		const char *name = record_text(record, "Name");
		const char *state = record_text(record, "State");
		g_autofree char *since = NULL;
		g_autofree char *text = NULL;

		if (strcmp(state, "failed") != 0 && strcmp(state, "backoff") != 0)
			continue;
		since = output_format_time(&context->output,
					   (int64_t)record_number(record, "Since"));
		output_line(&context->output, "%s", "");
		text = g_strdup_printf("%s %s: %s %s: %s",
				       output_symbol(&context->output, state, false), name, state,
				       since, record_text(record, "Cause"));
		output_paragraph(&context->output, CONTINUED, text);
		output_line(&context->output, "  svcctl explain %s", name);
	}
}

static const Column manager_columns[] = {
	{ "version", NULL, "Version", CELL_TEXT },
	{ "runlevel", NULL, "Runlevel", CELL_TEXT },
	{ "previous_runlevel", NULL, "PreviousRunlevel", CELL_TEXT },
	{ "boot_finished", NULL, "BootFinished", CELL_BOOL },
	{ "boot_started_at_us", NULL, "BootStartedAt", CELL_TIME },
	{ "boot_finished_at_us", NULL, "BootFinishedAt", CELL_TIME },
	{ "at_rest", NULL, "AtRest", CELL_BOOL },
	{ "shutting_down", NULL, "ShuttingDown", CELL_BOOL },
	{ "generation", NULL, "Generation", CELL_NUMBER },
	{ "manager_pid", NULL, "ManagerPid", CELL_OPTIONAL },
	{ "manager_started_at_us", NULL, "ManagerStartedAt", CELL_TIME },
	{ "virtualization", NULL, "Virtualization", CELL_TEXT },
	{ "tainted", NULL, "Tainted", CELL_STRINGS },
};

static void overview_to_json(Output *output, GVariant *manager, GVariant *boot,
			     const Counts *counts, const GPtrArray *diagnostics,
			     const char *pending)
{
	JsonNode *node = record_to_json(manager, manager_columns, G_N_ELEMENTS(manager_columns));
	JsonObject *object = json_node_get_object(node);
	JsonObject *numbers = json_object_new();
	const BootSpans spans = boot_spans_measure(manager, boot, output->now_us);

	json_object_set_int_member(object, "boot_total_us", boot_spans_total(&spans));
	json_object_set_double_member(object, "boot_progress", progress_of(boot));
	json_object_set_int_member(object, "boot_remaining_us",
				   (gint64)record_number(boot, "EstimatedRemaining"));
	json_object_set_int_member(numbers, "total", counts->total);
	json_object_set_int_member(numbers, "up", counts->up);
	json_object_set_int_member(numbers, "changing", counts->moving);
	json_object_set_int_member(numbers, "waiting", counts->waiting);
	json_object_set_int_member(numbers, "off", counts->off);
	json_object_set_int_member(numbers, "failed", counts->failed);
	json_object_set_int_member(numbers, "never", counts->never);
	json_object_set_int_member(numbers, "not_installed", counts->absent);
	json_object_set_int_member(numbers, "not_applicable", counts->foreign);
	json_object_set_object_member(object, "services", numbers);
	json_object_set_int_member(object, "diagnostics", diagnostics->len);
	if (pending)
		json_object_set_string_member(object, "pending_shutdown", pending);
	output_set_data(output, node);
}

/* Prints "BEFORE n words AFTER", unless the number is 0. */
static void print_number(Output *output, const char *before, unsigned n, const char *token,
			 const char *after)
{
	g_autofree char *count = output_count(n, token);
	g_autofree char *text = g_strdup_printf("  %s%s%s", before, count, after);

	if (n > 0)
		output_paragraph(output, CONTINUED, text);
}

/*
 * A policy file with an error is not in force, so these errors are printed first. One line per
 * file, with its first error.
 */
static void print_policy_errors(Output *output, const GPtrArray *diagnostics)
{
	const char *last = "";

	for (guint i = 0; i < diagnostics->len; i++) {
		GVariant *record = g_ptr_array_index(diagnostics, i);
		const char *file = record_text(record, "file");
		g_autofree char *text = NULL;

		if (!g_str_has_suffix(file, ".policy") ||
		    strcmp(record_text(record, "level"), "error") != 0 || strcmp(file, last) == 0)
			continue;
		last = file;
		text = g_strdup_printf("%s %s: %s", output_symbol(output, "failed", false), file,
				       record_text(record, "text"));
		output_paragraph(output, CONTINUED, text);
	}
}

static void print_pending_shutdown(Output *output, const char *pending)
{
	g_autofree char *line =
		g_strdup_printf("  %s: svcctl poweroff --cancel cancels it", pending);

	output_paragraph(output, CONTINUED, line);
}

static bool is_booting(GVariant *manager)
{
	return !record_number(manager, "BootFinished") && !record_number(manager, "ShuttingDown");
}

bool cmd_overview(Context *context, GError **error)
{
	Output *output = &context->output;
	g_autoptr(GVariant) manager =
		client_properties(context->client, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, error);
	g_autoptr(GVariant) progress = manager ?
					       client_properties(context->client, OBJECT_PATH_BOOT,
								 INTERFACE_BOOT, error) :
					       NULL;
	g_autoptr(GPtrArray) records = progress ? get_services(context, error) : NULL;
	g_autoptr(GPtrArray) diagnostics = records ? get_diagnostics(context, error) : NULL;
	g_autofree char *pending = context->options.is_user ? NULL : end_later_pending();
	g_autoptr(GVariant) tainted = NULL;
	g_autofree char *boot = NULL;
	g_autofree char *title = NULL;
	Counts counts;

	if (!diagnostics)
		return false;
	counts = count_services(records);
	overview_to_json(output, manager, progress, &counts, diagnostics, pending);
	boot = boot_sentence(output, manager, progress);
	title = g_strdup_printf("svcd %s%srunlevel %s%s%s", record_text(manager, "Version"),
				separator(output), record_text(manager, "Runlevel"),
				separator(output), boot);
	print_policy_errors(output, diagnostics);
	output_paragraph(output, CONTINUED, title);
	if (is_booting(manager) && !boot_wait_print(context, error))
		return false;
	if (pending)
		print_pending_shutdown(output, pending);
	print_counts(output, &counts);
	print_number(output, "the manager was replaced ",
		     (unsigned)record_number(manager, "Generation"), "time", " since the boot");
	tainted = g_variant_lookup_value(manager, "Tainted", G_VARIANT_TYPE_STRING_ARRAY);
	for (gsize i = 0; tainted && i < g_variant_n_children(tainted); i++) {
		const char *sentence;
		g_autofree char *text = NULL;

		g_variant_get_child(tainted, i, "&s", &sentence);
		text = g_strdup_printf("  %s", sentence);
		output_paragraph(output, CONTINUED, text);
	}
	if (!context->options.is_user && doctor_is_replaced(manager))
		output_paragraph(
			output, CONTINUED,
			"  svcd was replaced on disk, and the old version still runs: svcctl "
			"reexec");
	print_number(output, "", diagnostics->len, "problem",
		     " in service and policy files: svcctl explain");
	print_broken(context, records);
	if (!context->options.is_user &&
	    g_file_test("/run/svcd/generated/" POLICY_EDIT_SYSV_OFFERED, G_FILE_TEST_EXISTS))
		output_paragraph(output, CONTINUED, "  " POLICY_EDIT_SYSV_OFFER);
	return true;
}
