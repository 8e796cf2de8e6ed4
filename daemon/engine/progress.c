/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Progress: how far the boot is. Every service is counted in one class, so asking costs nothing.
 */
#include "config.h"

#include "engine/progress.h"

#include "engine/engine-private.h"

static ProgressClass classify(const Service *s)
{
	if (!service_is_wanted(s))
		return service_is_active(s) ? CLASS_LEFT : CLASS_OFF;
	if (s->priv->is_unsettled)
		return CLASS_MOVING;
	if (service_is_up(s))
		return CLASS_UP;
	return s->state == STATE_FAILED ? CLASS_FAILED : CLASS_HELD;
}

void progress_count(Service *s)
{
	Engine *engine = s->priv->engine;
	const ProgressClass now = classify(s);

	if (now == s->priv->counted_as)
		return;
	engine->n_class[s->priv->counted_as]--;
	engine->n_class[now]++;
	s->priv->counted_as = now;
	engine->is_progress_changed = true;
}

void progress_add(Service *s)
{
	s->priv->counted_as = classify(s);
	s->priv->engine->n_class[s->priv->counted_as]++;
}

void progress_remove(Service *s)
{
	s->priv->engine->n_class[s->priv->counted_as]--;
}

static unsigned count_wanted(const Engine *engine)
{
	return engine->n_class[CLASS_MOVING] + engine->n_class[CLASS_UP] + engine->n_class[CLASS_FAILED] +
	       engine->n_class[CLASS_HELD];
}

void progress_update(Engine *engine)
{
	const bool is_at_rest = engine_is_at_rest(engine);
	const unsigned total = count_wanted(engine);
	double fraction = total ? 1.0 - (double)engine->n_class[CLASS_MOVING] / total : 0.0;

	if (is_at_rest && !engine->finished_us) {
		engine->finished_us = MAX(engine->now_us, 1);
		engine->is_progress_changed = true;
	}
	if (engine->finished_us)
		fraction = 1.0;
	engine->progress_shown = MAX(engine->progress_shown, fraction);
	if (engine->is_progress_changed || is_at_rest != engine->was_at_rest)
		engine->ops->engine_changed(engine->data);
	engine->was_at_rest = is_at_rest;
	engine->is_progress_changed = false;
}

static const char *find_current(const Engine *engine)
{
	for (unsigned i = 0; i < engine->services->len; i++) {
		const Service *s = g_ptr_array_index(engine->services, i);

		if (s->state == STATE_STARTING)
			return s->def->description;
	}
	return NULL;
}

void progress_get(const Engine *engine, Progress *ret)
{
	*ret = (Progress){
		.fraction = engine->progress_shown,
		.ready = engine->n_class[CLASS_UP],
		.total = count_wanted(engine),
		.failed = engine->n_class[CLASS_FAILED],
		.finished = engine->finished_us != 0,
		.boot_us = engine->boot_us,
		.finished_us = engine->finished_us,
		.current = find_current(engine),
	};
}
