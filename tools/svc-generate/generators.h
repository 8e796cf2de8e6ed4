/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Generators: shell scripts for packages whose own configuration decides which services there are.
 *
 * NAME.generate lies beside the service files that it is for, and is run if /etc/NAME exists. Its
 * argument is the root that is examined. It prints the files: the line ">FILE" before the text of
 * each, with FILE relative to /run/svcd/generated. It writes no file, so "svcctl --root" can run
 * it, too. It may run as root on names that others have chosen, so it checks each name before it
 * prints it. Each line that it writes to standard error is reported as an error.
 */
#ifndef SVCD_GENERATE_GENERATORS_H
#define SVCD_GENERATE_GENERATORS_H

#include "svc-generate/generate.h"

/*
 * Adds the files that the scripts in @directory print. They are never taken from the root that is
 * examined.
 */
void generators_run(Generated *g, const char *directory);

#endif
