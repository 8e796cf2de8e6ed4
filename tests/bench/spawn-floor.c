/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The floor of bench_spawn: the duration of a bare posix_spawn loop with as many processes.
 *
 * usage: spawn-floor PROGRAM COUNT; prints microseconds. Runs in the same sandbox as the thousand
 * services of svcd.
 */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

static long long now_us(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail */
	return now.tv_sec * 1000000LL + now.tv_nsec / 1000;
}

static int spawn_all(const char *program, pid_t *pids, int count)
{
	char *const argv[] = { (char *)program, NULL };
	char *const environment[] = { NULL };

	for (int i = 0; i < count; i++) {
		int error = posix_spawn(&pids[i], program, NULL, NULL, argv, environment);

		if (error) {
			(void)fprintf(stderr, "spawn-floor: %s: %s\n", program, strerror(error));
			return i;
		}
	}
	return count;
}

int main(int argc, char *argv[])
{
	int count = argc == 3 ? atoi(argv[2]) : 0;
	pid_t *pids = count > 0 ? calloc((size_t)count, sizeof(*pids)) : NULL;
	long long began_us = now_us();
	int n_spawned;

	if (!pids) {
		(void)fprintf(stderr, "usage: spawn-floor PROGRAM COUNT\n");
		return 2;
	}
	n_spawned = spawn_all(argv[1], pids, count);
	(void)printf("%lld\n", now_us() - began_us);
	for (int i = 0; i < n_spawned; i++) {
		(void)kill(pids[i], SIGKILL);
		(void)waitpid(pids[i], NULL, 0);
	}
	free(pids);
	return n_spawned == count ? 0 : 1;
}
