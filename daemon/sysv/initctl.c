/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Initctl: reads the FIFO.
 *
 * A record is smaller than PIPE_BUF, so each writer's record arrives whole (pipe(7)). If a process
 * writes anything else, the records after it are misaligned. Then all waiting bytes are dropped.
 */
#include "config.h"

#include "sysv/initctl.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/log.h"
#include "loop/loop.h"

/* Further records wait in the FIFO, so a busy writer does not delay other work. */
enum { RECORDS_A_TURN = 8 };

struct Initctl {
	int fd;
	FdSource *source;
	void (*on_request)(void *data, const InitctlMeaning *meaning);
	void *data;
};

/*
 * The mode allows no access, so this process needs CAP_DAC_OVERRIDE to open the FIFO, as writers
 * do. Without that capability the owner changes the mode for a moment.
 */
static int open_fifo(const char *path)
{
	const int flags = O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW;
	const int fd = open(path, flags);

	return fd < 0 && errno == EACCES && chmod(path, 0600) == 0 ? open(path, flags) : fd;
}

int initctl_open(const char *path, GError **error)
{
	auto_fd int fd = -1;
	struct stat st;

	/*
	 * Users can hold the kernel's lock of the directory /run. mkfifo(3) takes it; lstat(2) of
	 * an existing file does not.
	 */
	if (lstat(path, &st) < 0 && mkfifo(path, 0600) < 0 && errno != EEXIST) {
		fail_errno(error, errno, "cannot make %s", path);
		return -1;
	}
	fd = open_fifo(path);
	if (fd < 0 || fstat(fd, &st) < 0) {
		fail_errno(error, errno, "cannot open %s", path);
		return -1;
	}
	if (!S_ISFIFO(st.st_mode) || st.st_uid != geteuid()) {
		fail(error, SVCD_ERROR_FAILED, "%s is not a fifo that belongs to root; remove it",
		     path);
		return -1;
	}
	if (fchmod(fd, 0) < 0) {
		fail_errno(error, errno, "cannot set the mode of %s", path);
		return -1;
	}
	return fd_steal(&fd);
}

static void drain(Initctl *initctl)
{
	char bytes[4096];

	for (int i = 0; i < RECORDS_A_TURN; i++) {
		if (read(initctl->fd, bytes, sizeof bytes) <= 0)
			return;
	}
}

static void handle(Initctl *initctl, const struct InitctlRequest *record)
{
	g_autoptr(GError) error = NULL;
	InitctlMeaning meaning;

	if (initctl_request_read(record, &meaning, &error)) {
		initctl->on_request(initctl->data, &meaning);
		return;
	}
	log_warning(NULL, "%s: %s", INITCTL_PATH, error->message);
	if (record->magic != INITCTL_MAGIC)
		drain(initctl);
}

static void on_readable(GIOCondition condition, void *data)
{
	Initctl *initctl = data;
	struct InitctlRequest record;

	(void)condition; /* the FIFO never ends, because this process is a writer, too */
	for (int i = 0; i < RECORDS_A_TURN; i++) {
		ssize_t n = read(initctl->fd, &record, sizeof record);

		if (n <= 0)
			return;
		if ((size_t)n == sizeof record) {
			handle(initctl, &record);
			continue;
		}
		log_warning(NULL, "%s: %zd bytes are not a record of init", INITCTL_PATH, n);
		drain(initctl);
	}
}

Initctl *initctl_new(int fd, void (*on_request)(void *data, const InitctlMeaning *meaning),
		     void *data)
{
	Initctl *initctl = g_new0(Initctl, 1);

	initctl->fd = fd;
	initctl->on_request = on_request;
	initctl->data = data;
	initctl->source = fd_source_new(fd, G_IO_IN, LOOP_PRIORITY_BUS, on_readable, initctl);
	return initctl;
}

void initctl_free(Initctl *initctl)
{
	if (!initctl)
		return;
	fd_source_free(initctl->source);
	fd_close(&initctl->fd);
	g_free(initctl);
}
