/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The watchdog: valid settings, when it is fed, and what stops the feeding. The device is a FIFO,
 * and the test sets its timeouts.
 */
#include "config.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/watchdog.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "keeper/keeper.h"
#include "keeper/watchdog.h"
#include "tests/lib/scratch.h"
#include "tests/lib/suite.h"

#define SECONDS(n) ((uint64_t)(n)*USEC_PER_SEC)

static char *directory;
static char device[96];
static int reader = -1;
static bool manager_is_well;
static int device_knows_s; /* fixed timeout; 0: it can be set; -1: no timeouts */
static int configured_s;

/* The driver's side. */
int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	int *seconds;

	va_start(args, request);
	seconds = va_arg(args, int *);
	va_end(args);
	if (device_knows_s < 0 || (request == WDIOC_SETTIMEOUT && device_knows_s > 0)) {
		errno = device_knows_s < 0 ? ENOTTY : EINVAL;
		return -1;
	}
	if (request == WDIOC_SETTIMEOUT)
		configured_s = *seconds;
	else
		*seconds = device_knows_s;
	return 0;
}

static void make_device(void)
{
	ck_assert_int_eq(mkfifo(device, 0600), 0);
	reader = open(device, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ck_assert_int_ge(reader, 0);
}

static void configure(const char *options)
{
	char request[160];

	(void)snprintf(request, sizeof(request), "60,%s%s", device, options);
	ck_assert(watchdog_configure(request));
}

static void set_up(void)
{
	directory = scratch_new();
	(void)snprintf(device, sizeof(device), "%s/dog", directory);
}

static void tear_down(void)
{
	if (reader >= 0)
		(void)close(reader);
	scratch_free(directory);
}

/* Returns: the bytes written to the device since the last call. */
static const char *eaten(void)
{
	static char text[32];
	ssize_t n = read(reader, text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = '\0';
	return text;
}

static const char *const good[] = {
	"0",
	"10",
	"60",
	"86400",
	"60,manager",
	"60,/dev/watchdog1",
	"60,manager,/dev/watchdog1",
	"60,/dev/watchdog1,manager",
};

START_TEST(a_valid_option_is_taken)
{
	ck_assert(watchdog_configure(good[_i]));
	ck_assert_str_eq(watchdog_request(), good[_i]);
}
END_TEST

static const char *const bad[] = {
	"",
	"x",
	"-1",
	"9",
	"86401",
	"99999999999999999999",
	"60s",
	"60,",
	"60,,",
	"60,manage",
	"60,managers",
	"60,dev",
	"60,/dev/",
	"60 manager",
	",manager",
	"60,/dev/01234567894567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345",
};

START_TEST(anything_else_is_refused_and_changes_nothing)
{
	ck_assert(watchdog_configure("60,manager"));
	ck_assert(!watchdog_configure(bad[_i]));
	ck_assert_str_eq(watchdog_request(), "60,manager");
}
END_TEST

START_TEST(without_a_request_nothing_is_ever_due)
{
	ck_assert_uint_eq(watchdog_next_us(), NEVER_US);
	ck_assert(watchdog_configure("0"));
	ck_assert_uint_eq(watchdog_next_us(), NEVER_US);
	watchdog_tick(NEVER_US - 1, manager_is_well);
	ck_assert_int_eq(watchdog_fd(), -1);
}
END_TEST

START_TEST(it_is_fed_at_half_of_its_time)
{
	make_device();
	configure("");
	watchdog_tick(SECONDS(1), manager_is_well);
	ck_assert_int_eq(configured_s, 60);
	ck_assert_str_eq(eaten(), "k");

	ck_assert_uint_eq(watchdog_next_us(), SECONDS(31));
	watchdog_tick(SECONDS(30), manager_is_well);
	ck_assert_str_eq(eaten(), "");
	watchdog_tick(SECONDS(31), manager_is_well);
	ck_assert_str_eq(eaten(), "k");
	ck_assert_uint_eq(watchdog_next_us(), SECONDS(61));
}
END_TEST

START_TEST(the_timeout_of_the_device_is_used_if_it_refuses_the_wanted_one)
{
	make_device();
	device_knows_s = 16;
	configure("");
	watchdog_tick(SECONDS(1), manager_is_well);
	ck_assert_uint_eq(watchdog_next_us(), SECONDS(9));
}
END_TEST

START_TEST(a_device_without_a_timeout_is_fed_every_second)
{
	make_device();
	device_knows_s = -1;
	configure("");
	watchdog_tick(SECONDS(1), manager_is_well);
	ck_assert_uint_eq(watchdog_next_us(), SECONDS(2));
}
END_TEST

START_TEST(a_device_that_appears_later_is_found)
{
	uint64_t now_us = 0;

	configure("");
	for (int i = 0; i < 100; i++, now_us = watchdog_next_us())
		watchdog_tick(now_us, manager_is_well);
	ck_assert_uint_ge(now_us, SECONDS(100)); /* one search a second */
	ck_assert_int_eq(watchdog_fd(), -1);

	make_device();
	watchdog_tick(watchdog_next_us(), manager_is_well);
	ck_assert_str_eq(eaten(), "k");
}
END_TEST

START_TEST(a_device_that_disappears_is_looked_for_again)
{
	make_device();
	configure("");
	watchdog_tick(0, manager_is_well);
	(void)close(reader);
	(void)unlink(device);
	(void)signal(SIGPIPE, SIG_IGN); /* PID 1 blocks this signal */
	watchdog_tick(watchdog_next_us(), manager_is_well);
	ck_assert_int_eq(watchdog_fd(), -1);

	make_device();
	watchdog_tick(watchdog_next_us(), manager_is_well);
	ck_assert_str_eq(eaten(), "k");
}
END_TEST

START_TEST(bound_to_the_manager_it_starves_without_one)
{
	make_device();
	manager_is_well = true;
	configure(",manager");
	watchdog_tick(0, manager_is_well);
	ck_assert_str_eq(eaten(), "k");

	manager_is_well = false;
	for (uint64_t s = 30; s < 120; s++)
		watchdog_tick(SECONDS(s), manager_is_well);
	ck_assert_str_eq(eaten(), "");
	ck_assert_uint_le(watchdog_next_us(), SECONDS(121));

	manager_is_well = true;
	watchdog_tick(SECONDS(121), manager_is_well);
	ck_assert_str_eq(eaten(), "k");
	ck_assert_uint_eq(watchdog_next_us(), SECONDS(151));
}
END_TEST

START_TEST(not_bound_it_is_fed_without_a_manager)
{
	make_device();
	configure("");
	for (uint64_t s = 0; s < 120; s++)
		watchdog_tick(SECONDS(s), manager_is_well);
	ck_assert_str_eq(eaten(), "kkkk");
}
END_TEST

START_TEST(a_restart_leaves_it_armed)
{
	make_device();
	configure(",manager");
	watchdog_tick(0, manager_is_well); /* fed once when opened; no more without a manager */
	ck_assert_str_eq(eaten(), "k");
	watchdog_feed_in_finale(); /* the last feed was long ago */
	ck_assert_str_eq(eaten(), "k");
	watchdog_feed_in_finale();
	ck_assert_str_eq(eaten(), "");
	watchdog_end(true);
	ck_assert_int_ge(watchdog_fd(), 0);
	ck_assert_str_eq(eaten(), "k");
}
END_TEST

START_TEST(switching_off_stops_it)
{
	make_device();
	configure("");
	watchdog_tick(0, manager_is_well);
	(void)eaten();
	watchdog_end(false);
	ck_assert_int_eq(watchdog_fd(), -1);
	ck_assert_str_eq(eaten(), "kV"); /* the magic close byte is the last one */
}
END_TEST

START_TEST(the_next_image_goes_on_with_the_same_device)
{
	int fd;

	make_device();
	fd = open(device, O_WRONLY | O_NONBLOCK);
	ck_assert_int_ge(fd, 0);
	watchdog_take_over("60,manager", fd);
	ck_assert_int_eq(watchdog_fd(), fd);
	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	manager_is_well = true;
	watchdog_tick(SECONDS(1), manager_is_well);
	ck_assert_str_eq(eaten(), "k");
	ck_assert_uint_eq(watchdog_next_us(), SECONDS(31));

	watchdog_set_cloexec(false);
	ck_assert_int_eq(fcntl(fd, F_GETFD), 0);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("keeper watchdog");

	(void)suite_add_loop(suite, "words", a_valid_option_is_taken,
			     sizeof(good) / sizeof(good[0]));
	(void)suite_add_loop(suite, "other words", anything_else_is_refused_and_changes_nothing,
			     sizeof(bad) / sizeof(bad[0]));
	ADD_CASE(suite, "none", without_a_request_nothing_is_ever_due);
	ADD_CASE_AROUND(suite, "device", set_up, tear_down, it_is_fed_at_half_of_its_time,
			the_timeout_of_the_device_is_used_if_it_refuses_the_wanted_one,
			a_device_without_a_timeout_is_fed_every_second,
			a_device_that_appears_later_is_found,
			a_device_that_disappears_is_looked_for_again,
			bound_to_the_manager_it_starves_without_one,
			not_bound_it_is_fed_without_a_manager, a_restart_leaves_it_armed,
			switching_off_stops_it, the_next_image_goes_on_with_the_same_device);
	return suite;
}
