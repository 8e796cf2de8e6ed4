/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Environment: assignments, and a parser for files in the format of /etc/default.
 */
#include "config.h"

#include "exec/environment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "paths/safe-path.h"

static bool is_name_byte(char c, bool first)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
	       (!first && c >= '0' && c <= '9');
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* The length of the name before a "=", 0 if there is none. */
static size_t name_length(const char *assignment)
{
	const char *equals = strchr(assignment, '=');

	return equals ? (size_t)(equals - assignment) : 0;
}

static const char **find(const struct Environment *environment, const char *name, size_t length)
{
	for (size_t i = 0; i < environment->list.n; i++) {
		const char *item = environment->list.items[i];

		if (strncmp(item, name, length) == 0 && item[length] == '=')
			return &environment->list.items[i];
	}
	return NULL;
}

int environment_set(struct Environment *environment, const char *assignment)
{
	size_t length = name_length(assignment);
	const char **found;

	if (length == 0)
		return EINVAL;
	found = find(environment, assignment, length);
	if (found) {
		*found = assignment;
		return 0;
	}
	return string_list_add(&environment->list, assignment) ? 0 : ENOMEM;
}

int environment_set_pair(struct Environment *environment, const char *name, const char *value)
{
	char *assignment;

	if (asprintf(&assignment, "%s=%s", name, value) < 0)
		return ENOMEM;
	return environment_set(environment, assignment);
}

const char *environment_get(const struct Environment *environment, const char *name)
{
	size_t length = strlen(name);
	const char **found = find(environment, name, length);

	return found ? *found + length + 1 : NULL;
}

/* --- files --- */

/*
 * A cursor over the file's text. The result is never longer than the input, so it is written over
 * the beginning of the text.
 */
struct EnvironmentReader {
	const char *at;
	char *out;
};

static void put(struct EnvironmentReader *r, char c)
{
	*r->out++ = c;
}

static void skip_line(struct EnvironmentReader *r)
{
	while (*r->at && *r->at != '\n')
		r->at++;
}

/* Inside double quotes a backslash escapes only some characters, as in a shell (POSIX, 2.2.3). */
static void read_double_quoted(struct EnvironmentReader *r)
{
	r->at++;
	while (*r->at && *r->at != '"') {
		if (*r->at == '\\' && r->at[1] == '\n') {
			r->at += 2;
			continue;
		}
		if (*r->at == '\\' && r->at[1] && strchr("\"\\$`", r->at[1]))
			r->at++;
		put(r, *r->at++);
	}
	if (*r->at)
		r->at++;
}

static void read_single_quoted(struct EnvironmentReader *r)
{
	r->at++;
	while (*r->at && *r->at != '\'')
		put(r, *r->at++);
	if (*r->at)
		r->at++;
}

static void read_backslash(struct EnvironmentReader *r)
{
	r->at++;
	if (*r->at == '\n')
		r->at++;
	else if (*r->at)
		put(r, *r->at++);
}

/* Keeps unquoted blanks inside a value, and drops them at the end of the value. */
static void read_value(struct EnvironmentReader *r)
{
	char *end = r->out;

	while (is_blank(*r->at))
		r->at++;
	while (*r->at && *r->at != '\n') {
		bool blank = is_blank(*r->at);

		if (*r->at == '"')
			read_double_quoted(r);
		else if (*r->at == '\'')
			read_single_quoted(r);
		else if (*r->at == '\\')
			read_backslash(r);
		else
			put(r, *r->at++);
		if (!blank)
			end = r->out;
	}
	r->out = end;
}

/* Returns: false if the line does not begin with NAME=. */
static bool read_name(struct EnvironmentReader *r)
{
	if (strncmp(r->at, "export", 6) == 0 && is_blank(r->at[6])) {
		r->at += 6;
		while (is_blank(*r->at))
			r->at++;
	}
	if (!is_name_byte(*r->at, true))
		return false;
	while (is_name_byte(*r->at, false))
		put(r, *r->at++);
	if (*r->at != '=')
		return false;
	put(r, *r->at++);
	return true;
}

static int parse(struct Environment *environment, const char *text, char *out)
{
	struct EnvironmentReader r = { .at = text, .out = out };

	while (*r.at) {
		char *start = r.out;
		int error;

		while (is_blank(*r.at) || *r.at == '\n')
			r.at++;
		if (*r.at == '#' || *r.at == ';' || !read_name(&r)) {
			r.out = start;
			skip_line(&r);
			continue;
		}
		read_value(&r);
		put(&r, '\0');
		error = environment_set(environment, start);
		if (error)
			return error;
	}
	return 0;
}

/*
 * Reads the whole file and appends a NUL. One byte more than the limit is requested, to detect a
 * longer file.
 */
static int read_text(int fd, char *text)
{
	size_t n = 0;

	while (n <= ENVIRONMENT_FILE_BYTES) {
		ssize_t got = read(fd, text + n, ENVIRONMENT_FILE_BYTES + 1 - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return errno;
		if (got == 0)
			break;
		n += (size_t)got;
	}
	if (n > ENVIRONMENT_FILE_BYTES)
		return EFBIG;
	text[n] = '\0';
	return strlen(text) == n ? 0 : EINVAL;
}

int environment_read_file(struct Environment *environment, const char *path, bool optional)
{
	/* O_NONBLOCK, because the file may be a FIFO. */
	int fd = safe_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
	struct stat st;
	char *text;
	char *out;
	int error;

	if (fd < 0)
		return optional && errno == ENOENT ? 0 : errno;
	text = malloc(ENVIRONMENT_FILE_BYTES + 2);
	out = malloc(ENVIRONMENT_FILE_BYTES + 2); /* never freed: the environment points into it */
	if (!text || !out)
		error = ENOMEM;
	else if (fstat(fd, &st) < 0)
		error = errno;
	else
		error = S_ISREG(st.st_mode) ? read_text(fd, text) : EINVAL;
	(void)close(fd); /* opened for reading only */
	if (!error)
		error = parse(environment, text, out);
	free(text);
	if (error)
		free(out);
	return error;
}
