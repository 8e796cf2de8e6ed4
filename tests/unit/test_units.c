/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>
#include <string.h>

#include "tests/lib/suite.h"
#include "tests/lib/tree.h"
#include "unit-compat/own-units.h"
#include "unit-compat/unit-policy.h"
#include "unit-compat/units.h"

#define VENDOR "/usr/lib/systemd/system/"
#define ADMIN "/etc/systemd/system/"
#define WANTS ADMIN "multi-user.target.wants/"

#define DAEMON "[Service]\nExecStart=/usr/sbin/webd\n"
#define INSTALL "[Install]\nWantedBy=multi-user.target\n"

/* The services with a file of their own: "native", which runs /usr/sbin/natived, and "bar@". */
static const char *find_native(const void *data, const char *name)
{
	return strcmp(name, "native") == 0 ? "native" : strcmp(name, "bar@") == 0 ? "bar@" : NULL;
}

static const char *find_native_program(const void *data, const char *program)
{
	return strcmp(program, "/usr/sbin/natived") == 0 ? "native" : NULL;
}

static Units *read_units(const Tree *tree)
{
	const UnitNatives natives = { find_native, find_native_program, NULL };

	return units_read(tree->root, &natives);
}

static const Unit *expect_fate(const Units *units, const char *name, UnitFate fate)
{
	const Unit *unit = units_find(units, name);

	ck_assert_msg(unit, "there is no unit %s", name);
	ck_assert_msg(unit->fate == fate, "%s: %d, %s", name, unit->fate,
		      unit->reason ? unit->reason : "");
	return unit;
}

static void expect_setting(const Unit *unit, const char *setting)
{
	g_autofree char *line = g_strdup_printf("\n%s\n", setting);

	ck_assert_msg(strstr(unit->import->service, line), "%s is missing in:\n%s", setting,
		      unit->import->service);
}

static void expect_no_setting(const Unit *unit, const char *setting)
{
	ck_assert_msg(!strstr(unit->import->service, setting), "%s is in:\n%s", setting,
		      unit->import->service);
}

static void expect_policy(const Units *units, const char *linked, const char *idle,
			  const char *static_units)
{
	UnitPolicy policy;

	unit_policy_make(units, &policy);
	ck_assert_str_eq(policy.linked ? policy.linked : "", linked);
	ck_assert_str_eq(policy.idle ? policy.idle : "", idle);
	ck_assert_str_eq(policy.static_units ? policy.static_units : "", static_units);
	unit_policy_clear(&policy);
}

#define BOOT(name, link)                                                           \
	"\n[service " name "]\nReason=" link "\nActivation=boot\nRunlevels=\nRunlevels=" \
	"2 3 4 5\n"

START_TEST(an_enabled_unit_is_a_service_of_the_runlevels)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Units) units = NULL;

	tree_write(tree, VENDOR "web.service", DAEMON INSTALL);
	tree_symlink(tree, VENDOR "web.service", WANTS "web.service");

	units = read_units(tree);

	expect_setting(expect_fate(units, "web", UNIT_READ), "Exec=/usr/sbin/webd");
	expect_policy(units, BOOT("web", WANTS "web.service"), "", "");
}
END_TEST

START_TEST(a_unit_without_a_link_starts_only_on_request)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Units) units = NULL;

	tree_write(tree, VENDOR "off.service", DAEMON INSTALL);
	tree_write(tree, VENDOR "static.service", DAEMON);

	units = read_units(tree);

	expect_policy(units, "", "\n[service off]\nActivation=on-demand\n",
		      "\n[runlevel 2]\nActivate=-static\n");
}
END_TEST

START_TEST(the_admins_file_replaces_the_vendors)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Units) units = NULL;

	tree_write(tree, VENDOR "web.service", DAEMON);
	tree_write(tree, ADMIN "web.service", "[Service]\nExecStart=/opt/webd\n");

	units = read_units(tree);

	ck_assert_str_eq(units_find(units, "web")->path, ADMIN "web.service");
	expect_setting(units_find(units, "web"), "Exec=/opt/webd");
}
END_TEST

START_TEST(drop_ins_apply_by_name_prefix_and_type)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Units) units = NULL;
	const Unit *unit;

	tree_write(tree, VENDOR "web-one.service", DAEMON);
	tree_write(tree, VENDOR "service.d/10.conf", "[Service]\nNice=1\nUser=all\n");
	tree_write(tree, VENDOR "web-.service.d/20.conf", "[Service]\nUser=prefix\n");
	tree_write(tree, ADMIN "web-one.service.d/30.conf", "[Service]\nUser=own\n");
	/* A file of the same name in /etc hides the vendor's. */
	tree_write(tree, VENDOR "web-one.service.d/40.conf", "[Service]\nUser=hidden\n");
	tree_write(tree, ADMIN "web-one.service.d/40.conf", "[Service]\nGroup=seen\n");

	units = read_units(tree);
	unit = expect_fate(units, "web-one", UNIT_READ);

	expect_setting(unit, "Nice=1");
	expect_setting(unit, "User=own");
	expect_setting(unit, "Group=seen");
}
END_TEST

START_TEST(an_instance_of_a_template_is_wanted_by_its_link)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Units) units = NULL;

	tree_write(tree, VENDOR "foo@.service", "[Service]\nExecStart=/usr/sbin/foo %i\n" INSTALL);
	tree_symlink(tree, VENDOR "foo@.service", WANTS "foo@one.service");
	tree_write(tree, ADMIN "foo@two.service.d/x.conf", "[Service]\nNice=3\n");

	units = read_units(tree);

	expect_setting(expect_fate(units, "foo@.service", UNIT_READ), "Exec=/usr/sbin/foo %i");
	expect_setting(expect_fate(units, "foo@two", UNIT_READ), "Exec=/usr/sbin/foo two");
	expect_setting(units_find(units, "foo@two"), "Nice=3");
	ck_assert_str_eq(units_find(units, "foo@one")->name, "foo@.service");
	expect_policy(units, BOOT("foo@one", WANTS "foo@one.service"), "", "");
}
END_TEST

START_TEST(an_alias_is_another_name_of_the_service)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Units) units = NULL;

	tree_write(tree, VENDOR "web.service", DAEMON INSTALL "Alias=declared.service\n");
	tree_symlink(tree, "web.service", VENDOR "httpd.service");
	tree_symlink(tree, VENDOR "httpd.service", WANTS "httpd.service");

	units = read_units(tree);

	ck_assert_ptr_eq(units_find(units, "httpd"), units_find(units, "web"));
	expect_setting(units_find(units, "web"), "Provides=httpd");
	expect_no_setting(units_find(units, "web"), "Provides=declared");
	ck_assert_str_eq(units_service(units, "declared"), "web");
	expect_policy(units, BOOT("web", WANTS "httpd.service"), "", "");
}
END_TEST

START_TEST(a_mask_counts_only_if_it_hides_a_unit)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Units) units = NULL;

	tree_write(tree, VENDOR "web.service", DAEMON);
	tree_symlink(tree, "/dev/null", ADMIN "web.service");
	/* initscripts masks its scripts in this way. */
	tree_symlink(tree, "/dev/null", ADMIN "checkroot.service");
	tree_symlink(tree, "/dev/null", VENDOR "x11-common.service");

	units = read_units(tree);

	expect_fate(units, "web", UNIT_MASKED);
	ck_assert_ptr_null(units_find(units, "checkroot"));
	expect_policy(units, "\n[service web]\nReason=" ADMIN "web.service\nActivation=never\n", "",
		      "");
}
END_TEST

START_TEST(a_service_file_replaces_a_unit_by_name_alias_and_program)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Units) units = NULL;

	tree_write(tree, VENDOR "native.service", DAEMON);
	tree_write(tree, VENDOR "other.service", "[Service]\nExecStart=/usr/sbin/natived -x\n");
	tree_write(tree, VENDOR "bar@.service", DAEMON);
	tree_symlink(tree, VENDOR "other.service", WANTS "other.service");
	tree_symlink(tree, VENDOR "bar@.service", WANTS "bar@one.service");

	units = read_units(tree);

	expect_fate(units, "native", UNIT_REPLACED);
	expect_fate(units, "other", UNIT_REPLACED);
	expect_fate(units, "bar@one", UNIT_REPLACED);
	expect_policy(units,
		      BOOT("bar@one", WANTS "bar@one.service")
			      BOOT("native", WANTS "other.service"),
		      "", "");
}
END_TEST

START_TEST(a_lost_line_that_decides_how_it_runs_refuses_the_unit)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Units) units = NULL;

	tree_write(tree, VENDOR "web.service", DAEMON "DynamicUser=yes\n");
	tree_write(tree, VENDOR "needs.service", "[Unit]\nRequires=web.service\n" DAEMON);

	units = read_units(tree);

	ck_assert_str_eq(expect_fate(units, "web", UNIT_REFUSED)->reason,
			 VENDOR "web.service:3: DynamicUser=yes: the service would run as root: "
				"create a user, and write User=");
	ck_assert_str_eq(expect_fate(units, "needs", UNIT_REFUSED)->reason,
			 VENDOR "needs.service:2: Requires=web.service: "
				"there is no service \"web\"");
	ck_assert_ptr_null(units_service(units, "web"));
}
END_TEST

START_TEST(a_lost_line_of_protection_is_reported_and_the_unit_is_read)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Units) units = NULL;
	const UnitLoss *loss;

	tree_write(tree, VENDOR "web.service",
		   DAEMON "SyslogLevel=info\nPAMX=1\nPrivateUsers=yes\n");

	units = read_units(tree);
	loss = g_ptr_array_index(expect_fate(units, "web", UNIT_READ)->losses, 0);

	ck_assert_int_eq(loss->weight, UNIT_WEIGHT_PROTECTION);
	ck_assert_str_eq(loss->setting, "PrivateUsers=yes");
	ck_assert_uint_eq(loss->origin.line, 5);
}
END_TEST

START_TEST(an_enabled_socket_is_part_of_its_service)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Units) units = NULL;

	tree_write(tree, VENDOR "web.service", DAEMON INSTALL);
	tree_write(tree, VENDOR "front.socket",
		   "[Socket]\nListenStream=/run/web\nService=web.service\n");
	tree_symlink(tree, VENDOR "front.socket", ADMIN "sockets.target.wants/front.socket");

	units = read_units(tree);

	expect_setting(expect_fate(units, "web", UNIT_READ), "ListenStream=/run/web");
	expect_policy(units, "",
		      "\n[service web]\nReason=" ADMIN "sockets.target.wants/front.socket\n"
		      "Activation=on-demand\n",
		      "");
}
END_TEST

START_TEST(a_socket_that_nothing_opens_is_left_out)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Units) units = NULL;

	tree_write(tree, VENDOR "web.service", DAEMON INSTALL);
	tree_write(tree, VENDOR "web.socket", "[Socket]\nListenStream=80\n");
	/* Without [Install] the socket is the only start of the service. */
	tree_write(tree, VENDOR "other.service", DAEMON);
	tree_write(tree, VENDOR "other.socket",
		   "[Socket]\nListenStream=81\n[Install]\nWantedBy=sockets.target\n");

	units = read_units(tree);

	expect_no_setting(expect_fate(units, "web", UNIT_READ), "ListenStream");
	expect_setting(expect_fate(units, "other", UNIT_READ), "ListenStream=81");
	expect_policy(units, "",
		      "\n[service other]\nActivation=manual\n"
		      "\n[service web]\nActivation=on-demand\n",
		      "");
}
END_TEST

START_TEST(sockets_with_different_settings_refuse_a_service_that_only_they_start)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Units) units = NULL;

	tree_write(tree, VENDOR "web.service", DAEMON);
	tree_write(tree, VENDOR "web.socket", "[Socket]\nListenStream=/run/web\nSocketMode=0600\n");
	tree_write(tree, VENDOR "webro.socket",
		   "[Socket]\nListenStream=/run/ro\nSocketMode=0666\nService=web.service\n");

	units = read_units(tree);

	ck_assert(g_str_has_prefix(expect_fate(units, "web", UNIT_REFUSED)->reason,
				   VENDOR "webro.socket: "));
}
END_TEST

START_TEST(an_order_against_a_template_has_no_effect)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Units) units = NULL;

	tree_write(tree, VENDOR "web.service", "[Unit]\nBefore=sshd@.service\n" DAEMON);

	units = read_units(tree);

	expect_no_setting(expect_fate(units, "web", UNIT_READ), "sshd@");
}
END_TEST

START_TEST(a_wish_for_a_missing_unit_is_dropped)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Units) units = NULL;

	tree_write(tree, VENDOR "web.service",
		   "[Unit]\nWants=native.service absent.service\n" DAEMON);

	units = read_units(tree);

	expect_setting(expect_fate(units, "web", UNIT_READ), "Wants=native");
	expect_no_setting(units_find(units, "web"), "absent");
}
END_TEST

START_TEST(links_of_a_service_are_its_needs)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Units) units = NULL;

	tree_write(tree, VENDOR "web.service", DAEMON);
	tree_symlink(tree, VENDOR "native.service", ADMIN "web.service.wants/native.service");

	units = read_units(tree);

	expect_setting(expect_fate(units, "web", UNIT_READ), "Wants=native");
}
END_TEST

START_TEST(a_target_of_a_package_passes_its_runlevels_on)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Units) units = NULL;

	tree_write(tree, VENDOR "group.target", "[Unit]\nWants=one.service\n");
	tree_write(tree, VENDOR "one.service", "[Unit]\nRequires=group.target\n" DAEMON);
	tree_write(tree, VENDOR "two.service", DAEMON INSTALL);
	tree_symlink(tree, VENDOR "group.target", WANTS "group.target");
	tree_symlink(tree, VENDOR "two.service", ADMIN "group.target.wants/two.service");

	units = read_units(tree);

	expect_no_setting(expect_fate(units, "one", UNIT_READ), "service:group");
	expect_policy(units,
		      BOOT("one", VENDOR "group.target")
			      BOOT("two", ADMIN "group.target.wants/two.service"),
		      "", "");
}
END_TEST

START_TEST(the_early_boot_is_a_facility)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Units) units = NULL;

	tree_write(tree, VENDOR "early.service",
		   "[Unit]\nDefaultDependencies=no\nAfter=local-fs.target\n"
		   "Before=sysinit.target network-pre.target\n" DAEMON);
	tree_write(tree, VENDOR "web.service", DAEMON);

	units = read_units(tree);

	expect_setting(expect_fate(units, "early", UNIT_READ), "Provides=$sysinit");
	expect_setting(units_find(units, "early"), "After=$local_fs");
	expect_no_setting(units_find(units, "early"), "Before=$local_fs");
	expect_setting(expect_fate(units, "web", UNIT_READ), "After=$sysinit");
}
END_TEST

START_TEST(a_private_tmp_waits_for_its_file_systems_also_early)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Units) units = NULL;

	tree_write(tree, VENDOR "random.service",
		   "[Unit]\nDefaultDependencies=no\n" DAEMON "PrivateTmp=yes\n");
	tree_write(tree, VENDOR "early.service",
		   "[Unit]\nDefaultDependencies=no\n" DAEMON "PrivateTmp=no\n");

	units = read_units(tree);

	expect_setting(units_find(units, "random"), "After=tmpfiles");
	expect_setting(units_find(units, "random"), "After=$local_fs");
	expect_no_setting(units_find(units, "early"), "After=");
}
END_TEST

START_TEST(units_of_systemd_itself_are_not_read)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Units) units = NULL;

	tree_write(tree, VENDOR "systemd-logind.service", DAEMON);
	tree_write(tree, VENDOR "systemd-timesyncd.service", DAEMON);
	tree_symlink(tree, VENDOR "systemd-logind.service", WANTS "systemd-logind.service");

	units = read_units(tree);

	expect_fate(units, "systemd-logind", UNIT_OWN);
	expect_fate(units, "systemd-timesyncd", UNIT_READ);
	expect_policy(units, "", "", "\n[runlevel 2]\nActivate=-systemd-timesyncd\n");
}
END_TEST

START_TEST(every_own_unit_is_in_the_docs)
{
	g_autofree char *page = NULL;
	const OwnUnit *own;

	ck_assert(g_file_get_contents(UNIT_README, &page, NULL, NULL));
	for (size_t i = 0; (own = own_unit_at(i)) != NULL; i++) {
		g_autofree char *row = g_strdup_printf("\n| `%s` | %s |\n", own->pattern,
						       own->reason ? own->reason : "is read");

		ck_assert_msg(strstr(page, row) != NULL, "not in the page: %s", row);
	}
}
END_TEST

static void add_idle_link(void *data, const UnitLink *link, const char *problem)
{
	g_string_append_printf(data, "%s %s;", link->target, link->unit);
}

START_TEST(links_to_other_kinds_and_from_idle_targets_are_reported)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Units) units = NULL;
	g_autoptr(GString) text = g_string_new(NULL);

	tree_write(tree, VENDOR "job.service", DAEMON);
	tree_write(tree, VENDOR "job.timer", "[Timer]\nOnCalendar=daily\n");
	tree_symlink(tree, VENDOR "job.timer", ADMIN "timers.target.wants/job.timer");
	tree_symlink(tree, VENDOR "job.service", ADMIN "suspend.target.wants/job.service");
	tree_symlink(tree, VENDOR "job.service", WANTS "job.service");

	units = read_units(tree);
	unit_policy_each_idle_link(units, add_idle_link, text);

	ck_assert_str_eq(text->str, "suspend.target job.service;timers.target job.timer;");
}
END_TEST

START_TEST(a_link_out_of_the_tree_is_not_followed)
{
	g_autoptr(Tree) tree = tree_new();
	g_autoptr(Units) units = NULL;

	tree_mkdir(tree, "/outside");
	tree_symlink(tree, "/etc/passwd", VENDOR "passwd.service");
	tree_symlink(tree, "self.service", VENDOR "self.service");
	tree_symlink(tree, "b.service", VENDOR "a.service");
	tree_symlink(tree, "a.service", VENDOR "b.service");

	units = read_units(tree);

	ck_assert_uint_eq(units->list->len, 1); /* self, refused: too many links */
	expect_fate(units, "self", UNIT_REFUSED);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("units");

	ADD_CASE(suite, "units",
		 an_enabled_unit_is_a_service_of_the_runlevels,
		 a_unit_without_a_link_starts_only_on_request,
		 the_admins_file_replaces_the_vendors,
		 drop_ins_apply_by_name_prefix_and_type,
		 an_instance_of_a_template_is_wanted_by_its_link,
		 an_alias_is_another_name_of_the_service,
		 a_mask_counts_only_if_it_hides_a_unit,
		 a_service_file_replaces_a_unit_by_name_alias_and_program,
		 a_lost_line_that_decides_how_it_runs_refuses_the_unit,
		 a_lost_line_of_protection_is_reported_and_the_unit_is_read,
		 an_enabled_socket_is_part_of_its_service,
		 a_socket_that_nothing_opens_is_left_out,
		 sockets_with_different_settings_refuse_a_service_that_only_they_start,
		 an_order_against_a_template_has_no_effect,
		 a_wish_for_a_missing_unit_is_dropped,
		 links_of_a_service_are_its_needs,
		 a_target_of_a_package_passes_its_runlevels_on,
		 the_early_boot_is_a_facility,
		 a_private_tmp_waits_for_its_file_systems_also_early,
		 units_of_systemd_itself_are_not_read,
		 every_own_unit_is_in_the_docs,
		 links_to_other_kinds_and_from_idle_targets_are_reported,
		 a_link_out_of_the_tree_is_not_followed);
	return suite;
}
