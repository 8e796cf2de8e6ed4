/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * svc-systemd1: the stand-in for org.freedesktop.systemd1 that systemd's logind needs when svcd is
 * PID 1.
 *
 * It starts what logind requests: scopes of sessions, runtime directories and managers of users,
 * gettys, and the end of the machine. It is not a service manager. When it is restarted, it finds
 * its units again by their cgroups, and no session notices. docs/logind.md describes the contract.
 */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/log.h"
#include "svc-systemd1/bus.h"
#include "svc-systemd1/job.h"
#include "svc-systemd1/manager.h"
#include "svc-systemd1/spawn.h"
#include "svc-systemd1/start-stop.h"
#include "svc-systemd1/unit-name.h"

#define JOBS_FILE "/run/svcd/systemd1/jobs"

/* A list of all sessions and users. */
enum { UNITS_BYTES_MAX = 1024 * 1024 };

/* Returns: a descriptor that reports ended children, and a request to end. */
static int open_signals(void)
{
	sigset_t signals;

	(void)sigemptyset(&signals);
	(void)sigaddset(&signals, SIGCHLD);
	(void)sigaddset(&signals, SIGTERM);
	if (sigprocmask(SIG_BLOCK, &signals, NULL) < 0)
		return -1;
	return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Returns: false when the program is to end. */
static bool read_signals(int fd)
{
	struct signalfd_siginfo info;
	int status;
	pid_t pid;

	while (read(fd, &info, sizeof info) == sizeof info)
		if (info.ssi_signo == SIGTERM)
			return false;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		if (!start_stop_on_exit(pid, status))
			(void)manager_on_exit(pid, status);
	return true;
}

static void read_ready(int fd)
{
	pid_t pid;

	while (read(fd, &pid, sizeof pid) == sizeof pid)
		start_stop_on_ready(pid);
}

/* --- recovery --- */

/* "UID NAME" */
static void recover_unit(const char *line)
{
	char *end;
	const unsigned long uid = strtoul(line, &end, 10);

	if (end > line && *end == ' ' && uid < UINT32_MAX)
		start_stop_recover(end + 1, (uint32_t)uid);
}

static bool recover_units(void)
{
	static const char *const argv[] = { SVCD_LIBDIR "/svc-session", "list", NULL };
	auto_fd int fd = spawn_reader(argv);
	g_autoptr(GError) error = NULL;
	g_autoptr(GBytes) bytes =
		fd >= 0 ? fd_read_bounded(fd, UNITS_BYTES_MAX, "the list of units", &error) : NULL;
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;

	if (!bytes) {
		log_error(NULL, "cannot list the cgroups of sessions: %s",
			  error ? error->message : strerror(errno));
		return false;
	}
	text = g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
	lines = g_strsplit(text, "\n", -1);
	for (unsigned i = 0; lines[i]; i++)
		recover_unit(lines[i]);
	return true;
}

static void cancel(uint32_t id, const char *unit)
{
	log_notice(NULL, "%s: its job was lost in a restart and is canceled", unit);
	bus_emit_job_removed(id, unit, "canceled");
}

/* --- the loop --- */

static int timeout_ms(void)
{
	const int64_t deadline_us = unit_first_deadline();
	const int64_t left_us = deadline_us - g_get_monotonic_time();

	if (!deadline_us)
		return -1;
	return left_us <= 0 ? 0 : (int)(left_us / 1000) + 1;
}

static bool run_once(DBusConnection *bus, int signals, int ready)
{
	struct pollfd fds[] = { { .events = POLLIN },
				{ .fd = signals, .events = POLLIN },
				{ .fd = ready, .events = POLLIN } };

	if (!dbus_connection_get_unix_fd(bus, &fds[0].fd))
		return false;
	if (dbus_connection_has_messages_to_send(bus))
		fds[0].events |= POLLOUT;
	if (poll(fds, G_N_ELEMENTS(fds), timeout_ms()) < 0 && errno != EINTR)
		return false;
	read_ready(ready); /* before the exit of the same process */
	if (!read_signals(signals))
		return false;
	start_stop_on_time(g_get_monotonic_time());
	start_stop_advance();
	if (!dbus_connection_read_write(bus, 0)) {
		log_error(NULL, "the system bus is gone");
		return false;
	}
	while (dbus_connection_dispatch(bus) == DBUS_DISPATCH_DATA_REMAINS)
		;
	return true;
}

/* Before anything is sent under the name, so that the first caller sees all units. */
static bool prepare(DBusConnection *bus)
{
	if (!dbus_connection_add_filter(bus, manager_on_message, NULL, NULL) || !recover_units() ||
	    !bus_take_name())
		return false;
	job_recover(JOBS_FILE, cancel);
	bus_emit_reloaded();
	return true;
}

int main(int argc, char **argv)
{
	const int signals = open_signals();
	const int ready = spawn_open_ready_pipe();
	DBusConnection *bus;

	(void)argv;
	if (argc != 1) {
		(void)fprintf(stderr, "usage: svc-systemd1 (started by svcd)\n");
		return EXIT_FAILURE;
	}
	log_open("svc-systemd1", STDERR_FILENO, FALSE);
	(void)signal(SIGPIPE, SIG_IGN);
	bus = bus_connect();
	if (!bus || signals < 0 || ready < 0 || !prepare(bus))
		return EXIT_FAILURE;
	while (run_once(bus, signals, ready))
		;
	dbus_connection_flush(bus);
	return dbus_connection_get_is_connected(bus) ? EXIT_SUCCESS : EXIT_FAILURE;
}
