/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Re-exec: the memory (memory.h) goes through the exec. Whether the next image can use it is tried before, because after it there is no way back.
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

/* The number of a descriptor that is not open: above all limits. */
#define NO_FD 0x3fffffff

#define TRIAL_LIMIT_MS 3000
#define TRIAL_STEP_MS 10

/* What the installed program was worth when it was tried last. */
static struct {
	bool is_refused;
	int status; /* wait status, or -1 */
} trial;

/*
 * The tables that the image before has left to us, until they are in ours. A fault before that is not the end of them: they
 * are handed on as they are. Once: they may be what the fault comes from.
 */
static struct {
	int fd; /* -1: there are none, or they are in ours */
	bool is_again; /* an image before us had a fault over them */
} unread = { .fd = -1 };

/* How we are executed. */
struct Command {
	char tables[32];
	char faults[32];
	char refused[32];
	char *argv[8]; /* its end included */
	size_t argc;
};

static bool is_child(pid_t pid)
{
	return waitid(P_PID, (id_t)pid, &(siginfo_t){ 0 }, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

/*
 * A row is of a child of ours that was not reaped, and a child has one. If a fault came between wait(2) and the row, how it ended is
 * lost; but nothing may be sent to its pid any more, for that may be another's by now.
 */
static void let_go_of_strangers(void)
{
	const struct ChildExit unknown = { .at_us = keeper_now_us() };

	for (struct Child *child = children_next(NULL); child; child = children_next(child)) {
		if (child->flags & CHILD_EXITED)
			continue;
		if (children_find_pid(child->pid) != child || !is_child(child->pid)) {
			child_restore_exited(child, &unknown);
		} else if (child->spawned_at_us == 0) { /* the fault came before it was permitted to execute its program */
			child->spawned_at_us = unknown.at_us;
			(void)kill(child->pid, SPAWN_MAY_EXEC); /* unreaped */
		}
	}
}

/* What was kept is known to nobody any more, and who waits for its end would wait for ever. A user's keeper has its lock there, too. */
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
	keeper.last_crash_us = keeper_now_us(); /* that is what we are here for */
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

/* Of a bool: anything else in its byte is no value of one. */
static bool byte_is_bool(const bool *value)
{
	unsigned char byte;

	memcpy(&byte, value, sizeof(byte));
	return byte <= 1;
}

/* A fault of ours may have left anything; nothing of it may lead past the end of a field. */
static bool keeper_is_sound(const struct Keeper *k)
{
	if (!byte_is_bool(&k->is_pid1) || !byte_is_bool(&k->user_mode) || !byte_is_bool(&k->container) ||
	    !byte_is_bool(&k->has_reexeced) || k->n_words > KEEPER_MAX_WORDS || k->ping_ms == 0 ||
	    !has_end(k->cgroup_root, sizeof(k->cgroup_root)) || !has_end(k->virtualization, sizeof(k->virtualization)) ||
	    !has_end(k->manager_path, sizeof(k->manager_path)))
		return false;
	for (uint32_t i = 0; i < k->n_words; i++)
		if (!has_end(k->words[i], sizeof(k->words[i])))
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
	uint32_t n_crashes = keeper.n_crashes; /* an argument: the state cannot know of a fault since it was written */

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

/* Returns: whether the tables are ours now. */
static bool take_over(int fd)
{
	unsigned int n_dropped;

	if (!memory_resume(fd, false))
		return false;
	if (!state_is_sound(memory_state())) {
		say("the state of the old image is damaged: its tables are not used");
		return false;
	}
	apply_state(memory_state());
	n_dropped = children_resume() + fd_store_resume(false);
	if (n_dropped > 0)
		say("%u rows of the old image's tables are damaged, and lost", n_dropped);
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

/* The tables are taken over, too, in the memory of this process: a fault over them is better had here. */
int reexec_try(int fd)
{
	if (!memory_resume(fd, true) || !state_is_sound(memory_state()) || children_resume() + fd_store_resume(true) > 0)
		return EXIT_FAILURE;
	apply_state(memory_state());
	return REEXEC_CAN_TAKE_OVER;
}

/* Returns: its wait status; -1 if it did not end in time. PID 1 has no manager now, and nothing else to do. */
static int wait_for_trial(pid_t pid)
{
	for (int ms = 0; ms < TRIAL_LIMIT_MS; ms += TRIAL_STEP_MS) {
		int wait_status;

		if (waitpid(pid, &wait_status, WNOHANG) == pid)
			return wait_status;
		(void)poll(NULL, 0, TRIAL_STEP_MS); /* all signals are blocked: only time ends it */
	}
	(void)kill(pid, SIGKILL); /* unreaped, so it is there; the loop reaps it */
	return -1;
}

/*
 * After execve(2) there is no way back: a half installed program, one whose libraries are missing or one that does not
 * know our tables would be the end of the machine, or of what we know. So it is tried first, in a process of its own.
 */
static bool can_take_over(const char *path, int fd)
{
	char program[] = SVCD_SBINDIR "/svcd";
	char option[] = "--try-tables=3"; /* PROTOCOL_LINK_FD: where the first inherited descriptor is */
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
	say("%s cannot take over; executing the program that runs already", path);
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

static void add_word(struct Command *c, char *word)
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
	add_word(c, name);
	add_word(c, c->tables);
	if (keeper.user_mode)
		add_word(c, user);
	if (is_after_fault)
		add_word(c, c->faults);
}

/* The program that runs already. */
static void execute_ourselves(struct Command *c)
{
	(void)snprintf(c->refused, sizeof(c->refused), "--refused=%d", trial.status);
	if (trial.is_refused)
		add_word(c, c->refused);
	(void)execve("/proc/self/exe", c->argv, environ);
}

/* The installed binary first: it may be newer than we are. In user mode only what the user runs. */
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

/* Returns only if it cannot. */
static void execute_with_ours(bool is_after_fault)
{
	const int fd = memory_fd();
	struct Command c;

	if (fd < 0) {
		say("the tables are in no memfd: svcd cannot execute itself again");
		return;
	}
	disposal_now();
	reexec_write_state();
	command_init(&c, fd, is_after_fault);
	let_through_exec(true);
	(void)fcntl(fd, F_SETFD, 0); /* it is open */
	execute(&c, fd);
	say("cannot execute myself again: %s; going on as I am", strerror(errno));
	let_through_exec(false);
	(void)fcntl(fd, F_SETFD, FD_CLOEXEC); /* it is open */
}

void reexec_now(void)
{
	execute_with_ours(false);
}

/* What is not taken over yet is still as it came; what is goes on with it. Returns only if it cannot. */
static void hand_on(int fd)
{
	static char again[] = "--again";
	struct Command c;

	command_init(&c, fd, true);
	add_word(&c, again);
	(void)fcntl(fd, F_SETFD, 0); /* if it is none the next image says so */
	let_through_exec(true);
	execute_ourselves(&c);
	say("cannot execute myself again: %s", strerror(errno));
}

/* Twice: the tables may be what the fault comes from. The next image finds none, and begins with nothing. */
static void __attribute__((noreturn)) begin_anew(void)
{
	struct Command c;

	command_init(&c, NO_FD, true);
	execute_ourselves(&c);
	say("cannot execute myself again: %s", strerror(errno));
	crash_last_resort();
}

bool reexec_begins_anew(void)
{
	return unread.fd >= 0 && unread.is_again;
}

void reexec_after_fault(void)
{
	if (unread.fd >= 0 && !unread.is_again) {
		say("the tables are not read yet: the next one is to read them");
		hand_on(unread.fd);
		return;
	}
	if (unread.fd >= 0)
		begin_anew();
	execute_with_ours(true);
}
