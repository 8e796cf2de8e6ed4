/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fake keeper: a small table of real children, reaped by polling.
 */
#include "config.h"

#include "tests/lib/fake-keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/text.h"

#define POLL_MS 2

typedef struct Row {
	struct ProcessId id;
	pid_t pid;
	int error; /* error of the spawn or adoption; if set, the row is only a pending answer */
	bool is_adopted;
	bool is_spawned_sent;
	bool has_ended;
	bool is_exited_sent;
	siginfo_t info;
} Row;

struct FakeKeeper {
	const KeeperListener *listener;
	void *data;
	GPtrArray *rows; /* Row * */
	GPtrArray *record; /* char * */
	char *text;
	char *note;
	GHashTable *kept; /* name -> fd + 1 */
	int refusal;
	bool is_withheld[ROLE_COUNT];
	bool is_silent;
	guint poll;
};

/* The link is the keeper itself. */
static FakeKeeper *keeper_of(KeeperLink *link)
{
	return (FakeKeeper *)(void *)link;
}

static void G_GNUC_PRINTF(2, 3) record(FakeKeeper *keeper, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	g_ptr_array_add(keeper->record, g_strdup_vprintf(format, args));
	va_end(args);
}

static const char *role_name(uint32_t role)
{
	static const char *const names[ROLE_COUNT] = { "main", "control", "check", "health" };

	return names[role];
}

static Row *find_row(const FakeKeeper *keeper, const char *service, uint32_t role)
{
	for (guint i = 0; i < keeper->rows->len; i++) {
		Row *row = g_ptr_array_index(keeper->rows, i);

		if (!row->error && row->id.role == role && strcmp(row->id.service, service) == 0)
			return row;
	}
	return NULL;
}

/* --- children --- */

static void run_as(const SpawnParameters *r)
{
	struct ExecStatus status = { .step = EXEC_STEP_SETUP };
	int next = 3;
	int fds[PROTOCOL_MAX_FDS];
	int stdio[3] = { r->stdin_fd, r->stdout_fd, r->stderr_fd };
	int status_fd = r->status_fd >= 0 ? fcntl(r->status_fd, F_DUPFD_CLOEXEC, 200) : -1;
	sigset_t none;

	(void)setsid();
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)signal(SIGPIPE, SIG_DFL);
	(void)signal(SIGHUP, SIG_DFL); /* nohup(1) may have ignored it */
	if (r->cgroup_fd >= 0) {
		auto_fd int procs = openat(r->cgroup_fd, "cgroup.procs", O_WRONLY | O_CLOEXEC);

		if (procs < 0 || write(procs, "0", 1) != 1)
			_exit(99);
	}
	for (unsigned i = 0; i < r->n_inherited; i++)
		fds[i] = fcntl(r->inherited[i], F_DUPFD_CLOEXEC, 210);
	for (int i = 0; i < 3; i++) {
		int fd = stdio[i] >= 0 ? fcntl(stdio[i], F_DUPFD_CLOEXEC, 210) :
					 open("/dev/null", O_RDWR | O_CLOEXEC);

		(void)dup2(fd, i);
	}
	for (unsigned i = 0; i < r->n_inherited; i++)
		(void)dup2(fds[i], next++);
	(void)close_range((unsigned)next, 199, 0);
	(void)close_range(201, ~0u, 0);
	if (r->has_umask)
		(void)umask(r->umask);
	for (unsigned i = 0; i < r->n_rlimits; i++) {
		const struct rlimit limit = { .rlim_cur = r->rlimits[i].soft,
					      .rlim_max = r->rlimits[i].hard };

		(void)setrlimit((__rlimit_resource_t)r->rlimits[i].resource, &limit);
	}
	status.step = EXEC_STEP_DIRECTORY;
	if (chdir(r->directory ? r->directory : "/") == 0) {
		status.step = EXEC_STEP_IDENTITY;
		if ((!r->has_groups || setgroups(r->n_groups, r->groups) == 0) &&
		    (!r->has_gid || setresgid(r->gid, r->gid, r->gid) == 0) &&
		    (!r->has_uid || setresuid(r->uid, r->uid, r->uid) == 0)) {
			status.step = EXEC_STEP_EXEC;
			(void)execve(r->argv[0], (char *const *)(void *)(uintptr_t)r->argv,
				     (char *const *)(void *)(uintptr_t)r->environment);
		}
	}
	status.error = errno;
	if (status_fd >= 0)
		(void)!write(status_fd, &status, sizeof status);
	_exit(127);
}

static void send_spawned(FakeKeeper *keeper, Row *row)
{
	struct MessageSpawned message = { .id = row->id,
					  .error = row->error,
					  .pid = row->pid,
					  .at_us = (uint64_t)g_get_monotonic_time() };

	struct MessageAdopted adopted = { .id = row->id, .error = row->error, .pid = row->pid };

	row->is_spawned_sent = true;
	if (row->is_adopted)
		keeper->listener->adopted(keeper->data, &adopted);
	else
		keeper->listener->spawned(keeper->data, &message);
}

static void send_exited(FakeKeeper *keeper, Row *row)
{
	struct MessageExited message = { .id = row->id,
					 .pid = row->pid,
					 .code = row->info.si_code,
					 .status = row->info.si_status,
					 .at_us = (uint64_t)g_get_monotonic_time() };

	row->is_exited_sent = true;
	keeper->listener->exited(keeper->data, &message);
}

static void reap(FakeKeeper *keeper)
{
	siginfo_t info = { 0 };

	while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG) == 0 && info.si_pid != 0) {
		for (guint i = 0; i < keeper->rows->len; i++) {
			Row *row = g_ptr_array_index(keeper->rows, i);

			if (row->pid != info.si_pid || row->has_ended)
				continue;
			row->has_ended = true;
			row->info = info;
		}
		info = (siginfo_t){ 0 };
	}
}

/* Reports one event. The table may have changed afterwards. */
static bool send_next(FakeKeeper *keeper)
{
	for (guint i = 0; i < keeper->rows->len; i++) {
		Row *row = g_ptr_array_index(keeper->rows, i);

		if (!row->is_spawned_sent) {
			bool failed = row->error != 0;

			send_spawned(keeper, row);
			if (failed)
				g_ptr_array_remove(keeper->rows, row);
			return true;
		}
		if (row->has_ended && !row->is_exited_sent && !keeper->is_withheld[row->id.role]) {
			send_exited(keeper, row);
			return true;
		}
	}
	return false;
}

static gboolean on_poll(gpointer data)
{
	FakeKeeper *keeper = data;

	reap(keeper);
	while (!keeper->is_silent && send_next(keeper))
		;
	return G_SOURCE_CONTINUE;
}

/* --- keeper-link.h --- */

void process_id_init(struct ProcessId *id, const char *service, enum ProcessRole role,
		     uint64_t invocation)
{
	memset(id, 0, sizeof *id);
	g_strlcpy(id->service, service, sizeof id->service);
	id->invocation = invocation;
	id->role = role;
}

static void take_note(FakeKeeper *keeper, const char *note)
{
	g_free(keeper->note);
	keeper->note = g_strdup(note);
}

bool keeper_link_spawn(KeeperLink *link, const SpawnParameters *request, GError **error)
{
	FakeKeeper *keeper = keeper_of(link);
	Row *row = g_new0(Row, 1);

	(void)error;
	process_id_init(&row->id, request->service, request->role, request->invocation);
	record(keeper, "spawn %s %s", role_name(request->role), request->argv[0]);
	row->error = find_row(keeper, request->service, request->role) ? EBUSY : keeper->refusal;
	if (!row->error) {
		take_note(keeper, request->note);
		row->pid = fork();
		if (row->pid == 0)
			run_as(request);
	}
	g_ptr_array_add(keeper->rows, row);
	return true;
}

void keeper_link_ack(KeeperLink *link, const struct ProcessId *id, const char *note)
{
	FakeKeeper *keeper = keeper_of(link);
	Row *row = find_row(keeper, id->service, id->role);

	record(keeper, "ack %s", role_name(id->role));
	if (note)
		take_note(keeper, note);
	if (row && row->id.invocation == id->invocation)
		g_ptr_array_remove(keeper->rows, row);
}

void keeper_link_note(KeeperLink *link, const char *service, const char *note)
{
	(void)service;
	take_note(keeper_of(link), note);
}

void keeper_link_signal(KeeperLink *link, const struct ProcessId *id, int signo)
{
	FakeKeeper *keeper = keeper_of(link);
	Row *row = find_row(keeper, id->service, id->role);

	record(keeper, "signal %s %s", role_name(id->role), text_signal_name(signo));
	if (row && row->pid > 0 && !row->has_ended)
		(void)kill(row->pid, signo);
}

void keeper_link_adopt(KeeperLink *link, const struct ProcessId *id, pid_t pid)
{
	FakeKeeper *keeper = keeper_of(link);
	Row *row = g_new0(Row, 1);
	siginfo_t info;

	record(keeper, "adopt %s", role_name(id->role));
	row->id = *id;
	row->pid = pid;
	row->is_adopted = true;
	if (find_row(keeper, id->service, id->role))
		row->error = EBUSY;
	else if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0)
		row->error = errno;
	g_ptr_array_add(keeper->rows, row);
}

pid_t keeper_link_keeper_pid(const KeeperLink *link)
{
	(void)link;
	return getpid();
}

void keeper_link_keep(KeeperLink *link, const char *name, int fd)
{
	FakeKeeper *keeper = keeper_of(link);

	record(keeper, "keep %s", name);
	g_hash_table_replace(keeper->kept, g_strdup(name),
			     GINT_TO_POINTER(fcntl(fd, F_DUPFD_CLOEXEC, 3) + 1));
}

bool keeper_link_wait(KeeperLink *link, Timer *timer)
{
	(void)link;
	(void)timer;
	return false; /* this keeper is never behind */
}

void keeper_link_wait_no_more(KeeperLink *link, const Timer *timer)
{
	(void)link;
	(void)timer;
}

void keeper_link_forget(KeeperLink *link, const char *name)
{
	FakeKeeper *keeper = keeper_of(link);

	record(keeper, "forget %s", name);
	g_hash_table_remove(keeper->kept, name);
}

void keeper_link_forget_ended(KeeperLink *link, const char *name)
{
	keeper_link_forget(link, name);
}

void keeper_link_dispose(KeeperLink *link, int fd)
{
	record(keeper_of(link), "dispose");
	(void)close(fd);
}

/* --- for the tests --- */

static void close_kept(gpointer value)
{
	(void)close(GPOINTER_TO_INT(value) - 1);
}

FakeKeeper *fake_keeper_new(const KeeperListener *listener, void *data)
{
	FakeKeeper *keeper = g_new0(FakeKeeper, 1);

	keeper->listener = listener;
	keeper->data = data;
	keeper->rows = g_ptr_array_new_with_free_func(g_free);
	keeper->record = g_ptr_array_new_with_free_func(g_free);
	keeper->kept = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, close_kept);
	keeper->poll = g_timeout_add(POLL_MS, on_poll, keeper);
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1); /* like PID 1, for double forks */
	return keeper;
}

KeeperLink *fake_keeper_link(FakeKeeper *keeper)
{
	return (KeeperLink *)(void *)keeper;
}

void fake_keeper_free(FakeKeeper *keeper)
{
	for (guint i = 0; i < keeper->rows->len; i++) {
		const Row *row = g_ptr_array_index(keeper->rows, i);

		if (row->pid > 0 && !row->has_ended)
			(void)kill(row->pid, SIGKILL);
	}
	g_source_remove(keeper->poll);
	g_ptr_array_unref(keeper->rows);
	g_ptr_array_unref(keeper->record);
	g_hash_table_unref(keeper->kept);
	g_free(keeper->text);
	g_free(keeper->note);
	g_free(keeper);
}

void fake_keeper_refuse(FakeKeeper *keeper, int error)
{
	keeper->refusal = error;
}

void fake_keeper_withhold_end(FakeKeeper *keeper, enum ProcessRole role, bool is_withheld)
{
	keeper->is_withheld[role] = is_withheld;
}

void fake_keeper_set_silent(FakeKeeper *keeper, bool silent)
{
	keeper->is_silent = silent;
	/* Like a replay: exits without an acknowledgement are sent again. */
	for (guint i = 0; i < keeper->rows->len; i++)
		((Row *)g_ptr_array_index(keeper->rows, i))->is_exited_sent = false;
}

unsigned fake_keeper_count(const FakeKeeper *keeper, const char *prefix)
{
	unsigned n = 0;

	for (guint i = 0; i < keeper->record->len; i++)
		n += g_str_has_prefix(g_ptr_array_index(keeper->record, i), prefix);
	return n;
}

const char *fake_keeper_record(FakeKeeper *keeper)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < keeper->record->len; i++)
		g_string_append_printf(text, "%s\n", (char *)g_ptr_array_index(keeper->record, i));
	g_free(keeper->text);
	keeper->text = g_string_free(text, FALSE);
	return keeper->text;
}

pid_t fake_keeper_pid(const FakeKeeper *keeper, const char *service, enum ProcessRole role)
{
	const Row *row = find_row(keeper, service, role);

	return row ? row->pid : 0;
}

const char *fake_keeper_note(const FakeKeeper *keeper)
{
	return keeper->note;
}

int fake_keeper_kept(const FakeKeeper *keeper, const char *name)
{
	int fd = GPOINTER_TO_INT(g_hash_table_lookup(keeper->kept, name)) - 1;

	return fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

unsigned fake_keeper_n_kept(const FakeKeeper *keeper)
{
	return g_hash_table_size(keeper->kept);
}
