/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files: svc-generate reads all files and passes them on in one memfd (config/bundle.h). The
 * manager parses them from the memfd, and the engine gets the result. After the boot the manager
 * opens none of them by path, because a user may hold the lock of a directory or file on the path,
 * and a reader would block. If a load fails, the previous files stay in force. PID 1 keeps their
 * memfd for the next manager.
 *
 * There are two exceptions. A user's manager reads its files itself, because the user can delay
 * only this manager. If svc-generate fails before the first load, the machine's manager reads the
 * files itself, because no service that could hold a lock was started yet.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/log.h"
#include "config/gather.h"
#include "config/loader.h"
#include "manager/manager.h"
#include "model/name.h"
#include "providers/path-look.h"

#define GENERATOR_PROGRAM SVCD_LIBDIR "/svc-generate"

/*
 * The generator takes some milliseconds, or a second on a slow disk. If it takes longer, another
 * process holds the lock of a file or directory that it reads.
 */
#define GENERATOR_LIMIT_US (10 * G_USEC_PER_SEC)

static struct {
	int64_t read_us; /* when the reading of the files in force began; 0: not yet */
	int64_t failed_us; /* when the last load failed; 0: never */
	char *problem; /* why the last load failed, a sentence; NULL: it succeeded */
	DiagList *diags; /* of the last load */
	GHashTable *secrets; /* Configuration.secrets of the last load */
	int fd; /* memfd with the files in force; -1: none */
	char *kernel_cmdline; /* and the arguments of PID 1; in a container only these */
	char **environment; /* of every service */
	GPtrArray *instances; /* names of instances that were requested by hand; owned strings */

	bool is_generating; /* the generator runs; the files are loaded when it ends */
	bool is_generator_alive; /* PID 1 still has a row for it */
	bool is_load_requested; /* since the generator began, or in a recovery: load once more */
	uint64_t generation; /* invocation of the generator */
	int generator_fd; /* memfd that it fills; -1: an earlier manager has it, or it was killed */
	char *generator_path; /* the path at which the last killed generator hung; NULL: none */
	Timer *generate_limit;
} files = { .fd = -1, .generator_fd = -1 };

/* --- the basic environment of all services --- */

static char **service_environment(const Manager *m)
{
	char **environment;
	size_t n = 0;

	if (manager_is_users(m))
		return user_session_environment();
	environment = g_new0(char *, 4);
	environment[n++] =
		g_strdup("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
	if (m->welcome.flags & WELCOME_CONTAINER)
		environment[n++] = g_strdup_printf(
			"container=%s", g_getenv("container") ? g_getenv("container") : "other");
	return environment;
}

/*
 * Looking up an existing name does not take the lock of the parent directory, which users may hold
 * if the parent is /run.
 */
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
 * Users cannot list the directories in which the manager makes and removes names, because a process
 * that reads a directory can hold its lock for ever. Users may list the three directories below,
 * where only root's programs write.
 */
bool files_make_directories(Manager *m)
{
	static const struct {
		const char *name;
		mode_t mode;
	} directories[] = {
		{ "", 0711 },           { "/log", 0711 },        { "/notify", 0711 },
		{ "/generated", 0755 }, { "/services.d", 0755 }, { "/policy.d", 0755 },
	};

	if (!m->runtime_dir)
		m->runtime_dir =
			manager_is_users(m) && g_getenv("XDG_RUNTIME_DIR") ?
				g_build_filename(g_getenv("XDG_RUNTIME_DIR"), "svcd", NULL) :
				g_strdup("/run/svcd");
	for (size_t i = 0; i < G_N_ELEMENTS(directories); i++) {
		g_autofree char *path = g_strconcat(m->runtime_dir, directories[i].name, NULL);

		if (!make_directory(path, directories[i].mode))
			return false;
	}
	return true;
}

static void make_system_bus(Manager *m);
static void make_registry(Manager *m);

/*
 * @kept: the files that an earlier manager has read, with the kernel's command line; or NULL. With
 * @kept, this manager opens no file in /proc, because users can hold the lock of /proc.
 */
static char *kernel_cmdline(const Manager *m, const Bundle *kept)
{
	const BundleEntry *entry = kept ? bundle_find(kept, GATHER_KERNEL_CMDLINE) : NULL;
	g_autoptr(GBytes) bytes = entry && entry->kind == BUNDLE_FILE ? g_bytes_ref(entry->bytes) :
									NULL;
	g_autoptr(GString) tokens = g_string_new(NULL);

	if (!kept)
		bytes = file_read_bounded(GATHER_KERNEL_CMDLINE, LIMIT_FILE_BYTES, NULL);
	/* In a container, the kernel's command line is the host's and does not apply. */
	if (bytes && !g_getenv("container")) {
		g_string_append_len(tokens, g_bytes_get_data(bytes, NULL),
				    (gssize)g_bytes_get_size(bytes));
		g_strchomp(tokens->str);
		tokens->len = strlen(tokens->str);
	}
	g_string_append_printf(tokens, "%s%s", tokens->len && *m->arguments ? " " : "",
			       m->arguments);
	return g_string_free(g_steal_pointer(&tokens), FALSE);
}

/*
 * Called once, before the first load. @kept: the files that an earlier manager has loaded; or NULL.
 */
static void prepare(Manager *m, const Bundle *kept)
{
	g_autofree char *log_dir = NULL;
	LogRouterOptions logs = { .program = SVCD_LIBDIR "/svc-logger",
				  .cgroup_root = m->context.cgroup_root,
				  .group = operators_log_group,
				  .data = m };

	files.kernel_cmdline = kernel_cmdline(m, kept);
	/* a failure is already logged; services run without /run, but without bus and logs */
	(void)files_make_directories(m);
	recovery_open_sockets(m);
	log_dir = g_build_filename(m->runtime_dir, "log", NULL);
	logs.directory = log_dir;
	files.environment = service_environment(m);
	m->logs = log_router_new(m->link, &logs);
	m->context.logs = m->logs;
	m->context.runtime_dir = m->runtime_dir;
	m->context.environment = (const char *const *)files.environment;
	recovery_take_machine_files(m);
	workers_init(m);
	m->context.workers = m->workers;
	make_system_bus(m);
	user_session_begin(m);
	make_registry(m);
	manager_init_engine(m);
	boot_history_watch_volumes(m);
}

static void on_level(void *data, const char *key, Level level, const char *why)
{
	Manager *m = data;

	engine_set_level(m->engine, key, level, why, loop_now());
	watches_on_level(m, key, level, why);
	last_success_on_level(key, level);
	boot_history_on_level(m, key, level);
	manager_drain_later();
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

	/* cannot fail: the path is short enough */
	m->system_bus = system_bus_new(SYSTEM_BUS_SOCKET, &look, NULL);
}

static void on_flag_cleared(void *data, const char *name)
{
	Manager *m = data;

	notes_send_flag(m, name);
	if (m->bus)
		bus_engine_changed(m->bus); /* updates the property Flags */
}

static void make_registry(Manager *m)
{
	const int mounts_fd = m->context.machine[MACHINE_MOUNTS];
	const RegistryOptions options = {
		.mounts_fd = mounts_fd >= 0 ? fcntl(mounts_fd, F_DUPFD_CLOEXEC, 0) : -1,
		.kernel_cmdline = files.kernel_cmdline,
		.virtualization = m->welcome.virtualization,
		.workers = m->workers,
		.settled = on_settled,
		.is_recovering = recovery_has_begun(m->recovery),
		.system_bus = m->system_bus,
		.session_bus = m->session_bus,
		.schedule = { .find = last_success_find,
			      .data = m,
			      .started_us = (int64_t)m->welcome.boot_at_us }
	};

	m->registry = registry_new(&options, on_level, m);
	flag_provider_on_cleared(registry_flags(m->registry), on_flag_cleared, m);
}

/* --- loading --- */

static void log_diagnostics(void)
{
	for (unsigned i = 0; i < diag_list_length(files.diags); i++) {
		const Diagnostic *d = diag_list_get(files.diags, i);
		g_autofree char *line = diag_format(d);

		log_line(d->level == DIAG_ERROR ? LOG_ERROR : LOG_WARNING, NULL, "%s", line);
	}
}

/*
 * Adds services that have processes but no file any more, so that they are visible and can be
 * stopped.
 */
static void add_orphans(Manager *m, ServiceSet *set)
{
	g_autoptr(GPtrArray) names = recovery_names(m->recovery);
	g_autoptr(Bundle) lost = lost_files_take(m);

	for (guint i = 0; i + 1 < names->len; i++) {
		const char *name = g_ptr_array_index(names, i);

		if (!service_set_find(set, name))
			service_set_add(set, lost_files_define(lost, name));
	}
}

/*
 * An instance that was requested earlier, and is now neither running nor requested, may be dropped.
 */
static bool is_forgettable(const Service *s)
{
	return s->state == STATE_IDLE && s->admin != ADMIN_START;
}

static void forget_instances(Manager *m)
{
	for (guint i = files.instances->len; i > 0; i--) {
		const Service *s =
			engine_find(m->engine, g_ptr_array_index(files.instances, i - 1));

		if (s && is_forgettable(s))
			g_ptr_array_remove_index_fast(files.instances, i - 1);
	}
}

unsigned files_count_instances(const Manager *m, uid_t uid)
{
	unsigned n = 0;

	for (guint i = 0; i < files.instances->len; i++) {
		const Service *s = engine_find(m->engine, g_ptr_array_index(files.instances, i));

		n += s && !is_forgettable(s) && s->admin_requester.uid == uid;
	}
	return n;
}

/* Treats running instances as requested, because an earlier manager received the requests. */
static void remember_instances(Manager *m)
{
	g_autoptr(GPtrArray) names = recovery_names(m->recovery);

	for (guint i = 0; i + 1 < names->len; i++) {
		if (strchr(g_ptr_array_index(names, i), '@'))
			g_ptr_array_add(files.instances, g_strdup(g_ptr_array_index(names, i)));
	}
}

static LoaderOptions loader_options(const Manager *m)
{
	return (LoaderOptions){
		.without_local_files = (m->welcome.flags & WELCOME_WITHOUT_LOCAL_FILES) != 0,
		.user_mode = manager_is_users(m),
		/* not passed to a user's services */
		.kernel_cmdline = manager_is_users(m) ? "" : files.kernel_cmdline,
		.without_lines = true,
	};
}

static Configuration *load_configuration(Manager *m, Bundle *bundle)
{
	LoaderOptions options = loader_options(m);
	g_autoptr(GPtrArray) instances = g_ptr_array_new();

	if (m->recovery)
		remember_instances(m);
	else
		forget_instances(m);
	for (guint i = 0; i < files.instances->len; i++)
		g_ptr_array_add(instances, g_ptr_array_index(files.instances, i));
	g_ptr_array_add(instances, NULL);
	options.bundle = bundle;
	return configuration_load(&options, (const char *const *)instances->pdata);
}

/* Takes @fd, a memfd; -1: the next manager gets none. */
static void keep(Manager *m, int fd)
{
	if (fd == files.fd)
		return;
	/* a memfd that only our programs have had, so close(2) does not wait */
	fd_close(&files.fd);
	files.fd = fd;
	if (fd >= 0)
		keeper_link_keep(m->link, FILES_KEPT, fd);
	else
		keeper_link_forget(m->link, FILES_KEPT);
}

/*
 * Takes @fd, the source of @bundle. PID 1 keeps @fd after the engine has accepted the files, and
 * before any service is started because of them. So if new files crash the manager, the next one
 * gets the previous files.
 */
static void put_in_force(Manager *m, Bundle *bundle, int fd)
{
	g_autoptr(Configuration) configuration = load_configuration(m, bundle);

	files.read_us = bundle_began_us(bundle);
	operators_load(bundle);
	boot_history_load(m, bundle);
	g_clear_pointer(&files.diags, diag_list_free);
	files.diags = g_steal_pointer(&configuration->diags);
	g_clear_pointer(&files.secrets, g_hash_table_unref);
	files.secrets = g_steal_pointer(&configuration->secrets);
	log_diagnostics();
	if (m->recovery)
		add_orphans(m, configuration->set);
	registry_hold_programs(m->registry, g_steal_pointer(&configuration->held));
	engine_load(m->engine, g_steal_pointer(&configuration->set),
		    g_steal_pointer(&configuration->policy), loop_now());
	watches_look_at_all(m);
	last_success_on_files(m, bundle);
	keep(m, fd);
	if (!m->recovery)
		lost_files_keep(m);
	if (m->bus)
		bus_files_read(m->bus);
	log_router_group_again(m->logs);
	sockets_mark_all(m);
	if (m->recovery)
		recovery_carry_out(m);
	else
		manager_drain(m);
}

/*
 * Is there a service with this name, perhaps by Provides=? A user who may operate that service must
 * not get an instance instead.
 */
static bool is_known(const Manager *m, const char *name)
{
	return engine_find(m->engine, name) || service_set_find(engine_set(m->engine), name);
}

/* Loads the files in force again, with a new instance. */
static void load_again(Manager *m)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Bundle) bundle = bundle_read(files.fd, &error);

	if (bundle)
		put_in_force(m, bundle, files.fd);
	else
		log_error(NULL,
			  "no instance of a template can be made before the next reload-files: %s",
			  error->message);
}

bool files_add_instance(Manager *m, const char *name)
{
	g_autofree char *instance = NULL;
	guint index;

	if (!name_split_instance(name, NULL, &instance) || !*instance || is_known(m, name))
		return is_known(m, name);
	g_ptr_array_add(files.instances, g_strdup(name));
	load_again(m);
	if (is_known(m, name))
		return true;
	if (g_ptr_array_find_with_equal_func(files.instances, name, g_str_equal, &index))
		g_ptr_array_remove_index_fast(files.instances, index);
	return false;
}

/* --- reading --- */

int files_make_memfd(GError **error)
{
	const int fd = memfd_create("svcd-files", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		fail_errno(error, errno, "cannot allocate memory for the contents of the files");
	return fd;
}

/* @problem: why the previous files remain in force, a sentence; NULL: the new ones are in force. */
static void load_ended(Manager *m, const char *problem)
{
	g_free(files.problem);
	files.problem = g_strdup(problem);
	if (problem)
		files.failed_us = loop_now();
	if (m->bus)
		bus_engine_changed(m->bus); /* updates the property FilesProblem */
	policy_helper_on_files(m, problem);
}

/* Used only for the two exceptions at the top of this file. */
static void read_here(Manager *m)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Bundle) bundle = bundle_new();
	LoaderOptions options = loader_options(m);
	auto_fd int fd = files_make_memfd(&error);

	options.bundle = bundle;
	gather(&options);
	if (fd < 0 || !bundle_write(bundle, fd, &error)) {
		log_warning(NULL, "the next manager has to read all files again: %s",
			    error->message);
		fd_close(&fd);
	}
	put_in_force(m, bundle, fd_steal(&fd));
	load_ended(m, NULL);
}

static void load_failed(Manager *m, const char *problem)
{
	if (files.read_us == 0) {
		log_error(NULL, "generated services (init scripts, fstab) may be missing: %s",
			  problem);
		read_here(m);
		return;
	}
	log_error(NULL, "the files were not read again, and the earlier ones remain in force: %s",
		  problem);
	load_ended(m, problem);
}

static void begin_load(Manager *m);

static void generator_ended(Manager *m)
{
	auto_fd int fd = fd_steal(&files.generator_fd);
	g_autoptr(GError) error = NULL;
	g_autoptr(Bundle) bundle = NULL;

	files.is_generating = false;
	timer_disarm(files.generate_limit);
	/* it may have read files before the change for which this load was requested */
	if (files.is_load_requested) {
		begin_load(m);
		return;
	}
	bundle = bundle_read(fd, &error);
	if (!bundle) {
		load_failed(m, error->message);
		return;
	}
	put_in_force(m, bundle, fd_steal(&fd));
	load_ended(m, NULL);
}

/*
 * The generator is killed. If it does not end, its row stays, and no other generator can be
 * started.
 */
static void on_generate_limit(void *data)
{
	Manager *m = data;
	/* NULL for a generator that was killed earlier */
	char *path = bundle_being_read(files.generator_fd);
	g_autofree char *problem = NULL;
	struct ProcessId id;

	if (path) {
		g_free(files.generator_path);
		files.generator_path = path;
	}
	problem = g_strdup_printf(
		"%s has waited for %s for 10 s; unless the disk is faulty, a process holds that "
		"path, and svcctl doctor finds that process",
		GENERATOR_PROGRAM, files.generator_path ? files.generator_path : "a file");
	process_id_init(&id, files_helper.service, ROLE_MAIN, files.generation);
	keeper_link_signal(m->link, &id, SIGKILL);
	fd_close(&files.generator_fd);
	files.is_generating = false;
	files.is_load_requested = false; /* another generator would hang as well */
	load_failed(m, problem);
}

static bool start_generator(Manager *m, GError **error)
{
	g_autofree char *output = g_build_filename(m->runtime_dir, "generated", NULL);
	const char *const argv[] = { GENERATOR_PROGRAM, "--output", output, "--hand-over", NULL };

	files.generator_fd = files_make_memfd(error);
	if (files.generator_fd < 0)
		return false;
	g_clear_pointer(&files.generator_path, g_free);
	files.generation = helper_spawn(m, &files_helper,
					&(HelperRun){ .argv = argv,
						      .input_fd = -1,
						      .output_fd = files.generator_fd,
						      .has_log = true },
					error);
	files.is_generator_alive = files.generation > 0;
	if (!files.is_generator_alive)
		fd_close(&files.generator_fd);
	return files.is_generator_alive;
}

static void begin_load(Manager *m)
{
	g_autoptr(GError) error = NULL;

	files.is_load_requested = files.is_generating || files.is_generator_alive;
	if (manager_is_users(m)) {
		read_here(m);
	} else if (!files.is_generating) {
		files.is_generating = files.is_generator_alive || start_generator(m, &error);
		if (files.is_generating)
			timer_arm(files.generate_limit, loop_now() + GENERATOR_LIMIT_US);
		else
			load_failed(m, error->message);
	}
}

void files_load(Manager *m)
{
	if (m->recovery && !files.is_generating)
		files.is_load_requested = true; /* loaded when the engine has begun (recovery.c) */
	else
		begin_load(m);
}

/* The files that PID 1 has kept. NULL: none, or they cannot be used. */
static Bundle *take_kept(Manager *m)
{
	g_autoptr(GError) error = NULL;
	Bundle *bundle;

	files.fd = recovery_take_files(m->recovery);
	if (files.fd < 0)
		return NULL;
	bundle = bundle_read(files.fd, &error);
	if (!bundle) {
		log_warning(NULL, "all files are read again: %s", error->message);
		fd_close(&files.fd);
	}
	return bundle;
}

void files_begin(Manager *m)
{
	g_autoptr(Bundle) kept = take_kept(m);

	files.diags = diag_list_new();
	files.instances = g_ptr_array_new_with_free_func(g_free);
	files.generate_limit = timer_new(on_generate_limit, m);
	prepare(m, kept);
	if (kept)
		put_in_force(m, kept, files.fd);
	else
		begin_load(m);
}

void files_load_if_asked(Manager *m)
{
	if (files.is_load_requested)
		files_load(m);
}

FilesReport files_report(void)
{
	return (FilesReport){ .read_us = files.read_us,
			      .failed_us = files.failed_us,
			      .problem = files.problem,
			      .diags = files.diags,
			      .secrets = files.secrets };
}

/* --- the keeper's reports about the generator --- */

static void on_spawned(Manager *m, const struct MessageSpawned *message)
{
	if (m->recovery && !files.is_generating && !message->error) {
		/* an earlier manager started the generator and did not load its result */
		files.generation = message->id.invocation;
		files.is_generator_alive = true;
		files.is_load_requested = true;
	} else if (message->error && message->id.invocation == files.generation) {
		g_autofree char *problem = g_strdup_printf("cannot run %s: %s", GENERATOR_PROGRAM,
							   g_strerror(message->error));

		files.is_generator_alive = false;
		files.is_generating = false;
		timer_disarm(files.generate_limit);
		fd_close(&files.generator_fd);
		load_failed(m, problem);
	}
}

static void on_exited(Manager *m, const struct MessageExited *message)
{
	files.is_generator_alive = false;
	if (files.is_generating && message->id.invocation == files.generation) {
		if (message->status != 0)
			log_warning(NULL,
				    "%s failed; generated services (init scripts, fstab) may be "
				    "missing",
				    GENERATOR_PROGRAM);
		generator_ended(m);
	} else if (m->recovery && !files.is_generating) {
		files.is_load_requested = true; /* this was an earlier manager's generator */
	}
}

const Helper files_helper = { .service = ".generate", .spawned = on_spawned, .exited = on_exited };
