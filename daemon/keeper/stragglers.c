/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stragglers: see stragglers.h. A few pids; their names are read when they are said.
 */
#include "config.h"

#include "keeper/stragglers.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "keeper/cgroup.h"
#include "keeper/children.h"
#include "keeper/console.h"
#include "keeper/keeper.h"

#define MAX_NAMED 8

static pid_t named[MAX_NAMED];
static unsigned int n_found;

void stragglers_forget(void)
{
	n_found = 0;
}

void stragglers_note(pid_t pid)
{
	if (n_found < MAX_NAMED)
		named[n_found] = pid;
	n_found++;
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
	for (unsigned int i = 0; i < n_found && i < MAX_NAMED && length + 1 < size; i++) {
		read_name(named[i], name, sizeof(name));
		length += (size_t)snprintf(list + length, size - length, "%s%s (%d)", i > 0 ? ", " : "", name, (int)named[i]);
		if (length + 1 < size && find_service(named[i], service, sizeof(service)))
			length += (size_t)snprintf(list + length, size - length, " of %s", service);
	}
	if (n_found > MAX_NAMED && length + 1 < size)
		(void)snprintf(list + length, size - length, ", and %u more", n_found - MAX_NAMED);
}

void stragglers_say(int signo, uint64_t left_us)
{
	const char *next = signo == SIGKILL ? "going on without them" : "killed";
	char list[480]; /* eight names and pids fit, and so do their services, but for long ones */

	if (n_found == 0)
		return;
	list_names(list, sizeof(list));
	say("%u process%s not ended yet: %s; %s in %u s", n_found, n_found == 1 ? " has" : "es have", list, next,
	    (unsigned int)((left_us + USEC_PER_SEC - 1) / USEC_PER_SEC));
}
