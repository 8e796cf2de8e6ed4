/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Re-exec: the memory (memory.h) goes through the exec.
 *
 * There is no way back after the exec, so a trial checks before it whether the next image can use
 * the memory.
 */
#include "config.h"

#include "keeper/reexec.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "keeper/children.h"
#include "keeper/console.h"
#include "keeper/crash.h"
#include "keeper/disposal.h"
#include "keeper/fd-store.h"
#include "keeper/keeper.h"
#include "keeper/link.h"
#include "keeper/memory.h"
#include "keeper/shutdown.h"
#include "keeper/spawn.h"
#include "keeper/watchdog.h"

/* A descriptor number that is never open, because it is above all limits. */
#define NO_FD 0x3fffffff

#define TRIAL_LIMIT_MS 3000
#define TRIAL_STEP_MS 10

/* The result of the last trial of the installed program. */
static struct {
	bool is_refused;
	int status; /* wait status, or -1 */
} trial;

/*
 * The tables of the previous image, until they are taken over. If a fault comes before that, they
 * are handed on unchanged, but only once, because they may cause the fault.
 */
static struct {
	int fd; /* -1: there are none, or they are taken over */
	bool is_again; /* an earlier image had a fault over them */
} unread = { .fd = -1 };

/* The command line of the next image. */
struct Command {
	char tables[32];
	char faults[32];
	char refused[32];
	char *argv[8]; /* with its NULL */
	size_t argc;
};

static bool is_child(pid_t pid)
{
	return waitid(P_PID, (id_t)pid, &(siginfo_t){ 0 }, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

/*
 * A row belongs to an unreaped child. If a fault came between wait(2) and the row, the exit status
 * is lost. No signal may be sent to the pid any more, because another process may have it.
 */
static void let_go_of_strangers(void)
{
	const struct ChildExit unknown = { .at_us = keeper_now_us() };

	for (struct Child *child = children_next(NULL); child; child = children_next(child)) {
		if (child->flags & CHILD_EXITED)
			continue;
		if (children_find_pid(child->pid) != child || !is_child(child->pid)) {
			child_restore_exited(child, &unknown);
		} else if (child->spawned_at_us == 0) { /* the fault came before the child was permitted to execute its program */
			child->spawned_at_us = unknown.at_us;
			(void)kill(child->pid, SPAWN_MAY_EXEC); /* not reaped yet, so the pid is its own */
		}
	}
}

/*
 * Closes the kept descriptors, because no process knows them any more, and their clients would wait
 * for ever. In a user's keeper the lock goes as well.
 */
static void begin_with_nothing(void)
{
	if (keeper.is_pid1)
		disposal_of_everything();
}

void reexec_expect(int fd)
{
	unread.fd = fd;
}

void reexec_expect_again(void)
{
	unread.is_again = true;
}

void reexec_expect_faults(int n)
{
	keeper.n_crashes = n > 0 ? (uint32_t)n : 0;
	keeper.last_crash_us = keeper_now_us(); /* a fault is why this image was started */
}

void reexec_write_state(void)
{
	struct State *s = memory_state();

	*s = (struct State){
		.generation = link_generation(),
		.last_status = link_last_status(),
		.manager_pid = link_pid(),
		.shutdown_kind = shutdown_kind(),
		.shutdown_left_ms = shutdown_left_ms(keeper_now_us()),
		.watchdog_fd = watchdog_fd(),
	};
	(void)keeper_copy(s->watchdog_request, sizeof(s->watchdog_request), watchdog_request());
	*memory_keeper() = keeper;
}

static bool has_end(const char *field, size_t size)
{
	return memchr(field, '\0', size) != NULL;
}

/* A byte of a bool that is neither 0 nor 1 is invalid. */
static bool byte_is_bool(const bool *value)
{
	unsigned char byte;

	memcpy(&byte, value, sizeof(byte));
	return byte <= 1;
}

/* A fault may have written anything. No value may lead past the end of a field. */
static bool keeper_is_sound(const struct Keeper *k)
{
	if (!byte_is_bool(&k->is_pid1) || !byte_is_bool(&k->user_mode) || !byte_is_bool(&k->container) ||
	    !byte_is_bool(&k->has_reexeced) || k->n_arguments > KEEPER_MAX_ARGUMENTS || k->ping_ms == 0 ||
	    !has_end(k->cgroup_root, sizeof(k->cgroup_root)) || !has_end(k->virtualization, sizeof(k->virtualization)) ||
	    !has_end(k->manager_path, sizeof(k->manager_path)))
		return false;
	for (uint32_t i = 0; i < k->n_arguments; i++)
		if (!has_end(k->arguments[i], sizeof(k->arguments[i])))
			return false;
	return true;
}

static bool state_is_sound(const struct State *s)
{
	return keeper_is_sound(memory_keeper()) && has_end(s->watchdog_request, sizeof(s->watchdog_request)) && s->watchdog_fd >= -1;
}

static void apply_state(const struct State *s)
{
	bool is_pid1 = keeper.is_pid1;
	uint32_t n_crashes = keeper.n_crashes; /* from an argument: the state was written before the fault */

	keeper = *memory_keeper();
	keeper.is_pid1 = is_pid1;
	if (n_crashes > keeper.n_crashes) {
		keeper.n_crashes = n_crashes;
		keeper.last_crash_us = keeper_now_us();
	}
	keeper.user_mode = keeper.user_mode && !is_pid1;
	keeper.has_reexeced = true;
	link_init(s->generation, s->last_status);
	shutdown_begin(s->shutdown_kind, s->shutdown_left_ms, keeper_now_us());
}

/* Returns: whether the tables are taken over. */
static bool take_over(int fd)
{
	unsigned int n_dropped;

	if (!memory_resume(fd, false))
		return false;
	if (!state_is_sound(memory_state())) {
		console_log("the state of the old image is damaged: its tables are not used");
		return false;
	}
	apply_state(memory_state());
	n_dropped = children_resume() + fd_store_resume(false);
	if (n_dropped > 0)
		console_log("%u rows of the old image's tables are damaged, and lost", n_dropped);
	let_go_of_strangers();
	if (memory_state()->watchdog_request[0])
		watchdog_take_over(memory_state()->watchdog_request, memory_state()->watchdog_fd);
	if (memory_state()->manager_pid > 1)
		link_end_old(memory_state()->manager_pid);
	if (memory_fd() >= 0)
		(void)fcntl(memory_fd(), F_SETFD, FD_CLOEXEC); /* it is open */
	return true;
}

bool reexec_resume(void)
{
	const int fd = unread.fd;
	const bool ok = fd >= 0 && take_over(fd);

	unread.fd = -1;
	if (fd > STDERR_FILENO && fd != memory_fd())
		(void)close(fd); /* its contents are in our tables now, or useless */
	if (!ok)
		memory_drop();
	if (fd >= 0 && !ok)
		begin_with_nothing();
	return ok;
}

/* Takes over the tables in the memory of this process. A fault over them does no harm here. */
int reexec_try(int fd)
{
	if (!memory_resume(fd, true) || !state_is_sound(memory_state()) || children_resume() + fd_store_resume(true) > 0)
		return EXIT_FAILURE;
	apply_state(memory_state());
	return REEXEC_CAN_TAKE_OVER;
}

/*
 * Returns: its wait status; -1 if it did not end in time. PID 1 has no manager meanwhile, and
 * nothing else to do.
 */
static int wait_for_trial(pid_t pid)
{
	for (int ms = 0; ms < TRIAL_LIMIT_MS; ms += TRIAL_STEP_MS) {
		int wait_status;

		if (waitpid(pid, &wait_status, WNOHANG) == pid)
			return wait_status;
		(void)poll(NULL, 0, TRIAL_STEP_MS); /* all signals are blocked, so only time ends it */
	}
	(void)kill(pid, SIGKILL); /* not reaped yet; the loop reaps it */
	return -1;
}

/*
 * There is no way back after execve(2). A program that is half installed, lacks a library or does
 * not know our tables would end the machine, or lose what is in the tables. So it is tried first,
 * in a process of its own.
 */
static bool can_take_over(const char *path, int fd)
{
	char program[] = SVCD_SBINDIR "/svcd";
	char option[] = "--try-tables=3"; /* PROTOCOL_LINK_FD: the first inherited descriptor */
	char *argv[] = { program, option, NULL };
	struct SpawnRequest *r = spawn_request_blank();
	int wait_status = -1;
	pid_t pid;

	r->argv = argv;
	r->environment = environ;
	r->inherited[0] = fd;
	r->n_inherited = 1;
	pid = spawn_process(r);
	if (pid > 0)
		wait_status = wait_for_trial(pid);
	if (wait_status >= 0 && WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == REEXEC_CAN_TAKE_OVER)
		return true;
	reexec_set_refusal(wait_status);
	console_log("%s cannot take over; executing the program that runs already", path);
	return false;
}

bool reexec_refusal(int *ret_status)
{
	*ret_status = trial.status;
	return trial.is_refused;
}

void reexec_set_refusal(int status)
{
	trial.is_refused = true;
	trial.status = status;
}

static void add_argument(struct Command *c, char *word)
{
	c->argv[c->argc++] = word;
}

static void command_init(struct Command *c, int tables_fd, bool is_after_fault)
{
	static char name[] = "svcd";
	static char user[] = "--user";

	*c = (struct Command){ .argc = 0 };
	(void)snprintf(c->tables, sizeof(c->tables), "--reexec=%d", tables_fd);
	(void)snprintf(c->faults, sizeof(c->faults), "--faults=%u", (unsigned int)keeper.n_crashes);
	add_argument(c, name);
	add_argument(c, c->tables);
	if (keeper.user_mode)
		add_argument(c, user);
	if (is_after_fault)
		add_argument(c, c->faults);
}

/* Executes the program that runs already. */
static void execute_ourselves(struct Command *c)
{
	(void)snprintf(c->refused, sizeof(c->refused), "--refused=%d", trial.status);
	if (trial.is_refused)
		add_argument(c, c->refused);
	(void)execve("/proc/self/exe", c->argv, environ);
}

/*
 * The installed binary comes first, because it may be newer. In user mode only the program that the
 * user runs.
 */
static void execute(struct Command *c, int fd)
{
	static const char installed[] = SVCD_SBINDIR "/svcd";

	shutdown_signal_again();
	if (!keeper.user_mode && can_take_over(installed, fd))
		(void)execve(installed, c->argv, environ);
	execute_ourselves(c);
}

static void let_through_exec(bool yes)
{
	fd_store_set_cloexec(!yes);
	watchdog_set_cloexec(!yes);
	disposal_set_cloexec(!yes);
}

/* Returns only on failure. */
static void execute_with_ours(bool is_after_fault)
{
	const int fd = memory_fd();
	struct Command c;

	if (fd < 0) {
		console_log("the tables are in no memfd: svcd cannot execute itself again");
		return;
	}
	disposal_now();
	reexec_write_state();
	command_init(&c, fd, is_after_fault);
	let_through_exec(true);
	(void)fcntl(fd, F_SETFD, 0); /* it is open */
	execute(&c, fd);
	console_log("cannot execute svcd again: %s; the running program goes on", strerror(errno));
	let_through_exec(false);
	(void)fcntl(fd, F_SETFD, FD_CLOEXEC); /* it is open */
}

void reexec_now(void)
{
	execute_with_ours(false);
}

/*
 * Tables that are not taken over are unchanged, so the next image gets them. Returns only on
 * failure.
 */
static void hand_on(int fd)
{
	static char again[] = "--again";
	struct Command c;

	command_init(&c, fd, true);
	add_argument(&c, again);
	(void)fcntl(fd, F_SETFD, 0); /* if it is not open the next image reports that */
	let_through_exec(true);
	execute_ourselves(&c);
	console_log("cannot execute svcd again: %s", strerror(errno));
}

/*
 * For the second fault over the same tables, because they may cause it. The next image begins with
 * empty tables.
 */
static void __attribute__((noreturn)) begin_anew(void)
{
	struct Command c;

	command_init(&c, NO_FD, true);
	execute_ourselves(&c);
	console_log("cannot execute svcd again: %s", strerror(errno));
	crash_last_resort();
}

bool reexec_begins_anew(void)
{
	return unread.fd >= 0 && unread.is_again;
}

void reexec_after_fault(void)
{
	if (unread.fd >= 0 && !unread.is_again) {
		console_log("the tables are not read yet: the next image gets them");
		hand_on(unread.fd);
		return;
	}
	if (unread.fd >= 0)
		begin_anew();
	execute_with_ours(true);
}
