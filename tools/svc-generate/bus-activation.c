/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bus activation: see bus-activation.h.
 */
#include "config.h"

#include "svc-generate/bus-activation.h"

#include <stdio.h>

#include "base/fd.h"
#include "base/limits.h"
#include "model/name.h"

#define SUFFIX ".service"

typedef void (*FileFunc)(const ServiceSet *set, const char *directory, const char *file,
			 GeneratedFiles *output);

/* A directory that cannot be read counts as empty. */
static void foreach_file(const ServiceSet *set, const char *directory, FileFunc func,
			 GeneratedFiles *output)
{
	g_autoptr(GDir) dir = g_dir_open(directory, 0, NULL);
	const char *file;

	while (dir && (file = g_dir_read_name(dir)) != NULL) {
		if (*file != '.' && g_str_has_suffix(file, SUFFIX))
			func(set, directory, file, output);
	}
}

static void take_over(const ServiceSet *set, const char *directory, const char *file,
		      GeneratedFiles *output)
{
	g_autofree char *path = g_build_filename(directory, file, NULL);
	g_autoptr(GError) error = NULL;
	g_autoptr(GBytes) bytes = file_read_bounded(path, LIMIT_FILE_BYTES, &error);
	size_t size;
	const char *data;

	(void)set;
	if (!bytes) {
		fprintf(stderr, "svc-generate: %s\n", error->message);
		return;
	}
	data = g_bytes_get_data(bytes, &size);
	g_string_append_len(generated_files_add(output, file, path), data, (gssize)size);
}

/* dbus-daemon finds the file of a name only by the file's name, so that is the bus name. */
static void redirect(const ServiceSet *set, const char *directory, const char *file,
		     GeneratedFiles *output)
{
	g_autofree char *name = g_strndup(file, strlen(file) - strlen(SUFFIX));
	g_autofree char *path = g_build_filename(directory, file, NULL);

	if (!name_check_bus(name, NULL) || !service_set_find_bus_name(set, name) ||
	    generated_files_has(output, file))
		return;
	g_string_append_printf(generated_files_add(output, file, path),
			       "[D-BUS Service]\nName=%s\nUser=root\nExec=%s/svc-activate %s\n",
			       name, SVCD_LIBDIR, name);
}

void bus_activation_generate(const ServiceSet *set, const char *vendor_dir, const char *admin_dir,
			     GeneratedFiles *output)
{
	foreach_file(set, admin_dir, take_over, output);
	foreach_file(set, vendor_dir, redirect, output);
}
