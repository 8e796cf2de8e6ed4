/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Durations: what earlier boots took, service by service, and what is to be expected of the next one.
 *
 * Of each service the last few boots are remembered, and the median of them is expected: one boot with a file system check
 * changes nothing, and what has really changed is believed after three boots. Reading and writing the file is the
 * manager's work (history.c); its text is made and understood here. Why so: docs/engine.md, "Progress".
 */
#ifndef SVCD_ENGINE_DURATIONS_H
#define SVCD_ENGINE_DURATIONS_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Durations Durations;

/* Boots remembered of one service. */
#define DURATIONS_MEMORY 5

/* A service that so many boots had nothing to do with is forgotten. */
#define DURATIONS_MISSED 20

/* Boots whose whole time is kept, with what was expected of it. */
#define DURATIONS_BOOTS 16

typedef struct Duration {
	int64_t start_us; /* from being started to being ready */
	int64_t tail_us;  /* from being ready to the end of the boot */
} Duration;

Durations *durations_new(void); /* nothing is known */
void durations_free(Durations *durations);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Durations, durations_free)

/**
 * durations_parse() - the text of the file, which may be anything
 * Returns: NULL with @error, which names the line, when not all of it is as durations_format() writes it.
 */
Durations *durations_parse(const char *text, size_t length, GError **error);
/* A new string. */
char *durations_format(const Durations *durations);

/* False before the first boot was over. */
bool durations_know_anything(const Durations *durations);

/**
 * durations_expect() - what a start of @service will probably take
 *
 * One that no boot has seen yet is taken for a middling one that nobody waits for.
 */
Duration durations_expect(const Durations *durations, const char *service);

/**
 * durations_learn() - what this boot took: each service once, then the whole
 * @expected_us: what was expected of the whole when it began, 0: nothing
 */
void durations_learn(Durations *durations, const char *service, Duration took);
void durations_learn_boot(Durations *durations, int64_t took_us, int64_t expected_us);

#endif
