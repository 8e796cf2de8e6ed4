/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Progress: each service belongs to one class. The services in motion (CLASS_MOVING) are on a list,
 * so the cost of an event depends only on the services that it changes.
 *
 * The bar follows a line from its position at an event to the end of the bar, over the probable
 * remaining time of the boot. Each event that changes the services in motion computes a new line
 * from the present position.
 */
#include "config.h"

#include "boot/progress.h"

#include "boot/boot-private.h"

/*
 * Up to this part of the line the bar has a constant speed. Then it only approaches the end,
 * because no estimate is certain.
 */
#define AIM_EVEN 0.875

/* The minimum, because a remaining time of 0 would make the bar jump. */
#define AIM_MIN_REST_US (10 * G_TIME_SPAN_MILLISECOND)

/*
 * With more services in motion than this, a new line is computed only every AIM_INTERVAL_US,
 * because the computation reads all of them.
 */
#define AIM_ALWAYS 256
#define AIM_INTERVAL_US (100 * G_TIME_SPAN_MILLISECOND)

/* The first boot has no known durations. The first service is expected to be up after this time. */
#define FIRST_STEP_US G_USEC_PER_SEC

static ProgressClass classify(const Service *s)
{
	if (!service_is_wanted(s))
		return CLASS_OFF;
	if (!engine_is_settled(s) && !engine_waits_for_login_screen(s))
		return CLASS_MOVING;
	if (service_is_up(s))
		return CLASS_UP;
	return s->state == STATE_FAILED || engine_is_failing(s) ? CLASS_FAILED : CLASS_HELD;
}

/* --- classes, and the list of services in motion --- */

static void enter_class(BootProgress *p, Service *s, ProgressClass class)
{
	BootService *service = boot_service(s);

	service->class = class;
	p->n_class[class]++;
	if (class == CLASS_MOVING) {
		service->moving_index = p->moving->len;
		g_ptr_array_add(p->moving, s);
	}
}

/* In the list of services in motion, the last entry takes the place of the removed one. */
void progress_remove(BootProgress *p, const BootService *service)
{
	p->n_class[service->class]--;
	if (service->class == CLASS_MOVING) {
		Service *last = g_ptr_array_index(p->moving, p->moving->len - 1);

		boot_service(last)->moving_index = service->moving_index;
		(void)g_ptr_array_remove_index_fast(p->moving, service->moving_index);
	}
}

void progress_count(Boot *boot, Service *s)
{
	BootProgress *p = &boot->progress;
	const BootService *service = s->observed;
	const ProgressClass now = classify(s);

	/* A service that enters backoff stays in motion, but takes longer than expected. */
	if (now == CLASS_MOVING)
		p->is_aim_old = true;
	if (now == (service ? service->class : CLASS_OFF))
		return;
	if (service)
		progress_remove(p, service);
	enter_class(p, s, now);
	p->is_aim_old = true;
	p->is_changed = true;
}

static unsigned count_wanted(const BootProgress *p)
{
	return p->n_class[CLASS_MOVING] + p->n_class[CLASS_UP] + p->n_class[CLASS_FAILED] +
	       p->n_class[CLASS_HELD];
}

/* --- the expected remaining time --- */

/*
 * The remaining time of a start that was expected to take @start_us and has taken @elapsed_us. Even
 * after @start_us a rest is expected: an eighth of @start_us, or half of the delay if that is
 * longer.
 */
static int64_t rest_of_start(int64_t start_us, int64_t elapsed_us)
{
	return MAX(MAX(start_us - elapsed_us, start_us / 8), (elapsed_us - start_us) / 2);
}

/*
 * The time until the end of the boot, estimated from the state of @s and from its durations in
 * earlier boots.
 */
static int64_t rest_after(const BootProgress *p, const Service *s, int64_t now_us)
{
	const Duration expected = durations_expect(p->durations, s->def->name);

	switch (s->state) {
	case STATE_STARTING:
		return rest_of_start(expected.start_us, now_us - s->started_us) + expected.tail_us;
	case STATE_BACKOFF:
		return MAX(s->backoff_until_us - now_us, 0) + expected.start_us + expected.tail_us;
	case STATE_IDLE:
	case STATE_WAITING:
	case STATE_READY:
	case STATE_DONE:
	case STATE_STOPPING:
	case STATE_FAILED:
	case STATE_COUNT:
		break;
	}
	return expected.start_us + expected.tail_us;
}

static int64_t rest_known(const BootProgress *p, int64_t now_us)
{
	int64_t rest_us = AIM_MIN_REST_US;

	for (unsigned i = 0; i < p->moving->len; i++)
		rest_us = MAX(rest_us, rest_after(p, g_ptr_array_index(p->moving, i), now_us));
	return rest_us;
}

static double fraction_counted(const BootProgress *p)
{
	const unsigned total = count_wanted(p);

	return total ? 1.0 - (double)p->n_class[CLASS_MOVING] / total : 0.0;
}

int64_t progress_rest(const Engine *engine, int64_t now_us)
{
	const BootProgress *p = &boot_of(engine)->progress;

	if (p->finished_us || !engine_times(engine).boot_us ||
	    !durations_know_anything(p->durations))
		return 0;
	return rest_known(p, now_us);
}

/* --- the aim --- */

static double aim_fraction(const ProgressAim *aim, int64_t now_us)
{
	const double past = 1 - AIM_EVEN;
	double covered;

	if (aim->rest_us <= 0 || now_us <= aim->at_us)
		return aim->from;
	covered = (double)(now_us - aim->at_us) / (double)aim->rest_us;
	if (covered > AIM_EVEN)
		covered = 1 - past / (1 + (covered - AIM_EVEN) / past);
	return MIN(aim->from + (aim->to - aim->from) * covered, PROGRESS_MOST);
}

/* A line to the end, in the expected time. */
static ProgressAim aim_known(BootProgress *p, const EngineTimes *times)
{
	const int64_t rest_us = rest_known(p, times->now_us);

	if (!p->expected_us)
		p->expected_us = times->now_us - times->boot_us + rest_us;
	return (ProgressAim){ .at_us = times->now_us,
			      .from = aim_fraction(&p->aim, times->now_us),
			      .to = 1,
			      .rest_us = rest_us };
}

/* A line to the position after the next completed service. */
static ProgressAim aim_counted(const BootProgress *p, const EngineTimes *times)
{
	const unsigned n_done = count_wanted(p) - p->n_class[CLASS_MOVING];
	const double from = MAX(aim_fraction(&p->aim, times->now_us), fraction_counted(p));
	const int64_t pace_us = n_done ? (times->now_us - times->boot_us) / n_done : FIRST_STEP_US;

	return (ProgressAim){ .at_us = times->now_us,
			      .from = from,
			      .to = MIN(from + 1.0 / count_wanted(p), 1.0),
			      .rest_us = MAX(pace_us, AIM_MIN_REST_US) };
}

static void aim_anew(BootProgress *p, const EngineTimes *times)
{
	if (p->finished_us || !times->begun_us || !p->is_aim_old || p->moving->len == 0)
		return;
	if (p->moving->len > AIM_ALWAYS && times->now_us < p->aim.at_us + AIM_INTERVAL_US)
		return;
	p->aim = durations_know_anything(p->durations) ? aim_known(p, times) :
							 aim_counted(p, times);
	p->is_aim_old = false;
	p->is_changed = true; /* the note contains the aim */
}

double progress_fraction(const Engine *engine, int64_t now_us)
{
	const BootProgress *p = &boot_of(engine)->progress;

	return p->finished_us ? 1.0 : aim_fraction(&p->aim, now_us);
}

/* --- the end of a boot --- */

/* Failed services are included, because they have delayed the boot as well. */
static void learn_service(BootProgress *p, const Service *s, int64_t boot_us)
{
	const int64_t over_us = service_is_up(s) ? s->ready_us : s->since_us;

	if (!service_is_wanted(s) ||
	    (!service_is_up(s) && s->state != STATE_FAILED && s->state != STATE_BACKOFF) ||
	    s->started_us < boot_us || over_us < s->started_us)
		return;
	durations_learn(p->durations, s->def->name,
			(Duration){ .start_us = over_us - s->started_us,
				    .tail_us = p->finished_us - over_us });
}

static void finish(Boot *boot, const EngineTimes *times)
{
	const GPtrArray *services = engine_services(boot->engine);
	BootProgress *p = &boot->progress;

	p->finished_us = MAX(times->now_us, 1);
	p->is_changed = true;
	if (engine_is_shutting_down(boot->engine))
		return; /* the boot was interrupted, so its times predict nothing */
	for (unsigned i = 0; i < services->len; i++)
		learn_service(p, g_ptr_array_index(services, i), times->boot_us);
	durations_learn_boot(p->durations, p->finished_us - times->boot_us, p->expected_us);
}

bool progress_update(void *data)
{
	Boot *boot = data;
	const EngineTimes times = engine_times(boot->engine);
	bool is_changed;

	if (!boot->progress.finished_us && engine_has_booted(boot->engine))
		finish(boot, &times);
	aim_anew(&boot->progress, &times);
	is_changed = boot->progress.is_changed;
	boot->progress.is_changed = false;
	return is_changed;
}

void progress_know(Engine *engine, Durations *known, int64_t now_us)
{
	BootProgress *p = &boot_of(engine)->progress;

	durations_free(p->durations);
	p->durations = known;
	p->is_aim_old = true;
	engine_end_turn(engine, now_us);
}

/* --- queries --- */

const Durations *progress_durations(const Engine *engine)
{
	return boot_of(engine)->progress.durations;
}

const char *progress_current(const Engine *engine)
{
	const GPtrArray *moving = boot_of(engine)->progress.moving;
	const Service *found = NULL;

	for (unsigned i = 0; i < moving->len; i++) {
		const Service *s = g_ptr_array_index(moving, i);

		if (s->state == STATE_STARTING && (!found || s->started_us < found->started_us))
			found = s;
	}
	return found ? service_def_description(found->def) : NULL;
}

bool progress_is_finished(const Engine *engine)
{
	return boot_of(engine)->progress.finished_us != 0;
}

void progress_get(const Engine *engine, Progress *ret)
{
	const BootProgress *p = &boot_of(engine)->progress;

	*ret = (Progress){
		.ready = p->n_class[CLASS_UP],
		.total = count_wanted(p),
		.failed = p->n_class[CLASS_FAILED],
		.finished = p->finished_us != 0,
		.boot_us = engine_times(engine).boot_us,
		.finished_us = p->finished_us,
	};
}
