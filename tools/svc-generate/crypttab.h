/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * crypttab: from the lines of crypttab(5) to services that open the encrypted volumes, and the policy that wants them.
 *
 * "home UUID=x none luks" becomes the task crypt-home, which Debian's cryptdisks_start(8) does, when the device is there. Who is
 * asked for a passphrase is asked at the console, one at a time. What fstab says of /dev/mapper/home comes after it, and follows
 * that device. The group cryptdisks bears the name of Debian's script.
 */
#ifndef SVCD_GENERATE_CRYPTTAB_H
#define SVCD_GENERATE_CRYPTTAB_H

#include <glib.h>
#include <stdbool.h>

#include "base/diag.h"
#include "svc-generate/output.h"

typedef struct CryptEntry {
	char *name;	 /* of the mapping, below /dev/mapper */
	char *source; /* "UUID=x", "/dev/sda3", "/srv/image" */
	char *key;	 /* a file; NULL: somebody is asked, or a keyscript */
	bool is_noauto;
	bool is_nofail;
	bool is_remote; /* _netdev */
	Origin origin;
} CryptEntry;

/**
 * crypttab_parse() - all lines of @text that are right; the others are told to @diags
 * @file: its name in diagnostics and origins
 * Returns: a new array of CryptEntry *, in the order of the file, no mapping twice.
 */
GPtrArray *crypttab_parse(const char *file, const char *text, DiagList *diags);

/* Adds the files for all @entries; @volumes: FstabEntry *, for what comes after, and what holds keys and images. */
void crypttab_generate(const GPtrArray *entries, const GPtrArray *volumes, Output *output);

#endif
