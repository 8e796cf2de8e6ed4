/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The structures that the files of this component share. progress.c writes BootProgress, and
 * boot-record.c writes the records.
 */
#ifndef SVCD_BOOT_BOOT_PRIVATE_H
#define SVCD_BOOT_BOOT_PRIVATE_H

#include "boot/boot-record.h"
#include "boot/durations.h"
#include "engine/engine.h"

/*
 * The upper limit of the progress until the boot is finished. Rounding would otherwise turn a value
 * close to 1 into 1.
 */
#define PROGRESS_MOST 0.999999999

/* The class of a service in the progress of the boot. Each service has one class. */
typedef enum ProgressClass {
	CLASS_OFF, /* not wanted */
	CLASS_MOVING,
	CLASS_UP,
	CLASS_FAILED,
	CLASS_HELD, /* wanted, and waits for an external condition */
	CLASS_COUNT
} ProgressClass;

/* The line that the progress bar follows until an event changes it. */
typedef struct ProgressAim {
	int64_t at_us; /* the time of @from */
	double from;
	double to; /* the position at the end of the line */
	int64_t rest_us; /* the duration of the line; 0: no movement */
} ProgressAim;

typedef struct BootProgress {
	int64_t finished_us; /* the end of the boot; 0: not yet */
	int64_t expected_us; /* the expected duration of the boot, as first known; 0: not yet */
	Durations *durations; /* of earlier boots, and of this one once it is finished */
	unsigned n_class[CLASS_COUNT]; /* the number of services; CLASS_OFF is not used */
	GPtrArray *moving; /* Service * of CLASS_MOVING */
	ProgressAim aim;
	bool is_aim_old; /* a service in motion has changed since the aim was computed */
	bool is_changed; /* changed in this turn of the engine */
} BootProgress;

typedef struct Boot {
	Engine *engine;
	BootProgress progress;
	GPtrArray *news; /* Service * with new data for boot_record_take_news() */
} Boot;

/* The data of one service: its Service.observed. */
typedef struct BootService {
	ProgressClass class;
	unsigned moving_index; /* CLASS_MOVING: the index in BootProgress.moving */
	BootRecord record; /* none if wanted_us is 0 */
	bool is_news; /* the service is in Boot.news */
} BootService;

static inline Boot *boot_of(const Engine *engine)
{
	return engine_observer_data(engine);
}

/* Makes the data of @s if there is none. */
BootService *boot_service(Service *s);

/* --- progress.c --- */
void progress_count(Boot *boot, Service *s);
void progress_remove(BootProgress *p, const BootService *service);
/* The callback turn_over of EngineObserver. */
bool progress_update(void *data);

/* --- boot-record.c --- */
/* The callback starting of EngineObserver. */
void boot_record_start(void *data, Service *s);
void boot_record_state_changed(Boot *boot, Service *s, ServiceState from);

#endif
