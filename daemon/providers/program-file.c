/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Program file: checks whether execve(2) could execute a file, without executing it.
 *
 * The kernel refuses a read lease while a process has the file open for writing (fcntl(2)).
 * execve(2) makes the same check. A granted lease is given up at once. The program headers show
 * whether a file is incomplete. The kernel maps the segments that they list, and does not check
 * that the file contains them. So an incomplete program starts and is then killed by a signal.
 * Nothing shows whether a script is complete.
 *
 * Only recently changed files are opened, so a boot reads no program that it does not start.
 */
#include "config.h"

#include "providers/program-file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <link.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"

/* Longer than any pause of a writer, and longer than a truncated file stays unrepaired. */
#define RECENT_S 600

/* The start of a program: its header, and the program headers of every usual linker. */
#define HEAD_BYTES 4096

/* Opens the file that was looked up, and not a device that another user has put there since. */
static int open_same(const char *path, const struct stat *st)
{
	auto_fd int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	g_autofree char *link = g_strdup_printf("/proc/self/fd/%d", fd);
	struct stat now;

	if (fd < 0 || fstat(fd, &now) < 0 || now.st_ino != st->st_ino || now.st_dev != st->st_dev ||
	    !S_ISREG(now.st_mode))
		return -1;
	return open(link, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

/* Is this a file system that refuses leases for reasons of its own? */
static bool has_own_leases(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) < 0 || fs.f_type == NFS_SUPER_MAGIC ||
	       (uint32_t)fs.f_type == CIFS_SUPER_MAGIC || (uint32_t)fs.f_type == SMB2_SUPER_MAGIC;
}

static bool is_open_for_writing(int fd)
{
	if (has_own_leases(fd))
		return false;
	if (fcntl(fd, F_SETLEASE, F_RDLCK) < 0)
		/* otherwise nothing is known: no leases are possible, or not for us */
		return errno == EAGAIN;
	(void)fcntl(fd, F_SETLEASE, F_UNLCK); /* close(2) does this, too */
	return false;
}

/* Programs of another kind need an interpreter, which checks them itself. */
static bool is_own_kind(const unsigned char *ident)
{
	const unsigned char class = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
	const unsigned char order = G_BYTE_ORDER == G_LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;

	return ident[EI_CLASS] == class && ident[EI_DATA] == order;
}

static bool is_behind(uint64_t offset, uint64_t length, uint64_t end)
{
	return offset > end || length > end - offset;
}

static bool is_cut(int fd, uint64_t size)
{
	unsigned char head[HEAD_BYTES];
	const ssize_t n = pread(fd, head, sizeof head, 0);
	ElfW(Ehdr) header;

	if (n < SELFMAG || memcmp(head, ELFMAG, SELFMAG) != 0)
		return false;
	if ((size_t)n < sizeof header)
		return true;
	memcpy(&header, head, sizeof header);
	if (!is_own_kind(header.e_ident) || header.e_phentsize != sizeof(ElfW(Phdr)))
		return false;
	if (is_behind(header.e_phoff, (uint64_t)header.e_phnum * sizeof(ElfW(Phdr)), size))
		return true;
	for (unsigned i = 0; i < header.e_phnum; i++) {
		const uint64_t at = header.e_phoff + i * sizeof(ElfW(Phdr));
		ElfW(Phdr) segment;

		if (is_behind(at, sizeof segment, (uint64_t)n))
			return false;
		memcpy(&segment, head + at, sizeof segment);
		if (segment.p_type == PT_LOAD &&
		    is_behind(segment.p_offset, segment.p_filesz, size))
			return true;
	}
	return false;
}

ProgramState program_file_state(const char *path, const struct stat *st)
{
	const ProgramState unread = st->st_size > 0 ? PROGRAM_COMPLETE : PROGRAM_EMPTY;
	auto_fd int fd = -1;
	struct stat now;

	if (llabs((long long)time(NULL) - st->st_ctim.tv_sec) > RECENT_S)
		return unread;
	fd = open_same(path, st);
	if (fd < 0)
		return unread;
	/* an empty file is checked, too, because its first bytes cause no event */
	if (is_open_for_writing(fd))
		return PROGRAM_OPEN;
	if (fstat(fd, &now) < 0 || now.st_size == 0)
		return unread;
	return is_cut(fd, (uint64_t)now.st_size) ? PROGRAM_CUT : PROGRAM_COMPLETE;
}
