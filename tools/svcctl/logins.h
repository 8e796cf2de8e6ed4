/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Logins: the users who are logged in on this machine, from utmp(5).
 */
#ifndef SVCD_SVCCTL_LOGINS_H
#define SVCD_SVCCTL_LOGINS_H

#include <glib.h>
#include <stdint.h>

typedef struct Login {
	char *user;
	char *line; /* "tty2" */
	int64_t since_us; /* CLOCK_REALTIME */
} Login;

/* A new array of Login *. */
GPtrArray *logins_list(void);

/*
 * Like logins_list(), without the user at this terminal, who types this command, perhaps under
 * another name (su, sudo).
 */
GPtrArray *logins_of_others(void);

/* "bob on tty2 since 09:12"; a new string. */
char *login_text(const Login *login);

#endif
