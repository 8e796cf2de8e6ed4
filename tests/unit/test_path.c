/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The manager's side of path: conditions. The pool of workers does what each test wants. The tests
 * check which process handles each path, and the reported levels when one process hangs.
 */
#include "config.h"

#include <check.h>
#include <string.h>

#include "loop/loop.h"
#include "providers/path.h"
#include "tests/lib/deadline.h"
#include "tests/lib/suite.h"

struct WorkerJob {
	char *owner;
	char *verb;
	char *argument;
	const WorkerListener *listener;
	void *data;
};

static GPtrArray *jobs; /* WorkerJob *, owned; in their order */
static GHashTable *abandoned; /* owners with a hanging process */
static Provider *provider;
static GString *reported; /* the last report, "KEY LEVEL WHY" */
static unsigned n_reported;
static unsigned n_settled;
static unsigned n_requested; /* queries whether a hanging process still exists */

/* --- in place of worker/pool.c --- */

WorkerJob *worker_job_new(WorkerPool *pool, const char *owner, const char *const *fields,
			  unsigned n_fields, const int *fds, unsigned n_fds,
			  const WorkerListener *listener, void *data)
{
	WorkerJob *job = g_new0(WorkerJob, 1);

	job->owner = g_strdup(owner);
	job->verb = g_strdup(fields[0]);
	job->argument = g_strdup(n_fields > 1 ? fields[1] : "");
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
	n_requested++;
	return g_hash_table_contains(abandoned, owner);
}

static void job_free(gpointer data)
{
	WorkerJob *job = data;

	g_free(job->owner);
	g_free(job->verb);
	g_free(job->argument);
	g_free(job);
}

/* NULL: none */
static WorkerJob *find_job(const char *verb, const char *argument)
{
	WorkerJob *found = NULL;

	for (guint i = 0; i < jobs->len; i++) {
		WorkerJob *job = g_ptr_array_index(jobs, i);

		if (strcmp(job->verb, verb) != 0 || strcmp(job->argument, argument) != 0)
			continue;
		ck_assert_msg(!found, "two jobs for %s %s", verb, argument);
		found = job;
	}
	return found;
}

static WorkerJob *watch_of(const char *path)
{
	WorkerJob *job = find_job(PATH_VERB_WATCH, path);

	ck_assert_msg(job, "%s is not watched", path);
	return job;
}

static void answer(WorkerJob *job, const char *level, const char *why)
{
	const char *const fields[] = { PATH_ANSWER_LEVEL, level, why };

	job->listener->answer(job->data, fields, 3, -1);
}

/* Makes the process of @job hang. */
static void lose(WorkerJob *job)
{
	const WorkerListener *listener = job->listener;
	void *data = job->data;

	g_hash_table_add(abandoned, g_strdup(job->owner));
	worker_job_free(job);
	listener->lost(data, "it does not answer");
}

/* --- the stage --- */

static void on_report(void *data, const char *key, Level level, const char *why)
{
	g_string_printf(reported, "%s %s %s", key, level_name(level), why);
	n_reported++;
}

static void on_settled(void *data)
{
	n_settled++;
}

static void set_up(void)
{
	const ProviderSink sink = { on_report, NULL };
	const PathOptions options = { .workers = (WorkerPool *)&jobs, .settled = on_settled };

	jobs = g_ptr_array_new_with_free_func(job_free);
	abandoned = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	reported = g_string_new(NULL);
	n_reported = n_settled = n_requested = 0;
	provider = path_provider_new(&sink, &options);
}

static void tear_down(void)
{
	provider->free(provider);
	ck_assert_uint_eq(jobs->len, 0);
	g_ptr_array_unref(jobs);
	g_hash_table_unref(abandoned);
	g_string_free(reported, TRUE);
}

static void subscribe(const char *key)
{
	provider->subscribe(provider, g_intern_string(key));
}

static void expect(const char *text)
{
	ck_assert_str_eq(reported->str, text);
}

#define TURN_UNTIL(condition)                                                                    \
	do {                                                                                     \
		const int64_t end = loop_now() + DEADLINE_US;                                    \
		while (!(condition)) {                                                           \
			ck_assert_msg(loop_now() < end, "not in time: %s; reported: %s", #condition, \
				      reported->str);                                            \
			g_main_context_iteration(NULL, FALSE);                                   \
		}                                                                                \
	} while (0)

/* --- the common process --- */

START_TEST(the_process_starts_before_there_is_a_condition)
{
	ck_assert_uint_eq(jobs->len, 1);
	ck_assert_str_eq(((WorkerJob *)g_ptr_array_index(jobs, 0))->owner, "paths");
}
END_TEST

START_TEST(what_the_worker_finds_is_reported_and_each_change)
{
	subscribe("path:exec:/bin/sh");
	expect("path:exec:/bin/sh unknown it is being checked");
	ck_assert_str_eq(watch_of("exec:/bin/sh")->owner, "paths");

	answer(watch_of("exec:/bin/sh"), "true", "it is there");
	expect("path:exec:/bin/sh true it is there");
	ck_assert_uint_eq(n_reported, 2);
	answer(watch_of("exec:/bin/sh"), "true", "it is there");
	ck_assert_uint_eq(n_reported, 2);
	answer(watch_of("exec:/bin/sh"), "false", "it does not exist");
	expect("path:exec:/bin/sh false it does not exist");
	answer(watch_of("exec:/bin/sh"), "unknown", "it cannot be checked at the moment");
	expect("path:exec:/bin/sh unknown it cannot be checked at the moment");
}
END_TEST

START_TEST(a_second_subscriber_causes_a_fresh_look)
{
	const WorkerJob *first;

	subscribe("path:/x");
	answer(watch_of("/x"), "false", "it does not exist");
	first = watch_of("/x");

	subscribe("path:/x");
	ck_assert_uint_eq(n_reported, 2);
	ck_assert_ptr_ne(watch_of("/x"), first);
	answer(watch_of("/x"), "false", "it does not exist");
	ck_assert_uint_eq(n_reported, 3);
}
END_TEST

START_TEST(it_is_settled_when_each_path_has_a_report)
{
	ck_assert(path_provider_is_settled(provider));
	subscribe("path:/a");
	subscribe("path:/b");
	subscribe("path:/c");
	answer(watch_of("/a"), "true", "it is there");
	answer(watch_of("/a"), "false", "it does not exist");
	answer(watch_of("/b"), "unknown", "it is on a network or FUSE file system; use mounted:/b");
	ck_assert(!path_provider_is_settled(provider));
	ck_assert_uint_eq(n_settled, 0);

	provider->unsubscribe(provider, g_intern_string("path:/c"));
	ck_assert(path_provider_is_settled(provider));
	ck_assert_uint_eq(n_settled, 1);
}
END_TEST

START_TEST(a_worker_that_does_not_know_the_verb_makes_it_unknown)
{
	const char *const fields[] = { "failed", "svc-worker has no such verb" };
	WorkerJob *job;

	subscribe("path:/x");
	job = watch_of("/x");
	const WorkerListener *listener = job->listener;
	void *data = job->data;

	worker_job_free(job);
	listener->answer(data, fields, 2, -1);
	expect("path:/x unknown svc-worker cannot check it");
}
END_TEST

/* --- processes that hang --- */

START_TEST(a_directory_that_hangs_gets_a_process_of_its_own)
{
	subscribe("path:/run/a");
	subscribe("path:dir:/run/b");
	subscribe("path:/etc/c");
	answer(watch_of("dir:/run/b"), "true", "it is there");
	answer(watch_of("/etc/c"), "true", "it is there");
	n_reported = 0;

	lose(watch_of("/run/a"));
	expect("path:/run/a unknown the check of /run/a does not respond");
	ck_assert_uint_eq(n_reported, 1);
	ck_assert_str_eq(watch_of("/run/a")->owner, "paths of the directory /run");
	ck_assert_str_eq(watch_of("dir:/run/b")->owner, "paths of the directory /run");
	ck_assert_str_eq(watch_of("/etc/c")->owner, "paths, process 2");

	answer(watch_of("/run/a"), "false", "it does not exist");
	expect("path:/run/a false it does not exist");
	subscribe("path:/run/new");
	ck_assert_str_eq(watch_of("/run/new")->owner, "paths of the directory /run");
}
END_TEST

START_TEST(a_directory_that_hangs_twice_is_unknown_until_it_answers)
{
	subscribe("path:/run/a");
	subscribe("path:/run/b");
	answer(watch_of("/run/b"), "true", "it is there");
	lose(watch_of("/run/a"));
	n_reported = 0;

	lose(watch_of("/run/b"));
	ck_assert_uint_eq(n_reported, 2);
	ck_assert_ptr_null(find_job(PATH_VERB_WATCH, "/run/a"));
	subscribe("path:/run/b");
	expect("path:/run/b unknown the directory /run does not answer");
	ck_assert_ptr_null(find_job(PATH_VERB_WATCH, "/run/b"));

	/*
	 * There are never two processes for the same directory. The next process starts when the
	 * hanging process has ended.
	 */
	TURN_UNTIL(n_requested > 0);
	ck_assert_ptr_null(find_job(PATH_VERB_WATCH, "/run/a"));
	g_hash_table_remove_all(abandoned);
	TURN_UNTIL(find_job(PATH_VERB_WATCH, "/run/a"));

	answer(watch_of("/run/a"), "true", "it is there");
	answer(watch_of("/run/b"), "true", "it is there");
	expect("path:/run/b true it is there");
}
END_TEST

START_TEST(many_places_share_a_process)
{
	g_autoptr(GHashTable) owners = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (unsigned i = 0; i < 100; i++) {
		g_autofree char *key = g_strdup_printf("path:/d%u/x", i);

		subscribe(key);
		lose(watch_of(key + strlen("path:")));
		ck_assert_str_ne(watch_of(key + strlen("path:"))->owner, "paths");
		g_hash_table_add(owners, g_strdup(watch_of(key + strlen("path:"))->owner));
	}
	ck_assert_uint_le(g_hash_table_size(owners), 17);
	ck_assert(g_hash_table_contains(owners, "paths of the rest of the directories"));
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("path");

	ADD_CASE_AROUND(suite, "common", set_up, tear_down,
			the_process_starts_before_there_is_a_condition,
			what_the_worker_finds_is_reported_and_each_change,
			a_second_subscriber_causes_a_fresh_look,
			it_is_settled_when_each_path_has_a_report,
			a_worker_that_does_not_know_the_verb_makes_it_unknown);
	ADD_CASE_AROUND(suite, "hanging", set_up, tear_down,
			a_directory_that_hangs_gets_a_process_of_its_own,
			a_directory_that_hangs_twice_is_unknown_until_it_answers,
			many_places_share_a_process);
	return suite;
}
