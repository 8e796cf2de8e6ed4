/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Spec: parses the manager's specification (protocol/exec-protocol.h) into plain lists of strings.
 */
#ifndef SVCD_EXEC_SPEC_H
#define SVCD_EXEC_SPEC_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol/exec-protocol.h"
#include "sandbox/sandbox.h"

/* The strings point into the specification, which stays in memory until exec. */
struct StringList {
	const char **items; /* ends with NULL unless it is empty */
	size_t n;
};

struct EnvironmentFileSpec {
	const char *path;
	bool optional;
};

/* Every field is the record of the same name in protocol/exec-protocol.h. */
struct Spec {
	char *bytes;
	uint64_t given; /* bit n: a record of type n exists */
	struct StringList argv;
	struct StringList environment;
	struct StringList settings;
	struct StringList fixed;
	struct StringList supplementary;
	struct EnvironmentFileSpec *files;
	size_t n_files;
	const char *user;
	const char *group;
	const char *tty;
	const char *input;
	const char *directory;
	const char *socket_names;
	uint32_t n_sockets;
	uint32_t ready_number;

	uint32_t cpu_policy;
	uint32_t cpu_priority;
	uint32_t io_priority;
	cpu_set_t cpus;

	struct Sandbox sandbox; /* from the records with sandbox keys */
	uint32_t main_pid;
	const char *private_tmp;

	struct StringList removals;
};

static inline bool spec_has(const struct Spec *spec, enum ExecSpecType type)
{
	return spec->given & (UINT64_C(1) << type);
}

/* Is there no command, but a directory to remove? */
bool spec_is_removal(const struct Spec *spec);

/**
 * spec_read() - read and check the whole of @fd
 * Returns: 0 or an errno; EINVAL for any input that our own manager would not write.
 */
int spec_read(int fd, struct Spec *ret);

/* Returns: false if memory is exhausted. */
bool string_list_add(struct StringList *list, const char *item);

#endif
