/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rtnl: two small tables. Routes other than default routes cost a comparison each and no memory.
 */
#include "config.h"

#include "providers/network-rtnl.h"

#include <net/if.h>
#include <string.h>

#include "base/limits.h"

/* <linux/if.h> has these, but conflicts with <net/if.h>. */
#define LINK_FLAG_LOWER_UP 0x10000u

typedef struct Link {
	int index;
	unsigned flags;
	unsigned listing; /* the number of the listing during which it was last reported */
	char name[IFNAMSIZ];
} Link;

struct RtnlTable {
	GHashTable *links; /* index -> Link, owned */
	unsigned listing; /* the number of the last listing of links */
	bool lists_links;
	bool has_links;
	bool has_routes;
	GArray *routes; /* int: indices of links with a default route, each once */
	GArray *listed; /* the same for the listing in progress */
};

RtnlTable *rtnl_table_new(void)
{
	RtnlTable *table = g_new0(RtnlTable, 1);

	table->links = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	table->routes = g_array_new(FALSE, FALSE, sizeof(int));
	table->listed = g_array_new(FALSE, FALSE, sizeof(int));
	return table;
}

void rtnl_table_free(RtnlTable *table)
{
	if (!table)
		return;
	g_hash_table_unref(table->links);
	g_array_unref(table->routes);
	g_array_unref(table->listed);
	g_free(table);
}

void rtnl_table_list_begins(RtnlTable *table, NetlinkList list)
{
	if (list == NETLINK_ROUTES) {
		g_array_set_size(table->listed, 0);
		return;
	}
	table->listing++;
	table->lists_links = true;
}

static gboolean is_from_before(gpointer index, gpointer link, gpointer table)
{
	(void)index;
	return ((const Link *)link)->listing != ((const RtnlTable *)table)->listing;
}

void rtnl_table_list_ends(RtnlTable *table, NetlinkList list)
{
	GArray *earlier = table->routes;

	if (list == NETLINK_ROUTES) {
		table->routes = table->listed;
		table->listed = earlier;
		table->has_routes = true;
		return;
	}
	g_hash_table_foreach_remove(table->links, is_from_before, table);
	table->lists_links = false;
	table->has_links = true;
}

/* Up and connected to another end: this counts as carrier. */
static bool has_carrier(const Link *link)
{
	const unsigned all = IFF_UP | IFF_RUNNING | LINK_FLAG_LOWER_UP;

	return (link->flags & all) == all;
}

static void set_name(Link *link, const struct rtattr *name)
{
	memset(link->name, 0, sizeof link->name);
	memcpy(link->name, RTA_DATA(name), MIN(sizeof link->name - 1, RTA_PAYLOAD(name)));
}

/* Stores the content of the message. Returns: true if routes may be affected. */
static bool update_link(RtnlTable *table, const struct ifinfomsg *info, const struct rtattr *name)
{
	Link *link = g_hash_table_lookup(table->links, GINT_TO_POINTER(info->ifi_index));
	bool differs;

	if (!link && (!name || g_hash_table_size(table->links) >= LIMIT_NETWORK_LINKS))
		return false;
	if (!link) {
		link = g_new0(Link, 1);
		link->index = info->ifi_index;
		g_hash_table_insert(table->links, GINT_TO_POINTER(link->index), link);
	}
	differs = (link->flags ^ info->ifi_flags) & (IFF_UP | IFF_RUNNING | LINK_FLAG_LOWER_UP);
	link->flags = info->ifi_flags;
	link->listing = table->listing;
	if (name)
		set_name(link, name);
	return differs;
}

static unsigned on_link(RtnlTable *table, const struct nlmsghdr *message, bool is_listed)
{
	const struct ifinfomsg *info = NLMSG_DATA(message);

	/* Bridges report their ports in the same messages, with their own address family. */
	if (message->nlmsg_len < NLMSG_LENGTH(sizeof *info) || info->ifi_family != AF_UNSPEC)
		return 0;
	if (message->nlmsg_type == RTM_NEWLINK) {
		const struct rtattr *name =
			netlink_attribute(message, sizeof *info, IFLA_IFNAME, 2);

		return update_link(table, info, name) && !is_listed ? 1u << NETLINK_ROUTES : 0;
	}
	g_hash_table_remove(table->links, GINT_TO_POINTER(info->ifi_index));
	/*
	 * The listing in progress may have been made before the change, and still contain the link.
	 */
	return 1u << NETLINK_ROUTES | (table->lists_links ? 1u << NETLINK_LINKS : 0);
}

static void add_route(RtnlTable *table, int link)
{
	for (guint i = 0; i < table->listed->len; i++) {
		if (g_array_index(table->listed, int, i) == link)
			return;
	}
	if (table->listed->len < LIMIT_DEFAULT_ROUTES)
		g_array_append_val(table->listed, link);
}

static void add_multipath(RtnlTable *table, const struct rtattr *attribute)
{
	const char *at = RTA_DATA(attribute);
	size_t left = RTA_PAYLOAD(attribute);

	while (left >= sizeof(struct rtnexthop)) {
		const struct rtnexthop *hop = (const struct rtnexthop *)at;

		if (hop->rtnh_len < sizeof *hop || hop->rtnh_len > left)
			return;
		if (!(hop->rtnh_flags & RTNH_F_DEAD))
			add_route(table, hop->rtnh_ifindex);
		if (RTNH_ALIGN((size_t)hop->rtnh_len) >= left)
			return;
		at += RTNH_ALIGN((size_t)hop->rtnh_len);
		left -= RTNH_ALIGN((size_t)hop->rtnh_len);
	}
}

/*
 * Only the main table counts, because the other tables belong to policy routing, which applies to
 * selected traffic only.
 */
static bool is_in_main_table(const struct nlmsghdr *message, const struct rtmsg *route)
{
	const struct rtattr *table =
		netlink_attribute(message, sizeof *route, RTA_TABLE, sizeof(uint32_t));

	return (table ? *(const uint32_t *)RTA_DATA(table) : route->rtm_table) == RT_TABLE_MAIN;
}

static unsigned on_route(RtnlTable *table, const struct nlmsghdr *message, bool is_listed)
{
	const struct rtmsg *route = NLMSG_DATA(message);
	const struct rtattr *attribute;

	if (message->nlmsg_len < NLMSG_LENGTH(sizeof *route) || route->rtm_dst_len != 0 ||
	    route->rtm_type != RTN_UNICAST || route->rtm_flags & RTM_F_CLONED ||
	    (route->rtm_family != AF_INET && route->rtm_family != AF_INET6) ||
	    !is_in_main_table(message, route))
		return 0;
	if (!is_listed)
		return 1u << NETLINK_ROUTES;
	if (message->nlmsg_type != RTM_NEWROUTE || route->rtm_flags & RTNH_F_DEAD)
		return 0;
	attribute = netlink_attribute(message, sizeof *route, RTA_OIF, sizeof(int));
	if (attribute)
		add_route(table, *(const int *)RTA_DATA(attribute));
	attribute =
		netlink_attribute(message, sizeof *route, RTA_MULTIPATH, sizeof(struct rtnexthop));
	if (attribute)
		add_multipath(table, attribute);
	return 0;
}

unsigned rtnl_table_message(RtnlTable *table, const struct nlmsghdr *message, bool is_listed)
{
	switch (message->nlmsg_type) {
	case RTM_NEWLINK:
	case RTM_DELLINK:
		return on_link(table, message, is_listed);
	case RTM_NEWROUTE:
	case RTM_DELROUTE:
		return on_route(table, message, is_listed);
	case RTM_DELADDR:
		return is_listed ? 0 : 1u << NETLINK_ROUTES;
	default:
		return 0;
	}
}

Level rtnl_table_up(const RtnlTable *table, char **ret_why)
{
	const Link *without_carrier = NULL;

	if (!table->has_links || !table->has_routes) {
		*ret_why = g_strdup("the kernel has not listed its routes yet");
		return LEVEL_UNKNOWN;
	}
	for (guint i = 0; i < table->routes->len; i++) {
		const Link *link = g_hash_table_lookup(
			table->links, GINT_TO_POINTER(g_array_index(table->routes, int, i)));

		if (!link || link->flags & IFF_LOOPBACK)
			continue;
		if (has_carrier(link)) {
			*ret_why = g_strdup_printf("default route through %s", link->name);
			return LEVEL_TRUE;
		}
		without_carrier = link;
	}
	if (without_carrier)
		*ret_why = g_strdup_printf("default route through %s, which has no carrier",
					   without_carrier->name);
	else
		*ret_why = g_strdup("no default route");
	return LEVEL_FALSE;
}

static const char *link_text(const Link *link)
{
	return has_carrier(link) ? "carrier" : link->flags & IFF_UP ? "no carrier" : "down";
}

Level rtnl_table_interface(const RtnlTable *table, const char *name, char **ret_why)
{
	GHashTableIter iter;
	gpointer link;

	g_hash_table_iter_init(&iter, table->links);
	while (table->has_links && g_hash_table_iter_next(&iter, NULL, &link)) {
		if (strcmp(((const Link *)link)->name, name) != 0)
			continue;
		*ret_why = g_strdup(link_text(link));
		return has_carrier(link) ? LEVEL_TRUE : LEVEL_FALSE;
	}
	*ret_why = g_strdup(table->has_links ? "no such interface" :
					       "the kernel has not listed its interfaces yet");
	return table->has_links ? LEVEL_FALSE : LEVEL_UNKNOWN;
}

static int compare_links(gconstpointer a, gconstpointer b)
{
	const int first = ((const Link *)a)->index;
	const int second = ((const Link *)b)->index;

	/* the values come from the kernel, so a difference may overflow */
	return (first > second) - (first < second);
}

char *rtnl_table_describe(const RtnlTable *table)
{
	g_autoptr(GList) links = g_list_sort(g_hash_table_get_values(table->links), compare_links);
	GString *text = g_string_new("interfaces:");
	guint n = 0;

	for (const GList *l = links; l && n < LIMIT_LINKS_NAMED; l = l->next, n++) {
		const Link *link = l->data;

		g_string_append_printf(text, "%s %s (%s)", n > 0 ? "," : "", link->name,
				       has_carrier(link) ? "up" : link_text(link));
	}
	if (n < g_hash_table_size(table->links))
		g_string_append_printf(text, " and %u more", g_hash_table_size(table->links) - n);
	else if (n == 0)
		g_string_append(text, " none");
	return g_string_free(text, FALSE);
}
