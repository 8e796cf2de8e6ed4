/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rate limit: see rate-limit.h. The file of a name contains one byte per take-over, and its
 * modification time is the time of the last one.
 */
#include "config.h"

#include "svc-activate/rate-limit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DIRECTORY "/run/svcd/refused"

#define RATE_LIMIT_MAX 5
#define RATE_LIMIT_GAP_S 10

static int open_count(const char *name)
{
	char path[sizeof(DIRECTORY) + 256]; /* a name has at most 255 bytes and no slash */

	if (mkdir(DIRECTORY, 0700) < 0 && errno != EEXIST)
		return -1;
	(void)snprintf(path, sizeof(path), "%s/%s", DIRECTORY, name);
	return open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
}

/*
 * After a clock change the last time may be in the future. The burst is then over, too.
 */
static bool is_over(const struct stat *last)
{
	const time_t since_s = time(NULL) - last->st_mtime;

	return since_s < 0 || since_s >= RATE_LIMIT_GAP_S;
}

bool rate_limit_allows(const char *name)
{
	int fd = open_count(name);
	struct stat last;
	bool allows = true;

	if (fd < 0)
		return true;
	if (fstat(fd, &last) == 0) {
		if (is_over(&last))
			(void)!ftruncate(fd, 0);
		else
			allows = last.st_size < RATE_LIMIT_MAX;
	}
	if (allows)
		(void)!write(fd, ".", 1); /* if /run is full there is no limit */
	(void)close(fd);
	return allows;
}
