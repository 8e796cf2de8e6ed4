/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Loop: timers and descriptors die with their owners, and fire as often as they should.
 */
#include "config.h"

#include <check.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "loop/loop.h"
#include "tests/lib/suite.h"

static unsigned n_fired;
static Timer *timer;
static FdSource *source;

static void on_fire(void *data)
{
	(void)data;
	n_fired++;
}

static void turn_until_idle(void)
{
	while (g_main_context_iteration(NULL, FALSE))
		;
}

START_TEST(a_timer_fires_once)
{
	n_fired = 0;
	timer = timer_new(on_fire, NULL);
	ck_assert(!timer_is_armed(timer));

	timer_arm(timer, loop_now() - 1);
	ck_assert(timer_is_armed(timer));
	turn_until_idle();
	turn_until_idle();

	ck_assert_uint_eq(n_fired, 1);
	ck_assert(!timer_is_armed(timer));
	timer_free(timer);
}
END_TEST

START_TEST(a_timer_may_be_there_only_while_it_is_needed)
{
	Timer *seldom = NULL;

	timer_disarm(seldom);
	ck_assert(!timer_is_armed(seldom));
	ck_assert_int_eq(timer_deadline(seldom), 0);

	timer_set(&seldom, loop_now() + G_TIME_SPAN_HOUR, on_fire, NULL);
	timer_set(&seldom, G_MAXINT64, on_fire, NULL);
	ck_assert_int_eq(timer_deadline(seldom), G_MAXINT64);

	timer_set(&seldom, 0, on_fire, NULL);
	ck_assert_ptr_null(seldom);
}
END_TEST

START_TEST(a_disarmed_timer_does_not_fire)
{
	n_fired = 0;
	timer = timer_new(on_fire, NULL);
	timer_arm(timer, loop_now());
	timer_disarm(timer);
	turn_until_idle();
	ck_assert_uint_eq(n_fired, 0);
	timer_free(timer);
}
END_TEST

static void on_fire_free(void *data)
{
	(void)data;
	n_fired++;
	timer_free(timer);
}

START_TEST(a_timer_may_be_freed_while_it_fires)
{
	n_fired = 0;
	timer = timer_new(on_fire_free, NULL);
	timer_arm(timer, loop_now());
	turn_until_idle();
	ck_assert_uint_eq(n_fired, 1);
}
END_TEST

static unsigned fired[3];

static void on_fire_note(void *data)
{
	fired[n_fired++] = GPOINTER_TO_UINT(data);
}

START_TEST(timers_fire_in_the_order_of_their_times)
{
	Timer *late = timer_new(on_fire_note, GUINT_TO_POINTER(2));
	Timer *early = timer_new(on_fire_note, GUINT_TO_POINTER(1));
	Timer *never = timer_new(on_fire_note, GUINT_TO_POINTER(3));
	const int64_t soon_us = loop_now() + 2000;

	n_fired = 0;
	timer_arm(late, soon_us + 1);
	timer_arm(never, soon_us + G_TIME_SPAN_HOUR);
	timer_arm(early, soon_us);
	while (n_fired < 2)
		g_main_context_iteration(NULL, TRUE);

	ck_assert_uint_eq(fired[0], 1);
	ck_assert_uint_eq(fired[1], 2);
	ck_assert(timer_is_armed(never));
	timer_free(early);
	timer_free(late);
	timer_free(never);
}
END_TEST

START_TEST(timers_that_are_moved_and_freed_leave_the_others_alone)
{
	Timer *many[100];
	unsigned n_due = 0;

	n_fired = 0;
	for (unsigned i = 0; i < G_N_ELEMENTS(many); i++) {
		many[i] = timer_new(on_fire, NULL);
		timer_arm(many[i], loop_now() + G_TIME_SPAN_SECOND * (3600 + i * 7 % 100));
	}
	for (unsigned i = 0; i < G_N_ELEMENTS(many); i += 3)
		g_clear_pointer(&many[i], timer_free);
	for (unsigned i = 1; i < G_N_ELEMENTS(many); i += 3, n_due++)
		timer_arm(many[i], loop_now());
	turn_until_idle();

	ck_assert_uint_eq(n_fired, n_due);
	for (unsigned i = 0; i < G_N_ELEMENTS(many); i++) {
		ck_assert(!many[i] || timer_is_armed(many[i]) == (i % 3 == 2));
		timer_free(many[i]);
	}
}
END_TEST

static void on_fire_again(void *data)
{
	Timer **own = data;

	timer_arm(*own, loop_now() - G_USEC_PER_SEC);
}

START_TEST(a_timer_that_is_always_due_leaves_others_their_turn)
{
	Timer *always = timer_new(on_fire_again, &always);

	n_fired = 0;
	timer = timer_new(on_fire, NULL);
	timer_arm(always, loop_now());
	timer_arm(timer, loop_now());
	for (unsigned i = 0; i < 3; i++)
		g_main_context_iteration(NULL, FALSE);

	ck_assert_uint_eq(n_fired, 1);
	timer_free(always);
	timer_free(timer);
}
END_TEST

static FdSource *both[2];

/* Frees the other source, which the loop already knows to be ready. */
static void on_ready_free_other(GIOCondition condition, void *data)
{
	(void)condition;
	n_fired++;
	g_clear_pointer(&both[!GPOINTER_TO_UINT(data)], fd_source_free);
}

START_TEST(a_freed_source_receives_nothing)
{
	int fds[2][2];

	n_fired = 0;
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_int_eq(pipe(fds[i]), 0);
		ck_assert_int_eq(write(fds[i][1], "x", 1), 1);
		both[i] = fd_source_new(fds[i][0], G_IO_IN, LOOP_PRIORITY_READY,
					on_ready_free_other, GUINT_TO_POINTER(i));
	}
	g_main_context_iteration(NULL, FALSE);

	ck_assert_uint_eq(n_fired, 1);
	for (unsigned i = 0; i < 2; i++) {
		fd_source_free(both[i]);
		close(fds[i][0]);
		close(fds[i][1]);
	}
}
END_TEST

static void on_note_ready(GIOCondition condition, void *data)
{
	(void)condition;
	on_fire_note(data);
}

START_TEST(keeper_messages_come_before_service_messages)
{
	FdSource *later;
	FdSource *first;
	int fds[2];

	n_fired = 0;
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	later = fd_source_new(fds[0], G_IO_OUT, LOOP_PRIORITY_NOTIFY, on_note_ready,
			      GUINT_TO_POINTER(2));
	first = fd_source_new(fds[1], G_IO_OUT, LOOP_PRIORITY_KEEPER, on_note_ready,
			      GUINT_TO_POINTER(1));
	g_main_context_iteration(NULL, FALSE);

	ck_assert_uint_eq(n_fired, 1);
	ck_assert_uint_eq(fired[0], 1);
	fd_source_free(first);
	fd_source_free(later);
	close(fds[0]);
	close(fds[1]);
}
END_TEST

static void on_ready_free(GIOCondition condition, void *data)
{
	(void)data;
	ck_assert(condition & G_IO_IN);
	n_fired++;
	fd_source_free(source);
}

static void take_one(GIOCondition condition, void *data)
{
	char byte;

	(void)condition;
	ck_assert_int_eq(read(*(int *)data, &byte, 1), 1);
}

static void note_change(GIOCondition condition, void *data)
{
	(void)condition;
	++*(unsigned *)data;
}

/*
 * Only the first poll reports the mount table as ready. That report must not be lost because
 * another source was ready at the same moment.
 */
START_TEST(a_mount_is_reported_while_keeper_messages_arrive)
{
	FdSource *mounts;
	FdSource *keeper;
	unsigned n_changes = 0;
	int ends[2];
	int fd;

	if (unshare(CLONE_NEWNS) < 0)
		return; /* only root may mount */
	ck_assert_int_eq(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
	fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	mounts = fd_source_new_forgetful(fd, G_IO_PRI | G_IO_ERR, note_change, &n_changes);
	keeper = fd_source_new(ends[0], G_IO_IN, LOOP_PRIORITY_KEEPER, take_one, &ends[0]);
	while (g_main_context_iteration(NULL, FALSE))
		;
	n_changes = 0;

	ck_assert_int_eq(mount("none", "/tmp", "tmpfs", 0, NULL), 0);
	ck_assert_int_eq(write(ends[1], "x", 1), 1);
	for (int turn = 0; turn < 5; turn++)
		g_main_context_iteration(NULL, FALSE);
	ck_assert_uint_eq(n_changes, 1);
	fd_source_free(keeper);
	fd_source_free(mounts);
	(void)close(fd);
	(void)close(ends[0]);
	(void)close(ends[1]);
}
END_TEST

START_TEST(a_descriptor_is_watched_until_its_source_is_freed)
{
	int fds[2];

	n_fired = 0;
	ck_assert_int_eq(pipe(fds), 0);
	source = fd_source_new(fds[0], G_IO_IN, LOOP_PRIORITY_READY, on_ready_free, NULL);
	turn_until_idle();
	ck_assert_uint_eq(n_fired, 0);

	ck_assert_int_eq(write(fds[1], "x", 1), 1);
	turn_until_idle();
	turn_until_idle();

	ck_assert_uint_eq(n_fired, 1);
	close(fds[0]);
	close(fds[1]);
}
END_TEST

/* Microseconds since the timer was set; -1: the timer does not run. */
static int64_t set_ago(int clock_fd, int64_t limit_us)
{
	struct itimerspec left;

	ck_assert_int_eq(timerfd_gettime(clock_fd, &left), 0);
	if (left.it_value.tv_sec == 0 && left.it_value.tv_nsec == 0)
		return -1;
	return limit_us - (left.it_value.tv_sec * G_USEC_PER_SEC + left.it_value.tv_nsec / 1000);
}

START_TEST(the_clock_runs_while_the_loop_is_awake_and_stops_while_it_sleeps)
{
	const int64_t limit_us = 1000 * G_USEC_PER_SEC;
	const int64_t sleep_us = 100 * G_TIME_SPAN_MILLISECOND;
	const int clock_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	int64_t began_us;
	int64_t later_us;

	loop_watch_over(clock_fd, limit_us);
	ck_assert_int_eq(set_ago(clock_fd, limit_us), -1);

	turn_until_idle();
	began_us = loop_now();
	ck_assert_int_ge(set_ago(clock_fd, limit_us), 0);

	for (int i = 0; i < 3; i++) /* a burst: most of the limit is left, so it is not set again */
		turn_until_idle();
	later_us = loop_now();
	ck_assert_int_ge(set_ago(clock_fd, limit_us), later_us - began_us);

	timer = timer_new(on_fire, NULL);
	began_us = loop_now();
	timer_arm(timer, began_us + sleep_us);
	g_main_context_iteration(NULL, TRUE); /* the clock is stopped meanwhile */
	ck_assert_int_le(set_ago(clock_fd, limit_us), loop_now() - began_us - sleep_us);
	timer_free(timer);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("loop");

	ADD_CASE(suite, "loop", a_timer_fires_once, a_timer_may_be_there_only_while_it_is_needed,
		 a_disarmed_timer_does_not_fire, a_timer_may_be_freed_while_it_fires,
		 timers_fire_in_the_order_of_their_times,
		 timers_that_are_moved_and_freed_leave_the_others_alone,
		 a_timer_that_is_always_due_leaves_others_their_turn,
		 a_freed_source_receives_nothing, keeper_messages_come_before_service_messages,
		 a_descriptor_is_watched_until_its_source_is_freed,
		 a_mount_is_reported_while_keeper_messages_arrive,
		 the_clock_runs_while_the_loop_is_awake_and_stops_while_it_sleeps);
	return suite;
}
