/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Boot spans: computed from the manager's times of PID 1's start and of the end of the boot, and
 * from the firmware's table.
 */
#include "config.h"

#include "svcctl/boot-spans.h"

#include <string.h>

#include "base/text.h"
#include "svcctl/svcctl.h"

/*
 * ACPI's Firmware Performance Data Table: nanoseconds from reset to the kernel. The kernel's clock
 * starts at about that time.
 */
#define FIRMWARE_FILE "/sys/firmware/acpi/fpdt/boot/exitbootservice_exit_ns"

static int64_t read_firmware(void)
{
	g_autofree char *text = NULL;
	uint64_t ns;

	if (!g_file_get_contents(FIRMWARE_FILE, &text, NULL, NULL) ||
	    !text_parse_uint(g_strchomp(text), 10, G_MAXINT64, &ns))
		return 0; /* most machines have no such table */
	return (int64_t)(ns / 1000);
}

BootSpans boot_spans_measure(GVariant *manager, GVariant *boot, int64_t now_us)
{
	const int64_t init_us = (int64_t)record_number(boot, "InitStartedAt");
	const int64_t finished_us = (int64_t)record_number(manager, "BootFinishedAt");
	BootSpans spans = { .svcd_us = MAX((finished_us > 0 ? finished_us : now_us) - init_us, 0),
			    .up_us = MAX(now_us - init_us, 0) };

	if (strcmp(record_text(manager, "Virtualization"), "container") != 0) {
		spans.kernel_us = init_us;
		spans.up_us += init_us;
		spans.firmware_us = read_firmware();
	}
	return spans;
}

int64_t boot_spans_total(const BootSpans *spans)
{
	return spans->firmware_us + spans->kernel_us + spans->svcd_us;
}
