/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finale: sends TERM to all processes, waits, sends KILL, unmounts or remounts read-only, and calls
 * reboot(2).
 *
 * A separate program, svc-finale (daemon/finale), looks through /proc, unmounts, and switches swap
 * off, because all of this can hang for ever. PID 1 waits for it with a time limit. If it cannot be
 * executed, PID 1 waits, sends KILL, and syncs in a child. It calls reboot(2) in any case.
 */
#include "config.h"

#include "keeper/shutdown.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "keeper/children.h"
#include "keeper/console.h"
#include "keeper/early-boot.h"
#include "keeper/fd-store.h"
#include "keeper/keeper.h"
#include "keeper/spawn.h"
#include "keeper/watchdog.h"

#define PROCESSES_LIMIT_US (16 * USEC_PER_SEC)
#define FILE_SYSTEMS_LIMIT_US (20 * USEC_PER_SEC)
#define KILL_LIMIT_US (5 * USEC_PER_SEC)
#define LOGGER_LIMIT_US (1 * USEC_PER_SEC)
#define SYNC_LIMIT_US (5 * USEC_PER_SEC)
#define STEP_NS 20000000
#define MAX_SPARED 8

/* If the finale itself hangs, the watchdog is not fed, and the machine restarts. */
static void wait_a_step(void)
{
	/* the caller looks at the clock */
	(void)nanosleep(&(struct timespec){ .tv_nsec = STEP_NS }, NULL);
	watchdog_feed_in_finale();
}

/* @looked_for: 0 for none. Returns: whether this process was reaped, with its status. */
static bool reap_all(pid_t looked_for, int *ret_status)
{
	bool is_found = false;
	int wait_status;
	pid_t pid;

	while ((pid = waitpid(-1, &wait_status, WNOHANG)) > 0) {
		console_on_exit(pid);
		if (pid == looked_for) {
			*ret_status = wait_status;
			is_found = true;
		}
	}
	return is_found;
}

/* All orphans become our children, so without children no process is left. */
static bool has_children(void)
{
	(void)reap_all(0, NULL);
	return waitid(P_ALL, 0, &(siginfo_t){ 0 }, WEXITED | WNOHANG | WNOWAIT) == 0;
}

static void wait_for_children(uint64_t limit_us)
{
	const uint64_t until_us = keeper_now_us() + limit_us;

	while (has_children() && keeper_now_us() < until_us)
		wait_a_step();
}

/* Returns: false after @limit_us. */
static bool wait_for_child(pid_t pid, uint64_t limit_us, int *ret_status)
{
	const uint64_t until_us = keeper_now_us() + limit_us;

	while (!reap_all(pid, ret_status)) {
		if (keeper_now_us() >= until_us)
			return false;
		wait_a_step();
	}
	return true;
}

/* svc-finale is in the directory of the manager. */
static char *find_program(void)
{
	static const char name[] = "svc-finale";
	static char path[KEEPER_PATH_BYTES + sizeof(name)];
	const char *end = strrchr(keeper.manager_path, '/');
	const int length = end ? (int)(end + 1 - keeper.manager_path) : 0;

	/* it fits */
	(void)snprintf(path, sizeof(path), "%.*s%s", length, keeper.manager_path, name);
	return path;
}

/* The loggers and the console's writer end by themselves when they have written everything. */
static void list_spared(char *arguments[MAX_SPARED])
{
	static char texts[MAX_SPARED][12];
	struct Child *child = NULL;
	pid_t pid = console_writer();

	for (size_t n = 0; n < MAX_SPARED; n++) {
		(void)snprintf(texts[n], sizeof(texts[n]), "%d", (int)pid);
		arguments[n] = texts[n];
		do
			child = children_next(child);
		while (child && (child->flags & CHILD_EXITED ||
				 strcmp(child->row.name, PROTOCOL_LOGGER_SERVICE) != 0));
		if (!child)
			return;
		pid = child->pid;
	}
}

static pid_t start_helper(const char *work)
{
	const char *const fixed[] = { find_program(), work, keeper.is_pid1 ? "machine" : "user",
				      keeper.cgroup_root };
	char *argv[N_ELEMENTS(fixed) + MAX_SPARED + 1] = { NULL };
	struct SpawnRequest *r = spawn_request_blank();

	memcpy(argv, fixed, sizeof(fixed)); /* execve(2) writes nothing there */
	list_spared(argv + N_ELEMENTS(fixed));
	console_open(); /* svc-finale writes to it as well */
	r->argv = argv;
	r->environment = early_boot_environment();
	r->stdio[1] = r->stdio[2] = console_fd();
	return spawn_process(r);
}

/* Returns: false if svc-finale was not executed or has failed. */
static bool run_helper(const char *work, uint64_t limit_us)
{
	const pid_t pid = start_helper(work);
	int wait_status = 0;

	if (pid < 0)
		console_log("cannot start svc-finale: %s; the shutdown continues without it",
			    strerror(errno));
	else if (!wait_for_child(pid, limit_us, &wait_status))
		console_log("svc-finale %s takes too long; the shutdown continues", work);
	return pid >= 0 && wait_status == 0;
}

/*
 * The loggers ignore TERM. Each exits when the manager's end of its control socket and all its log
 * channels are closed. PID 1 has kept the manager's end. A process that cannot be killed may have
 * the writer's end of a log channel, so this wait has a limit.
 */
static void end_loggers(void)
{
	console_end(); /* the writer is a child, too, and ends when it has written everything */
	fd_store_close();
	disposal_now();
	wait_for_children(LOGGER_LIMIT_US);
	if (!keeper.is_pid1)
		return;
	(void)kill(-1, SIGKILL);
	/* file systems stay busy until these processes are gone */
	wait_for_children(LOGGER_LIMIT_US);
}

void finale_sync(void)
{
	const pid_t pid = spawn_fork();
	int wait_status;

	if (pid == 0) {
		sync();
		_exit(0);
	}
	if (pid > 0)
		/* after the limit the child is left behind */
		(void)wait_for_child(pid, SYNC_LIMIT_US, &wait_status);
}

static const struct {
	const char *doing;
	unsigned int command;
} endings[] = {
	[SHUTDOWN_NONE] = { "restarting", RB_AUTOBOOT },
	[SHUTDOWN_POWEROFF] = { "powering off", RB_POWER_OFF },
	[SHUTDOWN_REBOOT] = { "restarting", RB_AUTOBOOT },
	[SHUTDOWN_HALT] = { "halting", RB_HALT_SYSTEM },
	[SHUTDOWN_EXIT] = { "ending", RB_POWER_OFF },
};

void finale_end_machine(enum ShutdownKind kind)
{
	console_end();
	if (!keeper.is_pid1 || (keeper.container && kind == SHUTDOWN_EXIT))
		_exit(0);
	watchdog_end(endings[kind].command == RB_AUTOBOOT);
	(void)reboot((int)endings[kind].command);
	if (keeper.container)
		/* refused: a container without the right to reboot(2) ends when its PID 1 exits */
		_exit(0);
	console_log("%s failed: %s; you may switch the machine off", endings[kind].doing,
		    strerror(errno));
	for (;;) {
		(void)reap_all(0, NULL);
		wait_a_step();
	}
}

void finale_run(enum ShutdownKind kind, const char *reason)
{
	console_log("%s: %s", endings[kind].doing, reason);
	console_log("asking all processes to end");
	if (keeper.is_pid1)
		(void)kill(-1, SIGTERM);
	if (!run_helper("processes", PROCESSES_LIMIT_US))
		wait_for_children(KILL_LIMIT_US);
	end_loggers();
	if (keeper.is_pid1 && !keeper.container &&
	    !run_helper("file-systems", FILE_SYSTEMS_LIMIT_US))
		finale_sync();
	console_log("%s now", endings[kind].doing);
	finale_end_machine(kind);
}
