/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Watchdog: one request, one device, one time at which something is due.
 *
 * The device: kernel.org, watchdog/watchdog-api. It is opened whenever it appears, for its driver may be a module. A write of
 * anything feeds it; closed without a 'V' before, it goes on, and so it does when we are no more.
 */
#include "config.h"

#include "keeper/watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/watchdog.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "keeper/console.h"
#include "keeper/keeper.h"
#include "keeper/link.h"

#define DEFAULT_DEVICE "/dev/watchdog"
#define KERNEL_WORD "svcd.watchdog="

/* Below, a trial of a new binary (reexec.c) could take the time for a fault of ours. */
#define SHORTEST_S 10
#define LONGEST_S 86400

#define LOOK_AGAIN_US (2 * USEC_PER_SEC)
#define MISSED_AFTER 30 /* looks; drivers are loaded in the first minute */
#define STARVED_STEP_US (1 * USEC_PER_SEC)
#define STARVED_SAY_AFTER 3

/* Where the device does not say how long its time is. */
#define FEED_UNKNOWN_US (1 * USEC_PER_SEC)

static struct {
	char request[WATCHDOG_REQUEST_BYTES];
	char device[WATCHDOG_REQUEST_BYTES];
	int timeout_s; /* as asked for */
	bool needs_manager;
	int fd;
	uint64_t feed_every_us;
	uint64_t next_us;
	unsigned int n_looked; /* in vain */
	unsigned int n_starved; /* not fed in a row, for lack of a manager */
} dog = { .fd = -1, .next_us = NEVER_US };

/* One of the words behind the seconds, which ends at @end. */
static bool take_option(const char *word, const char *end, bool *needs_manager, char *device)
{
	size_t length = (size_t)(end - word);

	if (length == strlen("manager") && memcmp(word, "manager", length) == 0) {
		*needs_manager = true;
		return true;
	}
	if (length <= strlen("/dev/") || word[0] != '/')
		return false;
	memcpy(device, word, length); /* shorter than the request, and so is its field */
	device[length] = '\0';
	return true;
}

bool watchdog_ask(const char *request)
{
	char device[WATCHDOG_REQUEST_BYTES] = DEFAULT_DEVICE;
	bool needs_manager = false;
	char *end;
	long seconds = strtol(request, &end, 10);

	if (end == request || strlen(request) >= sizeof(dog.request) || (seconds != 0 && seconds < SHORTEST_S) || seconds > LONGEST_S)
		return false;
	while (*end == ',') {
		const char *word = end + 1;

		end += 1 + strcspn(word, ",");
		if (!take_option(word, end, &needs_manager, device))
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

/* The last of its kind decides, as with most words there. */
static void ask_for_word(char *cmdline)
{
	char *rest = NULL;

	for (char *word = strtok_r(cmdline, " \t\n", &rest); word; word = strtok_r(NULL, " \t\n", &rest)) {
		if (strncmp(word, KERNEL_WORD, strlen(KERNEL_WORD)) == 0 && !watchdog_ask(word + strlen(KERNEL_WORD)))
			say("%s: SECONDS from %d to %d are expected, then perhaps ,manager and ,/dev/NAME", word, SHORTEST_S,
			    LONGEST_S);
	}
}

void watchdog_learn(void)
{
	char cmdline[4096]; /* COMMAND_LINE_SIZE of the kernel is no more anywhere but on s390 */

	if (!keeper.is_pid1 || keeper.container || keeper.has_reexeced || dog.request[0])
		return;
	if (keeper_read_file("/proc/cmdline", cmdline, sizeof(cmdline)) > 0)
		ask_for_word(cmdline);
}

/* Asks the open device for the time that is wanted; some know only some times, or one. Returns: what it has, 0: it does not say. */
static int set_timeout(void)
{
	int seconds = dog.timeout_s;

	if (ioctl(dog.fd, WDIOC_SETTIMEOUT, &seconds) < 0 && ioctl(dog.fd, WDIOC_GETTIMEOUT, &seconds) < 0)
		seconds = 0;
	dog.feed_every_us = seconds > 0 ? (uint64_t)seconds * USEC_PER_SEC / 2 : FEED_UNKNOWN_US;
	return seconds;
}

static void say_timeout(int seconds)
{
	if (seconds > 0)
		say("%s resets this machine when it is not fed for %d s%s", dog.device, seconds,
		    dog.needs_manager ? ", which needs a manager that answers" : "");
	else
		say("%s does not say when it resets this machine: it is fed every second", dog.device);
}

static void feed(uint64_t now_us)
{
	dog.n_starved = 0;
	dog.next_us = now_us + dog.feed_every_us;
	if (write(dog.fd, "k", 1) == 1 || errno == EAGAIN || errno == EINTR)
		return;
	say("cannot feed %s: %s; looking for it again", dog.device, strerror(errno));
	(void)close(dog.fd); /* its driver is gone, or will not be fed: then it is as if it were not open */
	dog.fd = -1;
	dog.next_us = now_us + LOOK_AGAIN_US;
}

static void look_for_device(uint64_t now_us)
{
	dog.fd = open(dog.device, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (dog.fd < 0) {
		dog.next_us = now_us + LOOK_AGAIN_US;
		if (++dog.n_looked == MISSED_AFTER)
			say("no watchdog: %s: %s; still looking for it", dog.device, strerror(errno));
		return;
	}
	dog.n_looked = 0;
	say_timeout(set_timeout());
	feed(now_us);
}

/* It is being replaced, mostly, and the other half of the time is enough for that. */
static void starve(uint64_t now_us)
{
	dog.next_us = now_us + STARVED_STEP_US;
	if (++dog.n_starved == STARVED_SAY_AFTER)
		say("%s is not fed until a manager answers: it will reset this machine", dog.device);
}

void watchdog_tick(uint64_t now_us)
{
	if (now_us < dog.next_us)
		return;
	if (dog.fd < 0)
		look_for_device(now_us);
	else if (dog.needs_manager && !link_is_well())
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
		say("cannot stop %s: %s", dog.device, strerror(errno));
	(void)close(dog.fd); /* that stops it, unless its driver has been told never to (nowayout) */
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
	if (!watchdog_ask(request) || fd < 0 || fcntl(fd, F_GETFD) != 0)
		return; /* not there after all, or something else's: then it is looked for */
	dog.fd = fd;
	watchdog_set_cloexec(true);
	(void)set_timeout(); /* it has it already */
}

void watchdog_set_cloexec(bool on)
{
	if (dog.fd >= 0)
		(void)fcntl(dog.fd, F_SETFD, on ? FD_CLOEXEC : 0); /* cannot fail for an open descriptor */
}
