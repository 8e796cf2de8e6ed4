/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keys of [Unit] and [Install]: ordering and requirements become terms, and [Install] becomes
 * policy.
 */
#include "config.h"

#include <string.h>

#include "base/text.h"
#include "import-unit/command.h"
#include "import-unit/draft.h"
#include "import-unit/unit-names.h"

/* --- names of other units --- */

/* Translates one name; adds "KEY=VALUE" texts to @became. */
typedef void (*NameRule)(Draft *draft, UnitNameKind kind, const char *text, GPtrArray *became);

static void set_and_report(Draft *draft, const char *key, const char *value, GPtrArray *became)
{
	draft_set(draft, "Conditions", key, value);
	g_ptr_array_add(became, g_strdup_printf("%s=%s", key, value));
}

/* Applies @rule to each name of the line. Names without an effect add their reason to the note. */
static void each_name(Draft *draft, const UnitLine *line, NameRule rule)
{
	g_autofree char *problem = NULL;
	g_auto(GStrv) units = unit_split_tokens(line->value, &problem);
	g_autoptr(GPtrArray) became = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
	bool is_lost = problem != NULL;

	for (char **unit = units; unit && *unit; unit++) {
		g_autofree char *text = NULL;
		const UnitNameKind kind = unit_name_translate(*unit, &text);
		const guint n_stated = became->len + notes->len;

		is_lost = is_lost || kind == UNIT_NAME_LOST;
		if (kind == UNIT_NAME_LOST || kind == UNIT_NAME_IMPLIED)
			g_ptr_array_add(notes, g_strdup_printf("%s: %s", *unit, text));
		else if (kind == UNIT_NAME_SERVICE && strcmp(text, draft->import->name) == 0)
			g_ptr_array_add(notes,
					g_strdup_printf("%s: this is the service itself", *unit));
		else
			rule(draft, kind, text, became);
		if (became->len + notes->len == n_stated)
			g_ptr_array_add(notes, g_strdup_printf("%s: no key is needed", *unit));
	}
	g_ptr_array_add(became, NULL);
	g_ptr_array_add(notes, NULL);
	{
		g_autofree char *all = g_strjoinv(" ", (char **)became->pdata);
		g_autofree char *note = problem ? g_strdup(problem) :
						  g_strjoinv("; ", (char **)notes->pdata);

		draft_report(draft, line,
			     is_lost ? IMPORT_LOST :
			     *all    ? IMPORT_TRANSLATED :
				       IMPORT_IMPLIED,
			     all, note);
	}
}

/*
 * "mounted:/srv/my-data" -> "mount-srv-my--data", the task that svc-generate makes from a line of
 * fstab; a new string.
 */
static char *mount_service(const char *condition)
{
	GString *name = g_string_new("mount");

	for (const char *at = condition + strlen("mounted:"); *at; at++) {
		if (*at == '-')
			g_string_append(name, "--");
		else
			g_string_append_c(name, *at == '/' ? '-' : *at);
	}
	return g_string_free(name, FALSE);
}

static bool names_unit(const Draft *draft, const char *key, const char *unit)
{
	for (guint i = 0; i < draft->unit->len; i++) {
		const UnitLine *line = g_ptr_array_index(draft->unit, i);
		g_auto(GStrv) tokens =
			strcmp(line->key, key) == 0 ? g_strsplit(line->value, " ", -1) : NULL;

		if (tokens && g_strv_contains((const char *const *)tokens, unit))
			return true;
	}
	return false;
}

static void order(Draft *draft, const char *key, UnitNameKind kind, const char *text,
		  GPtrArray *became)
{
	g_autofree char *mount = NULL;

	if (kind == UNIT_NAME_NETWORK_PRE && strcmp(key, "Before") != 0)
		return;
	if (kind != UNIT_NAME_CONDITION) {
		set_and_report(draft, key, text, became);
	} else if (g_str_has_prefix(text, "mounted:")) {
		mount = mount_service(text);
		set_and_report(draft, key, mount, became);
	} else if (g_str_has_prefix(text, "network:") &&
		   !names_unit(draft, "Wants", "network-online.target") &&
		   !names_unit(draft, "Requires", "network-online.target")) {
		set_and_report(draft, key, "$network", became);
	}
}

static void name_after(Draft *draft, UnitNameKind kind, const char *text, GPtrArray *became)
{
	order(draft, "After", kind, text, became);
}

static void name_before(Draft *draft, UnitNameKind kind, const char *text, GPtrArray *became)
{
	order(draft, "Before", kind, text, became);
}

static void name_need(Draft *draft, UnitNameKind kind, const char *text, GPtrArray *became)
{
	g_autofree char *term = g_strconcat("service:", text, NULL);

	if (kind == UNIT_NAME_NETWORK_PRE)
		return; /* it has an effect only with Before= */
	if (kind == UNIT_NAME_FACILITY)
		set_and_report(draft, "After", text, became);
	else if (kind == UNIT_NAME_CONDITION && g_str_has_prefix(text, "network:"))
		set_and_report(draft, "When", text, became);
	else
		set_and_report(draft, "While", kind == UNIT_NAME_CONDITION ? text : term, became);
}

static void name_requisite(Draft *draft, UnitNameKind kind, const char *text, GPtrArray *became)
{
	g_autofree char *term = g_strconcat("active:", text, NULL);

	if (kind == UNIT_NAME_NETWORK_PRE)
		return;
	if (kind == UNIT_NAME_FACILITY)
		set_and_report(draft, "After", text, became);
	else
		set_and_report(draft, "When", kind == UNIT_NAME_CONDITION ? text : term, became);
}

static void name_want(Draft *draft, UnitNameKind kind, const char *text, GPtrArray *became)
{
	g_autofree char *mount = NULL;

	if (kind == UNIT_NAME_SERVICE) {
		set_and_report(draft, "Wants", text, became);
	} else if (kind == UNIT_NAME_CONDITION && g_str_has_prefix(text, "network:")) {
		set_and_report(draft, "When", text, became);
	} else if (kind == UNIT_NAME_CONDITION && g_str_has_prefix(text, "mounted:")) {
		mount = mount_service(text);
		set_and_report(draft, "Wants", mount, became);
	}
}

static void name_conflict(Draft *draft, UnitNameKind kind, const char *text, GPtrArray *became)
{
	if (kind == UNIT_NAME_SERVICE)
		set_and_report(draft, "Conflicts", text, became);
}

static void rule_after(Draft *draft, const UnitLine *line)
{
	each_name(draft, line, name_after);
}

static void rule_before(Draft *draft, const UnitLine *line)
{
	each_name(draft, line, name_before);
}

static void rule_requires(Draft *draft, const UnitLine *line)
{
	each_name(draft, line, name_need);
}

static void rule_requisite(Draft *draft, const UnitLine *line)
{
	each_name(draft, line, name_requisite);
}

static void rule_wants(Draft *draft, const UnitLine *line)
{
	each_name(draft, line, name_want);
}

static void rule_conflicts(Draft *draft, const UnitLine *line)
{
	each_name(draft, line, name_conflict);
}

static void rule_mounts_for(Draft *draft, const UnitLine *line)
{
	draft_set(draft, "Conditions", "After", "$local_fs");
	draft_translate(draft, line, "Conditions", "After", "$remote_fs", "and After=$local_fs");
}

/* --- conditions --- */

static const struct {
	const char *what; /* after "Condition" or "Assert" */
	const char *prefix;
} conditions[] = {
	{ "DirectoryNotEmpty", "path:nonempty:" },
	{ "FileIsExecutable", "path:exec:" },
	{ "FileNotEmpty", "path:nonempty:" },
	{ "KernelCommandLine", "kernel:" },
	{ "PathExists", "path:" },
	{ "PathIsDirectory", "path:dir:" },
	{ "PathIsMountPoint", "mounted:" },
};

/* "!container" -> "!virtual:container"; NULL: not supported. */
static char *virtualization(const char *value, bool is_negated)
{
	bool is_yes;

	if (strcmp(value, "container") == 0 || strcmp(value, "vm") == 0)
		return g_strconcat(is_negated ? "!virtual:" : "virtual:", value, NULL);
	if (!token_parse_bool(value, &is_yes) || is_yes == is_negated)
		return NULL; /* "neither" needs two lines: is_never_virtual() */
	return g_strdup("virtual:container | virtual:vm");
}

/*
 * One term, without the prefix of a triggering condition; NULL: there is no equivalent. A new
 * string.
 */
static char *term_of(const UnitLine *line)
{
	const char *what =
		line->key + strlen(g_str_has_prefix(line->key, "Assert") ? "Assert" : "Condition");
	const char *value = line->value + (*line->value == '|');
	const bool is_negated = *value == '!';

	value += is_negated;
	if (strcmp(what, "Virtualization") == 0)
		return virtualization(value, is_negated);
	for (size_t i = 0; i < G_N_ELEMENTS(conditions); i++) {
		g_autofree char *plain = g_strconcat(conditions[i].prefix, value, NULL);
		const char *const tokens[] = { plain, NULL };
		g_autofree char *quoted = text_join_tokens(tokens);

		if (strcmp(what, conditions[i].what) == 0)
			return g_strconcat(is_negated ? "!" : "", quoted, NULL);
	}
	return NULL;
}

static bool is_condition(const char *key)
{
	return g_str_has_prefix(key, "Condition") || g_str_has_prefix(key, "Assert");
}

/*
 * At least one of the conditions with "|" must hold. NULL if any of them is not supported, because
 * it might be the one that holds.
 */
static char *any_of(const Draft *draft)
{
	g_autoptr(GString) all = g_string_new(NULL);

	for (guint i = 0; i < draft->unit->len; i++) {
		const UnitLine *line = g_ptr_array_index(draft->unit, i);
		g_autofree char *term = NULL;

		if (!is_condition(line->key) || *line->value != '|')
			continue;
		term = term_of(line);
		if (!term)
			return NULL;
		g_string_append_printf(all, "%s%s", all->len > 0 ? " | " : "", term);
	}
	return g_string_free(g_steal_pointer(&all), FALSE);
}

static bool is_never_virtual(const UnitLine *line)
{
	const char *value = line->value + (*line->value == '!');
	bool is_yes;

	return g_str_has_suffix(line->key, "Virtualization") && token_parse_bool(value, &is_yes) &&
	       is_yes == (*line->value == '!');
}

static void rule_condition(Draft *draft, const UnitLine *line)
{
	g_autofree char *term = *line->value == '|' ? any_of(draft) : term_of(line);

	if (is_never_virtual(line)) {
		draft_set(draft, "Conditions", "When", "!virtual:container");
		draft_translate(draft, line, "Conditions", "When", "!virtual:vm",
				"and When=!virtual:container");
	} else if (term)
		draft_translate(
			draft, line, "Conditions", "When", term,
			"the service waits until the condition is true, and is not skipped");
	else
		draft_lose(draft, line,
			   "svcd does not check this condition; the service starts in any case");
}

/* --- the rest of [Unit] --- */

static void rule_documentation(Draft *draft, const UnitLine *line)
{
	g_ptr_array_add(draft->remarks, g_strdup_printf("See %s.", line->value));
	draft_report(draft, line, IMPORT_TRANSLATED, "a comment", NULL);
}

static void rule_part_of(Draft *draft, const UnitLine *line)
{
	if (names_unit(draft, "Requires", line->value) || names_unit(draft, "BindsTo", line->value))
		draft_imply(draft, line, "the service requires this unit, and so stops with it");
	else
		draft_lose(
			draft, line,
			"the service does not stop with this unit; While=service:… stops it, but "
			"also requires the unit");
}

static const char *start_limit_part(const Draft *draft, const char *key, const char *other_key,
				    const char *otherwise)
{
	const char *value = NULL;

	for (guint i = 0; i < draft->unit->len; i++) {
		const UnitLine *line = g_ptr_array_index(draft->unit, i);

		if ((strcmp(line->key, key) == 0 || strcmp(line->key, other_key) == 0) &&
		    *line->value)
			value = line->value;
	}
	return value ? value : otherwise;
}

static void rule_start_limit(Draft *draft, const UnitLine *line)
{
	const char *window =
		start_limit_part(draft, "StartLimitIntervalSec", "StartLimitInterval", "10s");
	const char *burst = start_limit_part(draft, "StartLimitBurst", "StartLimitBurst", "5");
	g_autofree char *limit = g_strdup_printf("%s/%s", burst, window);
	int64_t us = 0;

	if (text_parse_duration(window, &us) && us > 0)
		draft_translate(draft, line, "Service", "RestartLimit", limit, NULL);
	else
		draft_translate(
			draft, line, "Service", "RestartLimit", "1000000/1s",
			"svcd limits every restart; this limit is too high to have an effect, and "
			"the delay grows to 30 s");
}

static void rule_default_dependencies(Draft *draft, const UnitLine *line)
{
	draft_imply(draft, line, "a service waits only for the conditions of its file");
}

#define UNTIL_STATED "svcd has no equivalent; each service names its dependencies"

/* clang-format off */
const ImportRow import_rows_unit[] = {
	{ "After", rule_after, 0, NULL },
	{ "Before", rule_before, 0, NULL },
	{ "BindsTo", rule_requires, 0, NULL },
	{ "Conflicts", rule_conflicts, 0, NULL },
	{ "DefaultDependencies", rule_default_dependencies, 0, NULL },
	{ "Description", import_same, 0, NULL },
	{ "Documentation", rule_documentation, 0, NULL },
	{ "PartOf", rule_part_of, 0, NULL },
	{ "Requires", rule_requires, 0, NULL },
	{ "RequiresMountsFor", rule_mounts_for, 0, NULL },
	{ "Requisite", rule_requisite, 0, NULL },
	{ "StartLimitBurst", rule_start_limit, 0, NULL },
	{ "StartLimitInterval", rule_start_limit, 0, NULL },
	{ "StartLimitIntervalSec", rule_start_limit, 0, NULL },
	{ "Upholds", rule_wants, 0, NULL },
	{ "Wants", rule_wants, 0, NULL },
	{ "WantsMountsFor", rule_mounts_for, 0, NULL },
	{ "AllowIsolate", NULL, IMPORT_IMPLIED, "runlevels are policy" },
	{ "CollectMode", NULL, IMPORT_IMPLIED, "a service that failed is shown until svcctl clear" },
	{ "IgnoreOnIsolate", NULL, IMPORT_LOST, "a change of the runlevel stops the services that the new one does not want" },
	{ "JobTimeoutAction", NULL, IMPORT_LOST, "nothing happens to the machine; StartTimeout ends the start" },
	{ "JobTimeoutSec", NULL, IMPORT_LOST, "use StartTimeout and WaitTimeout" },
	{ "JoinsNamespaceOf", NULL, IMPORT_LOST, "namespaces are not shared between services" },
	{ "OnFailure", NULL, IMPORT_LOST, "nothing is started when the service fails" },
	{ "OnFailureJobMode", NULL, IMPORT_LOST, "nothing is started when the service fails" },
	{ "OnSuccess", NULL, IMPORT_LOST, "nothing is started when the service ends" },
	{ "PropagatesReloadTo", NULL, IMPORT_LOST, "a reload affects one service" },
	{ "PropagatesStopTo", NULL, IMPORT_LOST, UNTIL_STATED },
	{ "ReloadPropagatedFrom", NULL, IMPORT_LOST, "a reload affects one service; OnLapse=reload follows a condition" },
	{ "RefuseManualStart", NULL, IMPORT_LOST, "root may start every service, unless its policy is never" },
	{ "RefuseManualStop", NULL, IMPORT_LOST, "root may stop every service" },
	{ "SourcePath", NULL, IMPORT_IMPLIED, "svcctl cat shows where each setting comes from" },
	{ "StopPropagatedFrom", NULL, IMPORT_LOST, UNTIL_STATED },
	{ "StopWhenUnneeded", NULL, IMPORT_IMPLIED, "a service that nothing wants any longer is stopped" },
	{ "SurviveFinalKillSignal", NULL, IMPORT_LOST, "shutdown stops every service" },
	{ "Condition", rule_condition, 0, NULL }, /* Condition…= and Assert…= */
	{ .key = NULL },
};
/* clang-format on */

/* Keys of [Unit], in older units also of [Service]: reactions that affect the machine. */
const ImportRow import_rows_machine[] = {
	{ "FailureAction", NULL, IMPORT_LOST,
	  "a failure of this service does not affect the machine" },
	{ "RebootArgument", NULL, IMPORT_LOST, "a service does not affect the machine" },
	{ "StartLimitAction", NULL, IMPORT_LOST, "the service fails, and nothing else happens" },
	{ "SuccessAction", NULL, IMPORT_LOST, "its end does not affect the machine" },
	{ .key = NULL },
};

/* --- [Install] --- */

static void add_runlevels(Draft *draft, const char *runlevels)
{
	g_auto(GStrv) tokens = g_strsplit(runlevels, " ", -1);

	for (char **token = tokens; *token; token++) {
		if (!g_ptr_array_find_with_equal_func(draft->runlevels, *token, g_str_equal, NULL))
			g_ptr_array_add(draft->runlevels, g_strdup(*token));
	}
	draft->is_wanted = true;
}

static void rule_wanted_by(Draft *draft, const UnitLine *line)
{
	g_autofree char *problem = NULL;
	g_auto(GStrv) targets = unit_split_tokens(line->value, &problem);
	g_autoptr(GString) became = g_string_new(NULL);
	g_autoptr(GString) note = g_string_new(NULL);

	if (problem) {
		draft_lose(draft, line, problem);
		return;
	}
	for (char **target = targets; *target; target++) {
		const char *runlevels = unit_target_runlevels(*target);
		g_autofree char *name = unit_service_name(*target);

		if (g_str_has_suffix(line->origin.file, ".socket")) {
			/*
			 * Policy "on-demand" opens its socket, and the first connection starts it.
			 */
			g_string_append(became, became->len > 0 ? "" : "Activation=on-demand");
		} else if (runlevels) {
			add_runlevels(draft, runlevels);
			g_string_append_printf(became, "%sRunlevels=%s", became->len > 0 ? " " : "",
					       runlevels);
		} else {
			g_string_append_printf(note,
					       "%sto start it with %s: svcctl edit %s Wants=%s",
					       note->len > 0 ? "; " : "", name, name,
					       draft->import->name);
		}
	}
	draft_report(draft, line, became->len > 0 ? IMPORT_TRANSLATED : IMPORT_LOST, became->str,
		     note->str);
}

static void rule_alias(Draft *draft, const UnitLine *line)
{
	g_autofree char *problem = NULL;
	g_auto(GStrv) aliases = unit_split_tokens(line->value, &problem);
	g_autoptr(GString) became = g_string_new(NULL);

	if (problem) {
		draft_lose(draft, line, problem);
		return;
	}
	for (char **alias = aliases; *alias; alias++) {
		g_autofree char *name = unit_service_name(*alias);

		/*
		 * "dbus-org.example.Name.service" is the name by which systemd finds a bus service.
		 */
		if (g_str_has_prefix(*alias, "dbus-") || strcmp(name, draft->import->name) == 0)
			continue;
		draft_set(draft, "Conditions", "Provides", name);
		g_string_append_printf(became, "%sProvides=%s", became->len > 0 ? " " : "", name);
	}
	if (became->len > 0)
		draft_report(draft, line, IMPORT_TRANSLATED, became->str, NULL);
	else
		draft_imply(draft, line,
			    "not needed: this is the service's own name, or its bus name");
}

const ImportRow import_rows_install[] = {
	{ "Alias", rule_alias, 0, NULL },
	{ "Also", NULL, IMPORT_LOST, "each service has a policy of its own" },
	{ "DefaultInstance", NULL, IMPORT_LOST, "policy names the instances: NAME@INSTANCE" },
	{ "RequiredBy", rule_wanted_by, 0, NULL },
	{ "UpheldBy", rule_wanted_by, 0, NULL },
	{ "WantedBy", rule_wanted_by, 0, NULL },
	{ .key = NULL },
};
