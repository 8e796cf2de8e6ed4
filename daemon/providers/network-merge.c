/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Merge: the levels are computed anew after each change. The rules are in the header.
 */
#include "config.h"

#include "providers/network-merge.h"

/* NMState and NMConnectivityState. */
enum { STATE_UNKNOWN = 0, STATE_CONNECTED_SITE = 60 };
enum { CONNECTIVITY_UNKNOWN = 0, CONNECTIVITY_FULL = 4 };

static Level level_of(bool truth)
{
	return truth ? LEVEL_TRUE : LEVEL_FALSE;
}

static bool is_nm_in_use(const NetworkMerge *merge, NetworkQuestion question)
{
	const NmView *nm = &merge->nm;

	if (nm->presence != NM_PRESENT || nm->state == STATE_UNKNOWN)
		return false;
	if (nm->state < STATE_CONNECTED_SITE)
		return !nm->is_starting && merge->rtnl != LEVEL_TRUE;
	/* A positive answer is accepted even while NetworkManager starts. */
	return !nm->is_starting || question == NETWORK_UP || nm->connectivity == CONNECTIVITY_FULL;
}

static Level nm_level(const NmView *nm, NetworkQuestion question)
{
	const bool is_up = nm->state >= STATE_CONNECTED_SITE;

	if (question == NETWORK_UP || !is_up)
		return level_of(is_up);
	return nm->connectivity == CONNECTIVITY_UNKNOWN ?
		       LEVEL_UNKNOWN :
		       level_of(nm->connectivity == CONNECTIVITY_FULL);
}

/* Rule 4. */
static bool is_about_to_look(const NetworkMerge *merge)
{
	return merge->nm.presence == NM_PRESENT && (merge->nm.is_starting || merge->until_us != 0);
}

static Level rtnl_level(const NetworkMerge *merge, NetworkQuestion question)
{
	const Level reported = merge->reported[question];

	if (question == NETWORK_UP && merge->rtnl == LEVEL_TRUE)
		return LEVEL_TRUE; /* rule 1 */
	if (!merge->has_queried)
		return LEVEL_UNKNOWN; /* rule 5 */
	if (merge->rtnl == LEVEL_TRUE && reported != LEVEL_TRUE && is_about_to_look(merge))
		return LEVEL_UNKNOWN;
	if (reported != LEVEL_UNKNOWN && merge->rtnl != reported)
		return LEVEL_UNKNOWN; /* rule 3 */
	return merge->rtnl;
}

static void work_out(NetworkMerge *merge)
{
	for (NetworkQuestion q = 0; q < NETWORK_QUESTIONS; q++) {
		merge->level[q] = is_nm_in_use(merge, q) ? nm_level(&merge->nm, q) :
							   rtnl_level(merge, q);
		if (merge->level[q] != LEVEL_UNKNOWN)
			merge->reported[q] = merge->level[q];
	}
}

/* The last known level is dropped while NetworkManager is silent. */
static void forget_reported(NetworkMerge *merge, NetworkQuestion question)
{
	if (!is_nm_in_use(merge, question))
		merge->reported[question] = LEVEL_UNKNOWN;
}

void network_merge_init(NetworkMerge *merge, int64_t now_us)
{
	*merge = (NetworkMerge){ .nm = { .presence = NM_UNHEARD },
				 .rtnl = LEVEL_UNKNOWN,
				 .until_us = now_us + NETWORK_FIRST_US,
				 .reported = { LEVEL_UNKNOWN, LEVEL_UNKNOWN },
				 .level = { LEVEL_UNKNOWN, LEVEL_UNKNOWN } };
}

/*
 * The grace period starts when NetworkManager falls silent or is known to be absent. It is
 * cancelled when NetworkManager decides again, or when it cannot be queried.
 */
static void time_grace(NetworkMerge *merge, bool is_news, int64_t now_us)
{
	const bool has_report = merge->nm.presence != NM_UNHEARD;

	if (merge->has_queried && (!has_report || is_nm_in_use(merge, NETWORK_ONLINE)))
		merge->until_us = 0;
	else if (has_report && is_news)
		merge->until_us = now_us + NETWORK_GRACE_US;
}

void network_merge_set_nm(NetworkMerge *merge, const NmView *nm, int64_t now_us)
{
	const bool is_news = is_nm_in_use(merge, NETWORK_ONLINE) ||
			     nm->presence != merge->nm.presence;

	merge->nm = *nm;
	merge->has_queried = merge->has_queried || nm->presence != NM_UNHEARD;
	time_grace(merge, is_news, now_us);
	work_out(merge);
}

void network_merge_set_rtnl(NetworkMerge *merge, Level level, int64_t now_us)
{
	const bool spoke = is_nm_in_use(merge, NETWORK_ONLINE);

	if (level == merge->rtnl)
		return;
	for (NetworkQuestion q = 0; q < NETWORK_QUESTIONS && merge->rtnl != LEVEL_UNKNOWN; q++)
		forget_reported(merge, q);
	merge->rtnl = level;
	time_grace(merge, spoke || merge->nm.presence == NM_PRESENT, now_us);
	work_out(merge);
}

void network_merge_tick(NetworkMerge *merge, int64_t now_us)
{
	if (merge->until_us == 0 || now_us < merge->until_us)
		return;
	merge->until_us = 0;
	merge->has_queried = true;
	for (NetworkQuestion q = 0; q < NETWORK_QUESTIONS; q++) {
		if (merge->level[q] == LEVEL_UNKNOWN)
			forget_reported(merge, q);
	}
	work_out(merge);
}

int64_t network_merge_deadline(const NetworkMerge *merge)
{
	return merge->until_us;
}

Level network_merge_level(const NetworkMerge *merge, NetworkQuestion question)
{
	return merge->level[question];
}

/* --- text for reports --- */

static const char *state_text(uint32_t state)
{
	static const char *const names[] = { "unknown",        "asleep",          "disconnected",
					     "disconnecting",  "connecting",      "connected-local",
					     "connected-site", "connected-global" };

	return state % 10 == 0 && state / 10 < G_N_ELEMENTS(names) ? names[state / 10] : "state";
}

static char *nm_why(const NmView *nm, NetworkQuestion question)
{
	static const char *const names[] = { "unknown", "none", "portal", "limited", "full" };

	if (question == NETWORK_UP || nm->state < STATE_CONNECTED_SITE)
		return g_strdup_printf("NetworkManager: %s (%u)", state_text(nm->state), nm->state);
	return g_strdup_printf("NetworkManager: connectivity %s (%u)",
			       nm->connectivity < G_N_ELEMENTS(names) ? names[nm->connectivity] :
									"value",
			       nm->connectivity);
}

static const char *silence_text(const NetworkMerge *merge)
{
	switch (merge->nm.presence) {
	case NM_UNHEARD:
		return merge->has_queried ? "NetworkManager cannot be queried" :
					    "NetworkManager has not answered yet";
	case NM_ABSENT:
		return "NetworkManager is not running";
	case NM_PRESENT:
		return merge->nm.is_starting ? "NetworkManager is starting" :
					       "NetworkManager has not checked yet";
	}
	g_assert_not_reached();
}

char *network_merge_why(const NetworkMerge *merge, NetworkQuestion question, const char *rtnl_why)
{
	const Level reported = merge->reported[question];

	if (is_nm_in_use(merge, question))
		return nm_why(&merge->nm, question);
	if (merge->level[question] == LEVEL_UNKNOWN && merge->rtnl != LEVEL_UNKNOWN &&
	    reported != LEVEL_UNKNOWN)
		return g_strdup_printf("%s; it last reported %s; the kernel: %s",
				       silence_text(merge), level_name(reported), rtnl_why);
	if (merge->level[question] == LEVEL_UNKNOWN && merge->rtnl != LEVEL_UNKNOWN)
		return g_strdup_printf("%s; the kernel: %s", silence_text(merge), rtnl_why);
	if (question == NETWORK_ONLINE && merge->level[question] == LEVEL_TRUE)
		return g_strdup_printf("%s; no other check of the connection is available",
				       rtnl_why);
	return g_strdup(rtnl_why);
}
