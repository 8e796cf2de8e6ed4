/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Watchdog: one request, one device, and the time of the next action.
 *
 * For the device see kernel.org, watchdog/watchdog-api. Its driver may be a module, so svcd looks
 * for the device again and again. A write of any byte feeds the device. If it is closed without a
 * preceding 'V', it keeps running, also after our end.
 */
#include "config.h"

#include "keeper/watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/watchdog.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "keeper/console.h"
#include "keeper/keeper.h"

#define DEFAULT_DEVICE "/dev/watchdog"
#define KERNEL_OPTION "svcd.watchdog="

/*
 * With a shorter time, the trial of a new binary (reexec.c) could take longer than the device
 * allows.
 */
#define SHORTEST_S 10
#define LONGEST_S 86400

#define LOOK_AGAIN_US (2 * USEC_PER_SEC)
#define MISSED_AFTER 30 /* attempts; drivers are loaded in the first minute */
#define STARVED_STEP_US (1 * USEC_PER_SEC)
#define STARVED_REPORT_AFTER 3

/* For devices that do not report their time. */
#define FEED_UNKNOWN_US (1 * USEC_PER_SEC)

static struct {
	char request[WATCHDOG_REQUEST_BYTES];
	char device[WATCHDOG_REQUEST_BYTES];
	int timeout_s; /* as requested */
	bool needs_manager;
	int fd;
	uint64_t feed_every_us;
	uint64_t next_us;
	unsigned int n_looked; /* failed attempts */
	unsigned int n_starved; /* feeds in a row that were omitted because no manager answered */
} dog = { .fd = -1, .next_us = NEVER_US };

bool watchdog_configure(const char *request)
{
	char device[WATCHDOG_REQUEST_BYTES] = DEFAULT_DEVICE;
	bool needs_manager = false;
	char *end;
	long seconds = strtol(request, &end, 10);

	if (end == request || strlen(request) >= sizeof(dog.request) ||
	    (seconds != 0 && seconds < SHORTEST_S) || seconds > LONGEST_S)
		return false;
	while (*end == ',') {
		const char *token = end + 1;
		const size_t length = strcspn(token, ",");

		end += 1 + length;
		if (length == strlen("manager") && memcmp(token, "manager", length) == 0)
			needs_manager = true;
		else if (length > strlen("/dev/") && token[0] == '/')
			/* it fits, because it is shorter than the request */
			(void)snprintf(device, sizeof(device), "%.*s", (int)length, token);
		else
			return false;
	}
	if (*end != '\0')
		return false;
	(void)keeper_copy(dog.request, sizeof(dog.request), request);
	(void)keeper_copy(dog.device, sizeof(dog.device), device);
	dog.timeout_s = (int)seconds;
	dog.needs_manager = needs_manager;
	dog.next_us = seconds != 0 ? 0 : NEVER_US;
	return true;
}

/* The last option of this name applies, as with most kernel options. */
void watchdog_read_command_line(void)
{
	char cmdline[4096]; /* COMMAND_LINE_SIZE is larger on s390 only */
	const size_t length = strlen(KERNEL_OPTION);
	char *rest = NULL;

	if (!keeper.is_pid1 || keeper.container || keeper.has_reexeced || dog.request[0] ||
	    keeper_read_file("/proc/cmdline", cmdline, sizeof(cmdline)) <= 0)
		return;
	for (char *token = strtok_r(cmdline, " \t\n", &rest); token;
	     token = strtok_r(NULL, " \t\n", &rest))
		if (strncmp(token, KERNEL_OPTION, length) == 0 &&
		    !watchdog_configure(token + length))
			console_log(
				"%s: expected: SECONDS[,manager][,/dev/NAME], with SECONDS from "
				"%d to %d",
				token, SHORTEST_S, LONGEST_S);
}

/*
 * Sets the requested time. Some devices allow only a few times, or one. Returns: the device's time;
 * 0: unknown.
 */
static int set_timeout(void)
{
	int seconds = dog.timeout_s;

	if (ioctl(dog.fd, WDIOC_SETTIMEOUT, &seconds) < 0 &&
	    ioctl(dog.fd, WDIOC_GETTIMEOUT, &seconds) < 0)
		seconds = 0;
	dog.feed_every_us = seconds > 0 ? (uint64_t)seconds * USEC_PER_SEC / 2 : FEED_UNKNOWN_US;
	return seconds;
}

static void feed(uint64_t now_us)
{
	dog.n_starved = 0;
	dog.next_us = now_us + dog.feed_every_us;
	if (write(dog.fd, "k", 1) == 1 || errno == EAGAIN || errno == EINTR)
		return;
	console_log("cannot feed %s: %s; looking for it again", dog.device, strerror(errno));
	(void)close(dog.fd); /* the driver is gone or refuses; the device is looked for again */
	dog.fd = -1;
	dog.next_us = now_us + LOOK_AGAIN_US;
}

static void look_for_device(uint64_t now_us)
{
	int seconds;

	dog.fd = open(dog.device, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (dog.fd < 0) {
		dog.next_us = now_us + LOOK_AGAIN_US;
		if (++dog.n_looked == MISSED_AFTER)
			console_log("no watchdog: %s: %s; still looking for it", dog.device,
				    strerror(errno));
		return;
	}
	dog.n_looked = 0;
	seconds = set_timeout();
	if (seconds > 0)
		console_log("%s resets this machine when it is not fed for %d s%s", dog.device,
			    seconds,
			    dog.needs_manager ? "; it is fed only while the manager answers" : "");
	else
		console_log("%s does not report its timeout: it is fed every second", dog.device);
	feed(now_us);
}

/*
 * A feed is due after half of the device's time. The other half is usually enough to replace the
 * manager.
 */
static void starve(uint64_t now_us)
{
	dog.next_us = now_us + STARVED_STEP_US;
	if (++dog.n_starved == STARVED_REPORT_AFTER)
		console_log("%s is not fed until a manager answers: it will reset this machine",
			    dog.device);
}

void watchdog_tick(uint64_t now_us, bool manager_is_well)
{
	if (now_us < dog.next_us)
		return;
	if (dog.fd < 0)
		look_for_device(now_us);
	else if (dog.needs_manager && !manager_is_well)
		starve(now_us);
	else
		feed(now_us);
}

uint64_t watchdog_next_us(void)
{
	return dog.next_us;
}

void watchdog_feed_in_finale(void)
{
	uint64_t now_us = keeper_now_us();

	if (dog.fd >= 0 && now_us >= dog.next_us)
		feed(now_us);
}

void watchdog_end(bool is_restart)
{
	if (dog.fd < 0)
		return;
	feed(keeper_now_us());
	if (is_restart || dog.fd < 0)
		return;
	if (write(dog.fd, "V", 1) != 1)
		console_log("cannot stop %s: %s", dog.device, strerror(errno));
	/* after a 'V' this stops the device, unless its driver has the option nowayout */
	(void)close(dog.fd);
	dog.fd = -1;
}

const char *watchdog_request(void)
{
	return dog.request;
}

int watchdog_fd(void)
{
	return dog.fd;
}

void watchdog_take_over(const char *request, int fd)
{
	if (!watchdog_configure(request) || fd < 0 || fcntl(fd, F_GETFD) != 0)
		return; /* not open, or another file: the device is looked for */
	dog.fd = fd;
	watchdog_set_cloexec(true);
	(void)set_timeout(); /* the device has this time already */
}

void watchdog_set_cloexec(bool on)
{
	if (dog.fd >= 0)
		/* cannot fail for an open descriptor */
		(void)fcntl(dog.fd, F_SETFD, on ? FD_CLOEXEC : 0);
}
