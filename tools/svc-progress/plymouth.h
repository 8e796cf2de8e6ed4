/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Plymouth: the splash screen is told how far the boot is, through its own socket, without its tool.
 *
 * Never waited for: what it does not take at once it is not told, and it is told nothing more before it has answered what went
 * before. One that hangs, dies or refuses harms nothing.
 */
#ifndef SVCD_SVC_PROGRESS_PLYMOUTH_H
#define SVCD_SVC_PROGRESS_PLYMOUTH_H

#include <stdbool.h>
#include <stddef.h>

enum { PLYMOUTH_TEXT_BYTES = 200, PLYMOUTH_PACKET_BYTES = 3 + PLYMOUTH_TEXT_BYTES };

/* Letters of ply-boot-protocol.h. */
typedef enum PlymouthRequest {
	PLYMOUTH_UPDATE = 'U',       /* a status, by which it estimates the next boot */
	PLYMOUTH_SHOW_MESSAGE = 'M',
	PLYMOUTH_HIDE_MESSAGE = 'm',
	PLYMOUTH_CHANGE_MODE = 'C',
	PLYMOUTH_SHOW_SPLASH = '$',
} PlymouthRequest;

/**
 * plymouth_pack() - one request as it is written
 * @text: NULL for a request without one; of a longer one PLYMOUTH_TEXT_BYTES - 1 bytes go
 * @ret:  PLYMOUTH_PACKET_BYTES
 *
 * Returns: its length. The letter and a NUL; with an argument the letter, 2, the length with the final NUL, the text, NUL.
 */
size_t plymouth_pack(char *ret, PlymouthRequest request, const char *text);

typedef struct Plymouth {
	int fd; /* -1: none */
	unsigned n_unanswered;
	bool is_shutdown;
	bool is_mode_told;
	char status[32];                    /* the last that was told */
	char message[PLYMOUTH_TEXT_BYTES];
} Plymouth;

void plymouth_init(Plymouth *plymouth, bool is_shutdown);

/* Told what is new: "svcd:42" as the status, and a message, "" for none. */
void plymouth_tell(Plymouth *plymouth, unsigned percent, const char *message);

/* Takes the message away. Waits for the last answer, half a second at most, so that plymouthd can write it. */
void plymouth_close(Plymouth *plymouth);

#endif
