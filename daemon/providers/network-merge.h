/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Merge: what NetworkManager says and what the kernel says become one level each for network:up and network:online.
 *
 * Pure: times come in. The rules, with their reasons:
 *
 * 1. A default route that the kernel can use is a network that is up, whoever made it. NetworkManager knows nothing of what it does
 *    not manage: beside an interface of /etc/network/interfaces, which Debian's leaves alone, it says "disconnected" for ever.
 * 2. Otherwise NetworkManager's word counts while it speaks: up is State >= 60, online is Connectivity 4. It does not speak while it
 *    starts (its State goes from 20 to 70 over connections that worked all the time), when it says "unknown", when it is
 *    disconnected beside a default route of another's, when it has no owner, and when the bus is away. Then rtnetlink's counts.
 * 3. Where the two disagree at the moment when NetworkManager falls silent, the level is unknown: it stops nothing and starts
 *    nothing. NetworkManager knew those routes and said otherwise, and most likely it comes back and says so again (an upgrade).
 *    When rtnetlink changes, that is news, and counts at once. When NetworkManager stays silent for NETWORK_GRACE_US, rtnetlink
 *    counts too; while the bus is away nobody can know that it is gone, and there is no such end.
 * 4. Where NetworkManager is, a new route makes nothing online for as long, nor while it starts: it is about to look.
 * 5. A manager that has just begun gives the bus NETWORK_FIRST_US to answer: NetworkManager might say more than rtnetlink.
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
	NM_ABSENT,  /* its name has no owner */
	NM_PRESENT
} NmPresence;

/* Numbers as in NMState and NMConnectivityState of its D-Bus reference; of NM_PRESENT alone. */
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
	bool has_asked;                /* rule 5 is over */
	int64_t until_us;              /* end of the grace; 0: none is running */
	Level word[NETWORK_QUESTIONS]; /* the last level that was known; unknown: nothing to disagree with */
	Level level[NETWORK_QUESTIONS];
} NetworkMerge;

void network_merge_init(NetworkMerge *merge, int64_t now_us);

/* What has changed; after each the levels may be others. */
void network_merge_set_nm(NetworkMerge *merge, const NmView *nm, int64_t now_us);
void network_merge_set_rtnl(NetworkMerge *merge, Level level, int64_t now_us);
void network_merge_tick(NetworkMerge *merge, int64_t now_us);

/* When network_merge_tick() has something to do; 0: never. */
int64_t network_merge_deadline(const NetworkMerge *merge);

Level network_merge_level(const NetworkMerge *merge, NetworkQuestion question);

/* @rtnl_why: "no default route". Returns: a new string that names its source. */
char *network_merge_why(const NetworkMerge *merge, NetworkQuestion question, const char *rtnl_why);

#endif
