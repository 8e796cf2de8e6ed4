/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Requests: the requests of clients, as BusOps. Each change is sent to the keeper before the client
 * gets its answer.
 */
#include "config.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/log.h"
#include "base/text.h"
#include "bus/client-socket.h"
#include "config/loader.h"
#include "manager/manager.h"

static GPtrArray *tainted; /* sentences for BusInfo.tainted; owned strings */

static bool on_service_request(void *data, RequestVerb verb, const char *service,
			       const Requester *requester, GError **error)
{
	Manager *m = data;
	bool done;

	if (verb == REQUEST_VERB_START || verb == REQUEST_VERB_RESTART)
		/* if it does not exist, the engine reports that */
		(void)files_add_instance(m, service);
	done = engine_request(m->engine, verb, service, requester, loop_now(), error);
	if (done)
		last_success_on_request(m, verb, service);
	manager_drain(m);
	return done;
}

static bool on_signal(void *data, const char *service, int signo, bool to_all,
		      const Requester *requester, GError **error)
{
	Supervisor *supervisor = manager_supervisor(service);

	(void)data;
	if (!supervisor)
		return fail(error, SVCD_ERROR_NOT_SUPPORTED, "%s has no running process", service);
	if (!supervisor_send_signal(supervisor, signo, to_all, error))
		return false;
	log_notice(service, "signal %d (%s) to %s, requested by uid %u (pid %d)", signo,
		   text_signal_name(signo), to_all ? "all its processes" : "its main process",
		   (unsigned)requester->uid, (int)requester->pid);
	return true;
}

static bool on_activate(void *data, const char *service, const char *bus_name, const char *stand_in,
			const Requester *requester, GError **error)
{
	Manager *m = data;
	bool done;

	if (*stand_in)
		registry_ignore_bus_owner(m->registry, stand_in);
	done = engine_demand(m->engine, service, bus_name, requester, loop_now(), error);
	manager_drain(m);
	return done;
}

bool requests_set_runlevel(Manager *m, const char *runlevel, const Requester *requester,
			   GError **error)
{
	const char *canonical = policy_find_runlevel(engine_policy(m->engine), runlevel);
	bool done;

	if (!canonical)
		return fail(error, SVCD_ERROR_INVALID_ARGUMENT, "there is no runlevel \"%s\"",
			    runlevel);
	if (strcmp(canonical, "0") == 0)
		return power_shutdown(m, SHUTDOWN_POWEROFF, requester, error);
	if (strcmp(canonical, "6") == 0)
		return power_shutdown(m, SHUTDOWN_REBOOT, requester, error);
	done = engine_set_runlevel(m->engine, canonical, requester, loop_now(), error);
	manager_drain(m);
	return done;
}

static bool on_set_runlevel(void *data, const char *runlevel, const Requester *requester,
			    GError **error)
{
	return requests_set_runlevel(data, runlevel, requester, error);
}

static bool on_shutdown(void *data, const char *kind, const Requester *requester, GError **error)
{
	static const struct {
		const char *name;
		enum ShutdownKind kind;
	} kinds[] = {
		{ "poweroff", SHUTDOWN_POWEROFF },
		{ "reboot", SHUTDOWN_REBOOT },
		{ "halt", SHUTDOWN_HALT },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
		if (strcmp(kinds[i].name, kind) != 0)
			continue;
		if (!manager_is_users(data))
			return power_shutdown(data, kinds[i].kind, requester, error);
		if (kinds[i].kind == SHUTDOWN_POWEROFF)
			return power_shutdown(data, SHUTDOWN_EXIT, requester, error);
		return fail(
			error, SVCD_ERROR_NOT_SUPPORTED,
			"a user's svcd can only be powered off, which ends it but not the machine");
	}
	return fail(error, SVCD_ERROR_INVALID_ARGUMENT, "\"%s\" is not poweroff, reboot or halt",
		    kind);
}

static bool on_set_flag(void *data, const char *name, bool set, const char *holder,
			const Requester *requester, GError **error)
{
	Manager *m = data;
	g_autofree char *why = requester_describe("set", requester);

	if (!flag_provider_set(registry_flags(m->registry), name, set, holder, why, error))
		return false;
	notes_send_flag(m, name);
	registry_flush(m->registry);
	manager_drain(m);
	return true;
}

static char **on_flags(void *data)
{
	Manager *m = data;
	g_autoptr(GPtrArray) names = flag_provider_list(registry_flags(m->registry));
	GStrvBuilder *builder = g_strv_builder_new();
	char **list;

	for (guint i = 0; i < names->len; i++)
		g_strv_builder_add(builder, g_ptr_array_index(names, i));
	list = g_strv_builder_end(builder);
	g_strv_builder_unref(builder);
	return list;
}

static bool on_reload_files(void *data, const Requester *requester, GError **error)
{
	(void)error;
	log_notice(NULL, "reading all files again, requested by uid %u (pid %d)",
		   (unsigned)requester->uid, (int)requester->pid);
	files_load(data);
	return true;
}

/*
 * The keeper closes the link when it is ready. Until then the main loop runs and sends the answer.
 */
static bool on_reexec(void *data, const Requester *requester, GError **error)
{
	Manager *m = data;

	if (power_is_ending())
		return fail(error, SVCD_ERROR_SHUTTING_DOWN, "the machine is going down");
	log_notice(NULL, "executing svcd again, requested by uid %u (pid %d)",
		   (unsigned)requester->uid, (int)requester->pid);
	keeper_link_reexec(m->link);
	return true;
}

static const char *on_cgroup(void *data, const char *service)
{
	const Supervisor *supervisor = manager_supervisor(service);

	(void)data;
	return supervisor ? supervisor_cgroup(supervisor) : NULL;
}

static void on_foreach_diagnostic(void *data, const Requester *requester,
				  void (*func)(const Diagnostic *diagnostic, void *user),
				  void *user)
{
	static char hidden[] = "it has an error, which is shown only to root";
	const bool may_see_all = requester->uid == 0 || manager_is_users(data);
	const FilesReport files = files_report();

	for (unsigned i = 0; i < diag_list_length(files.diags); i++) {
		Diagnostic shown = *diag_list_get(files.diags, i);

		if (!may_see_all && configuration_is_secret(files.secrets, shown.origin.file))
			shown.text = hidden;
		func(&shown, user);
	}
}

/* @owner: a service, or another owner of jobs (worker/pool.h). */
static void add_hanging_worker(void *data, const char *owner, const char *what)
{
	const Manager *m = data;
	const Service *s = m->engine ? engine_find(m->engine, owner) : NULL;
	const char *user = s ? s->def->execution->user : NULL;
	g_autofree char *owner_name =
		s ? g_strdup_printf("service %s, user %s", owner, user ? user : "root") :
		    g_strdup(owner);

	g_ptr_array_add(
		tainted,
		g_strdup_printf(
			"a process of svc-worker hangs at \"%s\" (%s): another process holds the "
			"lock "
			"that it waits for",
			what, owner_name));
}

static const char *const *list_tainted(Manager *m)
{
	if (!tainted)
		tainted = g_ptr_array_new_with_free_func(g_free);
	g_ptr_array_set_size(tainted, 0);
	if (!m->context.cgroup_root && m->context.has_marks)
		g_ptr_array_add(
			tainted,
			g_strdup("there is no cgroup that this user may write to: processes that "
				 "leave their service "
				 "are found by their environment, and limits for a whole service "
				 "have no effect"));
	else if (!m->context.cgroup_root)
		g_ptr_array_add(
			tainted,
			g_strdup("there is no cgroup v2 to write to: processes that leave their "
				 "service cannot be found"));
	if (m->workers)
		worker_pool_visit_abandoned(m->workers, add_hanging_worker, m);
	g_ptr_array_add(tainted, NULL);
	return (const char *const *)tainted->pdata;
}

static void on_info(void *data, BusInfo *ret)
{
	Manager *m = data;
	const FilesReport files = files_report();

	*ret = (BusInfo){ .virtualization = m->welcome.virtualization,
			  .tainted = list_tainted(m),
			  .reexec_problem = m->reexec_problem,
			  .generation = m->welcome.generation,
			  .keeper_started_us = (int64_t)m->welcome.boot_at_us,
			  .started_us = m->started_us,
			  .files_read_us = files.read_us,
			  .files_failed_us = files.failed_us,
			  .files_problem = files.problem };
}

static void on_watch_condition(void *data, KeyPrefix prefix, const char *key)
{
	watches_add_client(data, prefix, g_intern_string(key));
}

static void on_unwatch_condition(void *data, KeyPrefix prefix, const char *key)
{
	watches_remove_client(data, prefix, g_intern_string(key));
}

static char *on_describe_condition(void *data, KeyPrefix prefix, const char *key)
{
	return registry_describe(((Manager *)data)->registry, prefix, key);
}

static void on_foreach_timer(void *data, void (*visit)(void *visit_data, const DueTime *time),
			     void *visit_data)
{
	schedule_provider_visit(registry_schedule(((Manager *)data)->registry), visit, visit_data);
}

static void on_dispose(void *data, int fd)
{
	keeper_link_dispose(((Manager *)data)->link, fd);
}

static const BusOps bus_ops = {
	.request = on_service_request,
	.signal = on_signal,
	.check = checks_request,
	.activate = on_activate,
	.set_runlevel = on_set_runlevel,
	.shutdown = on_shutdown,
	.set_flag = on_set_flag,
	.flags = on_flags,
	.reload_files = on_reload_files,
	.reexec = on_reexec,
	.change_policy = policy_helper_request,
	.add_instance = operators_add_instance,
	.read_log = logs_read,
	.is_operator = operators_have,
	.cgroup = on_cgroup,
	.is_socket_open = sockets_is_open,
	.foreach_diagnostic = on_foreach_diagnostic,
	.info = on_info,
	.watch_condition = on_watch_condition,
	.unwatch_condition = on_unwatch_condition,
	.describe_condition = on_describe_condition,
	.foreach_timer = on_foreach_timer,
	.dispose = on_dispose,
};

static ClientSocketKind socket_kind(const Manager *m)
{
	return manager_is_users(m) ? CLIENT_SOCKET_OF_USER : CLIENT_SOCKET_OF_MACHINE;
}

static char *socket_path(const Manager *m)
{
	return g_build_filename(m->runtime_dir, "private", NULL);
}

bool requests_socket_is_there(const Manager *m)
{
	g_autofree char *path = socket_path(m);
	struct stat st;

	return lstat(path, &st) == 0 && S_ISSOCK(st.st_mode);
}

int requests_open_socket(Manager *m)
{
	g_autofree char *path = socket_path(m);
	g_autoptr(GError) error = NULL;
	int fd = client_socket_open(socket_kind(m), path, &error);

	if (fd >= 0)
		keeper_link_keep(m->link, REQUESTS_KEPT_SOCKET, fd);
	else
		log_error(NULL, "svcctl cannot reach svcd: %s", error->message);
	return fd;
}

void requests_serve(Manager *m, int fd)
{
	if (!m->bus) {
		m->bus = bus_new(m->engine, &bus_ops, m);
		/*
		 * A user's svcd is not on the machine's bus. It is on no bus if the session has
		 * none.
		 */
		if (!manager_is_users(m) || m->session_bus)
			bus_attach_system(m->bus,
					  manager_is_users(m) ? m->session_bus : m->system_bus);
	}
	if (fd >= 0)
		bus_listen(m->bus, socket_kind(m), fd);
}
