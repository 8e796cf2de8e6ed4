/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls: system calls that need nothing of libc, for the few steps between clone and exec: each page of our memory that
 * libc writes to there would have to be copied.
 */
#ifndef SVCD_KEEPER_CALLS_H
#define SVCD_KEEPER_CALLS_H

#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__) && defined(__LP64__)

/* syscall(2), "Architecture calling conventions". Returns: as the kernel does, below 0 an errno: libc has that variable, too. */
static inline long call(long number, long a, long b, long c, long d)
{
	register long fourth __asm__("r10") = d;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth)
			 : "rcx", "r11", "memory");
	return result;
}

#else

static inline long call(long number, long a, long b, long c, long d)
{
	const long result = syscall(number, a, b, c, d);

	return result < 0 ? -errno : result;
}

#endif

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
