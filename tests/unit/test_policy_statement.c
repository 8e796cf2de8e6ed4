/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>

#include "model/policy.h"
#include "tests/lib/diags.h"
#include "tests/lib/suite.h"

static void merge(Policy *policy, PolicyLayer layer, const char *file, const char *text)
{
	g_autoptr(DiagList) diags = diag_list_new();
	const bool fine = policy_parse(policy, layer, file, text, strlen(text), diags);

	expect_diags(diags, "");
	ck_assert(fine);
}

static Policy *policy_of(const char *vendor, const char *admin)
{
	Policy *policy = policy_new();

	policy_record_statements(policy);
	merge(policy, POLICY_LAYER_VENDOR, "v", vendor);
	merge(policy, POLICY_LAYER_ADMIN, "a", admin);
	return policy;
}

/* One line per statement: "*" marks the deciding statement, "-" an ineffective one. */
static void expect_statements(const Policy *policy, const char *service, const char *runlevel,
			      const char *expected)
{
	g_autoptr(GPtrArray) statements = policy_statements(policy, service, runlevel);
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < statements->len; i++) {
		const PolicyStatement *s = g_ptr_array_index(statements, i);
		g_autofree char *where = origin_format(s->origin);

		g_string_append_printf(text, "%s%s: [%s%s%s] %s=%s (%s)\n",
				       s->decides ? "*" :
				       s->counts  ? " " :
						    "-",
				       where, s->section, *s->argument ? " " : "", s->argument,
				       s->key, s->value, policy_layer_name(s->layer));
	}
	ck_assert_str_eq(text->str, expected);
}

static Policy *policy_with_links(const char *vendor, const char *links, const char *admin,
				 bool counts)
{
	Policy *policy = policy_new();

	policy_record_statements(policy);
	policy_count_rc_links(policy, counts);
	merge(policy, POLICY_LAYER_VENDOR, "v", vendor);
	merge(policy, POLICY_LAYER_RC_LINKS, "l", links);
	merge(policy, POLICY_LAYER_ADMIN, "a", admin);
	return policy;
}

START_TEST(links_that_do_not_count_are_shown_and_decide_nothing)
{
	g_autoptr(Policy) policy = policy_with_links(
		"[runlevel 2]\nActivate=cron\n",
		"[service cron]\nActivation=manual\n[service ssh]\nActivation=boot\n"
		"Runlevels=\nRunlevels=2 3\n",
		"[defaults]\nNewServices=manual\n", false);

	expect_statements(policy, "cron", "2",
			  "*v:2: [runlevel 2] Activate=cron (vendor)\n"
			  "-l:2: [service cron] Activation=manual (rc links)\n"
			  " a:2: [defaults] NewServices=manual (admin)\n");
	expect_statements(policy, "ssh", "2",
			  "-l:4: [service ssh] Activation=boot (rc links)\n"
			  "-l:5: [service ssh] Runlevels= (rc links)\n"
			  "-l:6: [service ssh] Runlevels=2 (rc links)\n"
			  "-l:6: [service ssh] Runlevels=3 (rc links)\n"
			  "*a:2: [defaults] NewServices=manual (admin)\n");
}
END_TEST

START_TEST(links_that_count_decide_until_a_later_layer_does)
{
	g_autoptr(Policy) policy = policy_with_links(
		"[runlevel 2]\nActivate=cron\n",
		"[service cron]\nActivation=manual\n[service ssh]\nActivation=boot\n"
		"Runlevels=2 3\n",
		"[runlevel 2]\nActivate=-ssh\n", true);

	expect_statements(policy, "cron", "2",
			  " v:2: [runlevel 2] Activate=cron (vendor)\n"
			  "*l:2: [service cron] Activation=manual (rc links)\n");
	expect_statements(policy, "ssh", "2",
			  "*l:4: [service ssh] Activation=boot (rc links)\n"
			  " l:5: [service ssh] Runlevels=2 (rc links)\n"
			  " l:5: [service ssh] Runlevels=3 (rc links)\n"
			  "*a:2: [runlevel 2] Activate=-ssh (admin)\n");
	expect_statements(policy, "ssh", "3",
			  "*l:4: [service ssh] Activation=boot (rc links)\n"
			  " l:5: [service ssh] Runlevels=2 (rc links)\n"
			  "*l:5: [service ssh] Runlevels=3 (rc links)\n");
}
END_TEST

START_TEST(activate_of_a_later_layer_is_stronger_than_links_that_start_nothing)
{
	g_autoptr(Policy) policy = policy_with_links("", "[service cron]\nActivation=manual\n",
						     "[runlevel 2]\nActivate=cron\n", true);

	expect_statements(policy, "cron", "2",
			  " l:2: [service cron] Activation=manual (rc links)\n"
			  "*a:2: [runlevel 2] Activate=cron (admin)\n");
	expect_statements(policy, "cron", "3",
			  " l:2: [service cron] Activation=manual (rc links)\n"
			  "*a:2: [runlevel 2] Activate=cron (admin)\n");
}
END_TEST

START_TEST(links_set_each_runlevel_separately_and_replace_the_vendor)
{
	static const char vendor[] =
		"[runlevel 2]\nActivate=cron\n[runlevel 3]\nInclude=2\n[runlevel 4]\n"
		"Activate=cron\n"
		"[runlevel on-train]\nInclude=2\n";
	g_autoptr(Policy)
		policy = policy_with_links(vendor,
					   "[service cron]\nActivation=boot\nRunlevels=2\n"
					   "[service udev]\nActivation=boot\nRunlevels=S\n",
					   "", true);
	g_autoptr(Policy) admins = policy_with_links(vendor, "[service cron]\nActivation=manual\n",
						     "[runlevel 2]\nActivate=cron\n", true);
	static const struct {
		const char *service;
		const char *runlevel;
		bool in_links;
		bool in_admins;
	} rows[] = {
		{ "cron", "2", true, true },   { "cron", "3", false, true },
		{ "cron", "4", false, false }, { "cron", "on-train", true, true },
		{ "udev", "3", true, false },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		PolicyDecision decision;

		policy_decide(policy, rows[i].service, rows[i].runlevel, &decision);
		ck_assert_msg(decision.in_runlevel == rows[i].in_links, "%s in %s", rows[i].service,
			      rows[i].runlevel);
		policy_decide(admins, rows[i].service, rows[i].runlevel, &decision);
		ck_assert_msg(decision.in_runlevel == rows[i].in_admins, "%s in %s, by the admin",
			      rows[i].service, rows[i].runlevel);
	}
}
END_TEST

START_TEST(the_last_value_of_a_plain_key_decides_and_the_others_are_listed)
{
	g_autoptr(Policy) policy = policy_of(
		"[service ssh]\nActivation=boot\nReason=vendor\nOnLapse=keep\n",
		"[service ssh]\nActivation=never\nOnLapse=\n[service other]\nActivation=boot\n");

	expect_statements(policy, "ssh", "2",
			  " v:2: [service ssh] Activation=boot (vendor)\n"
			  "*v:3: [service ssh] Reason=vendor (vendor)\n"
			  " v:4: [service ssh] OnLapse=keep (vendor)\n"
			  "*a:2: [service ssh] Activation=never (admin)\n"
			  " a:3: [service ssh] OnLapse= (admin)\n");
}
END_TEST

START_TEST(lists_add_up_since_they_were_last_forgotten)
{
	g_autoptr(Policy) policy =
		policy_of("[service x]\nActivation=boot\nWhen=flag:a\nIgnore=network:up $net\n",
			  "[service x]\nWhen=\nWhen=flag:b\nWhen=flag:c | flag:d\nIgnore=dbus\n");

	expect_statements(policy, "x", NULL,
			  "*v:2: [service x] Activation=boot (vendor)\n"
			  " v:3: [service x] When=flag:a (vendor)\n"
			  "*v:4: [service x] Ignore=network:up (vendor)\n"
			  "*v:4: [service x] Ignore=$net (vendor)\n"
			  " a:2: [service x] When= (admin)\n"
			  "*a:3: [service x] When=flag:b (admin)\n"
			  "*a:4: [service x] When=flag:c | flag:d (admin)\n"
			  "*a:5: [service x] Ignore=dbus (admin)\n");
}
END_TEST

START_TEST(the_runlevel_that_activates_decides_also_through_include_and_s)
{
	g_autoptr(Policy) policy = policy_of(
		"[runlevel S]\nActivate=udev\n[runlevel 2]\nActivate=cron ssh\n[runlevel 4]\n"
		"Activate=cron\n[runlevel 5]\nInclude=2\n",
		"[runlevel 2]\nActivate=-ssh\n");

	expect_statements(policy, "cron", "5", "*v:4: [runlevel 2] Activate=cron (vendor)\n");
	expect_statements(policy, "udev", "5", "*v:2: [runlevel S] Activate=udev (vendor)\n");
	/*
	 * The admin removed ssh from its runlevel, so the built-in default decides.
	 */
	expect_statements(policy, "ssh", "5",
			  " v:4: [runlevel 2] Activate=ssh (vendor)\n"
			  " a:2: [runlevel 2] Activate=-ssh (admin)\n");
	/* cron has "boot", but not in runlevel 3: the reason for "boot" is shown. */
	expect_statements(policy, "cron", "3", "*v:4: [runlevel 2] Activate=cron (vendor)\n");
	expect_statements(policy, "udev", "0", "*v:2: [runlevel S] Activate=udev (vendor)\n");
}
END_TEST

START_TEST(what_takes_a_service_out_of_a_runlevel_decides_there)
{
	g_autoptr(Policy)
		policy = policy_of("[runlevel 2]\nActivate=ssh\n[runlevel 5]\nInclude=2\n",
				   "[runlevel 5]\nActivate=-ssh\n");

	expect_statements(policy, "ssh", "5",
			  "*v:2: [runlevel 2] Activate=ssh (vendor)\n"
			  "*a:2: [runlevel 5] Activate=-ssh (admin)\n");
	expect_statements(policy, "ssh", "2", "*v:2: [runlevel 2] Activate=ssh (vendor)\n");
}
END_TEST

START_TEST(runlevels_of_the_service_win_over_activate)
{
	g_autoptr(Policy) policy = policy_of("[runlevel 2]\nActivate=x\n[runlevel 3]\nName=work\n",
					     "[service x]\nRunlevels=-2 work\n");

	expect_statements(policy, "x", "2",
			  " v:2: [runlevel 2] Activate=x (vendor)\n"
			  "*a:2: [service x] Runlevels=-2 (admin)\n"
			  "*a:2: [service x] Runlevels=work (admin)\n");
	expect_statements(policy, "x", "3",
			  " a:2: [service x] Runlevels=-2 (admin)\n"
			  "*a:2: [service x] Runlevels=work (admin)\n");
}
END_TEST

START_TEST(an_own_activation_overrides_the_runlevels)
{
	g_autoptr(Policy) policy =
		policy_of("[runlevel 2]\nActivate=x\n", "[service x]\nActivation=manual\n");

	expect_statements(policy, "x", "2",
			  " v:2: [runlevel 2] Activate=x (vendor)\n"
			  "*a:2: [service x] Activation=manual (admin)\n");
}
END_TEST

START_TEST(an_empty_activate_is_shown_where_it_took_something_back)
{
	g_autoptr(Policy) policy =
		policy_of("[runlevel 2]\nActivate=x\n", "[runlevel 2]\nActivate=\nActivate=y\n");

	expect_statements(policy, "x", "2",
			  " v:2: [runlevel 2] Activate=x (vendor)\n"
			  " a:2: [runlevel 2] Activate= (admin)\n");
	expect_statements(policy, "y", "2", "*a:3: [runlevel 2] Activate=y (admin)\n");
}
END_TEST

START_TEST(new_services_decides_without_an_entry)
{
	g_autoptr(Policy)
		policy = policy_of("[defaults]\nNewServices=on-demand\n[runlevel 2]\nActivate=x\n",
				   "[defaults]\nNewServices=manual\n");

	expect_statements(policy, "new", "2",
			  " v:2: [defaults] NewServices=on-demand (vendor)\n"
			  "*a:2: [defaults] NewServices=manual (admin)\n");
	expect_statements(policy, "x", "2",
			  " v:2: [defaults] NewServices=on-demand (vendor)\n"
			  "*v:4: [runlevel 2] Activate=x (vendor)\n"
			  " a:2: [defaults] NewServices=manual (admin)\n");
}
END_TEST

START_TEST(an_instance_has_its_own_section_or_that_of_its_template)
{
	g_autoptr(Policy) policy = policy_of("[service getty@]\nActivation=manual\n",
					     "[service getty@tty2]\nActivation=never\n");

	expect_statements(policy, "getty@tty1", "2",
			  "*v:2: [service getty@] Activation=manual (vendor)\n");
	expect_statements(policy, "getty@tty2", "2",
			  "*a:2: [service getty@tty2] Activation=never (admin)\n");
}
END_TEST

START_TEST(defaults_alone_and_the_kernel_above_all)
{
	g_autoptr(Policy)
		policy = policy_of("[defaults]\nRunlevel=3\n",
				   "[defaults]\nRunlevel=5\nNewServices=boot\nTasksMax=50%\n");
	g_autoptr(DiagList) diags = diag_list_new();

	policy_apply_kernel_argument(policy, "svcd.runlevel=4", diags);
	policy_apply_kernel_argument(policy, "svcd.never=x", diags);
	expect_statements(policy, NULL, NULL,
			  " v:2: [defaults] Runlevel=3 (vendor)\n"
			  " a:2: [defaults] Runlevel=5 (admin)\n"
			  "*a:3: [defaults] NewServices=boot (admin)\n"
			  "*a:4: [defaults] TasksMax=50% (admin)\n"
			  "*kernel command line: [defaults] Runlevel=4 (kernel command line)\n");
	expect_statements(
		policy, "x", NULL,
		" a:3: [defaults] NewServices=boot (admin)\n"
		"*kernel command line: [service x] Activation=never (kernel command line)\n");
}
END_TEST

START_TEST(a_file_with_an_error_leaves_no_statements)
{
	static const char text[] = "[service x]\nActivation=never\nActivation=boot\n";
	g_autoptr(Policy) policy = policy_of("[service x]\nActivation=boot\n", "");
	g_autoptr(DiagList) diags = diag_list_new();

	ck_assert(!policy_parse(policy, POLICY_LAYER_ADMIN, "broken", text, strlen(text), diags));
	expect_statements(policy, "x", "2", "*v:2: [service x] Activation=boot (vendor)\n");
}
END_TEST

START_TEST(nothing_is_recorded_unless_asked_for)
{
	g_autoptr(Policy) policy = policy_new();

	merge(policy, POLICY_LAYER_VENDOR, "v", "[service x]\nActivation=boot\n");
	expect_statements(policy, "x", "2", "");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("policy_statement");

	ADD_CASE(suite, "services", links_that_do_not_count_are_shown_and_decide_nothing,
		 links_that_count_decide_until_a_later_layer_does,
		 activate_of_a_later_layer_is_stronger_than_links_that_start_nothing,
		 links_set_each_runlevel_separately_and_replace_the_vendor,
		 the_last_value_of_a_plain_key_decides_and_the_others_are_listed,
		 lists_add_up_since_they_were_last_forgotten,
		 the_runlevel_that_activates_decides_also_through_include_and_s,
		 what_takes_a_service_out_of_a_runlevel_decides_there,
		 runlevels_of_the_service_win_over_activate,
		 an_own_activation_overrides_the_runlevels,
		 an_empty_activate_is_shown_where_it_took_something_back,
		 new_services_decides_without_an_entry,
		 an_instance_has_its_own_section_or_that_of_its_template);
	ADD_CASE(suite, "whole", defaults_alone_and_the_kernel_above_all,
		 a_file_with_an_error_leaves_no_statements, nothing_is_recorded_unless_asked_for);
	return suite;
}
