/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Notify eater: a few jobs of svc-worker, each in a slot.
 */
#include "config.h"

#include "process/notify-eater.h"

#include <string.h>

#include "base/fd.h"
#include "loop/loop.h"

typedef struct EaterSlot {
	NotifyEater *eater;
	char *owner; /* the name of the owner of its jobs */
	WorkerJob *job; /* NULL: the slot is free */
	bool is_stuck; /* its process did not finish the job; permanent */
} EaterSlot;

struct NotifyEater {
	WorkerPool *pool;
	EaterSlot slots[NOTIFY_EATERS];
	int socket; /* its first datagram is to be received; -1: none */
	EaterSlot *current; /* the slot that receives it; NULL: no slot is free */
	Timer *give_up;
	const NotifyEaterListener *listener;
	void *data;
};

static const WorkerListener job_listener;

static void begin(NotifyEater *eater)
{
	static const char *const fields[] = { "eat" };
	unsigned n_stuck = 0;

	for (unsigned i = 0; i < NOTIFY_EATERS && eater->socket >= 0; i++) {
		EaterSlot *slot = &eater->slots[i];

		n_stuck += slot->is_stuck;
		if (slot->is_stuck || slot->job)
			continue;
		eater->current = slot;
		slot->job = worker_job_new(eater->pool, slot->owner, fields, 1, &eater->socket, 1,
					   &job_listener, slot);
		return;
	}
	if (n_stuck == NOTIFY_EATERS)
		timer_arm(eater->give_up, loop_now());
}

static void on_answer(void *data, const char *const *fields, unsigned n_fields, int fd)
{
	EaterSlot *slot = data;
	NotifyEater *eater = slot->eater;
	const bool is_over = strcmp(fields[0], "eaten") != 0;
	const bool is_eaten = eater->current == slot;

	(void)n_fields;
	fd_close(&fd);
	if (is_over)
		slot->job = NULL;
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
	EaterSlot *slot = data;
	NotifyEater *eater = slot->eater;

	(void)why; /* the pool has logged it */
	slot->job = NULL;
	slot->is_stuck = true;
	if (eater->current == slot)
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

NotifyEater *notify_eater_new(WorkerPool *pool, const char *service,
			      const NotifyEaterListener *listener, void *data)
{
	NotifyEater *eater = g_new0(NotifyEater, 1);

	eater->pool = pool;
	eater->socket = -1;
	for (unsigned i = 0; i < NOTIFY_EATERS; i++) {
		eater->slots[i].eater = eater;
		eater->slots[i].owner = g_strdup_printf("%s (descriptors %u)", service, i + 1);
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
		worker_job_free(eater->slots[i].job);
		g_free(eater->slots[i].owner);
	}
	timer_free(eater->give_up);
	g_free(eater);
}
