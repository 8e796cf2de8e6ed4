/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table that PID 1 leaves to its next image: all of it comes back, and no damage goes unseen.
 */
#include "config.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "keeper/children.h"
#include "keeper/keeper.h"
#include "keeper/manager-link.h"
#include "keeper/reexec.h"
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
		*shared = reexec_encode(shared + 1, sizeof(table));
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
	size_t size = encode_in_a_child(table);
	struct Child *child;

	ck_assert(reexec_check(table, size));
	reexec_apply(table, size);

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
		ck_assert_msg(!reexec_check(table, size), "byte %zu of %zu", i, size);
		table[i] ^= 0x10;
	}
	ck_assert(reexec_check(table, size));
}
END_TEST

START_TEST(each_cut_and_each_addition_is_noticed)
{
	size_t size = encode_in_a_child(table);

	for (size_t cut = 0; cut < size; cut++)
		ck_assert(!reexec_check(table, cut));
	ck_assert(!reexec_check(table, size + 8));
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
	size = reexec_encode(table, sizeof(table));
	ck_assert(reexec_check(table, size));

	damage_state(_i);
	ck_assert_uint_eq(reexec_encode(table, sizeof(table)), size);

	ck_assert(!reexec_check(table, size));
}
END_TEST

START_TEST(a_buffer_that_is_too_small_is_told_the_size)
{
	size_t size;

	fill_tables(open("/dev/null", O_RDONLY));
	size = reexec_encode(NULL, 0);
	ck_assert_uint_eq(reexec_encode(table, sizeof(table)), size);
	ck_assert_uint_eq(reexec_encode(table, size - 1), size);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("keeper re-exec");

	(void)suite_add_loop(suite, "state", a_state_that_makes_no_sense_is_not_taken_over, 6);
	ADD_CASE(suite, "table", all_of_it_comes_back, each_changed_byte_is_noticed,
		 each_cut_and_each_addition_is_noticed, a_buffer_that_is_too_small_is_told_the_size);
	return suite;
}
