/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Notify eater: a few jobs of svc-worker, each in a slot.
 */
#include "config.h"

#include "process/notify-eater.h"

#include <string.h>

#include "base/fd.h"
#include "loop/loop.h"

typedef struct Place {
	NotifyEater *eater;
	char *owner;    /* the owner name of its jobs */
	WorkerJob *job; /* NULL: the slot is free */
	bool is_stuck;  /* its process did not finish the job; permanent */
} Place;

struct NotifyEater {
	WorkerPool *pool;
	Place places[NOTIFY_EATERS];
	int socket;     /* the first datagram of it is to be received; -1: none */
	Place *current; /* the slot that receives it; NULL: no slot is free */
	Timer *give_up;
	const NotifyEaterListener *listener;
	void *data;
};

static const WorkerListener job_listener;

static void begin(NotifyEater *eater)
{
	static const char *const words[] = { "eat" };
	unsigned n_stuck = 0;

	for (unsigned i = 0; i < NOTIFY_EATERS && eater->socket >= 0; i++) {
		Place *place = &eater->places[i];

		n_stuck += place->is_stuck;
		if (place->is_stuck || place->job)
			continue;
		eater->current = place;
		place->job = worker_job_new(eater->pool, place->owner, words, 1, &eater->socket, 1, &job_listener, place);
		return;
	}
	if (n_stuck == NOTIFY_EATERS)
		timer_arm(eater->give_up, loop_now());
}

static void on_answer(void *data, const char *const *words, unsigned n_words, int fd)
{
	Place *place = data;
	NotifyEater *eater = place->eater;
	const bool is_over = strcmp(words[0], "eaten") != 0;
	const bool is_eaten = eater->current == place;

	(void)n_words;
	fd_close(&fd);
	if (is_over)
		place->job = NULL;
	if (is_eaten) {
		eater->current = NULL;
		eater->socket = -1;
		eater->listener->eaten(eater->data);
	} else if (is_over && !eater->current) {
		begin(eater); /* a datagram waits for a slot */
	}
}

static void on_lost(void *data, const char *why)
{
	Place *place = data;
	NotifyEater *eater = place->eater;

	(void)why; /* the pool has logged it */
	place->job = NULL;
	place->is_stuck = true;
	if (eater->current == place)
		eater->current = NULL;
	if (!eater->current)
		begin(eater);
}

static const WorkerListener job_listener = { .answer = on_answer, .lost = on_lost };

static void on_give_up(void *data)
{
	NotifyEater *eater = data;

	eater->listener->given_up(eater->data);
}

NotifyEater *notify_eater_new(WorkerPool *pool, const char *service, const NotifyEaterListener *listener, void *data)
{
	NotifyEater *eater = g_new0(NotifyEater, 1);

	eater->pool = pool;
	eater->socket = -1;
	for (unsigned i = 0; i < NOTIFY_EATERS; i++) {
		eater->places[i].eater = eater;
		eater->places[i].owner = g_strdup_printf("%s (descriptors %u)", service, i + 1);
	}
	eater->give_up = timer_new(on_give_up, eater);
	eater->listener = listener;
	eater->data = data;
	return eater;
}

void notify_eater_eat(NotifyEater *eater, int socket)
{
	eater->socket = socket;
	eater->current = NULL;
	begin(eater);
}

void notify_eater_free(NotifyEater *eater)
{
	if (!eater)
		return;
	for (unsigned i = 0; i < NOTIFY_EATERS; i++) {
		worker_job_free(eater->places[i].job);
		g_free(eater->places[i].owner);
	}
	timer_free(eater->give_up);
	g_free(eater);
}
