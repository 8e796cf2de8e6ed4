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
#include "svcctl/other-commands.h"
#include "svcctl/svcctl.h"

#define ANY_NAMES 4096

/* The width of help that is not printed on a terminal. */
#define HELP_WIDTH 80

/* clang-format off */
static const Verb verbs[] = {
	{ "status", "[NAME...]", "details of services; without a NAME a system overview", "", 0, ANY_NAMES, cmd_status,
	  "Shows state, reason, policy, processes, history and the last output. Exit code 3 if a\n"
	  "service is not up. Without a NAME: counts, the result of the boot, and failures, as svcctl\n"
	  "without a verb." },
	{ "list", "[PATTERN...]", "services, one line each", "all state unmanaged columns no-header", 0, ANY_NAMES,
	  cmd_list,
	  "Services that are off and not wanted, or not installed, are shown with --all,\n"
	  "or when a PATTERN names them. --unmanaged: processes that the message bus started without svcd." },
	{ "explain", "[NAME...]", "why a service is (not) running", "", 0, ANY_NAMES, cmd_explain,
	  "Follows the reasons from the service to the root causes, and names the next command to type.\n"
	  "Without a NAME: every service that is not as wanted." },
	{ "log", "[NAME...]", "the output of services", "lines since boot follow", 0, ANY_NAMES, cmd_log,
	  "Shows the last lines of output in this boot, from /run/svcd/log. A mark shows each start.\n"
	  "Without a NAME: the lines of all services, sorted by time. --boot -1: the last lines of the\n"
	  "boot before this one, each change of state with its cause, and the course of the shutdown." },
	{ "tree", "[NAME...]", "dependencies of services, as a tree", "reverse conditions root", 0, ANY_NAMES, cmd_tree,
	  "Shows for each dependency the line that sets it, in a file or in policy. Without a NAME: the\n"
	  "services that are wanted now. Each service is expanded once. Needs no running svcd." },
	{ "boot", "[list | show [N] | compare [N N] | plot [N] | blame [N] | chain [NAME] | dot]",
	  "this boot and earlier ones: results, waits, charts",
	  "all wait no-wait progress columns no-header shutdown", 0, 3, cmd_boot,
	  "Shows the time that the boot took, and the services that failed. --wait: waits for the end of\n"
	  "the boot; exit code 1 if a service failed. list: the recorded boots. show: one of them, or the\n"
	  "last one. compare: what became slower, and the changed packages. plot: an SVG image for a browser.\n"
	  "blame: the time and CPU time of each service, and its last wait; with --all also services that\n"
	  "cannot run on this machine; with --shutdown the stops of the last shutdown. chain: the services\n"
	  "that delayed the boot, or NAME, one after the other. dot: the same as a graph, svcctl boot dot |\n"
	  "dot -Tsvg." },
	{ "monitor", "[NAME...]", "show changes as they happen", "", 0, ANY_NAMES, cmd_monitor,
	  "Shows changes of services, conditions, the boot and the runlevel, or only of the services and\n"
	  "conditions that are named (patterns too). With --json one object per line." },
	{ "start", "NAME...", "start services", "wait no-wait progress all-matching dry-run", 1, ANY_NAMES, cmd_start,
	  "Waits until the service is up. If conditions are false, it shows them and ends with exit code 3;\n"
	  "with --wait it waits for them. A service that is not installed is refused without --wait.\n"
	  "--no-wait only sends the request." },
	{ "stop", "NAME...", "stop services", "no-wait progress with-dependents force all-matching dry-run", 1,
	  ANY_NAMES, cmd_stop,
	  "Refused if running services need NAME (--with-dependents stops them, too), or if its\n"
	  "CheckCommand= fails, because it would not start again (--force stops it anyway)." },
	{ "restart", "NAME...", "stop and start services; start those that are off",
	  "wait no-wait progress force if-running all-matching dry-run", 1, ANY_NAMES, cmd_restart,
	  "A restart does not count towards the restart limit. If CheckCommand= fails, the service is not\n"
	  "stopped, unless --force is given." },
	{ "reload", "NAME...", "let services read their own configuration again",
	  "no-wait progress force all-matching dry-run", 1, ANY_NAMES, cmd_reload,
	  "Carries out Reload= of the service, unless its CheckCommand= fails, and waits for the result.\n"
	  "\"svcctl reload-files\" reads svcd's own files again." },
	{ "clear", "NAME...", "reset failures and earlier requests of an admin", "all-matching dry-run", 1, ANY_NAMES,
	  cmd_clear, "" },
	{ "wait", "CONDITION|SERVICE", "wait for a condition or a service", "", 1, 1, cmd_wait,
	  "Waits until the condition is true or the service is up. !CONDITION waits until it is false.\n"
	  "Exit code 6 if the time limit is reached. --timeout 0 only checks it: exit code 3 if it is not\n"
	  "true." },
	{ "flag", "[list | set NAME... | clear NAME...]", "conditions that an admin sets", "", 0, ANY_NAMES, cmd_flag,
	  "A service waits for a flag with When=flag:NAME." },
	{ "enable", "NAME...", "start services in their runlevels, also at boot", "root dry-run until-reboot reason", 1,
	  ANY_NAMES, cmd_enable,
	  "The same as set NAME boot. The service starts in the runlevels that policy names for it, or in\n"
	  "the one that the machine boots into. It starts at once if this is the present runlevel." },
	{ "disable", "NAME...", "no longer start services in any runlevel", "root dry-run until-reboot reason", 1, ANY_NAMES,
	  cmd_disable,
	  "NAME becomes on-demand: services that need it and calls on the bus still start it. svcctl\n"
	  "names them. If nothing else wants NAME, it stops at once. To prevent every start: set NAME never." },
	{ "set", "NAME... boot|on-demand|manual|never", "set when a service is wanted",
	  "root runlevel dry-run until-reboot reason", 2, ANY_NAMES, cmd_set,
	  "boot: its runlevels start it, or exactly those of --runlevel (\"2 3\"). on-demand: services that\n"
	  "need it and calls on the bus start it. manual: only svcctl start does. never: nothing does.\n"
	  "The policy of a service that is not installed takes effect as soon as there is a file for it." },
	{ "policy", "[NAME | log | presets [NAME]]", "the wanted services, and the files that decide",
	  "root runlevel all columns no-header dry-run", 0, 2, cmd_policy,
	  "Shows the runlevel, the services that are wanted or off and why, and differences from the\n"
	  "vendor. NAME: every entry about a service, with its file and line. log: the changes by svcctl.\n"
	  "presets: lists the policies that are shipped as examples, or installs one as\n"
	  "/etc/svcd/policy.d/NAME.policy." },
	{ "undo", "[N | NAME...]", "revert a change that svcctl has written", "root dry-run until-reboot", 0,
	  ANY_NAMES, cmd_undo,
	  "Restores the files as they were before the last step, or before step N (svcctl policy log).\n"
	  "NAME: removes the policy and the settings that svcctl has written for a service; with\n"
	  "--until-reboot only those until the next boot." },
	{ "new", "NAME -- COMMAND...", "write a service file for a command",
	  "run-as restart when while description dry-run", 2, ANY_NAMES, cmd_new,
	  "Checks the file and writes it to /etc/svcd/services.d/NAME.svc. --when and --while may be repeated:\n"
	  "svcctl new web --run-as www-data --while network:up -- /usr/local/bin/web --port 8080" },
	{ "edit", "NAME [KEY=VALUE...] | --policy", "change settings of a service, without touching its file",
	  "root dry-run until-reboot policy", 0, ANY_NAMES, cmd_edit,
	  "Writes a drop-in in /etc/svcd/services.d: KEY=VALUE at once, otherwise with $VISUAL or $EDITOR. The\n"
	  "drop-in is checked first. KEY= clears a list. A running service keeps its earlier settings." },
	{ "cat", "NAME...", "a service's settings, each with its file and line", "root", 1, ANY_NAMES, cmd_cat,
	  "Reads the files, not the running svcd." },
	{ "check", "[FILE...]", "look for mistakes in service and policy files", "root", 0, ANY_NAMES, cmd_check,
	  "Checks all files, or only those given (NAME.svc, NAME.policy) together with the others.\n"
	  "Exit code 10 if there is an error. Needs no running svcd." },
	{ "import", "FILE... | --sysv", "convert a systemd unit to a service file and a policy",
	  "output columns no-header", 1, ANY_NAMES, cmd_import_unit,
	  "Shows the result for each line of NAME.service, and both files; with --output DIR it writes\n"
	  "NAME.svc there, and \"svcctl enable NAME\" activates it. It also reads the drop-ins, and\n"
	  "NAME.socket beside it. Needs no running svcd." },
	{ "reload-files", "", "read all service and policy files again", "dry-run", 0, 0, cmd_reload_files,
	  "Shows what starts and stops because of it. A running service keeps its old settings until it is\n"
	  "restarted. Exit code 10 if a file has an error: its last version without errors is used." },
	{ "runlevel", "[RUNLEVEL]", "show or change the runlevel", "dry-run root", 0, 1, cmd_runlevel,
	  "Shows the previous and the present runlevel, as runlevel(8) does. --dry-run only shows which\n"
	  "services would stop and start." },
	{ "poweroff", "", "stop everything and switch off", "dry-run force at cancel", 0, 0, cmd_end_machine,
	  "On a terminal it asks first if other users are logged in; --force does not. --dry-run: what would\n"
	  "stop, and the users. --at warns the users; svcctl shows the pending shutdown. --cancel cancels it." },
	{ "reboot", "", "stop everything and start the machine again", "dry-run force at cancel", 0, 0, cmd_end_machine,
	  "On a terminal it asks first if other users are logged in; --force does not. --dry-run: what would\n"
	  "stop, and the users. --at warns the users; svcctl shows the pending shutdown. --cancel cancels it." },
	{ "try", "", "boot svcd once, with the way back", "reboot report keep back dry-run", 0, 0, cmd_try,
	  "Without an option it selects svcd for the next boot. If neither ssh nor the login screen comes up\n"
	  "in five minutes, the machine reboots into its other init; --report shows the reason (exit code 3).\n"
	  "--keep after a successful trial makes svcd permanent; with --dry-run it lists what will run under\n"
	  "svcd, and what will not. Needs GRUB." },
	{ "doctor", "", "check svcd itself", "", 0, 0, cmd_doctor,
	  "Checks the init program, permissions, old versions that still run after an upgrade, files of\n"
	  "other init systems, and whether ssh, the login screen and the consoles will work after a reboot.\n"
	  "It prints a command for each problem. Exit code 3 if there is one." },
	{ "is", "STATE NAME...", "check the state of services, for scripts", "", 2, ANY_NAMES, cmd_is,
	  "Prints one token for each service. Exit code 0 if all are in STATE, 3 if not, 4 if a service\n"
	  "does not exist. STATE is up (ready or done), a state, blocked (waits for a condition), settled,\n"
	  "wanted, enabled (a runlevel starts it), boot, on-demand, manual, never, healthy, unhealthy." },
	{ "complete", "-- WORD...", "complete an svcctl command line", "shell", 0, ANY_NAMES, cmd_complete,
	  "For shells. WORD... are the arguments so far; the last one is incomplete. Prints one completion\n"
	  "per line, for zsh and fish followed by a tab and its meaning." },
	{ "reexec", "", "restart svcd's own programs after an upgrade", "", 0, 0, cmd_reexec,
	  "No service is touched." },
	/*
	 * Rows that are selected by options of other verbs, with arguments of their own. Their
	 * names are those of their JSON documents.
	 */
	{ "show", "[NAME...]", "every property, for scripts", "property value", 0, ANY_NAMES, cmd_show,
	  "Prints KEY=VALUE with the D-Bus names; a list of structs has a line for each. Without a\n"
	  "NAME: the properties of svcd itself.",
	  .of = "status", .by = "properties property value" },
	{ "ps", "[NAME...]", "the processes of services", "columns no-header", 0, ANY_NAMES, cmd_ps,
	  "Shows user, start, CPU time and memory of the processes in their cgroups. -o\n"
	  "service,pid,pss_bytes adds their share of shared memory, which takes the kernel a while.",
	  .of = "list", .by = "processes" },
	{ "conditions", "[PATTERN...]", "the conditions of services", "level columns no-header", 0, ANY_NAMES,
	  cmd_conditions,
	  "Shows for each condition that a service uses: its level, the time of the last change, the\n"
	  "services that wait for it, the reason, and near matches.",
	  .of = "list", .by = "conditions" },
	{ "timers", "[PATTERN...]", "when tasks become due", "columns no-header", 0, ANY_NAMES, cmd_timers,
	  "Shows for each due: condition that is in use: the service, when it becomes due, and when the\n"
	  "service last succeeded.",
	  .of = "list", .by = "timers" },
	{ "graph", "", "start and stop ordering", "root runlevel edges stop", 0, 0, cmd_graph,
	  "--runlevel: only the services that this runlevel or S wants, and the init scripts that its rc\n"
	  "links name, even if policy ignores those links. --stop: the order of stopping; for runlevels 0,\n"
	  "1 and 6 it contains all services that any runlevel wants. --edges: only \"A B\" lines, A before B.\n"
	  "Needs no running svcd.",
	  .of = "tree", .by = "order" },
	{ "signal", "NAME...", "send services a signal", "all all-matching dry-run", 1, ANY_NAMES, cmd_signal,
	  "Sends HUP, SIGHUP or 1 to the main process; with --all to every process of the service. This is\n"
	  "not a stop: a service that ends because of it has ended by itself, and Restart= decides.",
	  .of = "reload", .by = "signal" },
	{ "diff", "[NAME]", "differences from the vendor's files", "root columns no-header", 0, 1,
	  cmd_diff,
	  "Reads the files, not the running svcd.",
	  .of = "cat", .by = "diff" },
	{ "import-sysv", "", "the links in /etc/rc?.d as policy", "root dry-run none", 0, 0, cmd_import_sysv,
	  "With --none it imports nothing, and does not offer the links again.",
	  .of = "import", .by = "sysv" },
	{ "halt", "", "stop everything and halt", "dry-run force at cancel", 0, 0, cmd_end_machine,
	  "On a terminal it asks first if other users are logged in; --force does not. --dry-run: what would\n"
	  "stop, and the users. --at warns the users; svcctl shows the pending shutdown. --cancel cancels it.",
	  .of = "poweroff", .by = "halt" },
	{ "audit", "[NAME...]", "the harm that services could do", "root", 0, ANY_NAMES, cmd_audit,
	  "A service loses points for each of 13 permissions that it has. With NAME: these permissions, and\n"
	  "the settings that remove them. Reads the files, not the running svcd.",
	  .of = "doctor", .by = "security" },
	{ "overview", "", "system overview", "", 0, 0, cmd_overview,
	  "Shows counts, the result of the boot, and failures, as svcctl without a verb.",
	  .of = "", .by = "" },
	{ "version", "", "the versions of svcctl and of svcd", "", 0, 0, cmd_version, "",
	  .of = "", .by = "" },
};
/* clang-format on */

/* In the order of --help. tests/lint/verbs counts them. */
static const struct {
	const char *title;
	const char *verbs;
} groups[] = {
	{ "Look", "status list explain log tree boot monitor" },
	{ "Control", "start stop restart reload clear wait flag" },
	{ "At boot", "enable disable set policy undo" },
	{ "Files", "new edit cat check import reload-files" },
	{ "Machine", "runlevel poweroff reboot try doctor" },
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
			output_line(output, "  %-9s%-14s%s", k == 0 ? groups[i].title : "",
				    names[k], row_named(names[k])->summary);
	}
	output_line(output, "%s", "");
	arguments_print_options(output, NULL);
	output_line(output, "%s",
		    "If a service does not run: svcctl explain NAME. Its output: svcctl log NAME.");
	output_line(output,
		    "More: svcctl VERB --help, svcctl(1). For scripts: is, complete, reexec.");
}

static void print_verb_usage(Output *output, const Verb *verb)
{
	g_autofree char *details = g_strdelimit(g_strdup(verb->details), "\n", ' ');

	output_line(output, "Usage: svcctl %s%s%s%s", verb_typed(verb),
		    *verb->options ? " [OPTION...]" : "", *verb->arguments ? " " : "",
		    verb->arguments);
	output_line(output, "%s", "");
	output_line(output, "  %s", verb->summary);
	output_headline_at(output, 2, details);
	output_line(output, "%s", "");
	arguments_print_options(output, verb);
	for (size_t i = 0; i < G_N_ELEMENTS(verbs); i++) {
		if (is_typed(verb) && g_strcmp0(verbs[i].of, verb->name) == 0)
			output_line(output, "  svcctl %-24s%s", verb_typed(&verbs[i]),
				    verbs[i].summary);
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
static bool fail_other_command(const Context *context, const char *argument, GError **error)
{
	g_autofree char *answer = other_command_answer(
		argument, (const char *const *)context->names, context->n_names);

	if (answer)
		fail_ctl(error, CTL_ERROR_ELSEWHERE, "there is no \"%s\"; use %s", argument,
			 answer);
	return answer;
}

/*
 * Finds a verb by its name, and on a terminal also by a unique beginning of the name. In a script,
 * such a beginning could mean another verb in the next version.
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
	if (fail_other_command(context, name, error))
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
	nearest = token_nearest(name, names);
	fail_ctl(error, CTL_ERROR_USAGE, "there is no verb \"%s\"%s%s%s", name,
		 nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
	return NULL;
}

/* The row that an option selects instead of @verb, or @verb itself. */
static const Verb *choose_variant(const Options *options, const Verb *verb)
{
	for (size_t i = 0; i < G_N_ELEMENTS(verbs); i++) {
		if (g_strcmp0(verbs[i].of, verb->name) == 0 &&
		    arguments_chooses(options, &verbs[i]))
			return &verbs[i];
	}
	return verb;
}

static bool check_count(const Verb *verb, unsigned n_names, GError **error)
{
	if (n_names < verb->min_names)
		return fail_ctl(error, CTL_ERROR_USAGE, "%s: which service? svcctl %s %s",
				verb->name, verb_typed(verb), verb->arguments);
	if (n_names > verb->max_names)
		return fail_ctl(error, CTL_ERROR_USAGE, "%s: too many arguments: svcctl %s%s%s",
				verb->name, verb_typed(verb), *verb->arguments ? " " : "",
				verb->arguments);
	return true;
}

/*
 * The commands that the manager runs as root for a user whom polkit allows to set policy: changes
 * to this machine's policy, and nothing else. The option and the uid stand before the user's
 * arguments.
 */
static bool check_helper(Context *context, GError **error)
{
	static const char *const allowed[] = { "enable", "disable", "set", "undo", "new", NULL };
	/* Without a setting, "edit" runs an editor. */
	const bool is_edit = strcmp(context->verb->name, "edit") == 0 && context->n_names > 1 &&
			     !context->options.edits_policy;

	/*
	 * Only the manager may pass --as-helper, as root and as the first argument. A second
	 * --as-helper could come from the user.
	 */
	for (char **argument = context->arguments; *argument; argument++) {
		if (g_str_has_prefix(*argument, "--as-helper") &&
		    (argument != context->arguments || geteuid() != 0))
			return fail(error, SVCD_ERROR_NOT_AUTHORIZED,
				    "--as-helper is only for svcd");
	}
	if ((is_edit || g_strv_contains(allowed, context->verb->name)) && !context->options.root) {
		context->arguments += strcmp(context->arguments[0], "--as-helper") == 0 ? 2 : 1;
		return true;
	}
	return fail(error, SVCD_ERROR_NOT_AUTHORIZED, "only root may run svcctl %s",
		    context->verb->name);
}

/*
 * A process with another uid than the home's owner would leave files there that the owner cannot
 * change ("sudo -E").
 */
static bool check_owner(GError **error)
{
	const char *path = g_getenv("XDG_RUNTIME_DIR");
	struct stat st;

	if (!path || stat(path, &st) < 0 || st.st_uid == geteuid())
		return true;
	return fail_ctl(
		error, CTL_ERROR_USAGE,
		"--user controls your own services, but XDG_RUNTIME_DIR is %s, which belongs to "
		"uid %u; run this command as that user",
		path, (unsigned)st.st_uid);
}

/* A tree that is not running has no generated files, so they are made in memory. */
static void look_ahead(Context *context)
{
	context->generated = generate(context->options.root, NULL);
	context->overlay = generated_overlay(context->generated);
}

/*
 * Everything up to and including the verb's own work. @arguments: is filled; context->names points
 * into it.
 */
static bool run(Context *context, int argc, char **argv, GPtrArray *arguments, GError **error)
{
	g_autoptr(GError) problem = NULL;
	const bool done = arguments_parse(&context->options, argc, argv, arguments, &problem);
	/* Even the error about a wrong option is printed as JSON if that was requested. */
	const bool is_applied = arguments_apply(&context->options, &context->output,
						&context->timeout_us, done ? error : NULL);
	const bool is_help = arguments->len > 0 &&
			     strcmp(g_ptr_array_index(arguments, 0), "help") == 0;
	const unsigned at = is_help ? 1 : 0; /* index of the verb */

	/* "shutdown -r now": the option belongs to the other program's verb. */
	if (!done && (arguments->len == 0 ||
		      !fail_other_command(context, g_ptr_array_index(arguments, 0), error)))
		g_propagate_error(error, g_steal_pointer(&problem));
	if (!done || !is_applied)
		return false;
	if (arguments->len <= at && (is_help || context->options.has_help)) {
		context->output.verb = "help";
		print_help(&context->output, NULL);
		return true;
	}
	context->n_names = arguments->len > at ? arguments->len - at - 1 : 0;
	context->names = arguments->len > at ? (char **)arguments->pdata + at + 1 : NULL;
	if (context->options.has_version || arguments->len <= at)
		context->verb = row_named(context->options.has_version ? "version" : "overview");
	else
		context->verb = find_verb(context, g_ptr_array_index(arguments, at),
					  isatty(STDOUT_FILENO), error);
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
	if (context->options.is_user && !check_owner(error))
		return false;
	context->arguments = argv + 1;
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

/* Opens closed descriptors 0 to 2, because the first files that are opened would take them. */
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
	fprintf(stderr, "svcctl: not all of the output could be written; is the disk full?\n");
	return false;
}

int main(int argc, char **argv)
{
	Context context = { .verbs = verbs,
			    .n_verbs = G_N_ELEMENTS(verbs),
			    .exit = EXIT_CODE_DONE };
	g_autoptr(GPtrArray) arguments = g_ptr_array_new();
	g_autoptr(GError) error = NULL;

	ensure_standard_descriptors();
	setlocale(LC_ALL, "");
	output_init(&context.output);
	/* execve(2) may pass no argv[0] at all (CVE-2021-4034). */
	if (!run(&context, argc, argv, arguments, &error) && context.exit == EXIT_CODE_DONE)
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
