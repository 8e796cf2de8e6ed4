/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Start and stop: moves units to the state that a caller requested, by expendable processes.
 *
 * A request only records what is to be done. The caller is answered, and then start_stop_advance()
 * acts: logind serves nothing while it waits for an answer, and a start may need logind.
 */
#ifndef SVCD_SYSTEMD1_START_STOP_H
#define SVCD_SYSTEMD1_START_STOP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "svc-systemd1/call-error.h"
#include "svc-systemd1/unit.h"

/* Returns: the number of the job; 0 with @error. */
uint32_t start_stop_request_start(const char *name, CallError *error);
uint32_t start_stop_request_stop(const char *name, CallError *error);
/* @message: keeps the strings of @transient. Takes both, but not after an error. */
uint32_t start_stop_request_scope(Transient *transient, DBusMessage *message, CallError *error);

/* Does everything that is due. */
void start_stop_advance(void);

void start_stop_on_ready(pid_t pid);
/* Returns: false if it is not the process of a unit. */
bool start_stop_on_exit(pid_t pid, int status);
void start_stop_on_time(int64_t now_us);

/* A unit that an earlier run of this program has started. */
void start_stop_recover(const char *name, uint32_t uid);

#endif
