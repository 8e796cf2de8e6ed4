/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Supervise, the phase: the text by which the next manager goes on.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "process/supervise.h"
#include "process/supervise-private.h"

/* In the phase: tenths of a second, so that a day has five digits. */
#define WATCHDOG_UNIT_US (G_USEC_PER_SEC / 10)

/* What is true of the run, a letter each; also the order in which they are written. */
static const struct {
	char letter;
	size_t offset; /* of a bool */
} flags[] = {
	{ 'r', offsetof(Supervisor, was_ready) },
	{ 'f', offsetof(Supervisor, failed_told) },
	{ 'x', offsetof(Supervisor, exited_told) },
	{ 's', offsetof(Supervisor, is_stopping) },
	{ 'u', offsetof(Supervisor, has_run) },
};

void supervisor_phase(const Supervisor *s, char *text, size_t size)
{
	/* Rounded up, never to a time that is too short. */
	const int64_t watchdog = (s->watchdog_us + WATCHDOG_UNIT_US - 1) / WATCHDOG_UNIT_US;
	char letters[G_N_ELEMENTS(flags) + 2] = "-";
	char *end = letters + 1;
	int length;

	for (size_t i = 0; i < G_N_ELEMENTS(flags); i++) {
		if (*(const bool *)((const char *)s + flags[i].offset))
			*end++ = flags[i].letter;
	}
	*end = '\0';
	length = snprintf(text, size, "%s:%u:%" PRId64 ":%s", step_name(s->step), s->index, timer_deadline(s->limit), letters);
	if ((watchdog > 0 || s->next_main_pid > 0) && length > 0 && (size_t)length < size)
		length += snprintf(text + length, size - (size_t)length, ":%x", (unsigned)watchdog);
	if (s->next_main_pid > 0 && length > 0 && (size_t)length < size)
		(void)snprintf(text + length, size - (size_t)length, ":%x", (unsigned)s->next_main_pid);
}

bool supervisor_parse_phase(Supervisor *s, const char *phase)
{
	unsigned watchdog = 0;
	unsigned next_main_pid = 0;
	char name[16];
	char letters[8];
	unsigned index;
	int64_t deadline_us;
	Step step;

	if (sscanf(phase, "%15[a-z]:%u:%" SCNd64 ":%7[-a-z]:%x:%x", name, &index, &deadline_us, letters, &watchdog,
		   &next_main_pid) < 4 ||
	    !step_from_name(name, &step))
		return false;
	s->step = step;
	s->index = index;
	for (size_t i = 0; i < G_N_ELEMENTS(flags); i++)
		*(bool *)((char *)s + flags[i].offset) = strchr(letters, flags[i].letter) != NULL;
	s->watchdog_us = MIN((int64_t)watchdog * WATCHDOG_UNIT_US, WATCHDOG_MAX_US);
	s->next_main_pid = (pid_t)MIN(next_main_pid, (unsigned)G_MAXINT);
	supervisor_set_limit(s, deadline_us > 0 ? deadline_us : 0);
	g_strlcpy(s->noted, phase, sizeof s->noted);
	return true;
}

void supervisor_note_phase(Supervisor *s)
{
	char phase[sizeof s->noted];

	supervisor_phase(s, phase, sizeof phase);
	if (s->step == STEP_GONE || strcmp(phase, s->noted) == 0)
		return;
	g_strlcpy(s->noted, phase, sizeof s->noted);
	supervisor_event(s, PROCESS_PHASE, NULL);
}
