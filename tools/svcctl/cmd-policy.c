/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * policy: what the machine wants, which file decides it, and the history of changes.
 */
#include "config.h"

#include <pwd.h>
#include <string.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/text.h"
#include "bus/names.h"
#include "policy-edit/policy-edit.h"
#include "svcctl/policy-change.h"

/* --- records --- */

/* Rows as a member of @object, or of the document itself; prints nothing. */
static JsonArray *records_to_json(const GPtrArray *records, const Column *columns,
				  unsigned n_columns)
{
	JsonArray *array = json_array_new();

	for (guint i = 0; i < records->len; i++)
		json_array_add_element(array, record_to_json(g_ptr_array_index(records, i), columns,
							     n_columns));
	return array;
}

/*
 * The runlevel that --runlevel names, or that the machine is in, or the default one if svcd does
 * not run here. A new string, NULL with @error.
 */
static char *runlevel_to_show(Context *context, const Policy *policy, GError **error)
{
	const char *requested = context->options.runlevel;
	g_autoptr(GVariant)
		manager = requested || context->options.root ?
				  NULL :
				  client_properties(context->client, OBJECT_PATH_MANAGER,
						    INTERFACE_MANAGER, NULL);
	const char *runlevel = requested ? requested :
			       manager   ? record_text(manager, "Runlevel") :
					   "";
	const char *known = *runlevel ? policy_find_runlevel(policy, runlevel) : NULL;

	if (requested && !known) {
		fail(error, SVCD_ERROR_INVALID_ARGUMENT, "there is no runlevel \"%s\"", requested);
		return NULL;
	}
	return g_strdup(known ? known : policy_default_runlevel(policy, NULL));
}

/* --- policy NAME --- */

static const Column statement_columns[] = {
	{ "section", "SECTION", "Section", CELL_TEXT }, { "key", "KEY", "Key", CELL_TEXT },
	{ "value", "VALUE", "Value", CELL_TEXT },       { "layer", "LAYER", "Layer", CELL_TEXT },
	{ "origin", "ORIGIN", "Origin", CELL_TEXT },    { "decides", NULL, "Decides", CELL_BOOL },
	{ "counts", NULL, "Counts", CELL_BOOL },        { "force", "IN FORCE", "Force", CELL_TEXT },
};

/* An entry of Runlevels= may concern a runlevel other than @runlevel. */
static const char *describe_force(const PolicyStatement *statement, const char *runlevel)
{
	const char *about = statement->value + (*statement->value == '-');

	if (statement->decides)
		return "yes";
	return strcmp(statement->key, "Runlevels") == 0 && *about && strcmp(about, runlevel) != 0 ?
		       "elsewhere" :
		       "overruled";
}

static void add_statement(GPtrArray *records, const PolicyStatement *statement,
			  const char *runlevel)
{
	g_autofree char *section = g_strconcat(statement->section, *statement->argument ? " " : "",
					       statement->argument, NULL);
	g_autofree char *origin = origin_format(statement->origin);
	GVariantDict dict;

	g_variant_dict_init(&dict, NULL);
	record_add_text(&dict, "Section", section);
	record_add_text(&dict, "Key", statement->key);
	record_add_text(&dict, "Value", statement->value);
	record_add_text(&dict, "Layer", policy_layer_name(statement->layer));
	record_add_text(&dict, "Origin", origin);
	g_variant_dict_insert(&dict, "Decides", "b", (gboolean)statement->decides);
	g_variant_dict_insert(&dict, "Counts", "b", (gboolean)statement->counts);
	record_add_text(&dict, "Force", describe_force(statement, runlevel));
	records_add(records, &dict);
}

/* The file and line; without a file the value is built in. */
static char *origin_text(Origin origin)
{
	return origin.file ? origin_format(origin) : g_strdup("built-in");
}

static void print_decision(Output *output, const char *service, const char *runlevel,
			   const PolicyDecision *decision)
{
	g_autofree char *at = origin_text(decision->activation_origin);
	g_autofree char *wanted = NULL;
	g_autofree char *text = NULL;

	if (decision->activation == ACTIVATION_BOOT && decision->in_runlevel) {
		g_autofree char *where = origin_text(decision->runlevel_origin);

		wanted = g_strdup_printf("wanted in runlevel %s (%s)", runlevel, where);
	} else if (decision->activation == ACTIVATION_BOOT) {
		wanted = g_strdup_printf("not wanted in runlevel %s", runlevel);
	} else {
		wanted = g_strdup("no runlevel starts it");
	}
	text = g_strdup_printf("%s: %s (%s%s), %s", service, activation_name(decision->activation),
			       at, decision->is_default ? ": no policy names it" : "", wanted);
	output_paragraph(output, 0, text);
}

static JsonObject *decision_to_json(const char *service, const char *runlevel,
				    const PolicyDecision *decision)
{
	g_autofree char *where = origin_text(decision->activation_origin);
	JsonObject *object = json_object_new();

	json_object_set_string_member(object, "name", service);
	json_object_set_string_member(object, "runlevel", runlevel);
	json_object_set_string_member(object, "activation", activation_name(decision->activation));
	json_object_set_string_member(object, "activation_origin", where);
	json_object_set_boolean_member(object, "is_default", decision->is_default);
	json_object_set_boolean_member(object, "in_runlevel",
				       decision->activation == ACTIVATION_BOOT &&
					       decision->in_runlevel);
	return object;
}

/* Does a policy file name @name? It may do so before the service exists. */
static bool is_named(const Policy *policy, const char *name)
{
	g_autoptr(GPtrArray) refs = policy_named_refs(policy);

	for (guint i = 0; i < refs->len; i++) {
		if (strcmp(((const NameRef *)g_ptr_array_index(refs, i))->name, name) == 0)
			return true;
	}
	return false;
}

/* In text output, one line replaces all entries that do not count: those of the rc links. */
static bool print_statements(Context *context, const GPtrArray *records, GError **error)
{
	g_autoptr(GPtrArray) counted = records_new();
	Output *output = &context->output;

	for (guint i = 0; i < records->len; i++) {
		GVariant *record = g_ptr_array_index(records, i);

		if (record_number(record, "Counts"))
			g_ptr_array_add(counted, g_variant_ref(record));
	}
	if (counted->len > 0 &&
	    !output_table(output, statement_columns, G_N_ELEMENTS(statement_columns), counted,
			  context->options.columns, error))
		return false;
	if (counted->len < records->len)
		output_line(output, "the links in /etc/rc?.d are not counted: RcLinks=no");
	return true;
}

static bool show_service(Context *context, const char *name, GError **error)
{
	const char *const names[] = { name, NULL };
	g_autoptr(Configuration)
		configuration = context_load(context, names, CONTEXT_LOAD_STATEMENTS);
	const ServiceDef *def = service_set_find(configuration->set, name);
	g_autofree char *runlevel = runlevel_to_show(context, configuration->policy, error);
	g_autoptr(GPtrArray) statements = NULL;
	g_autoptr(GPtrArray) records = records_new();
	PolicyDecision decision;
	JsonObject *object;

	if (!runlevel)
		return false;
	if (!def && !is_named(configuration->policy, name))
		return fail(error, SVCD_ERROR_NO_SUCH_SERVICE,
			    "no file describes a service named %s", name);
	if (def)
		name = def->name;
	else
		output_line(
			&context->output,
			"no file describes a service named %s yet; its policy takes effect when "
			"one does",
			name);
	policy_decide(configuration->policy, name, runlevel, &decision);
	statements = policy_statements(configuration->policy, name, runlevel);
	for (guint i = 0; i < statements->len; i++)
		add_statement(records, g_ptr_array_index(statements, i), runlevel);
	print_decision(&context->output, name, runlevel, &decision);
	if (!context->output.is_json && !print_statements(context, records, error))
		return false;
	object = decision_to_json(name, runlevel, &decision);
	json_object_set_array_member(object, "statements",
				     records_to_json(records, statement_columns,
						     G_N_ELEMENTS(statement_columns) - 1));
	output_set_object(&context->output, object);
	return true;
}

/* --- policy: the whole machine --- */

static const Column machine_columns[] = {
	{ "name", "NAME", "Name", CELL_TEXT },
	{ "activation", "POLICY", "Activation", CELL_TEXT },
	{ "wanted", NULL, "Wanted", CELL_BOOL },
	{ "why", "WHY", "Why", CELL_TEXT },
	{ "vendor", "VENDOR SETS", "Vendor", CELL_TEXT },
	{ "origin", "ORIGIN", "Origin", CELL_TEXT },
};

typedef struct Machine {
	const Configuration *configuration;
	const Configuration *vendor;
	GHashTable *wanted; /* name -> needer or "" */
	const char *runlevel;
} Machine;

/* The setting that keeps it off; a new string. */
static char *describe_off(const Machine *machine, const PolicyDecision *decision)
{
	if (decision->activation == ACTIVATION_BOOT)
		return g_strdup_printf("off: not in runlevel %s", machine->runlevel);
	if (decision->is_default)
		return g_strdup("off: no policy names it");
	return g_strdup_printf(
		"off: Activation=%s%s", activation_name(decision->activation),
		decision->activation == ACTIVATION_ON_DEMAND ? ", and nothing needs it" : "");
}

/* Why it is wanted or not, followed by the text of Reason=; a new string. */
static char *describe_want(const Machine *machine, const char *service,
			   const PolicyDecision *decision)
{
	const char *needer = g_hash_table_lookup(machine->wanted, service);
	const PolicyService *policy = policy_service(machine->configuration->policy, service);
	g_autofree char *setting = NULL;

	if (needer && *needer)
		return g_strdup_printf("needed by %s", needer);
	setting = needer ? g_strdup_printf("wanted in runlevel %s", machine->runlevel) :
			   describe_off(machine, decision);
	return policy && policy->reason ? g_strdup_printf("%s (%s)", setting, policy->reason) :
					  g_steal_pointer(&setting);
}

/* The vendor's decision if it is different, otherwise "". A new string. */
static char *describe_vendor(const Machine *machine, const char *service,
			     const PolicyDecision *decision)
{
	PolicyDecision vendor;
	bool is_same;

	policy_decide(machine->vendor->policy, service, machine->runlevel, &vendor);
	is_same = vendor.activation == decision->activation &&
		  (vendor.activation != ACTIVATION_BOOT ||
		   vendor.in_runlevel == decision->in_runlevel);
	if (is_same)
		return g_strdup("");
	if (vendor.activation != ACTIVATION_BOOT)
		return g_strdup(activation_name(vendor.activation));
	return g_strdup(vendor.in_runlevel ? "boot" : "boot in other runlevels");
}

/* Returns: whether it is listed without --all. */
static bool add_service(GPtrArray *records, const Machine *machine, const char *service,
			bool shows_all)
{
	const bool is_wanted = g_hash_table_contains(machine->wanted, service);
	g_autofree char *origin = NULL;
	g_autofree char *vendor = NULL;
	g_autofree char *why = NULL;
	PolicyDecision decision;
	GVariantDict dict;

	policy_decide(machine->configuration->policy, service, machine->runlevel, &decision);
	vendor = describe_vendor(machine, service, &decision);
	if (!shows_all && !is_wanted && decision.is_default && !*vendor)
		return false;
	origin = origin_text(is_wanted && decision.in_runlevel ? decision.runlevel_origin :
								 decision.activation_origin);
	why = describe_want(machine, service, &decision);
	g_variant_dict_init(&dict, NULL);
	record_add_text(&dict, "Name", service);
	record_add_text(&dict, "Activation", activation_name(decision.activation));
	g_variant_dict_insert(&dict, "Wanted", "b", (gboolean)is_wanted);
	record_add_text(&dict, "Why", why);
	record_add_text(&dict, "Origin", origin);
	record_add_text(&dict, "Vendor", vendor);
	records_add(records, &dict);
	return true;
}

static void print_runlevel(Output *output, const Policy *policy, const char *runlevel)
{
	Origin origin = { 0 };
	const char *boot = policy_default_runlevel(policy, &origin);
	const char *title = policy_runlevel_title(policy, runlevel);
	g_autofree char *where = origin_text(origin);
	const bool has_title = strcmp(title, runlevel) != 0;
	g_autofree char *text = g_strdup_printf("runlevel %s%s%s%s; the machine boots into %s (%s)",
						runlevel, has_title ? " (" : "",
						has_title ? title : "", has_title ? ")" : "", boot,
						where);

	output_paragraph(output, 0, text);
	if (policy_rc_links(policy, &origin)) {
		g_autofree char *decided = origin_text(origin);

		output_line(output, "the links in /etc/rc?.d count (RcLinks=yes, %s)", decided);
	}
}

/* A machine with a policy of its own gets no offer. */
static void offer_import(Context *context, JsonObject *object)
{
	const bool is_offered = !context->options.is_user &&
				policy_sysv_is_offered(context_root(context));

	json_object_set_boolean_member(object, "sysv_import_offered", is_offered);
	if (is_offered)
		output_confirm(&context->output, "%s", POLICY_EDIT_SYSV_OFFER);
}

static bool show_machine(Context *context, GError **error)
{
	g_autoptr(Configuration) configuration = context_load(context, NULL, 0);
	g_autoptr(Configuration) vendor = context_load_vendor(context, NULL);
	g_autofree char *runlevel = runlevel_to_show(context, configuration->policy, error);
	g_autoptr(GHashTable) wanted = runlevel ? wanted_in(configuration, runlevel) : NULL;
	const Machine machine = { configuration, vendor, wanted, runlevel };
	const GPtrArray *all = service_set_list(configuration->set);
	g_autoptr(GPtrArray) records = records_new();
	unsigned n_left_out = 0;
	JsonObject *object;

	if (!runlevel)
		return false;
	for (guint i = 0; i < all->len; i++) {
		const ServiceDef *def = g_ptr_array_index(all, i);

		if (!add_service(records, &machine, def->name,
				 context->options.is_all || context->output.is_json))
			n_left_out++;
	}
	print_runlevel(&context->output, configuration->policy, runlevel);
	if (!context->output.is_json &&
	    !output_table(&context->output, machine_columns, G_N_ELEMENTS(machine_columns), records,
			  context->options.columns, error))
		return false;
	if (n_left_out > 0)
		output_confirm(&context->output, "Not shown: %u in no policy (svcctl policy --all)",
			       n_left_out);
	object = json_object_new();
	json_object_set_string_member(object, "runlevel", runlevel);
	json_object_set_boolean_member(object, "rc_links",
				       policy_rc_links(configuration->policy, NULL));
	json_object_set_string_member(object, "boots_into",
				      policy_default_runlevel(configuration->policy, NULL));
	json_object_set_array_member(object, "services",
				     records_to_json(records, machine_columns,
						     G_N_ELEMENTS(machine_columns)));
	offer_import(context, object);
	output_set_object(&context->output, object);
	return true;
}

/* --- policy log, undo, import --- */

static const Column log_columns[] = {
	{ "step", "STEP", "Step", CELL_NUMBER },
	{ "at", "WHEN", "At", CELL_TEXT },
	{ "uid", NULL, "Uid", CELL_NUMBER },
	{ "user", "USER", "User", CELL_TEXT },
	{ "command", "COMMAND", "Command", CELL_TEXT },
	{ "undoes", "UNDOES", "Undoes", CELL_OPTIONAL },
	{ "files", NULL, "Files", CELL_STRINGS },
};

static char *user_name(uid_t uid)
{
	const struct passwd *entry = getpwuid(uid);

	return entry ? g_strdup(entry->pw_name) : g_strdup_printf("%u", uid);
}

static void add_step(GPtrArray *records, const HistoryStep *step)
{
	g_autoptr(GDateTime) at = g_date_time_new_from_unix_local(step->at_us / G_USEC_PER_SEC);
	g_autofree char *text = at ? g_date_time_format(at, "%Y-%m-%d %H:%M:%S") : g_strdup("");
	g_autofree char *user = user_name(step->uid);
	GVariantDict dict;

	g_variant_dict_init(&dict, NULL);
	g_variant_dict_insert(&dict, "Step", "t", (guint64)step->number);
	record_add_text(&dict, "At", text);
	g_variant_dict_insert(&dict, "Uid", "u", (guint32)step->uid);
	record_add_text(&dict, "User", user);
	record_add_text(&dict, "Command", step->command);
	g_variant_dict_insert(&dict, "Undoes", "t", (guint64)step->undoes);
	g_variant_dict_insert(&dict, "Files", "^as", step->paths);
	records_add(records, &dict);
}

static void report_remarks(Context *context, const DiagList *remarks)
{
	for (unsigned i = 0; i < diag_list_length(remarks); i++) {
		g_autofree char *line = diag_format(diag_list_get(remarks, i));

		output_confirm(&context->output, "%s", line);
	}
}

static bool show_log(Context *context, GError **error)
{
	g_autoptr(DiagList) problems = diag_list_new();
	g_autoptr(GPtrArray) steps = history_list(context_root(context), problems, error);
	g_autoptr(GPtrArray) records = records_new();

	if (!steps) {
		context_hint(context, "sudo svcctl policy log");
		return false;
	}
	report_remarks(context, problems);
	for (guint i = 0; i < steps->len; i++)
		add_step(records, g_ptr_array_index(steps, i));
	if (steps->len == 0 && !context->output.is_json) {
		output_confirm(&context->output, "svcctl has not changed anything yet");
		return true;
	}
	return output_table(&context->output, log_columns, G_N_ELEMENTS(log_columns), records,
			    context->options.columns, error);
}

/* A change that does not concern a single service. */
static bool commit_and_report(Context *context, Change *change, const char *headline,
			      GError **error)
{
	g_auto(Outcome) outcome = { 0 };
	JsonObject *object;

	if (!policy_change_commit(context, change, NULL, &outcome, error))
		return false;
	output_confirm(&context->output, "%s", headline);
	outcome_print(context, &outcome);
	object = json_object_new();
	outcome_to_json(&outcome, context, object);
	output_set_object(&context->output, object);
	return true;
}

/* "step 4 is undone: svcctl enable web"; a new string. */
static char *undone_text(const Context *context, uint64_t number)
{
	g_autoptr(DiagList) problems = diag_list_new(); /* svcctl policy log reports them */
	g_autoptr(GPtrArray) steps = history_list(context_root(context), problems, NULL);
	const char *command = "";

	for (guint i = 0; steps && i < steps->len; i++) {
		const HistoryStep *step = g_ptr_array_index(steps, i);

		if (step->number == number)
			command = step->command;
	}
	return g_strdup_printf("step %" G_GUINT64_FORMAT " %s undone: %s", number,
			       context->options.is_dry_run ? "would be" : "is", command);
}

static bool undo_step(Context *context, GError **error)
{
	g_autofree char *headline = NULL;
	g_autoptr(Change) change = NULL;
	uint64_t number = 0;
	bool is_done = false;

	if (context->n_names == 1 &&
	    (!text_parse_uint(context->names[0], 10, INT64_MAX, &number) || number == 0))
		return fail_ctl(error, CTL_ERROR_USAGE, "undo: \"%s\" is not the number of a step",
				context->names[0]);
	if (context->options.is_user || context->options.is_until_reboot)
		return fail_ctl(error, CTL_ERROR_USAGE,
				"undo: name a service, because %s have no history",
				context->options.is_user ? "your own files" :
							   "settings until the next boot");
	if (!policy_hand_over(context, &is_done, error) || is_done)
		return is_done;
	change = history_undo(context_root(context), number, error);
	if (change)
		change_set_overlay(change, context->overlay);
	if (!change) {
		context_hint(context, "svcctl policy log");
		return false;
	}
	headline = undone_text(context, change_undoes(change));
	return commit_and_report(context, change, headline, error);
}

static bool is_number(const char *token)
{
	return *token && token[strspn(token, "0123456789")] == '\0';
}

bool cmd_undo(Context *context, GError **error)
{
	if (context->n_names > 1 || (context->n_names == 1 && !is_number(context->names[0])))
		return policy_revert(context, error);
	return undo_step(context, error);
}

/* Links without a matching service are reported, and are not errors. */
bool cmd_import_sysv(Context *context, GError **error)
{
	g_autoptr(DiagList) remarks = diag_list_new();
	g_autoptr(Change) change = policy_change_new(context);

	if (geteuid() != 0 && !context->options.root && !context->options.is_dry_run)
		return fail(error, SVCD_ERROR_NOT_AUTHORIZED, "only root may change policy");
	if (context->options.is_none)
		return policy_decline_sysv(change, error) &&
		       commit_and_report(
			       context, change,
			       "the links in /etc/rc?.d are not policy, and are not offered again",
			       error);
	if (!policy_import_sysv(change, remarks, error))
		return false;
	report_remarks(context, remarks);
	return commit_and_report(context, change, "the links in /etc/rc?.d are policy", error);
}

/* Arguments that are not names of services. */
static const struct {
	const char *token;
	bool (*run)(Context *context, GError **error);
	bool writes;
} policy_fields[] = {
	{ "log", show_log, false },
	{ "presets", policy_presets, true },
};

bool cmd_policy(Context *context, GError **error)
{
	const char *token = context->n_names > 0 ? context->names[0] : NULL;

	if (!token)
		return show_machine(context, error);
	for (size_t i = 0; i < G_N_ELEMENTS(policy_fields); i++) {
		if (strcmp(policy_fields[i].token, token) == 0 && context->options.is_user)
			return fail_ctl(
				error, CTL_ERROR_USAGE,
				"policy %s does not work with --user: your own files have no "
				"history",
				token);
		if (strcmp(policy_fields[i].token, token) == 0 &&
		    (policy_fields[i].writes || !context->options.is_dry_run))
			return policy_fields[i].run(context, error);
	}
	if (context->options.is_dry_run)
		return fail_ctl(error, CTL_ERROR_USAGE,
				"policy: --dry-run works only with presets");
	if (context->n_names > 1)
		return fail_ctl(error, CTL_ERROR_USAGE, "policy takes one service");
	return show_service(context, token, error);
}
