/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keeper: functions that all files of PID 1 share.
 */
#include "config.h"

#include "keeper/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WAIT_STEP_MS 5

struct Keeper keeper;
int keeper_null_fd = -1;
int keeper_score_fd = -1;
int keeper_manager_cgroup_fd = -1;

uint64_t keeper_now_us(void)
{
	struct timespec now = { 0 };

	(void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail for this clock */
	return (uint64_t)now.tv_sec * USEC_PER_SEC + (uint64_t)now.tv_nsec / 1000;
}

bool keeper_has_end(const char *field, size_t size)
{
	return memchr(field, '\0', size) != NULL;
}

bool keeper_copy(char *field, size_t size, const char *text)
{
	size_t length = strlen(text);

	if (length >= size) {
		field[0] = '\0';
		return false;
	}
	memcpy(field, text, length + 1);
	return true;
}

ssize_t keeper_read_file(const char *path, char *buffer, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read(fd, buffer, size - 1);
	(void)close(fd); /* it was only read; this cannot fail, so errno is kept */
	buffer[n > 0 ? n : 0] = '\0';
	return n;
}

int keeper_write_at(int directory_fd, const char *path, const char *text)
{
	const int fd = openat(directory_fd, path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	int error;

	if (fd < 0)
		return errno;
	error = write(fd, text, strlen(text)) < 0 ? errno : 0;
	(void)close(fd); /* the kernel has taken the text or refused it */
	return error;
}

void keeper_close_others(unsigned int from, const int *kept, size_t n_kept)
{
	for (;;) {
		unsigned int next = ~0u;

		for (size_t i = 0; i < n_kept; i++)
			if ((unsigned int)kept[i] >= from && (unsigned int)kept[i] < next)
				next = (unsigned int)kept[i];
		if (next > from)
			(void)close_range(from, next == ~0u ? next : next - 1, 0); /* copies */
		if (next == ~0u)
			return;
		from = next + 1;
	}
}

void keeper_wait_for_signal(int signo, uint64_t limit_us)
{
	const struct timespec limit = { .tv_sec = (time_t)(limit_us / USEC_PER_SEC),
					.tv_nsec = (long)(limit_us % USEC_PER_SEC * 1000) };
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, signo);
	(void)sigtimedwait(&set, NULL, &limit);
}

bool keeper_wait_for_child(pid_t pid, int limit_ms, int *ret_wait_status)
{
	for (int ms = 0; ms < limit_ms; ms += WAIT_STEP_MS) {
		if (waitpid(pid, ret_wait_status, WNOHANG) == pid)
			return true;
		(void)poll(NULL, 0, WAIT_STEP_MS); /* all signals are blocked: only time ends it */
	}
	return false;
}
