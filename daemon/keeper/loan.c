/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Loan: a static table of places, and an eventfd(2) that has a bit for each: no place has two bits under way, so they add up
 * as they are. (A pipe would kill the child of a keeper that is just executing itself again.)
 */
#include "config.h"

#include "keeper/loan.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "keeper/become.h"
#include "keeper/keeper.h"
#include "protocol/protocol.h"

#define PLACES 32

struct Loan {
	pid_t pid; /* 0: free */
	size_t n_fds;
	int fds[PROTOCOL_MAX_FDS];
};

static struct Loan loans[PLACES];
static size_t n_loans;
static int event_fd = -1;

void loan_init(void)
{
	event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (event_fd < LOAN_END)
		return;
	(void)close(event_fd); /* a child would not have it */
	event_fd = -1;
}

int loan_fd(void)
{
	return event_fd;
}

int loan_move_away(int fd)
{
	int moved = fd < LOAN_END ? fcntl(fd, F_DUPFD_CLOEXEC, LOAN_END) : -1;

	if (moved < 0)
		return fd;
	(void)close(fd); /* it is there twice */
	return moved;
}

int loan_find_place(const int *fds, size_t n_fds)
{
	if (event_fd < 0 || keeper_null_fd >= LOAN_END || n_loans == PLACES || n_fds > PROTOCOL_MAX_FDS)
		return -1;
	for (size_t i = 0; i < n_fds; i++)
		if (fds[i] >= LOAN_END)
			return -1;
	for (int place = 0; place < PLACES; place++)
		if (loans[place].pid == 0)
			return place;
	return -1;
}

void loan_give(int place, pid_t pid, const int *fds, size_t n_fds)
{
	struct Loan *loan = &loans[place];

	loan->pid = pid;
	loan->n_fds = n_fds;
	memcpy(loan->fds, fds, n_fds * sizeof(*fds));
	n_loans++;
}

static void end(struct Loan *loan)
{
	for (size_t i = 0; i < loan->n_fds; i++)
		(void)close(loan->fds[i]); /* the child has its own */
	loan->pid = 0;
	n_loans--;
}

void loan_collect(void)
{
	uint64_t bits = 0;

	if (n_loans == 0 || read(event_fd, &bits, sizeof(bits)) != (ssize_t)sizeof(bits))
		return;
	for (int place = 0; place < PLACES; place++)
		if (bits & UINT64_C(1) << place && loans[place].pid != 0) {
			const pid_t pid = loans[place].pid; /* unreaped, or its loan had ended */

			end(&loans[place]);
			(void)kill(pid, BECOME_MAY_EXEC);
		}
}

void loan_on_exit(pid_t pid)
{
	loan_collect(); /* or its bit would be taken for that of the next one in its place */
	for (int place = 0; n_loans > 0 && place < PLACES; place++)
		if (loans[place].pid == pid)
			end(&loans[place]);
}

void loan_release_all(void)
{
	for (int place = 0; n_loans > 0 && place < PLACES; place++)
		if (loans[place].pid != 0)
			(void)kill(loans[place].pid, BECOME_MAY_EXEC);
}
