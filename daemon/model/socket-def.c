/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Socket definition: syntax of addresses, and defaults.
 */
#include "config.h"

#include "model/socket-def.h"

#include <arpa/inet.h>
#include <string.h>

#include "base/limits.h"
#include "base/list.h"
#include "base/text.h"

/*
 * The size of sun_path (unix(7)). A path needs a byte for its NUL, an abstract name one for the NUL
 * in front.
 */
#define UNIX_BYTES 108

#define ADDRESS_FORMS "write /PATH, @NAME, PORT, IPV4:PORT or [IPV6]:PORT"

static void listen_free(gpointer data)
{
	Listen *listen = data;

	g_free(listen->text);
	g_free(listen);
}

SocketDef *socket_def_new(void)
{
	SocketDef *def = g_new0(SocketDef, 1);

	*def = (SocketDef){
		.listens = list_new(),
		.names = list_new(),
		.mode = DEFAULT_SOCKET_MODE,
		.directory_mode = DEFAULT_SOCKET_DIRECTORY_MODE,
		.backlog = DEFAULT_SOCKET_BACKLOG,
		.trigger_limit = DEFAULT_TRIGGER_LIMIT,
		.trigger_window_us = DEFAULT_TRIGGER_WINDOW_US,
	};
	return def;
}

void socket_def_free(SocketDef *def)
{
	if (!def)
		return;
	list_free(def->listens);
	list_free(def->names);
	g_free(def->user);
	g_free(def->group);
	g_free(def);
}

bool listen_is_network(const Listen *listen)
{
	switch (listen->family) {
	case LISTEN_FAMILY_IPV4:
	case LISTEN_FAMILY_IPV6:
	case LISTEN_FAMILY_ANY:
		return true;
	case LISTEN_FAMILY_PATH:
	case LISTEN_FAMILY_ABSTRACT:
	case LISTEN_FAMILY_COUNT:
		break;
	}
	return false;
}

bool listen_has_file(const Listen *listen)
{
	return listen->family == LISTEN_FAMILY_PATH;
}

/* --- reading an address --- */

static char *read_path(Listen *listen, const char *value)
{
	if (listen->kind != LISTEN_FIFO && strlen(value) >= UNIX_BYTES)
		return g_strdup_printf("the path of a socket has at most %d bytes (unix(7))",
				       UNIX_BYTES - 1);
	if (g_str_has_suffix(value, "/") || strstr(value, "/../") || g_str_has_suffix(value, "/.."))
		return g_strdup(
			"this is not the path of a socket; write it without \"..\" and without a "
			"\"/\" at its end");
	listen->family = LISTEN_FAMILY_PATH;
	return NULL;
}

static char *read_abstract(Listen *listen, const char *value)
{
	if (!value[1] || strlen(value) > UNIX_BYTES)
		return g_strdup_printf("an abstract name has from 1 to %d bytes (unix(7))",
				       UNIX_BYTES - 1);
	listen->family = LISTEN_FAMILY_ABSTRACT;
	return NULL;
}

static char *read_port(Listen *listen, const char *text)
{
	uint64_t port;

	if (!text_parse_uint(text, 10, UINT16_MAX, &port) || port == 0)
		return g_strdup_printf("\"%s\" is not a port; write a number from 1 to 65535",
				       text);
	listen->port = (uint16_t)port;
	return NULL;
}

static char *read_ip(Listen *listen, ListenFamily family, const char *host, const char *port)
{
	listen->family = family;
	if (inet_pton(family == LISTEN_FAMILY_IPV6 ? AF_INET6 : AF_INET, host, listen->ip) == 1)
		return read_port(listen, port);
	if (strchr(host, '%'))
		return g_strdup("an address with an interface (\"%eth0\") is not supported; write "
				"[::]:PORT");
	return g_strdup_printf(
		"\"%s\" is not a numeric address, and names are not looked up; " ADDRESS_FORMS,
		host);
}

static char *read_network(Listen *listen, const char *value)
{
	g_autofree char *host = g_strdup(value);
	const char *colon = strrchr(value, ':');
	const size_t length = colon ? (size_t)(colon - value) : 0;

	if (!colon) {
		if (!g_ascii_isdigit(*value))
			return g_strdup_printf("\"%s\" is not an address; " ADDRESS_FORMS, value);
		listen->family = LISTEN_FAMILY_ANY;
		return read_port(listen, value);
	}
	host[length] = '\0';
	if (*host != '[' && strchr(host, ':'))
		return g_strdup("write an IPv6 address in brackets: [ADDRESS]:PORT");
	if (*host != '[')
		return read_ip(listen, LISTEN_FAMILY_IPV4, host, colon + 1);
	if (length < 2 || host[length - 1] != ']')
		return g_strdup("the port is missing; write [ADDRESS]:PORT");
	host[length - 1] = '\0';
	return read_ip(listen, LISTEN_FAMILY_IPV6, host + 1, colon + 1);
}

static char *read_address(Listen *listen, const char *value)
{
	if (*value == '/')
		return read_path(listen, value);
	if (listen->kind == LISTEN_FIFO)
		return g_strdup("a fifo needs an absolute path");
	if (*value == '@')
		return read_abstract(listen, value);
	if (listen->kind == LISTEN_SEQPACKET)
		return g_strdup("a sequential-packet socket needs a path or an @NAME");
	return read_network(listen, value);
}

/* Two sockets of one kind cannot share an address. Two of different kinds cannot share a path. */
static const Listen *find_same(const SocketDef *def, const Listen *listen)
{
	for (guint i = 0; i < def->listens->len; i++) {
		const Listen *other = g_ptr_array_index(def->listens, i);

		if (strcmp(other->text, listen->text) == 0 &&
		    (other->kind == listen->kind || !listen_is_network(listen)))
			return other;
	}
	return NULL;
}

char *socket_def_add(SocketDef *def, ListenKind kind, const char *value, Origin origin)
{
	Listen *listen = g_new0(Listen, 1);
	const Listen *same;
	char *problem;

	listen->kind = kind;
	listen->text = g_strdup(value);
	listen->origin = origin;
	problem = read_address(listen, value);
	same = problem ? NULL : find_same(def, listen);
	if (same)
		problem = g_strdup_printf("line %u has this address already", same->origin.line);
	else if (!problem && def->listens->len >= LIMIT_SOCKETS)
		problem = g_strdup_printf("there are more than %d sockets", LIMIT_SOCKETS);
	if (problem)
		listen_free(listen);
	else
		list_add(&def->listens, listen, listen_free);
	return problem;
}

char *socket_def_name(const SocketDef *def, unsigned index, const char *service)
{
	if (def->names->len == 0)
		return g_strdup_printf("%s.socket", service);
	return g_strdup(g_ptr_array_index(def->names, def->names->len == 1 ? 0 : index));
}
