/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Udev doubt: one entry a device that has lost its volume and may yet get it back. Most of the time there is none.
 */
#include "config.h"

#include "providers/udev-doubt.h"

#define LOOKS 2

typedef struct Doubt {
	UdevRecord *record; /* what it is, should it stay that way; owned */
	unsigned n_asked;
	int64_t due_us;
	bool is_of_unknown; /* nobody knows what it was before: it is in the table as it is */
} Doubt;

struct UdevDoubts {
	UdevTable *table;
	const UdevDoubtOps *ops;
	void *data;
	GHashTable *by_path; /* syspath, of the record -> Doubt, owned */
};

static void doubt_free(gpointer data)
{
	Doubt *doubt = data;

	udev_record_free(doubt->record);
	g_free(doubt);
}

UdevDoubts *udev_doubts_new(UdevTable *table, const UdevDoubtOps *ops, void *data)
{
	UdevDoubts *doubts = g_new0(UdevDoubts, 1);

	doubts->table = table;
	doubts->ops = ops;
	doubts->data = data;
	doubts->by_path = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, doubt_free);
	return doubts;
}

void udev_doubts_free(UdevDoubts *doubts)
{
	if (!doubts)
		return;
	g_hash_table_unref(doubts->by_path);
	g_free(doubts);
}

/* Blkid has looked, and found nothing where there may be something. */
static bool is_doubtful(const UdevRecord *record)
{
	return udev_record_is_blank(record) &&
	       (udev_record_is_ready(record) || udev_record_is_unready_while_blank(record)) &&
	       !record->is_empty;
}

/* The manager before may have known it as a volume. */
static bool may_have_been_volume(const UdevRecord *record, UdevToldBy by)
{
	return by == UDEV_TOLD_BY_FIRST_LISTING && !udev_record_has_partitions(record);
}

static void begin(UdevDoubts *doubts, UdevRecord *record, bool is_of_unknown, int64_t now_us)
{
	Doubt *doubt = g_new0(Doubt, 1);

	doubt->record = record;
	doubt->is_of_unknown = is_of_unknown;
	doubt->due_us = now_us + UDEV_DOUBT_FIRST_US;
	g_hash_table_insert(doubts->by_path, record->syspath, doubt);
}

/* Its key is in the record, and goes with it. */
static void replace(UdevDoubts *doubts, Doubt *doubt, UdevRecord *record)
{
	g_hash_table_steal(doubts->by_path, doubt->record->syspath);
	udev_record_free(doubt->record);
	doubt->record = record;
	g_hash_table_insert(doubts->by_path, record->syspath, doubt);
}

static void put_doubtful(UdevDoubts *doubts, UdevRecord *record, bool is_of_unknown, UdevToldBy by, int64_t now_us)
{
	Doubt *doubt = g_hash_table_lookup(doubts->by_path, record->syspath);

	if (doubt && doubt->n_asked == LOOKS && by == UDEV_TOLD_BY_EVENT) {
		g_hash_table_remove(doubts->by_path, record->syspath);
		udev_table_put(doubts->table, record);
		return;
	}
	if (is_of_unknown)
		udev_table_put(doubts->table, udev_record_copy(record));
	else
		udev_table_keep(doubts->table, record->syspath);
	if (by == UDEV_TOLD_BY_EVENT)
		doubts->ops->look(doubts->data, record->syspath);
	if (doubt)
		replace(doubts, doubt, record);
	else
		begin(doubts, record, is_of_unknown, now_us);
}

void udev_doubts_put(UdevDoubts *doubts, UdevRecord *record, UdevToldBy by, int64_t now_us)
{
	const Doubt *doubt = g_hash_table_lookup(doubts->by_path, record->syspath);
	const UdevRecord *known = udev_table_record(doubts->table, record->syspath);
	const bool was_volume = known && udev_record_is_volume(known);
	const bool is_of_unknown = (doubt && doubt->is_of_unknown) || (!known && may_have_been_volume(record, by));

	if ((!was_volume && !is_of_unknown) || !is_doubtful(record)) {
		g_hash_table_remove(doubts->by_path, record->syspath);
		udev_table_put(doubts->table, record);
	} else if (was_volume && udev_record_is_unread(record)) {
		g_hash_table_remove(doubts->by_path, record->syspath); /* there is an event when it can be read */
		udev_table_keep(doubts->table, record->syspath);
		udev_record_free(record);
	} else {
		put_doubtful(doubts, record, is_of_unknown, by, now_us);
	}
}

void udev_doubts_drop(UdevDoubts *doubts, const char *syspath)
{
	g_hash_table_remove(doubts->by_path, syspath);
	udev_table_drop(doubts->table, syspath);
}

void udev_doubts_forget(UdevDoubts *doubts)
{
	g_hash_table_remove_all(doubts->by_path);
}

void udev_doubts_ask_anew(UdevDoubts *doubts, int64_t now_us)
{
	GHashTableIter iter;
	gpointer doubt;

	g_hash_table_iter_init(&iter, doubts->by_path);
	while (g_hash_table_iter_next(&iter, NULL, &doubt)) {
		((Doubt *)doubt)->n_asked = 0;
		((Doubt *)doubt)->due_us = now_us + UDEV_DOUBT_FIRST_US;
	}
}

void udev_doubts_refuse(UdevDoubts *doubts, const char *syspath, bool is_lost, int64_t now_us)
{
	Doubt *doubt = g_hash_table_lookup(doubts->by_path, syspath);

	if (!doubt)
		return;
	if (is_lost) {
		doubt->n_asked = 0;
		doubt->due_us = now_us + UDEV_DOUBT_LOST_US;
	} else if (doubt->n_asked == LOOKS) {
		doubt->due_us = now_us;
	}
}

/* Returns: false when there is no answer to wait for any longer. */
static bool ask(UdevDoubts *doubts, Doubt *doubt, int64_t now_us)
{
	if (doubt->n_asked == LOOKS)
		return false;
	doubt->n_asked++;
	doubt->due_us = now_us + (doubt->n_asked == LOOKS ? UDEV_DOUBT_ANSWER_US : UDEV_DOUBT_SECOND_US - UDEV_DOUBT_FIRST_US);
	doubts->ops->ask(doubts->data, doubt->record->syspath);
	return true;
}

/* The table may have forgotten the device meanwhile: then nobody asks for what it is. */
static void believe(UdevDoubts *doubts, Doubt *doubt)
{
	if (udev_table_record(doubts->table, doubt->record->syspath))
		udev_table_put(doubts->table, g_steal_pointer(&doubt->record));
}

void udev_doubts_turn(UdevDoubts *doubts, int64_t now_us)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, doubts->by_path);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		Doubt *doubt = value;

		if (doubt->due_us > now_us || ask(doubts, doubt, now_us))
			continue;
		g_hash_table_iter_steal(&iter); /* its key may be gone with the record */
		believe(doubts, doubt);
		doubt_free(doubt);
	}
}

int64_t udev_doubts_next_us(const UdevDoubts *doubts)
{
	GHashTableIter iter;
	gpointer value;
	int64_t next_us = 0;

	g_hash_table_iter_init(&iter, doubts->by_path);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const int64_t due_us = ((const Doubt *)value)->due_us;

		if (next_us == 0 || due_us < next_us)
			next_us = due_us;
	}
	return next_us;
}

bool udev_doubts_hide_volumes(const UdevDoubts *doubts)
{
	GHashTableIter iter;
	gpointer doubt;

	g_hash_table_iter_init(&iter, doubts->by_path);
	while (g_hash_table_iter_next(&iter, NULL, &doubt))
		if (((const Doubt *)doubt)->is_of_unknown)
			return true;
	return false;
}
