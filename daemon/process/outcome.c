/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Outcome: text for exit statuses and exec failures.
 */
#include "config.h"

#include "process/outcome.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/text.h"

char *outcome_describe(int code, int status, int errnum)
{
	switch (code) {
	case CLD_EXITED:
		if (errnum > 0 && status != 0)
			return g_strdup_printf("exit status %d (%s)", status, g_strerror(errnum));
		return g_strdup_printf("exit status %d", status);
	case CLD_KILLED:
	case CLD_DUMPED:
		return g_strdup_printf("killed by signal %s%s", text_signal_name(status),
				       code == CLD_DUMPED ? " (core dumped)" : "");
	default:
		return g_strdup("ended, exit status unknown");
	}
}

/*
 * LSB Core, "Init Script Actions". The other statuses are reserved, or their meaning is defined by
 * the author of the script.
 */
static const char *const script_statuses[] = {
	[2] = "invalid or too many arguments",
	[3] = "it does not support this action",
	[4] = "insufficient privilege",
	[5] = "not installed",
	[6] = "not configured",
	[7] = "not running",
};

char *outcome_describe_script(int code, int status)
{
	if (code == CLD_EXITED && status > 0 && status < (int)G_N_ELEMENTS(script_statuses) &&
	    script_statuses[status])
		return g_strdup_printf("exit status %d (%s)", status, script_statuses[status]);
	return outcome_describe(code, status, 0);
}

static bool is_clean_signal(int signo)
{
	return signo == SIGHUP || signo == SIGINT || signo == SIGTERM || signo == SIGPIPE;
}

bool outcome_is_success(const Plan *plan, int code, int status)
{
	if (plan->def->exec && plan->def->exec->may_fail && !plan_is_script(plan))
		return true;
	if (code == CLD_EXITED)
		return plan_is_script(plan) ? status == 0 : plan_counts_as_success(plan, status);
	return code == CLD_KILLED && !plan_ends_by_itself(plan) && is_clean_signal(status);
}

bool outcome_script_is_success(const Plan *plan, const Command *command, int code, int status)
{
	return (command && command->may_fail) ||
	       (code == CLD_EXITED && plan_counts_as_success(plan, status));
}

/* Names the user or group if it is clear which one does not exist. */
static char *describe_user(const ExecDef *e, const char *cause, int errnum)
{
	if (errnum != ESRCH)
		return g_strdup_printf("cannot look up User= or Group=: %s", cause);
	if (e->user && !e->group && e->groups->len == 0)
		return g_strdup_printf("there is no user \"%s\"", e->user);
	if (!e->user && e->group && e->groups->len == 0)
		return g_strdup_printf("there is no group \"%s\"", e->group);
	return g_strdup_printf("there is no such user or group: User=%s, Group=%s%s",
			       e->user ? e->user : "", e->group ? e->group : "",
			       e->groups->len > 0 ? ", or one of SupplementaryGroups=" : "");
}

static char *describe_environment(const ExecDef *e, const char *cause)
{
	const EnvironmentFile *file =
		e->environment_files->len == 1 ? g_ptr_array_index(e->environment_files, 0) : NULL;

	return file ? g_strdup_printf("cannot read the environment file %s: %s", file->path,
				      cause) :
		      g_strdup_printf("cannot read an environment file: %s", cause);
}

char *outcome_describe_exec(const Plan *plan, const Command *command,
			    const struct ExecStatus *status)
{
	const ExecDef *e = plan->def->execution;
	const char *cause = g_strerror(status->error);

	if (status->what[0]) {
		/* the text may have been cut inside a character */
		g_autofree char *what = g_utf8_make_valid(status->what, -1);

		return g_strdup_printf("%s: %s", what, cause);
	}
	switch ((enum ExecStep)status->step) {
	case EXEC_STEP_SETUP:
		return g_strdup_printf("cannot set up its session and descriptors: %s", cause);
	case EXEC_STEP_LIMITS:
		return g_strdup_printf("cannot set its limits: %s", cause);
	case EXEC_STEP_DIRECTORY:
		return g_strdup_printf("cannot enter the directory %s: %s",
				       e->directory ? e->directory : "/", cause);
	case EXEC_STEP_IDENTITY:
		return g_strdup_printf("cannot become its user and group: %s", cause);
	case EXEC_STEP_EXEC:
		return g_strdup_printf("cannot execute %s: %s",
				       command ? command->argv[0] : "its program", cause);
	case EXEC_STEP_USER:
		return describe_user(e, cause, status->error);
	case EXEC_STEP_ENVIRONMENT:
		return describe_environment(e, cause);
	case EXEC_STEP_TTY:
		return g_strdup_printf("cannot open the terminal %s: %s", e->tty ? e->tty : "",
				       cause);
	case EXEC_STEP_SPEC:
		return g_strdup_printf("svc-exec cannot read its specification: %s", cause);
	case EXEC_STEP_RUNTIME:
		return g_strdup_printf("cannot make its directories: %s", cause);
	case EXEC_STEP_INPUT:
		return g_strdup_printf("cannot open its standard input: %s", cause);
	case EXEC_STEP_SCHEDULING:
		return g_strdup_printf("cannot set its scheduling: %s", cause);
	case EXEC_STEP_SANDBOX:
		return g_strdup_printf("cannot build its sandbox: %s", cause);
	case EXEC_STEP_REMOVE:
		return g_strdup_printf("cannot remove its runtime files: %s", cause);
	}
	return g_strdup_printf("could not be started (step %d): %s", status->step, cause);
}
