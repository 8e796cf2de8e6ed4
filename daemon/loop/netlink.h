/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Netlink: one rtnetlink(7) socket in the main loop, for links and routes.
 *
 * A user can hold the kernel's lock of all network configuration (SIOCGIFCONF with a buffer that
 * never becomes writable). Then a request for a list waits for ever. So svc-worker makes the lists.
 * Notifications of the kernel take no lock, and only trigger a new list. A lost or interrupted list
 * is made again. A socket filter makes the kernel drop notifications of all routes except default
 * routes, so a storm of routes wakes no process.
 */
#ifndef SVCD_LOOP_NETLINK_H
#define SVCD_LOOP_NETLINK_H

#include <glib.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Netlink Netlink;

typedef enum NetlinkList {
	NETLINK_LINKS,
	NETLINK_ROUTES, /* IPv4, then IPv6 */
	NETLINK_LISTS
} NetlinkList;

/*
 * The owner of these jobs of svc-worker, and the verb. The arguments are the request and the family
 * in decimal; "done" has a memfd.
 */
#define NETLINK_OWNER "network"
#define NETLINK_VERB_LIST "list-network"

/* The longest list: 8,192 links of about 1.5 KB, and default routes. */
#define NETLINK_LIST_BYTES (32 * 1024 * 1024)

typedef struct NetlinkListener {
	/*
	 * Makes svc-worker call netlink_dump(). The listener then calls netlink_answer() or
	 * netlink_lost(), but not from inside this callback. An earlier request is void.
	 */
	void (*request)(void *data, uint16_t type, uint8_t family);
	/*
	 * All earlier reports of this list are invalid. This may be called again before
	 * list_ends().
	 */
	void (*list_begins)(void *data, NetlinkList list);
	/*
	 * @message: complete and aligned. @is_listed: part of a list, not a notification. Must not
	 * free the Netlink.
	 */
	void (*message)(void *data, const struct nlmsghdr *message, bool is_listed);
	void (*list_ends)(void *data, NetlinkList list);
	/* After the messages of one turn; may free the Netlink. */
	void (*turn_ends)(void *data);
} NetlinkListener;

/**
 * netlink_new() - open the socket and ask for both lists
 * @listener: borrowed; called from the main loop only
 * Returns: NULL with @error when the kernel refuses.
 */
Netlink *netlink_new(const NetlinkListener *listener, void *data, GError **error);
void netlink_free(Netlink *netlink); /* NULL is allowed */

/**
 * netlink_list() - make the list now, and once more a little later; only from message()
 *
 * Twice, because the kernel reports some removals before it makes them (fib_table_delete() in
 * net/ipv4/fib_trie.c). For other removals it reports only the event that causes them. A list does
 * not wait for the lock that the kernel holds during a removal (Linux 6.9). However often this is
 * called, lists take a small part of the processor, because each list is followed by a pause that
 * is several times as long.
 */
void netlink_list(Netlink *netlink, NetlinkList list);

/*
 * Pass on the list that was requested, or report that it failed. A failed list is requested again.
 * Both call turn_ends(), which may free the Netlink.
 */
void netlink_answer(Netlink *netlink, GBytes *list);
void netlink_lost(Netlink *netlink);

/**
 * netlink_dump() - ask the kernel for one list; in svc-worker only, because it may wait for ever
 * Returns: messages as netlink_walk() takes them; NULL with @error.
 */
GByteArray *netlink_dump(uint16_t type, uint8_t family, GError **error);

/**
 * netlink_walk() - call @each for each message of one datagram
 * @bytes: aligned as struct nlmsghdr
 * @each: false ends the walk
 * Returns: false for a length that does not fit, which the kernel never sends.
 */
bool netlink_walk(const void *bytes, size_t size,
		  bool (*each)(void *data, const struct nlmsghdr *message), void *data);

/**
 * netlink_attribute() - find an attribute after the fixed part of a message
 * @fixed_bytes: sizeof(struct ifinfomsg), for example
 * @min_bytes: a shorter value counts as absent
 * Returns: borrowed; NULL if it is absent.
 */
const struct rtattr *netlink_attribute(const struct nlmsghdr *message, size_t fixed_bytes,
				       unsigned short type, size_t min_bytes);

#endif
