/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Service parse: merges the main file and its drop-ins key by key, and reads the result into a
 * definition.
 *
 * First the lines in effect are collected from all files. A later file replaces a plain key and
 * adds to a list key, and an empty value clears either. Then each value is read once. Replaced
 * values are read into a temporary definition. Otherwise a mistake in them would stay hidden until
 * the drop-in is removed.
 */
#include "config.h"

#include "model/service-parse.h"

#include <string.h>

#include "base/limits.h"
#include "base/list.h"
#include "base/text.h"
#include "model/exec-read.h"
#include "model/ini-source.h"
#include "model/name.h"
#include "model/service-keys.h"
#include "model/value.h"

/* One value of one key, from one place. */
typedef struct ServiceSetting ServiceSetting;
struct ServiceSetting {
	const ServiceKey *key;
	ServiceSetting *next; /* in the order of the files */
	ServiceSetting *next_of_key; /* while both are in effect */
	const char *value;
	Origin origin;
	unsigned source; /* the index of the file */
	bool displaced; /* a later file replaced or cleared it */
};

/* The settings of one key that are in effect, in order. */
typedef struct InEffect {
	ServiceSetting *first;
	ServiceSetting *last;
} InEffect;

typedef struct ServiceParser {
	const ServiceParseOptions *options;
	ServiceDef *def;
	DiagList *diags;
	Arena *arena; /* for temporary data */
	ServiceSetting *settings; /* the first one */
	ServiceSetting **settings_end;
	InEffect *in_effect; /* one for each key of the table */
	bool is_template; /* %i is expanded */
	unsigned source;
} ServiceParser;

static void G_GNUC_PRINTF(3, 4) report(ServiceParser *p, Origin origin, const char *format, ...)
{
	va_list args;
	g_autofree char *text = NULL;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	diag_error(p->diags, origin, p->def->name, "%s", text);
	if (!p->def->problem) {
		g_autofree char *where = origin_format(origin);

		p->def->problem = g_strdup_printf("%s: %s", where, text);
	}
}

static InEffect *in_effect_of(const ServiceParser *p, const ServiceKey *key)
{
	return &p->in_effect[service_key_number(key)];
}

static void displace_all(InEffect *in_effect)
{
	for (ServiceSetting *setting = in_effect->first; setting; setting = setting->next_of_key)
		setting->displaced = true;
	*in_effect = (InEffect){ NULL, NULL };
}

static void add_setting(ServiceParser *p, const ServiceKey *key, const char *value, Origin origin)
{
	InEffect *in_effect = in_effect_of(p, key);
	ServiceSetting *setting;

	if (!key->is_list || !*value)
		displace_all(in_effect);
	setting = arena_new0(ServiceSetting, p->arena);
	setting->key = key;
	setting->value = value;
	setting->origin = origin;
	setting->source = p->source;
	*p->settings_end = setting;
	p->settings_end = &setting->next;
	if (in_effect->last)
		in_effect->last->next_of_key = setting;
	else
		in_effect->first = setting;
	in_effect->last = setting;
}

/*
 * Outside of templates, % is a normal character (date +%F). But no path begins with it, so "%t/" in
 * a path is unambiguous.
 */
static char *expand_plain(ServiceParser *p, const ServiceKey *key, const char *value, Origin origin)
{
	g_autofree char *top = g_strconcat(p->options->runtime, "/", NULL);
	GString *expanded = g_string_new(value);

	if (strstr(value, "%i"))
		diag_warning(p->diags, origin, p->def->name,
			     "%s=: %%i is replaced only in templates (NAME@.svc)", key->name);
	if (service_key_takes_paths(key))
		g_string_replace(expanded, "%t/", top, 0);
	return g_string_free(expanded, FALSE);
}

/*
 * In an instance, %i becomes the name of the instance. A template itself is only checked, and its
 * %i becomes a letter.
 */
static char *expand(ServiceParser *p, const ServiceKey *key, const char *value, Origin origin)
{
	char *problem = NULL;
	char *expanded;

	if (!p->is_template)
		return expand_plain(p, key, value, origin);
	expanded = text_expand(value, p->def->instance ? p->def->instance : "i",
			       p->options->runtime, &problem);
	if (!expanded)
		report(p, origin, "%s=: %s", key->name, problem);
	g_free(problem);
	return expanded;
}

static void take_value(ServiceParser *p, const ServiceKey *key, const char *value, Origin origin)
{
	g_autofree char *expanded = NULL;

	if (strchr(value, '%')) {
		expanded = expand(p, key, value, origin);
		if (!expanded)
			return;
		value = arena_strndup(p->arena, expanded, strlen(expanded));
	}
	add_setting(p, key, value, origin);
}

static bool is_duplicate(ServiceParser *p, const ServiceKey *key, Origin origin)
{
	const ServiceSetting *first = in_effect_of(p, key)->first;

	if (key->is_list || !first || first->source != p->source)
		return false;
	report(p, origin, "%s= is given twice; the first is in line %u", key->name,
	       first->origin.line);
	return true;
}

/* @file: interned, as in an Origin. */
static void take_entry(ServiceParser *p, const char *file, const IniEntry *entry)
{
	const ServiceKey *key = service_key_find(entry->section->name, entry->key);
	const Origin origin = { .file = file, .line = entry->first.line };

	if (!key) {
		g_autofree char *text =
			service_key_explain_unknown(entry->section->name, entry->key, p->def->name);

		report(p, origin, "%s", text);
		return;
	}
	if (is_duplicate(p, key, origin))
		return;
	if (!key->is_list) {
		const char *joined = ini_entry_join(p->arena, entry);

		if (strlen(joined) > LIMIT_LINE_BYTES)
			report(p, origin, "%s= is longer than %d bytes", key->name,
			       LIMIT_LINE_BYTES);
		else
			take_value(p, key, joined, origin);
		return;
	}
	for (const IniPart *part = &entry->first; part; part = part->next)
		take_value(p, key, part->text, (Origin){ .file = file, .line = part->line });
}

/*
 * Does the entry contain names of this service, or of others that may be instances of a template?
 */
static bool declares_names(const IniEntry *entry)
{
	return strcmp(entry->section->name, "Conditions") == 0 ||
	       strcmp(entry->key, "Ready") == 0 || strcmp(entry->key, "BusName") == 0;
}

static void take_source(ServiceParser *p, const SourceText *source)
{
	const Origin whole = origin_new(source->file, 0);
	const IniFile *ini = ini_file_read(p->arena, source->file, source->text, source->length,
					   p->def->name, p->diags);

	if (ini->broken && !p->def->problem) {
		const Diagnostic *last = diag_list_get(p->diags, diag_list_length(p->diags) - 1);
		g_autofree char *where = origin_format(last->origin);

		p->def->problem = g_strdup_printf("%s: %s", where, last->text);
	}
	for (const IniSection *section = ini->sections; section; section = section->next) {
		g_autofree char *text = NULL;

		if (service_section_is_known(section->name))
			continue;
		text = service_section_explain_unknown(section->name, p->def->name);
		report(p, (Origin){ .file = whole.file, .line = section->line }, "%s", text);
	}
	for (const IniEntry *entry = ini->entries; entry; entry = entry->next) {
		if (service_section_is_known(entry->section->name) &&
		    (!p->options->names_only || declares_names(entry)))
			take_entry(p, whole.file, entry);
	}
}

/* Reads one setting into @def, the real or a temporary definition. */
static void read_setting(ServiceParser *p, ServiceDef *def, const ServiceSetting *setting)
{
	g_autofree char *problem = NULL;

	if (!*setting->value && !setting->key->takes_nothing)
		return; /* cleared: keeps the default */
	problem = service_key_read(setting->key, def, setting->value, setting->origin);
	if (problem) {
		g_autofree char *text =
			value_complaint(setting->key->name, setting->value, problem);

		report(p, setting->origin, "%s", text);
	}
}

static void remember_line(ServiceDef *def, const ServiceSetting *setting)
{
	DefLine *line = g_new0(DefLine, 1);

	line->section = setting->key->section;
	line->key = setting->key->name;
	line->value = g_strdup(setting->value);
	line->origin = setting->origin;
	list_add(&def->lines, line, (GDestroyNotify)def_line_free);
}

/* FNV-1a, including the final NUL. */
static uint32_t mark_add(uint32_t mark, const char *text)
{
	do
		mark = (mark ^ (unsigned char)*text) * 16777619u;
	while (*text++);
	return mark;
}

static void mark_setting(ServiceDef *def, const ServiceSetting *setting)
{
	if (strcmp(setting->key->section, "Conditions") == 0 ||
	    strcmp(setting->key->name, "Description") == 0)
		return;
	def->mark = mark_add(mark_add(def->mark, setting->key->name), setting->value);
}

static void read_settings(ServiceParser *p)
{
	for (const ServiceSetting *setting = p->settings; setting; setting = setting->next) {
		if (setting->displaced) {
			g_autoptr(ServiceDef)
				scratch = service_def_new(p->def->name, p->def->origin);

			read_setting(p, scratch, setting);
		} else {
			read_setting(p, p->def, setting);
			mark_setting(p->def, setting);
			if (!p->options->without_lines &&
			    (*setting->value || setting->key->takes_nothing))
				remember_line(p->def, setting);
		}
	}
}

static bool is_given(ServiceParser *p, const char *section, const char *name, Origin *ret_origin)
{
	for (const ServiceSetting *setting = p->settings; setting; setting = setting->next) {
		if (!setting->displaced && *setting->value &&
		    strcmp(setting->key->name, name) == 0 &&
		    strcmp(setting->key->section, section) == 0) {
			*ret_origin = setting->origin;
			return true;
		}
	}
	return false;
}

/* Refuses keys about processes, which a group does not have. */
static void check_group(ServiceParser *p)
{
	static const char *const needless[] = {
		"Exec",     "Prepare",      "Cleanup",         "Stop",
		"Reload",   "CheckCommand", "RestartCommand",  "Ready",
		"PidFile",  "Restart",      "WatchdogTimeout", "HealthCommand",
		"StartLock"
	};
	Origin origin;

	for (size_t i = 0; i < G_N_ELEMENTS(needless); i++) {
		if (is_given(p, "Service", needless[i], &origin))
			report(p, origin, "%s= has no meaning in a group, which runs nothing",
			       needless[i]);
	}
}

static void check_ready(ServiceParser *p)
{
	ServiceDef *def = p->def;
	Origin origin;

	if (!is_given(p, "Service", "Ready", &origin))
		def->ready = def->type == TYPE_DAEMON ? READY_EXEC : READY_EXIT;
	else if (def->type == TYPE_TASK && def->ready != READY_EXIT)
		report(p, origin,
		       "a task is ready when it has ended with success; remove Ready=, or write "
		       "Type=daemon");
	else if (def->type == TYPE_SCRIPT)
		report(p, origin,
		       "a script is ready when its start command has ended with success; remove "
		       "Ready=");
	else if (def->type == TYPE_DAEMON && def->ready == READY_EXIT)
		report(p, origin,
		       "a daemon does not end; write Type=task, or Ready=fork for one that forks "
		       "into the "
		       "background");
}

/*
 * Keep-alive messages come from the main process, and only the main process of a daemon runs as
 * long as its service.
 */
static void check_watchdog(ServiceParser *p)
{
	Origin origin;

	if (p->def->type != TYPE_DAEMON && p->def->watchdog_us > 0 &&
	    is_given(p, "Service", "WatchdogTimeout", &origin))
		report(p, origin, "WatchdogTimeout= is for daemons; a %s sends no WATCHDOG=1",
		       service_type_name(p->def->type));
}

static void check_health(ServiceParser *p)
{
	const ServiceDef *def = p->def;
	const bool runs_on = def->type == TYPE_DAEMON || def->type == TYPE_SCRIPT;
	Origin origin;

	if (!is_given(p, "Service", "HealthCommand", &origin))
		return;
	if (!runs_on)
		report(p, origin, "HealthCommand= checks a running service; a %s ends",
		       service_type_name(def->type));
	else if (def->restart == RESTART_NO && def->health_action == HEALTH_ACTION_RESTART)
		diag_warning(
			p->diags, origin, def->name,
			"with Restart=no an unhealthy service is stopped and not started again; "
			"write "
			"Restart=on-failure, or HealthAction=none");
}

/* Only the script's own command can stop the processes that it left. */
static void check_script(ServiceParser *p)
{
	const Origin whole = { .file = p->def->origin.file };
	Origin origin;

	if (p->def->type != TYPE_SCRIPT) {
		if (is_given(p, "Service", "RestartCommand", &origin))
			report(p, origin,
			       "only a service of Type=script is restarted by a command; all "
			       "others are stopped and "
			       "started");
		return;
	}
	if (!is_given(p, "Service", "Stop", &origin))
		report(p, whole, "no Stop= in [Service]; a script needs the command that stops it");
	else if (p->def->stop.kind != ACTION_COMMAND)
		report(p, origin, "a script is stopped by a command, not by a signal");
}

static bool is_any_given(ServiceParser *p, const char *section, Origin *ret_origin)
{
	for (const ServiceSetting *setting = p->settings; setting; setting = setting->next) {
		if (!setting->displaced && *setting->value &&
		    strcmp(setting->key->section, section) == 0) {
			*ret_origin = setting->origin;
			return true;
		}
	}
	return false;
}

static void check_socket_kinds(ServiceParser *p)
{
	const ServiceDef *def = p->def;
	const Listen *first = g_ptr_array_index(def->socket->listens, 0);
	const unsigned n = service_def_n_sockets(def);
	Origin origin;

	if (def->type != TYPE_DAEMON)
		report(p, first->origin, "only a daemon can have sockets, and this is a %s",
		       service_type_name(def->type));
	if (def->socket->names->len > 1 && def->socket->names->len != n &&
	    is_given(p, "Socket", "FileDescriptorName", &origin))
		report(p, origin,
		       "FileDescriptorName= has %u names for %u sockets; write one for all, or "
		       "one for each",
		       def->socket->names->len, n);
	if (def->ready == READY_FD && def->ready_fd < 3 + (int)n &&
	    is_given(p, "Service", "Ready", &origin))
		report(p, origin,
		       "Ready=fd:%d is the descriptor of a socket; the sockets have 3 to %u, so "
		       "write fd:%u or higher",
		       def->ready_fd, 2 + n, 3 + n);
}

static void check_sockets(ServiceParser *p)
{
	Origin origin;

	if (service_def_n_sockets(p->def) > 0)
		check_socket_kinds(p);
	else if (is_any_given(p, "Socket", &origin))
		report(p, origin,
		       "[Socket] sets no address to listen on; write ListenStream=, "
		       "ListenDatagram=, "
		       "ListenSequentialPacket= or ListenFIFO=");
}

/* Shell syntax in a command is most likely a mistake. */
static void check_shell_command(ServiceParser *p, const Command *command, const char *key)
{
	static const char *const shell[] = { "|",  "||", "&",    "&&",         ";", ">",
					     ">>", "<",  "2>&1", ">/dev/null", NULL };

	for (char **token = command ? command->argv : NULL; token && *token; token++) {
		if (g_strv_contains(shell, *token))
			diag_warning(
				p->diags, command->origin, p->def->name,
				"%s=: \"%s\" is passed to the program unchanged, because there is "
				"no shell; write "
				"/bin/sh -c '...' to use one",
				key, *token);
	}
}

static void check_execution(ServiceParser *p)
{
	const char *key;
	Origin origin;
	g_autofree char *problem = exec_check(p->def->execution, &key);

	if (problem && is_given(p, "Service", key, &origin))
		report(p, origin, "%s=: %s", key, problem);
}

static void check_whole(ServiceParser *p)
{
	ServiceDef *def = p->def;
	const Origin whole = { .file = def->origin.file };
	Origin origin;

	check_sockets(p);
	if (def->type == TYPE_GROUP) {
		check_group(p);
		return;
	}
	if (!is_given(p, "Service", "Exec", &origin))
		report(p, whole, "no Exec= in [Service]; a %s needs the command that it runs",
		       service_type_name(def->type));
	check_ready(p);
	check_watchdog(p);
	check_health(p);
	check_script(p);
	check_execution(p);
	if (def->type == TYPE_TASK && def->restart == RESTART_ALWAYS &&
	    is_given(p, "Service", "Restart", &origin))
		report(p, origin,
		       "Restart=always: a task that has succeeded is done; write on-failure or no");
	if (def->restart_delay_max_us < def->restart_delay_us)
		def->restart_delay_max_us = def->restart_delay_us;
	check_shell_command(p, def->exec, "Exec");
	check_shell_command(p, def->stop.command, "Stop");
	check_shell_command(p, def->reload.command, "Reload");
	check_shell_command(p, def->check, "CheckCommand");
	check_shell_command(p, def->health, "HealthCommand");
	check_shell_command(p, def->restart_command, "RestartCommand");
}

ServiceDef *service_parse_with(const ServiceParseOptions *options, const char *name,
			       const SourceText *sources, unsigned n_sources, DiagList *diags)
{
	const Origin origin = n_sources > 0 ? origin_new(sources[0].file, 0) : (Origin){ 0 };
	g_autoptr(ServiceDef) def = service_def_new(name, origin);
	g_autoptr(Arena) arena = arena_new();
	ServiceParser p = {
		.options = options,
		.def = def,
		.diags = diags,
		.arena = arena,
		.settings_end = &p.settings,
		.in_effect = arena_alloc(arena, service_keys_length() * sizeof(InEffect)),
		.is_template = name_split_instance(name, NULL, NULL),
	};

	for (p.source = 0; p.source < n_sources; p.source++)
		take_source(&p, &sources[p.source]);
	read_settings(&p);
	if (!def->problem && !options->names_only)
		check_whole(&p);
	return g_steal_pointer(&def);
}

ServiceDef *service_parse(const char *name, const SourceText *sources, unsigned n_sources,
			  DiagList *diags)
{
	return service_parse_with(&(ServiceParseOptions){ .runtime = "/run" }, name, sources,
				  n_sources, diags);
}
