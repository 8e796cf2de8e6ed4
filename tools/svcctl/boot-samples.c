/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Boot samples: /proc/stat (proc(5)) and /proc/diskstats (iostats.rst of the kernel).
 */
#include "config.h"

#include "svcctl/boot-samples.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define SECTOR_BYTES 512 /* in /proc/diskstats, on every disk */
#define FIRST_INTERVAL_US (200 * G_TIME_SPAN_MILLISECOND)

BootSamples *boot_samples_new(void)
{
	BootSamples *samples = g_new0(BootSamples, 1);

	samples->all = g_array_new(FALSE, FALSE, sizeof(BootSample));
	samples->interval_us = FIRST_INTERVAL_US;
	return samples;
}

void boot_samples_free(BootSamples *samples)
{
	if (!samples)
		return;
	g_array_unref(samples->all);
	g_free(samples);
}

static char *read_file(const char *proc, const char *name)
{
	g_autofree char *path = g_build_filename(proc, name, NULL);
	char *text = NULL;

	(void)g_file_get_contents(path, &text, NULL, NULL); /* on failure the sample stays 0 */
	return text;
}

/* Waiting for a disk is idle time. Guests are part of "user" already. */
static void take_processors(const char *proc, BootSample *ret)
{
	g_autofree char *text = read_file(proc, "stat");
	long long t[8] = { 0 };

	if (!text || sscanf(text, "cpu %lld %lld %lld %lld %lld %lld %lld %lld", &t[0], &t[1],
			    &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]) != G_N_ELEMENTS(t))
		return;
	ret->busy = t[0] + t[1] + t[2] + t[5] + t[6] + t[7];
	ret->total = ret->busy + t[3] + t[4];
}

/* Partitions and stacked devices would count their disk's work a second time. */
static bool is_disk(const char *name)
{
	static const char *const stacked[] = { "loop", "ram", "zram", "dm-", "md", "sr", "fd" };
	const size_t length = strlen(name);
	const bool has_p = strncmp(name, "nvme", 4) == 0 || strncmp(name, "mmcblk", 6) == 0;

	for (size_t i = 0; i < G_N_ELEMENTS(stacked); i++) {
		if (g_str_has_prefix(name, stacked[i]))
			return false;
	}
	return has_p ? strchr(name, 'p') == NULL : length > 0 && !g_ascii_isdigit(name[length - 1]);
}

static void take_disks(const char *proc, BootSample *ret)
{
	g_autofree char *text = read_file(proc, "diskstats");
	g_auto(GStrv) lines = text ? g_strsplit(text, "\n", -1) : NULL;

	for (size_t i = 0; lines && lines[i]; i++) {
		char name[64];
		long long read;
		long long written;
		long long busy_ms;

		if (sscanf(lines[i], " %*u %*u %63s %*u %*u %lld %*u %*u %*u %lld %*u %*u %lld",
			   name, &read, &written, &busy_ms) != 4 ||
		    !is_disk(name))
			continue;
		ret->read_bytes += read * SECTOR_BYTES;
		ret->written_bytes += written * SECTOR_BYTES;
		ret->disk_ms = MAX(ret->disk_ms, busy_ms);
	}
}

BootSample boot_sample_take(const char *proc, int64_t now_us)
{
	BootSample sample = { .at_us = now_us };

	take_processors(proc, &sample);
	take_disks(proc, &sample);
	return sample;
}

static void thin_out(BootSamples *samples)
{
	for (guint i = 1; i < samples->all->len; i++)
		g_array_remove_index(samples->all, i);
	samples->interval_us *= 2;
}

void boot_samples_add(BootSamples *samples, BootSample sample)
{
	const GArray *all = samples->all;

	if (all->len > 0 && sample.at_us - g_array_index(all, BootSample, all->len - 1).at_us <
				    samples->interval_us)
		return;
	if (all->len == BOOT_SAMPLES_MAX)
		thin_out(samples);
	g_array_append_val(samples->all, sample);
}

static int permille(int64_t part, int64_t whole)
{
	return whole > 0 ? (int)CLAMP(part * 1000 / whole, 0, 1000) : 0;
}

int boot_sample_processors(const BootSample *from, const BootSample *to)
{
	return permille(to->busy - from->busy, to->total - from->total);
}

int boot_sample_disk(const BootSample *from, const BootSample *to)
{
	return permille((to->disk_ms - from->disk_ms) * 1000, to->at_us - from->at_us);
}
