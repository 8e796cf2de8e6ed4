/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Samba: the daemons that the machine's role needs. Debian installs all of them, and smb.conf
 * decides.
 */
#ifndef SVCD_GENERATE_SAMBA_H
#define SVCD_GENERATE_SAMBA_H

#include "svc-generate/output.h"

/**
 * samba_generate() - add the policy that makes the others start only on request
 * @configuration: the text of smb.conf(5). Its include= and the registry are ignored.
 *
 * A domain controller needs the daemon samba, which runs the others itself. All other machines need
 * smbd, nmbd and winbind. Without NetBIOS nmbd is not needed.
 */
void samba_generate(const char *configuration, Output *output);

#endif
