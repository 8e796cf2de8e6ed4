/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Crash: the handler of our own SIGSEGV and its like, on a stack of its own.
 *
 * A fault says that something in this image is wrong, not that the tables are: they are checked before the exec, and if
 * they pass, the new image has the services. A fault inside the handler, or the third within a minute, leaves only the
 * last resort.
 */
#include "config.h"

#include "keeper/crash.h"

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include "keeper/console.h"
#include "keeper/fault-report.h"
#include "keeper/finale.h"
#include "keeper/keeper.h"
#include "keeper/reexec.h"
#include "keeper/spawn.h"

#define STACK_BYTES (64 * 1024)
#define MAX_CRASHES 3
#define FORGIVEN_US (60 * USEC_PER_SEC)
#define SYNC_LIMIT_MS 5000
#define SYNC_STEP_MS 10

static const int faults[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL };
static char stack[STACK_BYTES] __attribute__((aligned(16)));
static volatile sig_atomic_t is_crashing;

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

/* It may never return, from a disk that does not answer; who presses the keys wants the end of it. */
static void sync_in_time(void)
{
	pid_t pid = spawn_fork();

	if (pid == 0) {
		sync();
		_exit(0);
	}
	for (int ms = 0; pid > 0 && ms < SYNC_LIMIT_MS && waitpid(pid, NULL, WNOHANG) == 0; ms += SYNC_STEP_MS)
		(void)poll(NULL, 0, SYNC_STEP_MS); /* all signals are blocked: only time ends it */
}

void crash_last_resort(void)
{
	sigset_t all;

	say("only reaping children now; ctrl-alt-del or the reboot signals end the machine");
	(void)sigfillset(&all);
	crash_leave_out(&all); /* a fault leads back to here */
	(void)sigprocmask(SIG_SETMASK, &all, NULL); /* sigwait(2) takes them from here */
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
		sync_in_time();
		finale_end_machine(kind);
	}
}

/* Two that somebody sends, one after the other, are no fault in the handler. (abort(3) sends it, too; but that is us.) */
static bool is_sent_by_others(const siginfo_t *info)
{
	return info->si_code <= 0 && info->si_pid != getpid();
}

static void on_fault(int signo, siginfo_t *info, void *context)
{
	if (is_crashing && is_sent_by_others(info))
		return;
	if (is_crashing)
		crash_last_resort();
	is_crashing = 1;
	console_open(); /* what is said before the tables are read waits for it */
	fault_report_say(signo, context);
	if (keeper_now_us() - keeper.last_crash_us > FORGIVEN_US)
		keeper.n_crashes = 0;
	keeper.last_crash_us = keeper_now_us();
	if (++keeper.n_crashes < MAX_CRASHES) {
		say("executing myself again; services stay as they are");
		reexec_after_fault();
	}
	crash_last_resort();
}

void crash_leave_out(sigset_t *set)
{
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		(void)sigdelset(set, faults[i]); /* fails for a number that is none */
}

void crash_init(void)
{
	const stack_t own = { .ss_sp = stack, .ss_size = sizeof(stack) };
	/* NODEFER, so that a fault within the handler comes to the handler, not to the kernel. */
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };

	(void)sigaltstack(&own, NULL); /* without it only a full stack cannot be handled */
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		(void)sigaction(faults[i], &action, NULL); /* these can be handled */
}
