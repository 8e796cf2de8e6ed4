/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vault: two arrays beside the table of names, one of notes and one of descriptors.
 */
#include "config.h"

#include "keeper/vault.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "protocol/protocol.h"

static char notes[NAMES_MAX][PROTOCOL_NOTE_BYTES];
static int fds_plus_one[NAMES_MAX]; /* 0: none, so that untouched pages say so */
static uint32_t n_notes;
static uint32_t n_fds;

static void forget_note(const char *service)
{
	NameId id = name_find(service);

	if (!id || !notes[id][0])
		return;
	notes[id][0] = '\0';
	n_notes--;
	name_drop(id);
}

int vault_set_note(const char *service, const char *note)
{
	size_t length = strnlen(note, PROTOCOL_NOTE_BYTES);
	NameId id;

	if (length == PROTOCOL_NOTE_BYTES)
		return E2BIG;
	if (length == 0) {
		forget_note(service);
		return 0;
	}
	id = name_find(service);
	if (!id || !notes[id][0]) {
		if (n_notes == PROTOCOL_MAX_NOTES)
			return ENOSPC;
		id = name_take(service);
		if (!id)
			return EINVAL;
		n_notes++;
	}
	memcpy(notes[id], note, length + 1);
	return 0;
}

const char *vault_note(NameId id)
{
	return notes[id][0] ? notes[id] : NULL;
}

int vault_keep(const char *name, int fd)
{
	NameId id = name_find(name);
	int error = 0;

	if (id && fds_plus_one[id]) {
		(void)close(fds_plus_one[id] - 1); /* replaced: its contents are nobody's business */
		fds_plus_one[id] = fd + 1;
		return 0;
	}
	if (n_fds == PROTOCOL_MAX_KEPT_FDS)
		error = ENOSPC;
	else if ((id = name_take(name)) == 0)
		error = EINVAL;
	if (error) {
		(void)close(fd); /* refused, and the caller is told so */
		return error;
	}
	fds_plus_one[id] = fd + 1;
	n_fds++;
	return 0;
}

void vault_forget(const char *name)
{
	NameId id = name_find(name);

	if (!id || !fds_plus_one[id])
		return;
	(void)close(fds_plus_one[id] - 1); /* what it led to is closed as far as we are concerned */
	fds_plus_one[id] = 0;
	n_fds--;
	name_drop(id);
}

int vault_fd(NameId id)
{
	return fds_plus_one[id] - 1;
}

uint32_t vault_n_notes(void)
{
	return n_notes;
}

uint32_t vault_n_fds(void)
{
	return n_fds;
}

bool vault_set_cloexec(bool cloexec)
{
	for (unsigned int id = 1; id <= name_last(); id++)
		if (fds_plus_one[id] && fcntl(fds_plus_one[id] - 1, F_SETFD, cloexec ? FD_CLOEXEC : 0) < 0)
			return false;
	return true;
}
