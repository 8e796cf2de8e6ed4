/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Datagram: the data that a fuzz target sends through a socket, with descriptors.
 */
#ifndef SVCD_TESTS_FUZZ_DATAGRAM_H
#define SVCD_TESTS_FUZZ_DATAGRAM_H

#include <stdbool.h>
#include <stddef.h>

#define DATAGRAM_MOST_FDS 80

/* Never blocks, not even without a reader. Returns: whether the datagram was accepted. */
bool datagram_send(int fd, const void *bytes, size_t size, const int *fds, size_t n_fds);

#endif
