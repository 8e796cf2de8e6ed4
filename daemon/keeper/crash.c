/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Crash: the handler of SIGSEGV and its like in PID 1, on a stack of its own.
 *
 * It logs the place of the fault and executes svcd again with its tables. After a fault inside the
 * handler, or the third within a minute, only the last resort is left.
 *
 * Addresses are counted from the beginning of the program, as addr2line(1) expects. Which words on
 * the stack are return addresses is unknown here, so all that point into our code are logged.
 */
#include "config.h"

#include "keeper/crash.h"

#include <elf.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "keeper/console.h"
#include "keeper/finale.h"
#include "keeper/keeper.h"
#include "keeper/reexec.h"

#define STACK_BYTES (64 * 1024)
#define MAX_CRASHES 3
#define FORGIVEN_US (60 * USEC_PER_SEC)
#define BUILD_ID_BYTES 32
#define STACK_WORDS 512
#define MAX_CALLERS 8
#define PLACE_BYTES 32

static const int faults[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL };
static char stack[STACK_BYTES] __attribute__((aligned(16)));
static volatile sig_atomic_t is_crashing;

/*
 * Our program: its place in memory, and the build ID under which its debugging symbols are filed.
 */
static struct {
	uintptr_t begin;
	uintptr_t code_begin;
	uintptr_t code_end;
	char build_id[2 * BUILD_ID_BYTES + 1];
} program;

/* elf(5), "Notes": a header, the name of the owner ("GNU"), and the ID. */
static void read_build_id(const char *at, size_t size)
{
	const ElfW(Nhdr) *note = (const void *)at;
	const unsigned char *id;

	if (size < sizeof(*note) || note->n_type != NT_GNU_BUILD_ID || note->n_namesz != 4 || note->n_descsz > BUILD_ID_BYTES ||
	    size < sizeof(*note) + note->n_namesz + note->n_descsz)
		return;
	id = (const unsigned char *)(note + 1) + note->n_namesz;
	for (size_t i = 0; i < note->n_descsz; i++)
		(void)snprintf(program.build_id + 2 * i, 3, "%02x", id[i]);
}

static void find_program_headers(void)
{
	const uintptr_t headers_at = getauxval(AT_PHDR);
	const ElfW(Phdr) *headers = NULL;

	memcpy(&headers, &headers_at, sizeof(headers));
	for (size_t i = 0; headers && i < getauxval(AT_PHNUM); i++)
		if (headers[i].p_type == PT_PHDR)
			program.begin = headers_at - headers[i].p_vaddr;
	for (size_t i = 0; headers && i < getauxval(AT_PHNUM); i++) {
		const uintptr_t at = program.begin + headers[i].p_vaddr;
		const char *text = NULL;

		memcpy(&text, &at, sizeof(text));
		if (headers[i].p_type == PT_NOTE && !program.build_id[0])
			read_build_id(text, headers[i].p_memsz);
		if (headers[i].p_type == PT_LOAD && headers[i].p_flags & PF_X) {
			program.code_begin = at;
			program.code_end = at + headers[i].p_memsz;
		}
	}
}

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
	(void)context; /* the names of the registers differ from one processor to the next */
	return (struct Place){ 0, 0 };
#endif
}

static bool is_our_code(uintptr_t address)
{
	return address >= program.code_begin && address < program.code_end;
}

static void format_place(char text[PLACE_BYTES], uintptr_t address)
{
	if (is_our_code(address))
		(void)snprintf(text, PLACE_BYTES, "svcd+%#lx", (unsigned long)(address - program.begin));
	else
		(void)snprintf(text, PLACE_BYTES, "%#lx, not in svcd", (unsigned long)address);
}

/* Returns: the number of words read. */
static size_t read_stack(uintptr_t at, uintptr_t words[STACK_WORDS])
{
	struct iovec to = { .iov_base = words, .iov_len = STACK_WORDS * sizeof(*words) };
	struct iovec from = { .iov_len = STACK_WORDS * sizeof(*words) };
	ssize_t n;

	memcpy(&from.iov_base, &at, sizeof(at));
	n = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
	return n > 0 ? (size_t)n / sizeof(*words) : 0;
}

static void report_fault(int signo, const void *context)
{
	const struct Place place = place_of(context);
	uintptr_t words[STACK_WORDS];
	char text[MAX_CALLERS * PLACE_BYTES] = "";
	char *end = text;
	int n_callers = 0;
	size_t n_arguments;

	format_place(text, place.instruction);
	console_log("this keeper has a fault: signal %d at %s", signo, text);
	n_arguments = read_stack(place.stack, words);
	for (size_t i = 0; i < n_arguments && n_callers < MAX_CALLERS; i++) {
		if (!is_our_code(words[i]))
			continue;
		*end++ = ' ';
		format_place(end, words[i]);
		end += strlen(end);
		n_callers++;
	}
	if (n_callers > 0)
		console_log("on its stack:%s (addr2line -e " SVCD_SBINDIR "/svcd shows the lines)", text);
	if (program.build_id[0])
		console_log("its build ID: %s", program.build_id);
}
static enum ShutdownKind kind_of_signal(int signo)
{
	if (signo == SIGRTMIN + 3)
		return SHUTDOWN_HALT;
	if (signo == SIGRTMIN + 4 || signo == SIGPWR)
		return SHUTDOWN_POWEROFF;
	if (keeper.user_mode && (signo == SIGTERM || signo == SIGHUP))
		return SHUTDOWN_EXIT;
	return signo == SIGINT || signo == SIGRTMIN + 5 ? SHUTDOWN_REBOOT : SHUTDOWN_NONE;
}

void crash_last_resort(void)
{
	sigset_t all;

	console_log("only reaping children now; ctrl-alt-del or the reboot signals end the machine");
	(void)sigfillset(&all);
	crash_leave_out(&all); /* a fault leads back to this function */
	(void)sigprocmask(SIG_SETMASK, &all, NULL); /* sigwait(2) takes them */
	for (;;) {
		int signo = 0;
		enum ShutdownKind kind;

		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		if (sigwait(&all, &signo) != 0)
			continue;
		kind = kind_of_signal(signo);
		if (kind == SHUTDOWN_NONE)
			continue;
		finale_sync();
		finale_end_machine(kind);
	}
}

/*
 * Two signals that another process sends are no fault in the handler. abort(3) sends one as well,
 * but from our own pid.
 */
static bool is_sent_by_another(const siginfo_t *info)
{
	return info->si_code <= 0 && info->si_pid != getpid();
}

static void on_fault(int signo, siginfo_t *info, void *context)
{
	if (is_crashing && is_sent_by_another(info))
		return;
	if (is_crashing)
		crash_last_resort();
	is_crashing = 1;
	console_open(); /* lines from before the tables are read wait for it */
	report_fault(signo, context);
	if (keeper_now_us() - keeper.last_crash_us > FORGIVEN_US)
		keeper.n_crashes = 0;
	keeper.last_crash_us = keeper_now_us();
	if (++keeper.n_crashes < MAX_CRASHES || reexec_begins_anew()) {
		console_log("executing svcd again; services stay as they are");
		reexec_after_fault();
	}
	crash_last_resort();
}

void crash_leave_out(sigset_t *set)
{
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		(void)sigdelset(set, faults[i]); /* fails only for an invalid number */
}

void crash_init(void)
{
	const stack_t own = { .ss_sp = stack, .ss_size = sizeof(stack) };
	/* NODEFER: a fault within the handler reaches the handler, not the kernel. */
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };

	find_program_headers();
	(void)sigaltstack(&own, NULL); /* without it only a stack overflow cannot be handled */
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		(void)sigaction(faults[i], &action, NULL); /* these can be handled */
}
