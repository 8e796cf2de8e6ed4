/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * FD store: the tables of notes and descriptors (memory.h), and the disposal, a list of descriptors
 * that children close.
 */
#include "config.h"

#include "keeper/fd-store.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "keeper/console.h"
#include "keeper/memory.h"
#include "keeper/spawn.h"

static struct Note *note_row(unsigned int n)
{
	return table_row(TABLE_NOTES, n);
}

static struct KeptFd *fd_row(unsigned int n)
{
	return table_row(TABLE_FDS, n);
}

/* --- notes --- */

/*
 * The new note is complete before the old one is removed, so a fault loses neither. Without room
 * for both, the old one is overwritten.
 */
int note_set(const char *service, const char *text)
{
	const size_t length = strnlen(text, PROTOCOL_NOTE_BYTES);
	const unsigned int old = table_find(TABLE_NOTES, service);
	unsigned int n = 0;

	if (length == PROTOCOL_NOTE_BYTES)
		return E2BIG;
	if (service[0] == '\0' || strlen(service) >= PROTOCOL_KEEP_NAME_BYTES)
		return EINVAL;
	if (length > 0 && table_count(TABLE_NOTES) < PROTOCOL_MAX_NOTES)
		n = table_add(TABLE_NOTES, service);
	if (length > 0 && n == 0 && (n = old) == 0)
		return ENOSPC;
	if (n) {
		row_set_mark(&note_row(n)->row, ROW_CHANGING);
		memcpy(note_row(n)->text, text, length + 1);
		row_set_mark(&note_row(n)->row, ROW_USED);
	}
	if (old && old != n)
		table_remove(TABLE_NOTES, old);
	return 0;
}

const char *note_find(const char *service)
{
	const unsigned int n = table_find(TABLE_NOTES, service);

	return n ? note_row(n)->text : NULL;
}

const char *note_at(unsigned int n, const char **ret_service)
{
	*ret_service = note_row(n)->row.name;
	return note_row(n)->row.mark == ROW_USED ? note_row(n)->text : NULL;
}

/* An incomplete note is dropped: the service loses its history, not its process. */
static bool note_is_sound(void *row)
{
	const struct Note *note = row;

	return note->row.mark == ROW_USED && note->text[0] &&
	       memchr(note->text, '\0', sizeof(note->text)) &&
	       !table_find(TABLE_NOTES, note->row.name);
}

/* --- disposal --- */

#define MAX_LISTED PROTOCOL_MAX_KEPT_FDS
#define MAX_CLOSERS 64
#define STACK_BYTES (16 * 1024)

/*
 * The next child is started when the newest child has ended, or after this time. By then the newest
 * child has closed its copies of all other descriptors.
 */
#define NEXT_CLOSER_US (500 * USEC_PER_MSEC)
#define NEXT_CLOSER_OF_CROWD_US (60 * USEC_PER_SEC)
#define REFUSED_PAUSE_US (100 * USEC_PER_MSEC)

/*
 * A service's child that was cloned a moment earlier has copies, too, until it closes them. If its
 * close of a descriptor were the last one, the start of the service could hang.
 */
#define CLOSE_DELAY_MS 100

#define START_LIMIT_US \
	(10 * USEC_PER_SEC) /* no signal within this time: PID 1 had a fault before its kill(2) */
#define HELPER_LIMIT_US (100 * USEC_PER_MSEC)

static int listed[MAX_LISTED];
static unsigned int n_listed;
static int held[PROTOCOL_MAX_FDS];
static unsigned int n_held;
/* children that have not ended; if there are more, the last entry is replaced */
static pid_t closers[MAX_CLOSERS];
static unsigned int n_closers;
static pid_t newest;
static uint64_t next_us; /* the earliest start of the next child */

static int close_each(void *data)
{
	(void)data;
	for (unsigned int i = 0; i < n_listed; i++)
		(void)close(listed[i]); /* EBADF: an earlier helper has closed it, or hangs in it */
	return 0;
}

/*
 * Closes all other descriptors first, so that a child that hangs keeps nothing else open. PID 1
 * sends SIGUSR1 when it has closed its own copies. A helper process, which shares the table of
 * descriptors, closes one after the other. close(2) takes a descriptor out of the table before it
 * can wait. So if the helper hangs, another one goes on with the next descriptor.
 */
static void __attribute__((noreturn)) run_closer(bool is_urgent)
{
	static char stack[STACK_BYTES] __attribute__((aligned(16)));

	(void)prctl(PR_SET_NAME, "svcd-close");
	keeper_close_others(0, listed, n_listed);
	keeper_wait_for_signal(SIGUSR1, START_LIMIT_US);
	if (!is_urgent)
		(void)poll(NULL, 0, CLOSE_DELAY_MS); /* all signals are blocked */
	for (unsigned int i = 0; i < n_listed; i++) {
		pid_t pid = clone(close_each, stack + STACK_BYTES, CLONE_FILES | SIGCHLD, NULL);

		if (pid < 0)
			/* without a helper, a descriptor that hangs keeps the rest open */
			(void)close_each(NULL);
		keeper_wait_for_signal(SIGCHLD, HELPER_LIMIT_US);
		if (pid < 0 || waitpid(pid, NULL, WNOHANG) == pid)
			break;
	}
	while (waitpid(-1, NULL, 0) > 0)
		; /* PID 1 counts its children, so this one stays as long as its helpers */
	_exit(0);
}

static void start_closer(uint64_t now_us, bool is_urgent)
{
	static bool reported_crowd;
	pid_t pid = spawn_fork();

	if (pid == 0)
		run_closer(is_urgent);
	next_us = now_us + REFUSED_PAUSE_US;
	if (pid < 0)
		return;
	(void)close_each(NULL); /* the child keeps its copies until the signal */
	n_listed = 0;
	(void)kill(pid, SIGUSR1); /* not reaped yet */
	newest = pid;
	next_us = now_us + NEXT_CLOSER_US;
	if (n_closers < MAX_CLOSERS)
		n_closers++;
	closers[n_closers - 1] = pid;
	if (n_closers < MAX_CLOSERS)
		return;
	next_us = now_us + NEXT_CLOSER_OF_CROWD_US;
	if (!reported_crowd)
		console_log("%d processes named svcd-close hang while they close descriptors of "
			    "services: one more is started each minute",
			    MAX_CLOSERS);
	reported_crowd = true;
}

void disposal_add(int fd)
{
	if (n_listed == MAX_LISTED)
		start_closer(keeper_now_us(), false);
	if (n_listed < MAX_LISTED)
		listed[n_listed++] = fd;
	else
		console_log("no child can be started to close descriptors of services: one "
			    "descriptor stays open");
}

void disposal_hold(int fd)
{
	if (n_held == PROTOCOL_MAX_FDS)
		disposal_release();
	held[n_held++] = fd;
}

void disposal_release(void)
{
	while (n_held > 0)
		disposal_add(held[--n_held]);
}

void disposal_tick(uint64_t now_us)
{
	if (n_listed > 0 && now_us >= next_us)
		start_closer(now_us, false);
}

uint64_t disposal_next_us(void)
{
	return n_listed > 0 ? next_us : NEVER_US;
}

void disposal_now(void)
{
	disposal_release();
	if (n_listed > 0)
		/* no service is started any more, so no child has copies */
		start_closer(keeper_now_us(), true);
}

void disposal_of_everything(void)
{
	pid_t pid = spawn_fork();

	if (pid == 0) {
		keeper_wait_for_signal(SIGUSR1, START_LIMIT_US);
		_exit(0);
	}
	/* the child has a copy of each descriptor; if the fork failed, this may wait */
	console_close_others();
	if (pid > 0)
		(void)kill(pid, SIGUSR1); /* not reaped yet */
}

void disposal_on_exit(pid_t pid)
{
	unsigned int i = 0;

	while (i < n_closers && closers[i] != pid)
		i++;
	if (i == n_closers)
		return;
	if (pid == newest || n_closers == MAX_CLOSERS)
		next_us = 0;
	closers[i] = closers[--n_closers];
}

/* --- descriptors --- */

int fd_store_keep(const char *name, int fd)
{
	unsigned int n = table_find(TABLE_FDS, name);
	const bool is_full = table_count(TABLE_FDS) == PROTOCOL_MAX_KEPT_FDS;

	if (n) {
		const int old = fd_row(n)->fd;

		fd_row(n)->fd = fd;
		disposal_add(old);
		return 0;
	}
	n = is_full ? 0 : table_add(TABLE_FDS, name);
	if (!n) {
		disposal_add(fd);
		return is_full ? ENOSPC : EINVAL;
	}
	fd_row(n)->fd = fd;
	row_set_mark(&fd_row(n)->row, ROW_USED);
	return 0;
}

int fd_store_find(const char *name)
{
	const unsigned int n = table_find(TABLE_FDS, name);

	return n ? fd_row(n)->fd : -1;
}

/* Returns: the descriptor, which the caller owns now, or -1. */
static int take_fd(const char *name)
{
	const int fd = fd_store_find(name);

	if (fd >= 0)
		table_remove(TABLE_FDS, table_find(TABLE_FDS, name));
	return fd;
}

void fd_store_forget(const char *name)
{
	const int fd = take_fd(name);

	if (fd >= 0)
		disposal_add(fd);
}

void fd_store_close_ended(const char *name)
{
	const int fd = take_fd(name);

	if (fd >= 0)
		(void)close(fd); /* it is open */
}

int fd_store_at(unsigned int n, const char **ret_name)
{
	*ret_name = fd_row(n)->row.name;
	return fd_row(n)->row.mark == ROW_USED ? fd_row(n)->fd : -1;
}

void fd_store_set_cloexec(bool cloexec)
{
	const int flags = cloexec ? FD_CLOEXEC : 0;
	const char *name;

	for (unsigned int n = 1; n <= table_last(TABLE_FDS); n++) {
		const int fd = fd_store_at(n, &name);

		if (fd >= 0 && fcntl(fd, F_SETFD, flags) < 0)
			table_remove(TABLE_FDS, n); /* another descriptor may soon get its number */
	}
	for (unsigned int i = 0; i < n_listed; i++)
		(void)fcntl(listed[i], F_SETFD, flags); /* they are open */
}

void fd_store_close(void)
{
	const char *name;

	for (unsigned int n = 1; n <= table_last(TABLE_FDS); n++)
		if (fd_store_at(n, &name) >= 0)
			fd_store_forget(name);
}

static bool fd_is_sound(void *row)
{
	const struct KeptFd *kept = row;

	return kept->row.mark == ROW_USED && kept->fd > STDERR_FILENO &&
	       !table_find(TABLE_FDS, kept->row.name);
}

/*
 * Takes over a descriptor that is open, and sets FD_CLOEXEC, so that it is never taken over twice.
 * The flag is not set before the row is taken over. Otherwise the descriptor would be lost if the
 * tables had to be handed on unchanged.
 */
static bool fd_is_ours(void *row)
{
	const struct KeptFd *kept = row;

	if (!fd_is_sound(row))
		return false;
	if (fcntl(kept->fd, F_GETFD) != 0) {
		console_log("the descriptor %s is not open any more", kept->row.name);
		return false;
	}
	(void)fcntl(kept->fd, F_SETFD, FD_CLOEXEC); /* cannot fail, it is open */
	return true;
}

unsigned int fd_store_resume(bool is_trial)
{
	return table_resume(TABLE_NOTES, note_is_sound) +
	       table_resume(TABLE_FDS, is_trial ? fd_is_sound : fd_is_ours);
}
