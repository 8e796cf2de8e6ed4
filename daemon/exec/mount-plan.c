/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Mount plan: a table for the keys that say yes, then lists of paths, then what must stay as it is below all that.
 */
#include "config.h"

#include "exec/mount-plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/directories.h"
#include "exec/private-tmp.h"

/* What is not on this machine need not be protected: all are optional. */
static const struct {
	enum ExecFlag flag;
	enum MountKind kind;
	const char *key;
	const char *path;
	unsigned show;
} by_flag[] = {
	{ EXEC_FLAG_PROTECT_SYSTEM, MOUNT_READ_ONLY, "ProtectSystem", "/usr" },
	{ EXEC_FLAG_PROTECT_SYSTEM, MOUNT_READ_ONLY, "ProtectSystem", "/boot" },
	{ EXEC_FLAG_PROTECT_SYSTEM, MOUNT_READ_ONLY, "ProtectSystem", "/efi" },
	{ EXEC_FLAG_PROTECT_ETC, MOUNT_READ_ONLY, "ProtectSystem", "/etc" },
	{ EXEC_FLAG_PROTECT_ALL, MOUNT_READ_ONLY, "ProtectSystem", "/" },
	{ EXEC_FLAG_PROTECT_ALL, MOUNT_KEEP, "ProtectSystem", "/dev" },
	{ EXEC_FLAG_PROTECT_ALL, MOUNT_KEEP, "ProtectSystem", "/proc" },
	{ EXEC_FLAG_PROTECT_ALL, MOUNT_KEEP, "ProtectSystem", "/sys" },
	/* Left to ProtectHome=, whose rows come after these, as systemd does it. */
	{ EXEC_FLAG_PROTECT_ALL, MOUNT_KEEP, "ProtectSystem", "/home" },
	{ EXEC_FLAG_PROTECT_ALL, MOUNT_KEEP, "ProtectSystem", "/root" },
	{ EXEC_FLAG_PROTECT_ALL, MOUNT_KEEP, "ProtectSystem", "/run/user" },

	{ EXEC_FLAG_HOME_HIDDEN, MOUNT_HIDE, "ProtectHome", "/home" },
	{ EXEC_FLAG_HOME_HIDDEN, MOUNT_HIDE, "ProtectHome", "/root" },
	{ EXEC_FLAG_HOME_HIDDEN, MOUNT_HIDE, "ProtectHome", "/run/user" },
	{ EXEC_FLAG_HOME_READ_ONLY, MOUNT_READ_ONLY, "ProtectHome", "/home" },
	{ EXEC_FLAG_HOME_READ_ONLY, MOUNT_READ_ONLY, "ProtectHome", "/root" },
	{ EXEC_FLAG_HOME_READ_ONLY, MOUNT_READ_ONLY, "ProtectHome", "/run/user" },
	{ EXEC_FLAG_HOME_TMPFS, MOUNT_TMPFS, "ProtectHome", "/home" },
	{ EXEC_FLAG_HOME_TMPFS, MOUNT_TMPFS, "ProtectHome", "/root" },
	{ EXEC_FLAG_HOME_TMPFS, MOUNT_TMPFS, "ProtectHome", "/run/user" },

	/*
	 * The machine's own /dev, so that /dev/log is the one that a syslog daemon makes when it is started anew; but no device in it
	 * can be opened, whatever is mounted there, other than these.
	 */
	{ EXEC_FLAG_PRIVATE_DEVICES, MOUNT_SHOW, "PrivateDevices", "/dev", SHOW_READ_ONLY | SHOW_NO_DEVICES },
	{ EXEC_FLAG_PRIVATE_DEVICES, MOUNT_SHOW, "PrivateDevices", "/dev/null" },
	{ EXEC_FLAG_PRIVATE_DEVICES, MOUNT_SHOW, "PrivateDevices", "/dev/zero" },
	{ EXEC_FLAG_PRIVATE_DEVICES, MOUNT_SHOW, "PrivateDevices", "/dev/full" },
	{ EXEC_FLAG_PRIVATE_DEVICES, MOUNT_SHOW, "PrivateDevices", "/dev/random" },
	{ EXEC_FLAG_PRIVATE_DEVICES, MOUNT_SHOW, "PrivateDevices", "/dev/urandom" },
	{ EXEC_FLAG_PRIVATE_DEVICES, MOUNT_SHOW, "PrivateDevices", "/dev/tty" },
	{ EXEC_FLAG_PRIVATE_DEVICES, MOUNT_SHOW, "PrivateDevices", "/dev/ptmx" },
	{ EXEC_FLAG_PRIVATE_DEVICES, MOUNT_SHOW, "PrivateDevices", "/dev/pts" },
	{ EXEC_FLAG_PRIVATE_DEVICES, MOUNT_SHOW, "PrivateDevices", "/dev/shm" },
	{ EXEC_FLAG_PRIVATE_DEVICES, MOUNT_SHOW, "PrivateDevices", "/dev/mqueue" },
	{ EXEC_FLAG_PRIVATE_DEVICES, MOUNT_SHOW, "PrivateDevices", "/dev/hugepages" },

	{ EXEC_FLAG_KERNEL_TUNABLES, MOUNT_READ_ONLY, "ProtectKernelTunables", "/proc/sys" },
	{ EXEC_FLAG_KERNEL_TUNABLES, MOUNT_READ_ONLY, "ProtectKernelTunables", "/proc/sysrq-trigger" },
	{ EXEC_FLAG_KERNEL_TUNABLES, MOUNT_READ_ONLY, "ProtectKernelTunables", "/proc/acpi" },
	{ EXEC_FLAG_KERNEL_TUNABLES, MOUNT_READ_ONLY, "ProtectKernelTunables", "/proc/asound" },
	{ EXEC_FLAG_KERNEL_TUNABLES, MOUNT_READ_ONLY, "ProtectKernelTunables", "/proc/bus" },
	{ EXEC_FLAG_KERNEL_TUNABLES, MOUNT_READ_ONLY, "ProtectKernelTunables", "/proc/fs" },
	{ EXEC_FLAG_KERNEL_TUNABLES, MOUNT_READ_ONLY, "ProtectKernelTunables", "/proc/irq" },
	{ EXEC_FLAG_KERNEL_TUNABLES, MOUNT_READ_ONLY, "ProtectKernelTunables", "/proc/latency_stats" },
	{ EXEC_FLAG_KERNEL_TUNABLES, MOUNT_READ_ONLY, "ProtectKernelTunables", "/proc/mtrr" },
	{ EXEC_FLAG_KERNEL_TUNABLES, MOUNT_READ_ONLY, "ProtectKernelTunables", "/proc/scsi" },
	{ EXEC_FLAG_KERNEL_TUNABLES, MOUNT_READ_ONLY, "ProtectKernelTunables", "/proc/timer_stats" },
	{ EXEC_FLAG_KERNEL_TUNABLES, MOUNT_READ_ONLY, "ProtectKernelTunables", "/sys" },
	{ EXEC_FLAG_KERNEL_TUNABLES, MOUNT_HIDE, "ProtectKernelTunables", "/proc/kallsyms" },
	{ EXEC_FLAG_KERNEL_TUNABLES, MOUNT_HIDE, "ProtectKernelTunables", "/proc/kcore" },

	{ EXEC_FLAG_KERNEL_MODULES, MOUNT_HIDE, "ProtectKernelModules", "/usr/lib/modules" },
	{ EXEC_FLAG_KERNEL_MODULES, MOUNT_HIDE, "ProtectKernelModules", "/lib/modules" },
	{ EXEC_FLAG_KERNEL_LOGS, MOUNT_HIDE, "ProtectKernelLogs", "/dev/kmsg" },
	{ EXEC_FLAG_KERNEL_LOGS, MOUNT_HIDE, "ProtectKernelLogs", "/proc/kmsg" },
	{ EXEC_FLAG_CONTROL_GROUPS, MOUNT_READ_ONLY, "ProtectControlGroups", "/sys/fs/cgroup" },
};

#define PROC_FLAGS                                                                                 \
	(EXEC_FLAG_PROC_NOACCESS | EXEC_FLAG_PROC_INVISIBLE | EXEC_FLAG_PROC_PTRACEABLE | EXEC_FLAG_PROC_PID_ONLY)

static int add_flags(const struct Spec *spec, struct MountList *list)
{
	int error = 0;

	for (size_t i = 0; i < sizeof(by_flag) / sizeof(by_flag[0]) && !error; i++) {
		const struct MountEntry entry = { .kind = by_flag[i].kind, .key = by_flag[i].key, .path = by_flag[i].path,
						  .options = "ro", .show = by_flag[i].show, .is_optional = true };

		if (spec_flag(spec, by_flag[i].flag))
			error = mount_list_add(list, &entry);
	}
	return error;
}

/* Its control groups stay as they are if only the rest of /sys is protected. */
static int add_cgroups(const struct Spec *spec, struct MountList *list)
{
	const struct MountEntry entry = { .kind = MOUNT_KEEP, .key = "ProtectKernelTunables", .path = "/sys/fs/cgroup",
					  .is_optional = true };

	if (!spec_flag(spec, EXEC_FLAG_KERNEL_TUNABLES) || spec_flag(spec, EXEC_FLAG_CONTROL_GROUPS))
		return 0;
	return mount_list_add(list, &entry);
}

/* --- /proc --- */

static const char *proc_options(const struct Spec *spec)
{
	static char options[64];
	const char *hide = spec_flag(spec, EXEC_FLAG_PROC_NOACCESS)   ? "hidepid=noaccess" :
			   spec_flag(spec, EXEC_FLAG_PROC_INVISIBLE)  ? "hidepid=invisible" :
			   spec_flag(spec, EXEC_FLAG_PROC_PTRACEABLE) ? "hidepid=ptraceable" :
									"hidepid=off";

	(void)snprintf(options, sizeof(options), "%s%s", hide,
		       spec_flag(spec, EXEC_FLAG_PROC_PID_ONLY) ? ",subset=pid" : ""); /* fits */
	return options;
}

/* The fifth word of a line of mountinfo, proc_pid_mountinfo(5), if it lies below /proc; else NULL. */
static const char *mount_point_below_proc(char *line)
{
	char *rest = line;
	char *word = NULL;

	for (int i = 0; i < 5; i++)
		word = strsep(&rest, " ");
	return word && strncmp(word, "/proc/", 6) == 0 ? word : NULL;
}

/* Without memory the plan fails: a place that is not put back would be open. */
static int keep_mount_of_proc(struct MountList *list, const char *key, char *line)
{
	const char *point = mount_point_below_proc(line);
	char *path;

	if (!point || mount_list_covers(list, point, "/proc"))
		return 0;
	path = strdup(point); /* stays: the list points to it */
	if (!path)
		return ENOMEM;
	return mount_list_add(list, &(struct MountEntry){ .kind = MOUNT_SHOW, .key = key, .path = path, .is_optional = true });
}

/*
 * A new /proc is without what is mounted in the old one, and in a container that is what keeps the machine from its guests: it is put
 * back, unless the service is denied that place anyway.
 */
static int keep_mounts_of_proc(struct MountList *list, const char *key)
{
	FILE *file = fopen("/proc/self/mountinfo", "re");
	char *line = NULL;
	size_t size = 0;
	int error = file ? 0 : errno;

	while (!error && getline(&line, &size, file) > 0)
		error = keep_mount_of_proc(list, key, line);
	/* Its other ends are no end of the file: no memory, or a read that failed. */
	if (!error && !feof(file))
		error = errno ? errno : EIO;
	free(line);
	if (file)
		(void)fclose(file); /* only read */
	return error;
}

static int add_proc(const struct Spec *spec, struct MountList *list)
{
	const char *key = spec_flag(spec, EXEC_FLAG_PROC_PID_ONLY) ? "ProcSubset" : "ProtectProc";
	const struct MountEntry entry = { .kind = MOUNT_PROC, .key = key, .path = "/proc", .options = proc_options(spec) };
	int error;

	if (!(spec->flags & PROC_FLAGS))
		return 0;
	error = keep_mounts_of_proc(list, key);
	return error ? error : mount_list_add(list, &entry);
}

/* --- lists of paths --- */

/* "-PATH:SECOND:THIRD" taken apart; what is not there is NULL. */
struct PathWords {
	char *path;
	char *second;
	char *third;
	bool is_optional;
};

static int split(const char *text, bool has_parts, struct PathWords *ret)
{
	char *rest;

	*ret = (struct PathWords){ .is_optional = *text == '-' };
	rest = strdup(text + ret->is_optional);
	if (!rest)
		return ENOMEM;
	ret->path = has_parts ? strsep(&rest, ":") : rest;
	if (has_parts)
		ret->second = strsep(&rest, ":");
	if (has_parts)
		ret->third = rest;
	return 0;
}

static int add_paths(struct MountList *list, const struct StringList *paths, enum MountKind kind, const char *key)
{
	int error = 0;

	for (size_t i = 0; i < paths->n && !error; i++) {
		struct PathWords words;

		error = split(paths->items[i], false, &words);
		if (!error)
			error = mount_list_add(list, &(struct MountEntry){ .kind = kind, .key = key, .path = words.path,
									   .is_optional = words.is_optional });
	}
	return error;
}

static int add_binds(struct MountList *list, const struct StringList *binds, unsigned show, const char *key)
{
	int error = 0;

	for (size_t i = 0; i < binds->n && !error; i++) {
		struct PathWords words;
		unsigned flat;

		error = split(binds->items[i], true, &words);
		if (!error && !words.second)
			error = EINVAL;
		if (error)
			break;
		flat = words.third ? SHOW_FLAT : 0;
		error = mount_list_add(list, &(struct MountEntry){ .kind = MOUNT_SHOW, .key = key, .path = words.path,
								   .source = words.second, .show = show | flat,
								   .is_optional = words.is_optional });
	}
	return error;
}

static int add_tmpfs(struct MountList *list, const struct StringList *paths)
{
	int error = 0;

	for (size_t i = 0; i < paths->n && !error; i++) {
		struct PathWords words;

		error = split(paths->items[i], true, &words);
		if (!error)
			error = mount_list_add(list, &(struct MountEntry){ .kind = MOUNT_TMPFS, .key = "TemporaryFileSystem",
									   .path = words.path,
									   .options = words.second ? words.second : "",
									   .is_optional = words.is_optional });
	}
	return error;
}

static int add_lists(const struct Spec *spec, struct MountList *list)
{
	int error = add_paths(list, &spec->read_only, MOUNT_READ_ONLY, "ReadOnlyPaths");

	if (!error)
		error = add_paths(list, &spec->read_write, MOUNT_SHOW, "ReadWritePaths");
	if (!error)
		error = add_paths(list, &spec->inaccessible, MOUNT_HIDE, "InaccessiblePaths");
	if (!error)
		error = add_binds(list, &spec->binds, 0, "BindPaths");
	if (!error)
		error = add_binds(list, &spec->read_only_binds, SHOW_READ_ONLY, "BindReadOnlyPaths");
	return error ? error : add_tmpfs(list, &spec->tmpfs);
}

/* --- what is the service's own --- */

static int add_private_tmp(const struct Spec *spec, struct MountList *list, struct Failure *failure)
{
	static const char *const places[] = { "/tmp", "/var/tmp" };
	char name[PRIVATE_TMP_NAME + 1];
	int error;

	if (!spec->private_tmp)
		return 0;
	error = private_tmp_make(spec->private_tmp, name, failure);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && !error; i++) {
		char *source;

		if (asprintf(&source, "%s/%s/tmp", places[i], name) < 0)
			return ENOMEM;
		error = mount_list_add(list, &(struct MountEntry){ .kind = MOUNT_SHOW, .key = "PrivateTmp", .path = places[i],
								   .source = source });
	}
	return error;
}

/* Directories of the service's that one of the keys would take away or make read-only; its configuration is only read. */
static int add_directories(const struct Spec *spec, struct MountList *list)
{
	int error = 0;

	for (int kind = 0; kind < DIRECTORY_CONFIGURATION; kind++) {
		const struct StringList *names = &spec->directories[kind].names;

		for (size_t i = 0; i < names->n && !error; i++) {
			char *path;

			if (asprintf(&path, "%s/%s", directory_root((enum DirectoryKind)kind), names->items[i]) < 0)
				return ENOMEM;
			if (mount_list_covers(list, path, "/"))
				error = mount_list_add(list, &(struct MountEntry){
								     .kind = MOUNT_SHOW, .path = path, .source = path,
								     .key = directory_key((enum DirectoryKind)kind) });
		}
	}
	return error;
}

/* What the other keys keep as it was does not undo what ReadOnlyPaths= asks for. */
static void heed_read_only_paths(const struct Spec *spec, struct MountList *list)
{
	for (size_t i = 0; i < list->n; i++) {
		struct MountEntry *entry = &list->entries[i];

		if ((entry->kind != MOUNT_KEEP && entry->kind != MOUNT_SHOW) || entry->source ||
		    strcmp(entry->key, "ReadWritePaths") == 0)
			continue;
		for (size_t k = 0; k < spec->read_only.n; k++) {
			const char *path = spec->read_only.items[k];

			if (mount_path_is_within(entry->path, path + (*path == '-')))
				entry->show |= SHOW_READ_ONLY;
		}
	}
}

int mount_plan_make(const struct Spec *spec, struct MountList *ret, struct Failure *failure)
{
	int error = add_flags(spec, ret);

	if (!error)
		error = add_cgroups(spec, ret);
	if (!error)
		error = add_lists(spec, ret);
	if (!error)
		error = add_proc(spec, ret);
	heed_read_only_paths(spec, ret);
	if (!error)
		error = add_private_tmp(spec, ret, failure);
	return error ? error : add_directories(spec, ret);
}
