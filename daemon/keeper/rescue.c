/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rescue: sulogin on the console, as a child like any other; a plain shell where there is no sulogin in a container.
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

#define EXIT_NO_SHELL 127 /* also of a shell that cannot be executed */

static char some_shell[] = "shell";
static char *shell_argv[2] = { some_shell }; /* the child puts a path there */
static pid_t shell_pid;
static bool said_why_not; /* once is enough: retries go on for ever */

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

/* A container's console is its standard input, if that is a terminal at all. */
static int open_terminal(void)
{
	int fd;

	if (keeper.container)
		return isatty(STDIN_FILENO) ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : -1;
	fd = open("/dev/console", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0)
		(void)fcntl(fd, F_SETFL, O_RDWR); /* O_NONBLOCK was for the open: a shell wants to wait */
	return fd;
}

/* In the child: where these are looked up, and a terminal is opened, root can be made to wait. */
static void prepare_shell(struct SpawnRequest *r)
{
	const char *path = find_shell();
	const int fd = open_terminal();

	if (!path || fd < 0) {
		if (!said_why_not)
			say("no rescue shell: %s", path ? "no console" : "no sulogin");
		_exit(EXIT_NO_SHELL);
	}
	say("a rescue shell follows; leave it to try the manager again at once");
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
		say("cannot start a rescue shell: %s", strerror(errno));
		shell_pid = 0;
	}
}

void rescue_on_settled(void)
{
	if (shell_pid > 0)
		say("the manager is back; you can leave the rescue shell");
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
	said_why_not = true;
	return false;
}
