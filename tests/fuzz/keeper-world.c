/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keeper world: see keeper-world.h. The linker redirects the keeper's calls (ld(1), --wrap).
 */
#include "config.h"

#include "tests/fuzz/keeper-world.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "keeper/shutdown.h"
#include "keeper/keeper.h"
#include "keeper/link.h"
#include "keeper/spawn.h"

/* By then the loop must be idle: a turn reads 32 messages, and a socket holds some hundreds. */
#define MOST_TURNS 2000
#define FIRST_PID 1000
#define MOST_SIGNALS 65
#define WORLD_RESERVE 4 /* for a manager and PID 1's own */

struct World world = { .signal_fd = -1, .link_fd = -1 };
static int signal_pipe = -1;

int __real_poll(struct pollfd *fds, nfds_t n, int timeout_ms);
int __wrap_poll(struct pollfd *fds, nfds_t n, int timeout_ms);
int __real_kill(pid_t pid, int signo);
int __wrap_kill(pid_t pid, int signo);
pid_t __real_wait4(pid_t pid, int *ret_status, int options, struct rusage *ret_usage);
pid_t __wrap_wait4(pid_t pid, int *ret_status, int options, struct rusage *ret_usage);
pid_t __real_waitpid(pid_t pid, int *ret_status, int options);
pid_t __wrap_waitpid(pid_t pid, int *ret_status, int options);
int __real_waitid(idtype_t type, id_t id, siginfo_t *ret_info, int options);
int __wrap_waitid(idtype_t type, id_t id, siginfo_t *ret_info, int options);
int __real_execve(const char *path, char *const *argv, char *const *environment);
int __wrap_execve(const char *path, char *const *argv, char *const *environment);
pid_t __wrap_spawn_process(struct SpawnRequest *request);
pid_t __real_spawn_fork(void);
pid_t __wrap_spawn_fork(void);
void __wrap_finale_run(enum ShutdownKind kind, const char *reason) __attribute__((noreturn));
void __wrap_console_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
uint64_t __wrap_keeper_now_us(void);

void world_begin(void)
{
	int ends[2];

	g_assert(pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0);
	world = (struct World){
		.is_active = true, .now_us = 100 * USEC_PER_SEC, .signal_fd = ends[0], .link_fd = -1
	};
	signal_pipe = ends[1];
}

void world_end(void)
{
	if (world.link_fd >= 0)
		(void)close(world.link_fd);
	(void)close(world.signal_fd);
	(void)close(signal_pipe);
	world.is_active = false;
}

/* --- processes --- */

struct WorldProcess *world_find(pid_t pid)
{
	for (size_t i = 0; pid > 0 && i < WORLD_PROCESSES; i++)
		if (world.processes[i].pid == pid)
			return &world.processes[i];
	return NULL;
}

struct WorldProcess *world_pick(enum WorldKind kind, unsigned int n)
{
	unsigned int n_found = 0;

	for (size_t i = 0; i < WORLD_PROCESSES; i++)
		n_found += world.processes[i].pid && world.processes[i].kind == kind;
	for (size_t i = 0; n_found > 0 && i < WORLD_PROCESSES; i++)
		if (world.processes[i].pid && world.processes[i].kind == kind && n-- % n_found == 0)
			return &world.processes[i];
	return NULL;
}

struct WorldProcess *world_add(enum WorldKind kind)
{
	const int end = kind == WORLD_SERVICE || kind == WORLD_ORPHAN ?
				WORLD_PROCESSES - WORLD_RESERVE :
				WORLD_PROCESSES;

	for (int i = 0; i < end; i++) {
		if (world.processes[i].pid)
			continue;
		world.processes[i] = (struct WorldProcess){ .pid = FIRST_PID + i, .kind = kind };
		return &world.processes[i];
	}
	return NULL;
}

void world_signals(int signo)
{
	struct signalfd_siginfo got = { .ssi_signo = (uint32_t)signo };

	(void)!write(signal_pipe, &got, sizeof(got)); /* full: there is a signal to read anyway */
}

void world_dies(struct WorldProcess *process, int wait_status)
{
	if (process->is_dead)
		return;
	if (process->kind == WORLD_MANAGER && world.link_fd >= 0) {
		(void)close(world.link_fd);
		world.link_fd = -1;
	}
	process->is_dead = true;
	process->wait_status = wait_status;
	world_signals(SIGCHLD);
}

static pid_t reap(struct WorldProcess *process, int *ret_status)
{
	pid_t pid = process->pid;

	*ret_status = process->wait_status;
	process->pid = 0;
	return pid;
}

/* Only PID 1's unreaped children may get a signal. */
int __wrap_kill(pid_t pid, int signo)
{
	struct WorldProcess *process = world_find(pid);

	if (!world.is_active)
		return __real_kill(pid, signo);
	if (pid == getpid()) { /* a signal that PID 1 kept for its next image */
		world_signals(signo);
		return 0;
	}
	if (signo != 0)
		g_assert(process);
	if (!process || signo < 0 || signo >= MOST_SIGNALS) {
		errno = process ? EINVAL : ESRCH;
		return -1;
	}
	if (signo == SIGKILL)
		process->is_killed = true;
	if (signo == SIGUSR1 && process->kind == WORLD_CLOSER && !process->is_immortal)
		world_dies(process, 0);
	if (signo == SIGKILL && !process->is_immortal)
		world_dies(process, SIGKILL);
	return 0;
}

pid_t __wrap_wait4(pid_t pid, int *ret_status, int options, struct rusage *ret_usage)
{
	bool is_there = false;

	if (!world.is_active)
		return __real_wait4(pid, ret_status, options, ret_usage);
	memset(ret_usage, 0, sizeof(*ret_usage));
	for (size_t i = 0; i < WORLD_PROCESSES; i++) {
		is_there = is_there || world.processes[i].pid;
		if (options & WUNTRACED && world.processes[i].pid &&
		    world.processes[i].is_stopped && !world.processes[i].is_dead) {
			world.processes[i].is_stopped = false;
			*ret_status = SIGSTOP << 8 | 0x7f;
			return world.processes[i].pid;
		}
		if (world.processes[i].pid && world.processes[i].is_dead)
			return reap(&world.processes[i], ret_status);
	}
	errno = ECHILD;
	return is_there ? 0 : -1;
}

pid_t __wrap_waitpid(pid_t pid, int *ret_status, int options)
{
	struct WorldProcess *process = world_find(pid);

	if (!world.is_active)
		return __real_waitpid(pid, ret_status, options);
	g_assert(options & WNOHANG);
	errno = ECHILD;
	if (!process)
		return -1;
	return process->is_dead ? reap(process, ret_status) : 0;
}

int __wrap_waitid(idtype_t type, id_t id, siginfo_t *ret_info, int options)
{
	struct WorldProcess *process = world_find((pid_t)id);

	if (!world.is_active)
		return __real_waitid(type, id, ret_info, options);
	g_assert(type == P_PID && options & WNOHANG && options & WNOWAIT);
	if (!process) {
		errno = ECHILD;
		return -1;
	}
	if (process->is_dead)
		ret_info->si_pid = process->pid;
	return 0;
}

/* --- programs --- */

static void check_strings(char *const *strings)
{
	for (; *strings; strings++)
		g_assert(strlen(*strings) < PROTOCOL_MESSAGE_BYTES);
}

static void check_descriptor(int fd)
{
	g_assert(fd < 0 || fcntl(fd, F_GETFD) >= 0);
}

static void check_request(const struct SpawnRequest *r)
{
	g_assert(r->argv[0] && r->n_groups <= PROTOCOL_MAX_GROUPS &&
		 r->n_rlimits <= PROTOCOL_MAX_RLIMITS);
	g_assert(r->n_inherited <= PROTOCOL_MAX_FDS);
	check_strings(r->argv);
	check_strings(r->environment);
	for (int i = 0; i < 3; i++)
		check_descriptor(r->stdio[i]);
	for (uint32_t i = 0; i < r->n_inherited; i++)
		check_descriptor(r->inherited[i]);
	check_descriptor(r->cgroup);
	check_descriptor(r->status);
	g_assert(!r->directory || strlen(r->directory) < PROTOCOL_MESSAGE_BYTES);
	g_assert(!r->is_message || r->argv[0][0] == '/');
}

static enum WorldKind kind_of(const struct SpawnRequest *r)
{
	if (r->is_message)
		return WORLD_SERVICE;
	if (r->argv[1] && strncmp(r->argv[1], "--try-tables=", 13) == 0)
		return WORLD_TRIAL;
	return r->controlling_tty ? WORLD_SHELL : WORLD_MANAGER;
}

/* A manager that was given up may exist, but has no effect any more. */
static void end_as_manager(struct WorldProcess *process)
{
	if (process->kind != WORLD_MANAGER)
		return;
	g_assert(process->is_killed && process->is_immortal);
	process->kind = WORLD_ORPHAN;
	if (world.link_fd >= 0)
		(void)close(world.link_fd);
	world.link_fd = -1;
}

pid_t __wrap_spawn_process(struct SpawnRequest *r)
{
	struct WorldProcess *process = NULL;

	check_request(r);
	errno = world.spawn_error ? world.spawn_error : EAGAIN;
	if (!world.spawn_error)
		process = world_add(kind_of(r));
	world.spawn_error = 0;
	if (!process)
		return -1;
	if (process->kind == WORLD_MANAGER) {
		for (size_t i = 0; i < WORLD_PROCESSES; i++)
			if (&world.processes[i] != process && world.processes[i].pid)
				end_as_manager(&world.processes[i]);
		world.link_fd = fcntl(r->inherited[0], F_DUPFD_CLOEXEC, 3);
		g_assert(world.link_fd >= 0);
	}
	if (process->kind == WORLD_TRIAL && world.trial_status >= 0)
		world_dies(process, world.trial_status);
	return process->pid;
}

/* Some children block in a close. */
pid_t __wrap_spawn_fork(void)
{
	struct WorldProcess *process = NULL;

	if (!world.is_active)
		return __real_spawn_fork();
	errno = EAGAIN;
	if (++world.n_forks % 4 != 0)
		process = world_add(WORLD_CLOSER);
	if (!process)
		return -1;
	/* one at a time */
	process->is_immortal = world.n_forks % 8 == 1 && world_pick(WORLD_CLOSER, 0) == process;
	return process->pid;
}

int __wrap_execve(const char *path, char *const *argv, char *const *environment)
{
	int fd;

	if (!world.is_active)
		return __real_execve(path, argv, environment);
	g_assert(sscanf(argv[1], "--reexec=%d", &fd) == 1 && fcntl(fd, F_GETFD) == 0);
	if (!world.exec_error)
		world.exec(fd);
	errno = world.exec_error;
	return -1;
}

void __wrap_finale_run(enum ShutdownKind kind, const char *reason)
{
	g_assert(kind <= SHUTDOWN_EXIT && *reason);
	world.finale(kind);
}

/* --- time and texts --- */

/* The time never stands still, or no timer would expire. */
uint64_t __wrap_keeper_now_us(void)
{
	return ++world.now_us;
}

void __wrap_console_log(const char *format, ...)
{
	char line[512];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	world.n_stated++;
	if (getenv("KEEPER_WORLD_SAYS"))
		(void)fprintf(stderr, "%s\n", line);
}

/*
 * A link with a small buffer, so that a manager that does not read is noticed after a few messages.
 */
static void narrow_link(int fd)
{
	const int least = 1; /* the kernel has its own minimum */

	if (fd >= 0)
		g_assert(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &least, sizeof(least)) == 0);
}

int __wrap_poll(struct pollfd *fds, nfds_t n, int timeout_ms)
{
	int n_ready;

	if (!world.is_active)
		return __real_poll(fds, n, timeout_ms);
	if (n == 0) {
		world.now_us += (uint64_t)timeout_ms * USEC_PER_MSEC;
		return 0;
	}
	narrow_link(fds[1].fd);
	n_ready = __real_poll(fds, n, 0);
	if (n_ready != 0 || timeout_ms == 0) {
		g_assert(++world.n_turns < MOST_TURNS); /* it spins */
		return n_ready;
	}
	world.n_turns = 0;
	world.rest(timeout_ms);
	return __real_poll(fds, n, 0);
}
