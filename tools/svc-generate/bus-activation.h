/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bus activation: for each name that the bus would start itself, and that a service of ours owns, a file that makes it
 * ask svcd. The whole way of a call: docs/bus-activation.md.
 */
#ifndef SVCD_GENERATE_BUS_ACTIVATION_H
#define SVCD_GENERATE_BUS_ACTIVATION_H

#include "model/service-set.h"
#include "svc-generate/output.h"

/**
 * bus_activation_generate() - add the files
 * @set:        all services
 * @vendor_dir: what packages install, /usr/share/dbus-1/system-services
 * @admin_dir:  the admin's own files; they are taken over as they are, and win. Both may be missing.
 */
void bus_activation_generate(const ServiceSet *set, const char *vendor_dir, const char *admin_dir, Output *output);

#endif
