/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * FD store: two of the tables in memory.h.
 */
#include "config.h"

#include "keeper/fd-store.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "keeper/console.h"
#include "keeper/disposal.h"
#include "keeper/memory.h"
#include "protocol/protocol.h"

static struct Note *note_row(unsigned int n)
{
	return table_row(TABLE_NOTES, n);
}

static struct KeptFd *fd_row(unsigned int n)
{
	return table_row(TABLE_FDS, n);
}

/* --- notes --- */

/*
 * The new note is complete before the old one is removed, so a fault loses neither. Without room
 * for both, the old one is overwritten.
 */
int note_set(const char *service, const char *text)
{
	const size_t length = strnlen(text, PROTOCOL_NOTE_BYTES);
	const unsigned int old = table_find(TABLE_NOTES, service);
	unsigned int n = 0;

	if (length == PROTOCOL_NOTE_BYTES)
		return E2BIG;
	if (service[0] == '\0' || strlen(service) >= PROTOCOL_KEEP_NAME_BYTES)
		return EINVAL;
	if (length > 0 && table_count(TABLE_NOTES) < PROTOCOL_MAX_NOTES)
		n = table_add(TABLE_NOTES, service);
	if (length > 0 && n == 0 && (n = old) == 0)
		return ENOSPC;
	if (n) {
		row_set_mark(&note_row(n)->row, ROW_CHANGING);
		memcpy(note_row(n)->text, text, length + 1);
		row_set_mark(&note_row(n)->row, ROW_USED);
	}
	if (old && old != n)
		table_remove(TABLE_NOTES, old);
	return 0;
}

const char *note_find(const char *service)
{
	const unsigned int n = table_find(TABLE_NOTES, service);

	return n ? note_row(n)->text : NULL;
}

const char *note_at(unsigned int n, const char **ret_service)
{
	*ret_service = note_row(n)->row.name;
	return note_row(n)->row.mark == ROW_USED ? note_row(n)->text : NULL;
}

/* An incomplete note is dropped: the service loses its history, not its process. */
static bool note_is_sound(void *row)
{
	const struct Note *note = row;

	return note->row.mark == ROW_USED && note->text[0] && memchr(note->text, '\0', sizeof(note->text)) &&
	       !table_find(TABLE_NOTES, note->row.name);
}

/* --- descriptors --- */

int fd_store_keep(const char *name, int fd)
{
	unsigned int n = table_find(TABLE_FDS, name);
	int error = 0;

	if (n) {
		const int old = fd_row(n)->fd;

		fd_row(n)->fd = fd;
		disposal_add(old);
		return 0;
	}
	if (table_count(TABLE_FDS) == PROTOCOL_MAX_KEPT_FDS)
		error = ENOSPC;
	else if (!(n = table_add(TABLE_FDS, name)))
		error = EINVAL;
	if (error) {
		disposal_add(fd);
		return error;
	}
	fd_row(n)->fd = fd;
	row_set_mark(&fd_row(n)->row, ROW_USED);
	return 0;
}

/* Returns: the descriptor, which the caller owns now, or -1. */
static int take_fd(const char *name)
{
	const unsigned int n = table_find(TABLE_FDS, name);
	const int fd = n ? fd_row(n)->fd : -1;

	if (n)
		table_remove(TABLE_FDS, n);
	return fd;
}

void fd_store_forget(const char *name)
{
	const int fd = take_fd(name);

	if (fd >= 0)
		disposal_add(fd);
}

void fd_store_close_ended(const char *name)
{
	const int fd = take_fd(name);

	if (fd >= 0)
		(void)close(fd); /* it is open */
}

int fd_store_find(const char *name)
{
	const unsigned int n = table_find(TABLE_FDS, name);

	return n ? fd_row(n)->fd : -1;
}

int fd_store_at(unsigned int n, const char **ret_name)
{
	*ret_name = fd_row(n)->row.name;
	return fd_row(n)->row.mark == ROW_USED ? fd_row(n)->fd : -1;
}

void fd_store_set_cloexec(bool cloexec)
{
	const char *name;

	for (unsigned int n = 1; n <= table_last(TABLE_FDS); n++) {
		const int fd = fd_store_at(n, &name);

		if (fd >= 0 && fcntl(fd, F_SETFD, cloexec ? FD_CLOEXEC : 0) < 0)
			table_remove(TABLE_FDS, n); /* another descriptor may soon get its number */
	}
}

void fd_store_close(void)
{
	const char *name;

	for (unsigned int n = 1; n <= table_last(TABLE_FDS); n++)
		if (fd_store_at(n, &name) >= 0)
			fd_store_forget(name);
}

static bool fd_is_sound(void *row)
{
	const struct KeptFd *kept = row;

	return kept->row.mark == ROW_USED && kept->fd > STDERR_FILENO && !table_find(TABLE_FDS, kept->row.name);
}

/*
 * From now on the next exec closes the descriptor, so a descriptor is never taken twice, and never
 * without being there. Only a row that is taken over is marked. Otherwise its descriptor would be
 * lost if the tables had to be handed on.
 */
static bool fd_is_ours(void *row)
{
	const struct KeptFd *kept = row;

	if (!fd_is_sound(row))
		return false;
	if (fcntl(kept->fd, F_GETFD) != 0) {
		console_log("the descriptor %s is not there any more", kept->row.name);
		return false;
	}
	(void)fcntl(kept->fd, F_SETFD, FD_CLOEXEC); /* cannot fail, it is open */
	return true;
}

unsigned int fd_store_resume(bool is_trial)
{
	return table_resume(TABLE_NOTES, note_is_sound) + table_resume(TABLE_FDS, is_trial ? fd_is_sound : fd_is_ours);
}
