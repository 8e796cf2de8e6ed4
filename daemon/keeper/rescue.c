/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rescue: sulogin on the console. Containers without sulogin get a plain shell.
 */
#include "config.h"

#include "keeper/rescue.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "keeper/console.h"
#include "keeper/early-boot.h"
#include "keeper/keeper.h"
#include "keeper/spawn.h"

#define EXIT_NO_SHELL 127 /* the same status as for a shell that cannot be executed */

static char some_shell[] = "shell";
static char *shell_argv[2] = { some_shell }; /* the child sets the path */
static pid_t shell_pid;
static bool reported_missing; /* retries go on for ever, so it is logged once */

static const struct {
	const char *path;
	bool only_in_container; /* a machine's console asks for root's password first */
} shells[] = {
	{ "/sbin/sulogin", false },
	{ "/usr/sbin/sulogin", false },
	{ "/bin/sh", true },
};

static const char *find_shell(void)
{
	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++)
		if ((keeper.container || !shells[i].only_in_container) && access(shells[i].path, X_OK) == 0)
			return shells[i].path;
	return NULL;
}

/* A container's console is its standard input, if that is a terminal. */
static int open_terminal(void)
{
	int fd;

	if (keeper.container)
		return isatty(STDIN_FILENO) ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : -1;
	fd = open("/dev/console", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0)
		(void)fcntl(fd, F_SETFL, O_RDWR); /* O_NONBLOCK was only for the open */
	return fd;
}

/* Runs in the child, because looking up paths and opening a terminal can make root wait. */
static void prepare_shell(struct SpawnRequest *r)
{
	const char *path = find_shell();
	const int fd = open_terminal();

	if (!path || fd < 0) {
		if (!reported_missing)
			console_log("no rescue shell: %s", path ? "no console" : "no sulogin");
		_exit(EXIT_NO_SHELL);
	}
	console_log("a rescue shell follows; leave it to try the manager again at once");
	memcpy(&shell_argv[0], &path, sizeof(path)); /* execve(2) writes nothing there */
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
	shell_pid = spawn_process(r);
	if (shell_pid < 0) {
		console_log("cannot start a rescue shell: %s", strerror(errno));
		shell_pid = 0;
	}
}

void rescue_on_settled(void)
{
	if (shell_pid > 0)
		console_log("the manager is back; you can leave the rescue shell");
}

bool rescue_is_shell(pid_t pid)
{
	return shell_pid > 0 && pid == shell_pid;
}

bool rescue_on_exit(pid_t pid, int wait_status)
{
	if (!rescue_is_shell(pid))
		return false;
	shell_pid = 0;
	if (!WIFEXITED(wait_status) || WEXITSTATUS(wait_status) != EXIT_NO_SHELL)
		return true;
	reported_missing = true;
	return false;
}
