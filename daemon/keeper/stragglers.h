/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stragglers: which processes have not ended when the machine is to end, for whoever waits in front of it.
 */
#ifndef SVCD_KEEPER_STRAGGLERS_H
#define SVCD_KEEPER_STRAGGLERS_H

#include <stdint.h>
#include <sys/types.h>

/* A new look at who is there. */
void stragglers_forget(void);

/* One that is. Only the first ones are named. */
void stragglers_note(pid_t pid);

/* "3 processes have not ended yet: sh (812) of web, cat (813) of web, sleep (814); killed in 8 s". @signo: what they were sent. */
void stragglers_say(int signo, uint64_t left_us);

#endif
