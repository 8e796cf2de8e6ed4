/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Boot plot: an SVG image that is well-formed XML and contains the samples of the load.
 */
#include "config.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "svcctl/boot-plot.h"
#include "svcctl/boot-samples.h"
#include "tests/lib/suite.h"
#include "tests/lib/tree.h"

static char *plot(const char *record)
{
	g_autoptr(JsonParser) parser = json_parser_new();
	g_autoptr(SavedBoot) boot = NULL;

	ck_assert(json_parser_load_from_data(parser, record, -1, NULL));
	boot = saved_boot_new(json_object_ref(json_node_get_object(json_parser_get_root(parser))),
			      12, NULL);
	ck_assert_ptr_nonnull(boot);
	return boot_plot(boot);
}

/* GMarkup checks that elements are closed and text is escaped. */
static void expect_well_formed(const char *svg)
{
	const GMarkupParser nothing = { NULL };
	g_autoptr(GMarkupParseContext)
		context = g_markup_parse_context_new(&nothing, 0, NULL, NULL);
	g_autoptr(GError) error = NULL;

	ck_assert_msg(g_markup_parse_context_parse(context, svg, -1, &error) &&
			      g_markup_parse_context_end_parse(context, &error),
		      "%s", error ? error->message : "");
}

static void expect_part(const char *svg, const char *part)
{
	if (!strstr(svg, part))
		fprintf(stderr, "%s", svg); /* too long for a Check message */
	ck_assert_msg(strstr(svg, part) != NULL, "it has no %s", part);
}

static const char record[] =
	"{\"processors\":2,\"kernel_us\":500000,\"svcd_us\":10000000,"
	"\"finished_at\":\"2026-11-28T05:20:01Z\","
	"\"samples\":[\"5000000 1000 250\",\"10000000 500 0\",\"broken\",7],"
	"\"login_screen\":{\"service\":\"gdm3\",\"shown_us\":9000000,\"needs\":[\"dbus\"]},"
	"\"services\":[{\"name\":\"dbus\",\"wanted_us\":1,\"started_us\":1000000,"
	"\"over_us\":2000000,\"result\":\"up\",\"cpu_us\":400000},"
	"{\"name\":\"gdm3\",\"wanted_us\":1,\"started_us\":2000000,\"over_us\":6000000,"
	"\"result\":\"up\",\"waited_for\":\"service:dbus\",\"waited_for_service\":\"dbus\"},"
	"{\"name\":\"bad\",\"wanted_us\":1,\"started_us\":1,\"over_us\":2,\"result\":\"failed\","
	"\"waited_for\":\"path:/a<b>&\\\"c\\\"\"},"
	"{\"name\":\"held\",\"wanted_us\":1,\"result\":\"none\"}]}";

START_TEST(the_chart_has_bars_titles_and_the_ideal)
{
	g_autofree char *svg = plot(record);

	expect_well_formed(svg);
	ck_assert(g_str_has_prefix(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" "));
	expect_part(svg, "Boot 12, 2026-11-28T05:20:01Z: 10.5 s, of which 500 ms before PID 1");
	expect_part(svg, "All services: 10.0 s, 2.00 times the ideal 5.0 s<");
	expect_part(svg, "Login screen (gdm3): 9.0 s, 1.80 times the ideal 5.0 s<");
	expect_part(svg, "<title>gdm3: waited 1.9 s for service:dbus, started at 2.0 s, took 4.0 s "
			 "(up), CPU 0 ms</title>");
	expect_part(svg, "path:/a&lt;b&gt;&amp;&quot;c&quot;");
	expect_part(svg, "<title>held: not started; waited 9.9 s</title>");
	/* dbus starts at a tenth of the axis and takes another tenth; gdm3 ends the chain. */
	expect_part(svg,
		    "<rect x=\"1260\" y=\"2220\" width=\"1060\" height=\"120\" class=\"chain\"/>");
	expect_part(svg,
		    "<rect x=\"2320\" y=\"2380\" width=\"4240\" height=\"120\" class=\"chain\"/>");
	expect_part(svg, "class=\"failed\"/>");
	/* the load: 100 % until the middle, then 50 % */
	expect_part(svg, "<polygon points=\"200,1900 200,1000 5500,1000 5500,1450 10800,1450 "
			 "10800,1900\" class=\"cpu\"/>");
	/* The image needs no other file and runs no script. */
	ck_assert(strstr(svg, "href") == NULL && strstr(svg, "<script") == NULL);
}
END_TEST

START_TEST(an_empty_record_gives_a_chart_without_bars)
{
	g_autofree char *svg = plot("{\"services\":[]}");

	expect_well_formed(svg);
	ck_assert(strstr(svg, "class=\"chain\"") == NULL);
}
END_TEST

/* --- samples --- */

#define STAT "cpu  %d 0 100 %d 50 0 0 0 0 0\ncpu0 1 2 3\n"
#define DISKS                                                       \
	"   8       0 sda 10 0 %d 5 7 0 16 9 0 %d 50 0 0 0 0 0 0\n" \
	"   8       1 sda1 10 0 999 5 7 0 99 9 0 900 50\n"          \
	" 253       0 dm-0 10 0 999 5 7 0 99 9 0 900 50\n"          \
	" 259       0 nvme0n1 1 0 8 5 7 0 0 9 0 3 50\n"             \
	" 259       1 nvme0n1p1 1 0 999 5 7 0 99 9 0 900 50\n"

static BootSample take(const Tree *tree, int user, int idle, int sectors, int busy_ms,
		       int64_t at_us)
{
	g_autofree char *stat = g_strdup_printf(STAT, user, idle);
	g_autofree char *disks = g_strdup_printf(DISKS, sectors, busy_ms);

	tree_write(tree, "/stat", stat);
	tree_write(tree, "/diskstats", disks);
	return boot_sample_take(tree->root, at_us);
}

START_TEST(a_sample_counts_processors_and_disks_without_partitions)
{
	g_autoptr(Tree) tree = tree_new();
	const BootSample from = take(tree, 0, 0, 100, 40, 1000000);
	const BootSample to = take(tree, 30, 70, 300, 540, 2000000);

	ck_assert_int_eq(from.read_bytes, 108 * 512);
	ck_assert_int_eq(to.read_bytes, 308 * 512);
	ck_assert_int_eq(to.written_bytes, 16 * 512);
	ck_assert_int_eq(boot_sample_processors(&from, &to), 300);
	ck_assert_int_eq(boot_sample_disk(&from, &to), 500);
}
END_TEST

START_TEST(a_long_boot_has_fewer_samples_a_second)
{
	g_autoptr(BootSamples) samples = boot_samples_new();
	const int64_t interval_us = samples->interval_us;

	for (int i = 0; i < 3 * BOOT_SAMPLES_MAX; i++)
		boot_samples_add(samples, (BootSample){ .at_us = i * interval_us });
	ck_assert_uint_le(samples->all->len, BOOT_SAMPLES_MAX);
	ck_assert_int_eq(samples->interval_us, 4 * interval_us);
	for (guint i = 1; i < samples->all->len; i++)
		ck_assert_int_ge(g_array_index(samples->all, BootSample, i).at_us -
					 g_array_index(samples->all, BootSample, i - 1).at_us,
				 2 * interval_us);
	ck_assert_int_eq(g_array_index(samples->all, BootSample, 0).at_us, 0);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("boot_plot");

	ADD_CASE(suite, "chart", the_chart_has_bars_titles_and_the_ideal,
		 an_empty_record_gives_a_chart_without_bars);
	ADD_CASE(suite, "samples", a_sample_counts_processors_and_disks_without_partitions,
		 a_long_boot_has_fewer_samples_a_second);
	return suite;
}
