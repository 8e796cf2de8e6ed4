/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Schedule: a due: condition is true if the last success of its service is older than the last time
 * of the calendar. At each later time the level is false for an instant, so that a task that has
 * failed gets a new chance.
 *
 * A success in the future comes from a wrong clock. It then counts as a success at the time when
 * the clock was last set or this manager started. So a clock that is right again neither repeats a
 * task nor delays it for years.
 */
#include "config.h"

#include "providers/schedule.h"

#include <errno.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/log.h"
#include "loop/loop.h"
#include "model/time-key.h"

typedef struct Slot {
	const char *key; /* interned */
	bool is_due; /* a due: condition */
	DueKey due;
	TimeKey time;
	Level level; /* as last reported */
	char *why;
	int64_t period_s; /* the time at which the present level of due: began to apply */
	int64_t change_s; /* the next time at which the level may change; CALENDAR_NEVER: none */
	DueTime shown;
} Slot;

struct ScheduleProvider {
	Provider base; /* first, because the two are cast into each other */
	ProviderSink sink;
	ScheduleOptions options;
	TimeZone *zone;
	char *machine;
	int fd;
	FdSource *source;
	int64_t clock_set_s; /* when the clock was last set, as far as it is known */
	GHashTable *slots; /* interned key -> Slot, owned */
};

static void slot_free(gpointer data)
{
	Slot *slot = data;

	if (slot->is_due)
		due_key_clear(&slot->due);
	g_free(slot->why);
	g_free(slot);
}

/* --- clocks --- */

static int64_t read_clock(clockid_t clock)
{
	struct timespec now;

	(void)clock_gettime(clock, &now); /* cannot fail for these clocks */
	return now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000;
}

static int64_t now_s(const ScheduleProvider *schedule)
{
	return schedule->options.clock(CLOCK_REALTIME) / G_USEC_PER_SEC;
}

/* The time since the boot, in seconds; with @clock CLOCK_BOOTTIME including suspend. */
static int64_t uptime_s(const ScheduleProvider *schedule, clockid_t clock)
{
	const int64_t us = schedule->options.clock(clock) - schedule->options.started_us;

	return MAX(us, 0) / G_USEC_PER_SEC;
}

/* --- levels --- */

/*
 * A fixed number of seconds up to @max_s: equal after each boot, but different for the machines of
 * a network (FNV-1a).
 */
static int64_t delay_of(const ScheduleProvider *schedule, const char *service, int64_t max_s)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	for (const char *p = schedule->machine; *p; p++)
		hash = (hash ^ (unsigned char)*p) * UINT64_C(1099511628211);
	for (const char *p = service; *p; p++)
		hash = (hash ^ (unsigned char)*p) * UINT64_C(1099511628211);
	return (int64_t)((hash ^ hash >> 32) % (uint64_t)(max_s + 1));
}

/* The times of a due: condition. */
typedef struct Period {
	int64_t last_s; /* the success that counts; 0: none */
	int64_t since_s; /* it is due from then on; CALENDAR_NEVER: it is not */
	int64_t begin_s; /* the last time that has come; CALENDAR_NEVER: none has */
	int64_t next_s; /* the first time that has not come; CALENDAR_NEVER: there is none */
} Period;

static void find_calendar_times(const ScheduleProvider *schedule, const DueKey *due,
				int64_t delay_s, Period *ret)
{
	const int64_t now = now_s(schedule) - delay_s;

	ret->begin_s = calendar_latest(due->calendar, schedule->zone, now);
	ret->next_s = calendar_next(due->calendar, schedule->zone, now);
	ret->begin_s += ret->begin_s == CALENDAR_NEVER ? 0 : delay_s;
	ret->next_s += ret->next_s == CALENDAR_NEVER ? 0 : delay_s;
	if (ret->begin_s != CALENDAR_NEVER && ret->last_s < ret->begin_s)
		ret->since_s = ret->begin_s;
}

static void find_span_times(const DueKey *due, int64_t now, int64_t first_s, Period *ret)
{
	const int64_t passed = now >= first_s ? (now - first_s) / due->every_s : -1;

	ret->next_s = first_s + (passed + 1) * due->every_s;
	if (passed < 0)
		return;
	ret->begin_s = first_s + passed * due->every_s;
	ret->since_s = first_s;
}

static Period find_period(const ScheduleProvider *schedule, const DueKey *due,
			  const DueFacts *facts)
{
	const int64_t now = now_s(schedule);
	const int64_t boot_s = now - uptime_s(schedule, CLOCK_BOOTTIME);
	const int64_t delay_s = delay_of(schedule, due->service, facts->delay_max_s);
	Period period = { .last_s = facts->last_s > now ? MIN(schedule->clock_set_s, now) :
							   facts->last_s,
			  .since_s = CALENDAR_NEVER,
			  .begin_s = CALENDAR_NEVER };

	if (!facts->is_persistent)
		period.last_s = MAX(period.last_s, boot_s);
	if (due->calendar)
		find_calendar_times(schedule, due, delay_s, &period);
	else
		find_span_times(due, now,
				period.last_s ? period.last_s + due->every_s + delay_s : boot_s,
				&period);
	return period;
}

static char *describe_due(const ScheduleProvider *schedule, const Period *period,
			  const DueFacts *facts)
{
	const bool is_due = period->since_s != CALENDAR_NEVER;
	const int64_t at_s = is_due ? period->since_s : period->next_s;
	g_autofree char *at = time_zone_format(schedule->zone, at_s);
	g_autofree char *last = facts->last_s ? time_zone_format(schedule->zone, facts->last_s) :
						NULL;
	g_autofree char *result =
		last ? g_strconcat("last success ", last, NULL) : g_strdup("no success so far");

	if (at_s == CALENDAR_NEVER)
		return g_strdup_printf("it does not become due again, %s", result);
	return g_strdup_printf("%s %s, %s", is_due ? "due since" : last ? "due again at" : "due at",
			       at, result);
}

/* Returns: the level; *@ret_why is a new string. */
static Level look_at_due(ScheduleProvider *schedule, Slot *slot, char **ret_why)
{
	const ScheduleOptions *options = &schedule->options;
	DueFacts facts = { 0 };
	Period period;

	slot->shown.next_s = 0;
	slot->shown.last_s = 0;
	slot->change_s = CALENDAR_NEVER;
	if (!options->find || !options->find(options->data, slot->due.service, &facts)) {
		*ret_why = g_strdup_printf("there is no service %s", slot->due.service);
		return LEVEL_UNKNOWN;
	}
	if (!facts.is_known) {
		*ret_why = g_strdup("svcd has not read the times of earlier runs from "
				    SVCD_STATEDIR " yet");
		return LEVEL_UNKNOWN;
	}
	period = find_period(schedule, &slot->due, &facts);
	slot->change_s = period.next_s;
	slot->shown.last_s = facts.last_s;
	slot->shown.next_s = MAX(period.since_s == CALENDAR_NEVER ? period.next_s : period.since_s,
				 0);
	/* A task that has failed meanwhile gets a new chance. */
	if (facts.is_requested) {
		*ret_why = g_strdup("requested");
		return LEVEL_TRUE;
	}
	if (slot->level == LEVEL_TRUE && period.since_s != CALENDAR_NEVER &&
	    period.begin_s > slot->period_s) {
		slot->level = LEVEL_FALSE;
		provider_report(&schedule->sink, slot->key, slot->level, "the next time has come");
	}
	slot->period_s = period.begin_s;
	*ret_why = describe_due(schedule, &period, &facts);
	return period.since_s == CALENDAR_NEVER ? LEVEL_FALSE : LEVEL_TRUE;
}

static Level look_at_time(const ScheduleProvider *schedule, Slot *slot, char **ret_why)
{
	const int64_t now = now_s(schedule);
	const int64_t left_s = slot->time.boot_s - uptime_s(schedule, CLOCK_MONOTONIC);
	g_autofree char *change = NULL;
	bool is_open;

	if (slot->time.is_since_boot) {
		is_open = left_s <= 0;
		slot->change_s = is_open ? CALENDAR_NEVER : now + left_s;
	} else {
		is_open = day_window_is_open(&slot->time.window, schedule->zone, now);
		slot->change_s = day_window_change(&slot->time.window, schedule->zone, now);
	}
	if (slot->change_s == CALENDAR_NEVER) {
		*ret_why = g_strdup("the machine has been up longer");
		return LEVEL_TRUE;
	}
	change = time_zone_format(schedule->zone, slot->change_s);
	*ret_why = g_strdup_printf("%s %s", is_open ? "until" : "true at", change);
	return is_open ? LEVEL_TRUE : LEVEL_FALSE;
}

static void look(ScheduleProvider *schedule, Slot *slot, bool is_first)
{
	g_autofree char *why = NULL;
	const Level level = slot->is_due ? look_at_due(schedule, slot, &why) :
					   look_at_time(schedule, slot, &why);

	if (!is_first && level == slot->level && strcmp(why, slot->why) == 0)
		return;
	g_free(slot->why);
	slot->why = g_steal_pointer(&why);
	slot->level = level;
	provider_report(&schedule->sink, slot->key, level, slot->why);
}

/* --- the timer --- */

/* Without a change to wait for, the timer only reports that the clock is set. */
static void arm(ScheduleProvider *schedule)
{
	struct itimerspec at = { .it_value.tv_sec = INT32_MAX };
	GHashTableIter iter;
	gpointer value;

	if (g_hash_table_size(schedule->slots) == 0)
		at.it_value.tv_sec = 0; /* disarmed */
	g_hash_table_iter_init(&iter, schedule->slots);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const int64_t change_s = ((const Slot *)value)->change_s;

		if (change_s != CALENDAR_NEVER)
			at.it_value.tv_sec = MIN(at.it_value.tv_sec, change_s);
	}
	/* It cannot fail. ECANCELED would report a clock that was set before this call. */
	(void)timerfd_settime(schedule->fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &at, NULL);
}

void schedule_provider_update(ScheduleProvider *schedule)
{
	GHashTableIter iter;
	gpointer slot;

	g_hash_table_iter_init(&iter, schedule->slots);
	while (g_hash_table_iter_next(&iter, NULL, &slot))
		look(schedule, slot, false);
	arm(schedule);
}

/* timerfd_create(2): read(2) fails with ECANCELED if the clock was set. */
static void on_timer(GIOCondition condition, void *data)
{
	ScheduleProvider *schedule = data;
	uint64_t n;

	(void)condition;
	if (read(schedule->fd, &n, sizeof n) < 0 && errno == ECANCELED)
		schedule->clock_set_s = now_s(schedule);
	schedule_provider_update(schedule);
}

/* --- as a provider --- */

static Slot *slot_new(const char *key)
{
	g_autofree char *problem = NULL; /* never set, because the key was checked */
	Slot *slot = g_new0(Slot, 1);

	slot->key = key;
	slot->is_due = g_str_has_prefix(key, "due:");
	slot->level = LEVEL_UNKNOWN;
	if (slot->is_due)
		(void)due_key_parse(key_argument(key), &slot->due, &problem);
	else
		(void)time_key_parse(key_argument(key), &slot->time, &problem);
	slot->shown.key = key;
	slot->shown.service = slot->due.service;
	return slot;
}

static void schedule_subscribe(Provider *provider, const char *key)
{
	ScheduleProvider *schedule = schedule_provider_cast(provider);
	Slot *slot = g_hash_table_lookup(schedule->slots, key);

	if (!slot) {
		slot = slot_new(key);
		g_hash_table_insert(schedule->slots, (gpointer)key, slot);
	}
	look(schedule, slot, true);
	arm(schedule);
}

static void schedule_unsubscribe(Provider *provider, const char *key)
{
	ScheduleProvider *schedule = schedule_provider_cast(provider);

	g_hash_table_remove(schedule->slots, key);
	arm(schedule);
}

static void schedule_free(Provider *provider)
{
	ScheduleProvider *schedule = schedule_provider_cast(provider);

	fd_source_free(schedule->source);
	fd_close(&schedule->fd);
	g_hash_table_unref(schedule->slots);
	time_zone_free(schedule->zone);
	g_free(schedule->machine);
	g_free(schedule);
}

Provider *schedule_provider_new(const ScheduleOptions *options, const ProviderSink *sink)
{
	ScheduleProvider *schedule = g_new0(ScheduleProvider, 1);

	schedule->base = (Provider){ .subscribe = schedule_subscribe,
				     .unsubscribe = schedule_unsubscribe,
				     .free = schedule_free };
	schedule->sink = *sink;
	schedule->options = *options;
	if (!schedule->options.clock)
		schedule->options.clock = read_clock;
	schedule->machine = g_strdup("");
	schedule->clock_set_s = now_s(schedule);
	schedule->slots = g_hash_table_new_full(NULL, NULL, NULL, slot_free);
	schedule->fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	if (schedule->fd >= 0)
		schedule->source = fd_source_new(schedule->fd, G_IO_IN, LOOP_PRIORITY_PROVIDER,
						 on_timer, schedule);
	else
		log_error(NULL, "conditions about time change only at a reload: no timer: %s",
			  g_strerror(errno));
	return &schedule->base;
}

ScheduleProvider *schedule_provider_cast(Provider *provider)
{
	return (ScheduleProvider *)provider;
}

void schedule_provider_set_place(ScheduleProvider *schedule, TimeZone *zone, const char *machine)
{
	time_zone_free(schedule->zone);
	schedule->zone = zone;
	g_free(schedule->machine);
	schedule->machine = g_strdup(machine);
	schedule_provider_update(schedule);
}

bool schedule_provider_watches(const ScheduleProvider *schedule, const char *service)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, schedule->slots);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const Slot *slot = value;

		if (slot->is_due && strcmp(slot->due.service, service) == 0)
			return true;
	}
	return false;
}

void schedule_provider_visit(const ScheduleProvider *schedule,
			     void (*visit)(void *data, const DueTime *time), void *data)
{
	GHashTableIter iter;
	gpointer slot;

	g_hash_table_iter_init(&iter, schedule->slots);
	while (g_hash_table_iter_next(&iter, NULL, &slot)) {
		if (((const Slot *)slot)->is_due)
			visit(data, &((const Slot *)slot)->shown);
	}
}
