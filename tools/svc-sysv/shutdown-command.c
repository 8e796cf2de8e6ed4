/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * shutdown(8): shuts down the machine or goes to single-user mode, at a given time, and warns all
 * logged-in users beforehand.
 *
 * It waits in the foreground, as SysV's does. "shutdown -c" or Ctrl-C cancels it.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "svc-sysv/allowed.h"
#include "svc-sysv/init-request.h"
#include "svc-sysv/schedule.h"
#include "svc-sysv/svc-sysv.h"

#define PID_FILE "/run/shutdown.pid" /* locked while a shutdown waits */
#define NOLOGIN_FILE "/run/nologin" /* pam_nologin(8) */
#define FASTBOOT_FILE "/fastboot" /* no file systems are checked at the next boot */
#define FORCEFSCK_FILE "/forcefsck" /* all file systems are checked at the next boot */
#define WALL "/usr/bin/wall"

enum Aim { AIM_ONE_USER, AIM_HALT, AIM_POWEROFF, AIM_REBOOT };

struct Shutdown {
	enum Aim aim;
	bool warn_only;
	bool cancel;
	bool check_allowed;
	const char *flag_file; /* for the next boot, or NULL */
	char message[512]; /* the admin's text */
	bool has_nologin; /* made by us */
};

static const char *aim_text(enum Aim aim)
{
	static const char *const texts[] = {
		[AIM_ONE_USER] = "is going down to single-user mode",
		[AIM_HALT] = "is going down to halt",
		[AIM_POWEROFF] = "is going down to power off",
		[AIM_REBOOT] = "is going down to reboot",
	};

	return texts[aim];
}

static void broadcast(const char *text)
{
	const char *const command[] = { WALL, text, NULL };

	syslog(LOG_NOTICE, "%s", text);
	(void)run_and_wait(command); /* it has printed its error; the warning is optional */
}

static void broadcast_time(const struct Shutdown *s, int left)
{
	char when[40] = "now";
	char text[700];

	if (left > 0)
		(void)snprintf(when, sizeof when, "in %d minute%s", left, left == 1 ? "" : "s");
	(void)snprintf(text, sizeof text, "The system %s %s.%s%s", aim_text(s->aim), when,
		       *s->message ? "\n" : "", s->message);
	broadcast(text);
}

static void make_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);

	if (fd < 0) {
		if (errno != EEXIST)
			(void)sysv_complain(0, "cannot make %s: %s", path, strerror(errno));
		return;
	}
	if (write(fd, text, strlen(text)) < 0)
		(void)sysv_complain(0, "cannot write %s: %s", path, strerror(errno));
	(void)close(fd); /* users read the text; otherwise only the file's existence matters */
}

static void refuse_logins(struct Shutdown *s)
{
	char text[128];

	if (s->has_nologin || s->warn_only || access(NOLOGIN_FILE, F_OK) == 0)
		return;
	(void)snprintf(text, sizeof text, "The system %s soon.\n", aim_text(s->aim));
	make_file(NOLOGIN_FILE, text);
	s->has_nologin = true;
}

static void allow_logins(struct Shutdown *s)
{
	if (s->has_nologin)
		(void)unlink(NOLOGIN_FILE); /* it may already be gone */
	s->has_nologin = false;
}

/* --- one at a time --- */

/*
 * Returns: a descriptor that holds the lock for the life of this process; -1 if another shutdown
 * waits.
 */
static int lock_pid_file(void)
{
	int fd = open(PID_FILE, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);

	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0) {
		(void)sysv_complain(1, errno == EWOULDBLOCK ?
					  "a shutdown is pending already; shutdown -c cancels it" :
					  "cannot lock " PID_FILE);
		if (fd >= 0)
			(void)close(fd); /* not written to */
		return -1;
	}
	return fd;
}

/*
 * Writes the process id for "shutdown -c", and for "svcctl status" a sentence about the shutdown.
 */
static void write_pid_file(int fd, const char *sentence)
{
	if (ftruncate(fd, 0) < 0 || dprintf(fd, "%d\n%s\n", (int)getpid(), sentence) < 0)
		(void)sysv_complain(0, "cannot write %s; shutdown -c will not find this shutdown",
			       PID_FILE);
}

/* Shows the user what will happen, and when. */
static void announce(int fd, const struct Shutdown *s, int minutes)
{
	const time_t at = time(NULL) + 60 * (time_t)minutes;
	char when[32] = "";
	char text[128];
	struct tm local;

	if (localtime_r(&at, &local))
		(void)strftime(when, sizeof when, "%a %H:%M", &local); /* it fits */
	(void)snprintf(text, sizeof text, "The system %s %s%s%s", aim_text(s->aim),
		       minutes > 0 ? "at " : "now", minutes > 0 ? when : "",
		       s->warn_only ? " (a warning only)" : "");
	write_pid_file(fd, text);
	if (minutes > 0)
		printf("%s; shutdown -c cancels it\n", text);
	(void)fflush(stdout); /* so that the user sees it */
}

static int cancel_other(const char *message)
{
	char text[32] = "";
	int fd = open(PID_FILE, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	bool is_waiting = n > 0 && flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
	pid_t pid = is_waiting ? (pid_t)atoi(text) : 0;

	if (fd >= 0)
		(void)close(fd); /* read only */
	if (pid <= 1)
		return sysv_complain(1, "no shutdown is pending");
	if (kill(pid, SIGINT) < 0)
		return sysv_complain(1, "cannot cancel the shutdown that process %d waits for: %s",
				(int)pid, strerror(errno));
	if (*message)
		broadcast(message);
	printf("The shutdown was cancelled.\n");
	return 0;
}

/* --- waiting --- */

static void block_signals(sigset_t *ret_cancelling)
{
	sigset_t all;

	(void)sigemptyset(ret_cancelling);
	(void)sigaddset(ret_cancelling, SIGINT);
	(void)sigaddset(ret_cancelling, SIGTERM);
	all = *ret_cancelling;
	/* The terminal of the command may be closed. */
	(void)sigaddset(&all, SIGHUP);
	/* cannot fail with these arguments, nor can the calls above */
	(void)sigprocmask(SIG_BLOCK, &all, NULL);
}

/* Returns: false if a signal has cancelled the shutdown. */
static bool wait_until(const struct timespec *deadline, const sigset_t *cancelling)
{
	for (;;) {
		struct timespec now;
		struct timespec left;

		(void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail */
		left.tv_sec = deadline->tv_sec - now.tv_sec;
		left.tv_nsec = deadline->tv_nsec - now.tv_nsec;
		if (left.tv_nsec < 0) {
			left.tv_sec--;
			left.tv_nsec += 1000000000;
		}
		/*
		 * The deadline has passed, for example because of slow terminals. A pending signal
		 * still cancels.
		 */
		if (left.tv_sec < 0)
			left = (struct timespec){ 0 };
		if (sigtimedwait(cancelling, NULL, &left) > 0)
			return false;
		if (errno == EAGAIN)
			return true;
	}
}

/* Returns: false if it was cancelled. */
static bool count_down(struct Shutdown *s, int minutes)
{
	struct timespec next;
	sigset_t cancelling;

	block_signals(&cancelling);
	(void)clock_gettime(CLOCK_MONOTONIC, &next); /* cannot fail */
	for (int left = minutes; left > 0; left--) {
		if (left == minutes || schedule_is_announced(left))
			broadcast_time(s, left);
		if (left <= SCHEDULE_NOLOGIN_MINUTES)
			refuse_logins(s);
		next.tv_sec += 60;
		if (!wait_until(&next, &cancelling))
			return false;
	}
	refuse_logins(s);
	broadcast_time(s, 0);
	return wait_until(&next, &cancelling);
}

/* --- the end --- */

static int carry_out(struct Shutdown *s)
{
	int status = 1;

	if (s->warn_only) {
		broadcast("This was only a warning: the system stays up.");
		return 0;
	}
	if (s->flag_file)
		make_file(s->flag_file, "");
	switch (s->aim) {
	case AIM_ONE_USER:
		allow_logins(s); /* for root, at the console */
		return request_runlevel('1');
	case AIM_HALT:
		status = request_end(END_HALT);
		break;
	case AIM_POWEROFF:
		status = request_end(END_POWEROFF);
		break;
	case AIM_REBOOT:
		status = request_end(END_REBOOT);
		break;
	}
	if (status != 0)
		allow_logins(s);
	return status;
}

static int run(struct Shutdown *s, int minutes)
{
	int lock;
	int status;

	if (s->check_allowed && !allowed_is_one_logged_in())
		return sysv_complain(1, "no user listed in " ALLOWED_FILE " is logged in on a console");
	lock = lock_pid_file();
	if (lock < 0)
		return 1;
	announce(lock, s, minutes);
	if (count_down(s, minutes)) {
		status = carry_out(s);
	} else {
		allow_logins(s);
		broadcast("The shutdown was cancelled.");
		status = 1;
	}
	/*
	 * The file is not unlinked: otherwise one of two waiting processes could lock the removed
	 * file, and the other a new one.
	 */
	if (ftruncate(lock, 0) < 0)
		(void)sysv_complain(0, "cannot empty %s: %s", PID_FILE, strerror(errno));
	(void)close(lock); /* only the lock matters */
	return status;
}

static bool read_options(int argc, char **argv, struct Shutdown *s)
{
	int option;

	while ((option = getopt(argc, argv, "t:akrhHPfFcqQu")) != -1) {
		switch (option) {
		case 'a':
			s->check_allowed = true;
			break;
		case 'k':
			s->warn_only = true;
			break;
		case 'r':
			s->aim = AIM_REBOOT;
			break;
		case 'h': /* "halt or power off": -H or -P decides; the default is power off */
			if (s->aim == AIM_ONE_USER || s->aim == AIM_REBOOT)
				s->aim = AIM_POWEROFF;
			break;
		case 'H':
			s->aim = AIM_HALT;
			break;
		case 'P':
			s->aim = AIM_POWEROFF;
			break;
		case 'f':
			s->flag_file = FASTBOOT_FILE;
			break;
		case 'F':
			s->flag_file = FORCEFSCK_FILE;
			break;
		case 'c':
			s->cancel = true;
			break;
		case 't': /* each service has its own stop limit */
		case 'q':
		case 'Q':
		case 'u':
			break;
		default:
			return false;
		}
	}
	return true;
}

static void join_message(char **tokens, char *ret, size_t size)
{
	size_t length = 0;

	ret[0] = '\0';
	for (; *tokens && length < size; tokens++)
		length += (size_t)snprintf(ret + length, size - length, "%s%s", length ? " " : "",
					   *tokens);
}

int shutdown_main(int argc, char **argv)
{
	struct Shutdown s = { .aim = AIM_ONE_USER };
	const time_t now = time(NULL);
	struct tm local;
	int minutes;

	if (!read_options(argc, argv, &s))
		return sysv_complain(
			2, "usage: shutdown [-akrhHPfF] [-t SECONDS] now|+MINUTES|HH:MM [MESSAGE], "
			   "or shutdown -c [MESSAGE]");
	if (!require_root())
		return 1;
	openlog("shutdown", LOG_PID, LOG_AUTH);
	if (s.cancel) {
		join_message(argv + optind, s.message, sizeof s.message);
		return cancel_other(s.message);
	}
	if (optind == argc || !localtime_r(&now, &local) ||
	    !schedule_parse(argv[optind], &local, &minutes))
		return sysv_complain(2, "the time is missing: now, +MINUTES or HH:MM");
	join_message(argv + optind + 1, s.message, sizeof s.message);
	return run(&s, minutes);
}
