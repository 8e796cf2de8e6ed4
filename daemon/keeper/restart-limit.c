/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Restart limit: how long to wait before the next manager, and which data to withhold from it.
 *
 * A death counts as a failure if the manager had not settled, that is, had not answered a ping that
 * followed its replay. Then the data that it was given may be the cause. After three failures the
 * next managers get no notes, after three more no local files, and after three more PID 1 opens the
 * rescue shell and retries become slower.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "keeper/console.h"
#include "keeper/early-boot.h"
#include "keeper/keeper.h"
#include "keeper/link.h"
#include "keeper/spawn.h"

#define FAILURES_PER_LEVEL 3
#define EARLY_DELAY_US (100 * USEC_PER_MSEC)
#define FIRST_RETRY_US (1 * USEC_PER_SEC)
#define LAST_RETRY_US (60 * USEC_PER_SEC)

/*
 * A manager that ran for this time after it had settled counts as good: the next manager begins at
 * the normal level.
 */
#define GOOD_LIFE_US (60 * USEC_PER_SEC)

/*
 * Deaths beyond this number in a minute count as failures, even deaths of settled managers and
 * deaths from lack of memory.
 */
#define BUDGET_DEATHS 30
#define BUDGET_US (60 * USEC_PER_SEC)

/* The exit status of the child if there is no shell, or if the shell cannot be executed. */
#define EXIT_NO_SHELL 127

/* If the shell ran for at least this time, a user has left it with that status. */
#define SHELL_USED_US (1 * USEC_PER_SEC)

enum Level { LEVEL_NORMAL, LEVEL_WITHOUT_NOTES, LEVEL_WITHOUT_LOCAL_FILES, LEVEL_RESCUE };

static const struct {
	uint32_t welcome_flags;
	const char *text;
} levels[] = {
	[LEVEL_NORMAL] = { 0, NULL },
	[LEVEL_WITHOUT_NOTES] = { WELCOME_WITHOUT_NOTES, "trying the manager without its notes" },
	[LEVEL_WITHOUT_LOCAL_FILES] = { WELCOME_WITHOUT_NOTES | WELCOME_WITHOUT_LOCAL_FILES,
					"trying the manager without notes and without the files "
					"in /etc and /run" },
	[LEVEL_RESCUE] = { WELCOME_WITHOUT_NOTES | WELCOME_WITHOUT_LOCAL_FILES,
			   "the manager keeps failing: services stay as they are, and the manager "
			   "is started again now and then" },
};

static enum Level level;
static unsigned int n_failures;
static unsigned int n_settled_deaths;
static uint64_t budget_since_us;
static uint64_t retry_us;
static char some_shell[] = "shell";
static char force[] = "-e"; /* opens a shell even if the root account is locked (sulogin(8)) */
static char *shell_argv[3] = { some_shell, force }; /* the child sets the path */
static pid_t shell_pid; /* 0: none */
static uint64_t shell_since_us;
static bool reported_missing; /* retries go on for ever, so a missing shell is logged once */

static bool over_budget(uint64_t now_us)
{
	if (n_settled_deaths == 0 || now_us - budget_since_us > BUDGET_US) {
		budget_since_us = now_us;
		n_settled_deaths = 0;
	}
	return ++n_settled_deaths > BUDGET_DEATHS;
}

static void set_level(enum Level to)
{
	n_failures = 0;
	if (level == LEVEL_RESCUE)
		return;
	level = to;
	console_log("%s", levels[level].text);
}

static uint64_t next_retry(void)
{
	uint64_t delay_us = retry_us ? retry_us : FIRST_RETRY_US;

	retry_us = delay_us * 2 < LAST_RETRY_US ? delay_us * 2 : LAST_RETRY_US;
	return delay_us;
}

void restart_limit_forget(void)
{
	level = LEVEL_NORMAL;
	n_failures = 0;
	n_settled_deaths = 0;
	retry_us = 0;
}

uint64_t restart_limit_on_death(struct ManagerDeath *death, uint64_t now_us)
{
	const int signo = WIFSIGNALED(death->wait_status) ? WTERMSIG(death->wait_status) : 0;
	const int status = WIFEXITED(death->wait_status) ? WEXITSTATUS(death->wait_status) : 0;
	/* Without memory GLib ends a program with g_error(), which traps. */
	const bool had_no_memory = signo == SIGTRAP;
	/*
	 * A SIGKILL that PID 1 did not send comes from an admin or the OOM killer. The data of the
	 * manager does not cause these, and does not cause a lack of memory.
	 */
	const bool is_bad_luck = death->was_settled || had_no_memory ||
				 (signo == SIGKILL && !death->killed_by_us);

	death->was_requested = status == PROTOCOL_EXIT_REEXEC && death->was_settled;
	if (death->was_requested || (death->was_settled && death->settled_for_us >= GOOD_LIFE_US))
		restart_limit_forget();
	if (death->was_requested)
		return 0;
	if (status == PROTOCOL_EXIT_INCOMPATIBLE)
		set_level(LEVEL_RESCUE);
	else if (is_bad_luck && !over_budget(now_us)) /* a pause, because memory is still short */
		return had_no_memory && !death->was_settled ? EARLY_DELAY_US * n_settled_deaths : 0;
	else if (++n_failures >= FAILURES_PER_LEVEL)
		set_level(level + 1);
	return level == LEVEL_RESCUE ? next_retry() : EARLY_DELAY_US * n_failures;
}

void restart_limit_on_settled(void)
{
	n_failures = 0;
	if (level == LEVEL_RESCUE || shell_pid > 0)
		console_log("the manager is back%s",
			    shell_pid > 0 ? "; you can leave the rescue shell" : "");
}

uint32_t restart_limit_welcome_flags(void)
{
	return levels[level].welcome_flags;
}

bool restart_limit_is_rescue(void)
{
	return level == LEVEL_RESCUE;
}

/* --- the rescue shell --- */

static const char *find_shell(void)
{
	static const char *const shells[] = { "/sbin/sulogin", "/usr/sbin/sulogin", "/bin/sh" };
	/*
	 * On a machine's console a user must enter root's password first, so the last shell, which
	 * asks for none, is left out.
	 */
	const size_t n_shells = keeper.container ? N_ELEMENTS(shells) : N_ELEMENTS(shells) - 1;

	for (size_t i = 0; i < n_shells; i++)
		if (access(shells[i], X_OK) == 0)
			return shells[i];
	return NULL;
}

/*
 * Runs in the child, because looking up paths and opening a terminal can block. A container's
 * console is its standard input, if that is a terminal.
 */
static void prepare_shell(struct SpawnRequest *r)
{
	const char *path = find_shell();
	int fd = -1;

	if (!keeper.container)
		fd = open("/dev/console", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	else if (isatty(STDIN_FILENO))
		fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	if (!path || fd < 0) {
		if (!reported_missing)
			console_log("no rescue shell: %s", path ? "no console" : "no sulogin");
		_exit(EXIT_NO_SHELL);
	}
	if (!keeper.container)
		(void)fcntl(fd, F_SETFL, O_RDWR); /* O_NONBLOCK was only for the open */
	console_log("a rescue shell follows; leave it to try the manager again at once");
	memcpy(&shell_argv[0], &path, sizeof(path)); /* execve(2) writes nothing there */
	if (!strstr(path, "sulogin"))
		shell_argv[1] = NULL;
	r->stdio[0] = r->stdio[1] = r->stdio[2] = fd;
}

void rescue_begin(void)
{
	struct SpawnRequest *r = spawn_request_blank();

	if (keeper.user_mode || shell_pid > 0)
		return;
	r->prepare = prepare_shell;
	r->argv = shell_argv;
	r->environment = early_boot_environment();
	r->controlling_tty = true;
	shell_since_us = keeper_now_us();
	shell_pid = spawn_process(r);
	if (shell_pid < 0) {
		console_log("cannot start a rescue shell: %s", strerror(errno));
		shell_pid = 0;
	}
}

bool rescue_is_shell(pid_t pid)
{
	return shell_pid > 0 && pid == shell_pid;
}

bool rescue_on_exit(pid_t pid, int wait_status)
{
	const bool is_missing = WIFEXITED(wait_status) &&
				WEXITSTATUS(wait_status) == EXIT_NO_SHELL &&
				keeper_now_us() - shell_since_us < SHELL_USED_US;

	if (!rescue_is_shell(pid))
		return false;
	shell_pid = 0;
	reported_missing = reported_missing || is_missing;
	return !is_missing;
}
