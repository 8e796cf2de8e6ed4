/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Logger session: a real svc-logger. The test plays the manager and the services.
 */
#ifndef SVCD_TESTS_LIB_LOGGER_SESSION_H
#define SVCD_TESTS_LIB_LOGGER_SESSION_H

#include <stdint.h>
#include <sys/types.h>

#include "tests/lib/deadline.h"
#include "tests/lib/tree.h"

typedef struct Session {
	Tree *tree;
	char *directory; /* of its files */
	char *syslog_path;
	pid_t pid;
	int control;
	int probe[2]; /* of session_with_probe() */
	uint64_t serial;
} Session;

Session *session_new(void);
/* A service "probe" with its output in probe[1]. */
Session *session_with_probe(void);
/* Ends the logger, which exits when no writer is left and all is read. */
void session_free(Session *session);

/* Starts another logger in place of the killed one. */
void session_kill(Session *session);
void session_start(Session *session);

void session_hand_over(const Session *session, const char *service, uint64_t serial, int fd);
/*
 * Opens a channel. The logger gets one end, which also stays open here, as in PID 1. Returns: its
 * serial number.
 */
uint64_t session_open_channel(const Session *session, const char *service, int fds[2]);
void write_text(int fd, const char *text);
void session_expect_end(const Session *session, const char *service);
void session_expect_refused(const Session *session, const char *service);

/* The texts of the lines, without their times. */
char *session_read_log(const Session *session, const char *name);
/* Waits until the lines are exactly @text. */
void session_expect_log(const Session *session, const char *name, const char *text);

#endif
