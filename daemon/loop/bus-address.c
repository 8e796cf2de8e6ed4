/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bus address: "transport:key=value,key=value;..." (D-Bus specification, Server Addresses).
 */
#include "config.h"

#include "loop/bus-address.h"

#include <stddef.h>
#include <string.h>

#include "base/errors.h"

bool bus_address_of_path(const char *path, BusAddress *ret, GError **error)
{
	*ret = (BusAddress){ .socket.sun_family = AF_UNIX, .length = sizeof ret->socket };
	if (g_strlcpy(ret->socket.sun_path, path, sizeof ret->socket.sun_path) >=
	    sizeof ret->socket.sun_path)
		return fail(error, SVCD_ERROR_INVALID_ARGUMENT,
			    "%s is too long for the path of a socket", path);
	return true;
}

/* Abstract names end with the length of the address, not with a NUL (unix(7)). */
static bool of_abstract(const char *name, BusAddress *ret, GError **error)
{
	const size_t length = strlen(name);

	*ret = (BusAddress){ .socket.sun_family = AF_UNIX, .is_abstract = true };
	if (length >= sizeof ret->socket.sun_path)
		return fail(error, SVCD_ERROR_INVALID_ARGUMENT,
			    "%s is too long for the name of a socket", name);
	memcpy(ret->socket.sun_path + 1, name, length);
	ret->length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
	return true;
}

/*
 * Returns: the value of @key in "key=value,key=value", without escapes, as a new string; NULL if
 * the value is absent or invalid.
 */
static char *value_of(const char *pairs, const char *key)
{
	g_auto(GStrv) all = g_strsplit(pairs, ",", -1);
	const size_t length = strlen(key);

	for (char **pair = all; *pair; pair++) {
		if (strncmp(*pair, key, length) == 0 && (*pair)[length] == '=')
			return g_uri_unescape_string(*pair + length + 1, NULL);
	}
	return NULL;
}

bool bus_address_parse(const char *text, BusAddress *ret, GError **error)
{
	g_auto(GStrv) all = g_strsplit(text, ";", -1);

	for (char **one = all; *one; one++) {
		g_autofree char *path = NULL;
		g_autofree char *name = NULL;

		if (!g_str_has_prefix(*one, "unix:"))
			continue;
		path = value_of(*one + strlen("unix:"), "path");
		name = value_of(*one + strlen("unix:"), "abstract");
		if (path && *path == '/')
			return bus_address_of_path(path, ret, error);
		if (name && *name)
			return of_abstract(name, ret, error);
	}
	return fail(error, SVCD_ERROR_INVALID_ARGUMENT,
		    "\"%s\" is not a bus on a local socket (unix:path=, unix:abstract=)", text);
}
