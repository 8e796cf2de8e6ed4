/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Early boot: a table of mounts, and the kind of machine.
 */
#include "config.h"

#include "keeper/early-boot.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
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

#include "keeper/console.h"
#include "keeper/keeper.h"

/* The inode of the first PID namespace (include/linux/proc_ns.h, PROC_PID_INIT_INO). */
#define INITIAL_PID_NAMESPACE 0xEFFFFFFCu

/* For the descriptors that PID 1 keeps. Services get the limits that svcd was started with. */
#define WANTED_NOFILE 65536u

/* With the default of ten, senders to notify sockets would soon block while the manager is away. */
#define WANTED_DGRAM_QUEUE 512

struct ApiMount {
	const char *target;
	const char *type;
	const char *options;
	unsigned long flags;
	bool only_machine; /* in a container, the container manager decides */
	bool is_written; /* it must be writable */
};

static const struct ApiMount api_mounts[] = {
	{ "/sys", "sysfs", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC, false, false },
	{ "/dev", "devtmpfs", "mode=755", MS_NOSUID, true, false },
	{ "/dev/pts", "devpts", "ptmxmode=666,mode=620,gid=5", MS_NOSUID | MS_NOEXEC, false,
	  false },
	{ "/dev/shm", "tmpfs", "mode=1777", MS_NOSUID | MS_NODEV, false, false },
	{ "/run", "tmpfs", "mode=755", MS_NOSUID | MS_NODEV, false, true },
};

static const struct ApiMount proc_mount = { "/proc", "proc", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC,
					    false,   false };

/* A mount point is on another file system than its parent, or has itself as its parent ("/"). */
static bool is_mount_point(const char *path)
{
	char parent[64];
	struct stat here;
	struct stat above;

	(void)snprintf(parent, sizeof(parent), "%s/..", path); /* it fits */
	if (stat(path, &here) < 0 || stat(parent, &above) < 0)
		return false;
	return here.st_dev != above.st_dev || here.st_ino == above.st_ino;
}

static bool is_read_only(const char *path)
{
	struct statfs fs;

	return statfs(path, &fs) == 0 && fs.f_flags & ST_RDONLY;
}

static void mount_api(const struct ApiMount *m)
{
	if (m->only_machine && keeper.container)
		return;
	if (is_mount_point(m->target) && !(m->is_written && is_read_only(m->target)))
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
	const char *value = getenv("container"); /* set by container managers */
	struct stat st;

	if (value && value[0])
		return true;
	return stat("/proc/self/ns/pid", &st) == 0 && st.st_ino != INITIAL_PID_NAMESPACE;
}

/*
 * The processor reports a hypervisor (CPUID leaf 1, shown as a flag); on other architectures the
 * firmware reports it.
 */
static bool is_in_vm(void)
{
	char text[4096];

	if (keeper_read_file("/proc/cpuinfo", text, sizeof(text)) > 0 &&
	    strstr(text, " hypervisor"))
		return true;
	return keeper_read_file("/sys/class/dmi/id/sys_vendor", text, sizeof(text)) > 0 &&
	       strstr(text, "QEMU");
}

/*
 * A user's keeper does nothing that a container would refuse, so it does not set
 * keeper.container. The services of both kinds of keeper may need to know the kind of machine.
 */
static void detect_virtualization(void)
{
	const bool is_contained = is_in_container();

	keeper.container = keeper.is_pid1 && is_contained;
	if (is_contained)
		(void)keeper_copy(keeper.virtualization, sizeof(keeper.virtualization),
				  "container");
	else if (is_in_vm())
		(void)keeper_copy(keeper.virtualization, sizeof(keeper.virtualization), "vm");
}

static void set_kernel_parameters(void)
{
	static const char queue[] = "/proc/sys/net/unix/max_dgram_qlen";
	char text[16];

	/* Some containers refuse this. Senders in them block sooner. */
	if (keeper_read_file(queue, text, sizeof(text)) > 0 && atoi(text) < WANTED_DGRAM_QUEUE)
		(void)keeper_write_at(AT_FDCWD, queue, "512");
	/*
	 * The kernel's default of ten lines in five seconds would lose lines of a boot. The kernel
	 * refuses the write if printk.devkmsg= is on its command line (kernel.org,
	 * admin-guide/sysctl/kernel).
	 */
	if (!keeper.container)
		(void)keeper_write_at(AT_FDCWD, "/proc/sys/kernel/printk_devkmsg", "on\n");
}

/*
 * Opens 0, 1 and 2 before another descriptor can get these numbers. Otherwise a program's output
 * would go to the link. Without /dev, all three are the directory "/", which can be neither read
 * nor written. O_NOCTTY keeps the console from becoming our controlling terminal.
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

	for (size_t i = 0; i < N_ELEMENTS(places) && fd <= STDERR_FILENO; i++) {
		do
			fd = open(places[i].path, places[i].flags);
		while (fd >= 0 && fd <= STDERR_FILENO);
	}
	if (fd >= 0)
		(void)close(fd); /* the last descriptor is above 2 */
}

static void raise_own_limits(void)
{
	/* the kernel's limits for its first process */
	struct rlimit limit = { .rlim_cur = 1024, .rlim_max = 4096 };

	(void)getrlimit(RLIMIT_NOFILE, &limit); /* cannot fail with these arguments */
	/* 0: an earlier image had a fault before it set this */
	if (!keeper.has_reexeced || keeper.nofile_hard == 0) {
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
		console_log("cannot change the directory to /: %s", strerror(errno));
	(void)umask(022);
	raise_own_limits();
	/*
	 * After a re-execution the score is in the tables, because users may hold the lock of
	 * /proc.
	 */
	if (!keeper.has_reexeced &&
	    keeper_read_file("/proc/self/oom_score_adj", score, sizeof(score)) > 0)
		keeper.oom_score_adj = atoi(score);
	if (keeper_null_fd < 0)
		keeper_null_fd = open("/dev/null", O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (keeper_null_fd < 0) {
		console_log(
			"cannot open /dev/null: %s; services get an unreadable directory in its "
			"place",
			strerror(errno));
		keeper_null_fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	/* the kernel has cached this path by now, so no user can make the look-up wait */
	keeper_score_fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	keeper_manager_cgroup_fd = cgroup_open_manager();
}

void early_boot(void)
{
	if (keeper.is_pid1)
		mount_api(&proc_mount);
	detect_virtualization();
	if (keeper.is_pid1) {
		for (size_t i = 0; i < N_ELEMENTS(api_mounts); i++)
			mount_api(&api_mounts[i]);
		set_kernel_parameters();
		/* ctrl-alt-del becomes SIGINT; refused in containers, which have no keyboard */
		(void)reboot(RB_DISABLE_CAD);
		(void)setsid(); /* fails if we lead a session already */
	}
	open_standard_descriptors();
	console_open();
	cgroup_setup();
}

/*
 * The variables that the manager of a machine gets from our environment. The kernel or a container
 * manager has set them.
 */
static const char *const passed_on[] = {
	"TERM",
#ifdef WITH_SANITIZERS
	"ASAN_OPTIONS",
	"UBSAN_OPTIONS",
	"LSAN_OPTIONS",
#endif
};

/* Variables that svcd sets itself, and variables that were meant for svcd alone. */
static const char *const not_passed_on[] = {
	"DBUS_FATAL_WARNINGS", "G_SLICE",    "NOTIFY_SOCKET",  "WATCHDOG_USEC", "WATCHDOG_PID",
	"LISTEN_FDS",          "LISTEN_PID", "LISTEN_FDNAMES", "MAINPID",       "SVCD_SERVICE"
};

#define MAX_PASSED 512

static bool has_name(const char *assignment, const char *const *names, size_t n_names)
{
	const size_t length = strcspn(assignment, "=");

	for (size_t i = 0; i < n_names; i++)
		if (strlen(names[i]) == length && strncmp(assignment, names[i], length) == 0 &&
		    assignment[length])
			return true;
	return false;
}

/* A user's services belong to the session that started us, and get its whole environment. */
static bool is_passed_on(const char *assignment)
{
	for (const char *c = assignment; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return false;
	if (keeper.user_mode)
		return !has_name(assignment, not_passed_on, N_ELEMENTS(not_passed_on));
	return has_name(assignment, passed_on, N_ELEMENTS(passed_on));
}

char *const *early_boot_environment(void)
{
	static char path[] = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
	/* libdbus would abort on its own warnings */
	static char no_fatal_warnings[] = "DBUS_FATAL_WARNINGS=0";
	/* for GLib before 2.76, which otherwise never returns the memory of a burst of work */
	static char plain_slices[] = "G_SLICE=always-malloc";
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
