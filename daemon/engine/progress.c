/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Progress: each service belongs to one class, and services in motion are on a list. So the cost of
 * an event depends on what it changes.
 *
 * The bar follows a line from its position at an event to its end, over the probable rest of the
 * boot. Each event that changes the services in motion computes a new line from the present
 * position.
 */
#include "config.h"

#include "engine/progress.h"

#include "engine/engine-private.h"

/*
 * Up to here the bar moves at a constant speed. After that it only approaches the end, because no
 * estimate is certain.
 */
#define AIM_EVEN 0.875

/* The minimum, because a rest of 0 would make the bar jump. */
#define AIM_MIN_REST_US (10 * G_TIME_SPAN_MILLISECOND)

/*
 * With more services in motion, a new line is computed only every AIM_INTERVAL_US, because that
 * reads all of them.
 */
#define AIM_ALWAYS 256
#define AIM_INTERVAL_US (100 * G_TIME_SPAN_MILLISECOND)

/*
 * The first boot has no known durations. Until there is a pace, the next service is expected after
 * this time.
 */
#define FIRST_STEP_US G_USEC_PER_SEC

static ProgressClass classify(const Service *s)
{
	if (!service_is_wanted(s))
		return service_is_active(s) && !s->stop_problem ? CLASS_LEFT : CLASS_OFF;
	if (s->priv->is_unsettled && !login_screen_holds(s))
		return CLASS_MOVING;
	if (service_is_up(s))
		return CLASS_UP;
	return s->state == STATE_FAILED || engine_is_failing(s) ? CLASS_FAILED : CLASS_HELD;
}

/* --- classes, and the list of services in motion --- */

static void add_moving(Service *s)
{
	s->priv->moving_index = s->priv->engine->moving->len;
	g_ptr_array_add(s->priv->engine->moving, s);
}

/* The last entry replaces it. */
static void remove_moving(Service *s)
{
	GPtrArray *moving = s->priv->engine->moving;
	Service *last = g_ptr_array_index(moving, moving->len - 1);

	last->priv->moving_index = s->priv->moving_index;
	(void)g_ptr_array_remove_index_fast(moving, s->priv->moving_index);
}

static void enter_class(Service *s, ProgressClass class)
{
	s->priv->counted_as = class;
	s->priv->engine->n_class[class]++;
	if (class == CLASS_MOVING)
		add_moving(s);
}

static void leave_class(Service *s)
{
	s->priv->engine->n_class[s->priv->counted_as]--;
	if (s->priv->counted_as == CLASS_MOVING)
		remove_moving(s);
}

void progress_count(Service *s)
{
	Engine *engine = s->priv->engine;
	const ProgressClass now = classify(s);

	/* A service that enters back-off stays in motion, and takes longer than expected. */
	if (now == CLASS_MOVING)
		engine->is_aim_old = true;
	if (now == s->priv->counted_as)
		return;
	leave_class(s);
	enter_class(s, now);
	engine->is_aim_old = true;
	engine->is_progress_changed = true;
}

void progress_add(Service *s)
{
	enter_class(s, classify(s));
}

void progress_remove(Service *s)
{
	leave_class(s);
}

static unsigned count_wanted(const Engine *engine)
{
	return engine->n_class[CLASS_MOVING] + engine->n_class[CLASS_UP] + engine->n_class[CLASS_FAILED] +
	       engine->n_class[CLASS_HELD];
}

/* --- the expected rest --- */

/*
 * The rest of a start that was expected to take @start_us and has taken @elapsed_us. A late start
 * is not assumed to be over: an eighth always remains, and after a long delay half of the delay.
 */
static int64_t rest_of_start(int64_t start_us, int64_t elapsed_us)
{
	return MAX(MAX(start_us - elapsed_us, start_us / 8), (elapsed_us - start_us) / 2);
}

/*
 * The time until the end of the boot, judged by this service and by what followed it in earlier
 * boots.
 */
static int64_t rest_after(const Service *s, int64_t now_us)
{
	const Duration expected = durations_expect(s->priv->engine->durations, s->def->name);

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

static int64_t rest_known(const Engine *engine, int64_t now_us)
{
	int64_t rest_us = AIM_MIN_REST_US;

	for (unsigned i = 0; i < engine->moving->len; i++)
		rest_us = MAX(rest_us, rest_after(g_ptr_array_index(engine->moving, i), now_us));
	return rest_us;
}

static double fraction_counted(const Engine *engine)
{
	const unsigned total = count_wanted(engine);

	return total ? 1.0 - (double)engine->n_class[CLASS_MOVING] / total : 0.0;
}

int64_t progress_rest(const Engine *engine, int64_t now_us)
{
	if (engine->finished_us || !engine->boot_us || !durations_know_anything(engine->durations))
		return 0;
	return rest_known(engine, now_us);
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

/* To the end, in the expected time. */
static ProgressAim aim_known(Engine *engine)
{
	const int64_t rest_us = rest_known(engine, engine->now_us);

	if (!engine->expected_us)
		engine->expected_us = engine->now_us - engine->boot_us + rest_us;
	return (ProgressAim){ .at_us = engine->now_us, .from = aim_fraction(&engine->aim, engine->now_us), .to = 1,
			      .rest_us = rest_us };
}

/* To the position after the next completed service. */
static ProgressAim aim_counted(const Engine *engine)
{
	const unsigned n_done = count_wanted(engine) - engine->n_class[CLASS_MOVING];
	const double from = MAX(aim_fraction(&engine->aim, engine->now_us), fraction_counted(engine));
	const int64_t pace_us = n_done ? (engine->now_us - engine->boot_us) / n_done : FIRST_STEP_US;

	return (ProgressAim){ .at_us = engine->now_us, .from = from,
			      .to = MIN(from + 1.0 / count_wanted(engine), 1.0),
			      .rest_us = MAX(pace_us, AIM_MIN_REST_US) };
}

static void aim_anew(Engine *engine)
{
	if (engine->finished_us || !engine->is_acting || !engine->is_aim_old || engine->moving->len == 0)
		return;
	if (engine->moving->len > AIM_ALWAYS && engine->now_us < engine->aim.at_us + AIM_INTERVAL_US)
		return;
	engine->aim = durations_know_anything(engine->durations) ? aim_known(engine) : aim_counted(engine);
	engine->is_aim_old = false;
	engine->is_progress_changed = true; /* for the note */
}

double progress_fraction(const Engine *engine, int64_t now_us)
{
	return engine->finished_us ? 1.0 : aim_fraction(&engine->aim, now_us);
}

/* --- the end of a boot --- */

/* A failed service has delayed the boot as long as a successful one. */
static void learn_service(Engine *engine, const Service *s)
{
	const int64_t over_us = service_is_up(s) ? s->ready_us : s->since_us;

	if (!service_is_wanted(s) || (!service_is_up(s) && s->state != STATE_FAILED && s->state != STATE_BACKOFF) ||
	    s->started_us < engine->boot_us || over_us < s->started_us)
		return;
	durations_learn(engine->durations, s->def->name,
			(Duration){ .start_us = over_us - s->started_us, .tail_us = engine->finished_us - over_us });
}

static void finish(Engine *engine)
{
	engine->finished_us = MAX(engine->now_us, 1);
	engine->is_progress_changed = true;
	if (engine_is_shutting_down(engine))
		return; /* it was interrupted, so its times predict nothing */
	for (unsigned i = 0; i < engine->services->len; i++)
		learn_service(engine, g_ptr_array_index(engine->services, i));
	durations_learn_boot(engine->durations, engine->finished_us - engine->boot_us, engine->expected_us);
}

void progress_update(Engine *engine)
{
	const bool is_at_rest = engine_is_at_rest(engine);

	if (engine->is_acting && engine->n_holding_up == 0 && engine->n_class[CLASS_LEFT] == 0 && !engine->finished_us)
		finish(engine);
	aim_anew(engine);
	if (engine->is_progress_changed || is_at_rest != engine->was_at_rest)
		engine->ops->engine_changed(engine->data);
	engine->was_at_rest = is_at_rest;
	engine->is_progress_changed = false;
}

void progress_know(Engine *engine, Durations *known, int64_t now_us)
{
	engine_set_now(engine, now_us);
	durations_free(engine->durations);
	engine->durations = known;
	engine->is_aim_old = true;
	progress_update(engine);
}

/* --- queries --- */

const Durations *progress_durations(const Engine *engine)
{
	return engine->durations;
}

const char *progress_current(const Engine *engine)
{
	const Service *found = NULL;

	for (unsigned i = 0; i < engine->moving->len; i++) {
		const Service *s = g_ptr_array_index(engine->moving, i);

		if (s->state == STATE_STARTING && (!found || s->started_us < found->started_us))
			found = s;
	}
	return found ? service_def_description(found->def) : NULL;
}

bool progress_is_finished(const Engine *engine)
{
	return engine->finished_us != 0;
}

void progress_get(const Engine *engine, Progress *ret)
{
	*ret = (Progress){
		.ready = engine->n_class[CLASS_UP],
		.total = count_wanted(engine),
		.failed = engine->n_class[CLASS_FAILED],
		.finished = progress_is_finished(engine),
		.boot_us = engine->boot_us,
		.finished_us = engine->finished_us,
	};
}
