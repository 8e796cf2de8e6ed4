/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vault: beside the table of names, a pool of notes and an array of descriptors.
 */
#include "config.h"

#include "keeper/vault.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "protocol/protocol.h"

/*
 * Notes lie close together, apart from the names: most names are those of descriptors and have none, and every page that
 * is touched is PID 1's for ever.
 */
static char notes[PROTOCOL_MAX_NOTES + 1][PROTOCOL_NOTE_BYTES]; /* 0 is nobody's */
static uint16_t note_of[NAMES_MAX];                             /* name -> note, 0: none */
static uint16_t next_free[PROTOCOL_MAX_NOTES + 1];
static uint16_t first_free;
static uint16_t n_used; /* notes that have ever been used */

static int fds_plus_one[NAMES_MAX]; /* 0: none, so that untouched pages say so */
static uint32_t n_notes;
static uint32_t n_fds;

static uint16_t note_take(void)
{
	uint16_t note = first_free;

	if (note)
		first_free = next_free[note];
	else if (n_used < PROTOCOL_MAX_NOTES)
		note = ++n_used;
	return note;
}

static void note_drop(uint16_t note)
{
	next_free[note] = first_free;
	first_free = note;
}

static void forget_note(const char *service)
{
	NameId id = name_find(service);

	if (!id || !note_of[id])
		return;
	note_drop(note_of[id]);
	note_of[id] = 0;
	n_notes--;
	name_drop(id);
}

/* Returns: 0 and a note for @service, its old one or a new one; or an error number. */
static int note_for(const char *service, uint16_t *ret_note)
{
	NameId id = name_find(service);
	uint16_t note = id ? note_of[id] : 0;

	if (!note) {
		note = note_take();
		if (!note)
			return ENOSPC;
		id = name_take(service);
		if (!id) {
			note_drop(note);
			return EINVAL;
		}
		note_of[id] = note;
		n_notes++;
	}
	*ret_note = note;
	return 0;
}

int vault_set_note(const char *service, const char *note)
{
	size_t length = strnlen(note, PROTOCOL_NOTE_BYTES);
	uint16_t slot;
	int error;

	if (length == PROTOCOL_NOTE_BYTES)
		return E2BIG;
	if (length == 0) {
		forget_note(service);
		return 0;
	}
	error = note_for(service, &slot);
	if (!error)
		memcpy(notes[slot], note, length + 1);
	return error;
}

const char *vault_note(NameId id)
{
	return note_of[id] ? notes[note_of[id]] : NULL;
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
