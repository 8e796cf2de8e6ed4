/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rtnl: the links and the default routes of this machine, from rtnetlink(7) messages. It is pure:
 * the socket is in loop/netlink.
 *
 * Each message updates a link. Default routes come only from the last complete list. The kernel
 * removes IPv4 routes without a message when their link or its last address disappears. So a
 * message about a route is only a reason to list again.
 */
#ifndef SVCD_PROVIDERS_NETWORK_RTNL_H
#define SVCD_PROVIDERS_NETWORK_RTNL_H

#include <stdbool.h>

#include "loop/netlink.h"
#include "model/key.h"

typedef struct RtnlTable RtnlTable;

RtnlTable *rtnl_table_new(void);
void rtnl_table_free(RtnlTable *table); /* NULL is allowed */

/*
 * The listener's part of loop/netlink.h. While the routes are being listed, the earlier ones are
 * used.
 */
void rtnl_table_list_begins(RtnlTable *table, NetlinkList list);
void rtnl_table_list_ends(RtnlTable *table, NetlinkList list);

/**
 * rtnl_table_message() - one message of a list, or a notification
 * @message: complete; its contents may be anything
 * Returns: a set of 1 << NetlinkList: the tables to list again.
 */
unsigned rtnl_table_message(RtnlTable *table, const struct nlmsghdr *message, bool is_listed);

/**
 * rtnl_table_up() - is there a default route through a link that is up?
 * @ret_why: a new string: "default route through eth0", "no default route"
 * Returns: LEVEL_UNKNOWN until both lists are complete.
 */
Level rtnl_table_up(const RtnlTable *table, char **ret_why);

/*
 * Does the interface have carrier? @ret_why: a new string: "carrier", "no carrier", "down", "no
 * such interface".
 */
Level rtnl_table_interface(const RtnlTable *table, const char *name, char **ret_why);

/* "interfaces: lo (up), eth0 (no carrier)", a new string. */
char *rtnl_table_describe(const RtnlTable *table);

#endif
