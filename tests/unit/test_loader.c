/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>
#include <glib/gstdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "config/gather.h"
#include "config/loader.h"
#include "tests/lib/diags.h"
#include "tests/lib/many-names.h"
#include "tests/lib/suite.h"
#include "tests/lib/tree.h"

#define GENERATED "/run/svcd/generated/"
#define VENDOR SVCD_LIBDIR "/services.d/"
#define ADMIN SVCD_SYSCONFDIR "/services.d/"
#define RUN "/run/svcd/services.d/"
#define LINKS "/run/svcd/generated/rc-links/"
#define PLAIN "[Service]\nExec=/bin/x\n"

static Configuration *load_with(const Tree *tree, LoaderOptions options, const char *const *extra)
{
	options.root = tree->root;
	return configuration_load(&options, extra);
}

/* The loader treats the user of the tests as the owner of the tree. */
static Configuration *load(const Tree *tree)
{
	return load_with(tree, (LoaderOptions){ .any_owner = true }, NULL);
}

/* The complete output, with paths relative to the root. */
static void expect_reported(const Tree *tree, const Configuration *c, const char *expected)
{
	g_autofree char *text = diags_text(c->diags);
	g_auto(GStrv) parts = g_strsplit(text, tree->root, -1);
	g_autofree char *shown = g_strjoinv("", parts);

	ck_assert_str_eq(shown, expected);
}

static const ServiceDef *expect_service(const Configuration *c, const char *name)
{
	const ServiceDef *def = service_set_find(c->set, name);

	ck_assert_msg(def != NULL, "there is no %s", name);
	return def;
}

START_TEST(without_any_directory_there_are_no_services_and_no_messages)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Configuration) c = load(tree);

	expect_reported(tree, c, "");
	ck_assert_uint_eq(service_set_length(c->set), 0);
}
END_TEST

START_TEST(the_later_directory_wins_by_name)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Configuration) c = NULL;

	tree_write(tree, GENERATED "a.svc", "[Service]\nExec=/bin/generated\n");
	tree_write(tree, GENERATED "b.svc", "[Service]\nExec=/bin/generated\n");
	tree_write(tree, GENERATED "c.svc", "[Service]\nExec=/bin/generated\n");
	tree_write(tree, GENERATED "d.svc", "[Service]\nExec=/bin/generated\n");
	tree_write(tree, VENDOR "b.svc", "[Service]\nExec=/bin/vendor\n");
	tree_write(tree, VENDOR "c.svc", "[Service]\nExec=/bin/vendor\n");
	tree_write(tree, VENDOR "d.svc", "[Service]\nExec=/bin/vendor\n");
	tree_write(tree, ADMIN "c.svc", "[Service]\nExec=/bin/admin\n");
	tree_write(tree, ADMIN "d.svc", "[Service]\nExec=/bin/admin\n");
	tree_write(tree, RUN "d.svc", "[Service]\nExec=/bin/run\n");
	c = load(tree);

	expect_reported(tree, c, "");
	ck_assert_str_eq(expect_service(c, "a")->exec->argv[0], "/bin/generated");
	ck_assert_str_eq(expect_service(c, "b")->exec->argv[0], "/bin/vendor");
	ck_assert_str_eq(expect_service(c, "c")->exec->argv[0], "/bin/admin");
	ck_assert_str_eq(expect_service(c, "d")->exec->argv[0], "/bin/run");
}
END_TEST

START_TEST(drop_ins_of_all_directories_are_laid_over_the_file_in_order)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Configuration) c = NULL;
	const ServiceDef *a;

	tree_write(tree, VENDOR "a.svc", PLAIN "Nice=1\n");
	tree_write(tree, RUN "a.svc.d/10.conf", "[Service]\nNice=4\n");
	tree_write(tree, ADMIN "a.svc.d/20.conf", "[Service]\nNice=3\nUMask=077\n");
	tree_write(tree, VENDOR "a.svc.d/20.conf", "[Service]\nNice=2\nUser=nobody\n");
	tree_write(tree, VENDOR "a.svc.d/notes.txt", "not read");
	tree_write(tree, VENDOR "a.svc.d/.hidden.conf", "not read");
	c = load(tree);

	expect_reported(tree, c, "");
	a = expect_service(c, "a");
	ck_assert_int_eq(a->execution->nice, 4);
	ck_assert_uint_eq(a->execution->umask, 077);
	ck_assert_ptr_null(a->execution->user); /* the admin's 20.conf replaces the vendor's */
}
END_TEST

START_TEST(instances_are_made_for_every_name_that_is_mentioned)
{
	static const char *const extra[] = { "t@extra", "t@", "nix", "../x", NULL };
	static const char *const names[] = { "t@when",  "t@while",  "t@after",    "t@before",
					     "t@wants", "t@policy", "t@activate", "t@kernel",
					     "t@extra", "t@deep" };
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Configuration) c = NULL;

	tree_write(tree, VENDOR "t@.svc", PLAIN);
	tree_write(tree, VENDOR "u@.svc", PLAIN "[Conditions]\nWants=t@%i\n");
	tree_write(tree, VENDOR "a.svc",
		   PLAIN "[Conditions]\nWhen=flag:x | service:t@when\nWhile=settled:t@while\n"
			 "After=t@after\nBefore=t@before\nWants=t@wants u@deep\n");
	tree_write(tree, SVCD_SYSCONFDIR "/policy.d/a.policy",
		   "[runlevel 2]\nActivate=t@activate\n[service a]\nWhen=active:t@policy\n");
	c = load_with(tree,
		      (LoaderOptions){ .any_owner = true,
				       .kernel_cmdline = "quiet svcd.never=t@kernel" },
		      extra);

	expect_reported(tree, c, "");
	for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
		ck_assert_ptr_nonnull(expect_service(c, names[i])->instance);
	ck_assert_uint_eq(service_set_length(c->set), G_N_ELEMENTS(names) + 2);
}
END_TEST

static bool owns_bus_name(const Configuration *c, const char *service, const char *bus_name)
{
	return service_set_find_bus_name(c->set, bus_name) == expect_service(c, service);
}

START_TEST(wanted_names_include_those_of_files_drop_ins_and_templates)
{
	static const char *const names[] = { "plain",  "named",    "broken", "by-drop-in",
					     "t@near", "t@policy", "t@deep", "u@deep" };
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Configuration) c = NULL;

	tree_write(tree, VENDOR "plain.svc", PLAIN "[Conditions]\nWhen=service:nobody\n");
	tree_write(tree, VENDOR "named.svc",
		   PLAIN "Ready=dbus:org.one\n[Conditions]\nProvides=$time alias\nAfter=t@near\n");
	tree_write(tree, VENDOR "broken.svc", "what is this\n");
	tree_write(tree, VENDOR "by-drop-in.svc", PLAIN);
	tree_write(tree, ADMIN "by-drop-in.svc.d/10.conf",
		   "[Service]\nBusName=org.two\n[Conditions]\nProvides=more\nWants=u@deep\n");
	tree_write(tree, VENDOR "t@.svc", PLAIN "BusName=org.%i\n");
	tree_write(tree, VENDOR "u@.svc", PLAIN "[Conditions]\nWants=t@%i\n");
	tree_write(tree, SVCD_SYSCONFDIR "/policy.d/a.policy", "[runlevel 2]\nActivate=t@policy\n");
	c = load_with(tree, (LoaderOptions){ .any_owner = true, .names_only = true }, NULL);

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
		expect_service(c, names[i]);
	ck_assert_uint_eq(service_set_length(c->set), G_N_ELEMENTS(names));
	ck_assert_ptr_eq(expect_service(c, "alias"), expect_service(c, "named"));
	ck_assert_ptr_eq(expect_service(c, "more"), expect_service(c, "by-drop-in"));
	ck_assert_uint_eq(service_set_facility(c->set, "$time")->len, 1);
	ck_assert(owns_bus_name(c, "named", "org.one") &&
		  owns_bus_name(c, "by-drop-in", "org.two") &&
		  owns_bus_name(c, "t@deep", "org.deep"));
}
END_TEST

START_TEST(an_instance_takes_the_drop_ins_of_its_template_then_its_own)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Configuration) c = NULL;

	tree_write(tree, VENDOR "t@.svc", PLAIN "Nice=1\n");
	tree_write(tree, ADMIN "t@.svc.d/a.conf", "[Service]\nNice=2\nUMask=077\n");
	tree_write(tree, VENDOR "t@one.svc.d/a.conf", "[Service]\nNice=3\n");
	tree_write(tree, ADMIN "t@two.svc", "[Service]\nExec=/bin/own %i\n");
	tree_write(tree, VENDOR "b.svc", PLAIN "[Conditions]\nWants=t@three\n");
	c = load(tree);

	expect_reported(tree, c, "");
	ck_assert_int_eq(expect_service(c, "t@one")->execution->nice, 3);
	ck_assert_uint_eq(expect_service(c, "t@one")->execution->umask, 077);
	ck_assert_int_eq(expect_service(c, "t@three")->execution->nice, 2);
	ck_assert_str_eq(expect_service(c, "t@two")->exec->argv[1], "two");
	ck_assert_int_eq(expect_service(c, "t@two")->execution->nice, 2);
}
END_TEST

START_TEST(an_error_in_a_template_is_reported_once_and_without_any_instance)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Configuration) c = NULL;

	tree_write(tree, VENDOR "lonely@.svc", "[Service]\nExec=x\n");
	tree_write(tree, VENDOR "t@.svc", "[Service]\nExec=x\n");
	tree_write(tree, VENDOR "a.svc", PLAIN "[Conditions]\nWants=t@one t@two\n");
	c = load(tree);

	expect_reported(
		tree, c,
		VENDOR
		"lonely@.svc:2: Exec=x: write the whole path of \"x\"; no search path is used\n" VENDOR
		"t@.svc:2: Exec=x: write the whole path of \"x\"; no search path is used\n");
	ck_assert_ptr_nonnull(expect_service(c, "t@one")->problem);
	ck_assert_ptr_nonnull(expect_service(c, "t@two")->problem);
	ck_assert_uint_eq(diag_list_count_errors(c->diags), 2);
}
END_TEST

START_TEST(instances_that_mention_more_instances_come_to_an_end)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Configuration) c = NULL;

	many_names_made = 1;
	tree_write(tree, VENDOR "t@.svc", PLAIN "[Conditions]\nWants=t@%ia t@%ib\n");
	tree_write(tree, VENDOR "a.svc", PLAIN "[Conditions]\nWants=t@x\n");
	c = load(tree);

	ck_assert_uint_eq(service_set_length(c->set), LIMIT_SERVICES);
	ck_assert_uint_eq(diag_list_count_errors(c->diags), 1);
	ck_assert(g_str_has_prefix(diag_list_get(c->diags, 0)->text,
				   "there are more than 20000 services; those from "));
}
END_TEST

START_TEST(policies_are_merged_from_the_vendor_to_the_kernel)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Configuration) c = NULL;
	PolicyDecision decision;

	tree_write(tree, VENDOR "a.svc", PLAIN);
	tree_write(tree, VENDOR "b.svc", PLAIN);
	tree_write(tree, SVCD_LIBDIR "/policy.d/z.policy",
		   "[runlevel 2]\nActivate=a b\n[service a]\nActivation=never\n");
	tree_write(tree, SVCD_LIBDIR "/policy.d/README", "not read");
	tree_write(tree, SVCD_SYSCONFDIR "/policy.d/a.policy", "[service a]\nActivation=manual\n");
	tree_write(tree, "/run/svcd/policy.d/a.policy", "[service a]\nActivation=on-demand\n");
	c = load_with(tree,
		      (LoaderOptions){ .any_owner = true, .kernel_cmdline = "ro svcd.never=b 3" },
		      NULL);

	expect_reported(tree, c, "");
	policy_decide(c->policy, "a", "2", &decision);
	ck_assert_int_eq(decision.activation, ACTIVATION_ON_DEMAND);
	policy_decide(c->policy, "b", "2", &decision);
	ck_assert_int_eq(decision.activation, ACTIVATION_NEVER);
	ck_assert_str_eq(policy_default_runlevel(c->policy, NULL), "3");
}
END_TEST

START_TEST(the_kernel_command_line_can_leave_the_vendors_policy_alone)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Configuration) c = NULL;
	PolicyDecision decision;

	tree_write(tree, VENDOR "a.svc", PLAIN);
	tree_write(tree, VENDOR "b.svc", PLAIN);
	tree_write(tree, SVCD_LIBDIR "/policy.d/v.policy", "[runlevel 2]\nActivate=a\n");
	tree_write(tree, "/run/svcd/generated/g.policy", "[runlevel 2]\nActivate=b\n");
	tree_write(tree, SVCD_SYSCONFDIR "/policy.d/a.policy", "[service a]\nActivation=never\n");
	tree_write(tree, SVCD_SYSCONFDIR "/policy.d/b.policy", "nonsense");
	tree_write(tree, "/run/svcd/policy.d/r.policy",
		   "[service b]\nActivation=never\n[defaults]\nRunlevel=4\n");
	c = load_with(tree,
		      (LoaderOptions){ .any_owner = true,
				       .kernel_cmdline = "ro svcd.policy=vendor svcd.never=b" },
		      NULL);

	expect_reported(
		tree, c,
		"kernel command line: warning: svcd.policy=vendor: only the vendor's policy "
		"counts; /etc/svcd/policy.d "
		"and /run/svcd/policy.d are ignored in this boot\n");
	policy_decide(c->policy, "a", "2", &decision);
	ck_assert_int_eq(decision.activation, ACTIVATION_BOOT);
	policy_decide(c->policy, "b", "2", &decision);
	ck_assert(decision.in_runlevel);
	ck_assert_int_eq(decision.activation, ACTIVATION_NEVER);
	ck_assert_str_eq(policy_default_runlevel(c->policy, NULL), "2");
}
END_TEST

/*
 * The decision for "a" in runlevel 2, with a link that starts it there, and with @vendor, @admin
 * and @run in [defaults].
 */
static PolicyDecision decide_by_links(const char *vendor, const char *admin, const char *run,
				      const char *kernel_cmdline)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Configuration) c = NULL;
	PolicyDecision decision;

	tree_write(tree, VENDOR "a.svc", PLAIN);
	tree_write(tree, LINKS "links.policy", "[service a]\nActivation=boot\nRunlevels=2\n");
	tree_write(tree, SVCD_LIBDIR "/policy.d/v.policy", vendor);
	tree_write(tree, SVCD_SYSCONFDIR "/policy.d/a.policy", admin);
	tree_write(tree, "/run/svcd/policy.d/r.policy", run);
	c = load_with(tree, (LoaderOptions){ .any_owner = true, .kernel_cmdline = kernel_cmdline },
		      NULL);
	policy_decide(c->policy, "a", "2", &decision);
	return decision;
}

#define LINKS_YES "[defaults]\nRcLinks=yes\n"
#define LINKS_NO "[defaults]\nRcLinks=no\n"

START_TEST(links_count_if_the_highest_other_layer_enables_them)
{
	const PolicyDecision counted = decide_by_links("", LINKS_YES, "", NULL);

	ck_assert_int_eq(counted.activation, ACTIVATION_BOOT);
	ck_assert(counted.in_runlevel);
	ck_assert_int_eq(counted.runlevel_layer, POLICY_LAYER_RC_LINKS);
	ck_assert(decide_by_links("", "", "", NULL).is_default);
	ck_assert(decide_by_links(LINKS_YES, "", "", NULL).in_runlevel);
	ck_assert(decide_by_links(LINKS_YES, LINKS_NO, "", NULL).is_default);
	ck_assert(decide_by_links(LINKS_NO, LINKS_NO, LINKS_YES, NULL).in_runlevel);
	ck_assert(decide_by_links(LINKS_YES, "", LINKS_NO, NULL).is_default);
	ck_assert(decide_by_links(LINKS_YES, LINKS_NO, LINKS_NO, "svcd.policy=vendor").in_runlevel);
	ck_assert(decide_by_links("", LINKS_YES, "", "svcd.policy=vendor").is_default);
}
END_TEST

START_TEST(links_cannot_enable_themselves)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Configuration) c = NULL;

	tree_write(tree, LINKS "links.policy", LINKS_YES "[service a]\nActivation=boot\n");
	c = load(tree);

	expect_reported(
		tree, c,
		LINKS "links.policy:2: RcLinks=yes: the policy made from the links in /etc/rc?.d "
		      "cannot set this (this file is left out as a whole; the vendor's policy and "
		      "the other files decide)\n");
	ck_assert(!policy_rc_links(c->policy, NULL));
}
END_TEST

START_TEST(a_broken_policy_file_is_left_out_as_a_whole_and_the_others_decide)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Configuration) c = NULL;
	PolicyDecision decision;

	tree_write(tree, VENDOR "a.svc", PLAIN);
	tree_write(tree, SVCD_LIBDIR "/policy.d/v.policy", "[runlevel 2]\nActivate=a\n");
	tree_write(tree, SVCD_SYSCONFDIR "/policy.d/b.policy",
		   "[service a]\nActivation=never\nReasn=x\n");
	tree_write(tree, SVCD_SYSCONFDIR "/policy.d/c.policy", "[service a]\nReason=y\n");
	c = load(tree);

	expect_reported(
		tree, c,
		SVCD_SYSCONFDIR
		"/policy.d/b.policy:3: unknown key Reasn= in [service]; did you mean Reason=? "
		"(this file is left out as a whole; the vendor's policy and the other files "
		"decide)\n");
	policy_decide(c->policy, "a", "2", &decision);
	ck_assert_int_eq(decision.activation, ACTIVATION_BOOT);
	ck_assert_str_eq(policy_service(c->policy, "a")->reason, "y");
}
END_TEST

START_TEST(the_last_good_version_of_the_admins_broken_policy_file_is_used)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Configuration) c = NULL;
	PolicyDecision decision;

	tree_write(tree, VENDOR "a.svc", PLAIN);
	tree_write(tree, SVCD_SYSCONFDIR "/policy.d/b.policy", "[runlevel 2]\nActivat=a\n");
	tree_write(tree, POLICY_LAST_GOOD_DIRECTORY "/b.policy", "[runlevel 2]\nActivate=a\n");
	tree_write(tree, POLICY_LAST_GOOD_DIRECTORY "/gone.policy",
		   "[service a]\nActivation=never\n");
	c = load(tree);

	expect_reported(tree, c,
			SVCD_SYSCONFDIR
			"/policy.d/b.policy:2: unknown key Activat= in [runlevel]; did you mean "
			"Activate=? (the last version of this file without errors is used)\n");
	ck_assert_uint_eq(diag_list_count_errors(c->diags), 1);
	policy_decide(c->policy, "a", "2", &decision);
	ck_assert_int_eq(decision.activation, ACTIVATION_BOOT);
	ck_assert(decision.in_runlevel);
}
END_TEST

START_TEST(the_last_good_version_of_the_admins_broken_service_is_used)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Configuration) c = NULL;

	tree_write(tree, SERVICE_LAST_GOOD_DIRECTORY "/" SERVICE_LAST_GOOD_MARK, "");
	tree_write(tree, ADMIN "a.svc", "[Service]\nExce=/bin/a\n");
	tree_write(tree, SERVICE_LAST_GOOD_DIRECTORY "/a.svc", "[Service]\nExec=/bin/a\nNice=1\n");
	tree_write(tree, VENDOR "b.svc", PLAIN);
	tree_write(tree, ADMIN "b.svc.d/x.conf", "nonsense");
	tree_write(tree, SERVICE_LAST_GOOD_DIRECTORY "/b.svc.d/y.conf", "[Service]\nNice=2\n");
	tree_write(tree, VENDOR "c.svc", PLAIN);
	tree_write(tree, ADMIN "c.svc.d/x.conf", "nonsense");
	tree_write(tree, ADMIN "new.svc", "nonsense");
	c = load(tree);

	ck_assert_ptr_null(expect_service(c, "a")->problem);
	ck_assert_ptr_nonnull(
		strstr(expect_service(c, "a")->file_problem, ADMIN "a.svc:2: unknown key Exce="));
	ck_assert_int_eq(expect_service(c, "a")->execution->nice, 1);
	ck_assert_int_eq(expect_service(c, "b")->execution->nice, 2);
	ck_assert_ptr_null(expect_service(c, "c")->problem);
	ck_assert_ptr_nonnull(expect_service(c, "c")->file_problem);
	ck_assert_ptr_nonnull(expect_service(c, "new")->problem);
	ck_assert_str_eq(expect_service(c, "a")->origin.file + strlen(tree->root), ADMIN "a.svc");
}
END_TEST

START_TEST(a_tried_out_policy_file_has_an_effect_if_its_copy_has_an_error_too)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Configuration) c = NULL;
	g_autoptr(GHashTable) overlay = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
							      (GDestroyNotify)g_bytes_unref);
	static const char text[] = "[service b]\nWhile=service:purged\nReason=tried\n";

	tree_write(tree, VENDOR "b.svc", PLAIN);
	tree_write(tree, SVCD_SYSCONFDIR "/policy.d/left.policy",
		   "[service b]\nWhile=service:purged\n");
	tree_write(tree, POLICY_LAST_GOOD_DIRECTORY "/left.policy",
		   "[service b]\nWhile=service:purged\n");
	g_hash_table_insert(overlay,
			    g_strconcat(tree->root, SVCD_SYSCONFDIR "/policy.d/left.policy", NULL),
			    g_bytes_new_static(text, sizeof text - 1));
	c = load_with(tree, (LoaderOptions){ .any_owner = true, .overlay = overlay }, NULL);

	ck_assert_str_eq(policy_service(c->policy, "b")->reason, "tried");
}
END_TEST

START_TEST(a_tried_out_file_of_a_service_with_an_error_has_no_effect)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Configuration) c = NULL;
	g_autoptr(GHashTable) overlay = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
							      (GDestroyNotify)g_bytes_unref);
	g_autofree char *drop_in = g_strconcat(tree->root, ADMIN "a.svc.d/x.conf", NULL);
	g_autofree char *other = g_strconcat(tree->root, ADMIN "b.svc.d/x.conf", NULL);

	tree_write(tree, SERVICE_LAST_GOOD_DIRECTORY "/" SERVICE_LAST_GOOD_MARK, "");
	tree_write(tree, ADMIN "a.svc", "[Service]\nExce=/bin/a\n");
	tree_write(tree, SERVICE_LAST_GOOD_DIRECTORY "/a.svc", "[Service]\nExec=/bin/a\nNice=1\n");
	tree_write(tree, VENDOR "b.svc", PLAIN);
	g_hash_table_insert(overlay, g_steal_pointer(&drop_in),
			    g_bytes_new_static("[Service]\nNice=5\n", 17));
	g_hash_table_insert(overlay, g_steal_pointer(&other),
			    g_bytes_new_static("[Service]\nNice=6\n", 17));
	c = load_with(tree, (LoaderOptions){ .any_owner = true, .overlay = overlay }, NULL);

	ck_assert_int_eq(expect_service(c, "a")->execution->nice, 1);
	ck_assert_int_eq(expect_service(c, "b")->execution->nice, 6);
	ck_assert_uint_eq(diag_list_count_errors(c->diags), 1);
}
END_TEST

START_TEST(the_last_good_version_is_used_if_a_file_names_a_missing_service_or_closes_a_cycle)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Configuration) c = NULL;

	tree_write(tree, SERVICE_LAST_GOOD_DIRECTORY "/" SERVICE_LAST_GOOD_MARK, "");
	tree_write(tree, ADMIN "typo.svc", PLAIN "[Conditions]\nWhile=service:bas\n");
	tree_write(tree, SERVICE_LAST_GOOD_DIRECTORY "/typo.svc", PLAIN);
	tree_write(tree, ADMIN "base.svc", PLAIN "[Conditions]\nWhile=service:user\n");
	tree_write(tree, SERVICE_LAST_GOOD_DIRECTORY "/base.svc", PLAIN);
	tree_write(tree, ADMIN "user.svc", PLAIN "[Conditions]\nWhile=service:base\n");
	tree_write(tree, SERVICE_LAST_GOOD_DIRECTORY "/user.svc",
		   PLAIN "[Conditions]\nWhile=service:base\n");
	/* The package is removed: without it, no version of the file is valid. */
	tree_write(tree, ADMIN "left.svc", PLAIN "[Conditions]\nWhile=service:purged\n");
	tree_write(tree, SERVICE_LAST_GOOD_DIRECTORY "/left.svc",
		   PLAIN "[Conditions]\nWhile=service:purged\n");
	c = load(tree);

	ck_assert_ptr_null(expect_service(c, "typo")->problem);
	ck_assert_uint_eq(expect_service(c, "typo")->while_terms->len, 0);
	ck_assert_ptr_null(expect_service(c, "base")->problem);
	ck_assert_ptr_null(expect_service(c, "user")->problem);
	ck_assert_uint_eq(expect_service(c, "user")->while_terms->len, 1);
	ck_assert_ptr_nonnull(expect_service(c, "left")->problem);
}
END_TEST

START_TEST(the_last_good_version_of_a_policy_file_is_used_if_its_term_names_a_missing_service)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Configuration) c = NULL;

	tree_write(tree, VENDOR "a.svc", PLAIN);
	tree_write(tree, VENDOR "b.svc", PLAIN);
	tree_write(tree, SVCD_SYSCONFDIR "/policy.d/typo.policy",
		   "[service a]\nWhile=service:bb\n");
	tree_write(tree, POLICY_LAST_GOOD_DIRECTORY "/typo.policy",
		   "[service a]\nWhile=service:b\n");
	/* The package is removed; later changes take effect. */
	tree_write(tree, SVCD_SYSCONFDIR "/policy.d/left.policy",
		   "[service b]\nWhile=service:purged\nReason=new\n");
	tree_write(tree, POLICY_LAST_GOOD_DIRECTORY "/left.policy",
		   "[service b]\nWhile=service:purged\n");
	c = load(tree);

	ck_assert_ptr_null(expect_service(c, "a")->problem);
	ck_assert_ptr_nonnull(strstr(expect_service(c, "a")->file_problem, "typo.policy:2: "));
	ck_assert_uint_eq(policy_service(c->policy, "a")->while_terms->len, 1);
	ck_assert_ptr_nonnull(expect_service(c, "b")->problem);
	ck_assert_str_eq(policy_service(c->policy, "b")->reason, "new");
}
END_TEST

START_TEST(poisoned_local_files_can_be_left_out)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Configuration) c = NULL;

	tree_write(tree, VENDOR "a.svc", PLAIN);
	tree_write(tree, ADMIN "a.svc", "nonsense");
	tree_write(tree, RUN "b.svc", "nonsense");
	tree_write(tree, GENERATED "c.svc", "nonsense");
	tree_write(tree, SVCD_SYSCONFDIR "/policy.d/a.policy", "nonsense");
	c = load_with(tree, (LoaderOptions){ .any_owner = true, .without_local_files = true },
		      NULL);

	expect_reported(tree, c, "");
	ck_assert_uint_eq(service_set_length(c->set), 1);
}
END_TEST

START_TEST(a_broken_file_puts_its_service_out_and_no_other)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Configuration) c = NULL;

	tree_write(tree, VENDOR "a.svc", PLAIN);
	tree_write(tree, ADMIN "a.svc", "[Service]\nExce=/bin/x\n");
	tree_write(tree, VENDOR "b.svc", PLAIN "[Conditions]\nWhile=service:a\n");
	tree_write(tree, SVCD_SYSCONFDIR "/policy.d/a.policy", "[runlevel 2]\nActivat=b\n");
	tree_write(tree, SVCD_SYSCONFDIR "/policy.d/b.policy", "[runlevel 2]\nActivate=b\n");
	c = load(tree);

	expect_reported(
		tree, c,
		SVCD_SYSCONFDIR
		"/policy.d/a.policy:2: unknown key Activat= in [runlevel]; did you mean "
		"Activate=? (this file is left out as a whole; the vendor's policy and the other "
		"files decide)\n" ADMIN
		"a.svc:2: unknown key Exce= in [Service]; did you mean Exec=?\n");
	ck_assert_ptr_nonnull(expect_service(c, "a")->problem);
	ck_assert_ptr_null(expect_service(c, "b")->problem);
}
END_TEST

START_TEST(a_broken_drop_in_puts_the_service_out)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Configuration) c = NULL;

	tree_write(tree, VENDOR "a.svc", PLAIN);
	tree_mkdir(tree, ADMIN "a.svc.d/b.conf");
	c = load(tree);

	expect_reported(tree, c, ADMIN "a.svc.d/b.conf: it is a directory, not a file\n");
	ck_assert_ptr_nonnull(expect_service(c, "a")->problem);
}
END_TEST

START_TEST(drop_ins_without_a_file_are_warned_of)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Configuration) c = NULL;

	tree_write(tree, ADMIN "a.svc.d/b.conf", "[Service]\nNice=1\n");
	tree_mkdir(tree, ADMIN "b.svc.d");
	c = load(tree);

	expect_reported(
		tree, c,
		ADMIN
		"a.svc.d/b.conf: warning: this drop-in has no effect, because there is no service "
		"file a.svc\n");
	ck_assert_uint_eq(service_set_length(c->set), 0);
}
END_TEST

START_TEST(invalid_service_names_are_reported)
{
	g_autofree char *longest = g_strnfill(LIMIT_NAME_BYTES + 1, 'n');
	g_autofree char *long_file = g_strconcat(VENDOR, longest, ".svc", NULL);
	g_autofree char *expected = NULL;
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Configuration) c = NULL;

	tree_write(tree, VENDOR "a\nb.svc", PLAIN);
	tree_write(tree, VENDOR "a b.svc", PLAIN);
	tree_write(tree, VENDOR "-x.svc", PLAIN);
	tree_write(tree, long_file, PLAIN);
	tree_write(tree, VENDOR "ssh.service", "[Unit]\n");
	tree_write(tree, VENDOR "a.svc~", "not read");
	tree_write(tree, VENDOR ".a.svc.swp", "not read");
	tree_write(tree, VENDOR "..svc", "not read");
	c = load(tree);

	expected = g_strconcat(
		VENDOR
		"-x.svc: the name of a service must not begin with \"-\"\n" VENDOR
		"a\\x0ab.svc: the name of a service contains letters, digits and _.@:+-, not byte "
		"0x0a\n" VENDOR
		"a b.svc: the name of a service contains letters, digits and _.@:+-, not \" \"\n",
		long_file,
		": the name of a service has at most 200 bytes\n" VENDOR
		"ssh.service: warning: this file is not read, because its name does not end in "
		".svc\n",
		NULL);
	expect_reported(tree, c, expected);
	ck_assert_uint_eq(service_set_length(c->set), 0);
}
END_TEST

START_TEST(an_entry_that_is_no_file_is_reported_and_its_service_excluded)
{
	static const char *const names[] = { "dangling", "directory", "fifo",
					     "loop",     "null",      "socket" };
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Configuration) c = NULL;
	g_autofree char *fifo = tree_path(tree, VENDOR "fifo.svc");
	g_autofree char *socket_path = tree_path(tree, VENDOR "socket.svc");

	tree_mkdir(tree, VENDOR "directory.svc");
	ck_assert_int_eq(mkfifo(fifo, 0644), 0);
	ck_assert_int_eq(mknod(socket_path, S_IFSOCK | 0600, 0), 0); /* too long for bind(2) */
	tree_symlink(tree, "/nowhere", VENDOR "dangling.svc");
	tree_symlink(tree, "loop.svc", VENDOR "loop.svc");
	tree_symlink(tree, "/dev/null", VENDOR "null.svc");
	tree_write(tree, VENDOR "fine.svc", PLAIN);
	c = load(tree);

	/*
	 * In a tree a link to /dev/null leads into the tree, which has no /dev/null; see
	 * test_source_file.
	 */
	expect_reported(
		tree, c,
		VENDOR
		"dangling.svc: it is a symbolic link to /nowhere, which does not exist\n" VENDOR
		"directory.svc: it is a directory, not a file\n" VENDOR
		"fifo.svc: it is a FIFO, not a file\n" VENDOR
		"loop.svc: it is a symbolic link that leads back to itself\n" VENDOR
		"null.svc: it is a symbolic link to /dev/null, which does not exist\n" VENDOR
		"socket.svc: it is a socket, not a file\n");
	for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
		ck_assert_ptr_nonnull(expect_service(c, names[i])->problem);
	ck_assert_ptr_null(expect_service(c, "fine")->problem);
}
END_TEST

START_TEST(symbolic_links_stay_inside_the_root)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Configuration) c = NULL;

	tree_write(tree, "/opt/x/a.svc", PLAIN);
	tree_symlink(tree, "/opt/x/a.svc", VENDOR "a.svc");
	tree_symlink(tree, "../../../../../../../../../../etc/hostname", VENDOR "b.svc");
	tree_symlink(tree, "/opt/x", SVCD_SYSCONFDIR "/services.d");
	c = load(tree);

	ck_assert_ptr_null(expect_service(c, "a")->problem);
	expect_reported(
		tree, c,
		VENDOR
		"b.svc: it is a symbolic link to ../../../../../../../../../../etc/hostname, which "
		"does not exist\n");
}
END_TEST

START_TEST(a_file_that_everybody_may_write_is_refused)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Configuration) c = NULL;
	g_autofree char *file = tree_path(tree, VENDOR "a.svc");
	g_autofree char *directory = tree_path(tree, SVCD_SYSCONFDIR "/policy.d");

	tree_write(tree, VENDOR "a.svc", PLAIN);
	ck_assert_int_eq(chmod(file, 0646), 0);
	tree_write(tree, SVCD_SYSCONFDIR "/policy.d/a.policy", "[runlevel 2]\nActivate=a\n");
	ck_assert_int_eq(chmod(directory, 0777), 0);
	c = load(tree);

	expect_reported(
		tree, c,
		SVCD_SYSCONFDIR
		"/policy.d: all users may write to it; remove that permission (chmod o-w) and "
		"check its contents\n" VENDOR
		"a.svc: all users may write to it; remove that permission (chmod o-w) and check "
		"its contents\n");
}
END_TEST

START_TEST(a_file_of_another_user_or_another_group_is_refused)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Configuration) c = NULL;
	g_autofree char *foreign = tree_path(tree, VENDOR "foreign.svc");
	g_autofree char *shared = tree_path(tree, VENDOR "shared.svc");

	tree_write(tree, VENDOR "foreign.svc", PLAIN);
	tree_write(tree, VENDOR "shared.svc", PLAIN);
	tree_write(tree, VENDOR "roots.svc", PLAIN);
	ck_assert_int_eq(chown(foreign, 1234, 0), 0);
	ck_assert_int_eq(chown(shared, 0, 1234), 0);
	ck_assert_int_eq(chmod(shared, 0664), 0);
	c = load_with(tree, (LoaderOptions){ 0 }, NULL);

	expect_reported(
		tree, c,
		VENDOR
		"foreign.svc: it belongs to user 1234; it must belong to root (chown root)\n" VENDOR
		"shared.svc: group 1234 may write to it; remove that permission (chmod g-w)\n");
	ck_assert_ptr_nonnull(expect_service(c, "foreign")->problem);
	ck_assert_ptr_null(expect_service(c, "roots")->problem);
}
END_TEST

START_TEST(a_file_of_a_mebibyte_is_refused)
{
	g_autofree char *value = g_strnfill(1024 * 1024, 'x');
	g_autofree char *text = g_strconcat(PLAIN "Description=", value, "\n", NULL);
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Configuration) c = NULL;

	tree_write(tree, VENDOR "a.svc", text);
	c = load(tree);

	expect_reported(tree, c, VENDOR "a.svc: it is longer than 262144 bytes\n");
}
END_TEST

enum { MANY = 10000 };

START_TEST(ten_thousand_files_in_a_chain_are_read_quickly)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Configuration) c = NULL;
	clock_t begin;

	many_names_made = 1;
	for (int i = 0; i < MANY; i++) {
		g_autofree char *path = g_strdup_printf(VENDOR "s%05d.svc", i);
		g_autofree char *text =
			i == 0 ?
				g_strdup(PLAIN) :
				g_strdup_printf(PLAIN
						"[Conditions]\nWhile=service:s%05d\nAfter=t@%05d\n",
						i - 1, i % 100);

		tree_write(tree, path, text);
	}
	tree_write(tree, VENDOR "t@.svc", PLAIN);
	begin = clock();
	c = load(tree);

	/* Half a second without sanitizers. A quadratic algorithm would take minutes. */
	ck_assert_int_lt(clock() - begin, 20 * CLOCKS_PER_SEC);
	expect_reported(tree, c, "");
	ck_assert_uint_eq(service_set_length(c->set), MANY + 100);
}
END_TEST

START_TEST(a_users_service_has_no_keys_that_only_root_could_carry_out)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *config = tree_path(tree, "/config");
	g_autoptr(Configuration) c = NULL;

	g_setenv("XDG_CONFIG_HOME", config, TRUE);
	tree_write(tree, "/config/svcd/services.d/a.svc",
		   "[Service]\nExec=/bin/x\nNice=5\nUser=root\n");
	tree_write(tree, "/config/svcd/services.d/b.svc", "[Service]\nExec=/bin/x\nNice=-5\n");
	tree_write(tree, "/config/svcd/services.d/c.svc",
		   "[Service]\nExec=/bin/x\nNice=5\nEnvironment=A=b\nLimitNOFILE=64\n");

	c = configuration_load(
		&(LoaderOptions){ .user_mode = true, .any_owner = true, .without_lines = true },
		NULL);
	expect_reported(
		tree, c,
		"/config/svcd/services.d/a.svc:4: User=root needs root: a user's services run as "
		"that user\n"
		"/config/svcd/services.d/b.svc:3: Nice=-5 needs root: it needs privileges that a "
		"user does not have\n");
	ck_assert_ptr_nonnull(expect_service(c, "a")->problem);
	ck_assert_ptr_null(expect_service(c, "c")->problem);
}
END_TEST

#define NAMED(description) "[Service]\nDescription=" description "\nExec=/bin/x\n"

static void expect_description(const Configuration *c, const char *name, const char *description)
{
	ck_assert_str_eq(expect_service(c, name)->description, description);
}

/* Gathers the files into a bundle, hands the bundle over and loads it. */
static Configuration *load_gathered(const Tree *tree, LoaderOptions options)
{
	const int fd = memfd_create("test", MFD_ALLOW_SEALING);
	g_autoptr(Bundle) open_bundle = bundle_new();
	g_autoptr(Bundle) taken = NULL;

	options.root = tree->root;
	options.bundle = open_bundle;
	gather(&options);
	ck_assert(bundle_write(open_bundle, fd, NULL));
	taken = bundle_read(fd, NULL);
	ck_assert_ptr_nonnull(taken);
	close(fd);
	tree_write(tree, ADMIN "written-later.svc", PLAIN);
	options.bundle = taken;
	return configuration_load(&options, (const char *const[]){ "template@asked", NULL });
}

START_TEST(a_load_from_a_bundle_sees_what_one_from_the_disk_saw)
{
	g_autoptr(Tree) tree = tree_new();
	const LoaderOptions options = { .any_owner = true };
	g_autoptr(Configuration) c = NULL;

	tree_write(tree, GENERATED "made.svc", NAMED("as it is"));
	tree_write(tree, VENDOR "replaced.svc", NAMED("the vendor's"));
	tree_write(tree, ADMIN "replaced.svc", NAMED("the admin's"));
	tree_write(tree, VENDOR "template@.svc", NAMED("of %i"));
	tree_write(tree, VENDOR "has-drop-in.svc", NAMED("without"));
	tree_write(tree, ADMIN "has-drop-in.svc.d/a.conf", "[Service]\nDescription=with\n");
	tree_write(tree, VENDOR "broken.svc", "[Service]\nExce=/bin/x\n");
	tree_write(tree, ADMIN "directory.svc/x", "");
	tree_write(tree, SVCD_SYSCONFDIR "/policy.d/a.policy", "[service made]\nActivation=boot\n");
	tree_symlink(tree, "/nowhere", ADMIN "dangles.svc");
	c = load_gathered(tree, options);

	expect_reported(
		tree, c,
		ADMIN "dangles.svc: it is a symbolic link to /nowhere, which does not exist\n" ADMIN
		      "directory.svc: it is a directory, not a file\n" VENDOR
		      "broken.svc:2: unknown key Exce= in [Service]; did you mean Exec=?\n");
	expect_description(c, "made", "as it is");
	expect_description(c, "replaced", "the admin's");
	expect_description(c, "has-drop-in", "with");
	expect_description(c, "template@asked", "of asked");
	ck_assert_ptr_null(service_set_find(c->set, "written-later"));
	ck_assert_ptr_nonnull(policy_service(c->policy, "made"));
}
END_TEST

START_TEST(local_files_of_a_bundle_can_be_left_out)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Bundle) bundle = bundle_new();
	const LoaderOptions gathered = { .root = tree->root, .any_owner = true, .bundle = bundle };
	LoaderOptions shipped = gathered;
	g_autoptr(Configuration) c = NULL;

	tree_write(tree, VENDOR "replaced.svc", NAMED("the vendor's"));
	tree_write(tree, ADMIN "replaced.svc", NAMED("the admin's"));
	tree_write(tree, ADMIN "local.svc", PLAIN);
	gather(&gathered);
	shipped.without_local_files = true;
	c = configuration_load(&shipped, NULL);

	expect_description(c, "replaced", "the vendor's");
	ck_assert_ptr_null(service_set_find(c->set, "local"));
}
END_TEST

START_TEST(files_and_directories_that_not_every_user_may_read_are_known)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *secret = tree_path(tree, ADMIN "secret.svc");
	g_autofree char *open = tree_path(tree, ADMIN "open.svc");
	g_autofree char *directory = tree_path(tree, "/run/svcd/services.d");
	g_autofree char *hidden = tree_path(tree, RUN "hidden.svc");
	g_autoptr(Configuration) from_disk = NULL;
	g_autoptr(Configuration) from_bundle = NULL;

	tree_write(tree, ADMIN "secret.svc", PLAIN);
	tree_write(tree, ADMIN "open.svc", PLAIN);
	tree_write(tree, RUN "hidden.svc", PLAIN);
	ck_assert_int_eq(chmod(secret, 0640), 0);
	ck_assert_int_eq(chmod(directory, 0750), 0);
	from_disk = load(tree);
	from_bundle = load_gathered(tree, (LoaderOptions){ .any_owner = true });

	for (unsigned i = 0; i < 2; i++) {
		const Configuration *c = i == 0 ? from_disk : from_bundle;

		ck_assert(configuration_is_secret(c->secrets, secret));
		ck_assert(configuration_is_secret(c->secrets, hidden));
		ck_assert(!configuration_is_secret(c->secrets, open));
		ck_assert(!configuration_is_secret(c->secrets, NULL));
	}
}
END_TEST

START_TEST(the_problem_of_a_secret_file_quotes_nothing_of_it)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *secret = tree_path(tree, ADMIN "secret.svc");
	g_autofree char *expected = g_strdup_printf(
		"%s: it has an error, which is shown only to root: svcctl check", secret);
	g_autoptr(Configuration) c = NULL;

	tree_write(tree, ADMIN "secret.svc", "[Service]\nPassword=xyzzy\n");
	ck_assert_int_eq(chmod(secret, 0600), 0);
	c = load(tree);

	ck_assert_str_eq(expect_service(c, "secret")->problem, expected);
	expect_reported(
		tree, c,
		ADMIN "secret.svc:2: unknown key Password= in [Service]; svcd.service(5) lists the "
		      "keys\n");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("loader");

	ADD_CASE(suite, "files", without_any_directory_there_are_no_services_and_no_messages,
		 the_later_directory_wins_by_name,
		 drop_ins_of_all_directories_are_laid_over_the_file_in_order,
		 policies_are_merged_from_the_vendor_to_the_kernel,
		 links_count_if_the_highest_other_layer_enables_them,
		 links_cannot_enable_themselves,
		 the_kernel_command_line_can_leave_the_vendors_policy_alone,
		 a_broken_policy_file_is_left_out_as_a_whole_and_the_others_decide,
		 a_tried_out_policy_file_has_an_effect_if_its_copy_has_an_error_too,
		 a_tried_out_file_of_a_service_with_an_error_has_no_effect,
		 the_last_good_version_of_the_admins_broken_policy_file_is_used,
		 the_last_good_version_of_the_admins_broken_service_is_used,
		 the_last_good_version_is_used_if_a_file_names_a_missing_service_or_closes_a_cycle,
		 the_last_good_version_of_a_policy_file_is_used_if_its_term_names_a_missing_service,
		 poisoned_local_files_can_be_left_out, symbolic_links_stay_inside_the_root);
	ADD_CASE(suite, "bundle", a_load_from_a_bundle_sees_what_one_from_the_disk_saw,
		 local_files_of_a_bundle_can_be_left_out,
		 files_and_directories_that_not_every_user_may_read_are_known,
		 the_problem_of_a_secret_file_quotes_nothing_of_it);
	ADD_CASE(suite, "instances", instances_are_made_for_every_name_that_is_mentioned,
		 wanted_names_include_those_of_files_drop_ins_and_templates,
		 an_instance_takes_the_drop_ins_of_its_template_then_its_own,
		 an_error_in_a_template_is_reported_once_and_without_any_instance);
	ADD_CASE(suite, "mistakes", a_broken_file_puts_its_service_out_and_no_other,
		 a_broken_drop_in_puts_the_service_out,
		 a_users_service_has_no_keys_that_only_root_could_carry_out,
		 drop_ins_without_a_file_are_warned_of, invalid_service_names_are_reported,
		 an_entry_that_is_no_file_is_reported_and_its_service_excluded,
		 a_file_that_everybody_may_write_is_refused, a_file_of_a_mebibyte_is_refused);
	if (geteuid() == 0) /* changing the owner needs root */
		ADD_CASE(suite, "mistakes of others",
			 a_file_of_another_user_or_another_group_is_refused);
	ADD_CASE(suite, "many", ten_thousand_files_in_a_chain_are_read_quickly,
		 instances_that_mention_more_instances_come_to_an_end);
	return suite;
}
