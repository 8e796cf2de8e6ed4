/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Access: root, the user whose own svcd this is, and who has polkit's yes.
 */
#include "config.h"

#include "bus/access.h"

#include <unistd.h>

#include "base/errors.h"
#include "bus/names.h"

bool access_is_welcome(uid_t uid)
{
	return uid == 0 || uid == geteuid();
}

const char *access_action(Access access)
{
	switch (access) {
	case ACCESS_READ:
		break;
	case ACCESS_CONTROL:
	case ACCESS_OPERATE:
	case ACCESS_FLAG:
	case ACCESS_WATCH:
		return BUS_NAME ".control";
	case ACCESS_POWER:
		return BUS_NAME ".power";
	case ACCESS_CONFIGURE:
		return BUS_NAME ".configure";
	case ACCESS_POLICY:
		return BUS_NAME ".set-policy";
	}
	g_assert_not_reached();
}

bool access_check(const BusClient *client, Access access, GError **error)
{
	const uid_t uid = client->who.uid;

	if (access == ACCESS_READ || client->is_authorized || access_is_welcome(uid))
		return true;
	return fail(error, SVCD_ERROR_NOT_AUTHORIZED, "uid %u may not change anything", (unsigned)uid);
}
