/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names: a static hash table of counted strings.
 *
 * A short name lies beside its row; longer ones in arrays of their own, whose pages cost nothing as long as there are none.
 */
#include "config.h"

#include "keeper/names.h"

#include <string.h>

#include "protocol/protocol.h"

#define BUCKETS 4096 /* few pages of bucket heads stay touched, and chains short up to all 32,767 */
#define SHORT_BYTES 24 /* "systemd-udevd/log/12" */
#define MIDDLE_BYTES 48

struct Name {
	uint16_t n_holders;
	NameId next; /* in its bucket, or in the list of free ones */
	char text[SHORT_BYTES];
};

static struct Name names[NAMES_MAX];
static char middle_texts[NAMES_MAX][MIDDLE_BYTES];
static char long_texts[NAMES_MAX][PROTOCOL_KEEP_NAME_BYTES];
static NameId buckets[BUCKETS];
static NameId first_free;
static NameId last_used;

/* FNV-1a. */
static unsigned int bucket_of(const char *text)
{
	uint32_t hash = 2166136261u;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 16777619u;
	return (hash ^ hash >> 16) % BUCKETS;
}

static NameId take_free_row(void)
{
	NameId id = first_free;

	if (id) {
		first_free = names[id].next;
		return id;
	}
	return last_used < NAMES_MAX - 1 ? ++last_used : 0;
}

NameId name_find(const char *text)
{
	for (NameId id = buckets[bucket_of(text)]; id; id = names[id].next)
		if (strcmp(name_text(id), text) == 0)
			return id;
	return 0;
}

/* The first byte of a shorter place is NUL if it is not there. */
static void set_text(NameId id, const char *text, size_t length)
{
	char *place = names[id].text;

	if (length >= SHORT_BYTES) {
		*place = '\0';
		place = middle_texts[id];
	}
	if (length >= MIDDLE_BYTES) {
		if (*place)
			*place = '\0'; /* or this would touch its page for nothing */
		place = long_texts[id];
	}
	memcpy(place, text, length + 1);
}

NameId name_take(const char *text)
{
	size_t length = strlen(text);
	NameId id = name_find(text);
	NameId *bucket;

	if (id) {
		names[id].n_holders++;
		return id;
	}
	if (length == 0 || length >= PROTOCOL_KEEP_NAME_BYTES)
		return 0;
	id = take_free_row();
	if (!id)
		return 0;

	bucket = &buckets[bucket_of(text)];
	names[id].n_holders = 1;
	names[id].next = *bucket;
	set_text(id, text, length);
	*bucket = id;
	return id;
}

void name_drop(NameId id)
{
	NameId *link;

	if (!id || --names[id].n_holders > 0)
		return;
	link = &buckets[bucket_of(name_text(id))];
	while (*link != id)
		link = &names[*link].next;
	*link = names[id].next;
	names[id].next = first_free;
	first_free = id;
}

const char *name_text(NameId id)
{
	if (names[id].text[0])
		return names[id].text;
	return middle_texts[id][0] ? middle_texts[id] : long_texts[id];
}

NameId name_last(void)
{
	return last_used;
}
