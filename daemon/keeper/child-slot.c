/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Child slots: a static table of them.
 */
#include "config.h"

#include "keeper/child-slot.h"

#include <errno.h>
#include <linux/sched.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "keeper/become.h"
#include "keeper/calls.h"
#include "keeper/cgroup.h"
#include "keeper/keeper.h"

/* Whoever finds none gets a copy; each takes two pages of our memory once it was used. */
#define SLOTS 3

#define PAGE_BYTES 4096

/* become() uses some hundred bytes. The top of the stack and the beginning of the request are in one page. */
#define STACK_USED 2048
#define STACK_BYTES (2 * PAGE_BYTES + STACK_USED)

struct ChildSlot {
	char stack[STACK_BYTES] __attribute__((aligned(PAGE_BYTES)));
	int32_t tid; /* not 0: somebody is in it; the kernel clears it */
	pid_t pid;   /* who was cloned into it last */
	struct SpawnRequest request;
	char message[PROTOCOL_MESSAGE_BYTES] __attribute__((aligned(PAGE_BYTES)));
};

static struct ChildSlot slots[SLOTS];
static bool is_enabled;

/* With gcov(1) or a sanitizer even become() has variables that are ours. */
#if defined(CALLS_WITHOUT_LIBC) && !defined(WITH_COVERAGE) && !defined(WITH_SANITIZERS)
#define CAN_SHARE true
#else
#define CAN_SHARE false
#endif

/*
 * Before Linux 5.16 a process that dumps core takes along all that share its memory, even the first one (zap_threads() in
 * fs/coredump.c).
 */
static bool is_kernel_new_enough(void)
{
	struct utsname name;
	unsigned major = 0;
	unsigned minor = 0;

	return uname(&name) == 0 && sscanf(name.release, "%u.%u", &major, &minor) == 2 && (major > 5 || (major == 5 && minor >= 16));
}

static bool kills_who_asks(void)
{
	char text[16];

	return keeper_read_file("/proc/sys/vm/oom_kill_allocating_task", text, sizeof(text)) <= 0 || text[0] != '0';
}

/*
 * The kernel's killer for want of memory takes along all that share the memory of its victim, but for the first process of the machine
 * (__oom_kill_process()). It looks for the largest, so a child of ours would be its choice only where a service has a limit of
 * its own, which in a container that is not in our way nobody can give it (cgroup.c). A user's keeper it takes in any case.
 */
static bool is_safe_from_oom_killer(void)
{
	if (!keeper.is_pid1 || access("/proc/self/ns/pid", F_OK) < 0) /* or it is not known whether this is a container */
		return false;
	return !keeper.container || (!cgroup_may_enable_controllers() && !kills_who_asks());
}

void child_slots_init(void)
{
	is_enabled = CAN_SHARE && is_kernel_new_enough() && is_safe_from_oom_killer();
}

void child_slots_disable(void)
{
	is_enabled = false;
}

/*
 * A child that becomes another user could be signalled by that user while it is in our memory, and the kernel takes note of the
 * change in that memory, too (commit_creds()). And a score for the killer is written to all that share it (__set_oom_adj()).
 */
static bool may_share(const struct MessageSpawn *message)
{
	return !(message->flags & (SPAWN_SET_UID | SPAWN_SET_GID | SPAWN_SET_GROUPS | SPAWN_SET_OOM)) && keeper.oom_score_adj == 0;
}

struct ChildSlot *child_slot_find(const struct MessageSpawn *message)
{
	for (size_t i = 0; is_enabled && may_share(message) && i < SLOTS; i++)
		if (__atomic_load_n(&slots[i].tid, __ATOMIC_ACQUIRE) == 0)
			return &slots[i];
	return NULL;
}

const void *child_slot_copy(struct ChildSlot *slot, const void *message, size_t size)
{
	memcpy(slot->message, message, size);
	return slot->message;
}

struct SpawnRequest *child_slot_request(struct ChildSlot *slot)
{
	return &slot->request;
}

#ifdef CALLS_WITHOUT_LIBC

/* clone3(2), and in the child become(@request) on its own stack: there is nothing to return to. Returns: as call(). */
static long clone_and_become(struct clone_args *args, struct SpawnRequest *request)
{
	register struct SpawnRequest *child_request __asm__("r12") = request;
	register void (*child_function)(struct SpawnRequest *) __asm__("r13") = become;
	long result;

	__asm__ volatile("syscall\n\t"
			 "test %%rax, %%rax\n\t"
			 "jnz 1f\n\t"
			 "xor %%ebp, %%ebp\n\t" /* the end of the stack, for a debugger */
			 "mov %%r12, %%rdi\n\t"
			 "call *%%r13\n\t"
			 "hlt\n"
			 "1:"
			 : "=a"(result)
			 : "a"(SYS_clone3), "D"(args), "S"(sizeof(*args)), "r"(child_request), "r"(child_function)
			 : "rcx", "r11", "memory");
	return result;
}

#else

static long clone_and_become(struct clone_args *args, struct SpawnRequest *request)
{
	(void)args;
	(void)request;
	return -ENOSYS; /* is_enabled is never true */
}

#endif

pid_t child_slot_clone(struct ChildSlot *slot, struct clone_args *args)
{
	long result;

	/* A page fault of the child's would hold our memory's lock while it waits for a processor. */
	memset(slot->stack + STACK_BYTES - STACK_USED, 0, STACK_USED);
	args->flags |= CLONE_VM | CLONE_CHILD_CLEARTID;
	args->stack = (uint64_t)(uintptr_t)slot->stack;
	args->stack_size = sizeof(slot->stack);
	args->child_tid = (uint64_t)(uintptr_t)&slot->tid;
	__atomic_store_n(&slot->tid, 1, __ATOMIC_RELEASE); /* the child may be gone before we know its number */
	result = clone_and_become(args, &slot->request);
	slot->pid = (pid_t)result;
	if (result >= 0)
		return slot->pid;
	__atomic_store_n(&slot->tid, 0, __ATOMIC_RELEASE);
	errno = (int)-result;
	return -1;
}

/* A child that is killed while it dumps core does not clear it. */
void child_slots_on_exit(pid_t pid)
{
	for (size_t i = 0; i < SLOTS; i++)
		if (slots[i].pid == pid)
			__atomic_store_n(&slots[i].tid, 0, __ATOMIC_RELEASE);
}
