/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Units: what became of systemd units, and the sources of generated service files.
 */
#ifndef SVCD_SVCCTL_UNITS_H
#define SVCD_SVCCTL_UNITS_H

#include "svcctl/svcctl.h"

/**
 * unit_hint() - why no service runs a unit, and the next step
 * @name: "caddy", "caddy.service", "fstrim.timer"
 * Returns: lines, a new string; NULL if there is no such unit, or if it is a service.
 */
char *unit_hint(const Context *context, const char *name);

/* "svcctl import FILE ...", the commands that make a service file of a unit; a new string. */
char *unit_import_commands(const char *path, const char *service, const char *separator);

/**
 * generated_source() - the file that a generated service file was made from
 * @file: "/run/svcd/generated/caddy.svc"
 * Returns: "/usr/lib/systemd/system/caddy.service", a new string; NULL if @file is not generated.
 */
char *generated_source(const Context *context, const char *file);

#endif
