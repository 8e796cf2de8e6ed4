/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Refusal: why a service was not started, as a D-Bus error.
 */
#ifndef SVCD_ACTIVATE_REFUSAL_H
#define SVCD_ACTIVATE_REFUSAL_H

#define REFUSAL_FAILED "org.svcd1.Error.Failed"

typedef struct Refusal {
	char name[256]; /* of the D-Bus error */
	char text[1024];
} Refusal;

/* Both are cut off at a length above all texts of svcd. */
void refusal_set(Refusal *refusal, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
