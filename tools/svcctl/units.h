/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Units: finds programs that only a systemd unit describes. svcd does not read units.
 */
#ifndef SVCD_SVCCTL_UNITS_H
#define SVCD_SVCCTL_UNITS_H

#include "model/service-set.h"

/**
 * unit_of_name() - the unit file of a service
 * @root: "" or the directory that contains the machine's files
 * @name: "caddy" or "caddy.service"
 * Returns: "/lib/systemd/system/caddy.service", a new string; NULL if there is none.
 */
char *unit_of_name(const char *root, const char *name);

/* The commands that turn a unit into a service; a new string, with @separator between them. */
char *unit_import_commands(const char *unit, const char *separator);

/* Does the service "systemd-timesyncd", or another with this name, belong to systemd itself? */
bool unit_is_part_of_systemd(const char *name);

/* The service in @set that replaces the unit @name, by its name or program; borrowed, or NULL. */
const ServiceDef *unit_replacement(const char *root, const ServiceSet *set, const char *name);

/**
 * units_without_service() - units that a package or an admin enables, and that no service in @set
 * replaces
 * Returns: paths, a new array that owns them, sorted by name.
 */
GPtrArray *units_without_service(const char *root, const ServiceSet *set);

#endif
