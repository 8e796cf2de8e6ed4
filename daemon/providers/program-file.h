/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Program file: is a recently changed program complete, and has its writer closed it?
 */
#ifndef SVCD_PROVIDERS_PROGRAM_FILE_H
#define SVCD_PROVIDERS_PROGRAM_FILE_H

#include <sys/stat.h>

typedef enum ProgramState {
	PROGRAM_COMPLETE, /* no fault was found */
	PROGRAM_EMPTY,
	PROGRAM_OPEN, /* a process has it open for writing: execve(2) would fail with ETXTBSY */
	PROGRAM_CUT, /* segments lie beyond its end */
} ProgramState;

/**
 * program_file_state() - examine a program, unless its last change was long ago
 * @path: no link
 * @st: of @path, a regular file
 */
ProgramState program_file_state(const char *path, const struct stat *st);

#endif
