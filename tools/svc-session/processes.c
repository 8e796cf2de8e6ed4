/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Processes: see processes.h.
 */
#include "config.h"

#include "svc-session/processes.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "svc-session/cgroup.h"

static bool refuse(const char *reason)
{
	(void)fprintf(stderr, "svc-session: AttachProcessesToUnit: %s\n", reason);
	return false;
}

pid_t process_of_pidfd(int fd)
{
	char path[64];
	char line[256];
	int pid = 0;
	FILE *file;

	(void)snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof line, file) && sscanf(line, "Pid: %d", &pid) != 1)
		;
	if (file)
		(void)fclose(file);
	return pid > 0 ? pid : 0;
}

void process_signal(pid_t pid, int number)
{
	(void)kill(pid, number); /* it may have ended */
}

static bool belongs_to(pid_t pid, uid_t uid)
{
	char path[64];
	struct stat status;

	(void)snprintf(path, sizeof path, "/proc/%d", pid);
	return pid > 0 && stat(path, &status) == 0 && status.st_uid == uid;
}

/* In "0::/path" the path begins with that of the user's manager. */
static bool is_in_manager(pid_t pid, const char *manager)
{
	char path[64];
	char line[PATH_MAX];
	bool is_found = false;
	FILE *file;

	(void)snprintf(path, sizeof path, "/proc/%d/cgroup", pid);
	file = fopen(path, "re");
	while (file && !is_found && fgets(line, sizeof line, file)) {
		line[strcspn(line, "\n")] = '\0';
		is_found = strncmp(line, "0::/", 4) == 0 &&
			   strncmp(line + 4, manager, strlen(manager)) == 0 &&
			   (line[4 + strlen(manager)] == '/' || !line[4 + strlen(manager)]);
	}
	if (file)
		(void)fclose(file);
	return is_found;
}

bool processes_attach(uid_t uid, pid_t caller, const char *below, char *const *pids)
{
	char manager[128];
	char group[PATH_MAX + sizeof manager];

	(void)snprintf(manager, sizeof manager, "user.slice/user-%u.slice/user@%u.service", uid,
		       uid);
	if (!is_in_manager(caller, manager))
		return refuse("the caller is not the manager of a user");
	if (*below != '/' || strstr(below, "/.") || strstr(below, "//") ||
	    strlen(below) >= PATH_MAX)
		return refuse("the path is not valid");
	(void)snprintf(group, sizeof group, "%s%s", manager, below);
	for (; *pids; pids++) {
		const pid_t pid = (pid_t)strtol(*pids, NULL, 10);

		if (!belongs_to(pid, uid))
			return refuse("the process belongs to another user");
		if (!cgroup_add_process(group, pid))
			return false;
	}
	return true;
}

void process_report_call(const char *member, pid_t caller)
{
	char path[64];
	char name[64] = "unknown";
	FILE *file;

	(void)snprintf(path, sizeof path, "/proc/%d/comm", caller);
	file = fopen(path, "re");
	if (file && fgets(name, sizeof name, file))
		name[strcspn(name, "\n")] = '\0';
	if (file)
		(void)fclose(file);
	(void)fprintf(stderr,
		      "svc-systemd1: %s was called by %s (process %d), and does not exist here\n",
		      member, name, caller);
}
