/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Call queue: order and refusals. The member of each call identifies it.
 */
#include "config.h"

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/errors.h"
#include "base/limits.h"
#include "bus/call-queue.h"
#include "loop/loop.h"
#include "loop/wire.h"
#include "tests/lib/suite.h"

typedef struct Fixture {
	CallQueue *queue;
	bool is_open;
	bool has_backlog;
	GString *requested; /* "NAME " */
	char last_queried[32];
	int64_t turn_us; /* duration of one call */
	GString *handled; /* "MEMBER ", refused: "-MEMBER ", no long answer: "~MEMBER " */
} Fixture;

static void on_turn(void *data, DBusMessage *call, const GError *refusal, bool only_if_long)
{
	const clock_t until =
		clock() + (clock_t)(((Fixture *)data)->turn_us * CLOCKS_PER_SEC / G_USEC_PER_SEC);

	while (clock() < until)
		continue;
	g_string_append_printf(((Fixture *)data)->handled, "%s%s ",
			       !refusal     ? "" :
			       only_if_long ? "~" :
					      "-",
			       dbus_message_get_member(call));
}

static bool is_open(void *data)
{
	return ((Fixture *)data)->is_open;
}

static void on_query(void *data, const char *caller)
{
	g_strlcpy(((Fixture *)data)->last_queried, caller, sizeof((Fixture *)data)->last_queried);
	g_string_append_printf(((Fixture *)data)->requested, "%s ", caller);
}

static void on_backlog(void *data, bool is_there)
{
	((Fixture *)data)->has_backlog = is_there;
}

static Fixture fixture;

static void set_up(void)
{
	static const CallQueueListener listener = { on_turn, is_open, on_query, on_backlog };

	fixture = (Fixture){ .requested = g_string_new(NULL), .handled = g_string_new(NULL) };
	fixture.queue = call_queue_new(&listener, &fixture);
}

static void tear_down(void)
{
	call_queue_free(fixture.queue);
	g_string_free(fixture.requested, TRUE);
	g_string_free(fixture.handled, TRUE);
}

static bool add_bytes(const char *sender, const char *member, size_t n_bytes, GError **error)
{
	DBusMessage *call =
		wire_must(dbus_message_new_method_call(NULL, "/", "org.example.Any", member));
	bool is_in;

	ck_assert(dbus_message_set_sender(call, sender));
	is_in = call_queue_add(fixture.queue, call, n_bytes, error);
	dbus_message_unref(call);
	return is_in;
}

static void add(const char *sender, const char *member)
{
	ck_assert(add_bytes(sender, member, 100, NULL));
}

static void add_many(unsigned n, const char *sender, const char *member)
{
	while (n-- > 0)
		add(sender, member);
}

static void refuses(const char *sender, size_t n_bytes, const char *sentence)
{
	g_autoptr(GError) error = NULL;

	ck_assert(!add_bytes(sender, "No", n_bytes, &error));
	ck_assert(g_error_matches(error, SVCD_ERROR_DOMAIN, SVCD_ERROR_LIMIT_REACHED));
	ck_assert_str_eq(error->message, sentence);
}

static void turn(void)
{
	while (g_main_context_iteration(NULL, FALSE))
		;
}

static void open_again(void)
{
	fixture.is_open = true;
	call_queue_go_on(fixture.queue);
	turn();
}

static unsigned count_of(const char *text, char letter)
{
	unsigned n = 0;

	for (; *text; text++)
		n += *text == letter;
	return n;
}

/* The bus reads nothing until the queue considers the bus slow. */
static void let_it_be_slow(void)
{
	int64_t until_us;

	turn(); /* the queue sees that the bus reads nothing */
	until_us = loop_now() + LIMIT_BUS_SLOW_US;
	while (loop_now() < until_us)
		g_usleep(1000);
}

static void let_it_be_calm(void)
{
	const int64_t until_us = loop_now() + LIMIT_BUS_SLOW_HOLD_US + G_USEC_PER_SEC;

	while (fixture.has_backlog && loop_now() < until_us) {
		turn();
		g_usleep(1000);
	}
}

START_TEST(callers_take_turns)
{
	add_many(3, ":1.1", "A");
	add_many(2, ":1.2", "B");
	add(":1.3", "C");

	open_again();

	ck_assert_str_eq(fixture.handled->str, "A B C A B A ");
}
END_TEST

START_TEST(users_take_turns_however_many_callers_they_have)
{
	add_many(2, ":1.1", "A");
	add_many(2, ":1.2", "B");
	add_many(2, ":1.3", "C");
	add_many(3, ":1.4", "Root");
	turn(); /* no call may be handled now, so the order depends on the uids */
	ck_assert(fixture.has_backlog);
	ck_assert_uint_eq(fixture.requested->len, strlen(":1.1 :1.2 :1.3 :1.4 "));
	call_queue_known(fixture.queue, ":1.1", 1000);
	call_queue_known(fixture.queue, ":1.2", 1000);
	call_queue_known(fixture.queue, ":1.3", 1000);
	call_queue_known(fixture.queue, ":1.4", 0);
	call_queue_known(fixture.queue, ":1.5", 0); /* no such caller */

	open_again();

	ck_assert_str_eq(fixture.handled->str, "A Root B Root C Root A B C ");
	ck_assert(!fixture.has_backlog);
}
END_TEST

START_TEST(without_a_backlog_no_caller_is_queried)
{
	fixture.is_open = true;
	add(":1.1", "A");
	turn();
	add(":1.1", "B");
	turn();

	ck_assert_str_eq(fixture.handled->str, "A B ");
	ck_assert_str_eq(fixture.requested->str, "");
	ck_assert(!fixture.has_backlog);
}
END_TEST

START_TEST(a_caller_is_queried_once_in_a_backlog)
{
	add(":1.1", "A");
	turn();
	add(":1.1", "B");
	add(":1.2", "C");

	ck_assert_str_eq(fixture.requested->str, ":1.1 :1.2 ");
}
END_TEST

/* Each query about a caller delays the calls behind it, so only a few are pending at a time. */
START_TEST(few_callers_are_queried_at_a_time_those_with_the_fewest_calls_first)
{
	char name[32];

	for (unsigned i = 0; i < 2 * LIMIT_CALLERS_QUERIED; i++) {
		(void)snprintf(name, sizeof name, ":1.%u", i);
		add_many(9, name, "A");
	}
	turn();
	ck_assert_uint_eq(count_of(fixture.requested->str, ' '), LIMIT_CALLERS_QUERIED);

	add(":2.1", "Ping");
	g_string_truncate(fixture.requested, 0);
	call_queue_known(fixture.queue, fixture.last_queried, 1000);
	ck_assert_str_eq(fixture.requested->str, ":2.1 ");

	call_queue_forget(fixture.queue, ":2.1");
	ck_assert_uint_eq(count_of(fixture.requested->str, ' '), 2);
	call_queue_clear(fixture.queue);
	add(":3.1", "A");
	turn();
	ck_assert(g_str_has_suffix(fixture.requested->str, " :3.1 "));
}
END_TEST

START_TEST(a_disconnected_caller_is_forgotten)
{
	add_many(2, ":1.1", "A");
	add(":1.2", "B");
	turn();

	call_queue_forget(fixture.queue, ":1.1");
	call_queue_forget(fixture.queue, ":1.3");
	open_again();
	ck_assert_str_eq(fixture.handled->str, "B ");

	fixture.is_open = false;
	add(":1.2", "B");
	turn();
	ck_assert(fixture.has_backlog);
	call_queue_clear(fixture.queue);
	ck_assert(!fixture.has_backlog);
	open_again();
	ck_assert_str_eq(fixture.handled->str, "B ");
}
END_TEST

START_TEST(a_caller_has_limits)
{
	add_many(LIMIT_CALLS_QUEUED_OF_CALLER, ":1.1", "A");
	refuses(":1.1", 1, "128 of your calls are already waiting; try again later");
	ck_assert(add_bytes(":1.2", "B", LIMIT_CALLS_QUEUED_OF_CALLER_BYTES, NULL));
	refuses(":1.2", 1, "1 of your calls are already waiting; try again later");
	refuses(":1.3", LIMIT_CALLS_QUEUED_OF_CALLER_BYTES + 1,
		"this call has 65537 bytes, and the limit is 65536");
	open_again();
	add(":1.1", "A");
	add(":1.2", "B");
}
END_TEST

START_TEST(a_full_queue_still_takes_one_call_of_each)
{
	const unsigned n_callers =
		LIMIT_CALLS_QUEUED_BYTES / LIMIT_CALLS_QUEUED_OF_CALLER_BYTES + 8;
	char name[32];

	for (unsigned i = 0; i < n_callers; i++) {
		(void)snprintf(name, sizeof name, ":1.%u", i);
		ck_assert(add_bytes(name, "A", LIMIT_CALLS_QUEUED_OF_CALLER_BYTES - 1000, NULL));
	}
	refuses(":1.0", 1000, "too many calls are waiting; try again later");
	ck_assert(add_bytes(":2.1", "B", 1000, NULL));
	refuses(":2.1", 1000, "too many calls are waiting; try again later");
}
END_TEST

/*
 * On a slow bus a long answer delays all callers. Callers with few calls get their answers, and get
 * them first.
 */
START_TEST(on_a_slow_bus_a_caller_with_many_calls_gets_errors)
{
	add_many(LIMIT_CALLS_WHILE_SLOW, ":1.1", "A");
	add(":1.2", "A");
	add(":1.3", "Root");
	add(":1.4", "Unknown");
	let_it_be_slow();
	call_queue_known(fixture.queue, ":1.1", 1000);
	call_queue_known(fixture.queue, ":1.2", 1000);
	call_queue_known(fixture.queue, ":1.3", 0);

	open_again();

	ck_assert_msg(g_str_has_prefix(fixture.handled->str, "-A ~Root -A ") ||
			      g_str_has_prefix(fixture.handled->str, "~Root -A -A "),
		      "%s", fixture.handled->str);
	ck_assert_uint_eq(fixture.handled->len,
			  strlen("-A ") * (LIMIT_CALLS_WHILE_SLOW + 1) + strlen("~Root "));
	call_queue_known(fixture.queue, ":1.4", 1001);
	turn();
	ck_assert(g_str_has_suffix(fixture.handled->str, " ~Unknown "));
	let_it_be_calm();
	ck_assert(!fixture.has_backlog);
}
END_TEST

/*
 * Fifty callers with one call each: a long answer to one delays all others until the bus has read
 * it.
 */
START_TEST(in_a_flood_on_a_slow_bus_no_caller_gets_a_long_answer)
{
	char name[32];

	for (unsigned i = 0; i <= LIMIT_CALLS_IN_FLOOD; i++) {
		(void)snprintf(name, sizeof name, ":1.%u", i);
		add(name, "A");
	}
	let_it_be_slow();
	for (unsigned i = 0; i <= LIMIT_CALLS_IN_FLOOD; i++) {
		(void)snprintf(name, sizeof name, ":1.%u", i);
		call_queue_known(fixture.queue, name, 1000);
	}

	open_again();
	ck_assert_uint_eq(count_of(fixture.handled->str, '~'), LIMIT_CALLS_IN_FLOOD + 1);

	g_string_truncate(fixture.handled, 0);
	add(":2.1", "B");
	turn(); /* the bus is slow for a while, but one call is not a flood */
	call_queue_known(fixture.queue, ":2.1", 1000);
	turn();
	ck_assert_str_eq(fixture.handled->str, "B ");
}
END_TEST

START_TEST(on_a_slow_bus_a_queried_caller_outlives_its_last_call)
{
	add_many(2, ":1.1", "A");
	let_it_be_slow();
	call_queue_known(fixture.queue, ":1.1", 1000);
	open_again();
	ck_assert_str_eq(fixture.handled->str, "A A ");

	add(":1.1", "B");
	turn();
	ck_assert_str_eq(fixture.handled->str, "A A B ");
	ck_assert_str_eq(fixture.requested->str, ":1.1 ");

	let_it_be_calm();
	ck_assert(!fixture.has_backlog);
	add(":1.1", "C");
	turn();
	ck_assert_str_eq(fixture.handled->str, "A A B C ");
}
END_TEST

/*
 * After a large answer the manager is free for root four fifths of the time, however many users ask
 * for more.
 */
START_TEST(after_a_long_turn_none_begins_for_four_times_as_long)
{
	const int64_t began_us = loop_now();
	const int64_t limit_us = began_us + 30 * G_USEC_PER_SEC;

	fixture.is_open = true;
	fixture.turn_us = 5 * LIMIT_STRANGERS_TURN_US;
	add(":1.1", "One");
	add(":1.2", "Two");
	add(":1.3", "Three");
	while (strcmp(fixture.handled->str, "One Two Three ") != 0) {
		ck_assert_int_lt(loop_now(), limit_us);
		g_main_context_iteration(NULL, TRUE);
	}
	ck_assert_int_ge(loop_now() - began_us,
			 2 * (1 + LIMIT_STRANGERS_REST_FACTOR) * fixture.turn_us);
	ck_assert_int_lt(LIMIT_STRANGERS_REST_US, G_USEC_PER_SEC);
}
END_TEST

START_TEST(a_bus_that_only_pauses_is_not_slow)
{
	add_many(LIMIT_CALLS_QUEUED_OF_CALLER, ":1.1", "A");

	open_again();

	ck_assert_ptr_null(strchr(fixture.handled->str, '-'));
	ck_assert_uint_eq(fixture.handled->len, 2 * LIMIT_CALLS_QUEUED_OF_CALLER);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("call-queue");

	ADD_CASE_AROUND(suite, "turns", set_up, tear_down, callers_take_turns,
			users_take_turns_however_many_callers_they_have,
			without_a_backlog_no_caller_is_queried,
			a_caller_is_queried_once_in_a_backlog,
			few_callers_are_queried_at_a_time_those_with_the_fewest_calls_first,
			a_disconnected_caller_is_forgotten);
	ADD_CASE_AROUND(suite, "limits", set_up, tear_down, a_caller_has_limits,
			after_a_long_turn_none_begins_for_four_times_as_long,
			a_full_queue_still_takes_one_call_of_each,
			on_a_slow_bus_a_caller_with_many_calls_gets_errors,
			in_a_flood_on_a_slow_bus_no_caller_gets_a_long_answer,
			on_a_slow_bus_a_queried_caller_outlives_its_last_call,
			a_bus_that_only_pauses_is_not_slow);
	return suite;
}
