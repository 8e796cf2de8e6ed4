/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Instances: of daemons that have one for each configuration.
 *
 * Each is an instance of a template, and wanted by a group that bears the name of Debian's script: policy speaks of the group,
 * Debian's own files say of what it consists. So all that is made is a drop-in of the group, with Wants= and After=.
 */
#ifndef SVCD_GENERATE_INSTANCES_H
#define SVCD_GENERATE_INSTANCES_H

#include "base/diag.h"
#include "svc-generate/output.h"

/**
 * instances_openvpn() - one for each NAME.conf that AUTOSTART means: openvpn@NAME
 * @directory: /etc/openvpn, in the root that is looked at
 * @defaults: the text of /etc/default/openvpn, or NULL: all
 */
void instances_openvpn(const char *directory, const char *defaults, Output *output, DiagList *diags);

/**
 * instances_postgresql() - one for each cluster whose start.conf says auto: postgresql@15-main
 * @directory: /etc/postgresql, in the root that is looked at
 */
void instances_postgresql(const char *directory, Output *output, DiagList *diags);

#endif
