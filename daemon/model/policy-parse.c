/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Policy parse: merges one file into the policy.
 *
 * A file is merged twice: first into an empty policy as a check, then into the real one. So a file
 * with an error has no effect.
 */
#include "config.h"

#include <string.h>

#include "base/limits.h"
#include "base/list.h"
#include "base/text.h"
#include "model/ini-source.h"
#include "model/name.h"
#include "model/policy-private.h"
#include "model/resource-def.h"
#include "model/value.h"

typedef struct Target {
	Policy *policy;
	const char *argument; /* of the section: the runlevel or the service */
	Origin origin;
} Target;

/* Takes one value. Returns: NULL, or the error as one sentence, a new string. */
typedef char *(*PolicyReader)(Target *t, const char *value);

static Runlevel *runlevel_of(Target *t)
{
	return policy_ensure_runlevel(t->policy, t->argument);
}

static ServiceEntry *service_of(Target *t)
{
	return policy_ensure_service(t->policy, t->argument, t->origin);
}

/* Reads "x" and "-x" into the table. An empty value clears it. */
static char *read_tokens(Target *t, GHashTable *entries, const char *value,
			 char *(*check)(const char *token))
{
	char *problem = NULL;
	g_auto(GStrv) list = text_split_tokens(value, &problem);

	if (list && !*list)
		g_hash_table_remove_all(entries);
	for (char **token = list; token && *token && !problem; token++) {
		problem = check(**token == '-' ? *token + 1 : *token);
		if (!problem)
			policy_set_entry(t->policy, entries, *token, t->origin);
	}
	return problem;
}

static char *check_runlevel(const char *token)
{
	char *problem = NULL;

	(void)name_check_runlevel(token, &problem); /* @problem is the result */
	return problem;
}

static char *read_name(Target *t, const char *value)
{
	Runlevel *runlevel = runlevel_of(t);
	char *problem = *value ? check_runlevel(value) : NULL;

	if (!problem) {
		g_free(runlevel->title);
		runlevel->title = *value ? g_strdup(value) : NULL;
	}
	return problem;
}

static char *read_include(Target *t, const char *value)
{
	return read_tokens(t, runlevel_of(t)->include, value, check_runlevel);
}

static char *read_activate(Target *t, const char *value)
{
	return read_tokens(t, runlevel_of(t)->activate, value, value_check_service);
}

VALUE_ENUM_READER(read_activation_token, Activation, activation, ACTIVATION_COUNT)
VALUE_ENUM_READER(read_on_lapse_token, OnLapse, on_lapse, ON_LAPSE_COUNT)
VALUE_ENUM_READER(read_class_token, ServiceClass, service_class, SERVICE_CLASS_COUNT)

static char *read_activation(Target *t, const char *value)
{
	ServiceEntry *entry = service_of(t);
	char *problem = *value ? read_activation_token(&entry->activation, value) : NULL;

	if (!problem) {
		entry->has_activation = *value;
		entry->activation_origin = t->origin;
		entry->activation_layer = t->policy->layer;
	}
	return problem;
}

static char *read_runlevels(Target *t, const char *value)
{
	return read_tokens(t, service_of(t)->runlevels, value, check_runlevel);
}

static char *read_terms(GPtrArray **terms, const char *value, Origin origin)
{
	if (*value)
		return value_read_term(terms, value, NULL, origin);
	list_empty(*terms);
	return NULL;
}

static char *read_when(Target *t, const char *value)
{
	return read_terms(&service_of(t)->settings.when, value, t->origin);
}

static char *read_while(Target *t, const char *value)
{
	return read_terms(&service_of(t)->settings.while_terms, value, t->origin);
}

/*
 * Checks an entry of Ignore=: a condition, or a service or $facility for which the ordering is
 * dropped.
 */
static char *check_ignored(const char *token)
{
	KeyPrefix prefix;
	const char *canonical;
	char *problem = NULL;

	if (!strchr(token, ':'))
		return value_check_service_or_facility(token);
	(void)key_parse(token, &prefix, &canonical, &problem); /* @problem is the result */
	return problem;
}

static char *read_ignore(Target *t, const char *value)
{
	GPtrArray **ignore = &service_of(t)->settings.ignore;

	if (!*value)
		list_empty(*ignore);
	return value_read_names(ignore, value, t->origin, check_ignored);
}

static char *read_on_lapse(Target *t, const char *value)
{
	PolicyService *settings = &service_of(t)->settings;
	char *problem = *value ? read_on_lapse_token(&settings->on_lapse, value) : NULL;

	if (!problem) {
		settings->has_on_lapse = *value;
		settings->on_lapse_origin = t->origin;
	}
	return problem;
}

static char *read_class(Target *t, const char *value)
{
	PolicyService *settings = &service_of(t)->settings;
	char *problem = *value ? read_class_token(&settings->service_class, value) : NULL;

	if (!problem) {
		settings->has_class = *value;
		settings->class_origin = t->origin;
	}
	return problem;
}

static char *check_group(const char *token)
{
	char *problem = NULL;

	(void)name_check_group(token, &problem); /* @problem is the result */
	return problem;
}

/* The lists of several files do not add up: a later list replaces the earlier one. */
static char *read_operators(Target *t, const char *value)
{
	GPtrArray **operators = &service_of(t)->settings.operators;

	list_empty(*operators);
	return value_read_names(operators, value, t->origin, check_group);
}

static char *read_reason(Target *t, const char *value)
{
	PolicyService *settings = &service_of(t)->settings;

	g_free(settings->reason);
	settings->reason = *value ? g_strdup(value) : NULL;
	settings->reason_origin = t->origin;
	return NULL;
}

static char *read_default_runlevel(Target *t, const char *value)
{
	char *problem = *value ? check_runlevel(value) : NULL;

	if (!problem && (strcmp(value, "0") == 0 || strcmp(value, "6") == 0))
		problem = g_strdup("the machine would go down as soon as it is up");
	if (!problem) {
		g_free(t->policy->default_runlevel);
		t->policy->default_runlevel = *value ? g_strdup(value) : NULL;
		t->policy->default_runlevel_origin = t->origin;
	}
	return problem;
}

static char *read_new_services(Target *t, const char *value)
{
	char *problem =
		read_activation_token(&t->policy->new_services, *value ? value : "on-demand");

	if (!problem)
		t->policy->new_services_origin = t->origin;
	return problem;
}

static char *read_tasks_max(Target *t, const char *value)
{
	char *problem = NULL;
	char *text = *value ? resource_read(RESOURCE_TASKS_MAX, value, &problem) : NULL;

	if (problem)
		return problem;
	g_free(t->policy->tasks_max);
	t->policy->tasks_max = text;
	return NULL;
}

static char *read_rc_links(Target *t, const char *value)
{
	bool counts = false;

	if (t->policy->layer == POLICY_LAYER_RC_LINKS)
		return g_strdup("the policy made from the links in /etc/rc?.d cannot set this");
	if (*value && !token_parse_bool(value, &counts))
		return g_strdup("write yes or no");
	t->policy->rc_links = counts;
	t->policy->rc_links_origin = t->origin;
	return NULL;
}

/* One ordered list: the list in a later file replaces the earlier one. */
static char *read_login_screen(Target *t, const char *value)
{
	list_empty(t->policy->login_screen);
	return value_read_names(&t->policy->login_screen, value, t->origin,
				value_check_service_or_facility);
}

/* A key whose value is a list may be repeated, and its lists add up. */
typedef enum KeyKind { KEY_PLAIN, KEY_TOKENS, KEY_TERMS } KeyKind;

static const struct PolicyKey {
	const char *section;
	const char *name;
	KeyKind kind;
	PolicyReader read;
} keys[] = {
	{ "runlevel", "Name", KEY_PLAIN, read_name },
	{ "runlevel", "Include", KEY_TOKENS, read_include },
	{ "runlevel", "Activate", KEY_TOKENS, read_activate },
	{ "service", "Activation", KEY_PLAIN, read_activation },
	{ "service", "Runlevels", KEY_TOKENS, read_runlevels },
	{ "service", "When", KEY_TERMS, read_when },
	{ "service", "While", KEY_TERMS, read_while },
	{ "service", "Ignore", KEY_TOKENS, read_ignore },
	{ "service", "OnLapse", KEY_PLAIN, read_on_lapse },
	{ "service", "Class", KEY_PLAIN, read_class },
	{ "service", "Operators", KEY_PLAIN, read_operators },
	{ "service", "Reason", KEY_PLAIN, read_reason },
	{ "defaults", "Runlevel", KEY_PLAIN, read_default_runlevel },
	{ "defaults", "NewServices", KEY_PLAIN, read_new_services },
	{ "defaults", "RcLinks", KEY_PLAIN, read_rc_links },
	{ "defaults", "TasksMax", KEY_PLAIN, read_tasks_max },
	{ "defaults", "LoginScreen", KEY_PLAIN, read_login_screen },
};

/* The sections, with the check of their argument. NULL: no argument. */
static const struct {
	const char *name;
	bool (*check)(const char *argument, char **ret_problem);
} sections[] = {
	{ "runlevel", name_check_runlevel },
	{ "service", name_check_service },
	{ "defaults", NULL },
};

/* One pass over one file. */
typedef struct PolicyParser {
	Policy *policy;
	const char *file;
	DiagList *diags; /* NULL: the first pass has reported everything */
	bool broken;
	Arena *arena;
	GHashTable *lines; /* "section/key" -> line, for plain keys, to find duplicates */
	const char *kind; /* of the present section: [KIND ARGUMENT] */
	const char *argument;
	bool is_refused; /* the section was reported; its lines are ignored */
} PolicyParser;

static void G_GNUC_PRINTF(3, 4) report(PolicyParser *p, unsigned line, const char *format, ...)
{
	va_list args;
	g_autofree char *text = NULL;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	if (p->diags)
		diag_error(p->diags, (Origin){ .file = p->file, .line = line }, NULL, "%s", text);
	p->broken = true;
}

static const char *nearest_section(const char *name)
{
	const char *names[G_N_ELEMENTS(sections) + 1] = { NULL };

	for (size_t i = 0; i < G_N_ELEMENTS(sections); i++)
		names[i] = sections[i].name;
	return token_nearest(name, names);
}

/* Why [@kind @argument] is not a valid section; a new string. NULL if it is valid. */
static char *explain_bad_section(const char *kind, const char *argument)
{
	const char *nearest;
	char *problem = NULL;

	for (size_t i = 0; i < G_N_ELEMENTS(sections); i++) {
		if (strcmp(sections[i].name, kind) != 0)
			continue;
		if (sections[i].check && !*argument)
			return g_strdup_printf("the name of the %s is missing: write [%s NAME]",
					       kind, kind);
		if (!sections[i].check && *argument)
			return g_strdup_printf("[%s] takes no name", kind);
		if (sections[i].check)
			(void)sections[i].check(argument, &problem); /* @problem is the result */
		return problem;
	}
	if (strcmp(kind, "Service") == 0 || strcmp(kind, "Conditions") == 0)
		return g_strdup_printf("[%s] belongs in a service file; write [service NAME] here",
				       kind);
	nearest = nearest_section(kind);
	if (nearest)
		return g_strdup_printf("unknown section [%s]; did you mean [%s]?", kind, nearest);
	return g_strdup_printf(
		"unknown section [%s]; the sections are [runlevel N], [service NAME] and "
		"[defaults]",
		kind);
}

static const struct PolicyKey *find_key(const char *section, const char *name)
{
	for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
		if (strcmp(keys[i].section, section) == 0 && strcmp(keys[i].name, name) == 0)
			return &keys[i];
	}
	return NULL;
}

static void report_unknown_key(PolicyParser *p, const char *section, const IniEntry *entry)
{
	const char *names[G_N_ELEMENTS(keys) + 1] = { NULL };
	const char *nearest;
	unsigned n = 0;

	for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
		if (strcmp(keys[i].section, section) == 0)
			names[n++] = keys[i].name;
		else if (strcmp(keys[i].name, entry->key) == 0) {
			report(p, entry->first.line, "%s= belongs in [%s], not in [%s]", entry->key,
			       keys[i].section, section);
			return;
		}
	}
	nearest = token_nearest(entry->key, names);
	if (nearest)
		report(p, entry->first.line, "unknown key %s= in [%s]; did you mean %s=?",
		       entry->key, section, nearest);
	else
		report(p, entry->first.line,
		       "unknown key %s= in [%s]; svcd.policy(5) lists the keys; how a service runs "
		       "belongs in its service file",
		       entry->key, section);
}

static bool is_duplicate(PolicyParser *p, const IniEntry *entry)
{
	char *id = arena_alloc(p->arena, strlen(entry->section->name) + 1 + strlen(entry->key) + 1);
	unsigned first;

	g_stpcpy(g_stpcpy(g_stpcpy(id, entry->section->name), "/"), entry->key);
	first = GPOINTER_TO_UINT(g_hash_table_lookup(p->lines, id));
	if (!first) {
		g_hash_table_insert(p->lines, id, GUINT_TO_POINTER(entry->first.line));
		return false;
	}
	report(p, entry->first.line, "%s= is given twice; the first is in line %u", entry->key,
	       first);
	return true;
}

static void take_value(PolicyParser *p, const struct PolicyKey *key, const char *value,
		       unsigned line)
{
	Target target = { .policy = p->policy,
			  .argument = p->argument,
			  .origin = { .file = p->file, .line = line } };
	g_autofree char *problem = key->read(&target, value);

	if (problem) {
		g_autofree char *text = value_complaint(key->name, value, problem);

		report(p, line, "%s", text);
		return;
	}
	policy_record(p->policy, key->section, p->argument, key->name, value,
		      key->kind == KEY_TOKENS, target.origin);
}

static void take_entry(PolicyParser *p, const IniEntry *entry)
{
	const struct PolicyKey *key = find_key(p->kind, entry->key);

	if (!key) {
		report_unknown_key(p, p->kind, entry);
		return;
	}
	if (key->kind != KEY_PLAIN) {
		for (const IniPart *part = &entry->first; part; part = part->next)
			take_value(p, key, part->text, part->line);
	} else if (!is_duplicate(p, entry)) {
		take_value(p, key, ini_entry_join(p->arena, entry), entry->first.line);
	}
}

/* "service  ssh" -> "service", "ssh" */
static void split_section(PolicyParser *p, const char *name)
{
	const size_t length = strcspn(name, " \t");

	p->kind = arena_strndup(p->arena, name, length);
	p->argument = name + length + strspn(name + length, " \t\f"); /* no trailing blanks */
}

/* Makes the runlevel or service of the section, so that even an empty section has an effect. */
static void begin_section(PolicyParser *p, const IniSection *section)
{
	g_autofree char *problem = NULL;

	split_section(p, section->name);
	problem = explain_bad_section(p->kind, p->argument);
	p->is_refused = true;
	if (problem) {
		report(p, section->line, "%s", problem);
		return;
	}
	if (strcmp(p->kind, "runlevel") == 0 && !policy_ensure_runlevel(p->policy, p->argument)) {
		report(p, section->line, "there are more than %d runlevels", LIMIT_RUNLEVELS);
		return;
	}
	if (strcmp(p->kind, "service") == 0)
		(void)policy_ensure_service(p->policy, p->argument,
					    (Origin){ .file = p->file, .line = section->line });
	p->is_refused = false;
}

/* @file: interned, as in an Origin. */
static bool merge(Arena *arena, Policy *policy, const char *file, const IniFile *ini,
		  DiagList *diags)
{
	g_autoptr(GHashTable) lines = g_hash_table_new(g_str_hash, g_str_equal);
	PolicyParser p = {
		.arena = arena, .policy = policy, .file = file, .diags = diags, .lines = lines
	};
	const IniEntry *entry = ini->entries;

	/*
	 * Sections and entries are read in the order of the file, because the first appearance of a
	 * name in all files gives its rank.
	 */
	for (const IniSection *section = ini->sections; section; section = section->next) {
		begin_section(&p, section);
		for (; entry && entry->section == section; entry = entry->next) {
			if (!p.is_refused)
				take_entry(&p, entry);
		}
	}
	return !p.broken;
}

/* Do the Include= lines of both policies lead from @name to @target? Visits each runlevel once. */
static bool is_included_by(const Policy *one, const Policy *other, const char *name,
			   const char *target, GHashTable *seen)
{
	const Policy *const both[] = { one, other };
	const char *found = policy_find_runlevel(one, name);
	const char *own = found ? found : policy_find_runlevel(other, name);

	if (!own)
		return false;
	if (strcmp(own, target) == 0)
		return true;
	if (!g_hash_table_add(seen, (gpointer)own))
		return false;
	for (unsigned i = 0; i < G_N_ELEMENTS(both); i++) {
		const Runlevel *runlevel = g_hash_table_lookup(both[i]->runlevels, own);
		GHashTableIter iter;
		gpointer value;

		if (!runlevel)
			continue;
		g_hash_table_iter_init(&iter, runlevel->include);
		while (g_hash_table_iter_next(&iter, NULL, &value)) {
			const PolicyEntry *entry = value;

			if (!entry->removes &&
			    is_included_by(one, other, entry->ref.name, target, seen))
				return true;
		}
	}
	return false;
}

/* Returns: false if @added, the contents of one file, closes a cycle of Include= with @policy. */
static bool check_includes(const Policy *policy, const Policy *added, DiagList *diags)
{
	bool fine = true;

	for (guint i = 0; i < added->runlevel_list->len; i++) {
		const Runlevel *runlevel = g_ptr_array_index(added->runlevel_list, i);
		GHashTableIter iter;
		gpointer value;

		g_hash_table_iter_init(&iter, runlevel->include);
		while (g_hash_table_iter_next(&iter, NULL, &value)) {
			const PolicyEntry *entry = value;
			g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);

			if (entry->removes ||
			    !is_included_by(policy, added, entry->ref.name, runlevel->name, seen))
				continue;
			diag_error(diags, entry->ref.origin, NULL,
				   "Include=%s: runlevel %s would include itself", entry->ref.name,
				   runlevel->name);
			fine = false;
		}
	}
	return fine;
}

static bool check_policy_size(const Policy *policy, const Policy *added, const char *file,
			      DiagList *diags)
{
	guint n = policy->runlevel_list->len;

	for (guint i = 0; i < added->runlevel_list->len; i++) {
		const Runlevel *runlevel = g_ptr_array_index(added->runlevel_list, i);

		n += !g_hash_table_contains(policy->runlevels, runlevel->name);
	}
	if (n > LIMIT_RUNLEVELS)
		diag_error(diags, origin_new(file, 0), NULL,
			   "there are more than %d runlevels in all files", LIMIT_RUNLEVELS);
	return n <= LIMIT_RUNLEVELS;
}

/* Merges into a separate policy that is used only for recording statements. */
static void record_only(Arena *arena, Policy *policy, const char *file, const IniFile *ini)
{
	g_autoptr(Policy) aside = policy_new();

	aside->layer = policy->layer;
	aside->statements = policy->statements ? g_ptr_array_ref(policy->statements) : NULL;
	(void)merge(arena, aside, file, ini, NULL); /* the first pass found no errors */
}

bool policy_parse(Policy *policy, PolicyLayer layer, const char *path, const char *text,
		  gsize length, DiagList *diags)
{
	g_autoptr(Arena) arena = arena_new();
	const char *file = origin_new(path, 0).file;
	const IniFile *ini = ini_file_read(arena, file, text, length, NULL, diags);
	g_autoptr(Policy) trial = policy_new();

	trial->layer = layer;
	if (!merge(arena, trial, file, ini, diags) || ini->broken ||
	    !check_policy_size(policy, trial, file, diags) || !check_includes(policy, trial, diags))
		return false;
	policy->layer = layer;
	if (layer == POLICY_LAYER_RC_LINKS && !policy->counts_rc_links) {
		record_only(arena, policy, file, ini);
		return true;
	}
	return merge(arena, policy, file, ini, NULL);
}
