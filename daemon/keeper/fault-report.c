/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fault report: addresses are counted from the beginning of our program, as addr2line(1) wants them. Which words on the stack are
 * those of callers is not known here: all that lead into our code are said. They are read by a system call, for one that
 * cannot be read is an error to that and another fault to us.
 */
#include "config.h"

#include "keeper/fault-report.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include "keeper/console.h"

#define STACK_WORDS 512
#define MAX_CALLERS 8
#define PLACE_BYTES 32

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
