/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Log router: the way of a line from a service to its file, with the real svc-logger, which dies, and a manager that does.
 */
#include "config.h"

#include <check.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/fake-keeper.h"
#include "tests/lib/tree.h"
#include "base/fd.h"
#include "base/log.h"
#include "loop/loop.h"
#include "process/log-pipe.h"
#include "tests/lib/suite.h"

#define DEADLINE_US (30 * G_USEC_PER_SEC)

typedef struct Stage {
	FakeKeeper *keeper;
	LogRouter *router;
	Tree *tree;
	char *directory;
	const char *program;
	uint64_t logger_invocation;
} Stage;

static void on_spawned(void *data, const struct MessageSpawned *message)
{
	Stage *stage = data;

	if (!message->error)
		stage->logger_invocation = message->id.invocation;
	log_router_on_spawned(stage->router, message);
}

static void on_exited(void *data, const struct MessageExited *message)
{
	Stage *stage = data;

	log_router_on_exited(stage->router, message);
}

static const KeeperListener listener = { .spawned = on_spawned, .exited = on_exited };

static void stage_make_router(Stage *stage)
{
	const LogRouterOptions options = { .program = stage->program, .directory = stage->directory };

	stage->router = log_router_new(fake_keeper_link(stage->keeper), &options);
}

static Stage *stage_new(const char *program)
{
	Stage *stage = g_new0(Stage, 1);

	log_open("test", -1, FALSE);
	stage->tree = tree_new();
	stage->directory = tree_path(stage->tree, "/log");
	stage->program = program;
	stage->keeper = fake_keeper_new(&listener, stage);
	stage_make_router(stage);
	log_router_begin(stage->router, 0, 0);
	return stage;
}

static void stage_free(Stage *stage)
{
	log_router_free(stage->router);
	fake_keeper_free(stage->keeper);
	tree_free(stage->tree);
	g_free(stage->directory);
	g_free(stage);
}

/* The manager dies; the next one gets what the keeper has. */
static void stage_crash(Stage *stage)
{
	int control;
	int pipe_fd;

	log_router_free(stage->router);
	stage_make_router(stage);
	control = fake_keeper_kept(stage->keeper, LOGGER_SERVICE "/control/0");
	pipe_fd = fake_keeper_kept(stage->keeper, "probe/log/1");
	if (control >= 0)
		log_router_give_fd(stage->router, LOGGER_SERVICE, "control", "0", control);
	if (pipe_fd >= 0)
		log_router_give_fd(stage->router, "probe", "log", "1", pipe_fd);
	log_router_begin(stage->router, fake_keeper_pid(stage->keeper, LOGGER_SERVICE, ROLE_MAIN),
			 stage->logger_invocation);
}

static int open_output(Stage *stage)
{
	g_autoptr(GError) error = NULL;
	int fd = log_router_open(stage->router, "probe", 1, &error);

	ck_assert_msg(fd >= 0, "%s", error ? error->message : "?");
	return fd;
}

static void say(int fd, const char *text)
{
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

static gboolean wake(gpointer data)
{
	(void)data;
	return G_SOURCE_CONTINUE;
}

static bool log_holds(const Stage *stage, const char *text)
{
	g_autofree char *path = g_build_filename(stage->directory, "probe.log", NULL);
	g_autofree char *seen = NULL;

	return g_file_get_contents(path, &seen, NULL, NULL) && strstr(seen, text);
}

static bool is_forgotten(const Stage *stage, const char *unused)
{
	(void)unused;
	return fake_keeper_count(stage->keeper, "forget probe/log/1") == 1;
}

static bool logger_lives(const Stage *stage, const char *unused)
{
	(void)unused;
	return stage->logger_invocation > 0;
}

static bool has_tried_thrice(const Stage *stage, const char *unused)
{
	(void)unused;
	return fake_keeper_count(stage->keeper, "spawn main") >= 3;
}

static void run_until(Stage *stage, bool (*is_so)(const Stage *stage, const char *text), const char *text)
{
	int64_t deadline = loop_now() + DEADLINE_US;
	guint source = g_timeout_add(5, wake, NULL);

	while (!is_so(stage, text) && loop_now() < deadline)
		g_main_context_iteration(NULL, TRUE);
	g_source_remove(source);
	ck_assert_msg(is_so(stage, text), "waited for \"%s\"; keeper:\n%s", text ? text : "",
		      fake_keeper_record(stage->keeper));
}

static void kill_logger(Stage *stage)
{
	pid_t pid = fake_keeper_pid(stage->keeper, LOGGER_SERVICE, ROLE_MAIN);

	ck_assert_int_gt(pid, 0);
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
}

START_TEST(output_reaches_its_file_and_then_the_pipe_is_forgotten)
{
	Stage *stage = stage_new(SVC_LOGGER);
	int fd = open_output(stage);

	ck_assert_uint_eq(fake_keeper_n_kept(stage->keeper), 2);
	say(fd, "hello\n");
	run_until(stage, log_holds, " hello\n");
	fd_close(&fd);
	run_until(stage, is_forgotten, NULL);

	ck_assert_uint_eq(fake_keeper_n_kept(stage->keeper), 1); /* the control socket */
	stage_free(stage);
}
END_TEST

START_TEST(pipe_is_kept_as_long_as_somebody_has_it_open_again)
{
	Stage *stage = stage_new(SVC_LOGGER);
	int first = open_output(stage);
	int second = open_output(stage);

	say(first, "main\n");
	fd_close(&first);
	say(second, "clean-up\n");
	run_until(stage, log_holds, " clean-up\n");
	fd_close(&second);
	run_until(stage, is_forgotten, NULL);

	stage_free(stage);
}
END_TEST

START_TEST(pipe_opened_again_at_its_end_is_read_again)
{
	Stage *stage = stage_new(SVC_LOGGER);
	int fd;

	for (int i = 0; i < 50; i++) {
		g_autofree char *text = g_strdup_printf("line %d.\n", i);

		/* The end of the one before may be on its way, or not yet seen: any order must do. */
		fd = open_output(stage);
		say(fd, text);
		fd_close(&fd);
		if (i % 3 == 0)
			g_main_context_iteration(NULL, FALSE);
	}

	for (int i = 0; i < 50; i++) {
		g_autofree char *text = g_strdup_printf(" line %d.\n", i);

		run_until(stage, log_holds, text);
	}
	stage_free(stage);
}
END_TEST

START_TEST(logger_that_is_killed_is_back_and_nothing_is_lost)
{
	Stage *stage = stage_new(SVC_LOGGER);
	int fd = open_output(stage);

	say(fd, "before\n");
	run_until(stage, log_holds, " before\n");
	for (int i = 0; i < 3; i++) {
		g_autofree char *text = g_strdup_printf("kill %d\n", i);
		g_autofree char *expected = g_strdup_printf(" kill %d\n", i);

		kill_logger(stage);
		say(fd, text);
		run_until(stage, log_holds, expected);
	}
	fd_close(&fd);
	run_until(stage, is_forgotten, NULL);

	stage_free(stage);
}
END_TEST

START_TEST(manager_that_dies_leaves_the_logger_at_work)
{
	Stage *stage = stage_new(SVC_LOGGER);
	int fd = open_output(stage);
	pid_t pid;

	say(fd, "before\n");
	run_until(stage, log_holds, " before\n");
	pid = fake_keeper_pid(stage->keeper, LOGGER_SERVICE, ROLE_MAIN);
	stage_crash(stage);
	say(fd, "after\n");
	run_until(stage, log_holds, " after\n");
	fd_close(&fd);
	run_until(stage, is_forgotten, NULL);

	ck_assert_int_eq(fake_keeper_pid(stage->keeper, LOGGER_SERVICE, ROLE_MAIN), pid);
	stage_free(stage);
}
END_TEST

START_TEST(manager_and_logger_that_die_together_lose_nothing)
{
	Stage *stage = stage_new(SVC_LOGGER);
	int fd = open_output(stage);

	run_until(stage, logger_lives, NULL);
	kill_logger(stage);
	say(fd, "nobody listens\n");
	stage_crash(stage);
	run_until(stage, log_holds, " nobody listens\n");

	fd_close(&fd);
	stage_free(stage);
}
END_TEST

START_TEST(logger_that_cannot_run_is_tried_again_and_holds_up_nobody)
{
	Stage *stage = stage_new("/no/such/logger");
	int fd = open_output(stage);

	say(fd, "into the pipe\n");
	run_until(stage, has_tried_thrice, NULL);

	fd_close(&fd);
	stage_free(stage);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("log router");

	ADD_CASE(suite, "router", output_reaches_its_file_and_then_the_pipe_is_forgotten,
		 pipe_is_kept_as_long_as_somebody_has_it_open_again, pipe_opened_again_at_its_end_is_read_again,
		 logger_that_is_killed_is_back_and_nothing_is_lost, manager_that_dies_leaves_the_logger_at_work,
		 manager_and_logger_that_die_together_lose_nothing,
		 logger_that_cannot_run_is_tried_again_and_holds_up_nobody);
	return suite;
}
