/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shutdown: a table of signals, and two deadlines.
 */
#include "config.h"

#include "keeper/shutdown.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "keeper/console.h"
#include "keeper/finale.h"
#include "keeper/keeper.h"
#include "keeper/link.h"
#include "keeper/link-messages.h"

#define ANSWER_LIMIT_US (5 * USEC_PER_SEC)
#define IMPATIENT_PRESSES 7
#define IMPATIENT_US (2 * USEC_PER_SEC)
#define MAX_MANAGER_FAILURES 3

struct SignalMeaning {
	int offset; /* the signal, or its distance from SIGRTMIN, which is no constant */
	bool is_realtime;
	bool wants_shutdown_begun; /* it is not enough that the manager reads it: the manager must begin to shut down */
	enum RequestKind request;
	enum ShutdownKind alone; /* what PID 1 does without an answer; SHUTDOWN_NONE: nothing */
};

/* Container managers send SIGRTMIN+3 to +5 and SIGPWR. */
static const struct SignalMeaning meanings[] = {
	{ SIGINT, false, true, REQUEST_CTRL_ALT_DEL, SHUTDOWN_REBOOT },
	{ SIGTERM, false, false, REQUEST_TERMINATE, SHUTDOWN_EXIT }, /* a user's keeper only */
	{ SIGHUP, false, false, REQUEST_RELOAD, SHUTDOWN_NONE },
	{ SIGUSR1, false, false, REQUEST_REOPEN, SHUTDOWN_NONE },
	{ SIGPWR, false, false, REQUEST_POWER, SHUTDOWN_POWEROFF },
	{ SIGWINCH, false, false, REQUEST_KEYBOARD, SHUTDOWN_NONE },
	{ 3, true, false, REQUEST_HALT, SHUTDOWN_HALT },
	{ 4, true, false, REQUEST_POWEROFF, SHUTDOWN_POWEROFF },
	{ 5, true, false, REQUEST_REBOOT, SHUTDOWN_REBOOT },
};

static const struct SignalMeaning *unanswered; /* the first request that no manager has acted on */
static uint64_t unanswered_until_us = NEVER_US;
static enum ShutdownKind intent = SHUTDOWN_NONE;
static uint64_t intent_until_us = NEVER_US;
static unsigned int n_manager_failures;
static unsigned int n_presses;
static uint64_t first_press_us;

/* Ctrl-C, a closed terminal and the end of the session mean the same to a user's keeper. */
static bool ends_user_session(int signo)
{
	return keeper.user_mode && (signo == SIGINT || signo == SIGHUP);
}

static const struct SignalMeaning *meaning_of(int signo)
{
	if (ends_user_session(signo))
		signo = SIGTERM;
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if (signo == meanings[i].offset + (meanings[i].is_realtime ? SIGRTMIN : 0))
			return &meanings[i];
	return NULL;
}

/*
 * What PID 1 does by itself. A stray SIGTERM never ends a machine, but it does end a user's keeper.
 */
static enum ShutdownKind kind_alone(const struct SignalMeaning *meaning)
{
	return keeper.is_pid1 && meaning->alone == SHUTDOWN_EXIT ? SHUTDOWN_NONE : meaning->alone;
}

static void count_press(uint64_t now_us)
{
	if (now_us - first_press_us > IMPATIENT_US)
		n_presses = 0;
	if (n_presses++ == 0)
		first_press_us = now_us;
	if (n_presses >= IMPATIENT_PRESSES)
		finale_run(SHUTDOWN_REBOOT, "ctrl-alt-del was pressed seven times");
}

bool shutdown_on_signal(int signo, uint64_t now_us)
{
	const struct SignalMeaning *meaning = meaning_of(signo);

	if (!meaning)
		return false;
	messages_request(meaning->request);
	if (meaning->request == REQUEST_CTRL_ALT_DEL)
		count_press(now_us);
	if (kind_alone(meaning) != SHUTDOWN_NONE && !unanswered && intent == SHUTDOWN_NONE) {
		unanswered = meaning;
		unanswered_until_us = now_us + ANSWER_LIMIT_US;
	}
	return true;
}

void shutdown_signal_again(void)
{
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if (&meanings[i] == unanswered || messages_is_requested(meanings[i].request))
			(void)kill(getpid(), meanings[i].offset + (meanings[i].is_realtime ? SIGRTMIN : 0)); /* all are blocked */
}

void shutdown_begin(uint32_t kind, uint32_t deadline_ms, uint64_t now_us)
{
	unanswered = NULL;
	unanswered_until_us = NEVER_US;
	if (kind == SHUTDOWN_NONE || kind > SHUTDOWN_EXIT) {
		intent = SHUTDOWN_NONE;
		intent_until_us = NEVER_US;
		n_manager_failures = 0;
		return;
	}
	/*
	 * A next manager that repeats it gains no time. Otherwise a manager that keeps failing
	 * could delay the end for ever.
	 */
	intent = (enum ShutdownKind)kind;
	if (now_us + deadline_ms * USEC_PER_MSEC < intent_until_us)
		intent_until_us = now_us + deadline_ms * USEC_PER_MSEC;
}

void shutdown_on_manager_failure(void)
{
	if (unanswered)
		messages_request(unanswered->request); /* the next manager is sent it, whether this one has read it or not */
	if (intent != SHUTDOWN_NONE && ++n_manager_failures >= MAX_MANAGER_FAILURES)
		finale_run(intent, "the manager failed three times during the shutdown");
}

enum ShutdownKind shutdown_kind(void)
{
	return intent;
}

uint32_t shutdown_left_ms(uint64_t now_us)
{
	uint64_t left_us = intent != SHUTDOWN_NONE && intent_until_us > now_us ? intent_until_us - now_us : 0;

	return (uint32_t)(left_us / USEC_PER_MSEC);
}

/*
 * Ctrl-alt-del must begin a shutdown. For other requests it is enough that a living manager has
 * read them.
 */
static void unanswered_tick(uint64_t now_us)
{
	if (unanswered->wants_shutdown_begun || messages_is_requested(unanswered->request))
		finale_run(kind_alone(unanswered), "the manager did not answer the request to shut down");
	if (!link_is_answering()) {
		unanswered_until_us = now_us + ANSWER_LIMIT_US; /* the manager may hang, or its ping may be under way */
		return;
	}
	unanswered = NULL;
	unanswered_until_us = NEVER_US;
}

void shutdown_tick(uint64_t now_us)
{
	if (now_us >= intent_until_us)
		finale_run(intent, "the time limit of the shutdown has passed");
	if (now_us >= unanswered_until_us)
		unanswered_tick(now_us);
}

uint64_t shutdown_next_us(void)
{
	return intent_until_us < unanswered_until_us ? intent_until_us : unanswered_until_us;
}
