/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * org.svcd1.Service: one row per property, read from the engine at each request; and the methods
 * Signal and Request.
 */
#include "config.h"

#include <signal.h>
#include <string.h>

#include "base/errors.h"
#include "bus/internal.h"
#include "bus/introspection.h"
#include "bus/names.h"
#include "bus/objects.h"
#include "bus/rows.h"
#include "bus/service-call.h"
#include "bus/terms.h"
#include "loop/wire.h"

/* No valid time is negative. 0 means never. */
static uint64_t time_of(int64_t us)
{
	return us > 0 ? (uint64_t)us : 0;
}

/* For display: FILE:LINE. */
static void append_origin(Origin origin, DBusMessageIter *out)
{
	g_autofree char *text = origin_format(origin);

	wire_string(out, text);
}

static const char *get_name(const PropertyContext *x)
{
	return x->service->def->name;
}

static const char *get_description(const PropertyContext *x)
{
	return service_def_description(x->service->def);
}

static const char *get_type(const PropertyContext *x)
{
	return service_type_name(service_type(x->service));
}

static const char *get_state(const PropertyContext *x)
{
	return service_state_name(x->service->state);
}

static uint64_t get_since(const PropertyContext *x)
{
	return time_of(x->service->since_us);
}

static const char *get_cause(const PropertyContext *x)
{
	return service_cause(x->service);
}

static void append_causes(const PropertyContext *x, DBusMessageIter *out)
{
	DBusMessageIter array;

	wire_open(out, DBUS_TYPE_ARRAY, "(tsss)", &array);
	for (const CauseRecord *record = x->service->newest_cause; record; record = record->older) {
		DBusMessageIter inner;

		wire_open(&array, DBUS_TYPE_STRUCT, NULL, &inner);
		wire_uint64(&inner, time_of(record->at_us));
		wire_string(&inner, service_state_name(record->from));
		wire_string(&inner, service_state_name(record->to));
		wire_string(&inner, record->text);
		wire_close(&array, &inner);
	}
	wire_close(out, &array);
}

static uint64_t get_refused(const PropertyContext *x)
{
	return x->service->refusals.total;
}

static void append_refusals(const PropertyContext *x, DBusMessageIter *out)
{
	const GQueue *records = x->service->refusals.records;
	DBusMessageIter array;

	wire_open(out, DBUS_TYPE_ARRAY, "(ssut)", &array);
	for (const GList *link = records ? records->head : NULL; link; link = link->next) {
		const RefusalRecord *record = link->data;
		DBusMessageIter inner;

		wire_open(&array, DBUS_TYPE_STRUCT, NULL, &inner);
		wire_string(&inner, refusal_door_name(record->door));
		wire_string(&inner, record->text);
		wire_uint32(&inner, record->count);
		wire_uint64(&inner, time_of(record->last_us));
		wire_close(&array, &inner);
	}
	wire_close(out, &array);
}

static uint64_t get_settled(const PropertyContext *x)
{
	return engine_is_settled(x->service);
}

static uint64_t get_wanted(const PropertyContext *x)
{
	return service_is_wanted(x->service);
}

static const char *get_want_reason(const PropertyContext *x)
{
	return want_reason_name(x->service->want_reason);
}

static const char *get_wanted_by(const PropertyContext *x)
{
	return x->service->want_reason == WANT_NEED ? x->service->wanted_by : NULL;
}

static const char *get_admin(const PropertyContext *x)
{
	return admin_want_name(x->service->admin);
}

static uint64_t get_admin_at(const PropertyContext *x)
{
	return time_of(x->service->admin == ADMIN_NONE ? 0 : x->service->admin_at_us);
}

static const char *get_activation(const PropertyContext *x)
{
	return activation_name(x->service->policy.activation);
}

static void append_activation_origin(const PropertyContext *x, DBusMessageIter *out)
{
	append_origin(x->service->policy.activation_origin, out);
}

static uint64_t get_activation_is_default(const PropertyContext *x)
{
	return x->service->policy.is_default;
}

static uint64_t get_in_runlevel(const PropertyContext *x)
{
	return x->service->policy.in_runlevel;
}

static void append_runlevel_origin(const PropertyContext *x, DBusMessageIter *out)
{
	if (x->service->policy.in_runlevel)
		append_origin(x->service->policy.runlevel_origin, out);
	else
		wire_string(out, NULL);
}

static const char *get_policy_reason(const PropertyContext *x)
{
	const Policy *policy = engine_policy(x->engine);
	const PolicyService *service = policy ? policy_service(policy, x->service->def->name) :
						NULL;

	return service ? service->reason : NULL;
}

static uint64_t get_main_pid(const PropertyContext *x)
{
	return time_of(x->service->main_pid);
}

static const char *get_control_group(const PropertyContext *x)
{
	return bus_cgroup(x->bus, x->service->def->name);
}

static uint64_t get_invocation(const PropertyContext *x)
{
	return x->service->invocation;
}

static uint64_t get_restarts(const PropertyContext *x)
{
	return x->service->n_restarts;
}

static const char *get_result(const PropertyContext *x)
{
	return x->service->result;
}

static uint64_t get_restarting(const PropertyContext *x)
{
	return engine_is_restarting(x->service);
}

static const char *get_restart_problem(const PropertyContext *x)
{
	return x->service->restart_problem;
}

static const char *get_stop_problem(const PropertyContext *x)
{
	return x->service->stop_problem;
}

static uint64_t get_reloading(const PropertyContext *x)
{
	return engine_is_reloading(x->service);
}

static void append_reload_problem(const PropertyContext *x, DBusMessageIter *out)
{
	g_autofree char *problem = engine_reload_problem(x->service);

	wire_string(out, problem);
}

static const char *get_status_text(const PropertyContext *x)
{
	return x->service->status_text;
}

static const char *get_resource_problem(const PropertyContext *x)
{
	return x->service->resource_problem;
}

static const char *get_health(const PropertyContext *x)
{
	return health_name(x->service->health);
}

static const char *get_health_text(const PropertyContext *x)
{
	return x->service->health_text;
}

static void append_false_terms(const PropertyContext *x, DBusMessageIter *out)
{
	terms_append_false(x->engine, x->service, out);
}

static void append_terms(const PropertyContext *x, DBusMessageIter *out)
{
	terms_append_all(x->engine, x->service, out);
}

static void append_socket(const PropertyContext *x, unsigned entry, DBusMessageIter *array)
{
	const ServiceDef *def = x->service->def;
	const Listen *listen = g_ptr_array_index(def->socket->listens, entry);
	g_autofree char *name = socket_def_name(def->socket, entry, def->name);
	const char *problem = NULL;
	DBusMessageIter inner;

	wire_open(array, DBUS_TYPE_STRUCT, NULL, &inner);
	wire_string(&inner, listen_kind_name(listen->kind));
	wire_string(&inner, listen->text);
	wire_string(&inner, name);
	wire_bool(&inner, bus_socket_is_open(x->bus, def->name, entry, &problem));
	wire_string(&inner, problem);
	wire_close(array, &inner);
}

static void append_sockets(const PropertyContext *x, DBusMessageIter *out)
{
	DBusMessageIter array;

	wire_open(out, DBUS_TYPE_ARRAY, "(sssbs)", &array);
	for (unsigned i = 0; i < service_def_n_sockets(x->service->def); i++)
		append_socket(x, i, &array);
	wire_close(out, &array);
}

static void append_dependents(const PropertyContext *x, DBusMessageIter *out)
{
	g_autoptr(GPtrArray) names = terms_dependents(x->engine, x->service);

	wire_names(out, names);
}

static void append_members(const PropertyContext *x, DBusMessageIter *out)
{
	g_autoptr(GPtrArray) names = engine_members(x->service);

	wire_names(out, names);
}

static uint64_t get_started_at(const PropertyContext *x)
{
	return time_of(x->service->started_us);
}

static uint64_t get_ready_at(const PropertyContext *x)
{
	return time_of(x->service->ready_us);
}

static uint64_t get_ready_duration(const PropertyContext *x)
{
	return time_of(x->service->start_duration_us);
}

static uint64_t get_backoff_until(const PropertyContext *x)
{
	return x->service->state == STATE_BACKOFF ? time_of(x->service->backoff_until_us) : 0;
}

static uint64_t get_wait_until(const PropertyContext *x)
{
	return time_of(service_wait_until(x->service));
}

static uint64_t get_start_limit(const PropertyContext *x)
{
	return time_of(x->service->def->start_limit_us);
}

static uint64_t get_stop_limit(const PropertyContext *x)
{
	return time_of(x->service->def->stop_limit_us);
}

static const char *get_problem(const PropertyContext *x)
{
	return x->service->def->problem;
}

static const char *get_presence(const PropertyContext *x)
{
	return presence_name(service_presence(x->service));
}

static const char *get_file_state(const PropertyContext *x)
{
	return file_state_name(service_file_state(x->service));
}

static void append_source_file(const PropertyContext *x, DBusMessageIter *out)
{
	wire_string(out, x->service->def->origin.file);
}

static void append_lost_file(const PropertyContext *x, DBusMessageIter *out)
{
	g_autofree char *text = service_file_state(x->service) == FILE_GONE ?
					service_def_relations(x->service->def) :
					NULL;

	wire_string(out, text);
}

/* --- methods --- */

/* The object exists, because the call was dispatched by its path. */
static bool on_signal(BusCall *call, DBusMessageIter *out, GError **error)
{
	static const char *const whoms[] = { "main", "all", NULL };
	DBusMessageIter in;
	const char *target = NULL;
	dbus_int32_t signo = 0;
	Object object;

	(void)out;
	dbus_message_iter_init(call->message, &in);
	dbus_message_iter_get_basic(&in, &target);
	dbus_message_iter_next(&in);
	dbus_message_iter_get_basic(&in, &signo);
	if (!g_strv_contains(whoms, target))
		return fail(error, SVCD_ERROR_INVALID_ARGUMENT,
			    "a signal can be sent to main or all, not to \"%s\"", target);
	if (signo < 1 || signo > SIGRTMAX)
		return fail(error, SVCD_ERROR_INVALID_ARGUMENT, "there is no signal %d",
			    (int)signo);
	if (!object_find(call->engine, dbus_message_get_path(call->message), &object) ||
	    !object.service)
		return fail(error, SVCD_ERROR_NO_SUCH_SERVICE, "the service no longer exists");
	return bus_ops(call->bus)->signal(bus_ops_data(call->bus), object.service->def->name,
					  (int)signo, strcmp(target, "all") == 0,
					  &call->client->requester, error);
}

static bool on_request(BusCall *call, DBusMessageIter *out, GError **error)
{
	ServiceCall requested;

	(void)out;
	return service_call_make(call, &requested, error);
}

static bool on_read_log(BusCall *call, DBusMessageIter *out, GError **error)
{
	g_autoptr(GByteArray) text = NULL;
	Object object;

	if (!object_find(call->engine, dbus_message_get_path(call->message), &object) ||
	    !object.service)
		return fail(error, SVCD_ERROR_NO_SUCH_SERVICE, "the service no longer exists");
	text = bus_ops(call->bus)->read_log(bus_ops_data(call->bus), object.service->def->name,
					    error);
	if (text)
		wire_bytes(out, text->data, text->len);
	return text != NULL;
}

static const MethodRow methods[] = {
	{ "Request", "sas", "", ACCESS_OPERATE, on_request },
	{ "Signal", "si", "", ACCESS_OPERATE, on_signal },
	{ "ReadLog", "", "ay", ACCESS_LOG, on_read_log },
};

static const PropertyRow properties[] = {
	{ "Name", "s", PROPERTY_CONST | PROPERTY_LISTED, .text = get_name },
	{ "Description", "s", PROPERTY_LISTED, .text = get_description },
	{ "Type", "s", PROPERTY_LISTED, .text = get_type },
	{ "State", "s", PROPERTY_LISTED, .text = get_state },
	{ "Since", "t", PROPERTY_LISTED, .number = get_since },
	{ "Cause", "s", PROPERTY_LISTED, .text = get_cause },
	{ "Causes", "a(tsss)", PROPERTY_SILENT, .append = append_causes },
	{ "Refused", "u", 0, .number = get_refused },
	{ "Refusals", "a(ssut)", PROPERTY_SILENT, .append = append_refusals },
	{ "Settled", "b", PROPERTY_LISTED, .number = get_settled },
	{ "Wanted", "b", PROPERTY_LISTED, .number = get_wanted },
	{ "WantReason", "s", PROPERTY_LISTED, .text = get_want_reason },
	{ "WantedBy", "s", PROPERTY_LISTED, .text = get_wanted_by },
	{ "Admin", "s", PROPERTY_LISTED, .text = get_admin },
	{ "AdminAt", "t", PROPERTY_LISTED, .number = get_admin_at },
	{ "Activation", "s", PROPERTY_LISTED, .text = get_activation },
	{ "ActivationOrigin", "s", PROPERTY_LISTED, .append = append_activation_origin },
	{ "ActivationIsDefault", "b", PROPERTY_LISTED, .number = get_activation_is_default },
	{ "InRunlevel", "b", PROPERTY_LISTED, .number = get_in_runlevel },
	{ "Presence", "s", PROPERTY_LISTED, .text = get_presence },
	{ "RunlevelOrigin", "s", 0, .append = append_runlevel_origin },
	{ "PolicyReason", "s", 0, .text = get_policy_reason },
	{ "MainPid", "u", PROPERTY_LISTED, .number = get_main_pid },
	{ "ControlGroup", "s", 0, .text = get_control_group },
	{ "Invocation", "t", PROPERTY_LISTED, .number = get_invocation },
	{ "Restarts", "u", PROPERTY_LISTED, .number = get_restarts },
	{ "Result", "s", PROPERTY_LISTED, .text = get_result },
	{ "StatusText", "s", 0, .text = get_status_text },
	{ "ResourceProblem", "s", 0, .text = get_resource_problem },
	{ "Health", "s", PROPERTY_LISTED, .text = get_health },
	{ "HealthText", "s", 0, .text = get_health_text },
	{ "Restarting", "b", 0, .number = get_restarting },
	{ "RestartProblem", "s", 0, .text = get_restart_problem },
	{ "StopProblem", "s", 0, .text = get_stop_problem },
	{ "Reloading", "b", 0, .number = get_reloading },
	{ "ReloadProblem", "s", 0, .append = append_reload_problem },
	{ "FalseTerms", "a(ssss)", PROPERTY_LISTED, .append = append_false_terms },
	{ "Terms", "a(sssss)", PROPERTY_SILENT, .append = append_terms },
	{ "Sockets", "a(sssbs)", PROPERTY_SILENT, .append = append_sockets },
	{ "Members", "as", PROPERTY_SILENT, .append = append_members },
	{ "Dependents", "as", PROPERTY_SILENT | PROPERTY_COSTLY, .append = append_dependents },
	{ "StartedAt", "t", 0, .number = get_started_at },
	{ "ReadyAt", "t", 0, .number = get_ready_at },
	{ "ReadyDuration", "t", PROPERTY_LISTED, .number = get_ready_duration },
	{ "BackoffUntil", "t", 0, .number = get_backoff_until },
	{ "WaitUntil", "t", 0, .number = get_wait_until },
	{ "StartLimit", "t", 0, .number = get_start_limit },
	{ "StopLimit", "t", 0, .number = get_stop_limit },
	{ "Problem", "s", PROPERTY_LISTED, .text = get_problem },
	{ "SourceFile", "s", 0, .append = append_source_file },
	{ "FileState", "s", PROPERTY_LISTED, .text = get_file_state },
	{ "LostFile", "s", PROPERTY_LISTED, .append = append_lost_file },
};

const Interface interface_service = {
	.name = INTERFACE_SERVICE,
	.xml = introspection_org_svcd1_Service,
	.methods = methods,
	.n_methods = G_N_ELEMENTS(methods),
	.properties = properties,
	.n_properties = G_N_ELEMENTS(properties),
};
