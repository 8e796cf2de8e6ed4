/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks: requests that wait for the CheckCommand= of their service. A client that sends a request
 * while the command runs may have changed the configuration after the command read it. So the
 * request waits for the next run of the command.
 *
 * The requests are not stored: if the manager dies, the clients notice the lost connection.
 */
#include "config.h"

#include <string.h>

#include "base/errors.h"
#include "base/limits.h"
#include "base/log.h"
#include "manager/manager.h"

typedef struct Check {
	uint64_t ticket;
	char *service;
	RequestVerb verb;
	Requester requester;
	bool is_requested; /* the run in progress began after this request */
} Check;

typedef struct CheckResult {
	char *service;
	char *problem; /* NULL: none */
	char *output; /* the last line of the command, for the clients; NULL: none */
} CheckResult;

static struct {
	GQueue queue; /* Check * */
	GQueue results; /* CheckResult *: of ended commands, not sent yet */
} checks;

static void check_free(Check *check)
{
	g_free(check->service);
	g_free(check);
}

static bool is_running(const char *service)
{
	for (const GList *link = checks.queue.head; link; link = link->next) {
		const Check *check = link->data;

		if (check->is_requested && strcmp(check->service, service) == 0)
			return true;
	}
	return false;
}

void checks_on_ended(const char *service, const ProcessEvent *event)
{
	CheckResult *result = g_new0(CheckResult, 1);

	result->service = g_strdup(service);
	if (!event->success)
		result->problem = g_strdup(event->text ? event->text : "no reason given");
	if (event->output && *event->output)
		result->output = g_strdup(event->output);
	g_queue_push_tail(&checks.results, result);
	manager_drain_later();
}

/* Checks the service for all requests that wait for it now. */
static void begin(Manager *m, const char *service)
{
	Supervisor *supervisor = manager_supervisor(service);
	const Service *s = engine_find(m->engine, service);
	const ProcessEvent no_check_needed = { .kind = PROCESS_CHECKED, .success = true };
	bool is_waited_for = false;

	for (const GList *link = checks.queue.head; link; link = link->next) {
		Check *check = link->data;

		if (strcmp(check->service, service) != 0)
			continue;
		check->is_requested = true;
		is_waited_for = true;
	}
	if (!is_waited_for)
		return;
	if (!supervisor) { /* the service has ended meanwhile */
		checks_on_ended(service, &no_check_needed);
		return;
	}
	if (s && !s->def->problem)
		supervisor_redefine(supervisor, s->def);
	supervisor_check(supervisor);
}

static bool can_be_checked(const GPtrArray *services, GError **error)
{
	if (g_queue_get_length(&checks.queue) + services->len > LIMIT_CHECKS_WAITING)
		return fail(error, SVCD_ERROR_LIMIT_REACHED,
			    "%d requests already wait for a CheckCommand=; try again later",
			    LIMIT_CHECKS_WAITING);
	for (unsigned i = 0; i < services->len; i++) {
		const char *name = ((const Service *)g_ptr_array_index(services, i))->def->name;

		if (!manager_supervisor(name))
			return fail(error, SVCD_ERROR_FAILED,
				    "%s: its processes are not known, so it cannot be checked",
				    name);
	}
	return true;
}

bool checks_request(void *manager, uint64_t ticket, RequestVerb verb, const char *service,
		    const Requester *requester, GError **error)
{
	Manager *m = manager;
	g_autoptr(GPtrArray) services = engine_to_check(engine_find(m->engine, service), verb);

	if (!can_be_checked(services, error))
		return false;
	for (unsigned i = 0; i < services->len; i++) {
		const Service *s = g_ptr_array_index(services, i);
		Check *check = g_new0(Check, 1);

		check->ticket = ticket;
		check->service = g_strdup(s->def->name);
		check->verb = verb;
		check->requester = *requester;
		g_queue_push_tail(&checks.queue, check);
		if (!is_running(check->service))
			begin(m, check->service);
	}
	return true;
}

/* All members of a group are checked, and the client gets one answer. */
static bool is_last_of_ticket(uint64_t ticket)
{
	for (const GList *link = checks.queue.head; link; link = link->next) {
		if (((const Check *)link->data)->ticket == ticket)
			return false;
	}
	return true;
}

/*
 * The output of the command is sent only to the client, which may operate the service. It is not
 * recorded, because every user may read the record.
 */
static void answer(Manager *m, const Check *check, const CheckResult *result)
{
	const char *problem = result->problem;
	g_autoptr(GError) error = NULL;

	if (problem)
		engine_refuse(m->engine, check->verb, check->service, &check->requester, problem,
			      loop_now(), &error);
	if (error && result->output) {
		char *text = g_strdup_printf("%s: %s", error->message, result->output);

		g_free(error->message);
		error->message = text;
	}
	/*
	 * A failure is reported at once; bus_check_ended() knows which tickets have been answered.
	 */
	if (m->bus && (problem || is_last_of_ticket(check->ticket)))
		bus_check_ended(m->bus, check->ticket, error);
}

/*
 * An answer may cause further checks of the same service, so the answered requests are taken out
 * first.
 */
static GQueue take_requested(const char *service)
{
	GQueue requested = G_QUEUE_INIT;
	GList *next;

	for (GList *link = checks.queue.head; link; link = next) {
		const Check *check = link->data;

		next = link->next;
		if (!check->is_requested || strcmp(check->service, service) != 0)
			continue;
		g_queue_unlink(&checks.queue, link);
		g_queue_push_tail_link(&requested, link);
	}
	return requested;
}

static void end(Manager *m, const CheckResult *result)
{
	GQueue requested = take_requested(result->service);
	Check *check;

	if (result->problem)
		log_warning(result->service, "its CheckCommand= failed: %s", result->problem);
	begin(m, result->service);
	while ((check = g_queue_pop_head(&requested))) {
		answer(m, check, result);
		check_free(check);
	}
}

void checks_drain(Manager *m)
{
	CheckResult *result;

	while ((result = g_queue_pop_head(&checks.results))) {
		end(m, result);
		g_free(result->service);
		g_free(result->problem);
		g_free(result->output);
		g_free(result);
	}
}
