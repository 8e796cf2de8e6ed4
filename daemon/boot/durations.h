/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Durations: how long the services took in earlier boots, and the expected durations of the next
 * boot.
 *
 * The expected duration of a service is the median of its last boots. So one boot with a file
 * system check changes nothing, and a lasting change has an effect after three boots. The manager
 * (manager/boot-history.c) reads and writes the file, of which this is the text format. The reasons
 * are in docs/engine.md, "Progress".
 */
#ifndef SVCD_BOOT_DURATIONS_H
#define SVCD_BOOT_DURATIONS_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Durations Durations;

/* The number of boots that are remembered for each service. */
#define DURATIONS_MEMORY 5

/* A service that took no part in this many boots is forgotten. */
#define DURATIONS_MISSED 20

/* The number of boots whose total and expected times are remembered. */
#define DURATIONS_BOOTS 16

typedef struct Duration {
	int64_t start_us; /* from start to ready */
	int64_t tail_us; /* from ready to the end of the boot */
} Duration;

Durations *durations_new(void); /* empty */
void durations_free(Durations *durations);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Durations, durations_free)

/**
 * durations_parse() - parse the text of the file, which may contain anything
 * Returns: NULL with @error, which names the line, if the text differs from the format of
 * durations_format().
 */
Durations *durations_parse(const char *text, size_t length, GError **error);
/* A new string. */
char *durations_format(const Durations *durations);

/* False before the first boot has ended. */
bool durations_know_anything(const Durations *durations);

/**
 * durations_expect() - the probable duration of a start of @service
 *
 * An unknown service gets the typical start time, and a tail of 0.
 */
Duration durations_expect(const Durations *durations, const char *service);

/**
 * durations_learn() - add this boot: one call for each service, then durations_learn_boot()
 * @expected_us: the total time that was expected at the beginning, 0: none
 */
void durations_learn(Durations *durations, const char *service, Duration took);
void durations_learn_boot(Durations *durations, int64_t took_us, int64_t expected_us);

#endif
