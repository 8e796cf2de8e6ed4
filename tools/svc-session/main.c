/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * svc-session VERB ARGUMENT...: the expendable processes of svc-systemd1. Each does one job for one
 * session or user. If a user makes it hang, only that job is lost. docs/logind.md lists the verbs.
 */
#include "config.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "svc-session/cgroup.h"
#include "svc-session/processes.h"
#include "svc-session/user-manager.h"

/* The descriptors that svc-systemd1 passes (svc-systemd1/spawn.h). */
enum { READY_FD = 3, FIRST_PIDFD = 4 };

/* After KILL. */
#define KILL_LIMIT_MS 10000

typedef int (*VerbFunc)(char **arguments);

static void report_ready(void)
{
	const pid_t pid = getpid();

	(void)!write(READY_FD, &pid, sizeof pid); /* after a restart no process reads it */
	(void)close(READY_FD);
}

static int watch(char **arguments)
{
	(void)cgroup_wait_empty(arguments[0], -1);
	cgroup_remove(arguments[0]);
	return EXIT_SUCCESS;
}

static bool add_pidfds(const char *cgroup)
{
	for (int fd = FIRST_PIDFD; fcntl(fd, F_GETFD) >= 0; fd++) {
		const pid_t pid = process_of_pidfd(fd);

		if (!pid || !cgroup_add_process(cgroup, pid))
			return false;
	}
	return true;
}

static int scope(char **arguments)
{
	bool is_complete = cgroup_make(arguments[0]) && add_pidfds(arguments[0]);

	for (char **pid = arguments + 1; is_complete && *pid; pid++)
		is_complete = cgroup_add_process(arguments[0], (pid_t)strtol(*pid, NULL, 10));
	if (is_complete)
		report_ready();
	(void)watch(arguments);
	return is_complete ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int clear(char **arguments)
{
	(void)cgroup_write(arguments[0], "cgroup.kill", "1"); /* fails if it is gone already */
	return watch(arguments);
}

/* systemd --user is in the group init.scope, and its units are beside it. */
static void init_scope(char *out, size_t size, const char *cgroup)
{
	(void)snprintf(out, size, "%s/init.scope", cgroup);
}

static int watch_manager(char **arguments)
{
	char group[256];

	init_scope(group, sizeof group, arguments[0]);
	(void)cgroup_wait_empty(group, -1);
	return clear(arguments);
}

/* As systemd.kill(5): KillMode=mixed for a user manager, which ends its units itself. */
static void request_end(const char *cgroup, const char *how)
{
	char group[256];

	if (strcmp(how, "main") != 0) {
		cgroup_foreach_process(cgroup, true, process_signal, SIGTERM);
		cgroup_foreach_process(cgroup, true, process_signal, SIGCONT);
		if (strcmp(how, "hup") == 0)
			cgroup_foreach_process(cgroup, true, process_signal, SIGHUP);
		return;
	}
	init_scope(group, sizeof group, cgroup);
	cgroup_foreach_process(cgroup, false, process_signal, SIGTERM);
	cgroup_foreach_process(group, false, process_signal, SIGTERM);
}

static int stop(char **arguments)
{
	const int limit_ms = (int)strtol(arguments[2], NULL, 10) * 1000;

	request_end(arguments[0], arguments[1]);
	if (cgroup_wait_empty(arguments[0], limit_ms))
		return EXIT_SUCCESS;
	(void)fprintf(stderr, "svc-session: %s: processes ignore SIGTERM and are killed\n",
		      arguments[0]);
	(void)cgroup_write(arguments[0], "cgroup.kill", "1");
	if (cgroup_wait_empty(arguments[0], KILL_LIMIT_MS))
		return EXIT_SUCCESS;
	(void)fprintf(stderr, "svc-session: %s: a process survives SIGKILL\n", arguments[0]);
	return EXIT_FAILURE;
}

static int send_signal(char **arguments)
{
	cgroup_foreach_process(arguments[0], true, process_signal,
			       (int)strtol(arguments[1], NULL, 10));
	return EXIT_SUCCESS;
}

static int attach(char **arguments)
{
	const uid_t uid = (uid_t)strtoul(arguments[0], NULL, 10);
	const pid_t caller = (pid_t)strtol(arguments[1], NULL, 10);

	return processes_attach(uid, caller, arguments[2], arguments + 3) ? EXIT_SUCCESS :
									    EXIT_FAILURE;
}

static int user(char **arguments)
{
	return user_manager_run((uid_t)strtoul(arguments[0], NULL, 10), report_ready);
}

static int unknown(char **arguments)
{
	process_report_call(arguments[0], (pid_t)strtol(arguments[1], NULL, 10));
	return EXIT_SUCCESS;
}

static int list(char **arguments)
{
	(void)arguments;
	if (!cgroup_is_available())
		return EXIT_FAILURE;
	cgroup_list_units();
	return EXIT_SUCCESS;
}

static const struct {
	const char *name;
	int n_arguments; /* at least */
	VerbFunc run;
} verbs[] = {
	{ "attach", 3, attach },	 { "clear", 1, clear },
	{ "list", 0, list },		 { "scope", 1, scope },
	{ "signal", 2, send_signal },	 { "stop", 3, stop },
	{ "unknown", 2, unknown },	 { "user", 1, user },
	{ "watch", 1, watch },		 { "watch-manager", 1, watch_manager },
};

int main(int argc, char **argv)
{
	(void)signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; argc > 1 && i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (strcmp(argv[1], verbs[i].name) == 0 && argc - 2 >= verbs[i].n_arguments)
			return verbs[i].run(argv + 2);
	(void)fprintf(stderr, "usage: svc-session VERB ARGUMENT... (started by svc-systemd1)\n");
	return EXIT_FAILURE;
}
