/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls: system calls without what libc adds to them. Its setresuid(2) and the like are for programs with threads.
 */
#ifndef SVCD_KEEPER_CALLS_H
#define SVCD_KEEPER_CALLS_H

#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Returns: as the kernel does, below 0 an errno. */
static inline long call(long number, long a, long b, long c, long d)
{
	const long result = syscall(number, a, b, c, d);

	return result < 0 ? -errno : result;
}

/* Where there are two, these are the ones with ids of 32 bits. */
#ifdef SYS_setresuid32
#define CALL_SETGROUPS SYS_setgroups32
#define CALL_SETRESGID SYS_setresgid32
#define CALL_SETRESUID SYS_setresuid32
#else
#define CALL_SETGROUPS SYS_setgroups
#define CALL_SETRESGID SYS_setresgid
#define CALL_SETRESUID SYS_setresuid
#endif

#endif
