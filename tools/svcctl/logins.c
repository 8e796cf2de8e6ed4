/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Logins: the records of users who have a live process.
 */
#include "config.h"

#include "svcctl/logins.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>
#include <utmpx.h>

static void login_free(gpointer data)
{
	Login *login = data;

	g_free(login->user);
	g_free(login->line);
	g_free(login);
}

/* A session that was killed leaves its record behind. */
static bool is_alive(const struct utmpx *entry)
{
	return entry->ut_type == USER_PROCESS && (kill(entry->ut_pid, 0) == 0 || errno == EPERM);
}

GPtrArray *logins_list(void)
{
	GPtrArray *logins = g_ptr_array_new_with_free_func(login_free);
	const struct utmpx *entry;

	setutxent();
	while ((entry = getutxent())) {
		Login *login;

		if (!is_alive(entry))
			continue;
		login = g_new0(Login, 1);
		login->user = g_strndup(entry->ut_user, sizeof entry->ut_user);
		login->line = g_strndup(entry->ut_line, sizeof entry->ut_line);
		login->since_us = (int64_t)entry->ut_tv.tv_sec * G_USEC_PER_SEC;
		g_ptr_array_add(logins, login);
	}
	endutxent();
	return logins;
}

/* The user who is logged in at this terminal; without a login, the name of the process's user. */
static const char *own_name(const GPtrArray *logins)
{
	const char *terminal = ttyname(STDIN_FILENO);
	const char *line =
		terminal && g_str_has_prefix(terminal, "/dev/") ? terminal + strlen("/dev/") : "";

	for (guint i = 0; i < logins->len; i++) {
		const Login *login = g_ptr_array_index(logins, i);

		if (strcmp(login->line, line) == 0)
			return login->user;
	}
	return g_get_user_name();
}

GPtrArray *logins_of_others(void)
{
	GPtrArray *logins = logins_list();
	g_autofree char *own = g_strdup(own_name(logins));

	for (guint i = logins->len; i-- > 0;) {
		if (strcmp(((const Login *)g_ptr_array_index(logins, i))->user, own) == 0)
			g_ptr_array_remove_index(logins, i);
	}
	return logins;
}

char *login_text(const Login *login)
{
	g_autoptr(GDateTime)
		since = g_date_time_new_from_unix_local(login->since_us / G_USEC_PER_SEC);
	g_autofree char *time = since ? g_date_time_format(since, "%H:%M") : NULL;

	return g_strdup_printf("%s on %s since %s", login->user, login->line,
			       time ? time : "an unknown time");
}
