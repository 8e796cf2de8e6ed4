/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Busy: a service of busy.py. "busy ROLE NAME"
 *
 * While it runs it holds a lock on /run/busy/NAME. If another process of that name holds the lock,
 * this one adds a line to /run/busy.doubles. Each run that reaches its end adds a byte to
 * /run/busy/NAME.runs before it exits.
 */
#define _GNU_SOURCE

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define DOUBLES "/run/busy.doubles"
#define LINE_US 50000

static void note_double(const char *name)
{
	const int fd = open(DOUBLES, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);

	if (fd >= 0)
		dprintf(fd, "%s runs twice\n", name);
}

/* The lock ends with the process. F_GETLK from outside finds its holder without taking it. */
static void lock(const char *name)
{
	struct flock all = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	char path[256];
	int fd;

	snprintf(path, sizeof path, "/run/busy/%s", name);
	(void)mkdir("/run/busy", 0755); /* the first service creates it */
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0 || fcntl(fd, F_SETLK, &all) < 0)
		note_double(name);
}

/* Returns: the number of runs, including this one. */
static unsigned count_run(const char *name)
{
	char path[256];
	struct stat st;
	int fd;

	snprintf(path, sizeof path, "/run/busy/%s.runs", name);
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, "x", 1) != 1 || fstat(fd, &st) < 0) {
		perror(path);
		return 0;
	}
	return (unsigned)st.st_size;
}

static void __attribute__((noreturn)) stay(void)
{
	for (;;)
		pause();
}

/* Sends the readiness once. A lost message is not repeated. */
static void send_ready(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const char *path = getenv("NOTIFY_SOCKET");
	const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (path)
		snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
	if (sendto(fd, "READY=1", 7, 0, (struct sockaddr *)&address, sizeof address) != 7)
		perror("READY=1");
	close(fd);
}

static void __attribute__((noreturn)) count_lines(void)
{
	for (unsigned n = 1;; n++) {
		printf("line %u\n", n);
		fflush(stdout);
		usleep(LINE_US);
	}
}

/*
 * Each run exits by itself after a while, until a file orders the service to stay up. The service
 * confirms that order.
 */
static void crash(const char *name)
{
	char path[256];

	snprintf(path, sizeof path, "/run/busy/%s.calm", name);
	if (access("/run/busy.calm", F_OK) == 0 &&
	    close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644)) == 0)
		stay();
	usleep(100000 + (useconds_t)getpid() % 32 * 20000);
	exit((int)(count_run(name) % 250) + 1);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	lock(argv[2]);
	if (strcmp(argv[1], "log") == 0)
		count_lines();
	if (strcmp(argv[1], "tell") == 0)
		send_ready();
	if (strcmp(argv[1], "crash") == 0)
		crash(argv[2]);
	if (strcmp(argv[1], "end") == 0)
		return (int)(count_run(argv[2]) % 250) + 1;
	if (strcmp(argv[1], "task") == 0)
		return count_run(argv[2]) == 0;
	stay();
}
