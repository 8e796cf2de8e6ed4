/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Processes: moves, signals and names processes for svc-systemd1.
 */
#ifndef SVCD_SESSION_PROCESSES_H
#define SVCD_SESSION_PROCESSES_H

#include <stdbool.h>
#include <sys/types.h>

/* The process of a pidfd; 0 if it has ended. */
pid_t process_of_pidfd(int fd);

void process_signal(pid_t pid, int number);

/**
 * processes_attach() - move processes of a user to a group below the user's own manager
 * @uid: of the caller
 * @caller: must be in the cgroup of the user's manager
 * @below: relative to that cgroup; begins with a slash
 * Returns: false, with the reason printed, if one is not the user's.
 */
bool processes_attach(uid_t uid, pid_t caller, const char *below, char *const *pids);

/* Prints that @caller has called an unknown member. */
void process_report_call(const char *member, pid_t caller);

#endif
