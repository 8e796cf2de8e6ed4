/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The lines on the console about a boot and a shutdown: their text, their width, and when each is
 * due.
 */
#include "config.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "svc-progress/message-limit.h"
#include "svc-progress/messages.h"
#include "tests/lib/suite.h"

#define NOW (1000 * USEC_PER_SEC)

static Motion motion(MotionKind kind, const char *name, int since_s, int until_s)
{
	Motion m = { .kind = kind,
		     .since_us = NOW - since_s * USEC_PER_SEC,
		     .until_us = NOW + until_s * USEC_PER_SEC };

	(void)snprintf(m.name, sizeof m.name, "%s", name);
	return m;
}

static void add(View *view, MotionKind kind, const char *name, int since_s, int until_s)
{
	const Motion m = motion(kind, name, since_s, until_s);

	view_add(view, &m);
}

static void expect_status(const View *view, unsigned columns, const char *expected)
{
	char line[MESSAGE_BYTES];

	message_status(line, sizeof line, view, NOW, columns);
	ck_assert_str_eq(line, expected);
	ck_assert_uint_le(strlen(line), columns);
}

static const struct {
	int s;
	const char *text;
} durations[] = {
	{ -1, "0 s" },    { 0, "0 s" },      { 59, "59 s" },
	{ 90, "90 s" },   { 120, "120 s" },  { 121, "2 min 1 s" },
	{ 300, "5 min" }, { 601, "10 min" }, { 3900, "1 h 5 min" },
};

START_TEST(a_duration_is_short)
{
	char text[32];

	message_duration(text, sizeof text, durations[_i].s * USEC_PER_SEC);
	ck_assert_str_eq(text, durations[_i].text);
}
END_TEST

static const struct {
	MotionKind kind;
	int since_s;
	int until_s;
	const char *text;
} sentences[] = {
	{ MOTION_STARTING, 20, 70, "cups has been starting for 20 s (limit 90 s)" },
	{ MOTION_STOPPING, 5, 4, "cups has been stopping for 5 s; it is killed in 4 s" },
	{ MOTION_STOPPING, 11, -1, "cups has been stopping for 11 s; it is being killed" },
	{ MOTION_RETRYING, 1, 9, "cups did not start, and is tried again in 9 s" },
	{ MOTION_WAITING, 80, 10,
	  "cups has been waiting for label:home for 80 s, and fails in 10 s" },
};

START_TEST(a_sentence_contains_duration_and_limit)
{
	Motion m = motion(sentences[_i].kind, "cups", sentences[_i].since_s, sentences[_i].until_s);
	char text[MESSAGE_BYTES];

	(void)snprintf(m.what, sizeof m.what, "label:home");
	message_motion(text, sizeof text, &m, NOW);
	ck_assert_str_eq(text, sentences[_i].text);
}
END_TEST

START_TEST(the_service_that_takes_longest_comes_first_with_its_limit)
{
	View view = { .fraction = 0.425 };

	expect_status(&view, 79, "svcd: boot 42 % [####------] ");
	add(&view, MOTION_STARTING, "gdm3", 0, 90);
	add(&view, MOTION_STARTING, "cups", 20, 70);
	add(&view, MOTION_STARTING, "exim4", 6, 84);
	expect_status(
		&view, 79,
		"svcd: boot 42 % [####------] starting cups (20 s of 90 s), exim4 (6 s), gdm3");
	view_add_failed(&view, "ssh");
	view_add_failed(&view, "nginx");
	ck_assert_str_eq(view.failed, "ssh, nginx");
	expect_status(
		&view, 100,
		"svcd: boot 42 % [####------] 2 failed starting cups (20 s of 90 s), exim4 (6 s), "
		"gdm3");
	expect_status(&view, 60, "svcd: boot 42 % [####------] 2 failed starting cups (20 s...");
	expect_status(&view, 40, "svcd: boot 42 % 2 failed starting cup...");
	expect_status(&view, 5, "sv...");
	expect_status(&view, 2, "sv");
	expect_status(&view, 0, "");
}
END_TEST

START_TEST(a_shutdown_names_each_service_with_its_kill_time)
{
	View view = { .is_shutdown = true };

	expect_status(&view, 79, "");
	add(&view, MOTION_STOPPING, "mariadb", 3, 87);
	add(&view, MOTION_STOPPING, "cups", 20, 70);
	expect_status(&view, 79, "svcd: stopping cups (20 s, killed in 70 s), mariadb (3 s)");
}
END_TEST

START_TEST(if_there_are_too_many_services_the_youngest_are_only_counted)
{
	View view = { .is_shutdown = true };
	char line[MESSAGE_BYTES];
	char name[16];

	for (int i = 0; i < VIEW_MOTIONS + 2; i++) {
		(void)snprintf(name, sizeof name, "s%d", i);
		add(&view, MOTION_STOPPING, name, i, 90);
	}
	ck_assert_uint_eq(view.n_motions, VIEW_MOTIONS);
	ck_assert_str_eq(view.motions[0].name, "s17");
	ck_assert_str_eq(view.motions[VIEW_MOTIONS - 1].name, "s2");
	message_status(line, sizeof line, &view, NOW, 400);
	ck_assert_ptr_nonnull(strstr(line, "s2 (2 s), and 2 more"));
}
END_TEST

START_TEST(the_awaited_condition_is_printed_in_ascii)
{
	View view = { 0 };
	Motion m = motion(MOTION_WAITING, "home", 7, 83);

	(void)snprintf(m.what, sizeof m.what, "label:M\303\274ll\033[2J\xff\x80");
	view_add(&view, &m);
	expect_status(&view, 99,
		      "svcd: boot 0 % [----------] waiting home for label:M?ll?[2J? (7 s of 90 s)");
}
END_TEST

START_TEST(names_that_are_long_are_cut_and_harm_nothing)
{
	View view = { 0 };

	for (int i = 0; i < 100; i++)
		view_add_failed(&view, "a-service-with-a-name");
	ck_assert_uint_eq(view.n_failed, 100);
	ck_assert_uint_eq(strlen(view.failed), sizeof view.failed - 1);
	ck_assert_str_eq(view.failed + strlen(view.failed) - 3, "...");
}
END_TEST

START_TEST(the_end_names_what_failed)
{
	View view = { .is_finished = true,
		      .began_us = NOW - 7 * USEC_PER_SEC,
		      .n_ready = 45,
		      .n_total = 46 };
	char line[MESSAGE_BYTES];

	message_end(line, sizeof line, &view, NOW);
	ck_assert_str_eq(line, "svcd: the boot took 7 s: 45 of 46 services are up");
	view_add_failed(&view, "cups");
	message_end(line, sizeof line, &view, NOW);
	ck_assert_str_eq(
		line,
		"svcd: the boot took 7 s: 45 of 46 services are up, 1 failed: cups; why: svcctl "
		"explain");
}
END_TEST

START_TEST(a_splash_screen_shows_only_slow_or_failed_services)
{
	View view = { .fraction = 0.5 };
	char message[64];

	add(&view, MOTION_STARTING, "gdm3", 1, 89);
	message_splash(message, sizeof message, &view, NOW);
	ck_assert_str_eq(message, "");
	view_add_failed(&view, "cups");
	message_splash(message, sizeof message, &view, NOW);
	ck_assert_str_eq(message, "1 service did not start: cups");
	add(&view, MOTION_STARTING, "exim4", 6, 84);
	message_splash(message, sizeof message, &view, NOW);
	ck_assert_str_eq(message, "exim4 has been starting for 6 s (limit 90 s)");
}
END_TEST

START_TEST(a_line_is_due_when_it_has_taken_twice_as_long)
{
	MessageLimit limit = { .first_us = 10 * USEC_PER_SEC };
	const Motion m = motion(MOTION_STARTING, "cups", 0, 900);
	char due[128] = "";

	for (int s = 0; s <= 100; s++)
		if (message_limit_is_due(&limit, &m, NOW + s * USEC_PER_SEC))
			(void)snprintf(due + strlen(due), sizeof due - strlen(due), "%d ", s);
	ck_assert_str_eq(due, "10 20 40 80 ");
}
END_TEST

START_TEST(an_absent_service_is_forgotten_and_each_run_counts_separately)
{
	MessageLimit limit = { .first_us = 10 * USEC_PER_SEC };
	View view = { 0 };
	const Motion first = motion(MOTION_STARTING, "cups", 12, 90);
	const Motion again = motion(MOTION_STARTING, "cups", 11, 90);

	for (int i = 0; i < VIEW_MOTIONS; i++) {
		add(&view, MOTION_STARTING, "cups", 12 + i, 90);
		ck_assert(message_limit_is_due(&limit, &view.motions[0], NOW));
	}
	ck_assert(!message_limit_is_due(&limit, &first, NOW));
	ck_assert(!message_limit_is_due(&limit, &again, NOW)); /* no space: counts as not slow */
	message_limit_forget(&limit, &(View){ 0 });
	ck_assert(message_limit_is_due(&limit, &again, NOW));
	ck_assert(!message_limit_is_due(&limit, &again, NOW));
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("progress-messages");

	suite_add_loop(suite, "durations", a_duration_is_short,
		       sizeof durations / sizeof durations[0]);
	suite_add_loop(suite, "sentences", a_sentence_contains_duration_and_limit,
		       sizeof sentences / sizeof sentences[0]);
	ADD_CASE(suite, "line", the_service_that_takes_longest_comes_first_with_its_limit,
		 a_shutdown_names_each_service_with_its_kill_time,
		 if_there_are_too_many_services_the_youngest_are_only_counted,
		 the_awaited_condition_is_printed_in_ascii,
		 names_that_are_long_are_cut_and_harm_nothing, the_end_names_what_failed,
		 a_splash_screen_shows_only_slow_or_failed_services);
	ADD_CASE(suite, "said", a_line_is_due_when_it_has_taken_twice_as_long,
		 an_absent_service_is_forgotten_and_each_run_counts_separately);
	return suite;
}
