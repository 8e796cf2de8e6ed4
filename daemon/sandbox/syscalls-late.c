/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Late system calls: a table, and a small program for seccomp(2). */
#include "config.h"

#include "sandbox/syscalls-late.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/*
 * The system calls that are new since Linux 5.17. Every libseccomp that has SCMP_ACT_KILL_PROCESS
 * knows the older calls.
 */
static const struct {
	const char *name;
	int number;
	/* clang-format off */
} late_calls[] = {
	{ "set_mempolicy_home_node", 450 }, { "cachestat", 451 },       { "fchmodat2", 452 },       { "map_shadow_stack", 453 },
	{ "futex_wake", 454 },              { "futex_wait", 455 },      { "futex_requeue", 456 },   { "statmount", 457 },
	{ "listmount", 458 },               { "lsm_get_self_attr", 459 }, { "lsm_set_self_attr", 460 },
	{ "lsm_list_modules", 461 },        { "mseal", 462 },           { "setxattrat", 463 },      { "getxattrat", 464 },
	{ "listxattrat", 465 },             { "removexattrat", 466 },
};
/* clang-format on */

/* On x86-64 this bit marks a call of the x32 ABI, which is the same call. */
#define X32_BIT 0x40000000u

int syscall_late_number(const char *name)
{
	for (size_t i = 0; i < sizeof(late_calls) / sizeof(late_calls[0]); i++) {
		if (strcmp(late_calls[i].name, name) == 0)
			return late_calls[i].number;
	}
	return -1;
}

static uint32_t action(int error)
{
	return error > 0 ? SECCOMP_RET_ERRNO | ((uint32_t)error & SECCOMP_RET_DATA) :
			   SECCOMP_RET_KILL_PROCESS;
}

struct sock_filter *syscalls_late_build(const struct LateCall *calls, unsigned n,
					unsigned short *ret_n)
{
	struct sock_filter *code = calloc(n * 2 + 3, sizeof(*code));
	unsigned short at = 0;

	if (!code)
		return NULL;
	code[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						  offsetof(struct seccomp_data, nr));
	code[at++] = (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, ~X32_BIT);
	for (unsigned i = 0; i < n; i++) {
		code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
							  (uint32_t)calls[i].number, 0, 1);
		code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action(calls[i].error));
	}
	code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	*ret_n = at;
	return code;
}
