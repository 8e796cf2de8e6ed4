/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Import: converts a systemd unit to a service file and a policy, with the result for each line.
 *
 * Logic and policy are separate, as everywhere in svcd: [Install] becomes a policy that the admin
 * may accept or not.
 */
#ifndef SVCD_UNIT_COMPAT_IMPORT_UNIT_H
#define SVCD_UNIT_COMPAT_IMPORT_UNIT_H

#include <glib.h>

#include "unit-compat/import-result.h"

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

/**
 * import_unit_at_boot() - the same for a unit that is read where it lies
 * @unit: "ssh.service", or an instance of a template
 * @lines: UnitLine *, of all its files; a line 0 is a link. Their values may be changed.
 * @diags: errors in these files; owned by the result
 *
 * [Install] has no effect, because the links that it describes decide. A target is only a name that
 * orders services.
 */
Import *import_unit_at_boot(const char *unit, const char *path, const GPtrArray *lines,
			    DiagList *diags);

/* Why svcd reads no unit of this kind (".timer" ...); NULL: it does. */
const char *import_refusal(const char *unit);

#endif
