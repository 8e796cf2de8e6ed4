/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The power fails, or the disk fills, at each disk call of a policy change, one after the other.
 * Each file is then the old or the new one, and undo restores all old files.
 *
 * The linker redirects those calls (-Wl,--wrap). A disk may have kept everything that was written
 * so far, or only synced data: both are tested.
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
#include "tests/lib/diags.h"
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
	FATE_KEPT, /* the power fails; all writes so far are on the disk */
	FATE_LOST, /* the power fails; only synced data is on the disk */
	FATE_FAILS, /* the call fails */
	FATE_DIES, /* the call and all later ones fail, except those of the history */
} Fate;

/* A directory change that is lost without fsync. */
typedef struct Pending {
	char *directory;
	char *name; /* renamed from @old, removed, or a new directory */
	char *old; /* former name; NULL: not renamed */
	char *content; /* former content of @name; NULL: none */
	bool is_directory;
} Pending;

static unsigned n_calls;
static unsigned fatal_call; /* 0: none */
static Fate fate;
static GPtrArray *pending; /* Pending * */
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
		(void)rmdir(path); /* its new files are already gone */
	if (old)
		(void)rename(path, old);
	if (it->content)
		(void)g_file_set_contents(path, it->content, -1, NULL);
}

static void lose_what_was_not_synced(void)
{
	GHashTableIter iter;
	gpointer path;

	g_hash_table_iter_init(&iter, unsynced);
	while (g_hash_table_iter_next(&iter, &path, NULL))
		(void)!truncate(path, 0); /* the file may be gone */
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

	/* The power never really fails, so the real fsync(2) is skipped. */
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
	Change *(*change)(const char *root);
	bool is_undo; /* the old files are the result of a first step */
} Story;

static Change *revert_ssh(const char *root)
{
	Change *change = change_new(root, false);

	ck_assert(change_revert(change, "ssh", NULL));
	return change;
}

static Change *set_both(const char *root)
{
	Change *change = change_new(root, false);

	ck_assert(change_set_policy(change, "ssh", "Activation", "never", NULL));
	ck_assert(change_set_override(change, "ssh", "Nice", "5", NULL));
	return change;
}

static Change *undo(const char *root)
{
	return history_undo(root, 0, NULL);
}

static const Story stories[] = {
	{ OLD_POLICY, NEW_POLICY, OLD_DROP_IN, NULL, revert_ssh, false },
	{ NULL, INI_EDIT_HEAD "\n[service ssh]\nActivation=never\n", NULL,
	  INI_EDIT_HEAD "\n[Service]\nNice=5\n", set_both, false },
	{ NEW_POLICY, OLD_POLICY, NULL, OLD_DROP_IN, undo, true },
};

static void write_secret(const Tree *tree, const char *path, const char *text)
{
	g_autofree char *whole = tree_path(tree, path);

	tree_write(tree, path, text);
	ck_assert_int_eq(chmod(whole, 0600), 0);
}

static void apply(const Tree *tree, Change *(*make)(const char *root))
{
	g_autoptr(Change) change = make(tree->root);
	g_autoptr(GError) error = NULL;

	ck_assert_ptr_nonnull(change);
	ck_assert_msg(change_apply(change, &author, NULL, &error), "%s",
		      error ? error->message : "");
}

static Tree *machine(const Story *story)
{
	Tree *tree = tree_new();
	const Story *files = story->is_undo ? &stories[0] : story;

	tree_write(tree, SVCD_LIBDIR "/services.d/ssh.svc", PLAIN);
	tree_write(tree, SVCD_LIBDIR "/services.d/cron.svc", PLAIN);
	if (files->old_policy)
		tree_write(tree, POLICY_EDIT_FILE, files->old_policy);
	if (files->old_drop_in)
		write_secret(tree, DROP_IN, files->old_drop_in);
	if (story->is_undo)
		apply(tree, files->change);
	return tree;
}

static void do_change(const Tree *tree, const Story *story, unsigned call)
{
	g_autoptr(Change) change = story->change(tree->root);
	bool fine;

	pending = g_ptr_array_new();
	unsynced = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	if (!change)
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

	(void)g_file_get_contents(whole, &text, NULL, NULL); /* NULL: no such file */
	return text;
}

static void expect_one_of(const Tree *tree, const char *path, const char *old, const char *new,
			  unsigned call)
{
	g_autofree char *text = read_file(tree, path);

	ck_assert_msg(g_strcmp0(text, old) == 0 || g_strcmp0(text, new) == 0,
		      "cut at %u: %s holds: %s", call, path, text);
}

static bool is_all(const Tree *tree, const char *policy, const char *drop_in)
{
	g_autofree char *one = read_file(tree, POLICY_EDIT_FILE);
	g_autofree char *other = read_file(tree, DROP_IN);

	return g_strcmp0(one, policy) == 0 && g_strcmp0(other, drop_in) == 0;
}

static bool is_old(const Tree *tree, const Story *story)
{
	return is_all(tree, story->old_policy, story->old_drop_in);
}

static bool is_new(const Tree *tree, const Story *story)
{
	return is_all(tree, story->new_policy, story->new_drop_in);
}

/* Only hidden files may be left over, because svcd does not read them. */
static void expect_tidy(const Tree *tree, const char *path, const char *name, unsigned call)
{
	g_autofree char *whole = tree_path(tree, path);
	GDir *directory = g_dir_open(whole, 0, NULL);
	const char *found;

	while (directory && (found = g_dir_read_name(directory)) != NULL)
		ck_assert_msg(*found == '.' || g_str_has_suffix(found, name),
			      "cut at %u: %s/%s is left over", call, path, found);
	if (directory)
		g_dir_close(directory);
}

/* A restored file is readable only by its former readers. */
static void expect_secret(const Tree *tree, unsigned call)
{
	g_autofree char *whole = tree_path(tree, DROP_IN);
	struct stat st;

	ck_assert_int_eq(stat(whole, &st), 0);
	ck_assert_msg((st.st_mode & 0777) == 0600, "cut at %u: mode %04o", call, st.st_mode & 0777);
}

/* Undoes the newest step, if there is one with an effect; an interrupted undo is completed. */
static void expect_undo(const Tree *tree, const Story *story, unsigned call)
{
	const Story *first = story->is_undo ? &stories[0] : story;
	g_autoptr(GError) error = NULL;
	g_autoptr(Change) change = history_undo(tree->root, 0, &error);

	if (change)
		ck_assert_msg(change_apply(change, &author, NULL, &error), "cut at %u: %s", call,
			      error ? error->message : "");
	else
		ck_assert_str_eq(error->message, "there is nothing to undo");
	ck_assert_msg(is_old(tree, first), "cut at %u: not undone", call);
	/* With FATE_LOST the test itself creates lost files anew, with any mode. */
	if (first->old_drop_in && fate != FATE_LOST)
		expect_secret(tree, call);
	expect_tidy(tree, SVCD_SYSCONFDIR "/policy.d", ".policy", call);
	expect_tidy(tree, SVCD_SYSCONFDIR "/services.d/ssh.svc.d", ".conf", call);
	expect_tidy(tree, POLICY_EDIT_HISTORY, ".step", call);
}

/* Each svcctl command may be repeated. */
static void expect_repeated(const Tree *tree, const Story *story, unsigned call)
{
	if (!story->is_undo)
		apply(tree, story->change);
	ck_assert_msg(is_new(tree, story), "cut at %u: not repeated", call);
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
	expect_undo(tree, story, call);
	expect_repeated(tree, story, call);
	return true;
}

START_TEST(after_a_power_cut_each_file_is_the_old_or_the_new_and_undo_restores_all)
{
	const Story *story = &stories[_i / 2];
	unsigned call = 1;

	fate = _i % 2 ? FATE_LOST : FATE_KEPT;
	while (cut_at(story, call))
		call++;
	ck_assert_uint_gt(call, 12); /* checks that the calls are wrapped at all */
}
END_TEST

START_TEST(after_a_power_cut_the_change_can_be_repeated_at_once)
{
	const Story *story = &stories[_i];
	int status = EXIT_CUT;

	fate = FATE_KEPT;
	for (unsigned call = 1; status == EXIT_CUT; call++) {
		g_autoptr(Tree) tree = machine(story);

		status = change_in_child(tree, story, call);
		apply(tree, story->change);
		ck_assert_msg(is_new(tree, story), "cut at %u", call);
	}
}
END_TEST

START_TEST(when_the_disk_fails_the_change_is_refused_and_all_is_as_before_or_it_is_done)
{
	const Story *story = &stories[_i];

	fate = FATE_FAILS;
	for (unsigned call = 1; call < 60; call++) {
		g_autoptr(Tree) tree = machine(story);
		const int status = change_in_child(tree, story, call);

		ck_assert_msg(status == EXIT_SUCCESS ? is_new(tree, story) : is_old(tree, story),
			      "call %u", call);
	}
}
END_TEST

/* The first interrupted change that leaves the new policy and the old drop-in. */
static Tree *half_changed(void)
{
	for (unsigned call = 1;; call++) {
		Tree *tree = machine(&stories[0]);

		ck_assert_int_eq(change_in_child(tree, &stories[0], call), EXIT_CUT);
		if (is_all(tree, NEW_POLICY, OLD_DROP_IN))
			return tree;
		tree_free(tree);
	}
}

START_TEST(half_of_a_change_is_reported)
{
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(GPtrArray) steps = NULL;
	g_autoptr(Tree) tree = NULL;

	fate = FATE_KEPT;
	tree = half_changed();
	steps = history_list(tree->root, diags, NULL);
	ck_assert_uint_eq(steps->len, 1);
	expect_diags(diags, POLICY_EDIT_HISTORY
		     ": warning: step 1 is only partly in effect: " DROP_IN
		     " is as before this step; \"svcctl undo 1\" restores the other files\n");
}
END_TEST

START_TEST(an_edit_by_hand_after_half_of_a_change_is_not_overwritten)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Tree) tree = NULL;

	fate = FATE_KEPT;
	tree = half_changed();
	tree_write(tree, DROP_IN, "[Service]\nNice=7\n");
	ck_assert_ptr_null(history_undo(tree->root, 0, &error));
	ck_assert_ptr_nonnull(strstr(error->message, DROP_IN " has been changed by hand since"));
	ck_assert(is_all(tree, NEW_POLICY, "[Service]\nNice=7\n"));
}
END_TEST

/* Neither the change nor its reversal can be written. The step stays, so that it can be undone. */
START_TEST(when_the_disk_dies_in_a_change_it_can_be_undone)
{
	const Story *story = &stories[_i];

	fate = FATE_DIES;
	for (unsigned call = 1; call < 60; call++) {
		g_autoptr(Tree) tree = machine(story);
		const int status = change_in_child(tree, story, call);

		ck_assert_msg(status != EXIT_SUCCESS || is_new(tree, story), "call %u", call);
		if (status != EXIT_SUCCESS)
			expect_undo(tree, story, call);
	}
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("power-cut");

	ADD_CASE(suite, "half", half_of_a_change_is_reported,
		 an_edit_by_hand_after_half_of_a_change_is_not_overwritten);
	suite_add_loop(suite, "power cut",
		       after_a_power_cut_each_file_is_the_old_or_the_new_and_undo_restores_all,
		       2 * G_N_ELEMENTS(stories));
	suite_add_loop(suite, "repeated", after_a_power_cut_the_change_can_be_repeated_at_once, 2);
	suite_add_loop(suite, "disk fails",
		       when_the_disk_fails_the_change_is_refused_and_all_is_as_before_or_it_is_done,
		       G_N_ELEMENTS(stories));
	suite_add_loop(suite, "disk dies", when_the_disk_dies_in_a_change_it_can_be_undone,
		       G_N_ELEMENTS(stories));
	return suite;
}
