/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * org.svcd1.Manager: each method checks its arguments, calls one function and answers.
 * ObjectManager lists all objects.
 */
#include "config.h"

#include <string.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/limits.h"
#include "boot/progress.h"
#include "bus/answers.h"
#include "bus/bus.h"
#include "bus/conditions.h"
#include "bus/call.h"
#include "bus/internal.h"
#include "bus/introspection.h"
#include "bus/objects.h"
#include "bus/properties.h"
#include "bus/rows.h"
#include "bus/service-call.h"
#include "bus/terms.h"
#include "engine/explain.h"
#include "loop/loop.h"
#include "loop/wire.h"
#include "model/name.h"

/* The arguments of a call with a signature that begins with "sb". */
static void string_and_bool(const BusCall *call, const char **ret_text, bool *ret_value)
{
	DBusMessageIter in;
	dbus_bool_t value = FALSE;

	dbus_message_iter_init(call->message, &in);
	dbus_message_iter_get_basic(&in, ret_text);
	dbus_message_iter_next(&in);
	dbus_message_iter_get_basic(&in, &value);
	*ret_value = value;
}

static bool check_name(const char *name, bool (*check)(const char *name, char **ret_problem),
		       GError **error)
{
	g_autofree char *problem = NULL;

	return check(name, &problem) || fail(error, SVCD_ERROR_INVALID_ARGUMENT, "%s", problem);
}

static const Service *find_service(const BusCall *call, const char *name, GError **error)
{
	const Service *service = terms_find_service(call->engine, name);

	if (!service)
		fail(error, SVCD_ERROR_NO_SUCH_SERVICE, "there is no service \"%s\"", name);
	return service;
}

/* --- reading --- */

static bool on_list_services(BusCall *call, DBusMessageIter *out, GError **error)
{
	const GPtrArray *all = engine_services(call->engine);
	DBusMessageIter array;

	wire_open(out, DBUS_TYPE_ARRAY, "a{sv}", &array);
	for (guint i = 0; i < all->len; i++) {
		const PropertyContext context = call_subject(call, g_ptr_array_index(all, i));

		properties_append(&interface_service, &context, 0, PROPERTY_LISTED, &array);
	}
	wire_close(out, &array);
	return true;
}

static bool on_get_service(BusCall *call, DBusMessageIter *out, GError **error)
{
	const Service *service = find_service(call, call_string(call), error);
	g_autofree char *path = NULL;

	if (!service)
		return false;
	path = object_path_of_service(service->def->name);
	wire_object_path(out, path);
	return true;
}

static bool on_explain(BusCall *call, DBusMessageIter *out, GError **error)
{
	const Service *service = find_service(call, call_string(call), error);
	g_autoptr(GPtrArray) reasons =
		service ? explain_service(call->engine, service->def->name, loop_now()) : NULL;
	DBusMessageIter array;

	if (!service)
		return false;
	wire_open(out, DBUS_TYPE_ARRAY, "(usss)", &array);
	for (guint i = 0; reasons && i < reasons->len; i++) {
		const Reason *reason = g_ptr_array_index(reasons, i);
		DBusMessageIter inner;

		wire_open(&array, DBUS_TYPE_STRUCT, NULL, &inner);
		wire_uint32(&inner, reason->depth);
		wire_string(&inner, reason_kind_name(reason->kind));
		wire_string(&inner, reason->service);
		wire_string(&inner, reason->text);
		wire_close(&array, &inner);
	}
	wire_close(out, &array);
	return true;
}

static bool on_list_conditions(BusCall *call, DBusMessageIter *out, GError **error)
{
	conditions_append(bus_conditions(call->bus), out);
	return true;
}

static bool on_watch_condition(BusCall *call, DBusMessageIter *out, GError **error)
{
	Conditions *conditions = bus_conditions(call->bus);
	Level level = LEVEL_UNKNOWN;
	const char *why = NULL;
	const char *text = NULL;
	bool is_on = false;

	string_and_bool(call, &text, &is_on);
	if (is_on ? !conditions_watch(conditions, call->client, text, &level, &why, error) :
		    !conditions_unwatch(conditions, call->client, text, error))
		return false;
	wire_string(out, level_name(level));
	wire_string(out, why);
	return true;
}

static void append_diagnostic(const Diagnostic *diagnostic, void *data)
{
	DBusMessageIter *array = data;
	DBusMessageIter inner;

	wire_open(array, DBUS_TYPE_STRUCT, NULL, &inner);
	wire_string(&inner, diag_level_name(diagnostic->level));
	wire_string(&inner, diagnostic->origin.file);
	wire_uint32(&inner, diagnostic->origin.line);
	wire_string(&inner, diagnostic->service);
	wire_string(&inner, diagnostic->text);
	wire_close(array, &inner);
}

static bool on_diagnostics(BusCall *call, DBusMessageIter *out, GError **error)
{
	DBusMessageIter array;

	wire_open(out, DBUS_TYPE_ARRAY, "(ssuss)", &array);
	bus_ops(call->bus)->foreach_diagnostic(bus_ops_data(call->bus), &call->client->requester,
					       append_diagnostic, &array);
	wire_close(out, &array);
	return true;
}

static bool on_subscribe(BusCall *call, DBusMessageIter *out, GError **error)
{
	call->client->is_subscribed = true;
	bus_listener_came(call->bus);
	return true;
}

/* --- changing --- */

/* Stop, Reload, Clear */
static bool on_request(BusCall *call, DBusMessageIter *out, GError **error)
{
	ServiceCall requested;

	(void)out;
	return service_call_make(call, &requested, error);
}

/* Start, Restart: answers with the terms that the service waits for, if any. */
static bool on_request_with_terms(BusCall *call, DBusMessageIter *out, GError **error)
{
	const Service *service;
	DBusMessageIter none;
	ServiceCall requested;

	if (!service_call_make(call, &requested, error))
		return false;
	if (call->is_promised)
		return true;
	service = engine_find(call->engine, requested.name);
	if (service && (service->state == STATE_WAITING || service->state == STATE_IDLE)) {
		terms_append_false(call->engine, service, out);
		return true;
	}
	wire_open(out, DBUS_TYPE_ARRAY, "(ssss)", &none);
	wire_close(out, &none);
	return true;
}

static bool on_activate(BusCall *call, DBusMessageIter *out, GError **error)
{
	const char *bus_name = NULL;
	const char *stand_in = NULL;
	g_autofree char *path = NULL;
	const ServiceDef *def;
	DBusMessageIter in;

	dbus_message_iter_init(call->message, &in);
	dbus_message_iter_get_basic(&in, &bus_name);
	dbus_message_iter_next(&in);
	dbus_message_iter_get_basic(&in, &stand_in);
	if (!check_name(bus_name, name_check_bus, error))
		return false;
	def = service_set_find_bus_name(engine_set(call->engine), bus_name);
	if (!def)
		return fail(error, SVCD_ERROR_NO_SUCH_SERVICE, "no service owns the name %s",
			    bus_name);
	if (!bus_ops(call->bus)->activate(bus_ops_data(call->bus), def->name, bus_name, stand_in,
					  &call->client->requester, error))
		return false;
	path = object_path_of_service(def->name);
	wire_object_path(out, path);
	return true;
}

static bool on_set_runlevel(BusCall *call, DBusMessageIter *out, GError **error)
{
	const char *name = call_string(call);
	const char *runlevel = policy_find_runlevel(engine_policy(call->engine), name);

	if (!runlevel)
		return fail(error, SVCD_ERROR_INVALID_ARGUMENT, "there is no runlevel \"%s\"",
			    name);
	return bus_ops(call->bus)->set_runlevel(bus_ops_data(call->bus), runlevel,
						&call->client->requester, error);
}

static bool on_set_flag(BusCall *call, DBusMessageIter *out, GError **error)
{
	const char *name = NULL;
	bool value = false;

	string_and_bool(call, &name, &value);
	if (!check_name(name, name_check_flag, error) ||
	    !bus_ops(call->bus)->set_flag(bus_ops_data(call->bus), name, value, call->client->name,
					  &call->client->requester, error))
		return false;
	bus_engine_changed(call->bus); /* Flags changed, even if no service did */
	return true;
}

static bool on_shutdown(BusCall *call, DBusMessageIter *out, GError **error)
{
	static const char *const kinds[] = { "poweroff", "reboot", "halt", NULL };
	const char *kind = call_string(call);

	if (!g_strv_contains(kinds, kind))
		return fail(error, SVCD_ERROR_INVALID_ARGUMENT,
			    "a machine can be shut down by poweroff, reboot or halt, not \"%s\"",
			    kind);
	return bus_ops(call->bus)->shutdown(bus_ops_data(call->bus), kind, &call->client->requester,
					    error);
}

static bool on_reload_files(BusCall *call, DBusMessageIter *out, GError **error)
{
	return bus_ops(call->bus)->reload_files(bus_ops_data(call->bus), &call->client->requester,
						error);
}

static bool on_reexec(BusCall *call, DBusMessageIter *out, GError **error)
{
	return bus_ops(call->bus)->reexec(bus_ops_data(call->bus), &call->client->requester, error);
}

/* The arguments of a command, at least one, NULL-terminated. A new array of borrowed strings. */
static GPtrArray *read_tokens(const BusCall *call, GError **error)
{
	g_autoptr(GPtrArray) arguments = g_ptr_array_new();
	DBusMessageIter in;
	DBusMessageIter array;
	const char *argument;

	dbus_message_iter_init(call->message, &in);
	for (dbus_message_iter_recurse(&in, &array);
	     dbus_message_iter_get_arg_type(&array) == DBUS_TYPE_STRING;
	     dbus_message_iter_next(&array)) {
		dbus_message_iter_get_basic(&array, &argument);
		g_ptr_array_add(arguments, (char *)argument);
	}
	if (arguments->len == 0 || arguments->len > LIMIT_CHANGE_ARGUMENTS) {
		fail(error, SVCD_ERROR_INVALID_ARGUMENT,
		     "a change of policy has 1 to %u arguments, not %u", LIMIT_CHANGE_ARGUMENTS,
		     arguments->len);
		return NULL;
	}
	g_ptr_array_add(arguments, NULL);
	return g_steal_pointer(&arguments);
}

/* Answered by bus_change_ended() or bus_change_failed(). */
static bool on_change_policy(BusCall *call, DBusMessageIter *out, GError **error)
{
	g_autoptr(GPtrArray) arguments = read_tokens(call, error);
	Answers *answers = bus_answers(call->bus);
	uint64_t ticket;

	(void)out;
	if (!arguments)
		return false;
	ticket = answers_promise(answers, call->client, call->message);
	call->is_promised = bus_ops(call->bus)->change_policy(bus_ops_data(call->bus), ticket,
							      (const char *const *)arguments->pdata,
							      &call->client->requester, error);
	if (!call->is_promised)
		answers_forget(answers, ticket);
	return call->is_promised;
}

static const MethodRow methods[] = {
	{ "ListServices", "", "aa{sv}", ACCESS_READ, on_list_services },
	{ "GetService", "s", "o", ACCESS_READ, on_get_service },
	{ "Start", "s", "a(ssss)", ACCESS_OPERATE, on_request_with_terms },
	{ "Stop", "sb", "", ACCESS_OPERATE, on_request },
	{ "Restart", "s", "a(ssss)", ACCESS_OPERATE, on_request_with_terms },
	{ "Reload", "s", "", ACCESS_OPERATE, on_request },
	{ "Clear", "s", "", ACCESS_OPERATE, on_request },
	{ "Activate", "ss", "o", ACCESS_CONTROL, on_activate },
	{ "Explain", "s", "a(usss)", ACCESS_READ, on_explain },
	{ "SetRunlevel", "s", "", ACCESS_CONTROL, on_set_runlevel },
	{ "SetFlag", "sb", "", ACCESS_FLAG, on_set_flag },
	{ "ListConditions", "", "a(ssstasass)", ACCESS_READ, on_list_conditions },
	{ "WatchCondition", "sb", "ss", ACCESS_WATCH, on_watch_condition },
	{ "Shutdown", "s", "", ACCESS_POWER, on_shutdown },
	{ "ReloadFiles", "", "", ACCESS_CONFIGURE, on_reload_files },
	{ "Reexec", "", "", ACCESS_CONFIGURE, on_reexec },
	{ "ChangePolicy", "as", "us", ACCESS_POLICY, on_change_policy },
	{ "Diagnostics", "", "a(ssuss)", ACCESS_READ, on_diagnostics },
	{ "Subscribe", "", "", ACCESS_READ, on_subscribe },
};

/* --- properties --- */

static const char *get_version(const PropertyContext *x)
{
	return PACKAGE_VERSION;
}

static const char *get_runlevel(const PropertyContext *x)
{
	return engine_runlevel(x->engine);
}

static const char *get_previous_runlevel(const PropertyContext *x)
{
	return engine_previous_runlevel(x->engine);
}

static const char *get_default_runlevel(const PropertyContext *x)
{
	const Policy *policy = engine_policy(x->engine);

	return policy ? policy_default_runlevel(policy, NULL) : NULL;
}

static void append_runlevels(const PropertyContext *x, DBusMessageIter *out)
{
	const Policy *policy = engine_policy(x->engine);
	g_autoptr(GPtrArray) names = policy ? policy_runlevels(policy) : NULL;
	DBusMessageIter array;

	wire_open(out, DBUS_TYPE_ARRAY, "(ss)", &array);
	for (guint i = 0; names && i < names->len && g_ptr_array_index(names, i); i++) {
		const char *name = g_ptr_array_index(names, i);
		const char *const texts[] = { name, policy_runlevel_title(policy, name) };

		wire_string_struct(&array, texts, G_N_ELEMENTS(texts));
	}
	wire_close(out, &array);
}

static Progress progress_of(const PropertyContext *x)
{
	Progress progress = { 0 };

	progress_get(x->engine, &progress);
	return progress;
}

static uint64_t get_boot_finished(const PropertyContext *x)
{
	return progress_of(x).finished;
}

static uint64_t get_boot_started_at(const PropertyContext *x)
{
	return (uint64_t)MAX(progress_of(x).boot_us, 0);
}

static uint64_t get_boot_finished_at(const PropertyContext *x)
{
	return (uint64_t)MAX(progress_of(x).finished_us, 0);
}

static uint64_t get_at_rest(const PropertyContext *x)
{
	return engine_is_at_rest(x->engine);
}

static uint64_t get_shutting_down(const PropertyContext *x)
{
	return engine_is_shutting_down(x->engine);
}

static uint64_t get_generation(const PropertyContext *x)
{
	return bus_info(x->bus).generation;
}

static uint64_t get_manager_started_at(const PropertyContext *x)
{
	return (uint64_t)MAX(bus_info(x->bus).started_us, 0);
}

static uint64_t get_files_read_at(const PropertyContext *x)
{
	return (uint64_t)MAX(bus_info(x->bus).files_read_us, 0);
}

static uint64_t get_files_failed_at(const PropertyContext *x)
{
	return (uint64_t)MAX(bus_info(x->bus).files_failed_us, 0);
}

static const char *get_files_problem(const PropertyContext *x)
{
	return bus_info(x->bus).files_problem;
}

static uint64_t get_manager_pid(const PropertyContext *x)
{
	return (uint64_t)getpid();
}

static const char *get_virtualization(const PropertyContext *x)
{
	return bus_info(x->bus).virtualization;
}

static const char *get_reexec_problem(const PropertyContext *x)
{
	return bus_info(x->bus).reexec_problem;
}

static void append_tainted(const PropertyContext *x, DBusMessageIter *out)
{
	const BusInfo info = bus_info(x->bus);
	g_autoptr(GPtrArray) sentences = g_ptr_array_new();

	for (size_t i = 0; info.tainted && info.tainted[i]; i++)
		g_ptr_array_add(sentences, (char *)info.tainted[i]);
	if (info.reexec_problem)
		g_ptr_array_add(sentences, (char *)info.reexec_problem);
	wire_names(out, sentences);
}

static void append_flags(const PropertyContext *x, DBusMessageIter *out)
{
	g_auto(GStrv) flags = bus_ops(x->bus)->flags(bus_ops_data(x->bus));
	g_autoptr(GPtrArray) names = g_ptr_array_new();

	for (size_t i = 0; flags && flags[i]; i++)
		g_ptr_array_add(names, flags[i]);
	wire_names(out, names);
}

static void append_not_as_wanted(const PropertyContext *x, DBusMessageIter *out)
{
	g_autoptr(GPtrArray) names = explain_not_as_wanted(x->engine);

	wire_names(out, names);
}

static const PropertyRow properties[] = {
	{ "Version", "s", PROPERTY_CONST, .text = get_version },
	{ "Runlevel", "s", 0, .text = get_runlevel },
	{ "PreviousRunlevel", "s", 0, .text = get_previous_runlevel },
	{ "DefaultRunlevel", "s", 0, .text = get_default_runlevel },
	{ "Runlevels", "a(ss)", 0, .append = append_runlevels },
	{ "BootFinished", "b", 0, .number = get_boot_finished },
	{ "BootStartedAt", "t", 0, .number = get_boot_started_at },
	{ "BootFinishedAt", "t", 0, .number = get_boot_finished_at },
	{ "AtRest", "b", 0, .number = get_at_rest },
	{ "ShuttingDown", "b", 0, .number = get_shutting_down },
	{ "Generation", "u", PROPERTY_CONST, .number = get_generation },
	{ "ManagerStartedAt", "t", PROPERTY_CONST, .number = get_manager_started_at },
	{ "FilesReadAt", "t", 0, .number = get_files_read_at },
	{ "FilesFailedAt", "t", 0, .number = get_files_failed_at },
	{ "FilesProblem", "s", 0, .text = get_files_problem },
	{ "ManagerPid", "u", PROPERTY_CONST, .number = get_manager_pid },
	{ "Virtualization", "s", PROPERTY_CONST, .text = get_virtualization },
	{ "Flags", "as", 0, .append = append_flags },
	{ "NotAsWanted", "as", PROPERTY_SILENT, .append = append_not_as_wanted },
	{ "Tainted", "as", PROPERTY_SILENT, .append = append_tainted },
	{ "ReexecProblem", "s", PROPERTY_CONST, .text = get_reexec_problem },
};

const Interface interface_manager = {
	.name = INTERFACE_MANAGER,
	.xml = introspection_org_svcd1_Manager,
	.methods = methods,
	.n_methods = G_N_ELEMENTS(methods),
	.properties = properties,
	.n_properties = G_N_ELEMENTS(properties),
};

/* --- org.freedesktop.DBus.ObjectManager --- */

static void append_object(DBusMessageIter *array, const char *path, const Interface *interface,
			  const PropertyContext *context)
{
	DBusMessageIter entry;

	wire_open(array, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
	wire_object_path(&entry, path);
	properties_append_interfaces(interface, context, &entry);
	wire_close(array, &entry);
}

static bool on_get_managed_objects(BusCall *call, DBusMessageIter *out, GError **error)
{
	const GPtrArray *all = engine_services(call->engine);
	const PropertyContext boot = call_subject(call, NULL);
	DBusMessageIter array;

	wire_open(out, DBUS_TYPE_ARRAY, "{oa{sa{sv}}}", &array);
	append_object(&array, OBJECT_PATH_BOOT, &interface_boot, &boot);
	for (guint i = 0; i < all->len; i++) {
		const Service *service = g_ptr_array_index(all, i);
		const PropertyContext context = call_subject(call, service);
		g_autofree char *path = object_path_of_service(service->def->name);

		append_object(&array, path, &interface_service, &context);
	}
	wire_close(out, &array);
	return true;
}

static const MethodRow object_manager_methods[] = {
	{ "GetManagedObjects", "", "a{oa{sa{sv}}}", ACCESS_READ, on_get_managed_objects },
};

const Interface interface_object_manager = {
	.name = "org.freedesktop.DBus.ObjectManager",
	.xml = introspection_org_freedesktop_DBus_ObjectManager,
	.methods = object_manager_methods,
	.n_methods = G_N_ELEMENTS(object_manager_methods),
};
