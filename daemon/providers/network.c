/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Network: passes the input of the kernel and of NetworkManager to the table and the merge, and
 * reports changed levels.
 */
#include "config.h"

#include "providers/network.h"

#include <string.h>

#include "base/fd.h"
#include "base/log.h"
#include "loop/loop.h"
#include "loop/netlink.h"
#include "providers/network-merge.h"
#include "providers/network-nm.h"
#include "providers/network-rtnl.h"
#include "worker/message.h"

typedef struct NetworkProvider {
	Provider base; /* first, because the two are cast into each other */
	ProviderSink sink;
	SystemBus *bus;
	WorkerPool *workers;
	WorkerJob *job; /* makes a list; NULL: none */
	GHashTable *subscribed; /* interned key -> Reported, owned */
	unsigned n_merged; /* the subscriptions to up and online */
	RtnlTable *table; /* this and the next two are NULL without a subscription */
	Netlink *netlink; /* also NULL if the kernel refuses the socket */
	NmWatch *nm; /* also NULL without a subscription for up or online, or without a bus */
	NetworkMerge merge;
	Timer *tick;
} NetworkProvider;

typedef struct Reported {
	Level level;
	char *why;
} Reported;

static void reported_free(gpointer data)
{
	Reported *reported = data;

	g_free(reported->why);
	g_free(reported);
}

/* Returns: false for an interface's key. */
static bool key_question(const char *key, NetworkQuestion *ret_question)
{
	const char *argument = key_argument(key);

	*ret_question = strcmp(argument, "up") == 0 ? NETWORK_UP : NETWORK_ONLINE;
	return *ret_question == NETWORK_UP || strcmp(argument, "online") == 0;
}

static Level look(const NetworkProvider *network, const char *key, char **ret_why)
{
	g_autofree char *rtnl_why = NULL;
	NetworkQuestion question;

	if (!key_question(key, &question))
		return rtnl_table_interface(network->table, strchr(key_argument(key), ':') + 1,
					    ret_why);
	(void)rtnl_table_up(network->table, &rtnl_why);
	*ret_why = network_merge_why(&network->merge, question, rtnl_why);
	return network_merge_level(&network->merge, question);
}

static void report(NetworkProvider *network, const char *key, Reported *reported, bool always)
{
	g_autofree char *why = NULL;
	const Level level = look(network, key, &why);

	if (!always && reported->level == level && g_strcmp0(reported->why, why) == 0)
		return;
	provider_report(&network->sink, key, level, why);
	reported->level = level;
	g_free(reported->why);
	reported->why = g_steal_pointer(&why);
}

static void report_changes(NetworkProvider *network)
{
	const int64_t deadline_us = network_merge_deadline(&network->merge);
	GHashTableIter iter;
	gpointer key;
	gpointer reported;

	if (deadline_us != 0 && network->n_merged > 0)
		timer_arm(network->tick, deadline_us);
	else
		timer_disarm(network->tick);
	g_hash_table_iter_init(&iter, network->subscribed);
	while (g_hash_table_iter_next(&iter, &key, &reported))
		report(network, key, reported, false);
}

/* --- changes --- */

static void on_tick(void *data)
{
	NetworkProvider *network = data;

	network_merge_tick(&network->merge, loop_now());
	report_changes(network);
}

static void on_nm_changed(void *data)
{
	NetworkProvider *network = data;

	network_merge_set_nm(&network->merge, nm_watch_view(network->nm), loop_now());
	report_changes(network);
}

static void on_list_begins(void *data, NetlinkList list)
{
	rtnl_table_list_begins(((NetworkProvider *)data)->table, list);
}

static void on_list_ends(void *data, NetlinkList list)
{
	rtnl_table_list_ends(((NetworkProvider *)data)->table, list);
}

static void on_netlink_message(void *data, const struct nlmsghdr *message, bool is_listed)
{
	NetworkProvider *network = data;
	const unsigned lists = rtnl_table_message(network->table, message, is_listed);

	for (NetlinkList list = 0; list < NETLINK_LISTS; list++) {
		if (lists & 1u << list)
			netlink_list(network->netlink, list);
	}
}

static void on_netlink_turn_ends(void *data)
{
	NetworkProvider *network = data;
	g_autofree char *why = NULL;

	network_merge_set_rtnl(&network->merge, rtnl_table_up(network->table, &why), loop_now());
	report_changes(network);
}

/* --- lists --- */

static void on_list_lost(void *data, const char *why)
{
	NetworkProvider *network = data;

	(void)why; /* the pool has logged it */
	network->job = NULL;
	netlink_lost(network->netlink);
}

static void on_list(void *data, const char *const *fields, unsigned n_fields, int list_fd)
{
	NetworkProvider *network = data;
	auto_fd int fd = list_fd;
	g_autoptr(GError) error = NULL;
	g_autoptr(GBytes) list = fd >= 0 ? fd_read_bounded(fd, NETLINK_LIST_BYTES * 2,
							   "the list of links and routes", &error) :
					   NULL;

	network->job = NULL;
	if (list) {
		netlink_answer(network->netlink, list);
		return;
	}
	log_debug(NULL, "%s",
		  error        ? error->message :
		  n_fields > 1 ? fields[1] :
				 "svc-worker has no list of links and routes");
	netlink_lost(network->netlink);
}

static void on_request(void *data, uint16_t type, uint8_t family)
{
	static const WorkerListener listener = { .answer = on_list, .lost = on_list_lost };
	NetworkProvider *network = data;
	g_autofree char *type_text = g_strdup_printf("%u", type);
	g_autofree char *family_text = g_strdup_printf("%u", family);
	const char *const fields[] = { NETLINK_VERB_LIST, type_text, family_text };

	worker_job_free(network->job);
	network->job = worker_job_new(network->workers, NETLINK_OWNER, fields, G_N_ELEMENTS(fields),
				      NULL, 0, &listener, network);
}

/* --- subscriptions --- */

static void open_netlink(NetworkProvider *network)
{
	static const NetlinkListener listener = { on_request, on_list_begins, on_netlink_message,
						  on_list_ends, on_netlink_turn_ends };
	g_autoptr(GError) error = NULL;

	network->table = rtnl_table_new();
	network->netlink = netlink_new(&listener, network, &error);
	if (!network->netlink)
		log_warning(NULL, "%s", error->message);
}

static void close_netlink(NetworkProvider *network)
{
	g_clear_pointer(&network->job, worker_job_free);
	g_clear_pointer(&network->netlink, netlink_free);
	g_clear_pointer(&network->table, rtnl_table_free);
}

static void begin_merge(NetworkProvider *network)
{
	static const NmView absent = { .presence = NM_ABSENT };
	g_autofree char *why = NULL;

	network_merge_init(&network->merge, loop_now());
	network_merge_set_rtnl(&network->merge, rtnl_table_up(network->table, &why), loop_now());
	if (network->bus)
		network->nm = nm_watch_new(network->bus, on_nm_changed, network);
	else
		network_merge_set_nm(&network->merge, &absent, loop_now());
}

static void end_merge(NetworkProvider *network)
{
	g_clear_pointer(&network->nm, nm_watch_free);
	timer_disarm(network->tick);
}

static void network_subscribe(Provider *provider, const char *key)
{
	NetworkProvider *network = (NetworkProvider *)provider;
	Reported *reported = g_hash_table_lookup(network->subscribed, key);
	NetworkQuestion question;

	if (!reported) {
		reported = g_new0(Reported, 1);
		g_hash_table_insert(network->subscribed, (gpointer)key, reported);
		if (!network->table)
			open_netlink(network);
		if (key_question(key, &question) && network->n_merged++ == 0)
			begin_merge(network);
	}
	report(network, key, reported, true);
	report_changes(network);
}

static void network_unsubscribe(Provider *provider, const char *key)
{
	NetworkProvider *network = (NetworkProvider *)provider;
	NetworkQuestion question;

	if (!g_hash_table_remove(network->subscribed, key))
		return;
	if (key_question(key, &question) && --network->n_merged == 0)
		end_merge(network);
	if (g_hash_table_size(network->subscribed) == 0)
		close_netlink(network);
}

static char *network_describe(Provider *provider, const char *key)
{
	const NetworkProvider *network = (const NetworkProvider *)provider;

	(void)key;
	return network->table ? rtnl_table_describe(network->table) : NULL;
}

static void network_free(Provider *provider)
{
	NetworkProvider *network = (NetworkProvider *)provider;

	end_merge(network);
	close_netlink(network);
	timer_free(network->tick);
	g_hash_table_unref(network->subscribed);
	g_free(network);
}

Provider *network_provider_new(const ProviderSink *sink, SystemBus *bus, WorkerPool *workers)
{
	NetworkProvider *network = g_new0(NetworkProvider, 1);

	network->base = (Provider){ .subscribe = network_subscribe,
				    .unsubscribe = network_unsubscribe,
				    .describe = network_describe,
				    .free = network_free };
	network->sink = *sink;
	network->bus = bus;
	network->workers = workers;
	network->subscribed = g_hash_table_new_full(NULL, NULL, NULL, reported_free);
	network->tick = timer_new(on_tick, network);
	return &network->base;
}
