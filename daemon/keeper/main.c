/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * svcd: PID 1. It keeps services; svcd-manager decides about them (docs/keeper.md).
 *
 * This file: the three roles of the program (PID 1, a user's keeper, a re-executed keeper), and the
 * loop.
 */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "keeper/children.h"
#include "keeper/console.h"
#include "keeper/crash.h"
#include "keeper/disposal.h"
#include "keeper/early-boot.h"
#include "keeper/keeper.h"
#include "keeper/link.h"
#include "keeper/memory.h"
#include "keeper/user-session.h"
#include "keeper/reexec.h"
#include "keeper/rescue.h"
#include "keeper/shutdown.h"
#include "keeper/spawn.h"
#include "keeper/restart-limit.h"
#include "keeper/watchdog.h"

#define REAPED_PER_TURN 256
#define SIGNALS_PER_TURN 32
#define REFUSED_PAUSE_NS 20000000

struct Options {
	bool user;
	bool waits;    /* for another keeper of this user to end */
	int reexec_fd; /* -1: a first start */
	int try_fd;    /* -1: run; else: only check whether this program could take over these tables */
};

/* Arguments that the kernel passes on from its command line and that the manager understands. */
static const char *const manager_arguments[] = {
	"single", "s", "S", "1", "2", "3", "4", "5", "emergency", "rescue", "auto", "-s", "-b", "-a",
};

static const char help_text[] =
	"Usage: svcd [--user [--wait]] [--manager=PATH] [-- ARGUMENT...]\n"
	"       init 0|1|2|3|4|5|6|S|Q|U\n"
	"As process 1, svcd keeps services for svcd-manager. Options:\n"
	"  --user           keep the services of a user, until the parent process ends\n"
	"  --wait           wait for another keeper of this user to end, then take over\n"
	"  --manager=PATH   the manager to start\n"
	"  --ping-ms=N      how often it must answer, for tests (" "5000)\n"
	"  --watchdog=SECONDS[,manager][,/dev/NAME]\n"
	"                   like svcd.watchdog= on the kernel command line, for tests\n"
	"  -- ARGUMENT...   arguments for the manager\n"
	"  --version, --help\n"
	"Called as init with a runlevel, it requests that runlevel from the running init.\n";

static void add_argument(const char *word)
{
	if (keeper.n_arguments < KEEPER_MAX_ARGUMENTS &&
	    keeper_copy(keeper.arguments[keeper.n_arguments], sizeof(keeper.arguments[0]), word))
		keeper.n_arguments++;
}

static bool is_manager_argument(const char *word)
{
	for (size_t i = 0; i < sizeof(manager_arguments) / sizeof(manager_arguments[0]); i++)
		if (strcmp(word, manager_arguments[i]) == 0)
			return true;
	return false;
}

static const char *value_of(const char *argument, const char *option)
{
	size_t length = strlen(option);

	return strncmp(argument, option, length) == 0 ? argument + length : NULL;
}

/* An overlong path is ignored; the installed manager is used. */
static bool set_manager_path(const char *path)
{
	return strlen(path) < sizeof(keeper.manager_path) &&
	       keeper_copy(keeper.manager_path, sizeof(keeper.manager_path), path);
}

/*
 * Returns: false if @argument is unknown. PID 1 ignores such an argument, because the kernel passes
 * on any text.
 */
static bool parse_argument(const char *argument, struct Options *options)
{
	const char *value;

	if (strcmp(argument, "--user") == 0)
		options->user = true;
	else if (strcmp(argument, "--wait") == 0)
		options->waits = true;
	else if ((value = value_of(argument, "--reexec=")))
		options->reexec_fd = atoi(value);
	else if (strcmp(argument, "--again") == 0)
		reexec_expect_again();
	else if ((value = value_of(argument, "--faults=")))
		reexec_expect_faults(atoi(value));
	else if ((value = value_of(argument, "--refused=")))
		reexec_set_refusal(atoi(value));
	else if ((value = value_of(argument, "--try-tables=")))
		options->try_fd = atoi(value);
	else if ((value = value_of(argument, "--manager=")))
		return set_manager_path(value);
	else if ((value = value_of(argument, "--ping-ms=")))
		keeper.ping_ms = atoi(value) > 0 ? (uint32_t)atoi(value) : PROTOCOL_PING_INTERVAL_MS;
	else if ((value = value_of(argument, "--watchdog=")))
		return watchdog_configure(value);
	else if (is_manager_argument(argument))
		add_argument(argument);
	else
		return false;
	return true;
}

static bool parse_arguments(int argc, char **argv, struct Options *options)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--") == 0) {
			while (++i < argc)
				add_argument(argv[i]);
		} else if (!parse_argument(argv[i], options) && getpid() != 1) {
			(void)fprintf(stderr, "svcd: unknown argument %s\n%s", argv[i], help_text);
			return false;
		}
	}
	return true;
}

/* All signals except synchronous faults (SIGSEGV, SIGBUS, ...), which crash.c handles. */
static void fill_signals(sigset_t *all)
{
	(void)sigfillset(all);
	crash_leave_out(all);
}

/*
 * Before the first line of output, because its reader may be gone, and SIGPIPE would end a user's
 * keeper.
 */
static void block_signals(void)
{
	sigset_t all;

	fill_signals(&all);
	(void)sigprocmask(SIG_SETMASK, &all, NULL); /* cannot fail with these arguments */
}

static int open_signals(void)
{
	sigset_t all;

	fill_signals(&all);
	return signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
}

/*
 * Nothing works without it. A lack of memory is often short, so ten seconds of patience are worth
 * it.
 */
static int open_signals_patiently(void)
{
	int fd = open_signals();

	if (fd < 0)
		console_log("cannot make a signalfd: %s; trying again for ten seconds", strerror(errno));
	for (int i = 0; i < 100 && fd < 0; i++) {
		(void)poll(NULL, 0, 100);
		fd = open_signals();
	}
	return fd;
}

static void on_child(pid_t pid, int wait_status, const struct rusage *usage, uint64_t now_us)
{
	struct Child *child = children_find_pid(pid);

	console_on_exit(pid);
	disposal_on_exit(pid);
	if (child) {
		child_set_exited(child, wait_status, usage, now_us);
	} else if (rescue_on_exit(pid, wait_status)) {
		restart_limit_forget();
		link_start_now(now_us);
	} else {
		(void)link_on_exit(pid, wait_status, now_us); /* or an orphan: it is reaped, and that is all */
	}
}

/* Returns: whether there may be more to reap. */
static bool reap(void)
{
	uint64_t now_us = keeper_now_us();

	for (int i = 0; i < REAPED_PER_TURN; i++) {
		struct rusage usage;
		int wait_status;
		pid_t pid = wait4(-1, &wait_status, WNOHANG, &usage);

		if (pid <= 0)
			return pid < 0 && errno == EINTR; /* WNOHANG excludes EINTR. If it occurs, no other signal would report the child. */
		on_child(pid, wait_status, &usage, now_us);
	}
	return true;
}

static void read_signals(int fd)
{
	struct signalfd_siginfo got;

	for (int i = 0; i < SIGNALS_PER_TURN && read(fd, &got, sizeof(got)) == (ssize_t)sizeof(got); i++)
		(void)shutdown_on_signal((int)got.ssi_signo, keeper_now_us()); /* SIGCHLD only reports that there is a child to reap */
}

static int time_to_sleep_ms(uint64_t now_us)
{
	uint64_t next_us = link_next_us();
	uint64_t left_ms;

	if (shutdown_next_us() < next_us)
		next_us = shutdown_next_us();
	if (watchdog_next_us() < next_us)
		next_us = watchdog_next_us();
	if (disposal_next_us() < next_us)
		next_us = disposal_next_us();
	if (next_us == NEVER_US)
		return -1;
	if (next_us <= now_us)
		return 0;
	left_ms = (next_us - now_us + USEC_PER_MSEC - 1) / USEC_PER_MSEC;
	return left_ms < 3600000 ? (int)left_ms : 3600000;
}

/*
 * All signals are blocked, so EINTR is impossible. ENOMEM or EINVAL (prlimit(1) has left fewer
 * descriptors than these) remain: then every descriptor is looked at, because none of the reads
 * waits. The pause leaves the processor to others.
 */
static void wait_for_any(struct pollfd *fds, nfds_t n_fds, int limit_ms)
{
	const struct timespec pause = { .tv_nsec = REFUSED_PAUSE_NS };

	if (poll(fds, n_fds, limit_ms) >= 0)
		return;
	(void)nanosleep(&pause, NULL); /* an early return does no harm */
	for (nfds_t i = 0; i < n_fds; i++)
		fds[i].revents = fds[i].fd >= 0 ? POLLIN : 0;
}

static void __attribute__((noreturn)) loop(int signal_fd)
{
	bool more_to_reap = true;

	for (;;) {
		struct pollfd fds[3];
		uint64_t now_us;

		fds[0] = (struct pollfd){ .fd = signal_fd, .events = POLLIN };
		fds[1] = link_pollfd();
		fds[2] = (struct pollfd){ .fd = link_clock(), .events = POLLIN };
		wait_for_any(fds, 3, more_to_reap ? 0 : time_to_sleep_ms(keeper_now_us()));
		if (fds[0].revents)
			read_signals(signal_fd);
		/*
		 * Exits come before requests. This is not done at every turn, because wait(2) looks
		 * at each child, and most turns are a request.
		 */
		if (fds[0].revents || more_to_reap)
			more_to_reap = reap();
		if (fds[0].revents)
			link_look();
		if (fds[2].revents)
			link_on_clock();
		link_turn(&fds[1]);
		now_us = keeper_now_us();
		link_tick(now_us);
		watchdog_tick(now_us);
		shutdown_tick(now_us);
		disposal_tick(now_us);
	}
}

/* More than any start uses of the stack. */
#define STACK_USED_AT_START (64u * 1024)

/*
 * The loop does not need the pages of the stack that starting used. The current page and the next
 * one stay, because calls of this function use them.
 */
static void __attribute__((noinline)) give_back_stack(void)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const uintptr_t end = ((uintptr_t)__builtin_frame_address(0) & ~(page - 1)) - page;

	(void)madvise((void *)(end - STACK_USED_AT_START), STACK_USED_AT_START, MADV_DONTNEED); /* ENOMEM: the stack was never that deep */
}

static void first_start(void)
{
	keeper.boot_at_us = keeper_now_us();
	early_boot();
	memory_init(); /* after this, because 0, 1 and 2 are taken */
}

static void __attribute__((noreturn)) keep(const struct Options *options)
{
	int signal_fd;

	keeper.is_pid1 = getpid() == 1;
	keeper.user_mode = options->user && !keeper.is_pid1;
	(void)prctl(PR_SET_NAME, "svcd"); /* the name would be "exe" after an execution through /proc/self/exe */
	spawn_reset_signals();
	block_signals();
	reexec_expect(options->reexec_fd);
	crash_init();
	if (!reexec_resume())
		first_start();
	if (keeper.user_mode && prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
		console_log("cannot become a subreaper: %s", strerror(errno));
	console_open();
	early_boot_process();
	if (keeper.has_reexeced)
		spawn_restore_score();
	watchdog_read_command_line();
	signal_fd = open_signals_patiently();
	if (signal_fd < 0)
		crash_last_resort();
	give_back_stack();
	loop(signal_fd);
}

/* "init 6" from a shell: svc-sysv asks the running init. */
static int execute_telinit(char *runlevel)
{
	static char name[] = "init";
	static const char program[] = SVCD_LIBDIR "/svc-sysv";

	(void)execv(program, (char *[]){ name, runlevel, NULL });
	(void)fprintf(stderr, "init: cannot execute %s: %s\n", program, strerror(errno));
	return 1;
}

int main(int argc, char **argv)
{
	struct Options options = { .reexec_fd = -1, .try_fd = -1 };

	if (getpid() != 1 && argc == 2 && strcmp(argv[1], "--version") == 0)
		return printf("svcd %s\n", PACKAGE_VERSION) < 0;
	if (getpid() != 1 && argc == 2 && strcmp(argv[1], "--help") == 0)
		return fputs(help_text, stdout) < 0;
	keeper.ping_ms = PROTOCOL_PING_INTERVAL_MS;
	(void)keeper_copy(keeper.manager_path, sizeof(keeper.manager_path), SVCD_LIBDIR "/svcd-manager");
	if (getpid() != 1 && argc == 2 && argv[1][0] != '-')
		return execute_telinit(argv[1]);
	if (!parse_arguments(argc, argv, &options))
		return 2;
	if (getpid() != 1 && options.try_fd >= 0)
		return reexec_try(options.try_fd);
	if (getpid() != 1 && !options.user && options.reexec_fd < 0) {
		(void)fprintf(stderr, "svcd: this is not process 1\n%s", help_text);
		return 2;
	}
	if (getpid() != 1 && options.user && options.reexec_fd < 0) {
		int status = user_session_begin(options.waits);

		if (status != USER_SESSION_BEGINS)
			return status;
	}
	keep(&options);
}
