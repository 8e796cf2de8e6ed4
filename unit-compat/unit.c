/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Unit: collects the lines of one service unit from its file, drop-ins, links and sockets, converts
 * them, and refuses the unit if a line that decides whether and how it runs is lost.
 */
#include "config.h"

#include <string.h>

#include "base/limits.h"
#include "base/text.h"
#include "unit-compat/import-unit.h"
#include "unit-compat/own-units.h"
#include "unit-compat/unit-file.h"
#include "unit-compat/unit-names.h"
#include "unit-compat/unit-private.h"

static void loss_free(gpointer data)
{
	UnitLoss *loss = data;

	g_free(loss->setting);
	g_free(loss->note);
	g_free(loss);
}

void unit_free(gpointer data)
{
	Unit *unit = data;

	g_free(unit->name);
	g_free(unit->path);
	g_free(unit->service);
	g_free(unit->reason);
	g_free(unit->program);
	g_ptr_array_unref(unit->losses);
	import_free(unit->import);
	g_free(unit);
}

void unit_refuse(Unit *unit, Origin origin, const char *setting, const char *note)
{
	g_autofree char *where = origin_format(origin);

	unit->fate = UNIT_REFUSED;
	g_free(unit->reason);
	unit->reason = g_strdup_printf("%s: %s%s%s", where, setting, *setting ? ": " : "", note);
}

/* --- lines --- */

GPtrArray *unit_read_lines(const UnitTree *tree, const char *path, DiagList *diags)
{
	g_autofree char *problem = NULL;
	gsize length = 0;
	g_autofree char *text =
		lsb_tree_read(&tree->tree, path, LIMIT_FILE_BYTES, &length, &problem);

	if (text && !problem)
		problem = lsb_tree_distrust(&tree->tree, path);
	if (problem)
		diag_error(diags, origin_new(path, 0), NULL, "%s", problem);
	return text && length > 0 ? unit_file_read(path, text, length, diags) : NULL;
}

static void add_all(GPtrArray *lines, GPtrArray *more)
{
	if (more)
		g_ptr_array_extend_and_steal(lines, more);
}

static void add_drop_ins(const UnitTree *tree, const char *name, GPtrArray *lines, DiagList *diags)
{
	g_autoptr(GPtrArray) paths = unit_tree_drop_ins(tree, name);

	for (guint i = 0; i < paths->len; i++)
		add_all(lines, unit_read_lines(tree, g_ptr_array_index(paths, i), diags));
}

/* Links in NAME.service.wants, and the unit's further names. */
static void add_links(const UnitContext *context, const char *name, GPtrArray *lines)
{
	const GPtrArray *aliases = g_hash_table_lookup(context->aliases, name);

	for (guint i = 0; i < context->tree->links->len; i++) {
		const UnitLink *link = g_ptr_array_index(context->tree->links, i);

		if (strcmp(link->target, name) == 0 && !link->is_masked)
			g_ptr_array_add(lines,
					unit_line_new(link->path, "Unit",
						      link->is_required ? "Requires" : "Wants",
						      link->unit));
	}
	for (guint i = 0; aliases && i < aliases->len && !strchr(name, '@'); i++)
		g_ptr_array_add(lines, unit_line_new(name, "Install", "Alias",
						     g_ptr_array_index(aliases, i)));
}

static bool names(const GPtrArray *lines, const char *key, const char *name)
{
	for (guint i = 0; i < lines->len; i++) {
		const UnitLine *line = g_ptr_array_index(lines, i);
		g_auto(GStrv) tokens =
			strcmp(line->key, key) == 0 ? g_strsplit(line->value, " ", -1) : NULL;

		if (tokens && g_strv_contains((const char *const *)tokens, name))
			return true;
	}
	return false;
}

static bool has_install(const GPtrArray *lines)
{
	return unit_file_last(lines, "Install", "WantedBy") ||
	       unit_file_last(lines, "Install", "RequiredBy") ||
	       unit_file_last(lines, "Install", "Alias") ||
	       unit_file_last(lines, "Install", "Also");
}

bool unit_is_linked(const UnitTree *tree, const char *name)
{
	for (guint i = 0; i < tree->links->len; i++) {
		const UnitLink *link = g_ptr_array_index(tree->links, i);
		g_autofree char *unit =
			link->is_masked ? NULL : unit_tree_resolve(tree, link->unit);

		if (g_strcmp0(unit, name) == 0)
			return true;
	}
	return false;
}

/*
 * A socket that nothing opens is not part of a service that has an [Install] section: ssh.socket,
 * if only ssh.service is enabled.
 */
static bool is_used(const UnitTree *tree, const GPtrArray *lines, const char *socket)
{
	static const char *const keys[] = { "Sockets", "Requires", "BindsTo", "Wants" };
	bool is_named = false;

	for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
		is_named = is_named || names(lines, keys[i], socket);
	return is_named || unit_is_linked(tree, socket);
}

static bool is_masked(const UnitTree *tree, const char *name)
{
	const UnitEntry *entry = unit_tree_find(tree, name);

	return !entry || entry->is_masked;
}

/* The settings of a socket other than its addresses. */
static char *socket_settings(const GPtrArray *lines)
{
	g_autoptr(GPtrArray) settings = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < lines->len; i++) {
		const UnitLine *line = g_ptr_array_index(lines, i);

		if (strcmp(line->section, "Socket") == 0 && strcmp(line->key, "Service") != 0 &&
		    !g_str_has_prefix(line->key, "Listen"))
			g_ptr_array_add(settings, g_strdup_printf("%s=%s", line->key, line->value));
	}
	g_ptr_array_sort(settings, text_compare);
	g_ptr_array_add(settings, NULL);
	return g_strjoinv("\n", (char **)settings->pdata);
}

static void add_socket(const UnitContext *context, const char *socket, char **settings,
		       GPtrArray *lines, DiagList *diags)
{
	const char *path = unit_tree_find(context->tree, socket)->path;
	GPtrArray *own = unit_read_lines(context->tree, path, diags);
	g_autofree char *own_settings = NULL;

	if (!own)
		return;
	add_drop_ins(context->tree, socket, own, diags);
	own_settings = socket_settings(own);
	if (*settings && strcmp(*settings, own_settings) != 0)
		diag_error(diags, origin_new(path, 0), NULL,
			   "its settings differ from those of the service's other sockets, and a "
			   "service has one [Socket] section");
	g_free(*settings);
	*settings = g_steal_pointer(&own_settings);
	add_all(lines, own);
}

static void add_sockets(const UnitContext *context, Unit *unit, GPtrArray *lines, DiagList *diags)
{
	const GPtrArray *sockets = g_hash_table_lookup(context->sockets_of, unit->name);
	g_autofree char *settings = NULL;

	for (guint i = 0; sockets && i < sockets->len; i++) {
		const char *socket = g_ptr_array_index(sockets, i);

		if (!is_masked(context->tree, socket) &&
		    (!unit->has_install || is_used(context->tree, lines, socket)))
			add_socket(context, socket, &settings, lines, diags);
	}
	unit->has_socket = settings != NULL;
	unit->has_install = has_install(lines);
}

/* --- facts --- */

static bool is_interpreter(const char *program)
{
	static const char *const all[] = { "sh",   "bash", "dash", "env",  "python3", "perl",
					   "ruby", "node", "java", "mono", "php",     "python" };
	g_autofree char *name = g_path_get_basename(program);

	for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
		if (strcmp(all[i], name) == 0)
			return true;
	}
	return false;
}

/* The program by which another service is recognized as the same daemon; a new string, or NULL. */
static char *daemon_of(const GPtrArray *lines, const char *name)
{
	const char *command = unit_file_last(lines, "Service", "ExecStart");
	const char *type = unit_file_last(lines, "Service", "Type");
	g_autofree char *program = NULL;

	if (!command || strchr(name, '@') || g_strcmp0(type, "oneshot") == 0)
		return NULL;
	command += strspn(command, "@-:+!|");
	program = g_strndup(command, strcspn(command, " \t"));
	return *program == '/' && !is_interpreter(program) ? g_steal_pointer(&program) : NULL;
}

/* "openvpn@" for "openvpn@home" */
static const char *find_native(const UnitNatives *natives, const char *unit)
{
	g_autofree char *service = unit_own_name(unit);
	const char *native = natives->find(natives->data, service);
	char *at = strchr(service, '@');

	if (native || !at)
		return native;
	at[1] = '\0';
	return natives->find(natives->data, service);
}

static const char *native_of(const UnitContext *context, const Unit *unit)
{
	const GPtrArray *aliases = g_hash_table_lookup(context->aliases, unit->name);
	const char *native = find_native(context->natives, unit->name);

	for (guint i = 0; !native && aliases && i < aliases->len; i++)
		native = find_native(context->natives, g_ptr_array_index(aliases, i));
	if (!native && unit->program)
		native = context->natives->find_program(context->natives->data, unit->program);
	return native;
}

/* --- the decision --- */

static int compare_losses(gconstpointer a, gconstpointer b)
{
	const UnitLoss *one = *(const UnitLoss *const *)a;
	const UnitLoss *other = *(const UnitLoss *const *)b;

	return (int)one->weight - (int)other->weight;
}

static void add_losses(Unit *unit)
{
	for (guint i = 0; i < unit->import->lines->len; i++) {
		const ImportLine *line = g_ptr_array_index(unit->import->lines, i);
		UnitLoss *loss;

		if (line->verdict != IMPORT_LOST)
			continue;
		loss = g_new0(UnitLoss, 1);
		loss->origin = line->origin;
		loss->setting = g_strdup(line->message);
		loss->note = g_strdup(line->note);
		loss->weight = unit_weight(line->message);
		g_ptr_array_add(unit->losses, loss);
	}
	g_ptr_array_sort(unit->losses, compare_losses);
}

static void judge(Unit *unit)
{
	const DiagList *diags = unit->import->diags;
	const UnitLoss *worst;

	unit->fate = UNIT_READ;
	for (unsigned i = 0; i < diag_list_length(diags); i++) {
		const Diagnostic *fault = diag_list_get(diags, i);

		if (fault->level == DIAG_ERROR) {
			unit_refuse(unit, fault->origin, "", fault->text);
			return;
		}
	}
	add_losses(unit);
	worst = unit->losses->len > 0 ? g_ptr_array_index(unit->losses, 0) : NULL;
	if (worst && worst->weight == UNIT_WEIGHT_RUN)
		unit_refuse(unit, worst->origin, worst->setting, worst->note);
}

static void set_service(Unit *unit, const char *name)
{
	g_free(unit->service);
	unit->service = g_strdup(name);
}

/* All lines of the unit itself; NULL: its file is missing or empty. */
static GPtrArray *own_lines(const UnitContext *context, const Unit *unit, DiagList *diags)
{
	GPtrArray *lines = unit_read_lines(context->tree, unit->path, diags);

	if (!lines && diag_list_length(diags) > 0)
		lines = g_ptr_array_new_with_free_func(unit_line_free);
	if (lines)
		add_drop_ins(context->tree, unit->name, lines, diags);
	return lines;
}

static void convert(const UnitContext *context, Unit *unit, GPtrArray *lines, DiagList *diags)
{
	add_links(context, unit->name, lines);
	import_free(unit->import);
	g_ptr_array_set_size(unit->losses, 0);
	unit->import = import_unit_at_boot(unit->name, unit->path, lines, diags);
	set_service(unit, unit->import->name);
	judge(unit);
}

/* A service with an [Install] section of its own does its work without its socket. */
static void convert_without_sockets(const UnitContext *context, Unit *unit)
{
	g_autofree char *problem = g_steal_pointer(&unit->reason);
	DiagList *diags = diag_list_new();
	g_autoptr(GPtrArray) lines = own_lines(context, unit, diags);
	UnitLoss *loss;

	unit->has_socket = false;
	convert(context, unit, lines, diags);
	loss = g_new0(UnitLoss, 1);
	loss->origin = origin_new(unit->path, 0);
	loss->setting = g_strdup("its socket");
	loss->note = g_steal_pointer(&problem);
	loss->weight = UNIT_WEIGHT_ORDER;
	g_ptr_array_add(unit->losses, loss);
}

/* Returns: false if the file is empty, which masks the unit. */
static bool read_files(const UnitContext *context, Unit *unit)
{
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(GPtrArray) lines = own_lines(context, unit, diags);
	const char *native;
	bool is_enabled_alone;

	if (!lines)
		return false;
	unit->has_install = has_install(lines);
	unit->program = daemon_of(lines, unit->name);
	native = native_of(context, unit);
	if (native) {
		unit->fate = UNIT_REPLACED;
		set_service(unit, native);
		return true;
	}
	is_enabled_alone = unit->has_install;
	add_sockets(context, unit, lines, diags);
	convert(context, unit, lines, g_steal_pointer(&diags));
	if (unit->fate == UNIT_REFUSED && unit->has_socket && is_enabled_alone)
		convert_without_sockets(context, unit);
	return true;
}

static bool has_admins_drop_in(const UnitTree *tree, const char *name)
{
	g_autoptr(GPtrArray) paths = unit_tree_drop_ins(tree, name);

	for (guint i = 0; i < paths->len; i++) {
		if (g_str_has_prefix(g_ptr_array_index(paths, i), "/etc/"))
			return true;
	}
	return false;
}

Unit *unit_read(const UnitContext *context, const char *name, const UnitEntry *entry)
{
	const OwnUnit *own = own_unit_find(name);
	Unit *unit = g_new0(Unit, 1);
	const char *native;

	unit->name = g_strdup(name);
	unit->path = g_strdup(entry->path);
	unit->service = unit_own_name(name);
	unit->losses = g_ptr_array_new_with_free_func(loss_free);
	unit->has_admins_drop_in = has_admins_drop_in(context->tree, name);
	native = own || entry->is_masked ? NULL : native_of(context, unit);
	if (own) {
		unit->fate = UNIT_OWN;
		unit->reason = g_strdup(own->reason);
	} else if (native) {
		unit->fate = UNIT_REPLACED;
		set_service(unit, native);
	} else if (entry->is_masked || !read_files(context, unit)) {
		unit->fate = UNIT_MASKED;
		if (!entry->is_admins || !entry->hides_unit) {
			unit_free(unit);
			return NULL;
		}
	}
	return unit;
}
