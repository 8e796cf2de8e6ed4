/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Merge: combines the states of NetworkManager and of the kernel into one level each for network:up
 * and network:online.
 *
 * It is pure: the time is an argument. The rules and their reasons:
 *
 * 1. If there is a default route that the kernel can use, the network is up, whatever made the
 *    route. NetworkManager ignores interfaces that it does not manage. Beside an interface of
 *    /etc/network/interfaces, which Debian's NetworkManager leaves alone, it reports "disconnected"
 *    for ever.
 * 2. Otherwise the state of NetworkManager decides while it has one: up is State >= 60, online is
 *    Connectivity 4. It has no state while it starts (its State goes from 20 to 70 although the
 *    connections work), while it reports "unknown", or while it is disconnected beside a default
 *    route of another program. It also has no state while its name has no owner, or while the bus
 *    is away. Without a state of NetworkManager, rtnetlink decides.
 * 3. If NetworkManager and rtnetlink disagree when NetworkManager falls silent, the level is
 *    unknown, which stops nothing and starts nothing. NetworkManager knew those routes and
 *    disagreed, and most likely it returns with the same state (an upgrade). A change in rtnetlink
 *    is new information and decides at once. If NetworkManager stays silent for a grace period
 *    (NETWORK_GRACE_US), rtnetlink decides, too. While the bus is away, it is not known that
 *    NetworkManager is gone, so the grace period does not run.
 * 4. While NetworkManager exists, a new route does not make the machine online during the grace
 *    period, or while NetworkManager starts, because NetworkManager is about to check.
 * 5. A new manager gives the bus NETWORK_FIRST_US to answer, because NetworkManager may know
 *    more than rtnetlink.
 */
#ifndef SVCD_PROVIDERS_NETWORK_MERGE_H
#define SVCD_PROVIDERS_NETWORK_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/key.h"

#define NETWORK_GRACE_US (10 * G_TIME_SPAN_SECOND)
#define NETWORK_FIRST_US G_TIME_SPAN_SECOND

typedef enum NmPresence {
	NM_UNHEARD, /* the bus is away, or has not answered yet */
	NM_ABSENT, /* its name has no owner */
	NM_PRESENT
} NmPresence;

/*
 * The numbers are those of NMState and NMConnectivityState in NetworkManager's D-Bus reference.
 * They are valid only with NM_PRESENT.
 */
typedef struct NmView {
	NmPresence presence;
	uint32_t state;
	uint32_t connectivity;
	bool is_starting; /* Startup */
} NmView;

typedef enum NetworkQuestion { NETWORK_UP, NETWORK_ONLINE, NETWORK_QUESTIONS } NetworkQuestion;

typedef struct NetworkMerge {
	NmView nm;
	Level rtnl;
	bool has_queried; /* rule 5 is over */
	int64_t until_us; /* end of the grace period; 0: it does not run */
	Level reported[NETWORK_QUESTIONS]; /* the last known level; unknown: none */
	Level level[NETWORK_QUESTIONS];
} NetworkMerge;

void network_merge_init(NetworkMerge *merge, int64_t now_us);

/* Each of these takes a changed input, or the time, and may change the levels. */
void network_merge_set_nm(NetworkMerge *merge, const NmView *nm, int64_t now_us);
void network_merge_set_rtnl(NetworkMerge *merge, Level level, int64_t now_us);
void network_merge_tick(NetworkMerge *merge, int64_t now_us);

/* When network_merge_tick() must be called; 0: never. */
int64_t network_merge_deadline(const NetworkMerge *merge);

Level network_merge_level(const NetworkMerge *merge, NetworkQuestion question);

/* @rtnl_why: "no default route". Returns: a new string that names its source. */
char *network_merge_why(const NetworkMerge *merge, NetworkQuestion question, const char *rtnl_why);

#endif
