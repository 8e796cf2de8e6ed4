/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Datagram: what a fuzz target sends through a socket, with descriptors.
 */
#ifndef SVCD_TESTS_FUZZ_DATAGRAM_H
#define SVCD_TESTS_FUZZ_DATAGRAM_H

#include <stdbool.h>
#include <stddef.h>

#define DATAGRAM_MOST_FDS 80

/* Without waiting, also where nobody reads any more. Returns: whether it was taken. */
bool datagram_send(int fd, const void *bytes, size_t size, const int *fds, size_t n_fds);

#endif
