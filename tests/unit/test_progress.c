/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Progress of a boot and its remaining time; at the end ten boots in a row, with and without known
 * durations.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "boot/boot-record.h"
#include "boot/boot.h"
#include "boot/progress.h"
#include "tests/lib/suite.h"
#include "tests/lib/world.h"

#define DAEMON "[Service]\nExec=/bin/d\nReady=notify\n"

#define S G_USEC_PER_SEC

/* Loads the known durations, one line per service: "a 0 1000000+0". */
static void know(World *w, const char *services)
{
	g_auto(GStrv) lines = g_strsplit(services, "\n", -1);
	g_autofree char *joined = g_strjoinv("\nservice ", lines);
	g_autofree char *text = g_strdup_printf("svcd-durations 1\nservice %s\nend\n", joined);
	g_autoptr(GError) error = NULL;
	Durations *durations = durations_parse(text, strlen(text), &error);

	ck_assert_msg(durations, "%s", error ? error->message : "");
	progress_know(world_engine(w), durations, world_now(w));
}

static double fraction(World *w)
{
	return progress_fraction(world_engine(w), world_now(w));
}

static void expect_rest_s(World *w, double seconds)
{
	ck_assert_double_eq_tol((double)progress_rest(world_engine(w), world_now(w)) / (double)S,
				seconds, 0.0001);
}

static bool is_finished(World *w)
{
	Progress progress;

	progress_get(world_engine(w), &progress);
	return progress.finished;
}

/* --- the first boot: counting --- */

START_TEST(the_first_boot_is_counted)
{
	g_autoptr(World) w = world_new("== a\n" DAEMON "Description=First\n== b\n" DAEMON
				       "[Conditions]\nAfter=a\n== c\n" DAEMON
				       "[Conditions]\nWhen=path:/absent\n");
	Progress progress;

	/* c waits for an external condition, and delays nothing. */
	progress_get(world_engine(w), &progress);
	ck_assert_uint_eq(progress.total, 3);
	ck_assert_uint_eq(progress.ready, 0);
	ck_assert_double_eq_tol(fraction(w), 1.0 / 3, 0.001);

	world_ready(w, "a");
	ck_assert_double_eq_tol(fraction(w), 2.0 / 3, 0.001);

	world_advance_s(w, 2);
	expect_rest_s(w, 0); /* b is unknown */
	ck_assert(!is_finished(w));
	world_ready(w, "b");
	progress_get(world_engine(w), &progress);
	ck_assert(progress.finished);
	ck_assert_double_eq(fraction(w), 1.0);
	ck_assert_int_eq(progress.finished_us - progress.boot_us, 2 * S);

	world_restart(w, "a");
	ck_assert_double_eq(fraction(w), 1.0);
	expect_rest_s(w, 0);
}
END_TEST

START_TEST(counting_moves_too_while_time_passes)
{
	g_autoptr(World) w = world_new("== a\n" DAEMON "== b\n" DAEMON);
	double before = fraction(w);

	for (unsigned i = 0; i < 100; i++) {
		world_advance_s(w, 1);
		ck_assert_double_gt(fraction(w), before);
		before = fraction(w);
	}
	ck_assert_double_lt(before, 0.5); /* the position of the bar with one service done */
}
END_TEST

START_TEST(the_one_that_starts_for_longest_is_named)
{
	g_autoptr(World) w = world_new("== a\n" DAEMON "Description=Message bus\n== b\n" DAEMON
				       "Description=Later\n[Conditions]\nWhen=flag:go\n");

	world_advance_s(w, 1);
	world_set(w, "flag:go", true);
	ck_assert_str_eq(progress_current(world_engine(w)), "Message bus");

	world_ready(w, "a");
	ck_assert_str_eq(progress_current(world_engine(w)), "Later");

	world_ready(w, "b");
	ck_assert_ptr_null(progress_current(world_engine(w)));
}
END_TEST

/* --- with durations of earlier boots --- */

START_TEST(it_moves_evenly_to_the_end_that_is_expected)
{
	g_autoptr(World) w = world_new(DAEMON);

	know(w, "it 0 10000000+0");
	for (unsigned i = 0; i <= 8; i++) {
		ck_assert_double_eq_tol(fraction(w), i / 10.0, 0.0001);
		expect_rest_s(w, 10 - i);
		world_advance_s(w, 1);
	}
	world_advance_s(w, 1);
	world_ready(w, "it");
	ck_assert_double_eq(fraction(w), 1.0);
}
END_TEST

/* The delay that one service is expected to cause to the boot, in each state. */
static const struct {
	const char *known;
	double elapsed_s;
	double rest_s;
} rests[] = {
	{ "it 0 8000000+0", 0, 8 },
	{ "it 0 8000000+0", 6, 2 },
	{ "it 0 8000000+0", 7.5, 1 }, /* never less than an eighth of the known time */
	{ "it 0 8000000+0", 8, 1 },
	{ "it 0 8000000+0", 9, 1 },
	{ "it 0 8000000+0", 16, 4 }, /* half of the time by which the service is late */
	{ "it 0 8000000+3000000", 2, 9 }, /* plus the time of its successors in earlier boots */
	{ "it 0 8000000+3000000", 8, 4 },
	{ "other 0 5000000+9000000", 2, 3 }, /* an unknown service counts as average */
	{ "it 0 0+0", 0, 0.01 }, /* never a jump */
};

START_TEST(the_remaining_time_is_that_of_the_start_and_its_successors)
{
	g_autoptr(World) w = world_new(DAEMON);

	know(w, rests[_i].known);
	world_advance_s(w, rests[_i].elapsed_s);

	expect_rest_s(w, rests[_i].rest_s);
}
END_TEST

START_TEST(the_longest_remaining_time_of_all_services_in_motion_is_used)
{
	g_autoptr(World) w = world_new("== a\n" DAEMON "== b\n" DAEMON "== c\n" DAEMON
				       "[Conditions]\nAfter=a\n== held\n" DAEMON
				       "[Conditions]\nWhen=path:/absent\n");

	/* held waits for an external condition, for an unknown time. */
	know(w, "a 0 1000000+4000000\nb 0 3000000+0\nc 0 4000000+0\nheld 0 90000000+0");
	expect_rest_s(w, 5);

	world_advance_s(w, 1);
	world_ready(w, "a");
	expect_rest_s(w, 4);

	world_advance_s(w, 1);
	world_ready(w, "c"); /* faster than ever: only b is left */
	expect_rest_s(w, 1);
}
END_TEST

START_TEST(a_back_off_is_waited_for)
{
	g_autoptr(World) w = world_new(
		"[Service]\nExec=/bin/d\nReady=notify\nRestart=always\nRestartDelay=5s\n");

	know(w, "it 0 2000000+0");
	world_dies(w, "it", 1);
	expect_state(w, "it", STATE_BACKOFF);
	expect_rest_s(w, 7);
	world_advance_s(w, 4);
	expect_rest_s(w, 3);
}
END_TEST

/* The restart limit, 5 in 10 s, is never reached, because the delay starts at 1 s and doubles. */
START_TEST(the_boot_is_over_when_all_that_is_left_fails_again_and_again)
{
	g_autoptr(World) w = world_new(
		"== a\n" DAEMON "== it\n[Service]\nExec=/bin/d\nReady=notify\nRestart=always\n");
	Progress progress;

	know(w, "it 0 2000000+0");
	world_ready(w, "a");
	for (unsigned i = 0; i < 8 && !is_finished(w); i++) {
		world_dies(w, "it", 1);
		world_advance_s(w, 30);
	}
	progress_get(world_engine(w), &progress);
	ck_assert(progress.finished);
	ck_assert_int_lt(progress.finished_us - progress.boot_us, 90 * S);
	ck_assert_uint_eq(progress.failed, 1);
	ck_assert_uint_eq(progress.ready, 1);
	ck_assert_int_eq(boot_record_get(world_find(w, "it"))->result, BOOT_RESULT_FAILED);
	expect_state(w, "it", STATE_STARTING);
	ck_assert(engine_is_failing(world_find(w, "it")));
}
END_TEST

START_TEST(a_start_that_reached_its_limit_is_a_result)
{
	g_autoptr(World) w = world_new(
		"[Service]\nExec=/bin/d\nReady=notify\nRestart=always\nStartTimeout=90s\n");

	world_advance_s(w, 90);
	world_start_fails(w, "it", "not ready after 1 min 30 s");
	world_gone(w, "it");
	expect_state(w, "it", STATE_BACKOFF);
	ck_assert(is_finished(w));
}
END_TEST

START_TEST(it_never_goes_back_and_never_stands_still)
{
	g_autoptr(World) w = world_new(
		"== a\n[Service]\nExec=/bin/d\nReady=notify\nRestart=always\nRestartDelay=30s\n== "
		"b\n" DAEMON "[Conditions]\nAfter=a\n");
	double before = 0;

	/* "a" is very late, then fails, starts again after a while, and is late again. */
	know(w, "a 0 1000000+1000000\nb 0 1000000+0");
	for (unsigned i = 0; i < 500; i++) {
		world_advance(w, S / 5);
		if (i == 100)
			world_dies(w, "a", 1);
		ck_assert_msg(fraction(w) > before, "at %u: %.9f after %.9f", i, fraction(w),
			      before);
		before = fraction(w);
	}
	ck_assert_double_lt(before, 1);
	expect_state(w, "a", STATE_STARTING);

	world_ready(w, "a");
	ck_assert_double_ge(fraction(w), before);
	world_ready(w, "b");
	ck_assert_double_eq(fraction(w), 1.0);
}
END_TEST

START_TEST(a_quick_boot_is_caught_up_with)
{
	g_autoptr(World) w = world_new("== a\n" DAEMON "== b\n" DAEMON);

	know(w, "a 0 60000000+0\nb 0 2000000+0");
	world_advance_s(w, 1);
	world_ready(w, "a"); /* no disk check this time */

	expect_rest_s(w, 1);
	world_advance(w, S / 2);
	ck_assert_double_gt(fraction(w), 0.5);
}
END_TEST

START_TEST(durations_that_are_read_later_are_used_from_then_on)
{
	g_autoptr(World) w = world_new("== a\n" DAEMON "== b\n" DAEMON "== c\n" DAEMON);
	double before;

	/* /var is mounted during the boot. */
	world_advance_s(w, 1);
	world_ready(w, "a");
	before = fraction(w);
	know(w, "a 0 1000000+4000000\nb 0 3000000+2000000\nc 0 5000000+0");

	ck_assert_double_eq_tol(fraction(w), before, 1e-9);
	expect_rest_s(w, 4);
	world_advance_s(w, 2);
	ck_assert_double_eq_tol(fraction(w), (1 + before) / 2, 0.0001);
}
END_TEST

START_TEST(another_manager_draws_on_where_the_bar_was)
{
	g_autoptr(World) w = world_new("== a\n" DAEMON "== b\n" DAEMON "[Conditions]\nAfter=a\n");
	double before;

	know(w, "a 0 10000000+10000000\nb 0 10000000+0");
	world_started(w, "a");
	for (unsigned i = 0; i < 5; i++) {
		world_advance_s(w, 3);
		before = fraction(w);
		world_crash(w);
		know(w, "a 0 10000000+10000000\nb 0 10000000+0");

		ck_assert_double_ge(fraction(w), before);
		ck_assert_double_eq_tol(fraction(w), before, 1e-8);
	}
	expect_rest_s(w, 12.5);
}
END_TEST

START_TEST(it_is_as_smooth_with_very_many_services_in_motion)
{
	enum { N = 500 };
	g_autoptr(GString) files = g_string_new(NULL);
	g_autoptr(World) w = NULL;
	double before = 0;

	for (unsigned i = 0; i < N; i++)
		g_string_append_printf(files, "%s== s%u\n" DAEMON, i ? "\n" : "", i);
	w = world_new(files->str);
	know(w, "s0 0 5000000+0");
	for (unsigned i = 0; i < N; i++) {
		g_autofree char *name = g_strdup_printf("s%u", N - 1 - i);

		world_advance(w, 10 * 1000);
		ck_assert_double_gt(fraction(w), before);
		ck_assert_double_eq_tol(fraction(w), i / (double)N, 0.07);
		before = fraction(w);
		world_ready(w, name);
	}
	ck_assert_double_eq(fraction(w), 1.0);
}
END_TEST

START_TEST(a_note_with_nonsense_does_no_harm)
{
	static const char *const notes[] = {
		"v=1 h=999999999 t=-5 a=zzzzzzzzzzzz e=zzzzzzzzzzzz x=-1 b=9223372036854775807",
		"v=1 h= t= a= e= x= b=-9223372036854775808", "v=1 h=x t=y a=! e=! x=!"
	};
	g_autoptr(World) w = world_new(DAEMON);

	ck_assert(boot_recover_global(world_engine(w), notes[_i], world_now(w)));
	know(w, "it 0 1000000+0");
	world_advance_s(w, 1);
	ck_assert_double_ge(fraction(w), 0);
	ck_assert_double_le(fraction(w), 1);
}
END_TEST

/* --- learning --- */

static void expect_learnt(World *w, const char *expected)
{
	g_autofree char *text = durations_format(progress_durations(world_engine(w)));

	ck_assert_str_eq(text, expected);
}

START_TEST(a_finished_boot_is_learnt_from)
{
	g_autoptr(World) w = world_new(
		"== a\n" DAEMON "== b\n[Service]\nType=task\nExec=/bin/t\n[Conditions]\nAfter=a\n"
		"== bad\n" DAEMON "Restart=no\n== held\n" DAEMON
		"[Conditions]\nWhen=path:/absent\n");

	know(w, "a 0 7000000+0");
	world_advance_s(w, 1);
	world_ready(w, "a");
	world_advance_s(w, 2);
	world_start_fails(w, "bad", "no hardware");
	world_gone(w, "bad");
	world_advance_s(w, 1);
	world_dies(w, "b", 0);
	ck_assert(is_finished(w));

	/* The failed service has delayed the boot, too. "held" never started. */
	expect_learnt(
		w, "svcd-durations 1\nboot 4000000 7000000\nservice a 0 7000000+0 1000000+3000000\n"
		   "service b 0 3000000+0\nservice bad 0 3000000+1000000\nend\n");

	/* Later starts do not belong to the boot. */
	world_advance_s(w, 50);
	world_set(w, "path:/absent", true);
	world_ready(w, "held");
	ck_assert_double_eq(fraction(w), 1.0);
	expect_learnt(
		w, "svcd-durations 1\nboot 4000000 7000000\nservice a 0 7000000+0 1000000+3000000\n"
		   "service b 0 3000000+0\nservice bad 0 3000000+1000000\nend\n");
}
END_TEST

START_TEST(a_boot_that_ends_in_a_shutdown_teaches_nothing)
{
	g_autoptr(World) w = world_new(DAEMON);

	world_runlevel(w, "0");
	world_settle(w);
	ck_assert(engine_is_stopped(world_engine(w)));

	expect_learnt(w, "svcd-durations 1\nend\n");
}
END_TEST

/* --- ten boots in a row --- */

enum { BOOTS = 10, POINTS = 9, SAMPLE_US = 10000 };

/* A service of the series, with its usual time in ms. */
typedef struct Planned {
	const char *name;
	unsigned usual_ms;
	const char *conditions;
	unsigned first_boot; /* exists from this boot on ... */
	unsigned end_boot; /* ... and before this one */
} Planned;

static const Planned planned[] = {
	{ "fsck", 900, "", 1, 99 },
	{ "mounts", 150, "After=fsck\n", 1, 99 },
	{ "udev", 400, "", 1, 99 },
	{ "bus", 120, "After=mounts\n", 1, 99 },
	{ "syslog", 80, "After=mounts\n", 1, 99 },
	{ "network", 2600, "When=service:bus\n", 1, 99 },
	{ "ssh", 300, "After=network\n", 1, 99 },
	{ "printer", 1200, "When=service:bus\nAfter=udev\n", 1, 5 }, /* until the fourth boot */
	{ "display", 1500, "When=service:bus\nAfter=udev\n", 1, 99 },
	{ "sound", 700, "When=service:bus\nAfter=udev\n", 1, 99 },
	{ "cron", 30, "After=syslog\n", 1, 99 },
	{ "backup", 2000, "After=ssh\n", 7, 99 }, /* installed before the seventh */
};

/* The sixth boot checks the disk. */
#define OUTLIER_BOOT 6
#define OUTLIER_MS 8000

typedef struct Series {
	uint32_t seed; /* for the durations of a boot; the same for all estimates */
	int64_t took_us[G_N_ELEMENTS(planned)];
} Series;

/*
 * The usual time, plus or minus 30 %, from our own generator, so that the figures are the same on
 * each machine.
 */
static void draw_boot(Series *series, unsigned boot)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(planned); i++) {
		double share;

		series->seed = series->seed * 1664525u + 1013904223u;
		share = 0.7 + 0.6 * (series->seed >> 8) / (double)(1u << 24);
		series->took_us[i] = (int64_t)(planned[i].usual_ms * 1000 * share);
	}
	if (boot == OUTLIER_BOOT)
		series->took_us[0] = OUTLIER_MS * 1000;
}

static char *files_of_boot(unsigned boot)
{
	GString *files = g_string_new(NULL);

	for (unsigned i = 0; i < G_N_ELEMENTS(planned); i++) {
		if (boot >= planned[i].first_boot && boot < planned[i].end_boot)
			g_string_append_printf(files, "%s== %s\n" DAEMON "[Conditions]\n%s",
					       i ? "\n" : "", planned[i].name,
					       planned[i].conditions);
	}
	return g_string_free(files, FALSE);
}

/* The services with expired times become ready. */
static void let_services_work(World *w, const Series *series)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(planned); i++) {
		const Service *s = engine_find(world_engine(w), planned[i].name);

		if (s && s->state == STATE_STARTING &&
		    world_now(w) - s->started_us >= series->took_us[i])
			world_ready(w, planned[i].name);
	}
}

typedef struct Sample {
	int64_t at_us; /* since the boot */
	int64_t rest_us;
	double fraction;
} Sample;

/*
 * The mean error of the estimate at a tenth, two tenths, ... of the boot, as a share of the boot.
 */
typedef struct BootError {
	double at[POINTS];
	double mean;
	double bar; /* the mean error of the bar, compared with a bar that moves evenly */
	double seconds;
} BootError;

static BootError judge(const GArray *samples)
{
	const int64_t took_us = g_array_index(samples, Sample, samples->len - 1).at_us;
	BootError error = { .seconds = (double)took_us / (double)S };

	for (unsigned point = 0; point < POINTS; point++) {
		const Sample *sample =
			&g_array_index(samples, Sample, samples->len * (point + 1) / (POINTS + 1));
		const double share = (double)sample->at_us / (double)took_us;

		error.at[point] =
			fabs((double)(took_us - sample->at_us - sample->rest_us)) / (double)took_us;
		error.mean += error.at[point] / POINTS;
		error.bar += fabs(sample->fraction - share) / POINTS;
	}
	return error;
}

/* *@known: the durations of earlier boots, or NULL for none; replaced by those after this boot. */
static BootError play_boot(const Series *series, unsigned boot, Durations **known)
{
	g_autofree char *files = files_of_boot(boot);
	g_autoptr(World) w = world_new(files);
	g_autoptr(GArray) samples = g_array_new(FALSE, FALSE, sizeof(Sample));
	const int64_t begun_us = world_now(w);
	g_autofree char *learnt = NULL;

	if (*known)
		progress_know(world_engine(w), g_steal_pointer(known), begun_us);
	for (;;) {
		const Sample sample = { world_now(w) - begun_us,
					progress_rest(world_engine(w), world_now(w)), fraction(w) };

		if (samples->len > 0)
			ck_assert_double_ge(
				sample.fraction,
				g_array_index(samples, Sample, samples->len - 1).fraction);
		g_array_append_val(samples, sample);
		if (is_finished(w))
			break;
		ck_assert_double_lt(sample.fraction, 1);
		world_advance(w, SAMPLE_US);
		let_services_work(w, series);
	}
	learnt = durations_format(progress_durations(world_engine(w)));
	*known = durations_parse(learnt, strlen(learnt), NULL);
	ck_assert_ptr_nonnull(*known);
	return judge(samples);
}

static void print_errors(unsigned boot, const char *how, const BootError *error)
{
	printf("boot %2u, %5.2f s, %s: estimate wrong by", boot, error->seconds, how);
	for (unsigned point = 0; point < POINTS; point++)
		printf(" %3.0f", error->at[point] * 100);
	printf("  mean %5.1f %%, bar %5.1f %%\n", error->mean * 100, error->bar * 100);
}

/* Means over the boots of a series. */
typedef struct SeriesError {
	double first; /* the first boot, without known durations */
	double later; /* the boots after the third, with surprises */
	double later_bar;
	double counted; /* the same error, if services are counted */
	double counted_bar;
} SeriesError;

static void add_boot(SeriesError *sum, unsigned boot, const BootError *learned,
		     const BootError *counted)
{
	if (boot == 1) {
		sum->first = learned->mean;
		ck_assert_double_eq_tol(learned->mean, counted->mean, 1e-9);
	}
	if (boot <= 3)
		return;
	sum->later += learned->mean / (BOOTS - 3);
	sum->later_bar += learned->bar / (BOOTS - 3);
	sum->counted += counted->mean / (BOOTS - 3);
	sum->counted_bar += counted->bar / (BOOTS - 3);
}

static SeriesError play_series(uint32_t seed)
{
	Series series = { .seed = seed };
	g_autoptr(Durations) known = durations_new();
	SeriesError sum = { 0 };

	printf("seed %u; the estimate in percent of the boot, at 10 %% to 90 %% of it\n", seed);
	for (unsigned boot = 1; boot <= BOOTS; boot++) {
		g_autoptr(Durations) nothing = NULL;
		BootError learned;
		BootError counted;

		draw_boot(&series, boot);
		learned = play_boot(&series, boot, &known);
		counted = play_boot(&series, boot, &nothing);
		print_errors(boot, "learned", &learned);
		print_errors(boot, "counted", &counted);
		add_boot(&sum, boot, &learned, &counted);
	}
	printf("after boot 3: estimate %.1f %% (counting %.1f %%, first boot %.1f %%), bar %.1f "
	       "%% (counting %.1f %%)\n",
	       sum.later * 100, sum.counted * 100, sum.first * 100, sum.later_bar * 100,
	       sum.counted_bar * 100);
	return sum;
}

START_TEST(ten_boots_teach_what_the_next_one_takes)
{
	static const uint32_t seeds[] = { 1, 20, 300, 4000, 50000 };
	double first = 0;
	double later = 0;

	for (unsigned i = 0; i < G_N_ELEMENTS(seeds); i++) {
		const SeriesError sum = play_series(seeds[i]);

		ck_assert_double_lt(sum.later, sum.counted / 2);
		ck_assert_double_lt(sum.later_bar, sum.counted_bar);
		first += sum.first / G_N_ELEMENTS(seeds);
		later += sum.later / G_N_ELEMENTS(seeds);
	}
	printf("all seeds: first boot %.1f %%, after boot 3 %.1f %%\n", first * 100, later * 100);
	ck_assert_double_lt(later, first);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("progress");

	ADD_CASE(suite, "counting", the_first_boot_is_counted, counting_moves_too_while_time_passes,
		 the_one_that_starts_for_longest_is_named);
	suite_add_loop(suite, "knowing", the_remaining_time_is_that_of_the_start_and_its_successors,
		       G_N_ELEMENTS(rests));
	suite_add_loop(suite, "knowing", a_note_with_nonsense_does_no_harm, 3);
	ADD_CASE(suite, "knowing", it_moves_evenly_to_the_end_that_is_expected,
		 the_longest_remaining_time_of_all_services_in_motion_is_used,
		 a_back_off_is_waited_for, a_start_that_reached_its_limit_is_a_result,
		 the_boot_is_over_when_all_that_is_left_fails_again_and_again,
		 it_never_goes_back_and_never_stands_still, a_quick_boot_is_caught_up_with,
		 durations_that_are_read_later_are_used_from_then_on,
		 another_manager_draws_on_where_the_bar_was,
		 it_is_as_smooth_with_very_many_services_in_motion);
	ADD_CASE(suite, "learning", a_finished_boot_is_learnt_from,
		 a_boot_that_ends_in_a_shutdown_teaches_nothing);
	ADD_CASE(suite, "series", ten_boots_teach_what_the_next_one_takes);
	return suite;
}
