/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stage: one invocation of a service with real processes, between a fake keeper and a recording
 * engine.
 */
#include "config.h"

#include "tests/lib/stage.h"

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/log.h"
#include "loop/loop.h"
#include "model/service-parse.h"

#include "tests/lib/deadline.h"

const char stage_notifying[] =
	"[Service]\n"
	"Exec=/usr/bin/python3 -c 'import "
	"socket,os,time;s=socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM);"
	"s.connect(os.environ[\"NOTIFY_SOCKET\"]);s.send(b\"STATUS=warming up\");"
	"s.send(b\"READY=1\\nSTATUS=serving\");time.sleep(1000)'\n"
	"Ready=notify\n";

static const char *on_note(void *data, const char *service)
{
	Stage *stage = data;

	(void)service;
	if (stage->supervisor)
		supervisor_phase(stage->supervisor, stage->note, sizeof stage->note);
	return stage->note;
}

static void on_event(void *data, const char *service, uint64_t invocation,
		     const ProcessEvent *event)
{
	Stage *stage = data;

	ck_assert_str_eq(service, STAGE_SERVICE);
	ck_assert_uint_eq(invocation, 7);
	if (event->kind == PROCESS_PHASE) {
		if (!stage->keeps_no_notes)
			keeper_link_note(stage->context.link, STAGE_SERVICE,
					 on_note(stage, STAGE_SERVICE));
		return;
	}
	g_string_append(stage->events, process_event_kind_name(event->kind));
	if (event->kind == PROCESS_EXITED)
		g_string_append(stage->events, event->is_done    ? " done" :
					       event->is_restart ? " in a restart" :
					       event->success    ? " well" :
								   " badly");
	if (event->kind == PROCESS_CHECKED || event->kind == PROCESS_HEALTH)
		g_string_append(stage->events, event->success ? " well" : " badly");
	if (event->is_refused)
		g_string_append(stage->events, " for now");
	if (event->text)
		g_string_append_printf(stage->events, ": %s", event->text);
	if (event->output && *event->output)
		g_string_append_printf(stage->events, " (it wrote: %s)", event->output);
	g_string_append_c(stage->events, '\n');
}

static void on_watch(void *data, const char *service, KeyPrefix prefix, const char *key)
{
	Stage *stage = data;

	ck_assert_str_eq(service, STAGE_SERVICE);
	ck_assert(prefix == KEY_PATH || prefix == KEY_DBUS);
	ck_assert_ptr_null(stage->watched);
	stage->watched = key;
}

static void on_unwatch(void *data, const char *service, KeyPrefix prefix, const char *key)
{
	Stage *stage = data;

	ck_assert_str_eq(service, STAGE_SERVICE);
	ck_assert(prefix == KEY_PATH || prefix == KEY_DBUS);
	ck_assert_ptr_eq(stage->watched, key);
	stage->watched = NULL;
}

static bool on_starts_again(void *data, const char *service)
{
	const Stage *stage = data;

	ck_assert_str_eq(service, STAGE_SERVICE);
	return stage->starts_again;
}

static void on_spawned(void *data, const struct MessageSpawned *message)
{
	Stage *stage = data;

	supervisor_on_spawned(stage->supervisor, message);
}

static void on_exited(void *data, const struct MessageExited *message)
{
	Stage *stage = data;

	supervisor_on_exited(stage->supervisor, message);
}

static void on_adopted(void *data, const struct MessageAdopted *message)
{
	Stage *stage = data;

	supervisor_on_adopted(stage->supervisor, message);
}

/* The worker's number is its pid. It exits when the pool closes its end of the socket. */
static uint64_t start_worker(void *data, int socket)
{
	const pid_t pid = fork();

	(void)data;
	if (pid == 0) {
		(void)dup2(socket, STDIN_FILENO); /* on failure the worker exits at once */
		(void)execl(SVC_WORKER, SVC_WORKER, NULL);
		_exit(127);
	}
	return pid > 0 ? (uint64_t)pid : 0;
}

static void dispose(void *data, int fd)
{
	(void)data;
	fd_close(&fd);
}

static void kill_worker(void *data, uint64_t number)
{
	(void)data;
	(void)kill((pid_t)number, SIGKILL);
}

static const KeeperListener keeper_listener = { .spawned = on_spawned,
						.exited = on_exited,
						.adopted = on_adopted };

/* A cgroup for the test below the cgroup v2 mount, if there is such a mount and it is writable. */
static char *make_cgroup_root(void)
{
	g_autofree char *mounts = NULL;
	char where[256];

	if (!g_file_get_contents("/proc/self/mounts", &mounts, NULL, NULL))
		return NULL;
	for (const char *line = mounts; line && *line;
	     line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
		g_autofree char *root = NULL;

		if (sscanf(line, "cgroup2 %255s cgroup2", where) != 1)
			continue;
		root = g_strdup_printf("%s/svcd-test-%d", where, (int)getpid());
		return mkdir(root, 0755) == 0 ? g_steal_pointer(&root) : NULL;
	}
	return NULL;
}

static const char *const base_environment[] = { "PATH=/usr/bin:/bin", "LANG=C.UTF-8", NULL };

Stage *stage_set(const char *text)
{
	Stage *stage = g_new0(Stage, 1);
	g_autoptr(DiagList) diags = diag_list_new();
	SourceText source = { .file = "probe.svc", .text = text, .length = strlen(text) };

	log_open("test", -1, FALSE);
	stage->def = service_parse(STAGE_SERVICE, &source, 1, diags);
	ck_assert_msg(!stage->def->problem, "%s", stage->def->problem);
	stage->tree = tree_new();
	stage->runtime_dir = tree_path(stage->tree, "/run");
	stage->cgroup_root = make_cgroup_root();
	stage->events = g_string_new(NULL);
	stage->keeper = fake_keeper_new(&keeper_listener, stage);
	stage->workers = worker_pool_new(&(WorkerOps){ .start = start_worker,
						       .kill = kill_worker,
						       .dispose = dispose,
						       .limit_us = WORKER_LIMIT_US,
						       .idle_us = WORKER_IDLE_US });
	stage->context = (ProcessContext){
		.workers = stage->workers,
		.link = fake_keeper_link(stage->keeper),
		.cgroup_root = stage->cgroup_root,
		.runtime_dir = stage->runtime_dir,
		.exec_helper = SVC_EXEC,
		.environment = base_environment,
		.event = on_event,
		.note = on_note,
		.watch = on_watch,
		.unwatch = on_unwatch,
		.starts_again = on_starts_again,
		.data = stage,
	};
	return stage;
}

void stage_start(Stage *stage)
{
	stage->supervisor = supervisor_start(&stage->context, stage->def, 7);
}

Stage *stage_new(const char *text)
{
	Stage *stage = stage_set(text);

	stage_start(stage);
	return stage;
}

/* Expands {DIR}, a directory that this test may write to. */
Stage *stage_set_in_directory(const char *text)
{
	Stage *stage;
	g_auto(GStrv) parts = g_strsplit(text, "{DIR}", -1);
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *whole = g_strjoinv(tree->root, parts);

	stage = stage_set(whole);
	tree_free(stage->tree);
	stage->tree = g_steal_pointer(&tree);
	g_free(stage->runtime_dir);
	stage->runtime_dir = tree_path(stage->tree, "/run");
	stage->context.runtime_dir = stage->runtime_dir;
	return stage;
}

Stage *stage_new_in_directory(const char *text)
{
	Stage *stage = stage_set_in_directory(text);

	stage_start(stage);
	return stage;
}

bool has_event(const Stage *stage, const char *line)
{
	g_autofree char *whole = g_strdup_printf("%s\n", line);
	const char *found = strstr(stage->events->str, whole);

	return found && (found == stage->events->str || found[-1] == '\n');
}

static gboolean wake(gpointer data)
{
	(void)data;
	return G_SOURCE_CONTINUE;
}

/* Runs the main loop until @is_so. The long limit only ends hanging programs. */
void run_until(Stage *stage, bool (*is_so)(const Stage *stage, const char *what), const char *what)
{
	int64_t deadline = loop_now() + DEADLINE_US;
	guint source = g_timeout_add(5, wake, NULL);

	while (!is_so(stage, what) && loop_now() < deadline) {
		g_main_context_iteration(NULL, TRUE);
		if (stage->supervisor && !stage->keeps_no_notes)
			supervisor_noted(stage->supervisor);
	}
	g_source_remove(source);
	ck_assert_msg(is_so(stage, what), "waited for \"%s\"; events:\n%skeeper:\n%s", what,
		      stage->events->str, fake_keeper_record(stage->keeper));
}

void expect_event(Stage *stage, const char *line)
{
	run_until(stage, has_event, line);
}

void expect_events(const Stage *stage, const char *lines)
{
	ck_assert_str_eq(stage->events->str, lines);
}

bool has_file(const Stage *stage, const char *path)
{
	g_autofree char *whole = tree_path(stage->tree, path);

	return access(whole, F_OK) == 0;
}

void expect_file(Stage *stage, const char *path)
{
	run_until(stage, has_file, path);
}

void touch_file(const Stage *stage, const char *path)
{
	g_autofree char *whole = tree_path(stage->tree, path);

	ck_assert(g_file_set_contents(whole, "", 0, NULL));
}

char *read_text(const Stage *stage, const char *path)
{
	g_autofree char *whole = tree_path(stage->tree, path);
	char *text = NULL;

	ck_assert_msg(g_file_get_contents(whole, &text, NULL, NULL), "no file %s", path);
	return g_strchomp(text);
}

/* The manager dies and another one takes over, with the keeper's data. */
void stage_crash(Stage *stage)
{
	static const char *const kinds[] = { "status", "ready", "notify" };
	g_autofree char *note = g_strdup(fake_keeper_note(stage->keeper));
	pid_t pids[ROLE_COUNT];

	stage->keeps_no_notes = false;
	fake_keeper_set_silent(stage->keeper, true);
	supervisor_free(stage->supervisor);
	g_strlcpy(stage->note, note, sizeof stage->note);
	for (int role = 0; role < ROLE_COUNT; role++)
		pids[role] = fake_keeper_pid(stage->keeper, STAGE_SERVICE, (enum ProcessRole)role);
	stage->supervisor = supervisor_resume(&stage->context, stage->def, 7, note, pids);
	for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
		g_autofree char *name = g_strdup_printf(STAGE_SERVICE "/%s/0", kinds[i]);
		int fd = fake_keeper_kept(stage->keeper, name);

		if (fd >= 0)
			supervisor_give_fd(stage->supervisor, kinds[i], fd);
	}
	supervisor_resumed(stage->supervisor);
	fake_keeper_set_silent(stage->keeper, false);
}

void stage_stop(Stage *stage)
{
	supervisor_stop(stage->supervisor);
	expect_event(stage, "gone");
}

/* No process and no kept descriptor may be left, whether the service was stopped or not. */
void stage_free(Stage *stage)
{
	if (!has_event(stage, "gone"))
		stage_stop(stage);
	ck_assert_uint_eq(fake_keeper_n_kept(stage->keeper), 0);
	for (int role = 0; role < ROLE_COUNT; role++)
		ck_assert_int_eq(
			fake_keeper_pid(stage->keeper, STAGE_SERVICE, (enum ProcessRole)role), 0);
	supervisor_free(stage->supervisor);
	worker_pool_free(stage->workers);
	ck_assert_ptr_null(stage->watched);
	fake_keeper_free(stage->keeper);
	if (stage->cgroup_root)
		ck_assert_int_eq(rmdir(stage->cgroup_root), 0);
	service_def_free(stage->def);
	tree_free(stage->tree);
	g_string_free(stage->events, TRUE);
	g_free(stage->runtime_dir);
	g_free(stage->cgroup_root);
	g_free(stage);
}

unsigned run_with_crashes(Stage *stage, const char *event, int period,
			  void (*request)(Supervisor *supervisor))
{
	int64_t deadline = loop_now() + DEADLINE_US;
	guint source = g_timeout_add(1, wake, NULL);
	unsigned n_crashes = 0;

	for (int turn = 1; !has_event(stage, event) && loop_now() < deadline; turn++) {
		g_main_context_iteration(NULL, TRUE);
		if (turn % period != 0 || has_event(stage, event))
			continue;
		stage_crash(stage);
		n_crashes++;
		if (request)
			request(stage->supervisor); /* the engine remembers its request */
	}
	g_source_remove(source);
	ck_assert_msg(has_event(stage, event), "waited for \"%s\"; events:\n%skeeper:\n%s", event,
		      stage->events->str, fake_keeper_record(stage->keeper));
	return n_crashes;
}

unsigned count_lines(const char *text, const char *line)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	unsigned n = 0;

	for (char **l = lines; *l; l++)
		n += strcmp(*l, line) == 0;
	return n;
}

bool has_cgroups(void)
{
	g_autofree char *root = make_cgroup_root();

	if (root)
		(void)rmdir(root);
	return root != NULL;
}
