/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Own units: the table, which unit-compat/README.md prints. The first matching row counts.
 */
#include "config.h"

#include "unit-compat/own-units.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

#define NEEDS_SYSTEMD "works only with systemd as PID 1"
#define LOGIN "svcd starts a login on each console"

/* clang-format off */
static const OwnUnit units[] = {
	{ "systemd-networkd.s*", NULL },
	{ "systemd-resolved.service", NULL },
	{ "systemd-timesyncd.service", NULL },
	{ "systemd-udevd*", "the service udev" },
	{ "systemd-udev-*", "the service udev-trigger" },
	{ "systemd-logind.service", "elogind keeps the sessions" },
	{ "systemd-journal*", "svcd collects the output of services itself" },
	{ "systemd-tmpfiles-*", "the services tmpfiles and tmpfiles-dev" },
	{ "systemd-sysctl.service", "the service procps" },
	{ "systemd-modules-load.service", "the service kmod" },
	{ "systemd-random-seed.service", "the service urandom" },
	{ "systemd-networkd-*", "network:up and network:online are conditions" },
	{ "systemd-*", NEEDS_SYSTEMD },
	{ "NetworkManager-wait-online.service", "network:up and network:online are conditions" },
	{ "autovt@.service", LOGIN },
	{ "blockdev@.target", "devices are conditions" },
	{ "capsule@.service", NEEDS_SYSTEMD },
	{ "console-getty.service", LOGIN },
	{ "container-getty@.service", LOGIN },
	{ "dbus-org.freedesktop.hostname1.service", NEEDS_SYSTEMD },
	{ "dbus-org.freedesktop.locale1.service", NEEDS_SYSTEMD },
	{ "dbus-org.freedesktop.login1.service", "elogind keeps the sessions" },
	{ "dbus-org.freedesktop.timedate1.service", NEEDS_SYSTEMD },
	{ "debug-shell.service", "svcd provides the rescue shell itself" },
	{ "dev-*.mount", "PID 1 mounts the kernel's file systems" },
	{ "emergency.service", "svcd provides the rescue shell itself" },
	{ "getty-static.service", LOGIN },
	{ "getty@*.service", LOGIN },
	{ "ifup@*.service", "the services networking and udev bring up interfaces" },
	{ "ifupdown-pre.service", "the service networking waits for udev" },
	{ "ifupdown-wait-online.service", "network:up and network:online are conditions" },
	{ "initrd-*", "svcd does not run in the initrd" },
	{ "ldconfig.service", NEEDS_SYSTEMD },
	{ "modprobe@.service", "the service kmod loads modules" },
	{ "proc-sys-fs-binfmt_misc.*", "binfmt-support mounts it" },
	{ "quotaon*.service", NEEDS_SYSTEMD },
	{ "rc-local.service", "the service rc.local" },
	{ "rc.local.service", "the service rc.local" },
	{ "rescue.service", "svcd provides the rescue shell itself" },
	{ "serial-getty@*.service", LOGIN },
	{ "sys-*.mount", "PID 1 mounts the kernel's file systems" },
	{ "syslog.socket", "svcd sends its lines to /dev/log" },
	{ "system-systemd*.slice", NEEDS_SYSTEMD },
	{ "system-update*", NEEDS_SYSTEMD },
	{ "udev.service", "the service udev" },
	{ "urandom.service", "the service urandom" },
	{ "user-runtime-dir@.service", "elogind makes /run/user" },
	{ "user.slice", NEEDS_SYSTEMD },
	{ "user@*.service", "svcd --user is started by the session" },
	{ "x11-common.service", "the service tmpfiles" },
};
/* clang-format on */

/* A pattern has at most one "*". */
static bool matches(const char *pattern, const char *unit)
{
	const char *star = strchr(pattern, '*');
	const size_t n = star ? (size_t)(star - pattern) : 0;

	if (!star)
		return strcmp(pattern, unit) == 0;
	return strncmp(pattern, unit, n) == 0 && g_str_has_suffix(unit + n, star + 1);
}

const OwnUnit *own_unit_find(const char *unit)
{
	for (size_t i = 0; i < G_N_ELEMENTS(units); i++) {
		if (matches(units[i].pattern, unit))
			return units[i].reason ? &units[i] : NULL;
	}
	return NULL;
}

const OwnUnit *own_unit_at(size_t index)
{
	return index < G_N_ELEMENTS(units) ? &units[index] : NULL;
}
