/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * svcctl on the command line: files and policy, below a root.
 */
#include "config.h"

#include <string.h>

#include "tests/lib/suite.h"
#include "tests/lib/svcctl-world.h"

START_TEST(check_finds_mistakes_below_a_root)
{
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *line = g_strdup_printf("check --root %s", bw->tree->root);
	g_autofree char *good = NULL;
	g_autofree char *bad = NULL;

	tree_write(bw->tree, SVCD_SYSCONFDIR "/services.d/a.svc", "[Service]\nExec=/bin/a\n");
	ck_assert_int_eq(bus_world_svcctl(bw, line, &good, NULL), 0);
	ck_assert_str_eq(good, "1 service, 0 errors, 0 warnings\n");

	tree_write(bw->tree, SVCD_SYSCONFDIR "/services.d/b.svc", "[Service]\nExce=/bin/b\n");
	ck_assert_int_eq(bus_world_svcctl(bw, line, &bad, NULL), 10);
	ck_assert_msg(strstr(bad, SVCD_SYSCONFDIR "/services.d/b.svc:2: ") != NULL, "%s", bad);
}
END_TEST

/* The commands run one after the other in one tree; each gets " --root TREE" appended. */
/* clang-format off */
static const Typed policy_lines[] = {
	{ "policy log", 0, "svcctl has not changed anything yet\n", "" },
	{ "policy web", 0, "web: on-demand (built-in: no policy names it), no runlevel starts it\n", "" },
	{ "enable web --dry-run", 0,
	  "web: on-demand -> boot in runlevel 2\n"
	  "  Starts     web\n"
	  "  Computed for a boot into the default runlevel with all devices and networks present\n"
	  "  Dry run: nothing was written\n",
	  "" },
	{ "cat --diff", 0, "nothing differs from the vendor's files\n", "" },
	{ "enable web", 0, "web: on-demand -> boot in runlevel 2\n  Written as step 1 (undo: svcctl undo 1)\n", "" },
	{ "enable web", 0, "web: boot in runlevel 2\n  Nothing to change: the files already contain this\n", "" },
	{ "policy", 0,
	  "runlevel 2; the machine boots into 2 (built-in)\n"
	  "NAME POLICY WHY                  VENDOR SETS ORIGIN\n"
	  "web  boot   wanted in runlevel 2 on-demand   ROOT" SVCD_SYSCONFDIR
	  "/policy.d/90-svcctl.policy:6\n"
	  "Not shown: 1 in no policy (svcctl policy --all)\n",
	  "" },
	{ "disable web", 0,
	  "web: boot in runlevel 2 -> on-demand\n"
	  "  Still started by: front (While=service:web)\n"
	  "  Still started by: a call to org.example.Web on the bus\n"
	  "  To prevent that as well: svcctl set web never\n"
	  "  Written as step 2 (undo: svcctl undo 2)\n",
	  "" },
	{ "set web sometimes", 2, "",
	  "svcctl: set: \"sometimes\" is not boot, on-demand, manual or never\n  svcctl set --help\n" },
	{ "set web never --runlevel 2", 2, "",
	  "svcctl: set: --runlevel needs boot; no runlevel starts a service that is never\n  svcctl set --help\n" },
	{ "set web boot --runlevel 9", 2, "", "svcctl: there is no runlevel \"9\"\n  svcctl set --help\n" },
	{ "enable wep", 4, "", "svcctl: no file describes a service named wep\n  did you mean: web\n" },
	{ "disable wep", 4, "", "svcctl: no file describes a service named wep\n  did you mean: web\n" },
	{ "set wep/ never", 2, "", "svcctl: the name of a service contains letters, digits and _.@:+-, not \"/\"\n  svcctl set --help\n" },
	{ "edit web Description", 2, "",
	  "svcctl: edit: \"Description\" is not KEY=VALUE\n  svcctl edit --help\n" },
	{ "undo 0", 2, "", "svcctl: undo: \"0\" is not the number of a step\n  svcctl undo --help\n" },
	{ "policy web --dry-run", 2, "",
	  "svcctl: policy: --dry-run works only with presets\n  svcctl policy --help\n" },
	{ "undo", 0, "step 2 is undone: svcctl disable web --root ROOT\n  Written as step 3 (undo: svcctl undo 3)\n", "" },
	{ "runlevel 3 --dry-run", 0, "runlevel 3, from the runlevel that the machine boots into\n  Stops      web\n  Dry run: nothing was changed\n", "" },
	{ "set wep never", 0,
	  "wep: on-demand -> never\n"
	  "  There is no service file yet; the policy takes effect when there is one\n"
	  "  Did you mean: web\n"
	  "  Written as step 4 (undo: svcctl undo 4)\n",
	  "" },
	{ "set cupsd web manual", 0,
	  "cupsd: on-demand -> manual\n"
	  "  There is no service file yet; the policy takes effect when there is one\n"
	  "web: boot in runlevel 2 -> manual\n"
	  "  Written as step 5 (undo: svcctl undo 5)\n",
	  "" },
	{ "undo wep cupsd", 0,
	  "wep: never -> on-demand\ncupsd: manual -> on-demand\n"
	  "  Written as step 6 (undo: svcctl undo 6)\n",
	  "" },
	{ "edit", 2, "", "svcctl: edit: name a service, or give --policy\n  svcctl edit --help\n" },
};
/* clang-format on */

static char *hide_root(const BusWorld *bw, const char *text)
{
	g_auto(GStrv) parts = g_strsplit(text, bw->tree->root, -1);

	return g_strjoinv("ROOT", parts);
}

START_TEST(the_entry_that_keeps_a_service_off_is_reported_with_its_reason)
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "f", NULL };
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *line =
		g_strdup_printf("policy --all -o name,why --root %s", bw->tree->root);
	g_autofree char *out = NULL;

	for (size_t i = 0; names[i]; i++) {
		g_autofree char *path = g_strdup_printf(SVCD_LIBDIR "/services.d/%s.svc", names[i]);

		tree_write(bw->tree, path, "[Service]\nExec=/bin/x\n");
	}
	tree_write(
		bw->tree, SVCD_SYSCONFDIR "/policy.d/local.policy",
		"[runlevel 2]\nActivate=a\n[runlevel 3]\nActivate=b\n[service a]\nReason=the "
		"office needs it\n"
		"[service b]\nReason=only with a network\n[service c]\nActivation=never\n"
		"Reason=no printers\n"
		"[service d]\nActivation=manual\n[service e]\nActivation=on-demand\nReason=rarely "
		"used\n");
	ck_assert_int_eq(bus_world_svcctl(bw, line, &out, NULL), 0);
	ck_assert_str_eq(out, "runlevel 2; the machine boots into 2 (built-in)\n"
			      "NAME WHY\n"
			      "a    wanted in runlevel 2 (the office needs it)\n"
			      "b    off: not in runlevel 2 (only with a network)\n"
			      "c    off: Activation=never (no printers)\n"
			      "d    off: Activation=manual\n"
			      "e    off: Activation=on-demand, and nothing needs it (rarely used)\n"
			      "f    off: no policy names it\n");
}
END_TEST

START_TEST(a_setting_equal_to_the_vendors_is_not_listed)
{
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *line = g_strdup_printf("cat --diff --root %s", bw->tree->root);
	g_autofree char *out = NULL;
	g_autofree char *shown = NULL;

	for (size_t i = 0; i < 3; i++) {
		static const char *const services[] = { "web", "front", "back" };
		g_autofree char *path =
			g_strdup_printf(SVCD_LIBDIR "/services.d/%s.svc", services[i]);

		tree_write(bw->tree, path, "[Service]\nExec=/bin/a\nNice=5\n");
	}
	tree_write(bw->tree, SVCD_LIBDIR "/policy.d/v.policy",
		   "[runlevel 3]\nActivate=back\n[runlevel 2]\nInclude=3\nActivate=web front\n"
		   "[service web]\nActivation=boot\nReason=it is the vendor's\n[defaults]\n"
		   "Runlevel=2\n");
	tree_write(bw->tree, SVCD_SYSCONFDIR "/policy.d/a.policy",
		   "[runlevel 2]\nActivate=web -front back\n"
		   "[service web]\nActivation=boot\nReason=it is mine\n"
		   "[defaults]\nRunlevel=2\nNewServices=manual\n");
	tree_write(bw->tree, SVCD_SYSCONFDIR "/services.d/web.svc.d/a.conf",
		   "[Service]\nNice=5\nDescription=mine\n");
	ck_assert_int_eq(bus_world_svcctl(bw, line, &out, NULL), 0);
	shown = hide_root(bw, out);
	ck_assert_str_eq(shown,
			 "SERVICE    KEY         VALUE      VENDOR SETS        ORIGIN\n"
			 "[defaults] NewServices manual                        ROOT" SVCD_SYSCONFDIR
			 "/policy.d/a.policy:8\n"
			 "back       Activate    back                          ROOT" SVCD_SYSCONFDIR
			 "/policy.d/a.policy:2\n"
			 "front      Activate    -front     front              ROOT" SVCD_SYSCONFDIR
			 "/policy.d/a.policy:2\n"
			 "web        Reason      it is mine it is the vendor's ROOT" SVCD_SYSCONFDIR
			 "/policy.d/a.policy:5\n"
			 "web        Description mine                          ROOT" SVCD_SYSCONFDIR
			 "/services.d/web.svc.d/a.conf:3\n");
}
END_TEST

START_TEST(policy_is_read_and_changed_below_a_root)
{
	g_autoptr(BusWorld) bw = machine();

	tree_write(bw->tree, SVCD_LIBDIR "/services.d/web.svc",
		   "[Service]\nExec=/bin/a\nBusName=org.example.Web\n");
	tree_write(bw->tree, SVCD_LIBDIR "/services.d/front.svc",
		   "[Service]\nExec=/bin/a\n[Conditions]\nWhile=service:web\n");
	for (size_t i = 0; i < G_N_ELEMENTS(policy_lines); i++) {
		g_autofree char *line =
			g_strdup_printf("%s --root %s", policy_lines[i].line, bw->tree->root);
		g_autofree char *out = NULL;
		g_autofree char *err = NULL;
		const int code = bus_world_svcctl(bw, line, &out, &err);
		g_autofree char *shown = hide_root(bw, out);

		ck_assert_msg(code == policy_lines[i].code, "%s: exit %d\n%s%s", line, code, out,
			      err);
		ck_assert_str_eq(shown, policy_lines[i].out);
		ck_assert_str_eq(err, policy_lines[i].err);
	}
}
END_TEST

START_TEST(check_reads_a_file_together_with_the_others)
{
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *file = tree_path(bw->tree, "/new.svc");
	g_autofree char *line = g_strdup_printf("check --root %s %s", bw->tree->root, file);
	g_autofree char *good = NULL;
	g_autofree char *bad = NULL;
	g_autofree char *err = NULL;

	tree_write(bw->tree, SVCD_SYSCONFDIR "/services.d/a.svc", "[Service]\nExec=/bin/a\n");
	tree_write(bw->tree, "/new.svc",
		   "[Service]\nExec=/bin/new\n[Conditions]\nWhile=service:a\n");
	ck_assert_int_eq(bus_world_svcctl(bw, line, &good, NULL), 0);
	ck_assert_str_eq(good, "no mistakes found\n");

	tree_write(bw->tree, "/new.svc",
		   "[Service]\nExec=/bin/new\n[Conditions]\nWhile=service:nosuch\n");
	ck_assert_int_eq(bus_world_svcctl(bw, line, &bad, NULL), 10);
	ck_assert_msg(strstr(bad, "/new.svc:4: ") != NULL, "%s", bad);

	ck_assert_int_eq(bus_world_svcctl(bw, "check /nowhere/x.svc", NULL, &err), 4);
	ck_assert_msg(strstr(err, "cannot open /nowhere/x.svc: No such file or directory") != NULL,
		      "%s", err);
}
END_TEST

START_TEST(cat_shows_each_setting_with_its_place)
{
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *line = g_strdup_printf("cat a --root %s", bw->tree->root);
	g_autofree char *out = NULL;

	tree_write(bw->tree, SVCD_LIBDIR "/services.d/a.svc",
		   "[Service]\nExec=/bin/a\nRestart=always\n");
	tree_write(bw->tree, SVCD_SYSCONFDIR "/services.d/a.svc.d/x.conf",
		   "[Service]\nRestart=no\n");
	tree_write(bw->tree, SVCD_SYSCONFDIR "/policy.d/x.policy",
		   "[runlevel 2]\nActivate=a\n"
		   "[service a]\nIgnore=$net\nOnLapse=keep\n");
	ck_assert_int_eq(bus_world_svcctl(bw, line, &out, NULL), 0);
	ck_assert_msg(strstr(out, "Ignore=$net ") != NULL && strstr(out, "OnLapse=keep ") != NULL,
		      "%s", out);
	ck_assert_msg(strstr(out, "Exec=/bin/a ") != NULL && strstr(out, "a.svc:2\n") != NULL, "%s",
		      out);
	ck_assert_msg(strstr(out, "Restart=no ") != NULL &&
			      strstr(out, "a.svc.d/x.conf:2\n") != NULL,
		      "%s", out);
	ck_assert_msg(strstr(out, "Activation=boot ") != NULL &&
			      strstr(out, "x.policy:2\n") != NULL,
		      "%s", out);
}
END_TEST

START_TEST(graph_prints_edges_of_a_runlevel)
{
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *line = g_strdup_printf("tree --order --edges --root %s", bw->tree->root);
	g_autofree char *line_2 = g_strdup_printf("%s --runlevel 2", line);
	g_autofree char *out = NULL;
	g_autofree char *out_2 = NULL;

	tree_write(bw->tree, SVCD_SYSCONFDIR "/services.d/a.svc", "[Service]\nExec=/bin/a\n");
	tree_write(bw->tree, SVCD_SYSCONFDIR "/services.d/b.svc",
		   "[Service]\nExec=/bin/b\n[Conditions]\nWhile=service:a\n");
	tree_write(bw->tree, SVCD_SYSCONFDIR "/services.d/c.svc",
		   "[Service]\nExec=/bin/c\n[Conditions]\nAfter=b\n");
	tree_write(bw->tree, SVCD_SYSCONFDIR "/policy.d/x.policy", "[runlevel 2]\nActivate=b\n");
	ck_assert_int_eq(bus_world_svcctl(bw, line, &out, NULL), 0);
	ck_assert_str_eq(out, "a b\nb c\n");
	ck_assert_int_eq(bus_world_svcctl(bw, line_2, &out_2, NULL), 0);
	ck_assert_str_eq(out_2, "a b\n");
}
END_TEST

START_TEST(tree_shows_each_dependent_once)
{
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *line = g_strdup_printf("tree --root %s", bw->tree->root);
	g_autofree char *named = g_strdup_printf("tree t* --conditions --root %s", bw->tree->root);
	g_autofree char *reverse =
		g_strdup_printf("tree base --reverse --ascii --root %s", bw->tree->root);
	g_autofree char *json = g_strdup_printf("tree top --json --root %s", bw->tree->root);
	g_autofree char *out = NULL;

	tree_write(bw->tree, SVCD_SYSCONFDIR "/services.d/base.svc", "[Service]\nExec=/bin/b\n");
	tree_write(bw->tree, SVCD_SYSCONFDIR "/services.d/left.svc",
		   "[Service]\nExec=/bin/l\n[Conditions]\nWhile=service:base\nAfter=base\n");
	tree_write(bw->tree, SVCD_SYSCONFDIR "/services.d/right.svc",
		   "[Service]\nExec=/bin/r\n[Conditions]\nAfter=left\nWants=base\n");
	tree_write(bw->tree, SVCD_SYSCONFDIR "/services.d/top.svc",
		   "[Service]\nExec=/bin/t\n[Conditions]\nWhen=service:left\nWhen=!network:up\n"
		   "After=right\n");
	tree_write(bw->tree, SVCD_SYSCONFDIR "/services.d/early.svc",
		   "[Service]\nExec=/bin/e\n[Conditions]\nBefore=base\n");
	tree_write(bw->tree, SVCD_SYSCONFDIR "/policy.d/a.policy",
		   "[runlevel 2]\nActivate=top right\n");

	ck_assert_int_eq(bus_world_svcctl(bw, line, &out, NULL), 0);
	ck_assert_str_eq(out, "NAME                 STATE BECAUSE OF\n"
			      "top                        \n"
			      "├─left                     When=service:left\n"
			      "│ └─base                   While=service:base, After=base\n"
			      "└─right                    After=right\n"
			      "  ├─base                   Wants=base\n"
			      "  └─left (see above)       After=left\n");
	g_free(g_steal_pointer(&out));
	ck_assert_int_eq(bus_world_svcctl(bw, named, &out, NULL), 0);
	ck_assert_msg(strstr(out, "\n├─!network:up") && strstr(out, "early") &&
			      strstr(out, "Before=base"),
		      "%s", out);
	g_free(g_steal_pointer(&out));
	tree_write(bw->tree, SVCD_SYSCONFDIR "/services.d/base.svc",
		   "[Service]\nExec=/bin/b\n[Conditions]\nWants=right\n");
	ck_assert_int_eq(bus_world_svcctl(bw, line, &out, NULL), 0);
	ck_assert_msg(strstr(out, "left (cycle)") != NULL, "%s", out);
	g_free(g_steal_pointer(&out));
	ck_assert_int_eq(bus_world_svcctl(bw, reverse, &out, NULL), 0);
	ck_assert_msg(g_str_has_prefix(out, "NAME") && strstr(out, "\n|-left") &&
			      strstr(out, "`-right"),
		      "%s", out);
	g_free(g_steal_pointer(&out));
	ck_assert_int_eq(bus_world_svcctl(bw, json, &out, NULL), 0);
	ck_assert_msg(
		strstr(out,
		       "\"name\":\"base\",\"kind\":\"service\",\"because\":[{\"key\":\"While\",") !=
			NULL,
		"%s", out);
}
END_TEST

START_TEST(graph_shows_the_order_of_stopping)
{
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *line =
		g_strdup_printf("tree --order --edges --stop --root %s", bw->tree->root);
	g_autofree char *line_2 = g_strdup_printf("%s --runlevel 2", line);
	g_autofree char *line_6 = g_strdup_printf("%s --runlevel 6", line);
	g_autofree char *out = NULL;
	g_autofree char *out_2 = NULL;
	g_autofree char *out_6 = NULL;

	tree_write(bw->tree, SVCD_SYSCONFDIR "/services.d/a.svc", "[Service]\nExec=/bin/a\n");
	tree_write(bw->tree, SVCD_SYSCONFDIR "/services.d/b.svc",
		   "[Service]\nExec=/bin/b\n[Conditions]\nAfter=a\n");
	tree_write(bw->tree, SVCD_SYSCONFDIR "/services.d/c.svc",
		   "[Service]\nExec=/bin/c\n[Conditions]\nAfter=a\nStopAfter=a\n");
	tree_write(bw->tree, SVCD_SYSCONFDIR "/services.d/d.svc",
		   "[Service]\nExec=/bin/d\n[Conditions]\nAfter=a\n");
	tree_write(bw->tree, SVCD_SYSCONFDIR "/policy.d/x.policy",
		   "[runlevel 2]\nActivate=a b\n"
		   "[runlevel 3]\nActivate=a c\n");
	ck_assert_int_eq(bus_world_svcctl(bw, line, &out, NULL), 0);
	ck_assert_str_eq(out, "a c\nb a\nd a\n");
	ck_assert_int_eq(bus_world_svcctl(bw, line_2, &out_2, NULL), 0);
	ck_assert_str_eq(out_2, "b a\n");
	ck_assert_int_eq(bus_world_svcctl(bw, line_6, &out_6, NULL), 0);
	ck_assert_str_eq(out_6, "a c\nb a\n");
}
END_TEST

START_TEST(below_a_root_generated_services_are_known_and_nothing_is_written)
{
	static const char generated[] = "/run/svcd/generated/mount-srv.svc";
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *cat = g_strdup_printf("cat mount-srv --root %s", bw->tree->root);
	g_autofree char *set = g_strdup_printf("set mount-srv manual --root %s", bw->tree->root);
	g_autofree char *check = g_strdup_printf("check --root %s", bw->tree->root);
	g_autofree char *full = g_strconcat(bw->tree->root, generated, NULL);
	g_autofree char *out_cat = NULL;
	g_autofree char *out_set = NULL;
	g_autofree char *out_check = NULL;

	tree_write(bw->tree, "/etc/fstab", "/dev/sdz9 /srv ext4 defaults 0 2\nthis is no line\n");
	ck_assert_int_eq(bus_world_svcctl(bw, cat, &out_cat, NULL), 0);
	ck_assert_msg(strstr(out_cat, "/srv") != NULL && strstr(out_cat, generated) != NULL, "%s",
		      out_cat);
	ck_assert_int_eq(bus_world_svcctl(bw, set, &out_set, NULL), 0);
	(void)bus_world_svcctl(bw, check, &out_check, NULL);
	ck_assert_msg(strstr(out_check, "/etc/fstab:2: ") != NULL, "%s", out_check);
	ck_assert(!g_file_test(full, G_FILE_TEST_EXISTS));
}
END_TEST

START_TEST(below_a_root_outdated_generated_services_are_absent)
{
	g_autoptr(BusWorld) bw = machine();
	g_autofree char *line = g_strdup_printf("cat mount-old --root %s", bw->tree->root);

	tree_write(
		bw->tree, "/run/svcd/generated/mount-old.svc",
		"# Made by svc-generate from /etc/fstab; changes are lost.\n[Service]\nType=task\n"
		"Exec=/bin/mount /old\n");
	ck_assert_int_ne(bus_world_svcctl(bw, line, NULL, NULL), 0);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("svcctl_files");

	ADD_CASE(suite, "files", check_finds_mistakes_below_a_root,
		 the_entry_that_keeps_a_service_off_is_reported_with_its_reason,
		 a_setting_equal_to_the_vendors_is_not_listed,
		 policy_is_read_and_changed_below_a_root,
		 check_reads_a_file_together_with_the_others, cat_shows_each_setting_with_its_place,
		 graph_prints_edges_of_a_runlevel, graph_shows_the_order_of_stopping,
		 tree_shows_each_dependent_once,
		 below_a_root_generated_services_are_known_and_nothing_is_written,
		 below_a_root_outdated_generated_services_are_absent);
	return suite;
}
