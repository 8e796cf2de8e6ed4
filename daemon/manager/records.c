/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records: changes of runlevel in utmp and wtmp, for runlevel(8), who(1) and invoke-rc.d(8).
 *
 * Written by svc-utmp, since the C library waits for a lock on these files. Boot and shutdown are the utmp service's; the
 * first runlevel is recorded when the boot is over, for that service begins the file anew.
 */
#include "config.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "engine/progress.h"
#include "manager/manager.h"

#define RECORDS_SERVICE ".records"
#define RECORDS_PROGRAM SVCD_LIBDIR "/svc-utmp"

static bool spawn_writer(Manager *m, const char *before, const char *now, GError **error)
{
	const char *const argv[] = { RECORDS_PROGRAM, "runlevel", before, now, NULL };

	m->record_invocation = (uint64_t)loop_now();
	return keeper_link_spawn(m->link,
				 &(SpawnRequest){ .service = RECORDS_SERVICE,
						  .role = ROLE_MAIN,
						  .invocation = m->record_invocation,
						  .argv = argv,
						  .environment = (const char *const *)m->environment,
						  .stdin_fd = STDERR_FILENO,
						  .stdout_fd = STDERR_FILENO,
						  .stderr_fd = STDERR_FILENO,
						  .cgroup_fd = -1,
						  .status_fd = -1 },
				 error);
}

void records_remember(Manager *m)
{
	Progress progress;

	progress_get(m->engine, &progress);
	if (progress.finished)
		m->recorded_runlevel = g_strdup(engine_runlevel(m->engine));
}

void records_check(Manager *m)
{
	const char *now = engine_runlevel(m->engine);
	g_autoptr(GError) error = NULL;
	Progress progress;

	if (!(m->welcome.flags & WELCOME_IS_PID1) || m->record_invocation || m->shutdown != SHUTDOWN_NONE || !now ||
	    g_strcmp0(now, m->recorded_runlevel) == 0)
		return;
	progress_get(m->engine, &progress);
	if (!progress.finished)
		return;
	/* A record holds one character; runlevels with longer names are ours alone. */
	if (strlen(now) == 1 && !spawn_writer(m, m->recorded_runlevel ? m->recorded_runlevel : "N", now, &error)) {
		m->record_invocation = 0;
		log_warning(NULL, "the change of runlevel is not recorded: %s", error->message);
	}
	g_free(m->recorded_runlevel);
	m->recorded_runlevel = g_strdup(now);
}

bool records_on_spawned(Manager *m, const struct MessageSpawned *message)
{
	if (strcmp(message->id.service, RECORDS_SERVICE) != 0)
		return false;
	if (message->error) {
		log_warning(NULL, "the change of runlevel is not recorded: %s", g_strerror(message->error));
		m->record_invocation = 0;
	}
	return true;
}

bool records_on_exited(Manager *m, const struct MessageExited *message)
{
	if (strcmp(message->id.service, RECORDS_SERVICE) != 0)
		return false;
	keeper_link_ack(m->link, &message->id, NULL);
	m->record_invocation = 0;
	if (!m->recovery)
		records_check(m); /* it may have changed again meanwhile */
	return true;
}
