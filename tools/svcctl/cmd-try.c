/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * try: boots svcd once, and the other init at every other boot. The script svc-try does the work,
 * because all of it is calls of GRUB's programs. This file adds the plan.
 */
#include "config.h"

#include <string.h>
#include <unistd.h>

#include "base/errors.h"
#include "svcctl/try-plan.h"

#define PROGRAM SVCD_LIBDIR "/svc-try"

enum { STATUS_NOT_PASSED = 3 }; /* of svc-try --report */

static bool check_options(const Options *options, GError **error)
{
	if (options->is_report + options->is_keep + options->is_back + options->reboots > 1)
		return fail_ctl(error, CTL_ERROR_USAGE,
				"try takes only one of --report, --keep, --back and --reboot");
	if (options->is_report && options->is_dry_run)
		return fail_ctl(error, CTL_ERROR_USAGE, "try --report changes nothing anyway");
	return geteuid() == 0 || fail(error, SVCD_ERROR_NOT_AUTHORIZED,
				      "only root may change the boot of this machine");
}

/* The lines of svc-try; with --json an array of strings. */
static void print_lines(Context *context, char *text, bool has_data)
{
	g_auto(GStrv) lines = g_strsplit(g_strchomp(text), "\n", -1);
	JsonArray *array = json_array_new();

	for (char **line = lines; *line; line++) {
		output_line(&context->output, "%s", *line);
		json_array_add_string_element(array, *line);
	}
	if (has_data)
		json_array_unref(array);
	else
		output_set_array(&context->output, array);
}

/* @has_data: the data of --json are set already. */
static bool run_program(Context *context, bool has_data, GError **error)
{
	const Options *options = &context->options;
	const char *argv[4] = { PROGRAM, NULL };
	g_autofree char *text = NULL;
	g_autofree char *problem = NULL;
	unsigned n = 1;
	int status;

	if (options->is_report || options->is_keep || options->is_back || options->reboots)
		argv[n++] = options->is_report ? "--report" :
			    options->is_keep   ? "--keep" :
			    options->is_back   ? "--back" :
						 "--reboot";
	if (options->is_dry_run)
		argv[n++] = "--dry-run";
	if (!g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &text, &problem,
			  &status, error))
		return false;
	print_lines(context, text, has_data);
	if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_NOT_PASSED)
		context->exit = EXIT_CODE_NO;
	else if (status != 0)
		return fail_ctl(error, CTL_ERROR_FAILED, "try: %s", g_strchomp(problem));
	return true;
}

bool cmd_try(Context *context, GError **error)
{
	const Options *options = &context->options;
	const bool shows_plan = options->is_keep && options->is_dry_run;
	g_autoptr(GPtrArray) plan = NULL;
	unsigned n;

	if (!check_options(options, error))
		return false;
	if (options->is_report || options->is_back)
		return run_program(context, false, error);
	plan = try_plan(context);
	if (shows_plan && !try_plan_print(context, plan, error))
		return false;
	if (!run_program(context, shows_plan, error))
		return false;
	n = try_plan_count_left_out(plan);
	if (n > 0 && !shows_plan)
		output_confirm(&context->output,
			       "%u enabled unit%s will not run under svcd: svcctl try --keep --dry-run",
			       n, n == 1 ? "" : "s");
	return true;
}
