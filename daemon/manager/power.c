/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Power: a shutdown enters runlevel 0 or 6. When that is settled, the keeper's finale follows. The
 * keeper gets the request first, with a deadline, so that it completes the shutdown even if this
 * manager fails.
 */
#include "config.h"

#include <unistd.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/log.h"
#include "manager/manager.h"

/* Written by the sender of SIGPWR (init(8), FILES). */
#define POWER_STATUS "/run/powerstatus"

/*
 * A shutdown may take this time in addition to the longest stop limit. Then the keeper continues
 * alone.
 */
#define SHUTDOWN_SLACK_US (90 * G_USEC_PER_SEC)

static struct {
	enum ShutdownKind kind;
	bool is_end_requested; /* by a signal, before the services were known */
	bool is_finale_sent;
} power;

static unsigned shutdown_deadline_ms(const Manager *m)
{
	const GPtrArray *services = engine_services(m->engine);
	int64_t longest_us = 0;

	for (guint i = 0; i < services->len; i++) {
		const Service *s = g_ptr_array_index(services, i);

		if (manager_supervisor(s->def->name))
			longest_us = MAX(longest_us, s->def->stop_limit_us);
	}
	return (unsigned)MIN((SHUTDOWN_SLACK_US + longest_us) / 1000, G_MAXINT32);
}

bool power_is_ending(void)
{
	return power.kind != SHUTDOWN_NONE;
}

bool power_shutdown(Manager *m, enum ShutdownKind kind, const Requester *requester, GError **error)
{
	if (power_is_ending())
		return fail(error, SVCD_ERROR_SHUTTING_DOWN, "%s is going down already",
			    manager_is_users(m) ? "this svcd" : "the machine");
	if (!engine_set_runlevel(m->engine, kind == SHUTDOWN_REBOOT ? "6" : "0", requester,
				 loop_now(), error))
		return false;
	power.kind = kind;
	keeper_link_shutdown(m->link, kind, shutdown_deadline_ms(m));
	manager_drain_later();
	return true;
}

const char *power_resume(enum ShutdownKind kind)
{
	power.kind = kind;
	if (kind == SHUTDOWN_NONE)
		return NULL;
	return kind == SHUTDOWN_REBOOT ? "6" : "0";
}

void power_check_finished(Manager *m)
{
	if (!power_is_ending() || power.is_finale_sent || !engine_is_stopped(m->engine))
		return;
	power.is_finale_sent = true;
	log_notice(NULL, "every service has stopped");
	manager_write_down(m); /* the manager ends next */
	keeper_link_finale(m->link, power.kind);
}

static void shutdown_by_signal(Manager *m, enum ShutdownKind kind, const char *what)
{
	Requester requester = { .uid = manager_is_users(m) ? geteuid() : 0 };
	g_autoptr(GError) error = NULL;

	g_strlcpy(requester.source, what, sizeof requester.source);
	if (!m->engine || m->recovery)
		log_warning(NULL, "%s came too early, and is ignored", what);
	else if (!power_shutdown(m, kind, &requester, &error))
		log_notice(NULL, "%s: %s", what, error->message);
}

/*
 * The session may end before the manager knows any service. The request to end is not repeated, so
 * it is remembered.
 */
void power_end(Manager *m, const char *what)
{
	if (m->recovery)
		power.is_end_requested = true;
	else
		shutdown_by_signal(m, SHUTDOWN_EXIT, what);
}

void power_end_if_asked(Manager *m)
{
	if (power.is_end_requested)
		shutdown_by_signal(m, SHUTDOWN_EXIT, "SIGTERM");
}

/* --- events of the machine: services with these names are started --- */

static const Requester the_machine = { .uid = 0, .source = "svcd" };

/*
 * Returns: false if there is no such service. If policy forbids the service, the refusal is
 * recorded, and the result is true.
 */
static bool start_service_of(Manager *m, const char *name)
{
	const Service *s = m->engine && !m->recovery ? engine_find(m->engine, name) : NULL;
	g_autoptr(GError) error = NULL;
	RequestVerb verb;

	if (!s)
		return false;
	/*
	 * A finished task is run again. A running task continues, because a UPS may repeat its
	 * report.
	 */
	verb = s->state == STATE_STARTING ? REQUEST_VERB_START : REQUEST_VERB_RESTART;
	if (!engine_request(m->engine, verb, name, &the_machine, loop_now(), &error))
		log_warning(name, "not started: %s", error->message);
	manager_drain_later();
	return true;
}

static void on_ctrl_alt_del(Manager *m)
{
	if (!start_service_of(m, "ctrl-alt-del")) {
		shutdown_by_signal(m, SHUTDOWN_REBOOT, "ctrl-alt-del");
		return;
	}
	if (!power_is_ending())
		/* accepts the request; otherwise the keeper would reboot on its own */
		keeper_link_shutdown(m->link, SHUTDOWN_NONE, 0);
}

void power_on_supply(Manager *m, PowerSupply supply)
{
	static const char *const names[] = {
		[POWER_SUPPLY_FAILED] = "power-fail",
		[POWER_SUPPLY_LOW] = "power-fail-now",
		[POWER_SUPPLY_BACK] = "power-ok",
	};

	log_notice(NULL, "the power supply reports: %s", names[supply]);
	if (!start_service_of(m, names[supply]) && supply == POWER_SUPPLY_LOW)
		shutdown_by_signal(m, SHUTDOWN_POWEROFF, "power-fail-now");
}

/*
 * The letter that comes with SIGPWR (init(8)): O, the power is back; L, the battery is low; F or
 * nothing: the power has failed.
 */
static void on_power_status(void *data, const char *const *fields, unsigned n_fields, int fd)
{
	const char letter = n_fields > 1 ? fields[1][0] : 'F';

	fd_close(&fd);
	power_on_supply(data, letter == 'O' ? POWER_SUPPLY_BACK :
			      letter == 'L' ? POWER_SUPPLY_LOW :
					      POWER_SUPPLY_FAILED);
}

static void on_power_status_lost(void *data, const char *why)
{
	(void)why; /* the pool has logged it */
	power_on_supply(data, POWER_SUPPLY_FAILED);
}

/* svc-worker reads the file, because users can hold the lock of /run. */
static void request_power_status(Manager *m)
{
	static const WorkerListener listener = { .answer = on_power_status,
						 .lost = on_power_status_lost };
	static const char *const fields[] = { "take-file", POWER_STATUS };

	if (m->workers)
		(void)worker_job_new(m->workers, "run", fields, G_N_ELEMENTS(fields), NULL, 0,
				     &listener, m);
	else
		power_on_supply(m, POWER_SUPPLY_FAILED);
}

void power_on_request(Manager *m, enum RequestKind kind)
{
	const bool is_machine = (m->welcome.flags & WELCOME_IS_PID1) &&
				!(m->welcome.flags & WELCOME_CONTAINER);

	switch (kind) {
	case REQUEST_CTRL_ALT_DEL:
		on_ctrl_alt_del(m);
		break;
	case REQUEST_TERMINATE:
		/* "docker stop" sends SIGTERM; on a machine no tool sends it. */
		if (is_machine)
			log_notice(
				NULL,
				"SIGTERM to PID 1 is ignored; use svcctl poweroff or "
				"svcctl reboot");
		else if (manager_is_users(m))
			power_end(m, "SIGTERM");
		else
			shutdown_by_signal(m, SHUTDOWN_POWEROFF, "SIGTERM");
		break;
	case REQUEST_RELOAD:
		files_load(m);
		break;
	case REQUEST_REOPEN:
		(void)files_make_directories(m); /* already logged */
		if (m->bus) {
			requests_serve(m, requests_open_socket(m));
			sysv_open(m);
		}
		break;
	case REQUEST_POWER:
		if (is_machine)
			request_power_status(m);
		else /* as container managers define it */
			shutdown_by_signal(m, SHUTDOWN_POWEROFF, "SIGPWR");
		break;
	case REQUEST_KEYBOARD:
		if (!start_service_of(m, "keyboard-request"))
			log_notice(NULL, "keyboard request ignored: there is no service "
					 "\"keyboard-request\"");
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
