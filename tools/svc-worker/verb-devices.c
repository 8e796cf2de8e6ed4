/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Verb devices: the verbs for conditions on devices (providers/udev-reader.h).
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libudev.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/limits.h"
#include "providers/udev-record.h"
#include "providers/udev-reader.h"
#include "tools/svc-worker/verbs.h"
#include "tools/svc-worker/worker.h"

/*
 * An answer longer than this is sent at once, so that one more property of
 * LIMIT_UDEV_PROPERTY_BYTES always fits into an answer.
 */
#define ANSWER_BYTES (WORKER_MESSAGE_BYTES / 2)
#define ANSWER_FIELDS (WORKER_MAX_FIELDS / 2)

G_STATIC_ASSERT(ANSWER_BYTES + LIMIT_UDEV_PROPERTY_BYTES < WORKER_MESSAGE_BYTES);

typedef struct Reading {
	uint64_t id;
	struct udev *udev;
	int trouble; /* errno */
} Reading;

/* --- one device --- */

static char *attribute_of(const char *syspath, const char *name)
{
	return g_str_has_prefix(syspath, "/sys/devices/") ? g_build_filename(syspath, name, NULL) :
							    NULL;
}

/* The attribute "size" counts sectors. A device without it is unreadable or is not a disk. */
static bool is_empty(const UdevRecord *record)
{
	g_autofree char *path = strcmp(record->subsystem, "block") == 0 ?
					attribute_of(record->syspath, "size") :
					NULL;
	auto_fd int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
	char size[2];

	return fd >= 0 && read(fd, size, sizeof size) == sizeof size &&
	       strncmp(size, "0\n", sizeof size) == 0;
}

static void send_record(const Reading *reading, const UdevRecord *record)
{
	const char *fields[ANSWER_FIELDS] = { UDEV_ANSWER_DEVICE, record->syspath,
					      is_empty(record) ? UDEV_EMPTY : "" };
	unsigned n_fields = 3;
	size_t n_bytes = strlen(record->syspath);

	for (char *const *property = record->properties; *property; property++) {
		if (n_fields == ANSWER_FIELDS || n_bytes > ANSWER_BYTES) {
			worker_answer_fields(reading->id, fields, n_fields);
			fields[0] = UDEV_ANSWER_MORE;
			n_fields = 1;
			n_bytes = 0;
		}
		fields[n_fields++] = *property;
		n_bytes += strlen(*property) + 1;
	}
	worker_answer_fields(reading->id, fields, n_fields);
}

/*
 * Devices without a node have no entry in udev's database; the kernel's data is enough
 * (sd_device_get_is_initialized(3)).
 */
static bool is_processed(struct udev_device *device, int *trouble)
{
	bool is_known;
	bool has_node;

	errno = 0;
	is_known = udev_device_get_is_initialized(device) > 0;
	udev_record_note_read_error(trouble);
	if (is_known)
		return true;
	has_node = udev_device_get_devnode(device) != NULL;
	udev_record_note_read_error(trouble);
	if (has_node)
		return false;
	is_known = !udev_device_get_property_value(device, "IFINDEX");
	udev_record_note_read_error(trouble);
	return is_known;
}

static UdevRecord *make_record(struct udev_device *device, int *trouble)
{
	const char *subsystem;

	if (!is_processed(device, trouble) || *trouble)
		return NULL;
	errno = 0;
	subsystem = udev_device_get_subsystem(device);
	udev_record_note_read_error(trouble);
	return udev_record_from_device(device, subsystem, trouble);
}

/*
 * @path: the device's own path, or a link to it. A device that udev has not processed is not sent.
 */
static void read_device(Reading *reading, const char *path)
{
	struct udev_device *device;
	UdevRecord *record = NULL;

	errno = 0;
	device = udev_device_new_from_syspath(reading->udev, path);
	udev_record_note_read_error(&reading->trouble);
	if (device) {
		record = make_record(device, &reading->trouble);
		(void)udev_device_unref(device); /* always NULL */
	}
	if (record)
		send_record(reading, record);
	udev_record_free(record);
}

/* --- many devices --- */

static void list_all(Reading *reading)
{
	struct udev_enumerate *enumerate = udev_enumerate_new(reading->udev);
	struct udev_list_entry *first = NULL;
	struct udev_list_entry *entry;

	/*
	 * While udevd runs there is some device, so an empty list means that sorting failed for
	 * lack of memory.
	 */
	if (enumerate && udev_enumerate_add_match_is_initialized(enumerate) >= 0 &&
	    udev_enumerate_scan_devices(enumerate) >= 0)
		first = udev_enumerate_get_list_entry(enumerate);
	if (!first)
		reading->trouble = ENOMEM;
	udev_list_entry_foreach(entry, first) read_device(reading, udev_list_entry_get_name(entry));
	if (enumerate)
		(void)udev_enumerate_unref(enumerate); /* always NULL */
}

/* A missing directory means no devices. */
static void list_links(Reading *reading, const char *directory)
{
	DIR *links = opendir(directory);
	struct dirent *entry;

	if (!links) {
		if (errno != ENOENT)
			reading->trouble = errno;
		return;
	}
	while ((entry = readdir(links)) != NULL) {
		g_autofree char *link = g_build_filename(directory, entry->d_name, NULL);

		if (*entry->d_name != '.')
			read_device(reading, link);
	}
	(void)closedir(links); /* only read from */
}

/*
 * Reads the kernel's lists of devices (sysfs-rules.rst). To find the devices of one subsystem,
 * libudev would examine every device and all its parents. For the consoles, that took longer than
 * all other work.
 */
static void list_subsystem(Reading *reading, const char *subsystem)
{
	g_autofree char *of_class = g_strconcat("/sys/class/", subsystem, NULL);
	g_autofree char *of_bus = g_strconcat("/sys/bus/", subsystem, "/devices", NULL);

	if (strchr(subsystem, '/'))
		return; /* no such subsystem */
	list_links(reading, of_class);
	list_links(reading, of_bus);
}

static bool begin(Reading *reading, const WorkerRequest *request)
{
	*reading = (Reading){ .id = request->id, .udev = udev_new() };
	if (!reading->udev)
		worker_answer(request->id, -1, WORKER_FAILED, "no memory for libudev", NULL);
	return reading->udev != NULL;
}

static void end(Reading *reading)
{
	(void)udev_unref(reading->udev); /* always NULL */
	if (reading->trouble)
		worker_answer(reading->id, -1, WORKER_FAILED, g_strerror(reading->trouble), NULL);
	else
		worker_answer(reading->id, -1, WORKER_DONE, NULL);
}

void verb_list_devices(WorkerRequest *request)
{
	Reading reading;

	if (!begin(&reading, request))
		return;
	if (request->n_fields == 1)
		list_all(&reading);
	for (unsigned i = 1; i < request->n_fields; i++)
		list_subsystem(&reading, request->fields[i]);
	end(&reading);
}

void verb_look_at_devices(WorkerRequest *request)
{
	Reading reading;

	if (!begin(&reading, request))
		return;
	for (unsigned i = 1; i < request->n_fields; i++)
		read_device(&reading, request->fields[i]);
	end(&reading);
}

/* --- announcements --- */

/*
 * Makes the kernel send an event, so that its listeners examine the device again (sysfs-uevent in
 * the kernel's documentation).
 */
void verb_announce_device(WorkerRequest *request)
{
	g_autofree char *path =
		request->n_fields == 2 ? attribute_of(request->fields[1], "uevent") : NULL;
	auto_fd int fd = path ? open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
	const bool is_done = fd >= 0 &&
			     write(fd, "change", strlen("change")) == (ssize_t)strlen("change");

	worker_answer(request->id, -1, is_done ? WORKER_DONE : WORKER_FAILED, NULL);
}
