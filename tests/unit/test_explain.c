/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Explain: whole sentences, and the progress of a boot.
 */
#include "config.h"

#include <check.h>

#include "engine/explain.h"
#include "tests/lib/suite.h"
#include "tests/lib/world.h"

#define DAEMON "[Service]\nExec=/usr/sbin/d\nReady=notify\n"
#define POLICY_FILE "/etc/svcd/policy.d/local.policy"

/* One line per reason: depth as blanks, kind, text. */
static const char *reported(World *w, const char *service)
{
	static char *text;
	GString *out = g_string_new(NULL);
	g_autoptr(GPtrArray) reasons = explain_service(world_engine(w), service, world_now(w));

	ck_assert_ptr_nonnull(reasons);
	for (unsigned i = 0; i < reasons->len; i++) {
		const Reason *reason = g_ptr_array_index(reasons, i);

		for (unsigned d = 0; d < reason->depth; d++)
			g_string_append(out, "  ");
		g_string_append_printf(out, "%s: %s\n", reason_kind_name(reason->kind),
				       reason->text);
	}
	g_free(text);
	text = g_string_free(out, FALSE);
	return text;
}

START_TEST(a_false_condition_is_named_with_its_place_and_what_to_do)
{
	g_autoptr(World) w = world_new("== app\n" DAEMON "[Conditions]\nWhen=flag:go\n");

	ck_assert_str_eq(reported(w, "app"),
			 "state: app is waiting for 1 condition.\n"
			 "why: It is wanted in runlevel 2 (" POLICY_FILE ":2).\n"
			 "why: flag:go is false (/etc/svcd/services.d/app.svc:5).\n"
			 "next: svcctl flag set go\n"
			 "cause: waiting: wanted in runlevel 2 (" POLICY_FILE ":2) (just now).\n"
			 "impact: Nothing waits for it.\n");
}
END_TEST

START_TEST(the_walk_goes_down_to_the_root_cause)
{
	g_autoptr(World) w = world_new("== app\n" DAEMON
				       "[Conditions]\nWhile=service:bus\n== bus\n[Service]\n"
				       "Exec=/bin/bus\nReady=notify\nRestart=no\n");

	world_dies(w, "bus", 1);
	world_advance_s(w, 60);
	ck_assert_str_eq(
		reported(w, "app"),
		"state: app is waiting for 1 condition.\n"
		"why: It is wanted in runlevel 2 (" POLICY_FILE ":2).\n"
		"why: service:bus is false: bus is failed (/etc/svcd/services.d/app.svc:5).\n"
		"  state: bus failed 1 min 0 s ago.\n"
		"  why: exit status 1.\n"
		"  next: svcctl log bus\n"
		"  next: svcctl start bus\n"
		"cause: waiting: wanted in runlevel 2 (" POLICY_FILE ":2) (1 min 0 s ago).\n"
		"impact: Nothing waits for it.\n");
}
END_TEST

START_TEST(a_decision_of_policy_is_explained_with_file_line_and_reason)
{
	g_autoptr(World) w = world_new_with_policy(
		"== it\n" DAEMON "== app\n" DAEMON "[Conditions]\nWhen=service:it\n",
		"[runlevel 2]\nActivate=app\n[service it]\nActivation=never\n"
		"Reason=office rule 12\n");

	ck_assert_str_eq(reported(w, "it"),
			 "state: it is not running.\n"
			 "why: Its policy is \"never\" (" POLICY_FILE ":4): \"office rule 12\".\n"
			 "cause: Refused 1 request since the boot: needed by app (just now).\n"
			 "impact: Waiting for it: app.\n"
			 "next: To allow the service, change its policy (" POLICY_FILE
			 ":4): svcctl set it on-demand\n");
}
END_TEST

START_TEST(an_admins_stop_is_explained_with_the_requester)
{
	g_autoptr(World) w = world_new("== it\n" DAEMON);

	world_settle(w);
	world_stop(w, "it");
	world_settle(w);
	ck_assert_str_eq(reported(w, "it"), "state: it is not running.\n"
					    "why: An admin stopped it: stop by uid 0 (pid 812).\n"
					    "cause: idle: stop by uid 0 (pid 812) (just now).\n"
					    "impact: Nothing waits for it.\n"
					    "next: svcctl start it\n");
}
END_TEST

START_TEST(the_loser_of_a_conflict_names_the_winner)
{
	g_autoptr(World) w = world_new("== a\n" DAEMON "[Conditions]\nConflicts=b\n== b\n" DAEMON);

	world_settle(w);
	ck_assert_str_eq(
		reported(w, "b"),
		"state: b is waiting: a runs instead of it.\n"
		"why: It conflicts with a, which is wanted too and takes precedence because policy "
		"names it first. It returns when a is not wanted any more.\n"
		"cause: waiting: wanted in runlevel 2 (" POLICY_FILE ":2) (just now).\n"
		"impact: Nothing waits for it.\n"
		"next: svcctl start b\n");
}
END_TEST

START_TEST(an_unknown_level_is_explained_with_its_wait_limit)
{
	g_autoptr(World) w = world_new(DAEMON "[Conditions]\nWhen=flag:x\n");

	world_set_unknown(w, "flag:x");
	world_advance_s(w, 10);
	ck_assert_ptr_nonnull(strstr(
		reported(w, "it"), "why: flag:x is not known yet; in 20.0 s it counts as false ("));
	world_advance_s(w, 25);
	ck_assert_ptr_nonnull(
		strstr(reported(w, "it"), "why: flag:x is not known, and counts as false ("));
}
END_TEST

/* The condition in plain text, its level, the provider's reason, and the alternatives. */
static const struct {
	const char *term;
	const char *key;
	Level level;
	const char *why;
	const char *alternatives;
	const char *reported;
	const char *next; /* NULL: none */
	/* clang-format off */
} waits[] = {
	{ "label:DATA", "label:DATA", LEVEL_FALSE, NULL, "labels present: EFI, ROOT",
	  "waiting for a volume labelled DATA; labels present: EFI, ROOT",
	  "Plug the volume in, or label one of those that \"lsblk -f\" shows: e2label DEVICE 'DATA' (ext4), fatlabel, btrfs "
	  "filesystem label." },
	{ "!label:DATA", "label:DATA", LEVEL_TRUE, "/dev/sdb1", NULL,
	  "waiting for a volume labelled DATA to disappear: /dev/sdb1", "Unplug the volume, or give it another label." },
	{ "uuid:AB-CD", "uuid:ab-cd", LEVEL_FALSE, "there is none", NULL,
	  "waiting for a volume with the UUID ab-cd: there is none", "Plug the volume in; \"lsblk -f\" shows what is there." },
	{ "device:/dev/sdb", "device:/dev/sdb", LEVEL_UNKNOWN, "udev is not up", NULL,
	  "waiting for the device /dev/sdb, not known yet: udev is not up; in 30.0 s it counts as false",
	  "It is checked again as soon as udev runs." },
	{ "device:/dev/sdb", "device:/dev/sdb", LEVEL_FALSE, NULL, NULL, "waiting for the device /dev/sdb",
	  "udevadm info --name=/dev/sdb" },
	{ "udev:SUBSYSTEM=block ID_BUS=usb", "udev:ID_BUS=usb SUBSYSTEM=block", LEVEL_FALSE, NULL, NULL,
	  "waiting for a device with ID_BUS=usb SUBSYSTEM=block",
	  "\"udevadm info --export-db\" shows all devices with their properties." },
	{ "network:up", "network:up", LEVEL_FALSE, "no default route", "interfaces: lo (up), eth0 (no carrier)",
	  "waiting for the network to be up: no default route; interfaces: lo (up), eth0 (no carrier)",
	  "ip route show default" },
	{ "!network:up", "network:up", LEVEL_TRUE, "default route through eth0", NULL,
	  "network:up is true: default route through eth0", "ip route show default" },
	{ "network:online", "network:online", LEVEL_FALSE, NULL, NULL, "waiting for the network to be online",
	  "ip route show default; nmcli networking connectivity check" },
	{ "network:interface:eth0", "network:interface:eth0", LEVEL_FALSE, NULL, NULL,
	  "waiting for a carrier on the interface eth0", "ip link show eth0" },
	{ "dbus:org.bluez", "dbus:org.bluez", LEVEL_FALSE, "has no owner on the system bus", NULL,
	  "waiting for the bus name org.bluez: has no owner on the system bus",
	  "Start the program that takes the name org.bluez; no service has Ready=dbus:org.bluez." },
	{ "dbus-property:org.x /o org.x.I.State >= 70", "dbus-property:org.x /o org.x.I.State >= 70", LEVEL_FALSE,
	  "it is 20", NULL, "waiting for org.x.I.State >= 70 at /o of org.x: it is 20",
	  "gdbus call --system --dest org.x --object-path /o --method org.freedesktop.DBus.Properties.Get org.x.I State" },
	{ "flag:go", "flag:go", LEVEL_FALSE, "the flag is not set", NULL, "flag:go is false: the flag is not set",
	  "svcctl flag set go" },
	{ "flag:org.x/rain", "flag:org.x/rain", LEVEL_FALSE, NULL, NULL, "flag:org.x/rain is false",
	  "It is set by the program that owns the bus name org.x." },
	{ "!flag:org.x/rain", "flag:org.x/rain", LEVEL_TRUE, NULL, NULL, "flag:org.x/rain is true",
	  "svcctl flag clear org.x/rain" },
};
/* clang-format on */

START_TEST(an_awaited_condition_is_explained_with_alternatives_and_remedy)
{
	g_autofree char *file = g_strdup_printf(DAEMON "[Conditions]\nWhile=%s\n", waits[_i].term);
	g_autoptr(World) w = world_new(file);
	g_autofree char *why =
		g_strdup_printf("why: %s (/etc/svcd/services.d/it.svc:5).\n", waits[_i].reported);
	g_autofree char *next = g_strdup_printf("next: %s\n", waits[_i].next);
	const char *text;

	world_set_level(w, waits[_i].key, waits[_i].level, waits[_i].why, waits[_i].alternatives);
	world_settle(w);

	text = reported(w, "it");
	ck_assert_msg(strstr(text, why) != NULL, "%s", text);
	ck_assert_msg(strstr(text, next) != NULL, "%s", text);
}
END_TEST

START_TEST(a_lapse_within_its_grace_time_is_explained)
{
	g_autoptr(World) w =
		world_new("[Service]\nExec=/bin/d\n[Conditions]\nWhile=network:up\nSettle=10s\n");
	const char *text;

	world_set(w, "network:up", true);
	world_settle(w);
	world_set(w, "network:up", false);
	world_advance_s(w, 3);

	text = reported(w, "it");
	ck_assert_msg(strstr(text, "why: It is wanted in runlevel 2 (" POLICY_FILE
				   ":2). network:up is false; "
				   "7.0 s are left of Settle=.\n") != NULL,
		      "%s", text);
}
END_TEST

START_TEST(a_shared_remedy_of_alternatives_is_listed_once)
{
	g_autoptr(World) w = world_new(
		DAEMON
		"[Conditions]\nWhile=network:up | udev:SUBSYSTEM=usb | udev:SUBSYSTEM=printer\n");
	const char *text = reported(w, "it");

	ck_assert_msg(strstr(text,
			     "next: ip route show default\n"
			     "next: \"udevadm info --export-db\" shows all devices with their "
			     "properties.\n"
			     "cause: ") != NULL,
		      "%s", text);
}
END_TEST

START_TEST(a_name_on_the_bus_leads_to_the_service_that_takes_it)
{
	g_autoptr(World)
		w = world_new_with_policy("== app\n" DAEMON
					  "[Conditions]\nWhile=dbus:org.bluez\n== bluetooth\n"
					  "[Service]\nExec=/bin/b\nReady=dbus:org.bluez\n",
					  "[runlevel 2]\nActivate=app\n[service bluetooth]\n"
					  "Activation=manual\n");
	const char *text = reported(w, "app");

	ck_assert_msg(
		strstr(text,
		       "why: waiting for the bus name org.bluez (/etc/svcd/services.d/app.svc:5).\n"
		       "  state: bluetooth is not running.\n"
		       "  why: Its policy is \"manual\" (" POLICY_FILE
		       ":4), and no admin started it.\n"
		       "  next: svcctl start bluetooth\n") != NULL,
		"%s", text);
}
END_TEST

START_TEST(a_flag_owned_by_a_program_leads_to_the_service_that_sets_it)
{
	g_autoptr(World)
		w = world_new_with_policy("== app\n" DAEMON
					  "[Conditions]\nWhile=flag:org.x/rain\n== weather\n"
					  "[Service]\nExec=/bin/w\nReady=dbus:org.x\n",
					  "[runlevel 2]\nActivate=app\n[service weather]\n"
					  "Activation=manual\n");
	const char *text = reported(w, "app");

	ck_assert_msg(strstr(text,
			     "why: flag:org.x/rain is false (/etc/svcd/services.d/app.svc:5).\n"
			     "  state: weather is not running.\n") != NULL,
		      "%s", text);
}
END_TEST

START_TEST(an_unknown_level_leads_to_the_service_that_makes_it_known)
{
	g_autoptr(World) w = world_new(
		"== app\n" DAEMON "[Conditions]\nWhen=label:DATA\n== udev\n[Service]\nExec=/bin/u\n"
		"Restart=no\n");
	const char *text;

	world_dies(w, "udev", 1);
	world_set_unknown(w, "label:DATA");
	text = reported(w, "app");
	ck_assert_msg(
		strstr(text,
		       "why: waiting for a volume labelled DATA, which is not known, and counts "
		       "as false "
		       "(/etc/svcd/services.d/app.svc:5).\n"
		       "  state: udev failed just now.\n") != NULL,
		"%s", text);
}
END_TEST

START_TEST(a_mutual_wait_is_explained_once)
{
	g_autoptr(World)
		w = world_new("== a\n" DAEMON "[Conditions]\nWhen=service:b | flag:x\n== b\n" DAEMON
			      "[Conditions]\nWhen=service:a | flag:x\n");
	const char *text = reported(w, "a");

	ck_assert_ptr_nonnull(strstr(text, "state: a is waiting"));
	ck_assert_ptr_nonnull(strstr(text, "  state: b is waiting"));
	ck_assert_ptr_null(strstr(text, "    state: a"));
}
END_TEST

START_TEST(a_stopping_service_names_the_services_it_waits_for)
{
	g_autoptr(World) w = world_new("== a\n" DAEMON "== b\n" DAEMON "[Conditions]\nAfter=a\n");

	world_settle(w);
	world_runlevel(w, "0");
	ck_assert_ptr_nonnull(
		strstr(reported(w, "a"), "why: It will stop after these have stopped: b.\n"));
}
END_TEST

START_TEST(services_not_in_their_wanted_state_are_listed)
{
	g_autoptr(World) w = world_new_with_policy("== bad\n[Service]\nExec=x\n== ok\n" DAEMON
						   "== off\n" DAEMON "== held\n" DAEMON
						   "[Conditions]\nWhen=flag:x\n",
						   "[runlevel 2]\nActivate=bad ok held\n");
	g_autoptr(GPtrArray) names = NULL;

	world_settle(w);
	names = explain_not_as_wanted(world_engine(w));
	ck_assert_uint_eq(names->len, 2);
	ck_assert_str_eq(g_ptr_array_index(names, 0), "bad");
	ck_assert_str_eq(g_ptr_array_index(names, 1), "held");
}
END_TEST

#define FOR_SOME_MACHINES                                                      \
	"== absent\n" DAEMON "[Conditions]\nWhen=path:exec:/usr/sbin/absent\n" \
	"== hardware\n" DAEMON "[Conditions]\nWhen=virtual:vm\n"               \
	"== quiet\n" DAEMON "[Conditions]\nWhen=kernel:quiet\n"                \
	"== held\n" DAEMON "[Conditions]\nWhen=path:/x\n"

START_TEST(what_the_vendor_wants_on_other_machines_is_not_listed)
{
	const char policy[] = "[runlevel 2]\nActivate=absent hardware quiet held\n";
	g_autoptr(World) vendors = world_new_with_vendor_policy(FOR_SOME_MACHINES, policy);
	g_autoptr(World) admins = world_new_with_policy(FOR_SOME_MACHINES, policy);
	g_autoptr(GPtrArray) by_vendor = NULL;
	g_autoptr(GPtrArray) by_admin = NULL;

	world_settle(vendors);
	world_settle(admins);

	by_vendor = explain_not_as_wanted(world_engine(vendors));
	ck_assert_uint_eq(by_vendor->len, 1);
	ck_assert_str_eq(g_ptr_array_index(by_vendor, 0), "held");
	by_admin = explain_not_as_wanted(world_engine(admins));
	ck_assert_uint_eq(by_admin->len, 4);
}
END_TEST

START_TEST(ignored_and_added_terms_are_explained_with_their_origin)
{
	g_autoptr(World) w = world_new_with_policy(
		"== app\n" DAEMON "[Conditions]\nWhile=network:up\n",
		"[runlevel 2]\nActivate=app\n[service app]\nIgnore=network:up\n"
		"When=flag:go\n");

	ck_assert_str_eq(reported(w, "app"),
			 "state: app is waiting for 1 condition.\n"
			 "why: It is wanted in runlevel 2 (" POLICY_FILE ":2).\n"
			 "why: network:up is ignored by " POLICY_FILE ":4.\n"
			 "why: When=flag:go is added by policy, " POLICY_FILE ":5.\n"
			 "why: flag:go is false (" POLICY_FILE ":5).\n"
			 "next: svcctl flag set go\n"
			 "cause: waiting: wanted in runlevel 2 (" POLICY_FILE ":2) (just now).\n"
			 "impact: Nothing waits for it.\n");
}
END_TEST

START_TEST(an_unknown_service_has_no_explanation)
{
	g_autoptr(World) w = world_new(DAEMON);

	ck_assert_ptr_null(explain_service(world_engine(w), "nosuch", world_now(w)));
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("explain");

	suite_add_loop(suite, "sentences",
		       an_awaited_condition_is_explained_with_alternatives_and_remedy,
		       G_N_ELEMENTS(waits));
	ADD_CASE(suite, "sentences", ignored_and_added_terms_are_explained_with_their_origin,
		 a_false_condition_is_named_with_its_place_and_what_to_do,
		 the_walk_goes_down_to_the_root_cause,
		 a_decision_of_policy_is_explained_with_file_line_and_reason,
		 an_admins_stop_is_explained_with_the_requester,
		 the_loser_of_a_conflict_names_the_winner,
		 an_unknown_level_is_explained_with_its_wait_limit,
		 a_lapse_within_its_grace_time_is_explained,
		 a_shared_remedy_of_alternatives_is_listed_once,
		 a_name_on_the_bus_leads_to_the_service_that_takes_it,
		 a_flag_owned_by_a_program_leads_to_the_service_that_sets_it,
		 an_unknown_level_leads_to_the_service_that_makes_it_known,
		 a_mutual_wait_is_explained_once,
		 a_stopping_service_names_the_services_it_waits_for,
		 services_not_in_their_wanted_state_are_listed,
		 what_the_vendor_wants_on_other_machines_is_not_listed,
		 an_unknown_service_has_no_explanation);
	return suite;
}
