/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Doctor: what is wrong with this machine's svcd, or soon will be, and what to type about it.
 */
#ifndef SVCD_SVCCTL_DOCTOR_H
#define SVCD_SVCCTL_DOCTOR_H

#include "svcctl/svcctl.h"

typedef enum DoctorLevel { DOCTOR_OK, DOCTOR_NOTE, DOCTOR_WARNING, DOCTOR_ERROR } DoctorLevel;

typedef struct Doctor {
	Context *context;
	Configuration *configuration; /* of the files as they are now */
	GVariant *manager;            /* its properties; NULL: svcd does not answer */
	bool is_for_root;             /* only root can ask it now */
	GPtrArray *services;          /* records; NULL likewise */
	const char *check;            /* whose findings follow */
	unsigned n_bad;               /* warnings and errors */
	JsonArray *findings;
} Doctor;

/* One finding; @next: what to type, or NULL. With DOCTOR_OK what has been found in order. */
void doctor_say(Doctor *d, DoctorLevel level, const char *next, const char *format, ...) G_GNUC_PRINTF(4, 5);

/* doctor-files.c */
void doctor_check_init(Doctor *d);
void doctor_check_systemd(Doctor *d);
void doctor_check_permissions(Doctor *d);
void doctor_check_leftovers(Doctor *d);
void doctor_check_rc_links(Doctor *d);
void doctor_check_bus_files(Doctor *d);
void doctor_check_units(Doctor *d);

/* doctor-reboot.c */
void doctor_check_reboot(Doctor *d);

/* doctor-live.c */
void doctor_check_cgroups(Doctor *d);
void doctor_check_manager(Doctor *d);
void doctor_check_versions(Doctor *d);
/* Has an upgrade put another program in the place of one of svcd's that run? Of PID 1's only root can see it. */
bool doctor_is_replaced(GVariant *manager);
void doctor_check_replaced(Doctor *d);
void doctor_check_services(Doctor *d);

#endif
