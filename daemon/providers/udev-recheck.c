/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Udev recheck: one entry for each device that has lost its volume and may get it back. Usually
 * there is none.
 */
#include "config.h"

#include "providers/udev-recheck.h"

#define LOOKS 2

typedef struct Recheck {
	UdevRecord *record; /* the record that the table gets when it is accepted; owned */
	unsigned n_requested;
	int64_t due_us;
	/* its earlier state is unknown: the table contains the present record */
	bool is_of_unknown;
} Recheck;

struct UdevRechecks {
	UdevTable *table;
	const UdevRecheckOps *ops;
	void *data;
	GHashTable *by_path; /* syspath, of the record -> Recheck, owned */
};

static void recheck_free(gpointer data)
{
	Recheck *recheck = data;

	udev_record_free(recheck->record);
	g_free(recheck);
}

UdevRechecks *udev_rechecks_new(UdevTable *table, const UdevRecheckOps *ops, void *data)
{
	UdevRechecks *rechecks = g_new0(UdevRechecks, 1);

	rechecks->table = table;
	rechecks->ops = ops;
	rechecks->data = data;
	rechecks->by_path = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, recheck_free);
	return rechecks;
}

void udev_rechecks_free(UdevRechecks *rechecks)
{
	if (!rechecks)
		return;
	g_hash_table_unref(rechecks->by_path);
	g_free(rechecks);
}

/* Has blkid read the device and found nothing, although it may have content? */
static bool is_doubtful(const UdevRecord *record)
{
	return udev_record_is_blank(record) &&
	       (udev_record_is_ready(record) || udev_record_is_unready_while_blank(record)) &&
	       !record->is_empty;
}

/* May an earlier manager have known the device as a volume? */
static bool may_have_been_volume(const UdevRecord *record, UdevRecordSource by)
{
	return by == UDEV_FROM_FIRST_LISTING && !udev_record_has_partitions(record);
}

static void begin(UdevRechecks *rechecks, UdevRecord *record, bool is_of_unknown, int64_t now_us)
{
	Recheck *recheck = g_new0(Recheck, 1);

	recheck->record = record;
	recheck->is_of_unknown = is_of_unknown;
	recheck->due_us = now_us + UDEV_RECHECK_FIRST_US;
	g_hash_table_insert(rechecks->by_path, record->syspath, recheck);
}

/* The key of the entry is a part of its record and is freed with it. */
static void replace(UdevRechecks *rechecks, Recheck *recheck, UdevRecord *record)
{
	g_hash_table_steal(rechecks->by_path, recheck->record->syspath);
	udev_record_free(recheck->record);
	recheck->record = record;
	g_hash_table_insert(rechecks->by_path, record->syspath, recheck);
}

static void put_doubtful(UdevRechecks *rechecks, UdevRecord *record, bool is_of_unknown,
			 UdevRecordSource by, int64_t now_us)
{
	Recheck *recheck = g_hash_table_lookup(rechecks->by_path, record->syspath);

	if (recheck && recheck->n_requested == LOOKS && by == UDEV_FROM_EVENT) {
		g_hash_table_remove(rechecks->by_path, record->syspath);
		udev_table_put(rechecks->table, record);
		return;
	}
	if (is_of_unknown)
		udev_table_put(rechecks->table, udev_record_copy(record));
	else
		udev_table_keep(rechecks->table, record->syspath);
	if (by == UDEV_FROM_EVENT)
		rechecks->ops->look(rechecks->data, record->syspath);
	if (recheck)
		replace(rechecks, recheck, record);
	else
		begin(rechecks, record, is_of_unknown, now_us);
}

void udev_rechecks_put(UdevRechecks *rechecks, UdevRecord *record, UdevRecordSource by,
		       int64_t now_us)
{
	const Recheck *recheck = g_hash_table_lookup(rechecks->by_path, record->syspath);
	const UdevRecord *known = udev_table_record(rechecks->table, record->syspath);
	const bool was_volume = known && udev_record_is_volume(known);
	const bool is_of_unknown = (recheck && recheck->is_of_unknown) ||
				   (!known && may_have_been_volume(record, by));

	if ((!was_volume && !is_of_unknown) || !is_doubtful(record)) {
		g_hash_table_remove(rechecks->by_path, record->syspath);
		udev_table_put(rechecks->table, record);
	} else if (was_volume && udev_record_is_unread(record)) {
		/* an event comes when the device can be read */
		g_hash_table_remove(rechecks->by_path, record->syspath);
		udev_table_keep(rechecks->table, record->syspath);
		udev_record_free(record);
	} else {
		put_doubtful(rechecks, record, is_of_unknown, by, now_us);
	}
}

void udev_rechecks_drop(UdevRechecks *rechecks, const char *syspath)
{
	g_hash_table_remove(rechecks->by_path, syspath);
	udev_table_drop(rechecks->table, syspath);
}

void udev_rechecks_forget(UdevRechecks *rechecks)
{
	g_hash_table_remove_all(rechecks->by_path);
}

void udev_rechecks_repeat(UdevRechecks *rechecks, int64_t now_us)
{
	GHashTableIter iter;
	gpointer recheck;

	g_hash_table_iter_init(&iter, rechecks->by_path);
	while (g_hash_table_iter_next(&iter, NULL, &recheck)) {
		((Recheck *)recheck)->n_requested = 0;
		((Recheck *)recheck)->due_us = now_us + UDEV_RECHECK_FIRST_US;
	}
}

void udev_rechecks_refuse(UdevRechecks *rechecks, const char *syspath, bool is_lost, int64_t now_us)
{
	Recheck *recheck = g_hash_table_lookup(rechecks->by_path, syspath);

	if (!recheck)
		return;
	if (is_lost) {
		recheck->n_requested = 0;
		recheck->due_us = now_us + UDEV_RECHECK_LOST_US;
	} else if (recheck->n_requested == LOOKS) {
		recheck->due_us = now_us;
	}
}

/* Returns: false if there is no answer to wait for any more. */
static bool request(UdevRechecks *rechecks, Recheck *recheck, int64_t now_us)
{
	if (recheck->n_requested == LOOKS)
		return false;
	recheck->n_requested++;
	recheck->due_us = now_us + (recheck->n_requested == LOOKS ?
					    UDEV_RECHECK_ANSWER_US :
					    UDEV_RECHECK_SECOND_US - UDEV_RECHECK_FIRST_US);
	rechecks->ops->request(rechecks->data, recheck->record->syspath);
	return true;
}

/* The table may have dropped the device meanwhile, because no condition needs it. */
static void believe(UdevRechecks *rechecks, Recheck *recheck)
{
	if (udev_table_record(rechecks->table, recheck->record->syspath))
		udev_table_put(rechecks->table, g_steal_pointer(&recheck->record));
}

void udev_rechecks_turn(UdevRechecks *rechecks, int64_t now_us)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, rechecks->by_path);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		Recheck *recheck = value;

		if (recheck->due_us > now_us || request(rechecks, recheck, now_us))
			continue;
		g_hash_table_iter_steal(&iter); /* its key may have been freed with the record */
		believe(rechecks, recheck);
		recheck_free(recheck);
	}
}

int64_t udev_rechecks_next_us(const UdevRechecks *rechecks)
{
	GHashTableIter iter;
	gpointer value;
	int64_t next_us = 0;

	g_hash_table_iter_init(&iter, rechecks->by_path);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const int64_t due_us = ((const Recheck *)value)->due_us;

		if (next_us == 0 || due_us < next_us)
			next_us = due_us;
	}
	return next_us;
}

bool udev_rechecks_hide_volumes(const UdevRechecks *rechecks)
{
	GHashTableIter iter;
	gpointer recheck;

	g_hash_table_iter_init(&iter, rechecks->by_path);
	while (g_hash_table_iter_next(&iter, NULL, &recheck))
		if (((const Recheck *)recheck)->is_of_unknown)
			return true;
	return false;
}
