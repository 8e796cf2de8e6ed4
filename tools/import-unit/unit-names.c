/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Unit names: tables for the units whose names differ here, and rules for all others.
 */
#include "config.h"

#include "import-unit/unit-names.h"

#include <string.h>

#include "model/name.h"

/* Units that have the name of Debian's init script here. */
static const struct {
	const char *unit;
	const char *service;
} renamed[] = {
	{ "ModemManager", "modemmanager" },
	{ "NetworkManager", "network-manager" },
	{ "NetworkManager-dispatcher", "nm-dispatcher" },
	{ "bind9", "named" },
	{ "display-manager", "$x-display-manager" },
	{ "ifupdown-pre", "networking" },
	{ "mysql", "mariadb" },
	{ "mysqld", "mariadb" },
	{ "redis", "redis-server" },
	{ "smartd", "smartmontools" },
	{ "sshd", "ssh" },
	{ "syslog", "$syslog" },
	{ "systemd-logind", "elogind" },
	{ "systemd-modules-load", "kmod" },
	{ "systemd-random-seed", "urandom" },
	{ "systemd-sysctl", "procps" },
	{ "systemd-timesyncd", "$time" },
	{ "systemd-tmpfiles-setup", "tmpfiles" },
	{ "systemd-tmpfiles-setup-dev", "tmpfiles-dev" },
	{ "systemd-udev-settle", "udev-trigger" },
	{ "systemd-udev-trigger", "udev-trigger" },
	{ "systemd-udevd", "udev" },
	{ "systemd-user-sessions", "$local_fs" },
};

/* Units other than services, from systemd.special(7) and from Debian. */
static const struct {
	const char *unit;
	UnitNameKind kind;
	const char *text;
	/* clang-format off */
} special[] = {
	{ "basic.target", UNIT_NAME_FACILITY, "$local_fs" },
	{ "blockdev@.target", UNIT_NAME_IMPLIED, "devices are conditions" },
	{ "cryptsetup-pre.target", UNIT_NAME_IMPLIED, "devices are conditions" },
	{ "cryptsetup.target", UNIT_NAME_FACILITY, "$local_fs" },
	{ "default.target", UNIT_NAME_IMPLIED, "no service can wait for the whole boot" },
	{ "emergency.target", UNIT_NAME_IMPLIED, "svcd provides the rescue shell itself" },
	{ "getty.target", UNIT_NAME_IMPLIED, "logins are not a step of the boot" },
	{ "graphical.target", UNIT_NAME_IMPLIED, "no service can wait for the whole boot" },
	{ "initrd-switch-root.target", UNIT_NAME_IMPLIED, "svcd does not run in the initrd" },
	{ "local-fs-pre.target", UNIT_NAME_SERVICE, "checkroot" },
	{ "local-fs.target", UNIT_NAME_FACILITY, "$local_fs" },
	{ "multi-user.target", UNIT_NAME_IMPLIED, "no service can wait for the whole boot" },
	{ "network-online.target", UNIT_NAME_CONDITION, "network:up" },
	{ "network-pre.target", UNIT_NAME_NETWORK_PRE, "networking network-manager systemd-networkd connman dhcpcd ifplugd" },
	{ "network.target", UNIT_NAME_FACILITY, "$network" },
	{ "nss-lookup.target", UNIT_NAME_FACILITY, "$named" },
	{ "nss-user-lookup.target", UNIT_NAME_IMPLIED, "users are looked up when a service is started" },
	{ "paths.target", UNIT_NAME_IMPLIED, "paths are conditions" },
	{ "remote-fs-pre.target", UNIT_NAME_FACILITY, "$network" },
	{ "remote-fs.target", UNIT_NAME_FACILITY, "$remote_fs" },
	{ "rescue.target", UNIT_NAME_IMPLIED, "svcd provides the rescue shell itself" },
	{ "rpcbind.target", UNIT_NAME_FACILITY, "$portmap" },
	{ "shutdown.target", UNIT_NAME_IMPLIED, "shutdown stops every service" },
	{ "sleep.target", UNIT_NAME_LOST, "svcd starts nothing for suspend; elogind runs the files of system-sleep" },
	{ "slices.target", UNIT_NAME_IMPLIED, "every service has its own cgroup" },
	{ "sockets.target", UNIT_NAME_IMPLIED, "sockets are opened before their service starts" },
	{ "swap.target", UNIT_NAME_FACILITY, "$local_fs" },
	{ "sysinit.target", UNIT_NAME_FACILITY, "$local_fs" },
	{ "syslog.socket", UNIT_NAME_FACILITY, "$syslog" },
	{ "syslog.target", UNIT_NAME_FACILITY, "$syslog" },
	{ "systemd-journald.service", UNIT_NAME_IMPLIED, "output is collected from the first moment" },
	{ "systemd-journald.socket", UNIT_NAME_IMPLIED, "output is collected from the first moment" },
	{ "systemd-networkd-wait-online.service", UNIT_NAME_CONDITION, "network:up" },
	{ "systemd-remount-fs.service", UNIT_NAME_SERVICE, "checkroot" },
	{ "NetworkManager-wait-online.service", UNIT_NAME_CONDITION, "network:up" },
	{ "time-set.target", UNIT_NAME_FACILITY, "$time" },
	{ "time-sync.target", UNIT_NAME_FACILITY, "$time" },
	{ "timers.target", UNIT_NAME_LOST, "svcd has no timers; use cron" },
	{ "umount.target", UNIT_NAME_IMPLIED, "a shutdown unmounts a file system after the services ordered after it have stopped" },
};
/* clang-format on */

/* Targets that are stages of the boot, and the equivalent runlevels. */
static const struct {
	const char *target;
	const char *runlevels;
} targets[] = {
	{ "basic.target", "S" },
	{ "bluetooth.target", "2 3 4 5" },
	{ "default.target", "2 3 4 5" },
	{ "getty.target", "2 3 4 5" },
	{ "graphical.target", "5" },
	{ "local-fs.target", "S" },
	{ "multi-user.target", "2 3 4 5" },
	{ "network-online.target", "2 3 4 5" },
	{ "network.target", "2 3 4 5" },
	{ "printer.target", "2 3 4 5" },
	{ "remote-fs.target", "2 3 4 5" },
	{ "rescue.target", "1" },
	{ "smartcard.target", "2 3 4 5" },
	{ "sockets.target", "2 3 4 5" },
	{ "sound.target", "2 3 4 5" },
	{ "sysinit.target", "S" },
	{ "time-sync.target", "2 3 4 5" },
};

/* "srv-my\x2ddata" -> "/srv/my-data" (systemd-escape(1)); a new string. */
static char *unescape_path(const char *name, size_t length)
{
	GString *path = g_string_new("/");

	for (size_t i = 0; i < length && !(length == 1 && name[0] == '-'); i++) {
		if (name[i] == '-') {
			g_string_append_c(path, '/');
		} else if (name[i] == '\\' && i + 3 < length && name[i + 1] == 'x') {
			g_string_append_c(path, (char)(g_ascii_xdigit_value(name[i + 2]) * 16 +
						       g_ascii_xdigit_value(name[i + 3])));
			i += 3;
		} else {
			g_string_append_c(path, name[i]);
		}
	}
	return g_string_free(path, FALSE);
}

/*
 * A device is identified by its path below /dev, and a network interface by its name. Other devices
 * are found only by their properties.
 */
static UnitNameKind translate_device(const char *name, size_t length, char **ret_text)
{
	static const char interfaces[] = "/sys/subsystem/net/devices/";
	g_autofree char *path = unescape_path(name, length);

	if (g_str_has_prefix(path, interfaces)) {
		*ret_text = g_strdup_printf("udev:SUBSYSTEM=net INTERFACE=%s",
					    path + strlen(interfaces));
		return UNIT_NAME_CONDITION;
	}
	if (g_str_has_prefix(path, "/dev/")) {
		*ret_text = g_strconcat("device:", path, NULL);
		return UNIT_NAME_CONDITION;
	}
	*ret_text = g_strdup("write a udev: condition with the device's properties");
	return UNIT_NAME_LOST;
}

static char *condition_of(const char *kind, const char *name, size_t length)
{
	g_autofree char *path = unescape_path(name, length);

	return g_strconcat(kind, path, NULL);
}

char *unit_service_name(const char *unit)
{
	const char *suffix = strrchr(unit, '.');
	char *name = suffix ? g_strndup(unit, (gsize)(suffix - unit)) : g_strdup(unit);

	for (size_t i = 0; i < G_N_ELEMENTS(renamed); i++) {
		if (strcmp(renamed[i].unit, name) != 0)
			continue;
		g_free(name);
		return g_strdup(renamed[i].service);
	}
	return name;
}

char *unit_own_name(const char *unit)
{
	const char *suffix = strrchr(unit, '.');
	g_autofree char *name = unit_service_name(unit);

	if (*name != '$')
		return g_steal_pointer(&name);
	return suffix ? g_strndup(unit, (gsize)(suffix - unit)) : g_strdup(unit);
}

static UnitNameKind translate_service(const char *unit, char **ret_text)
{
	g_autofree char *name = unit_service_name(unit);
	g_autofree char *without_instance = g_strdup(name);

	/* The instance may still be "%i". */
	g_strdelimit(without_instance, "%", '_');
	if (*name != '$' && !name_check_service(without_instance, NULL)) {
		*ret_text = g_strdup_printf("\"%s\" cannot be the name of a service", name);
		return UNIT_NAME_LOST;
	}
	*ret_text = g_steal_pointer(&name);
	return **ret_text == '$' ? UNIT_NAME_FACILITY : UNIT_NAME_SERVICE;
}

/* Translates a name by the suffix after its last dot. */
static UnitNameKind translate_by_suffix(const char *unit, char **ret_text)
{
	const char *suffix = strrchr(unit, '.');
	const size_t length = suffix ? (size_t)(suffix - unit) : strlen(unit);

	if (!suffix || strcmp(suffix, ".service") == 0 || strcmp(suffix, ".socket") == 0)
		return translate_service(unit, ret_text);
	if (strcmp(suffix, ".mount") == 0 || strcmp(suffix, ".automount") == 0) {
		*ret_text = condition_of("mounted:", unit, length);
		return UNIT_NAME_CONDITION;
	}
	if (strcmp(suffix, ".device") == 0)
		return translate_device(unit, length, ret_text);
	if (strcmp(suffix, ".slice") == 0) {
		*ret_text = g_strdup("every service has its own cgroup");
		return UNIT_NAME_IMPLIED;
	}
	if (strcmp(suffix, ".target") == 0)
		return translate_service(unit, ret_text); /* a group of that name */
	*ret_text = g_strdup_printf("svcd has no unit of the kind %s", suffix);
	return UNIT_NAME_LOST;
}

UnitNameKind unit_name_translate(const char *unit, char **ret_text)
{
	for (size_t i = 0; i < G_N_ELEMENTS(special); i++) {
		if (strcmp(special[i].unit, unit) == 0) {
			*ret_text = g_strdup(special[i].text);
			return special[i].kind;
		}
	}
	return translate_by_suffix(unit, ret_text);
}

const char *unit_target_runlevels(const char *target)
{
	for (size_t i = 0; i < G_N_ELEMENTS(targets); i++) {
		if (strcmp(targets[i].target, target) == 0)
			return targets[i].runlevels;
	}
	return NULL;
}
