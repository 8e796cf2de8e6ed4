/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Access: root, and the user whose own svcd this is.
 */
#include "config.h"

#include "bus/access.h"

#include <unistd.h>

#include "base/errors.h"

bool access_is_welcome(uid_t uid)
{
	return uid == 0 || uid == geteuid();
}

bool access_check(const Requester *who, Access access, GError **error)
{
	switch (access) {
	case ACCESS_READ:
		return true;
	case ACCESS_CHANGE:
		if (who->uid == 0 || who->uid == geteuid())
			return true;
		break;
	}
	return fail(error, SVCD_ERROR_NOT_AUTHORIZED, "uid %u may not change anything", (unsigned)who->uid);
}
