/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Socket definition: the section [Socket] of a service file. Keys are named as in systemd.socket(5)
 * where the meaning is the same. Pure: nothing is opened, and no name is looked up.
 */
#ifndef SVCD_MODEL_SOCKET_DEF_H
#define SVCD_MODEL_SOCKET_DEF_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/enum-names.h"

#define LISTEN_KINDS(X, P)     \
	X(P, STREAM, "stream") \
	X(P, DATAGRAM, "datagram") X(P, SEQPACKET, "seqpacket") X(P, FIFO, "fifo")
ENUM_WITH_NAMES(ListenKind, LISTEN, listen_kind, LISTEN_KINDS)

/*
 * any: a port alone, on all addresses of the machine; IPv6 if the machine has it, otherwise IPv4.
 */
#define LISTEN_FAMILIES(X, P) \
	X(P, PATH, "path")    \
	X(P, ABSTRACT, "abstract") X(P, IPV4, "ipv4") X(P, IPV6, "ipv6") X(P, ANY, "any")
ENUM_WITH_NAMES(ListenFamily, LISTEN_FAMILY, listen_family, LISTEN_FAMILIES)

#define IPV6_ONLY_KINDS(X, P) X(P, DEFAULT, "default") X(P, BOTH, "both") X(P, ONLY, "ipv6-only")
ENUM_WITH_NAMES(Ipv6Only, IPV6_ONLY, ipv6_only, IPV6_ONLY_KINDS)

/* Defaults; docs/service-files.md and svcd.service(5) repeat them. */
#define DEFAULT_SOCKET_MODE 0666
#define DEFAULT_SOCKET_DIRECTORY_MODE 0755
#define DEFAULT_SOCKET_BACKLOG 4096
#define DEFAULT_TRIGGER_LIMIT 20
#define DEFAULT_TRIGGER_WINDOW_US (10 * G_USEC_PER_SEC)

/* One line of Listen...=. */
typedef struct Listen {
	ListenKind kind;
	ListenFamily family;
	char *text; /* as written and displayed: "/run/x.sock", "@name", "80", "[::1]:80" */
	uint8_t ip[16]; /* network order; the first four bytes for IPv4 */
	uint16_t port;
	Origin origin;
} Listen;

typedef struct SocketDef {
	GPtrArray *listens; /* Listen *, in the order of the file; never NULL */
	char *user; /* SocketUser=: a name or digits; NULL: root */
	char *group; /* SocketGroup=; NULL: the group of @user, or root's */
	unsigned mode; /* SocketMode= */
	unsigned directory_mode; /* DirectoryMode= */
	unsigned backlog;
	/* FileDescriptorName=: char *; none, one, or one per socket; never NULL */
	GPtrArray *names;
	bool remove_on_stop;
	bool keep_alive;
	bool no_delay;
	bool free_bind;
	bool reuse_port;
	bool pass_credentials;
	Ipv6Only ipv6_only;
	uint64_t receive_buffer; /* bytes; 0: the kernel's default */
	uint64_t send_buffer;
	unsigned trigger_limit; /* TriggerLimit=: this many starts by a connection ... */
	int64_t trigger_window_us; /* ... in this time, then failed */
} SocketDef;

SocketDef *socket_def_new(void);
void socket_def_free(SocketDef *def); /* accepts NULL */

/**
 * socket_def_add() - add one Listen...= line
 * Returns: NULL, or the error in @value: one sentence, a new string.
 */
char *socket_def_add(SocketDef *def, ListenKind kind, const char *value, Origin origin);

/* Can other machines reach this address? True for all except paths and abstract names. */
bool listen_is_network(const Listen *listen);
/* Does this address have a file: a socket or a fifo? */
bool listen_has_file(const Listen *listen);

/**
 * socket_def_name() - get the name of the socket at @index for LISTEN_FDNAMES
 * Returns: a new string; without FileDescriptorName= "SERVICE.socket".
 */
char *socket_def_name(const SocketDef *def, unsigned index, const char *service);

#endif
