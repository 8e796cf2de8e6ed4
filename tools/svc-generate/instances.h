/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Instances: services of daemons that run once per configuration file.
 *
 * Each is an instance of a template, and a group with the name of Debian's script wants it. Policy
 * refers to the group, and Debian's own files determine its members. So only a drop-in of the group
 * is made, with Wants= and After=.
 */
#ifndef SVCD_GENERATE_INSTANCES_H
#define SVCD_GENERATE_INSTANCES_H

#include "base/diag.h"
#include "svc-generate/output.h"

/**
 * instances_openvpn() - one for each NAME.conf that AUTOSTART selects: openvpn@NAME
 * @directory: /etc/openvpn, in the examined root
 * @defaults: the text of /etc/default/openvpn, or NULL: all
 */
void instances_openvpn(const char *directory, const char *defaults, Output *output, DiagList *diags);

/**
 * instances_postgresql() - one for each cluster with "auto" in its start.conf: postgresql@15-main
 * @directory: /etc/postgresql, in the examined root
 */
void instances_postgresql(const char *directory, Output *output, DiagList *diags);

#endif
