/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keeper link: new starts wait while the keeper is slow to read, and each gets its turn. Also tests
 * the keeper's messages.
 */
#include "config.h"

#include <check.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "process/keeper-link.h"
#include "tests/lib/suite.h"

#define N_WAITING 20

static unsigned n_received;

static void on_welcome(void *data, const struct MessageWelcome *message)
{
	(void)data;
	n_received += memchr(message->cgroup_root, '\0', sizeof message->cgroup_root) &&
		      memchr(message->virtualization, '\0', sizeof message->virtualization);
}

static void receive_id(const struct ProcessId *id)
{
	n_received += memchr(id->service, '\0', sizeof id->service) ? 1 : 0;
}

static void on_spawned(void *data, const struct MessageSpawned *message)
{
	(void)data;
	receive_id(&message->id);
}

static void on_exited(void *data, const struct MessageExited *message)
{
	(void)data;
	receive_id(&message->id);
}

static void on_adopted(void *data, const struct MessageAdopted *message)
{
	(void)data;
	receive_id(&message->id);
}

static void on_note(void *data, const struct MessageNote *message)
{
	(void)data;
	n_received += memchr(message->service, '\0', sizeof message->service) &&
		      memchr(message->note, '\0', sizeof message->note);
}

static void on_kept(void *data, const char *name, int fd)
{
	(void)data;
	n_received += strlen(name) < PROTOCOL_KEEP_NAME_BYTES;
	close(fd);
}

static const KeeperListener listener = { .welcome = on_welcome,
					 .spawned = on_spawned,
					 .exited = on_exited,
					 .adopted = on_adopted,
					 .note = on_note,
					 .kept = on_kept };
static KeeperLink *link_;
static Timer *timers[N_WAITING];
static int keeper = -1;
static unsigned n_let_in;

static void on_let_in(void *data)
{
	if (!keeper_link_wait(link_, *(Timer **)data))
		n_let_in++;
}

static void set_up(void)
{
	int fds[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds),
			 0);
	link_ = keeper_link_new(fds[0], &listener, NULL);
	keeper = fds[1];
	n_let_in = 0;
	for (unsigned i = 0; i < N_WAITING; i++)
		timers[i] = timer_new(on_let_in, &timers[i]);
}

static void tear_down(void)
{
	for (unsigned i = 0; i < N_WAITING; i++)
		timer_free(timers[i]);
	keeper_link_free(link_);
	close(keeper);
}

static void turn_until_idle(void)
{
	while (g_main_context_iteration(NULL, FALSE))
		;
}

static void fill(void)
{
	while (!keeper_link_wait(link_, timers[0]))
		keeper_link_note(link_, "a", "state=ready");
}

static void keeper_reads_all(void)
{
	char message[4096];

	do {
		while (recv(keeper, message, sizeof message, 0) > 0)
			;
		turn_until_idle();
	} while (recv(keeper, message, sizeof message, MSG_PEEK) > 0);
}

START_TEST(a_keeper_that_reads_causes_no_wait)
{
	ck_assert(!keeper_link_wait(link_, timers[0]));
}
END_TEST

START_TEST(all_that_wait_begin_when_the_keeper_has_read)
{
	fill();
	for (unsigned i = 1; i < N_WAITING; i++)
		ck_assert(keeper_link_wait(link_, timers[i]));
	turn_until_idle();
	ck_assert_uint_eq(n_let_in, 0);

	keeper_reads_all();

	ck_assert_uint_eq(n_let_in, N_WAITING);
}
END_TEST

START_TEST(a_cancelled_waiter_delays_no_other)
{
	fill();
	for (unsigned i = 1; i < N_WAITING; i++)
		ck_assert(keeper_link_wait(link_, timers[i]));
	for (unsigned i = 0; i < N_WAITING / 2; i++) {
		keeper_link_wait_no_more(link_, timers[i]);
		g_clear_pointer(&timers[i], timer_free);
	}

	keeper_reads_all();

	ck_assert_uint_eq(n_let_in, N_WAITING / 2);
}
END_TEST

static const struct {
	enum MessageType type;
	size_t size;
	/* clang-format off */
} reported[] = {
	{ MESSAGE_WELCOME, sizeof(struct MessageWelcome) }, { MESSAGE_SPAWNED, sizeof(struct MessageSpawned) },
	{ MESSAGE_EXITED, sizeof(struct MessageExited) },   { MESSAGE_ADOPTED, sizeof(struct MessageAdopted) },
	{ MESSAGE_NOTE, sizeof(struct MessageNote) },	    { MESSAGE_KEPT, sizeof(struct MessageKeep) },
};
/* clang-format on */

static void keeper_sends(const void *message, size_t size)
{
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct iovec part = { .iov_base = (void *)message, .iov_len = size };
	struct msghdr m = { .msg_iov = &part,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof control };
	const int fd = STDIN_FILENO;

	*CMSG_FIRSTHDR(&m) = (struct cmsghdr){ .cmsg_level = SOL_SOCKET,
					       .cmsg_type = SCM_RIGHTS,
					       .cmsg_len = CMSG_LEN(sizeof fd) };
	memcpy(CMSG_DATA(CMSG_FIRSTHDR(&m)), &fd, sizeof fd);
	ck_assert_int_eq(sendmsg(keeper, &m, 0), (ssize_t)size);
}

START_TEST(a_text_from_the_keeper_ends_in_its_field)
{
	const struct MessageHeader header = { reported[_i].type, (uint32_t)reported[_i].size };
	char message[1024];

	memset(message, 'x', sizeof message);
	memcpy(message, &header, sizeof header);
	n_received = 0;

	keeper_sends(message, reported[_i].size);
	turn_until_idle();

	ck_assert_uint_eq(n_received, 1);
}
END_TEST

START_TEST(messages_shorter_than_their_type_are_ignored)
{
	const struct MessageHeader header = { reported[_i].type, (uint32_t)reported[_i].size - 1 };
	char message[1024] = "";

	memcpy(message, &header, sizeof header);
	n_received = 0;

	keeper_sends(message, reported[_i].size - 1);
	turn_until_idle();

	ck_assert_uint_eq(n_received, 0);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("keeper link");

	ADD_CASE_AROUND(suite, "waiting for room", set_up, tear_down,
			a_keeper_that_reads_causes_no_wait,
			all_that_wait_begin_when_the_keeper_has_read,
			a_cancelled_waiter_delays_no_other);
	ADD_LOOP_AROUND(suite, "texts", set_up, tear_down, a_text_from_the_keeper_ends_in_its_field,
			G_N_ELEMENTS(reported));
	ADD_LOOP_AROUND(suite, "short", set_up, tear_down,
			messages_shorter_than_their_type_are_ignored, G_N_ELEMENTS(reported));
	return suite;
}
