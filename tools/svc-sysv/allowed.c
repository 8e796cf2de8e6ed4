/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Allowed: see allowed.h.
 */
#include "config.h"

#include "svc-sysv/allowed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <utmpx.h>

/* The consoles that a keyboard can reach: MAX_NR_CONSOLES of the kernel's linux/vt.h. */
#define LAST_CONSOLE 63

bool allowed_has(const char *file, const char *name, size_t size)
{
	const size_t length = strnlen(name, size);
	char *line = NULL;
	size_t capacity = 0;
	bool found = false;
	FILE *lines = fopen(file, "re");

	if (!lines)
		return false;
	while (length > 0 && !found && getline(&line, &capacity, lines) >= 0) {
		line[strcspn(line, " \t\n#")] = '\0';
		found = strlen(line) == length && memcmp(line, name, length) == 0;
	}
	free(line);
	(void)fclose(lines); /* read only */
	return found;
}

bool allowed_is_console(const char *line, size_t size)
{
	char text[sizeof "tty63"] = "";
	const size_t length = strnlen(line, size);
	int number = 0;
	int end = 0;

	if (length >= sizeof text)
		return false;
	memcpy(text, line, length);
	return sscanf(text, "tty%2d%n", &number, &end) == 1 && text[end] == '\0' && number >= 1 &&
	       number <= LAST_CONSOLE;
}

static bool is_allowed(const struct utmpx *record)
{
	return record->ut_type == USER_PROCESS &&
	       allowed_is_console(record->ut_line, sizeof record->ut_line) &&
	       (strncmp(record->ut_user, "root", sizeof record->ut_user) == 0 ||
		allowed_has(ALLOWED_FILE, record->ut_user, sizeof record->ut_user));
}

bool allowed_is_one_logged_in(void)
{
	const struct utmpx *record;
	bool found = false;

	if (access(ALLOWED_FILE, F_OK) < 0)
		return true;
	setutxent();
	while (!found && (record = getutxent()) != NULL)
		found = is_allowed(record);
	endutxent();
	return found;
}
