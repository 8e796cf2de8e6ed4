/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Restart limit: two counters and a level.
 */
#include "config.h"

#include "keeper/restart-limit.h"

#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>

#include "keeper/console.h"
#include "keeper/keeper.h"

#define FAILURES_PER_LEVEL 3
#define EARLY_DELAY_US (100 * USEC_PER_MSEC)
#define FIRST_RETRY_US (1 * USEC_PER_SEC)
#define LAST_RETRY_US (60 * USEC_PER_SEC)

/* After a life of this length a manager counts as good: the next one begins at the normal level. */
#define GOOD_LIFE_US (60 * USEC_PER_SEC)

/*
 * More deaths than this in a minute count as failures, even of settled managers or for lack of
 * memory.
 */
#define BUDGET_DEATHS 30
#define BUDGET_US (60 * USEC_PER_SEC)

enum Level {
	LEVEL_NORMAL,
	LEVEL_WITHOUT_NOTES,
	LEVEL_WITHOUT_LOCAL_FILES,
	LEVEL_RESCUE,
};

static const struct {
	uint32_t welcome_flags;
	const char *text;
} levels[] = {
	[LEVEL_NORMAL] = { 0, NULL },
	[LEVEL_WITHOUT_NOTES] = { WELCOME_WITHOUT_NOTES, "trying the manager without its notes" },
	[LEVEL_WITHOUT_LOCAL_FILES] = { WELCOME_WITHOUT_NOTES | WELCOME_WITHOUT_LOCAL_FILES,
					"trying the manager without notes and without the files in /etc and /run" },
	[LEVEL_RESCUE] = { WELCOME_WITHOUT_NOTES | WELCOME_WITHOUT_LOCAL_FILES,
			   "the manager keeps failing: services stay as they are, and it is tried again now and then" },
};

static enum Level level;
static unsigned int n_failures;
static unsigned int n_settled_deaths;
static uint64_t budget_since_us;
static uint64_t retry_us;

static bool over_budget(uint64_t now_us)
{
	if (n_settled_deaths == 0 || now_us - budget_since_us > BUDGET_US) {
		budget_since_us = now_us;
		n_settled_deaths = 0;
	}
	return ++n_settled_deaths > BUDGET_DEATHS;
}

/* Without memory GLib ends a program with g_error(), which traps. */
static bool had_no_memory(const struct ManagerDeath *death)
{
	return WIFSIGNALED(death->wait_status) && WTERMSIG(death->wait_status) == SIGTRAP;
}

/*
 * A SIGKILL that PID 1 did not send comes from an admin or the OOM killer. The data of the manager
 * is not the cause of either, nor of a lack of memory.
 */
static bool is_failure(const struct ManagerDeath *death, uint64_t now_us)
{
	bool killed_from_outside = WIFSIGNALED(death->wait_status) && WTERMSIG(death->wait_status) == SIGKILL &&
				   !death->killed_by_us;

	if (death->was_settled || killed_from_outside || had_no_memory(death))
		return over_budget(now_us);
	return true;
}

/* A lack of memory may be short, but restarting at once does not end it. */
static uint64_t pause_after_bad_luck(const struct ManagerDeath *death)
{
	return had_no_memory(death) && !death->was_settled ? EARLY_DELAY_US * n_settled_deaths : 0;
}

static void escalate(void)
{
	n_failures = 0;
	if (level == LEVEL_RESCUE)
		return;
	level++;
	console_log("%s", levels[level].text);
}

static uint64_t next_retry(void)
{
	uint64_t delay_us = retry_us ? retry_us : FIRST_RETRY_US;

	retry_us = delay_us * 2 < LAST_RETRY_US ? delay_us * 2 : LAST_RETRY_US;
	return delay_us;
}

void restart_limit_forget(void)
{
	level = LEVEL_NORMAL;
	n_failures = 0;
	n_settled_deaths = 0;
	retry_us = 0;
}

uint64_t restart_limit_on_death(struct ManagerDeath *death, uint64_t now_us)
{
	bool exited = WIFEXITED(death->wait_status);
	bool good_life = death->was_settled && death->settled_for_us >= GOOD_LIFE_US;

	death->was_asked_for = exited && WEXITSTATUS(death->wait_status) == PROTOCOL_EXIT_REEXEC && death->was_settled;
	if (death->was_asked_for || good_life)
		restart_limit_forget();
	if (death->was_asked_for)
		return 0;
	if (exited && WEXITSTATUS(death->wait_status) == PROTOCOL_EXIT_INCOMPATIBLE && level != LEVEL_RESCUE) {
		level = LEVEL_RESCUE;
		console_log("%s", levels[level].text);
	} else if (!is_failure(death, now_us)) {
		return pause_after_bad_luck(death);
	} else if (++n_failures >= FAILURES_PER_LEVEL) {
		escalate();
	}
	return level == LEVEL_RESCUE ? next_retry() : EARLY_DELAY_US * n_failures;
}

void restart_limit_on_settled(void)
{
	n_failures = 0;
	if (level == LEVEL_RESCUE)
		console_log("the manager is back");
}

uint32_t restart_limit_welcome_flags(void)
{
	return levels[level].welcome_flags;
}

bool restart_limit_is_rescue(void)
{
	return level == LEVEL_RESCUE;
}
