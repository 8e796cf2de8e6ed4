/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Boot plot: coordinates are integers, tenths of a pixel, because printf() uses the decimal comma
 * of some locales.
 */
#include "config.h"

#include "svcctl/boot-plot.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum {
	WIDTH = 11000,
	LEFT = 200, /* x of the time axis; also its distance from the right edge */
	HEADER = 1000, /* title and summary */
	LOAD = 900, /* height of the chart of the load */
	AXIS = 250, /* labels of the axis */
	ROW = 160,
	BAR = 120,
	LETTER = 62, /* the approximate width of a letter */
};

static const char style[] =
	"text{font:100px sans-serif;fill:#000}.title{font-size:150px;font-weight:bold}"
	".grid{stroke:#ccc;stroke-width:5}.wait{fill:#fff;stroke:#999;stroke-width:8}"
	".start{fill:#9bd}.chain{fill:#258}.failed{fill:#c33}"
	".cpu{fill:#e9c46a;stroke:#a80;stroke-width:6}.disk{fill:none;stroke:#063;stroke-width:12}"
	".ideal{stroke:#c33;stroke-width:12;stroke-dasharray:60 40}"
	".login{stroke:#063;stroke-width:12}.frame{fill:none;stroke:#000;stroke-width:6}";

typedef struct Plot {
	const SavedBoot *boot;
	GString *out;
	int64_t span_us; /* the time axis */
	int rows_top;
	int height;
} Plot;

static int x_of(const Plot *p, int64_t at_us)
{
	return LEFT + (int)(CLAMP(at_us, 0, p->span_us) * (WIDTH - 2 * LEFT) / p->span_us);
}

static void text_at(const Plot *p, int x, int y, const char *class, const char *text)
{
	g_autofree char *escaped = g_markup_escape_text(text, -1);

	g_string_append_printf(p->out, "<text x=\"%d\" y=\"%d\" class=\"%s\">%s</text>\n", x, y,
			       class, escaped);
}

static void line_at(const Plot *p, int64_t at_us, const char *class, const char *title)
{
	const int x = x_of(p, at_us);
	g_autofree char *escaped = g_markup_escape_text(title, -1);

	g_string_append_printf(p->out,
			       "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" class=\"%s\">"
			       "<title>%s</title></line>\n",
			       x, HEADER, x, p->height - AXIS, class, escaped);
}

/* --- the header --- */

static void add_bound(const Plot *p, bool is_login, int y)
{
	g_autofree char *text = NULL;
	g_autofree char *line = NULL;
	BootBound bound;

	if (!saved_boot_bound(p->boot, is_login, &bound))
		return;
	text = boot_bound_text(&bound);
	line = is_login ?
		       g_strdup_printf("Login screen (%s): %s",
				       saved_boot_text(p->boot, "login_screen", "service"), text) :
		       g_strdup_printf("All services: %s", text);
	text_at(p, LEFT, y, "", line);
}

static void add_header(const Plot *p)
{
	const int64_t svcd_us = saved_boot_int(p->boot, NULL, "svcd_us");
	const int64_t total_us = saved_boot_total(p->boot);
	g_autofree char *total = text_format_duration(total_us);
	g_autofree char *before = text_format_duration(total_us - svcd_us);
	g_autofree char *title =
		g_strdup_printf("Boot %u, %s: %s, of which %s before PID 1", p->boot->number,
				saved_boot_text(p->boot, NULL, "finished_at"), total, before);

	text_at(p, LEFT, 230, "title", title);
	add_bound(p, false, 420);
	add_bound(p, true, 560);
	text_at(p, LEFT, 720, "",
		"White: waiting. Light: starting. Dark: the chain that the boot waited for. Red: "
		"failed. Dashed: end of the ideal boot. Green line: login screen.");
	text_at(p, LEFT, 860, "", "Load of processors (area) and of the busiest disk (line):");
}

/* --- the axis --- */

/* The interval between the axis lines, so that there are 5 to 15 lines. */
static int64_t tick_us(int64_t span_us)
{
	int64_t tick = 10 * G_TIME_SPAN_MILLISECOND;

	for (;;) {
		static const int factors[] = { 2, 5, 10 };

		for (size_t i = 0; i < G_N_ELEMENTS(factors); i++) {
			if (span_us / tick <= 15)
				return tick;
			tick = tick / (i == 0 ? 1 : factors[i - 1]) * factors[i];
		}
	}
}

static void add_axis(const Plot *p)
{
	const int64_t tick = tick_us(p->span_us);

	for (int64_t at_us = 0; at_us <= p->span_us; at_us += tick) {
		g_autofree char *label = at_us == 0 ? g_strdup("0 s") : text_format_duration(at_us);

		line_at(p, at_us, "grid", label);
		text_at(p, x_of(p, at_us), p->height - AXIS + 130, "", label);
	}
}

/* --- the load --- */

static int load_y(int permille)
{
	return HEADER + LOAD - CLAMP(permille, 0, 1000) * LOAD / 1000;
}

static void add_load(const Plot *p)
{
	g_auto(GStrv) samples = saved_boot_strings(p->boot->object, "samples");
	g_autoptr(GString) cpu = g_string_new(NULL);
	g_autoptr(GString) disk = g_string_new(NULL);
	int last_x = LEFT;

	for (size_t i = 0; samples[i]; i++) {
		long long at_us;
		int busy;
		int disk_busy;

		if (sscanf(samples[i], "%lld %d %d", &at_us, &busy, &disk_busy) != 3 ||
		    at_us > p->span_us)
			continue;
		/* Steps: a sample is the mean of the time since the one before it. */
		g_string_append_printf(cpu, "%d,%d %d,%d ", last_x, load_y(busy), x_of(p, at_us),
				       load_y(busy));
		g_string_append_printf(disk, "%d,%d %d,%d ", last_x, load_y(disk_busy),
				       x_of(p, at_us), load_y(disk_busy));
		last_x = x_of(p, at_us);
	}
	g_string_append_printf(
		p->out,
		"<polygon points=\"%d,%d %s%d,%d\" class=\"cpu\"/>\n"
		"<polyline points=\"%s\" class=\"disk\"/>\n"
		"<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" class=\"frame\"/>\n",
		LEFT, HEADER + LOAD, cpu->str, last_x, HEADER + LOAD, disk->str, LEFT, HEADER,
		WIDTH - 2 * LEFT, LOAD);
}

/* --- services --- */

static char *describe(const Plot *p, const BootTime *time)
{
	g_autofree char *waited = text_format_duration(boot_time_waited(time, p->span_us));
	g_autofree char *at = text_format_duration(time->started_us);
	g_autofree char *own = text_format_duration(boot_time_own(time, p->span_us));
	g_autofree char *cpu =
		text_format_duration(saved_boot_of_service(p->boot, time->name, "cpu_us"));

	if (time->started_us == 0)
		return g_strdup_printf("%s: not started; waited %s", time->name, waited);
	return g_strdup_printf("%s: waited %s%s%s, started at %s, took %s (%s), CPU %s", time->name,
			       waited, *time->last ? " for " : "", time->last, at, own,
			       time->result, cpu);
}

static void add_rect(const Plot *p, int64_t from_us, int64_t to_us, int y, const char *class)
{
	const int x = x_of(p, from_us);

	g_string_append_printf(
		p->out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" class=\"%s\"/>\n", x, y,
		MAX(x_of(p, to_us) - x, 10), (int)BAR, class);
}

static void add_service(const Plot *p, const BootTime *time, int y, bool is_in_chain)
{
	g_autofree char *title = describe(p, time);
	g_autofree char *escaped = g_markup_escape_text(title, -1);
	g_autofree char *own = text_format_duration(boot_time_own(time, p->span_us));
	g_autofree char *label = time->started_us > 0 ? g_strdup_printf("%s %s", time->name, own) :
							g_strdup_printf("%s (waiting)", time->name);
	const int64_t until_us = time->started_us > 0 ? time->started_us : p->span_us;
	const int64_t end_us = time->over_us > 0 ? time->over_us : p->span_us;
	const int room = (int)strlen(label) * LETTER;
	int x = x_of(p, time->started_us > 0 ? end_us : time->wanted_us) + 40;

	g_string_append_printf(p->out, "<g><title>%s</title>\n", escaped);
	add_rect(p, time->wanted_us, until_us, y, "wait");
	if (time->started_us > 0)
		add_rect(p, time->started_us, end_us, y,
			 strcmp(time->result, "failed") == 0 ? "failed" :
			 is_in_chain                         ? "chain" :
							       "start");
	if (x + room > WIDTH) /* to the left of the start, over the wait's bar */
		x = MAX(x_of(p, until_us) - room, 0);
	text_at(p, x, y + BAR - 20, "", label);
	g_string_append(p->out, "</g>\n");
}

static gint by_start(gconstpointer a, gconstpointer b)
{
	const BootTime *left = *(const BootTime *const *)a;
	const BootTime *right = *(const BootTime *const *)b;
	/* Services that have not started come last. */
	const int64_t l = left->started_us > 0 ? left->started_us : G_MAXINT64;
	const int64_t r = right->started_us > 0 ? right->started_us : G_MAXINT64;

	return l != r ? (l < r ? -1 : 1) : strcmp(left->name, right->name);
}

static void add_marks(const Plot *p)
{
	const int64_t shown_us = saved_boot_int(p->boot, "login_screen", "shown_us");
	BootBound bound;

	if (saved_boot_bound(p->boot, false, &bound))
		line_at(p, bound.bound_us, "ideal", "end of the ideal boot");
	if (shown_us > 0)
		line_at(p, shown_us, "login", "login screen shown");
}

char *boot_plot(const SavedBoot *boot)
{
	const BootTimes *times = boot->times;
	g_autoptr(GPtrArray) sorted = boot_times_by_own(times, 0);
	g_autoptr(GPtrArray) chain = boot_times_chain(times, boot_times_last(times));
	g_autoptr(GString) out = g_string_new(NULL);
	Plot p = { .boot = boot, .out = out, .rows_top = HEADER + LOAD + ROW };

	p.span_us = MAX(MAX(saved_boot_int(boot, NULL, "svcd_us"),
			    saved_boot_int(boot, "login_screen", "shown_us")),
			G_TIME_SPAN_MILLISECOND);
	p.height = p.rows_top + (int)sorted->len * ROW + AXIS;
	g_ptr_array_sort(sorted, by_start);
	g_string_append_printf(out,
			       "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
			       "width=\"%d\" height=\"%d\">\n<style>%s</style>\n"
			       "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
			       (int)WIDTH, p.height, WIDTH / 10, p.height / 10, style);
	add_header(&p);
	add_axis(&p);
	add_load(&p);
	for (guint i = 0; i < sorted->len; i++) {
		const BootTime *time = g_ptr_array_index(sorted, i);

		add_service(&p, time, p.rows_top + (int)i * ROW,
			    g_ptr_array_find(chain, time, NULL));
	}
	add_marks(&p);
	g_string_append(out, "</svg>\n");
	return g_string_free(g_steal_pointer(&out), FALSE);
}
