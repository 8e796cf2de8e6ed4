/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Forecast of starts and stops, as a table: files and policy before, policy after, and the present
 * state.
 */
#include "config.h"

#include <check.h>
#include <string.h>

#include "model/check.h"
#include "model/service-parse.h"
#include "svcctl/forecast.h"
#include "tests/lib/suite.h"

#define D "[Service]\nExec=/bin/x\n"

static const char files[] = "== base\n" D "== upper\n" D "[Conditions]\nWhile=service:base\n"
			    "== loose\n" D "[Conditions]\nAfter=base\n"
			    "== netted\n" D "[Conditions]\nWhile=network:up\n"
			    "== named\n" D "Ready=dbus:org.example.Named\n"
			    "== caller\n" D "[Conditions]\nWhile=dbus:org.example.Named\n"
			    "== slow\n" D "Linger=30s\n"
			    "== work\n[Service]\nType=task\nExec=/bin/x\n"
			    "== crowd\n[Service]\nType=group\n[Conditions]\nWhile=service:loose\n"
			    "== rival\n" D "[Conditions]\nConflicts=loose\n"
			    "== sound\n" D "HealthCommand=/bin/h\n"
			    "== fit\n" D "[Conditions]\nWhile=healthy:sound\n"
			    "== herd\n[Service]\nType=group\n[Conditions]\nWhen=flag:on\n"
			    "== patient\n" D "[Conditions]\nWhile=service:base\nSettle=1s\n"
			    "== rider\n" D "[Conditions]\nWhile=service:patient\n"
			    "== riding\n" D "[Conditions]\nWhile=flag:on\nOnLapse=keep\n";

typedef struct Row {
	const char *before; /* [runlevel 2] Activate= */
	const char *after; /* the whole new policy; NULL: unchanged */
	const char *runlevel; /* target runlevel, or NULL */
	const char *present; /* "base:ready netted:failed"; NULL: a machine without svcd running */
	const char *expected;
	const char *new_file; /* "== name\ntext" replaces the file of that name; NULL: unchanged */
	const char *restarted; /* the service that an admin restarts, or NULL */
} Row;

/* clang-format off */
static const Row rows[] = {
	{ "base", "[runlevel 2]\nActivate=base\n", NULL, "base:ready", "" },
	{ "base", "[runlevel 2]\nActivate=base loose\n", NULL, "base:ready", "starts loose" },
	{ "base loose", "[runlevel 2]\nActivate=base\n", NULL, "base:ready loose:ready", "stops loose" },
	{ "upper", "[runlevel 2]\n", NULL, "base:ready upper:ready", "stops upper base" },
	{ "", "[runlevel 2]\nActivate=upper\n", NULL, "", "starts base upper" },
	{ "upper", "[runlevel 2]\nActivate=upper\n[service base]\nActivation=never\n", NULL, "base:ready upper:ready",
	  "stops upper base" },
	/* Policy does not stop what an admin started, and does not start what an admin stopped. */
	{ "", "[runlevel 2]\n[service loose]\nActivation=manual\n", NULL, "loose:ready:start", "" },
	{ "loose", "[runlevel 2]\nActivate=loose\nActivate=work\n", NULL, "loose:idle:stop", "starts work" },
	/* A new policy does not start a service that has failed or ended by itself. */
	{ "loose", "[runlevel 2]\nActivate=loose\nActivate=work\n", NULL, "loose:failed", "starts work" },
	{ "loose", "[runlevel 2]\nActivate=loose\nActivate=work\n", NULL, "loose:idle", "starts work" },
	/* External conditions. */
	{ "", "[runlevel 2]\nActivate=netted\n", NULL, "", "waits netted" },
	{ "", "[runlevel 2]\nActivate=netted\n", NULL, NULL, "starts netted" },
	{ "", "[runlevel 2]\nActivate=caller\n", NULL, "", "waits caller" },
	{ "", "[runlevel 2]\nActivate=caller named\n", NULL, "", "starts named caller" },
	{ "named caller", "[runlevel 2]\nActivate=caller\n", NULL, "named:ready caller:ready", "stops named caller" },
	/* If an admin wants two conflicting services, the last request wins. */
	{ "", "[runlevel 2]\nActivate=base\n", NULL, "loose:waiting:start rival:ready:start",
	  "starts base" },
	{ "", "[runlevel 2]\nActivate=base\n", NULL, "rival:waiting:start loose:ready:start",
	  "starts base" },
	/* A service with false terms keeps running. */
	{ "riding", "[runlevel 2]\nActivate=riding base\n", NULL, "riding:ready", "starts base" },
	{ "slow", "[runlevel 2]\n", NULL, "slow:ready", "stops slow" },
	{ "work", "[runlevel 2]\n", NULL, "work:done", "stops work" },
	{ "crowd", "[runlevel 2]\n", NULL, "loose:ready crowd:ready:none:group", "stops loose crowd" },
	{ "loose", "[runlevel 2]\nActivate=rival\n", NULL, "loose:ready", "stops loose; starts rival" },
	{ "", "[runlevel 2]\nActivate=rival\n", NULL, "loose:ready:start", "waits rival" },
	/*
	 * The service waits according to the file that svcd has read. According to the file on the
	 * disk it would run.
	 */
	{ "loose", "[runlevel 2]\nActivate=loose base\n", NULL, "loose:waiting", "starts base loose" },
	{ "loose", "[runlevel 2]\nActivate=base\n", NULL, "loose:waiting", "starts base" },
	/* A running service without a file keeps running. */
	{ "base", "[runlevel 2]\nActivate=base loose\n", NULL, "base:ready gone:ready:start", "starts loose" },
	{ "lost", "[runlevel 2]\nActivate=lost loose\n", NULL, "base:ready lost:ready", "starts loose" },
	/* Runlevels. */
	{ "base loose\n[runlevel 3]\nActivate=base work", NULL, "3", "base:ready loose:ready", "stops loose; starts work" },
	{ "base", NULL, "0", "base:ready", "stops base" },
	{ "base", "[defaults]\nRunlevel=3\n[runlevel 2]\nActivate=base\n[runlevel 3]\nActivate=work\n", "3", NULL,
	  "stops base; starts work" },
	/* Long after the boot, no start waits for the login screen. */
	{ "netted\n[defaults]\nLoginScreen=netted",
	  "[runlevel 2]\nActivate=netted base\n[defaults]\nLoginScreen=netted\n[service base]\nClass=after-login\n",
	  NULL, "", "starts base; waits netted" },
	/* "crowd" runs as a group, which has no health. Its new file has a health command. */
	{ "base crowd", "[runlevel 2]\nActivate=base crowd fit\n", NULL, "base:ready loose:ready crowd:ready:none:group",
	  "stops loose; starts sound fit", "== crowd\n" D "HealthCommand=/bin/h\n" },
	/* The new file makes "herd" a group, but the daemon still runs. */
	{ "herd", "[runlevel 2]\nActivate=herd base\n", NULL, "herd:ready", "starts base" },
	/* A restart may last longer than Settle=. */
	{ "base rider", NULL, NULL, "base:ready patient:ready rider:ready", "restarts base patient rider", NULL, "base" },
};
/* clang-format on */

static void read_file(ServiceSet *set, const char *file, DiagList *diags)
{
	const char *text = strchr(file, '\n') + 1;
	g_autofree char *name = g_strndup(file, (gsize)(text - file) - 1);
	const SourceText source = { .file = name, .text = text, .length = strlen(text) };

	if (!service_set_find(set, name))
		service_set_add(set, service_parse(name, &source, 1, diags));
}

static ServiceSet *read_files(const char *new_file, DiagList *diags)
{
	ServiceSet *set = service_set_new();
	g_auto(GStrv) parts = g_strsplit(files + strlen("== "), "\n== ", -1);

	if (new_file)
		read_file(set, new_file + strlen("== "), diags);
	for (char **part = parts; *part; part++)
		read_file(set, *part, diags);
	return set;
}

static Configuration *configuration(const char *policy, const char *new_file)
{
	Configuration *result = g_new0(Configuration, 1);

	result->diags = diag_list_new();
	result->set = read_files(new_file, result->diags);
	result->policy = policy_new();
	ck_assert(policy_parse(result->policy, POLICY_LAYER_ADMIN, "local.policy", policy,
			       strlen(policy), result->diags));
	check_set(result->set, result->policy, result->diags);
	ck_assert_uint_eq(diag_list_count_errors(result->diags), 0);
	return result;
}

/* "base:ready loose:idle:stop crowd:ready:none:group", with the requests of admins in the order of their times */
static GPtrArray *present_services(const char *text)
{
	GPtrArray *services = g_ptr_array_new_with_free_func(
		(GDestroyNotify)(void (*)(void))present_service_free);
	g_auto(GStrv) tokens = g_strsplit(text, " ", -1);

	for (char **token = tokens; *token; token++) {
		g_auto(GStrv) parts = g_strsplit(*token, ":", -1);
		PresentService *service;

		if (!**token)
			continue;
		service = g_new0(PresentService, 1);
		service->name = g_strdup(parts[0]);
		ck_assert(service_state_from_name(parts[1], &service->state));
		ck_assert(!parts[2] || admin_want_from_name(parts[2], &service->admin));
		ck_assert(!parts[2] || !parts[3] ||
			  service_type_from_name(parts[3], &service->type));
		if (strcmp(parts[0], "lost") == 0)
			service->lost_file = g_strdup(D "[Conditions]\nWhile=service:base\n");
		service->admin_at_us = services->len + 1;
		service->is_wanted = service->admin != ADMIN_STOP;
		service->is_settled = service->state != STATE_STARTING &&
				      service->state != STATE_STOPPING;
		g_ptr_array_add(services, service);
	}
	return services;
}

/*
 * External conditions are false, except the bus name of a service that runs. If nothing runs, all
 * are true.
 */
static Level on_level(void *data, KeyPrefix prefix, const char *key)
{
	const Row *row = data;

	(void)prefix;
	if (!row->present)
		return LEVEL_TRUE;
	return strcmp(key, "dbus:org.example.Named") == 0 && strstr(row->present, "named:ready") ?
		       LEVEL_TRUE :
		       LEVEL_FALSE;
}

static void describe(GString *text, const char *what, const GPtrArray *names)
{
	if (names->len == 0)
		return;
	g_string_append_printf(text, "%s%s", text->len > 0 ? "; " : "", what);
	for (guint i = 0; i < names->len; i++)
		g_string_append_printf(text, " %s", (const char *)g_ptr_array_index(names, i));
}

START_TEST(a_forecast_lists_the_consequences)
{
	const Row *row = &rows[_i];
	g_autofree char *policy = g_strdup_printf("[runlevel 2]\nActivate=%s\n", row->before);
	g_autoptr(Configuration) before = configuration(policy, NULL);
	g_autoptr(Configuration) after = row->after ? configuration(row->after, row->new_file) :
						      NULL;
	g_autoptr(GPtrArray) services = row->present ? present_services(row->present) : NULL;
	const Present present = { .runlevel = row->present ? "2" : NULL,
				  .services = services,
				  .level = on_level,
				  .data = (void *)row };
	g_autoptr(GString) text = g_string_new(NULL);

	const char *const names[] = { row->restarted, NULL };
	const ForecastChange change = { .after = after,
					.runlevel = row->runlevel,
					.verb = REQUEST_VERB_RESTART,
					.names = names };
	g_autoptr(Forecast) forecast = forecast_new(&present, before, &change, NULL);

	describe(text, "stops", forecast->stops);
	describe(text, "starts", forecast->starts);
	describe(text, "restarts", forecast->restarts);
	describe(text, "waits", forecast->waits);
	ck_assert_str_eq(text->str, row->expected);
	ck_assert(forecast_is_empty(forecast) == !*row->expected);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("forecast");

	suite_add_loop(suite, "table", a_forecast_lists_the_consequences, G_N_ELEMENTS(rows));
	return suite;
}
