/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Boot wait: names the first-started of the services that delay the end of the boot, because the
 * others usually wait for it.
 */
#include "config.h"

#include "svcctl/boot-wait.h"

#include <string.h>

#include "base/text.h"

/* Further names are only counted. */
enum { WAITING_NAMED = 3 };

/* The indentation of a sentence's continuation lines. */
enum { CONTINUED = 4 };

char *boot_wait_progress(GVariant *boot)
{
	const int64_t rest_us = (int64_t)record_number(boot, "EstimatedRemaining");
	/* The estimate is not exact to tenths of a second. */
	g_autofree char *rest =
		text_format_duration((rest_us / G_USEC_PER_SEC + 1) * G_USEC_PER_SEC);
	double fraction = 0;

	(void)g_variant_lookup(boot, "Progress", "d", &fraction);
	if (rest_us == 0)
		return g_strdup_printf("%u of %u services up",
				       (unsigned)record_number(boot, "Ready"),
				       (unsigned)record_number(boot, "Total"));
	return g_strdup_printf("%d %% done, about %s left", (int)(fraction * 100), rest);
}

static bool is_in_state(GVariant *service, const char *state)
{
	return strcmp(record_text(service, "State"), state) == 0;
}

/* Is the service starting, or waiting for an external event with a time limit? */
static bool holds_up(GVariant *service)
{
	if (!record_number(service, "Wanted") || record_number(service, "Settled"))
		return false;
	return is_in_state(service, "starting") ||
	       (is_in_state(service, "waiting") && record_number(service, "WaitUntil"));
}

/* @ret_n: the number of services that delay the boot. */
static GVariant *find_first(const GPtrArray *services, unsigned *ret_n)
{
	GVariant *first = NULL;

	*ret_n = 0;
	for (guint i = 0; i < services->len; i++) {
		GVariant *service = g_ptr_array_index(services, i);

		if (!holds_up(service))
			continue;
		*ret_n += 1;
		if (!first || record_number(service, "Since") < record_number(first, "Since"))
			first = service;
	}
	return first;
}

/*
 * "; ssh, nginx and 3 more wait for it": the unsettled services, which wait for the only service
 * that delays the boot. A new string.
 */
static char *list_waiting(const GPtrArray *services)
{
	g_autoptr(GString) text = g_string_new(NULL);
	unsigned n = 0;

	for (guint i = 0; i < services->len; i++) {
		GVariant *service = g_ptr_array_index(services, i);

		if (is_in_state(service, "waiting") && !record_number(service, "Settled") &&
		    !holds_up(service) && n++ < WAITING_NAMED)
			g_string_append_printf(text, "%s%s", n > 1 ? ", " : "; ",
					       record_text(service, "Name"));
	}
	if (n > WAITING_NAMED)
		g_string_append_printf(text, " and %u more", n - WAITING_NAMED);
	if (n > 0)
		g_string_append_printf(text, " wait%s for it", n == 1 ? "s" : "");
	return g_string_free(g_steal_pointer(&text), FALSE);
}

/* "starting for 3 s, at most 57 s more"; a new string. */
static char *describe_state(const Output *output, GVariant *service)
{
	const int64_t since_us = (int64_t)record_number(service, "Since");
	const int64_t limit_us = (int64_t)record_number(service, "StartLimit");
	const bool is_starting = is_in_state(service, "starting");
	const int64_t until_us = is_starting ? since_us + limit_us :
					       (int64_t)record_number(service, "WaitUntil");
	g_autofree char *elapsed = text_format_duration(MAX(output->now_us - since_us, 0));
	g_autofree char *left = text_format_duration(MAX(until_us - output->now_us, 0));
	const bool is_limited = !is_starting || (limit_us > 0 && limit_us < 365 * G_TIME_SPAN_DAY);

	return g_strdup_printf("%s for %s%s%s%s", record_text(service, "State"), elapsed,
			       is_limited ? ", at most " : "", is_limited ? left : "",
			       is_limited ? " more" : "");
}

bool boot_wait_print(Context *context, GError **error)
{
	Output *output = &context->output;
	g_autoptr(GPtrArray) services = get_services_with(
		context, "Name Description State Since StartLimit WaitUntil Wanted Settled", error);
	unsigned n = 0;
	GVariant *first = services ? find_first(services, &n) : NULL;
	g_autofree char *state = NULL;
	g_autofree char *waiting = NULL;
	g_autofree char *text = NULL;
	g_autofree char *command = NULL;

	if (!first)
		return services != NULL;
	state = describe_state(output, first);
	waiting = n == 1 ? list_waiting(services) : g_strdup("");
	text = g_strdup_printf("  Waiting for %s (%s): %s%s", record_text(first, "Name"),
			       record_text(first, "Description"), state, waiting);
	command = g_strdup_printf("  To go on without it: svcctl stop %s",
				  record_text(first, "Name"));
	output_paragraph(output, CONTINUED, text);
	output_paragraph(output, CONTINUED, command);
	return true;
}
