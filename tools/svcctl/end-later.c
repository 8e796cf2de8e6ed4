/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * End later: a process of shutdown(8) in a session of its own.
 */
#include "config.h"

#include "svcctl/end-later.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/fd.h"

#define SHUTDOWN SVCD_LIBDIR "/sysv/shutdown"
#define LOCK_FILE "/run/shutdown.pid" /* locked while it waits */

/* How long it may take to read its words and lock the file, and how often that is looked at. */
#define BEGIN_LIMIT_US (10 * G_USEC_PER_SEC)
#define LOOK_US (20 * G_TIME_SPAN_MILLISECOND)

/* The terminal may go while it waits. */
static void lead_session(gpointer data)
{
	(void)data;
	(void)setsid(); /* cannot fail in a new process */
}

static bool is_waiting(void)
{
	auto_fd int fd = open(LOCK_FILE, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	return fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

/* -1: it runs; else its exit status. */
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
	output_set_data(&context->output, json_node_init_object(json_node_alloc(), object));
	json_object_unref(object);
}

static bool check_root(const Context *context, GError **error)
{
	return geteuid() == 0 || fail(error, SVCD_ERROR_NOT_AUTHORIZED, "only root may set or cancel the time of a %s", context->verb->name);
}

bool end_later_begin(Context *context, GError **error)
{
	char *const words[] = { (char *)SHUTDOWN, (char *)option_of(context), (char *)context->options.at, NULL };
	const int64_t deadline_us = g_get_monotonic_time() + BEGIN_LIMIT_US;
	g_autoptr(GError) problem = NULL;
	int status = -1;
	GPid pid;

	if (!check_root(context, error))
		return false;
	if (is_waiting()) {
		context_hint(context, "svcctl %s --cancel", context->verb->name);
		return fail(error, SVCD_ERROR_BUSY, "a shutdown waits already");
	}
	if (!g_spawn_async(NULL, (char **)words, NULL, G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL,
			   lead_session, NULL, &pid,
			   &problem))
		return fail_ctl(error, CTL_ERROR_FAILED, "%s: %s", context->verb->name, problem->message);
	while (!is_waiting() && (status = look_at(pid)) < 0 && g_get_monotonic_time() < deadline_us)
		g_usleep(LOOK_US);
	if (status > 0)
		return fail_ctl(error, CTL_ERROR_USAGE, "--at takes HH:MM or +MINUTES, not \"%s\"", context->options.at);
	output_confirm(&context->output, "%s at %s; to take it back: svcctl %s --cancel", context->verb->name, context->options.at,
		       context->verb->name);
	set_data(context, "at", context->options.at);
	return true;
}

bool end_later_cancel(Context *context, GError **error)
{
	char *const words[] = { (char *)SHUTDOWN, (char *)"-c", NULL };
	int status = 0;

	if (!check_root(context, error))
		return false;
	if (!is_waiting())
		return fail_ctl(error, CTL_ERROR_NOT_TRUE, "no shutdown waits");
	if (!g_spawn_sync(NULL, (char **)words, NULL, G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL, NULL, &status, NULL) || status != 0)
		return fail_ctl(error, CTL_ERROR_FAILED, "the shutdown that waits could not be cancelled");
	output_confirm(&context->output, "the shutdown is cancelled");
	set_data(context, "cancelled", "shutdown");
	return true;
}
