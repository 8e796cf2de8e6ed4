/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Socket look: watches for a bus socket, for tests of bus clients. It uses inotify in this process,
 * on the nearest existing directory.
 */
#ifndef SVCD_TESTS_LIB_SOCKET_LOOK_H
#define SVCD_TESTS_LIB_SOCKET_LOOK_H

#include "loop/system-bus.h"

extern const SocketLook socket_look;

#endif
