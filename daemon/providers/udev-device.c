/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Udev device: libudev's lists as plain text. The manager and svc-worker make the same record of the same device.
 */
#include "config.h"

#include "providers/udev-device.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

void udev_device_note_trouble(int *trouble)
{
	if (errno == ENOMEM || errno == EMFILE || errno == ENFILE)
		*trouble = errno;
}

UdevRecord *udev_device_record(struct udev_device *device, const char *subsystem, int *trouble)
{
	g_autoptr(GPtrArray) properties = g_ptr_array_new_with_free_func(g_free);
	struct udev_list_entry *first;
	struct udev_list_entry *entry;
	bool has_subsystem = false;

	errno = 0;
	first = udev_device_get_properties_list_entry(device);
	udev_device_note_trouble(trouble);
	if (!first && *trouble == 0)
		*trouble = ENOMEM; /* each has at least a DEVPATH */
	if (*trouble)
		return NULL;
	udev_list_entry_foreach(entry, first) {
		const char *name = udev_list_entry_get_name(entry);
		const char *value = udev_list_entry_get_value(entry);

		g_ptr_array_add(properties, g_strconcat(name, "=", value ? value : "", NULL));
		has_subsystem = has_subsystem || strcmp(name, "SUBSYSTEM") == 0;
	}
	if (!has_subsystem && subsystem)
		g_ptr_array_add(properties, g_strconcat("SUBSYSTEM=", subsystem, NULL));
	g_ptr_array_add(properties, NULL);
	return udev_record_new(udev_device_get_syspath(device), (const char *const *)properties->pdata);
}
