/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fstab: the lines of fstab(5), split into fields and checked. volumes.h makes services of them.
 */
#ifndef SVCD_GENERATE_FSTAB_H
#define SVCD_GENERATE_FSTAB_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"

/* The default time that a boot waits for a device in fstab. */
#define FSTAB_DEVICE_LIMIT_US (90 * G_USEC_PER_SEC)

typedef struct FstabEntry {
	char *source; /* "LABEL=data", "/dev/sda2", "server:/home", "tmpfs" */
	char *target; /* absolute, without "//", "/./" and a final "/"; "none" for swap */
	char *type;
	/* for mount(8) or swapon(8): without noauto, nofail and similar ones; never empty */
	char *options;
	unsigned passno;
	bool is_swap;
	bool is_noauto;
	bool is_nofail;
	bool is_remote; /* needs the network: by its type, or by _netdev */
	/* x-systemd.device-timeout=, or FSTAB_DEVICE_LIMIT_US; 0: for ever */
	int64_t device_limit_us;
	Origin origin;
} FstabEntry;

/**
 * fstab_parse() - all valid lines of @text; the others are reported to @diags
 * @file: its name in diagnostics and origins
 * Returns: a new array of FstabEntry *, in the order of the file, without duplicate targets or swap
 * sources.
 */
GPtrArray *fstab_parse(const char *file, const char *text, DiagList *diags);

/**
 * fstab_decode_field() - replace \040 and similar escapes by their bytes, in place
 * Returns: the problem of the result, as the end of a sentence, or NULL.
 */
const char *fstab_decode_field(char *field);

#endif
