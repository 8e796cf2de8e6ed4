/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Audit: how much harm a service could do to the machine, in points. One row per check.
 */
#ifndef SVCD_SVCCTL_AUDIT_H
#define SVCD_SVCCTL_AUDIT_H

#include <glib.h>

#include "model/service-def.h"

typedef struct AuditFinding {
	const char *check; /* "user" */
	unsigned points; /* deducted */
	char *finding; /* what the service may do */
	char *settings; /* for svcctl edit, quoted for a shell; NULL: a setting is not enough */
	char *next; /* the other remedy; NULL: @settings is enough */
} AuditFinding;

void audit_finding_free(AuditFinding *finding);

/**
 * audit_service() - the findings about a service
 * @root: the directory that contains its files, "" for this machine
 * Returns: a new array of AuditFinding *; empty for a group, which has no processes.
 */
GPtrArray *audit_service(const ServiceDef *def, const char *root);

/* The sum of the points of all findings. */
unsigned audit_points(const GPtrArray *findings);

/* The points of a service that fails every check. */
unsigned audit_most(void);

#endif
