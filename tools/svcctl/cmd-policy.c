/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * policy: what the machine wants, who said so, and what was changed when. diff: what our files say differently.
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

static void add_text(GVariantDict *dict, const char *name, const char *text)
{
	g_autofree char *valid = g_utf8_make_valid(text ? text : "", -1);

	g_variant_dict_insert(dict, name, "s", valid);
}

static void add_record(GPtrArray *records, GVariantDict *dict)
{
	g_ptr_array_add(records, g_variant_ref_sink(g_variant_dict_end(dict)));
}

/* Rows as a member of @object, or of the document itself; nothing is printed by this. */
static JsonArray *records_to_json(const GPtrArray *records, const Column *columns, unsigned n_columns)
{
	JsonArray *array = json_array_new();

	for (guint i = 0; i < records->len; i++)
		json_array_add_element(array, record_to_json(g_ptr_array_index(records, i), columns, n_columns));
	return array;
}

static void set_object(Output *output, JsonObject *object)
{
	output_set_data(output, json_node_init_object(json_node_alloc(), object));
	json_object_unref(object);
}

/* The same files without those of the admin and of this boot. */
static Configuration *load_vendor(const Context *context, const char *const *names)
{
	const LoaderOptions options = { .root = context->options.root, .any_owner = context->options.root != NULL,
					.without_local_files = true };

	return configuration_load(&options, names);
}

/*
 * The one that --runlevel names; of the running machine; of one that does not run, what it boots into. A new string, NULL
 * with @error.
 */
static char *runlevel_to_show(Context *context, const Policy *policy, GError **error)
{
	const char *asked = context->options.runlevel;
	g_autoptr(GVariant) manager = asked || context->options.root
					      ? NULL
					      : client_properties(context->client, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, NULL);
	const char *runlevel = asked ? asked : manager ? record_text(manager, "Runlevel") : "";
	const char *known = *runlevel ? policy_find_runlevel(policy, runlevel) : NULL;

	if (asked && !known) {
		fail(error, SVCD_ERROR_INVALID_ARGUMENT, "there is no runlevel \"%s\"", asked);
		return NULL;
	}
	return g_strdup(known ? known : policy_default_runlevel(policy, NULL));
}

/* --- policy NAME --- */

static const Column statement_columns[] = {
	{ "section", "SECTION", "Section", CELL_TEXT },
	{ "key", "KEY", "Key", CELL_TEXT },
	{ "value", "VALUE", "Value", CELL_TEXT },
	{ "layer", "LAYER", "Layer", CELL_TEXT },
	{ "origin", "ORIGIN", "Origin", CELL_TEXT },
	{ "decides", NULL, "Decides", CELL_BOOL },
	{ "force", "IN FORCE", "Force", CELL_TEXT },
};

/* A word of Runlevels= may be about another runlevel than the one that is looked at. */
static const char *describe_force(const PolicyStatement *statement, const char *runlevel)
{
	const char *about = statement->value + (*statement->value == '-');

	if (statement->decides)
		return "yes";
	return strcmp(statement->key, "Runlevels") == 0 && *about && strcmp(about, runlevel) != 0 ? "elsewhere" : "overruled";
}

static void add_statement(GPtrArray *records, const PolicyStatement *statement, const char *runlevel)
{
	g_autofree char *section = g_strconcat(statement->section, *statement->argument ? " " : "", statement->argument, NULL);
	g_autofree char *origin = origin_format(statement->origin);
	GVariantDict dict;

	g_variant_dict_init(&dict, NULL);
	add_text(&dict, "Section", section);
	add_text(&dict, "Key", statement->key);
	add_text(&dict, "Value", statement->value);
	add_text(&dict, "Layer", policy_layer_name(statement->layer));
	add_text(&dict, "Origin", origin);
	g_variant_dict_insert(&dict, "Decides", "b", (gboolean)statement->decides);
	add_text(&dict, "Force", describe_force(statement, runlevel));
	add_record(records, &dict);
}

/* Where it is written; without a file it is built in. */
static char *place_of(Origin origin)
{
	return origin.file ? origin_format(origin) : g_strdup("built-in");
}

static void print_decision(Output *output, const char *service, const char *runlevel, const PolicyDecision *decision)
{
	g_autofree char *place = place_of(decision->activation_origin);
	g_autofree char *wanted = NULL;

	if (decision->activation == ACTIVATION_BOOT && decision->in_runlevel) {
		g_autofree char *where = place_of(decision->runlevel_origin);

		wanted = g_strdup_printf("wanted in runlevel %s (%s)", runlevel, where);
	} else if (decision->activation == ACTIVATION_BOOT) {
		wanted = g_strdup_printf("not wanted in runlevel %s", runlevel);
	} else {
		wanted = g_strdup("no runlevel starts it");
	}
	output_line(output, "%s: %s (%s%s), %s", service, activation_name(decision->activation), place,
		    decision->is_default ? ": nobody names it" : "", wanted);
}

static JsonObject *decision_to_json(const char *service, const char *runlevel, const PolicyDecision *decision)
{
	g_autofree char *place = place_of(decision->activation_origin);
	JsonObject *object = json_object_new();

	json_object_set_string_member(object, "name", service);
	json_object_set_string_member(object, "runlevel", runlevel);
	json_object_set_string_member(object, "activation", activation_name(decision->activation));
	json_object_set_string_member(object, "activation_origin", place);
	json_object_set_boolean_member(object, "is_default", decision->is_default);
	json_object_set_boolean_member(object, "in_runlevel",
				       decision->activation == ACTIVATION_BOOT && decision->in_runlevel);
	return object;
}

static bool show_service(Context *context, const char *name, GError **error)
{
	const char *const names[] = { name, NULL };
	g_autoptr(Configuration) configuration = context_load(context, names, true);
	const ServiceDef *def = service_set_find(configuration->set, name);
	g_autofree char *runlevel = runlevel_to_show(context, configuration->policy, error);
	g_autoptr(GPtrArray) statements = NULL;
	g_autoptr(GPtrArray) records = records_new();
	PolicyDecision decision;
	JsonObject *object;

	if (!runlevel)
		return false;
	if (!def)
		return fail(error, SVCD_ERROR_NO_SUCH_SERVICE, "no file describes a service named %s", name);
	policy_decide(configuration->policy, def->name, runlevel, &decision);
	statements = policy_statements(configuration->policy, def->name, runlevel);
	for (guint i = 0; i < statements->len; i++)
		add_statement(records, g_ptr_array_index(statements, i), runlevel);
	print_decision(&context->output, def->name, runlevel, &decision);
	if (!context->output.is_json && records->len > 0 &&
	    !output_table(&context->output, statement_columns, G_N_ELEMENTS(statement_columns), records, NULL, error))
		return false;
	object = decision_to_json(def->name, runlevel, &decision);
	json_object_set_array_member(object, "statements",
				     records_to_json(records, statement_columns, G_N_ELEMENTS(statement_columns) - 1));
	set_object(&context->output, object);
	return true;
}

/* --- policy: the whole machine --- */

static const Column machine_columns[] = {
	{ "name", "NAME", "Name", CELL_TEXT },
	{ "activation", "POLICY", "Activation", CELL_TEXT },
	{ "wanted", NULL, "Wanted", CELL_BOOL },
	{ "why", "WHY", "Why", CELL_TEXT },
	{ "vendor", "VENDOR SAYS", "Vendor", CELL_TEXT },
	{ "origin", "ORIGIN", "Origin", CELL_TEXT },
};

typedef struct Machine {
	const Configuration *configuration;
	const Configuration *vendor;
	GHashTable *wanted; /* name -> needer or "" */
	const char *runlevel;
} Machine;

/* Why it is wanted or not; a new string. */
static char *describe_want(const Machine *machine, const char *service, const PolicyDecision *decision)
{
	const char *needer = g_hash_table_lookup(machine->wanted, service);
	const PolicyService *words = policy_service(machine->configuration->policy, service);

	if (needer && !*needer)
		return g_strdup_printf("wanted in runlevel %s", machine->runlevel);
	if (needer)
		return g_strdup_printf("needed by %s", needer);
	if (words && words->reason)
		return g_strdup_printf("off: %s", words->reason);
	if (decision->activation == ACTIVATION_BOOT)
		return g_strdup_printf("off: not in runlevel %s", machine->runlevel);
	return g_strdup(decision->is_default ? "off: nobody names it" : "off");
}

/* What the vendor says if that is something else, else "". A new string. */
static char *describe_vendor(const Machine *machine, const char *service, const PolicyDecision *decision)
{
	PolicyDecision vendor;
	bool is_same;

	policy_decide(machine->vendor->policy, service, machine->runlevel, &vendor);
	is_same = vendor.activation == decision->activation &&
		  (vendor.activation != ACTIVATION_BOOT || vendor.in_runlevel == decision->in_runlevel);
	if (is_same)
		return g_strdup("");
	if (vendor.activation != ACTIVATION_BOOT)
		return g_strdup(activation_name(vendor.activation));
	return g_strdup(vendor.in_runlevel ? "boot" : "boot elsewhere");
}

/* Returns: whether it is worth a line without --all. */
static bool add_service(GPtrArray *records, const Machine *machine, const char *service, bool shows_all)
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
	origin = place_of(is_wanted && decision.in_runlevel ? decision.runlevel_origin : decision.activation_origin);
	why = describe_want(machine, service, &decision);
	g_variant_dict_init(&dict, NULL);
	add_text(&dict, "Name", service);
	add_text(&dict, "Activation", activation_name(decision.activation));
	g_variant_dict_insert(&dict, "Wanted", "b", (gboolean)is_wanted);
	add_text(&dict, "Why", why);
	add_text(&dict, "Origin", origin);
	add_text(&dict, "Vendor", vendor);
	add_record(records, &dict);
	return true;
}

static void print_runlevel(Output *output, const Policy *policy, const char *runlevel)
{
	Origin origin = { 0 };
	const char *boot = policy_default_runlevel(policy, &origin);
	const char *title = policy_runlevel_title(policy, runlevel);
	g_autofree char *place = place_of(origin);
	const bool has_title = strcmp(title, runlevel) != 0;

	output_line(output, "runlevel %s%s%s%s; the machine boots into %s (%s)", runlevel, has_title ? " (" : "",
		    has_title ? title : "", has_title ? ")" : "", boot, place);
}

static bool show_machine(Context *context, GError **error)
{
	g_autoptr(Configuration) configuration = context_load(context, NULL, false);
	g_autoptr(Configuration) vendor = load_vendor(context, NULL);
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

		if (!add_service(records, &machine, def->name, context->options.is_all || context->output.is_json))
			n_left_out++;
	}
	print_runlevel(&context->output, configuration->policy, runlevel);
	if (!context->output.is_json &&
	    !output_table(&context->output, machine_columns, G_N_ELEMENTS(machine_columns), records, NULL, error))
		return false;
	if (n_left_out > 0)
		output_confirm(&context->output, "%u more are named by nobody: svcctl policy --all", n_left_out);
	object = json_object_new();
	json_object_set_string_member(object, "runlevel", runlevel);
	json_object_set_string_member(object, "boots_into", policy_default_runlevel(configuration->policy, NULL));
	json_object_set_array_member(object, "services",
				     records_to_json(records, machine_columns, G_N_ELEMENTS(machine_columns)));
	set_object(&context->output, object);
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
	add_text(&dict, "At", text);
	g_variant_dict_insert(&dict, "Uid", "u", (guint32)step->uid);
	add_text(&dict, "User", user);
	add_text(&dict, "Command", step->command);
	g_variant_dict_insert(&dict, "Undoes", "t", (guint64)step->undoes);
	g_variant_dict_insert(&dict, "Files", "^as", step->paths);
	add_record(records, &dict);
}

static const char *root_of(const Context *context)
{
	return context->options.root ? context->options.root : "";
}

static bool show_log(Context *context, GError **error)
{
	g_autoptr(DiagList) problems = diag_list_new();
	g_autoptr(GPtrArray) steps = history_list(root_of(context), problems);
	g_autoptr(GPtrArray) records = records_new();

	for (unsigned i = 0; i < diag_list_length(problems); i++) {
		g_autofree char *line = diag_format(diag_list_get(problems, i));

		output_confirm(&context->output, "%s", line);
	}
	for (guint i = 0; i < steps->len; i++)
		add_step(records, g_ptr_array_index(steps, i));
	if (steps->len == 0 && !context->output.is_json) {
		output_confirm(&context->output, "svcctl has changed nothing yet");
		return true;
	}
	return output_table(&context->output, log_columns, G_N_ELEMENTS(log_columns), records, context->options.columns,
			    error);
}

/* A change that is not about one service. */
static bool commit_and_tell(Context *context, Change *change, const char *headline, GError **error)
{
	g_auto(Outcome) outcome = { 0 };
	JsonObject *object;

	if (!policy_change_commit(context, change, &outcome, error))
		return false;
	output_confirm(&context->output, "%s", headline);
	outcome_print(context, &outcome);
	object = json_object_new();
	outcome_to_json(&outcome, context, object);
	set_object(&context->output, object);
	return true;
}

static bool undo(Context *context, GError **error)
{
	g_autofree char *headline = NULL;
	g_autoptr(Change) change = NULL;
	uint64_t number = 0;
	bool is_done = false;

	if (context->n_names > 2)
		return fail_ctl(error, CTL_ERROR_USAGE, "policy undo takes one number");
	if (context->n_names == 2 && (!text_parse_uint(context->names[1], 10, INT64_MAX, &number) || number == 0))
		return fail_ctl(error, CTL_ERROR_USAGE, "policy undo: \"%s\" is no number of a step", context->names[1]);
	if (!policy_hand_over(context, &is_done, error) || is_done)
		return is_done;
	change = history_undo(root_of(context), number, error);
	if (!change) {
		context_hint(context, "svcctl policy log");
		return false;
	}
	headline = number > 0 ? g_strdup_printf("step %" G_GUINT64_FORMAT " is undone", number)
			      : g_strdup("the last step is undone");
	return commit_and_tell(context, change, headline, error);
}

/* The links that nobody can be found for are told, and are no mistake. */
static bool import_links(Context *context, GError **error)
{
	g_autoptr(DiagList) remarks = diag_list_new();
	g_autoptr(Change) change = policy_change_new(context);

	if (!context->options.from_sysv || context->n_names > 1)
		return fail_ctl(error, CTL_ERROR_USAGE, "policy import: from where? svcctl policy import --sysv");
	if (geteuid() != 0 && !context->options.root && !context->options.is_dry_run)
		return fail(error, SVCD_ERROR_NOT_AUTHORIZED, "only root may change policy");
	if (!policy_import_sysv(change, remarks, error))
		return false;
	for (unsigned i = 0; i < diag_list_length(remarks); i++) {
		g_autofree char *line = diag_format(diag_list_get(remarks, i));

		output_confirm(&context->output, "%s", line);
	}
	return commit_and_tell(context, change, "the links in /etc/rc?.d are policy", error);
}

/* The words that are no services' names. */
static const struct {
	const char *word;
	bool (*run)(Context *context, GError **error);
	bool writes;
} policy_words[] = {
	{ "log", show_log, false },
	{ "undo", undo, true },
	{ "import", import_links, true },
};

bool cmd_policy(Context *context, GError **error)
{
	const char *word = context->n_names > 0 ? context->names[0] : NULL;

	if (!word)
		return show_machine(context, error);
	for (size_t i = 0; i < G_N_ELEMENTS(policy_words); i++) {
		if (strcmp(policy_words[i].word, word) == 0 && (policy_words[i].writes || !context->options.is_dry_run))
			return policy_words[i].run(context, error);
	}
	if (context->options.is_dry_run)
		return fail_ctl(error, CTL_ERROR_USAGE, "policy: --dry-run goes with undo and import");
	if (context->n_names > 1)
		return fail_ctl(error, CTL_ERROR_USAGE, "policy takes one service");
	return show_service(context, word, error);
}

/* --- diff --- */

static const Column diff_columns[] = {
	{ "service", "SERVICE", "Service", CELL_TEXT },
	{ "section", NULL, "Section", CELL_TEXT },
	{ "key", "KEY", "Key", CELL_TEXT },
	{ "value", "VALUE", "Value", CELL_TEXT },
	{ "vendor", "VENDOR SAYS", "Vendor", CELL_TEXT },
	{ "origin", "ORIGIN", "Origin", CELL_TEXT },
};

typedef struct Difference {
	const char *service;
	const char *section;
	const char *key;
	const char *value;
	const char *vendor;
	Origin origin;
} Difference;

static void add_difference(GPtrArray *records, const Difference *difference)
{
	g_autofree char *origin = origin_format(difference->origin);
	GVariantDict dict;

	g_variant_dict_init(&dict, NULL);
	add_text(&dict, "Service", difference->service);
	add_text(&dict, "Section", difference->section);
	add_text(&dict, "Key", difference->key);
	add_text(&dict, "Value", difference->value);
	add_text(&dict, "Vendor", difference->vendor);
	add_text(&dict, "Origin", origin);
	add_record(records, &dict);
}

/* What the vendor's policy said last about the same, or "". */
static const char *overruled(const GPtrArray *statements, const PolicyStatement *ours)
{
	const char *value = "";

	for (guint i = 0; i < statements->len; i++) {
		const PolicyStatement *other = g_ptr_array_index(statements, i);

		if (other->layer <= POLICY_LAYER_VENDOR && strcmp(other->key, ours->key) == 0 &&
		    strcmp(other->section, ours->section) == 0 && !other->decides)
			value = other->value;
	}
	return value;
}

static void add_policy_differences(GPtrArray *records, const Configuration *configuration, const Configuration *vendor,
				   const char *service)
{
	g_autoptr(GPtrArray) statements = policy_statements(configuration->policy, service, NULL);
	PolicyDecision before;

	policy_decide(vendor->policy, service, policy_default_runlevel(vendor->policy, NULL), &before);
	for (guint i = 0; i < statements->len; i++) {
		const PolicyStatement *statement = g_ptr_array_index(statements, i);
		const bool is_activation = strcmp(statement->key, "Activation") == 0;
		const Difference difference = {
			service, statement->section, statement->key, statement->value,
			is_activation ? activation_name(before.activation) : overruled(statements, statement),
			statement->origin
		};

		if (statement->layer > POLICY_LAYER_VENDOR && statement->decides && strcmp(statement->section, "defaults") != 0)
			add_difference(records, &difference);
	}
}

/* What the vendor's files give the key, its entries joined by blanks; a new string. */
static char *vendor_value(const ServiceDef *def, const DefLine *ours)
{
	g_autoptr(GString) value = g_string_new(NULL);

	for (guint i = 0; def && i < def->lines->len; i++) {
		const DefLine *line = g_ptr_array_index(def->lines, i);

		if (strcmp(line->section, ours->section) == 0 && strcmp(line->key, ours->key) == 0)
			g_string_append_printf(value, "%s%s", value->len > 0 ? " " : "", line->value);
	}
	return g_string_free(g_steal_pointer(&value), FALSE);
}

static bool is_local(const Context *context, Origin origin)
{
	const char *root = root_of(context);
	const char *file = origin.file;

	if (!file)
		return false;
	if (*root && g_str_has_prefix(file, root))
		file += strlen(root);
	while (file[0] == '/' && file[1] == '/')
		file++;
	return g_str_has_prefix(file, "/etc/svcd/") || g_str_has_prefix(file, "/run/svcd/services.d/");
}

static void add_file_differences(GPtrArray *records, const Context *context, const ServiceDef *def, const ServiceDef *vendor)
{
	for (guint i = 0; i < def->lines->len; i++) {
		const DefLine *line = g_ptr_array_index(def->lines, i);
		g_autofree char *before = vendor_value(vendor, line);
		const Difference difference = { def->name, line->section, line->key, line->value, before, line->origin };

		if (is_local(context, line->origin))
			add_difference(records, &difference);
	}
}

bool cmd_diff(Context *context, GError **error)
{
	const char *name = context->n_names > 0 ? context->names[0] : NULL;
	const char *const names[] = { name, NULL };
	g_autoptr(Configuration) configuration = context_load(context, names, true);
	g_autoptr(Configuration) vendor = load_vendor(context, names);
	const GPtrArray *all = service_set_list(configuration->set);
	const ServiceDef *only = name ? service_set_find(configuration->set, name) : NULL;
	g_autoptr(GPtrArray) records = records_new();

	if (name && !only)
		return fail(error, SVCD_ERROR_NO_SUCH_SERVICE, "no file describes a service named %s", name);
	for (guint i = 0; i < all->len; i++) {
		const ServiceDef *def = g_ptr_array_index(all, i);

		if (only && def != only)
			continue;
		add_policy_differences(records, configuration, vendor, def->name);
		add_file_differences(records, context, def, service_set_find(vendor->set, def->name));
	}
	if (records->len == 0 && !context->output.is_json) {
		output_confirm(&context->output, "nothing differs from what the vendor says");
		return true;
	}
	return output_table(&context->output, diff_columns, G_N_ELEMENTS(diff_columns), records, context->options.columns,
			    error);
}
