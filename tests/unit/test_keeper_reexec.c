/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The memory that PID 1 leaves to its next image: all of it is restored, and damaged parts affect
 * nothing else.
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
#include "keeper/fd-store.h"
#include "keeper/keeper.h"
#include "keeper/link.h"
#include "keeper/memory.h"
#include "keeper/reexec.h"
#include "keeper/shutdown.h"
#include "tests/lib/suite.h"

/* As in memory.c. */
struct Header {
	uint32_t magic;
	uint32_t layout;
	uint32_t state_offset;
	uint32_t state_bytes;
	uint32_t keeper_offset;
	uint32_t keeper_bytes;
	struct {
		uint32_t offset;
		uint32_t row_bytes;
		uint32_t n_rows;
		uint32_t last;
	} tables[N_TABLES];
};

static const struct ProcessId ssh = { .service = "ssh", .invocation = 7, .role = ROLE_MAIN };

static void fill_tables(int kept_fd)
{
	struct ProcessId id = { .service = "ssh", .invocation = 7, .role = ROLE_MAIN };
	static const struct rusage usage = { .ru_utime = { .tv_sec = 2 } };

	(void)children_add(&id, 1234, 99);
	id.role = ROLE_CONTROL;
	child_set_exited(children_add(&id, 1235, 100), 3 << 8, &usage, 101);
	ck_assert_int_eq(note_set("ssh", "ready"), 0);
	ck_assert_int_eq(fd_store_keep("ssh/listen/0", kept_fd), 0);
	link_init(5, 9);
	shutdown_begin(SHUTDOWN_REBOOT, 60000, keeper_now_us());
	(void)keeper_copy(keeper.cgroup_root, sizeof(keeper.cgroup_root), "/sys/fs/cgroup/svcd");
	keeper.ping_ms = PROTOCOL_PING_INTERVAL_MS;
}

/*
 * Writes the memory like reexec_now(), and returns it. An empty memory takes its place, and the
 * rows of children are gone.
 */
static int leave_memory(void)
{
	int fd;

	reexec_write_state();
	fd_store_set_cloexec(false);
	fd = dup(memory_fd());
	ck_assert_int_ge(fd, 0);
	memory_init();
	(void)children_resume();
	return fd;
}

static bool resume(int fd)
{
	reexec_expect(fd);
	return reexec_resume();
}

static struct Header *header_of(int fd)
{
	struct Header *header =
		mmap(NULL, sizeof(*header), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	ck_assert_ptr_ne(header, MAP_FAILED);
	return header;
}

static void check_all(void)
{
	struct ProcessId id = ssh;
	const struct Child *child = children_find(&id);

	ck_assert_ptr_nonnull(child);
	ck_assert_int_eq(child->pid, 1234);
	ck_assert_uint_eq(child->spawned_at_us, 99);
	id.role = ROLE_CONTROL;
	child = children_find(&id);
	ck_assert_uint_ne(child->flags & CHILD_EXITED, 0);
	ck_assert_int_eq(child->exit.status, 3);
	ck_assert_uint_eq(child->exit.user_us, 2000000);
	ck_assert_str_eq(note_find("ssh"), "ready");
	ck_assert_int_ge(fd_store_find("ssh/listen/0"), 0);
	ck_assert_uint_eq(link_generation(), 5);
	ck_assert_int_eq(link_last_status(), 9);
	ck_assert_int_eq(shutdown_kind(), SHUTDOWN_REBOOT);
	ck_assert_uint_gt(shutdown_left_ms(keeper_now_us()), 50000);
	ck_assert_str_eq(keeper.cgroup_root, "/sys/fs/cgroup/svcd");
}

static int open_null(void)
{
	int fd = open("/dev/null", O_RDONLY);

	ck_assert_int_ge(fd, 0);
	return fd;
}

START_TEST(all_memory_is_restored)
{
	memory_init();
	fill_tables(open_null());
	ck_assert(resume(leave_memory()));
	check_all();
}
END_TEST

/*
 * Makes an image with rows that are @more_bytes longer, or shorter if @more_bytes is negative.
 */
static int convert(int fd, int more_bytes)
{
	const struct Header *old = header_of(fd);
	struct Header header = *old;
	const int other = memfd_create("other", 0);
	char row[1024] = "";

	header.keeper_bytes += (uint32_t)more_bytes; /* nothing follows the state here */
	header.tables[0].offset = 65536;
	for (int id = 0; id < N_TABLES; id++) {
		header.tables[id].row_bytes += (uint32_t)more_bytes;
		header.tables[id].n_rows = 100;
		if (id > 0)
			header.tables[id].offset = header.tables[id - 1].offset +
						   header.tables[id - 1].row_bytes * 100;
	}
	ck_assert_int_eq(
		ftruncate(other, header.tables[2].offset + header.tables[2].row_bytes * 100), 0);
	ck_assert_int_eq(pwrite(other, &header, sizeof(header), 0), sizeof(header));
	for (uint32_t at = 0; at < old->keeper_offset - old->state_offset + old->keeper_bytes;
	     at += 8) {
		ck_assert_int_eq(pread(fd, row, 8, old->state_offset + at), 8);
		ck_assert_int_eq(pwrite(other, row, 8, header.state_offset + at), 8);
	}
	for (int id = 0; id < N_TABLES; id++) {
		for (uint32_t n = 1; n <= old->tables[id].last; n++) {
			const size_t size = old->tables[id].row_bytes +
					    (uint32_t)(more_bytes < 0 ? more_bytes : 0);

			ck_assert_int_eq(
				pread(fd, row, size,
				      old->tables[id].offset + n * old->tables[id].row_bytes),
				(ssize_t)size);
			ck_assert_int_eq(
				pwrite(other, row, size,
				       header.tables[id].offset + n * header.tables[id].row_bytes),
				(ssize_t)size);
		}
	}
	return other;
}

START_TEST(rows_of_another_size_are_converted)
{
	memory_init();
	fill_tables(open_null());
	ck_assert(resume(convert(leave_memory(), 16)));
	check_all();
	ck_assert(resume(leave_memory()));
	check_all();
}
END_TEST

/* Each damaged header points past an end, or belongs to another program. */
static void damage_header(struct Header *h, int number)
{
	uint32_t *const fields[] = {
		&h->magic,
		&h->layout,
		&h->state_offset,
		&h->state_bytes,
		&h->tables[0].offset,
		&h->tables[1].row_bytes,
		&h->tables[1].n_rows,
		&h->keeper_offset,
	};

	*fields[number] += 0x40000000;
}

START_TEST(a_header_that_makes_no_sense_is_not_used)
{
	int fd;

	memory_init();
	fill_tables(open_null());
	fd = leave_memory();
	damage_header(header_of(fd), _i);

	ck_assert_int_ne(reexec_try(fd), REEXEC_CAN_TAKE_OVER);
	ck_assert(!resume(fd));
	ck_assert_uint_eq(children_count(), 0);
	memory_init();
	ck_assert_ptr_nonnull(children_add(&ssh, 1234, 99));
}
END_TEST

static void fill(char *field, size_t size)
{
	memset(field, 'x', size);
}

/* Damage by a stray write, in fields that the next image relies on. */
static void damage_state(int number)
{
	switch (number) {
	case 0:
		keeper.n_arguments = KEEPER_MAX_ARGUMENTS + 1;
		break;
	case 1:
		keeper.n_arguments = 1;
		fill(keeper.arguments[0], sizeof(keeper.arguments[0]));
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
	case 5:
		memset(&keeper.container, 2, sizeof(keeper.container));
		break;
	default:
		keeper.ping_ms = 0;
		break;
	}
}

START_TEST(a_state_that_makes_no_sense_is_not_taken_over)
{
	int fd;

	memory_init();
	fill_tables(open_null());
	damage_state(_i);
	fd = leave_memory();

	ck_assert_int_ne(reexec_try(fd), REEXEC_CAN_TAKE_OVER);
	ck_assert(!resume(fd));
	ck_assert_uint_eq(children_count(), 0);
}
END_TEST

/* Each function creates a row that the old image never had. */
static void ourselves_as_a_child(void)
{
	const struct ProcessId id = { .service = "init", .invocation = 1 };

	(void)children_add(&id, 1, 99);
}

static void standard_output_as_kept(void)
{
	(void)fd_store_keep("a/log/1", STDOUT_FILENO);
}

static void a_note_without_an_end(void)
{
	struct Note *note;

	(void)note_set("a", "x");
	note = table_row(TABLE_NOTES, table_find(TABLE_NOTES, "a"));
	memset(note->text, 'x', sizeof(note->text));
}

static void half_a_note(void)
{
	(void)note_set("a", "x");
	row_set_mark(table_row(TABLE_NOTES, table_find(TABLE_NOTES, "a")), ROW_CHANGING);
}

static void a_start_that_has_no_process_yet(void)
{
	const struct ProcessId id = { .service = "a", .invocation = 1 };

	(void)children_begin(&id);
}

static void an_unknown_role(void)
{
	const struct ProcessId id = { .service = "a", .invocation = 1 };

	children_add(&id, 1236, 99)->role = 77;
}

static void the_same_row_twice(void)
{
	const struct ProcessId id = { .service = "twice", .invocation = 1 };

	struct Child *child = children_add(&id, 1236, 99);
	(void)keeper_copy(child->row.name, sizeof(child->row.name), "ssh");
}

static void (*const damages[])(void) = {
	ourselves_as_a_child, standard_output_as_kept,         a_note_without_an_end,
	half_a_note,          a_start_that_has_no_process_yet, an_unknown_role,
	the_same_row_twice,
};

START_TEST(a_damaged_row_is_dropped_and_costs_no_other)
{
	int fd;

	memory_init();
	fill_tables(open_null());
	damages[_i]();
	fd = leave_memory();

	/* A truncation by a fault is not a reason to refuse. */
	ck_assert_int_eq(reexec_try(fd) == REEXEC_CAN_TAKE_OVER,
			 damages[_i] == half_a_note ||
				 damages[_i] == a_start_that_has_no_process_yet);
	memory_init();
	(void)children_resume();
	ck_assert(resume(fd));
	ck_assert_uint_eq(children_count(), 2);
	ck_assert_uint_eq(table_count(TABLE_NOTES), 1);
	ck_assert_uint_eq(table_count(TABLE_FDS), 1);
}
END_TEST

/* A fault came between the clone and the mark in the row. */
START_TEST(a_start_that_has_its_process_is_taken_over)
{
	const struct ProcessId id = { .service = "a", .invocation = 1 };
	pid_t pid = fork();

	if (pid == 0) {
		(void)pause();
		_exit(0);
	}
	memory_init();
	keeper.ping_ms = 5000;
	children_begin(&id)->pid = pid;

	ck_assert(resume(leave_memory()));

	ck_assert_ptr_nonnull(children_find_pid(pid));
	(void)kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}
END_TEST

START_TEST(a_table_that_claims_too_many_rows_keeps_those_that_it_has)
{
	int fd;

	memory_init();
	fill_tables(open_null());
	fd = leave_memory();
	header_of(fd)->tables[TABLE_NOTES].last = 0x40000000;

	ck_assert(resume(fd));
	check_all();
}
END_TEST

/* During the replacement both rows are complete for a moment. */
START_TEST(a_note_is_replaced_by_a_new_row)
{
	const unsigned int first =
		(memory_init(), note_set("a", "old"), table_find(TABLE_NOTES, "a"));

	ck_assert_int_eq(note_set("a", "new"), 0);

	ck_assert_uint_ne(table_find(TABLE_NOTES, "a"), first);
	ck_assert_str_eq(note_find("a"), "new");
	ck_assert_uint_eq(table_count(TABLE_NOTES), 1);
}
END_TEST

START_TEST(a_trial_changes_nothing)
{
	int fd;

	memory_init();
	fill_tables(open_null());
	fd = leave_memory();

	ck_assert_int_eq(reexec_try(fd), REEXEC_CAN_TAKE_OVER);
	while (children_next(NULL))
		table_remove(TABLE_CHILDREN,
			     1 + (children_next(NULL) != table_row(TABLE_CHILDREN, 1)));
	memory_init();
	(void)children_resume();
	ck_assert(resume(fd));
	check_all();
}
END_TEST

START_TEST(a_pid_that_is_no_longer_our_child_is_taken_over_as_ended)
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
	memory_init();
	(void)children_add(&twice, pid, 99);
	(void)children_add(&kept, pid, 99);
	(void)children_add(&lost, getppid(), 99); /* our parent must get no signal */

	ck_assert(resume(leave_memory()));

	ck_assert_uint_ne(children_find(&lost)->flags & CHILD_EXITED, 0);
	ck_assert_int_eq(children_find(&lost)->exit.code, 0); /* unknown */
	/* exactly one of the two has exited */
	ck_assert_uint_ne(
		(children_find(&kept)->flags ^ children_find(&twice)->flags) & CHILD_EXITED, 0);
	ck_assert(!(children_find_pid(pid)->flags & CHILD_EXITED));
	(void)kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}
END_TEST

START_TEST(a_descriptor_that_is_not_there_or_there_twice_is_not_taken_over)
{
	int fd = open_null();

	memory_init();
	keeper.ping_ms = 5000;
	ck_assert_int_eq(fd_store_keep("a/log/1", fd), 0);
	ck_assert_int_eq(fd_store_keep("a/log/2", fd), 0);
	ck_assert_int_eq(fd_store_keep("b/log/1", 200), 0);

	ck_assert(resume(leave_memory()));

	ck_assert_uint_eq(table_count(TABLE_FDS), 1);
	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("keeper re-exec");

	(void)suite_add_loop(suite, "state", a_state_that_makes_no_sense_is_not_taken_over, 7);
	(void)suite_add_loop(suite, "header", a_header_that_makes_no_sense_is_not_used, 8);
	(void)suite_add_loop(suite, "rows", a_damaged_row_is_dropped_and_costs_no_other,
			     sizeof(damages) / sizeof(damages[0]));
	ADD_CASE(suite, "memory", all_memory_is_restored, rows_of_another_size_are_converted,
		 a_start_that_has_its_process_is_taken_over, a_trial_changes_nothing,
		 a_table_that_claims_too_many_rows_keeps_those_that_it_has,
		 a_note_is_replaced_by_a_new_row,
		 a_pid_that_is_no_longer_our_child_is_taken_over_as_ended,
		 a_descriptor_that_is_not_there_or_there_twice_is_not_taken_over);
	return suite;
}
