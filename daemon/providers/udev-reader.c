/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Udev reader: one reading job at a time, and beside it jobs that announce a device.
 */
#include "config.h"

#include "providers/udev-reader.h"

#include <string.h>

#include "base/fd.h"
#include "loop/loop.h"
#include "worker/message.h"

typedef struct Announcement {
	UdevReader *reader;
	char *syspath;
	WorkerJob *job;
} Announcement;

struct UdevReader {
	WorkerPool *pool;
	const UdevReaderListener *listener;
	void *data;
	WorkerJob *job; /* NULL: not running */
	Timer *refusal; /* without a pool: the job fails */
	GPtrArray *records; /* UdevRecord *, owned: found by the job */
	char *syspath; /* the device that is being received; NULL: none */
	bool is_empty;
	GPtrArray *properties; /* its properties, owned */
	GHashTable *announcements; /* Announcement, owned */
};

static void record_free(gpointer record)
{
	udev_record_free(record);
}

static void forget_device(UdevReader *reader)
{
	g_clear_pointer(&reader->syspath, g_free);
	g_ptr_array_set_size(reader->properties, 0);
}

static void end_device(UdevReader *reader)
{
	UdevRecord *record;

	if (!reader->syspath)
		return;
	g_ptr_array_add(reader->properties, NULL);
	record = udev_record_new(reader->syspath, (const char *const *)reader->properties->pdata);
	record->is_empty = reader->is_empty;
	g_ptr_array_add(reader->records, record);
	forget_device(reader);
}

static void add_properties(UdevReader *reader, const char *const *fields, unsigned n_fields)
{
	for (unsigned i = 0; i < n_fields && reader->syspath; i++)
		g_ptr_array_add(reader->properties, g_strdup(fields[i]));
}

static void fail_reading(UdevReader *reader, const char *why)
{
	reader->job = NULL;
	reader->listener->failed(reader->data, why);
}

static void on_answer(void *data, const char *const *fields, unsigned n_fields, int fd)
{
	UdevReader *reader = data;

	fd_close(&fd); /* no descriptor was requested */
	if (strcmp(fields[0], UDEV_ANSWER_DEVICE) == 0 && n_fields >= 3) {
		end_device(reader);
		reader->syspath = g_strdup(fields[1]);
		reader->is_empty = strcmp(fields[2], UDEV_EMPTY) == 0;
		add_properties(reader, fields + 3, n_fields - 3);
	} else if (strcmp(fields[0], UDEV_ANSWER_MORE) == 0) {
		add_properties(reader, fields + 1, n_fields - 1);
	} else if (strcmp(fields[0], WORKER_DONE) == 0) {
		g_autoptr(GPtrArray) records = NULL;

		end_device(reader);
		reader->job = NULL;
		records = g_steal_pointer(&reader->records);
		reader->records = g_ptr_array_new_with_free_func(record_free);
		reader->listener->done(reader->data, records);
	} else if (strcmp(fields[0], WORKER_FAILED) == 0) {
		fail_reading(reader, n_fields > 1 ? fields[1] : "svc-worker cannot read them");
	}
}

static void on_lost(void *data, const char *why)
{
	fail_reading(data, why);
}

static void on_refusal(void *data)
{
	timer_disarm(((UdevReader *)data)->refusal);
	fail_reading(data, "there is no svc-worker");
}

void udev_reader_give_up(UdevReader *reader)
{
	worker_job_free(g_steal_pointer(&reader->job));
	timer_disarm(reader->refusal);
	forget_device(reader);
	g_ptr_array_set_size(reader->records, 0);
}

static void begin(UdevReader *reader, const char *verb, const char *const *arguments, unsigned n)
{
	static const WorkerListener listener = { .answer = on_answer, .lost = on_lost };
	g_autofree const char **fields = g_new0(const char *, n + 1);

	udev_reader_give_up(reader);
	fields[0] = verb;
	for (unsigned i = 0; i < n; i++)
		fields[i + 1] = arguments[i];
	if (reader->pool)
		reader->job = worker_job_new(reader->pool, UDEV_OWNER, fields, n + 1, NULL, 0,
					     &listener, reader);
	else
		timer_arm(reader->refusal, loop_now());
}

void udev_reader_list(UdevReader *reader, const char *const *subsystems, unsigned n)
{
	begin(reader, UDEV_VERB_LIST, subsystems, n);
}

void udev_reader_look(UdevReader *reader, const char *const *syspaths, unsigned n)
{
	begin(reader, UDEV_VERB_LOOK, syspaths, n);
}

bool udev_reader_is_busy(const UdevReader *reader)
{
	return reader->job || timer_is_armed(reader->refusal);
}

/* --- announcements --- */

static void announcement_free(gpointer data)
{
	Announcement *announcement = data;

	worker_job_free(announcement->job);
	g_free(announcement->syspath);
	g_free(announcement);
}

static void end_announcement(Announcement *announcement, bool is_announced, bool is_lost)
{
	UdevReader *reader = announcement->reader;
	g_autofree char *syspath = g_strdup(announcement->syspath);

	announcement->job = NULL;
	g_hash_table_remove(reader->announcements, announcement);
	if (!is_announced)
		reader->listener->not_announced(reader->data, syspath, is_lost);
}

static void on_announced(void *data, const char *const *fields, unsigned n_fields, int fd)
{
	(void)n_fields;
	fd_close(&fd);
	if (strcmp(fields[0], WORKER_DONE) == 0 || strcmp(fields[0], WORKER_FAILED) == 0)
		end_announcement(data, strcmp(fields[0], WORKER_DONE) == 0, false);
}

static void on_announcement_lost(void *data, const char *why)
{
	(void)why;
	end_announcement(data, false, true);
}

void udev_reader_announce(UdevReader *reader, const char *syspath)
{
	static const WorkerListener listener = { .answer = on_announced,
						 .lost = on_announcement_lost };
	const char *const fields[] = { UDEV_VERB_ANNOUNCE, syspath };
	Announcement *announcement;

	if (!reader->pool)
		return;
	announcement = g_new0(Announcement, 1);
	announcement->reader = reader;
	announcement->syspath = g_strdup(syspath);
	g_hash_table_add(reader->announcements, announcement);
	announcement->job = worker_job_new(reader->pool, UDEV_OWNER, fields, G_N_ELEMENTS(fields),
					   NULL, 0, &listener, announcement);
}

/* --- the reader --- */

UdevReader *udev_reader_new(WorkerPool *pool, const UdevReaderListener *listener, void *data)
{
	UdevReader *reader = g_new0(UdevReader, 1);

	reader->pool = pool;
	reader->listener = listener;
	reader->data = data;
	reader->refusal = timer_new(on_refusal, reader);
	reader->records = g_ptr_array_new_with_free_func(record_free);
	reader->properties = g_ptr_array_new_with_free_func(g_free);
	reader->announcements = g_hash_table_new_full(NULL, NULL, announcement_free, NULL);
	return reader;
}

void udev_reader_free(UdevReader *reader)
{
	if (!reader)
		return;
	udev_reader_give_up(reader);
	timer_free(reader->refusal);
	g_hash_table_unref(reader->announcements);
	g_ptr_array_unref(reader->records);
	g_ptr_array_unref(reader->properties);
	g_free(reader);
}
