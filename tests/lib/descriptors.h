/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Descriptors: what a hostile service sends with its output.
 */
#ifndef SVCD_TESTS_LIB_DESCRIPTORS_H
#define SVCD_TESTS_LIB_DESCRIPTORS_H

/**
 * send_descriptor() - send @text with a file descriptor
 * @writer_fd: end of a channel
 * @ours:      its other end; there they are allowed again where the kernel could forbid them, as it is with older kernels
 * @flags:     of sendmsg(2)
 */
void send_descriptor(int writer_fd, int ours, const char *text, int flags);

#endif
