/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * reload --signal: sends a signal to the main process of a service, or with --all to each process.
 * This is not a stop: a process that ends counts as ended by itself.
 */
#include "config.h"

#include "base/errors.h"
#include "base/text.h"
#include "bus/names.h"
#include "svcctl/svcctl.h"

/* A service without processes cannot receive a signal. */
static bool check_running(GVariant *service, GError **error)
{
	static const char *const off[] = { "idle", "waiting", "failed", "backoff", NULL };
	const char *state = record_text(service, "State");

	return !g_strv_contains(off, state) ||
	       fail_ctl(error, CTL_ERROR_NOT_UP, "%s is not running: it is %s",
			record_text(service, "Name"), state);
}

static bool send_signal(Context *context, const char *name, int signo, GError **error)
{
	const char *target = context->options.is_all ? "all" : "main";
	g_autoptr(GVariant) reply = client_change_service(
		context->client, name, "Signal", g_variant_new("(si)", target, signo), "()", error);

	return reply != NULL;
}

static bool signal_one(Context *context, const char *name, GVariant **ret_record, GError **error)
{
	g_autoptr(GVariant) before = client_service(context->client, name, error);
	int signo = 0;

	if (!before || !check_running(before, error))
		return false;
	if (context->options.is_dry_run) {
		output_confirm(&context->output, "%s would be sent to %s of %s",
			       context->options.signal,
			       context->options.is_all ? "all processes" : "the main process",
			       record_text(before, "Name"));
		return true;
	}
	(void)text_parse_signal(context->options.signal, &signo); /* cmd_signal() has checked it */
	if (!send_signal(context, record_text(before, "Name"), signo, error))
		return false;
	*ret_record = client_service(context->client, name, NULL); /* only for --json */
	output_confirm(&context->output, "%s was sent to %s of %s", context->options.signal,
		       context->options.is_all ? "all processes" : "the main process",
		       record_text(before, "Name"));
	return true;
}

bool cmd_signal(Context *context, GError **error)
{
	const char *token = context->options.signal;
	int signo;

	if (!text_parse_signal(token, &signo))
		return fail_ctl(error, CTL_ERROR_USAGE,
				"there is no signal \"%s\"; write HUP, SIGHUP or 1", token);
	return for_each_name(context, signal_one, error);
}
