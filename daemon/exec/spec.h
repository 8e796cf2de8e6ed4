/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Spec: reads the specification that the manager wrote (protocol/exec-spec.h) into plain lists of strings.
 */
#ifndef SVCD_EXEC_SPEC_H
#define SVCD_EXEC_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Strings point into the specification, which stays in memory until exec. */
struct StringList {
	const char **items; /* ends with NULL once something is in it */
	size_t n;
};

struct EnvironmentFileSpec {
	const char *path;
	bool optional;
};

struct Spec {
	char *bytes;
	struct StringList argv;
	struct StringList environment;
	struct StringList settings;
	struct StringList fixed;
	struct StringList supplementary;
	struct StringList runtime_directories;
	struct EnvironmentFileSpec *files;
	size_t n_files;
	const char *user;
	const char *group;
	const char *tty;
	const char *directory;
	uint32_t runtime_mode;
	uint32_t ready_number;
	bool has_ready;
};

/**
 * spec_read() - read and check the whole of @fd
 * Returns: 0 or an errno; EINVAL for anything that our own manager would not write.
 */
int spec_read(int fd, struct Spec *ret);

/* Returns: false without memory. */
bool string_list_add(struct StringList *list, const char *item);

#endif
