/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <check.h>
#include <glib.h>

#include "model/key.h"
#include "tests/lib/suite.h"

static const struct {
	const char *text;
	KeyPrefix prefix;
	const char *canonical;
} good[] = {
	{ "path:/usr/sbin/sshd", KEY_PATH, "path:/usr/sbin/sshd" },
	{ "path:/usr//sbin/./sshd/", KEY_PATH, "path:/usr/sbin/sshd" },
	{ "path:/", KEY_PATH, "path:/" },
	{ "path:exec:/bin//sh", KEY_PATH, "path:exec:/bin/sh" },
	{ "path:dir:/etc/", KEY_PATH, "path:dir:/etc" },
	{ "path:nonempty:/etc/fstab", KEY_PATH, "path:nonempty:/etc/fstab" },
	{ "path:/a:b c", KEY_PATH, "path:/a:b c" },
	{ "service:dbus", KEY_SERVICE, "service:dbus" },
	{ "service:getty@tty1", KEY_SERVICE, "service:getty@tty1" },
	{ "settled:dbus", KEY_SETTLED, "settled:dbus" },
	{ "settled:$network", KEY_SETTLED, "settled:$network" },
	{ "active:x", KEY_ACTIVE, "active:x" },
	{ "healthy:x", KEY_HEALTHY, "healthy:x" },
	{ "facility:$network", KEY_FACILITY, "facility:$network" },
	{ "kernel:quiet", KEY_KERNEL, "kernel:quiet" },
	{ "kernel:root=/dev/sda1", KEY_KERNEL, "kernel:root=/dev/sda1" },
	{ "virtual:container", KEY_VIRTUAL, "virtual:container" },
	{ "virtual:vm", KEY_VIRTUAL, "virtual:vm" },
	{ "flag:maintenance", KEY_FLAG, "flag:maintenance" },
	{ "mounted:/usr/", KEY_MOUNTED, "mounted:/usr" },
	{ "flag:org.example.Weather/rain", KEY_FLAG, "flag:org.example.Weather/rain" },
	{ "dbus:org.freedesktop.NetworkManager", KEY_DBUS, "dbus:org.freedesktop.NetworkManager" },
	{ "dbus-property:org.a.B /org/a/B  org.a.B.State >= 70", KEY_DBUS_PROPERTY,
	  "dbus-property:org.a.B /org/a/B org.a.B.State >= 70" },
	{ "dbus-property:org.a.B / org.a.B.Name != 'two words'", KEY_DBUS_PROPERTY,
	  "dbus-property:org.a.B / org.a.B.Name != \"two words\"" },
	{ "network:up", KEY_NETWORK, "network:up" },
	{ "network:online", KEY_NETWORK, "network:online" },
	{ "network:interface:wlp3s0", KEY_NETWORK, "network:interface:wlp3s0" },
	{ "label:my d/ata", KEY_LABEL, "label:my d/ata" },
	{ "uuid:ABCD-12ef", KEY_UUID, "uuid:abcd-12ef" },
	{ "device:/dev//sda2", KEY_DEVICE, "device:/dev/sda2" },
	{ "udev:SUBSYSTEM=block ID_BUS=usb", KEY_UDEV, "udev:ID_BUS=usb SUBSYSTEM=block" },
	{ "udev:ID_MODEL=\"My Disk\" DEVNAME=/dev/sd?", KEY_UDEV,
	  "udev:DEVNAME=/dev/sd? \"ID_MODEL=My Disk\"" },
	{ "due:fstrim/weekly", KEY_DUE, "due:fstrim/weekly" },
	{ "due:a@b/Mon  *-*-* 00/4:00 UTC", KEY_DUE, "due:a@b/Mon *-*-* 00/4:00 UTC" },
	{ "due:backup/every 1d  12h", KEY_DUE, "due:backup/every 1d 12h" },
	{ "time:Mon..Fri  09:00-17:00", KEY_TIME, "time:Mon..Fri 09:00-17:00" },
	{ "time:boot+1h 30min", KEY_TIME, "time:boot+1h 30min" },
};

START_TEST(conditions_have_one_canonical_name)
{
	KeyPrefix prefix = KEY_COUNT;
	const char *canonical = NULL;
	char *problem = NULL;

	ck_assert(key_parse(good[_i].text, &prefix, &canonical, &problem));
	ck_assert_int_eq(prefix, good[_i].prefix);
	ck_assert_str_eq(canonical, good[_i].canonical);
	ck_assert_ptr_eq(canonical, g_intern_string(good[_i].canonical));
}
END_TEST

static const struct {
	const char *text;
	const char *problem;
	/* clang-format off */
} bad[] = {
	{ "servce:x", "no provider \"servce\"; did you mean \"service:x\"?" },
	{ "Path:/x", "no provider \"Path\"; did you mean \"path:/x\"?" },
	{ "weather:rain", "no provider \"weather\"; the providers are path, service, settled, active, healthy, facility, kernel, virtual, "
			  "flag, installed, mounted, dbus, dbus-property, network, label, uuid, device, udev, due, time" },
	{ "dbus", "\"dbus\" is not a condition; did you mean \"service:dbus\"?" },
	{ "/usr/sbin/x", "\"/usr/sbin/x\" is not a condition; did you mean \"path:/usr/sbin/x\"?" },
	{ "/a:b", "\"/a:b\" is not a condition; did you mean \"path:/a:b\"?" },
	{ "$network", "\"$network\" is not a condition; did you mean \"facility:$network\"?" },
	{ ":x", "\":x\" is not a condition; did you mean \"service::x\"?" },
	{ "", "\"\" is not a condition; write PROVIDER:ARGUMENT" },
	{ "path:", "\"\" is not an absolute path" },
	{ "path:etc", "\"etc\" is not an absolute path" },
	{ "path:exe:/x", "\"exe:/x\": only exec:, dir: or nonempty: may precede the path" },
	{ "path:/a/../b", "\"/a/../b\" contains \"..\"; write the path without it" },
	{ "mounted:usr", "\"usr\" is not an absolute path" },
	{ "service:$network", "$network is a facility; write facility:$network" },
	{ "service:", "the name of a service is empty" },
	{ "service:a/b", "the name of a service contains letters, digits and _.@:+-, not \"/\"" },
	{ "facility:network", "a facility name begins with $; write $network" },
	{ "kernel:", "kernel: takes an argument of the kernel command line: kernel:quiet, kernel:key=value" },
	{ "virtual:xen", "the conditions are virtual:container and virtual:vm" },
	{ "dbus:dbus", "\"dbus\" is not a D-Bus name; write it as in org.example.Name" },
	{ "dbus::1.42", "\":1.42\" is not a D-Bus name; write it as in org.example.Name" },
	{ "dbus:org..x", "\"org..x\" is not a D-Bus name; write it as in org.example.Name" },
	{ "dbus-property:org.a.B /x org.a.B.State", "write dbus-property:NAME PATH INTERFACE.PROPERTY = VALUE" },
	{ "dbus-property:org.a.B /x/ org.a.B.State = 1", "\"/x/\" is not the path of a D-Bus object" },
	{ "dbus-property:org.a.B /x State = 1", "\"State\" is not INTERFACE.PROPERTY" },
	{ "dbus-property:org.a.B /x a.B.State == 1", "\"==\" is not a comparison; the operators are =, !=, >= and <=" },
	{ "dbus-property:org.a.B /x a.B.State >= up", ">= compares numbers, and \"up\" is not a number" },
	{ "network:down", "the conditions are network:up, network:online and network:interface:NAME" },
	{ "network:interface:", "\"\" is not the name of a network interface" },
	{ "network:interface:a-name-too-long-by-far", "\"a-name-too-long-by-far\" is not the name of a network interface" },
	{ "label:", "a label is missing; write label:DATA, in quotes if it contains blanks" },
	{ "uuid:a b", "\"a b\" is not the UUID of a volume; blkid(8) shows them" },
	{ "device:sda", "\"sda\" is not an absolute path" },
	{ "device:/etc/sda", "\"/etc/sda\" is not a device; devices are below /dev/" },
	{ "udev:", "a match is missing; write udev:SUBSYSTEM=block ID_BUS=usb" },
	{ "udev:SUBSYSTEM", "\"SUBSYSTEM\" is not PROPERTY=VALUE; udevadm info shows them" },
	{ "udev:SUBSYSTEM=usb ACTION=add",
	  "\"ACTION=add\" is a property of events, not of devices" },
	{ "due:weekly", "the service is missing; write due:NAME/weekly outside of its own file" },
	{ "due:00/4:00", "the service is missing; write due:NAME/00/4:00 outside of its own file" },
	{ "due:x/fortnightly",
	  "\"fortnightly\" is not a weekday or a range such as Mon..Fri; a week begins with Mon" },
	{ "due:x/", "a calendar expression is missing, such as daily or Mon *-*-* 06:00" },
	{ "due:x/every day", "\"day\" is not a time such as 15min or 1d" },
	{ "due:x/every 10ms", "\"10ms\" is not a time such as 15min or 1d" },
	{ "time:boot+", "\"\" is not a time such as 15min or 1d" },
	{ "time:09:00", "\"09:00\" is not a window such as 22:00-06:00 or Mon..Fri 09:00-17:00" },
	{ "flag:org/rain", "\"org\" is not a D-Bus name; write it as in org.example.Name" },
	{ "flag:a b", "the name of a flag contains letters, digits and _.@:+-, not \" \"" },
};
/* clang-format on */

START_TEST(an_invalid_condition_is_reported_with_the_valid_form)
{
	KeyPrefix prefix;
	const char *canonical;
	g_autofree char *problem = NULL;

	ck_assert(!key_parse(bad[_i].text, &prefix, &canonical, &problem));
	ck_assert_str_eq(problem, bad[_i].problem);
}
END_TEST

START_TEST(the_argument_is_what_follows_the_first_colon)
{
	ck_assert_str_eq(key_argument("path:exec:/x"), "exec:/x");
	ck_assert_str_eq(key_argument("service:a"), "a");
}
END_TEST

START_TEST(the_engine_knows_the_levels_of_services_itself)
{
	ck_assert(key_prefix_is_internal(KEY_SERVICE));
	ck_assert(key_prefix_is_internal(KEY_SETTLED));
	ck_assert(key_prefix_is_internal(KEY_ACTIVE));
	ck_assert(key_prefix_is_internal(KEY_HEALTHY));
	ck_assert(key_prefix_is_internal(KEY_FACILITY));
	ck_assert(!key_prefix_is_internal(KEY_PATH));
	ck_assert(!key_prefix_is_internal(KEY_FLAG));
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("key");

	suite_add_loop(suite, "key", conditions_have_one_canonical_name, G_N_ELEMENTS(good));
	suite_add_loop(suite, "key", an_invalid_condition_is_reported_with_the_valid_form,
		       G_N_ELEMENTS(bad));
	ADD_CASE(suite, "key", the_argument_is_what_follows_the_first_colon,
		 the_engine_knows_the_levels_of_services_itself);
	return suite;
}
