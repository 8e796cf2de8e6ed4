/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Early boot: a table of mounts, and the kind of machine.
 */
#include "config.h"

#include "keeper/early-boot.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "keeper/cgroup.h"
#include "keeper/console.h"
#include "keeper/keeper.h"

/* The inode of the first PID name space (include/linux/proc_ns.h, PROC_PID_INIT_INO). */
#define INITIAL_PID_NAMESPACE 0xEFFFFFFCu

/* For the descriptors that PID 1 keeps. Services get the limits that svcd was started with. */
#define WANTED_NOFILE 65536u

/* The kernel's limits for its first process (INR_OPEN_CUR, INR_OPEN_MAX), if getrlimit(2) fails. */
#define NOFILE_SOFT 1024u
#define NOFILE_HARD 4096u

/* With the default of ten, senders to notify sockets would soon block while the manager is away. */
#define WANTED_DGRAM_QUEUE 512

struct ApiMount {
	const char *target;
	const char *type;
	const char *options;
	unsigned long flags;
	bool only_machine; /* a container gets its own, or none */
	bool is_written;   /* a read-only one is useless */
};

static const struct ApiMount api_mounts[] = {
	{ "/sys", "sysfs", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC, false, false },
	{ "/dev", "devtmpfs", "mode=755", MS_NOSUID, true, false },
	{ "/dev/pts", "devpts", "ptmxmode=666,mode=620,gid=5", MS_NOSUID | MS_NOEXEC, false, false },
	{ "/dev/shm", "tmpfs", "mode=1777", MS_NOSUID | MS_NODEV, false, false },
	{ "/run", "tmpfs", "mode=755", MS_NOSUID | MS_NODEV, false, true },
};

static const struct ApiMount proc_mount = { "/proc", "proc", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC, false, false };

static int manager_cgroup_fd = -1;

/* A mount point is on another file system than its parent, or is the root of one. */
static bool is_mount_point(const char *path)
{
	char parent[64];
	struct stat here;
	struct stat above;

	if (snprintf(parent, sizeof(parent), "%s/..", path) >= (int)sizeof(parent))
		return false;
	if (stat(path, &here) < 0 || stat(parent, &above) < 0)
		return false;
	return here.st_dev != above.st_dev || here.st_ino == above.st_ino;
}

static bool is_read_only(const char *path)
{
	struct statfs fs;

	return statfs(path, &fs) == 0 && fs.f_flags & ST_RDONLY;
}

static bool is_there(const struct ApiMount *m)
{
	return is_mount_point(m->target) && (!m->is_written || keeper.has_reexeced || !is_read_only(m->target));
}

static void mount_api(const struct ApiMount *m)
{
	if ((m->only_machine && keeper.container) || is_there(m))
		return;
	if (mkdir(m->target, 0755) < 0 && errno != EEXIST && errno != EROFS && !keeper.container)
		console_log("cannot make %s: %s", m->target, strerror(errno));
	if (mount(m->type, m->target, m->type, m->flags, m->options) == 0 || errno == EBUSY)
		return;
	if (!keeper.container)
		console_log("cannot mount %s: %s", m->target, strerror(errno));
}

static bool is_in_container(void)
{
	struct stat st;
	const char *says = getenv("container"); /* set by container managers */

	if (says && says[0])
		return true;
	return stat("/proc/self/ns/pid", &st) == 0 && st.st_ino != INITIAL_PID_NAMESPACE;
}

/*
 * The processor reports it (CPUID leaf 1, shown as a flag); on other architectures the firmware
 * does.
 */
static bool is_in_vm(void)
{
	char text[4096];

	if (keeper_read_file("/proc/cpuinfo", text, sizeof(text)) > 0 && strstr(text, " hypervisor"))
		return true;
	return keeper_read_file("/sys/class/dmi/id/sys_vendor", text, sizeof(text)) > 0 && strstr(text, "QEMU");
}

/*
 * In a container, a user's keeper does nothing that a container would refuse. Only its services may
 * want to know.
 */
static void detect_virtualization(void)
{
	const bool is_contained = is_in_container();

	keeper.container = keeper.is_pid1 && is_contained;
	if (is_contained)
		(void)keeper_copy(keeper.virtualization, sizeof(keeper.virtualization), "container");
	else if (is_in_vm())
		(void)keeper_copy(keeper.virtualization, sizeof(keeper.virtualization), "vm");
}

/*
 * The kernel's default of ten lines in five seconds would lose lines of a boot. The kernel refuses
 * the write if printk.devkmsg= is on its command line (kernel.org, admin-guide/sysctl/kernel).
 */
static void unlimit_kernel_log(void)
{
	if (!keeper.container)
		(void)keeper_write_file("/proc/sys/kernel/printk_devkmsg", "on\n");
}

static void raise_datagram_queue(void)
{
	static const char path[] = "/proc/sys/net/unix/max_dgram_qlen";
	char text[16];

	if (keeper_read_file(path, text, sizeof(text)) <= 0 || atoi(text) >= WANTED_DGRAM_QUEUE)
		return;
	(void)snprintf(text, sizeof(text), "%d", WANTED_DGRAM_QUEUE);
	(void)keeper_write_file(path, text); /* refused in some containers: senders block sooner */
}

/*
 * Opens 0, 1 and 2 before another descriptor can get these numbers. Otherwise a program's output
 * would go to the link. Without /dev they are a directory, which can be neither read nor written.
 * O_NOCTTY keeps the console from becoming our controlling terminal.
 */
static void open_standard_descriptors(void)
{
	static const struct {
		const char *path;
		int flags;
	} places[] = {
		{ "/dev/console", O_RDWR | O_NOCTTY | O_NONBLOCK },
		{ "/dev/null", O_RDWR | O_NOCTTY },
		{ "/", O_RDONLY | O_DIRECTORY },
	};
	int fd = -1;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && fd <= STDERR_FILENO; i++) {
		do
			fd = open(places[i].path, places[i].flags);
		while (fd >= 0 && fd <= STDERR_FILENO);
	}
	if (fd >= 0)
		(void)close(fd); /* the last one has another number */
}

static int open_null(void)
{
	int fd = open("/dev/null", O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (fd < 0)
		console_log("cannot open /dev/null: %s; services get an unreadable directory in its place", strerror(errno));
	return fd >= 0 ? fd : open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void raise_own_limits(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		limit = (struct rlimit){ .rlim_cur = NOFILE_SOFT, .rlim_max = NOFILE_HARD };
	if (!keeper.has_reexeced || keeper.nofile_hard == 0) { /* 0: an earlier image had a fault before this line */
		keeper.nofile_soft = limit.rlim_cur;
		keeper.nofile_hard = limit.rlim_max;
	}
	if (limit.rlim_max < WANTED_NOFILE)
		limit.rlim_max = WANTED_NOFILE;
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit) == 0)
		return;
	limit.rlim_cur = limit.rlim_max = (rlim_t)keeper.nofile_hard;
	(void)setrlimit(RLIMIT_NOFILE, &limit); /* on failure fewer descriptors can be kept */
}

void early_boot_process(void)
{
	char score[16];

	if (chdir("/") < 0)
		console_log("cannot go to /: %s", strerror(errno));
	(void)umask(022);
	raise_own_limits();
	/* After a re-execution the tables have the score, because users can hold /proc by then. */
	if (!keeper.has_reexeced && keeper_read_file("/proc/self/oom_score_adj", score, sizeof(score)) > 0)
		keeper.oom_score_adj = atoi(score);
	if (keeper_null_fd < 0)
		keeper_null_fd = open_null();
	keeper_score_fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); /* the kernel knows our own name there by now */
	manager_cgroup_fd = cgroup_open_manager();
}

void early_boot(void)
{
	if (keeper.is_pid1) {
		mount_api(&proc_mount);
		detect_virtualization();
		for (size_t i = 0; i < sizeof(api_mounts) / sizeof(api_mounts[0]); i++)
			mount_api(&api_mounts[i]);
		raise_datagram_queue();
		unlimit_kernel_log();
		(void)reboot(RB_DISABLE_CAD); /* ctrl-alt-del becomes SIGINT; refused in containers, which have no keyboard */
		(void)setsid(); /* fails if we lead a session already */
	} else {
		detect_virtualization();
	}
	open_standard_descriptors();
	console_open();
	cgroup_setup();
}

int early_boot_manager_cgroup(void)
{
	return manager_cgroup_fd;
}

static bool text_is_sane(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			return false;
	return true;
}

/*
 * The variables that the manager of a machine gets from our environment. The kernel or a container
 * manager has set them.
 */
static const char *const passed_on[] = {
	"TERM",
#ifdef WITH_SANITIZERS
	"ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS",
#endif
};

/* Variables that svcd sets itself, and those that were meant for svcd alone. */
static const char *const not_passed_on[] = { "DBUS_FATAL_WARNINGS", "G_SLICE", "NOTIFY_SOCKET", "WATCHDOG_USEC",
					     "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES", "MAINPID", "SVCD_SERVICE" };

#define MAX_PASSED 512

static bool has_name(const char *assignment, const char *const *names, size_t n_names)
{
	for (size_t i = 0; i < n_names; i++) {
		size_t length = strlen(names[i]);

		if (strncmp(assignment, names[i], length) == 0 && assignment[length] == '=')
			return true;
	}
	return false;
}

/* A user's services belong to the session that started us, and get its whole environment. */
static bool is_passed_on(const char *assignment)
{
	if (!text_is_sane(assignment))
		return false;
	if (keeper.user_mode)
		return !has_name(assignment, not_passed_on, sizeof(not_passed_on) / sizeof(not_passed_on[0]));
	return has_name(assignment, passed_on, sizeof(passed_on) / sizeof(passed_on[0]));
}

char *const *early_boot_environment(void)
{
	static char path[] = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
	static char no_fatal_warnings[] = "DBUS_FATAL_WARNINGS=0"; /* libdbus would abort on its own warnings */
	static char plain_slices[] = "G_SLICE=always-malloc"; /* for GLib before 2.76, which otherwise never returns the memory of a burst of work */
	static char *environment[MAX_PASSED + 4];
	size_t n = 0;

	environment[n++] = no_fatal_warnings;
	environment[n++] = plain_slices;
	if (!keeper.user_mode || !getenv("PATH"))
		environment[n++] = path;
	for (char **variable = environ; *variable && n < MAX_PASSED + 3; variable++)
		if (is_passed_on(*variable))
			environment[n++] = *variable;
	environment[n] = NULL;
	return environment;
}
