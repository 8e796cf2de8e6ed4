/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bus world: BusOps that end in the World's engine.
 */
#include "config.h"

#include "tests/lib/bus-world.h"

#include <glib-unix.h>
#include <pty.h>
#include <string.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/fd.h"
#include "bus/names.h"
#include "bus/client-socket.h"

#include "tests/lib/deadline.h"

/* --- operations --- */

static void write_request(BusWorld *bw, const char *text)
{
	g_string_append_printf(bw->requests, "%s%s", bw->requests->len > 0 ? "; " : "", text);
}

static bool on_request(void *data, RequestVerb verb, const char *service,
		       const Requester *requester, GError **error)
{
	BusWorld *bw = data;
	bool done;

	if (bw->dies)
		_exit(0);
	done = engine_request(world_engine(bw->world), verb, service, requester,
			      world_now(bw->world), error);
	if (bw->settles)
		world_settle(bw->world);
	bus_world_flush(bw);
	return done;
}

static bool on_signal(void *data, const char *service, int signo, bool to_all,
		      const Requester *requester, GError **error)
{
	g_autofree char *request =
		g_strdup_printf("signal %d to %s of %s", signo, to_all ? "all" : "main", service);

	(void)requester;
	if (((BusWorld *)data)->dies)
		_exit(0);
	if (world_find(((BusWorld *)data)->world, service)->main_pid == 0)
		return fail(error, SVCD_ERROR_NOT_SUPPORTED, "%s has no running process", service);
	write_request(data, request);
	return true;
}

static bool on_check(void *data, uint64_t ticket, RequestVerb verb, const char *service,
		     const Requester *requester, GError **error)
{
	BusWorld *bw = data;

	(void)verb;
	(void)requester;
	if (strcmp(service, "overrun") == 0)
		return fail(error, SVCD_ERROR_LIMIT_REACHED, "too many requests wait");
	bw->ticket = ticket;
	return true;
}

static bool on_set_runlevel(void *data, const char *runlevel, const Requester *requester,
			    GError **error)
{
	BusWorld *bw = data;
	const bool done = engine_set_runlevel(world_engine(bw->world), runlevel, requester,
					      world_now(bw->world), error);

	if (bw->settles)
		world_settle(bw->world);
	bus_world_flush(bw);
	return done;
}

static bool on_shutdown(void *data, const char *kind, const Requester *requester, GError **error)
{
	write_request(data, kind);
	return true;
}

static bool on_set_flag(void *data, const char *name, bool set, const char *holder,
			const Requester *requester, GError **error)
{
	BusWorld *bw = data;
	g_autofree char *key = g_strconcat("flag:", name, NULL);

	if (g_hash_table_size(bw->flags) >= 3 && set)
		return fail(error, SVCD_ERROR_LIMIT_REACHED, "too many flags are set");
	if (set)
		g_hash_table_add(bw->flags, g_strdup(name));
	else
		g_hash_table_remove(bw->flags, name);
	engine_set_level(world_engine(bw->world), key, set ? LEVEL_TRUE : LEVEL_FALSE, "set",
			 world_now(bw->world));
	bus_world_flush(bw);
	return true;
}

static char **on_flags(void *data)
{
	BusWorld *bw = data;
	GHashTableIter iter;
	gpointer name;
	char **names = g_new0(char *, g_hash_table_size(bw->flags) + 1);
	size_t n = 0;

	g_hash_table_iter_init(&iter, bw->flags);
	while (g_hash_table_iter_next(&iter, &name, NULL))
		names[n++] = g_strdup(name);
	return names;
}

static bool on_reload_files(void *data, const Requester *requester, GError **error)
{
	BusWorld *bw = data;

	if (bw->dies)
		_exit(0);
	write_request(data, "reload files");
	bw->files_read_us = g_get_monotonic_time();
	bus_files_read(bw->bus);
	return true;
}

static bool on_reexec(void *data, const Requester *requester, GError **error)
{
	write_request(data, "reexec");
	return true;
}

static bool on_add_instance(void *data, const char *name, const Requester *requester,
			    GError **error)
{
	BusWorld *bw = data;

	if (bw->is_full_of_instances)
		return fail(error, SVCD_ERROR_LIMIT_REACHED,
			    "uid %u has enough, and may not have %s", (unsigned)requester->uid,
			    name);
	if (bw->instance_files)
		world_reload(bw->world, bw->instance_files, bw->instance_policy);
	return true;
}

/* Group N operates the services in @operated: "N:SERVICE N:SERVICE". */
static bool on_is_operator(void *data, const char *service, const gid_t *gids, unsigned n_gids)
{
	const BusWorld *bw = data;
	g_auto(GStrv) all = g_strsplit(bw->operated ? bw->operated : "", " ", -1);

	for (unsigned i = 0; i < n_gids; i++) {
		g_autofree char *token = g_strdup_printf("%u:%s", (unsigned)gids[i], service);

		if (g_strv_contains((const char *const *)all, token))
			return true;
	}
	return false;
}

static bool on_change_policy(void *data, uint64_t ticket, const char *const *arguments,
			     const Requester *requester, GError **error)
{
	BusWorld *bw = data;
	g_autofree char *text = g_strjoinv(" ", (char **)arguments);
	g_autofree char *request = g_strdup_printf("policy: %s", text);

	(void)requester;
	if (strcmp(arguments[0], "dance") == 0)
		return fail(error, SVCD_ERROR_INVALID_ARGUMENT,
			    "\"dance\" is not a change of policy");
	bw->ticket = ticket;
	write_request(bw, request);
	return true;
}

static const char *on_cgroup(void *data, const char *service)
{
	return ((BusWorld *)data)->cgroup;
}

static void on_foreach_diagnostic(void *data, const Requester *requester,
				  void (*func)(const Diagnostic *diagnostic, void *user),
				  void *user)
{
	(void)requester;
	const BusWorld *bw = data;

	for (unsigned i = 0; i < diag_list_length(bw->diags); i++)
		func(diag_list_get(bw->diags, i), user);
}

static void on_watch_condition(void *data, KeyPrefix prefix, const char *key)
{
	BusWorld *bw = data;
	const Level level = (Level)GPOINTER_TO_INT(g_hash_table_lookup(bw->outside, key));

	ck_assert(!key_prefix_is_internal(prefix));
	ck_assert_msg(g_hash_table_add(bw->watched, g_strdup(key)), "%s is watched twice", key);
	bus_condition_changed(bw->bus, key, level,
			      level == LEVEL_TRUE ? "it is there" : "it is not there");
}

static void on_unwatch_condition(void *data, KeyPrefix prefix, const char *key)
{
	(void)prefix;
	ck_assert_msg(g_hash_table_remove(((BusWorld *)data)->watched, key), "%s is not watched",
		      key);
}

static char *on_describe_condition(void *data, KeyPrefix prefix, const char *key)
{
	(void)data;
	if (prefix == KEY_LABEL)
		return g_strdup("labels present: EFI");
	return strcmp(key, "flag:go") == 0 ? g_strdup("flags set: stay") : NULL;
}

static void on_engine_condition(void *data, const char *key, Level level, const char *why)
{
	bus_condition_changed(((BusWorld *)data)->bus, key, level, why);
}

static void on_info(void *data, BusInfo *ret)
{
	if (((BusWorld *)data)->dies)
		_exit(0);
	*ret = (BusInfo){ .virtualization = "container",
			  .generation = 2,
			  .started_us = 5,
			  .files_read_us = ((BusWorld *)data)->files_read_us,
			  .keeper_started_us = world_birth() - BUS_WORLD_KEEPER_US };
}

/* Pretends that the first socket of each service is open. */
static bool on_is_socket_open(void *data, const char *service, unsigned entry,
			      const char **ret_problem)
{
	(void)data;
	(void)service;
	*ret_problem = entry == 0 ? NULL : "cannot listen";
	return entry == 0;
}

static void on_foreach_timer(void *data, void (*visit)(void *visit_data, const DueTime *time),
			     void *visit_data)
{
	(void)data;
	visit(visit_data, &(DueTime){ .key = "due:trim/weekly", .service = "trim", .next_s = 900 });
	visit(visit_data, &(DueTime){ .key = "due:backup/daily",
				      .service = "backup",
				      .next_s = 700,
				      .last_s = 600 });
}

static void on_dispose(void *data, int fd)
{
	(void)data;
	(void)close(fd);
}

static const BusOps ops = {
	.request = on_request,
	.signal = on_signal,
	.check = on_check,
	.set_runlevel = on_set_runlevel,
	.shutdown = on_shutdown,
	.set_flag = on_set_flag,
	.flags = on_flags,
	.reload_files = on_reload_files,
	.reexec = on_reexec,
	.change_policy = on_change_policy,
	.add_instance = on_add_instance,
	.is_operator = on_is_operator,
	.cgroup = on_cgroup,
	.is_socket_open = on_is_socket_open,
	.foreach_diagnostic = on_foreach_diagnostic,
	.info = on_info,
	.watch_condition = on_watch_condition,
	.unwatch_condition = on_unwatch_condition,
	.describe_condition = on_describe_condition,
	.foreach_timer = on_foreach_timer,
	.dispose = on_dispose,
};

/* --- the object's life --- */

BusWorld *bus_world_new_silent(const char *files, const char *policy)
{
	BusWorld *bw = g_new0(BusWorld, 1);
	g_autoptr(GError) error = NULL;

	bw->world = world_new_with_policy(files, policy);
	bw->tree = tree_new();
	bw->socket_path = tree_path(bw->tree, "/private");
	bw->log_directory = tree_path(bw->tree, "/log");
	bw->proc_directory = tree_path(bw->tree, "/proc");
	bw->flags = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	bw->requests = g_string_new(NULL);
	bw->diags = diag_list_new();
	bw->outside = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	bw->watched = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	tree_mkdir(bw->tree, "/log");
	tree_mkdir(bw->tree, "/proc");
	bw->bus = bus_new(world_engine(bw->world), &ops, bw);
	world_on_condition(bw->world, on_engine_condition, bw);
	bw->silent_fd = client_socket_open(CLIENT_SOCKET_OF_USER, bw->socket_path, &error);
	ck_assert_msg(bw->silent_fd >= 0, "%s", error ? error->message : "");
	return bw;
}

void bus_world_listen(BusWorld *bw)
{
	bus_listen(bw->bus, CLIENT_SOCKET_OF_USER, bw->silent_fd);
	bw->silent_fd = -1;
}

BusWorld *bus_world_new(const char *files, const char *policy)
{
	BusWorld *bw = bus_world_new_silent(files, policy);

	bus_world_listen(bw);
	return bw;
}

BusWorld *bus_world_new_three(void)
{
	return bus_world_new(
		"== base\n[Service]\nDescription=The ground\nExec=/bin/base\n"
		"== upper\n[Service]\nExec=/bin/upper\nReload=signal:HUP\n[Conditions]\n"
		"While=service:base\n"
		"== shy\n[Service]\nExec=/bin/shy\n[Conditions]\nWhen=flag:go\n",
		"[runlevel 2]\nActivate=base upper shy\n[service upper]\nReason=office rule 12\n");
}

void bus_world_free(BusWorld *bw)
{
	if (!bw)
		return;
	world_on_condition(bw->world, NULL, NULL);
	bus_free(bw->bus);
	ck_assert_uint_eq(g_hash_table_size(bw->watched), 0);
	fd_close(&bw->silent_fd);
	world_free(bw->world);
	tree_free(bw->tree);
	diag_list_free(bw->diags);
	g_hash_table_unref(bw->flags);
	g_hash_table_unref(bw->outside);
	g_hash_table_unref(bw->watched);
	g_string_free(bw->requests, TRUE);
	g_free(bw->socket_path);
	g_free(bw->log_directory);
	g_free(bw->proc_directory);
	g_free(bw->cgroup);
	g_free(bw);
}

void bus_world_flush(BusWorld *bw)
{
	const GPtrArray *all = engine_services(world_engine(bw->world));

	for (guint i = 0; i < all->len; i++)
		bus_service_changed(bw->bus,
				    ((const Service *)g_ptr_array_index(all, i))->def->name);
	bus_engine_changed(bw->bus);
}

void bus_world_set(BusWorld *bw, const char *key, Level level, const char *why)
{
	g_hash_table_insert(bw->outside, g_strdup(key), GINT_TO_POINTER(level));
	world_set_level(bw->world, key, level, why, NULL);
	if (g_hash_table_contains(bw->watched, key))
		bus_condition_changed(bw->bus, key, level, why);
	bus_world_flush(bw);
}

static gboolean on_limit(gpointer data)
{
	*(bool *)data = true;
	return G_SOURCE_CONTINUE;
}

void bus_world_run_until(bool (*is_over)(void *data), void *data, const char *what)
{
	bool is_late = false;
	const guint limit = g_timeout_add_seconds(DEADLINE_S, on_limit, &is_late);

	while (!is_over(data)) {
		ck_assert_msg(!is_late, "waited for: %s", what);
		g_main_context_iteration(NULL, TRUE);
	}
	g_source_remove(limit);
}

/* --- a client in this process --- */

typedef struct Answer {
	bool is_there;
	GVariant *value;
	GDBusConnection *connection;
	GError *error;
} Answer;

static bool is_answered(void *data)
{
	return ((Answer *)data)->is_there;
}

static void on_connected(GObject *source, GAsyncResult *result, gpointer data)
{
	Answer *answer = data;

	answer->connection = g_dbus_connection_new_for_address_finish(result, &answer->error);
	answer->is_there = true;
}

GDBusConnection *bus_world_connect(BusWorld *bw)
{
	g_autofree char *address = g_strconcat("unix:path=", bw->socket_path, NULL);
	Answer answer = { 0 };

	g_dbus_connection_new_for_address(address, G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT,
					  NULL, NULL, on_connected, &answer);
	bus_world_run_until(is_answered, &answer, "a connection");
	ck_assert_msg(answer.connection != NULL, "%s", answer.error ? answer.error->message : "");
	return answer.connection;
}

static void on_called(GObject *source, GAsyncResult *result, gpointer data)
{
	Answer *answer = data;

	answer->value =
		g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, &answer->error);
	answer->is_there = true;
}

GVariant *bus_world_call(GDBusConnection *connection, const char *path, const char *interface,
			 const char *method, GVariant *args, const char *type, GError **error)
{
	Answer answer = { 0 };

	g_dbus_connection_call(connection, NULL, path, interface, method, args,
			       type ? G_VARIANT_TYPE(type) : NULL, G_DBUS_CALL_FLAGS_NONE,
			       DEADLINE_MS, NULL, on_called, &answer);
	bus_world_run_until(is_answered, &answer, method);
	if (answer.error)
		g_propagate_error(error, answer.error);
	return answer.value;
}

GVariant *bus_world_manager(GDBusConnection *connection, const char *method, GVariant *args,
			    const char *type)
{
	g_autoptr(GError) error = NULL;
	GVariant *reply = bus_world_call(connection, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, method,
					 args, type, &error);

	ck_assert_msg(reply != NULL, "%s: %s", method, error ? error->message : "");
	return reply;
}

GVariant *bus_world_property(GDBusConnection *connection, const char *path, const char *interface,
			     const char *name)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GVariant)
		reply = bus_world_call(connection, path, "org.freedesktop.DBus.Properties", "Get",
				       g_variant_new("(ss)", interface, name), "(v)", &error);
	GVariant *value;

	ck_assert_msg(reply != NULL, "%s: %s", name, error ? error->message : "");
	g_variant_get(reply, "(v)", &value);
	return value;
}

char *bus_world_refusal(GDBusConnection *connection, const char *path, const char *interface,
			const char *method, GVariant *args)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GVariant)
		reply = bus_world_call(connection, path, interface, method, args, NULL, &error);
	g_autofree char *name = NULL;

	ck_assert_msg(reply == NULL, "%s was not refused", method);
	name = g_dbus_error_get_remote_error(error);
	ck_assert_msg(name != NULL, "%s", error->message);
	g_dbus_error_strip_remote_error(error);
	return g_strdup_printf("%s: %s", name, error->message);
}

/* --- svcctl in another process --- */

struct Run {
	GSubprocess *process;
	char *line;
	bool is_over;
	GBytes *out;
	GBytes *err;
};

static void on_ended(GObject *source, GAsyncResult *result, gpointer data)
{
	Run *run = data;

	ck_assert(g_subprocess_communicate_finish(G_SUBPROCESS(source), result, &run->out,
						  &run->err, NULL));
	run->is_over = true;
}

static bool is_run_over(void *data)
{
	return ((Run *)data)->is_over;
}

/* Takes ownership of @bytes. */
static void give_text(GBytes *bytes, char **ret_text)
{
	gsize length;
	const char *data = g_bytes_get_data(bytes, &length);

	if (ret_text)
		*ret_text = g_strndup(data ? data : "", length);
	g_bytes_unref(bytes);
}

static GSubprocessLauncher *new_launcher(BusWorld *bw, GSubprocessFlags flags)
{
	GSubprocessLauncher *launcher = g_subprocess_launcher_new(flags);

	g_subprocess_launcher_setenv(launcher, "SVCD_PRIVATE", bw->socket_path, TRUE);
	g_subprocess_launcher_setenv(launcher, "SVCD_LOG_DIRECTORY", bw->log_directory, TRUE);
	g_subprocess_launcher_setenv(launcher, "SVCD_PROC_DIRECTORY", bw->proc_directory, TRUE);
	g_subprocess_launcher_setenv(launcher, "LC_ALL", bw->locale ? bw->locale : "C.UTF-8", TRUE);
	g_subprocess_launcher_setenv(launcher, "TERM", "xterm", TRUE);
	g_subprocess_launcher_unsetenv(launcher, "NO_COLOR");
	g_subprocess_launcher_unsetenv(launcher, "COLUMNS");
	return launcher;
}

static GSubprocess *launch(GSubprocessLauncher *launcher, const char *line)
{
	g_autofree char *whole = g_strconcat("./svcctl ", line, NULL);
	g_auto(GStrv) argv = g_strsplit(g_strchomp(whole), " ", -1);
	g_autoptr(GError) error = NULL;
	GSubprocess *process =
		g_subprocess_launcher_spawnv(launcher, (const char *const *)argv, &error);

	ck_assert_msg(process != NULL, "%s", error ? error->message : "");
	return process;
}

GSubprocess *bus_world_svcctl_launch(BusWorld *bw, const char *line, int fd)
{
	g_autoptr(GSubprocessLauncher) launcher = new_launcher(bw, G_SUBPROCESS_FLAGS_NONE);

	g_subprocess_launcher_take_stdout_fd(launcher, fd);
	return launch(launcher, line);
}

typedef struct Terminal {
	int fd;
	GString *text;
	bool is_over;
} Terminal;

static gboolean on_terminal(gint fd, GIOCondition condition, gpointer data)
{
	Terminal *terminal = data;
	char buffer[4096];
	const ssize_t n = read(fd, buffer, sizeof buffer);

	if (n > 0) {
		g_string_append_len(terminal->text, buffer, n);
		return G_SOURCE_CONTINUE;
	}
	terminal->is_over = true; /* EIO: no process has the terminal open any more */
	return G_SOURCE_REMOVE;
}

static bool is_terminal_over(void *data)
{
	return ((Terminal *)data)->is_over;
}

char *bus_world_svcctl_terminal(BusWorld *bw, const char *line, const char *environment)
{
	g_autoptr(GSubprocessLauncher) launcher = new_launcher(bw, G_SUBPROCESS_FLAGS_NONE);
	g_auto(GStrv) pairs = g_strsplit(environment, " ", -1);
	const struct winsize size = { .ws_row = 25, .ws_col = 60 };
	Terminal terminal = { .text = g_string_new(NULL) };
	g_autoptr(GSubprocess) process = NULL;
	int slave;

	ck_assert_int_eq(openpty(&terminal.fd, &slave, NULL, NULL, &size), 0);
	for (size_t i = 0; pairs[i] && *pairs[i]; i++) {
		char *equal = strchr(pairs[i], '=');

		*equal = '\0';
		g_subprocess_launcher_setenv(launcher, pairs[i], equal + 1, TRUE);
	}
	g_subprocess_launcher_take_stdout_fd(launcher, slave);
	process = launch(launcher, line);
	g_subprocess_launcher_close(launcher);
	g_unix_fd_add(terminal.fd, G_IO_IN | G_IO_HUP, on_terminal, &terminal);
	bus_world_run_until(is_terminal_over, &terminal, line);
	(void)close(terminal.fd);
	return g_string_free(terminal.text, FALSE);
}

Run *bus_world_svcctl_begin(BusWorld *bw, const char *line)
{
	g_autoptr(GSubprocessLauncher) launcher =
		new_launcher(bw, G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
	Run *run = g_new0(Run, 1);

	run->process = launch(launcher, line);
	run->line = g_strdup(line);
	g_subprocess_communicate_async(run->process, NULL, NULL, on_ended, run);
	return run;
}

int bus_world_svcctl_end(Run *run, char **ret_out, char **ret_err)
{
	int status;

	bus_world_run_until(is_run_over, run, run->line);
	ck_assert_msg(g_subprocess_get_if_exited(run->process), "svcctl %s was killed", run->line);
	status = g_subprocess_get_exit_status(run->process);
	give_text(run->out, ret_out);
	give_text(run->err, ret_err);
	g_object_unref(run->process);
	g_free(run->line);
	g_free(run);
	return status;
}

int bus_world_svcctl(BusWorld *bw, const char *line, char **ret_out, char **ret_err)
{
	return bus_world_svcctl_end(bus_world_svcctl_begin(bw, line), ret_out, ret_err);
}
