/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * In force: see the header. There can be two bundles while the files are read again; the one in
 * force began at FilesReadAt.
 */
#include "config.h"

#include "svcctl/in-force.h"

#include <fcntl.h>
#include <string.h>

#include "base/fd.h"

/* The name of the bundle's memfd in readlink(2): daemon/manager/files.c, make_memfd(). */
#define MEMFD_LINK "/memfd:svcd-files (deleted)"

static Bundle *read_descriptor(const char *path)
{
	g_autofree char *target = g_file_read_link(path, NULL);
	auto_fd int fd = -1;

	if (!target || strcmp(target, MEMFD_LINK) != 0)
		return NULL;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	/* a bundle that is still being written is not sealed */
	return fd >= 0 ? bundle_read(fd, NULL) : NULL;
}

Bundle *in_force_read(GVariant *manager)
{
	g_autofree char *directory =
		g_strdup_printf("/proc/%u/fd", (unsigned)record_number(manager, "ManagerPid"));
	g_autoptr(GDir) dir = g_dir_open(directory, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(directory, name, NULL);
		g_autoptr(Bundle) bundle = read_descriptor(path);

		if (bundle && bundle_began_us(bundle) == (int64_t)record_number(manager, "FilesRead"
											 "At"))
			return g_steal_pointer(&bundle);
	}
	return NULL;
}
