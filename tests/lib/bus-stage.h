/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bus stage: a bus, a peer on it, and one provider with recorded reports, for the tests of bus
 * providers.
 */
#ifndef SVCD_TESTS_BUS_STAGE_H
#define SVCD_TESTS_BUS_STAGE_H

#include <check.h>

#include "loop/loop.h"
#include "providers/provider.h"
#include "tests/lib/bus-daemon.h"
#include "tests/lib/bus-peer.h"
#include "tests/lib/deadline.h"

typedef struct BusStage {
	BusDaemon daemon;
	SystemBus *bus;
	Provider *provider;
	BusPeer *peer;
	GHashTable *reports; /* key -> newest report "LEVEL: WHY"; owned */
	unsigned n_reports;
	unsigned n_false;
} BusStage;

/* Starts only the provider. */
BusStage *bus_stage_new(Provider *(*make)(const ProviderSink *sink, SystemBus *bus));
void bus_stage_free(BusStage *stage);

/*
 * Starts the daemon, and connects this stage and the peer to it. Creates the peer if there is none.
 */
void bus_stage_start(BusStage *stage);
void bus_stage_kill_bus(BusStage *stage);

void bus_stage_subscribe(BusStage *stage, const char *key);
void bus_stage_unsubscribe(BusStage *stage, const char *key);
/* "" without a report. */
const char *bus_stage_report(const BusStage *stage, const char *key);
/* Waits for this report. @report: a pattern (g_pattern_match_simple) */
void bus_stage_expect(BusStage *stage, const char *key, const char *report);
/* Waits until all pending messages are handled: a round trip of the peer and one of the stage. */
void bus_stage_quiet(BusStage *stage);

#define stage_until(condition)                                                         \
	do {                                                                           \
		const int64_t until_us = loop_now() + DEADLINE_US;                     \
		while (!(condition)) {                                                 \
			ck_assert_msg(loop_now() < until_us, "never: %s", #condition); \
			if (!g_main_context_iteration(NULL, FALSE))                    \
				g_usleep(500);                                         \
		}                                                                      \
	} while (0)

#endif
