/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Late system calls: those that a libseccomp older than the kernel does not know by name.
 *
 * From 424 on a system call has the same number on every processor (but for alpha), so a list of forbidden ones can be written down
 * without the library. Of a list of allowed ones they are passed over where the library cannot help: that is never too much.
 */
#ifndef SVCD_SANDBOX_SYSCALLS_LATE_H
#define SVCD_SANDBOX_SYSCALLS_LATE_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stdint.h>

/* Returns: the number, or -1. */
int syscall_late_number(const char *name);

/* One call and what it gives: an errno, or 0: the process is killed. */
struct LateCall {
	int number;
	int error;
};

/**
 * syscalls_late_build() - a program for SECCOMP_SET_MODE_FILTER that forbids @calls on all processors
 * Returns: the code, @ret_n instructions; NULL without memory.
 */
struct sock_filter *syscalls_late_build(const struct LateCall *calls, unsigned n, unsigned short *ret_n);

#endif
