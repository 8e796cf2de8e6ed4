/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The power fails, or the disk fills, at each disk call of a change of policy, one after the other.
 *
 * The linker redirects those calls (-Wl,--wrap). A disk may have kept everything so far, or only
 * synced data: both are tested.
 */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "policy-edit/ini-edit.h"
#include "policy-edit/policy-edit.h"
#include "tests/lib/suite.h"
#include "tests/lib/tree.h"

ssize_t __real_write(int fd, const void *bytes, size_t n);
int __real_renameat(int old_dir, const char *old, int new_dir, const char *new);
int __real_unlinkat(int dir, const char *name, int flags);
int __real_mkdirat(int dir, const char *name, mode_t mode);
ssize_t __wrap_write(int fd, const void *bytes, size_t n);
int __wrap_fsync(int fd);
int __wrap_renameat(int old_dir, const char *old, int new_dir, const char *new);
int __wrap_unlinkat(int dir, const char *name, int flags);
int __wrap_mkdirat(int dir, const char *name, mode_t mode);

typedef enum Fate {
	FATE_KEPT,  /* the power fails; all writes so far are on the disk */
	FATE_LOST,  /* the power fails; only synced data is */
	FATE_FAILS, /* the call fails */
	FATE_DIES,  /* it fails, and each later one except those of the history */
} Fate;

/* A directory change that is lost without fsync. */
typedef struct Pending {
	char *directory;
	char *name;     /* created, or removed if @old is NULL */
	char *old;      /* its former name, or NULL */
	char *content;  /* former content of @name; NULL: none */
	bool is_directory;
} Pending;

static unsigned n_calls;
static unsigned fatal_call; /* 0: none */
static Fate fate;
static GPtrArray *pending;   /* Pending * */
static GHashTable *unsynced; /* paths of written files */

enum { EXIT_CUT = 77, EXIT_REFUSED = 78 };

static char *path_of(int fd)
{
	g_autofree char *link = g_strdup_printf("/proc/self/fd/%d", fd);

	return g_file_read_link(link, NULL);
}

static void forget(const Pending *it)
{
	g_autofree char *path = g_build_filename(it->directory, it->name, NULL);
	g_autofree char *old = it->old ? g_build_filename(it->directory, it->old, NULL) : NULL;

	if (it->is_directory)
		(void)rmdir(path); /* empty: its new files were undone before */
	if (old)
		(void)rename(path, old); /* it exists */
	if (it->content)
		(void)g_file_set_contents(path, it->content, -1, NULL);
}

static void lose_what_was_not_synced(void)
{
	GHashTableIter iter;
	gpointer path;

	g_hash_table_iter_init(&iter, unsynced);
	while (g_hash_table_iter_next(&iter, &path, NULL))
		(void)!truncate(path, 0); /* may be gone */
	for (guint i = pending->len; i > 0; i--)
		forget(g_ptr_array_index(pending, i - 1));
}

static bool is_of_history(int fd)
{
	g_autofree char *path = path_of(fd);

	return strstr(path, POLICY_EDIT_HISTORY) != NULL;
}

/* @fd: of the file, or of the directory. Returns: does the call fail? */
static bool meet_fate(int fd)
{
	if (!fatal_call || ++n_calls < fatal_call)
		return false;
	if (fate == FATE_DIES) {
		errno = EIO;
		return !is_of_history(fd);
	}
	if (n_calls > fatal_call)
		return false;
	if (fate == FATE_FAILS) {
		errno = EIO;
		return true;
	}
	if (fate == FATE_LOST)
		lose_what_was_not_synced();
	_exit(EXIT_CUT);
}

static void note(int dir, const char *name, const char *old, bool is_directory)
{
	Pending *it = g_new0(Pending, 1);
	g_autofree char *path = NULL;

	it->directory = path_of(dir);
	it->name = g_strdup(name);
	it->old = g_strdup(old);
	it->is_directory = is_directory;
	path = g_build_filename(it->directory, name, NULL);
	(void)g_file_get_contents(path, &it->content, NULL, NULL); /* no file: NULL */
	g_ptr_array_add(pending, it);
}

ssize_t __wrap_write(int fd, const void *bytes, size_t n)
{
	if (!fatal_call)
		return __real_write(fd, bytes, n);
	if (meet_fate(fd))
		return -1;
	g_hash_table_add(unsynced, path_of(fd));
	return __real_write(fd, bytes, n);
}

int __wrap_fsync(int fd)
{
	g_autofree char *path = NULL;

	/* The power never really fails, so fsync is skipped. */
	if (!fatal_call)
		return 0;
	if (meet_fate(fd))
		return -1;
	path = path_of(fd);
	g_hash_table_remove(unsynced, path);
	for (guint i = pending->len; i > 0; i--) {
		if (strcmp(((Pending *)g_ptr_array_index(pending, i - 1))->directory, path) == 0)
			g_ptr_array_remove_index(pending, i - 1);
	}
	return 0;
}

/* A file with unsynced bytes has a new name. */
static void rename_unsynced(int dir, const char *old, const char *new)
{
	g_autofree char *directory = path_of(dir);
	g_autofree char *from = g_build_filename(directory, old, NULL);

	if (g_hash_table_remove(unsynced, from))
		g_hash_table_add(unsynced, g_build_filename(directory, new, NULL));
}

int __wrap_renameat(int old_dir, const char *old, int new_dir, const char *new)
{
	if (fatal_call) {
		if (meet_fate(old_dir))
			return -1;
		note(new_dir, new, old, false);
		rename_unsynced(new_dir, old, new);
	}
	return __real_renameat(old_dir, old, new_dir, new);
}

int __wrap_unlinkat(int dir, const char *name, int flags)
{
	if (fatal_call && faccessat(dir, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
		if (meet_fate(dir))
			return -1;
		note(dir, name, NULL, false);
	}
	return __real_unlinkat(dir, name, flags);
}

int __wrap_mkdirat(int dir, const char *name, mode_t mode)
{
	if (fatal_call) {
		if (meet_fate(dir))
			return -1;
		note(dir, name, NULL, true);
	}
	return __real_mkdirat(dir, name, mode);
}

#define PLAIN "[Service]\nExec=/bin/x\n"
#define DROP_IN SVCD_SYSCONFDIR "/services.d/ssh.svc.d/90-svcctl.conf"
#define OLD_POLICY "[service ssh]\nActivation=never\n\n[service cron]\nReason=x\n"
#define NEW_POLICY "[service cron]\nReason=x\n"
#define OLD_DROP_IN "[Service]\nNice=5\n"

static const ChangeAuthor author = { .uid = 0, .command = "svcctl undo ssh" };

typedef struct Story {
	const char *old_policy;
	const char *new_policy;
	const char *old_drop_in;
	const char *new_drop_in;
	bool (*change)(Change *change);
} Story;

static bool revert_ssh(Change *change)
{
	return change_revert(change, "ssh", NULL);
}

static bool set_both(Change *change)
{
	return change_set_policy(change, "ssh", "Activation", "never", NULL) &&
	       change_set_override(change, "ssh", "Nice", "5", NULL);
}

static const Story stories[] = {
	{ OLD_POLICY, NEW_POLICY, OLD_DROP_IN, NULL, revert_ssh },
	{ NULL, INI_EDIT_HEAD "\n[service ssh]\nActivation=never\n", NULL, INI_EDIT_HEAD "\n[Service]\nNice=5\n",
	  set_both },
};

static void write_secret(const Tree *tree, const char *path, const char *text)
{
	g_autofree char *whole = tree_path(tree, path);

	tree_write(tree, path, text);
	ck_assert_int_eq(chmod(whole, 0600), 0);
}

static Tree *machine(const Story *story)
{
	Tree *tree = tree_new();

	tree_write(tree, SVCD_LIBDIR "/services.d/ssh.svc", PLAIN);
	tree_write(tree, SVCD_LIBDIR "/services.d/cron.svc", PLAIN);
	if (story->old_policy)
		tree_write(tree, POLICY_EDIT_FILE, story->old_policy);
	if (story->old_drop_in)
		write_secret(tree, DROP_IN, story->old_drop_in);
	return tree;
}

static void do_change(const Tree *tree, const Story *story, unsigned call)
{
	g_autoptr(Change) change = change_new(tree->root, false);
	bool fine;

	pending = g_ptr_array_new();
	unsynced = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	if (!story->change(change))
		_exit(EXIT_FAILURE);
	fatal_call = call;
	fine = change_apply(change, &author, NULL, NULL);
	_exit(fine ? EXIT_SUCCESS : EXIT_REFUSED);
}

/* Returns: the wait status of the process that made the change. */
static int change_in_child(const Tree *tree, const Story *story, unsigned call)
{
	const pid_t pid = fork();
	int status;

	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		do_change(tree, story, call);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static char *read_file(const Tree *tree, const char *path)
{
	g_autofree char *whole = tree_path(tree, path);
	char *text = NULL;

	(void)g_file_get_contents(whole, &text, NULL, NULL); /* no text: no file */
	return text;
}

static void expect_one_of(const Tree *tree, const char *path, const char *old, const char *new, unsigned call)
{
	g_autofree char *text = read_file(tree, path);

	ck_assert_msg(g_strcmp0(text, old) == 0 || g_strcmp0(text, new) == 0, "cut at %u: %s holds: %s", call, path,
		      text);
}

static bool is_all(const Tree *tree, const char *policy, const char *drop_in)
{
	g_autofree char *one = read_file(tree, POLICY_EDIT_FILE);
	g_autofree char *other = read_file(tree, DROP_IN);

	return g_strcmp0(one, policy) == 0 && g_strcmp0(other, drop_in) == 0;
}

/* How an interrupted change is completed. */
static bool at_boot;

static void expect_tidy(const Tree *tree, const char *path, unsigned call)
{
	g_autofree char *whole = tree_path(tree, path);
	GDir *directory = g_dir_open(whole, 0, NULL);
	const char *name;

	while (directory && (name = g_dir_read_name(directory)) != NULL)
		ck_assert_msg(*name != '.' && !g_str_has_suffix(name, ".begun"), "cut at %u: %s/%s is left over", call,
			      path, name);
	if (directory)
		g_dir_close(directory);
}

/* The boot completes it, and so does the next change, which has no other work. */
static void next_writer(const Tree *tree)
{
	g_autoptr(Change) change = change_new(tree->root, false);
	g_autoptr(GPtrArray) ended = NULL;
	g_autoptr(GError) error = NULL;

	if (at_boot) {
		ck_assert_msg(history_end_begun(tree->root, &ended, &error), "%s", error ? error->message : "");
		return;
	}
	ck_assert(change_set_policy(change, "cron", "Operators", NULL, NULL));
	ck_assert_msg(change_apply(change, &author, NULL, &error), "%s", error ? error->message : "");
}

/* A restored file is readable only by its former readers. */
static void expect_secret(const Tree *tree, unsigned call)
{
	g_autofree char *whole = tree_path(tree, DROP_IN);
	struct stat st;

	ck_assert_int_eq(stat(whole, &st), 0);
	ck_assert_msg((st.st_mode & 0777) == 0600, "cut at %u: mode %04o", call, st.st_mode & 0777);
}

static void expect_recovered(const Tree *tree, const Story *story, unsigned call)
{
	const bool is_new = is_all(tree, story->new_policy, story->new_drop_in);
	g_autoptr(GPtrArray) steps = history_list(tree->root, NULL, NULL);

	ck_assert_msg(is_new || is_all(tree, story->old_policy, story->old_drop_in), "cut at %u: a mixture", call);
	ck_assert_msg(steps->len == (is_new ? 1 : 0), "cut at %u: %u steps, files are %s", call, steps->len,
		      is_new ? "new" : "old");
	/* The lost disk of this test forgets names and bytes, and creates its files anew. */
	if (!is_new && story->old_drop_in && fate == FATE_KEPT)
		expect_secret(tree, call);
	expect_tidy(tree, SVCD_SYSCONFDIR "/policy.d", call);
	expect_tidy(tree, SVCD_SYSCONFDIR "/services.d/ssh.svc.d", call);
	expect_tidy(tree, POLICY_EDIT_HISTORY, call);
}

/* Returns: false if the change was complete before the call. */
static bool cut_at(const Story *story, unsigned call)
{
	g_autoptr(Tree) tree = machine(story);
	const int status = change_in_child(tree, story, call);

	if (status == EXIT_SUCCESS)
		return false;
	ck_assert_int_eq(status, EXIT_CUT);
	expect_one_of(tree, POLICY_EDIT_FILE, story->old_policy, story->new_policy, call);
	expect_one_of(tree, DROP_IN, story->old_drop_in, story->new_drop_in, call);
	next_writer(tree);
	expect_recovered(tree, story, call);
	ck_assert_int_eq(change_in_child(tree, story, 0), EXIT_SUCCESS);
	ck_assert(is_all(tree, story->new_policy, story->new_drop_in));
	return true;
}

START_TEST(after_a_power_cut_all_files_are_the_old_or_all_the_new)
{
	const Story *story = &stories[_i / 4];
	unsigned call = 1;

	at_boot = _i / 2 % 2;
	fate = _i % 2 ? FATE_LOST : FATE_KEPT;
	while (cut_at(story, call))
		call++;
	ck_assert_uint_gt(call, 15); /* the calls are wrapped at all */
}
END_TEST

START_TEST(when_the_disk_fails_the_change_is_refused_and_all_is_as_before_or_it_is_done)
{
	const Story *story = &stories[_i];

	fate = FATE_FAILS;
	for (unsigned call = 1; call < 60; call++) {
		g_autoptr(Tree) tree = machine(story);
		const int status = change_in_child(tree, story, call);

		if (status == EXIT_SUCCESS)
			ck_assert_msg(is_all(tree, story->new_policy, story->new_drop_in), "call %u", call);
		else
			ck_assert_msg(is_all(tree, story->old_policy, story->old_drop_in), "call %u", call);
		next_writer(tree);
		expect_tidy(tree, SVCD_SYSCONFDIR "/policy.d", call);
		expect_tidy(tree, POLICY_EDIT_HISTORY, call);
	}
}
END_TEST

START_TEST(what_a_writer_left_half_done_and_somebody_has_changed_since_is_left_alone)
{
	g_autoptr(Tree) tree = machine(&stories[0]);
	unsigned call = 1;

	fate = FATE_KEPT;
	/* The first cut with the new policy and the old drop-in. */
	while (!is_all(tree, NEW_POLICY, OLD_DROP_IN)) {
		g_clear_pointer(&tree, tree_free);
		tree = machine(&stories[0]);
		ck_assert_int_eq(change_in_child(tree, &stories[0], call++), EXIT_CUT);
	}
	tree_write(tree, DROP_IN, "[Service]\nNice=7\n");
	next_writer(tree);
	ck_assert(is_all(tree, NEW_POLICY, "[Service]\nNice=7\n"));
	expect_tidy(tree, POLICY_EDIT_HISTORY, call);
}
END_TEST

/*
 * Neither the change nor the undo can be written. The history still has it, and the next writer
 * completes it.
 */
START_TEST(when_the_disk_dies_in_a_change_the_next_writer_ends_it)
{
	const Story *story = &stories[_i / 2];

	at_boot = _i % 2;
	fate = FATE_DIES;
	for (unsigned call = 1; call < 60; call++) {
		g_autoptr(Tree) tree = machine(story);
		const int status = change_in_child(tree, story, call);

		next_writer(tree);
		ck_assert_msg(is_all(tree, story->new_policy, story->new_drop_in) ||
				      (status != EXIT_SUCCESS && is_all(tree, story->old_policy, story->old_drop_in)),
			      "call %u: a mixture", call);
	}
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("power-cut");

	ADD_CASE(suite, "power-cut", what_a_writer_left_half_done_and_somebody_has_changed_since_is_left_alone);
	suite_add_loop(suite, "power-cut", after_a_power_cut_all_files_are_the_old_or_all_the_new,
		       4 * G_N_ELEMENTS(stories));
	suite_add_loop(suite, "power-cut",
		       when_the_disk_fails_the_change_is_refused_and_all_is_as_before_or_it_is_done,
		       G_N_ELEMENTS(stories));
	suite_add_loop(suite, "power-cut", when_the_disk_dies_in_a_change_the_next_writer_ends_it,
		       2 * G_N_ELEMENTS(stories));
	return suite;
}
