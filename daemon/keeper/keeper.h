/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keeper: facts that every file of PID 1 needs, and the clock.
 *
 * Set by main, early-boot and reexec before the loop begins; only read afterwards.
 */
#ifndef SVCD_KEEPER_KEEPER_H
#define SVCD_KEEPER_KEEPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "protocol/protocol.h"

#define KEEPER_PATH_BYTES 512
#define KEEPER_MAX_ARGUMENTS 16
#define KEEPER_ARGUMENT_BYTES 128

struct Keeper {
	bool is_pid1;
	bool user_mode; /* --user: a subreaper, without mounts and without an end of the machine */
	bool container;
	bool has_reexeced;
	int32_t oom_score_adj; /* the keeper's own; children get 0 */
	uint32_t ping_ms;
	uint32_t n_arguments;
	uint32_t n_crashes; /* of the keeper itself, within a minute */
	uint64_t last_crash_us;
	uint64_t boot_at_us;
	uint64_t nofile_soft; /* the RLIMIT_NOFILE that the keeper was started with; children get it */
	uint64_t nofile_hard;
	char cgroup_root[PROTOCOL_NAME_BYTES]; /* empty: no cgroup v2 */
	char virtualization[32];
	char manager_path[KEEPER_PATH_BYTES];
	char arguments[KEEPER_MAX_ARGUMENTS][KEEPER_ARGUMENT_BYTES]; /* arguments for the manager */
};

extern struct Keeper keeper;

/* /dev/null, opened at start so that no spawn needs a path; -1 if there is none. */
extern int keeper_null_fd;

/* /proc/self/oom_score_adj, opened at start; -1 if there is none. */
extern int keeper_score_fd;

#define USEC_PER_MSEC 1000ULL
#define USEC_PER_SEC 1000000ULL
#define NEVER_US UINT64_MAX

/* CLOCK_MONOTONIC in microseconds: suspend does not count. */
uint64_t keeper_now_us(void);

/* Copies @text into a field of @size bytes; false (and the field empty) if it does not fit. */
bool keeper_copy(char *field, size_t size, const char *text);

/*
 * Reads a small file such as /proc/self/cgroup into @buffer and ends it with a NUL. Returns: -1
 * with errno set on failure.
 */
ssize_t keeper_read_file(const char *path, char *buffer, size_t size);

/* Writes @text to an existing file of the kernel. Returns: false with errno set on failure. */
bool keeper_write_file(const char *path, const char *text);

/* Closes all descriptors from @from on, except those in @kept. An entry of -1 is ignored. */
void keeper_close_others(unsigned int from, const int *kept, size_t n_kept);

#endif
