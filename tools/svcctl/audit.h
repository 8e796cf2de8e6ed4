/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Audit: how much of the machine a service could do harm to, in points that it loses. One row a check.
 */
#ifndef SVCD_SVCCTL_AUDIT_H
#define SVCD_SVCCTL_AUDIT_H

#include <glib.h>

#include "model/service-def.h"

typedef struct AuditFinding {
	const char *check; /* "user" */
	unsigned points;   /* lost */
	char *finding;     /* what it may do */
	char *settings;    /* for svcctl edit, quoted for a shell; NULL: it takes something else */
	char *next;        /* that something; NULL: @settings says all */
} AuditFinding;

void audit_finding_free(AuditFinding *finding);

/**
 * audit_service() - what is found
 * @root: where its files are, "" for this machine
 * Returns: a new array of AuditFinding *; empty for a group, in which nothing runs.
 */
GPtrArray *audit_service(const ServiceDef *def, const char *root);

/* What all of them cost. */
unsigned audit_points(const GPtrArray *findings);

/* What a service loses that is found wrong in every check. */
unsigned audit_most(void);

#endif
