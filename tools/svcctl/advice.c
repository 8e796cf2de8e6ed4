/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Advice: the third part of an error. The error names the failed operation and the reason; the
 * advice is the next step.
 */
#include "config.h"

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/text.h"
#include "svcctl/svcctl.h"
#include "svcctl/units.h"
#include "svcctl/unread.h"

const char *verb_typed(const Verb *verb)
{
	g_autofree char *first = verb->of ? g_strndup(verb->by, strcspn(verb->by, " ")) : NULL;
	g_autofree char *typed = !verb->of ? g_strdup(verb->name) :
				 *verb->of ? g_strdup_printf("%s --%s", verb->of, first) :
					     g_strdup_printf("--%s", verb->name);

	return g_intern_string(typed);
}

char *context_command_of_user(const char *line)
{
	if (!g_str_has_prefix(line, "svcctl ") || g_str_has_prefix(line, "svcctl --user "))
		return g_strdup(line);
	return g_strconcat("svcctl --user ", line + strlen("svcctl "), NULL);
}

char *context_command_line(const Context *context)
{
	g_autoptr(GString) line = g_string_new("svcctl");

	for (char **argument = context->arguments; argument && *argument; argument++) {
		g_autofree char *quoted = strpbrk(*argument, " \t\n'\"\\$`*?[]{}()<>|&;!#~") ||
							  !**argument ?
						  g_shell_quote(*argument) :
						  g_strdup(*argument);

		g_string_append_printf(line, " %s", quoted);
	}
	return g_string_free(g_steal_pointer(&line), FALSE);
}

void context_hint(Context *context, const char *format, ...)
{
	va_list args;

	g_free(context->hint);
	va_start(args, format);
	context->hint = g_strdup_vprintf(format, args);
	va_end(args);
	if (context->options.is_user) {
		g_auto(GStrv) lines = g_strsplit(context->hint, "\n", -1);

		for (char **line = lines; *line; line++) {
			char *own = context_command_of_user(*line);

			g_free(*line);
			*line = own;
		}
		g_free(context->hint);
		context->hint = g_strjoinv("\n", lines);
	}
}

/* Ignores case and punctuation, so that "NetworkManager" matches network-manager. */
static bool is_same_token(const char *a, const char *b)
{
	for (;;) {
		a += strspn(a, "-_.");
		b += strspn(b, "-_.");
		if (g_ascii_tolower(*a) != g_ascii_tolower(*b))
			return false;
		if (!*a)
			return true;
		a++;
		b++;
	}
}

static const char *nearest_name(const char *name, const char *const *names)
{
	for (size_t i = 0; names[i]; i++) {
		if (is_same_token(name, names[i]))
			return names[i];
	}
	return token_nearest(name, names);
}

bool context_hint_name(Context *context, const char *name, const char *const *names)
{
	g_autofree char *bare = g_str_has_suffix(name, ".service") ?
					g_strndup(name, strlen(name) - strlen(".service")) :
					g_strdup(name);
	g_autofree char *unit =
		context->options.is_user ? NULL : unit_of_name(context_root(context), bare);
	g_autofree char *commands = unit ? unit_import_commands(unit, "\n") : NULL;
	const char *nearest = nearest_name(bare, names);

	if (unit && !(nearest && is_same_token(bare, nearest)))
		context_hint(
			context,
			"It has only a systemd unit, %s, which svcd does not read. To import the "
			"unit:\n%s",
			unit, commands);
	else if (nearest)
		context_hint(context, "did you mean: %s", nearest);
	return unit || nearest;
}

static void advise_name(Context *context, const char *name)
{
	g_autoptr(GPtrArray)
		records = name && context->client ? get_services_with(context, "Name", NULL) : NULL;
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	g_autofree char *unread = records ? unread_find(context, name) : NULL;

	if (name && g_str_has_suffix(name, "@")) {
		context_hint(context, "It is a template: write %sNAME for one of its instances",
			     name);
		return;
	}
	if (unread) {
		context_hint(context, "%s exists and has not been read yet: svcctl reload-files",
			     unread);
		return;
	}
	for (guint i = 0; records && i < records->len; i++)
		g_ptr_array_add(names, (char *)record_text(g_ptr_array_index(records, i), "Name"));
	g_ptr_array_add(names, NULL);
	if (name && context_hint_name(context, name, (const char *const *)names->pdata))
		return;
	if (context->options.root)
		context_hint(context, "svcctl --root %s policy --all shows every service",
			     context->options.root);
	else
		context_hint(context, "svcctl list --all shows every service");
}

static void advise_usage(Context *context, const char *name)
{
	if (context->verb)
		context_hint(context, "svcctl %s --help", verb_typed(context->verb));
	else
		context_hint(context, "svcctl --help");
}

/* There is no such file or directory. The verb's help describes the arguments. */
static void advise_file(Context *context, const char *name)
{
	advise_usage(context, name);
}

static void advise_restart(Context *context, const char *name)
{
	if (name && context->verb && strcmp(context->verb->name, "reload") == 0)
		context_hint(context, "svcctl restart %s", name);
}

static void advise_dependents(Context *context, const char *name)
{
	if (name)
		context_hint(context, "To stop them as well: svcctl stop %s --with-dependents",
			     name);
}

static void advise_check(Context *context, const char *name)
{
	if (name && context->verb)
		context_hint(context, "svcctl log %s\nTo do it anyway: svcctl %s %s --force", name,
			     context->verb->name, name);
}

static void advise_policy(Context *context, const char *name)
{
	if (name)
		context_hint(context, "svcctl explain %s", name);
}

/* "webmasters, 2001": Operators= of @name; a new string, "" if there are none. */
static char *operators_of(const Context *context, const char *name)
{
	g_autoptr(Configuration) configuration = context_load(context, NULL, 0);
	const PolicyService *policy = policy_service(configuration->policy, name);
	g_autoptr(GString) groups = g_string_new(NULL);

	for (guint i = 0; policy && policy->operators && i < policy->operators->len; i++)
		g_string_append_printf(
			groups, "%s%s", i > 0 ? ", " : "",
			((const NameRef *)g_ptr_array_index(policy->operators, i))->name);
	return g_string_free(g_steal_pointer(&groups), FALSE);
}

/*
 * Suggests the same command as root, and names the groups of Operators=, whose members need no
 * password. Root gets no advice, because a request that root may not make is allowed to no user.
 */
static void advise_root(Context *context, const char *name)
{
	g_autofree char *sudo = g_find_program_in_path("sudo");
	g_autofree char *line = context_command_line(context);
	g_autofree char *groups = NULL;

	if (geteuid() == 0 || context->options.is_user)
		return;
	groups = name ? operators_of(context, name) : g_strdup("");
	context_hint(context, "%s%s%s%s%s%s", sudo ? "sudo " : "As root: ", line,
		     *groups ? "\nMembers of these groups need no password (Operators= of " : "",
		     *groups ? name : "", *groups ? "): " : "", groups);
}

static void advise_files(Context *context, const char *name)
{
	context_hint(context, "svcctl check");
}

static void advise_start(Context *context, const char *name)
{
	if (name)
		context_hint(context, "svcctl start %s", name);
}

static void advise_time(Context *context, const char *name)
{
	if (name)
		context_hint(context, "Follow it with: svcctl status %s", name);
}

static void advise_impact_own(Context *context)
{
	if (g_getenv("XDG_RUNTIME_DIR"))
		context_hint(context,
			     "A session starts svcd --user. To start it now: svcd --user --wait &\n"
			     "svcctl --user check, cat and tree --order work without it.");
	else
		context_hint(
			context,
			"XDG_RUNTIME_DIR is not set: a session sets it, and sudo and su do not "
			"pass it on.");
}

static void advise_impact(Context *context, const char *name)
{
	if (context->options.is_user) {
		advise_impact_own(context);
		return;
	}
	context_hint(context, "Is svcd process 1? cat /proc/1/comm\n"
			      "svcctl check, cat and tree --order work without it.");
}

static void advise_unknown(Context *context, const char *name)
{
	if (name)
		context_hint(context, "svcctl status %s", name);
	else
		context_hint(context, "svcctl");
}

static const struct {
	const char *code; /* as in JSON */
	void (*advise)(Context *context, const char *name);
} advices[] = {
	{ "NoSuchService", advise_name },    { "Usage", advise_usage },
	{ "InvalidArgument", advise_usage }, { "File", advise_file },
	{ "NotSupported", advise_restart },  { "Busy", advise_dependents },
	{ "CheckFailed", advise_check },     { "PolicyDenied", advise_policy },
	{ "NotAuthorized", advise_root },    { "InvalidConfiguration", advise_files },
	{ "NotRunning", advise_start },      { "TimedOut", advise_time },
	{ "Unreachable", advise_impact },    { "OutcomeUnknown", advise_unknown },
};

void context_advise(Context *context, const GError *error, const char *name)
{
	if (context->hint)
		return;
	for (size_t i = 0; i < G_N_ELEMENTS(advices); i++) {
		if (strcmp(advices[i].code, error_code_text(error)) == 0)
			advices[i].advise(context, name);
	}
}
