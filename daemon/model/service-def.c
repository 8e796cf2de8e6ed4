/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Service definition: defaults, creation and destruction of the struct.
 */
#include "config.h"

#include "model/service-def.h"

#include <signal.h>

#include "base/list.h"
#include "model/name.h"

void command_free(Command *command)
{
	if (!command)
		return;
	g_strfreev(command->argv);
	g_free(command);
}

NameRef *name_ref_new(const char *name, Origin origin)
{
	NameRef *ref = g_new0(NameRef, 1);

	ref->name = g_intern_string(name);
	ref->origin = origin;
	return ref;
}

void name_ref_free(NameRef *ref)
{
	g_free(ref);
}

void def_line_free(DefLine *line)
{
	g_free(line->value);
	g_free(line);
}

ServiceDef *service_def_new(const char *name, Origin origin)
{
	ServiceDef *def = g_new0(ServiceDef, 1);

	def->n_users = 1;
	def->name = g_intern_string(name);
	if (name_split_instance(name, NULL, &def->instance) && !*def->instance)
		g_clear_pointer(&def->instance, g_free);
	def->origin = origin;
	def->prepare = list_new();
	def->cleanup = list_new();
	def->bus_names = list_new();
	def->stop = (Action){ .kind = ACTION_SIGNAL, .signal = SIGTERM };
	def->kill_signal = SIGKILL;
	def->ready_fd = -1;
	def->restart_delay_us = DEFAULT_RESTART_DELAY_US;
	def->restart_delay_max_us = DEFAULT_RESTART_DELAY_MAX_US;
	def->restart_limit = DEFAULT_RESTART_LIMIT;
	def->restart_window_us = DEFAULT_RESTART_WINDOW_US;
	def->success_status = values_new();
	def->start_limit_us = DEFAULT_START_LIMIT_US;
	def->stop_limit_us = DEFAULT_STOP_LIMIT_US;
	def->health_interval_us = DEFAULT_HEALTH_INTERVAL_US;
	def->health_limit_us = DEFAULT_HEALTH_LIMIT_US;
	def->health_retries = DEFAULT_HEALTH_RETRIES;
	def->is_persistent = true;
	def->when = list_new();
	def->while_terms = list_new();
	def->done_while = list_new();
	def->shown_when = list_new();
	def->after = list_new();
	def->before = list_new();
	def->wants = list_new();
	def->conflicts = list_new();
	def->provides = list_new();
	def->stop_after = list_new();
	def->stop_before = list_new();
	def->execution = &exec_def_plain;
	def->lines = list_new();
	return def;
}

ServiceDef *service_def_share(const ServiceDef *def)
{
	ServiceDef *shared = (ServiceDef *)def; /* only the counter changes */

	shared->n_users++;
	return shared;
}

void service_def_free(ServiceDef *def)
{
	if (!def || --def->n_users > 0)
		return;
	g_free(def->instance);
	g_free(def->problem);
	g_free(def->file_problem);
	g_free(def->description);
	command_free(def->exec);
	list_free(def->prepare);
	list_free(def->cleanup);
	list_free(def->bus_names);
	command_free(def->stop.command);
	command_free(def->reload.command);
	command_free(def->check);
	command_free(def->health);
	command_free(def->restart_command);
	g_free(def->pid_file);
	g_free(def->start_lock);
	values_free(def->success_status);
	list_free(def->when);
	list_free(def->while_terms);
	list_free(def->done_while);
	list_free(def->shown_when);
	list_free(def->after);
	list_free(def->before);
	list_free(def->wants);
	list_free(def->conflicts);
	list_free(def->provides);
	list_free(def->stop_after);
	list_free(def->stop_before);
	exec_def_free(def->execution);
	resource_def_free(def->resources);
	socket_def_free(def->socket);
	list_free(def->lines);
	g_free(def);
}

static void append_terms(GString *text, const char *key, const GPtrArray *terms)
{
	for (unsigned i = 0; i < terms->len; i++)
		g_string_append_printf(text, "%s=%s\n", key,
				       ((const Term *)g_ptr_array_index(terms, i))->text);
}

static void append_names(GString *text, const char *key, const GPtrArray *names)
{
	for (unsigned i = 0; i < names->len; i++)
		g_string_append_printf(text, "%s=%s\n", key,
				       ((const NameRef *)g_ptr_array_index(names, i))->name);
}

char *service_def_relations(const ServiceDef *def)
{
	GString *text = g_string_new(NULL);

	g_string_append_printf(text, "[Service]\nType=%s\n%s%s[Conditions]\n",
			       service_type_name(def->type),
			       def->type == TYPE_GROUP ? "" : "Exec=/bin/true\n",
			       def->once ? "Once=yes\n" : "");
	append_terms(text, "When", def->when);
	append_terms(text, "While", def->while_terms);
	append_names(text, "After", def->after);
	append_names(text, "Wants", def->wants);
	append_names(text, "Conflicts", def->conflicts);
	append_names(text, "Provides", def->provides);
	g_string_append_printf(text, "OnLapse=%s\nStandIn=%s\nSettle=%" G_GINT64_FORMAT "ms\n",
			       on_lapse_name(def->on_lapse), def->stand_in ? "yes" : "no",
			       def->settle_us / G_TIME_SPAN_MILLISECOND);
	return g_string_free(text, FALSE);
}

const char *service_def_mount_point(const ServiceDef *def)
{
	if (def->type != TYPE_TASK || def->stop.kind != ACTION_COMMAND)
		return NULL;
	for (unsigned i = 0; i < def->done_while->len; i++) {
		const Term *term = g_ptr_array_index(def->done_while, i);
		const Literal *first = term_literal(term, 0);

		if (term_length(term) == 1 && !first->negated && first->prefix == KEY_MOUNTED)
			return key_argument(first->key);
	}
	return NULL;
}

gpointer mount_point_find(GHashTable *by_path, const char *path)
{
	g_autofree char *prefix = g_strdup(path);
	char *slash;
	gpointer found;

	while (!(found = g_hash_table_lookup(by_path, prefix)) && (slash = strrchr(prefix, '/')))
		*slash = '\0';
	return found;
}
