/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * svcctl: the command for admins. This file contains the table of verbs and the way from the
 * command line to one of them.
 */
#include "config.h"

#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/text.h"
#include "svcctl/arguments.h"
#include "svcctl/other-words.h"
#include "svcctl/svcctl.h"

#define ANY_NAMES 4096

/* The width of help that is not printed on a terminal. */
#define HELP_WIDTH 80

static const Verb verbs[] = {
	{ "status", "[NAME...]", "all about services; without a NAME a system overview", "", 0, ANY_NAMES, cmd_status,
	  "State, why, policy, processes, history and the last output. Exit code 3 if it is not up.\n"
	  "Without a NAME: counts, the result of the boot, and failures. The same as svcctl alone." },
	{ "list", "[PATTERN...]", "services, one line each", "all state unmanaged columns no-header", 0, ANY_NAMES,
	  cmd_list,
	  "Services that are off and not wanted, or not installed, are shown with --all,\n"
	  "or when a PATTERN names them. --unmanaged: processes that the message bus started without svcd." },
	{ "explain", "[NAME...]", "why a service is (not) running", "", 0, ANY_NAMES, cmd_explain,
	  "From the service to the root causes, with the next command to type.\n"
	  "Without a NAME: everything that is not as wanted." },
	{ "log", "[NAME...]", "the output of services", "lines since follow", 0, ANY_NAMES, cmd_log,
	  "The last lines of their output in this boot, kept in /run/svcd/log, with a mark where a service\n"
	  "has started anew. Without a NAME: of all services, in the order of time." },
	{ "tree", "[NAME...]", "dependencies of services, as a tree", "reverse conditions root", 0, ANY_NAMES, cmd_tree,
	  "With the lines of the files and of policy. Without a NAME: all that is wanted now.\n"
	  "A service is expanded once. Needs no running svcd." },
	{ "boot", "[blame | chain [NAME] | dot]", "the result of this boot, and what it waited for",
	  "all wait no-wait progress columns no-header", 0, 2, cmd_boot,
	  "How long it took, and what failed. --wait: until it is finished; exit code 1 if something\n"
	  "failed. blame: what each service took by itself, and what it waited for before that; with\n"
	  "--all also those that cannot run on this machine. chain:\n"
	  "what the boot, or NAME, really waited for, one after the other. dot: the same as a graph,\n"
	  "svcctl boot dot | dot -Tsvg." },
	{ "monitor", "[NAME...]", "show changes as they happen", "", 0, ANY_NAMES, cmd_monitor,
	  "Of services, conditions, the boot and the runlevel, or only of services and conditions\n"
	  "with these names (patterns too). With --json one object a line." },
	{ "top", "[NAME...]", "live resource usage of services", "once sort interval", 0, ANY_NAMES, cmd_top,
	  "CPU (100 %: one processor) and memory, highest first. On a terminal it is updated until\n"
	  "Ctrl-C. Otherwise, and with --once, one table." },
	{ "start", "NAME...", "start services", "wait no-wait progress all-matching dry-run", 1, ANY_NAMES, cmd_start,
	  "Waits until it is up. If it has to wait for conditions, those that are false are shown, and the\n"
	  "exit code is 3; with --wait they are waited for. A service that is not installed\n"
	  "is refused without --wait. --no-wait only sends the request." },
	{ "stop", "NAME...", "stop services", "no-wait progress with-dependents force all-matching dry-run", 1,
	  ANY_NAMES, cmd_stop,
	  "Refused if running services need it, unless --with-dependents stops them too; and\n"
	  "if its CheckCommand= fails, because it would not start again: --force stops it." },
	{ "restart", "NAME...", "stop and start; one that is off is started",
	  "wait no-wait progress force if-running all-matching dry-run", 1, ANY_NAMES, cmd_restart,
	  "Does not count for the restart limit. If CheckCommand= fails, it runs on, unless\n"
	  "--force is given." },
	{ "reload", "NAME...", "let services read their own configuration again",
	  "no-wait progress force all-matching dry-run", 1, ANY_NAMES, cmd_reload,
	  "Carries out Reload= of the service, unless its CheckCommand= fails, and waits for the result.\n"
	  "svcd's own files are read again by \"svcctl reload-files\"." },
	{ "clear", "NAME...", "reset failures and earlier requests of an admin", "all-matching dry-run", 1, ANY_NAMES,
	  cmd_clear, "" },
	{ "wait", "CONDITION|SERVICE", "wait until something is true", "", 1, 1, cmd_wait,
	  "Of a service: until it is up. !CONDITION waits until it is false. Not true in time:\n"
	  "exit code 6; with --timeout 0 it is only checked: exit code 3 if it is not true." },
	{ "flag", "[list | set NAME... | clear NAME...]", "conditions that an admin sets", "", 0, ANY_NAMES, cmd_flag,
	  "A service waits for one with When=flag:NAME." },
	{ "enable", "NAME...", "start it in the runlevels that it is meant for", "root dry-run until-reboot reason", 1,
	  ANY_NAMES, cmd_enable,
	  "The same as set NAME boot: in the runlevels that policy names for it; if there are none,\n"
	  "in the one that the machine boots into. It starts at once if this is one of them." },
	{ "disable", "NAME...", "no runlevel starts it any more", "root dry-run until-reboot reason", 1, ANY_NAMES,
	  cmd_disable,
	  "It is on-demand then: services that need it and calls on the bus still start it, and are\n"
	  "named. If nothing else wants it, it is stopped at once. To never start it: set NAME never." },
	{ "set", "NAME... boot|on-demand|manual|never", "set when a service is wanted",
	  "root runlevel dry-run until-reboot reason", 2, ANY_NAMES, cmd_set,
	  "boot: by its runlevels, those of --runlevel (\"2 3\") and no others. on-demand: by services that\n"
	  "need it and by calls on the bus. manual: by svcctl start. never: not at all.\n"
	  "Also of a service that is not installed yet: it takes effect when there is a file for it." },
	{ "policy", "[NAME | log | presets [NAME] | recover]", "the wanted services, and the files that decide",
	  "root runlevel all columns no-header dry-run", 0, 2, cmd_policy,
	  "Of the machine: the runlevel, the services that are wanted or off and why, and differences\n"
	  "from the vendor. Of a service: every entry about it with its file and line.\n"
	  "log: the changes by svcctl. presets: policies that are shipped as examples, or install one, as\n"
	  "/etc/svcd/policy.d/NAME.policy. recover: end a change that was cut off, as every boot does." },
	{ "undo", "[N | NAME...]", "revert a change that svcctl has written", "root dry-run until-reboot", 0,
	  ANY_NAMES, cmd_undo,
	  "The last step, or step N (svcctl policy log): it restores the files of before. Of a\n"
	  "service: all that svcctl ever wrote about it, its policy and its settings; with --until-reboot\n"
	  "only those until the next boot." },
	{ "new", "NAME -- COMMAND...", "write a service file for a command",
	  "run-as restart when while description dry-run", 2, ANY_NAMES, cmd_new,
	  "Checked before it is written, as /etc/svcd/services.d/NAME.svc. --when and --while may be given several\n"
	  "times: svcctl new web --run-as www-data --while network:up -- /usr/local/bin/web --port 8080" },
	{ "edit", "NAME [KEY=VALUE...] | --policy", "change settings of a service, without touching its file",
	  "root dry-run until-reboot policy", 0, ANY_NAMES, cmd_edit,
	  "Writes a drop-in in /etc/svcd/services.d, with KEY=VALUE at once, otherwise with $VISUAL or $EDITOR. It is\n"
	  "checked before it is written. KEY= clears a list. It runs on with its earlier settings." },
	{ "cat", "NAME...", "a service's settings, each with its file and line", "root", 1, ANY_NAMES, cmd_cat,
	  "Reads the files, not the running svcd." },
	{ "check", "[FILE...]", "look for mistakes in service and policy files", "root", 0, ANY_NAMES, cmd_check,
	  "All files, or only those given (NAME.svc, NAME.policy) in the company of the\n"
	  "others. Exit code 10 if there is an error. Needs no running svcd." },
	{ "import", "FILE... | --sysv", "a systemd unit as a service file and a policy", "output columns no-header", 1,
	  ANY_NAMES, cmd_import_unit,
	  "Shows for each line of NAME.service what it became, and both files; with --output DIR\n"
	  "they are written there. Its drop-ins, and NAME.socket beside it, are read too. Needs no svcd." },
	{ "reload-files", "", "read all service and policy files again", "", 0, 0, cmd_reload_files,
	  "Services run on; a changed definition is used for the next action. Exit code 10 if a file has\n"
	  "an error: its last version without errors counts." },
	{ "runlevel", "[RUNLEVEL]", "show or change the runlevel", "dry-run root", 0, 1, cmd_runlevel,
	  "Shows the previous one and the present one, as runlevel(8) does. --dry-run only shows\n"
	  "what would stop and start." },
	{ "poweroff", "", "stop everything and switch off", "dry-run force at cancel", 0, 0, cmd_end_machine,
	  "On a terminal it asks first if other users are logged in; --force does not. --dry-run: what would\n"
	  "stop, and the users. --at warns the users; svcctl shows it until --cancel." },
	{ "reboot", "", "stop everything and start the machine again", "dry-run force at cancel", 0, 0, cmd_end_machine,
	  "On a terminal it asks first if other users are logged in; --force does not. --dry-run: what would\n"
	  "stop, and the users. --at warns the users; svcctl shows it until --cancel." },
	{ "doctor", "", "check svcd itself", "", 0, 0, cmd_doctor,
	  "Checks the init program, permissions, old versions that still run after an upgrade, files\n"
	  "of other init systems, and whether ssh, the login screen and the consoles would be there after\n"
	  "a reboot: each with the command to type. Exit code 3 if something is to be done." },
	{ "is", "STATE NAME...", "ask one thing about services, for scripts", "", 2, ANY_NAMES, cmd_is,
	  "Prints one token for each. Exit code 0: all are, 3: one is not, 4: there is no such\n"
	  "service. STATE is up (ready or done), a state, blocked (waits for a condition), settled,\n"
	  "wanted, enabled (a runlevel starts it), boot, on-demand, manual, never, healthy, unhealthy." },
	{ "complete", "-- WORD...", "complete a command line of svcctl", "shell", 0, ANY_NAMES, cmd_complete,
	  "For shells: the arguments so far, of which the last one is not complete. One line\n"
	  "each; except for bash with a tab and the meaning." },
	{ "reexec", "", "start svcd's programs anew, after an upgrade", "", 0, 0, cmd_reexec,
	  "No service is touched." },
	/*
	 * Rows that are selected by options of other verbs, with arguments of their own. Their
	 * names are those of their JSON documents.
	 */
	{ "show", "[NAME...]", "every property, for scripts", "property value", 0, ANY_NAMES, cmd_show,
	  "KEY=VALUE, with the names of D-Bus; a list of structs has a line for each. Without a NAME:\n"
	  "those of svcd itself.",
	  .of = "status", .by = "properties property value" },
	{ "ps", "[NAME...]", "the processes of services", "columns no-header", 0, ANY_NAMES, cmd_ps,
	  "From their cgroups: user, start, CPU time, memory. -o service,pid,pss_bytes: with their share\n"
	  "of shared memory, which the kernel needs a while to count.",
	  .of = "list", .by = "processes" },
	{ "conditions", "[PATTERN...]", "the conditions of services", "level columns no-header", 0, ANY_NAMES,
	  cmd_conditions,
	  "Every condition that a service uses: its level, since when, the services that\n"
	  "wait for it, the reason, and near matches.",
	  .of = "list", .by = "conditions" },
	{ "graph", "", "start and stop ordering", "root runlevel edges stop", 0, 0, cmd_graph,
	  "With --runlevel of the services that it wants, those of S among them, and of the init\n"
	  "scripts that its rc links name, whether policy lets these count or not. --stop: the\n"
	  "order of stopping; in runlevels 0, 1 and 6 of all services that some runlevel wants.\n"
	  "With --edges only \"A B\" lines: A before B. Needs no running svcd.",
	  .of = "tree", .by = "order" },
	{ "signal", "NAME...", "send services a signal", "all all-matching dry-run", 1, ANY_NAMES, cmd_signal,
	  "To the main process; with --all to every process of the service. HUP, SIGHUP or 1. It is no\n"
	  "stop: a service that ends by it counts as ended by itself, and Restart= decides.",
	  .of = "reload", .by = "signal" },
	{ "diff", "[NAME]", "differences from the vendor's files", "root columns no-header", 0, 1,
	  cmd_diff,
	  "Reads the files, not the running svcd.",
	  .of = "cat", .by = "diff" },
	{ "import-sysv", "", "the links in /etc/rc?.d as policy", "root dry-run none", 0, 0, cmd_import_sysv,
	  "With --none: none of them, and they are not offered again.",
	  .of = "import", .by = "sysv" },
	{ "halt", "", "stop everything and halt", "dry-run force at cancel", 0, 0, cmd_end_machine,
	  "On a terminal it asks first if other users are logged in; --force does not. --dry-run: what would\n"
	  "stop, and the users. --at warns the users; svcctl shows it until --cancel.",
	  .of = "poweroff", .by = "halt" },
	{ "audit", "[NAME...]", "the harm that services could do", "root", 0, ANY_NAMES, cmd_audit,
	  "Points are lost for each of 13 things that a service may do and need not: with NAME which,\n"
	  "and the settings against it. Reads the files, not the running svcd.",
	  .of = "doctor", .by = "security" },
	{ "overview", "", "system overview", "", 0, 0, cmd_overview,
	  "Counts, the result of the boot, and failures. The same as svcctl without a verb.",
	  .of = "", .by = "" },
	{ "version", "", "the versions of svcctl and of svcd", "", 0, 0, cmd_version, "",
	  .of = "", .by = "" },
};

/* In the order of --help. tests/lint/verbs counts them. */
static const struct {
	const char *title;
	const char *verbs;
} groups[] = {
	{ "Look", "status list explain log tree boot monitor top" },
	{ "Control", "start stop restart reload clear wait flag" },
	{ "At boot", "enable disable set policy undo" },
	{ "Files", "new edit cat check import reload-files" },
	{ "Machine", "runlevel poweroff reboot doctor" },
};

static bool is_typed(const Verb *verb)
{
	return !verb->of;
}

static const Verb *find_typed(const char *name)
{
	for (size_t i = 0; i < G_N_ELEMENTS(verbs); i++) {
		if (is_typed(&verbs[i]) && strcmp(verbs[i].name, name) == 0)
			return &verbs[i];
	}
	return NULL;
}

/*
 * A row by its name, also one that cannot be typed as a verb: the system overview, and the
 * versions.
 */
static const Verb *row_named(const char *name)
{
	for (size_t i = 0; i < G_N_ELEMENTS(verbs); i++) {
		if (strcmp(verbs[i].name, name) == 0)
			return &verbs[i];
	}
	g_assert_not_reached();
}

static void print_usage(Output *output)
{
	output_line(output, "Usage: svcctl [VERB] [OPTION...] [NAME...]");
	output_line(output, "%s", "");
	for (size_t i = 0; i < G_N_ELEMENTS(groups); i++) {
		g_auto(GStrv) names = g_strsplit(groups[i].verbs, " ", -1);

		for (size_t k = 0; names[k]; k++)
			output_line(output, "  %-9s%-14s%s", k == 0 ? groups[i].title : "", names[k],
				    row_named(names[k])->summary);
	}
	output_line(output, "%s", "");
	arguments_print_options(output, NULL);
	output_line(output, "%s", "If a service does not run: svcctl explain NAME. Its output: svcctl log NAME.");
	output_line(output, "More: svcctl VERB --help, svcctl(1). For scripts: is, complete, reexec.");
}

static void print_verb_usage(Output *output, const Verb *verb)
{
	g_autofree char *details = g_strdelimit(g_strdup(verb->details), "\n", ' ');

	output_line(output, "Usage: svcctl %s%s%s%s", verb_typed(verb), *verb->options ? " [OPTION...]" : "",
		    *verb->arguments ? " " : "", verb->arguments);
	output_line(output, "%s", "");
	output_line(output, "  %s", verb->summary);
	output_headline_at(output, 2, details);
	output_line(output, "%s", "");
	arguments_print_options(output, verb);
	for (size_t i = 0; i < G_N_ELEMENTS(verbs); i++) {
		if (is_typed(verb) && g_strcmp0(verbs[i].of, verb->name) == 0)
			output_line(output, "  svcctl %-24s%s", verb_typed(&verbs[i]), verbs[i].summary);
	}
}

/* The usage as the result of a command: also with --json. */
static void print_help(Output *output, const Verb *verb)
{
	JsonArray *array;
	JsonNode *node;

	if (output->width == 0)
		output->width = HELP_WIDTH;
	if (verb)
		print_verb_usage(output, verb);
	else
		print_usage(output);
	array = json_array_new();
	for (size_t i = 0; i < G_N_ELEMENTS(verbs); i++) {
		JsonObject *object;

		if (verb ? verb != &verbs[i] : !is_typed(&verbs[i]))
			continue;
		object = json_object_new();
		json_object_set_string_member(object, "name", verbs[i].name);
		json_object_set_string_member(object, "arguments", verbs[i].arguments);
		json_object_set_string_member(object, "summary", verbs[i].summary);
		json_array_add_object_element(array, object);
	}
	node = json_node_init_array(json_node_alloc(), array);
	json_array_unref(array);
	output_set_data(output, node);
}

/* Returns: whether it is a verb of another program, with the answer in @error. */
static bool fail_other_word(const Context *context, const char *word, GError **error)
{
	g_autofree char *answer = other_word_answer(word, (const char *const *)context->names, context->n_names);

	if (answer)
		fail_ctl(error, CTL_ERROR_ELSEWHERE, "\"%s\" is here: %s", word, answer);
	return answer;
}

/*
 * By name; on a terminal also by a unique beginning of the name. A script must not change its
 * meaning with the verbs of the next version.
 */
static const Verb *find_verb(Context *context, const char *name, bool takes_prefix, GError **error)
{
	const char *names[G_N_ELEMENTS(verbs) + 1] = { NULL };
	const Verb *found = find_typed(name);
	unsigned n_names = 0;
	unsigned n_found = 0;
	const char *nearest;

	if (found)
		return found;
	if (fail_other_word(context, name, error))
		return NULL;
	for (size_t i = 0; i < G_N_ELEMENTS(verbs); i++) {
		if (!is_typed(&verbs[i]))
			continue;
		names[n_names++] = verbs[i].name;
		if (takes_prefix && *name && g_str_has_prefix(verbs[i].name, name)) {
			found = &verbs[i];
			n_found++;
		}
	}
	if (n_found == 1)
		return found;
	nearest = words_nearest(name, names);
	fail_ctl(error, CTL_ERROR_USAGE, "there is no verb \"%s\"%s%s%s", name, nearest ? "; did you mean " : "",
		 nearest ? nearest : "", nearest ? "?" : "");
	return NULL;
}

/* The row that an option selects instead of @verb, or @verb itself. */
static const Verb *choose_variant(const Options *options, const Verb *verb)
{
	for (size_t i = 0; i < G_N_ELEMENTS(verbs); i++) {
		if (g_strcmp0(verbs[i].of, verb->name) == 0 && arguments_chooses(options, &verbs[i]))
			return &verbs[i];
	}
	return verb;
}

static bool check_count(const Verb *verb, unsigned n_names, GError **error)
{
	if (n_names < verb->min_names)
		return fail_ctl(error, CTL_ERROR_USAGE, "%s: which service? svcctl %s %s", verb->name, verb_typed(verb),
				verb->arguments);
	if (n_names > verb->max_names)
		return fail_ctl(error, CTL_ERROR_USAGE, "%s: too many arguments: svcctl %s%s%s", verb->name, verb_typed(verb),
				*verb->arguments ? " " : "", verb->arguments);
	return true;
}

/*
 * The commands that the manager runs as root for a user whom polkit lets set policy: changes of
 * policy of this machine, and nothing else. The option and the uid stand before the user's
 * arguments.
 */
static bool check_helper(Context *context, GError **error)
{
	static const char *const allowed[] = { "enable", "disable", "set", "undo", "new", NULL };
	/* Without a setting it runs an editor. */
	const bool is_edit =
		strcmp(context->verb->name, "edit") == 0 && context->n_names > 1 && !context->options.edits_policy;

	/*
	 * Only the manager may pass it, as root and as the first argument. A second one could come
	 * from the user.
	 */
	for (char **word = context->words; *word; word++) {
		if (g_str_has_prefix(*word, "--as-helper") && (word != context->words || geteuid() != 0))
			return fail(error, SVCD_ERROR_NOT_AUTHORIZED, "--as-helper is only for svcd");
	}
	if ((is_edit || g_strv_contains(allowed, context->verb->name)) && !context->options.root) {
		context->words += strcmp(context->words[0], "--as-helper") == 0 ? 2 : 1;
		return true;
	}
	return fail(error, SVCD_ERROR_NOT_AUTHORIZED, "svcctl %s is for root alone", context->verb->name);
}

/*
 * A process with another uid than the home's owner would leave files there that the owner cannot
 * change ("sudo -E").
 */
static bool check_whose(GError **error)
{
	const char *path = g_getenv("XDG_RUNTIME_DIR");
	struct stat st;

	if (!path || stat(path, &st) < 0 || st.st_uid == geteuid())
		return true;
	return fail_ctl(error, CTL_ERROR_USAGE, "--user is about your own services, and %s, which XDG_RUNTIME_DIR names, belongs to "
			"uid %u: run it as that user", path, (unsigned)st.st_uid);
}

/* A tree that is not running has no generated files, so they are made in memory. */
static void look_ahead(Context *context)
{
	context->generated = generate(context->options.root, NULL);
	context->overlay = generated_overlay(context->generated);
}

/*
 * Everything up to and including the verb's own work. @words: is filled; context->names is part of
 * it.
 */
static bool run(Context *context, int argc, char **argv, GPtrArray *words, GError **error)
{
	g_autoptr(GError) problem = NULL;
	const bool done = arguments_parse(&context->options, argc, argv, words, &problem);
	/* Even the error about a wrong option is printed as JSON if that was requested. */
	const bool is_applied =
		arguments_apply(&context->options, &context->output, &context->timeout_us, done ? error : NULL);
	const bool is_help = words->len > 0 && strcmp(g_ptr_array_index(words, 0), "help") == 0;
	const unsigned at = is_help ? 1 : 0; /* index of the verb */

	/* "shutdown -r now": the option belongs to the other program's verb. */
	if (!done && (words->len == 0 || !fail_other_word(context, g_ptr_array_index(words, 0), error)))
		g_propagate_error(error, g_steal_pointer(&problem));
	if (!done || !is_applied)
		return false;
	if (words->len <= at && (is_help || context->options.has_help)) {
		context->output.verb = "help";
		print_help(&context->output, NULL);
		return true;
	}
	context->n_names = words->len > at ? words->len - at - 1 : 0;
	context->names = words->len > at ? (char **)words->pdata + at + 1 : NULL;
	if (context->options.has_version || words->len <= at)
		context->verb = row_named(context->options.has_version ? "version" : "overview");
	else
		context->verb = find_verb(context, g_ptr_array_index(words, at), isatty(STDOUT_FILENO), error);
	if (!context->verb)
		return false;
	context->verb = choose_variant(&context->options, context->verb);
	context->output.verb = context->verb->name;
	if (is_help || context->options.has_help) {
		print_help(&context->output, context->verb);
		return true;
	}
	if (!arguments_check(&context->options, context->verb, error) ||
	    !check_count(context->verb, context->n_names, error))
		return false;
	if (context->options.is_user && !check_whose(error))
		return false;
	context->words = argv + 1;
	if (context->options.helper_for && !check_helper(context, error))
		return false;
	if (context->options.root)
		look_ahead(context);
	context->client = client_new(context->timeout_us);
	if (context->options.is_user)
		client_use_own(context->client);
	if (arguments_takes(context->verb, "all-matching") && !replace_patterns(context, error))
		return false;
	return context->verb->run(context, error);
}

/* Otherwise the first files that are opened would take the closed descriptors 0 to 2. */
static void ensure_standard_descriptors(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		(void)close(fd);
}

/*
 * The reader has closed the pipe, as "| head" does. The errno of earlier flushes is no longer
 * known.
 */
static bool has_reader_left(void)
{
	struct pollfd pipe = { .fd = STDOUT_FILENO, .events = POLLOUT };

	return poll(&pipe, 1, 0) > 0 && (pipe.revents & POLLERR);
}

/* For earlier flushes only ferror() shows a failure. */
static bool finish_stdout(void)
{
	if ((fflush(stdout) == 0 && !ferror(stdout)) || has_reader_left())
		return true;
	fprintf(stderr, "svcctl: not all of the answer could be written; is the disk full?\n");
	return false;
}

int main(int argc, char **argv)
{
	Context context = { .verbs = verbs, .n_verbs = G_N_ELEMENTS(verbs), .exit = EXIT_CODE_DONE };
	g_autoptr(GPtrArray) words = g_ptr_array_new();
	g_autoptr(GError) error = NULL;

	ensure_standard_descriptors();
	setlocale(LC_ALL, "");
	output_init(&context.output);
	/* execve(2) may pass no argv[0] at all (CVE-2021-4034). */
	if (!run(&context, argc, argv, words, &error) && context.exit == EXIT_CODE_DONE)
		context.exit = exit_code_of(error);
	if (error && !context.hint)
		context_advise(&context, error, NULL);
	output_finish(&context.output, context.exit, error, context.hint);
	if (!finish_stdout() && context.exit == EXIT_CODE_DONE)
		context.exit = EXIT_CODE_FAILED;
	client_free(context.client);
	g_strfreev(context.expanded);
	g_clear_pointer(&context.overlay, g_hash_table_unref);
	generated_free(context.generated);
	output_clear(&context.output);
	g_free(context.hint);
	return (int)context.exit;
}
