/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Several messages in one datagram, and datagrams that only say so.
 */
#include "config.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/batch.h"
#include "tests/lib/link-client.h"
#include "tests/lib/suite.h"

static KeeperRun run;
static Manager manager;
static Batch batch;

static void set_up(void)
{
	keeper_run_start(&run, 0);
	manager_accept_replayed(&run, &manager, NULL);
	batch_clear(&batch);
}

static void tear_down(void)
{
	manager_drop(&manager);
	keeper_run_stop(&run);
}

static void add_note(const char *service, const char *note)
{
	struct MessageNote m = { .header = { MESSAGE_NOTE, sizeof(m) } };

	(void)snprintf(m.service, sizeof(m.service), "%s", service);
	(void)snprintf(m.note, sizeof(m.note), "%s", note);
	ck_assert(batch_add(&batch, &m, sizeof(m), NULL, 0));
}

static void add_keep(const char *name, int fd)
{
	struct MessageKeep m = { .header = { MESSAGE_KEEP, sizeof(m) } };

	(void)snprintf(m.name, sizeof(m.name), "%s", name);
	ck_assert(batch_add(&batch, &m, sizeof(m), &fd, 1));
}

static void add_spawn(const char *service)
{
	static const char argv[] = "/bin/sh\0-c\0exit 7";
	struct {
		struct MessageSpawn head;
		char argv[sizeof(argv)];
	} m = { .head = { .header = { MESSAGE_SPAWN, sizeof(m) }, .id = { .invocation = 1 }, .argc = 3 } };

	(void)snprintf(m.head.id.service, sizeof(m.head.id.service), "%s", service);
	memcpy(m.argv, argv, sizeof(argv));
	ck_assert(batch_add(&batch, &m, sizeof(m), NULL, 0));
}

static void send_batch(int fd)
{
	size_t size;
	const void *datagram = batch_datagram(&batch, &size);

	manager_send(&manager, datagram, size, fd);
	batch_clear(&batch);
}

/* What the next manager is told. */
static struct MessageReplayed replay(const char *service, char *ret_note, size_t size)
{
	Manager old = manager;
	Message m;

	manager_exit(&old, 75);
	manager_accept(&run, &manager);
	manager_hello(&manager);
	ret_note[0] = '\0';
	do {
		manager_next(&manager, &m, NULL);
		if (m.header.type == MESSAGE_NOTE && strcmp(m.note.service, service) == 0)
			(void)snprintf(ret_note, size, "%s", m.note.note);
	} while (m.header.type != MESSAGE_REPLAYED);
	manager_drop(&old);
	return m.replayed;
}

START_TEST(all_of_a_batch_is_carried_out_in_its_order)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct MessageReplayed replayed;
	char note[PROTOCOL_NOTE_BYTES];
	Message m;

	add_note("a", "first");
	add_keep("a/log/1", fd);
	add_note("a", "second");
	add_spawn("a");
	send_batch(fd);

	manager_expect(&manager, MESSAGE_SPAWNED, &m);
	ck_assert_int_eq(m.spawned.error, 0);
	manager_expect(&manager, MESSAGE_EXITED, &m);
	ck_assert_int_eq(m.exited.status, 7);
	replayed = replay("a", note, sizeof(note));
	ck_assert_str_eq(note, "second");
	ck_assert_uint_eq(replayed.n_fds, 1);
	(void)close(fd);
}
END_TEST

/* What has been added so far becomes one message of a batch. */
static void wrap(void)
{
	Batch inner = batch;
	size_t size;
	const void *datagram = batch_datagram(&inner, &size);

	batch_clear(&batch);
	ck_assert(batch_add(&batch, datagram, size, NULL, 0));
}

START_TEST(nothing_follows_what_may_have_to_be_answered)
{
	char note[PROTOCOL_NOTE_BYTES];
	Message m;

	add_spawn("a");
	add_note("a", "behind it");
	send_batch(-1);
	manager_expect(&manager, MESSAGE_SPAWNED, &m);
	ck_assert_int_eq(m.spawned.error, 0);

	add_note("b", "in a batch"); /* one in one is none */
	add_note("b", "in a batch");
	wrap();
	add_note("b", "behind it");
	send_batch(-1);

	ck_assert_uint_eq(replay("a", note, sizeof(note)).n_notes, 0);
}
END_TEST

/* @at: where four bytes of a batch of two notes and a descriptor are made @value. */
static const struct {
	size_t at;
	uint32_t value;
	uint32_t n_notes; /* that are carried out all the same */
} lies[] = {
	{ 8, 2, 0 },	      /* more descriptors than there are */
	{ 8, UINT32_MAX, 0 },
	{ 16 + 4, 0, 0 },     /* a message without a header */
	{ 16 + 4, 7, 0 },
	{ 16 + 4, 8, 0 },     /* nothing but a header, and then what is none */
	{ 16 + 4, UINT32_MAX, 0 },
	{ 16 + 4, 16384, 0 }, /* longer than the datagram */
};

START_TEST(a_batch_that_lies_is_carried_out_as_far_as_it_makes_sense)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	char note[PROTOCOL_NOTE_BYTES];
	struct MessageReplayed replayed;

	add_note("a", "x");
	add_note("b", "y");
	memcpy(batch.bytes + lies[_i].at, &lies[_i].value, sizeof(lies[_i].value));
	send_batch(fd);

	replayed = replay("a", note, sizeof(note));
	ck_assert_uint_eq(replayed.n_notes, lies[_i].n_notes);
	ck_assert_uint_eq(replayed.n_fds, 0);
	(void)close(fd);
}
END_TEST

START_TEST(a_batch_that_ends_early_is_carried_out_as_far_as_it_goes)
{
	const size_t whole = 8 + 2 * (8 + sizeof(struct MessageNote));
	char note[PROTOCOL_NOTE_BYTES];
	size_t size;

	add_note("a", "x");
	add_note("b", "y");
	ck_assert_uint_eq(batch.size, whole);
	manager_send(&manager, batch_datagram(&batch, &size), whole - 1, -1);

	ck_assert_uint_eq(replay("a", note, sizeof(note)).n_notes, 1);
	ck_assert_str_eq(note, "x");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("keeper batch");

	ADD_CASE_AROUND(suite, "batches", set_up, tear_down, all_of_a_batch_is_carried_out_in_its_order,
			nothing_follows_what_may_have_to_be_answered,
			a_batch_that_ends_early_is_carried_out_as_far_as_it_goes);
	ADD_LOOP_AROUND(suite, "lies", set_up, tear_down, a_batch_that_lies_is_carried_out_as_far_as_it_makes_sense,
			sizeof(lies) / sizeof(lies[0]));
	return suite;
}
