/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * enable, disable, set, edit NAME KEY=VALUE, undo NAME: the admin's policy about services.
 */
#include "config.h"

#include <string.h>

#include "base/errors.h"
#include "base/text.h"
#include "model/name.h"
#include "svcctl/policy-change.h"

typedef struct PolicyWish {
	Activation activation;
	bool only_if_boot; /* disable: manual and never stay unchanged */
	bool takes_absent; /* set: a service may get its policy before it is installed */
} PolicyWish;

/* The changes of one invocation, and the lines that report them. */
typedef struct Work {
	Context *context;
	Change *change;
	Configuration *before;
	JsonArray *services;
	GPtrArray *lines; /* the lines that report each change, in order */
	/*
	 * records of svcd's services; NULL: svcd does not run, or the files are another machine's
	 */
	GPtrArray *present;
	GPtrArray *cleared; /* owned names, for which an admin's earlier start or stop is void */
} Work;

static void work_clear(Work *work)
{
	g_clear_pointer(&work->change, change_free);
	g_clear_pointer(&work->before, configuration_free);
	g_clear_pointer(&work->services, json_array_unref);
	g_clear_pointer(&work->lines, g_ptr_array_unref);
	g_clear_pointer(&work->cleared, g_ptr_array_unref);
	g_clear_pointer(&work->present, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Work, work_clear)

static void work_init(Work *work, Context *context, const char *const *names)
{
	*work = (Work){ .context = context,
			.change = policy_change_new(context),
			.before = context_load(context, names, CONTEXT_LOAD_STATEMENTS),
			.services = json_array_new(),
			.lines = g_ptr_array_new_with_free_func(g_free),
			.cleared = g_ptr_array_new_with_free_func(g_free),
			.present =
				context->options.root ?
					NULL :
					get_services_with(context, "Name Admin Presence", NULL) };
}

/* --- names --- */

/*
 * "getty@" stands for all its instances. A placeholder instance is loaded to find out whether the
 * template exists.
 */
static char *name_to_load(const char *name)
{
	return g_str_has_suffix(name, "@") ? g_strconcat(name, "x", NULL) : g_strdup(name);
}

static char **names_to_load(const Context *context, unsigned n_names)
{
	char **names = g_new0(char *, n_names + 1);

	for (unsigned i = 0; i < n_names; i++)
		names[i] = name_to_load(context->names[i]);
	return names;
}

/*
 * The name that policy uses for the service @name; a new string, NULL with @error if no file
 * describes it.
 */
static char *find_service(Work *work, const char *name, GError **error)
{
	g_autofree char *loaded = name_to_load(name);
	const ServiceDef *def = service_set_find(work->before->set, loaded);

	if (!def) {
		g_autofree const char **names = service_set_names(work->before->set);

		/* Otherwise the usual advice follows. */
		(void)context_hint_name(work->context, name, names);
		fail(error, SVCD_ERROR_NO_SUCH_SERVICE, "no file describes a service named %s",
		     name);
		return NULL;
	}
	return g_strdup(g_str_has_suffix(name, "@") ? name : def->name);
}

static bool has_file(const Work *work, const char *name)
{
	g_autofree char *loaded = name_to_load(name);

	return service_set_find(work->before->set, loaded) != NULL;
}

/* The name in the service's file, or @name itself if there is none; a new string. */
static char *name_of_file(const Work *work, const char *name)
{
	g_autofree char *loaded = name_to_load(name);
	const ServiceDef *def = service_set_find(work->before->set, loaded);

	return g_strdup(def && !g_str_has_suffix(name, "@") ? def->name : name);
}

/* Like find_service(). If there is no such file yet, returns @name itself. */
static char *find_or_expect(Work *work, const char *name, GError **error)
{
	g_autofree char *problem = NULL;

	if (has_file(work, name))
		return find_service(work, name, error);
	if (!name_check_service(name, &problem)) {
		fail(error, SVCD_ERROR_INVALID_ARGUMENT, "%s", problem);
		return NULL;
	}
	change_expect_service(work->change, name);
	return g_strdup(name);
}

/* Reports that the service is absent, because a mistyped name looks the same. */
static void report_absent(Work *work, const char *service)
{
	g_autofree const char **names = service_set_names(work->before->set);
	const char *nearest = token_nearest(service, names);

	g_ptr_array_add(
		work->lines,
		g_strdup("  There is no service file yet; the policy takes effect when there is "
			 "one"));
	if (nearest)
		g_ptr_array_add(work->lines, g_strdup_printf("  Did you mean: %s", nearest));
}

/* --- runlevels --- */

static bool is_end(const char *runlevel)
{
	return strcmp(runlevel, "0") == 0 || strcmp(runlevel, "6") == 0;
}

/*
 * "2 3 5": the runlevels that want the service if its activation is boot; "" for none. A new
 * string.
 */
static char *runlevels_of(const Policy *policy, const char *service)
{
	g_autoptr(GPtrArray) runlevels = policy_runlevels(policy);
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < runlevels->len; i++) {
		const char *runlevel = g_ptr_array_index(runlevels, i);
		PolicyDecision decision;

		policy_decide(policy, service, runlevel, &decision);
		if (decision.in_runlevel && !is_end(runlevel))
			g_string_append_printf(text, "%s%s", text->len > 0 ? " " : "", runlevel);
	}
	return g_string_free(g_steal_pointer(&text), FALSE);
}

/* "boot in runlevels 2 3", "never"; a new string. */
static char *describe(const Policy *policy, const char *service)
{
	g_autofree char *runlevels = runlevels_of(policy, service);
	PolicyDecision decision;

	policy_decide(policy, service, policy_default_runlevel(policy, NULL), &decision);
	if (decision.activation != ACTIVATION_BOOT)
		return g_strdup(activation_name(decision.activation));
	return g_strdup_printf("boot in %s%s",
			       !*runlevels            ? "no runlevel" :
			       strchr(runlevels, ' ') ? "runlevels " :
							"runlevel ",
			       runlevels);
}

/* The configuration that results from the change so far; never NULL. */
static Configuration *look_ahead(const Work *work)
{
	g_autofree char *kernel = context_kernel_cmdline(work->context);
	g_autoptr(DiagList) problems = NULL;

	return change_preview(work->change, kernel, &problems);
}

/*
 * The entry that gives exactly the runlevels in @wish, such as "2 3 -5": the entries of other files
 * are added to this one, so it must also remove runlevels. A new string, or NULL with @error.
 */
static char *exactly(const Policy *policy, const char *service, const char *wish, GError **error)
{
	g_auto(GStrv) arguments = g_strsplit_set(wish, " ,", -1);
	g_autofree char *present = runlevels_of(policy, service);
	g_auto(GStrv) unwanted = g_strsplit(present, " ", -1);
	g_autoptr(GHashTable) named = g_hash_table_new(g_str_hash, g_str_equal);
	g_autoptr(GString) text = g_string_new(NULL);

	for (char **token = arguments; *token; token++) {
		const char *runlevel = **token ? policy_find_runlevel(policy, *token) : "";

		if (!runlevel) {
			fail(error, SVCD_ERROR_INVALID_ARGUMENT, "there is no runlevel \"%s\"",
			     *token);
			return NULL;
		}
		if (*runlevel && g_hash_table_add(named, (gpointer)runlevel))
			g_string_append_printf(text, "%s%s", text->len > 0 ? " " : "", runlevel);
	}
	if (text->len == 0) {
		fail_ctl(error, CTL_ERROR_USAGE, "--runlevel names no runlevel");
		return NULL;
	}
	for (char **token = unwanted; *token; token++) {
		if (**token && !g_hash_table_contains(named, *token))
			g_string_append_printf(text, " -%s", *token);
	}
	return g_string_free(g_steal_pointer(&text), FALSE);
}

/* Keeps the runlevels of the service; if it has none, sets the default runlevel. */
static bool ensure_runlevel(Work *work, const char *service, GError **error)
{
	g_autoptr(Configuration) ahead = look_ahead(work);
	g_autofree char *meant = runlevels_of(ahead->policy, service);

	return *meant || change_set_policy(work->change, service, "Runlevels",
					   policy_default_runlevel(ahead->policy, NULL), error);
}

static bool set_runlevels(Work *work, const char *service, const char *wish, GError **error)
{
	g_autofree char *text = NULL;

	if (!wish)
		return ensure_runlevel(work, service, error);
	/*
	 * Our own entries are removed first, so that the preview shows the entries of the other
	 * files.
	 */
	if (!change_set_policy(work->change, service, "Runlevels", NULL, error))
		return false;
	g_autoptr(Configuration) ahead = look_ahead(work);
	text = exactly(ahead->policy, service, wish, error);
	return text && change_set_policy(work->change, service, "Runlevels", text, error);
}

static bool set_activation(Work *work, const char *service, Activation activation, GError **error)
{
	const Options *options = &work->context->options;

	/* A reason belongs to the value that it was given for, so the old one is removed. */
	if (!change_set_policy(work->change, service, "Activation", activation_name(activation),
			       error) ||
	    !change_set_policy(work->change, service, "Reason", options->reason, error))
		return false;
	return activation != ACTIVATION_BOOT ||
	       set_runlevels(work, service, options->runlevel, error);
}

/* --- what else would start it --- */

static bool is_active(const Configuration *configuration, const char *service)
{
	PolicyDecision decision;

	policy_decide(configuration->policy, service,
		      policy_default_runlevel(configuration->policy, NULL), &decision);
	return decision.activation != ACTIVATION_NEVER;
}

static bool names_service(const Configuration *configuration, const char *name,
			  const ServiceDef *def)
{
	return name && service_set_find(configuration->set, name) == def;
}

/* The term or key by which @other needs @def, as "While=service:x"; a new string, or NULL. */
static char *need_of(const Configuration *configuration, const ServiceDef *other,
		     const ServiceDef *def)
{
	const struct {
		const char *key;
		const GPtrArray *terms;
	} lists[] = { { "When", other->when }, { "While", other->while_terms } };

	for (size_t i = 0; i < G_N_ELEMENTS(lists); i++) {
		for (guint k = 0; k < lists[i].terms->len; k++) {
			const Term *term = g_ptr_array_index(lists[i].terms, k);

			if (names_service(configuration, term_need(term), def))
				return g_strdup_printf("%s=%s", lists[i].key, term->text);
		}
	}
	for (guint i = 0; i < other->wants->len; i++) {
		const NameRef *ref = g_ptr_array_index(other->wants, i);

		if (names_service(configuration, ref->name, def))
			return g_strdup_printf("Wants=%s", ref->name);
	}
	return NULL;
}

/* svcd's record of a service, borrowed; NULL: none. */
static GVariant *find_record(const Work *work, const char *name)
{
	for (guint i = 0; work->present && i < work->present->len; i++) {
		GVariant *record = g_ptr_array_index(work->present, i);

		if (strcmp(record_text(record, "Name"), name) == 0)
			return record;
	}
	return NULL;
}

static bool can_run(const Work *work, const char *name)
{
	GVariant *record = find_record(work, name);

	return !record || !record_is_absent(record);
}

/* Sentences, new strings: the ways in which the service would still be started. */
static GPtrArray *doors_left(const Work *work, const Configuration *after, const char *service)
{
	GPtrArray *doors = g_ptr_array_new_with_free_func(g_free);
	const ServiceDef *def = service_set_find(after->set, service);
	const GPtrArray *all = service_set_list(after->set);

	for (guint i = 0; def && i < all->len; i++) {
		const ServiceDef *other = g_ptr_array_index(all, i);
		g_autofree char *need = other == def ? NULL : need_of(after, other, def);

		if (need && is_active(after, other->name) && can_run(work, other->name))
			g_ptr_array_add(doors, g_strdup_printf("%s (%s)", other->name, need));
	}
	if (def && def->ready == READY_DBUS)
		g_ptr_array_add(doors, g_strdup_printf("a call to %s on the bus",
						       key_argument(def->ready_key)));
	for (guint i = 0; def && i < def->bus_names->len; i++)
		g_ptr_array_add(
			doors,
			g_strdup_printf("a call to %s on the bus",
					((NameRef *)g_ptr_array_index(def->bus_names, i))->name));
	return doors;
}

static void report_compat_commands(Work *work, const Configuration *after, const char *service,
				   JsonObject *object)
{
	g_autoptr(GPtrArray) doors = doors_left(work, after, service);
	JsonArray *array = json_array_new();

	for (guint i = 0; i < doors->len; i++) {
		const char *door = g_ptr_array_index(doors, i);

		json_array_add_string_element(array, door);
		g_ptr_array_add(work->lines, g_strdup_printf("  Still started by: %s", door));
	}
	if (doors->len > 0)
		g_ptr_array_add(work->lines,
				g_strdup_printf("  To prevent that as well: svcctl set %s never",
						service));
	json_object_set_array_member(object, "still_started_by", array);
}

/* --- reporting and writing --- */

/* A higher layer may decide instead: the policy until reboot, or the kernel's command line. */
static void report_overruled(Work *work, const PolicyDecision *decision, const char *service,
			     JsonObject *object)
{
	g_autofree char *origin = origin_format(decision->activation_origin);

	json_object_set_string_member(object, "overruled_by", origin);
	g_ptr_array_add(work->lines,
			g_strdup_printf("  It has no effect yet, because %s sets %s "
					"and takes precedence",
					origin, activation_name(decision->activation)));
	if (!work->context->options.is_until_reboot &&
	    strstr(origin, POLICY_EDIT_FILE_UNTIL_REBOOT))
		g_ptr_array_add(work->lines,
				g_strdup_printf("  To revert that: svcctl undo %s --until-reboot",
						service));
}

/* @wish: NULL: no particular activation. */
static void report_service(Work *work, const Configuration *after, const char *service,
			   const PolicyWish *wish)
{
	g_autofree char *from = describe(work->before->policy, service);
	g_autofree char *to = describe(after->policy, service);
	JsonObject *object = json_object_new();
	PolicyDecision decision;

	policy_decide(after->policy, service, policy_default_runlevel(after->policy, NULL),
		      &decision);
	json_object_set_string_member(object, "name", service);
	json_object_set_string_member(object, "from", from);
	json_object_set_string_member(object, "to", to);
	g_ptr_array_add(work->lines,
			strcmp(from, to) == 0 ?
				g_strdup_printf("%s: %s", service, to) :
				g_strdup_printf("%s: %s -> %s%s", service, from, to,
						work->context->options.is_until_reboot ?
							", until reboot" :
							""));
	json_object_set_boolean_member(object, "has_file", has_file(work, service));
	if (wish && wish->takes_absent && !has_file(work, service))
		report_absent(work, service);
	if (wish && wish->only_if_boot && decision.activation == ACTIVATION_ON_DEMAND)
		report_compat_commands(work, after, service, object);
	if (wish && decision.activation != wish->activation &&
	    (!wish->only_if_boot || decision.activation == ACTIVATION_BOOT))
		report_overruled(work, &decision, service, object);
	json_array_add_object_element(work->services, object);
}

static void set_data(Work *work, const Outcome *outcome)
{
	JsonObject *object = json_object_new();

	json_object_set_array_member(object, "services", g_steal_pointer(&work->services));
	outcome_to_json(outcome, work->context, object);
	output_set_object(&work->context->output, object);
}

static bool work_commit(Work *work, GError **error)
{
	g_auto(Outcome) outcome = { 0 };

	if (!policy_change_commit(work->context, work->change, work->cleared, &outcome, error))
		return false;
	for (guint i = 0; i < work->lines->len; i++)
		output_confirm(&work->context->output, "%s",
			       (char *)g_ptr_array_index(work->lines, i));
	outcome_print(work->context, &outcome);
	set_data(work, &outcome);
	return true;
}

/* --- enable, disable, set --- */

/* Does the service stay off without the entries of layers above the admin's? */
static bool stays_off(const Work *work, const char *service)
{
	g_autoptr(GPtrArray) statements = policy_statements(work->before->policy, service, NULL);
	bool is_higher = false;
	const char *token = "";

	for (guint i = 0; i < statements->len; i++) {
		const PolicyStatement *statement = g_ptr_array_index(statements, i);

		if (!statement->counts || strcmp(statement->section, "service") != 0 ||
		    strcmp(statement->key, "Activation") != 0)
			continue;
		if (statement->layer <= POLICY_LAYER_ADMIN)
			token = statement->value;
		else
			is_higher |= statement->decides;
	}
	return !is_higher || (*token && strcmp(token, activation_name(ACTIVATION_BOOT)) != 0);
}

/* Returns: true if no change is needed because no runlevel starts it. */
static bool is_off(const Work *work, const char *service)
{
	PolicyDecision decision;

	policy_decide(work->before->policy, service,
		      policy_default_runlevel(work->before->policy, NULL), &decision);
	return decision.activation != ACTIVATION_BOOT &&
	       (work->context->options.is_until_reboot || stays_off(work, service));
}

/*
 * An enabled service shall run and a disabled one shall stop, whatever an admin requested before.
 */
static void end_request(Work *work, const char *service, Activation activation)
{
	GVariant *record = find_record(work, service);
	const char *opposite = activation == ACTIVATION_BOOT      ? "stop" :
			       activation == ACTIVATION_ON_DEMAND ? "start" :
								    NULL;

	if (!record || !opposite || strcmp(record_text(record, "Admin"), opposite) != 0)
		return;
	g_ptr_array_add(work->cleared, g_strdup(service));
	g_ptr_array_add(work->lines,
			g_strdup_printf("  An admin's earlier %s no longer applies", opposite));
}

static bool set_all(Context *context, unsigned n_names, const PolicyWish *wish, GError **error)
{
	g_auto(GStrv) names = names_to_load(context, n_names);
	g_auto(Work) work = { 0 };
	bool is_done = false;

	if (!policy_hand_over(context, &is_done, error) || is_done)
		return is_done;
	work_init(&work, context, (const char *const *)names);
	for (unsigned i = 0; i < n_names; i++) {
		g_autofree char *service = wish->takes_absent ?
						   find_or_expect(&work, context->names[i], error) :
						   find_service(&work, context->names[i], error);

		if (!service)
			return false;
		g_free(names[i]);
		names[i] = g_steal_pointer(&service);
		if (wish->only_if_boot && is_off(&work, names[i]))
			continue;
		if (!set_activation(&work, names[i], wish->activation, error))
			return false;
	}
	g_autoptr(Configuration) after = look_ahead(&work);
	for (unsigned i = 0; i < n_names; i++) {
		report_service(&work, after, names[i], wish);
		end_request(&work, names[i], wish->activation);
	}
	return work_commit(&work, error);
}

bool cmd_enable(Context *context, GError **error)
{
	return set_all(context, context->n_names, &(PolicyWish){ .activation = ACTIVATION_BOOT },
		       error);
}

bool cmd_disable(Context *context, GError **error)
{
	return set_all(context, context->n_names,
		       &(PolicyWish){ .activation = ACTIVATION_ON_DEMAND, .only_if_boot = true },
		       error);
}

bool cmd_set(Context *context, GError **error)
{
	const char *token = context->names[context->n_names - 1];
	PolicyWish wish = { .takes_absent = true };

	if (!activation_from_name(token, &wish.activation))
		return fail_ctl(error, CTL_ERROR_USAGE,
				"set: \"%s\" is not boot, on-demand, manual or never", token);
	if (context->options.runlevel && wish.activation != ACTIVATION_BOOT)
		return fail_ctl(
			error, CTL_ERROR_USAGE,
			"set: --runlevel needs boot; no runlevel starts a service that is %s",
			token);
	return set_all(context, context->n_names - 1, &wish, error);
}

/* --- override, revert --- */

static bool add_override(Work *work, const char *service, const char *token, GError **error)
{
	const char *equals = strchr(token, '=');
	g_autofree char *key = equals ? g_strndup(token, (gsize)(equals - token)) : NULL;

	if (!equals || equals == token)
		return fail_ctl(error, CTL_ERROR_USAGE, "edit: \"%s\" is not KEY=VALUE", token);
	return change_set_override(work->change, service, key, equals + 1, error);
}

static void report_running(Work *work, const char *service)
{
	const unsigned n = work->context->n_names - 1;

	g_ptr_array_add(work->lines, g_strdup_printf("%s: %u setting%s overridden", service, n,
						     n == 1 ? " is" : "s are"));
	g_ptr_array_add(
		work->lines,
		g_strdup_printf(
			"  It keeps running with its earlier settings until svcctl restart %s",
			service));
}

bool policy_override(Context *context, GError **error)
{
	g_auto(GStrv) names = names_to_load(context, 1);
	g_autofree char *service = NULL;
	g_auto(Work) work = { 0 };
	bool is_done = false;

	if (!policy_hand_over(context, &is_done, error) || is_done)
		return is_done;
	work_init(&work, context, (const char *const *)names);
	service = find_service(&work, context->names[0], error);
	if (!service)
		return false;
	for (unsigned i = 1; i < context->n_names; i++) {
		if (!add_override(&work, service, context->names[i], error))
			return false;
	}
	report_running(&work, service);
	return work_commit(&work, error);
}

bool policy_revert(Context *context, GError **error)
{
	g_auto(GStrv) names = names_to_load(context, context->n_names);
	g_auto(Work) work = { 0 };
	bool is_done = false;

	if (!policy_hand_over(context, &is_done, error) || is_done)
		return is_done;
	work_init(&work, context, (const char *const *)names);
	/*
	 * Also works for a service whose package is not installed, because our entries about it may
	 * still exist.
	 */
	for (unsigned i = 0; i < context->n_names; i++) {
		g_autofree char *service = name_of_file(&work, context->names[i]);

		if (!change_revert(work.change, service, error))
			return false;
		g_free(names[i]);
		names[i] = g_steal_pointer(&service);
	}
	g_autoptr(Configuration) after = look_ahead(&work);
	for (unsigned i = 0; i < context->n_names; i++)
		report_service(&work, after, names[i], NULL);
	return work_commit(&work, error);
}
