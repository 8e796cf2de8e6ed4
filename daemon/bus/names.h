/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names: the bus name, the socket and the object paths of svcd. Both svcd and its clients use them.
 */
#ifndef SVCD_BUS_NAMES_H
#define SVCD_BUS_NAMES_H

/* The name on the system bus. */
#define BUS_NAME "org.svcd1"

#define PRIVATE_SOCKET_PATH "/run/svcd/private"

#define OBJECT_PATH_MANAGER "/org/svcd1"
#define OBJECT_PATH_SERVICES "/org/svcd1/service"
#define OBJECT_PATH_BOOT "/org/svcd1/boot"

#define INTERFACE_MANAGER "org.svcd1.Manager"
#define INTERFACE_SERVICE "org.svcd1.Service"
#define INTERFACE_BOOT "org.svcd1.Boot"
#define INTERFACE_SERVICES "org.svcd1.Services"

/* Followed by a name of base/errors.h. */
#define BUS_ERROR_PREFIX "org.svcd1.Error."

#endif
