/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cat, check, graph: the contents of the files, without a running svcd. --root DIR reads any tree.
 */
#include "config.h"

#include <string.h>

#include "base/diag.h"
#include "base/errors.h"
#include "base/fd.h"
#include "base/limits.h"
#include "config/loader.h"
#include "config/search-path.h"
#include "model/check.h"
#include "model/check-user.h"
#include "model/graph.h"
#include "model/name.h"
#include "model/service-parse.h"
#include "svcctl/check-world.h"
#include "svcctl/svcctl.h"

/*
 * The kernel's command line is not meant for a container. PID 1's environment shows whether this is
 * a container (only root may read it).
 */
static bool is_container(void)
{
	g_autofree char *environment = NULL;
	gsize length = 0;

	if (!g_file_get_contents("/proc/1/environ", &environment, &length, NULL))
		return false;
	for (gsize at = 0; at < length; at += strlen(environment + at) + 1) {
		if (g_str_has_prefix(environment + at, "container="))
			return true;
	}
	return false;
}

/* The arguments of PID 1. */
static void append_init_arguments(GString *tokens)
{
	g_autofree char *arguments = NULL;
	gsize length = 0;

	if (!client_pid1_is_svcd(NULL) ||
	    !g_file_get_contents("/proc/1/cmdline", &arguments, &length, NULL))
		return;
	for (gsize at = strlen(arguments) + 1; at < length; at += strlen(arguments + at) + 1)
		g_string_append_printf(tokens, " %s", arguments + at);
}

char *context_kernel_cmdline(const Context *context)
{
	g_autoptr(GString) arguments = g_string_new(NULL);
	g_autofree char *kernel = NULL;

	if (context->options.root || context->options.is_user)
		return NULL;
	if (!is_container() && g_file_get_contents("/proc/cmdline", &kernel, NULL, NULL))
		g_string_append(arguments, g_strchomp(kernel));
	append_init_arguments(arguments);
	return g_string_free(g_steal_pointer(&arguments), FALSE);
}

static void append_generated(DiagList *diags, const Generated *generated)
{
	diag_list_append(diags, generated->diags);
	diag_list_append(diags, generated->script_diags);
}

Configuration *context_load(const Context *context, const char *const *names, unsigned flags)
{
	g_autofree char *arguments = context_kernel_cmdline(context);
	const LoaderOptions options = {
		.root = context->options.root,
		.user_mode = context->options.is_user,
		/* A tree below a directory may belong to any user, as a build or a package does. */
		.any_owner = context->options.root != NULL,
		.kernel_cmdline = arguments,
		.record_statements = flags & CONTEXT_LOAD_STATEMENTS,
		.rc_links_count = flags & CONTEXT_LOAD_RC_LINKS,
		.without_until_reboot = flags & CONTEXT_LOAD_NEXT_BOOT,
		.overlay = context->overlay,
	};
	Configuration *configuration = configuration_load(&options, names);

	if (context->generated)
		append_generated(configuration->diags, context->generated);
	return configuration;
}

Configuration *context_load_in_force(const Context *context, const char *const *names,
				     Bundle *bundle)
{
	g_autofree char *arguments = context_kernel_cmdline(context);
	const LoaderOptions options = { .user_mode = context->options.is_user,
					.kernel_cmdline = arguments,
					.bundle = bundle };

	return bundle ? configuration_load(&options, names) : context_load(context, names, 0);
}

Configuration *context_load_vendor(const Context *context, const char *const *names)
{
	const LoaderOptions options = { .root = context->options.root,
					.any_owner = context->options.root != NULL,
					.user_mode = context->options.is_user,
					.without_local_files = true };

	return configuration_load(&options, names);
}

bool context_owns_files(const Context *context)
{
	return context->options.root || context->options.is_user;
}

const char *context_root(const Context *context)
{
	return context->options.root ? context->options.root : "";
}

Configuration *context_load_named(const Context *context)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();

	for (unsigned i = 0; i < context->n_names; i++) {
		if (!name_is_pattern(context->names[i]))
			g_ptr_array_add(names, context->names[i]);
	}
	g_ptr_array_add(names, NULL);
	return context_load(context, (const char *const *)names->pdata, 0);
}

/* --- cat --- */

static void add_line(JsonArray *array, const char *section, const char *key, const char *value,
		     Origin origin)
{
	JsonObject *object = json_object_new();
	g_autofree char *where = origin_format(origin);
	g_autofree char *valid = g_utf8_make_valid(value, -1);

	json_object_set_string_member(object, "section", section);
	json_object_set_string_member(object, "key", key);
	json_object_set_string_member(object, "value", valid);
	json_object_set_string_member(object, "origin", where);
	json_array_add_object_element(array, object);
}

static void show_line(Output *output, JsonArray *array, const char *section, const char *key,
		      const char *value, Origin origin)
{
	g_autofree char *where = origin_format(origin);
	g_autofree char *setting = g_strdup_printf("%s=%s", key, value);

	output_line(output, "%-48s  # %s", setting, where);
	add_line(array, section, key, value, origin);
}

/* Sections are in the order of their first appearance. */
static void show_definition(Output *output, JsonArray *array, const ServiceDef *def)
{
	g_autoptr(GHashTable) shown = g_hash_table_new(g_str_hash, g_str_equal);

	for (guint i = 0; i < def->lines->len; i++) {
		const char *section = ((const DefLine *)g_ptr_array_index(def->lines, i))->section;

		if (!g_hash_table_add(shown, (gpointer)section))
			continue;
		output_line(output, "[%s]", section);
		for (guint k = i; k < def->lines->len; k++) {
			const DefLine *line = g_ptr_array_index(def->lines, k);

			if (strcmp(line->section, section) == 0)
				show_line(output, array, section, line->key, line->value,
					  line->origin);
		}
		output_line(output, "%s", "");
	}
}

static void show_policy(Output *output, JsonArray *array, const Policy *policy, const char *name)
{
	const PolicyService *service = policy_service(policy, name);
	PolicyDecision decision;

	policy_decide(policy, name, policy_default_runlevel(policy, NULL), &decision);
	output_line(output, "# policy, in runlevel %s", policy_default_runlevel(policy, NULL));
	show_line(output, array, "policy", "Activation", activation_name(decision.activation),
		  decision.activation_origin);
	if (decision.activation == ACTIVATION_BOOT && decision.in_runlevel)
		show_line(output, array, "policy", "InRunlevel", "yes", decision.runlevel_origin);
	for (guint i = 0; service && i < service->when->len; i++) {
		const Term *term = g_ptr_array_index(service->when, i);

		show_line(output, array, "policy", "When", term->text, term->origin);
	}
	for (guint i = 0; service && i < service->while_terms->len; i++) {
		const Term *term = g_ptr_array_index(service->while_terms, i);

		show_line(output, array, "policy", "While", term->text, term->origin);
	}
	for (guint i = 0; service && i < service->ignore->len; i++) {
		const NameRef *ref = g_ptr_array_index(service->ignore, i);

		show_line(output, array, "policy", "Ignore", ref->name, ref->origin);
	}
	for (guint i = 0; service && i < service->operators->len; i++) {
		const NameRef *ref = g_ptr_array_index(service->operators, i);

		show_line(output, array, "policy", "Operators", ref->name, ref->origin);
	}
	if (service && service->has_on_lapse)
		show_line(output, array, "policy", "OnLapse", on_lapse_name(service->on_lapse),
			  service->on_lapse_origin);
	if (service && service->reason)
		show_line(output, array, "policy", "Reason", service->reason,
			  service->reason_origin);
}

static bool cat_one(Context *context, const Configuration *configuration, const char *name,
		    JsonArray *all, GError **error)
{
	const ServiceDef *def = service_set_find(configuration->set, name);
	JsonObject *object;
	JsonArray *lines;

	if (!def)
		return fail(error, SVCD_ERROR_NO_SUCH_SERVICE,
			    "no file describes a service named %s", name);
	object = json_object_new();
	lines = json_array_new();
	output_line(&context->output, "# %s, with its drop-ins", def->name);
	if (def->problem)
		output_line(&context->output, "# svcd leaves this service out: %s", def->problem);
	show_definition(&context->output, lines, def);
	show_policy(&context->output, lines, configuration->policy, def->name);
	json_object_set_string_member(object, "name", def->name);
	if (def->problem)
		json_object_set_string_member(object, "problem", def->problem);
	json_object_set_array_member(object, "lines", lines);
	json_array_add_object_element(all, object);
	return true;
}

bool cmd_cat(Context *context, GError **error)
{
	g_autoptr(Configuration) configuration = context_load_named(context);
	g_auto(GStrv) names = expand_names_in(context, configuration->set, error);
	JsonArray *all;
	bool done = true;

	if (!names)
		return false;
	all = json_array_new();
	for (size_t i = 0; names[i] && done; i++) {
		if (i > 0)
			output_line(&context->output, "%s", "");
		done = cat_one(context, configuration, names[i], all, error);
	}
	if (!done)
		context_hint(context, "svcctl check");
	output_set_array(&context->output, all);
	return done;
}

/* --- check --- */

static void add_diagnostic(Output *output, JsonArray *array, const Diagnostic *diagnostic)
{
	g_autofree char *line = diag_format(diagnostic);
	g_autofree char *text = g_utf8_make_valid(diagnostic->text, -1);
	JsonObject *object = json_object_new();

	output_line(output, "%s", line);
	json_object_set_string_member(object, "level", diag_level_name(diagnostic->level));
	if (diagnostic->origin.file)
		json_object_set_string_member(object, "file", diagnostic->origin.file);
	if (diagnostic->origin.line > 0)
		json_object_set_int_member(object, "line", diagnostic->origin.line);
	if (diagnostic->service)
		json_object_set_string_member(object, "service", diagnostic->service);
	json_object_set_string_member(object, "text", text);
	json_array_add_object_element(array, object);
}

/* Counters for the diagnostics that are shown. */
typedef struct Tally {
	JsonArray *array;
	unsigned n_errors;
	unsigned n_warnings;
} Tally;

/* @file: only diagnostics about it and about @service; NULL: all. */
static void show_diagnostics(Output *output, const DiagList *list, const char *file,
			     const char *service, Tally *tally)
{
	for (unsigned i = 0; i < diag_list_length(list); i++) {
		const Diagnostic *diagnostic = diag_list_get(list, i);

		if (file && g_strcmp0(diagnostic->origin.file, file) != 0 &&
		    (!service || g_strcmp0(diagnostic->service, service) != 0))
			continue;
		add_diagnostic(output, tally->array, diagnostic);
		if (diagnostic->level == DIAG_ERROR)
			tally->n_errors++;
		else
			tally->n_warnings++;
	}
}

/* "ssh" of "/some/where/ssh.svc"; NULL if the file's name does not end in @suffix. A new string. */
static char *name_of_file(const char *path, const char *suffix)
{
	g_autofree char *base = g_path_get_basename(path);

	if (!g_str_has_suffix(base, suffix))
		return NULL;
	return g_strndup(base, strlen(base) - strlen(suffix));
}

/* The given service replaces the installed one, and all services are checked together. */
static void check_service_text(const Context *context, Configuration *configuration,
			       const char *name, const SourceText *source, DiagList *diags)
{
	const ServiceParseOptions options = { .runtime = search_path_runtime_top(
						      context->options.is_user) };
	ServiceDef *def = service_parse_with(&options, name, source, 1, diags);

	if (context->options.is_user)
		check_users_service(def, diags);
	if (g_str_has_suffix(name, "@")) {
		service_def_free(def); /* a template is not a service */
		return;
	}
	service_set_add(configuration->set, def);
	check_set(configuration->set, configuration->policy, diags);
	check_world_of(context, def, true, diags);
}

static bool check_file(Context *context, Configuration *configuration, const char *path,
		       Tally *tally, GError **error)
{
	g_autofree char *service = name_of_file(path, ".svc");
	g_autofree char *policy = name_of_file(path, ".policy");
	g_autofree char *problem = NULL;
	g_autofree char *text = NULL;
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(GBytes) bytes = NULL;
	gsize length = 0;

	if (!service && !policy)
		return fail_ctl(error, CTL_ERROR_USAGE,
				"%s: a service file is named NAME.svc, a policy file NAME.policy",
				path);
	if (service && !name_check_service(service, &problem))
		return fail_ctl(error, CTL_ERROR_BAD_CONFIGURATION, "%s: %s", path, problem);
	bytes = file_read_bounded(path, LIMIT_FILE_BYTES, error);
	if (!bytes)
		return false;
	length = g_bytes_get_size(bytes);
	text = g_malloc(length + 1);
	memcpy(text, g_bytes_get_data(bytes, NULL) ? g_bytes_get_data(bytes, NULL) : "", length);
	text[length] = '\0';
	const SourceText source = { .file = path, .text = text, .length = length };

	if (service)
		check_service_text(context, configuration, service, &source, diags);
	else
		/* @diags contains the result */
		(void)policy_parse(configuration->policy, POLICY_LAYER_ADMIN, path, text, length,
				   diags);
	show_diagnostics(&context->output, diags, path, service, tally);
	return true;
}

static bool check_files(Context *context, Tally *tally, GError **error)
{
	for (unsigned i = 0; i < context->n_names; i++) {
		const LoaderOptions options = { .root = context->options.root,
						.user_mode = context->options.is_user,
						.any_owner = context->options.root != NULL,
						.overlay = context->overlay };
		g_autoptr(Configuration) configuration = configuration_load(&options, NULL);
		g_autoptr(GError) problem = NULL;

		if (check_file(context, configuration, context->names[i], tally, &problem))
			continue;
		if (problem->domain == SVCD_ERROR_DOMAIN)
			return fail_ctl(error, CTL_ERROR_FILE, "%s", problem->message);
		g_propagate_error(error, g_steal_pointer(&problem));
		return false;
	}
	return true;
}

static void print_tally(Output *output, unsigned n_services, const Tally *tally)
{
	g_autofree char *services = output_count(n_services, "service");
	g_autofree char *errors = output_count(tally->n_errors, "error");
	g_autofree char *warnings = output_count(tally->n_warnings, "warning");

	output_confirm(output, "%s, %s, %s", services, errors, warnings);
}

/*
 * Adds the errors in the source files from which svc-generate made service files on this machine.
 */
static void append_sources(DiagList *diags)
{
	g_autoptr(Generated) generated = generate("", NULL);

	append_generated(diags, generated);
}

bool cmd_check(Context *context, GError **error)
{
	Tally tally = { .array = json_array_new() };
	unsigned n_services = 0;
	bool done = true;

	if (context->n_names > 0) {
		done = check_files(context, &tally, error);
	} else {
		g_autoptr(Configuration) configuration = context_load_named(context);

		if (!context->generated)
			append_sources(configuration->diags);
		for (guint i = 0; i < service_set_list(configuration->set)->len; i++)
			check_world_of(context,
				       g_ptr_array_index(service_set_list(configuration->set), i),
				       false, configuration->diags);
		check_world_misplaced(context, configuration->diags);
		show_diagnostics(&context->output, configuration->diags, NULL, NULL, &tally);
		n_services = service_set_length(configuration->set);
	}
	output_set_array(&context->output, tally.array);
	if (!done)
		return false;
	if (context->n_names == 0)
		print_tally(&context->output, n_services, &tally);
	else if (tally.n_errors + tally.n_warnings == 0)
		output_confirm(&context->output, "no mistakes found");
	context->exit = tally.n_errors > 0 ? EXIT_CODE_BAD_CONFIGURATION : EXIT_CODE_DONE;
	return true;
}

/* --- graph --- */

typedef struct Wanted {
	const Configuration *configuration;
	const char *runlevel;
	GHashTable *names; /* name -> the service that needs it, or ""; borrowed */
	GQueue *left; /* ServiceDef *, still to be visited */
} Wanted;

/* @needer: "" for policy itself. */
static void want(Wanted *w, const char *name, const char *needer)
{
	const ServiceDef *def = service_set_find(w->configuration->set, name);
	PolicyDecision decision;

	if (!def)
		return;
	policy_decide(w->configuration->policy, def->name, w->runlevel, &decision);
	if (decision.activation == ACTIVATION_NEVER || decision.activation == ACTIVATION_MANUAL)
		return;
	if (!*needer && !(decision.activation == ACTIVATION_BOOT && decision.in_runlevel))
		return;
	if (g_hash_table_contains(w->names, def->name))
		return;
	g_hash_table_insert(w->names, (gpointer)def->name, (gpointer)needer);
	g_queue_push_tail(w->left, (gpointer)def);
}

static void want_needs(Wanted *w, const GPtrArray *terms, const char *needer)
{
	for (guint i = 0; i < terms->len; i++) {
		const char *need = term_need(g_ptr_array_index(terms, i));

		if (need)
			want(w, need, needer);
	}
}

GHashTable *wanted_in(const Configuration *configuration, const char *runlevel)
{
	Wanted w = { configuration, runlevel, g_hash_table_new(g_str_hash, g_str_equal),
		     g_queue_new() };
	const GPtrArray *all = service_set_list(configuration->set);
	const ServiceDef *def;

	for (guint i = 0; i < all->len; i++)
		want(&w, ((const ServiceDef *)g_ptr_array_index(all, i))->name, "");
	while ((def = g_queue_pop_head(w.left))) {
		want_needs(&w, def->when, def->name);
		want_needs(&w, def->while_terms, def->name);
		for (guint i = 0; i < def->wants->len; i++)
			want(&w, ((const NameRef *)g_ptr_array_index(def->wants, i))->name,
			     def->name);
	}
	g_queue_free(w.left);
	return w.names;
}

static void show_edge(Context *context, JsonArray *array, const GPtrArray *all, const Edge *edge)
{
	const ServiceDef *before = g_ptr_array_index(all, edge->before);
	const ServiceDef *after = g_ptr_array_index(all, edge->after);
	g_autofree char *where = origin_format(edge->origin);
	JsonObject *object = json_object_new();

	if (context->options.only_edges)
		output_line(&context->output, "%s %s", before->name, after->name);
	else
		output_line(&context->output, "%s before %s  (%s, %s, %s)", before->name,
			    after->name, edge_kind_name(edge->kind), edge->text, where);
	json_object_set_string_member(object, "before", before->name);
	json_object_set_string_member(object, "after", after->name);
	json_object_set_string_member(object, "kind", edge_kind_name(edge->kind));
	json_object_set_string_member(object, "text", edge->text);
	json_object_set_string_member(object, "origin", where);
	json_array_add_object_element(array, object);
}

static void add_wanted(GHashTable *all, const Configuration *configuration, const char *runlevel)
{
	g_autoptr(GHashTable) wanted = wanted_in(configuration, runlevel);
	GHashTableIter iter;
	gpointer name;

	g_hash_table_iter_init(&iter, wanted);
	while (g_hash_table_iter_next(&iter, &name, NULL))
		g_hash_table_add(all, g_strdup(name));
}

/*
 * Adds the services that start in @runlevel. Runlevels 0, 1 and 6 stop all other services, so for
 * these runlevels the services of every runlevel are added.
 */
static void add_concerned(GHashTable *all, const Configuration *configuration, const char *runlevel,
			  bool is_stop)
{
	static const char *const ends[] = { "0", "1", "6", NULL };
	g_autoptr(GPtrArray) runlevels = policy_runlevels(configuration->policy);

	add_wanted(all, configuration, runlevel);
	for (guint i = 0; is_stop && g_strv_contains(ends, runlevel) && i < runlevels->len; i++)
		add_wanted(all, configuration, g_ptr_array_index(runlevels, i));
}

/*
 * Services of rc links are shown whether or not policy uses the links. A new set of names, owned.
 */
static GHashTable *concerned_by(const Context *context, const Configuration *configuration,
				const char *runlevel)
{
	g_autoptr(Configuration) linked = context_load(context, NULL, CONTEXT_LOAD_RC_LINKS);
	GHashTable *all = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	add_concerned(all, configuration, runlevel, context->options.shows_stop);
	add_concerned(all, linked, runlevel, context->options.shows_stop);
	return all;
}

bool cmd_graph(Context *context, GError **error)
{
	g_autoptr(Configuration) configuration = context_load_named(context);
	const GPtrArray *all = service_set_list(configuration->set);
	const bool is_stop = context->options.shows_stop;
	g_autoptr(GArray) edges = is_stop ? graph_stop_edges(configuration->set) :
					    graph_edges(configuration->set);
	const char *runlevel = context->options.runlevel;
	g_autoptr(GHashTable) wanted = NULL;
	JsonArray *array;

	if (runlevel) {
		const char *canonical = policy_find_runlevel(configuration->policy, runlevel);

		if (!canonical)
			return fail(error, SVCD_ERROR_INVALID_ARGUMENT,
				    "there is no runlevel \"%s\"", runlevel);
		wanted = concerned_by(context, configuration, canonical);
	}
	array = json_array_new();
	for (guint i = 0; i < edges->len; i++) {
		const Edge *edge = &g_array_index(edges, Edge, i);
		const char *before =
			((const ServiceDef *)g_ptr_array_index(all, edge->before))->name;
		const char *after = ((const ServiceDef *)g_ptr_array_index(all, edge->after))->name;

		if (!wanted ||
		    (g_hash_table_contains(wanted, before) && g_hash_table_contains(wanted, after)))
			show_edge(context, array, all, edge);
	}
	output_set_array(&context->output, array);
	return true;
}
