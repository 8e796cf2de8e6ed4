/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Samba: which of its daemons the machine's role asks for. Debian installs them all and lets smb.conf decide.
 */
#ifndef SVCD_GENERATE_SAMBA_H
#define SVCD_GENERATE_SAMBA_H

#include "svc-generate/output.h"

/**
 * samba_generate() - add the policy that leaves the others to an admin's start
 * @configuration: the text of smb.conf(5). What its include= and the registry say is not looked at.
 *
 * A domain controller is the daemon samba, which runs the others itself; everybody else is smbd, nmbd and winbind. Without
 * NetBIOS there is nothing to do for nmbd.
 */
void samba_generate(const char *configuration, Output *output);

#endif
