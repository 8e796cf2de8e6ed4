/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Schedule: the provider of due: and time: conditions.
 *
 * One timer fires at the nearest change of a level that is in use. It also fires when the clock is
 * set, and when the machine wakes up. All levels are then computed again.
 */
#ifndef SVCD_PROVIDERS_SCHEDULE_H
#define SVCD_PROVIDERS_SCHEDULE_H

#include <time.h>

#include "base/time-zone.h"
#include "model/time-key.h"
#include "providers/provider.h"

/* What due: needs to know about a service. Times are seconds since 1970. */
typedef struct DueFacts {
	bool is_known; /* false: the last success has not been read yet */
	bool is_requested; /* an admin has started it: it is due */
	int64_t last_s; /* its last success; 0: none */
	int64_t delay_max_s; /* RandomizedDelay= */
	bool is_persistent; /* Persistent= */
} DueFacts;

typedef struct ScheduleOptions {
	/* Returns: false if there is no such service. NULL: there are no services. */
	bool (*find)(void *data, const char *service, DueFacts *ret);
	void *data;
	int64_t started_us; /* the start of this boot, CLOCK_MONOTONIC */
	int64_t (*clock)(clockid_t clock); /* for tests, microseconds; NULL: the machine's */
} ScheduleOptions;

typedef struct ScheduleProvider ScheduleProvider;

Provider *schedule_provider_new(const ScheduleOptions *options, const ProviderSink *sink);
ScheduleProvider *schedule_provider_cast(Provider *provider);

/* Takes @zone; NULL: UTC. @machine: identifies this machine, for RandomizedDelay=. */
void schedule_provider_set_place(ScheduleProvider *schedule, TimeZone *zone, const char *machine);

/* Computes all levels again, because facts of services have changed. */
void schedule_provider_update(ScheduleProvider *schedule);

/* Is a due: condition of @service in use? */
bool schedule_provider_watches(const ScheduleProvider *schedule, const char *service);

/* Calls @visit for each due: condition in use, in no order. */
void schedule_provider_visit(const ScheduleProvider *schedule,
			     void (*visit)(void *data, const DueTime *time), void *data);

#endif
