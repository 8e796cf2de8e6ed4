/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fault report: addresses are counted from the beginning of our program, as addr2line(1) wants them. Which words on the stack are
 * those of callers is not known here: all that lead into our code are said. They are read by a system call, for one that
 * cannot be read is an error to that and another fault to us.
 */
#include "config.h"

#include "keeper/fault-report.h"

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "keeper/console.h"
#include "keeper/keeper.h"
#include "keeper/spawn.h"

#define STACK_WORDS 512
#define MAX_CALLERS 8
#define PLACE_BYTES 32

/* Of memory, for /run is. Our tables are three at the most, and libc's two. */
#define CORE_BYTES (16U << 20)
#define CORE_DIRECTORY "/run/svcd/fault"
/* With a trial of the installed program (reexec.c) it must be shorter than half the shortest time of a watchdog. */
#define CORE_LIMIT_MS 1000
#define CORE_STEP_MS 5

extern const char __executable_start[]; /* the linker's: our code lies between them */
extern const char etext[];

struct Place {
	uintptr_t instruction;
	uintptr_t stack;
};

static struct Place place_of(const ucontext_t *context)
{
#if defined(__x86_64__)
	return (struct Place){ (uintptr_t)context->uc_mcontext.gregs[REG_RIP], (uintptr_t)context->uc_mcontext.gregs[REG_RSP] };
#elif defined(__i386__)
	return (struct Place){ (uintptr_t)context->uc_mcontext.gregs[REG_EIP], (uintptr_t)context->uc_mcontext.gregs[REG_ESP] };
#elif defined(__aarch64__)
	return (struct Place){ (uintptr_t)context->uc_mcontext.pc, (uintptr_t)context->uc_mcontext.sp };
#else
	(void)context; /* what they are called differs from one processor to the next */
	return (struct Place){ 0, 0 };
#endif
}

static bool is_our_code(uintptr_t address)
{
	return address >= (uintptr_t)__executable_start && address < (uintptr_t)etext;
}

static void format_place(char text[PLACE_BYTES], uintptr_t address)
{
	if (is_our_code(address))
		(void)snprintf(text, PLACE_BYTES, "svcd+%#lx", (unsigned long)(address - (uintptr_t)__executable_start));
	else
		(void)snprintf(text, PLACE_BYTES, "%#lx, not in svcd", (unsigned long)address);
}

/* Returns: how many words were there. */
static size_t read_stack(uintptr_t at, uintptr_t words[STACK_WORDS])
{
	struct iovec to = { .iov_base = words, .iov_len = STACK_WORDS * sizeof(*words) };
	struct iovec from = { .iov_len = STACK_WORDS * sizeof(*words) };
	ssize_t n;

	memcpy(&from.iov_base, &at, sizeof(at));
	n = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
	return n > 0 ? (size_t)n / sizeof(*words) : 0;
}

void fault_report_say(int signo, const void *context)
{
	const struct Place place = place_of(context);
	uintptr_t words[STACK_WORDS];
	char text[MAX_CALLERS * PLACE_BYTES] = "";
	char *end = text;
	int n_callers = 0;
	size_t n_words;

	format_place(text, place.instruction);
	say("this keeper has a fault: signal %d at %s", signo, text);
	n_words = read_stack(place.stack, words);
	for (size_t i = 0; i < n_words && n_callers < MAX_CALLERS; i++) {
		if (!is_our_code(words[i]))
			continue;
		*end++ = ' ';
		format_place(end, words[i]);
		end += strlen(end);
		n_callers++;
	}
	if (n_callers > 0)
		say("on its stack:%s (addr2line -e " SVCD_SBINDIR "/svcd says which lines these are)", text);
}

/* The directory says that there was one: they would fill /run in time. */
static void __attribute__((noreturn)) die_of(int signo)
{
	struct rlimit limit = { 0 };
	sigset_t none;

	if (mkdir(CORE_DIRECTORY, 0700) < 0 || chdir(CORE_DIRECTORY) < 0 || getrlimit(RLIMIT_CORE, &limit) < 0)
		_exit(EXIT_FAILURE);
	limit.rlim_cur = limit.rlim_max < CORE_BYTES ? limit.rlim_max : CORE_BYTES;
	(void)setrlimit(RLIMIT_CORE, &limit); /* then there is none */
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL); /* cannot fail with these arguments */
	(void)kill(getpid(), signo); /* it is not handled here, so this is the end */
	_exit(EXIT_FAILURE);
}

void fault_report_leave_core(int signo)
{
	int wait_status = 0;
	pid_t pid = keeper.is_pid1 ? spawn_fork() : -1;

	if (pid == 0)
		die_of(signo);
	for (int ms = 0; pid > 0 && ms < CORE_LIMIT_MS; ms += CORE_STEP_MS) {
		if (waitpid(pid, &wait_status, WNOHANG) == pid) {
			if (WIFSIGNALED(wait_status) && WCOREDUMP(wait_status))
				say("its core is in " CORE_DIRECTORY ", or where kernel.core_pattern says");
			return;
		}
		(void)poll(NULL, 0, CORE_STEP_MS); /* all signals are blocked: only time ends it */
	}
	if (pid > 0)
		(void)kill(pid, SIGKILL); /* unreaped, so it is there; the loop reaps it */
}
