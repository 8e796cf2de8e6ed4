/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Boot spans: the duration of each part of the boot, and the total. Every duration of the boot that
 * svcctl prints is computed here.
 */
#ifndef SVCD_SVCCTL_BOOT_SPANS_H
#define SVCD_SVCCTL_BOOT_SPANS_H

#include <glib.h>
#include <stdint.h>

typedef struct BootSpans {
	int64_t firmware_us; /* with the boot loader; 0: not known */
	/* with the initramfs; 0: in a container, because the kernel is the host's */
	int64_t kernel_us;
	int64_t svcd_us; /* from PID 1's start to the end of the boot, or to now */
	int64_t up_us; /* the kernel and svcd until now, also after the end of the boot */
} BootSpans;

/**
 * boot_spans_measure() - compute the durations from the properties of two interfaces
 * @manager: org.svcd1.Manager
 * @boot: org.svcd1.Boot
 */
BootSpans boot_spans_measure(GVariant *manager, GVariant *boot, int64_t now_us);
int64_t boot_spans_total(const BootSpans *spans);

#endif
