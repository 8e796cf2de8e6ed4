/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * svc-activate NAME: dbus-daemon executes this program when a client calls NAME and the svcd
 * service that should own NAME does not own it yet.
 *
 * It asks svcd to start the service and waits until the service is up and owns the name. If that
 * fails, it takes the name itself, answers the queued calls with the reason, and releases the name
 * (name-holder.c). docs/bus-activation.md describes the whole path of a call.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "svc-activate/rate-limit.h"
#include "svc-activate/service-activation.h"
#include "svc-activate/name-holder.h"

/* dbus-daemon has given up by then (service_start_timeout), whatever its configuration is. */
#define LIMIT_S 120

#define PAUSE_MS 100

/*
 * dbus-daemon accepts no error text, only the exit statuses of its own helper
 * (bus/activation-exit-codes.h).
 */
enum { EXIT_NAME_NOT_FOUND = 6, EXIT_NOT_EXECUTED = 9 };

static long now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

/*
 * Should svcd be asked again? The manager may be replaced at any moment, or its socket may be full.
 * A service that is up without its name may be about to end, and then its next run will answer.
 * Asking again changes nothing.
 */
static bool is_open(DBusConnection *bus, const char *name, ActivationVerdict verdict)
{
	if (verdict != VERDICT_UP)
		return verdict == VERDICT_LOST;
	return bus && !dbus_bus_name_has_owner(bus, name, NULL) &&
	       dbus_connection_get_is_connected(bus);
}

static ActivationVerdict activate_until_decided(DBusConnection *bus, const char *name,
						ActivationError *refusal)
{
	static const struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000L };
	const char *holder = bus ? dbus_bus_get_unique_name(bus) : "";
	const long limit_s = now_s() + LIMIT_S;
	ActivationVerdict verdict;

	for (;;) {
		verdict = service_activate(name, holder, refusal);
		if (!is_open(bus, name, verdict) || now_s() >= limit_s)
			return verdict;
		(void)nanosleep(&pause, NULL); /* a shorter pause does no harm */
	}
}

static int refuse(DBusConnection *bus, const char *name, ActivationVerdict verdict,
		  const ActivationError *refusal)
{
	(void)fprintf(stderr, "svc-activate: %s: %s\n", name, refusal->text);
	if (bus && rate_limit_allows(name) && name_holder_answer(bus, name, refusal))
		return EXIT_SUCCESS;
	return verdict == VERDICT_REFUSED ? EXIT_NAME_NOT_FOUND : EXIT_NOT_EXECUTED;
}

int main(int argc, char **argv)
{
	DBusConnection *bus;
	ActivationVerdict verdict;
	ActivationError refusal;
	int status = EXIT_SUCCESS;

	if (argc != 2) {
		(void)fprintf(stderr, "usage: svc-activate BUS-NAME (started by dbus-daemon)\n");
		return EXIT_FAILURE;
	}
	activation_error_set(&refusal, REFUSAL_FAILED, "svcd does not answer");
	bus = name_holder_connect();
	verdict = activate_until_decided(bus, argv[1], &refusal);
	if (verdict != VERDICT_UP)
		status = refuse(bus, argv[1], verdict, &refusal);
	name_holder_disconnect(bus);
	return status;
}
