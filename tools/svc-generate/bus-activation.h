/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bus activation: a file for each name that the bus would activate itself and that an svcd service
 * owns. The file makes the bus ask svcd. docs/bus-activation.md describes the whole path of a call.
 */
#ifndef SVCD_GENERATE_BUS_ACTIVATION_H
#define SVCD_GENERATE_BUS_ACTIVATION_H

#include "model/service-set.h"
#include "svc-generate/generated-files.h"

/**
 * bus_activation_generate() - add the files
 * @set: all services
 * @vendor_dir: the files of packages, /usr/share/dbus-1/system-services
 * @admin_dir: the admin's own files; they are copied unchanged, and take precedence. Both
 * directories may be missing.
 */
void bus_activation_generate(const ServiceSet *set, const char *vendor_dir, const char *admin_dir,
			     GeneratedFiles *output);

#endif
