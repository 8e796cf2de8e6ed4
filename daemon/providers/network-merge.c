/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Merge: the levels are worked out anew after each change; the rules are in the header.
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

static bool nm_speaks(const NmView *nm, NetworkQuestion question)
{
	if (nm->presence != NM_PRESENT || nm->state == STATE_UNKNOWN)
		return false;
	if (!nm->is_starting)
		return true;
	/* Good news is news even then. */
	return nm->state >= STATE_CONNECTED_SITE && (question == NETWORK_UP || nm->connectivity == CONNECTIVITY_FULL);
}

static Level nm_level(const NmView *nm, NetworkQuestion question)
{
	const bool is_up = nm->state >= STATE_CONNECTED_SITE;

	if (question == NETWORK_UP || !is_up)
		return level_of(is_up);
	return nm->connectivity == CONNECTIVITY_UNKNOWN ? LEVEL_UNKNOWN
							: level_of(nm->connectivity == CONNECTIVITY_FULL);
}

static Level rtnl_level(const NetworkMerge *merge, NetworkQuestion question)
{
	const Level word = merge->word[question];

	if (!merge->has_asked)
		return LEVEL_UNKNOWN; /* rule 5 */
	if (question == NETWORK_ONLINE && merge->rtnl == LEVEL_TRUE && word != LEVEL_TRUE && merge->nm.presence == NM_PRESENT)
		return LEVEL_UNKNOWN; /* rule 4 */
	if (word != LEVEL_UNKNOWN && merge->rtnl != word)
		return LEVEL_UNKNOWN; /* rule 3 */
	return merge->rtnl;
}

static void work_out(NetworkMerge *merge)
{
	for (NetworkQuestion q = 0; q < NETWORK_QUESTIONS; q++) {
		merge->level[q] = nm_speaks(&merge->nm, q) ? nm_level(&merge->nm, q) : rtnl_level(merge, q);
		if (merge->level[q] != LEVEL_UNKNOWN)
			merge->word[q] = merge->level[q];
	}
}

/* What was known is past, where NetworkManager is silent. */
static void forget_word(NetworkMerge *merge, NetworkQuestion question)
{
	if (!nm_speaks(&merge->nm, question))
		merge->word[question] = LEVEL_UNKNOWN;
}

void network_merge_init(NetworkMerge *merge, int64_t now_us)
{
	*merge = (NetworkMerge){ .nm = { .presence = NM_UNHEARD }, .rtnl = LEVEL_UNKNOWN, .until_us = now_us + NETWORK_FIRST_US,
				 .word = { LEVEL_UNKNOWN, LEVEL_UNKNOWN }, .level = { LEVEL_UNKNOWN, LEVEL_UNKNOWN } };
}

/* The grace begins whenever NetworkManager turns silent, or is known to be, and runs out only while that is known. */
void network_merge_set_nm(NetworkMerge *merge, const NmView *nm, int64_t now_us)
{
	const bool is_heard = nm->presence != NM_UNHEARD;
	const bool spoke = nm_speaks(&merge->nm, NETWORK_ONLINE);
	const bool has_moved = nm->presence != merge->nm.presence;

	merge->nm = *nm;
	merge->has_asked = merge->has_asked || is_heard;
	if (merge->has_asked && (!is_heard || nm_speaks(nm, NETWORK_ONLINE)))
		merge->until_us = 0;
	else if (is_heard && (has_moved || spoke))
		merge->until_us = now_us + NETWORK_GRACE_US;
	work_out(merge);
}

void network_merge_set_rtnl(NetworkMerge *merge, Level level)
{
	if (level == merge->rtnl)
		return;
	for (NetworkQuestion q = 0; q < NETWORK_QUESTIONS && merge->rtnl != LEVEL_UNKNOWN; q++)
		forget_word(merge, q);
	merge->rtnl = level;
	work_out(merge);
}

void network_merge_tick(NetworkMerge *merge, int64_t now_us)
{
	if (merge->until_us == 0 || now_us < merge->until_us)
		return;
	merge->until_us = 0;
	merge->has_asked = true;
	for (NetworkQuestion q = 0; q < NETWORK_QUESTIONS; q++) {
		if (merge->level[q] == LEVEL_UNKNOWN)
			forget_word(merge, q);
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

/* --- words --- */

static const char *state_text(uint32_t state)
{
	static const char *const names[] = { "unknown", "asleep", "disconnected", "disconnecting", "connecting",
					     "connected-local", "connected-site", "connected-global" };

	return state % 10 == 0 && state / 10 < G_N_ELEMENTS(names) ? names[state / 10] : "state";
}

static char *nm_why(const NmView *nm, NetworkQuestion question)
{
	static const char *const names[] = { "unknown", "none", "portal", "limited", "full" };

	if (question == NETWORK_UP || nm->state < STATE_CONNECTED_SITE)
		return g_strdup_printf("NetworkManager: %s (%u)", state_text(nm->state), nm->state);
	return g_strdup_printf("NetworkManager: connectivity %s (%u)",
			       nm->connectivity < G_N_ELEMENTS(names) ? names[nm->connectivity] : "value", nm->connectivity);
}

static const char *presence_text(const NetworkMerge *merge)
{
	switch (merge->nm.presence) {
	case NM_UNHEARD:
		return merge->has_asked ? "NetworkManager cannot be asked" : "NetworkManager has not answered yet";
	case NM_ABSENT:
		return "NetworkManager is away";
	case NM_PRESENT:
		return merge->nm.is_starting ? "NetworkManager is starting" : "NetworkManager does not know";
	}
	g_assert_not_reached();
}

char *network_merge_why(const NetworkMerge *merge, NetworkQuestion question, const char *rtnl_why)
{
	const Level word = merge->word[question];

	if (nm_speaks(&merge->nm, question))
		return nm_why(&merge->nm, question);
	if (merge->level[question] == LEVEL_UNKNOWN && merge->rtnl != LEVEL_UNKNOWN && word != LEVEL_UNKNOWN)
		return g_strdup_printf("%s and has said %s; the kernel: %s", presence_text(merge), level_name(word), rtnl_why);
	if (merge->level[question] == LEVEL_UNKNOWN && merge->rtnl != LEVEL_UNKNOWN)
		return g_strdup_printf("%s; the kernel: %s", presence_text(merge), rtnl_why);
	if (question == NETWORK_ONLINE && merge->level[question] == LEVEL_TRUE)
		return g_strdup_printf("%s; without NetworkManager nobody checks further", rtnl_why);
	return g_strdup(rtnl_why);
}
