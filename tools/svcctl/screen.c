/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Screen: the few escape sequences that every current terminal knows (ECMA-48, and xterm's for the
 * alternate screen).
 */
#include "config.h"

#include "svcctl/screen.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/errors.h"

/* Alternate screen on, cursor off, line wrap off; and the reverse. */
#define BEGIN "\033[?1049h\033[?25l\033[?7l"
#define END "\033[?7h\033[?25h\033[?1049l"

/* A signal handler needs it to restore the terminal, and has no argument for it. */
static struct termios before;
static volatile sig_atomic_t is_open;

static const int ending[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL };

bool screen_is_possible(void)
{
	const char *term = g_getenv("TERM");

	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb") != 0;
}

/* Only calls that signal-safety(7) allows. A terminal that is gone needs no restoring. */
void screen_close(void)
{
	ssize_t written;

	if (!is_open)
		return;
	is_open = 0;
	written = write(STDOUT_FILENO, END, strlen(END));
	(void)written;
	(void)tcsetattr(STDIN_FILENO, TCSANOW, &before);
}

static void on_end(int signo)
{
	screen_close();
	(void)signal(signo, SIG_DFL);
	(void)raise(signo);
}

/* Its only effect is that poll(2) returns. */
static void on_resize(int signo)
{
	(void)signo;
}

static void catch_signals(void)
{
	const struct sigaction resize = { .sa_handler = on_resize };

	for (size_t i = 0; i < G_N_ELEMENTS(ending); i++)
		(void)signal(ending[i], on_end);
	(void)sigaction(SIGWINCH, &resize, NULL);
	(void)signal(SIGTSTP, SIG_IGN); /* the shell would get the terminal in its present mode */
	(void)atexit(screen_close);
}

bool screen_open(GError **error)
{
	struct termios keys;
	ssize_t written;

	if (tcgetattr(STDIN_FILENO, &before) < 0)
		return fail_errno(error, errno, "cannot ask the terminal for its settings");
	keys = before;
	keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	keys.c_cc[VMIN] = 1;
	keys.c_cc[VTIME] = 0;
	is_open = 1;
	catch_signals();
	if (tcsetattr(STDIN_FILENO, TCSANOW, &keys) < 0)
		return fail_errno(error, errno, "cannot change the terminal's settings");
	written = write(STDOUT_FILENO, BEGIN, strlen(BEGIN));
	return written > 0 || fail_errno(error, errno, "cannot write to the terminal");
}

void screen_size(unsigned *ret_rows, unsigned *ret_columns)
{
	struct winsize size = { 0 };

	(void)ioctl(STDOUT_FILENO, TIOCGWINSZ, &size); /* it stays 0 */
	*ret_rows = size.ws_row > 0 ? size.ws_row : 24;
	*ret_columns = size.ws_col > 0 ? size.ws_col : 80;
}

/*
 * Written at once, so that the page does not flicker. screen_key() finds a terminal that is gone.
 */
static void write_all(const char *text, size_t length)
{
	while (length > 0) {
		const ssize_t n = write(STDOUT_FILENO, text, length);

		if (n < 0 && errno != EINTR)
			return;
		if (n > 0) {
			text += n;
			length -= (size_t)n;
		}
	}
}

void screen_draw(const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	g_autoptr(GString) page = g_string_new("\033[H");
	unsigned rows;
	unsigned columns;

	screen_size(&rows, &columns);
	for (unsigned i = 0; lines[i] && i < rows; i++)
		g_string_append_printf(page, "%s%s\033[K", i > 0 ? "\r\n" : "", lines[i]);
	g_string_append(page, "\033[J");
	write_all(page->str, page->len);
}

int screen_key(int64_t deadline_us)
{
	const int64_t left_us = MAX(deadline_us - g_get_monotonic_time(), 0);
	struct pollfd fd = { .fd = STDIN_FILENO, .events = POLLIN };
	unsigned char key;

	if (poll(&fd, 1, (int)(left_us / 1000) + 1) <= 0)
		return 0;
	return read(STDIN_FILENO, &key, 1) == 1 ? key : -1;
}
