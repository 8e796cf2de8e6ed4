/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Refusal: the requests that policy has refused since the boot. One record, with a count, covers
 * all requests that one requester made in one way. So a loop of calls costs one record and
 * displaces no others.
 */
#ifndef SVCD_ENGINE_REFUSAL_H
#define SVCD_ENGINE_REFUSAL_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/enum-names.h"

#define REFUSAL_DOORS(X, P) \
	X(P, REQUEST, "request") X(P, BUS, "bus activation") X(P, NEED, "dependency")
ENUM_WITH_NAMES(RefusalDoor, REFUSAL, refusal_door, REFUSAL_DOORS)

typedef struct RefusalRecord {
	RefusalDoor door;
	char *caller; /* the text that all requests of this record share: "start by uid 1000" */
	char *text; /* the last request: "start by uid 1000 (pid 812)" */
	unsigned count;
	int64_t last_us;
} RefusalRecord;

typedef struct Refusals {
	unsigned total; /* since the boot; the records may cover fewer */
	GQueue *records; /* RefusalRecord *, newest first, at most LIMIT_REFUSALS; NULL: none */
} Refusals;

void refusals_clear(Refusals *refusals);

/**
 * refusals_add() - count a refusal
 * @caller, @text: copied
 * @is_new: false if an earlier manager has counted it
 */
void refusals_add(Refusals *refusals, RefusalDoor door, const char *caller, const char *text,
		  bool is_new, int64_t now_us);

/* "Refused 12 requests since the boot: ..."; a new string, or NULL if there were none. */
char *refusals_describe(const Refusals *refusals, int64_t now_us);

#endif
