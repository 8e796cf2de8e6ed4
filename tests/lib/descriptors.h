/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Descriptors: sends file descriptors with output, as a hostile service does.
 */
#ifndef SVCD_TESTS_LIB_DESCRIPTORS_H
#define SVCD_TESTS_LIB_DESCRIPTORS_H

/**
 * send_descriptor() - send @text with a file descriptor
 * @writer_fd: the service's end of a channel
 * @ours: the manager's end; this function permits descriptors there again, as older kernels do
 * @flags: of sendmsg(2)
 */
void send_descriptor(int writer_fd, int ours, const char *text, int flags);

#endif
