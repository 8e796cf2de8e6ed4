/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Operate: the engine lists the affected services, and the client must be an operator of each.
 */
#include "config.h"

#include "bus/operate.h"

#include "base/errors.h"
#include "bus/internal.h"
#include "bus/service-call.h"
#include "bus/terms.h"
#include "model/name.h"

/* Without with_dependents, Stop is refused for every client while the service has dependents. */
static bool is_busy(const Engine *engine, const Service *service, const ServiceCall *call)
{
	g_autoptr(GPtrArray) dependents = NULL;

	if (call->verb != REQUEST_VERB_STOP || call->with_dependents)
		return false;
	dependents = terms_dependents(engine, service);
	return dependents->len > 0;
}

static bool operates(const Bus *bus, const BusClient *client, const char *name)
{
	return bus_ops(bus)->is_operator(bus_ops_data(bus), name,
					 (const gid_t *)(const void *)client->groups->data,
					 client->groups->len);
}

static bool check_impact(const Bus *bus, const BusClient *client, RequestVerb verb,
			 const Service *service, GError **error)
{
	g_autoptr(GPtrArray) reached = engine_impact(verb, service);

	for (guint i = 0; i < reached->len; i++) {
		const Service *other = g_ptr_array_index(reached, i);

		if (!operates(bus, client, other->def->name))
			return fail(
				error, SVCD_ERROR_NOT_AUTHORIZED,
				"the request may also stop %s, which an operator of %s may not do",
				other->def->name, service->def->name);
	}
	return true;
}

bool operate_is_allowed(const Bus *bus, const Engine *engine, const BusClient *client,
			DBusMessage *call, GError **error)
{
	const Service *service;
	ServiceCall requested;
	bool starts;

	if (!service_call_read(engine, call, &requested, error))
		return false;
	starts = requested.verb == REQUEST_VERB_START || requested.verb == REQUEST_VERB_RESTART;
	if (!client->groups || !name_check_service(requested.name, NULL))
		return false;
	service = terms_find_service(engine, requested.name);
	if (!operates(bus, client, service ? service->def->name : requested.name))
		return false;
	/*
	 * The affected services of an instance of a template are known only after its file was
	 * read.
	 */
	if (!service && starts &&
	    !bus_ops(bus)->add_instance(bus_ops_data(bus), requested.name, &client->requester,
					error))
		return false;
	service = terms_find_service(engine, requested.name);
	if (!service || is_busy(engine, service, &requested))
		return true; /* the request reports the error */
	return operates(bus, client, service->def->name) &&
	       check_impact(bus, client, requested.verb, service, error);
}
