/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finale: TERM to all, a while, KILL, unmount, read-only, reboot(2).
 *
 * What can hang for ever (umount, sync, swapoff) runs in a child with a time limit; PID 1 then calls reboot(2) in any
 * case. In a container nothing is unmounted or made read-only: the file systems may be the machine's, and ours go with
 * the name space.
 */
#include "config.h"

#include "keeper/finale.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "keeper/cgroup.h"
#include "keeper/children.h"
#include "keeper/console.h"
#include "keeper/disposal.h"
#include "keeper/fd-store.h"
#include "keeper/file-systems.h"
#include "keeper/keeper.h"
#include "keeper/memory.h"
#include "keeper/spawn.h"
#include "keeper/watchdog.h"

#define TERM_LIMIT_US (10 * USEC_PER_SEC)
#define KILL_LIMIT_US (5 * USEC_PER_SEC)
#define LOGGER_LIMIT_US (1 * USEC_PER_SEC)
#define FILE_SYSTEMS_LIMIT_US (20 * USEC_PER_SEC)
#define WAIT_STEP_US (20 * USEC_PER_MSEC)
#define MAX_ANCESTORS 64

/* Then it is said who has not ended. */
#define TELL_AFTER_US (2 * USEC_PER_SEC)

/* --- who has not ended --- */

#define MAX_NAMED 8

static pid_t named[MAX_NAMED];
static unsigned int n_stragglers;

static void stragglers_forget(void)
{
	n_stragglers = 0;
}

static void stragglers_note(pid_t pid)
{
	if (n_stragglers < MAX_NAMED)
		named[n_stragglers] = pid;
	n_stragglers++;
}

/* @name holds 16 bytes, as the kernel keeps them (proc(5), comm). */
static void read_name(pid_t pid, char *name, size_t size)
{
	char path[32];

	(void)snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	if (keeper_read_file(path, name, size) < 0)
		(void)snprintf(name, size, "?"); /* it has just ended */
	name[strcspn(name, "\n")] = '\0';
}

/* Whose it is: with cgroups whatever it has become, else if it is a child that we were told to start. */
static bool find_service(pid_t pid, char *service, size_t size)
{
	const struct Child *child = children_find_pid(pid);

	if (cgroup_service_of(pid, service, size))
		return true;
	return child && keeper_copy(service, size, child->row.name);
}

static void list_names(char *list, size_t size)
{
	size_t length = 0;
	char service[PROTOCOL_NAME_BYTES];
	char name[32];

	list[0] = '\0';
	for (unsigned int i = 0; i < n_stragglers && i < MAX_NAMED && length + 1 < size; i++) {
		read_name(named[i], name, sizeof(name));
		length += (size_t)snprintf(list + length, size - length, "%s%s (%d)", i > 0 ? ", " : "", name, (int)named[i]);
		if (length + 1 < size && find_service(named[i], service, sizeof(service)))
			length += (size_t)snprintf(list + length, size - length, " of %s", service);
	}
	if (n_stragglers > MAX_NAMED && length + 1 < size)
		(void)snprintf(list + length, size - length, ", and %u more", n_stragglers - MAX_NAMED);
}

static void stragglers_say(int signo, uint64_t left_us)
{
	const char *next = signo == SIGKILL ? "going on without them" : "killed";
	char list[480]; /* eight names and pids fit, and so do their services, but for long ones */

	if (n_stragglers == 0)
		return;
	list_names(list, sizeof(list));
	say("%u process%s not ended yet: %s; %s in %u s", n_stragglers, n_stragglers == 1 ? " has" : "es have", list, next,
	    (unsigned int)((left_us + USEC_PER_SEC - 1) / USEC_PER_SEC));
}

/* --- signals to all --- */

static pid_t keeper_pid; /* ours, for children */

/* Layout of the kernel's answer to getdents64(2); readdir(3) would allocate. */
struct Dirent64 {
	uint64_t inode;
	int64_t offset;
	uint16_t size;
	uint8_t type;
	char name[];
};

static void pause_us(uint64_t us)
{
	const struct timespec step = { .tv_nsec = (long)(us * 1000) };

	(void)nanosleep(&step, NULL); /* woken early: the caller looks at the clock anyway */
}

/* Between two looks at what has ended. Where the end itself hangs nothing feeds the watchdog, and the machine restarts. */
static void wait_a_step(void)
{
	pause_us(WAIT_STEP_US);
	watchdog_feed_in_finale();
}

/* Returns: whether @pid was one of them; 0: none is looked for. */
static bool reap_all(pid_t looked_for)
{
	bool is_found = false;
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0) {
		console_on_exit(pid);
		is_found = is_found || pid == looked_for;
	}
	return is_found;
}

/* Does anybody run who was born below us? All orphans come to us, so "no child" means nobody. */
static bool has_children(void)
{
	(void)reap_all(0);
	return waitid(P_ALL, 0, &(siginfo_t){ 0 }, WEXITED | WNOHANG | WNOWAIT) == 0;
}

static bool is_logger(pid_t pid)
{
	const struct Child *child = children_find_pid(pid);

	return child && strcmp(child->row.name, PROTOCOL_LOGGER_SERVICE) == 0;
}

/* Kernel threads and zombies have no executable. */
static bool is_living_program(int proc_fd, const char *pid_text)
{
	char path[32];
	char target[1];
	size_t length = strlen(pid_text);

	memcpy(path, pid_text, length);
	memcpy(path + length, "/exe", 5);
	return readlinkat(proc_fd, path, target, sizeof(target)) >= 0 || (errno != ENOENT && errno != ESRCH);
}

/* From /proc/PID/stat (proc(5)); behind the name, which may hold anything. Returns: 0 if it is gone. */
static pid_t parent_of(pid_t pid)
{
	char path[32];
	char text[256];
	const char *at;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (keeper_read_file(path, text, sizeof(text)) <= 0)
		return 0;
	at = strrchr(text, ')');
	return at && strlen(at) > 4 ? (pid_t)atoi(at + 4) : 0;
}

/* Orphans come to a subreaper, so the way up from whatever a service has left ends here as well. */
static bool descends_from_us(pid_t pid)
{
	for (int depth = 0; depth < MAX_ANCESTORS && pid > 1; depth++) {
		pid = parent_of(pid);
		if (pid == keeper_pid)
			return true;
	}
	return false;
}

/* Gone in between is as good; but what is not the user's any more (sudo) cannot be waited for. */
static bool may_signal(long result)
{
	return result == 0 || errno != EPERM;
}

/*
 * To a user's process, if it is below us. It is held before it is looked at: the pid of one that ends meanwhile may be given to another
 * at once, which is not ours.
 */
static bool signal_descendant(pid_t pid, int signo)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	bool is_ours;

	if (fd < 0 && errno == ESRCH)
		return false;
	is_ours = descends_from_us(pid) &&
		  may_signal(fd >= 0 ? syscall(SYS_pidfd_send_signal, fd, signo, NULL, 0) : kill(pid, signo));
	if (fd >= 0)
		(void)close(fd); /* the signal is sent */
	return is_ours;
}

static bool signal_program(pid_t pid, int signo)
{
	return keeper.is_pid1 ? may_signal(kill(pid, signo)) : signal_descendant(pid, signo);
}

static unsigned int signal_entry(int proc_fd, const char *name, int signo)
{
	char *end;
	long pid = strtol(name, &end, 10);

	if (pid <= 1 || *end != '\0' || end - name > 10 || pid == getpid() || pid == keeper_pid)
		return 0;
	if (is_logger((pid_t)pid) || console_is_writer((pid_t)pid) || !is_living_program(proc_fd, name) || !signal_program((pid_t)pid, signo))
		return 0;
	stragglers_note((pid_t)pid);
	return 1;
}

/* Returns: -1 if nothing is mounted there, too: the directory then says that there is nobody. */
static int open_proc(void)
{
	int fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct statfs fs;

	if (fd < 0 || (fstatfs(fd, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC))
		return fd;
	(void)close(fd); /* of no use */
	return -1;
}

/*
 * To every program in our PID name space, or below a user's keeper, but the loggers.
 * Returns: how many there were, or -1 without /proc.
 */
static int signal_machine(int signo)
{
	static char buffer[8192] __attribute__((aligned(8)));
	int fd = open_proc();
	int n_found = 0;
	long n;

	if (fd < 0)
		return -1;
	while ((n = syscall(SYS_getdents64, fd, buffer, sizeof(buffer))) > 0) {
		for (long at = 0; at < n;) {
			struct Dirent64 *entry = (struct Dirent64 *)(void *)(buffer + at);

			n_found += (int)signal_entry(fd, entry->name, signo);
			at += entry->size;
		}
	}
	(void)close(fd);
	return n_found;
}

/* User mode without /proc: what we know of. Each service leads its own group, as soon as it has got so far. */
static int signal_rows(int signo)
{
	int n_found = 0;

	for (struct Child *child = children_next(NULL); child; child = children_next(child)) {
		if (child->flags & CHILD_EXITED || is_logger(child->pid))
			continue;
		if (kill(-child->pid, signo) < 0 && kill(child->pid, signo) < 0)
			continue;
		stragglers_note(child->pid);
		n_found++;
	}
	return n_found;
}

static int signal_others(int signo)
{
	int n_found;

	stragglers_forget();
	n_found = signal_machine(signo);
	if (n_found >= 0)
		return n_found;
	return keeper.is_pid1 ? kill(-1, signo) == 0 : signal_rows(signo); /* the loggers have to go with the rest */
}

/* Returns: how many are left. */
static int end_others(int signo, uint64_t limit_us)
{
	uint64_t now_us = keeper_now_us();
	uint64_t until_us = now_us + limit_us;
	uint64_t tell_us = now_us + TELL_AFTER_US;
	int n_left = signal_others(signo);

	for (; n_left > 0 && now_us < until_us; now_us = keeper_now_us()) {
		pause_us(WAIT_STEP_US);
		/* KILL is said again: a process may have forked while we looked. */
		n_left = signal_others(signo == SIGKILL ? SIGKILL : 0);
		if (now_us >= tell_us) {
			stragglers_say(signo, until_us - now_us);
			tell_us = NEVER_US;
		}
	}
	return n_left;
}

static void wait_for_children(uint64_t limit_us)
{
	const uint64_t until_us = keeper_now_us() + limit_us;

	while (has_children() && keeper_now_us() < until_us)
		wait_a_step();
}

/*
 * They ignore TERM, and go by themselves when the last end of what they read is closed: those that we held for a manager. A process
 * that cannot be killed may have one, too.
 */
static void end_loggers(void)
{
	console_end(); /* it is a child, too, and is waited for until it has shown everything */
	fd_store_close();
	disposal_now();
	wait_for_children(LOGGER_LIMIT_US);
	if (!keeper.is_pid1)
		return;
	(void)kill(-1, SIGKILL);
	wait_for_children(LOGGER_LIMIT_US); /* as long as one is there, what it writes to cannot be unmounted */
}

/*
 * A child does what may wait for ever: any of it can hang on a dead disk or server, and users can hold /proc. It has no copy of
 * what we kept, so that one that hangs does not keep the loggers from the end of what they read.
 * Returns: false, and @what is on the console, if it cannot be started or takes longer than @limit_us.
 */
static bool run_in_time(void (*work)(void), uint64_t limit_us, const char *what)
{
	const uint64_t until_us = keeper_now_us() + limit_us;
	pid_t pid;

	console_open(); /* for the child's lines, too */
	pid = spawn_fork();

	if (pid == 0) {
		console_close_others();
		work();
		_exit(0);
	}
	if (pid < 0) {
		say("%s: cannot fork: %s; going on", what, strerror(errno));
		return false;
	}
	while (!reap_all(pid)) {
		if (keeper_now_us() >= until_us) {
			say("%s takes too long, going on", what);
			return false;
		}
		wait_a_step();
	}
	return true;
}

/* In a child. A machine's keeper has sent TERM already. */
static void end_most_processes(void)
{
	if (end_others(keeper.is_pid1 ? 0 : SIGTERM, TERM_LIMIT_US) == 0)
		return;
	say("some processes did not end, killing them");
	if (end_others(SIGKILL, KILL_LIMIT_US) > 0)
		say("some processes cannot be killed, going on without them");
}

static void end_processes(void)
{
	keeper_pid = getpid();
	memory_show_to_children();
	say("asking all processes to end");
	if (keeper.is_pid1)
		(void)kill(-1, SIGTERM);
	if (!run_in_time(end_most_processes, TERM_LIMIT_US + KILL_LIMIT_US + USEC_PER_SEC, "ending processes"))
		wait_for_children(KILL_LIMIT_US);
	end_loggers();
}

static void end_file_systems(void)
{
	(void)run_in_time(file_systems_end, FILE_SYSTEMS_LIMIT_US, "unmounting");
}

static const struct {
	const char *doing;
	unsigned int command;
} endings[] = {
	[SHUTDOWN_NONE] = { "restarting", RB_AUTOBOOT },
	[SHUTDOWN_POWEROFF] = { "powering off", RB_POWER_OFF },
	[SHUTDOWN_REBOOT] = { "restarting", RB_AUTOBOOT },
	[SHUTDOWN_HALT] = { "halting", RB_HALT_SYSTEM },
	[SHUTDOWN_EXIT] = { "ending", RB_POWER_OFF },
};

void finale_end_machine(enum ShutdownKind kind)
{
	console_end();
	if (!keeper.is_pid1 || (keeper.container && kind == SHUTDOWN_EXIT))
		_exit(0);
	watchdog_end(endings[kind].command == RB_AUTOBOOT);
	(void)reboot((int)endings[kind].command);
	if (keeper.container)
		_exit(0); /* refused: our exit is what a container without the right to reboot(2) has for it */
	say("%s failed: %s; you may switch the machine off", endings[kind].doing, strerror(errno));
	for (;;) {
		(void)reap_all(0);
		pause_us(USEC_PER_SEC - 1);
	}
}

void finale_run(enum ShutdownKind kind, const char *reason)
{
	say("%s: %s", endings[kind].doing, reason);
	end_processes();
	if (keeper.is_pid1)
		end_file_systems();
	say("%s now", endings[kind].doing);
	finale_end_machine(kind);
}
