/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Boot file: the boot record as text in /run/svcd/boot, so that it outlives this manager.
 *
 * Lines are appended when no work is pending, or every 10 ms, until the boot is finished. A later
 * manager reads all lines. The file is in memory, so the write never waits for a disk. Without the
 * file, the record has gaps if a manager died during the boot.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/limits.h"
#include "base/log.h"
#include "boot/boot-record.h"
#include "manager/manager.h"

static bool is_lost; /* the record is incomplete, and that was logged */

static char *file_path(const Manager *m)
{
	return g_build_filename(m->runtime_dir, "boot", NULL);
}

void boot_file_recover(Manager *m)
{
	g_autofree char *path = file_path(m);
	g_autoptr(GBytes) bytes = NULL;
	g_autoptr(GError) error = NULL;

	/*
	 * A machine boots with an empty /run, but a restarted container may contain an older file.
	 */
	if (!recovery_has_begun(m->recovery) || m->welcome.flags & WELCOME_WITHOUT_NOTES) {
		(void)unlink(path); /* usually the file does not exist */
		return;
	}
	if (access(path, F_OK) < 0)
		return;
	bytes = file_read_bounded(path, LIMIT_BOOT_FILE_BYTES, &error);
	if (!bytes) {
		log_warning(NULL, "the boot record is lost: %s", error->message);
		return;
	}
	boot_record_recover(m->engine, g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
}

static int open_file(const Manager *m)
{
	g_autofree char *path = file_path(m);

	return open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
}

void boot_file_check(Manager *m)
{
	g_autofree char *news = boot_record_take_news(m->engine);
	auto_fd int fd = news ? open_file(m) : -1;

	if (!news || (fd >= 0 && fd_write_all(fd, news, strlen(news))) || is_lost)
		return;
	is_lost = true; /* logged once */
	log_warning(NULL, "cannot keep the boot record in %s: %s", m->runtime_dir,
		    g_strerror(errno));
}
