/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Telinit: what `init N` does when it is not PID 1: it asks the running init through /run/initctl.
 */
#ifndef SVCD_KEEPER_TELINIT_H
#define SVCD_KEEPER_TELINIT_H

/* Returns: an exit status; errors are printed. */
int telinit_main(int argc, char **argv);

#endif
