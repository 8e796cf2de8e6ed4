/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Explain: why is this service (not) running? A tree of reasons in sentences, computed from the states, down to the
 * root causes, and what to do next.
 */
#ifndef SVCD_ENGINE_EXPLAIN_H
#define SVCD_ENGINE_EXPLAIN_H

#include <glib.h>

#include "base/enum-names.h"
#include "engine/engine.h"

#define REASON_KINDS(X, P)                                                                         \
	X(P, STATE, "state")   /* "gdm3 is waiting for 2 conditions" */                               \
	X(P, WHY, "why")       /* a false term, a failure, a decision of policy, an admin's stop */   \
	X(P, LIMITS, "limits") /* which of its limits are not in force */                             \
	X(P, CAUSE, "cause")   /* the record of what last happened, with who asked */                 \
	X(P, IMPACT, "impact") /* what is held up by it */                                            \
	X(P, NEXT, "next")     /* what to do, often a command to type */
ENUM_WITH_NAMES(ReasonKind, REASON, reason_kind, REASON_KINDS)

typedef struct Reason {
	unsigned depth;      /* 0 for the service asked about; deeper reasons explain the one above */
	ReasonKind kind;
	const char *service; /* the service it is about, interned; never NULL */
	char *text;          /* one sentence */
} Reason;

void reason_free(Reason *reason);

/**
 * explain_service() - reasons for one service, depth first, each service explained once
 * Returns: a new array of Reason *; NULL when there is no such service.
 */
GPtrArray *explain_service(const Engine *engine, const char *name, int64_t now_us);

/*
 * Names (borrowed) of all services that are not as wanted: failed, in back-off, wanted but waiting; a new array. Left out is
 * what only the vendor's policy wants, and what is not for this machine: not installed, or not in a container.
 */
GPtrArray *explain_not_as_wanted(const Engine *engine);

#endif
