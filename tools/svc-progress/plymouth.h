/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Plymouth: sends the progress of the boot to the splash screen, through its own socket, without
 * its tool.
 *
 * It never waits. A message that the socket does not take at once is dropped, and no message is
 * sent before the previous one is answered. A plymouthd that hangs, dies or refuses does no harm.
 */
#ifndef SVCD_SVC_PROGRESS_PLYMOUTH_H
#define SVCD_SVC_PROGRESS_PLYMOUTH_H

#include <stdbool.h>
#include <stddef.h>

enum { PLYMOUTH_TEXT_BYTES = 200, PLYMOUTH_PACKET_BYTES = 3 + PLYMOUTH_TEXT_BYTES };

/* Letters of ply-boot-protocol.h. */
typedef enum PlymouthRequest {
	PLYMOUTH_UPDATE = 'U', /* a status; plymouthd estimates the next boot from it */
	PLYMOUTH_SHOW_MESSAGE = 'M',
	PLYMOUTH_HIDE_MESSAGE = 'm',
	PLYMOUTH_CHANGE_MODE = 'C',
	PLYMOUTH_SHOW_SPLASH = '$',
} PlymouthRequest;

/**
 * plymouth_pack() - the bytes of one request
 * @text: NULL for a request without a text; cut off at PLYMOUTH_TEXT_BYTES - 1 bytes
 * @ret: PLYMOUTH_PACKET_BYTES
 *
 * Returns: the length of the request. Its bytes are the letter and a NUL; or the letter, 2, the
 * length of the text with its final NUL, the text, and a NUL.
 */
size_t plymouth_pack(char *ret, PlymouthRequest request, const char *text);

typedef struct Plymouth {
	int fd; /* -1: none */
	unsigned n_unanswered;
	bool is_shutdown;
	bool is_mode_sent;
	char status[32]; /* the last one that was sent */
	char message[PLYMOUTH_TEXT_BYTES];
} Plymouth;

void plymouth_init(Plymouth *plymouth, bool is_shutdown);

/* Sends changed values: "svcd:42" as the status, and a message, "" for none. */
void plymouth_update(Plymouth *plymouth, unsigned percent, const char *message);

/*
 * Removes the message. Waits at most half a second for the last answer, so that plymouthd can write
 * it.
 */
void plymouth_close(Plymouth *plymouth);

#endif
