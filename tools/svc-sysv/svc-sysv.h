/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * svc-sysv: the commands of SysV init, one program under six names.
 */
#ifndef SVCD_SYSV_H
#define SVCD_SYSV_H

#include <stdbool.h>

/* Each is the main() of the command with its name. Returns: an exit status. */
int telinit_main(int argc, char **argv);
int runlevel_main(int argc, char **argv);
int halt_main(int argc, char **argv); /* halt, poweroff, reboot */
int shutdown_main(int argc, char **argv);

/* "NAME: text" on stderr, with the program's name. Returns: @status. */
int sysv_complain(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns whether the caller is root; prints an error if not. */
bool require_root(void);

#endif
