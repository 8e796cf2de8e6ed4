/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keeper: helpers that all files of PID 1 share.
 */
#include "config.h"

#include "keeper/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct Keeper keeper;
int keeper_null_fd = -1;
int keeper_score_fd = -1;

uint64_t keeper_now_us(void)
{
	struct timespec now = { 0 };

	(void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail for this clock */
	return (uint64_t)now.tv_sec * USEC_PER_SEC + (uint64_t)now.tv_nsec / 1000;
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
	int saved;

	if (fd < 0)
		return -1;
	n = read(fd, buffer, size - 1);
	saved = errno;
	(void)close(fd);
	errno = saved;
	buffer[n > 0 ? n : 0] = '\0';
	return n;
}

bool keeper_write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	ssize_t n;
	int saved;

	if (fd < 0)
		return false;
	n = write(fd, text, strlen(text));
	saved = errno;
	(void)close(fd);
	errno = saved;
	return n >= 0;
}

void keeper_close_others(unsigned int from, const int *kept, size_t n_kept)
{
	for (;;) {
		unsigned int next = ~0u;

		for (size_t i = 0; i < n_kept; i++)
			if ((unsigned int)kept[i] >= from && (unsigned int)kept[i] < next)
				next = (unsigned int)kept[i];
		if (next > from)
			(void)close_range(from, next == ~0u ? next : next - 1, 0); /* of copies */
		if (next == ~0u)
			return;
		from = next + 1;
	}
}
