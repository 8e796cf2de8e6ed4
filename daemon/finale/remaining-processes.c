/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Remaining processes: looks through /proc again and again, until no process is left or the time
 * limit has passed.
 */
#include "config.h"

#include "finale/remaining-processes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "finale/console-line.h"

#define TERM_LIMIT_MS 10000
#define KILL_LIMIT_MS 5000
#define STEP_MS 20
#define REPORT_AFTER_MS 2000 /* after this time the console lists processes that have not ended */
#define MAX_ANCESTORS 64
#define MAX_NAMED 8

static const struct Finale *finale;
static pid_t remaining[MAX_NAMED];
static unsigned int n_remaining;

static void note_remaining(pid_t pid)
{
	if (n_remaining < MAX_NAMED)
		remaining[n_remaining] = pid;
	n_remaining++;
}

static bool read_file(pid_t pid, const char *name, char *buffer, size_t size)
{
	char path[48];
	ssize_t n;
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, buffer, size - 1);
	(void)close(fd); /* it was only read */
	buffer[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* --- names --- */

/*
 * The part of @path after the cgroup root. The kernel omits the mount point, which is the first
 * part of the root, from @path. NULL: @path is not below the root.
 */
static const char *below_root(const char *path)
{
	for (const char *root = finale->cgroup_root; *root; root++) {
		const size_t length = strlen(root);

		if (*root == '/' && strncmp(path, root, length) == 0 && path[length] == '/')
			return path + length + 1;
	}
	return NULL;
}

/*
 * Reads the line "0::/path" (cgroups(7)). Returns: the name of the process's service, in @text;
 * NULL if it belongs to none.
 */
static const char *service_of(pid_t pid, char *text, size_t size)
{
	char *line;
	const char *path;
	char *name;

	if (!read_file(pid, "cgroup", text, size))
		return NULL;
	line = strncmp(text, "0::", 3) == 0 ? text : strstr(text, "\n0::");
	path = line ? strchr(line, '/') : NULL;
	path = path ? below_root(path) : NULL;
	if (!path || path[0] == '.') /* a leaf of svcd's own */
		return NULL;
	name = text + (path - text);
	name[strcspn(name, "/\n")] = '\0';
	return name;
}

static void list_remaining(char *list, size_t size)
{
	size_t length = 0;

	list[0] = '\0';
	for (unsigned int i = 0; i < n_remaining && i < MAX_NAMED && length + 1 < size; i++) {
		char text[8192]; /* each v1 hierarchy has a line, before ours */
		char name[32];
		const char *service = service_of(remaining[i], text, sizeof(text));

		if (!read_file(remaining[i], "comm", name, sizeof(name)))
			(void)snprintf(name, sizeof(name), "?"); /* the process has just ended */
		name[strcspn(name, "\n")] = '\0';
		length += (size_t)snprintf(list + length, size - length, "%s%s (%d)%s%s",
					   i > 0 ? ", " : "", name, (int)remaining[i],
					   service ? " of " : "", service ? service : "");
	}
	if (n_remaining > MAX_NAMED && length + 1 < size)
		(void)snprintf(list + length, size - length, ", and %u more",
			       n_remaining - MAX_NAMED);
}

static void report_remaining(int signo, long left_ms)
{
	const char *next = signo == SIGKILL ? "going on without them" : "killed";
	char list[480]; /* fits eight names and pids, with service names of usual length */

	if (n_remaining == 0)
		return;
	list_remaining(list, sizeof(list));
	console_line_print("%u process%s not ended yet: %s; %s in %ld s", n_remaining,
			   n_remaining == 1 ? " has" : "es have", list, next,
			   (left_ms + 999) / 1000);
}

/* --- signals --- */


/* Kernel threads and zombies have no executable. */
static bool is_living_program(pid_t pid)
{
	char path[32];
	char target[1];

	(void)snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	return readlink(path, target, sizeof(target)) >= 0 || (errno != ENOENT && errno != ESRCH);
}

/*
 * Reads /proc/PID/stat (proc(5)) from after the name, which may contain anything. Returns: 0 if the
 * process is gone.
 */
static pid_t parent_of(pid_t pid)
{
	char text[256];
	const char *at;

	if (!read_file(pid, "stat", text, sizeof(text)))
		return 0;
	at = strrchr(text, ')');
	return at && strlen(at) > 4 ? (pid_t)atoi(at + 4) : 0;
}

static bool is_listed(pid_t pid)
{
	for (size_t i = 0; i < finale->n_spared; i++)
		if (finale->spared[i] == pid)
			return true;
	return false;
}

/* A child of a logger ends with the logger. */
static bool is_spared(pid_t pid)
{
	return pid <= 1 || pid == getpid() || pid == getppid() || is_listed(pid) ||
	       is_listed(parent_of(pid));
}

/* The keeper is a subreaper, so it is an ancestor of orphans as well. */
static bool descends_from_keeper(pid_t pid)
{
	for (int depth = 0; depth < MAX_ANCESTORS && pid > 1; depth++) {
		pid = parent_of(pid);
		if (pid == getppid())
			return true;
	}
	return false;
}

/*
 * A process that has just ended counts as signalled. A process that has another user now (sudo)
 * cannot be signalled, and is not waited for.
 */
static bool may_signal(long result)
{
	return result == 0 || errno != EPERM;
}

/*
 * A pidfd is opened before the process is examined, because the pid may be given to another process
 * when this one ends.
 */
static bool signal_descendant(pid_t pid, int signo)
{
	const int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	bool is_signalled;

	if (fd < 0 && errno == ESRCH)
		return false;
	is_signalled = descends_from_keeper(pid) &&
		       may_signal(fd >= 0 ? syscall(SYS_pidfd_send_signal, fd, signo, NULL, 0) :
					    kill(pid, signo));
	if (fd >= 0)
		(void)close(fd); /* the signal is sent */
	return is_signalled;
}

static bool signal_process(pid_t pid, int signo)
{
	if (!is_living_program(pid) || is_spared(pid))
		return false;
	return finale->is_user ? signal_descendant(pid, signo) : may_signal(kill(pid, signo));
}

/*
 * Returns: NULL if /proc is not mounted. The empty directory would look as if no process were left.
 */
static DIR *open_proc(void)
{
	DIR *directory = opendir("/proc");
	struct statfs fs;

	if (!directory || (fstatfs(dirfd(directory), &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC))
		return directory;
	(void)closedir(directory); /* it was only read */
	return NULL;
}

/*
 * Sends @signo, or only counts if it is 0. Returns: the number of processes; without /proc, 1 if
 * there are any.
 */
static unsigned int signal_all(int signo)
{
	DIR *directory = open_proc();
	const struct dirent *entry;

	n_remaining = 0;
	if (!directory)
		/* this signals the spared processes, too */
		return !finale->is_user && kill(-1, signo) == 0;
	while ((entry = readdir(directory))) {
		const pid_t pid = atoi(entry->d_name);

		if (pid > 0 && signal_process(pid, signo))
			note_remaining(pid);
	}
	(void)closedir(directory); /* it was only read */
	return n_remaining;
}

static long now_ms(void)
{
	struct timespec now = { 0 };

	(void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail for this clock */
	return (long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/*
 * Returns: the number of processes that are left. KILL is repeated, because a process may have
 * forked meanwhile.
 */
static unsigned int end_others(int signo, long limit_ms)
{
	const struct timespec step = { .tv_nsec = STEP_MS * 1000000L };
	const long began_ms = now_ms();
	bool is_reported = false;
	unsigned int n_left = signal_all(signo);

	for (long passed_ms = 0; n_left > 0 && passed_ms < limit_ms;
	     passed_ms = now_ms() - began_ms) {
		(void)nanosleep(&step, NULL); /* no handler is set */
		n_left = signal_all(signo == SIGKILL ? SIGKILL : 0);
		if (!is_reported && passed_ms >= REPORT_AFTER_MS) {
			report_remaining(signo, limit_ms - passed_ms);
			is_reported = true;
		}
	}
	return n_left;
}

void remaining_processes_end(const struct Finale *f)
{
	finale = f;
	if (end_others(f->is_user ? SIGTERM : 0, TERM_LIMIT_MS) == 0)
		return;
	console_line_print("some processes did not end, killing them");
	if (end_others(SIGKILL, KILL_LIMIT_MS) > 0)
		console_line_print("some processes cannot be killed, going on without them");
}
