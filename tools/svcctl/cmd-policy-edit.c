/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * edit, presets: whole files, written by a person or shipped as an example.
 */
#include "config.h"

#include <ctype.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/text.h"
#include "config/search-path.h"
#include "model/name.h"
#include "svcctl/policy-change.h"

#define EXAMPLES_DIRECTORY SVCD_LIBDIR "/policy-examples"
#define EXAMPLE_SUFFIX ".policy"
#define TITLE_PREFIX "# Title:"

/*
 * The text of a file, "" if there is none; NULL with @error when it cannot be read. A new string.
 */
static char *read_text(const char *path, GError **error)
{
	g_autoptr(GBytes) bytes = NULL;

	if (!g_file_test(path, G_FILE_TEST_EXISTS))
		return g_strdup("");
	bytes = file_read_bounded(path, LIMIT_FILE_BYTES, error);
	return bytes ? g_strndup(g_bytes_get_data(bytes, NULL) ? g_bytes_get_data(bytes, NULL) : "",
				 g_bytes_get_size(bytes)) :
		       NULL;
}

static void set_data(Context *context, const Outcome *outcome, const char *path)
{
	JsonObject *object = json_object_new();

	json_object_set_string_member(object, "file", path);
	outcome_to_json(outcome, context, object);
	output_set_object(&context->output, object);
}

static bool commit(Context *context, Change *change, const char *path, const char *headline,
		   GError **error)
{
	g_auto(Outcome) outcome = { 0 };

	if (!policy_change_commit(context, change, NULL, &outcome, error))
		return false;
	output_confirm(&context->output, "%s", headline);
	outcome_print(context, &outcome);
	set_data(context, &outcome, path);
	return true;
}

/* --- edit --- */

/* A file of its own below /tmp, so that an editor that dies does not damage the original. */
typedef struct PolicyDraft {
	char *directory;
	char *path;
	char *original; /* the path of the original */
	char *original_before; /* its text before the editor was started */
	bool is_kept; /* the draft stays */
} PolicyDraft;

static void policy_draft_clear(PolicyDraft *draft)
{
	if (draft->path && !draft->is_kept)
		(void)unlink(draft->path); /* the editor may have removed it */
	if (draft->directory)
		/* fails if the editor left a backup copy, which is kept */
		(void)rmdir(draft->directory);
	g_free(draft->original);
	g_free(draft->original_before);
	g_free(draft->path);
	g_free(draft->directory);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PolicyDraft, policy_draft_clear)

static bool policy_draft_init(PolicyDraft *draft, const char *base, const char *text,
			      GError **error)
{
	draft->directory = g_dir_make_tmp("svcctl-XXXXXX", error);
	if (!draft->directory)
		return false;
	draft->path = g_build_filename(draft->directory, base, NULL);
	return g_file_set_contents(draft->path, text, -1, error);
}

/* The editor that the user has chosen, or NULL. */
static const char *chosen_editor(void)
{
	const char *visual = g_getenv("VISUAL");
	const char *plain = g_getenv("EDITOR");

	if (visual && *visual)
		return visual;
	return plain && *plain ? plain : NULL;
}

static const char *editor(void)
{
	const char *chosen = chosen_editor();

	return chosen ? chosen : "editor"; /* Debian's alternative */
}

/* $EDITOR may have arguments, so a shell splits it, as for git and crontab. */
static bool run_editor(const char *path, GError **error)
{
	g_autofree char *command = g_strconcat(editor(), " \"$@\"", NULL);
	const char *argv[] = { "/bin/sh", "-c", command, "svcctl", path, NULL };
	int status;

	/* A chosen editor may be a script. The default editor would wait for keys for ever. */
	if (!chosen_editor() && !isatty(STDIN_FILENO))
		return fail_ctl(error, CTL_ERROR_USAGE,
				"edit needs a terminal, or a program in $EDITOR");
	if (!g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_CHILD_INHERITS_STDIN, NULL, NULL, NULL,
			  NULL, &status, error))
		return false;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ?
		       true :
		       fail_ctl(error, CTL_ERROR_FAILED, "%s failed; nothing was written",
				editor());
}

/* Returns: false at ^C, and at the end of the input. */
static bool confirm(FILE *to, const char *question, char *ret_answer, int size)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	sigset_t interrupt;
	sigset_t before;
	bool is_answered;

	(void)sigemptyset(&interrupt);
	(void)sigaddset(&interrupt, SIGINT);
	/* A ^C that follows the question is not lost, even if it comes at once. */
	(void)sigprocmask(SIG_BLOCK, &interrupt, &before);
	fputs(question, to);
	(void)fflush(to);
	is_answered = ppoll(&input, 1, NULL, &before) == 1 && fgets(ret_answer, size, stdin);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	return is_answered;
}

/* Returns: true to edit once more. */
static bool confirm_retry(Context *context, const GError *problem)
{
	char answer[16] = "";

	output_print_error(&context->output, problem, NULL);
	if (!isatty(STDIN_FILENO) || context->output.is_json)
		return false;
	return confirm(context->output.err, "Edit once more? [Y/n] ", answer, sizeof answer) &&
	       tolower((unsigned char)answer[0]) != 'n';
}

/* The path of the file without the root. A new string. */
static char *path_to_edit(const Context *context, const char *service)
{
	const bool is_user = context->options.is_user;
	g_autofree char *top = context->options.is_until_reboot ? search_path_runtime(is_user) :
								  search_path_config(is_user);

	if (context->options.edits_policy)
		return g_build_filename(top, "policy.d", POLICY_EDIT_FILE_NAME, NULL);
	return g_strdup_printf("%s/services.d/%s.svc.d/90-svcctl.conf", top, service);
}

/* The initial text of a new file. */
static char *first_text(const Context *context, const char *service)
{
	if (context->options.edits_policy)
		return g_strdup("# svcctl writes this file, too; see svcd.policy(5).\n");
	return g_strdup_printf(
		"# Differences from the vendor's %s.svc; svcctl cat %s shows all. See "
		"svcd.service(5).\n"
		"[Service]\n\n[Conditions]\n",
		service, service);
}

/* From change_set_file() on, the change refuses to overwrite a later text of the original. */
static Change *change_of_draft(const Context *context, PolicyDraft *draft, const char *path,
			       GError **error)
{
	g_autofree char *text = read_text(draft->path, error);
	g_autoptr(Change) change = text ? policy_change_new(context) : NULL;
	g_autofree char *present = NULL;

	if (!change || !change_set_file(change, path + 1, text, error))
		return NULL;
	present = read_text(draft->original, error);
	if (!present)
		return NULL;
	if (strcmp(present, draft->original_before) == 0)
		return g_steal_pointer(&change);
	draft->is_kept = true;
	fail(error, SVCD_ERROR_BUSY,
	     "%s has been changed since the editor was started; nothing was written; "
	     "your text is in %s",
	     draft->original, draft->path);
	return NULL;
}

/* Repeats until the saved text is valid, or the person gives up. */
static Change *edit_until_right(Context *context, PolicyDraft *draft, const char *path,
				GError **error)
{
	for (;;) {
		g_autoptr(GError) problem = NULL;
		g_autoptr(Change) change = NULL;

		if (!run_editor(draft->path, error))
			return NULL;
		change = change_of_draft(context, draft, path, &problem);
		if (change && policy_change_check(context, change, NULL, &problem))
			return g_steal_pointer(&change);
		if (draft->is_kept || !confirm_retry(context, problem)) {
			g_propagate_error(error, g_steal_pointer(&problem));
			return NULL;
		}
	}
}

/* ^C ends the wait for an answer, but not the wait for the editor. */
static void on_interrupt(int signo)
{
	(void)signo;
}

/* ^C is meant for the editor, or answers no. If it ended svcctl, the draft would stay behind. */
static Change *edit_through_interrupts(Context *context, PolicyDraft *draft, const char *path,
				       GError **error)
{
	/* the editor would inherit SIG_IGN */
	const struct sigaction ours = { .sa_handler = on_interrupt };
	struct sigaction before;
	Change *change;

	(void)sigaction(SIGINT, &ours, &before); /* cannot fail: SIGINT may be handled */
	change = edit_until_right(context, draft, path, error);
	(void)sigaction(SIGINT, &before, NULL);
	return change;
}

bool cmd_edit(Context *context, GError **error)
{
	const char *service = context->n_names > 0 ? context->names[0] : NULL;
	g_autofree char *problem = NULL;
	g_autofree char *path = NULL;
	g_autofree char *base = NULL;
	g_autofree char *text = NULL;
	g_autoptr(Change) change = NULL;
	g_auto(PolicyDraft) draft = { 0 };

	if (context->n_names > 1 && !context->options.edits_policy)
		return policy_override(context, error);
	if (!service == !context->options.edits_policy)
		return fail_ctl(error, CTL_ERROR_USAGE, "edit: name a service, or give --policy");
	if (service && !name_check_service(service, &problem))
		return fail_ctl(error, CTL_ERROR_USAGE, "%s", problem);
	if (geteuid() != 0 && !context_owns_files(context))
		return fail(error, SVCD_ERROR_NOT_AUTHORIZED, "only root may change policy");
	path = path_to_edit(context, service);
	draft.original = g_strconcat(context_root(context), path, NULL);
	draft.original_before = read_text(draft.original, error);
	if (!draft.original_before)
		return false;
	text = *draft.original_before ? g_strdup(draft.original_before) :
					first_text(context, service);
	base = g_path_get_basename(path);
	if (!policy_draft_init(&draft, base, text, error))
		return false;
	change = edit_through_interrupts(context, &draft, path, error);
	return change && commit(context, change, path, path, error);
}

/* --- presets --- */

static const Column preset_columns[] = {
	{ "name", "NAME", "Name", CELL_TEXT },
	{ "title", "TITLE", "Title", CELL_TEXT },
	{ "installed", "INSTALLED", "Installed", CELL_BOOL },
	{ "file", NULL, "File", CELL_TEXT },
};

/* The rest of the line "# Title:", or else the first comment; a new string. */
static char *title_of(const char *text)
{
	const char *title = strstr(text, TITLE_PREFIX);
	const char *begin = title ? title + strlen(TITLE_PREFIX) : text + strspn(text, "# ");
	g_autofree char *line = g_strndup(begin, strcspn(begin, "\n"));

	return g_utf8_make_valid(g_strstrip(line), -1);
}

static char *installed_path(const char *name)
{
	return g_strdup_printf(SVCD_SYSCONFDIR "/policy.d/%s" EXAMPLE_SUFFIX, name);
}

static bool add_preset(const Context *context, const char *directory, const char *base,
		       GPtrArray *records, GError **error)
{
	g_autofree char *path = g_build_filename(directory, base, NULL);
	g_autofree char *name = g_strndup(base, strlen(base) - strlen(EXAMPLE_SUFFIX));
	g_autofree char *text = read_text(path, error);
	g_autofree char *title = text ? title_of(text) : NULL;
	g_autofree char *installed = installed_path(name);
	g_autofree char *full = g_strconcat(context_root(context), installed, NULL);
	GVariantDict dict;

	if (!text)
		return false;
	g_variant_dict_init(&dict, NULL);
	g_variant_dict_insert(&dict, "Name", "s", name);
	g_variant_dict_insert(&dict, "Title", "s", title);
	g_variant_dict_insert(&dict, "Installed", "b",
			      (gboolean)g_file_test(full, G_FILE_TEST_EXISTS));
	g_variant_dict_insert(&dict, "File", "s", path);
	g_ptr_array_add(records, g_variant_ref_sink(g_variant_dict_end(&dict)));
	return true;
}

/* File names of the examples; a new array, NULL with @error. */
static GPtrArray *list_examples(const char *directory, GError **error)
{
	g_autoptr(GDir) dir = g_dir_open(directory, 0, NULL);
	GPtrArray *names;
	const char *base;

	if (!dir) {
		fail_ctl(error, CTL_ERROR_FILE, "there are no presets in %s", directory);
		return NULL;
	}
	names = g_ptr_array_new_with_free_func(g_free);
	while ((base = g_dir_read_name(dir))) {
		if (g_str_has_suffix(base, EXAMPLE_SUFFIX) && g_utf8_validate(base, -1, NULL))
			g_ptr_array_add(names, g_strdup(base));
	}
	g_ptr_array_sort(names, text_compare);
	return names;
}

static bool list_presets(Context *context, const char *directory, GError **error)
{
	g_autoptr(GPtrArray) names = list_examples(directory, error);
	g_autoptr(GPtrArray) records = records_new();

	for (guint i = 0; names && i < names->len; i++) {
		if (!add_preset(context, directory, g_ptr_array_index(names, i), records, error))
			return false;
	}
	return names && output_table(&context->output, preset_columns, G_N_ELEMENTS(preset_columns),
				     records, context->options.columns, error);
}

static bool install_preset(Context *context, const char *directory, const char *name,
			   GError **error)
{
	g_autofree char *base = g_strconcat(name, EXAMPLE_SUFFIX, NULL);
	g_autofree char *example = g_build_filename(directory, base, NULL);
	g_autofree char *path = installed_path(name);
	g_autofree char *headline = g_strdup_printf("%s: installed as %s", name, path);
	g_autofree char *text = NULL;
	g_autoptr(Change) change = policy_change_new(context);

	if (strchr(name, '/') || !g_file_test(example, G_FILE_TEST_IS_REGULAR)) {
		context_hint(context, "svcctl policy presets");
		return fail_ctl(error, CTL_ERROR_FILE, "there is no preset named %s", name);
	}
	text = read_text(example, error);
	return text && change_set_file(change, path + 1, text, error) &&
	       commit(context, change, path, headline, error);
}

bool policy_presets(Context *context, GError **error)
{
	g_autofree char *directory = g_strconcat(context_root(context), EXAMPLES_DIRECTORY, NULL);

	if (context->n_names == 1)
		return list_presets(context, directory, error);
	if (geteuid() != 0 && !context->options.root && !context->options.is_dry_run)
		return fail(error, SVCD_ERROR_NOT_AUTHORIZED, "only root may change policy");
	return install_preset(context, directory, context->names[1], error);
}
