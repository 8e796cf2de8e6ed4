/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vault: beside the table of names, two pools of notes and an array of descriptors.
 */
#include "config.h"

#include "keeper/vault.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "keeper/disposal.h"
#include "protocol/protocol.h"

#define SHORT_NOTE_BYTES 64 /* what a service that is up has to say of itself */

/*
 * Notes lie close together, apart from the names: most names are those of descriptors and have none, and every page that
 * is touched is PID 1's for ever. So short ones lie apart from long ones, too.
 */
static char short_notes[PROTOCOL_MAX_NOTES + 1][SHORT_NOTE_BYTES]; /* 0 is nobody's, in each of these */
static char long_notes[PROTOCOL_MAX_NOTES + 1][PROTOCOL_NOTE_BYTES];

/* Places in one of these two. */
struct Pool {
	uint16_t next_free[PROTOCOL_MAX_NOTES + 1];
	uint16_t first_free;
	uint16_t n_used; /* places that have ever been used */
};

static struct Pool short_pool;
static struct Pool long_pool;
static uint16_t short_of[NAMES_MAX]; /* name -> its note among the short ones, 0: none */
static uint16_t long_of[NAMES_MAX];

static int fds_plus_one[NAMES_MAX]; /* 0: none, so that untouched pages say so */
static uint32_t n_notes;
static uint32_t n_fds;

/* There is one for each of PROTOCOL_MAX_NOTES. */
static uint16_t place_take(struct Pool *pool)
{
	uint16_t place = pool->first_free;

	if (!place)
		return ++pool->n_used;
	pool->first_free = pool->next_free[place];
	return place;
}

static void place_drop(struct Pool *pool, uint16_t *place)
{
	if (*place) {
		pool->next_free[*place] = pool->first_free;
		pool->first_free = *place;
	}
	*place = 0;
}

static void forget_note(const char *service)
{
	NameId id = name_find(service);

	if (!id || !vault_note(id))
		return;
	place_drop(&short_pool, &short_of[id]);
	place_drop(&long_pool, &long_of[id]);
	n_notes--;
	name_drop(id);
}

static void write_note(NameId id, const char *note, size_t length)
{
	if (length < SHORT_NOTE_BYTES) {
		place_drop(&long_pool, &long_of[id]);
		if (!short_of[id])
			short_of[id] = place_take(&short_pool);
		memcpy(short_notes[short_of[id]], note, length + 1);
	} else {
		place_drop(&short_pool, &short_of[id]);
		if (!long_of[id])
			long_of[id] = place_take(&long_pool);
		memcpy(long_notes[long_of[id]], note, length + 1);
	}
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
	if (!id || !vault_note(id)) {
		if (n_notes == PROTOCOL_MAX_NOTES)
			return ENOSPC;
		id = name_take(service);
		if (!id)
			return EINVAL;
		n_notes++;
	}
	write_note(id, note, length);
	return 0;
}

const char *vault_note(NameId id)
{
	if (short_of[id])
		return short_notes[short_of[id]];
	return long_of[id] ? long_notes[long_of[id]] : NULL;
}

int vault_keep(const char *name, int fd)
{
	NameId id = name_find(name);
	int error = 0;

	if (id && fds_plus_one[id]) {
		disposal_add(fds_plus_one[id] - 1);
		fds_plus_one[id] = fd + 1;
		return 0;
	}
	if (n_fds == PROTOCOL_MAX_KEPT_FDS)
		error = ENOSPC;
	else if ((id = name_take(name)) == 0)
		error = EINVAL;
	if (error) {
		disposal_add(fd);
		return error;
	}
	fds_plus_one[id] = fd + 1;
	n_fds++;
	return 0;
}

static void drop_fd(NameId id)
{
	fds_plus_one[id] = 0;
	n_fds--;
	name_drop(id);
}

/* Returns: the descriptor, which is the caller's now, or -1. */
static int take_fd(const char *name)
{
	NameId id = name_find(name);
	int fd = id ? fds_plus_one[id] - 1 : -1;

	if (fd >= 0)
		drop_fd(id);
	return fd;
}

void vault_forget(const char *name)
{
	int fd = take_fd(name);

	if (fd >= 0)
		disposal_add(fd);
}

void vault_close_ended(const char *name)
{
	int fd = take_fd(name);

	if (fd >= 0)
		(void)close(fd); /* it is open */
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

void vault_set_cloexec(bool cloexec)
{
	for (unsigned int id = 1; id <= name_last(); id++)
		if (fds_plus_one[id] && fcntl(fds_plus_one[id] - 1, F_SETFD, cloexec ? FD_CLOEXEC : 0) < 0)
			drop_fd((NameId)id); /* its number may soon be another's */
}

void vault_close(void)
{
	for (unsigned int id = 1; id <= name_last(); id++)
		if (fds_plus_one[id])
			vault_forget(name_text((NameId)id));
}
