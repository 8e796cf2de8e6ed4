/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * User session: the parts of a user's session that its manager uses: the environment, the bus, and
 * the end.
 */
#include "config.h"

#include <string.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/log.h"
#include "manager/manager.h"
#include "providers/path-look.h"

/* A restarted bus is back within this time. Otherwise it has ended with its session. */
#define BUS_GONE_LIMIT_US (10 * G_USEC_PER_SEC)

static Timer *bus_gone; /* armed while a session bus that existed is gone */

/* A variable that the keeper sets only for the manager. */
static bool is_ours(const char *assignment)
{
	return g_str_has_prefix(assignment, "DBUS_FATAL_WARNINGS=") ||
	       g_str_has_prefix(assignment, "G_SLICE=");
}

char **user_session_environment(void)
{
	GPtrArray *environment = g_ptr_array_new();

	for (char **variable = environ; *variable; variable++) {
		if (!is_ours(*variable))
			g_ptr_array_add(environment, g_strdup(*variable));
	}
	g_ptr_array_add(environment, NULL);
	return (char **)g_ptr_array_free(environment, FALSE);
}

static void on_bus_gone(void *data)
{
	power_end(data, "the end of the session's bus");
}

static void on_connected(void *data)
{
	(void)data;
	timer_disarm(bus_gone);
}

static void on_disconnected(void *data)
{
	(void)data;
	timer_arm(bus_gone, loop_now() + BUS_GONE_LIMIT_US);
}

static const SystemBusListener listener = { .connected = on_connected,
					    .disconnected = on_disconnected };

/* The program that opens a session sets the address of its bus, or uses the default path. */
static char *bus_address(const Manager *m)
{
	const char *address = g_getenv("DBUS_SESSION_BUS_ADDRESS");
	g_autofree char *parent = g_path_get_dirname(m->runtime_dir);

	return address && *address ? g_strdup(address) :
				     g_strdup_printf("unix:path=%s/bus", parent);
}

void user_session_begin(Manager *m)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *address = NULL;
	const SocketLook look = path_look_for_sockets(m->workers);

	if (!manager_is_users(m))
		return;
	address = bus_address(m);
	m->session_bus = system_bus_new_session(address, &look, &error);
	if (!m->session_bus) {
		log_warning(NULL, "without a session bus, dbus: conditions stay unknown: %s",
			    error->message);
		return;
	}
	bus_gone = timer_new(on_bus_gone, m);
	/* never removed */
	(void)system_bus_add_listener(m->session_bus, &listener, m);
}
