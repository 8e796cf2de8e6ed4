/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Late system calls: those that a libseccomp older than the kernel does not know by name.
 *
 * From 424 on a system call has the same number on every processor (except alpha), so a list of
 * forbidden calls can be made without the library. In a list of allowed calls such a call is
 * skipped if the library does not know it: the list is then stricter, never weaker.
 */
#ifndef SVCD_SANDBOX_SYSCALLS_LATE_H
#define SVCD_SANDBOX_SYSCALLS_LATE_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stdint.h>

/* Returns: the number, or -1. */
int syscall_late_number(const char *name);

/* One call and its result: an errno, or 0: the process is killed. */
struct LateCall {
	int number;
	int error;
};

/**
 * syscalls_late_build() - a program for SECCOMP_SET_MODE_FILTER that forbids @calls on all
 * processors
 * Returns: the code, @ret_n instructions; NULL if memory is exhausted.
 */
struct sock_filter *syscalls_late_build(const struct LateCall *calls, unsigned n,
					unsigned short *ret_n);

#endif
