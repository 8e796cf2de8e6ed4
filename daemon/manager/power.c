/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Power: a shutdown is runlevel 0 or 6 at rest, and then the keeper's finale. The keeper is told first, with a deadline,
 * so that it ends the machine even if this manager does not come to it.
 */
#include "config.h"

#include <unistd.h>

#include "base/errors.h"
#include "base/log.h"
#include "manager/manager.h"

/* What a shutdown may take beside the longest stop limit; past both the keeper goes on alone. */
#define SHUTDOWN_SLACK_US (90 * G_USEC_PER_SEC)

static unsigned shutdown_deadline_ms(const Manager *m)
{
	const GPtrArray *services = engine_services(m->engine);
	int64_t longest_us = 0;

	for (guint i = 0; i < services->len; i++) {
		const Service *s = g_ptr_array_index(services, i);

		if (manager_supervisor(m, s->def->name))
			longest_us = MAX(longest_us, s->def->stop_limit_us);
	}
	return (unsigned)MIN((SHUTDOWN_SLACK_US + longest_us) / 1000, G_MAXINT32);
}

bool power_shutdown(Manager *m, enum ShutdownKind kind, const Requester *who, GError **error)
{
	if (m->shutdown != SHUTDOWN_NONE)
		return fail(error, SVCD_ERROR_SHUTTING_DOWN, "the machine is going down already");
	if (!engine_set_runlevel(m->engine, kind == SHUTDOWN_REBOOT ? "6" : "0", who, loop_now(), error))
		return false;
	m->shutdown = kind;
	keeper_link_shutdown(m->link, kind, shutdown_deadline_ms(m));
	manager_drain_later(m);
	return true;
}

void power_check_finished(Manager *m)
{
	if (m->shutdown == SHUTDOWN_NONE || m->is_finale_sent || !engine_is_stopped(m->engine))
		return;
	m->is_finale_sent = true;
	log_notice(NULL, "every service has stopped");
	keeper_link_finale(m->link, m->shutdown);
}

static void shutdown_by_signal(Manager *m, enum ShutdownKind kind, const char *what)
{
	Requester who = { .uid = 0, .pid = 1 };
	g_autoptr(GError) error = NULL;

	g_strlcpy(who.command, what, sizeof who.command);
	if (!m->engine || m->recovery)
		log_warning(NULL, "%s came too early, and is ignored", what);
	else if (!power_shutdown(m, kind, &who, &error))
		log_notice(NULL, "%s: %s", what, error->message);
}

void power_on_request(Manager *m, enum RequestKind kind)
{
	const bool is_machine = (m->welcome.flags & WELCOME_IS_PID1) && !(m->welcome.flags & WELCOME_CONTAINER);

	switch (kind) {
	case REQUEST_CTRL_ALT_DEL:
		shutdown_by_signal(m, SHUTDOWN_REBOOT, "ctrl-alt-del");
		break;
	case REQUEST_TERMINATE:
		/* "docker stop" sends it; on a machine no tool does. */
		if (is_machine)
			log_notice(NULL, "SIGTERM to PID 1 is ignored; use svcctl poweroff or svcctl reboot");
		else
			shutdown_by_signal(m, SHUTDOWN_POWEROFF, "SIGTERM");
		break;
	case REQUEST_RELOAD:
		if (!m->recovery)
			files_load(m);
		break; /* otherwise they are about to be read anyway */
	case REQUEST_REOPEN:
		(void)files_make_directories(m); /* said already */
		if (m->bus)
			requests_serve(m, requests_open_socket(m));
		break;
	case REQUEST_POWER:
		shutdown_by_signal(m, SHUTDOWN_POWEROFF, "SIGPWR");
		break;
	case REQUEST_KEYBOARD:
		log_notice(NULL, "keyboard request; nothing is set up for it");
		break;
	case REQUEST_HALT:
		shutdown_by_signal(m, SHUTDOWN_HALT, "SIGRTMIN+3");
		break;
	case REQUEST_POWEROFF:
		shutdown_by_signal(m, SHUTDOWN_POWEROFF, "SIGRTMIN+4");
		break;
	case REQUEST_REBOOT:
		shutdown_by_signal(m, SHUTDOWN_REBOOT, "SIGRTMIN+5");
		break;
	}
}
