/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Own jobs: the table, which lsb-compat/README.md prints.
 *
 * A job before the mounts stands for no facility. Scripts that make volumes, such as lvm2's, come
 * after such a job. If it stood for the facility, they would wait for the facility, which waits for
 * their volumes.
 */
#include "config.h"

#include "lsb-compat/own-jobs.h"

#include <glib.h>
#include <string.h>

/* clang-format off */
static const LsbOwnJob jobs[] = {
	{ "halt", NULL, NULL, "turns the machine off; PID 1 does so after every service has stopped" },
	{ "reboot", NULL, NULL, "restarts the machine; PID 1 does so after every service has stopped" },
	{ "single", NULL, NULL, "kills everything and requests runlevel S; runlevel 1 stops the services that it does not want" },
	{ "killprocs", NULL, NULL, "kills every process, svcd's own included; services that a runlevel does not want are stopped by name" },
	{ "sendsigs", NULL, NULL, "kills every process; PID 1 signals the remaining ones after every service has stopped" },
	{ "umountnfs.sh", NULL, "$remote_fs", "each volume is unmounted by its own service, and PID 1 unmounts the rest" },
	{ "umountfs", NULL, "$local_fs", "each volume is unmounted by its own service, and PID 1 unmounts the rest" },
	{ "umountroot", NULL, NULL, "PID 1 makes the root read-only last of all" },
	{ "kexec", NULL, NULL, "starts the next kernel before PID 1 has unmounted anything" },
	{ "cgroupfs-mount", NULL, NULL, "mounts control groups over those in which svcd keeps its services" },
	{ "mountkernfs.sh", "checkroot", NULL, "PID 1 has mounted /proc, /sys and /run" },
	{ "mountdevsubfs.sh", "checkroot", NULL, "PID 1 has mounted what is below /dev" },
	{ "checkfs.sh", "checkroot", NULL, "each volume of fstab is checked by its own service" },
	{ "mountall.sh", "checkroot", "$local_fs", "each volume of fstab is mounted by its own service" },
	{ "mountnfs.sh", "checkroot", "$remote_fs", "each volume of fstab is mounted by its own service" },
	{ "checkroot-bootclean.sh", "tmpfiles", NULL, "tmpfiles empties /tmp; /run starts empty" },
	{ "mountall-bootclean.sh", "tmpfiles", "$local_fs", "tmpfiles empties /tmp; /run starts empty" },
	{ "mountnfs-bootclean.sh", "tmpfiles", "$remote_fs", "tmpfiles empties /tmp; /run starts empty" },
	{ "bootmisc.sh", "utmp", NULL, "empties /run/utmp, in which the service utmp has recorded the boot" },
};
/* clang-format on */

const LsbOwnJob *lsb_own_job_find(const char *file)
{
	for (size_t i = 0; i < G_N_ELEMENTS(jobs); i++) {
		if (strcmp(jobs[i].file, file) == 0)
			return &jobs[i];
	}
	return NULL;
}

const LsbOwnJob *lsb_own_job_at(size_t index)
{
	return index < G_N_ELEMENTS(jobs) ? &jobs[index] : NULL;
}
