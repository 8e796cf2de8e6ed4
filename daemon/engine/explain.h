/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Explain: why does this service run or not run? A tree of reasons in sentences, computed from the
 * states, down to the root causes and their remedies.
 */
#ifndef SVCD_ENGINE_EXPLAIN_H
#define SVCD_ENGINE_EXPLAIN_H

#include <glib.h>

#include "base/enum-names.h"
#include "engine/engine.h"

/* clang-format off */
#define REASON_KINDS(X, P)                                                                         \
	X(P, STATE, "state")   /* "gdm3 is waiting for 2 conditions" */                               \
	X(P, WHY, "why")       /* a false term, a failure, a decision of policy, a stop by an admin */ \
	X(P, LIMITS, "limits") /* its limits that are not in force */                              \
	X(P, CAUSE, "cause")   /* the last cause record, with the requester */                     \
	X(P, IMPACT, "impact") /* the services that wait for it */                                 \
	X(P, NEXT, "next")     /* the remedy, often a command */
/* clang-format on */
ENUM_WITH_NAMES(ReasonKind, REASON, reason_kind, REASON_KINDS)

typedef struct Reason {
	unsigned depth; /* 0 for the service itself; deeper reasons explain the reason above */
	ReasonKind kind;
	const char *service; /* the service it is about, interned; never NULL */
	char *text; /* one sentence */
} Reason;

void reason_free(Reason *reason);

/**
 * explain_service() - collect the reasons of one service, depth first, each service once
 * Returns: a new array of Reason *; NULL if there is no such service.
 */
GPtrArray *explain_service(const Engine *engine, const char *name, int64_t now_us);

/*
 * The names (borrowed) of all services whose state is not the wanted one: failed, in backoff, or
 * wanted but waiting. A new array. Omits services that only the vendor's policy wants and that do
 * not apply to this machine, for example because they are not installed.
 */
GPtrArray *explain_not_as_wanted(const Engine *engine);

#endif
