/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Usage: the resource usage of services at one moment, from their cgroups, and between two moments.
 */
#ifndef SVCD_SVCCTL_USAGE_H
#define SVCD_SVCCTL_USAGE_H

#include "svcctl/processes.h"
#include "svcctl/svcctl.h"

typedef struct ServiceUse {
	char *name;
	char *state;
	bool has_cgroup;
	GPtrArray *processes; /* Process *, parents before children */
	/* of all processes that ever ran in the cgroup; without one, of the running processes */
	int64_t cpu_us;
	/* of the cgroup; without one, the resident memory of its processes */
	uint64_t memory_bytes;
} ServiceUse;

/**
 * usage_take() - services that have processes
 * @names: only these, as expand_names() returns them; NULL or empty: all
 * Returns: a new array of ServiceUse *, by name; NULL with @error.
 */
GPtrArray *usage_take(Context *context, char *const *names, GError **error);

/* The service of that name in @sample, or NULL. */
const ServiceUse *usage_find(const GPtrArray *sample, const char *name);

/**
 * usage_check_names() - does each named service have processes? A pattern may match services
 * without processes.
 * Returns: false with NOT_UP or NO_SUCH_SERVICE.
 */
bool usage_check_names(Context *context, char *const *names, const GPtrArray *sample,
		       GError **error);

/*
 * The name of a user, or its number; borrowed from the cache @users, a table that begins empty
 * (GHashTable of g_free).
 */
const char *usage_user(GHashTable *users, uid_t uid);

/* "├─ 614 /usr/sbin/cupsd": a line of a process tree; a new string. */
char *usage_process_line(const Output *output, const Process *process, const char *text);

#endif
