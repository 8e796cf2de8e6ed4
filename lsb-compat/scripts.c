/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Scripts: a walk through /etc/init.d, then the header of each: from /etc/insserv/overrides, else
 * its own, else from /usr/share/insserv/overrides. Headers are not merged.
 */
#include "config.h"

#include "lsb-compat/scripts.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/limits.h"
#include "lsb-compat/script-actions.h"
#include "lsb-compat/script-names.h"
#include "lsb-compat/lsb-tokens.h"

#define FILE_FILTERS "/etc/insserv/file-filters"
#define OVERRIDES "/etc/insserv/overrides"
#define OVERRIDES_VENDOR "/usr/share/insserv/overrides"

typedef struct ScriptWalk {
	const LsbTree *tree;
	DiagList *diags;
	GPtrArray *scripts; /* LsbScript * */
	/* set of "device:inode" of regular files there, to recognise links to them */
	GHashTable *files;
	GHashTable *services; /* name of service -> LsbScript * */
	GStrv suffixes;
} ScriptWalk;

void lsb_script_free(gpointer data)
{
	LsbScript *script = data;

	g_free(script->file);
	g_free(script->path);
	g_free(script->service);
	lsb_header_free(script->header);
	g_free(script->text);
	g_free(script);
}

static void report_problem(const ScriptWalk *walk, const char *path, const char *problem)
{
	diag_error(walk->diags, origin_new(path, 0), NULL, "the script is left out: %s", problem);
}

static char *identity(const struct stat *st)
{
	return g_strdup_printf("%ju:%ju", (uintmax_t)st->st_dev, (uintmax_t)st->st_ino);
}

/* One suffix per token. A "*" in front, as in the example of insserv(8), has no meaning. */
static GStrv read_file_filters(const LsbTree *tree, DiagList *diags)
{
	g_autoptr(GPtrArray) suffixes = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *problem = NULL;
	gsize length = 0;
	g_autofree char *text =
		lsb_tree_read(tree, FILE_FILTERS, LIMIT_FILE_BYTES, &length, &problem);
	const char *rest = text;
	char *line;

	if (problem)
		diag_warning(diags, origin_new(FILE_FILTERS, 0), NULL, "the file is ignored: %s",
			     problem);
	while (text && (line = lsb_next_line(&rest, &length)) != NULL) {
		g_autoptr(GPtrArray) tokens = lsb_split_tokens(*line == '#' ? "" : line);

		for (guint i = 0; i < tokens->len; i++) {
			const char *token = g_ptr_array_index(tokens, i);

			g_ptr_array_add(suffixes, g_strdup(token + (*token == '*')));
		}
		g_free(line);
	}
	g_ptr_array_add(suffixes, NULL);
	return (GStrv)g_ptr_array_free(g_steal_pointer(&suffixes), FALSE);
}

/* Should the target of the symbolic link at @path be read? If so, @ret is the target's status. */
static bool follow_link(const ScriptWalk *walk, const char *path, struct stat *ret)
{
	g_autofree char *target = lsb_tree_read_link(walk->tree, path);
	g_autofree char *id = NULL;

	/* An Upstart job: the link is all that exists of a script. */
	if (!target || g_str_has_suffix(target, "/upstart-job"))
		return false;
	if (!lsb_tree_stat(walk->tree, path, true, ret)) {
		diag_warning(walk->diags, origin_new(path, 0), NULL,
			     "the link to %s leads nowhere: %s", target, g_strerror(errno));
		return false;
	}
	id = identity(ret);
	return !g_hash_table_contains(walk->files, id);
}

/* Is @path a file that rc would run? */
static bool is_executable(const ScriptWalk *walk, const char *path)
{
	struct stat st;

	if (!lsb_tree_stat(walk->tree, path, false, &st))
		return false;
	if (S_ISLNK(st.st_mode) && !follow_link(walk, path, &st))
		return false;
	return S_ISREG(st.st_mode) && (st.st_mode & S_IXUSR);
}

/* Of "x" and "x.sh" the first is the service x, and the other keeps its full name. */
static char *service_name(const ScriptWalk *walk, const char *file, const char *path)
{
	g_autofree char *problem = NULL;
	g_autofree char *service = lsb_name_service(file, &problem);

	if (!service) {
		report_problem(walk, path, problem);
		return NULL;
	}
	if (!g_hash_table_contains(walk->services, service))
		return g_steal_pointer(&service);
	diag_warning(
		walk->diags, origin_new(path, 0), file,
		"/etc/init.d/%s is the service %s already, so the service of this script is %s",
		service, service, file);
	return g_strdup(file);
}

static LsbHeader *read_override(const ScriptWalk *walk, const char *directory,
				const LsbScript *script)
{
	g_autofree char *path = g_build_filename(directory, script->file, NULL);
	g_autofree char *problem = NULL;
	gsize length;
	g_autofree char *text =
		lsb_tree_read(walk->tree, path, LIMIT_FILE_BYTES, &length, &problem);
	g_autoptr(LsbHeader) header = NULL;

	if (problem)
		diag_warning(walk->diags, origin_new(path, 0), script->service,
			     "the override is ignored: %s", problem);
	if (!text)
		return NULL;
	header = lsb_header_parse(path, script->service, text, length, walk->diags);
	if (lsb_header_exists(header))
		return g_steal_pointer(&header);
	diag_warning(walk->diags, origin_new(path, 0), script->service,
		     "the override is ignored: it has no header");
	return NULL;
}

/* Comments outside of the header come from the script itself, even with an override. */
static void keep_comments(LsbHeader *header, LsbHeader *own)
{
	if (!header->pid_file)
		header->pid_file = g_steal_pointer(&own->pid_file);
	if (!header->description)
		header->description = g_steal_pointer(&own->description);
}

/* The script's own header is read, and its faults reported, only if no override replaces it. */
static LsbHeader *read_header(const ScriptWalk *walk, const LsbScript *script)
{
	LsbHeader *override = read_override(walk, OVERRIDES, script);
	g_autoptr(DiagList) unheard = diag_list_new();
	LsbHeader *own = lsb_header_parse(script->path, script->service, script->text,
					  script->length, override ? unheard : walk->diags);

	if (!override && !lsb_header_exists(own))
		override = read_override(walk, OVERRIDES_VENDOR, script);
	if (!override)
		return own;
	keep_comments(override, own);
	lsb_header_free(own);
	return override;
}

bool lsb_script_has_interpreter(const LsbScript *script)
{
	return g_str_has_prefix(script->text, "#!");
}

bool lsb_script_can_restart(const LsbScript *script)
{
	return lsb_action_exists(script->text, script->length, "restart") ||
	       strstr(script->text, "init-d-script") != NULL; /* it adds the action itself */
}

bool lsb_script_can_reload(const LsbScript *script)
{
	return lsb_action_exists(script->text, script->length, "reload") &&
	       !lsb_action_is_refused(script->text, script->length, "reload");
}

char *lsb_script_pid_file(const LsbScript *script)
{
	return script->header->pid_file ? g_strdup(script->header->pid_file) :
					  lsb_pid_file_guess(script->text, script->length);
}

bool lsb_script_has_daemon(const LsbScript *script)
{
	g_autofree char *pid_file = lsb_script_pid_file(script);

	return pid_file || lsb_text_has_daemon(script->text, script->length);
}

/*
 * Returns: NULL, or why the script is not trusted, a new string: a user who may write to it decides
 * what root runs.
 */
static char *distrust(const ScriptWalk *walk, const char *path)
{
	struct stat st;

	/* Not checked in the tree of another machine, because any user may have unpacked it. */
	if (!walk->tree->is_whole || !lsb_tree_stat(walk->tree, path, true, &st))
		return NULL;
	if (st.st_uid != 0)
		return g_strdup_printf("it belongs to user %u; it must belong to root (chown root)",
				       (unsigned)st.st_uid);
	if (st.st_mode & S_IWOTH || (st.st_mode & S_IWGRP && st.st_gid != 0))
		return g_strdup(
			"users other than root may write to it; remove that permission (chmod "
			"go-w) and check its contents");
	return NULL;
}

static void add_script(ScriptWalk *walk, const char *file)
{
	g_autofree char *path = g_build_filename(LSB_SCRIPTS, file, NULL);
	g_autofree char *service = is_executable(walk, path) ? service_name(walk, file, path) :
							       NULL;
	g_autofree char *problem = NULL;
	g_autofree char *text = NULL;
	LsbScript *script;
	gsize length;

	if (!service)
		return;
	problem = distrust(walk, path);
	text = problem ? NULL :
			 lsb_tree_read(walk->tree, path, LIMIT_SCRIPT_BYTES, &length, &problem);
	if (text && lsb_text_is_binary(text, length))
		problem = g_strdup("it is a program, not a script");
	if (problem)
		report_problem(walk, path, problem);
	if (problem || !text)
		return;
	script = g_new0(LsbScript, 1);
	script->file = g_strdup(file);
	script->path = g_steal_pointer(&path);
	script->service = g_steal_pointer(&service);
	script->text = g_steal_pointer(&text);
	script->length = length;
	script->header = read_header(walk, script);
	g_hash_table_insert(walk->services, script->service, script);
	g_ptr_array_add(walk->scripts, script);
}

static void remember_files(ScriptWalk *walk, const GPtrArray *names)
{
	for (guint i = 0; i < names->len; i++) {
		g_autofree char *path =
			g_build_filename(LSB_SCRIPTS, g_ptr_array_index(names, i), NULL);
		struct stat st;

		if (lsb_tree_stat(walk->tree, path, false, &st) && S_ISREG(st.st_mode))
			g_hash_table_add(walk->files, identity(&st));
	}
}

GPtrArray *lsb_scripts_read(const LsbTree *tree, DiagList *diags)
{
	g_autoptr(GPtrArray) names = lsb_tree_list(tree, LSB_SCRIPTS);
	ScriptWalk walk = {
		.tree = tree,
		.diags = diags,
		.scripts = g_ptr_array_new_with_free_func(lsb_script_free),
		.files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
		.services = g_hash_table_new(g_str_hash, g_str_equal),
		.suffixes = read_file_filters(tree, diags),
	};

	remember_files(&walk, names);
	for (guint i = 0; i < names->len; i++) {
		const char *name = g_ptr_array_index(names, i);

		if (!lsb_name_is_script(name, (const char *const *)walk.suffixes))
			continue;
		if (walk.scripts->len == LIMIT_SCRIPTS) {
			diag_error(diags, origin_new(LSB_SCRIPTS, 0), NULL,
				   "there are more than %d scripts; %s and the scripts after it by "
				   "name are left out",
				   LIMIT_SCRIPTS, name);
			break;
		}
		add_script(&walk, name);
	}
	g_strfreev(walk.suffixes);
	g_hash_table_unref(walk.services);
	g_hash_table_unref(walk.files);
	return walk.scripts;
}
