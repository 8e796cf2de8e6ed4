/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Access: the rights of root, of the owner of an svcd --user, and of other users through polkit or
 * Operators=.
 */
#include "config.h"

#include "bus/access.h"

#include <unistd.h>

#include "base/errors.h"
#include "bus/names.h"
#include "bus/peer-rights.h"

bool access_is_owner(const Requester *requester)
{
	if (requester->uid != 0)
		return requester->uid == geteuid();
	return geteuid() != 0 || peer_rights_of_process(requester->pid);
}

const char *access_action(Access access)
{
	switch (access) {
	case ACCESS_READ:
	case ACCESS_LISTEN:
		break;
	case ACCESS_CONTROL:
	case ACCESS_OPERATE:
	case ACCESS_FLAG:
	case ACCESS_WATCH:
		return BUS_NAME ".control";
	case ACCESS_LOG:
		return BUS_NAME ".read-log";
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
	if (access == ACCESS_READ || access == ACCESS_LISTEN || client->grant == GRANT_CALL ||
	    client->is_owner)
		return true;
	return fail(error, SVCD_ERROR_NOT_AUTHORIZED, "uid %u may not change anything",
		    (unsigned)client->requester.uid);
}
