/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Capture: the output of a command, read while it runs. The last line is kept, because it is most likely the reason of a failure. All of
 * it is passed on to the service's log, as far as that takes it at once.
 */
#ifndef SVCD_PROCESS_CAPTURE_H
#define SVCD_PROCESS_CAPTURE_H

#include "process/keeper-link.h"
#include "process/log-router.h"

typedef struct Capture Capture;

/* Of a line, as many are shown. */
#define CAPTURE_CHARACTERS 200

/* @fd: our end of the command's channel, taken. @logs: NULL: it goes nowhere else. Reads from the main loop at once. */
Capture *capture_new(KeeperLink *link, LogRouter *logs, const char *service, int fd);
/* Reads what is there now; the command is dead. */
void capture_drain(Capture *capture);
/* The last line that is not blank, without control bytes; "" if there was none. Borrowed until the next read. */
const char *capture_last_line(Capture *capture);
void capture_free(Capture *capture); /* NULL is nothing */

#endif
