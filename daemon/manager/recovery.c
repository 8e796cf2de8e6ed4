/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Recovery: restores the state of the engine from the data that PID 1 kept. A first boot is a
 * recovery without data.
 *
 * During the replay everything is only collected. When the files are loaded, each service gets its
 * note, its rows and its descriptors back. Then the present levels are requested, and then the
 * engine begins. After that, unhandled exits are delivered as ordinary events.
 */
#include "config.h"

#include <string.h>

#include "base/fd.h"
#include "base/log.h"
#include "boot/boot.h"
#include "manager/manager.h"
#include "model/name.h"

/*
 * The time limit for the first levels from svc-worker. With them the engine's first decisions are
 * right. Without them services start when the levels arrive; nothing is stopped.
 */
#define LEVELS_LIMIT_US (1 * G_USEC_PER_SEC)

typedef struct ReplayedFd {
	char *kind;
	char *index;
	int fd; /* -1 once it was handed over */
} ReplayedFd;

#define MACHINE_KEPT ".machine"

typedef struct Remains {
	char *service;
	char *note;
	uint64_t invocation; /* of its rows; 0: there are none */
	pid_t pids[ROLE_COUNT]; /* rows that are not acknowledged; 0: none */
	GPtrArray *exits; /* struct MessageExited *, owned */
	GArray *fds; /* ReplayedFd */
} Remains;

struct Recovery {
	GHashTable *services; /* name -> Remains, owned */
	enum ShutdownKind shutdown;
	/* armed until the first levels are known; then the recovery is carried out */
	Timer *levels;
	char *global_note;
	int socket_fd; /* of the private socket, -1: none kept */
	int initctl_fd; /* /run/initctl, -1: none kept */
	int files_fd; /* the files in force, -1: none kept */
	int lost_files_fd; /* the relations of services without a file, -1: none kept */
	int machine[MACHINE_COUNT]; /* as ProcessContext.machine */
};

static void kept_fd_clear(gpointer data)
{
	ReplayedFd *kept = data;

	fd_close(&kept->fd);
	g_free(kept->kind);
	g_free(kept->index);
}

static void remains_free(gpointer data)
{
	Remains *r = data;

	g_ptr_array_unref(r->exits);
	g_array_unref(r->fds);
	g_free(r->note);
	g_free(r->service);
	g_free(r);
}

Recovery *recovery_new(void)
{
	Recovery *recovery = g_new0(Recovery, 1);

	recovery->services = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, remains_free);
	recovery->socket_fd = -1;
	recovery->initctl_fd = -1;
	recovery->files_fd = -1;
	recovery->lost_files_fd = -1;
	for (int file = 0; file < MACHINE_COUNT; file++)
		recovery->machine[file] = -1;
	return recovery;
}

void recovery_free(Recovery *recovery)
{
	if (!recovery)
		return;
	g_hash_table_unref(recovery->services);
	fd_close(&recovery->socket_fd);
	fd_close(&recovery->initctl_fd);
	for (int file = 0; file < MACHINE_COUNT; file++)
		fd_close(&recovery->machine[file]);
	timer_free(recovery->levels);
	fd_close(&recovery->files_fd);
	fd_close(&recovery->lost_files_fd);
	g_free(recovery->global_note);
	g_free(recovery);
}

static Remains *remains_of(Recovery *recovery, const char *service)
{
	Remains *r = g_hash_table_lookup(recovery->services, service);

	if (r)
		return r;
	r = g_new0(Remains, 1);
	r->service = g_strdup(service);
	r->note = g_strdup("");
	r->exits = g_ptr_array_new_with_free_func(g_free);
	r->fds = g_array_new(FALSE, FALSE, sizeof(ReplayedFd));
	g_array_set_clear_func(r->fds, kept_fd_clear);
	g_hash_table_insert(recovery->services, r->service, r);
	return r;
}

/* --- collecting --- */

/*
 * A row of an earlier run can only be a probe that cannot be killed. It does not belong to the
 * newest run.
 */
static void add_row(Remains *r, const struct ProcessId *id, pid_t pid)
{
	if (id->invocation > r->invocation)
		memset(r->pids, 0, sizeof r->pids);
	r->invocation = MAX(r->invocation, id->invocation);
	if (id->invocation == r->invocation && id->role < ROLE_COUNT)
		r->pids[id->role] = pid;
}

void recovery_add_spawned(Recovery *recovery, const struct MessageSpawned *message)
{
	if (!message->error && message->id.role < ROLE_COUNT)
		add_row(remains_of(recovery, message->id.service), &message->id, message->pid);
}

void recovery_add_exited(Recovery *recovery, const struct MessageExited *message)
{
	Remains *r = remains_of(recovery, message->id.service);

	add_row(r, &message->id, message->pid);
	g_ptr_array_add(r->exits, g_memdup2(message, sizeof *message));
}

void recovery_add_note(Recovery *recovery, const char *service, const char *note)
{
	Remains *r;

	if (strcmp(service, NOTES_GLOBAL) == 0) {
		g_free(recovery->global_note);
		recovery->global_note = g_strdup(note);
		return;
	}
	r = remains_of(recovery, service);
	g_free(r->note);
	r->note = g_strdup(note);
}

void recovery_add_fd(Recovery *recovery, const char *name, int fd)
{
	g_auto(GStrv) parts = g_strsplit(name, "/", 3);
	ReplayedFd kept = { .fd = fd };
	MachineFile file;

	if (g_strv_length(parts) != 3) {
		fd_close(&fd);
		return;
	}
	if (strcmp(name, REQUESTS_KEPT_SOCKET) == 0) {
		fd_close(&recovery->socket_fd);
		recovery->socket_fd = fd;
		return;
	}
	if (strcmp(name, SYSV_KEPT_FIFO) == 0) {
		fd_close(&recovery->initctl_fd);
		recovery->initctl_fd = fd;
		return;
	}
	if (strcmp(name, FILES_KEPT) == 0) {
		fd_close(&recovery->files_fd);
		recovery->files_fd = fd;
		return;
	}
	if (strcmp(name, LOST_FILES_KEPT) == 0) {
		fd_close(&recovery->lost_files_fd);
		recovery->lost_files_fd = fd;
		return;
	}
	if (strcmp(parts[0], MACHINE_KEPT) == 0 && machine_file_from_name(parts[1], &file)) {
		fd_close(&recovery->machine[file]);
		recovery->machine[file] = fd;
		return;
	}
	kept.kind = g_strdup(parts[1]);
	kept.index = g_strdup(parts[2]);
	g_array_append_val(remains_of(recovery, parts[0])->fds, kept);
}

int recovery_take_files(Recovery *recovery)
{
	return fd_steal(&recovery->files_fd);
}

int recovery_take_lost_files(Recovery *recovery)
{
	return fd_steal(&recovery->lost_files_fd);
}

static int machine_files[MACHINE_COUNT]; /* of ProcessContext.machine */

/* Opens the files if PID 1 kept none, as in a boot or after an update from an older version. */
void recovery_take_machine_files(Manager *m)
{
	Recovery *recovery = m->recovery;
	bool is_kept = false;

	for (int file = 0; file < MACHINE_COUNT; file++) {
		machine_files[file] = fd_steal(&recovery->machine[file]);
		is_kept |= machine_files[file] >= 0;
	}
	for (int file = 0; !is_kept && file < MACHINE_COUNT; file++) {
		g_autofree char *name =
			g_strdup_printf(MACHINE_KEPT "/%s/0", machine_file_name((MachineFile)file));

		machine_files[file] =
			resources_open_machine_file((MachineFile)file, m->context.cgroup_root);
		if (machine_files[file] >= 0)
			keeper_link_keep(m->link, name, machine_files[file]);
	}
	m->context.machine = machine_files;
}

bool recovery_has_begun(const Recovery *recovery)
{
	return recovery->global_note != NULL;
}

void recovery_open_sockets(Manager *m)
{
	int *fd = &m->recovery->socket_fd;

	if (!requests_socket_is_there(m))
		/* the socket was removed, so clients cannot reach the kept descriptor */
		fd_close(fd);
	if (*fd < 0)
		*fd = requests_open_socket(m);
}

void recovery_set_shutdown(Recovery *recovery, enum ShutdownKind kind)
{
	recovery->shutdown = kind;
}

/* A service that only has sockets is ignored: without a service file they are not needed. */
static bool has_run(const Remains *r)
{
	return *r->note || r->invocation > 0;
}

GPtrArray *recovery_names(const Recovery *recovery)
{
	GPtrArray *names = g_ptr_array_new();
	GHashTableIter iter;
	gpointer name;
	gpointer remains;

	g_hash_table_iter_init(&iter, recovery->services);
	while (g_hash_table_iter_next(&iter, &name, &remains)) {
		if (name_check_service(name, NULL) && has_run(remains))
			g_ptr_array_add(names, name);
	}
	g_ptr_array_add(names, NULL);
	return names;
}

pid_t recovery_logger(const Recovery *recovery, uint64_t *ret_invocation)
{
	const Remains *r = g_hash_table_lookup(recovery->services, LOGGER_SERVICE);

	*ret_invocation = r ? r->invocation : 0;
	return r ? r->pids[ROLE_MAIN] : 0;
}

/* --- carrying out --- */

/* The supervisor's part of a note: the value of "p=". */
static char *note_phase(const char *note)
{
	g_auto(GStrv) tokens = g_strsplit(note, " ", -1);

	for (char **w = tokens; *w; w++) {
		if (g_str_has_prefix(*w, "p="))
			return g_strdup(*w + 2);
	}
	return NULL;
}

static uint64_t note_invocation(const Engine *engine, const char *service)
{
	const Service *s = engine_find(engine, service);

	return s ? s->invocation : 0;
}

static void give_fds(Manager *m, Remains *r, Supervisor *supervisor)
{
	for (guint i = 0; i < r->fds->len; i++) {
		ReplayedFd *kept = &g_array_index(r->fds, ReplayedFd, i);

		if (strcmp(kept->kind, "log") == 0 || strcmp(r->service, LOGGER_SERVICE) == 0)
			log_router_give_fd(m->logs, r->service, kept->kind, kept->index,
					   fd_steal(&kept->fd));
		else if (strcmp(kept->kind, SOCKETS_KEPT_KIND) == 0)
			sockets_recover(m, r->service, kept->index, fd_steal(&kept->fd));
		else if (supervisor)
			supervisor_give_fd(supervisor, kept->kind, fd_steal(&kept->fd));
	}
}

/* Closes descriptors that no service claims, here and in the keeper. */
static void forget_unclaimed(Manager *m, Remains *r)
{
	for (guint i = 0; i < r->fds->len; i++) {
		const ReplayedFd *kept = &g_array_index(r->fds, ReplayedFd, i);
		g_autofree char *name =
			g_strdup_printf("%s/%s/%s", r->service, kept->kind, kept->index);

		if (kept->fd >= 0)
			keeper_link_forget(m->link, name);
	}
}

static void recover_service(Manager *m, Remains *r)
{
	g_autofree char *phase = note_phase(r->note);
	const bool has_run = phase || r->invocation > 0;
	Supervisor *supervisor = NULL;
	uint64_t invocation;

	notes_remember(r->service, r->note);
	last_success_recover(r->service, r->note);
	if (!engine_recover(m->engine, r->service, r->note, has_run, r->invocation,
			    r->pids[ROLE_MAIN], loop_now()))
		log_warning(r->service, "its note cannot be read: \"%s\"", r->note);
	invocation = r->invocation ? r->invocation : note_invocation(m->engine, r->service);
	if (has_run && engine_find(m->engine, r->service)) {
		const Service *s = engine_find(m->engine, r->service);

		supervisor = supervisor_resume(&m->context, s->def, invocation, phase ? phase : "",
					       r->pids);
		manager_add_supervisor(r->service, supervisor);
	}
	give_fds(m, r, supervisor);
	forget_unclaimed(m, r);
}

static void recover_flag(Manager *m, const Remains *r)
{
	g_autoptr(GError) error = NULL;

	if (!flag_provider_recover(registry_flags(m->registry), notes_flag_name(r->service),
				   r->note, &error))
		log_warning(NULL, "a flag is lost: %s", error->message);
}

static void begin_logger(Manager *m)
{
	Remains *r = g_hash_table_lookup(m->recovery->services, LOGGER_SERVICE);
	uint64_t invocation;
	pid_t pid = recovery_logger(m->recovery, &invocation);

	if (r)
		give_fds(m, r, NULL);
	log_router_begin(m->logs, pid, invocation);
	for (guint i = 0; r && i < r->exits->len; i++)
		log_router_on_exited(m->logs, g_ptr_array_index(r->exits, i));
}

static void deliver_exits(Manager *m, Remains *r)
{
	Supervisor *supervisor = manager_supervisor(r->service);

	for (guint i = 0; i < r->exits->len; i++) {
		const struct MessageExited *message = g_ptr_array_index(r->exits, i);

		if (supervisor && supervisor_invocation(supervisor) == message->id.invocation)
			supervisor_on_exited(supervisor, message);
		else
			keeper_link_ack(m->link, &message->id, NULL);
	}
}

static void foreach_service(Manager *m, Recovery *recovery, void (*func)(Manager *m, Remains *r))
{
	GHashTableIter iter;
	gpointer remains;

	g_hash_table_iter_init(&iter, recovery->services);
	while (g_hash_table_iter_next(&iter, NULL, &remains)) {
		Remains *r = remains;

		if (name_check_service(r->service, NULL))
			func(m, r);
	}
}

static void resumed(Manager *m, Remains *r)
{
	Supervisor *supervisor = manager_supervisor(r->service);

	(void)m;
	if (supervisor)
		supervisor_resumed(supervisor);
}

static void carry_out(Manager *m)
{
	Recovery *recovery = m->recovery;
	const char *runlevel;
	GHashTableIter iter;
	gpointer remains;

	begin_logger(m);
	foreach_service(m, recovery, recover_service);
	g_hash_table_iter_init(&iter, recovery->services);
	while (g_hash_table_iter_next(&iter, NULL, &remains)) {
		if (*notes_flag_name(((Remains *)remains)->service))
			recover_flag(m, remains);
	}
	if (recovery->global_note &&
	    !boot_recover_global(m->engine, recovery->global_note, loop_now()))
		log_warning(NULL, "the note of the boot cannot be read: \"%s\"",
			    recovery->global_note);
	boot_file_recover(m);
	schedule_provider_update(registry_schedule(m->registry));
	runlevel = power_resume(recovery->shutdown);
	registry_flush(m->registry);

	m->recovery = NULL; /* from here on events are handled as they come */
	if (recovery_has_begun(recovery)) {
		records_remember(m);
		boot_history_remember(m);
		sockets_end_boot(); /* running services could block the opening of other sockets */
	}
	console_mute_recover(m);
	engine_begin(m->engine, runlevel, loop_now());
	foreach_service(m, recovery, resumed);
	foreach_service(m, recovery, deliver_exits);
	requests_serve(m, fd_steal(&recovery->socket_fd));
	if (recovery->initctl_fd < 0 && recovery_has_begun(recovery))
		sysv_open(m);
	else
		sysv_serve(m, fd_steal(&recovery->initctl_fd));
	recovery_free(recovery);
	power_end_if_asked(m);
	manager_drain(m);
	files_load_if_asked(m);
}

static void on_levels(void *data)
{
	carry_out(data);
}

void recovery_on_settled(Manager *m)
{
	if (timer_is_armed(m->recovery->levels))
		/* carried out later, because a provider is the caller */
		timer_arm(m->recovery->levels, loop_now());
}

void recovery_carry_out(Manager *m)
{
	if (registry_is_settled(m->registry))
		carry_out(m);
	else
		timer_set(&m->recovery->levels, loop_now() + LEVELS_LIMIT_US, on_levels, m);
}
