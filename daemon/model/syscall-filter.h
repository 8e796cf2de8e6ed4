/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System call filter: what SystemCallFilter= says, line by line, and the calls that follow from it.
 */
#ifndef SVCD_MODEL_SYSCALL_FILTER_H
#define SVCD_MODEL_SYSCALL_FILTER_H

#include <glib.h>
#include <stdbool.h>

/* Instead of an errno: the process is killed. */
#define SYSCALL_ERROR_KILL (-1)

/* One word of one line. */
typedef struct SyscallWord {
	char *name; /* a system call or an @group */
	bool is_inverted; /* on a line that begins with ~ */
	int error;  /* ":EPERM": what the call gives; 0: as the list says, SYSCALL_ERROR_KILL */
} SyscallWord;

void syscall_word_free(SyscallWord *word);

/**
 * syscall_filter_add_line() - append the words of one line to *@words (SyscallWord *, a list of base/list.h)
 * Returns: NULL, or what is wrong and what to write, a new string.
 */
char *syscall_filter_add_line(GPtrArray **words, const char *line);

/**
 * syscall_filter_read_error() - "EPERM", "1" or "kill"
 * Returns: NULL, or what is wrong, a new string.
 */
char *syscall_filter_read_error(const char *text, int *ret_error);

/* Does the first line list what is allowed (true) or what is forbidden? Without a line: nothing is forbidden. */
bool syscall_filter_is_allow_list(const GPtrArray *words);

/**
 * syscall_filter_resolve() - the calls that the lines name, groups taken apart
 *
 * Of a list of allowed calls: those allowed, and with an error those that give it; @default is always in it at first. Of a
 * list of forbidden calls: those. A later line adds to the list or takes away from it.
 * Returns: const char * -> GINT_TO_POINTER(error); names belong to the table.
 */
GHashTable *syscall_filter_resolve(const GPtrArray *words);

#endif
