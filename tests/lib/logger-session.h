/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Logger session: a real svc-logger, and the test in the place of the manager and of the services that it reads.
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
/* A service "probe" says into probe[1] what it has to say. */
Session *session_with_probe(void);
/* It ends by itself when nobody can talk to it and nothing is left to read. */
void session_free(Session *session);

/* Another logger in the place of the one that was killed. */
void session_kill(Session *session);
void session_start(Session *session);

void session_hand_over(const Session *session, const char *service, uint64_t serial, int fd);
/* A new channel whose one end the logger has; it stays open here too, as it does in PID 1. Returns: its serial number. */
uint64_t session_open_channel(const Session *session, const char *service, int fds[2]);
void say(int fd, const char *text);
void session_expect_end(const Session *session, const char *service);
void session_expect_refused(const Session *session, const char *service);

/* The texts of the lines, without their times. */
char *session_read_log(const Session *session, const char *name);
/* They become that. */
void session_expect_log(const Session *session, const char *name, const char *text);

#endif
