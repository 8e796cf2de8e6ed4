/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Initctl: the meaning of records, and a fifo that accepts whatever root writes into it.
 */
#include "config.h"

#include <check.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/fd.h"
#include "sysv/initctl.h"
#include "tests/lib/suite.h"
#include "tests/lib/tree.h"

static struct InitctlRequest record(int command, int runlevel, const char *data)
{
	struct InitctlRequest r = { .magic = INITCTL_MAGIC,
				    .command = command,
				    .runlevel = runlevel };

	g_strlcpy(r.data, data, sizeof r.data);
	return r;
}

static const struct {
	int command;
	int runlevel;
	const char *data;
	InitctlAction action;
	const char *expected_runlevel;
	bool is_halt;
} understood[] = {
	{ INITCTL_RUNLEVEL, '0', "", INITCTL_ACTION_RUNLEVEL, "0", false },
	{ INITCTL_RUNLEVEL, '5', "", INITCTL_ACTION_RUNLEVEL, "5", false },
	{ INITCTL_RUNLEVEL, '9', "", INITCTL_ACTION_RUNLEVEL, "9", false },
	{ INITCTL_RUNLEVEL, 'S', "", INITCTL_ACTION_RUNLEVEL, "1", false },
	{ INITCTL_RUNLEVEL, 's', "", INITCTL_ACTION_RUNLEVEL, "1", false },
	{ INITCTL_RUNLEVEL, 'q', "", INITCTL_ACTION_RELOAD, "", false },
	{ INITCTL_RUNLEVEL, 'Q', "", INITCTL_ACTION_RELOAD, "", false },
	{ INITCTL_RUNLEVEL, 'U', "", INITCTL_ACTION_REEXEC, "", false },
	{ INITCTL_POWER_FAIL, 0, "", INITCTL_ACTION_POWER_FAIL, "", false },
	{ INITCTL_POWER_FAIL_NOW, 0, "", INITCTL_ACTION_POWER_FAIL_NOW, "", false },
	{ INITCTL_POWER_OK, 0, "", INITCTL_ACTION_POWER_OK, "", false },
	{ INITCTL_SET_ENVIRONMENT, 0, "INIT_HALT=HALT", INITCTL_ACTION_HALT_KIND, "", true },
	{ INITCTL_SET_ENVIRONMENT, 0, "INIT_HALT=POWEROFF", INITCTL_ACTION_HALT_KIND, "", false },
	{ INITCTL_UNSET_ENVIRONMENT, 0, "INIT_HALT", INITCTL_ACTION_HALT_KIND, "", false },
	{ INITCTL_SET_ENVIRONMENT, 0, "INIT_HALTER=HALT", INITCTL_ACTION_NOTHING, "", false },
	{ INITCTL_SET_ENVIRONMENT, 0, "LD_PRELOAD=/x", INITCTL_ACTION_NOTHING, "", false },
	{ INITCTL_START, 0, "", INITCTL_ACTION_NOTHING, "", false },
	{ INITCTL_BSD, 0, "", INITCTL_ACTION_NOTHING, "", false },
};

START_TEST(what_tools_send_is_understood)
{
	const struct InitctlRequest r =
		record(understood[_i].command, understood[_i].runlevel, understood[_i].data);
	InitctlMeaning meaning;

	ck_assert(initctl_request_read(&r, &meaning, NULL));
	ck_assert_int_eq(meaning.action, understood[_i].action);
	ck_assert_str_eq(meaning.runlevel, understood[_i].expected_runlevel);
	ck_assert_int_eq(meaning.is_halt, understood[_i].is_halt);
}
END_TEST

static const struct {
	int magic;
	int command;
	int runlevel;
	const char *text;
	/* clang-format off */
} refused[] = {
	{ 0, INITCTL_RUNLEVEL, '2', "not a record of init: it does not begin with the magic number" },
	{ INITCTL_MAGIC, 8, '2', "a command that init(8) does not know: 8" },
	{ INITCTL_MAGIC, -1, '2', "a command that init(8) does not know: -1" },
	{ INITCTL_MAGIC, INITCTL_RUNLEVEL, 0, "a runlevel that init(8) does not know: 0" },
	{ INITCTL_MAGIC, INITCTL_RUNLEVEL, 'x', "a runlevel that init(8) does not know: 120" },
	{ INITCTL_MAGIC, INITCTL_RUNLEVEL, '2' + 256, "a runlevel that init(8) does not know: 306" },
	{ INITCTL_MAGIC, INITCTL_RUNLEVEL, 'a', "runlevels a, b and c start single services; svcctl start does that" },
};
/* clang-format on */

START_TEST(other_records_are_refused_with_a_message)
{
	struct InitctlRequest r = record(refused[_i].command, refused[_i].runlevel, "");
	g_autoptr(GError) error = NULL;
	InitctlMeaning meaning;

	r.magic = refused[_i].magic;
	ck_assert(!initctl_request_read(&r, &meaning, &error));
	ck_assert_str_eq(error->message, refused[_i].text);
}
END_TEST

/* A value without its NUL is not read past its end. */
START_TEST(an_unterminated_environment_is_ignored)
{
	struct InitctlRequest r = record(INITCTL_SET_ENVIRONMENT, 0, "INIT_HALT=HALT");
	InitctlMeaning meaning;

	memset(r.data + 10, 'x', sizeof r.data - 10);
	ck_assert(initctl_request_read(&r, &meaning, NULL));
	ck_assert_int_eq(meaning.action, INITCTL_ACTION_NOTHING);
}
END_TEST

/* --- the fifo --- */

typedef struct Received {
	GString *runlevels;
} Received;

static void on_request(void *data, const InitctlMeaning *meaning)
{
	Received *received = data;

	g_string_append(received->runlevels, meaning->runlevel);
}

static void write_to(const char *path, const void *bytes, size_t size)
{
	auto_fd int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
}

static void write_runlevel(const char *path, char runlevel)
{
	const struct InitctlRequest r = record(INITCTL_RUNLEVEL, runlevel, "");

	write_to(path, &r, sizeof r);
}

static void run_loop(void)
{
	while (g_main_context_iteration(NULL, FALSE))
		;
}

START_TEST(requests_are_read_in_order_and_garbage_is_dropped)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *path = tree_path(tree, "/initctl");
	Received received = { .runlevels = g_string_new(NULL) };
	Initctl *initctl = initctl_new(initctl_open(path, NULL), on_request, &received);

	for (const char *runlevel = "2345s3452345"; *runlevel; runlevel++)
		write_runlevel(path, *runlevel);
	run_loop();
	ck_assert_str_eq(received.runlevels->str, "234513452345");

	write_to(path, "telinit 6\n", 10);
	run_loop();
	write_runlevel(path, '4');
	run_loop();
	ck_assert_str_eq(received.runlevels->str, "2345134523454");

	initctl_free(initctl);
	g_string_free(received.runlevels, TRUE);
}
END_TEST

START_TEST(an_invalid_record_discards_those_that_it_may_have_shifted)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *path = tree_path(tree, "/initctl");
	g_autofree char *noise = g_strnfill(384, 'x');
	Received received = { .runlevels = g_string_new(NULL) };
	Initctl *initctl = initctl_new(initctl_open(path, NULL), on_request, &received);

	write_to(path, noise, 384);
	write_runlevel(path, '2');
	run_loop();
	write_runlevel(path, '3');
	run_loop();
	ck_assert_str_eq(received.runlevels->str, "3");

	initctl_free(initctl);
	g_string_free(received.runlevels, TRUE);
}
END_TEST

START_TEST(the_fifo_is_made_for_root_alone_and_taken_over_if_it_is_there)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *path = tree_path(tree, "/initctl");
	auto_fd int first = initctl_open(path, NULL);
	auto_fd int second = -1;
	struct stat st;

	ck_assert_int_ge(first, 0);
	ck_assert_int_eq(chmod(path, 0666), 0);
	second = initctl_open(path, NULL);
	ck_assert_int_ge(second, 0);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode, S_IFIFO);
}
END_TEST

START_TEST(a_file_or_a_link_in_its_place_is_refused)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *file = tree_path(tree, "/file");
	g_autofree char *link = tree_path(tree, "/link");
	g_autoptr(GError) error = NULL;
	g_autofree char *expected =
		g_strdup_printf("%s is not a fifo that belongs to root; remove it", file);

	tree_write(tree, "/file", "");
	ck_assert_int_eq(initctl_open(file, &error), -1);
	ck_assert_str_eq(error->message, expected);
	ck_assert_int_eq(symlink(file, link), 0);
	ck_assert_int_eq(initctl_open(link, NULL), -1);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("initctl");

	suite_add_loop(suite, "requests", what_tools_send_is_understood, G_N_ELEMENTS(understood));
	suite_add_loop(suite, "requests", other_records_are_refused_with_a_message,
		       G_N_ELEMENTS(refused));
	ADD_CASE(suite, "requests", an_unterminated_environment_is_ignored);
	ADD_CASE(suite, "fifo", requests_are_read_in_order_and_garbage_is_dropped,
		 an_invalid_record_discards_those_that_it_may_have_shifted,
		 the_fifo_is_made_for_root_alone_and_taken_over_if_it_is_there,
		 a_file_or_a_link_in_its_place_is_refused);
	return suite;
}
