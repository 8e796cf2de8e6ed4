/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The records of SysV init's /run/initctl. All tools that write to it use one layout of 384 bytes
 * (src/initreq.h of sysvinit): halt, shutdown, telinit and some UPS daemons.
 */
#ifndef SVCD_PROTOCOL_INITCTL_PROTOCOL_H
#define SVCD_PROTOCOL_INITCTL_PROTOCOL_H

#include <stdint.h>

#define INITCTL_PATH "/run/initctl"
#define INITCTL_MAGIC 0x03091969
#define INITCTL_DATA_BYTES 368

/* The characters that a record accepts as a runlevel; init(8) explains the letters. */
#define INITCTL_RUNLEVELS "0123456789SsQqUuabcABC"

enum InitctlCommand {
	INITCTL_START = 0, /* no tool sends it */
	INITCTL_RUNLEVEL = 1,
	INITCTL_POWER_FAIL = 2,
	INITCTL_POWER_FAIL_NOW = 3, /* the battery is low */
	INITCTL_POWER_OK = 4,
	INITCTL_BSD = 5, /* no tool sends it */
	INITCTL_SET_ENVIRONMENT = 6, /* data: "NAME=value", or "NAME" to unset */
	INITCTL_UNSET_ENVIRONMENT = 7,
};

struct InitctlRequest {
	int32_t magic;
	int32_t command;
	int32_t runlevel; /* a character of INITCTL_RUNLEVELS */
	/* seconds between TERM and KILL; not used, because each service has its own limit */
	int32_t sleep_time;
	char data[INITCTL_DATA_BYTES];
};

_Static_assert(sizeof(struct InitctlRequest) == 384, "the record's size is the protocol");

#endif
