/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records: changes of runlevel in utmp and wtmp, for runlevel(8), who(1) and invoke-rc.d(8).
 *
 * svc-utmp writes them, because the C library waits for a lock on these files. The utmp service
 * records boot and shutdown. The first runlevel is recorded when the boot is finished, because the
 * utmp service truncates the file.
 */
#include "config.h"

#include <string.h>

#include "base/log.h"
#include "boot/progress.h"
#include "manager/manager.h"

#define RECORDS_PROGRAM SVCD_LIBDIR "/svc-utmp"

static char *recorded; /* the runlevel in utmp; NULL: none yet */
static uint64_t invocation; /* of the program that writes a record; 0: none */

static bool spawn_writer(Manager *m, const char *before, const char *now, GError **error)
{
	const char *const argv[] = { RECORDS_PROGRAM, "runlevel", before, now, NULL };

	invocation = helper_spawn(m, &records_helper,
				  &(HelperRun){ .argv = argv, .input_fd = -1, .output_fd = -1 },
				  error);
	return invocation > 0;
}

void records_remember(Manager *m)
{
	if (progress_is_finished(m->engine))
		recorded = g_strdup(engine_runlevel(m->engine));
}

void records_check(Manager *m)
{
	const char *now = engine_runlevel(m->engine);
	g_autoptr(GError) error = NULL;

	if (!(m->welcome.flags & WELCOME_IS_PID1) || invocation || power_is_ending() || !now ||
	    g_strcmp0(now, recorded) == 0 || !progress_is_finished(m->engine))
		return;
	/* A record holds one character. Runlevels with longer names are not recorded. */
	if (strlen(now) == 1 && !spawn_writer(m, recorded ? recorded : "N", now, &error))
		log_warning(NULL, "the change of runlevel was not recorded: %s", error->message);
	g_free(recorded);
	recorded = g_strdup(now);
}

static void on_spawned(Manager *m, const struct MessageSpawned *message)
{
	(void)m;
	if (!message->error)
		return;
	log_warning(NULL, "the change of runlevel was not recorded: %s",
		    g_strerror(message->error));
	invocation = 0;
}

static void on_exited(Manager *m, const struct MessageExited *message)
{
	(void)message;
	invocation = 0;
	if (!m->recovery)
		records_check(m); /* the runlevel may have changed again meanwhile */
}

const Helper records_helper = { .service = ".records", .spawned = on_spawned, .exited = on_exited };
