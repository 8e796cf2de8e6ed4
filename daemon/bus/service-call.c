/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Service call: the name of the method is the verb. Only Request has the verb and options as
 * arguments.
 */
#include "config.h"

#include "bus/service-call.h"

#include <string.h>

#include "base/errors.h"
#include "bus/answers.h"
#include "bus/internal.h"
#include "bus/objects.h"
#include "bus/terms.h"
#include "model/name.h"

static const struct {
	const char *method;
	const char *token; /* in the arguments of Request */
	RequestVerb verb;
} verbs[] = {
	{ "Start", "start", REQUEST_VERB_START },       { "Stop", "stop", REQUEST_VERB_STOP },
	{ "Restart", "restart", REQUEST_VERB_RESTART }, { "Reload", "reload", REQUEST_VERB_RELOAD },
	{ "Clear", "clear", REQUEST_VERB_CLEAR },
};

static const char *take_string(DBusMessageIter *in)
{
	const char *text = NULL;

	dbus_message_iter_get_basic(in, &text);
	dbus_message_iter_next(in);
	return text;
}

static bool read_verb(const char *token, RequestVerb *ret, GError **error)
{
	for (size_t i = 0; i < G_N_ELEMENTS(verbs); i++) {
		if (strcmp(verbs[i].token, token) != 0)
			continue;
		*ret = verbs[i].verb;
		return true;
	}
	return fail(error, SVCD_ERROR_INVALID_ARGUMENT,
		    "a service can be asked to start, stop, restart, reload or clear, "
		    "not to \"%s\"",
		    token);
}

static bool read_option(const char *token, ServiceCall *call, GError **error)
{
	if (strcmp(token, "with-dependents") == 0)
		call->with_dependents = true;
	else if (strcmp(token, "force") == 0)
		call->is_forced = true;
	else
		return fail(error, SVCD_ERROR_INVALID_ARGUMENT,
			    "unknown option \"%s\"; the options are with-dependents and force",
			    token);
	return true;
}

static bool read_request(DBusMessageIter *in, ServiceCall *call, GError **error)
{
	DBusMessageIter options;

	if (!read_verb(take_string(in), &call->verb, error))
		return false;
	dbus_message_iter_recurse(in, &options);
	while (dbus_message_iter_get_arg_type(&options) == DBUS_TYPE_STRING) {
		if (!read_option(take_string(&options), call, error))
			return false;
	}
	return true;
}

static bool read_of_manager(DBusMessage *message, ServiceCall *call)
{
	const char *method = dbus_message_get_member(message);
	dbus_bool_t with_dependents = FALSE;
	DBusMessageIter in;

	dbus_message_iter_init(message, &in);
	call->name = take_string(&in);
	for (size_t i = 0; i < G_N_ELEMENTS(verbs); i++) {
		if (strcmp(verbs[i].method, method) == 0)
			call->verb = verbs[i].verb;
	}
	if (call->verb == REQUEST_VERB_STOP) {
		dbus_message_iter_get_basic(&in, &with_dependents);
		call->with_dependents = with_dependents;
	}
	return true;
}

bool service_call_read(const Engine *engine, DBusMessage *message, ServiceCall *ret, GError **error)
{
	ServiceCall call = { .verb = REQUEST_VERB_START };
	DBusMessageIter in;
	Object object;
	bool is_fine = true;

	if (!object_find(engine, dbus_message_get_path(message), &object) || !object.service) {
		is_fine = read_of_manager(message, &call);
	} else {
		call.name = object.service->def->name;
		/*
		 * A signal may end the service, so it counts as a restart. Reading the log ends
		 * nothing, like a reload.
		 */
		call.verb = strcmp(dbus_message_get_member(message), "ReadLog") == 0 ?
				    REQUEST_VERB_RELOAD :
				    REQUEST_VERB_RESTART;
		dbus_message_iter_init(message, &in);
		if (strcmp(dbus_message_get_member(message), "Request") == 0)
			is_fine = read_request(&in, &call, error);
	}
	if (is_fine)
		*ret = call;
	return is_fine;
}

/* Stop fails and names the dependents, unless they stop too. */
static bool check_dependents(const BusCall *call, const ServiceCall *requested, GError **error)
{
	const Service *service = terms_find_service(call->engine, requested->name);
	g_autoptr(GPtrArray) names = NULL;
	g_autofree char *list = NULL;

	if (!service || requested->verb != REQUEST_VERB_STOP || requested->with_dependents)
		return true;
	names = terms_dependents(call->engine, service);
	g_ptr_array_add(names, NULL);
	list = g_strjoinv(", ", (char **)names->pdata);
	return names->len == 1 ||
	       fail(error, SVCD_ERROR_BUSY, "%s was not stopped: %u running %s it: %s",
		    requested->name, names->len - 1,
		    names->len == 2 ? "service needs" : "services need", list);
}

/* Answered by bus_check_ended(), after a second dispatch(). */
static bool request_check(BusCall *call, const Service *service, RequestVerb verb, GError **error)
{
	Answers *answers = bus_answers(call->bus);
	const uint64_t ticket = answers_promise(answers, call->client, call->message);

	call->is_promised = bus_ops(call->bus)->check(bus_ops_data(call->bus), ticket, verb,
						      service->def->name, &call->client->requester,
						      error);
	if (!call->is_promised)
		answers_forget(answers, ticket);
	return call->is_promised;
}

bool service_call_make(BusCall *call, ServiceCall *ret, GError **error)
{
	g_autofree char *problem = NULL;
	const Service *service;

	if (!service_call_read(call->engine, call->message, ret, error))
		return false;
	if (!name_check_service(ret->name, &problem))
		return fail(error, SVCD_ERROR_INVALID_ARGUMENT, "%s", problem);
	if (!check_dependents(call, ret, error))
		return false;
	service = terms_find_service(call->engine, ret->name);
	if (service && !call->is_checked && !ret->is_forced &&
	    engine_needs_check(service, ret->verb))
		return request_check(call, service, ret->verb, error);
	return bus_ops(call->bus)->request(bus_ops_data(call->bus), ret->verb, ret->name,
					   &call->client->requester, error);
}
