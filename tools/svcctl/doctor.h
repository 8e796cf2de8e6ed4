/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Doctor: present and future problems of svcd on this machine, and the commands that solve them.
 */
#ifndef SVCD_SVCCTL_DOCTOR_H
#define SVCD_SVCCTL_DOCTOR_H

#include "svcctl/svcctl.h"

typedef enum DoctorLevel { DOCTOR_OK, DOCTOR_NOTE, DOCTOR_WARNING, DOCTOR_ERROR } DoctorLevel;

typedef struct Doctor {
	Context *context;
	Configuration *configuration; /* of the files as they are now */
	GVariant *manager; /* its properties; NULL: svcd does not answer */
	bool is_for_root; /* only root can reach svcd at present */
	GPtrArray *services; /* records; NULL: svcd does not answer */
	const char *check; /* the check that the next findings belong to */
	unsigned n_bad; /* warnings and errors */
	JsonArray *findings;
} Doctor;

/*
 * One finding; @next: the command to type, or NULL. For DOCTOR_OK, @format names what needs no
 * repair.
 */
void doctor_report(Doctor *d, DoctorLevel level, const char *next, const char *format, ...)
	G_GNUC_PRINTF(4, 5);

/* doctor-files.c */
void doctor_check_init(Doctor *d);
void doctor_check_systemd(Doctor *d);
void doctor_check_permissions(Doctor *d);
void doctor_check_leftovers(Doctor *d);
void doctor_check_rc_links(Doctor *d);
void doctor_check_bus_files(Doctor *d);
void doctor_check_units(Doctor *d);
void doctor_check_switches(Doctor *d);

/* doctor-reboot.c */
void doctor_check_reboot(Doctor *d);

/* doctor-live.c */
void doctor_check_cgroups(Doctor *d);
void doctor_check_manager(Doctor *d);
void doctor_check_versions(Doctor *d);
/*
 * Has an upgrade replaced the program of a running process of svcd? Only root gets an answer for
 * PID 1.
 */
bool doctor_is_replaced(GVariant *manager);
void doctor_check_replaced(Doctor *d);
void doctor_check_services(Doctor *d);

#endif
