/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Console terminal: see console-terminal.h. A console can stop reading (a serial line with flow
 * control), so no write may block.
 */
#include "config.h"

#include "svc-progress/console-terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kd.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <unistd.h>

#define CONSOLE "/dev/console"

/* Moves to the first column, and erases to the end of the line (ECMA-48, EL). */
#define ERASE "\r\033[K"

enum { USUAL_COLUMNS = 80, LINE_BYTES = 512 };

/* A global variable, because a signal handler gets no argument. */
static volatile sig_atomic_t fd = -1;
static volatile sig_atomic_t is_drawn;

/*
 * Terminals that can show a status line: virtual ones (admin-guide/devices.txt) and
 * pseudoterminals.
 */
static const struct {
	unsigned major;
	unsigned first_minor;
	unsigned last_minor;
} live_devices[] = { { 4, 0, 63 }, { 136, 0, UINT32_MAX }, { 137, 0, UINT32_MAX } };

static bool is_ours(void)
{
	return tcgetsid(fd) == getpid();
}

/* The argument 0 takes the terminal only if no session has it (ioctl_tty(2)). */
static bool take(void)
{
	return fd >= 0 && (is_ours() || ioctl(fd, TIOCSCTTY, 0) == 0);
}

/*
 * This ioctl sends SIGHUP only to our own group, which ignores it. The exit of a session leader
 * hangs up the terminal.
 */
static void give_back(void)
{
	if (fd >= 0 && is_ours())
		(void)ioctl(fd, TIOCNOTTY);
}

/* Calls only functions that signal-safety(7) allows, and ioctl(2). */
static void on_end(int signo)
{
	ssize_t written;

	(void)signo;
	if (is_drawn && take()) {
		written = write(fd, ERASE, strlen(ERASE));
		(void)written; /* nothing can be done about a failure */
	}
	give_back();
	_exit(EXIT_SUCCESS);
}

static void open_console(void)
{
	if (fd >= 0)
		(void)close(fd);
	fd = open(CONSOLE, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
}

void terminal_open(void)
{
	(void)setsid(); /* fails in a service, which leads its session already */
	(void)signal(SIGTERM, on_end);
	/*
	 * The signals of keys at the console, of its loss, and of background writes do not concern
	 * this program.
	 */
	(void)signal(SIGINT, SIG_IGN);
	(void)signal(SIGQUIT, SIG_IGN);
	(void)signal(SIGHUP, SIG_IGN);
	(void)signal(SIGTSTP, SIG_IGN);
	(void)signal(SIGTTOU, SIG_IGN);
	open_console();
}

static bool shows_pictures(void)
{
	int mode;

	return ioctl(fd, KDGETMODE, &mode) == 0 && mode == KD_GRAPHICS;
}

bool terminal_is_free(bool is_shared)
{
	if (fd < 0)
		open_console();
	if (fd < 0 || shows_pictures())
		return false;
	if (take())
		return true;
	is_drawn = 0; /* the session that has it now has overwritten the line */
	return is_shared;
}

bool terminal_is_live(void)
{
	const char *type = getenv("TERM");
	unsigned device;

	if (!type || !*type || strcmp(type, "dumb") == 0 || !is_ours() ||
	    ioctl(fd, TIOCGDEV, &device) < 0)
		return false;
	for (size_t i = 0; i < sizeof(live_devices) / sizeof(live_devices[0]); i++)
		if (major(device) == live_devices[i].major &&
		    minor(device) >= live_devices[i].first_minor &&
		    minor(device) <= live_devices[i].last_minor)
			return true;
	return false;
}

unsigned terminal_columns(void)
{
	struct winsize size = { 0 };

	(void)ioctl(fd, TIOCGWINSZ, &size); /* on failure the size stays 0 */
	/* a full line would wrap to the next one */
	return size.ws_col > 1 ? size.ws_col - 1u : USUAL_COLUMNS - 1;
}

/* Writes what the console takes now. The rest is dropped, because it would be out of date later. */
static void write_now(const char *bytes, size_t length)
{
	struct pollfd ready = { .fd = fd, .events = POLLOUT };
	ssize_t n = 0;

	if (poll(&ready, 1, 0) == 1 && (ready.revents & POLLOUT))
		n = write(fd, bytes, length);
	if ((n < 0 && errno == EIO) || (ready.revents & (POLLHUP | POLLERR)))
		/* hung up, as by vhangup(2): the console is opened again for later output */
		open_console();
}

void terminal_draw(const char *text)
{
	char line[LINE_BYTES];
	const int n = snprintf(line, sizeof line, ERASE "%s", text);

	if (!is_drawn && !*text)
		return;
	write_now(line, n < LINE_BYTES ? (size_t)n : sizeof line - 1);
	is_drawn = *text != '\0';
}

void terminal_print(const char *text)
{
	char line[LINE_BYTES];
	const int n = snprintf(line, sizeof line, "%s%.500s\r\n", is_drawn ? ERASE : "", text);

	write_now(line, n < LINE_BYTES ? (size_t)n : sizeof line - 1);
	is_drawn = 0;
}

void terminal_let_go(void)
{
	give_back();
}
