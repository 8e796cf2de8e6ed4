/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: a datagram of any bytes as part of a list of links, of a list of routes, and without
 * a request.
 */
#include "config.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "providers/network-rtnl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool on_listed(void *table, const struct nlmsghdr *message)
{
	const unsigned lists = rtnl_table_message(table, message, true);

	g_assert(lists < 1u << NETLINK_LISTS);
	return true;
}

static bool on_answered(void *table, const struct nlmsghdr *message)
{
	const unsigned lists = rtnl_table_message(table, message, false);

	g_assert(lists < 1u << NETLINK_LISTS);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	RtnlTable *table = rtnl_table_new();
	/* aligned, and AddressSanitizer sees its end */
	g_autofree char *exact = g_malloc(MAX(size, 1));
	g_autofree char *up_why = NULL;
	g_autofree char *interface_why = NULL;
	g_autofree char *text = NULL;

	if (size > 0)
		memcpy(exact, data, size);
	(void)netlink_walk(exact, size, on_answered, table);
	for (NetlinkList list = 0; list < NETLINK_LISTS; list++) {
		rtnl_table_list_begins(table, list);
		(void)netlink_walk(exact, size, on_listed, table);
		rtnl_table_list_ends(table, list);
	}
	(void)netlink_walk(exact, size, on_answered, table);

	g_assert(rtnl_table_up(table, &up_why) != LEVEL_UNKNOWN && up_why);
	g_assert(rtnl_table_interface(table, "eth0", &interface_why) != LEVEL_UNKNOWN &&
		 interface_why);
	text = rtnl_table_describe(table);
	g_assert(strlen(text) < 2048);
	rtnl_table_free(table);
	return 0;
}
