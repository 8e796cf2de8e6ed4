/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * svc-exec: user, groups, terminal, and invalid specifications.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <pwd.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/list.h"
#include "tests/lib/exec-run.h"
#include "tests/lib/suite.h"

/* --- user and groups --- */

START_TEST(user_by_name_brings_group_and_home)
{
	g_autoptr(Wish) wish =
		wish_new(SHELL("echo $(id -un) $(id -gn) $(id -G) $HOME $USER $LOGNAME $SHELL"));
	const struct passwd *entry = getpwnam("daemon");
	g_autofree char *expected = NULL;
	g_auto(ExecRun) run = { 0 };

	wish->execution.user = g_strdup("daemon");
	expected = g_strdup_printf("daemon daemon %u %s daemon daemon %s\n", entry->pw_gid,
				   entry->pw_dir, entry->pw_shell);
	run = wish_run(wish);

	expect_output(&run, expected);
}
END_TEST

START_TEST(group_and_supplementary_groups_by_name)
{
	g_autoptr(Wish) wish = wish_new(SHELL("echo $(id -un) $(id -gn) $(id -Gn)"));
	g_auto(ExecRun) run = { 0 };

	wish->execution.user = g_strdup("daemon");
	wish->execution.group = g_strdup("adm");
	list_add(&wish->execution.groups, g_strdup("tty"), g_free);
	run = wish_run(wish);

	expect_output(&run, "daemon adm adm tty\n");
}
END_TEST

START_TEST(group_alone_leaves_the_user)
{
	g_autoptr(Wish) wish = wish_new(SHELL("echo $(id -u) $(id -gn)"));
	g_auto(ExecRun) run = { 0 };

	wish->execution.group = g_strdup("adm");
	run = wish_run(wish);

	expect_output(&run, "0 adm\n");
}
END_TEST

START_TEST(number_without_an_entry_needs_a_group)
{
	g_autoptr(Wish) wish = wish_new(SHELL("echo $(id -u):$(id -g):$(id -G) ${HOME-none}"));
	g_auto(ExecRun) without = { 0 };
	g_auto(ExecRun) with = { 0 };

	wish->execution.user = g_strdup("54321");
	without = wish_run(wish);
	wish->execution.group = g_strdup("54322");
	with = wish_run(wish);

	expect_refusal(&without, EXEC_STEP_USER, ESRCH);
	expect_output(&with, "54321:54322:54322 none\n");
}
END_TEST

static const char *const no_users[] = { "no-such-user", "",      "0x0",
					"0day",         "-1",    "4294967295",
					"4294967296",   " root", "99999999999999999999" };

START_TEST(an_invalid_user_is_never_root)
{
	g_autoptr(Wish) wish = wish_new(SHELL("id -u"));
	g_auto(ExecRun) run = { 0 };

	wish->execution.user = g_strdup(no_users[_i]);
	wish->execution.group = g_strdup("adm");
	run = wish_run(wish);

	expect_refusal(&run, EXEC_STEP_USER, ESRCH);
}
END_TEST

START_TEST(an_unknown_group_is_refused)
{
	g_autoptr(Wish) wish = wish_new(SHELL("id -g"));
	g_auto(ExecRun) group = { 0 };
	g_auto(ExecRun) supplementary = { 0 };

	wish->execution.group = g_strdup("no-such-group");
	group = wish_run(wish);
	g_clear_pointer(&wish->execution.group, g_free);
	list_add(&wish->execution.groups, g_strdup("no-such-group"), g_free);
	supplementary = wish_run(wish);

	expect_refusal(&group, EXEC_STEP_USER, ESRCH);
	expect_refusal(&supplementary, EXEC_STEP_USER, ESRCH);
}
END_TEST

/* --- terminal --- */

START_TEST(terminal_becomes_stdio_and_controlling)
{
	g_autoptr(Wish)
		wish = wish_new(SHELL("tty; echo $TERM; echo controlled >/dev/tty; tty <&1 2>&1"));
	g_autofree char *expected = NULL;
	GString *seen = g_string_new(NULL);
	g_auto(ExecRun) run = { 0 };
	char name[64];
	int master;
	int slave;

	ck_assert_int_eq(openpty(&master, &slave, name, NULL, NULL), 0);
	wish->execution.tty = g_strdup(name);
	wish->input.with_tty = true;
	run = wish_run(wish);
	expect_output(&run, "");
	ck_assert(fd_set_nonblocking(master, true));
	for (char c; read(master, &c, 1) == 1;)
		g_string_append_c(seen, c);

	expected = g_strdup_printf("%s\r\nvt220\r\ncontrolled\r\n%s\r\n", name, name);
	ck_assert_str_eq(seen->str, expected);
	g_string_free(seen, TRUE);
	(void)close(master);
	(void)close(slave);
}
END_TEST

/* Like a program that reads single keystrokes and is killed. */
static void make_raw(int fd)
{
	struct termios t;

	ck_assert_int_eq(tcgetattr(fd, &t), 0);
	cfmakeraw(&t);
	t.c_cc[VINTR] = _POSIX_VDISABLE;
	ck_assert_int_eq(cfsetspeed(&t, B9600), 0);
	ck_assert_int_eq(tcsetattr(fd, TCSANOW, &t), 0);
}

START_TEST(a_terminal_that_was_left_raw_is_set_right)
{
	g_autoptr(Wish) wish = wish_new(SHELL("exit 0"));
	g_auto(ExecRun) run = { 0 };
	struct termios t;
	char name[64];
	int master;
	int slave;

	ck_assert_int_eq(openpty(&master, &slave, name, NULL, NULL), 0);
	make_raw(slave);
	wish->execution.tty = g_strdup(name);
	wish->input.with_tty = true;
	run = wish_run(wish);

	expect_output(&run, "");
	ck_assert_int_eq(tcgetattr(slave, &t), 0);
	ck_assert_uint_eq(t.c_lflag & (ICANON | ECHO | ISIG), ICANON | ECHO | ISIG);
	ck_assert(t.c_iflag & ICRNL);
	ck_assert(t.c_oflag & OPOST);
	ck_assert_uint_eq(t.c_cc[VINTR], 3);
	ck_assert_uint_eq(cfgetospeed(&t), B9600);
	(void)close(master);
	(void)close(slave);
}
END_TEST

START_TEST(a_path_without_a_terminal_is_refused)
{
	g_autoptr(Wish) wish = wish_new(SHELL("exit 0"));
	g_auto(ExecRun) null = { 0 };
	g_auto(ExecRun) absent = { 0 };

	wish->input.with_tty = true;
	wish->execution.tty = g_strdup("/dev/null");
	null = wish_run(wish);
	g_free(wish->execution.tty);
	wish->execution.tty = g_strdup("/dev/no-such-tty");
	absent = wish_run(wish);

	expect_refusal(&null, EXEC_STEP_TTY, ENOTTY);
	expect_refusal(&absent, EXEC_STEP_TTY, ENOENT);
}
END_TEST

/* --- the rest --- */

START_TEST(readiness_descriptor_gets_its_number)
{
	static const int numbers[] = { 3, 4, 5, 9, 100, 101, 700 };
	const int number = numbers[_i];
	g_autofree char *text =
		g_strdup_printf("echo >&%d; ls /proc/self/fd | sort -n | tr '\\n' ' '", number);
	const char *const argv[] = { "/bin/bash", "-c", text, NULL };
	g_autoptr(Wish) wish = wish_new(argv);
	g_autofree char *fds = NULL;
	g_auto(ExecRun) run = { 0 };
	int ready[2];
	char c = 0;
	int spec_fd;

	/* "ls" has the descriptors of the service, and one for the directory that it reads. */
	fds = g_strdup_printf(number == 3 ? "0 1 2 %d 4 " : "0 1 2 3 %d ", number);
	ck_assert_int_eq(pipe2(ready, O_CLOEXEC), 0);
	wish->input.ready_number = number;
	spec_fd = exec_spec_new(&wish->input, NULL);
	ck_assert_int_ge(spec_fd, 0);
	run = run_spec(spec_fd, ready[1]);
	(void)close(ready[1]);

	expect_output(&run, number == 4 ? "0 1 2 3 4 " : fds);
	ck_assert_int_eq(read(ready[0], &c, 1), 1);
	ck_assert_int_eq(c, '\n');
	(void)close(ready[0]);
}
END_TEST

START_TEST(program_that_is_not_there_is_refused)
{
	const char *const argv[] = { "/no/such/program", NULL };
	g_autoptr(Wish) wish = wish_new(argv);
	g_auto(ExecRun) run = wish_run(wish);

	expect_refusal(&run, EXEC_STEP_EXEC, ENOENT);
}
END_TEST

/* Invalid specifications. */
static const struct {
	struct ExecSpecRecord record;
	const char *value;
	size_t length;
} bad_specs[] = {
	{ { 0, 0 }, "", 0 },
	{ { EXEC_SPEC_TYPES, 2 }, "x", 2 },
	{ { 0xffffffff, 2 }, "x", 2 },
	{ { EXEC_SPEC_ARGUMENT, 100 }, "/bin/true", 10 },
	{ { EXEC_SPEC_ARGUMENT, 0xffffffff }, "/bin/true", 10 },
	{ { EXEC_SPEC_ARGUMENT, 9 }, "/bin/true", 9 },
	{ { EXEC_SPEC_ARGUMENT, 10 }, "/bin\0true", 10 },
	{ { EXEC_SPEC_ARGUMENT, 5 }, "true", 5 },
	{ { EXEC_SPEC_READY, 2 }, "x", 2 },
	{ { EXEC_SPEC_USER, 5 }, "root", 5 },
};

START_TEST(specification_that_makes_no_sense_is_refused)
{
	int fd = memfd_create("spec", MFD_CLOEXEC);
	g_auto(ExecRun) run = { 0 };

	ck_assert_int_eq(write(fd, &bad_specs[_i].record, sizeof bad_specs[_i].record),
			 sizeof bad_specs[_i].record);
	ck_assert_int_eq(write(fd, bad_specs[_i].value, bad_specs[_i].length),
			 (ssize_t)bad_specs[_i].length);
	run = run_spec(fd, -1);

	expect_refusal(&run, EXEC_STEP_SPEC, EINVAL);
}
END_TEST

START_TEST(empty_specification_is_refused)
{
	g_auto(ExecRun) run = run_spec(memfd_create("spec", MFD_CLOEXEC), -1);

	expect_refusal(&run, EXEC_STEP_SPEC, EINVAL);
}
END_TEST

static const char *const bad_lines[] = { "",
					 "PrivateTmp",
					 "=yes",
					 "privatetmp=yes",
					 "Nothing=yes",
					 "PrivateTmp=maybe",
					 "BindPaths=a",
					 "SystemCallFilter=@nothing" };

/*
 * The manager checks each line, so a line that svc-exec cannot read does not come from the manager.
 */
START_TEST(a_line_of_the_sandbox_that_cannot_be_read_is_refused)
{
	g_autoptr(Wish) wish = wish_new(SHELL("echo executed"));
	g_auto(ExecRun) good = { 0 };
	g_auto(ExecRun) bad = { 0 };

	wish_sandbox(wish, SANDBOX_PRIVATE_TMP, "no");
	good = wish_run(wish);
	list_add(&wish->execution.sandbox_lines, g_strdup(bad_lines[_i]), g_free);
	bad = wish_run(wish);

	expect_output(&good, "executed\n");
	expect_refusal(&bad, EXEC_STEP_SPEC, EINVAL);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("svc-exec");

	suite_add_loop(suite, "who", an_invalid_user_is_never_root, G_N_ELEMENTS(no_users));
	suite_add_loop(suite, "the rest", readiness_descriptor_gets_its_number, 7);
	suite_add_loop(suite, "the rest", specification_that_makes_no_sense_is_refused,
		       G_N_ELEMENTS(bad_specs));
	suite_add_loop(suite, "the rest", a_line_of_the_sandbox_that_cannot_be_read_is_refused,
		       G_N_ELEMENTS(bad_lines));
	ADD_CASE(suite, "who", an_unknown_group_is_refused);
	ADD_CASE(suite, "terminal", a_path_without_a_terminal_is_refused);
	ADD_CASE(suite, "the rest", program_that_is_not_there_is_refused,
		 empty_specification_is_refused);
	if (geteuid() != 0)
		return suite; /* only root may change its uid */
	ADD_CASE(suite, "who", user_by_name_brings_group_and_home,
		 group_and_supplementary_groups_by_name, group_alone_leaves_the_user,
		 number_without_an_entry_needs_a_group);
	ADD_CASE(suite, "terminal", terminal_becomes_stdio_and_controlling,
		 a_terminal_that_was_left_raw_is_set_right);
	return suite;
}
