/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>

#include "base/limits.h"
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

static Policy *policy_of(const char *text)
{
	Policy *policy = policy_new();

	merge(policy, POLICY_LAYER_VENDOR, "vendor.policy", text);
	return policy;
}

static void expect_decision(const Policy *policy, const char *service, const char *runlevel,
			    Activation activation, bool in_runlevel)
{
	PolicyDecision decision;

	policy_decide(policy, service, runlevel, &decision);
	ck_assert_msg(decision.activation == activation, "%s in %s: activation %s", service,
		      runlevel, activation_name(decision.activation));
	ck_assert_msg(decision.in_runlevel == in_runlevel, "%s in %s: in runlevel: %d", service,
		      runlevel, decision.in_runlevel);
}

START_TEST(without_files_nothing_is_wanted)
{
	g_autoptr(Policy) policy = policy_new();
	g_autoptr(GPtrArray) runlevels = policy_runlevels(policy);
	PolicyDecision decision;
	Origin origin;

	policy_decide(policy, "x", "2", &decision);
	ck_assert_int_eq(decision.activation, ACTIVATION_ON_DEMAND);
	ck_assert(decision.is_default);
	ck_assert(!decision.in_runlevel);
	ck_assert_str_eq(policy_default_runlevel(policy, &origin), "2");
	ck_assert_ptr_null(origin.file);
	ck_assert_uint_eq(runlevels->len, 8);
	ck_assert_str_eq(g_ptr_array_index(runlevels, 7), "S");
	ck_assert_ptr_null(policy_find_runlevel(policy, "desktop"));
}
END_TEST

START_TEST(a_service_is_wanted_in_the_runlevels_that_activate_it)
{
	g_autoptr(Policy) policy = policy_of(
		"[runlevel 2]\nActivate=cron\n  ssh\n[runlevel 5]\nInclude=2\nActivate=gdm3\n");
	PolicyDecision decision;

	expect_decision(policy, "cron", "2", ACTIVATION_BOOT, true);
	expect_decision(policy, "ssh", "5", ACTIVATION_BOOT, true);
	expect_decision(policy, "gdm3", "2", ACTIVATION_BOOT, false);
	expect_decision(policy, "gdm3", "5", ACTIVATION_BOOT, true);
	expect_decision(policy, "cron", "3", ACTIVATION_BOOT, false);
	expect_decision(policy, "other", "5", ACTIVATION_ON_DEMAND, false);

	policy_decide(policy, "ssh", "5", &decision);
	ck_assert_uint_eq(decision.runlevel_origin.line, 3);
	ck_assert_str_eq(decision.activation_origin.file, "vendor.policy");
	ck_assert(!decision.is_default);
}
END_TEST

START_TEST(runlevel_s_is_part_of_all_but_0_and_6)
{
	g_autoptr(Policy) policy =
		policy_of("[runlevel S]\nActivate=udev\n[runlevel 0]\nActivate=farewell\n");

	expect_decision(policy, "udev", "S", ACTIVATION_BOOT, true);
	expect_decision(policy, "udev", "1", ACTIVATION_BOOT, true);
	expect_decision(policy, "udev", "5", ACTIVATION_BOOT, true);
	expect_decision(policy, "udev", "0", ACTIVATION_BOOT, false);
	expect_decision(policy, "udev", "6", ACTIVATION_BOOT, false);
	expect_decision(policy, "farewell", "0", ACTIVATION_BOOT, true);
}
END_TEST

START_TEST(a_minus_takes_a_service_out_of_what_is_included)
{
	g_autoptr(Policy)
		policy = policy_of("[runlevel S]\nActivate=udev\n[runlevel 2]\nActivate=cron ssh\n"
				   "[runlevel 5]\nInclude=2\nActivate=-ssh -udev\n");

	expect_decision(policy, "ssh", "2", ACTIVATION_BOOT, true);
	expect_decision(policy, "ssh", "5", ACTIVATION_BOOT, false);
	expect_decision(policy, "cron", "5", ACTIVATION_BOOT, true);
	expect_decision(policy, "udev", "5", ACTIVATION_BOOT, false);
	expect_decision(policy, "udev", "2", ACTIVATION_BOOT, true);
}
END_TEST

START_TEST(later_layers_add_and_remove_entries)
{
	g_autoptr(Policy) policy = policy_of("[runlevel 2]\nActivate=cron ssh\n");
	PolicyDecision decision;

	merge(policy, POLICY_LAYER_ADMIN, "local.policy", "[runlevel 2]\nActivate=-ssh nginx\n");
	expect_decision(policy, "cron", "2", ACTIVATION_BOOT, true);
	expect_decision(policy, "ssh", "2", ACTIVATION_ON_DEMAND, false);
	expect_decision(policy, "nginx", "2", ACTIVATION_BOOT, true);

	merge(policy, POLICY_LAYER_UNTIL_REBOOT, "run.policy", "[runlevel 2]\nActivate=ssh\n");
	policy_decide(policy, "ssh", "2", &decision);
	ck_assert(decision.in_runlevel);
	ck_assert_str_eq(decision.runlevel_origin.file, "run.policy");
	ck_assert_int_eq(decision.runlevel_layer, POLICY_LAYER_UNTIL_REBOOT);
	policy_decide(policy, "cron", "2", &decision);
	ck_assert_int_eq(decision.runlevel_layer, POLICY_LAYER_VENDOR);

	merge(policy, POLICY_LAYER_UNTIL_REBOOT, "run2.policy",
	      "[runlevel 2]\nActivate=\nActivate=only\n");
	expect_decision(policy, "cron", "2", ACTIVATION_ON_DEMAND, false);
	expect_decision(policy, "only", "2", ACTIVATION_BOOT, true);
}
END_TEST

START_TEST(the_section_of_a_service_wins_over_activate)
{
	g_autoptr(Policy) policy = policy_of(
		"[runlevel 2]\nActivate=a b c\n[runlevel 3]\nName=work\n[service a]\n"
		"Activation=never\n"
		"[service b]\nRunlevels=-2 work\n[service d]\nRunlevels=2 3\n[service e]\n"
		"Activation=manual\nReason=office rule 12\n");
	PolicyDecision decision;

	expect_decision(policy, "a", "2", ACTIVATION_NEVER, true);
	expect_decision(policy, "b", "2", ACTIVATION_BOOT, false);
	expect_decision(policy, "b", "3", ACTIVATION_BOOT, true);
	expect_decision(policy, "d", "3", ACTIVATION_BOOT, true);
	expect_decision(policy, "e", "2", ACTIVATION_MANUAL, false);
	policy_decide(policy, "a", "2", &decision);
	ck_assert_uint_eq(decision.activation_origin.line, 6);
	ck_assert_str_eq(policy_service(policy, "e")->reason, "office rule 12");
	ck_assert_ptr_null(policy_service(policy, "c"));
}
END_TEST

START_TEST(plain_keys_of_a_later_layer_replace_and_an_empty_value_takes_back)
{
	g_autoptr(Policy) policy = policy_of(
		"[service a]\nActivation=never\nOnLapse=keep\nReason=x\nOperators=root adm\n"
		"When=flag:a\nWhile=flag:b\nIgnore=service:c\n");
	const PolicyService *settings;

	merge(policy, POLICY_LAYER_ADMIN, "local.policy",
	      "[service a]\nActivation=manual\nReason=y\nWhen=flag:d\n");
	expect_decision(policy, "a", "2", ACTIVATION_MANUAL, false);
	settings = policy_service(policy, "a");
	ck_assert_str_eq(settings->reason, "y");
	ck_assert_str_eq(settings->reason_origin.file, "local.policy");
	ck_assert_uint_eq(settings->operators->len, 2);
	ck_assert_str_eq(((NameRef *)g_ptr_array_index(settings->operators, 1))->name, "adm");
	ck_assert(settings->has_on_lapse && settings->on_lapse == ON_LAPSE_KEEP);
	ck_assert_uint_eq(settings->when->len, 2);
	ck_assert_uint_eq(settings->ignore->len, 1);

	merge(policy, POLICY_LAYER_ADMIN, "later.policy",
	      "[service a]\nActivation=\nReason=\nWhen=\nWhile=\nIgnore=\nOnLapse=\nOperators=\n");
	expect_decision(policy, "a", "2", ACTIVATION_ON_DEMAND, false);
	ck_assert_ptr_null(settings->reason);
	ck_assert(!settings->has_on_lapse);
	ck_assert_uint_eq(settings->when->len + settings->while_terms->len + settings->ignore->len +
				  settings->operators->len,
			  0);
}
END_TEST

START_TEST(operators_of_a_later_file_take_the_place_of_the_earlier_ones)
{
	g_autoptr(Policy) policy = policy_of("[service a]\nOperators=adm sudo\n");
	const NameRef *ref;

	merge(policy, POLICY_LAYER_ADMIN, "local.policy", "[service a]\nOperators=web-team\n");
	ck_assert_uint_eq(policy_service(policy, "a")->operators->len, 1);
	ref = g_ptr_array_index(policy_service(policy, "a")->operators, 0);
	ck_assert_str_eq(ref->name, "web-team");
	ck_assert_str_eq(ref->origin.file, "local.policy");
	ck_assert_uint_eq(ref->origin.line, 2);
}
END_TEST

START_TEST(the_section_of_a_template_is_for_its_instances)
{
	g_autoptr(Policy) policy = policy_of(
		"[service getty@]\nActivation=manual\n[service getty@tty2]\nActivation=never\n");

	expect_decision(policy, "getty@tty1", "2", ACTIVATION_MANUAL, false);
	expect_decision(policy, "getty@tty2", "2", ACTIVATION_NEVER, false);
}
END_TEST

START_TEST(runlevels_have_names)
{
	g_autoptr(Policy) policy = policy_of(
		"[runlevel 5]\nName=desktop\nInclude=work\nActivate=gdm3\n[runlevel work]\n"
		"Activate=cron\n[defaults]\nRunlevel=desktop\n");
	Origin origin;

	ck_assert_str_eq(policy_find_runlevel(policy, "desktop"), "5");
	ck_assert_str_eq(policy_find_runlevel(policy, "work"), "work");
	ck_assert_str_eq(policy_runlevel_title(policy, "5"), "desktop");
	ck_assert_str_eq(policy_runlevel_title(policy, "3"), "3");
	ck_assert_str_eq(policy_default_runlevel(policy, &origin), "5");
	ck_assert_uint_eq(origin.line, 8);
	expect_decision(policy, "cron", "desktop", ACTIVATION_BOOT, true);
}
END_TEST

START_TEST(new_services_have_the_activation_of_the_defaults)
{
	g_autoptr(Policy) policy = policy_of("[defaults]\nNewServices=manual\n");
	PolicyDecision decision;
	Origin origin;

	policy_decide(policy, "x", "2", &decision);
	ck_assert_int_eq(decision.activation, ACTIVATION_MANUAL);
	ck_assert_uint_eq(decision.activation_origin.line, 2);
	ck_assert(decision.is_default);
	ck_assert_int_eq(policy_new_services(policy, &origin), ACTIVATION_MANUAL);
}
END_TEST

START_TEST(the_process_limit_is_a_share_unless_service_or_defaults_set_it)
{
	static const struct {
		const char *text;
		const char *expected;
	} rows[] = {
		{ "[runlevel 2]\nActivate=x\n", "15%" },
		{ "[defaults]\nTasksMax=500\n", "500" },
		{ "[defaults]\nTasksMax=40%\n", "40%" },
		{ "[defaults]\nTasksMax=infinity\n", "max" },
	};
	g_autoptr(Policy) policy = policy_of(rows[1].text);
	g_autoptr(DiagList) diags = diag_list_new();

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autoptr(Policy) other = policy_of(rows[i].text);

		ck_assert_str_eq(policy_tasks_max(other), rows[i].expected);
	}
	ck_assert(policy_parse(policy, POLICY_LAYER_ADMIN, "z", "[defaults]\nTasksMax=\n",
			       strlen("[defaults]\nTasksMax=\n"), diags));
	ck_assert_str_eq(policy_tasks_max(policy), "15%");
	ck_assert(!policy_parse(policy, POLICY_LAYER_ADMIN, "z", "[defaults]\nTasksMax=0\n",
				strlen("[defaults]\nTasksMax=0\n"), diags));
}
END_TEST

START_TEST(new_services_may_be_wanted_in_the_runlevels_of_a_running_machine)
{
	g_autoptr(Policy) policy =
		policy_of("[defaults]\nNewServices=boot\n[runlevel 5]\nActivate=gdm3\n"
			  "[service fwupd]\nActivation=on-demand\n[service words]\nReason=x\n"
			  "[runlevel at-home]\nInclude=3\n[runlevel on-train]\nActivate=reader\n");
	PolicyDecision decision;

	expect_decision(policy, "new", "2", ACTIVATION_BOOT, true);
	expect_decision(policy, "new", "5", ACTIVATION_BOOT, true);
	expect_decision(policy, "words", "5", ACTIVATION_BOOT, true);
	expect_decision(policy, "new", "at-home", ACTIVATION_BOOT, true);
	expect_decision(policy, "new", "on-train", ACTIVATION_BOOT, false);
	expect_decision(policy, "new", "1", ACTIVATION_BOOT, false);
	expect_decision(policy, "new", "0", ACTIVATION_BOOT, false);
	expect_decision(policy, "new", "6", ACTIVATION_BOOT, false);
	expect_decision(policy, "new", "S", ACTIVATION_BOOT, false);
	expect_decision(policy, "gdm3", "2", ACTIVATION_BOOT, false);
	expect_decision(policy, "fwupd", "2", ACTIVATION_ON_DEMAND, false);
	policy_decide(policy, "new", "2", &decision);
	ck_assert(decision.is_default);
	ck_assert_uint_eq(decision.runlevel_origin.line, 2);
}
END_TEST

START_TEST(what_a_runlevel_takes_out_is_not_wanted_there_as_a_new_service)
{
	g_autoptr(Policy) policy = policy_of(
		"[defaults]\nNewServices=boot\n"
		"[runlevel 2]\nActivate=-off\n[runlevel 3]\nInclude=2\n"
		"[runlevel train]\nInclude=2\nActivate=-radio\n[runlevel tunnel]\nInclude=train\n"
		"[runlevel never]\nInclude=2 3\nActivate=-off\n");

	expect_decision(policy, "off", "2", ACTIVATION_BOOT, false);
	expect_decision(policy, "off", "3", ACTIVATION_BOOT, true);
	expect_decision(policy, "off", "train", ACTIVATION_BOOT, false);
	expect_decision(policy, "off", "never", ACTIVATION_BOOT, false);
	expect_decision(policy, "radio", "2", ACTIVATION_BOOT, true);
	expect_decision(policy, "radio", "train", ACTIVATION_BOOT, false);
	expect_decision(policy, "radio", "tunnel", ACTIVATION_BOOT, false);
	expect_decision(policy, "other", "tunnel", ACTIVATION_BOOT, true);
}
END_TEST

START_TEST(what_is_named_earlier_has_the_lower_rank)
{
	g_autoptr(Policy) policy = policy_of("[runlevel 2]\nActivate=postfix exim4\n");
	PolicyDecision first;
	PolicyDecision second;
	PolicyDecision unnamed;

	policy_decide(policy, "postfix", "2", &first);
	policy_decide(policy, "exim4", "2", &second);
	policy_decide(policy, "x", "2", &unnamed);
	ck_assert_uint_lt(first.order, second.order);
	ck_assert_uint_lt(second.order, unnamed.order);
}
END_TEST

START_TEST(the_kernel_command_line_overrides_all_files)
{
	g_autoptr(Policy) policy = policy_of(
		"[runlevel 2]\nActivate=a\n[service a]\nActivation=boot\n[defaults]\nRunlevel=5\n");
	g_autoptr(DiagList) diags = diag_list_new();
	Origin origin;

	policy_apply_kernel_argument(policy, "quiet", diags);
	policy_apply_kernel_argument(policy, "svcd.never=a", diags);
	policy_apply_kernel_argument(policy, "svcd.runlevel=3", diags);
	expect_diags(diags, "");
	expect_decision(policy, "a", "2", ACTIVATION_NEVER, true);
	ck_assert_str_eq(policy_default_runlevel(policy, &origin), "3");
	ck_assert_str_eq(origin.file, "kernel command line");
}
END_TEST

static const struct {
	const char *token;
	const char *runlevel;
	const char *expected;
	/* clang-format off */
} settings[] = {
	{ "single", "1", "" },
	{ "svcd.runlevel=single", "1", "" },
	{ "S", "1", "" },
	{ "s", "1", "" },
	{ "4", "4", "" },
	{ "6", "2", "" },
	{ "quiet", "2", "" },
	{ "svcd.runlevel=0", "2", "kernel command line: warning: svcd.runlevel=0: no runlevel to boot into\n" },
	{ "svcd.runlevel=nix", "2", "kernel command line: warning: svcd.runlevel=nix: no runlevel to boot into\n" },
	{ "svcd.never=a/b", "2",
	  "kernel command line: warning: svcd.never=a/b: the name of a service contains letters, digits and _.@:+-, not "
	  "\"/\"\n" },
	{ "svcd.frobnicate", "2",
	  "kernel command line: warning: svcd.frobnicate: unknown argument; svcd(8) lists them\n" },
	{ "svcd.policy=admin", "2",
	  "kernel command line: warning: svcd.policy=admin: unknown value; write svcd.policy=vendor\n" },
	{ "svcd.policy=vendor", "2",
	  "kernel command line: warning: svcd.policy=vendor: only the vendor's policy counts; /etc/svcd/policy.d and "
	  "/run/svcd/policy.d are ignored in this boot\n" },
	{ "svcd.watchdog=60,manager", "2", "" },
	{ "svcd.watchdgo=60", "2", "kernel command line: warning: svcd.watchdgo=60: did you mean svcd.watchdog=?\n" },
	{ "svcd.runlvel=3", "2", "kernel command line: warning: svcd.runlvel=3: did you mean svcd.runlevel=?\n" },
};
/* clang-format on */

START_TEST(arguments_of_the_kernel_command_line)
{
	g_autoptr(Policy) policy = policy_new();
	g_autoptr(DiagList) diags = diag_list_new();

	policy_apply_kernel_argument(policy, settings[_i].token, diags);
	expect_diags(diags, settings[_i].expected);
	ck_assert_str_eq(policy_default_runlevel(policy, NULL), settings[_i].runlevel);
}
END_TEST

START_TEST(includes_that_meet_in_a_circle_over_two_files_are_an_error)
{
	static const char text[] = "[runlevel 2]\nInclude=5\nActivate=x\n";
	g_autoptr(Policy) policy = policy_of("[runlevel 5]\nInclude=3\n[runlevel 3]\nInclude=2\n");
	g_autoptr(DiagList) diags = diag_list_new();

	ck_assert(!policy_parse(policy, POLICY_LAYER_ADMIN, "local.policy", text, strlen(text),
				diags));
	expect_diags(diags, "local.policy:2: Include=5: runlevel 2 would include itself\n");
	expect_decision(policy, "x", "2", ACTIVATION_ON_DEMAND, false);
}
END_TEST

START_TEST(an_include_of_nothing_is_warned_of)
{
	g_autoptr(Policy) policy = policy_of(
		"[runlevel 5]\nInclude=9\n[service a]\nRunlevels=7\n[defaults]\nRunlevel=8\n");
	g_autoptr(DiagList) diags = diag_list_new();

	policy_check(policy, diags);
	diag_list_sort(diags);
	expect_diags(diags, "vendor.policy:2: warning: Include=9: there is no such runlevel\n"
			    "vendor.policy:4: warning: Runlevels=7: there is no such runlevel\n"
			    "vendor.policy:6: warning: Runlevel=8: there is no such runlevel; 2 is "
			    "used instead\n");
}
END_TEST

START_TEST(there_are_at_most_64_runlevels)
{
	g_autoptr(Policy) policy = policy_new();
	g_autoptr(GString) text = g_string_new(NULL);
	g_autoptr(DiagList) diags = diag_list_new();
	static const char more[] = "[runlevel more]\nActivate=x\n";

	for (int i = 0; i < LIMIT_RUNLEVELS - 8; i++)
		g_string_append_printf(text, "[runlevel r%d]\nInclude=r%d\n", i, i + 1);
	merge(policy, POLICY_LAYER_VENDOR, "vendor.policy", text->str);
	ck_assert(!policy_parse(policy, POLICY_LAYER_ADMIN, "local.policy", more, strlen(more),
				diags));
	expect_diags(diags, "local.policy: there are more than 64 runlevels in all files\n");
	expect_decision(policy, "x", "r0", ACTIVATION_ON_DEMAND, false);
}
END_TEST

START_TEST(the_names_in_policy_can_be_listed_with_their_places)
{
	g_autoptr(Policy) policy = policy_of(
		"[runlevel 2]\nActivate=b a\n[runlevel 3]\nActivate=a\n[service c]\nReason=x\n");
	g_autoptr(GPtrArray) names = policy_named_services(policy);
	g_autoptr(GPtrArray) refs = policy_named_refs(policy);
	const NameRef *second = g_ptr_array_index(refs, 1);

	ck_assert_uint_eq(names->len, 3);
	ck_assert_str_eq(g_ptr_array_index(names, 0), "a");
	ck_assert_str_eq(g_ptr_array_index(names, 2), "c");
	ck_assert_uint_eq(refs->len, 4);
	ck_assert_str_eq(second->name, "a");
	ck_assert_uint_eq(second->origin.line, 4);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("policy");

	ADD_CASE(suite, "decisions", without_files_nothing_is_wanted,
		 a_service_is_wanted_in_the_runlevels_that_activate_it,
		 runlevel_s_is_part_of_all_but_0_and_6,
		 a_minus_takes_a_service_out_of_what_is_included,
		 the_section_of_a_service_wins_over_activate,
		 the_section_of_a_template_is_for_its_instances, runlevels_have_names,
		 new_services_have_the_activation_of_the_defaults,
		 new_services_may_be_wanted_in_the_runlevels_of_a_running_machine,
		 the_process_limit_is_a_share_unless_service_or_defaults_set_it,
		 what_a_runlevel_takes_out_is_not_wanted_there_as_a_new_service,
		 what_is_named_earlier_has_the_lower_rank);
	suite_add_loop(suite, "layers", arguments_of_the_kernel_command_line,
		       G_N_ELEMENTS(settings));
	ADD_CASE(suite, "layers", later_layers_add_and_remove_entries,
		 plain_keys_of_a_later_layer_replace_and_an_empty_value_takes_back,
		 operators_of_a_later_file_take_the_place_of_the_earlier_ones,
		 the_kernel_command_line_overrides_all_files,
		 the_names_in_policy_can_be_listed_with_their_places);
	ADD_CASE(suite, "mistakes", includes_that_meet_in_a_circle_over_two_files_are_an_error,
		 an_include_of_nothing_is_warned_of, there_are_at_most_64_runlevels);
	return suite;
}
