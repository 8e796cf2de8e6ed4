/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Log router: the path of a line from a service to its file, with the real svc-logger. The logger
 * and the manager die.
 */
#include "config.h"

#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/deadline.h"
#include "tests/lib/descriptors.h"
#include "tests/lib/fake-keeper.h"
#include "tests/lib/tree.h"
#include "base/channel.h"
#include "base/fd.h"
#include "base/log.h"
#include "loop/loop.h"
#include "process/log-router.h"
#include "protocol/logger-protocol.h"
#include "tests/lib/suite.h"

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
	const LogRouterOptions options = { .program = stage->program,
					   .directory = stage->directory };

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

#define KEPT_CHANNEL "keep probe/log/"

/* The serial number of the last channel; a new string. */
static char *last_serial(Stage *stage)
{
	const char *record = fake_keeper_record(stage->keeper);
	const char *line = g_strrstr(record, KEPT_CHANNEL);

	ck_assert_ptr_nonnull(line);
	line += strlen(KEPT_CHANNEL);
	return g_strndup(line, strcspn(line, "\n"));
}

/* The manager dies. The next manager gets the channels that the keeper stores. */
static void stage_crash(Stage *stage)
{
	g_autofree char *serial = last_serial(stage);
	g_autofree char *name = g_strconcat("probe/log/", serial, NULL);
	int control;
	int channel_fd;

	log_router_free(stage->router);
	stage_make_router(stage);
	control = fake_keeper_kept(stage->keeper, LOGGER_SERVICE "/control/" LOGGER_PROTOCOL);
	channel_fd = fake_keeper_kept(stage->keeper, name);
	if (control >= 0)
		log_router_give_fd(stage->router, LOGGER_SERVICE, "control", LOGGER_PROTOCOL,
				   control);
	if (channel_fd >= 0)
		log_router_give_fd(stage->router, "probe", "log", serial, channel_fd);
	log_router_begin(stage->router, fake_keeper_pid(stage->keeper, LOGGER_SERVICE, ROLE_MAIN),
			 stage->logger_invocation);
}

static int open_output(Stage *stage)
{
	g_autoptr(GError) error = NULL;
	int fd = log_router_open(stage->router, "probe", &error);

	ck_assert_msg(fd >= 0, "%s", error ? error->message : "?");
	return fd;
}

static void write_text(int fd, const char *text)
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
	return fake_keeper_count(stage->keeper, "forget probe/log/") ==
	       fake_keeper_count(stage->keeper, KEPT_CHANNEL);
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

static void run_until(Stage *stage, bool (*is_so)(const Stage *stage, const char *text),
		      const char *text)
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

START_TEST(output_reaches_its_file_and_then_the_channel_is_forgotten)
{
	Stage *stage = stage_new(SVC_LOGGER);
	int fd = open_output(stage);

	ck_assert_uint_eq(fake_keeper_n_kept(stage->keeper), 2);
	write_text(fd, "hello\n");
	run_until(stage, log_holds, " hello\n");
	fd_close(&fd);
	run_until(stage, is_forgotten, NULL);

	ck_assert_uint_eq(fake_keeper_n_kept(stage->keeper), 1); /* the control socket */
	stage_free(stage);
}
END_TEST

START_TEST(each_command_has_a_channel_of_its_own)
{
	Stage *stage = stage_new(SVC_LOGGER);

	for (int i = 0; i < 50; i++) {
		g_autofree char *text = g_strdup_printf("line %d.\n", i);
		int fd = open_output(stage);

		write_text(fd, text);
		fd_close(&fd);
		if (i % 3 == 0)
			g_main_context_iteration(NULL, FALSE);
	}

	for (int i = 0; i < 50; i++) {
		g_autofree char *text = g_strdup_printf(" line %d.\n", i);

		run_until(stage, log_holds, text);
	}
	run_until(stage, is_forgotten, NULL);
	ck_assert_uint_eq(fake_keeper_n_kept(stage->keeper), 1);
	stage_free(stage);
}
END_TEST

START_TEST(channel_with_descriptors_is_forgotten_and_the_others_go_on)
{
	Stage *stage = stage_new(SVC_LOGGER);
	int hostile = open_output(stage);
	g_autofree char *serial = last_serial(stage);
	g_autofree char *name = g_strconcat("probe/log/", serial, NULL);
	auto_fd int ours = fake_keeper_kept(stage->keeper, name);
	int fd;

	send_descriptor(hostile, ours, "bad\n", 0);
	run_until(stage, is_forgotten, NULL);
	ck_assert(log_holds(stage, " bad\n"));
	fd = open_output(stage);
	write_text(fd, "good\n");
	run_until(stage, log_holds, " good\n");

	fd_close(&fd);
	fd_close(&hostile);
	stage_free(stage);
}
END_TEST

START_TEST(pipe_of_an_older_manager_is_forgotten)
{
	Stage *stage = stage_new(SVC_LOGGER);
	int ends[2];

	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	log_router_give_fd(stage->router, "probe", "log", "7", ends[0]);

	ck_assert_uint_eq(fake_keeper_count(stage->keeper, "forget probe/log/7"), 1);
	fd_close(&ends[1]);
	stage_free(stage);
}
END_TEST

START_TEST(logger_that_is_killed_is_back_and_nothing_is_lost)
{
	Stage *stage = stage_new(SVC_LOGGER);
	int fd = open_output(stage);

	write_text(fd, "before\n");
	run_until(stage, log_holds, " before\n");
	for (int i = 0; i < 3; i++) {
		g_autofree char *text = g_strdup_printf("kill %d\n", i);
		g_autofree char *expected = g_strdup_printf(" kill %d\n", i);

		kill_logger(stage);
		write_text(fd, text);
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

	write_text(fd, "before\n");
	run_until(stage, log_holds, " before\n");
	pid = fake_keeper_pid(stage->keeper, LOGGER_SERVICE, ROLE_MAIN);
	stage_crash(stage);
	write_text(fd, "after\n");
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
	write_text(fd, "unread\n");
	stage_crash(stage);
	run_until(stage, log_holds, " unread\n");

	fd_close(&fd);
	stage_free(stage);
}
END_TEST

START_TEST(logger_that_cannot_run_is_retried_and_delays_nothing)
{
	Stage *stage = stage_new("/no/such/logger");
	int fd = open_output(stage);

	write_text(fd, "into the channel\n");
	run_until(stage, has_tried_thrice, NULL);

	fd_close(&fd);
	stage_free(stage);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("log router");

	ADD_CASE(suite, "router", output_reaches_its_file_and_then_the_channel_is_forgotten,
		 each_command_has_a_channel_of_its_own,
		 channel_with_descriptors_is_forgotten_and_the_others_go_on,
		 pipe_of_an_older_manager_is_forgotten,
		 logger_that_is_killed_is_back_and_nothing_is_lost,
		 manager_that_dies_leaves_the_logger_at_work,
		 manager_and_logger_that_die_together_lose_nothing,
		 logger_that_cannot_run_is_retried_and_delays_nothing);
	return suite;
}
