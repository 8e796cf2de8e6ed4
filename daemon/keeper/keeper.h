/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keeper: facts and functions that every file of PID 1 needs, and the clock.
 */
#ifndef SVCD_KEEPER_KEEPER_H
#define SVCD_KEEPER_KEEPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "protocol/protocol.h"

#define KEEPER_PATH_BYTES 512
#define KEEPER_MAX_ARGUMENTS 16
#define KEEPER_ARGUMENT_BYTES 128

/* Set by main, early-boot and reexec before the loop begins; only read afterwards. */
struct Keeper {
	bool is_pid1;
	bool user_mode; /* --user: a subreaper, which mounts nothing and shuts down no machine */
	bool container;
	bool has_reexeced;
	int32_t oom_score_adj; /* the keeper's own; children get 0 */
	uint32_t ping_ms;
	uint32_t n_arguments;
	uint32_t n_crashes; /* faults of the keeper within a minute */
	uint64_t last_crash_us;
	uint64_t boot_at_us;
	/* the RLIMIT_NOFILE that the keeper was started with; children get it */
	uint64_t nofile_soft;
	uint64_t nofile_hard;
	char cgroup_root[PROTOCOL_NAME_BYTES]; /* empty: no cgroup v2 */
	char virtualization[32];
	char manager_path[KEEPER_PATH_BYTES];
	char arguments[KEEPER_MAX_ARGUMENTS][KEEPER_ARGUMENT_BYTES];
};

extern struct Keeper keeper;

/*
 * Opened at the start, so that no spawn needs a path: /dev/null, our OOM score, a cgroup. -1: not
 * open.
 */
extern int keeper_null_fd;
extern int keeper_score_fd;
extern int keeper_manager_cgroup_fd;

#define USEC_PER_MSEC 1000ULL
#define USEC_PER_SEC 1000000ULL
#define NEVER_US UINT64_MAX

/* The longest request for a watchdog (watchdog.h), with its NUL. */
#define WATCHDOG_REQUEST_BYTES 128

#define N_ELEMENTS(array) (sizeof(array) / sizeof((array)[0]))

/* CLOCK_MONOTONIC in microseconds, without the time in suspend. */
uint64_t keeper_now_us(void);

/* Does the text in a field of @size bytes end with a NUL? */
bool keeper_has_end(const char *field, size_t size);

/* Copies @text into a field of @size bytes; false (and the field empty) if it does not fit. */
bool keeper_copy(char *field, size_t size, const char *text);

/*
 * Reads a small file such as /proc/self/cgroup into @buffer and ends it with a NUL. Returns: -1
 * with errno set on failure.
 */
ssize_t keeper_read_file(const char *path, char *buffer, size_t size);

/* Writes @text to a file of the kernel, relative to @directory_fd. Returns: 0, or an errno. */
int keeper_write_at(int directory_fd, const char *path, const char *text);

/* Closes all descriptors from @from on, except those in @kept. An entry of -1 is ignored. */
void keeper_close_others(unsigned int from, const int *kept, size_t n_kept);

/* Waits until @signo arrives or the limit has passed. All signals are blocked. */
void keeper_wait_for_signal(int signo, uint64_t limit_us);

/* Returns: whether the child @pid was reaped in time. */
bool keeper_wait_for_child(pid_t pid, int limit_ms, int *ret_wait_status);

#endif
