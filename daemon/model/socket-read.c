/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Socket keys: addresses and options.
 */
#include "config.h"

#include "model/socket-read.h"

#include <string.h>

#include "base/limits.h"
#include "base/text.h"

FIELD_ENUM_READER(socket_read_ipv6_only, Ipv6Only, ipv6_only, IPV6_ONLY_COUNT)

char *socket_read_stream(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return socket_def_add(def->socket, LISTEN_STREAM, value, origin);
}

char *socket_read_datagram(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return socket_def_add(def->socket, LISTEN_DATAGRAM, value, origin);
}

char *socket_read_seqpacket(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return socket_def_add(def->socket, LISTEN_SEQPACKET, value, origin);
}

char *socket_read_fifo(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return socket_def_add(def->socket, LISTEN_FIFO, value, origin);
}

char *socket_read_accept(ServiceDef *def, void *field, const char *value, Origin origin)
{
	bool accept;

	if (!token_parse_bool(value, &accept))
		return g_strdup("write no");
	if (accept)
		return g_strdup(
			"a process for each connection is not supported; let the service accept "
			"its connections itself, or "
			"use inetd");
	return NULL;
}

char *socket_read_mode(ServiceDef *def, void *field, const char *value, Origin origin)
{
	unsigned mode;

	if (!field_parse_mode(value, &mode) || mode > 0777)
		return g_strdup("write an octal mode such as 0660");
	*(unsigned *)field = mode;
	return NULL;
}

/* listen(2) takes an int, and the kernel limits it to net.core.somaxconn. */
char *socket_read_backlog(ServiceDef *def, void *field, const char *value, Origin origin)
{
	uint64_t backlog;

	if (!text_parse_uint(value, 10, INT32_MAX, &backlog) || backlog == 0)
		return g_strdup("write a number above 0");
	*(unsigned *)field = (unsigned)backlog;
	return NULL;
}

static char *check_name(const char *token)
{
	if (!*token || strlen(token) > LIMIT_SOCKET_NAME_BYTES || strchr(token, ':'))
		return g_strdup_printf(
			"\"%s\" is not the name of a socket; write up to %d bytes without a colon",
			token, LIMIT_SOCKET_NAME_BYTES);
	for (const char *p = token; *p; p++) {
		if (!g_ascii_isgraph(*p))
			return g_strdup(
				"the name of a socket must not contain blanks or control bytes");
	}
	return NULL;
}

char *socket_read_names(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return field_read_tokens(field, value, check_name);
}

char *socket_read_buffer_size(ServiceDef *def, void *field, const char *value, Origin origin)
{
	uint64_t size;

	if (!text_parse_size(value, &size) || size == 0 || size > INT32_MAX)
		return g_strdup("write a size such as 64K or 8M");
	*(uint64_t *)field = size;
	return NULL;
}

char *socket_read_trigger_limit(ServiceDef *def, void *field, const char *value, Origin origin)
{
	return field_read_starts_per_time(value, field, &def->socket->trigger_window_us);
}
