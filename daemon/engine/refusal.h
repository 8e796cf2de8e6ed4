/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Refusal: what policy has refused since the boot, whoever asked: one record for each who asks by one door, with a count, so
 * that a loop of calls costs one record and pushes out nothing else.
 */
#ifndef SVCD_ENGINE_REFUSAL_H
#define SVCD_ENGINE_REFUSAL_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/enum-names.h"

#define REFUSAL_DOORS(X, P) X(P, REQUEST, "request") X(P, BUS, "bus activation") X(P, NEED, "dependency")
ENUM_WITH_NAMES(RefusalDoor, REFUSAL, refusal_door, REFUSAL_DOORS)

typedef struct RefusalRecord {
	RefusalDoor door;
	char *who;      /* without what differs from one call to the next: "start by uid 1000" */
	char *text;     /* of the last time: "start by uid 1000 (pid 812)" */
	unsigned count;
	int64_t last_us;
} RefusalRecord;

typedef struct Refusals {
	unsigned total;  /* since the boot; more than the records know of after many askers, or a new manager */
	GQueue *records; /* RefusalRecord *, who asked last is first, at most LIMIT_REFUSALS; NULL: none */
} Refusals;

void refusals_clear(Refusals *refusals);

/**
 * refusals_add() - one more
 * @who, @text: copied
 * @is_new: false for what a manager before has counted
 */
void refusals_add(Refusals *refusals, RefusalDoor door, const char *who, const char *text, bool is_new, int64_t now_us);

/* "Refused 12 requests since the boot: ..."; a new string, or NULL when there were none. */
char *refusals_describe(const Refusals *refusals, int64_t now_us);

#endif
