/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Descriptors: those that a hostile service sends with its output.
 */
#ifndef SVCD_TESTS_LIB_DESCRIPTORS_H
#define SVCD_TESTS_LIB_DESCRIPTORS_H

/**
 * send_descriptor() - send @text with a file descriptor
 * @writer_fd: end of a channel
 * @ours: its other end; descriptors are permitted there again, as with older kernels
 * @flags: of sendmsg(2)
 */
void send_descriptor(int writer_fd, int ours, const char *text, int flags);

#endif
