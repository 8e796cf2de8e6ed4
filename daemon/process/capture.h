/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Capture: what a command says, read while it runs. The last line is kept, for it is most likely the reason of a failure;
 * all of it goes on to the service's log, as far as that takes it at once.
 */
#ifndef SVCD_PROCESS_CAPTURE_H
#define SVCD_PROCESS_CAPTURE_H

typedef struct Capture Capture;

/* What of a line is shown to people. */
#define CAPTURE_CHARACTERS 200

/* @fd: read end of a pipe, taken. @log_fd: taken, -1: nowhere else. Reads from the main loop at once. */
Capture *capture_new(int fd, int log_fd);
/* Reads what is there now; the command is dead. */
void capture_drain(Capture *capture);
/* The last line with anything in it, without control bytes; "" if there was none. Borrowed until the next read. */
const char *capture_last_line(Capture *capture);
void capture_free(Capture *capture); /* NULL is nothing */

#endif
