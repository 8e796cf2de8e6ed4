/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Boot samples: how busy processors and disks were during the boot, from the kernel's counters.
 */
#ifndef SVCD_SVCCTL_BOOT_SAMPLES_H
#define SVCD_SVCCTL_BOOT_SAMPLES_H

#include <glib.h>
#include <stdint.h>

/* Beyond this number every second sample is dropped, and the interval doubles. */
#define BOOT_SAMPLES_MAX 512

/* Counters since the kernel started. */
typedef struct BootSample {
	int64_t at_us; /* CLOCK_MONOTONIC */
	int64_t busy; /* of all processors, in ticks */
	int64_t total; /* ticks that have passed on all processors */
	int64_t disk_ms; /* time during which the busiest disk had work */
	int64_t read_bytes; /* of all disks */
	int64_t written_bytes;
} BootSample;

typedef struct BootSamples {
	GArray *all; /* BootSample */
	int64_t interval_us;
} BootSamples;

BootSamples *boot_samples_new(void);
void boot_samples_free(BootSamples *samples);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(BootSamples, boot_samples_free)

/* @proc: "/proc" */
BootSample boot_sample_take(const char *proc, int64_t now_us);
/* Adds @sample, if the interval since the last one has passed. */
void boot_samples_add(BootSamples *samples, BootSample sample);
/* How busy the processors and the busiest disk were between two samples, from 0 to 1000. */
int boot_sample_processors(const BootSample *from, const BootSample *to);
int boot_sample_disk(const BootSample *from, const BootSample *to);

#endif
