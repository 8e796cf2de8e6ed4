/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * svc-exec: the program itself, given specifications as the manager writes them, and some that it never would.
 */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "tests/lib/tree.h"
#include "base/fd.h"
#include "base/list.h"
#include "process/exec-spec.h"
#include "protocol/exec-spec.h"
#include "protocol/protocol.h"

/* What one run of the program gave. */
typedef struct Run {
	struct ExecStatus status; /* step 0: it was executed */
	int exit_status;
	char *output; /* of 1 and 2 */
} Run;

static void run_clear(Run *run)
{
	g_free(run->output);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Run, run_clear)

static void G_GNUC_NORETURN become(int spec_fd, int status_fd, int output_fd, int ready_fd)
{
	char *const argv[] = { (char *)"svc-exec", NULL };
	char *const environment[] = { NULL };
	const int fds[] = { spec_fd, status_fd, ready_fd };
	const struct rlimit few = { .rlim_cur = 16, .rlim_max = 16 };
	int parked[G_N_ELEMENTS(fds)];

	(void)setsid();
	(void)dup2(output_fd, STDOUT_FILENO);
	(void)dup2(output_fd, STDERR_FILENO);
	for (size_t i = 0; i < G_N_ELEMENTS(fds); i++)
		parked[i] = fds[i] < 0 ? -1 : fcntl(fds[i], F_DUPFD_CLOEXEC, 200);
	(void)close_range(3, 199, 0);
	for (size_t i = 0; i < G_N_ELEMENTS(fds); i++) {
		if (parked[i] >= 0)
			(void)dup2(parked[i], 3 + (int)i);
	}
	(void)close_range(ready_fd < 0 ? 5 : 6, ~0u, 0);
	/* LimitNOFILE= is in force before svc-exec begins; a readiness descriptor may have any number. */
	if (ready_fd < 0)
		(void)setrlimit(RLIMIT_NOFILE, &few);
	(void)execve(SVC_EXEC, argv, environment);
	_exit(126);
}

static char *read_all(int fd)
{
	g_autoptr(GBytes) bytes = fd_read_bounded(fd, 1024 * 1024, "the output", NULL);

	ck_assert_ptr_nonnull(bytes);
	return g_bytes_get_size(bytes) > 0 ? g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes)) : g_strdup("");
}

/* @spec_fd: taken */
static Run run_spec(int spec_fd, int ready_fd)
{
	Run run = { 0 };
	int status_pipe[2];
	int output_pipe[2];
	int wait_status;
	pid_t pid;

	ck_assert_int_eq(pipe2(status_pipe, O_CLOEXEC), 0);
	ck_assert_int_eq(pipe2(output_pipe, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0)
		become(spec_fd, status_pipe[1], output_pipe[1], ready_fd);
	(void)close(spec_fd);
	(void)close(status_pipe[1]);
	(void)close(output_pipe[1]);
	(void)!read(status_pipe[0], &run.status, sizeof run.status); /* its end says: executed */
	run.output = read_all(output_pipe[0]);
	ck_assert_int_eq(waitpid(pid, &wait_status, 0), pid);
	run.exit_status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 256 + WTERMSIG(wait_status);
	(void)close(status_pipe[0]);
	(void)close(output_pipe[0]);
	return run;
}

/* A definition to be filled in, and what else the manager says. */
typedef struct Wish {
	ExecDef execution;
	ExecSpecInput input;
} Wish;

static const char *const base_environment[] = { "PATH=/usr/bin:/bin", "FROM=base", NULL };

static Wish *wish_new(const char *const *argv)
{
	Wish *wish = g_new0(Wish, 1);

	exec_def_init(&wish->execution);
	wish->input = (ExecSpecInput){ .execution = &wish->execution, .argv = argv, .environment = base_environment,
				       .ready_number = -1 };
	return wish;
}

static void wish_free(Wish *wish)
{
	exec_def_clear(&wish->execution);
	g_free(wish);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Wish, wish_free)

static Run wish_run(const Wish *wish)
{
	g_autoptr(GError) error = NULL;
	int fd = exec_spec_new(&wish->input, &error);

	ck_assert_msg(fd >= 0, "%s", error ? error->message : "?");
	return run_spec(fd, -1);
}

static void add_file(Wish *wish, const char *path, bool optional)
{
	EnvironmentFile *file = g_new0(EnvironmentFile, 1);

	file->path = g_strdup(path);
	file->optional = optional;
	list_add(&wish->execution.environment_files, file, (GDestroyNotify)environment_file_free);
}

static void expect_refusal(const Run *run, enum ExecStep step, int error)
{
	ck_assert_msg(run->status.step == (int)step && run->status.error == error, "step %d (%s); output: %s",
		      run->status.step, g_strerror(run->status.error), run->output);
	ck_assert_int_eq(run->exit_status, 127);
	ck_assert_str_eq(run->output, "");
}

static void expect_output(const Run *run, const char *output)
{
	ck_assert_msg(run->status.step == 0, "step %d: %s", run->status.step, g_strerror(run->status.error));
	ck_assert_str_eq(run->output, output);
}

#define SHELL(text) ((const char *const[]){ "/bin/sh", "-c", text, NULL })

/* --- who --- */

START_TEST(user_by_name_brings_group_and_home)
{
	g_autoptr(Wish) wish = wish_new(SHELL("echo $(id -un) $(id -gn) $(id -G) $HOME $USER $LOGNAME $SHELL"));
	const struct passwd *entry = getpwnam("daemon");
	g_autofree char *expected = NULL;
	g_auto(Run) run = { 0 };

	wish->execution.user = g_strdup("daemon");
	expected = g_strdup_printf("daemon daemon %u %s daemon daemon %s\n", entry->pw_gid, entry->pw_dir, entry->pw_shell);
	run = wish_run(wish);

	expect_output(&run, expected);
}
END_TEST

START_TEST(group_and_supplementary_groups_by_name)
{
	g_autoptr(Wish) wish = wish_new(SHELL("echo $(id -un) $(id -gn) $(id -Gn)"));
	g_auto(Run) run = { 0 };

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
	g_auto(Run) run = { 0 };

	wish->execution.group = g_strdup("adm");
	run = wish_run(wish);

	expect_output(&run, "0 adm\n");
}
END_TEST

START_TEST(number_without_an_entry_needs_a_group)
{
	g_autoptr(Wish) wish = wish_new(SHELL("echo $(id -u):$(id -g):$(id -G) ${HOME-none}"));
	g_auto(Run) without = { 0 };
	g_auto(Run) with = { 0 };

	wish->execution.user = g_strdup("54321");
	without = wish_run(wish);
	wish->execution.group = g_strdup("54322");
	with = wish_run(wish);

	expect_refusal(&without, EXEC_STEP_USER, ESRCH);
	expect_output(&with, "54321:54322:54322 none\n");
}
END_TEST

static const char *const no_users[] = { "no-such-user", "", "0x0", "0day", "-1", "4294967295", "4294967296", " root", "99999999999999999999" };

START_TEST(what_is_no_user_is_never_root)
{
	g_autoptr(Wish) wish = wish_new(SHELL("id -u"));
	g_auto(Run) run = { 0 };

	wish->execution.user = g_strdup(no_users[_i]);
	wish->execution.group = g_strdup("adm");
	run = wish_run(wish);

	expect_refusal(&run, EXEC_STEP_USER, ESRCH);
}
END_TEST

START_TEST(what_is_no_group_is_refused)
{
	g_autoptr(Wish) wish = wish_new(SHELL("id -g"));
	g_auto(Run) group = { 0 };
	g_auto(Run) supplementary = { 0 };

	wish->execution.group = g_strdup("no-such-group");
	group = wish_run(wish);
	g_clear_pointer(&wish->execution.group, g_free);
	list_add(&wish->execution.groups, g_strdup("no-such-group"), g_free);
	supplementary = wish_run(wish);

	expect_refusal(&group, EXEC_STEP_USER, ESRCH);
	expect_refusal(&supplementary, EXEC_STEP_USER, ESRCH);
}
END_TEST

/* --- environment --- */

static const struct {
	const char *file;
	const char *output; /* of "env", less what is always there */
} files[] = {
	{ "A=1\n", "A=1\n" },
	{ "A=1", "A=1\n" },
	{ "# comment\n; comment\n\n  A=1  \n", "A=1\n" },
	{ "A=\"two words\"\nB='it''s'\nC=a\\ b\n", "A=two words\nB=its\nC=a b\n" },
	{ "A=one two\t\nB=\n", "A=one two\nB=\n" },
	{ "A=\"a\\\"b\\$c\\d\"\n", "A=a\"b$c\\d\n" },
	{ "A=$HOME `id` $(id)\n", "A=$HOME `id` $(id)\n" },
	{ "A=first \\\nsecond\n", "A=first second\n" },
	{ "A='no end\nB=2\n", "A=no end\nB=2\n\n" },
	{ "export A=1\nexportB=2\n", "A=1\nexportB=2\n" },
	{ "1A=x\n=x\nA B=x\nno assignment\nA=1\n", "A=1\n" },
	{ "A=1\r\nB=2\r\n", "A=1\nB=2\n" },
	{ "A=1\nA=2\n", "A=2\n" },
	{ "A=x#y ;z\n", "A=x#y ;z\n" },
	{ "", "" },
	{ "A=\\", "A=\n" },
	{ "A=\"", "A=\n" },
};

static const char *const env_argv[] = { "/usr/bin/env", NULL };

START_TEST(environment_file_is_read_as_a_shell_would_write_it)
{
	g_autoptr(Wish) wish = wish_new(env_argv);
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *path = tree_path(tree, "/env");
	g_autofree char *expected = g_strconcat("PATH=/usr/bin:/bin\nFROM=base\n", files[_i].output, NULL);
	g_auto(Run) run = { 0 };

	tree_write(tree, "/env", files[_i].file);
	add_file(wish, path, false);
	run = wish_run(wish);

	expect_output(&run, expected);
}
END_TEST

START_TEST(later_word_wins)
{
	g_autoptr(Wish) wish = wish_new(SHELL("echo $FROM $A $HOME $NOTIFY_SOCKET"));
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *path = tree_path(tree, "/env");
	const char *const fixed[] = { "NOTIFY_SOCKET=/ours", NULL };
	g_auto(Run) run = { 0 };

	tree_write(tree, "/env", "A=file\nNOTIFY_SOCKET=/theirs\n");
	add_file(wish, path, false);
	wish->execution.user = g_strdup("daemon");
	list_add(&wish->execution.environment, g_strdup("FROM=setting"), g_free);
	list_add(&wish->execution.environment, g_strdup("A=setting"), g_free);
	list_add(&wish->execution.environment, g_strdup("HOME=/elsewhere"), g_free);
	wish->input.fixed = fixed;
	run = wish_run(wish);

	expect_output(&run, "setting file /elsewhere /ours\n");
}
END_TEST

START_TEST(environment_file_that_is_none_is_refused)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *large = g_strnfill(64 * 1024 + 1, '\n');
	g_autofree char *fifo = tree_path(tree, "/fifo");
	const struct {
		const char *path;
		int error; /* not optional */
		int optional_error;
	} cases[] = {
		{ "/absent", ENOENT, 0 },     { "/directory", EINVAL, EINVAL }, { "/fifo", EINVAL, EINVAL },
		{ "/large", EFBIG, EFBIG }, { "/nul", EINVAL, EINVAL },
	};

	tree_mkdir(tree, "/directory");
	ck_assert_int_eq(mkfifo(fifo, 0600), 0);
	tree_write(tree, "/large", large);
	tree_write_bytes(tree, "/nul", "A=1\0\n", 5);

	for (size_t i = 0; i < G_N_ELEMENTS(cases) * 2; i++) {
		g_autoptr(Wish) wish = wish_new(SHELL("exit 0"));
		g_autofree char *path = tree_path(tree, cases[i / 2].path);
		int error = i % 2 ? cases[i / 2].optional_error : cases[i / 2].error;
		g_auto(Run) run = { 0 };

		add_file(wish, path, i % 2);
		run = wish_run(wish);

		if (error)
			expect_refusal(&run, EXEC_STEP_ENVIRONMENT, error);
		else
			expect_output(&run, "");
	}
}
END_TEST

START_TEST(largest_environment_file_is_read)
{
	g_autoptr(Wish) wish = wish_new(SHELL("echo ${#A}"));
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *path = tree_path(tree, "/env");
	g_autofree char *text = g_strnfill(64 * 1024, 'x');
	g_auto(Run) run = { 0 };

	memcpy(text, "A=", 2);
	tree_write(tree, "/env", text);
	add_file(wish, path, false);
	run = wish_run(wish);

	expect_output(&run, "65534\n");
}
END_TEST

/* --- directories --- */

static char *runtime_name(const char *suffix)
{
	return g_strdup_printf("svcd-test-%d%s", (int)getpid(), suffix);
}

START_TEST(runtime_directories_are_made_for_the_user)
{
	g_autoptr(Wish) wish = wish_new(SHELL("stat -c '%U:%G %a' $(echo $RUNTIME_DIRECTORY | tr : ' '); touch ${RUNTIME_DIRECTORY##*:}/x"));
	g_autofree char *one = runtime_name("");
	g_autofree char *two = runtime_name("/on/the/way");
	g_autofree char *command = g_strdup_printf("rm -r /run/%s", one);
	g_auto(Run) first = { 0 };
	g_auto(Run) again = { 0 };

	wish->execution.user = g_strdup("daemon");
	wish->execution.directories[DIRECTORY_RUNTIME].mode = 0750;
	(void)umask(077); /* as UMask= is in force before svc-exec begins */
	list_add(&wish->execution.directories[DIRECTORY_RUNTIME].names, g_strdup(one), g_free);
	list_add(&wish->execution.directories[DIRECTORY_RUNTIME].names, g_strdup(two), g_free);
	first = wish_run(wish);
	again = wish_run(wish);
	ck_assert_int_eq(system(command), 0);

	expect_output(&first, "daemon:daemon 750\ndaemon:daemon 750\n");
	expect_output(&again, "daemon:daemon 750\ndaemon:daemon 750\n");
}
END_TEST

START_TEST(runtime_directory_follows_no_link)
{
	g_autoptr(Wish) wish = wish_new(SHELL("exit 0"));
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *name = runtime_name("-link");
	g_autofree char *below = g_strconcat(name, "/x", NULL);
	g_autofree char *link_path = g_strconcat("/run/", name, NULL);
	g_autofree char *victim = tree_path(tree, "/x");
	g_auto(Run) itself = { 0 };
	g_auto(Run) through = { 0 };

	ck_assert_int_eq(symlink(tree->root, link_path), 0);
	list_add(&wish->execution.directories[DIRECTORY_RUNTIME].names, g_strdup(name), g_free);
	itself = wish_run(wish);
	list_empty(wish->execution.directories[DIRECTORY_RUNTIME].names);
	list_add(&wish->execution.directories[DIRECTORY_RUNTIME].names, g_strdup(below), g_free);
	through = wish_run(wish);
	ck_assert_int_eq(unlink(link_path), 0);

	expect_refusal(&itself, EXEC_STEP_RUNTIME, ENOTDIR);
	expect_refusal(&through, EXEC_STEP_RUNTIME, ENOTDIR);
	ck_assert_int_ne(access(victim, F_OK), 0);
}
END_TEST

static const char *const bad_directories[] = { "..", "a/../b", ".", "", "a//b", "/a" };

START_TEST(runtime_directory_stays_below_run)
{
	g_autoptr(Wish) wish = wish_new(SHELL("exit 0"));
	g_auto(Run) run = { 0 };

	list_add(&wish->execution.directories[DIRECTORY_RUNTIME].names, g_strdup(bad_directories[_i]), g_free);
	run = wish_run(wish);
	(void)rmdir("/run/a"); /* what was made before the bad part, if anything */

	expect_refusal(&run, EXEC_STEP_RUNTIME, EINVAL);
}
END_TEST

static Run remove_runtime(const Wish *wish)
{
	g_autoptr(GError) error = NULL;
	int fd = exec_spec_new_removal(&wish->execution, true, "/run/svcd-test-none", &error);

	ck_assert_msg(fd >= 0, "%s", error ? error->message : "?");
	return run_spec(fd, -1);
}

START_TEST(removal_takes_a_whole_directory_and_follows_no_link)
{
	g_autoptr(Wish) wish = wish_new(SHELL("cd $RUNTIME_DIRECTORY && mkdir -p a/b/c && touch a/b/c/x .hidden && ln -s $VICTIM a/link"));
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *name = runtime_name("-gone");
	g_autofree char *path = g_strconcat("/run/", name, NULL);
	g_autofree char *victim = tree_path(tree, "/victim");
	g_auto(Run) made = { 0 };
	g_auto(Run) removed = { 0 };
	g_auto(Run) again = { 0 };

	tree_write(tree, "/victim", "");
	list_add(&wish->execution.environment, g_strdup_printf("VICTIM=%s", tree->root), g_free);
	list_add(&wish->execution.directories[DIRECTORY_RUNTIME].names, g_strdup(name), g_free);
	made = wish_run(wish);
	expect_output(&made, "");
	removed = remove_runtime(wish);
	again = remove_runtime(wish);

	ck_assert_int_eq(removed.exit_status, 0);
	ck_assert_int_eq(again.exit_status, 0);
	ck_assert_int_ne(access(path, F_OK), 0);
	ck_assert_int_eq(access(victim, F_OK), 0);
}
END_TEST

START_TEST(removal_of_a_link_removes_the_link)
{
	g_autoptr(Wish) wish = wish_new(SHELL("exit 0"));
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *name = runtime_name("-link");
	g_autofree char *path = g_strconcat("/run/", name, NULL);
	g_autofree char *victim = tree_path(tree, "/victim");
	g_auto(Run) removed = { 0 };

	tree_write(tree, "/victim", "");
	ck_assert_int_eq(symlink(tree->root, path), 0);
	list_add(&wish->execution.directories[DIRECTORY_RUNTIME].names, g_strdup(name), g_free);
	removed = remove_runtime(wish);

	ck_assert_int_eq(removed.exit_status, 0);
	ck_assert_int_ne(access(path, F_OK), 0);
	ck_assert_int_eq(access(victim, F_OK), 0);
}
END_TEST

/* Somebody has made a directory of the name that the link tells, to see what a service writes. */
START_TEST(private_tmp_is_never_that_of_another)
{
	g_autoptr(Wish) wish = wish_new(SHELL("touch /tmp/word && stat -c %a /tmp"));
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *trap = g_strdup_printf("svcd-trap-%d", (int)getpid());
	g_autofree char *trap_path = g_strconcat("/tmp/", trap, NULL);
	g_autofree char *trapped = g_strconcat(trap_path, "/tmp", NULL);
	g_autofree char *link_path = tree_path(tree, "/private/service");
	g_autofree char *told = NULL;
	g_auto(Run) run = { 0 };
	g_auto(Run) removed = { 0 };

	tree_mkdir(tree, "/private");
	ck_assert_int_eq(mkdir(trap_path, 0777), 0);
	ck_assert_int_eq(chown(trap_path, 1, 1), 0);
	ck_assert_int_eq(symlink(trap, link_path), 0);
	wish->execution.sandbox = sandbox_def_new();
	wish->execution.sandbox->private_tmp = true;
	wish->input.private_tmp = link_path;
	run = wish_run(wish);
	told = g_file_read_link(link_path, NULL);
	removed = run_spec(exec_spec_new_removal(&wish->execution, false, link_path, NULL), -1);

	expect_output(&run, "1777\n");
	ck_assert_str_ne(told, trap);
	ck_assert_int_ne(access(trapped, F_OK), 0);
	ck_assert_int_eq(rmdir(trap_path), 0);
	ck_assert_int_eq(removed.exit_status, 0);
	ck_assert_int_ne(access(link_path, F_OK), 0);
}
END_TEST

START_TEST(what_cannot_be_had_is_told_with_its_key)
{
	g_autoptr(Wish) wish = wish_new(SHELL("exit 0"));
	SandboxPath *path = g_new0(SandboxPath, 1);
	g_auto(Run) run = { 0 };

	path->path = g_strdup("/no/such/path");
	wish->execution.sandbox = sandbox_def_new();
	list_add(&wish->execution.sandbox->paths[SANDBOX_INACCESSIBLE], path, (GDestroyNotify)sandbox_path_free);
	run = wish_run(wish);

	expect_refusal(&run, EXEC_STEP_SANDBOX, ENOENT);
	ck_assert_str_eq(run.status.what, "InaccessiblePaths=: cannot find /no/such/path");
}
END_TEST

START_TEST(working_directory_is_entered_as_the_user)
{
	g_autoptr(Wish) wish = wish_new(SHELL("pwd"));
	g_autoptr(Tree) tree = tree_new();
	g_auto(Run) closed = { 0 };
	g_auto(Run) open_run = { 0 };

	ck_assert_int_eq(chmod(tree->root, 0700), 0);
	wish->execution.user = g_strdup("daemon");
	wish->execution.directory = g_strdup(tree->root);
	closed = wish_run(wish);
	g_free(wish->execution.directory);
	wish->execution.directory = g_strdup("/usr");
	open_run = wish_run(wish);

	expect_refusal(&closed, EXEC_STEP_DIRECTORY, EACCES);
	expect_output(&open_run, "/usr\n");
}
END_TEST

/* --- terminal --- */

START_TEST(terminal_becomes_stdio_and_controlling)
{
	g_autoptr(Wish) wish = wish_new(SHELL("tty; echo $TERM; echo controlled >/dev/tty; tty <&1 2>&1"));
	g_autofree char *expected = NULL;
	GString *seen = g_string_new(NULL);
	g_auto(Run) run = { 0 };
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

/* As a program leaves it that reads single keys, and is killed. */
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
	g_auto(Run) run = { 0 };
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

START_TEST(what_is_no_terminal_is_refused)
{
	g_autoptr(Wish) wish = wish_new(SHELL("exit 0"));
	g_auto(Run) null = { 0 };
	g_auto(Run) absent = { 0 };

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
	g_autofree char *text = g_strdup_printf("echo >&%d; ls /proc/self/fd | sort -n | tr '\\n' ' '", number);
	const char *const argv[] = { "/bin/bash", "-c", text, NULL };
	g_autoptr(Wish) wish = wish_new(argv);
	g_autofree char *fds = NULL;
	g_auto(Run) run = { 0 };
	int ready[2];
	char c = 0;
	int spec_fd;

	/* "ls" has the descriptors of the service, and one for the directory. */
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
	g_auto(Run) run = wish_run(wish);

	expect_refusal(&run, EXEC_STEP_EXEC, ENOENT);
}
END_TEST

/* Specifications of nobody. */
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
	g_auto(Run) run = { 0 };

	ck_assert_int_eq(write(fd, &bad_specs[_i].record, sizeof bad_specs[_i].record), sizeof bad_specs[_i].record);
	ck_assert_int_eq(write(fd, bad_specs[_i].value, bad_specs[_i].length), (ssize_t)bad_specs[_i].length);
	run = run_spec(fd, -1);

	expect_refusal(&run, EXEC_STEP_SPEC, EINVAL);
}
END_TEST

START_TEST(empty_specification_is_refused)
{
	g_auto(Run) run = run_spec(memfd_create("spec", MFD_CLOEXEC), -1);

	expect_refusal(&run, EXEC_STEP_SPEC, EINVAL);
}
END_TEST

Suite *make_suite(void);

Suite *make_suite(void)
{
	Suite *suite = suite_create("svc-exec");
	TCase *environment = tcase_create("environment");
	TCase *rest = tcase_create("rest");
	TCase *root = tcase_create("as root");

	tcase_add_loop_test(environment, environment_file_is_read_as_a_shell_would_write_it, 0, G_N_ELEMENTS(files));
	tcase_add_test(environment, environment_file_that_is_none_is_refused);
	tcase_add_test(environment, largest_environment_file_is_read);
	suite_add_tcase(suite, environment);
	tcase_add_loop_test(rest, readiness_descriptor_gets_its_number, 0, 7);
	tcase_add_test(rest, program_that_is_not_there_is_refused);
	tcase_add_loop_test(rest, specification_that_makes_no_sense_is_refused, 0, G_N_ELEMENTS(bad_specs));
	tcase_add_test(rest, empty_specification_is_refused);
	tcase_add_test(rest, what_is_no_terminal_is_refused);
	tcase_add_loop_test(rest, what_is_no_user_is_never_root, 0, G_N_ELEMENTS(no_users));
	tcase_add_test(rest, what_is_no_group_is_refused);
	suite_add_tcase(suite, rest);
	if (geteuid() != 0)
		return suite; /* nobody else may change who he is */
	tcase_add_test(root, user_by_name_brings_group_and_home);
	tcase_add_test(root, group_and_supplementary_groups_by_name);
	tcase_add_test(root, group_alone_leaves_the_user);
	tcase_add_test(root, number_without_an_entry_needs_a_group);
	tcase_add_test(root, later_word_wins);
	tcase_add_test(root, runtime_directories_are_made_for_the_user);
	tcase_add_test(root, runtime_directory_follows_no_link);
	tcase_add_loop_test(root, runtime_directory_stays_below_run, 0, G_N_ELEMENTS(bad_directories));
	tcase_add_test(root, removal_takes_a_whole_directory_and_follows_no_link);
	tcase_add_test(root, removal_of_a_link_removes_the_link);
	tcase_add_test(root, private_tmp_is_never_that_of_another);
	tcase_add_test(root, what_cannot_be_had_is_told_with_its_key);
	tcase_add_test(root, working_directory_is_entered_as_the_user);
	tcase_add_test(root, terminal_becomes_stdio_and_controlling);
	tcase_add_test(root, a_terminal_that_was_left_raw_is_set_right);
	suite_add_tcase(suite, root);
	return suite;
}
