/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The rtnetlink socket with the real kernel, in a network namespace, and datagrams that no kernel
 * sends.
 */
#include "config.h"

#include <check.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "loop/loop.h"
#include "loop/netlink.h"
#include "tests/lib/deadline.h"
#include "tests/lib/suite.h"

static Netlink *netlink;
static GHashTable *links; /* names of the last complete list */
static GHashTable *listed_links;
static unsigned n_default_routes;
static unsigned n_ended[NETLINK_LISTS];
static unsigned n_reported; /* route changes reported without a request */
static bool lists_again;

static void on_list_begins(void *data, NetlinkList list)
{
	(void)data;
	if (list == NETLINK_LINKS)
		g_hash_table_remove_all(listed_links);
	else
		n_default_routes = 0;
}

static void on_link(const struct nlmsghdr *message)
{
	const struct rtattr *name =
		netlink_attribute(message, sizeof(struct ifinfomsg), IFLA_IFNAME, 2);

	ck_assert_ptr_nonnull(name);
	g_hash_table_add(listed_links, g_strdup(RTA_DATA(name)));
}

static void on_message(void *data, const struct nlmsghdr *message, bool is_listed)
{
	(void)data;
	if (message->nlmsg_type == RTM_NEWLINK && is_listed)
		on_link(message);
	if (message->nlmsg_type != RTM_NEWROUTE && message->nlmsg_type != RTM_DELROUTE)
		return;
	n_reported += !is_listed;
	n_default_routes += is_listed &&
			    ((const struct rtmsg *)NLMSG_DATA(message))->rtm_dst_len == 0;
	if (!is_listed && lists_again)
		netlink_list(netlink, NETLINK_ROUTES);
}

static void on_list_ends(void *data, NetlinkList list)
{
	GHashTable *swap = links;

	(void)data;
	n_ended[list]++;
	if (list == NETLINK_LINKS) {
		links = listed_links;
		listed_links = swap;
	}
}

static void on_turn_ends(void *data)
{
	(void)data;
}

static gboolean on_dump(gpointer data)
{
	const unsigned step = GPOINTER_TO_UINT(data);
	g_autoptr(GError) error = NULL;
	GByteArray *list = netlink_dump((uint16_t)(step >> 8), (uint8_t)step, &error);
	g_autoptr(GBytes) bytes = list ? g_byte_array_free_to_bytes(list) : NULL;

	ck_assert_msg(bytes, "%s", error ? error->message : "");
	netlink_answer(netlink, bytes);
	return G_SOURCE_REMOVE;
}

/* Plays svc-worker. */
static void on_request(void *data, uint16_t type, uint8_t family)
{
	(void)data;
	g_idle_add(on_dump, GUINT_TO_POINTER((unsigned)type << 8 | family));
}

static const NetlinkListener listener = { on_request, on_list_begins, on_message, on_list_ends,
					  on_turn_ends };

static void run(const char *command)
{
	ck_assert_msg(system(command) == 0, "%s", command);
}

static void set_up(void)
{
	g_autoptr(GError) error = NULL;

	ck_assert_int_eq(unshare(geteuid() == 0 ? CLONE_NEWNET : CLONE_NEWUSER | CLONE_NEWNET), 0);
	links = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	listed_links = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	netlink = netlink_new(&listener, NULL, &error);
	ck_assert_msg(netlink, "%s", error ? error->message : "");
}

static void tear_down(void)
{
	netlink_free(netlink);
	g_hash_table_unref(links);
	g_hash_table_unref(listed_links);
}

static void turn_until(bool (*condition)(void), const char *what)
{
	const int64_t until_us = loop_now() + DEADLINE_US;

	while (!condition() && loop_now() < until_us) {
		if (!g_main_context_iteration(NULL, FALSE))
			g_usleep(1000);
	}
	ck_assert_msg(condition(), "%s", what);
}

static void turn_until_idle(void)
{
	while (g_main_context_iteration(NULL, FALSE))
		;
}

static bool both_lists_ended(void)
{
	return n_ended[NETLINK_LINKS] > 0 && n_ended[NETLINK_ROUTES] > 0;
}

START_TEST(both_lists_come_without_a_request)
{
	turn_until(both_lists_ended, "both lists end");

	ck_assert_uint_eq(g_hash_table_size(links), 1);
	ck_assert(g_hash_table_contains(links, "lo"));
	ck_assert_uint_eq(n_default_routes, 0);
}
END_TEST

static bool route_is_reported(void)
{
	return n_reported > 0;
}

START_TEST(default_routes_are_reported)
{
	turn_until(both_lists_ended, "both lists end");
	run("ip link add va type veth peer vb && ip addr add 10.9.0.1/24 dev va && ip link set va "
	    "up && ip link set vb up");
	ck_assert_uint_eq(n_reported, 0);

	run("ip route add default via 10.9.0.2");
	turn_until(route_is_reported, "the route is reported");
}
END_TEST

/* Like a router that learns its table: none of these routes reaches the main loop. */
START_TEST(other_routes_cause_no_event)
{
	turn_until(both_lists_ended, "both lists end");
	run("ip link set lo up && for i in $(seq 1 200); do for j in 1 2 3 4 5; do echo route add "
	    "10.$i.$j.0/24 dev lo; done; done |"
	    " ip -batch -");
	turn_until_idle();

	ck_assert_uint_eq(n_reported, 0);
}
END_TEST

static bool list_is_long(void)
{
	return n_ended[NETLINK_LINKS] > 1 && g_hash_table_contains(links, "last");
}

/* The socket's buffer holds some hundred changes. This test makes more, and does not read them. */
START_TEST(lost_changes_are_listed_again)
{
	turn_until(both_lists_ended, "both lists end");
	run("ip link add va type veth peer vb");
	run("for i in $(seq 1 1500); do echo link set va up; echo link set va down; done | ip "
	    "-batch -");
	run("ip link set va name last");

	turn_until(list_is_long, "the lost link is in a new list");
	ck_assert(g_hash_table_contains(links, "vb"));
}
END_TEST

static bool second_list_has_ended(void)
{
	return n_ended[NETLINK_ROUTES] >= 3;
}

/* Hundreds of notifications: one list now, one after the pause, and no more. */
START_TEST(many_requests_cause_few_lists)
{
	turn_until(both_lists_ended, "both lists end");
	lists_again = true;
	run("ip link add va type veth peer vb && ip addr add 10.9.0.1/24 dev va && ip link set va "
	    "up && ip link set vb up");
	run("for i in $(seq 1 100); do echo route add default via 10.9.0.2 metric $i; done | ip "
	    "-batch -");

	turn_until(second_list_has_ended, "listed twice");
	ck_assert_uint_eq(n_default_routes, 100);
	ck_assert_uint_ge(n_reported, 100);
	ck_assert_uint_lt(n_ended[NETLINK_ROUTES], 10);
}
END_TEST

/* --- datagrams --- */

static unsigned n_walked;

static bool count(void *data, const struct nlmsghdr *message)
{
	(void)data;
	(void)message;
	n_walked++;
	return true;
}

static const struct {
	uint32_t lengths[3]; /* lengths of the messages, each padded to 32 bytes; 0: end */
	size_t size;
	bool is_fine;
	unsigned n_walked;
} datagrams[] = {
	{ { 0 }, 0, true, 0 },
	{ { 32, 32 }, 64, true, 2 },
	{ { 32, 29 }, 61, true, 2 }, /* the last message needs no padding */
	{ { 32, 29 }, 64, true, 2 },
	{ { 32, 15 }, 64, false, 1 }, /* shorter than a header */
	{ { 32, 33 }, 64, false, 1 }, /* longer than the datagram */
	{ { UINT32_MAX }, 32, false, 0 },
	{ { 32 }, 40, false, 1 }, /* half a header */
	{ { 16, 0 }, 32, false, 1 },
};

START_TEST(a_datagram_is_walked_no_further_than_it_goes)
{
	struct nlmsghdr buffer[6] = { 0 };
	char *exact;

	for (int i = 0; i < 3; i++)
		buffer[2 * i].nlmsg_len = datagrams[_i].lengths[i];
	n_walked = 0;
	/* so that AddressSanitizer sees the end */
	exact = g_memdup2(buffer, MAX(1, datagrams[_i].size));

	ck_assert_int_eq(netlink_walk(exact, datagrams[_i].size, count, NULL),
			 datagrams[_i].is_fine);
	ck_assert_uint_eq(n_walked, datagrams[_i].n_walked);
	g_free(exact);
}
END_TEST

static const struct {
	unsigned short length; /* the length that the attribute claims */
	unsigned short type;
	size_t min_bytes;
	bool is_found;
} attributes[] = {
	{ 8, RTA_OIF, 4, true },  { 8, RTA_OIF | NLA_F_NESTED, 4, true },
	{ 8, RTA_OIF, 5, false }, { 8, RTA_TABLE, 4, false },
	{ 3, RTA_OIF, 0, false }, { 0, RTA_TABLE, 0, false },
	{ 9, RTA_OIF, 4, false }, { 4, RTA_OIF, 0, true },
};

START_TEST(an_attribute_is_found_only_where_it_is_whole)
{
	struct {
		struct nlmsghdr header;
		struct rtmsg route;
		struct rtattr attribute;
		int value;
	} message = { .header.nlmsg_len = sizeof message,
		      .value = 7,
		      .attribute = { attributes[_i].length, attributes[_i].type } };
	const struct rtattr *found = netlink_attribute(&message.header, sizeof message.route,
						       RTA_OIF, attributes[_i].min_bytes);

	ck_assert_int_eq(found != NULL, attributes[_i].is_found);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("netlink");

	ADD_CASE_AROUND(suite, "kernel", set_up, tear_down, both_lists_come_without_a_request,
			default_routes_are_reported, other_routes_cause_no_event,
			lost_changes_are_listed_again, many_requests_cause_few_lists);
	suite_add_loop(suite, "bytes", a_datagram_is_walked_no_further_than_it_goes,
		       G_N_ELEMENTS(datagrams));
	suite_add_loop(suite, "bytes", an_attribute_is_found_only_where_it_is_whole,
		       G_N_ELEMENTS(attributes));
	return suite;
}
