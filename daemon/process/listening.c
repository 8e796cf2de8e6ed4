/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Listening: socket(2), the options that must precede bind(2), bind, the other options, listen(2).
 */
#include "config.h"

#include "process/listening.h"

#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/errors.h"
#include "base/fd.h"
#include "paths/safe-path.h"

#ifndef IPV6_FREEBIND
#define IPV6_FREEBIND 78 /* linux/in6.h, which cannot be included beside netinet/in.h */
#endif

#ifndef SIOCUNIXFILE
#define SIOCUNIXFILE \
	(SIOCPROTOPRIVATE + 0) /* linux/un.h, which cannot be included beside sys/un.h */
#endif

/*
 * The delay before the second try of an address that is in use. It doubles, because each try may
 * connect to another program.
 */
#define RETRY_FIRST_US (10 * G_TIME_SPAN_MILLISECOND)

typedef struct Address {
	union {
		struct sockaddr any;
		struct sockaddr_un un;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
	} u;
	socklen_t length;
} Address;

static int socket_type(ListenKind kind)
{
	switch (kind) {
	case LISTEN_STREAM:
		return SOCK_STREAM;
	case LISTEN_DATAGRAM:
		return SOCK_DGRAM;
	case LISTEN_SEQPACKET:
		return SOCK_SEQPACKET;
	case LISTEN_FIFO:
	case LISTEN_COUNT:
		break;
	}
	return 0;
}

static void fill_unix(Address *a, const Listen *listen)
{
	const size_t length = strlen(listen->text);

	a->u.un.sun_family = AF_UNIX;
	/* socket_def_add() has checked the length */
	memcpy(a->u.un.sun_path, listen->text, length);
	if (listen->family == LISTEN_FAMILY_ABSTRACT)
		a->u.un.sun_path[0] = '\0';
	a->length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length +
				(listen->family == LISTEN_FAMILY_PATH ? 1 : 0));
}

/* @family: AF_INET or AF_INET6, for a port without a host. */
static Address address_of(const Listen *listen, int family)
{
	Address a = { .length = 0 };

	switch (listen->family) {
	case LISTEN_FAMILY_PATH:
	case LISTEN_FAMILY_ABSTRACT:
		fill_unix(&a, listen);
		return a;
	case LISTEN_FAMILY_IPV4:
		family = AF_INET;
		break;
	case LISTEN_FAMILY_IPV6:
		family = AF_INET6;
		break;
	case LISTEN_FAMILY_ANY:
	case LISTEN_FAMILY_COUNT:
		break;
	}
	if (family == AF_INET) {
		a.u.in = (struct sockaddr_in){ .sin_family = AF_INET,
					       .sin_port = htons(listen->port) };
		memcpy(&a.u.in.sin_addr, listen->ip, sizeof a.u.in.sin_addr);
		a.length = sizeof a.u.in;
	} else {
		a.u.in6 = (struct sockaddr_in6){ .sin6_family = AF_INET6,
						 .sin6_port = htons(listen->port) };
		memcpy(&a.u.in6.sin6_addr, listen->ip, sizeof a.u.in6.sin6_addr);
		a.length = sizeof a.u.in6;
	}
	return a;
}

static bool set_number(int fd, int level, int option, int value)
{
	return setsockopt(fd, level, option, &value, sizeof value) == 0;
}

/* Returns: -1 if the socket has no such option. */
static int get_number(int fd, int level, int option)
{
	int value = 0;
	socklen_t length = sizeof value;

	return getsockopt(fd, level, option, &value, &length) == 0 ? value : -1;
}

/* Calls listen(2), which the functions below cannot, because they have a parameter of that name. */
static bool take_clients(int fd, unsigned backlog)
{
	return listen(fd, (int)backlog) == 0;
}

/* --- before bind --- */

static bool set_free_bind(int fd, int family, bool on)
{
	return family == AF_INET6 ? set_number(fd, IPPROTO_IPV6, IPV6_FREEBIND, on) :
				    set_number(fd, IPPROTO_IP, IP_FREEBIND, on);
}

static bool prepare(int fd, int family, const SocketDef *def)
{
	if (family == AF_UNIX)
		return true;
	/*
	 * With SO_REUSEADDR, connections of an earlier run that linger do not block the address.
	 * For datagram sockets it would allow another program to share the address.
	 */
	if (get_number(fd, SOL_SOCKET, SO_TYPE) == SOCK_STREAM &&
	    !set_number(fd, SOL_SOCKET, SO_REUSEADDR, 1))
		return false;
	if (def->reuse_port && !set_number(fd, SOL_SOCKET, SO_REUSEPORT, 1))
		return false;
	if (def->free_bind && !set_free_bind(fd, family, true))
		return false;
	return family != AF_INET6 || def->ipv6_only == IPV6_ONLY_DEFAULT ||
	       set_number(fd, IPPROTO_IPV6, IPV6_V6ONLY, def->ipv6_only == IPV6_ONLY_ONLY);
}

/* --- files --- */

/*
 * Opens the directory of a file and creates missing directories above it. The caller closes
 * ret->fd.
 */
static bool open_parent(const Listen *listen, unsigned mode, SafeParent *ret, GError **error)
{
	const mode_t old = umask(0);
	const bool ok = safe_open_parent(listen->text, mode, ret);
	const int errnum = errno;

	(void)umask(old);
	return ok || fail_errno(error, errnum, "cannot listen on %s", listen->text);
}

/*
 * Opens the file of a socket, even if its path now leads to another file. Without CAP_NET_ADMIN,
 * opens the file at the path.
 */
static int open_file_of(int fd, const char *path)
{
	int file = ioctl(fd, SIOCUNIXFILE);

	return file >= 0 ? file : safe_open(path, O_PATH | O_NOFOLLOW, 0);
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* @fd: a fifo, or a socket with a file */
static bool is_file_in(int fd, const SafeParent *parent, const char *path)
{
	auto_fd int file = -1;
	struct stat here;
	struct stat ours;

	if (fstatat(parent->fd, parent->name, &here, AT_SYMLINK_NOFOLLOW) < 0)
		return false;
	if (fstat(fd, &ours) == 0 && S_ISFIFO(ours.st_mode))
		return is_same_file(&here, &ours);
	file = open_file_of(fd, path);
	return file >= 0 && fstat(file, &ours) == 0 && S_ISSOCK(ours.st_mode) &&
	       is_same_file(&here, &ours);
}

static bool is_file_at(int fd, const char *path)
{
	SafeParent parent;
	bool is_it;

	if (!safe_open_parent(path, 0, &parent))
		return false;
	is_it = is_file_in(fd, &parent, path);
	(void)close(parent.fd); /* a directory, opened for lookups only */
	return is_it;
}

static bool set_file(int fd, const Listen *listen, const SocketDef *def, const ListenOwner *owner,
		     GError **error)
{
	auto_fd int file = listen->kind == LISTEN_FIFO ? fcntl(fd, F_DUPFD_CLOEXEC, 0) :
							 open_file_of(fd, listen->text);
	g_autofree char *link = g_strdup_printf("/proc/self/fd/%d", file);
	struct stat st;

	if (file < 0 || fstat(file, &st) < 0 || (!S_ISSOCK(st.st_mode) && !S_ISFIFO(st.st_mode)))
		return fail(error, SVCD_ERROR_FAILED, "%s has been replaced by something else",
			    listen->text);
	if ((st.st_uid != owner->uid || st.st_gid != owner->gid) &&
	    fchownat(file, "", owner->uid, owner->gid, AT_EMPTY_PATH) < 0)
		return fail_errno(error, errno, "cannot set the owner of %s", listen->text);
	/* After chown(2), which may clear bits of the mode. */
	if ((st.st_mode & 07777) != def->mode && chmod(link, def->mode) < 0)
		return fail_errno(error, errno, "cannot set the mode of %s", listen->text);
	return true;
}

/*
 * Is the socket at this path without a listening process? The socket of a live program accepts
 * connections, or its backlog is full.
 */
static bool is_stale(const Address *address, int type)
{
	auto_fd int probe = socket(AF_UNIX, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	return probe >= 0 && connect(probe, &address->u.any, address->length) < 0 &&
	       errno == ECONNREFUSED;
}

/*
 * Does not determine which program uses the address, because that takes long. Root can find that
 * program with ss(8), and the manager knows the sockets of its own services.
 */
static bool fail_in_use(const char *address, GError **error)
{
	return fail(
		error, SVCD_ERROR_BUSY,
		"cannot listen on %s: the address is in use; `ss -lnptux` shows by which program",
		address);
}

static bool remove_stale(const char *path, const SafeParent *parent, const Address *address,
			 int type, GError **error)
{
	struct stat st;

	if (fstatat(parent->fd, parent->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return fail_errno(error, errno, "cannot listen on %s", path);
	if (!S_ISSOCK(st.st_mode))
		return fail(error, SVCD_ERROR_FAILED,
			    "cannot listen on %s: the path exists and is not a socket; remove it",
			    path);
	if (!is_stale(address, type))
		return fail_in_use(path, error);
	if (unlinkat(parent->fd, parent->name, 0) < 0 && errno != ENOENT)
		return fail_errno(error, errno, "cannot remove %s, which a dead program left",
				  path);
	return true;
}

/* --- opening --- */

/*
 * bind(2) takes only a path, and the socket keeps that path as its address. Where other users can
 * replace a directory of the path, bind(2) runs with the file permissions of the directory's owner.
 * The socket then appears only where that user could have created it.
 */
static int bind_within_rights(int fd, const Address *address, const SafeParent *parent)
{
	int result = -1;
	int errnum = EPERM;

	if (!parent->is_foreign || geteuid() != 0)
		return bind(fd, &address->u.any, address->length);
	if (safe_take_rights(parent->uid, parent->gid)) {
		result = bind(fd, &address->u.any, address->length);
		errnum = errno;
	}
	(void)safe_take_rights(geteuid(), getegid()); /* our own rights again */
	errno = errnum;
	return result;
}

/*
 * The file of a socket gets the mode 0777 minus the umask. The umask may be changed here, because
 * this process has one thread.
 */
static int bind_with_mode(int fd, const Address *address, const SafeParent *parent, unsigned mode)
{
	const mode_t old = umask((mode_t)(0777 & ~mode));
	const int result = bind_within_rights(fd, address, parent);

	(void)umask(old);
	return result;
}

static bool bind_in(int fd, const Listen *listen, const SafeParent *parent, const SocketDef *def,
		    GError **error)
{
	const Address address = address_of(listen, AF_UNIX);

	if (bind_with_mode(fd, &address, parent, def->mode) == 0)
		return true;
	if (errno != EADDRINUSE)
		return fail_errno(error, errno, "cannot listen on %s", listen->text);
	if (!remove_stale(listen->text, parent, &address, socket_type(listen->kind), error))
		return false;
	if (bind_with_mode(fd, &address, parent, def->mode) < 0)
		return fail_errno(error, errno, "cannot listen on %s", listen->text);
	return true;
}

static bool bind_path(int fd, const Listen *listen, const SocketDef *def, GError **error)
{
	SafeParent parent;
	bool ok;

	if (!open_parent(listen, def->directory_mode, &parent, error))
		return false;
	ok = bind_in(fd, listen, &parent, def, error);
	(void)close(parent.fd); /* a directory, opened for lookups only */
	return ok;
}

static bool fail_bind(const Listen *listen, int errnum, GError **error)
{
	if (errnum == EADDRINUSE)
		return fail_in_use(listen->text, error);
	return fail_errno(error, errnum, "cannot listen on %s", listen->text);
}

static bool bind_address(int fd, const Listen *listen, int family, const SocketDef *def,
			 GError **error)
{
	const Address address = address_of(listen, family);

	if (listen->family == LISTEN_FAMILY_PATH)
		return bind_path(fd, listen, def, error);
	if (bind(fd, &address.u.any, address.length) < 0)
		return fail_bind(listen, errno, error);
	return true;
}

static int open_in_family(const Listen *listen, int family, const SocketDef *def, GError **error)
{
	auto_fd int fd =
		socket(family, socket_type(listen->kind) | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0 || !prepare(fd, family, def)) {
		fail_errno(error, errno, "cannot make a socket for %s", listen->text);
		return -1;
	}
	return bind_address(fd, listen, family, def, error) ? fd_steal(&fd) : -1;
}

/*
 * Does this machine have IPv6? A kernel without IPv6 has no such sockets. If IPv6 is switched off,
 * no interface has an IPv6 address.
 */
static bool has_ipv6(void)
{
	auto_fd int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	const struct sockaddr_in6 any = { .sin6_family = AF_INET6 };

	return fd >= 0 && bind(fd, (const struct sockaddr *)&any, sizeof any) == 0;
}

static int family_of(const Listen *listen)
{
	switch (listen->family) {
	case LISTEN_FAMILY_IPV4:
		return AF_INET;
	case LISTEN_FAMILY_IPV6:
		return AF_INET6;
	case LISTEN_FAMILY_ANY:
		return has_ipv6() ? AF_INET6 : AF_INET;
	case LISTEN_FAMILY_PATH:
	case LISTEN_FAMILY_ABSTRACT:
	case LISTEN_FAMILY_COUNT:
		break;
	}
	return AF_UNIX;
}

/* Opened for reading and writing, so that a writer's close(2) causes no end of file. */
static int open_fifo_in(const Listen *listen, const SafeParent *parent, GError **error)
{
	struct stat st;
	int fd;

	/* the fifo may exist; the next call reports a failure */
	(void)mkfifoat(parent->fd, parent->name, 0600);
	if (fstatat(parent->fd, parent->name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    !S_ISFIFO(st.st_mode)) {
		fail(error, SVCD_ERROR_FAILED,
		     "cannot listen on %s: the path exists and is not a fifo; remove it",
		     listen->text);
		return -1;
	}
	fd = openat(parent->fd, parent->name,
		    O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW);
	if (fd < 0)
		fail_errno(error, errno, "cannot listen on %s", listen->text);
	return fd;
}

static int open_fifo(const Listen *listen, const SocketDef *def, GError **error)
{
	SafeParent parent;
	int fd;

	if (!open_parent(listen, def->directory_mode, &parent, error))
		return -1;
	fd = open_fifo_in(listen, &parent, error);
	(void)close(parent.fd); /* a directory, opened for lookups only */
	return fd;
}

/* --- after bind --- */

static bool set_buffers(int fd, const SocketDef *def)
{
	/* Beyond net.core.rmem_max, if permitted. */
	if (def->receive_buffer > 0 &&
	    !set_number(fd, SOL_SOCKET, SO_RCVBUFFORCE, (int)def->receive_buffer) &&
	    !set_number(fd, SOL_SOCKET, SO_RCVBUF, (int)def->receive_buffer))
		return false;
	return def->send_buffer == 0 ||
	       set_number(fd, SOL_SOCKET, SO_SNDBUFFORCE, (int)def->send_buffer) ||
	       set_number(fd, SOL_SOCKET, SO_SNDBUF, (int)def->send_buffer);
}

static bool set_options(int fd, const Listen *listen, const SocketDef *def)
{
	const bool is_tcp = listen_is_network(listen) && listen->kind == LISTEN_STREAM;

	if (is_tcp && (!set_number(fd, SOL_SOCKET, SO_KEEPALIVE, def->keep_alive) ||
		       !set_number(fd, IPPROTO_TCP, TCP_NODELAY, def->no_delay)))
		return false;
	if (!listen_is_network(listen) &&
	    !set_number(fd, SOL_SOCKET, SO_PASSCRED, def->pass_credentials))
		return false;
	return set_buffers(fd, def);
}

static bool finish(int fd, const Listen *listen, const SocketDef *def, const ListenOwner *owner,
		   GError **error)
{
	if (listen->kind != LISTEN_FIFO && !set_options(fd, listen, def))
		return fail_errno(error, errno, "cannot set the options of the socket on %s",
				  listen->text);
	/* Before any client can connect. */
	if (listen_has_file(listen) && !set_file(fd, listen, def, owner, error))
		return false;
	if ((listen->kind == LISTEN_STREAM || listen->kind == LISTEN_SEQPACKET) &&
	    !take_clients(fd, def->backlog))
		return fail_bind(listen, errno, error);
	return true;
}

void listening_remove_file(int fd, const char *path)
{
	SafeParent parent;

	if (!safe_open_parent(path, 0, &parent))
		return;
	if (is_file_in(fd, &parent, path))
		(void)unlinkat(parent.fd, parent.name, 0); /* a missing file is fine */
	(void)close(parent.fd); /* a directory, opened for lookups only */
}

static int try_to_open(const Listen *listen, const SocketDef *def, const ListenOwner *owner,
		       GError **error)
{
	auto_fd int fd = listen->kind == LISTEN_FIFO ?
				 open_fifo(listen, def, error) :
				 open_in_family(listen, family_of(listen), def, error);

	if (fd < 0)
		return -1;
	if (!finish(fd, listen, def, owner, error)) {
		listening_remove_file(fd, listen->text);
		return -1;
	}
	return fd_steal(&fd);
}

int listening_open(const Listen *listen, const SocketDef *def, const ListenOwner *owner,
		   GError **error)
{
	const int64_t until_us = g_get_monotonic_time() + LISTENING_PATIENCE_US;

	for (unsigned pause_us = RETRY_FIRST_US;; pause_us *= 2) {
		g_autoptr(GError) problem = NULL;
		const int fd = try_to_open(listen, def, owner, &problem);

		if (fd >= 0)
			return fd;
		if (!g_error_matches(problem, SVCD_ERROR_DOMAIN, SVCD_ERROR_BUSY) ||
		    g_get_monotonic_time() >= until_us) {
			g_propagate_error(error, g_steal_pointer(&problem));
			return -1;
		}
		g_usleep(pause_us);
	}
}

/* --- an open socket --- */

static bool has_address(int fd, const Listen *listen)
{
	Address wanted;
	Address is = { .length = sizeof is.u };

	if (getsockname(fd, &is.u.any, &is.length) < 0)
		return false;
	if (listen->family == LISTEN_FAMILY_ANY && is.u.any.sa_family != AF_INET &&
	    is.u.any.sa_family != AF_INET6)
		return false;
	wanted = address_of(listen, is.u.any.sa_family);
	if (is.u.any.sa_family == AF_INET6)
		is.u.in6.sin6_flowinfo = 0;
	return is.length == wanted.length && memcmp(&is.u, &wanted.u, is.length) == 0;
}

static bool takes_clients(int fd, ListenKind kind)
{
	return kind == LISTEN_DATAGRAM || get_number(fd, SOL_SOCKET, SO_ACCEPTCONN) == 1;
}

bool listening_is_intact(int fd, const Listen *listen)
{
	if (listen->kind == LISTEN_FIFO)
		return is_file_at(fd, listen->text);
	return get_number(fd, SOL_SOCKET, SO_TYPE) == socket_type(listen->kind) &&
	       has_address(fd, listen) && takes_clients(fd, listen->kind) &&
	       (!listen_has_file(listen) || is_file_at(fd, listen->text));
}

char *listening_path(int fd)
{
	Address is = { .length = sizeof is.u };
	g_autofree char *link = g_strdup_printf("/proc/self/fd/%d", fd);
	char path[4096];
	ssize_t n;

	if (getsockname(fd, &is.u.any, &is.length) == 0) {
		/* unix(7): the length may exclude the NUL. The kernel always appends one. */
		return is.u.any.sa_family == AF_UNIX && is.u.un.sun_path[0] == '/' ?
			       g_strdup(is.u.un.sun_path) :
			       NULL;
	}
	n = readlink(link, path, sizeof path - 1);
	return n > 0 ? g_strndup(path, (size_t)n) : NULL;
}
