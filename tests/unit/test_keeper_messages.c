/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Messages to a manager that does not read them.
 */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "keeper/link.h"
#include "tests/lib/suite.h"

static const struct MessageWelcome welcome = { .header = { MESSAGE_WELCOME, sizeof(welcome) } };
static const struct MessageSpawned refusal = { .header = { MESSAGE_SPAWNED, sizeof(refusal) },
					       .error = EBUSY };

START_TEST(an_answer_waits_until_the_manager_has_read)
{
	struct MessageSpawned received;
	int pair[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	messages_begin(pair[0], &welcome);
	while (!messages_is_blocked())
		messages_answer(&refusal, sizeof(refusal));
	ck_assert(messages_wants_to_write());

	while (recv(pair[1], &received, sizeof(received), MSG_DONTWAIT) > 0)
		;
	messages_flush();

	ck_assert(!messages_is_blocked());
	ck_assert_int_eq(recv(pair[1], &received, sizeof(received), MSG_DONTWAIT),
			 sizeof(received));
}
END_TEST

/* Otherwise the keeper would never read the end of the link, and would spin. */
START_TEST(an_answer_does_not_wait_for_a_manager_that_has_closed_its_link)
{
	int pair[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	messages_begin(pair[0], &welcome);
	while (!messages_is_blocked())
		messages_answer(&refusal, sizeof(refusal));

	(void)close(pair[1]);
	messages_flush();

	ck_assert(!messages_is_blocked());
	ck_assert(!messages_wants_to_write());
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("keeper messages");

	ADD_CASE(suite, "answers", an_answer_waits_until_the_manager_has_read,
		 an_answer_does_not_wait_for_a_manager_that_has_closed_its_link);
	return suite;
}
