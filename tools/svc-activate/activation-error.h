/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Activation error: why a service was not started, as a D-Bus error.
 */
#ifndef SVCD_ACTIVATE_ACTIVATION_ERROR_H
#define SVCD_ACTIVATE_ACTIVATION_ERROR_H

#define REFUSAL_FAILED "org.svcd1.Error.Failed"

typedef struct ActivationError {
	char name[256]; /* of the D-Bus error */
	char text[1024];
} ActivationError;

/* Sets both texts. A text that is too long is cut off, but no text from svcd is that long. */
void activation_error_set(ActivationError *refusal, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
