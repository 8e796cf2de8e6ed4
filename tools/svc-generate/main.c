/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * svc-generate: makes service and policy files from what this machine says elsewhere: /etc/fstab, the kernel's consoles, the
 * chosen display manager; and, when the services are known, what makes the bus ask svcd to start them.
 *
 * The manager has it run at its start and before files are read anew. It reads a few small files, writes what has changed
 * below /run/svcd/generated and ends. A bad line is told on stderr, with file and line, and left out.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/diag.h"
#include "base/errors.h"
#include "base/fd.h"
#include "base/limits.h"
#include "config/loader.h"
#include "svc-generate/bus-activation.h"
#include "svc-generate/consoles.h"
#include "svc-generate/display-manager.h"
#include "svc-generate/fstab.h"
#include "svc-generate/output.h"
#include "svc-generate/volumes.h"

/* Inode of the first pid namespace, PROC_PID_INIT_INO of the kernel's include/linux/proc_ns.h. */
#define INITIAL_PID_NAMESPACE 0xEFFFFFFCu

#define DISPLAY_MANAGER "/etc/X11/default-display-manager"

/* What packages install; the admin's own; and where the latter are while boot/bus-activation covers them. */
#define BUS_SERVICES "/usr/share/dbus-1/system-services"
#define BUS_SERVICES_ADMIN "/usr/local/share/dbus-1/system-services"
#define BUS_SERVICES_COVERED "/run/svcd/bus-services.local"

static char *root = (char *)"";
static char *output_directory = (char *)"/run/svcd/generated";

static GBytes *read_below_root(const char *path, GError **error)
{
	g_autofree char *full = g_strconcat(root, path, NULL);

	return file_read_bounded(full, LIMIT_FILE_BYTES, error);
}

/* A file that is not there says nothing. */
static bool is_absent(const char *path)
{
	g_autofree char *full = g_strconcat(root, path, NULL);
	struct stat st;

	return stat(full, &st) < 0;
}

/* In a container, devices, mounts and consoles are the host's business. */
static bool is_container(void)
{
	struct stat st;

	if (getenv("container"))
		return true;
	return stat("/proc/self/ns/pid", &st) == 0 && st.st_ino != INITIAL_PID_NAMESPACE;
}

static bool generate_volumes(Output *output, DiagList *diags, GError **error)
{
	g_autoptr(GBytes) text = NULL;
	g_autoptr(GPtrArray) entries = NULL;
	size_t size;
	const char *data;

	if (is_absent("/etc/fstab"))
		return true;
	text = read_below_root("/etc/fstab", error);
	if (!text)
		return false;
	data = g_bytes_get_data(text, &size);
	entries = fstab_parse("/etc/fstab", data, size, diags);
	volumes_generate(entries, output);
	return true;
}

static void generate_consoles(Output *output)
{
	g_autoptr(GBytes) text = read_below_root("/sys/class/tty/console/active", NULL);
	g_autofree char *active = NULL;
	size_t size;

	if (!text)
		return; /* no consoles, no logins */
	(void)g_bytes_get_data(text, &size);
	active = g_strndup(g_bytes_get_data(text, NULL), size);
	consoles_generate(active, !is_absent(DISPLAY_MANAGER), output);
}

static void generate_display_manager(Output *output)
{
	g_autoptr(GBytes) text = is_absent(DISPLAY_MANAGER) ? NULL : read_below_root(DISPLAY_MANAGER, NULL);
	g_autofree char *chosen = text ? g_strndup(g_bytes_get_data(text, NULL), g_bytes_get_size(text)) : NULL;

	if (chosen)
		display_manager_generate(chosen, output);
}

static void print_diagnostics(const DiagList *diags)
{
	for (unsigned i = 0; i < diag_list_length(diags); i++) {
		g_autofree char *line = diag_format(diag_list_get(diags, i));

		fprintf(stderr, "%s\n", line);
	}
}

static bool generate(GError **error)
{
	g_autoptr(Output) output = output_new();
	g_autoptr(DiagList) diags = diag_list_new();
	g_autoptr(GError) volumes_error = NULL;

	if (*root || !is_container()) {
		/* Without /etc/fstab there still are logins. */
		if (!generate_volumes(output, diags, &volumes_error))
			fprintf(stderr, "svc-generate: %s\n", volumes_error->message);
		generate_consoles(output);
		generate_display_manager(output);
	}
	print_diagnostics(diags);
	return output_write(output, output_directory, error);
}

/* After the rest: what was generated is part of what is loaded here. What is wrong with files, their reader says. */
static bool generate_bus_activation(GError **error)
{
	const LoaderOptions options = { .root = root, .any_owner = *root != '\0' };
	g_autoptr(Configuration) configuration = configuration_load(&options, NULL);
	g_autoptr(Output) output = output_new();
	g_autofree char *vendor = g_strconcat(root, BUS_SERVICES, NULL);
	g_autofree char *admin =
		g_strconcat(root, is_absent(BUS_SERVICES_COVERED) ? BUS_SERVICES_ADMIN : BUS_SERVICES_COVERED, NULL);
	g_autofree char *directory = g_build_filename(output_directory, "bus-activation", NULL);

	bus_activation_generate(configuration->set, vendor, admin, output);
	return output_write(output, directory, error);
}

int main(int argc, char **argv)
{
	const GOptionEntry entries[] = {
		{ "root", 0, 0, G_OPTION_ARG_FILENAME, &root, "read the files below DIR", "DIR" },
		{ "output", 0, 0, G_OPTION_ARG_FILENAME, &output_directory,
		  "write to DIR instead of /run/svcd/generated", "DIR" },
		{ .long_name = NULL },
	};
	g_autoptr(GOptionContext) context = g_option_context_new("- make services from what the machine says elsewhere");
	g_autoptr(GError) error = NULL;

	g_option_context_add_main_entries(context, entries, NULL);
	if (!g_option_context_parse(context, &argc, &argv, &error) || argc > 1) {
		fprintf(stderr, "svc-generate: %s\n", error ? error->message : "too many arguments");
		return 2;
	}
	if (!generate(&error) || !generate_bus_activation(&error)) {
		fprintf(stderr, "svc-generate: %s\n", error->message);
		return 1;
	}
	/* Not by exit(3): GLib keeps interned texts in tables that a leak checker takes for lost (g_quark_from_string()). */
	quick_exit(0);
}
