/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Agent: a child that registers itself as the polkit agent of this process, and closes a pipe when
 * that is done.
 */
#include "config.h"

#include "svcctl/agent.h"

#include <gio/gio.h>
#include <glib-unix.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/fd.h"

/* Registering takes one call on the bus. The limit keeps a hanging bus from blocking svcctl. */
enum { START_LIMIT_MS = 10000 };

#define NOTIFY_FD 3 /* of the child */

struct Agent {
	GSubprocess *process;
};

Agent *agent_new(void)
{
	g_autoptr(GSubprocessLauncher)
		launcher = g_subprocess_launcher_new(G_SUBPROCESS_FLAGS_STDIN_INHERIT);
	struct pollfd ready = { .fd = -1, .events = POLLIN };
	auto_fd int reader = -1;
	GSubprocess *process;
	Agent *agent;
	int fds[2];

	if (!g_unix_open_pipe(fds, FD_CLOEXEC, NULL))
		return NULL;
	reader = fds[0];
	g_subprocess_launcher_take_fd(launcher, fds[1], NOTIFY_FD);
	/* --fallback: an agent of the session has precedence. */
	process = g_subprocess_launcher_spawn(launcher, NULL, "pkttyagent", "--fallback",
					      "--notify-fd", G_STRINGIFY(NOTIFY_FD), NULL);
	g_subprocess_launcher_close(launcher);
	if (!process)
		return NULL;
	agent = g_new0(Agent, 1);
	agent->process = process;
	ready.fd = reader;
	(void)poll(&ready, 1, START_LIMIT_MS); /* if it is not ready, polkit refuses */
	return agent;
}

void agent_free(Agent *agent)
{
	if (!agent)
		return;
	/* The wait is needed because the agent restores the terminal's echo. */
	g_subprocess_send_signal(agent->process, SIGTERM);
	/* cannot fail without a GCancellable */
	(void)g_subprocess_wait(agent->process, NULL, NULL);
	g_object_unref(agent->process);
	g_free(agent);
}
