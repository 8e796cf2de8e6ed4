/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * svc-progress boot|shutdown: shows on the console, and in plymouth, the progress of the boot or
 * the services that delay a shutdown.
 *
 * It asks svcd once a second and changes nothing. docs/progress.md explains the messages, and why
 * the manager does not do this.
 */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "svc-progress/view-client.h"
#include "svc-progress/plymouth.h"
#include "svc-progress/message-limit.h"
#include "svc-progress/console-terminal.h"
#include "svc-progress/messages.h"

/* A line that stays is printed later than one that is overwritten. */
#define BOOT_LINE_US (2 * SLOW_US)
#define SHUTDOWN_LINE_US SLOW_US

/* A shutdown that ends within this time shows no message. */
#define SHUTDOWN_QUIET_US (2 * USEC_PER_SEC)

typedef struct Display {
	bool is_shutdown;
	bool is_quiet; /* the kernel's parameter "quiet" */
	ViewClient client;
	Plymouth plymouth;
	MessageLimit limit;
} Display;

static int64_t now_us(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * USEC_PER_SEC + now.tv_nsec / 1000;
}

static bool kernel_is_quiet(void)
{
	char tokens[4096] = "";
	const int fd = open("/proc/cmdline", O_RDONLY | O_CLOEXEC);
	const ssize_t n = fd >= 0 ? read(fd, tokens, sizeof tokens - 1) : 0;
	char *rest = tokens;
	bool is_quiet = false;

	tokens[n > 0 ? n : 0] = '\0';
	for (char *token; !is_quiet && (token = strsep(&rest, " \n")) != NULL;)
		is_quiet = strcmp(token, "quiet") == 0;
	if (fd >= 0)
		(void)close(fd);
	return is_quiet;
}

/* --- the console --- */

/* Is there enough information for a status line? */
static bool is_worth_a_line(const Display *progress, const View *view, int64_t at_us)
{
	const Motion *oldest = view_oldest(view);

	if (view->is_shutdown)
		return oldest && at_us - oldest->since_us >= SHUTDOWN_QUIET_US;
	return !progress->is_quiet || view_has_slow_motion(view, at_us);
}

static void draw(const Display *progress, const View *view, int64_t at_us)
{
	char line[MESSAGE_BYTES] = "";

	if (is_worth_a_line(progress, view, at_us))
		message_status(line, sizeof line, view, at_us, terminal_columns());
	terminal_draw(line);
}

static void print_slow(Display *progress, const View *view, int64_t at_us)
{
	char line[MESSAGE_BYTES];

	message_limit_forget(&progress->limit, view);
	for (unsigned i = 0; i < view->n_motions; i++) {
		if (!message_limit_is_due(&progress->limit, &view->motions[i], at_us))
			continue;
		(void)snprintf(line, sizeof line, "svcd: ");
		message_motion(line + 6, sizeof line - 6, &view->motions[i], at_us);
		terminal_print(line);
	}
}

/* A shutdown is shown even beside a login, because the login is about to end. */
static void show(Display *progress, const View *view, int64_t at_us)
{
	char message[PLYMOUTH_TEXT_BYTES];

	message_splash(message, sizeof message, view, at_us);
	plymouth_update(&progress->plymouth, (unsigned)(view->fraction * 100), message);
	if (!terminal_is_free(view->is_shutdown))
		return;
	if (terminal_is_live())
		draw(progress, view, at_us);
	else
		print_slow(progress, view, at_us);
	terminal_let_go();
}

static void show_end(Display *progress, const View *view)
{
	char line[MESSAGE_BYTES];

	plymouth_close(&progress->plymouth);
	if (!terminal_is_free(false))
		return;
	terminal_draw(""); /* also for a boot that a shutdown has cut short */
	message_end(line, sizeof line, view, now_us());
	if (!progress->is_shutdown && view->is_finished &&
	    (!progress->is_quiet || view->n_failed > 0))
		terminal_print(line);
	terminal_let_go();
}

/* --- the run --- */

static bool is_over(const Display *progress, const View *view)
{
	if (progress->is_shutdown)
		return !view->is_shutdown; /* started by hand without a shutdown */
	return view->is_finished || view->is_shutdown;
}

static void run(Display *progress)
{
	static const struct timespec pause = { .tv_sec = 1 };
	View view = { 0 };
	bool has_answer;

	do {
		(void)nanosleep(&pause, NULL); /* a shorter pause does no harm */
		has_answer = view_client_get(&progress->client, &view);
		if (has_answer && !is_over(progress, &view))
			show(progress, &view, now_us());
	} while (!has_answer || !is_over(progress, &view));
	show_end(progress, &view);
}

int main(int argc, char **argv)
{
	Display progress = { .is_quiet = kernel_is_quiet() };

	if (argc != 2 || (strcmp(argv[1], "boot") != 0 && strcmp(argv[1], "shutdown") != 0)) {
		(void)fprintf(stderr, "usage: svc-progress boot|shutdown (started by svcd)\n");
		return EXIT_FAILURE;
	}
	progress.is_shutdown = strcmp(argv[1], "shutdown") == 0;
	progress.limit.first_us = progress.is_shutdown ? SHUTDOWN_LINE_US : BOOT_LINE_US;
	plymouth_init(&progress.plymouth, progress.is_shutdown);
	terminal_open();
	run(&progress);
	view_client_clear(&progress.client);
	return EXIT_SUCCESS;
}
