/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * svc-look: looks at paths for the manager, on a file system that may not answer.
 *
 *	svc-look    standard input holds paths as path: conditions have them ("exec:/net/bin/x"), each with a NUL at its end
 *
 * Each second, and at once at the beginning, it looks at all of them. To standard output it writes a line for each that is not as
 * it was, "NUMBER VERDICT" (its place in the list; providers/path-test.h), and an empty one when it is through. It ends when nobody
 * reads that any longer.
 *
 * A program of its own, because whoever asks a server that does not answer waits, and the manager must not.
 */
#include "config.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <glib.h>

#include "base/fd.h"
#include "providers/path-test.h"

#define ROUND_MS 1000

/* The manager's own names are no longer than that all together. */
#define LIST_BYTES (64 * 1024 * 1024)

static GPtrArray *read_list(GError **error)
{
	g_autoptr(GBytes) bytes = fd_read_bounded(STDIN_FILENO, LIST_BYTES, "standard input", error);
	GPtrArray *list = NULL;
	gsize size;
	const char *text;
	const char *end;

	if (!bytes)
		return NULL;
	list = g_ptr_array_new_with_free_func(g_free);
	text = g_bytes_get_data(bytes, &size);
	for (; size > 0 && (end = memchr(text, '\0', size)); text = end + 1) {
		size -= (gsize)(end + 1 - text);
		g_ptr_array_add(list, g_strdup(text));
	}
	return list;
}

static bool say(const char *text)
{
	return fd_write_all(STDOUT_FILENO, text, strlen(text));
}

/* @before: verdicts of the last round, -1 at first. Returns: false when nobody listens. */
static bool look_at_all(const GPtrArray *list, int *before)
{
	for (guint i = 0; i < list->len; i++) {
		const char *path;
		const PathTest test = path_test_of(g_ptr_array_index(list, i), &path);
		const int verdict = (int)path_test_look(test, path);
		char line[32];

		if (verdict == before[i])
			continue;
		before[i] = verdict;
		(void)snprintf(line, sizeof line, "%u %d\n", i, verdict);
		if (!say(line))
			return false;
	}
	return say("\n");
}

/* Nobody reads: the end of a pipe that is written to says so by POLLERR. */
static bool wait_for_round(void)
{
	struct pollfd output = { .fd = STDOUT_FILENO };

	return poll(&output, 1, ROUND_MS) == 0;
}

int main(void)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) list = read_list(&error);
	g_autofree int *before = NULL;

	if (!list) {
		(void)fprintf(stderr, "svc-look: %s\n", error->message);
		return EXIT_FAILURE;
	}
	(void)signal(SIGPIPE, SIG_IGN); /* cannot fail */
	before = g_new(int, list->len + 1);
	for (guint i = 0; i < list->len; i++)
		before[i] = -1;
	while (look_at_all(list, before) && wait_for_round())
		continue;
	return EXIT_SUCCESS;
}
