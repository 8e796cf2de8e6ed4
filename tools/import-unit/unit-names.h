/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Unit names: the name of a unit in a service file.
 */
#ifndef SVCD_IMPORT_UNIT_UNIT_NAMES_H
#define SVCD_IMPORT_UNIT_UNIT_NAMES_H

#include <glib.h>
#include <stdbool.h>

typedef enum UnitNameKind {
	UNIT_NAME_SERVICE, /* text: the service */
	UNIT_NAME_FACILITY, /* text: "$network" */
	UNIT_NAME_CONDITION, /* text: "mounted:/srv" */
	UNIT_NAME_NETWORK_PRE, /* text: the services that bring up network interfaces */
	UNIT_NAME_IMPLIED, /* text: why it is unnecessary */
	UNIT_NAME_LOST, /* text: why there is no equivalent */
} UnitNameKind;

/**
 * unit_name_translate() - "sshd.service" -> "ssh", "srv-data.mount" -> "mounted:/srv/data"
 * @ret_text: a new string
 */
UnitNameKind unit_name_translate(const char *unit, char **ret_text);

/*
 * The service's name for "NAME.service": the name of Debian's init script if it differs. A new
 * string.
 */
char *unit_service_name(const char *unit);

/*
 * The same for a unit that is imported: its own name if other services know it only by a facility
 * ("$time" for systemd-timesyncd).
 */
char *unit_own_name(const char *unit);

/* Runlevels of a target in an [Install] section, "2 3 4 5"; NULL: it has none. */
const char *unit_target_runlevels(const char *target);

#endif
