/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Initctl request: reads the record.
 */
#include "config.h"

#include "sysv/initctl-request.h"

#include <string.h>

#include "base/errors.h"

static bool read_runlevel(int letter, InitctlMeaning *meaning, GError **error)
{
	if (letter <= 0 || letter > 127 || !strchr(INITCTL_RUNLEVELS, letter))
		return fail(error, SVCD_ERROR_INVALID_ARGUMENT,
			    "a runlevel that init(8) does not know: %d", letter);
	switch (g_ascii_tolower((char)letter)) {
	case 'q':
		meaning->action = INITCTL_ACTION_RELOAD;
		return true;
	case 'u':
		meaning->action = INITCTL_ACTION_REEXEC;
		return true;
	case 'a':
	case 'b':
	case 'c':
		return fail(error, SVCD_ERROR_NOT_SUPPORTED,
			    "runlevels a, b and c start single services; svcctl start does that");
	case 's':
		letter = '1';
		break;
	}
	meaning->action = INITCTL_ACTION_RUNLEVEL;
	meaning->runlevel[0] = (char)letter;
	meaning->runlevel[1] = '\0';
	return true;
}

/*
 * Only the variable that shutdown(8) sends is used. The environment of services is set in service
 * files.
 */
static void read_environment(const char *data, InitctlMeaning *meaning)
{
	static const char name[] = "INIT_HALT";

	if (!memchr(data, '\0', INITCTL_DATA_BYTES) || strncmp(data, name, sizeof name - 1) != 0)
		return;
	data += sizeof name - 1;
	if (*data != '=' && *data != '\0')
		return;
	meaning->action = INITCTL_ACTION_HALT_KIND;
	meaning->is_halt = strcmp(data, "=HALT") == 0;
}

bool initctl_request_read(const struct InitctlRequest *record, InitctlMeaning *ret, GError **error)
{
	InitctlMeaning meaning = { .action = INITCTL_ACTION_NOTHING };

	if (record->magic != INITCTL_MAGIC)
		return fail(error, SVCD_ERROR_INVALID_ARGUMENT,
			    "not a record of init: it does not begin with the magic number");
	switch (record->command) {
	case INITCTL_RUNLEVEL:
		if (!read_runlevel(record->runlevel, &meaning, error))
			return false;
		break;
	case INITCTL_POWER_FAIL:
		meaning.action = INITCTL_ACTION_POWER_FAIL;
		break;
	case INITCTL_POWER_FAIL_NOW:
		meaning.action = INITCTL_ACTION_POWER_FAIL_NOW;
		break;
	case INITCTL_POWER_OK:
		meaning.action = INITCTL_ACTION_POWER_OK;
		break;
	case INITCTL_SET_ENVIRONMENT:
	case INITCTL_UNSET_ENVIRONMENT:
		read_environment(record->data, &meaning);
		break;
	case INITCTL_START:
	case INITCTL_BSD:
		break;
	default:
		return fail(error, SVCD_ERROR_INVALID_ARGUMENT,
			    "a command that init(8) does not know: %d", record->command);
	}
	*ret = meaning;
	return true;
}
