/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The service of the benches: records the time of its exec, and waits. Linked statically, so that
 * the loader's time is not measured. Its only trace is a write of eight bytes at the end of a file,
 * so counting is free.
 */
#include <fcntl.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#define NOTES "/run/bench/notes"

int main(void)
{
	struct timespec now;
	uint64_t now_ns;
	int fd = open(NOTES, O_WRONLY | O_APPEND | O_CREAT, 0644);

	(void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail */
	now_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	if (fd < 0 || write(fd, &now_ns, sizeof(now_ns)) != sizeof(now_ns))
		return 1;
	(void)close(fd);
	for (;;)
		(void)pause(); /* it fails only when a signal ends the wait */
}
