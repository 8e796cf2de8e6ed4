/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Address holder: the kernel's list of sockets (proc(5), /proc/net) gives an inode, and the links in /proc/PID/fd its process.
 */
#include "config.h"

#include "process/address-holder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/limits.h"
#include "base/text.h"

/* An address as in /proc/net/tcp and its like. */
typedef struct NetLine {
	unsigned char ip[16];
	unsigned length; /* of @ip: 4 or 16 */
	unsigned port;
	unsigned state;
	unsigned long inode;
} NetLine;

enum { NET_STATE_LISTEN = 10 };

static char *read_proc(const char *path)
{
	g_autoptr(GBytes) bytes = file_read_bounded(path, LIMIT_PROC_NET_BYTES, NULL);

	return bytes ? g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes)) : NULL;
}

/* --- whose inode it is --- */

static bool has_inode(const char *pid, const char *wanted, unsigned *budget)
{
	g_autofree char *directory = g_strdup_printf("/proc/%s/fd", pid);
	g_autoptr(GDir) dir = g_dir_open(directory, 0, NULL);
	const char *name;

	while (dir && *budget > 0 && (name = g_dir_read_name(dir))) {
		g_autofree char *link = g_build_filename(directory, name, NULL);
		char target[64];
		const ssize_t n = readlink(link, target, sizeof target - 1);

		(*budget)--;
		if (n > 0 && (size_t)n == strlen(wanted) && memcmp(target, wanted, (size_t)n) == 0)
			return true;
	}
	return false;
}

static char *describe(const char *pid)
{
	g_autofree char *path = g_strdup_printf("/proc/%s/comm", pid);
	g_autofree char *comm = read_proc(path);

	return g_strdup_printf("%s (pid %s)", comm ? g_strstrip(comm) : "a program", pid);
}

/* Other than PID 1 and us: what these hold is some service's, and the manager knows whose. */
static char *find_process(unsigned long inode)
{
	g_autofree char *wanted = g_strdup_printf("socket:[%lu]", inode);
	g_autoptr(GDir) dir = g_dir_open("/proc", 0, NULL);
	unsigned budget = LIMIT_PROC_LINKS;
	const char *name;

	while (dir && budget > 0 && (name = g_dir_read_name(dir))) {
		const long pid = strtol(name, NULL, 10);

		if (pid > 1 && pid != (long)getpid() && has_inode(name, wanted, &budget))
			return describe(name);
	}
	return NULL;
}

/* --- which inode --- */

/* Hexadecimal, in words as they lie in this machine's memory. */
static bool parse_ip(const char *text, NetLine *ret)
{
	const size_t digits = strlen(text);

	if (digits != 8 && digits != 32)
		return false;
	ret->length = (unsigned)digits / 2;
	for (size_t i = 0; i < digits / 8; i++) {
		char word[9] = { 0 };
		uint32_t number;

		memcpy(word, text + i * 8, 8);
		number = (uint32_t)strtoul(word, NULL, 16);
		memcpy(ret->ip + i * 4, &number, sizeof number);
	}
	return true;
}

static bool parse_line(const char *line, NetLine *ret)
{
	char ip[40];

	return sscanf(line, " %*u: %39[0-9A-Fa-f]:%x %*[0-9A-Fa-f:] %x %*s %*s %*s %*u %*d %lu", ip, &ret->port, &ret->state,
		      &ret->inode) == 4 &&
	       parse_ip(ip, ret);
}

static bool is_wildcard(const unsigned char *ip, unsigned length)
{
	for (unsigned i = 0; i < length; i++) {
		if (ip[i])
			return false;
	}
	return true;
}

static bool meets(const NetLine *line, const Listen *listen)
{
	const unsigned length = listen->family == LISTEN_FAMILY_IPV4 ? 4 : 16;

	if (line->port != listen->port || (listen->kind == LISTEN_STREAM && line->state != NET_STATE_LISTEN))
		return false;
	if (is_wildcard(line->ip, line->length) || is_wildcard(listen->ip, length))
		return true;
	return line->length == length && memcmp(line->ip, listen->ip, length) == 0;
}

static char *find_in(const char *file, const Listen *listen)
{
	g_autofree char *text = read_proc(file);
	g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);

	for (char **line = lines; *line; line++) {
		NetLine parsed = { .length = 0 };
		char *found = parse_line(*line, &parsed) && meets(&parsed, listen) ? find_process(parsed.inode) : NULL;

		if (found)
			return found;
	}
	return NULL;
}

/* The last field of a line, from the eighth on: paths may have blanks. */
static char *find_unix(const char *name)
{
	g_autofree char *text = read_proc("/proc/net/unix");
	g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);

	for (char **line = lines; *line; line++) {
		unsigned long inode = 0;
		int at = 0;
		char *found = NULL;

		if (sscanf(*line, "%*[0-9a-f]: %*s %*s %*s %*s %*s %lu %n", &inode, &at) == 1 && at > 0 &&
		    strcmp(*line + at, name) == 0)
			found = find_process(inode);
		if (found)
			return found;
	}
	return NULL;
}

char *address_holder_find(const Listen *listen)
{
	static const char *const tcp[] = { "/proc/net/tcp", "/proc/net/tcp6" };
	static const char *const udp[] = { "/proc/net/udp", "/proc/net/udp6" };
	const char *const *files = listen->kind == LISTEN_STREAM ? tcp : udp;
	char *found;

	if (!listen_is_network(listen))
		return find_unix(listen->text); /* "@" stands for the NUL there, too */
	found = find_in(files[0], listen);
	return found ? found : find_in(files[1], listen);
}

char *address_holder_of_path(const char *path)
{
	return find_unix(path);
}
