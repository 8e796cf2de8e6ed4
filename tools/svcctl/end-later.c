/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * End later: a process of shutdown(8) in a session of its own.
 */
#include "config.h"

#include "svcctl/end-later.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/text.h"

#define SHUTDOWN SVCD_LIBDIR "/sysv/shutdown"
#define PID_FILE "/run/shutdown.pid"

#define SPAWN_FLAGS \
	(G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL)

/*
 * The time limit for shutdown(8) to read its arguments and write the file, and the interval of the
 * checks.
 */
#define BEGIN_LIMIT_US (10 * G_USEC_PER_SEC)
#define LOOK_US (20 * G_TIME_SPAN_MILLISECOND)

/* The terminal may be closed while shutdown(8) waits. */
static void lead_session(gpointer data)
{
	(void)data;
	(void)setsid(); /* cannot fail in a new process */
}

char *end_later_pending(void)
{
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;
	g_autofree char *comm_path = NULL;
	g_autofree char *comm = NULL;
	uint64_t pid;

	if (!g_file_get_contents(PID_FILE, &text, NULL, NULL))
		return NULL;
	lines = g_strsplit(text, "\n", 3);
	if (g_strv_length(lines) < 3 || !text_parse_uint(lines[0], 10, G_MAXINT, &pid))
		return NULL;
	/* A shutdown(8) that was killed leaves its file behind. */
	comm_path = g_strdup_printf("/proc/%u/comm", (unsigned)pid);
	if (!g_file_get_contents(comm_path, &comm, NULL, NULL) ||
	    strcmp(g_strchomp(comm), "shutdown") != 0)
		return NULL;
	return g_strdup(lines[1]);
}

/* Returns: the exit status of @pid; -1 if it still runs. */
static int look_at(GPid pid)
{
	int status;

	if (waitpid(pid, &status, WNOHANG) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static const char *option_of(const Context *context)
{
	if (strcmp(context->verb->name, "reboot") == 0)
		return "-r";
	return strcmp(context->verb->name, "halt") == 0 ? "-H" : "-P";
}

static void set_data(Context *context, const char *member, const char *value)
{
	JsonObject *object = json_object_new();

	json_object_set_string_member(object, member, value);
	output_set_object(&context->output, object);
}

static bool check_root(const Context *context, GError **error)
{
	return geteuid() == 0 ||
	       fail(error, SVCD_ERROR_NOT_AUTHORIZED,
		    "only root may set or cancel the time of a %s", context->verb->name);
}

bool end_later_begin(Context *context, GError **error)
{
	char *const arguments[] = { (char *)SHUTDOWN, (char *)option_of(context),
				    (char *)context->options.at, NULL };
	const int64_t deadline_us = g_get_monotonic_time() + BEGIN_LIMIT_US;
	g_autofree char *pending = end_later_pending();
	g_autoptr(GError) problem = NULL;
	int status = -1;
	GPid pid;

	if (!check_root(context, error))
		return false;
	if (pending) {
		context_hint(context, "svcctl poweroff --cancel");
		return fail(error, SVCD_ERROR_BUSY, "a shutdown is pending already: %s", pending);
	}
	if (!g_spawn_async(NULL, (char **)arguments, NULL, SPAWN_FLAGS, lead_session, NULL, &pid,
			   &problem))
		return fail_ctl(error, CTL_ERROR_FAILED, "%s: %s", context->verb->name,
				problem->message);
	while (!(pending = end_later_pending()) && (status = look_at(pid)) < 0 &&
	       g_get_monotonic_time() < deadline_us)
		g_usleep(LOOK_US);
	if (status > 0)
		return fail_ctl(error, CTL_ERROR_USAGE, "--at takes HH:MM or +MINUTES, not \"%s\"",
				context->options.at);
	if (!pending)
		return fail_ctl(error, CTL_ERROR_FAILED, "the %s was not scheduled",
				context->verb->name);
	output_confirm(&context->output, "%s", pending);
	output_confirm(&context->output, "  To cancel it: svcctl %s --cancel",
		       strcmp(context->verb->name, "reboot") == 0 ? "reboot" : "poweroff");
	set_data(context, "pending_shutdown", pending);
	return true;
}

bool end_later_cancel(Context *context, GError **error)
{
	char *const arguments[] = { (char *)SHUTDOWN, (char *)"-c", NULL };
	g_autofree char *pending = end_later_pending();
	const GSpawnFlags flags = G_SPAWN_STDOUT_TO_DEV_NULL;
	int status = 0;

	if (!check_root(context, error))
		return false;
	if (!pending)
		return fail_ctl(error, CTL_ERROR_NOT_TRUE, "no shutdown is pending");
	if (!g_spawn_sync(NULL, (char **)arguments, NULL, flags, NULL, NULL, NULL, NULL, &status,
			  NULL) ||
	    status != 0)
		return fail_ctl(error, CTL_ERROR_FAILED,
				"the pending shutdown could not be cancelled");
	output_confirm(&context->output, "the shutdown is cancelled");
	set_data(context, "cancelled", "shutdown");
	return true;
}
