/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Loader: reads policy first, then each service that has a file. Instances of templates follow,
 * until every name that is mentioned is defined. Then the whole set is checked.
 */
#include "config.h"

#include "config/loader.h"

#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/list.h"
#include "config/last-good.h"
#include "config/policy-files.h"
#include "config/search-path.h"
#include "config/source-file.h"
#include "model/check.h"
#include "model/check-user.h"
#include "model/name.h"
#include "model/service-parse.h"

#define SERVICE_SUFFIX ".svc"
#define DROP_IN_SUFFIX ".svc.d"

/* A file, read at first use, because a template has many instances. */
typedef struct Source {
	char *path;
	const char *base; /* the last part of @path */
	bool is_read;
	char *text; /* NULL after reading: see @problem */
	gsize length;
	char *problem; /* already reported */
} Source;

/* The files of one name in all directories. */
typedef struct Found {
	char *name;
	Source *main; /* in the last directory that has it; NULL: only drop-ins */
	GPtrArray *drop_ins; /* Source *, in order */
} Found;

typedef struct Loader {
	SourceReader reader;
	Configuration *configuration;
	GHashTable *found; /* name -> Found */
	GQueue *mentioned; /* names to define, borrowed from definitions, policy and the caller */
	bool is_full; /* LIMIT_SERVICES was reached, and reported */
	bool user_mode;
	bool without_lines;
	ServiceParseOptions parse_options;
} Loader;

/*
 * Does not use g_build_filename(3), which looks for slashes and takes ten times as long. None of
 * these directories ends in a slash.
 */
static char *path_of(const char *directory, const char *base)
{
	return g_strconcat(directory, "/", base, NULL);
}

static Source *source_new(const char *directory, const char *base)
{
	Source *source = g_new0(Source, 1);

	source->path = path_of(directory, base);
	source->base = source->path + strlen(source->path) - strlen(base);
	return source;
}

/* Returns the source to the unread state. */
static void source_forget(Source *source)
{
	g_clear_pointer(&source->text, g_free);
	g_clear_pointer(&source->problem, g_free);
	source->is_read = false;
}

static void source_free(gpointer data)
{
	Source *source = data;

	if (!source)
		return;
	source_forget(source);
	g_free(source->path);
	g_free(source);
}

static void found_free(gpointer data)
{
	Found *found = data;

	g_free(found->name);
	source_free(found->main);
	g_ptr_array_unref(found->drop_ins);
	g_free(found);
}

static Found *ensure_found(Loader *l, const char *name)
{
	Found *found = g_hash_table_lookup(l->found, name);

	if (found)
		return found;
	found = g_new0(Found, 1);
	found->name = g_strdup(name);
	found->drop_ins = g_ptr_array_new_with_free_func(source_free);
	g_hash_table_insert(l->found, found->name, found);
	return found;
}

static void add_drop_ins(Loader *l, Found *found, const char *directory)
{
	g_autoptr(GPtrArray)
		names = source_reader_list_reported(&l->reader, directory, l->configuration->diags);

	for (guint i = 0; i < names->len; i++) {
		const char *base = g_ptr_array_index(names, i);

		if (!g_str_has_suffix(base, ".conf"))
			continue;
		/* A file in a later directory replaces an earlier file of the same name. */
		for (guint j = 0; j < found->drop_ins->len; j++) {
			if (strcmp(((Source *)g_ptr_array_index(found->drop_ins, j))->base, base) ==
			    0) {
				g_ptr_array_remove_index(found->drop_ins, j);
				break;
			}
		}
		g_ptr_array_add(found->drop_ins, source_new(directory, base));
	}
}

/* Adds NAME.svc or NAME.svc.d of a service directory. @suffix selects one of the two. */
static void add_named(Loader *l, const char *directory, const char *base, const char *suffix)
{
	g_autofree char *name = g_strndup(base, strlen(base) - strlen(suffix));
	g_autofree char *problem = NULL;
	g_autofree char *path = NULL;
	Found *found;

	if (!name_check_service(name, &problem)) {
		path = path_of(directory, base);
		diag_error(l->configuration->diags, origin_new(path, 0), NULL, "%s", problem);
		return;
	}
	found = ensure_found(l, name);
	if (strcmp(suffix, DROP_IN_SUFFIX) == 0) {
		path = path_of(directory, base);
		add_drop_ins(l, found, path);
	} else {
		source_free(found->main);
		found->main = source_new(directory, base);
	}
}

static void add_entry(Loader *l, const char *directory, const char *base)
{
	if (g_str_has_suffix(base, DROP_IN_SUFFIX)) {
		add_named(l, directory, base, DROP_IN_SUFFIX);
	} else if (g_str_has_suffix(base, SERVICE_SUFFIX)) {
		add_named(l, directory, base, SERVICE_SUFFIX);
	} else if (g_str_has_suffix(base, ".service")) {
		g_autofree char *path = path_of(directory, base);

		diag_warning(l->configuration->diags, origin_new(path, 0), NULL,
			     "this file is not read, because its name does not end in .svc");
	}
}

static void scan_services(Loader *l, char **directories)
{
	for (char **directory = directories; *directory; directory++) {
		g_autoptr(GPtrArray) names = source_reader_list_reported(&l->reader, *directory,
									 l->configuration->diags);

		for (guint i = 0; i < names->len; i++)
			add_entry(l, *directory, g_ptr_array_index(names, i));
	}
}

/* Appends the text of @source to @texts. On failure *@ret_problem gets the first reason. */
static void read_source(Loader *l, Source *source, const char *service, GArray *texts,
			const char **ret_problem)
{
	SourceText text = { .file = source->path };

	if (!source->is_read) {
		source->text = source_reader_read(&l->reader, source->path, &source->length,
						  &source->problem);
		source->is_read = true;
		if (!source->text)
			diag_error(l->configuration->diags, origin_new(source->path, 0), service,
				   "%s", source->problem);
	}
	if (!source->text) {
		if (!*ret_problem)
			*ret_problem = source->problem;
		return;
	}
	text.text = source->text;
	text.length = source->length;
	g_array_append_val(texts, text);
}

/* The template of @name, or NULL. A file of the instance itself has precedence. */
static const Found *find_template(const Loader *l, const char *name)
{
	g_autofree char *template = NULL;

	if (!name_split_instance(name, &template, NULL))
		return NULL;
	return g_hash_table_lookup(l->found, template);
}

/*
 * Can any of @texts contain names? Each file with an alias or bus name, or with a term or order on
 * an instance of a template, contains one of these strings.
 */
static bool may_declare_names(const GArray *texts)
{
	static const char *const names[] = { "Provides", "BusName", "dbus:", "@" };

	for (guint i = 0; i < texts->len; i++) {
		const SourceText *text = &g_array_index(texts, SourceText, i);

		for (size_t j = 0; j < G_N_ELEMENTS(names); j++) {
			if (memmem(text->text, text->length, names[j], strlen(names[j])))
				return true;
		}
	}
	return false;
}

static void add_sources(GPtrArray *sources, const GPtrArray *more)
{
	for (guint i = 0; i < more->len; i++)
		g_ptr_array_add(sources, g_ptr_array_index(more, i));
}

/* Returns: an array of borrowed Source *, the main file first; NULL if @name is unknown. */
static GPtrArray *find_sources(const Loader *l, const char *name)
{
	const Found *own = g_hash_table_lookup(l->found, name);
	const Found *template = find_template(l, name);
	Source *main = own && own->main ? own->main : template ? template->main : NULL;
	GPtrArray *sources;

	if (!main)
		return NULL;
	sources = g_ptr_array_new();
	g_ptr_array_add(sources, main);
	if (template && template != own)
		add_sources(sources, template->drop_ins);
	if (own)
		add_sources(sources, own->drop_ins);
	return sources;
}

static ServiceDef *parse_sources(Loader *l, const char *name, const GPtrArray *sources)
{
	const Source *main = g_ptr_array_index(sources, 0);
	g_autoptr(GArray) texts = g_array_new(FALSE, FALSE, sizeof(SourceText));
	const char *problem = NULL;
	ServiceDef *def;

	for (guint i = 0; i < sources->len; i++)
		read_source(l, g_ptr_array_index(sources, i), name, texts, &problem);
	if (!problem && l->parse_options.names_only && !may_declare_names(texts))
		return service_def_new(name, origin_new(main->path, 0));
	if (!problem)
		return service_parse_with(&l->parse_options, name,
					  (const SourceText *)(void *)texts->data, texts->len,
					  l->configuration->diags);
	def = service_def_new(name, origin_new(main->path, 0));
	def->problem = g_strdup_printf("%s: %s", main->path, problem);
	return def;
}

static ServiceDef *read_definition(Loader *l, const char *name, const GPtrArray *sources)
{
	ServiceDef *def = parse_sources(l, name, sources);

	/*
	 * The texts of a template are kept for its other instances. Other texts are freed now, so
	 * that the next service uses the memory, and the heap is not fragmented.
	 */
	for (guint i = 0; i < sources->len && !strchr(name, '@'); i++)
		source_forget(g_ptr_array_index(sources, i));
	return def;
}

/* Returns: a definition, or NULL if @name is unknown. */
static ServiceDef *define(Loader *l, const char *name)
{
	g_autoptr(GPtrArray) sources = find_sources(l, name);

	return sources ? read_definition(l, name, sources) : NULL;
}

/* Reports the keys that a user may not set, from the lines of the definition. */
static void check_users(Loader *l, ServiceDef *def)
{
	check_users_service(def, l->configuration->diags);
	if (!l->without_lines)
		return;
	list_free(def->lines);
	def->lines = list_new();
}

static void mention_names(Loader *l, const GPtrArray *refs)
{
	for (guint i = 0; i < refs->len; i++) {
		const char *name = ((NameRef *)g_ptr_array_index(refs, i))->name;

		if (strchr(name, '@'))
			g_queue_push_tail(l->mentioned, (gpointer)name);
	}
}

static void mention_terms(Loader *l, const GPtrArray *terms)
{
	for (guint i = 0; i < terms->len; i++) {
		const Term *term = g_ptr_array_index(terms, i);

		for (unsigned j = 0; j < term_length(term); j++) {
			const Literal *literal = term_literal(term, j);
			const char *argument = key_argument(literal->key);

			if (key_prefix_is_internal(literal->prefix) && strchr(argument, '@'))
				g_queue_push_tail(l->mentioned, (gpointer)argument); /* interned */
		}
	}
}

static void mention_policy_terms(Loader *l, const char *service)
{
	const PolicyService *policy = policy_service(l->configuration->policy, service);

	if (!policy)
		return;
	mention_terms(l, policy->when);
	mention_terms(l, policy->while_terms);
}

static void add_service(Loader *l, const char *name)
{
	Configuration *configuration = l->configuration;
	ServiceDef *def;

	if (service_set_length(configuration->set) >= LIMIT_SERVICES) {
		if (!l->is_full)
			diag_error(configuration->diags, (Origin){ 0 }, NULL,
				   "there are more than %d services; those from \"%s\" on are left "
				   "out",
				   LIMIT_SERVICES, name);
		l->is_full = true;
		return;
	}
	def = define(l, name);
	if (!def)
		return;
	if (l->user_mode)
		check_users(l, def);
	service_set_add(configuration->set, def);
	mention_terms(l, def->when);
	mention_terms(l, def->while_terms);
	mention_names(l, def->after);
	mention_names(l, def->before);
	mention_names(l, def->wants);
	mention_policy_terms(l, name);
}

static int compare_found(gconstpointer a, gconstpointer b)
{
	return strcmp((*(const Found *const *)a)->name, (*(const Found *const *)b)->name);
}

static GPtrArray *sorted_found(const Loader *l)
{
	GPtrArray *sorted = g_ptr_array_new();
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, l->found);
	while (g_hash_table_iter_next(&iter, NULL, &value))
		g_ptr_array_add(sorted, value);
	g_ptr_array_sort(sorted, compare_found);
	return sorted;
}

/* A template is not a service, but its errors are reported even without an instance. */
static void check_template(Loader *l, const char *name)
{
	service_def_free(define(l, name));
}

static void add_files(Loader *l)
{
	g_autoptr(GPtrArray) sorted = sorted_found(l);

	for (guint i = 0; i < sorted->len; i++) {
		const Found *found = g_ptr_array_index(sorted, i);
		const Found *template = find_template(l, found->name);

		if (g_str_has_suffix(found->name, "@")) {
			if (!l->parse_options.names_only)
				check_template(l, found->name);
		} else if (found->main || (template && template->main)) {
			add_service(l, found->name);
		}
		if (!found->main && !(template && template->main) && found->drop_ins->len > 0)
			diag_warning(
				l->configuration->diags,
				origin_new(((Source *)g_ptr_array_index(found->drop_ins, 0))->path,
					   0),
				found->name,
				"this drop-in has no effect, because there is no service file %s%s",
				found->name, SERVICE_SUFFIX);
	}
}

static void add_instances(Loader *l)
{
	const ServiceSet *set = l->configuration->set;

	for (;;) {
		const char *name = g_queue_pop_head(l->mentioned);

		if (!name)
			return;
		if (!g_str_has_suffix(name, "@") && name_check_service(name, NULL) &&
		    !service_set_find(set, name))
			add_service(l, name);
	}
}

static void loader_begin(Loader *l, const LoaderOptions *options)
{
	*l = (Loader){ .found = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, found_free),
		       .mentioned = g_queue_new(),
		       .user_mode = options->user_mode,
		       .without_lines = options->without_lines,
		       .parse_options = { .runtime = search_path_runtime_top(options->user_mode),
					  .without_lines = options->without_lines &&
							   !options->user_mode,
					  .names_only = options->names_only } };
	l->configuration = g_new0(Configuration, 1);
	l->configuration->set = service_set_new();
	l->configuration->policy = policy_new();
	l->configuration->diags = diag_list_new();
	l->configuration->secrets = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	source_reader_init(&l->reader, options->root, options->any_owner,
			   options->user_mode ? geteuid() : 0);
	l->reader.overlay = options->overlay;
	l->reader.bundle = options->bundle;
	l->reader.secrets = l->configuration->secrets;
}

static Configuration *loader_end(Loader *l)
{
	source_reader_clear(&l->reader);
	g_queue_free(l->mentioned);
	g_hash_table_unref(l->found);
	return l->configuration;
}

bool configuration_is_secret(GHashTable *secrets, const char *path)
{
	g_autofree char *at = g_strdup(path ? path : "");
	char *end = at + strlen(at);

	for (; secrets && end; end = strrchr(at, '/')) {
		*end = '\0';
		if (g_hash_table_contains(secrets, at))
			return true;
	}
	return false;
}

/*
 * Every user can read a definition's problem as the cause of the service's state, so it must not
 * quote a private file.
 */
static void hide_secrets(Configuration *configuration)
{
	for (unsigned i = 0; i < diag_list_length(configuration->diags); i++) {
		const Diagnostic *d = diag_list_get(configuration->diags, i);
		ServiceDef *def = d->service ? service_set_find(configuration->set, d->service) :
					       NULL;

		if (!def || !def->problem ||
		    !configuration_is_secret(configuration->secrets, d->origin.file))
			continue;
		g_free(def->problem);
		def->problem = g_strdup_printf(
			"%s: it has an error, which is shown only to root: svcctl check",
			d->origin.file);
	}
}

/* Not for the services of a user, because no package starts them during its installation. */
static void hold_programs(Loader *l, const LoaderOptions *options)
{
	g_autofree char *path = g_strconcat(l->reader.root, HELD_PROGRAMS_FILE, NULL);
	g_autofree char *problem = NULL;
	g_autofree char *text = NULL;
	gsize length;

	if (l->user_mode || l->parse_options.names_only ||
	    (options->bundle ? !bundle_find(options->bundle, path) : access(path, F_OK) < 0))
		return;
	text = source_reader_read(&l->reader, path, &length, &problem);
	if (!text) {
		diag_error(l->configuration->diags, origin_new(path, 0), NULL, "%s", problem);
		return;
	}
	l->configuration->held = held_programs_parse(text, length, path, l->configuration->diags);
	held_programs_apply(l->configuration->held, l->configuration->set);
}

static Configuration *load(const LoaderOptions *options, const char *const *extra_instances)
{
	g_auto(GStrv) directories = search_path_services(options);
	g_autoptr(GPtrArray) refs = NULL;
	Configuration *configuration;
	Loader l;

	loader_begin(&l, options);
	configuration = l.configuration;
	if (options->record_statements)
		policy_record_statements(configuration->policy);
	policy_files_load(&l.reader, options, configuration->policy, configuration->diags);
	scan_services(&l, directories);
	add_files(&l);
	refs = policy_named_refs(configuration->policy);
	mention_names(&l, refs);
	for (const char *const *name = extra_instances; name && *name; name++)
		g_queue_push_tail(l.mentioned, (gpointer)*name);
	add_instances(&l);
	hold_programs(&l, options);
	if (!options->names_only)
		check_set(configuration->set, configuration->policy, configuration->diags);
	diag_list_sort(configuration->diags);
	hide_secrets(configuration);
	return loader_end(&l);
}

/* The errors of the present files are reported, not those of the copies. */
static void take_problems(Configuration *good, Configuration *present)
{
	const GPtrArray *defs = service_set_list(good->set);

	for (guint i = 0; i < defs->len; i++) {
		ServiceDef *def = g_ptr_array_index(defs, i);
		ServiceDef *now = service_set_find(present->set, def->name);
		char **problem = def->problem ? &def->problem : &def->file_problem;

		if (!now || !now->problem || strcmp(now->name, def->name) != 0)
			continue;
		g_free(*problem);
		*problem = g_steal_pointer(&now->problem);
	}
	diag_list_free(good->diags);
	good->diags = g_steal_pointer(&present->diags);
	g_hash_table_unref(good->secrets);
	good->secrets = g_steal_pointer(&present->secrets);
}

Configuration *configuration_load(const LoaderOptions *options, const char *const *extra_instances)
{
	g_autoptr(Configuration) present = load(options, extra_instances);
	const bool has_copies = !options->user_mode && !options->without_local_files &&
				!options->names_only;
	g_autoptr(GHashTable) overlay = has_copies ? last_good_overlay(options, present) : NULL;
	LoaderOptions with_copies = *options;
	Configuration *good;

	if (!overlay)
		return g_steal_pointer(&present);
	with_copies.overlay = overlay;
	good = load(&with_copies, extra_instances);
	if (last_good_drop_useless(options, good, overlay)) {
		configuration_free(good);
		good = load(&with_copies, extra_instances);
	}
	take_problems(good, present);
	return good;
}

void configuration_free(Configuration *configuration)
{
	if (!configuration)
		return;
	service_set_free(configuration->set);
	policy_free(configuration->policy);
	diag_list_free(configuration->diags);
	held_programs_free(configuration->held);
	g_clear_pointer(&configuration->secrets, g_hash_table_unref);
	g_free(configuration);
}
