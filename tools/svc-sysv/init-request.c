/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Init request: see init-request.h.
 */
#include "config.h"

#include "svc-sysv/init-request.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "protocol/initctl-protocol.h"
#include "svc-sysv/svc-sysv.h"

#define SVCCTL SVCD_BINDIR "/svcctl"
#define PRIVATE_SOCKET "/run/svcd/private"

/*
 * Compares the process name, because the path of PID 1's program varies, and only root may read it.
 */
static bool is_keeper(void)
{
	char name[16] = "";
	FILE *file = fopen("/proc/1/comm", "re");
	const bool is_read = file && fgets(name, sizeof name, file);

	if (file)
		(void)fclose(file); /* only read */
	return is_read && strcmp(name, "svcd\n") == 0;
}

/*
 * The name of PID 1 is checked too, because the manager's socket may not exist yet early in a boot.
 */
bool init_is_svcd(void)
{
	struct stat st;

	return (stat(PRIVATE_SOCKET, &st) == 0 && S_ISSOCK(st.st_mode)) || is_keeper();
}

/*
 * The child gets an empty signal mask, because this process blocks signals only for itself.
 * Returns: an error number.
 */
static int spawn(pid_t *ret_pid, const char *const *argv)
{
	posix_spawnattr_t attributes;
	sigset_t none;
	int error = posix_spawnattr_init(&attributes);

	if (error)
		return error;
	(void)sigemptyset(&none); /* cannot fail, nor can the next two with these arguments */
	(void)posix_spawnattr_setsigmask(&attributes, &none);
	(void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	error = posix_spawn(ret_pid, argv[0], NULL, &attributes, (char *const *)argv, environ);
	(void)posix_spawnattr_destroy(&attributes); /* cannot fail */
	return error;
}

int run_and_wait(const char *const *argv)
{
	pid_t pid;
	int status;
	const int error = spawn(&pid, argv);

	if (error)
		return sysv_complain(127, "cannot run %s: %s", argv[0], strerror(error));
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return sysv_complain(127, "cannot wait for %s: %s", argv[0], strerror(errno));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* --- another init --- */

static int send_record(const struct InitctlRequest *record)
{
	/* ENXIO: the FIFO has no reader */
	int fd = open(INITCTL_PATH, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	ssize_t n;

	if (fd < 0)
		return sysv_complain(1, "cannot ask init through %s: %s", INITCTL_PATH,
				errno == ENXIO ? "no process listens there" : strerror(errno));
	n = write(fd, record, sizeof *record);
	if (n != (ssize_t)sizeof *record)
		(void)sysv_complain(1, "cannot ask init through %s: %s", INITCTL_PATH, strerror(errno));
	(void)close(fd); /* the record was written whole, or not at all */
	return n == (ssize_t)sizeof *record ? 0 : 1;
}

static int send_runlevel(char letter)
{
	const struct InitctlRequest record = { .magic = INITCTL_MAGIC,
					       .command = INITCTL_RUNLEVEL,
					       .runlevel = letter };

	return send_record(&record);
}

static int send_end(enum End end)
{
	struct InitctlRequest record = { .magic = INITCTL_MAGIC,
					 .command = INITCTL_SET_ENVIRONMENT };

	if (end != END_REBOOT) {
		(void)snprintf(record.data, sizeof record.data, "INIT_HALT=%s",
			       end == END_HALT ? "HALT" : "POWEROFF");
		if (send_record(&record) != 0)
			return 1;
	}
	return send_runlevel(end == END_REBOOT ? '6' : '0');
}

/* --- svcd --- */

int request_end(enum End end)
{
	static const char *const verbs[] = {
		[END_HALT] = "poweroff", [END_POWEROFF] = "poweroff", [END_REBOOT] = "reboot"
	};
	/* The keeper's signals for these requests: daemon/protocol/protocol.h, RequestKind. */
	static const int signals[] = { [END_HALT] = 3, [END_POWEROFF] = 4, [END_REBOOT] = 5 };
	/* --force, because SysV's commands ask no questions. */
	const char *const halt = end == END_HALT ? "--halt" : NULL;
	const char *const command[] = { SVCCTL, "--quiet", verbs[end], "--force", halt, NULL };

	if (!init_is_svcd())
		return send_end(end);
	/*
	 * If there is little to stop, the final TERM to all processes may come before this process
	 * has ended.
	 */
	(void)signal(SIGTERM, SIG_IGN); /* cannot fail, because this signal can be ignored */
	if (run_and_wait(command) == 0)
		return 0;
	if (kill(1, SIGRTMIN + signals[end]) < 0)
		return sysv_complain(1, "cannot send a signal to PID 1: %s", strerror(errno));
	(void)sysv_complain(
		0, "the manager did not accept the request; a signal was sent to PID 1 instead");
	return 0;
}

int request_runlevel(char letter)
{
	const char runlevel[] = { letter, '\0' };
	const char *const change[] = { SVCCTL, "--quiet", "runlevel", runlevel, NULL };
	static const char *const single[] = { SVCCTL, "--quiet", "runlevel", "1", NULL };
	static const char *const reload[] = { SVCCTL, "--quiet", "reload-files", NULL };
	static const char *const reexec[] = { SVCCTL, "--quiet", "reexec", NULL };

	if (!init_is_svcd())
		return send_runlevel(letter);
	switch (tolower((unsigned char)letter)) {
	case '0':
		return request_end(END_POWEROFF);
	case '6':
		return request_end(END_REBOOT);
	case 'q':
		return run_and_wait(reload);
	case 'u':
		return run_and_wait(reexec);
	case 's':
		return run_and_wait(single);
	case 'a':
	case 'b':
	case 'c':
		return sysv_complain(
			1, "svcd has no runlevels a, b and c; svcctl start NAME starts a service");
	default:
		return run_and_wait(change);
	}
}
