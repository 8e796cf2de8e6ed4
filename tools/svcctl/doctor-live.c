/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Doctor, live: the state of the running svcd, and whether the running programs are still the
 * installed ones.
 */
#include "config.h"

#include <string.h>
#include <unistd.h>

#include "svcctl/doctor.h"
#include "svcctl/processes.h"

void doctor_check_cgroups(Doctor *d)
{
	if (access("/sys/fs/cgroup/cgroup.procs", F_OK) == 0 ||
	    access("/sys/fs/cgroup/cgroup.controllers", F_OK) == 0)
		doctor_report(d, DOCTOR_OK, NULL, "cgroup v2 is mounted");
	else
		doctor_report(
			d, DOCTOR_WARNING,
			"mount -t cgroup2 cgroup2 /sys/fs/cgroup, then reboot; the kernel's "
			"command line must not "
			"contain cgroup_no_v1 or systemd.unified_cgroup_hierarchy=0",
			"cgroup v2 is not mounted: processes that leave the process tree of their "
			"service cannot be found, and there are no limits");
}

/* --- svcd itself --- */

static void report_tainted(Doctor *d)
{
	g_autoptr(GVariant) tainted =
		g_variant_lookup_value(d->manager, "Tainted", G_VARIANT_TYPE_STRING_ARRAY);

	for (gsize i = 0; tainted && i < g_variant_n_children(tainted); i++) {
		const char *sentence;

		g_variant_get_child(tainted, i, "&s", &sentence);
		doctor_report(d, DOCTOR_WARNING, NULL, "%s", sentence);
	}
}

void doctor_check_manager(Doctor *d)
{
	g_autofree char *comm = NULL;
	const bool is_pid1 = client_pid1_is_svcd(&comm);
	g_autoptr(GPtrArray) diagnostics = d->manager ? get_diagnostics(d->context, NULL) : NULL;

	if (!is_pid1)
		doctor_report(
			d, DOCTOR_ERROR,
			"init=/sbin/svcd on the kernel's command line boots svcd once",
			"process 1 is %s, not svcd: the following lines about running services do "
			"not apply",
			comm ? comm : "not known");
	if (d->is_for_root) {
		doctor_report(
			d, DOCTOR_NOTE, "sudo svcctl doctor",
			"only root can see the state of svcd now: other users need the system bus, "
			"which does not answer");
		return;
	}
	if (!d->manager) {
		doctor_report(d, DOCTOR_ERROR, is_pid1 ? "dmesg | grep svcd; svcctl reexec" : NULL,
			      "svcd does not answer");
		return;
	}
	if (record_number(d->manager, "Generation") > 0)
		doctor_report(
			d, DOCTOR_NOTE, "dmesg | grep svcd",
			"the manager was replaced %u times since the boot; each reexec is one",
			(unsigned)record_number(d->manager, "Generation"));
	report_tainted(d);
	if (diagnostics && diagnostics->len > 0)
		doctor_report(d, DOCTOR_WARNING, "svcctl check",
			      "svcd reports %u problem%s in service and policy files",
			      diagnostics->len, diagnostics->len == 1 ? "" : "s");
	doctor_report(d, DOCTOR_OK, NULL, "svcd answers");
}

/* --- after an upgrade --- */

static char *link_target(const char *proc, unsigned pid)
{
	g_autofree char *link = g_strdup_printf("%s/%u/exe", proc, pid);

	return g_file_read_link(link, NULL);
}

static bool is_deleted(const char *path)
{
	return path && g_str_has_suffix(path, " (deleted)");
}

bool doctor_is_replaced(GVariant *manager)
{
	g_autofree char *keeper_link = link_target(proc_directory(), 1);
	g_autofree char *manager_link =
		link_target(proc_directory(), (unsigned)record_number(manager, "ManagerPid"));

	return is_deleted(keeper_link) || is_deleted(manager_link);
}

void doctor_check_versions(Doctor *d)
{
	const unsigned manager_pid =
		d->manager ? (unsigned)record_number(d->manager, "ManagerPid") : 0;
	const char *version = d->manager ? record_text(d->manager, "Version") : "";
	g_autofree char *keeper = link_target(proc_directory(), 1);
	g_autofree char *manager = manager_pid > 0 ? link_target(proc_directory(), manager_pid) :
						     NULL;

	if (!d->manager)
		return;
	if (strcmp(version, PACKAGE_VERSION) != 0)
		doctor_report(d, DOCTOR_WARNING, "svcctl reexec", "svcd %s runs, %s is installed",
			      version, PACKAGE_VERSION);
	else if (is_deleted(keeper) || is_deleted(manager))
		doctor_report(d, DOCTOR_WARNING, "svcctl reexec",
			      "svcd was replaced on disk, and the old version still runs%s",
			      is_deleted(keeper) ? "" : " (the manager only)");
	else if (!keeper && geteuid() != 0)
		doctor_report(d, DOCTOR_NOTE, "sudo svcctl doctor",
			      "only root can see whether svcd has been replaced since it was "
			      "started");
	else
		doctor_report(d, DOCTOR_OK, NULL, "svcd %s is installed and runs", version);
}

/* The first file that a process executes and that no longer exists; a new string, or NULL. */
static char *find_replaced(unsigned pid)
{
	g_autofree char *path = g_strdup_printf("%s/%u/maps", proc_directory(), pid);
	g_autofree char *maps = NULL;
	g_auto(GStrv) lines = NULL;

	if (!g_file_get_contents(path, &maps, NULL, NULL))
		return NULL;
	lines = g_strsplit(maps, "\n", -1);
	for (size_t i = 0; lines[i]; i++) {
		const char *file = strchr(lines[i], '/');
		const char *mode = strchr(lines[i], ' ');

		/*
		 * Mappings that never were a file of a package: shared memory, and programs in
		 * memory.
		 */
		if (!file || !mode || strlen(mode) < 4 || mode[3] != 'x' || !is_deleted(file) ||
		    g_str_has_prefix(file, "/memfd:") || g_str_has_prefix(file, "/dev/") ||
		    g_str_has_prefix(file, "/SYSV"))
			continue;
		return g_strndup(file, strlen(file) - strlen(" (deleted)"));
	}
	return NULL;
}

void doctor_check_replaced(Doctor *d)
{
	unsigned count = 0;

	for (guint i = 0; d->services && i < d->services->len; i++) {
		GVariant *record = g_ptr_array_index(d->services, i);
		const unsigned pid = (unsigned)record_number(record, "MainPid");
		g_autofree char *file = pid > 0 ? find_replaced(pid) : NULL;
		g_autofree char *next = NULL;

		if (!file)
			continue;
		next = g_strdup_printf("svcctl restart %s", record_text(record, "Name"));
		doctor_report(
			d, DOCTOR_WARNING, next,
			"%s (pid %u) still runs the version of %s from before it was replaced",
			record_text(record, "Name"), pid, file);
		count++;
	}
	if (d->services && count == 0 && geteuid() == 0)
		doctor_report(d, DOCTOR_OK, NULL,
			      "no service runs a program or library that has been replaced since "
			      "its start");
}

/*
 * "8 times"; NULL: it is up, or was not restarted. The text stays the same during the next attempt.
 */
static char *failures_as_text(GVariant *record)
{
	static const char *const transitional_states[] = { "backoff", "starting", "stopping",
							   NULL };
	const unsigned n_restarts = (unsigned)record_number(record, "Restarts");

	if (n_restarts == 0 || !g_strv_contains(transitional_states, record_text(record, "State")))
		return NULL;
	return n_restarts == 1 ? g_strdup("once") : g_strdup_printf("%u times", n_restarts);
}

void doctor_check_services(Doctor *d)
{
	unsigned count = 0;

	for (guint i = 0; d->services && i < d->services->len; i++) {
		GVariant *record = g_ptr_array_index(d->services, i);
		g_autofree char *failures = failures_as_text(record);
		g_autofree char *next = NULL;

		if (strcmp(record_text(record, "State"), "failed") != 0 && !failures)
			continue;
		next = g_strdup_printf("svcctl explain %s", record_text(record, "Name"));
		doctor_report(d, DOCTOR_WARNING, next, "%s has failed%s%s: %s",
			      record_text(record, "Name"), failures ? " " : "",
			      failures ? failures : "", record_text(record, "Cause"));
		count++;
	}
	if (d->services && count == 0)
		doctor_report(d, DOCTOR_OK, NULL, "no service has failed");
}
