/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The keeper's tables: children, notes, stored descriptors; and valid spawn requests.
 */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "keeper/children.h"
#include "keeper/fd-store.h"
#include "keeper/memory.h"
#include "keeper/spawn.h"
#include "tests/lib/suite.h"

static const struct rusage no_usage;

static void set_up(void)
{
	memory_init();
}

static struct ProcessId make_id(const char *service, uint64_t invocation, uint32_t role)
{
	struct ProcessId id = { .invocation = invocation, .role = role };

	(void)snprintf(id.service, sizeof(id.service), "%s", service);
	return id;
}

START_TEST(a_row_is_found_by_its_name_and_its_place_is_used_again)
{
	static const size_t lengths[] = { 200, 30, 10, 239, 1, 239, 24 };
	char name[PROTOCOL_KEEP_NAME_BYTES + 1];
	const unsigned int other = table_add(TABLE_NOTES, "other");
	unsigned int first = 0;

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		unsigned int n;

		memset(name, 'a' + (int)i, lengths[i]);
		name[lengths[i]] = '\0';
		n = table_add(TABLE_NOTES, name);
		ck_assert(first == 0 || n == first);
		first = n;
		ck_assert_uint_eq(table_find(TABLE_NOTES, name), n);
		table_remove(TABLE_NOTES, n);
		ck_assert_uint_eq(table_find(TABLE_NOTES, name), 0);
	}
	ck_assert_uint_eq(table_find(TABLE_NOTES, "other"), other);

	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	ck_assert_uint_eq(table_add(TABLE_NOTES, ""), 0);
	ck_assert_uint_eq(table_add(TABLE_NOTES, name), 0);
}
END_TEST

START_TEST(a_row_in_use_refuses_until_its_exit_is_released)
{
	struct ProcessId first = make_id("a", 1, ROLE_MAIN);
	struct ProcessId second = make_id("a", 2, ROLE_MAIN);
	struct Child *child = children_add(&first, 100, 5);

	ck_assert_int_eq(children_may_add(&second), EBUSY);
	ck_assert(!children_release(&first));

	child_set_exited(child, 7 << 8, &no_usage, 6);
	ck_assert_ptr_null(children_find_pid(100));
	ck_assert_int_eq(children_may_add(&second), EBUSY);
	ck_assert(!children_release(&second));
	ck_assert(children_release(&first));
	ck_assert_int_eq(children_may_add(&second), 0);
	ck_assert_uint_eq(children_count(), 0);
}
END_TEST

START_TEST(an_id_without_name_end_invocation_or_role_is_refused)
{
	struct ProcessId endless = make_id("a", 1, ROLE_MAIN);
	struct ProcessId nameless = make_id("", 1, ROLE_MAIN);
	struct ProcessId invocation = make_id("a", 0, ROLE_MAIN);
	struct ProcessId role = make_id("a", 1, ROLE_COUNT);

	memset(endless.service, 'x', sizeof(endless.service));
	ck_assert_int_eq(children_may_add(&endless), EINVAL);
	ck_assert_int_eq(children_may_add(&nameless), EINVAL);
	ck_assert_int_eq(children_may_add(&invocation), EINVAL);
	ck_assert_int_eq(children_may_add(&role), EINVAL);
}
END_TEST

START_TEST(unsent_events_are_sent_in_the_order_in_which_they_happened)
{
	struct ProcessId a = make_id("a", 1, ROLE_MAIN);
	struct ProcessId b = make_id("b", 1, ROLE_MAIN);
	struct Child *first = children_add(&a, 100, 1);
	struct Child *second = children_add(&b, 101, 2);

	ck_assert_ptr_eq(children_first_unsent(), first);
	child_set_sent(first, CHILD_SPAWN_UNSENT);
	ck_assert_ptr_eq(children_first_unsent(), second);
	child_set_exited(first, SIGKILL, &no_usage, 3);
	child_set_sent(second, CHILD_SPAWN_UNSENT);
	ck_assert_ptr_eq(children_first_unsent(), first);
	child_set_sent(first, CHILD_EXIT_UNSENT);
	ck_assert_ptr_null(children_first_unsent());

	children_mark_unsent();
	ck_assert_ptr_eq(children_first_unsent(), first);
	ck_assert(first->flags & CHILD_SPAWN_UNSENT);
	ck_assert(first->flags & CHILD_EXIT_UNSENT);
}
END_TEST

START_TEST(a_row_released_before_it_was_sent_leaves_the_list_intact)
{
	struct ProcessId ids[3];

	for (int i = 0; i < 3; i++) {
		char name[16];

		(void)snprintf(name, sizeof(name), "s%d", i);
		ids[i] = make_id(name, 1, ROLE_MAIN);
		child_set_exited(children_add(&ids[i], 100 + i, 1), 0, &no_usage, 2);
	}
	ck_assert(children_release(&ids[1]));
	ck_assert_ptr_eq(children_first_unsent(), children_find(&ids[0]));
	ck_assert(children_release(&ids[2]));
	ck_assert(children_release(&ids[0]));
	ck_assert_ptr_null(children_first_unsent());
}
END_TEST

START_TEST(a_full_table_refuses_and_each_pid_is_found)
{
	struct ProcessId id;
	char name[16];

	for (int i = 0; i < PROTOCOL_MAX_CHILDREN; i++) {
		(void)snprintf(name, sizeof(name), "s%d", i);
		id = make_id(name, 1, ROLE_MAIN);
		ck_assert_ptr_nonnull(children_add(&id, 1000 + i, 1));
	}
	id = make_id("more", 1, ROLE_MAIN);
	ck_assert_int_eq(children_may_add(&id), ENFILE);
	for (int i = 0; i < PROTOCOL_MAX_CHILDREN; i++)
		ck_assert_int_eq(children_find_pid(1000 + i)->pid, 1000 + i);
	ck_assert_ptr_null(children_find_pid(999));
}
END_TEST

START_TEST(a_note_is_replaced_forgotten_and_limited)
{
	char endless[PROTOCOL_NOTE_BYTES];
	char name[16];

	memset(endless, 'x', sizeof(endless));
	ck_assert_int_eq(note_set("a", "one"), 0);
	ck_assert_int_eq(note_set("a", "two"), 0);
	ck_assert_int_eq(note_set("a", endless), E2BIG);
	ck_assert_str_eq(note_find("a"), "two");
	ck_assert_uint_eq(table_count(TABLE_NOTES), 1);
	ck_assert_int_eq(note_set("a", ""), 0);
	ck_assert_ptr_null(note_find("a"));

	for (int i = 0; i < PROTOCOL_MAX_NOTES; i++) {
		(void)snprintf(name, sizeof(name), "s%d", i);
		ck_assert_int_eq(note_set(name, "x"), 0);
	}
	ck_assert_int_eq(note_set("more", "x"), ENOSPC);
	ck_assert_int_eq(note_set("s5", "y"), 0);
}
END_TEST

START_TEST(a_note_may_grow_and_shrink_as_often_as_it_likes)
{
	char longest[PROTOCOL_NOTE_BYTES];

	memset(longest, 'x', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	for (int i = 0; i < 3 * PROTOCOL_MAX_NOTES; i++) {
		ck_assert_int_eq(note_set("a", "short"), 0);
		ck_assert_int_eq(note_set("b", longest), 0);
		ck_assert_int_eq(note_set("a", longest), 0);
		ck_assert_int_eq(note_set("b", "short"), 0);
		ck_assert_str_eq(note_find("a"), longest);
		ck_assert_str_eq(note_find("b"), "short");
	}
	ck_assert_uint_eq(table_count(TABLE_NOTES), 2);
	ck_assert_int_eq(note_set("a", ""), 0);
	ck_assert_ptr_null(note_find("a"));
	ck_assert_uint_eq(table_count(TABLE_NOTES), 1);
}
END_TEST

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

START_TEST(a_kept_descriptor_is_replaced_and_closed)
{
	int first = open("/dev/null", O_RDONLY);
	int second = open("/dev/null", O_RDONLY);
	int third = open("/dev/null", O_RDONLY);

	ck_assert_int_eq(fd_store_keep("a/listen/0", first), 0);
	ck_assert_int_eq(fd_store_keep("a/listen/0", second), 0);
	disposal_now();
	ck_assert(!is_open(first) && is_open(second));
	ck_assert_int_eq(fd_store_find("a/listen/0"), second);
	ck_assert_uint_eq(table_count(TABLE_FDS), 1);

	ck_assert_int_eq(fd_store_keep("", third), EINVAL);
	disposal_now();
	ck_assert(!is_open(third));
	fd_store_forget("a/listen/0");
	fd_store_forget("a/listen/0");
	disposal_now();
	ck_assert(!is_open(second));
	ck_assert_uint_eq(table_count(TABLE_FDS), 0);
}
END_TEST

/* A complete request: "/bin/true" with one variable. */
static size_t make_request(char *buffer)
{
	static const char strings[] = "/bin/true\0-v\0A=b";
	struct MessageSpawn m = { .argc = 2, .envc = 1 };

	memcpy(buffer, &m, sizeof(m));
	memcpy(buffer + sizeof(m), strings, sizeof(strings));
	return sizeof(m) + sizeof(strings);
}

static struct MessageSpawn *message_in(char *buffer)
{
	return (struct MessageSpawn *)(void *)buffer;
}

START_TEST(a_request_is_taken_apart_and_every_cut_of_it_is_refused)
{
	_Alignas(8) char buffer[PROTOCOL_MESSAGE_BYTES];
	size_t size = make_request(buffer);
	struct SpawnRequest r;

	ck_assert_int_eq(spawn_request_parse(buffer, size, NULL, 0, &r), 0);
	ck_assert_str_eq(r.argv[0], "/bin/true");
	ck_assert_str_eq(r.argv[1], "-v");
	ck_assert_ptr_null(r.argv[2]);
	ck_assert_str_eq(r.environment[0], "A=b");
	ck_assert_ptr_null(r.environment[1]);
	for (size_t cut = 0; cut < size; cut++)
		ck_assert_int_eq(spawn_request_parse(buffer, cut, NULL, 0, &r), EINVAL);
}
END_TEST

START_TEST(false_counts_are_refused)
{
	_Alignas(8) char buffer[PROTOCOL_MESSAGE_BYTES];
	struct MessageSpawn *m = message_in(buffer);
	size_t size = make_request(buffer);
	uint32_t *const counts[] = { &m->argc, &m->envc, &m->n_groups, &m->n_rlimits,
				     &m->n_inherited };
	const uint32_t lies[] = { 4, 17, 3000, 65536, UINT32_MAX };
	struct SpawnRequest r;

	for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
		for (size_t l = 0; l < sizeof(lies) / sizeof(lies[0]); l++) {
			(void)make_request(buffer);
			*counts[c] = lies[l];
			ck_assert_int_eq(spawn_request_parse(buffer, size, NULL, 0, &r), EINVAL);
		}
	}
}
END_TEST

START_TEST(descriptors_are_counted_and_dealt_out_in_order)
{
	_Alignas(8) char buffer[PROTOCOL_MESSAGE_BYTES];
	size_t size = make_request(buffer);
	const int fds[] = { 10, 11, 12, 13, 14, 15 };
	struct SpawnRequest r;

	message_in(buffer)->flags = SPAWN_STDIO | SPAWN_CGROUP | SPAWN_STATUS;
	message_in(buffer)->n_inherited = 1;
	ck_assert_int_eq(spawn_request_parse(buffer, size, fds, 6, &r), 0);
	ck_assert_int_eq(r.stdio[0], 10);
	ck_assert_int_eq(r.stdio[2], 12);
	ck_assert_int_eq(r.cgroup, 13);
	ck_assert_int_eq(r.status, 14);
	ck_assert_int_eq(r.inherited[0], 15);
	ck_assert_int_eq(spawn_request_parse(buffer, size, fds, 5, &r), EINVAL);
	ck_assert_int_eq(spawn_request_parse(buffer, size, NULL, 0, &r), EINVAL);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("keeper tables");

	ADD_CASE_AROUND(suite, "children", set_up, NULL,
			a_row_in_use_refuses_until_its_exit_is_released,
			an_id_without_name_end_invocation_or_role_is_refused,
			unsent_events_are_sent_in_the_order_in_which_they_happened,
			a_row_released_before_it_was_sent_leaves_the_list_intact,
			a_full_table_refuses_and_each_pid_is_found);
	ADD_CASE_AROUND(suite, "store", set_up, NULL,
			a_row_is_found_by_its_name_and_its_place_is_used_again,
			a_note_is_replaced_forgotten_and_limited,
			a_note_may_grow_and_shrink_as_often_as_it_likes,
			a_kept_descriptor_is_replaced_and_closed);
	ADD_CASE(suite, "requests", a_request_is_taken_apart_and_every_cut_of_it_is_refused,
		 false_counts_are_refused, descriptors_are_counted_and_dealt_out_in_order);
	return suite;
}
