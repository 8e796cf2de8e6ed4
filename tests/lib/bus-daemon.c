/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bus daemon: configuration, fork, exec.
 */
#include "config.h"

#include "tests/lib/bus-daemon.h"

#include <check.h>
#include <glib.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/scratch.h"

static const char configuration[] =
	"<!DOCTYPE busconfig PUBLIC \"-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN\"\n"
	" \"http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd\">\n"
	"<busconfig>\n"
	"  <type>system</type>\n"
	"  <listen>unix:path=%s</listen>\n"
	"  <auth>EXTERNAL</auth>\n"
	"  <policy context=\"default\">\n"
	"    <allow user=\"*\"/>\n"
	"    <allow own=\"*\"/>\n"
	"    <allow send_type=\"method_call\"/>\n"
	"    <allow send_type=\"signal\"/>\n"
	"    <allow send_requested_reply=\"true\" send_type=\"method_return\"/>\n"
	"    <allow send_requested_reply=\"true\" send_type=\"error\"/>\n"
	"    <allow receive_type=\"method_call\"/>\n"
	"    <allow receive_type=\"method_return\"/>\n"
	"    <allow receive_type=\"error\"/>\n"
	"    <allow receive_type=\"signal\"/>\n"
	"  </policy>\n"
	"</busconfig>\n";

void bus_daemon_init(BusDaemon *daemon)
{
	*daemon = (BusDaemon){ .directory = scratch_new() };
	daemon->socket = g_build_filename(daemon->directory, "run/dbus/socket", NULL);
}

void bus_daemon_make_directory(const BusDaemon *daemon)
{
	g_autofree char *directory = g_path_get_dirname(daemon->socket);

	ck_assert_int_eq(g_mkdir_with_parents(directory, 0755), 0);
}

void bus_daemon_start(BusDaemon *daemon)
{
	g_autofree char *file = g_build_filename(daemon->directory, "system.conf", NULL);
	g_autofree char *option = g_strconcat("--config-file=", file, NULL);
	g_autofree char *text = g_strdup_printf(configuration, daemon->socket);

	bus_daemon_make_directory(daemon);
	ck_assert(g_file_set_contents(file, text, -1, NULL));
	daemon->pid = fork();
	ck_assert_int_ge(daemon->pid, 0);
	if (daemon->pid > 0)
		return;
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)execlp("dbus-daemon", "dbus-daemon", option, "--nofork", "--nopidfile", "--nosyslog",
		     NULL);
	_exit(127);
}

void bus_daemon_kill(BusDaemon *daemon)
{
	ck_assert_int_gt(daemon->pid, 0);
	ck_assert_int_eq(kill(daemon->pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(daemon->pid, NULL, 0), daemon->pid);
	daemon->pid = 0;
}

void bus_daemon_clear(BusDaemon *daemon)
{
	if (daemon->pid > 0)
		bus_daemon_kill(daemon);
	scratch_free(daemon->directory);
	g_free(daemon->socket);
}
