/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The manager's side of svc-worker's device records. The pool of workers answers what each test
 * wants.
 */
#include "config.h"

#include <check.h>
#include <string.h>

#include "providers/udev-reader.h"
#include "tests/lib/suite.h"

struct WorkerJob {
	char *fields; /* separated by blanks */
	const WorkerListener *listener;
	void *data;
};

static GPtrArray *jobs; /* WorkerJob *, owned */
static UdevReader *reader;
static GString *reported;

/* --- in place of worker/pool.c --- */

static void job_free(gpointer data)
{
	WorkerJob *job = data;

	g_free(job->fields);
	g_free(job);
}

WorkerJob *worker_job_new(WorkerPool *pool, const char *owner, const char *const *fields,
			  unsigned n_fields, const int *fds, unsigned n_fds,
			  const WorkerListener *listener, void *data)
{
	WorkerJob *job = g_new0(WorkerJob, 1);
	g_autofree char **copy = g_new0(char *, n_fields + 1);

	ck_assert_str_eq(owner, UDEV_OWNER);
	memcpy(copy, fields, n_fields * sizeof *copy);
	job->fields = g_strjoinv(" ", copy);
	job->listener = listener;
	job->data = data;
	g_ptr_array_add(jobs, job);
	return job;
}

void worker_job_free(WorkerJob *job)
{
	if (job)
		ck_assert(g_ptr_array_remove(jobs, job));
}

unsigned worker_pool_abandoned(const WorkerPool *pool, const char *owner)
{
	return 0;
}

#define reply(...) give((const char *const[]){ __VA_ARGS__, NULL })

/* Answers the oldest job. */
static void give(const char *const *fields)
{
	WorkerJob *job = g_ptr_array_index(jobs, 0);
	const WorkerListener *listener = job->listener;
	void *data = job->data;
	unsigned n = 0;

	while (fields[n])
		n++;
	if (strcmp(fields[0], "done") == 0 || strcmp(fields[0], "failed") == 0)
		g_ptr_array_remove_index(jobs, 0);
	listener->answer(data, fields, n, -1);
}

static void lose(void)
{
	WorkerJob *job = g_ptr_array_index(jobs, 0);
	const WorkerListener *listener = job->listener;
	void *data = job->data;

	g_ptr_array_remove_index(jobs, 0);
	listener->lost(data, "it hangs");
}

/* --- the listener --- */

static void on_done(void *data, GPtrArray *records)
{
	ck_assert(!udev_reader_is_busy(reader));
	for (guint i = 0; i < records->len; i++) {
		const UdevRecord *record = g_ptr_array_index(records, i);
		g_autofree char *properties = g_strjoinv(" ", record->properties);

		g_string_append_printf(reported, "%s%s: %s\n", record->syspath,
				       record->is_empty ? " (empty)" : "", properties);
	}
	g_string_append(reported, "done\n");
}

static void on_failed(void *data, const char *why)
{
	ck_assert(!udev_reader_is_busy(reader));
	g_string_append_printf(reported, "failed: %s\n", why);
}

static void on_not_announced(void *data, const char *syspath, bool is_lost)
{
	g_string_append_printf(reported, "%s: %s\n", syspath, is_lost ? "lost" : "refused");
}

static void set_up(void)
{
	static const UdevReaderListener listener = { on_done, on_failed, on_not_announced };

	jobs = g_ptr_array_new_with_free_func(job_free);
	reported = g_string_new(NULL);
	reader = udev_reader_new((WorkerPool *)&jobs, &listener, NULL);
}

static void tear_down(void)
{
	udev_reader_free(reader);
	ck_assert_uint_eq(jobs->len, 0);
	g_ptr_array_unref(jobs);
	(void)g_string_free(reported, TRUE);
}

static void expect(const char *lines)
{
	ck_assert_str_eq(reported->str, lines);
	g_string_truncate(reported, 0);
}

static void list(const char *subsystem)
{
	udev_reader_list(reader, &subsystem, 1);
}

START_TEST(devices_come_together_at_the_end)
{
	list("block");
	ck_assert_str_eq(((WorkerJob *)g_ptr_array_index(jobs, 0))->fields, "list-devices block");
	reply(UDEV_ANSWER_DEVICE, "/sys/devices/a", "", "SUBSYSTEM=block", "A=1");
	reply(UDEV_ANSWER_MORE, "B=2", "C=3");
	reply(UDEV_ANSWER_DEVICE, "/sys/devices/b", UDEV_EMPTY);
	expect("");
	reply("done");
	expect("/sys/devices/a: A=1 B=2 C=3 SUBSYSTEM=block\n"
	       "/sys/devices/b (empty): \n"
	       "done\n");
}
END_TEST

START_TEST(of_a_job_that_was_given_up_nothing_is_left)
{
	list("block");
	reply(UDEV_ANSWER_DEVICE, "/sys/devices/a", "", "SUBSYSTEM=block");
	reply(UDEV_ANSWER_DEVICE, "/sys/devices/b", "", "SUBSYSTEM=block");
	list("tty");
	ck_assert_uint_eq(jobs->len, 1);
	reply("done");
	expect("done\n");
}
END_TEST

START_TEST(findings_before_a_failure_are_not_reported)
{
	list("block");
	reply(UDEV_ANSWER_DEVICE, "/sys/devices/a", "", "SUBSYSTEM=block");
	reply("failed", "no memory");
	expect("failed: no memory\n");

	list("block");
	reply(UDEV_ANSWER_DEVICE, "/sys/devices/a", "", "SUBSYSTEM=block");
	lose();
	expect("failed: it hangs\n");

	list("block");
	reply("done");
	expect("done\n");
}
END_TEST

START_TEST(a_failed_announcement_is_reported)
{
	for (unsigned i = 0; i < 4; i++)
		udev_reader_announce(reader, "/sys/devices/a");
	reply("done");
	expect("");
	reply("failed");
	expect("/sys/devices/a: refused\n");
	lose();
	expect("/sys/devices/a: lost\n"); /* the last job is freed with the reader */
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("udev-reader");

	ADD_CASE_AROUND(suite, "reader", set_up, tear_down, devices_come_together_at_the_end,
			of_a_job_that_was_given_up_nothing_is_left,
			findings_before_a_failure_are_not_reported,
			a_failed_announcement_is_reported);
	return suite;
}
