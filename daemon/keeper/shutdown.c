/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shutdown: a table of signals, and two deadlines.
 */
#include "config.h"

#include "keeper/shutdown.h"

#include <signal.h>
#include <unistd.h>

#include "keeper/keeper.h"
#include "keeper/link.h"

#define ANSWER_LIMIT_US (5 * USEC_PER_SEC)
#define IMPATIENT_PRESSES 7
#define IMPATIENT_US (2 * USEC_PER_SEC)
#define MAX_MANAGER_FAILURES 3

static const struct SignalMeaning {
	int signo; /* negative: the distance from SIGRTMIN, which is not a constant */
	/* the manager must begin a shutdown; it is not enough that it reads the request */
	bool wants_shutdown_begun;
	enum RequestKind request;
	/* what PID 1 does if no manager acts on the request; SHUTDOWN_NONE: nothing */
	enum ShutdownKind alone;
} meanings[] = {
	{ SIGINT, true, REQUEST_CTRL_ALT_DEL, SHUTDOWN_REBOOT },
	{ SIGTERM, false, REQUEST_TERMINATE, SHUTDOWN_EXIT }, /* a user's keeper only */
	{ SIGHUP, false, REQUEST_RELOAD, SHUTDOWN_NONE },
	{ SIGUSR1, false, REQUEST_REOPEN, SHUTDOWN_NONE },
	{ SIGPWR, false, REQUEST_POWER, SHUTDOWN_POWEROFF },
	{ SIGWINCH, false, REQUEST_KEYBOARD, SHUTDOWN_NONE },
	/* container managers send SIGRTMIN+3 to +5 and SIGPWR */
	{ -3, false, REQUEST_HALT, SHUTDOWN_HALT },
	{ -4, false, REQUEST_POWEROFF, SHUTDOWN_POWEROFF },
	{ -5, false, REQUEST_REBOOT, SHUTDOWN_REBOOT },
};

static const struct SignalMeaning *unanswered; /* the first request that no manager has acted on */
static uint64_t unanswered_until_us = NEVER_US;
static enum ShutdownKind intent = SHUTDOWN_NONE;
static uint64_t intent_until_us = NEVER_US;
static unsigned int n_manager_failures;
static unsigned int n_presses;
static uint64_t first_press_us;

static int signal_of(const struct SignalMeaning *meaning)
{
	return meaning->signo > 0 ? meaning->signo : SIGRTMIN - meaning->signo;
}

/* Returns: NULL if the signal has no meaning. */
static const struct SignalMeaning *meaning_of(int signo)
{
	/* Ctrl-C, a closed terminal and the end of the session mean the same to a user's keeper. */
	if (keeper.user_mode && (signo == SIGINT || signo == SIGHUP))
		signo = SIGTERM;
	for (const struct SignalMeaning *m = meanings; m < meanings + N_ELEMENTS(meanings); m++)
		if (signo == signal_of(m))
			return m;
	return NULL;
}

/* A stray SIGTERM ends a user's keeper, but never shuts down a machine. */
static enum ShutdownKind kind_alone(const struct SignalMeaning *meaning)
{
	return keeper.is_pid1 && meaning->alone == SHUTDOWN_EXIT ? SHUTDOWN_NONE : meaning->alone;
}

enum ShutdownKind shutdown_kind_of_signal(int signo)
{
	return meaning_of(signo) ? kind_alone(meaning_of(signo)) : SHUTDOWN_NONE;
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

void shutdown_on_signal(int signo, uint64_t now_us)
{
	const struct SignalMeaning *meaning = meaning_of(signo);

	if (!meaning)
		return;
	messages_request(meaning->request);
	if (meaning->request == REQUEST_CTRL_ALT_DEL)
		count_press(now_us);
	if (kind_alone(meaning) != SHUTDOWN_NONE && !unanswered && intent == SHUTDOWN_NONE) {
		unanswered = meaning;
		unanswered_until_us = now_us + ANSWER_LIMIT_US;
	}
}

void shutdown_signal_again(void)
{
	for (size_t i = 0; i < N_ELEMENTS(meanings); i++)
		if (&meanings[i] == unanswered || messages_is_requested(meanings[i].request))
			(void)kill(getpid(), signal_of(&meanings[i])); /* all signals are blocked */
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
	 * A new manager that repeats the request does not extend the time limit. Otherwise a
	 * manager that keeps failing could delay the shutdown for ever.
	 */
	intent = (enum ShutdownKind)kind;
	if (now_us + deadline_ms * USEC_PER_MSEC < intent_until_us)
		intent_until_us = now_us + deadline_ms * USEC_PER_MSEC;
}

void shutdown_on_manager_failure(void)
{
	if (unanswered)
		/* the next manager gets the request, even if this one has read it */
		messages_request(unanswered->request);
	if (intent != SHUTDOWN_NONE && ++n_manager_failures >= MAX_MANAGER_FAILURES)
		finale_run(intent, "the manager failed three times during the shutdown");
}

enum ShutdownKind shutdown_kind(void)
{
	return intent;
}

uint32_t shutdown_left_ms(uint64_t now_us)
{
	uint64_t left_us =
		intent != SHUTDOWN_NONE && intent_until_us > now_us ? intent_until_us - now_us : 0;

	return (uint32_t)(left_us / USEC_PER_MSEC);
}

/*
 * Ctrl-alt-del must begin a shutdown. For other requests it is enough that a living manager has
 * read them.
 */
static void unanswered_tick(uint64_t now_us)
{
	if (unanswered->wants_shutdown_begun || messages_is_requested(unanswered->request))
		finale_run(kind_alone(unanswered),
			   "the manager did not answer the request to shut down");
	if (!link_is_answering()) {
		/* the manager may hang, or its ping may be under way */
		unanswered_until_us = now_us + ANSWER_LIMIT_US;
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
