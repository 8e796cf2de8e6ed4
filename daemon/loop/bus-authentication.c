/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bus authentication: one line to the bus, one line back.
 */
#include "config.h"

#include "loop/bus-authentication.h"

#include <string.h>

#include "base/limits.h"

GString *bus_authentication_begin(uid_t uid)
{
	g_autofree char *decimal = g_strdup_printf("%u", (unsigned)uid);
	GString *text = g_string_new(NULL);

	g_string_append_c(text, '\0');
	g_string_append(text, "AUTH EXTERNAL ");
	for (const char *p = decimal; *p; p++)
		g_string_append_printf(text, "%02x", (unsigned)*p);
	g_string_append(text, "\r\n");
	return text;
}

AuthenticationResult bus_authentication_feed(const guint8 *bytes, size_t length, size_t *ret_used,
					     GString *reply)
{
	const guint8 *end = memchr(bytes, '\n', length);

	*ret_used = 0;
	if (!end) /* these bytes are read again, together with the next ones */
		return length > LIMIT_AUTH_LINE_BYTES ? AUTHENTICATION_REFUSED :
							AUTHENTICATION_MORE;
	if (end - bytes < 3 || end - bytes > LIMIT_AUTH_LINE_BYTES || end[-1] != '\r' ||
	    memcmp(bytes, "OK ", 3) != 0)
		return AUTHENTICATION_REFUSED;
	*ret_used = (size_t)(end - bytes) + 1;
	g_string_append(reply, "BEGIN\r\n");
	return AUTHENTICATION_DONE;
}
