/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Re-exec: the tables (snapshot.c) go through the exec in a memfd. They are read back before it: after it there is no way back.
 */
#include "config.h"

#include "keeper/reexec.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "keeper/children.h"
#include "keeper/console.h"
#include "keeper/disposal.h"
#include "keeper/keeper.h"
#include "keeper/shutdown.h"
#include "keeper/snapshot.h"
#include "keeper/spawn.h"
#include "keeper/vault.h"
#include "keeper/watchdog.h"

#define TRIAL_LIMIT_MS 3000
#define TRIAL_STEP_MS 10

#define MAP_TRIES 100
#define MAP_STEP_MS 100

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

/* All services are in them, so a moment without memory is waited out. */
static void *map_in_time(int fd, size_t size)
{
	for (int i = 0;; i++) {
		void *table = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);

		if (table != MAP_FAILED || errno != ENOMEM || i == MAP_TRIES)
			return table;
		if (i == 0)
			say("no memory to read the tables of the old image; trying again for ten seconds");
		(void)poll(NULL, 0, MAP_STEP_MS);
	}
}

/* Returns: the tables in @fd, to be unmapped; NULL if there are none (and says so). */
static void *map_tables(int fd, size_t *ret_size)
{
	struct stat st;
	void *table;

	if (fstat(fd, &st) < 0 || st.st_size <= 0) {
		say("no tables in descriptor %d", fd);
		return NULL;
	}
	table = map_in_time(fd, (size_t)st.st_size);
	if (table == MAP_FAILED) {
		say("cannot read the tables of the old image: %s", strerror(errno));
		return NULL;
	}
	*ret_size = (size_t)st.st_size;
	return table;
}

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

	for (struct Child *child = children_next(NULL); child; child = children_next(child))
		if (!(child->flags & CHILD_EXITED) && (children_find_pid(child->pid) != child || !is_child(child->pid)))
			child_restore_exited(child, &unknown);
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

/* Returns: whether the tables are ours now. */
static bool take_over(int fd)
{
	size_t size;
	void *table = map_tables(fd, &size);
	bool ok;

	if (!table)
		return false;
	(void)fcntl(fd, F_SETFD, FD_CLOEXEC); /* it is open, and none of what was kept */
	ok = snapshot_check(table, size);
	if (ok) {
		snapshot_apply(table, size);
		vault_set_cloexec(true);
		let_go_of_strangers();
	} else {
		say("the tables of the old image are damaged or of another version: they are not used");
	}
	(void)munmap(table, size); /* cannot fail for a mapping we made */
	return ok;
}

bool reexec_resume(void)
{
	int fd = unread.fd;
	bool ok = fd >= 0 && take_over(fd);

	unread.fd = -1;
	if (fd > STDERR_FILENO)
		(void)close(fd); /* its contents are in our tables now, or useless */
	if (fd >= 0 && !ok)
		begin_with_nothing();
	return ok;
}

/* What is only memory is taken over, too: a fault over it is better had here. */
int reexec_try(int fd)
{
	size_t size;
	void *table = map_tables(fd, &size);

	if (!table || !snapshot_check(table, size))
		return EXIT_FAILURE;
	snapshot_apply_memory(table, size);
	return REEXEC_CAN_TAKE_OVER;
}

/* Returns: a memfd with the tables, checked; or -1. */
static int save(void)
{
	size_t size = snapshot_encode(NULL, 0);
	int fd = memfd_create("svcd-tables", MFD_ALLOW_SEALING); /* not CLOEXEC: it is to survive */
	void *table = MAP_FAILED;
	bool ok = false;

	if (fd >= 0 && ftruncate(fd, (off_t)size) == 0)
		table = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (table != MAP_FAILED) {
		ok = snapshot_encode(table, size) == size && snapshot_check(table, size);
		(void)munmap(table, size); /* cannot fail for a mapping we made */
	}
	if (ok) {
		/* A program on trial has the descriptor too: what was checked stays as it is. */
		(void)fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
		return fd;
	}
	say("cannot save the tables for a re-exec: %s", strerror(errno));
	if (fd >= 0)
		(void)close(fd); /* useless */
	return -1;
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
	vault_set_cloexec(!yes);
	watchdog_set_cloexec(!yes);
	disposal_set_cloexec(!yes);
}

/* Returns only if it cannot. */
static void execute_with_ours(bool is_after_fault)
{
	struct Command c;
	int fd;

	disposal_now();
	fd = save();
	if (fd < 0)
		return;
	command_init(&c, fd, is_after_fault);
	let_through_exec(true);
	execute(&c, fd);
	say("cannot execute myself again: %s; going on as I am", strerror(errno));
	let_through_exec(false);
	(void)close(fd); /* useless now */
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

void reexec_after_fault(void)
{
	if (unread.fd >= 0 && !unread.is_again) {
		say("the tables are not read yet: the next one is to read them");
		hand_on(unread.fd);
		return;
	}
	if (unread.fd >= 0 && keeper.is_pid1)
		(void)close_range(STDERR_FILENO + 1, ~0u, CLOSE_RANGE_CLOEXEC); /* what is not ours by now will be nobody's */
	execute_with_ours(true);
}
