/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Mount plan: a table for flags and levels, then lists of paths, then the mounts below these paths
 * that must stay as they are.
 */
#include "config.h"

#include "sandbox/mount-plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/private-tmp.h"

/* Levels of a key; a flag has one. */
#define AT(level) (1u << (level))
#define SET AT(1)
#define EVERY_HOME                            \
	{                                     \
		"/home", "/root", "/run/user" \
	}

/* All are optional: a path that does not exist needs no protection. */
static const struct {
	enum SandboxKey key;
	unsigned levels;
	enum MountKind kind;
	unsigned show;
	const char *paths[13]; /* NULL after the last */
	/* clang-format off */
} by_key[] = {
	{ SANDBOX_PROTECT_SYSTEM, AT(PROTECT_SYSTEM_YES) | AT(PROTECT_SYSTEM_FULL), MOUNT_READ_ONLY, 0, { "/usr", "/boot", "/efi" } },
	{ SANDBOX_PROTECT_SYSTEM, AT(PROTECT_SYSTEM_FULL), MOUNT_READ_ONLY, 0, { "/etc" } },
	{ SANDBOX_PROTECT_SYSTEM, AT(PROTECT_SYSTEM_STRICT), MOUNT_READ_ONLY, 0, { "/" } },
	{ SANDBOX_PROTECT_SYSTEM, AT(PROTECT_SYSTEM_STRICT), MOUNT_KEEP, 0, { "/dev", "/proc", "/sys" } },
	/* The homes are left to the rows of ProtectHome=, which come after these, as in systemd. */
	{ SANDBOX_PROTECT_SYSTEM, AT(PROTECT_SYSTEM_STRICT), MOUNT_KEEP, 0, EVERY_HOME },

	{ SANDBOX_PROTECT_HOME, AT(PROTECT_HOME_YES), MOUNT_HIDE, 0, EVERY_HOME },
	{ SANDBOX_PROTECT_HOME, AT(PROTECT_HOME_READ_ONLY), MOUNT_READ_ONLY, 0, EVERY_HOME },
	{ SANDBOX_PROTECT_HOME, AT(PROTECT_HOME_TMPFS), MOUNT_TMPFS, 0, EVERY_HOME },

	/*
	 * The machine's own /dev, so that /dev/log is the socket of a restarted syslog daemon. Only
	 * the devices in these rows can be opened, whatever is mounted there.
	 */
	{ SANDBOX_PRIVATE_DEVICES, SET, MOUNT_SHOW, SHOW_READ_ONLY | SHOW_NO_DEVICES, { "/dev" } },
	{ SANDBOX_PRIVATE_DEVICES, SET, MOUNT_SHOW, 0,
	  { "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts", "/dev/shm",
	    "/dev/mqueue", "/dev/hugepages" } },

	{ SANDBOX_PROTECT_KERNEL_TUNABLES, SET, MOUNT_READ_ONLY, 0,
	  { "/proc/sys", "/proc/sysrq-trigger", "/proc/acpi", "/proc/asound", "/proc/bus", "/proc/fs", "/proc/irq",
	    "/proc/latency_stats", "/proc/mtrr", "/proc/scsi", "/proc/timer_stats", "/sys" } },
	{ SANDBOX_PROTECT_KERNEL_TUNABLES, SET, MOUNT_HIDE, 0, { "/proc/kallsyms", "/proc/kcore" } },
	{ SANDBOX_PROTECT_KERNEL_MODULES, SET, MOUNT_HIDE, 0, { "/usr/lib/modules", "/lib/modules" } },
	{ SANDBOX_PROTECT_KERNEL_LOGS, SET, MOUNT_HIDE, 0, { "/dev/kmsg", "/proc/kmsg" } },
	{ SANDBOX_PROTECT_CONTROL_GROUPS, SET, MOUNT_READ_ONLY, 0, { "/sys/fs/cgroup" } },
};
/* clang-format on */

static int add_by_key(const struct Sandbox *sandbox, struct MountList *list)
{
	int error = 0;

	for (size_t i = 0; i < sizeof(by_key) / sizeof(by_key[0]); i++) {
		if (!(by_key[i].levels & AT(sandbox->value[by_key[i].key])))
			continue;
		for (const char *const *path = by_key[i].paths; *path && !error; path++)
			error = mount_list_add(
				list, &(struct MountEntry){ .kind = by_key[i].kind,
							    .key = sandbox_key_name(by_key[i].key),
							    .path = *path,
							    .options = "ro",
							    .show = by_key[i].show,
							    .is_optional = true });
	}
	return error;
}

/* The control groups stay as they are if only the rest of /sys is protected. */
static int add_cgroups(const struct Sandbox *sandbox, struct MountList *list)
{
	const struct MountEntry entry = { .kind = MOUNT_KEEP,
					  .key = "ProtectKernelTunables",
					  .path = "/sys/fs/cgroup",
					  .is_optional = true };

	if (!sandbox_requests(sandbox, SANDBOX_PROTECT_KERNEL_TUNABLES) ||
	    sandbox_requests(sandbox, SANDBOX_PROTECT_CONTROL_GROUPS))
		return 0;
	return mount_list_add(list, &entry);
}

/* --- /proc --- */

static const char *proc_options(const struct Sandbox *sandbox)
{
	static const char *const options[][2] = {
		[PROTECT_PROC_DEFAULT] = { "hidepid=off", "hidepid=off,subset=pid" },
		[PROTECT_PROC_NOACCESS] = { "hidepid=noaccess", "hidepid=noaccess,subset=pid" },
		[PROTECT_PROC_INVISIBLE] = { "hidepid=invisible", "hidepid=invisible,subset=pid" },
		[PROTECT_PROC_PTRACEABLE] = { "hidepid=ptraceable",
					      "hidepid=ptraceable,subset=pid" },
	};

	return options[sandbox->value[SANDBOX_PROTECT_PROC]]
		      [sandbox_requests(sandbox, SANDBOX_PROC_SUBSET)];
}

/*
 * The fifth field of a line of mountinfo, proc_pid_mountinfo(5), if it lies below /proc; else NULL.
 */
static const char *mount_point_below_proc(char *line)
{
	char *rest = line;
	char *token = NULL;

	for (int i = 0; i < 5; i++)
		token = strsep(&rest, " ");
	return token && strncmp(token, "/proc/", 6) == 0 ? token : NULL;
}

/*
 * If memory is exhausted, the plan fails, because a place that is not restored would be
 * unprotected.
 */
static int keep_mount_of_proc(struct MountList *list, const char *key, char *line)
{
	const char *point = mount_point_below_proc(line);
	char *path;

	if (!point || mount_list_covers(list, point, "/proc"))
		return 0;
	path = strdup(point); /* not freed: the list points to it */
	if (!path)
		return ENOMEM;
	return mount_list_add(
		list, &(struct MountEntry){
			      .kind = MOUNT_SHOW, .key = key, .path = path, .is_optional = true });
}

/*
 * A new /proc lacks the mounts of the old one. In a container these protect the host, so they are
 * restored, unless the place is hidden from the service anyway.
 */
static int keep_mounts_of_proc(struct MountList *list, const char *key)
{
	FILE *file = fopen("/proc/self/mountinfo", "re");
	char *line = NULL;
	size_t size = 0;
	int error = file ? 0 : errno;

	while (!error && getline(&line, &size, file) > 0)
		error = keep_mount_of_proc(list, key, line);
	/* The loop also ends if memory is exhausted or a read fails. */
	if (!error && !feof(file))
		error = errno ? errno : EIO;
	free(line);
	if (file)
		(void)fclose(file); /* opened for reading only */
	return error;
}

static int add_proc(const struct Sandbox *sandbox, struct MountList *list)
{
	const char *key = sandbox_requests(sandbox, SANDBOX_PROC_SUBSET) ? "ProcSubset" :
									   "ProtectProc";
	const struct MountEntry entry = {
		.kind = MOUNT_PROC, .key = key, .path = "/proc", .options = proc_options(sandbox)
	};
	int error;

	if (!sandbox_requests(sandbox, SANDBOX_PROC_SUBSET) &&
	    !sandbox_requests(sandbox, SANDBOX_PROTECT_PROC))
		return 0;
	error = keep_mounts_of_proc(list, key);
	return error ? error : mount_list_add(list, &entry);
}

/* --- lists of paths --- */

/*
 * Adds the lists in the order of the keys in this table, and each list in the order of its lines.
 */
static int add_lists(const struct Sandbox *sandbox, struct MountList *list)
{
	static const struct {
		enum SandboxKey key;
		enum MountKind kind;
		unsigned show;
	} lists[] = {
		{ SANDBOX_READ_ONLY_PATHS, MOUNT_READ_ONLY, 0 },
		{ SANDBOX_READ_WRITE_PATHS, MOUNT_SHOW, 0 },
		{ SANDBOX_INACCESSIBLE_PATHS, MOUNT_HIDE, 0 },
		{ SANDBOX_BIND_PATHS, MOUNT_SHOW, 0 },
		{ SANDBOX_BIND_READ_ONLY_PATHS, MOUNT_SHOW, SHOW_READ_ONLY },
		{ SANDBOX_TEMPORARY_FILE_SYSTEM, MOUNT_TMPFS, 0 },
	};
	int error = 0;

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		for (size_t k = 0; k < sandbox->n_paths && !error; k++) {
			const struct SandboxPath *path = &sandbox->paths[k];

			if (path->key != lists[i].key)
				continue;
			error = mount_list_add(
				list,
				&(struct MountEntry){ .kind = lists[i].kind,
						      .key = sandbox_key_name(path->key),
						      .path = path->path,
						      .source = path->source,
						      .options = path->options,
						      .show = lists[i].show |
							      (path->is_flat ? SHOW_FLAT : 0u),
						      .is_optional = path->is_optional });
		}
	}
	return error;
}

/* --- the service's own directories --- */

static int add_private_tmp(const char *link, struct MountList *list, struct Failure *failure)
{
	static const char *const places[] = { "/tmp", "/var/tmp" };
	char name[PRIVATE_TMP_NAME + 1];
	int error;

	if (!link)
		return 0;
	error = private_tmp_make(link, name, failure);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && !error; i++) {
		char *source;

		if (asprintf(&source, "%s/%s/tmp", places[i], name) < 0)
			return ENOMEM;
		error = mount_list_add(list, &(struct MountEntry){ .kind = MOUNT_SHOW,
								   .key = "PrivateTmp",
								   .path = places[i],
								   .source = source });
	}
	return error;
}

/* Places that other keys keep unchanged are still read-only if ReadOnlyPaths= names them. */
static void heed_read_only_paths(const struct Sandbox *sandbox, struct MountList *list)
{
	for (size_t i = 0; i < list->n; i++) {
		struct MountEntry *entry = &list->entries[i];

		if ((entry->kind != MOUNT_KEEP && entry->kind != MOUNT_SHOW) || entry->source ||
		    strcmp(entry->key, "ReadWritePaths") == 0)
			continue;
		for (size_t k = 0; k < sandbox->n_paths; k++) {
			const struct SandboxPath *path = &sandbox->paths[k];

			if (path->key == SANDBOX_READ_ONLY_PATHS &&
			    mount_path_is_within(entry->path, path->path))
				entry->show |= SHOW_READ_ONLY;
		}
	}
}

int mount_plan_make(const struct Sandbox *sandbox, const char *private_tmp, struct MountList *ret,
		    struct Failure *failure)
{
	int error = add_by_key(sandbox, ret);

	if (!error)
		error = add_cgroups(sandbox, ret);
	if (!error)
		error = add_lists(sandbox, ret);
	if (!error)
		error = add_proc(sandbox, ret);
	heed_read_only_paths(sandbox, ret);
	return error ? error : add_private_tmp(private_tmp, ret, failure);
}
