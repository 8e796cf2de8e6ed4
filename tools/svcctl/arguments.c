/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Arguments: one row per option.
 */
#include "config.h"

#include "svcctl/arguments.h"

#include <stddef.h>
#include <string.h>

#include "base/text.h"
#include "svcctl/other-commands.h"

#define DEFAULT_TIMEOUT_US (90 * G_USEC_PER_SEC)

typedef enum OptionKind {
	OPTION_FLAG, /* bool */
	OPTION_TEXT, /* const char *, a value must follow */
	/* const char *, a value must follow; repeated values are joined with blanks */
	OPTION_VALUES,
	OPTION_OPTIONAL, /* const char *, "" without a value; only as --name=value */
} OptionKind;

typedef struct OptionRow {
	const char *name;
	char letter; /* or 0 */
	OptionKind kind;
	size_t offset; /* in Options */
	bool is_global;
	const char *value; /* for the help text */
	const char *help;
} OptionRow;

#define FIELD(field) offsetof(Options, field)

/* clang-format off */
static const OptionRow rows[] = {
	{ "json", 0, OPTION_OPTIONAL, FIELD(json), true, "[=pretty]", "answer in JSON, errors too" },
	{ "quiet", 'q', OPTION_FLAG, FIELD(is_quiet), true, "", "print only results and errors" },
	{ "timeout", 't', OPTION_TEXT, FIELD(timeout), true, " SEC", "how long to wait (90)" },
	{ "color", 0, OPTION_TEXT, FIELD(colour), true, " WHEN", "auto, always or never" },
	{ "ascii", 0, OPTION_FLAG, FIELD(is_ascii), true, "", "print only ASCII characters" },
	{ "width", 0, OPTION_TEXT, FIELD(width), true, " N", "wrap at N columns; 0: never" },
	{ "help", 'h', OPTION_FLAG, FIELD(has_help), true, "", "show this help" },
	{ "version", 'V', OPTION_FLAG, FIELD(has_version), true, "", "show the versions of svcctl and svcd" },
	{ "all", 'a', OPTION_FLAG, FIELD(is_all), false, "", "also services that are off; all processes" },
	{ "state", 0, OPTION_TEXT, FIELD(state), false, " STATE", "only services in this state" },
	{ "unmanaged", 0, OPTION_FLAG, FIELD(is_unmanaged), false, "", "processes that the message bus started without svcd" },
	{ "level", 0, OPTION_TEXT, FIELD(level), false, " LEVEL", "only conditions that are true, false or unknown" },
	{ "columns", 'o', OPTION_TEXT, FIELD(columns), false, " A,B", "show these columns, by their names in JSON" },
	{ "no-header", 0, OPTION_FLAG, FIELD(has_no_header), false, "", "no header line" },
	{ "wait", 0, OPTION_FLAG, FIELD(waits), false, "", "also wait for conditions that are false" },
	{ "no-wait", 0, OPTION_FLAG, FIELD(has_no_wait), false, "", "send the request, and do not wait for the result" },
	{ "progress", 0, OPTION_FLAG, FIELD(shows_progress), false, "", "with --json: a line for each change during the wait" },
	{ "force", 0, OPTION_FLAG, FIELD(is_forced), false, "", "skip CheckCommand= and do not ask for confirmation" },
	{ "with-dependents", 0, OPTION_FLAG, FIELD(with_dependents), false, "", "also stop the services that need NAME" },
	{ "lines", 'n', OPTION_TEXT, FIELD(lines), false, " N", "how many lines (50), or all" },
	{ "lines", 'N', OPTION_TEXT, FIELD(lines), false, NULL, NULL },
	{ "since", 0, OPTION_TEXT, FIELD(since), false, " TIME", "only lines since 10min (ago), 09:30 or a date" },
	{ "boot", 0, OPTION_TEXT, FIELD(boot), false, " N", "show the recorded boot N; -1: the boot before this one" },
	{ "shutdown", 0, OPTION_FLAG, FIELD(of_shutdown), false, "", "show the last shutdown instead of the boot" },
	{ "follow", 'f', OPTION_FLAG, FIELD(follows), false, "", "continue with new lines as they are written" },
	{ "root", 0, OPTION_TEXT, FIELD(root), false, " DIR", "use the files below DIR, not those of this machine" },
	{ "runlevel", 0, OPTION_VALUES, FIELD(runlevel), false, " N", "in this runlevel" },
	{ "dry-run", 0, OPTION_FLAG, FIELD(is_dry_run), false, "", "only show what would start and stop" },
	{ "until-reboot", 0, OPTION_FLAG, FIELD(is_until_reboot), false, "", "only until the next boot" },
	{ "reason", 0, OPTION_TEXT, FIELD(reason), false, " TEXT", "a reason, shown wherever this policy decides" },
	{ "run-as", 0, OPTION_TEXT, FIELD(run_as), false, " USER", "the user that the service runs as" },
	{ "restart", 0, OPTION_TEXT, FIELD(restart), false, " WHEN", "no, on-failure (if not given) or always" },
	{ "when", 0, OPTION_VALUES, FIELD(when), false, " CONDITION", "wait for this condition before each start" },
	{ "while", 0, OPTION_VALUES, FIELD(hold), false, " CONDITION", "run only while this condition is true" },
	{ "description", 0, OPTION_TEXT, FIELD(description), false, " TEXT", "a short description" },
	{ "at", 0, OPTION_TEXT, FIELD(at), false, " TIME", "at HH:MM or in +MINUTES instead of now" },
	{ "cancel", 0, OPTION_FLAG, FIELD(is_cancel), false, "", "cancel a shutdown set by --at or shutdown(8)" },
	{ "signal", 0, OPTION_TEXT, FIELD(signal), false, " NAME", "send this signal: HUP, SIGHUP or 1" },
	{ "halt", 0, OPTION_FLAG, FIELD(is_halt), false, "", "halt, without switching off" },
	{ "processes", 0, OPTION_FLAG, FIELD(with_processes), false, "", "the processes of services" },
	{ "properties", 0, OPTION_FLAG, FIELD(with_properties), false, "", "every property" },
	{ "order", 0, OPTION_FLAG, FIELD(with_order), false, "", "the order of starting" },
	{ "security", 0, OPTION_FLAG, FIELD(with_security), false, "", "the harm that services could do" },
	{ "diff", 0, OPTION_FLAG, FIELD(with_diff), false, "", "only differences from the vendor's files" },
	{ "sysv", 0, OPTION_FLAG, FIELD(from_sysv), false, "", "from the links in /etc/rc?.d" },
	{ "none", 0, OPTION_FLAG, FIELD(is_none), false, "", "import nothing, and do not offer the import again" },
	{ "policy", 0, OPTION_FLAG, FIELD(edits_policy), false, "", "svcctl's policy file instead of a service" },
	{ "output", 0, OPTION_TEXT, FIELD(output), false, " DIR", "write the files to DIR" },
	{ "report", 0, OPTION_FLAG, FIELD(is_report), false, "", "show the result of the trial" },
	{ "keep", 0, OPTION_FLAG, FIELD(is_keep), false, "", "after a successful trial: svcd is the init at every boot" },
	{ "back", 0, OPTION_FLAG, FIELD(is_back), false, "", "revert all that try has changed" },
	{ "reboot", 0, OPTION_FLAG, FIELD(reboots), false, "", "reboot at once" },
	{ "reverse", 0, OPTION_FLAG, FIELD(is_reverse), false, "", "reversed: the services that need NAME" },
	{ "conditions", 0, OPTION_FLAG, FIELD(with_conditions), false, "", "with the conditions in use" },
	{ "timers", 0, OPTION_FLAG, FIELD(with_timers), false, "", "when tasks become due" },
	{ "property", 'p', OPTION_VALUES, FIELD(property), false, " A,B", "only these properties; patterns too" },
	{ "value", 0, OPTION_FLAG, FIELD(only_value), false, "", "only the values" },
	{ "shell", 0, OPTION_TEXT, FIELD(shell), false, " NAME", "bash, zsh or fish" },
	{ "if-running", 0, OPTION_FLAG, FIELD(only_running), false, "", "services that are off stay off" },
	{ "all-matching", 0, OPTION_FLAG, FIELD(all_matching), false, "", "each NAME may be a pattern" },
	{ "user", 0, OPTION_FLAG, FIELD(is_user), true, "", "your own services, run by svcd --user" },
	{ "as-helper", 0, OPTION_TEXT, FIELD(helper_for), true, NULL, NULL },
	{ "edges", 0, OPTION_FLAG, FIELD(only_edges), false, "", "lines \"A B\" for programs" },
	{ "stop", 0, OPTION_FLAG, FIELD(shows_stop), false, "", "the order of stopping" },
};
/* clang-format on */

static void *field_of(Options *options, const OptionRow *row)
{
	return (char *)options + row->offset;
}

static const OptionRow *find_long(const char *name, size_t length)
{
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		if (strlen(rows[i].name) == length && strncmp(rows[i].name, name, length) == 0)
			return &rows[i];
	}
	return NULL;
}

static const OptionRow *find_letter(char letter)
{
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		if (rows[i].letter == letter)
			return &rows[i];
	}
	return NULL;
}

static void set_text(const char **field, OptionKind kind, const char *value)
{
	g_autofree char *joined =
		*field && kind == OPTION_VALUES ? g_strjoin(" ", *field, value, NULL) : NULL;

	*field = joined ? g_intern_string(joined) : value; /* valid as long as the command line */
}

/*
 * @value: NULL if the option has none attached; the next argument is then used where a value is
 * required.
 */
static bool set_option(Options *options, const OptionRow *row, const char *value, int argc,
		       char **argv, int *i, GError **error)
{
	switch (row->kind) {
	case OPTION_FLAG:
		if (value)
			return fail_ctl(error, CTL_ERROR_USAGE, "--%s takes no value", row->name);
		*(bool *)field_of(options, row) = true;
		return true;
	case OPTION_OPTIONAL:
		*(const char **)field_of(options, row) = value ? value : "";
		return true;
	case OPTION_TEXT:
	case OPTION_VALUES:
		break;
	}
	if (!value && *i + 1 >= argc)
		return fail_ctl(error, CTL_ERROR_USAGE, "--%s needs a value", row->name);
	set_text(field_of(options, row), row->kind, value ? value : argv[++*i]);
	return true;
}

static bool fail_option(const char *argument, int length, GError **error)
{
	g_autofree char *name = g_strndup(argument, (gsize)length);
	g_autofree char *answer = other_command_answer(name, NULL, 0);

	return answer ? fail_ctl(error, CTL_ERROR_ELSEWHERE, "there is no \"%s\"; use %s", name,
				 answer) :
			fail_ctl(error, CTL_ERROR_USAGE, "there is no option %s", name);
}

static bool parse_long(Options *options, int argc, char **argv, int *i, GError **error)
{
	const char *name = argv[*i] + 2;
	const size_t length = strcspn(name, "=");
	const OptionRow *row = find_long(name, length);

	if (!row)
		return fail_option(argv[*i], (int)length + 2, error);
	return set_option(options, row, name[length] ? name + length + 1 : NULL, argc, argv, i,
			  error);
}

/* "-fq", "-n5", "-n 5" */
static bool parse_letters(Options *options, int argc, char **argv, int *i, GError **error)
{
	const char *letters = argv[*i] + 1;

	for (; *letters; letters++) {
		const OptionRow *row = find_letter(*letters);

		if (!row) {
			const char argument[] = { '-', *letters, '\0' };

			return fail_option(argument, 2, error);
		}
		if (row->kind == OPTION_TEXT || row->kind == OPTION_VALUES)
			return set_option(options, row, letters[1] ? letters + 1 : NULL, argc, argv,
					  i, error);
		if (!set_option(options, row, NULL, argc, argv, i, error))
			return false;
	}
	return true;
}

/* Called after a mistake, so that the error is printed as JSON if JSON was requested. */
static bool take_json(Options *options, int argc, char **argv, int first)
{
	for (int i = first; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (strcmp(argv[i], "--json") == 0)
			options->json = "";
		else if (strcmp(argv[i], "--json=pretty") == 0)
			options->json = "pretty";
	}
	return false;
}

bool arguments_parse(Options *options, int argc, char **argv, GPtrArray *arguments, GError **error)
{
	for (int i = 1; i < argc; i++) {
		const char *argument = argv[i];

		if (strcmp(argument, "--") == 0) {
			while (++i < argc)
				g_ptr_array_add(arguments, argv[i]);
			return true;
		}
		if (g_str_has_prefix(argument, "--")) {
			if (!parse_long(options, argc, argv, &i, error))
				return take_json(options, argc, argv, i);
		} else if (argument[0] == '-' && argument[1]) {
			if (!parse_letters(options, argc, argv, &i, error))
				return take_json(options, argc, argv, i);
		} else {
			g_ptr_array_add(arguments, argv[i]);
		}
	}
	return true;
}

static bool apply_colour(const Options *options, Output *output, GError **error)
{
	if (!options->colour || strcmp(options->colour, "auto") == 0)
		return true;
	output->has_colour = strcmp(options->colour, "always") == 0;
	return output->has_colour || strcmp(options->colour, "never") == 0 ||
	       fail_ctl(error, CTL_ERROR_USAGE, "--color takes auto, always or never, not \"%s\"",
			options->colour);
}

static bool apply_json(const Options *options, Output *output, GError **error)
{
	if (!options->json)
		return !options->shows_progress ||
		       fail_ctl(error, CTL_ERROR_USAGE, "--progress works only with --json");
	output->is_json = true;
	output->is_pretty = strcmp(options->json, "pretty") == 0;
	if (output->is_pretty && options->shows_progress)
		return fail_ctl(
			error, CTL_ERROR_USAGE,
			"--progress writes a line for each object: use --json, not --json=pretty");
	return output->is_pretty || !*options->json ||
	       fail_ctl(error, CTL_ERROR_USAGE,
			"the only value of --json is \"pretty\", not \"%s\"", options->json);
}

/* --timeout 0: svcctl sends the request and does not wait. */
static bool apply_timeout(Options *options, int64_t *ret_timeout_us, GError **error)
{
	int64_t timeout_us;

	if (!options->timeout)
		return true;
	if (!text_parse_duration(options->timeout, &timeout_us))
		return fail_ctl(error, CTL_ERROR_USAGE,
				"--timeout takes a time like 5 or 2min, not \"%s\"",
				options->timeout);
	if (timeout_us == 0)
		options->has_no_wait = true;
	else
		*ret_timeout_us = timeout_us;
	return true;
}

bool arguments_apply(Options *options, Output *output, int64_t *ret_timeout_us, GError **error)
{
	uint64_t width;

	*ret_timeout_us = DEFAULT_TIMEOUT_US;
	output->is_quiet = options->is_quiet;
	output->is_ascii |= options->is_ascii;
	output->has_header = !options->has_no_header;
	if (!apply_json(options, output, error) || !apply_colour(options, output, error))
		return false;
	if (options->width) {
		if (!text_parse_uint(options->width, 10, 10000, &width))
			return fail_ctl(error, CTL_ERROR_USAGE,
					"--width takes a number, not \"%s\"", options->width);
		output->width = (unsigned)width;
	}
	if (options->root && !g_file_test(options->root, G_FILE_TEST_IS_DIR))
		return fail_ctl(error, CTL_ERROR_FILE, "--root %s: there is no such directory",
				options->root);
	return apply_timeout(options, ret_timeout_us, error);
}

bool arguments_takes(const Verb *verb, const char *name)
{
	g_autofree char *all = g_strconcat(verb->options, " ", verb->by, NULL);
	g_auto(GStrv) names = g_strsplit(all, " ", -1);

	return g_strv_contains((const char *const *)names, name);
}

static bool is_given(const Options *options, const OptionRow *row)
{
	const void *field = (const char *)options + row->offset;

	return row->kind == OPTION_FLAG ? *(const bool *)field :
					  *(const char *const *)field != NULL;
}

bool arguments_chooses(const Options *options, const Verb *verb)
{
	g_auto(GStrv) names = g_strsplit(verb->by, " ", -1);

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		if (g_strv_contains((const char *const *)names, rows[i].name) &&
		    is_given(options, &rows[i]))
			return true;
	}
	return false;
}

/* False for verbs about the whole machine or about files that do not belong to the user. */
static bool is_for_users(const Verb *verb)
{
	static const char *const not_theirs[] = { "doctor",      "reboot", "halt", "import",
						  "import-sysv", "try",    NULL };

	return !g_strv_contains(not_theirs, verb->name);
}

bool arguments_check(const Options *options, const Verb *verb, GError **error)
{
	if (options->is_user && (options->root || options->is_unmanaged || !is_for_users(verb)))
		return fail_ctl(error, CTL_ERROR_USAGE,
				"%s%s does not work with --user: it applies to the machine",
				verb_typed(verb),
				options->root         ? " --root" :
				options->is_unmanaged ? " --unmanaged" :
							"");
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		/* --timeout 0 sets the same flag as --no-wait, and is global. */
		if (rows[i].offset == FIELD(has_no_wait) && options->timeout)
			continue;
		if (!rows[i].is_global && is_given(options, &rows[i]) &&
		    !arguments_takes(verb, rows[i].name))
			return fail_ctl(error, CTL_ERROR_USAGE, "%s does not take --%s",
					verb_typed(verb), rows[i].name);
	}
	return true;
}

const char *arguments_awaiting(const char *argument)
{
	const OptionRow *row;

	if (argument[0] != '-' || !argument[1])
		return NULL;
	row = argument[1] == '-' ? find_long(argument + 2, strlen(argument + 2)) :
				   find_letter(argument[strlen(argument) - 1]);
	return row && (row->kind == OPTION_TEXT || row->kind == OPTION_VALUES) ? row->name : NULL;
}

/*
 * An option without a help text is not listed. It is a second letter of another option, or only the
 * manager passes it.
 */
static bool is_of(const OptionRow *row, const Verb *verb)
{
	return row->help && (verb ? arguments_takes(verb, row->name) : row->is_global);
}

void arguments_foreach_option(const Verb *verb,
			      void (*func)(void *data, const char *name, const char *help,
					   bool takes_value),
			      void *data)
{
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		if (is_of(&rows[i], verb))
			func(data, rows[i].name, rows[i].help, rows[i].kind != OPTION_FLAG);
	}
}

/* Prints only the names; the manual explains them. */
static void print_global_options(Output *output)
{
	g_autoptr(GString) text = g_string_new("Options:");

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		if (!is_of(&rows[i], NULL))
			continue;
		g_string_append_printf(text, " --%s%s", rows[i].name, rows[i].value);
		if (rows[i].letter)
			g_string_append_printf(text, " (-%c)", rows[i].letter);
	}
	output_paragraph(output, 2, text->str);
}

void arguments_print_options(Output *output, const Verb *verb)
{
	if (!verb) {
		print_global_options(output);
		return;
	}
	if (*verb->options)
		output_line(output, "Options (and the global ones, see svcctl --help):");
	else
		output_line(output, "Only the global options: svcctl --help");
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		const OptionRow *row = &rows[i];
		g_autofree char *left = NULL;

		if (!is_of(row, verb))
			continue;
		left = row->letter ?
			       g_strdup_printf("-%c, --%s%s", row->letter, row->name, row->value) :
			       g_strdup_printf("    --%s%s", row->name, row->value);
		output_line(output, "  %-24s%s", left, row->help);
	}
}
