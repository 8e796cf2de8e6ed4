/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * svcd: PID 1. It keeps services; svcd-manager decides about them (docs/keeper.md).
 *
 * This file contains the three roles of the program (PID 1, a user's keeper, a re-executed keeper),
 * and the loop. A user has one keeper at a time, which ends with the process that started it.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "keeper/children.h"
#include "keeper/console.h"
#include "keeper/early-boot.h"
#include "keeper/fd-store.h"
#include "keeper/keeper.h"
#include "keeper/link.h"
#include "keeper/memory.h"
#include "keeper/reexec.h"
#include "keeper/shutdown.h"
#include "keeper/spawn.h"
#include "keeper/watchdog.h"

#define REAPED_PER_TURN 256
#define SIGNALS_PER_TURN 8
#define REFUSED_PAUSE_NS 20000000
#define LONGEST_SLEEP_MS 3600000

struct KeeperOptions {
	bool user;
	bool waits; /* wait until another keeper of this user ends */
	int reexec_fd; /* -1: a first start */
	/* -1: run; else: only check whether this program could take over these tables */
	int try_fd;
};

/* Arguments for the manager that the kernel passes on from its command line. */
static const char *const manager_arguments[] = {
	"single", "s",         "S",      "1",    "2",  "3",  "4",
	"5",      "emergency", "rescue", "auto", "-s", "-b", "-a",
};

static const char help_text[] =
	"Usage: svcd [--user [--wait]] [--manager=PATH] [-- ARGUMENT...]\n"
	"       init 0|1|2|3|4|5|6|S|Q|U\n"
	"As process 1, svcd keeps services for svcd-manager. Options:\n"
	"  --user           keep the services of a user, until the parent process ends\n"
	"  --wait           wait for another keeper of this user to end, then take over\n"
	"  --manager=PATH   the manager to start\n"
	"  --ping-ms=N      how often the manager must answer, for tests (5000)\n"
	"  --watchdog=SECONDS[,manager][,/dev/NAME]\n"
	"                   like svcd.watchdog= on the kernel command line, for tests\n"
	"  -- ARGUMENT...   arguments for the manager\n"
	"  --version, --help\n"
	"Called as init with a runlevel, it requests that runlevel from the running init.\n";

/* --- arguments --- */

static void add_argument(const char *argument)
{
	if (keeper.n_arguments < KEEPER_MAX_ARGUMENTS &&
	    keeper_copy(keeper.arguments[keeper.n_arguments], sizeof(keeper.arguments[0]),
			argument))
		keeper.n_arguments++;
}

static bool is_manager_argument(const char *argument)
{
	for (size_t i = 0; i < N_ELEMENTS(manager_arguments); i++)
		if (strcmp(argument, manager_arguments[i]) == 0)
			return true;
	return false;
}

static const char *value_of(const char *argument, const char *option)
{
	size_t length = strlen(option);

	return strncmp(argument, option, length) == 0 ? argument + length : NULL;
}

/*
 * Returns: false if @argument is unknown. PID 1 ignores such an argument, because the kernel passes
 * on any text.
 */
static bool parse_argument(const char *argument, struct KeeperOptions *options)
{
	const char *value;

	if (strcmp(argument, "--user") == 0)
		options->user = true;
	else if (strcmp(argument, "--wait") == 0)
		options->waits = true;
	else if ((value = value_of(argument, "--reexec=")))
		options->reexec_fd = atoi(value);
	else if (reexec_take_argument(argument))
		return true;
	else if ((value = value_of(argument, "--try-tables=")))
		options->try_fd = atoi(value);
	else if ((value = value_of(argument,
				   "--manager="))) /* PID 1 ignores an overlong path */
		return strlen(value) < sizeof(keeper.manager_path) &&
		       keeper_copy(keeper.manager_path, sizeof(keeper.manager_path), value);
	else if ((value = value_of(argument, "--ping-ms=")))
		keeper.ping_ms = atoi(value) > 0 ? (uint32_t)atoi(value) :
						   PROTOCOL_PING_INTERVAL_MS;
	else if ((value = value_of(argument, "--watchdog=")))
		return watchdog_configure(value);
	else if (is_manager_argument(argument))
		add_argument(argument);
	else
		return false;
	return true;
}

static bool parse_arguments(int argc, char **argv, struct KeeperOptions *options)
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

/* --- a user's keeper --- */

/*
 * XDG_RUNTIME_DIR is removed after the user's last session, so its content is current. Returns: a
 * descriptor of the lock in it, above 2, that execve(2) leaves open; -1 on failure, after printing
 * the reason.
 */
static int open_lock(void)
{
	const char *directory = getenv("XDG_RUNTIME_DIR");
	char path[KEEPER_PATH_BYTES];
	struct stat st;
	int opened;
	int fd;

	if (!directory || directory[0] != '/' || strlen(directory) >= KEEPER_PATH_BYTES - 32) {
		(void)fprintf(
			stderr,
			"svcd: XDG_RUNTIME_DIR is not set to a directory; the session manager "
			"sets it (elogind)\n");
		return -1;
	}
	if (stat(directory, &st) < 0 || !S_ISDIR(st.st_mode)) {
		(void)fprintf(stderr,
			      "svcd: there is no directory %s, which XDG_RUNTIME_DIR names\n",
			      directory);
		return -1;
	}
	if (st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH))) {
		(void)fprintf(
			stderr,
			"svcd: %s, which XDG_RUNTIME_DIR names, can be written to by others (chmod "
			"go-w)\n",
			directory);
		return -1;
	}
	(void)snprintf(path, sizeof(path), "%s/svcd", directory); /* the length was checked */
	(void)mkdir(path, 0700); /* it exists, or open(2) fails */
	(void)snprintf(path, sizeof(path), "%s/svcd/lock", directory);
	opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	fd = opened < 0 ? -1 : fcntl(opened, F_DUPFD, STDERR_FILENO + 1);
	if (fd < 0)
		(void)fprintf(stderr, "svcd: cannot open %s: %s\n", path, strerror(errno));
	if (opened >= 0)
		/* flock(2) locks the open file, which @fd shares */
		(void)close(opened);
	return fd;
}

/* Ends with the parent. A child of PID 1 was detached on purpose, and outlives its session. */
static void follow_parent(void)
{
	const pid_t parent = getppid();

	if (parent == 1)
		return;
	(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent) /* the parent has died meanwhile, so the kernel sends no signal */
		(void)raise(SIGTERM);
}

/*
 * The descriptor of the lock is never closed, so the lock is released when the process ends.
 * Returns: an exit status, after printing the reason, or -1 if this is now the user's only keeper.
 */
static int begin_user_session(bool waits)
{
	char text[16] = "";
	int length;
	int fd;

	follow_parent();
	fd = open_lock();
	if (fd < 0)
		return EXIT_FAILURE;
	while (flock(fd, waits ? LOCK_EX : LOCK_EX | LOCK_NB) < 0) {
		if (errno == EINTR)
			continue;
		if (errno != EWOULDBLOCK) {
			(void)fprintf(stderr,
				      "svcd: cannot lock svcd/lock in XDG_RUNTIME_DIR: %s\n",
				      strerror(errno));
			return EXIT_FAILURE;
		}
		/* empty: the holder has not written its pid yet */
		(void)!pread(fd, text, sizeof(text) - 1, 0);
		text[strcspn(text, "\n")] = '\0';
		(void)fprintf(stderr,
			      "svcd: another svcd --user runs already%s%s; see svcctl --user\n",
			      text[0] ? ", process " : "", text);
		return EXIT_SUCCESS;
	}
	length = snprintf(text, sizeof(text), "%d\n", (int)getpid());
	if (ftruncate(fd, 0) == 0)
		(void)!pwrite(fd, text, (size_t)length, 0); /* the pid is only displayed */
	return -1;
}

/* --- the loop --- */

/* All signals except synchronous faults (SIGSEGV, SIGBUS, ...), which reexec.c handles. */
static void fill_signals(sigset_t *all)
{
	(void)sigfillset(all);
	crash_leave_out(all);
}

/*
 * Nothing works without a signalfd. A lack of memory is often short, so this tries for ten seconds.
 */
static int open_signals(void)
{
	sigset_t all;
	int fd;

	fill_signals(&all);
	fd = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		console_log("cannot make a signalfd: %s; trying again for ten seconds",
			    strerror(errno));
	for (int i = 0; i < 100 && fd < 0; i++) {
		(void)poll(NULL, 0, 100);
		fd = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
	}
	return fd;
}

static void on_child(pid_t pid, int wait_status, const struct rusage *usage, uint64_t now_us)
{
	struct Child *child = children_find_pid(pid);

	if (WIFSTOPPED(wait_status)) {
		link_on_stop(pid);
		return;
	}
	console_on_exit(pid);
	disposal_on_exit(pid);
	if (child) {
		child_set_exited(child, wait_status, usage, now_us);
	} else if (rescue_on_exit(pid, wait_status)) {
		restart_limit_forget();
		link_start_now(now_us);
	} else {
		/* the manager, or an orphan, which only has to be reaped */
		link_on_exit(pid, wait_status, now_us);
	}
}

/* Returns: whether there may be more to reap. */
static bool reap(void)
{
	uint64_t now_us = keeper_now_us();

	for (int i = 0; i < REAPED_PER_TURN; i++) {
		struct rusage usage;
		int wait_status;
		pid_t pid = wait4(-1, &wait_status, WNOHANG | WUNTRACED, &usage);

		if (pid <= 0)
			/*
			 * WNOHANG excludes EINTR. If it occurs, reap() is called again, because no
			 * other signal would report the child.
			 */
			return pid < 0 && errno == EINTR;
		on_child(pid, wait_status, &usage, now_us);
	}
	return true;
}

/* SIGCHLD only reports that there is a child to reap. */
static void read_signals(int fd)
{
	struct signalfd_siginfo got[SIGNALS_PER_TURN];
	const ssize_t n = read(fd, got, sizeof(got));

	for (size_t i = 0; n > 0 && i < (size_t)n / sizeof(got[0]); i++)
		shutdown_on_signal((int)got[i].ssi_signo, keeper_now_us());
}

static int time_to_sleep_ms(uint64_t now_us)
{
	const uint64_t times_us[] = { link_next_us(), shutdown_next_us(), watchdog_next_us(),
				      disposal_next_us() };
	uint64_t next_us = now_us + LONGEST_SLEEP_MS * USEC_PER_MSEC;
	bool is_never = true;

	for (size_t i = 0; i < N_ELEMENTS(times_us); i++) {
		is_never = is_never && times_us[i] == NEVER_US;
		next_us = times_us[i] < next_us ? times_us[i] : next_us;
	}
	if (is_never)
		return -1;
	return next_us <= now_us ? 0 :
				   (int)((next_us - now_us + USEC_PER_MSEC - 1) / USEC_PER_MSEC);
}

/*
 * All signals are blocked, so EINTR is impossible. Two errors are possible: ENOMEM, and EINVAL if
 * prlimit(1) has left fewer descriptors than @n_fds. Then every descriptor is read, because no read
 * waits. The pause leaves the processor to others.
 */
static void wait_for_any(struct pollfd *fds, nfds_t n_fds, int limit_ms)
{
	if (poll(fds, n_fds, limit_ms) >= 0)
		return;
	/* an early return does no harm */
	(void)nanosleep(&(struct timespec){ .tv_nsec = REFUSED_PAUSE_NS }, NULL);
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
		 * Exits are handled before requests. wait(2) is not called at every turn, because
		 * it looks at each child, and most turns are a request.
		 */
		if (fds[0].revents || more_to_reap)
			more_to_reap = reap();
		if (fds[2].revents)
			link_on_clock();
		link_turn(&fds[1]);
		now_us = keeper_now_us();
		link_tick(now_us);
		watchdog_tick(now_us, link_is_well());
		shutdown_tick(now_us);
		disposal_tick(now_us);
	}
}

/* --- the start --- */

/* No start uses more stack than this. */
#define STACK_USED_AT_START (64u * 1024)

/*
 * The loop does not need the stack pages that the start used. The current page and the next one
 * stay, because calls of this function use them.
 */
static void __attribute__((noinline)) give_back_stack(void)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const uintptr_t end = ((uintptr_t)__builtin_frame_address(0) & ~(page - 1)) - page;

	/* ENOMEM: the stack was never that deep */
	(void)madvise((void *)(end - STACK_USED_AT_START), STACK_USED_AT_START, MADV_DONTNEED);
}

static void __attribute__((noreturn)) keep(const struct KeeperOptions *options)
{
	sigset_t all;
	int signal_fd;

	keeper.is_pid1 = getpid() == 1;
	keeper.user_mode = options->user && !keeper.is_pid1;
	/* the name would be "exe" after an execution through /proc/self/exe */
	(void)prctl(PR_SET_NAME, "svcd");
	spawn_reset_signals();
	fill_signals(&all);
	/* before the first line is written, because a closed console would cause SIGPIPE */
	(void)sigprocmask(SIG_SETMASK, &all, NULL);
	reexec_expect(options->reexec_fd);
	crash_init();
	if (!reexec_resume()) {
		keeper.boot_at_us = keeper_now_us();
		early_boot();
		/* after early_boot(), so that the memfd does not get the number 0, 1 or 2 */
		if (!memory_init())
			crash_last_resort();
	}
	if (keeper.user_mode && prctl(PR_SET_CHILD_SUBREAPER, 1) < 0)
		console_log("cannot become a subreaper: %s", strerror(errno));
	console_open();
	early_boot_process();
	if (keeper.has_reexeced)
		spawn_restore_score();
	watchdog_read_command_line();
	signal_fd = open_signals();
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
	struct KeeperOptions options = { .reexec_fd = -1, .try_fd = -1 };
	const bool is_pid1 = getpid() == 1;
	int status;

	if (!is_pid1 && argc == 2 && strcmp(argv[1], "--version") == 0)
		return printf("svcd %s\n", PACKAGE_VERSION) < 0;
	if (!is_pid1 && argc == 2 && strcmp(argv[1], "--help") == 0)
		return fputs(help_text, stdout) < 0;
	if (!is_pid1 && argc == 2 && argv[1][0] != '-')
		return execute_telinit(argv[1]);
	keeper.ping_ms = PROTOCOL_PING_INTERVAL_MS;
	(void)keeper_copy(keeper.manager_path, sizeof(keeper.manager_path),
			  SVCD_LIBDIR "/svcd-manager");
	if (!parse_arguments(argc, argv, &options))
		return 2;
	if (!is_pid1 && options.try_fd >= 0)
		return reexec_try(options.try_fd);
	if (!is_pid1 && !options.user && options.reexec_fd < 0) {
		(void)fprintf(stderr, "svcd: this is not process 1\n%s", help_text);
		return 2;
	}
	if (!is_pid1 && options.reexec_fd < 0 && (status = begin_user_session(options.waits)) >= 0)
		return status;
	keep(&options);
}
