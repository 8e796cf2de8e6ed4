/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * crypttab: makes services from the lines of crypttab(5), which open the encrypted volumes, and the
 * policy that wants them.
 *
 * "home UUID=x none luks" becomes the task crypt-home, which runs Debian's cryptdisks_start(8) when
 * the device is there. Passphrases are requested at the console, one at a time. The service of an
 * fstab line for /dev/mapper/home is ordered after it, and is up while that device exists. The
 * group cryptdisks has the name of Debian's script.
 */
#ifndef SVCD_GENERATE_CRYPTTAB_H
#define SVCD_GENERATE_CRYPTTAB_H

#include <glib.h>
#include <stdbool.h>

#include "base/diag.h"
#include "svc-generate/generated-files.h"

typedef struct CryptEntry {
	char *name; /* of the mapping, below /dev/mapper */
	char *source; /* "UUID=x", "/dev/sda3", "/srv/image" */
	char *key; /* a file; NULL: the passphrase is requested, or a keyscript is used */
	bool is_noauto;
	bool is_nofail;
	bool is_remote; /* _netdev */
	Origin origin;
} CryptEntry;

/**
 * crypttab_parse() - all valid lines of @text; the others are reported to @diags
 * @file: its name in diagnostics and origins
 * Returns: a new array of CryptEntry *, in the order of the file, without duplicate mappings.
 */
GPtrArray *crypttab_parse(const char *file, const char *text, DiagList *diags);

/*
 * Adds the files for all @entries. @volumes: FstabEntry *, to find the lines that are ordered after
 * an entry, and the volumes that contain keys and images.
 */
void crypttab_generate(const GPtrArray *entries, const GPtrArray *volumes, GeneratedFiles *output);

#endif
