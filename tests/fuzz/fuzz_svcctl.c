/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: any arguments as svcctl's command line. Its options are removed, or one of them is
 * named as the error. Nothing is lost, and a verb that only reads files works in an empty tree.
 *
 * Each line of the input is an argument.
 */
#include "config.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "svcctl/arguments.h"
#include "svcctl/svcctl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* With options of each kind. */
static const Verb verbs[] = {
	{ "list", "[PATTERN...]", "", "all state unmanaged columns no-header", 0, 10, NULL, "" },
	{ "start", "NAME...", "", "wait no-wait progress all-matching", 1, 10, NULL, "" },
	{ "policy", "[NAME]", "", "root runlevel all columns dry-run sysv none", 0, 2, NULL, "" },
	{ "reboot", "", "", "", 0, 0, NULL, "" },
};

static void count_option(void *data, const char *name, const char *help, bool takes_value)
{
	unsigned *n = data;

	(void)takes_value;
	g_assert(*name && *help);
	(*n)++;
}

static void check_tokens(const GPtrArray *arguments, int argc, char **argv)
{
	int i = 1;

	/* All other arguments are there, in their order. */
	for (guint n = 0; n < arguments->len; n++) {
		while (i < argc && argv[i] != g_ptr_array_index(arguments, n))
			i++;
		g_assert(i < argc);
		i++;
	}
}

static void check_error(const GError *error)
{
	g_assert(error && *error->message && error->message[strlen(error->message) - 1] != '\n');
}

static void parse(int argc, char **argv)
{
	g_autoptr(GPtrArray) arguments = g_ptr_array_new();
	g_autoptr(GError) error = NULL;
	g_autoptr(GError) apply_error = NULL;
	Options options = { 0 };
	Output output;
	int64_t timeout_us = -1;
	const bool done = arguments_parse(&options, argc, argv, arguments, &error);

	if (done)
		check_tokens(arguments, argc, argv);
	else
		check_error(error);
	output_init(&output);
	if (arguments_apply(&options, &output, &timeout_us, &apply_error))
		g_assert(timeout_us > 0);
	else
		check_error(apply_error);
	for (size_t i = 0; done && i < G_N_ELEMENTS(verbs); i++) {
		g_autoptr(GError) check = NULL;

		if (!arguments_check(&options, &verbs[i], &check))
			check_error(check);
	}
	output_clear(&output);
}

static void look_at_token(const char *token)
{
	const char *awaiting = arguments_awaiting(token);
	unsigned n = 0;
	int64_t us;
	uint64_t number;
	int signo;

	g_assert(!awaiting || *awaiting);
	arguments_foreach_option(&verbs[strlen(token) % G_N_ELEMENTS(verbs)], count_option, &n);
	(void)text_parse_duration(token, &us);
	(void)text_parse_uint(token, 10, 100, &number);
	(void)text_parse_signal(token, &signo);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup((const char *)data, size);
	g_autofree char *line = g_strconcat("svcctl\n", text, NULL);
	g_auto(GStrv) argv = g_strsplit(line, "\n", 200);

	parse((int)g_strv_length(argv), argv);
	for (char **token = argv; *token; token++)
		look_at_token(*token);
	return 0;
}
