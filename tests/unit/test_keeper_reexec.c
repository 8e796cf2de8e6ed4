/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table that PID 1 leaves to its next image: all of it comes back, and no damage goes unseen.
 */
#include "config.h"

#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "keeper/children.h"
#include "keeper/disposal.h"
#include "keeper/keeper.h"
#include "keeper/manager-link.h"
#include "keeper/reexec.h"
#include "keeper/snapshot.h"
#include "keeper/shutdown.h"
#include "keeper/vault.h"
#include "tests/lib/suite.h"

static _Alignas(8) char table[65536];

static void fill_tables(int kept_fd)
{
	struct ProcessId id = { .service = "ssh", .invocation = 7, .role = ROLE_MAIN };
	static const struct rusage usage = { .ru_utime = { .tv_sec = 2 } };

	(void)children_add(&id, 1234, 99);
	id.role = ROLE_CONTROL;
	child_set_exited(children_add(&id, 1235, 100), 3 << 8, &usage, 101);
	ck_assert_int_eq(vault_set_note("ssh", "ready"), 0);
	ck_assert_int_eq(vault_keep("ssh/listen/0", kept_fd), 0);
	manager_link_init(5, 9);
	shutdown_begin(SHUTDOWN_REBOOT, 60000, keeper_now_us());
	(void)keeper_copy(keeper.cgroup_root, sizeof(keeper.cgroup_root), "/sys/fs/cgroup/svcd");
	keeper.ping_ms = PROTOCOL_PING_INTERVAL_MS;
}

/* Check forks each test: what one process encodes, another one with empty tables takes. */
static size_t encode_in_a_child(char *buffer)
{
	size_t *shared = mmap(NULL, sizeof(table) + 8, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid;
	size_t size;

	ck_assert_ptr_ne(shared, MAP_FAILED);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		fill_tables(open("/dev/null", O_RDONLY));
		*shared = snapshot_encode(shared + 1, sizeof(table));
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	size = *shared;
	memcpy(buffer, shared + 1, size);
	(void)munmap(shared, sizeof(table) + 8);
	return size;
}

START_TEST(all_of_it_comes_back)
{
	struct ProcessId id = { .service = "ssh", .invocation = 7, .role = ROLE_MAIN };
	int fd = open("/dev/null", O_RDONLY); /* the number that the child's has: it is to be there */
	size_t size;
	struct Child *child;

	(void)close(fd);
	size = encode_in_a_child(table);
	ck_assert_int_eq(open("/dev/null", O_RDONLY), fd);
	ck_assert(snapshot_check(table, size));
	snapshot_apply(table, size);

	child = children_find(&id);
	ck_assert_ptr_nonnull(child);
	ck_assert_int_eq(child->pid, 1234);
	ck_assert_uint_eq(child->spawned_at_us, 99);
	ck_assert_ptr_eq(children_find_pid(1234), child);
	id.role = ROLE_CONTROL;
	child = children_find(&id);
	ck_assert_uint_ne(child->flags & CHILD_EXITED, 0);
	ck_assert_int_eq(child_exit(child)->status, 3);
	ck_assert_uint_eq(child_exit(child)->user_us, 2000000);
	ck_assert_str_eq(vault_note(name_find("ssh")), "ready");
	ck_assert_int_ge(vault_fd(name_find("ssh/listen/0")), 0);
	ck_assert_uint_eq(manager_link_generation(), 5);
	ck_assert_int_eq(manager_link_last_status(), 9);
	ck_assert_int_eq(shutdown_kind(), SHUTDOWN_REBOOT);
	ck_assert_uint_gt(shutdown_left_ms(keeper_now_us()), 50000);
	ck_assert_str_eq(keeper.cgroup_root, "/sys/fs/cgroup/svcd");
}
END_TEST

START_TEST(each_changed_byte_is_noticed)
{
	size_t size = encode_in_a_child(table);

	for (size_t i = 0; i < size; i++) {
		table[i] ^= 0x10;
		ck_assert_msg(!snapshot_check(table, size), "byte %zu of %zu", i, size);
		table[i] ^= 0x10;
	}
	ck_assert(snapshot_check(table, size));
}
END_TEST

START_TEST(each_cut_and_each_addition_is_noticed)
{
	size_t size = encode_in_a_child(table);

	for (size_t cut = 0; cut < size; cut++)
		ck_assert(!snapshot_check(table, cut));
	ck_assert(!snapshot_check(table, size + 8));
}
END_TEST

static void fill(char *field, size_t size)
{
	memset(field, 'x', size);
}

/* What a stray write of ours could have done to what the next image is to believe. */
static void damage_state(int number)
{
	switch (number) {
	case 0:
		keeper.n_words = KEEPER_MAX_WORDS + 1;
		break;
	case 1:
		keeper.n_words = 1;
		fill(keeper.words[0], sizeof(keeper.words[0]));
		break;
	case 2:
		fill(keeper.cgroup_root, sizeof(keeper.cgroup_root));
		break;
	case 3:
		fill(keeper.virtualization, sizeof(keeper.virtualization));
		break;
	case 4:
		fill(keeper.manager_path, sizeof(keeper.manager_path));
		break;
	default:
		keeper.ping_ms = 0;
		break;
	}
}

START_TEST(a_state_that_makes_no_sense_is_not_taken_over)
{
	size_t size;

	fill_tables(open("/dev/null", O_RDONLY));
	size = snapshot_encode(table, sizeof(table));
	ck_assert(snapshot_check(table, size));

	damage_state(_i);
	ck_assert_uint_eq(snapshot_encode(table, sizeof(table)), size);

	ck_assert(!snapshot_check(table, size));
}
END_TEST

START_TEST(a_buffer_that_is_too_small_is_told_the_size)
{
	size_t size;

	fill_tables(open("/dev/null", O_RDONLY));
	size = snapshot_encode(NULL, 0);
	ck_assert_uint_eq(snapshot_encode(table, sizeof(table)), size);
	ck_assert_uint_eq(snapshot_encode(table, size - 1), size);
}
END_TEST

/* Each makes something of the tables what the old image never had. */
static void no_truth_value(void)
{
	memset(&keeper.container, 2, sizeof(keeper.container));
}

static void ourselves_as_a_child(void)
{
	const struct ProcessId id = { .service = "init", .invocation = 1 };

	(void)children_add(&id, 1, 99);
}

static void standard_output_as_kept(void)
{
	(void)vault_keep("a/log/1", STDOUT_FILENO);
}

static void (*const damages[])(void) = {
	no_truth_value,
	ourselves_as_a_child,
	standard_output_as_kept,
};

START_TEST(tables_that_make_no_sense_are_refused_though_their_sum_is_right)
{
	size_t size;

	keeper.ping_ms = 5000;
	size = snapshot_encode(table, sizeof(table));
	ck_assert(snapshot_check(table, size));

	damages[_i]();
	size = snapshot_encode(table, sizeof(table));
	ck_assert(!snapshot_check(table, size));
}
END_TEST

/* As reexec_now() leaves it. Empties the tables. */
static int leave_tables(void)
{
	size_t size = snapshot_encode(table, sizeof(table));
	int fd = memfd_create("tables", 0);

	ck_assert_int_eq(write(fd, table, size), (ssize_t)size);
	for (struct Child *child; (child = children_next(NULL)) != NULL;) {
		struct ProcessId id = { .invocation = child->invocation, .role = child->role };

		(void)snprintf(id.service, sizeof(id.service), "%s", name_text(child->service));
		if (!(child->flags & CHILD_EXITED))
			child_restore_exited(child, &(struct ChildExit){ 0 });
		ck_assert(children_release(&id));
	}
	return fd;
}

START_TEST(a_number_that_is_no_childs_of_ours_any_more_is_taken_over_as_ended)
{
	const struct ProcessId lost = { .service = "lost", .invocation = 1 };
	const struct ProcessId kept = { .service = "kept", .invocation = 2 };
	const struct ProcessId twice = { .service = "twice", .invocation = 3 };
	pid_t pid = fork();

	if (pid == 0) {
		(void)pause();
		_exit(0);
	}
	keeper.ping_ms = 5000;
	(void)children_add(&twice, pid, 99);
	(void)children_add(&kept, pid, 99);
	(void)children_add(&lost, getppid(), 99); /* somebody's: to send that a signal would be the end of the test */

	reexec_expect(leave_tables());
	ck_assert(reexec_resume());

	ck_assert_uint_ne(children_find(&lost)->flags & CHILD_EXITED, 0);
	ck_assert_int_eq(child_exit(children_find(&lost))->code, 0); /* unknown */
	ck_assert_uint_ne((children_find(&kept)->flags ^ children_find(&twice)->flags) & CHILD_EXITED, 0); /* one of them */
	ck_assert(!(children_find_pid(pid)->flags & CHILD_EXITED));
	(void)kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}
END_TEST

START_TEST(a_descriptor_that_is_not_there_or_there_twice_is_not_taken_over)
{
	int fd = open("/dev/null", O_RDONLY);
	int tables;

	keeper.ping_ms = 5000;
	ck_assert_int_eq(vault_keep("a/log/1", fd), 0);
	ck_assert_int_eq(vault_keep("a/log/2", fd), 0);
	ck_assert_int_eq(vault_keep("b/log/1", 200), 0);
	tables = leave_tables();
	vault_close();
	disposal_now();
	ck_assert_int_eq(open("/dev/null", O_RDONLY), fd);

	reexec_expect(tables);
	ck_assert(reexec_resume());

	ck_assert_uint_eq(vault_n_fds(), 1);
	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("keeper re-exec");

	(void)suite_add_loop(suite, "state", a_state_that_makes_no_sense_is_not_taken_over, 6);
	ADD_CASE(suite, "table", all_of_it_comes_back, each_changed_byte_is_noticed,
		 each_cut_and_each_addition_is_noticed, a_buffer_that_is_too_small_is_told_the_size,
		 a_number_that_is_no_childs_of_ours_any_more_is_taken_over_as_ended,
		 a_descriptor_that_is_not_there_or_there_twice_is_not_taken_over);
	ADD_LOOP_AROUND(suite, "damage", NULL, NULL, tables_that_make_no_sense_are_refused_though_their_sum_is_right,
		 sizeof(damages) / sizeof(damages[0]));
	return suite;
}
