/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * svc-utmp: the records of present logins, /run/utmp, and of events, /var/log/wtmp (utmp(5)).
 *
 * It is a separate program, because the C library waits for locks on these files. It needs libc
 * only.
 *
 * 	svc-utmp boot               truncate /run/utmp and record the boot
 * 	svc-utmp shutdown           record the shutdown
 * 	svc-utmp runlevel OLD NEW   record a change of runlevel ("N": there was none), also in
 * 	                            /run/runlevel
 * 	svc-utmp dead TERMINAL      record the end of the login at /dev/TERMINAL
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <utmpx.h>

#define UTMP_FILE "/run/utmp"
#define WTMP_FILE "/var/log/wtmp"
#define RUNLEVEL_FILE "/run/runlevel" /* read by runlevel(8) if there is no record */

static bool complain(const char *what, const char *file)
{
	fprintf(stderr, "svc-utmp: cannot %s %s: %s\n", what, file, strerror(errno));
	return false;
}

/* The record's fields have a fixed size and need no final NUL. */
static void fill(char *field, size_t size, const char *text)
{
	const size_t length = strlen(text);

	memset(field, 0, size);
	memcpy(field, text, length < size ? length : size);
}

static void stamp(struct utmpx *record)
{
	struct timeval now;

	(void)gettimeofday(&now, NULL); /* cannot fail with a valid address */
	record->ut_tv.tv_sec = (int32_t)now.tv_sec;
	record->ut_tv.tv_usec = (int32_t)now.tv_usec;
}

/* A record of the machine as a whole, as SysV's init wrote it. */
static struct utmpx machine_record(short type, const char *user)
{
	struct utmpx record = { .ut_type = type };
	struct utsname names;

	fill(record.ut_id, sizeof(record.ut_id), "~~");
	fill(record.ut_line, sizeof(record.ut_line), "~");
	fill(record.ut_user, sizeof(record.ut_user), user);
	if (uname(&names) == 0)
		fill(record.ut_host, sizeof(record.ut_host), names.release);
	stamp(&record);
	return record;
}

/* Appends to the history. If the file is missing, the admin wants no history. */
static void append_history(const struct utmpx *record)
{
	updwtmpx(WTMP_FILE, record);
}

static bool store(const struct utmpx *record)
{
	bool stored;

	setutxent();
	stored = pututxline(record) != NULL;
	if (!stored)
		(void)complain("write", UTMP_FILE);
	endutxent();
	append_history(record);
	return stored;
}

/* Is this boot recorded already? Then logins are recorded, too, and the file must stay. */
static bool has_boot_record(void)
{
	const struct utmpx wanted = { .ut_type = BOOT_TIME };
	bool found;

	setutxent();
	found = getutxid(&wanted) != NULL;
	endutxent();
	return found;
}

static bool make_empty(const char *file, int flags)
{
	const struct group *group = getgrnam("utmp");
	int fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | flags, 0664);
	bool made;

	if (fd < 0)
		return complain("make", file);
	made = fchmod(fd, 0664) == 0 && (!group || fchown(fd, (uid_t)-1, group->gr_gid) == 0);
	if (!made)
		(void)complain("set the owner of", file);
	(void)close(fd); /* nothing was written */
	return made;
}

static bool do_boot(char **arguments)
{
	const struct utmpx record = machine_record(BOOT_TIME, "reboot");

	if (has_boot_record())
		return true;
	/* it has logged its error; logins matter more than the history */
	(void)make_empty(WTMP_FILE, 0);
	return make_empty(UTMP_FILE, O_TRUNC) && store(&record);
}

static bool do_shutdown(char **arguments)
{
	const struct utmpx record = machine_record(RUN_LVL, "shutdown");

	append_history(&record);
	return true;
}

static bool write_runlevel_file(char level)
{
	const char text[] = { level, '\n' };
	int fd = open(RUNLEVEL_FILE, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
	bool written;

	if (fd < 0)
		return complain("write", RUNLEVEL_FILE);
	written = write(fd, text, sizeof(text)) == (ssize_t)sizeof(text);
	if (!written)
		(void)complain("write", RUNLEVEL_FILE);
	(void)close(fd); /* a file of two bytes in memory */
	return written;
}

static bool do_runlevel(char **arguments)
{
	struct utmpx record = machine_record(RUN_LVL, "runlevel");
	const char old = *arguments[0] == 'N' ? '\0' : *arguments[0];
	const char new = *arguments[1];

	if (strlen(arguments[0]) != 1 || strlen(arguments[1]) != 1) {
		fprintf(stderr, "svc-utmp: a runlevel is one character\n");
		return false;
	}
	record.ut_pid = old * 256 + new;
	return store(&record) & write_runlevel_file(new);
}

/* Finds the record of a login, or of a getty that waits for one. */
static bool find_login(const char *terminal, struct utmpx *ret)
{
	struct utmpx wanted = { .ut_type = LOGIN_PROCESS };
	const struct utmpx *found;

	fill(wanted.ut_line, sizeof(wanted.ut_line), terminal);
	setutxent();
	found = getutxline(&wanted);
	if (found)
		*ret = *found;
	endutxent();
	return found != NULL;
}

static bool do_dead(char **arguments)
{
	struct utmpx record;

	if (!find_login(arguments[0], &record))
		return true;
	record.ut_type = DEAD_PROCESS;
	memset(record.ut_user, 0, sizeof(record.ut_user));
	memset(record.ut_host, 0, sizeof(record.ut_host));
	stamp(&record);
	return store(&record);
}

static const struct {
	const char *name;
	int n_arguments;
	bool (*run)(char **arguments);
} verbs[] = {
	{ "boot", 0, do_boot },
	{ "shutdown", 0, do_shutdown },
	{ "runlevel", 2, do_runlevel },
	{ "dead", 1, do_dead },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (strcmp(argv[1], verbs[i].name) == 0 && argc - 2 == verbs[i].n_arguments)
			return verbs[i].run(argv + 2) ? 0 : 1;
	fprintf(stderr, "usage: svc-utmp boot | shutdown | runlevel OLD NEW | dead TERMINAL\n");
	return 2;
}
