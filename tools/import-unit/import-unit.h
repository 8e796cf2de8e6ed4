/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Import: converts a systemd unit to a service file and a policy, with the result for each line.
 *
 * Logic and policy are separate, as everywhere in svcd: [Install] becomes a policy that the admin
 * may accept or not.
 */
#ifndef SVCD_IMPORT_UNIT_IMPORT_UNIT_H
#define SVCD_IMPORT_UNIT_IMPORT_UNIT_H

#include <glib.h>

#include "import-unit/import-result.h"

/* One file that describes the service: NAME.service, NAME.socket, or a drop-in of either. */
typedef struct UnitText {
	const char *file; /* as it is shown; its last part is the unit's name */
	const char *text;
	gsize length;
} UnitText;

/**
 * import_unit() - convert the units of one service to one service file
 * @texts: the first one determines the name of the service
 * Returns: always an Import, owned; a socket and its service become one file.
 */
Import *import_unit(const UnitText *texts, unsigned n_texts);

#endif
