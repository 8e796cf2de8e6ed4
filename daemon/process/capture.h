/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Capture: the output of a command, read while the command runs.
 *
 * The last line is kept, because it is most likely the reason for a failure. All output is passed
 * on to the service's log, as far as the log accepts it immediately.
 */
#ifndef SVCD_PROCESS_CAPTURE_H
#define SVCD_PROCESS_CAPTURE_H

#include "process/keeper-link.h"
#include "process/log-router.h"

typedef struct Capture Capture;

/* At most this many characters of a line are shown. */
#define CAPTURE_CHARACTERS 200

/*
 * @fd: our end of the command's channel, taken. @logs: NULL: the output is not logged. From now on
 * the main loop reads @fd.
 */
Capture *capture_new(KeeperLink *link, LogRouter *logs, const char *service, int fd);
/* Reads what is available now; called when the command has ended. */
void capture_drain(Capture *capture);
/*
 * The last line that is not blank, without control bytes; "" if there is none. Borrowed until the
 * next read.
 */
const char *capture_last_line(Capture *capture);
void capture_free(Capture *capture); /* NULL is allowed */

#endif
