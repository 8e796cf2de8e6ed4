/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Address holder: who has an address that a service is to listen on. For an error message; reads /proc, a bounded part of it.
 */
#ifndef SVCD_PROCESS_ADDRESS_HOLDER_H
#define SVCD_PROCESS_ADDRESS_HOLDER_H

#include "model/socket-def.h"

/* "nginx (pid 812)", a new string; NULL if nobody can be found. For addresses of the network and abstract names. */
char *address_holder_find(const Listen *listen);
/* The same for the socket that was bound to @path. */
char *address_holder_of_path(const char *path);

#endif
