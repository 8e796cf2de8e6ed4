/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Doctor, files: the installed init, write permissions, and contradictions with the files of other
 * systems.
 */
#include "config.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "svcctl/doctor.h"
#include "svcctl/units.h"

#define BUS_FILES "/usr/share/dbus-1/system-services"
#define OUR_BUS_FILES "/usr/local/share/dbus-1/system-services"
#define DEFAULTS "/etc/default"
#define SYSTEMD_MARK "/run/systemd/system"

/* --- the installed init --- */

void doctor_check_init(Doctor *d)
{
	g_autofree char *target = realpath("/sbin/init", NULL);
	g_autofree char *name = target ? g_path_get_basename(target) : NULL;

	if (!target)
		doctor_report(d, DOCTOR_ERROR, "ln -s svcd /sbin/init",
			      "there is no /sbin/init: the kernel finds no program to start");
	else if (strcmp(name, "svcd") != 0)
		doctor_report(
			d, DOCTOR_WARNING,
			"ln -sf svcd /sbin/init, or init=/sbin/svcd on the kernel's command line",
			"/sbin/init is %s: the next boot does not use svcd, unless the kernel's "
			"command line has init=/sbin/svcd",
			target);
	else
		doctor_report(d, DOCTOR_OK, NULL, "/sbin/init is svcd");
}

void doctor_check_systemd(Doctor *d)
{
	if (access(SYSTEMD_MARK, F_OK) == 0)
		doctor_report(
			d, DOCTOR_ERROR,
			"rmdir " SYSTEMD_MARK
			", and find what makes it: grep -rl run/systemd/system /etc/init.d "
			"/etc/tmpfiles.d /usr/lib/tmpfiles.d",
			SYSTEMD_MARK
			" exists: programs and packages believe that systemd is this machine's "
			"init, and get no answer");
	else
		doctor_report(d, DOCTOR_OK, NULL, "nothing pretends to be systemd");
}

/* --- write permissions --- */

/* Returns: whether @path is in order. */
static bool check_path(Doctor *d, const char *path)
{
	g_autofree char *next = NULL;
	struct stat st;

	if (lstat(path, &st) < 0 || S_ISLNK(st.st_mode))
		return true; /* an absent file cannot be changed */
	if (st.st_uid != 0) {
		next = g_strdup_printf("chown root:root %s", path);
		doctor_report(d, DOCTOR_ERROR, next,
			      "%s belongs to uid %u, which can therefore decide what root runs",
			      path, (unsigned)st.st_uid);
		return false;
	}
	if (!S_ISSOCK(st.st_mode) && st.st_mode & (S_IWGRP | S_IWOTH)) {
		next = g_strdup_printf("chmod go-w %s", path);
		doctor_report(
			d, DOCTOR_ERROR, next,
			"users other than root may write to %s, and can therefore decide what "
			"root runs",
			path);
		return false;
	}
	return true;
}

static bool check_directory(Doctor *d, const char *path)
{
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	bool is_fine = check_path(d, path);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *file = g_build_filename(path, name, NULL);

		is_fine &= check_path(d, file);
	}
	return is_fine;
}

static void check_private_socket(Doctor *d)
{
	struct stat st;

	if (lstat("/run/svcd/private", &st) == 0 && (st.st_mode & (S_IRWXG | S_IRWXO)))
		doctor_report(d, DOCTOR_WARNING, "chmod 600 /run/svcd/private",
			      "/run/svcd/private can be opened by users other than root (they are "
			      "refused, but can block root)");
}

void doctor_check_permissions(Doctor *d)
{
	static const char *const directories[] = {
		SVCD_SYSCONFDIR,      SVCD_SYSCONFDIR "/services.d", SVCD_SYSCONFDIR "/policy.d",
		SVCD_LIBDIR,          SVCD_LIBDIR "/services.d",     SVCD_LIBDIR "/policy.d",
		"/run/svcd",          "/run/svcd/generated",         "/run/svcd/services.d",
		"/run/svcd/policy.d",
	};
	bool is_fine = true;

	for (size_t i = 0; i < G_N_ELEMENTS(directories); i++)
		is_fine &= check_directory(d, directories[i]);
	check_private_socket(d);
	if (is_fine)
		doctor_report(d, DOCTOR_OK, NULL, "only root may change what svcd reads");
}

/* --- leftovers --- */

static void check_drop_ins(Doctor *d, const char *directory, unsigned *count)
{
	g_autoptr(GDir) dir = g_dir_open(directory, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *service =
			g_str_has_suffix(name, ".svc.d") ?
				g_strndup(name, strlen(name) - strlen(".svc.d")) :
				NULL;
		g_autofree char *next = NULL;

		if (!service || strchr(service, '@') ||
		    service_set_find(d->configuration->set, service))
			continue;
		next = g_strdup_printf("rm -r %s/%s", directory, name);
		doctor_report(d, DOCTOR_NOTE, next,
			      "%s/%s is about a service that is not installed", directory, name);
		(*count)++;
	}
}

static void check_old_copies(Doctor *d, const char *directory, unsigned *count)
{
	static const char *const suffixes[] = { ".dpkg-new", ".dpkg-dist", ".ucf-dist", ".rpmnew" };
	g_autoptr(GDir) dir = g_dir_open(directory, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		for (size_t i = 0; i < G_N_ELEMENTS(suffixes); i++) {
			g_autofree char *next = NULL;

			if (!g_str_has_suffix(name, suffixes[i]))
				continue;
			next = g_strdup_printf("diff %s/%.*s %s/%s", directory,
					       (int)(strlen(name) - strlen(suffixes[i])), name,
					       directory, name);
			doctor_report(
				d, DOCTOR_NOTE, next,
				"%s/%s is the package's new version of a changed file, and has not "
				"been merged yet",
				directory, name);
			(*count)++;
		}
	}
}

void doctor_check_leftovers(Doctor *d)
{
	static const char *const directories[] = { SVCD_SYSCONFDIR "/services.d",
						   SVCD_SYSCONFDIR "/policy.d",
						   "/run/svcd/services.d" };
	unsigned count = 0;

	for (size_t i = 0; i < G_N_ELEMENTS(directories); i++) {
		check_drop_ins(d, directories[i], &count);
		check_old_copies(d, directories[i], &count);
	}
	if (count == 0)
		doctor_report(d, DOCTOR_OK, NULL, "nothing is left over in " SVCD_SYSCONFDIR);
}

/* --- rc links --- */

static unsigned report_differences(Doctor *d, GHashTable *linked, GHashTable *wanted,
				   const char *runlevel)
{
	g_autofree gpointer *names = g_hash_table_get_keys_as_array(linked, NULL);
	unsigned count = 0;

	for (size_t i = 0; names[i]; i++) {
		const char *name = names[i];
		g_autofree char *next = NULL;

		if (g_hash_table_contains(wanted, name))
			continue;
		next = g_strdup_printf(
			"svcctl enable %s, or svcctl disable %s, which removes the links too", name,
			name);
		doctor_report(d, DOCTOR_NOTE, next,
			      "links in /etc/rc%s.d start %s, but policy does not, and only policy "
			      "counts",
			      runlevel, name);
		count++;
	}
	return count;
}

void doctor_check_rc_links(Doctor *d)
{
	g_autoptr(Configuration) with_links = context_load(d->context, NULL, CONTEXT_LOAD_RC_LINKS);
	const char *runlevel = policy_default_runlevel(d->configuration->policy, NULL);
	g_autoptr(GHashTable) linked = wanted_in(with_links, runlevel);
	g_autoptr(GHashTable) wanted = wanted_in(d->configuration, runlevel);

	if (report_differences(d, linked, wanted, runlevel) == 0)
		doctor_report(d, DOCTOR_OK, NULL,
			      "the links in /etc/rc%s.d start nothing that policy does not",
			      runlevel);
}

/* --- D-Bus --- */

static char *bus_file_value(const char *path, const char *key)
{
	g_autoptr(GKeyFile) file = g_key_file_new();

	if (!g_key_file_load_from_file(file, path, G_KEY_FILE_NONE, NULL))
		return NULL;
	return g_key_file_get_string(file, "D-BUS Service", key, NULL);
}

/* Does svcd receive the activation of this bus name? */
static bool comes_to_us(const char *bus_name)
{
	g_autofree char *file = g_strdup_printf(OUR_BUS_FILES "/%s.service", bus_name);
	g_autofree char *exec = bus_file_value(file, "Exec");

	return exec && strstr(exec, "svc-activate");
}

static unsigned check_bus_file(Doctor *d, const char *path)
{
	g_autofree char *name = bus_file_value(path, "Name");
	g_autofree char *exec = bus_file_value(path, "Exec");
	g_autofree char *unit = bus_file_value(path, "SystemdService");
	const ServiceDef *def = name ? service_set_find_bus_name(d->configuration->set, name) :
				       NULL;
	g_autofree char *next = NULL;

	if (!name || !exec || strcmp(name, "org.freedesktop.systemd1") == 0)
		return 0;
	if (def && access("/run/dbus/system_bus_socket", F_OK) == 0 && !comes_to_us(name)) {
		doctor_report(d, DOCTOR_WARNING, "svcctl reload-files; svcctl explain dbus",
			      "a call to %s starts %s without svcd, although %s is its service",
			      name, exec, def->name);
		return 1;
	}
	if (!def && g_str_has_suffix(exec, "/false")) {
		next = unit ? g_strdup_printf("svcctl import /lib/systemd/system/%s", unit) : NULL;
		doctor_report(
			d, DOCTOR_NOTE, next,
			"nothing can start %s: its file %s leaves that to systemd, and no service "
			"has Ready=dbus:%s",
			name, path, name);
		return 1;
	}
	return 0;
}

void doctor_check_bus_files(Doctor *d)
{
	g_autoptr(GDir) dir = g_dir_open(BUS_FILES, 0, NULL);
	const char *file;
	unsigned count = 0;

	while (dir && (file = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(BUS_FILES, file, NULL);

		if (g_str_has_suffix(file, ".service"))
			count += check_bus_file(d, path);
	}
	if (count == 0)
		doctor_report(d, DOCTOR_OK, NULL,
			      "calls on the message bus start the services of svcd through svcd");
}

/* --- units --- */

void doctor_check_units(Doctor *d)
{
	g_autoptr(GPtrArray) units = units_without_service("", d->configuration->set);

	for (guint i = 0; i < units->len; i++) {
		const char *unit = g_ptr_array_index(units, i);
		g_autofree char *file = g_path_get_basename(unit);
		g_autofree char *next = unit_import_commands(unit, "; ");

		doctor_report(
			d, DOCTOR_NOTE, next,
			"nothing starts %.*s: it has only a systemd unit, %s, which svcd does not "
			"read",
			(int)(strrchr(file, '.') - file), file, unit);
	}
	if (units->len == 0)
		doctor_report(d, DOCTOR_OK, NULL,
			      "every program that should be started has a service or an init "
			      "script");
}

/* --- switches of init scripts --- */

/* START_DAEMON=no, ENABLED=0, RUN=false, start_smartd=no ... */
#define OFF_SWITCH \
	"^[ \\t]*((START|ENABLE|RUN|start)[A-Za-z_]*|[A-Z]+RUN)=[\"']?(no|NO|No|false|0)[\"']?[ \\t]*$"

static unsigned check_switch(Doctor *d, const ServiceDef *def, const char *path)
{
	g_autofree char *next = g_strdup_printf("svcctl set %s never", def->name);
	g_autoptr(GRegex) regex = g_regex_new(OFF_SWITCH, G_REGEX_MULTILINE, 0, NULL);
	g_autoptr(GMatchInfo) match = NULL;
	g_autofree char *line = NULL;
	g_autofree char *text = NULL;

	if (!g_file_get_contents(path, &text, NULL, NULL) || !g_utf8_validate(text, -1, NULL) ||
	    !g_regex_match(regex, text, 0, &match))
		return 0;
	line = g_strstrip(g_match_info_fetch(match, 0));
	doctor_report(d, DOCTOR_WARNING, next,
		      "%s contains %s, which only the init script obeys, but policy starts %s",
		      path, line, def->name);
	return 1;
}

/* An init script may refuse to start its daemon. The service file of svcd has no such switch. */
void doctor_check_switches(Doctor *d)
{
	const GPtrArray *defs = service_set_list(d->configuration->set);
	unsigned count = 0;

	for (guint i = 0; i < defs->len; i++) {
		const ServiceDef *def = g_ptr_array_index(defs, i);
		g_autofree char *path = g_strconcat(DEFAULTS "/", def->name, NULL);
		PolicyDecision decision;

		policy_decide(d->configuration->policy, def->name,
			      policy_default_runlevel(d->configuration->policy, NULL), &decision);
		if (def->type != TYPE_SCRIPT && decision.activation == ACTIVATION_BOOT &&
		    decision.in_runlevel)
			count += check_switch(d, def, path);
	}
	if (count == 0)
		doctor_report(d, DOCTOR_OK, NULL, "every switch in " DEFAULTS " has an effect");
}
