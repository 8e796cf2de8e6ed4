/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Job: a request that has been answered and not yet carried out. logind lets a login wait for the
 * end of a job, so a restart of this program must not lose one: the open jobs are in a file.
 */
#ifndef SVCD_SYSTEMD1_JOB_H
#define SVCD_SYSTEMD1_JOB_H

#include <dbus/dbus.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * job_recover() - read the file of an earlier process, and keep writing it
 * @path: borrowed for ever
 * @lost: called for each job that was open
 */
void job_recover(const char *path, void (*lost)(uint32_t id, const char *unit));

/* Returns: its number, which no other job since the boot had. */
uint32_t job_new(const char *unit);
void job_end(uint32_t id);
bool job_exists(uint32_t id);

/* For tests: the file stays. */
void job_forget_all(void);

#endif
