/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Specifiers: "%t" and the like in the values of units (systemd.unit(5), "SPECIFIERS").
 */
#ifndef SVCD_IMPORT_UNIT_SPECIFIERS_H
#define SVCD_IMPORT_UNIT_SPECIFIERS_H

#include <stdbool.h>

/**
 * specifiers_expand() - convert @value to the syntax of a service file
 * @unit: "foo@.service"; its instance is replaced if it is known
 * @is_template: the instance stays "%i", and a percent sign is doubled
 * Returns: a new string; NULL with *@ret_problem, a new string, for a specifier that is known only
 * at run time.
 */
char *specifiers_expand(const char *value, const char *unit, bool is_template, char **ret_problem);

#endif
