/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Resources: short writes to control files. The kernel accepts each at once or returns an error.
 */
#include "config.h"

#include "process/resources.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/fd.h"

/* Lists of controllers, counters: all of these files are short. */
#define FILE_BYTES 1024

/*
 * The size of one kernel log record, and the number of records that a log of several MiB holds.
 * More are not read.
 */
#define RECORD_BYTES 8192
#define RECORDS_MAX 50000

/*
 * The PIDs in the kernel log are those of this PID namespace (PROC_PID_INIT_INO in
 * linux/proc_ns.h).
 */
#define FIRST_PID_NAMESPACE 0xeffffffcu

static bool write_file(const char *directory, const char *file, const char *text)
{
	g_autofree char *path = g_build_filename(directory, file, NULL);
	auto_fd int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
}

/* "" if the file is missing; a new string. */
static char *read_text(const char *path)
{
	g_autoptr(GBytes) bytes = file_read_bounded(path, FILE_BYTES, NULL);
	gsize size = 0;
	const char *text = bytes ? g_bytes_get_data(bytes, &size) : NULL;

	return size > 0 ? g_strndup(text, size) : g_strdup("");
}

static bool lists(const char *directory, const char *file, const char *token)
{
	g_autofree char *path = g_build_filename(directory, file, NULL);
	g_autofree char *text = read_text(path);
	g_auto(GStrv) phrase = g_strsplit_set(text, " \n", -1);

	return g_strv_contains((const char *const *)phrase, token);
}

/* Enables the controller for the groups below @directory. */
static bool enable(const char *directory, const char *controller, GError **error)
{
	g_autofree char *token = g_strconcat("+", controller, NULL);

	if (lists(directory, "cgroup.subtree_control", controller))
		return true;
	if (!lists(directory, "cgroup.controllers", controller))
		return fail(error, SVCD_ERROR_NOT_SUPPORTED,
			    "there is no %s controller of cgroup v2 here", controller);
	return write_file(directory, "cgroup.subtree_control", token) ||
	       fail_errno(error, errno, "cannot enable the %s controller in %s", controller,
			  directory);
}

/* Enables the controller in the group that svcd was given, and in the group of all services. */
static bool enable_above(const char *root, const char *controller, GError **error)
{
	g_autofree char *above = g_path_get_dirname(root);

	/*
	 * Users can list the group above (and hold its lock), so no path in it is looked up without
	 * need.
	 */
	return lists(root, "cgroup.subtree_control", controller) ||
	       (enable(above, controller, error) && enable(root, controller, error));
}

/* Only a number lowers *@number; "max" or a missing file does not. */
static void lower_to(uint64_t *number, int fd)
{
	char text[32] = "";
	uint64_t read_number;

	if (fd < 0 || pread(fd, text, sizeof text - 1, 0) <= 0)
		return;
	read_number = g_ascii_strtoull(text, NULL, 10);
	if (read_number > 0)
		*number = MIN(*number, read_number);
}

/* Read each time, because sysctl.d may change the values during a boot. */
static uint64_t tasks_of_machine(const int *machine)
{
	uint64_t number = INT32_MAX;

	for (int file = 0; machine && file < MACHINE_MOUNTS; file++)
		lower_to(&number, machine[file]);
	return number;
}

/* "25%" refers to the machine's memory, or to its maximum number of processes and threads. */
static char *resolve(Resource resource, const char *value, const int *machine)
{
	const uint64_t bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t percent;

	if (!g_str_has_suffix(value, "%"))
		return g_strdup(value);
	percent = g_ascii_strtoull(value, NULL, 10);
	if (resource == RESOURCE_TASKS_MAX)
		return g_strdup_printf("%" G_GUINT64_FORMAT,
				       MAX(1, tasks_of_machine(machine) * percent / 100));
	return g_strdup_printf("%" G_GUINT64_FORMAT, bytes / 100 * percent);
}

static bool set_file(Resource resource, const char *text, const char *group)
{
	if (write_file(group, resource_file(resource), text))
		return true;
	/* Only one of the two disk schedulers supports weights, and each has its own file. */
	return resource == RESOURCE_IO_WEIGHT && errno == ENOENT &&
	       write_file(group, "io.bfq.weight", text);
}

static bool set_resource(Resource resource, const char *value, const int *machine, const char *root,
			 const char *group, GError **error)
{
	g_autofree char *text = NULL;

	if (!root)
		return fail(error, SVCD_ERROR_NOT_SUPPORTED, "there is no cgroup v2");
	if (!enable_above(root, resource_controller(resource), error))
		return false;
	text = resolve(resource, value, machine);
	return set_file(resource, text, group) ||
	       fail_errno(error, errno, "cannot write \"%s\" to %s", text, resource_file(resource));
}

void resources_make_idle(const char *group)
{
	/* on failure the group has the share that its weight gives it */
	(void)write_file(group, "cpu.idle", "1");
}

void resources_limit_tasks(const char *value, const int *machine, const char *group)
{
	g_autofree char *path = g_build_filename(group, resource_file(RESOURCE_TASKS_MAX), NULL);
	auto_fd int fd = open(path, O_WRONLY | O_CLOEXEC);
	g_autofree char *text = fd < 0 ? NULL : resolve(RESOURCE_TASKS_MAX, value, machine);

	if (text)
		/* on failure only the machine's limit applies, as before */
		(void)!write(fd, text, strlen(text));
}

bool resources_is_enabled(const char *root, const char *controller)
{
	return lists(root, "cgroup.subtree_control", controller);
}

/* A limit without an enabled controller is not in force. */
static bool is_in_force(Resource resource, const char *value, const char *root, const char *group)
{
	return strcmp(value, RESOURCE_UNLIMITED) == 0 &&
	       (!root || set_file(resource, value, group) || errno == ENOENT);
}

char *resources_apply(const ResourceDef *resources, const int *machine, const char *root,
		      const char *group)
{
	g_autoptr(GString) problems = g_string_new(NULL);

	for (int i = 0; i < RESOURCE_COUNT; i++) {
		g_autoptr(GError) error = NULL;

		if (!resources->values[i] ||
		    is_in_force((Resource)i, resources->values[i], root, group) ||
		    set_resource((Resource)i, resources->values[i], machine, root, group, &error))
			continue;
		g_string_append_printf(problems, "%s%s= has no effect: %s",
				       problems->len > 0 ? "; " : "", resource_name((Resource)i),
				       error->message);
	}
	return problems->len > 0 ? g_strdup(problems->str) : NULL;
}

static uint64_t counter(char *const *lines, const char *name)
{
	for (; *lines; lines++) {
		if (g_str_has_prefix(*lines, name) && (*lines)[strlen(name)] == ' ')
			return g_ascii_strtoull(*lines + strlen(name), NULL, 10);
	}
	return 0;
}

/* The lines of the file; none if it is missing. */
static GStrv read_events(const char *group, const char *file)
{
	g_autofree char *path = group ? g_build_filename(group, file, NULL) : NULL;
	g_autofree char *text = path ? read_text(path) : g_strdup("");

	return g_strsplit(text, "\n", -1);
}

uint64_t resources_task_refusals(const char *group)
{
	g_auto(GStrv) lines = read_events(group, "pids.events");

	return counter(lines, "max");
}

OutOfMemory resources_out_of_memory(const char *group)
{
	g_auto(GStrv) lines = read_events(group, "memory.events");

	return (OutOfMemory){
		.n_kills = counter(lines, "oom_kill"),
		.is_counted = lines[0] != NULL,
		.n_limit_reached = counter(lines, "oom"),
	};
}

static int open_kernel_log(void)
{
	struct stat st;

	if (stat("/proc/self/ns/pid", &st) < 0 || st.st_ino != FIRST_PID_NAMESPACE)
		return -1;
	return open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

int resources_open_machine_file(MachineFile file, const char *root)
{
	g_autofree char *above = root ? g_path_get_dirname(root) : g_strdup("");
	g_autofree char *limit = g_build_filename(above, "pids.max", NULL);

	switch (file) {
	case MACHINE_THREADS:
		return open("/proc/sys/kernel/threads-max", O_RDONLY | O_CLOEXEC);
	case MACHINE_PIDS:
		return open("/proc/sys/kernel/pid_max", O_RDONLY | O_CLOEXEC);
	case MACHINE_GIVEN:
		return root ? open(limit, O_RDONLY | O_CLOEXEC) : -1;
	case MACHINE_MOUNTS:
		return open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	case MACHINE_KERNEL_LOG:
		return open_kernel_log();
	case MACHINE_COUNT:
		break;
	}
	return -1;
}

/* "Out of memory: Killed process 812 (perl) ..." (__oom_kill_process() in mm/oom_kill.c) */
static bool names_victim(const char *record, pid_t pid)
{
	static const char phrase[] = "Killed process ";
	const char *at = strstr(record, phrase);

	return at && g_ascii_strtoull(at + strlen(phrase), NULL, 10) == (guint64)pid;
}

KernelAnswer resources_kernel_killed(int log_fd, pid_t pid)
{
	char record[RECORD_BYTES + 1];

	/* from the oldest record on; a pipe, as in the tests, does not seek */
	(void)lseek(log_fd, 0, SEEK_SET);
	for (unsigned i = 0; log_fd >= 0 && i < RECORDS_MAX; i++) {
		const ssize_t n = read(log_fd, record, RECORD_BYTES);

		if (n < 0 && errno == EAGAIN)
			return KERNEL_ANSWER_NO;
		if (n < 0 && errno == EPIPE)
			continue; /* overwritten meanwhile; the next one is available */
		if (n <= 0)
			break;
		record[n] = '\0';
		if (names_victim(record, pid))
			return KERNEL_ANSWER_YES;
	}
	return KERNEL_ANSWER_UNKNOWN;
}
