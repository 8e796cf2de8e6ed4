/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of links and default routes, with messages in the kernel's format and in other formats.
 */
#include "config.h"

#include <check.h>
#include <net/if.h>
#include <string.h>

#include "base/limits.h"
#include "providers/network-rtnl.h"
#include "tests/lib/suite.h"

#define LINKS (1u << NETLINK_LINKS)
#define ROUTES (1u << NETLINK_ROUTES)
#define LOWER_UP 0x10000
#define CARRIER (IFF_UP | IFF_RUNNING | LOWER_UP)

static RtnlTable *table;

typedef union Message {
	struct nlmsghdr header;
	char bytes[512];
} Message;

static void append(Message *message, unsigned short type, const void *value, unsigned short size)
{
	struct rtattr *attribute =
		(struct rtattr *)(message->bytes + NLMSG_ALIGN(message->header.nlmsg_len));

	attribute->rta_type = type;
	attribute->rta_len = (unsigned short)RTA_LENGTH(size);
	memcpy(RTA_DATA(attribute), value, size);
	message->header.nlmsg_len =
		(uint32_t)(NLMSG_ALIGN(message->header.nlmsg_len) + attribute->rta_len);
}

static unsigned link_message(uint16_t type, int index, const char *name, unsigned flags,
			     bool is_listed)
{
	Message message = { .header = { .nlmsg_type = type,
					.nlmsg_len = NLMSG_LENGTH(sizeof(struct ifinfomsg)) } };
	struct ifinfomsg *info = NLMSG_DATA(&message.header);

	info->ifi_index = index;
	info->ifi_flags = flags;
	if (name)
		append(&message, IFLA_IFNAME, name, (unsigned short)(strlen(name) + 1));
	return rtnl_table_message(table, &message.header, is_listed);
}

/* A field that is 0 is as in "ip route add default". */
typedef struct Route {
	uint16_t message;
	unsigned char family;
	unsigned char dst_len;
	unsigned char type;
	unsigned char body_table;
	unsigned flags;
	uint32_t table; /* RTA_TABLE */
	int link;
	int multipath[2];
	unsigned char hop_flags;
} Route;

static unsigned route_message(const Route *route, bool is_listed)
{
	Message message = { .header = { .nlmsg_type = route->message ? route->message :
								       RTM_NEWROUTE,
					.nlmsg_len = NLMSG_LENGTH(sizeof(struct rtmsg)) } };
	const struct rtnexthop hops[2] = {
		{ .rtnh_len = sizeof *hops,
		  .rtnh_flags = route->hop_flags,
		  .rtnh_ifindex = route->multipath[0] },
		{ .rtnh_len = sizeof *hops,
		  .rtnh_flags = route->hop_flags,
		  .rtnh_ifindex = route->multipath[1] },
	};

	*(struct rtmsg *)NLMSG_DATA(&message.header) = (struct rtmsg){
		.rtm_family = route->family ? route->family : AF_INET,
		.rtm_dst_len = route->dst_len,
		.rtm_type = route->type ? route->type : RTN_UNICAST,
		.rtm_table = route->body_table ? route->body_table : RT_TABLE_MAIN,
		.rtm_flags = route->flags,
	};
	if (route->table)
		append(&message, RTA_TABLE, &route->table, sizeof route->table);
	if (route->link)
		append(&message, RTA_OIF, &route->link, sizeof route->link);
	if (route->multipath[0])
		append(&message, RTA_MULTIPATH, hops, sizeof hops);
	return rtnl_table_message(table, &message.header, is_listed);
}

static void list_links(void)
{
	rtnl_table_list_begins(table, NETLINK_LINKS);
	link_message(RTM_NEWLINK, 1, "lo", CARRIER | IFF_LOOPBACK, true);
	link_message(RTM_NEWLINK, 2, "eth0", CARRIER, true);
	link_message(RTM_NEWLINK, 3, "eth1", IFF_UP, true);
	link_message(RTM_NEWLINK, 4, "wlan0", 0, true);
	rtnl_table_list_ends(table, NETLINK_LINKS);
}

static void list_routes(const Route *route)
{
	rtnl_table_list_begins(table, NETLINK_ROUTES);
	if (route)
		ck_assert_uint_eq(route_message(route, true), 0);
	rtnl_table_list_ends(table, NETLINK_ROUTES);
}

static void set_up(void)
{
	table = rtnl_table_new();
	list_links();
}

static void tear_down(void)
{
	rtnl_table_free(table);
}

static void expect_up(Level level, const char *why)
{
	g_autofree char *message = NULL;

	ck_assert_int_eq(rtnl_table_up(table, &message), level);
	ck_assert_str_eq(message, why);
}

static void expect_interface(const char *name, Level level, const char *why)
{
	g_autofree char *message = NULL;

	ck_assert_int_eq(rtnl_table_interface(table, name, &message), level);
	ck_assert_str_eq(message, why);
}

START_TEST(nothing_is_known_before_the_lists_were_received)
{
	rtnl_table_free(table);
	table = rtnl_table_new();

	expect_up(LEVEL_UNKNOWN, "the kernel has not listed its routes yet");
	expect_interface("eth0", LEVEL_UNKNOWN, "the kernel has not listed its interfaces yet");
	list_links();
	expect_up(LEVEL_UNKNOWN, "the kernel has not listed its routes yet");
	expect_interface("eth0", LEVEL_TRUE, "carrier");
	list_routes(NULL);
	expect_up(LEVEL_FALSE, "no default route");
}
END_TEST

static const struct {
	Route route;
	Level level;
	const char *why;
} routes[] = {
	{ { .link = 2 }, LEVEL_TRUE, "default route through eth0" },
	{ { .family = AF_INET6, .link = 2 }, LEVEL_TRUE, "default route through eth0" },
	{ { .body_table = RT_TABLE_COMPAT, .table = RT_TABLE_MAIN, .link = 2 },
	  LEVEL_TRUE,
	  "default route through eth0" },
	{ { .multipath = { 3, 2 } }, LEVEL_TRUE, "default route through eth0" },
	{ { .multipath = { 3, 4 } },
	  LEVEL_FALSE,
	  "default route through wlan0, which has no carrier" },
	{ { .multipath = { 2, 2 }, .hop_flags = RTNH_F_DEAD }, LEVEL_FALSE, "no default route" },
	{ { .link = 3 }, LEVEL_FALSE, "default route through eth1, which has no carrier" },
	{ { .link = 1 }, LEVEL_FALSE, "no default route" }, /* through lo */
	{ { .link = 99 }, LEVEL_FALSE, "no default route" }, /* no such link */
	{ { 0 }, LEVEL_FALSE, "no default route" }, /* no target */
	{ { .dst_len = 8, .link = 2 }, LEVEL_FALSE, "no default route" },
	{ { .table = 100, .link = 2 }, LEVEL_FALSE, "no default route" },
	{ { .body_table = RT_TABLE_LOCAL, .link = 2 }, LEVEL_FALSE, "no default route" },
	{ { .type = RTN_UNREACHABLE, .link = 2 }, LEVEL_FALSE, "no default route" },
	{ { .type = RTN_BLACKHOLE, .link = 2 }, LEVEL_FALSE, "no default route" },
	{ { .flags = RTM_F_CLONED, .link = 2 }, LEVEL_FALSE, "no default route" },
	{ { .flags = RTNH_F_DEAD, .link = 2 }, LEVEL_FALSE, "no default route" },
	{ { .family = AF_MPLS, .link = 2 }, LEVEL_FALSE, "no default route" },
};

START_TEST(each_route_gives_the_expected_level)
{
	list_routes(&routes[_i].route);
	expect_up(routes[_i].level, routes[_i].why);
}
END_TEST

START_TEST(an_unrequested_route_message_causes_a_new_list)
{
	const Route route = { .link = 2 };
	const Route gone = { .link = 2, .message = RTM_DELROUTE };
	const Route other = { .link = 2, .table = 100 };

	list_routes(NULL);
	ck_assert_uint_eq(route_message(&route, false), ROUTES);
	expect_up(LEVEL_FALSE, "no default route");

	list_routes(&route);
	ck_assert_uint_eq(route_message(&gone, false), ROUTES);
	expect_up(LEVEL_TRUE, "default route through eth0");
	ck_assert_uint_eq(route_message(&other, false), 0);
}
END_TEST

START_TEST(an_address_that_goes_may_have_taken_routes_along)
{
	Message message = { .header = { .nlmsg_type = RTM_DELADDR, .nlmsg_len = NLMSG_LENGTH(8) } };

	ck_assert_uint_eq(rtnl_table_message(table, &message.header, false), ROUTES);
	message.header.nlmsg_type = RTM_NEWADDR;
	ck_assert_uint_eq(rtnl_table_message(table, &message.header, false), 0);
}
END_TEST

START_TEST(the_old_routes_count_until_the_new_list_is_whole)
{
	const Route route = { .link = 2 };

	list_routes(&route);
	rtnl_table_list_begins(table, NETLINK_ROUTES);
	expect_up(LEVEL_TRUE, "default route through eth0");
	rtnl_table_list_begins(table, NETLINK_ROUTES);
	rtnl_table_list_ends(table, NETLINK_ROUTES);
	expect_up(LEVEL_FALSE, "no default route");
}
END_TEST

START_TEST(a_link_follows_every_message)
{
	const Route route = { .link = 2 };

	list_routes(&route);
	ck_assert_uint_eq(link_message(RTM_NEWLINK, 2, "eth0", CARRIER, false), 0);
	ck_assert_uint_eq(link_message(RTM_NEWLINK, 2, "eth0", IFF_UP, false), ROUTES);
	expect_interface("eth0", LEVEL_FALSE, "no carrier");
	expect_up(LEVEL_FALSE, "default route through eth0, which has no carrier");

	link_message(RTM_NEWLINK, 2, "eth0", 0, false);
	expect_interface("eth0", LEVEL_FALSE, "down");

	link_message(RTM_NEWLINK, 2, "lan", CARRIER, false);
	expect_interface("eth0", LEVEL_FALSE, "no such interface");
	expect_interface("lan", LEVEL_TRUE, "carrier");

	ck_assert_uint_eq(link_message(RTM_DELLINK, 2, "lan", 0, false), ROUTES);
	expect_interface("lan", LEVEL_FALSE, "no such interface");
}
END_TEST

START_TEST(a_link_that_is_not_in_the_list_is_gone)
{
	rtnl_table_list_begins(table, NETLINK_LINKS);
	link_message(RTM_NEWLINK, 1, "lo", CARRIER | IFF_LOOPBACK, true);
	expect_interface("eth0", LEVEL_TRUE, "carrier");
	/* A link that is reported while the list runs exists, even if it is not in the list. */
	link_message(RTM_NEWLINK, 9, "tun0", CARRIER, false);
	ck_assert_uint_eq(link_message(RTM_DELLINK, 3, "eth1", 0, false), LINKS | ROUTES);
	rtnl_table_list_ends(table, NETLINK_LINKS);

	expect_interface("eth0", LEVEL_FALSE, "no such interface");
	expect_interface("tun0", LEVEL_TRUE, "carrier");
}
END_TEST

START_TEST(a_port_that_leaves_its_bridge_is_still_a_link)
{
	Message message = { .header = { .nlmsg_type = RTM_DELLINK,
					.nlmsg_len = NLMSG_LENGTH(sizeof(struct ifinfomsg)) } };
	struct ifinfomsg *info = NLMSG_DATA(&message.header);

	info->ifi_family = AF_BRIDGE;
	info->ifi_index = 2;
	ck_assert_uint_eq(rtnl_table_message(table, &message.header, false), 0);
	expect_interface("eth0", LEVEL_TRUE, "carrier");
}
END_TEST

START_TEST(messages_of_every_length_are_read_to_their_end_and_no_further)
{
	static const uint16_t types[] = {
		RTM_NEWLINK, RTM_DELLINK, RTM_NEWROUTE, RTM_DELROUTE, RTM_NEWADDR, RTM_DELADDR, 0
	};
	Message message;

	for (uint32_t length = sizeof(struct nlmsghdr); length < 64; length++) {
		for (unsigned byte = 0; byte < 256; byte += 5) {
			struct nlmsghdr *exact;

			memset(&message, (int)byte, sizeof message);
			message.header.nlmsg_len = length;
			message.header.nlmsg_type = types[(length + byte) % G_N_ELEMENTS(types)];
			exact = g_memdup2(&message, length);
			rtnl_table_message(table, exact, byte % 2);
			g_free(exact);
		}
	}
	expect_interface("lo", LEVEL_TRUE, "carrier");
}
END_TEST

START_TEST(a_name_without_an_end_is_cut)
{
	Message message = { .header = { .nlmsg_type = RTM_NEWLINK,
					.nlmsg_len = NLMSG_LENGTH(sizeof(struct ifinfomsg)) } };
	struct ifinfomsg *info = NLMSG_DATA(&message.header);
	struct nlmsghdr *exact;

	info->ifi_index = 7;
	info->ifi_flags = CARRIER;
	append(&message, IFLA_IFNAME, "abcdefghijklmnopqrst", 20);
	exact = g_memdup2(&message, message.header.nlmsg_len);
	rtnl_table_message(table, exact, false);
	g_free(exact);
	expect_interface("abcdefghijklmno", LEVEL_TRUE, "carrier");
}
END_TEST

START_TEST(there_is_a_limit_to_links_and_routes)
{
	Route route = { 0 };

	for (int i = 0; i < LIMIT_NETWORK_LINKS + 10; i++) {
		g_autofree char *name = g_strdup_printf("v%d", i);

		link_message(RTM_NEWLINK, 100 + i, name, IFF_UP, false);
	}
	expect_interface("v0", LEVEL_FALSE, "no carrier");
	expect_interface("v8190", LEVEL_FALSE, "no such interface");
	link_message(RTM_NEWLINK, 100, "v0", CARRIER, false);
	expect_interface("v0", LEVEL_TRUE, "carrier");

	rtnl_table_list_begins(table, NETLINK_ROUTES);
	for (route.link = 101; route.link <= 100 + LIMIT_DEFAULT_ROUTES; route.link++)
		route_message(&route, true);
	route.link = 100;
	route_message(&route, true);
	rtnl_table_list_ends(table, NETLINK_ROUTES);
	expect_up(LEVEL_FALSE, "default route through v64, which has no carrier");
}
END_TEST

START_TEST(it_lists_the_interfaces)
{
	g_autofree char *few = rtnl_table_describe(table);
	g_autofree char *many = NULL;
	g_autofree char *none = NULL;

	ck_assert_str_eq(few, "interfaces: lo (up), eth0 (up), eth1 (no carrier), wlan0 (down)");

	for (int i = 0; i < LIMIT_LINKS_NAMED; i++)
		link_message(RTM_NEWLINK, 10 + i, "veth", 0, false);
	many = rtnl_table_describe(table);
	ck_assert(g_str_has_suffix(many, ", veth (down) and 4 more"));

	rtnl_table_list_begins(table, NETLINK_LINKS);
	rtnl_table_list_ends(table, NETLINK_LINKS);
	none = rtnl_table_describe(table);
	ck_assert_str_eq(none, "interfaces: none");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("network-rtnl");

	ADD_CASE_AROUND(suite, "rtnl", set_up, tear_down,
			nothing_is_known_before_the_lists_were_received,
			an_unrequested_route_message_causes_a_new_list,
			an_address_that_goes_may_have_taken_routes_along,
			the_old_routes_count_until_the_new_list_is_whole,
			a_link_follows_every_message, a_link_that_is_not_in_the_list_is_gone,
			a_port_that_leaves_its_bridge_is_still_a_link,
			messages_of_every_length_are_read_to_their_end_and_no_further,
			a_name_without_an_end_is_cut, there_is_a_limit_to_links_and_routes,
			it_lists_the_interfaces);
	ADD_LOOP_AROUND(suite, "rtnl", set_up, tear_down, each_route_gives_the_expected_level,
			G_N_ELEMENTS(routes));
	return suite;
}
