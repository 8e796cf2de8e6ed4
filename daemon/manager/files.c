/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files: the generator first (fstab, consoles: it may take its time, so it is a process of its own), then all service
 * and policy files, then the engine gets them. Most definitions are made while the generator runs.
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/log.h"
#include "config/loader.h"
#include "manager/manager.h"
#include "model/name.h"
#include "providers/path-look.h"

#define GENERATOR_PROGRAM SVCD_LIBDIR "/svc-generate"

/* The generator reads a few files; if it hangs on one of them, the boot goes on with what there was. */
#define GENERATOR_LIMIT_US (10 * G_USEC_PER_SEC)

/* --- what every service's environment starts from --- */

static char **service_environment(const Manager *m)
{
	char **environment;
	size_t n = 0;

	if (manager_is_users(m))
		return own_session_environment();
	environment = g_new0(char *, 4);
	environment[n++] = g_strdup("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
	if (m->welcome.flags & WELCOME_CONTAINER)
		environment[n++] = g_strdup_printf("container=%s", g_getenv("container") ? g_getenv("container") : "other");
	return environment;
}

/* Names that exist are found without the lock of the directory above, which others may hold where it is /run. */
static bool make_directory(const char *path, mode_t mode)
{
	struct stat st;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode) && (st.st_mode & 07777) == mode)
		return true;
	if ((mkdir(path, mode) == 0 || errno == EEXIST) && chmod(path, mode) == 0)
		return true;
	log_error(NULL, "cannot make directory %s: %s", path, g_strerror(errno));
	return false;
}

/*
 * Where the manager makes and removes names, users cannot list: a process that reads a directory can hold its lock for ever. The files in
 * the three below are read by users, too, and only written by root's programs.
 */
bool files_make_directories(Manager *m)
{
	static const struct {
		const char *name;
		mode_t mode;
	} directories[] = { { "", 0711 }, { "/log", 0711 }, { "/notify", 0711 },
			    { "/generated", 0755 }, { "/services.d", 0755 }, { "/policy.d", 0755 } };

	if (!m->runtime_dir)
		m->runtime_dir = manager_is_users(m) && g_getenv("XDG_RUNTIME_DIR")
					 ? g_build_filename(g_getenv("XDG_RUNTIME_DIR"), "svcd", NULL)
					 : g_strdup("/run/svcd");
	for (size_t i = 0; i < G_N_ELEMENTS(directories); i++) {
		g_autofree char *path = g_strconcat(m->runtime_dir, directories[i].name, NULL);

		if (!make_directory(path, directories[i].mode))
			return false;
	}
	return true;
}

static void make_system_bus(Manager *m);
static void make_registry(Manager *m);

/* Once, before the first load. */
static void prepare(Manager *m)
{
	g_autofree char *log_dir = NULL;
	LogRouterOptions logs = { .program = SVCD_LIBDIR "/svc-logger",
				  .cgroup_root = m->context.cgroup_root,
				  .group = operators_log_group,
				  .data = m };

	(void)files_make_directories(m); /* said already; without /run there is no bus and no output, but services run */
	recovery_open_sockets(m);
	log_dir = g_build_filename(m->runtime_dir, "log", NULL);
	logs.directory = log_dir;
	m->environment = service_environment(m);
	m->logs = log_router_new(m->link, &logs);
	m->context.logs = m->logs;
	m->context.runtime_dir = m->runtime_dir;
	m->context.environment = (const char *const *)m->environment;
	workers_init(m);
	m->context.workers = m->workers;
	make_system_bus(m);
	own_session_begin(m);
	make_registry(m);
	manager_init_engine(m);
	history_begin(m);
}

static void on_level(void *data, const char *key, Level level, const char *why)
{
	Manager *m = data;

	engine_set_level(m->engine, key, level, why, loop_now());
	watches_on_level(m, key, level, why);
	history_on_level(m, key, level);
	manager_drain_later(m);
}

static void on_settled(void *data)
{
	Manager *m = data;

	if (m->recovery)
		recovery_on_settled(m);
}

static void make_system_bus(Manager *m)
{
	const SocketLook look = path_look_for_sockets(m->workers);

	m->system_bus = system_bus_new(SYSTEM_BUS_SOCKET, &look, NULL); /* that path is not too long */
}

static void on_flag_cleared(void *data, const char *name)
{
	Manager *m = data;

	notes_send_flag(m, name);
	if (m->bus)
		bus_engine_changed(m->bus); /* Flags */
}

static void make_registry(Manager *m)
{
	const RegistryOptions options = { .kernel_cmdline = m->kernel_cmdline,
					  .virtualization = m->welcome.virtualization,
					  .workers = m->workers,
					  .settled = on_settled,
					  .is_recovering = recovery_has_begun(m->recovery),
					  .system_bus = m->system_bus,
					  .session_bus = m->session_bus };

	m->registry = registry_new(&options, on_level, m);
	flag_provider_on_cleared(registry_flags(m->registry), on_flag_cleared, m);
}

/* --- loading --- */

static void log_diagnostics(const Manager *m)
{
	for (unsigned i = 0; i < diag_list_length(m->diags); i++) {
		const Diagnostic *d = diag_list_get(m->diags, i);
		g_autofree char *line = diag_format(d);

		log_line(d->level == DIAG_ERROR ? LOG_ERROR : LOG_WARNING, NULL, "%s", line);
	}
}

/* A service whose file is gone but whose processes are not: it must be seen, and it must be possible to stop it. */
static void add_orphans(Manager *m, ServiceSet *set)
{
	g_autoptr(GPtrArray) names = recovery_names(m->recovery);

	for (guint i = 0; i + 1 < names->len; i++) {
		const char *name = g_ptr_array_index(names, i);
		ServiceDef *def;

		if (service_set_find(set, name))
			continue;
		def = service_def_new(name, origin_new("(its file is gone)", 0));
		service_set_add(set, def);
	}
}

/* An instance that nothing runs and nobody wants any more was asked for once, and may go. */
static bool is_forgettable(const Service *s)
{
	return s->state == STATE_IDLE && s->admin != ADMIN_START;
}

static void forget_instances(Manager *m)
{
	for (guint i = m->instances->len; i > 0; i--) {
		const Service *s = engine_find(m->engine, g_ptr_array_index(m->instances, i - 1));

		if (s && is_forgettable(s))
			g_ptr_array_remove_index_fast(m->instances, i - 1);
	}
}

unsigned files_count_instances(const Manager *m, uid_t uid)
{
	unsigned n = 0;

	for (guint i = 0; i < m->instances->len; i++) {
		const Service *s = engine_find(m->engine, g_ptr_array_index(m->instances, i));

		n += s && !is_forgettable(s) && s->admin_who.uid == uid;
	}
	return n;
}

/* Those that live are asked for still, though by a manager that is gone. */
static void remember_instances(Manager *m)
{
	g_autoptr(GPtrArray) names = recovery_names(m->recovery);

	for (guint i = 0; i + 1 < names->len; i++) {
		if (strchr(g_ptr_array_index(names, i), '@'))
			g_ptr_array_add(m->instances, g_strdup(g_ptr_array_index(names, i)));
	}
}

static LoaderOptions loader_options(const Manager *m)
{
	return (LoaderOptions){
		.without_local_files = (m->welcome.flags & WELCOME_WITHOUT_LOCAL_FILES) != 0,
		.user_mode = manager_is_users(m),
		.kernel_cmdline = manager_is_users(m) ? "" : m->kernel_cmdline, /* it is not said to a user's services */
		.without_lines = true,
	};
}

/* @ahead: or NULL. */
static Configuration *load_configuration(Manager *m, DefinitionsAhead *ahead)
{
	LoaderOptions options = loader_options(m);
	g_autoptr(GPtrArray) instances = g_ptr_array_new();

	if (m->recovery)
		remember_instances(m);
	else
		forget_instances(m);
	for (guint i = 0; i < m->instances->len; i++)
		g_ptr_array_add(instances, g_ptr_array_index(m->instances, i));
	g_ptr_array_add(instances, NULL);
	options.ahead = ahead;
	return configuration_load(&options, (const char *const *)instances->pdata);
}

/* @ahead: what of it is still to be had, as it was then; or NULL. */
static void load_with(Manager *m, DefinitionsAhead *ahead)
{
	g_autoptr(Configuration) configuration = load_configuration(m, ahead);

	operators_load(m);
	g_clear_pointer(&m->diags, diag_list_free);
	m->diags = g_steal_pointer(&configuration->diags);
	log_diagnostics(m);
	if (m->recovery)
		add_orphans(m, configuration->set);
	engine_load(m->engine, g_steal_pointer(&configuration->set), g_steal_pointer(&configuration->policy),
		    loop_now());
	if (m->bus)
		bus_files_read(m->bus);
	log_router_group_again(m->logs);
	memory_burst(m);
	sockets_mark_all(m);
	if (m->recovery)
		recovery_carry_out(m);
	else
		manager_drain(m);
}

void files_forget_ahead(Manager *m)
{
	g_clear_pointer(&m->ahead, definitions_ahead_free);
}

/* Whoever asks for this has changed something. */
void files_load_now(Manager *m)
{
	files_forget_ahead(m);
	load_with(m, NULL);
}

/* By another name (Provides=) as well: who may have that service must not get an instance in its place. */
static bool is_known(const Manager *m, const char *name)
{
	return engine_find(m->engine, name) || service_set_find(engine_set(m->engine), name);
}

bool files_add_instance(Manager *m, const char *name)
{
	g_autofree char *instance = NULL;
	guint index;

	if (!name_split_instance(name, NULL, &instance) || !*instance || is_known(m, name))
		return is_known(m, name);
	g_ptr_array_add(m->instances, g_strdup(name));
	files_load_now(m);
	if (is_known(m, name))
		return true;
	if (g_ptr_array_find_with_equal_func(m->instances, name, g_str_equal, &index))
		g_ptr_array_remove_index_fast(m->instances, index);
	return false;
}

/* --- the generator --- */

static void load_all(Manager *m, int64_t began_us)
{
	g_autoptr(DefinitionsAhead) ahead = g_steal_pointer(&m->ahead);

	m->files_read_us = began_us;
	load_with(m, ahead);
}

/* Another processor may have nothing to do meanwhile. */
static void on_read_ahead(void *data)
{
	Manager *m = data;
	const LoaderOptions options = loader_options(m);

	if (m->is_generating && !m->is_load_asked)
		m->ahead = configuration_read_ahead(&options);
}

/* What it has made may be older than what was asked for meanwhile. */
static void generator_ended(Manager *m)
{
	m->is_generating = false;
	timer_disarm(m->generate_limit);
	if (m->is_load_asked)
		files_load(m);
	else
		load_all(m, m->generate_began_us);
}

static void on_generate_limit(void *data)
{
	Manager *m = data;
	struct ProcessId id;

	log_error(NULL, "%s did not end within 10 s; going on without it", GENERATOR_PROGRAM);
	process_id_init(&id, files_helper.service, ROLE_MAIN, m->generation);
	keeper_link_signal(m->link, &id, SIGKILL);
	m->is_load_asked = false; /* another one might hang as well */
	files_forget_ahead(m);    /* it is as old as the generator */
	m->generate_began_us = loop_now();
	generator_ended(m);
}

static bool start_generator(Manager *m, GError **error)
{
	g_autofree char *output = g_build_filename(m->runtime_dir, "generated", NULL);
	const char *const argv[] = { GENERATOR_PROGRAM, "--output", output, NULL };

	m->generation =
		helper_spawn(m, &files_helper, &(HelperRun){ .argv = argv, .input_fd = -1, .output_fd = -1 }, error);
	return m->generation > 0;
}

void files_load(Manager *m)
{
	g_autoptr(GError) error = NULL;

	m->is_load_asked = m->is_generating || m->is_generator_alive;
	if (m->is_generating)
		return;
	if (!m->engine)
		prepare(m);
	files_forget_ahead(m);
	if (!m->generate_limit) {
		m->generate_limit = timer_new(on_generate_limit, m);
		m->read_ahead = timer_new(on_read_ahead, m);
	}
	/* Once the engine has run, the generated files are there, and services wait: no detour. */
	if (manager_is_users(m) || (m->recovery && recovery_has_begun(m->recovery)) ||
	    access(GENERATOR_PROGRAM, X_OK) < 0) {
		load_all(m, loop_now());
		return;
	}
	m->generate_began_us = loop_now();
	m->is_generating = m->is_generator_alive || start_generator(m, &error);
	if (m->is_generating) {
		timer_arm(m->generate_limit, loop_now() + GENERATOR_LIMIT_US);
		timer_arm(m->read_ahead, loop_now());
		return;
	}
	log_error(NULL, "cannot make services from /etc/fstab: %s", error->message);
	load_all(m, m->generate_began_us);
}

static void on_spawned(Manager *m, const struct MessageSpawned *message)
{
	if (m->recovery && !m->is_generating && !message->error) {
		m->generation = message->id.invocation; /* started by a manager that is gone */
		m->is_generator_alive = true;
	} else if (message->error && m->is_generating && message->id.invocation == m->generation) {
		log_error(NULL, "cannot make services from /etc/fstab: %s", g_strerror(message->error));
		generator_ended(m);
	}
}

static void on_exited(Manager *m, const struct MessageExited *message)
{
	m->is_generator_alive = false;
	if (m->is_generating && message->id.invocation == m->generation) {
		if (message->status != 0)
			log_warning(NULL, "%s failed; services made from files may be missing", GENERATOR_PROGRAM);
		generator_ended(m);
	}
}

const Helper files_helper = { .service = ".generate", .spawned = on_spawned, .exited = on_exited };
