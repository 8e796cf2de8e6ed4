/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * svcd-manager: decides what runs. It is a child of the keeper (PID 1), which starts it with a
 * socket to the keeper at descriptor 3.
 *
 * One thread, crash-only: its normal start is its recovery (recovery.c). The idea is explained in
 * docs/design.md and docs/keeper.md.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/list.h"
#include "base/log.h"
#include "manager/manager.h"
#include "process/privileges.h"

static void open_log(void)
{
	/* Lines go to the kernel's log, except in a container, where it belongs to the host. */
	int kmsg = getenv("container") ? -1 : open("/dev/kmsg", O_WRONLY | O_CLOEXEC | O_NONBLOCK);

	log_open("svcd", kmsg >= 0 ? kmsg : STDERR_FILENO, kmsg >= 0);
	if (getenv("SVCD_DEBUG"))
		log_set_level(LOG_DEBUG);
}

/*
 * The keeper raises its own limit, and each service gets the original one. The manager holds one or
 * two descriptors per service.
 */
static void raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		/* on failure fewer services fit; nothing else changes */
		(void)setrlimit(RLIMIT_NOFILE, &limit);
	}
}

/* The keeper starts all programs and has the necessary rights, so the manager gives up its own. */
static void give_up_privileges(void)
{
	const char *kept = privileges_reduce();

	if (kept)
		log_debug(NULL, "this kernel does not let the manager give up %s", kept);
}

static Manager *manager_new(int argc, char **argv)
{
	Manager *m = g_new0(Manager, 1);

	m->started_us = loop_now();
	m->loop = g_main_loop_new(NULL, FALSE);
	m->arguments = g_strjoinv(" ", argv + MIN(argc, 1));
	m->recovery = recovery_new();
	actions_init(m);
	notes_init();
	console_mute_init();
	watches_init();
	last_success_init();
	m->link = keeper_link_new(PROTOCOL_LINK_FD, &manager_keeper_listener, m);
	return m;
}

/*
 * Before GLib prints the first error text, it looks in the library directory for "charset.alias"
 * and for converters. Any user can hold the lock of that directory. GLib does not look if the
 * variable CHARSET contains the answer, and it remembers the answer.
 */
static void settle_character_set(void)
{
	if (g_getenv("CHARSET"))
		return;
	(void)g_setenv("CHARSET", "UTF-8", FALSE); /* cannot fail */
	(void)g_get_charset(NULL);
	g_unsetenv("CHARSET");
}

int main(int argc, char **argv)
{
	Manager *m;

	if (argc > 1 && strcmp(argv[1], "--version") == 0) {
		(void)puts(PACKAGE_STRING);
		return EXIT_SUCCESS;
	}
	settle_character_set();
	open_log();
	if (fcntl(PROTOCOL_LINK_FD, F_GETFD) < 0) {
		(void)fprintf(stderr, "svcd-manager is started by svcd, not by hand\n");
		return EXIT_FAILURE;
	}
	(void)fcntl(PROTOCOL_LINK_FD, F_SETFD, FD_CLOEXEC);
	/*
	 * A write to a log channel without a reader must return an error. Services do not inherit
	 * this, because they are the keeper's children.
	 */
	(void)signal(SIGPIPE, SIG_IGN);
	/* a heap of 3 MB gains nothing from pages of 2 MB and wastes half a page */
	(void)prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	raise_descriptor_limit();
	give_up_privileges();
	m = manager_new(argc, argv);
	g_main_loop_run(m->loop);
	manager_write_down(m);
	return m->exit_code;
}
