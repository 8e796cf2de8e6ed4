/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Boot spans: how long each part of the boot took, and all of it. Whoever tells the duration of the boot tells this one.
 */
#ifndef SVCD_SVCCTL_BOOT_SPANS_H
#define SVCD_SVCCTL_BOOT_SPANS_H

#include <glib.h>
#include <stdint.h>

typedef struct BootSpans {
	int64_t firmware_us; /* with the boot loader; 0: not known */
	int64_t kernel_us;   /* with the initramfs; 0: this is a container, so that it is not this boot's */
	int64_t svcd_us;     /* from PID 1's first moment to the end of the boot, or to now */
	int64_t up_us;       /* the kernel and svcd until now, however long ago the boot was finished */
} BootSpans;

/**
 * boot_spans_measure() - from the properties of two interfaces
 * @manager: org.svcd1.Manager
 * @boot:    org.svcd1.Boot
 */
BootSpans boot_spans_measure(GVariant *manager, GVariant *boot, int64_t now_us);
int64_t boot_spans_total(const BootSpans *spans);

#endif
