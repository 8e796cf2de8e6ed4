/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Resources: the limits of a service, tested on a tree of plain files in place of cgroup v2.
 */
#include "config.h"

#include <check.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/lib/tree.h"
#include "base/fd.h"
#include "process/resources.h"
#include "tests/lib/suite.h"

/* The cgroups of svcd, of all services, and of one service. */
static Tree *make_groups(const char *controllers, const char *enabled_above)
{
	Tree *tree = tree_new();

	tree_mkdir(tree, "/given/svcd/web");
	tree_write(tree, "/given/cgroup.controllers", controllers);
	tree_write(tree, "/given/cgroup.subtree_control", enabled_above);
	tree_write(tree, "/given/svcd/cgroup.controllers", controllers);
	tree_write(tree, "/given/svcd/cgroup.subtree_control", "");
	tree_write(tree, "/given/svcd/web/memory.max", "max\n");
	tree_write(tree, "/given/svcd/web/pids.max", "max\n");
	return tree;
}

static char *contents(const Tree *tree, const char *path)
{
	g_autofree char *whole = tree_path(tree, path);
	char *text = NULL;

	ck_assert_msg(g_file_get_contents(whole, &text, NULL, NULL), "no file %s", path);
	return text;
}

static void forget(const Tree *tree, const char *path)
{
	g_autofree char *whole = tree_path(tree, path);

	ck_assert_int_eq(unlink(whole), 0);
}

static void expect_contents(const Tree *tree, const char *path, const char *expected)
{
	g_autofree char *text = contents(tree, path);

	ck_assert_msg(g_str_has_prefix(text, expected), "%s holds \"%s\"", path, text);
}

/* Pairs of @key and @value; "" ends. */
static ResourceDef *read_all(const char *const *pairs)
{
	ResourceDef *def = NULL;

	for (; *pairs; pairs += 2) {
		Resource resource;

		ck_assert(resource_from_name(pairs[0], &resource));
		ck_assert_ptr_null(resource_def_read(&def, resource, pairs[1]));
	}
	return def;
}

static char *apply(const Tree *tree, const char *const *pairs)
{
	ResourceDef *def = read_all(pairs);
	g_autofree char *root = tree_path(tree, "/given/svcd");
	g_autofree char *group = tree_path(tree, "/given/svcd/web");
	char *problem = resources_apply(def, NULL, root, group);

	resource_def_free(def);
	return problem;
}

START_TEST(limits_are_written_and_their_controllers_enabled_in_all_groups_above)
{
	Tree *tree = make_groups("cpu memory pids\n", "");
	const char *const pairs[] = { "MemoryMax", "64M", "TasksMax", "20", NULL };
	g_autofree char *problem = apply(tree, pairs);

	ck_assert_ptr_null(problem);
	expect_contents(tree, "/given/svcd/web/memory.max", "67108864");
	expect_contents(tree, "/given/svcd/web/pids.max", "20");
	/* a real kernel would add the controllers to the content */
	expect_contents(tree, "/given/cgroup.subtree_control", "+");
	expect_contents(tree, "/given/svcd/cgroup.subtree_control", "+");
	tree_free(tree);
}
END_TEST

START_TEST(what_is_enabled_already_is_left_alone)
{
	Tree *tree = make_groups("memory pids\n", "memory\n");
	const char *const pairs[] = { "MemoryMax", "1M", NULL };
	g_autofree char *problem = apply(tree, pairs);

	ck_assert_ptr_null(problem);
	expect_contents(tree, "/given/cgroup.subtree_control", "memory");
	expect_contents(tree, "/given/svcd/cgroup.subtree_control", "+memory");
	tree_free(tree);
}
END_TEST

START_TEST(missing_controller_and_file_are_reported_and_the_rest_is_written)
{
	Tree *tree = make_groups("memory cpu\n", "");
	const char *const pairs[] = { "TasksMax", "5", "CPUWeight", "50", "MemoryMax", "1M", NULL };
	g_autofree char *problem = apply(tree, pairs);

	ck_assert_str_eq(
		problem,
		"CPUWeight= has no effect: cannot write \"50\" to cpu.weight: No such file or "
		"directory; "
		"TasksMax= has no effect: there is no pids controller of cgroup v2 here");
	expect_contents(tree, "/given/svcd/web/memory.max", "1048576");
	tree_free(tree);
}
END_TEST

START_TEST(without_cgroups_no_limit_is_in_force)
{
	const char *const pairs[] = { "MemoryMax", "1M", NULL };
	ResourceDef *def = read_all(pairs);
	g_autofree char *problem = resources_apply(def, NULL, NULL, NULL);

	ck_assert_str_eq(problem, "MemoryMax= has no effect: there is no cgroup v2");
	resource_def_free(def);
}
END_TEST

START_TEST(disks_that_bfq_schedules_have_a_file_of_their_own)
{
	Tree *tree = make_groups("io\n", "io\n");
	const char *const pairs[] = { "IOWeight", "200", NULL };
	g_autofree char *problem = NULL;

	tree_write(tree, "/given/svcd/web/io.bfq.weight", "default 100\n");
	problem = apply(tree, pairs);

	ck_assert_ptr_null(problem);
	expect_contents(tree, "/given/svcd/web/io.bfq.weight", "default 200");
	tree_free(tree);
}
END_TEST

START_TEST(share_of_the_memory_becomes_bytes)
{
	const unsigned long long bytes = (unsigned long long)sysconf(_SC_PHYS_PAGES) *
					 (unsigned long long)sysconf(_SC_PAGESIZE);
	Tree *tree = make_groups("memory\n", "memory\n");
	const char *const pairs[] = { "MemoryMax", "25%", NULL };
	g_autofree char *expected = g_strdup_printf("%llu", bytes / 100 * 25);
	g_autofree char *problem = apply(tree, pairs);

	ck_assert_ptr_null(problem);
	expect_contents(tree, "/given/svcd/web/memory.max", expected);
	tree_free(tree);
}
END_TEST

START_TEST(kills_for_lack_of_memory_are_counted)
{
	Tree *tree = make_groups("memory\n", "memory\n");
	g_autofree char *group = tree_path(tree, "/given/svcd/web");
	OutOfMemory none = resources_out_of_memory(group);
	OutOfMemory some;

	tree_write(tree, "/given/svcd/web/memory.events",
		   "low 0\nhigh 0\nmax 12\noom 2\noom_kill 3\noom_group_kill 0\n");
	some = resources_out_of_memory(group);

	ck_assert_uint_eq(none.n_kills, 0);
	ck_assert_uint_eq(some.n_kills, 3);
	ck_assert_uint_eq(some.n_limit_reached, 2);
	ck_assert_uint_eq(resources_out_of_memory(NULL).n_kills, 0);
	tree_free(tree);
}
END_TEST

/*
 * A child that was killed for lack of memory does not explain a kill of the main process a week
 * later.
 */
START_TEST(kernels_log_names_the_killed_process)
{
	static const char *const records[] = {
		"6,1201,88,-;Out of memory: Killed process 12 (other) total-vm:1kB",
		"3,1202,99,-;Memory cgroup out of memory: Killed process 812 (perl) "
		"total-vm:70224kB, anon-rss:31872kB",
		"6,1203,99,-;init: process 813 ended",
	};
	static const struct {
		pid_t pid;
		KernelAnswer answer;
	} requested[] = { { 812, KERNEL_ANSWER_YES },
			  { 813, KERNEL_ANSWER_NO },
			  { 81, KERNEL_ANSWER_NO },
			  { 8120, KERNEL_ANSWER_NO } };

	for (size_t i = 0; i < G_N_ELEMENTS(requested); i++) {
		int ends[2];

		ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC,
					    0, ends),
				 0);
		for (size_t k = 0; k < G_N_ELEMENTS(records); k++)
			ck_assert_int_gt(write(ends[1], records[k], strlen(records[k])), 0);
		ck_assert_int_eq(resources_kernel_killed(ends[0], requested[i].pid),
				 requested[i].answer);
		(void)close(ends[0]);
		(void)close(ends[1]);
	}
	ck_assert_int_eq(resources_kernel_killed(-1, 812), KERNEL_ANSWER_UNKNOWN);
}
END_TEST

/* A limit without a controller does not exist, so "infinity" is satisfied. */
START_TEST(an_infinite_limit_needs_no_controller)
{
	Tree *tree = make_groups("memory\n", "");
	const char *const pairs[] = { "TasksMax",  "infinity", "MemoryMax", "infinity",
				      "CPUWeight", "50",       NULL };
	g_autofree char *problem = NULL;

	forget(tree, "/given/svcd/web/memory.max");
	problem = apply(tree, pairs);

	ck_assert_str_eq(problem,
			 "CPUWeight= has no effect: there is no cpu controller of cgroup v2 here");
	expect_contents(tree, "/given/svcd/web/pids.max", "max");
	expect_contents(tree, "/given/cgroup.subtree_control", "");
	tree_free(tree);
}
END_TEST

static guint64 number_in(const char *path)
{
	g_autofree char *text = NULL;

	ck_assert(g_file_get_contents(path, &text, NULL, NULL));
	return g_ascii_strtoull(text, NULL, 10);
}

/*
 * The share is relative to the lowest of three limits, because a container may have a lower limit
 * than its machine.
 */
START_TEST(share_of_the_tasks_is_relative_to_the_lowest_limit)
{
	const guint64 of_kernel = MIN(number_in("/proc/sys/kernel/threads-max"),
				      number_in("/proc/sys/kernel/pid_max"));
	Tree *tree = make_groups("pids\n", "pids\n");
	g_autofree char *group = tree_path(tree, "/given/svcd/web");
	g_autofree char *expected = g_strdup_printf("%" G_GUINT64_FORMAT, of_kernel * 15 / 100);

	g_autofree char *root = tree_path(tree, "/given/svcd");
	int machine[MACHINE_COUNT];

	for (int file = 0; file < MACHINE_COUNT; file++)
		machine[file] = resources_open_machine_file((MachineFile)file, root);
	ck_assert_int_eq(machine[MACHINE_GIVEN], -1);
	resources_limit_tasks("15%", machine, group);
	expect_contents(tree, "/given/svcd/web/pids.max", expected);

	tree_write(tree, "/given/pids.max", "max\n");
	machine[MACHINE_GIVEN] = resources_open_machine_file(MACHINE_GIVEN, root);
	resources_limit_tasks("15%", machine, group);
	expect_contents(tree, "/given/svcd/web/pids.max", expected);

	tree_write(tree, "/given/pids.max", "200\n");
	fd_close(&machine[MACHINE_GIVEN]);
	machine[MACHINE_GIVEN] = resources_open_machine_file(MACHINE_GIVEN, root);
	resources_limit_tasks("15%", machine, group);
	expect_contents(tree, "/given/svcd/web/pids.max", "30");
	for (int file = 0; file < MACHINE_COUNT; file++)
		fd_close(&machine[file]);
	tree_free(tree);
}
END_TEST

START_TEST(without_a_process_controller_nothing_is_limited)
{
	Tree *tree = make_groups("memory\n", "");
	g_autofree char *group = tree_path(tree, "/given/svcd/web");
	g_autofree char *file = tree_path(tree, "/given/svcd/web/pids.max");

	forget(tree, "/given/svcd/web/pids.max");
	resources_limit_tasks("15%", NULL, group);

	ck_assert(!g_file_test(file, G_FILE_TEST_EXISTS));
	expect_contents(tree, "/given/svcd/cgroup.subtree_control", "");
	ck_assert_uint_eq(resources_task_refusals(group), 0);
	tree_write(tree, "/given/svcd/web/pids.events", "max 7\n");
	ck_assert_uint_eq(resources_task_refusals(group), 7);
	tree_free(tree);
}
END_TEST

static const struct {
	const char *key;
	const char *value;
	const char *text; /* for the kernel */
	const char *problem; /* or the error */
	/* clang-format off */
} values[] = {
	{ "MemoryMax", "2G", "2147483648", NULL },
	{ "MemoryHigh", "infinity", "max", NULL },
	{ "MemorySwapMax", "0", "0", NULL },
	{ "MemoryOOMGroup", "yes", "1", NULL },
	{ "CPUWeight", "10000", "10000", NULL },
	{ "CPUQuota", "150%", "150000 100000", NULL },
	{ "AllowedCPUs", "0-3 6", "0-3,6", NULL },
	{ "IOWeight", "1", "default 1", NULL },
	{ "TasksMax", "infinity", "max", NULL },
	{ "TasksMax", "33%", "33%", NULL },
	{ "MemoryMax", "101%", NULL, "write a size such as 512M, a share of the machine's memory such as 25%, or infinity" },
	{ "MemoryMin", "much", NULL, "write a size such as 512M, a share of the machine's memory such as 25%, or infinity" },
	{ "MemoryOOMGroup", "maybe", NULL, "write yes or no" },
	{ "CPUWeight", "0", NULL, "write a number from 1 to 10000; the default is 100" },
	{ "IOWeight", "10001", NULL, "write a number from 1 to 10000; the default is 100" },
	{ "CPUQuota", "50", NULL, "write a share of one processor such as 50%; 200% means two processors" },
	{ "AllowedCPUs", "all", NULL, "write numbers of processors and ranges, such as 0-3 6" },
	{ "TasksMax", "0", NULL, "write a number of processes and threads, a share of the machine's limit such as 15%, or infinity" },
	{ "TasksMax", "101%", NULL, "write a number of processes and threads, a share of the machine's limit such as 15%, or infinity" },
};
/* clang-format on */

START_TEST(value_becomes_text_for_the_kernel_or_an_error)
{
	ResourceDef *def = NULL;
	Resource resource;
	g_autofree char *problem = NULL;

	ck_assert(resource_from_name(values[_i].key, &resource));
	problem = resource_def_read(&def, resource, values[_i].value);
	if (values[_i].problem)
		ck_assert_str_eq(problem, values[_i].problem);
	else
		ck_assert_str_eq(def->values[resource], values[_i].text);
	resource_def_free(def);
}
END_TEST

START_TEST(idle_group_is_idle_among_the_groups_where_they_have_weights)
{
	Tree *tree = make_groups("cpu\n", "cpu\n");
	g_autofree char *group = tree_path(tree, "/given/svcd/web");
	g_autofree char *without = tree_path(tree, "/given/svcd");
	g_autofree char *absent = tree_path(tree, "/given/svcd/cpu.idle");

	tree_write(tree, "/given/svcd/web/cpu.idle", "");
	resources_make_idle(group);
	resources_make_idle(without);

	expect_contents(tree, "/given/svcd/web/cpu.idle", "1");
	ck_assert(!g_file_test(absent, G_FILE_TEST_EXISTS));
	tree_free(tree);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("resources");

	suite_add_loop(suite, "resources", value_becomes_text_for_the_kernel_or_an_error,
		       G_N_ELEMENTS(values));
	ADD_CASE(suite, "resources",
		 limits_are_written_and_their_controllers_enabled_in_all_groups_above,
		 what_is_enabled_already_is_left_alone,
		 missing_controller_and_file_are_reported_and_the_rest_is_written,
		 without_cgroups_no_limit_is_in_force,
		 disks_that_bfq_schedules_have_a_file_of_their_own,
		 an_infinite_limit_needs_no_controller,
		 share_of_the_tasks_is_relative_to_the_lowest_limit,
		 without_a_process_controller_nothing_is_limited, share_of_the_memory_becomes_bytes,
		 kills_for_lack_of_memory_are_counted, kernels_log_names_the_killed_process,
		 idle_group_is_idle_among_the_groups_where_they_have_weights);
	return suite;
}
