/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Udev: feeds the table of devices from libudev. First the monitor listens, then the devices are listed, and again whenever
 * events may have been missed: after an overflow, and when udevd is started anew. While udevd is away nothing is taken back:
 * what was there stays, what was not is unknown. A volume that is suddenly none is looked at again (providers/udev-doubt.h).
 */
#include "config.h"

#include "providers/udev.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/log.h"
#include "loop/loop.h"
#include "loop/udev-source.h"
#include "providers/udev-daemon.h"
#include "providers/udev-describe.h"
#include "providers/udev-doubt.h"
#include "providers/udev-table.h"

/* All devices are not listed again for this long: a storm that overflows the queue once more costs one listing for all. */
#define LISTING_PAUSE_US (500 * G_TIME_SPAN_MILLISECOND)

/* Who wants devices of every subsystem. */
#define ANY ""

typedef struct UdevProvider {
	Provider base; /* first: the two are cast into each other */
	char *directory;
	UdevTable *table;
	UdevDoubts *doubts;
	Timer *doubt;       /* something is due of @doubts */
	GHashTable *wanted; /* subsystem or ANY, owned -> how many conditions */
	struct udev *udev;
	SocketLook sockets;
	UdevDaemon *daemon; /* NULL while nobody asks for anything */
	UdevSource *source; /* NULL until udevd is there */
	Timer *listing;     /* list all devices again */
	int64_t listed_at_us;
	bool is_recovering; /* there was another manager before, and this one has not listed the volumes yet */
	bool is_complete;   /* all was listed since udevd is there: what is not in the table is not there */
	bool is_behind;     /* events may be older than what was listed */
	bool is_misread;    /* a device could not be looked at since all were listed: none is gone until they are listed again */
	bool has_complained;
	bool is_settled;    /* since there is a daemon: all was listed, or there is no udevd */
	void (*settled)(void *data);
	void *data;
} UdevProvider;

/* --- libudev to plain text --- */

/*
 * Without memory or descriptors, libudev says what it says when there is nothing: only errno differs, until its next call. A
 * device that is not read must not be taken for one that is gone, for then services that need it would be stopped.
 */
static void note_trouble(int *trouble)
{
	if (errno == ENOMEM || errno == EMFILE || errno == ENFILE)
		*trouble = errno;
}

/* Returns: NULL when it cannot be read just now, and then @trouble says why. */
static UdevRecord *record_of(struct udev_device *device, int *trouble)
{
	g_autoptr(GPtrArray) properties = g_ptr_array_new_with_free_func(g_free);
	const char *subsystem;
	struct udev_list_entry *first;
	struct udev_list_entry *entry;
	bool has_subsystem = false;

	errno = 0;
	subsystem = udev_device_get_subsystem(device);
	note_trouble(trouble);
	first = udev_device_get_properties_list_entry(device);
	note_trouble(trouble);
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
	/* An event has it among its properties, /sys only as a link. */
	if (!has_subsystem && subsystem)
		g_ptr_array_add(properties, g_strconcat("SUBSYSTEM=", subsystem, NULL));
	g_ptr_array_add(properties, NULL);
	return udev_record_new(udev_device_get_syspath(device), (const char *const *)properties->pdata);
}

/* Devices without a node have no entry in udev's database: they are what the kernel says (sd_device_get_is_initialized(3)). */
static bool is_processed(struct udev_device *device, int *trouble)
{
	bool is_known;
	bool has_node;

	errno = 0;
	is_known = udev_device_get_is_initialized(device) > 0;
	note_trouble(trouble);
	if (is_known)
		return true;
	has_node = udev_device_get_devnode(device) != NULL;
	note_trouble(trouble);
	if (has_node)
		return false;
	is_known = !udev_device_get_property_value(device, "IFINDEX");
	note_trouble(trouble);
	return is_known;
}

/* --- listing --- */

static void complain(UdevProvider *udev, int error)
{
	udev->is_misread = true;
	if (!udev->has_complained)
		log_warning(NULL, "devices cannot be read: %s; they stay as they are known, and are looked at again", g_strerror(error));
	udev->has_complained = true;
}

/* @path: its own, or a link to it. Returns: NULL when there is none, udev has not worked through it, or it is misread. */
static UdevRecord *read_device(UdevProvider *udev, const char *path)
{
	struct udev_device *device;
	UdevRecord *record = NULL;
	int trouble = 0;

	errno = 0;
	device = udev_device_new_from_syspath(udev->udev, path);
	note_trouble(&trouble);
	if (device && is_processed(device, &trouble) && trouble == 0)
		record = record_of(device, &trouble);
	if (trouble)
		complain(udev, trouble);
	if (device)
		(void)udev_device_unref(device); /* always NULL */
	return record;
}

static void look_at(UdevProvider *udev, const char *syspath, UdevToldBy by)
{
	UdevRecord *record = read_device(udev, syspath);

	if (record)
		udev_doubts_put(udev->doubts, record, by, loop_now());
	else if (!udev->is_misread)
		udev_doubts_drop(udev->doubts, syspath);
}

static UdevToldBy told_by_listing(const UdevProvider *udev)
{
	return udev->is_recovering ? UDEV_TOLD_BY_FIRST_LISTING : UDEV_TOLD_BY_LISTING;
}

static bool list_all_subsystems(UdevProvider *udev)
{
	struct udev_enumerate *enumerate = udev_enumerate_new(udev->udev);
	struct udev_list_entry *first = NULL;
	struct udev_list_entry *entry;

	if (!enumerate)
		g_error("no memory for a list of devices");
	/* Where udevd runs there is some device: an empty list is one that could not be sorted, for lack of memory. */
	if (udev_enumerate_add_match_is_initialized(enumerate) >= 0 && udev_enumerate_scan_devices(enumerate) >= 0)
		first = udev_enumerate_get_list_entry(enumerate);
	udev_list_entry_foreach(entry, first)
		look_at(udev, udev_list_entry_get_name(entry), told_by_listing(udev));
	(void)udev_enumerate_unref(enumerate); /* always NULL */
	return first != NULL;
}

/* No such directory: no devices. */
static bool list_links(UdevProvider *udev, const char *directory)
{
	DIR *links = opendir(directory);
	struct dirent *entry;

	if (!links)
		return errno == ENOENT;
	while ((entry = readdir(links)) != NULL) {
		g_autofree char *link = g_build_filename(directory, entry->d_name, NULL);
		UdevRecord *record = *entry->d_name == '.' ? NULL : read_device(udev, link);

		if (record)
			udev_doubts_put(udev->doubts, record, told_by_listing(udev), loop_now());
	}
	(void)closedir(links); /* only read from */
	return true;
}

/*
 * From where the kernel keeps them (sysfs-rules.rst). libudev would look at each of them and at all above it to find those of a
 * subsystem: for the consoles of any machine that took longer than all else.
 */
static bool list_subsystem(UdevProvider *udev, const char *subsystem)
{
	g_autofree char *of_class = g_strconcat("/sys/class/", subsystem, NULL);
	g_autofree char *of_bus = g_strconcat("/sys/bus/", subsystem, "/devices", NULL);

	if (strchr(subsystem, '/'))
		return true; /* there is none of that name */
	return list_links(udev, of_class) && list_links(udev, of_bus);
}

/* @subsystem: NULL for all */
static void list_devices(UdevProvider *udev, const char *subsystem)
{
	udev_table_begin_listing(udev->table);
	if (!(subsystem ? list_subsystem(udev, subsystem) : list_all_subsystems(udev)))
		complain(udev, errno);
	if (!udev->is_misread) {
		udev_table_end_listing(udev->table, subsystem);
		if (!subsystem || strcmp(subsystem, "block") == 0)
			udev->is_recovering = false;
	}
	udev->is_behind = udev->is_behind || !udev_source_is_empty(udev->source);
}

static void schedule_listing(UdevProvider *udev)
{
	if (!timer_is_armed(udev->listing))
		timer_arm(udev->listing, MAX(loop_now(), udev->listed_at_us + LISTING_PAUSE_US));
}

/* While udevd is away nobody answers, and nothing is taken back. */
static void arm_doubt(UdevProvider *udev)
{
	const int64_t next_us = udev_doubts_next_us(udev->doubts);

	if (next_us > 0 && udev->is_complete && udev->source)
		timer_arm(udev->doubt, next_us);
	else
		timer_disarm(udev->doubt);
}

/* What is not known to be there may be among what could not be read. */
static void settle(UdevProvider *udev)
{
	if (udev->is_misread) {
		udev_table_set_live(udev->table, "not all devices can be read just now");
		schedule_listing(udev);
	} else if (udev->is_complete) {
		udev_table_set_live(udev->table, udev_doubts_hide_volumes(udev->doubts) ? "udev is asked again" : NULL);
	}
	arm_doubt(udev);
	udev_table_settle(udev->table);
}

/* Nothing more is to be expected for now. */
static void note_settled(UdevProvider *udev)
{
	const bool was_settled = udev->is_settled;

	udev->is_settled = true;
	if (!was_settled && udev->settled)
		udev->settled(udev->data);
}

static void list_all(UdevProvider *udev)
{
	GHashTableIter iter;
	gpointer subsystem;
	const int64_t began_us = loop_now();

	udev->is_misread = false;
	if (g_hash_table_contains(udev->wanted, ANY)) {
		list_devices(udev, NULL);
	} else {
		g_hash_table_iter_init(&iter, udev->wanted);
		while (g_hash_table_iter_next(&iter, &subsystem, NULL))
			list_devices(udev, subsystem);
	}
	udev->listed_at_us = loop_now();
	log_debug(NULL, "looked at all devices in %d us", (int)(udev->listed_at_us - began_us));
	if (!udev->is_misread) {
		udev->has_complained = false;
		udev->is_complete = true;
	}
	settle(udev);
	note_settled(udev);
}

/* --- doubts --- */

static char *attribute_of(const char *syspath, const char *name)
{
	return g_str_has_prefix(syspath, "/sys/devices/") ? g_build_filename(syspath, name, NULL) : NULL;
}

/* The kernel announces it again, and whoever hears that looks at it anew (sysfs-uevent of the kernel's documentation). */
static bool ask_again(void *data, const char *syspath)
{
	g_autofree char *path = attribute_of(syspath, "uevent");
	auto_fd int fd = path ? open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
	const bool is_asked = fd >= 0 && write(fd, "change", strlen("change")) == (ssize_t)strlen("change");

	(void)data;
	log_debug(NULL, "udev has found nothing in %s: %s", syspath, is_asked ? "it is asked again" : "it cannot be asked again");
	return is_asked;
}

/* In sectors; who has none cannot be read, or is no disk. */
static bool is_empty(void *data, const char *syspath)
{
	g_autofree char *path = attribute_of(syspath, "size");
	auto_fd int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
	char size[2];

	(void)data;
	return fd >= 0 && read(fd, size, sizeof size) == sizeof size && strncmp(size, "0\n", sizeof size) == 0;
}

static void on_doubt_due(void *data)
{
	UdevProvider *udev = data;

	udev_doubts_turn(udev->doubts, loop_now());
	settle(udev);
}

/* --- events --- */

static void drop_renamed(UdevProvider *udev, struct udev_device *device)
{
	const char *old;
	int trouble = 0;

	errno = 0;
	old = udev_device_get_property_value(device, "DEVPATH_OLD");
	note_trouble(&trouble);
	if (trouble)
		complain(udev, trouble);
	if (old) {
		g_autofree char *syspath = g_strconcat("/sys", old, NULL);

		udev_doubts_drop(udev->doubts, syspath);
	}
}

/*
 * Whatever the action is called, all but "remove" say how the device is now. Events that were sent before the last listing
 * ended are older than what it saw; for those the device is looked at again, so that no level goes back in time.
 */
static void on_device_event(void *data, struct udev_device *device)
{
	UdevProvider *udev = data;
	const char *syspath = udev_device_get_syspath(device);
	int trouble = 0;
	UdevRecord *record;

	if (!syspath)
		return;
	drop_renamed(udev, device);
	if (udev->is_behind) {
		look_at(udev, syspath, UDEV_TOLD_BY_EVENT);
	} else if (g_strcmp0(udev_device_get_action(device), "remove") == 0) {
		udev_doubts_drop(udev->doubts, syspath);
	} else {
		record = record_of(device, &trouble);
		if (record)
			udev_doubts_put(udev->doubts, record, UDEV_TOLD_BY_EVENT, loop_now());
		else
			complain(udev, trouble);
	}
}

static void on_events_drained(void *data)
{
	((UdevProvider *)data)->is_behind = false;
}

static void on_event_batch_end(void *data)
{
	settle(data);
}

/* --- what is listened to --- */

static void set_filter(UdevProvider *udev)
{
	g_autofree const char **subsystems = (const char **)g_hash_table_get_keys_as_array(udev->wanted, NULL);

	udev_source_filter(udev->source, g_hash_table_contains(udev->wanted, ANY) ? NULL : subsystems);
}

static void on_events_lost(void *data)
{
	log_notice(NULL, "device events were lost; looking at all devices again");
	schedule_listing(data);
}

static void listen(UdevProvider *udev)
{
	static const UdevSourceListener listener = { on_device_event, on_events_lost, on_events_drained,
						     on_event_batch_end };
	g_autoptr(GError) error = NULL;

	udev->source = udev_source_new(udev->udev, &listener, udev, &error);
	if (udev->source) {
		set_filter(udev);
		return;
	}
	log_error(NULL, "%s", error->message);
	udev_table_set_live(udev->table, "udev cannot be listened to");
	udev_table_settle(udev->table);
	note_settled(udev);
}

static void on_listing_due(void *data)
{
	UdevProvider *udev = data;

	timer_disarm(udev->listing);
	if (!udev_daemon_is_there(udev->daemon))
		return;
	if (!udev->source)
		listen(udev);
	if (udev->source)
		list_all(udev);
}

/*
 * For each udevd a new monitor: one that is made while there is no udevd stays deaf for ever, if /dev is not the kernel's own
 * (in a container; sd-device-monitor.c of udev 252).
 */
static void on_daemon_changed(void *data, bool is_there)
{
	UdevProvider *udev = data;

	if (is_there) {
		g_clear_pointer(&udev->source, udev_source_free);
		udev_doubts_ask_anew(udev->doubts, loop_now());
		schedule_listing(udev);
		return;
	}
	udev->is_complete = false;
	timer_disarm(udev->doubt);
	udev_table_set_live(udev->table, "udev is not running");
	udev_table_settle(udev->table);
	note_settled(udev);
}

static void stop_listening(UdevProvider *udev)
{
	timer_disarm(udev->listing);
	timer_disarm(udev->doubt);
	udev_doubts_forget(udev->doubts);
	udev->is_complete = false;
	g_clear_pointer(&udev->source, udev_source_free);
	g_clear_pointer(&udev->daemon, udev_daemon_free);
	if (udev->udev)
		udev->udev = udev_unref(udev->udev);
	udev_table_set_live(udev->table, "udev is not running");
}

static void start_listening(UdevProvider *udev)
{
	udev->udev = udev_new();
	if (!udev->udev)
		g_error("no memory for libudev");
	udev->is_settled = false;
	udev->daemon = udev_daemon_new(udev->directory, &udev->sockets, on_daemon_changed, udev);
}

/* @subsystem: or ANY. The filter is wider before its devices are listed, so that nothing falls between the two. */
static void want(UdevProvider *udev, const char *subsystem)
{
	const int n = GPOINTER_TO_INT(g_hash_table_lookup(udev->wanted, subsystem));
	const bool is_covered = n > 0 || g_hash_table_contains(udev->wanted, ANY);

	g_hash_table_insert(udev->wanted, g_strdup(subsystem), GINT_TO_POINTER(n + 1));
	if (!udev->daemon) {
		start_listening(udev);
	} else if (!is_covered && !udev->source) {
		on_listing_due(udev);
	} else if (!is_covered) {
		set_filter(udev);
		if (udev_daemon_is_there(udev->daemon))
			list_devices(udev, *subsystem ? subsystem : NULL);
		settle(udev);
	}
}

static void want_no_longer(UdevProvider *udev, const char *subsystem)
{
	const int n = GPOINTER_TO_INT(g_hash_table_lookup(udev->wanted, subsystem));

	if (n > 1) {
		g_hash_table_insert(udev->wanted, g_strdup(subsystem), GINT_TO_POINTER(n - 1));
		return;
	}
	g_hash_table_remove(udev->wanted, subsystem);
	if (g_hash_table_contains(udev->wanted, ANY))
		return;
	udev_table_retain(udev->table, udev->wanted);
	if (g_hash_table_size(udev->wanted) == 0)
		stop_listening(udev);
	else if (udev->source)
		set_filter(udev);
}

/* --- the provider --- */

static const char *scope_of(const UdevMatch *match)
{
	const char *subsystem = udev_match_subsystem(match);

	return subsystem ? subsystem : ANY;
}

static void udev_subscribe(Provider *provider, const char *key)
{
	UdevProvider *udev = (UdevProvider *)provider;
	UdevMatch *match = udev_match_new(key);

	if (!udev_table_match(udev->table, key))
		want(udev, scope_of(match));
	udev_table_add(udev->table, key, match);
}

static void udev_unsubscribe(Provider *provider, const char *key)
{
	UdevProvider *udev = (UdevProvider *)provider;
	UdevMatch *match = udev_table_remove(udev->table, key);

	if (match)
		want_no_longer(udev, scope_of(match));
	udev_match_free(match);
	udev_table_settle(udev->table);
}

/* What is not in the table means nothing while udev is away. */
static char *udev_describe_key(Provider *provider, const char *key)
{
	UdevProvider *udev = (UdevProvider *)provider;

	return udev->daemon && udev_daemon_is_there(udev->daemon) ? udev_describe(udev->table, key) : NULL;
}

static void udev_free(Provider *provider)
{
	UdevProvider *udev = (UdevProvider *)provider;

	stop_listening(udev);
	timer_free(udev->listing);
	timer_free(udev->doubt);
	udev_doubts_free(udev->doubts);
	udev_table_free(udev->table);
	g_hash_table_unref(udev->wanted);
	g_free(udev->directory);
	g_free(udev);
}

bool udev_provider_is_settled(Provider *provider)
{
	const UdevProvider *udev = (const UdevProvider *)provider;

	return !udev->daemon || udev->is_settled;
}

Provider *udev_provider_new(const ProviderSink *sink, const UdevOptions *options)
{
	static const UdevDoubtOps ops = { ask_again, is_empty };
	UdevProvider *udev = g_new0(UdevProvider, 1);

	udev->base = (Provider){ .subscribe = udev_subscribe, .unsubscribe = udev_unsubscribe,
				 .describe = udev_describe_key, .free = udev_free };
	udev->directory = g_strdup(options->directory);
	udev->sockets = options->sockets;
	udev->settled = options->settled;
	udev->data = options->data;
	udev->table = udev_table_new(sink);
	udev->doubts = udev_doubts_new(udev->table, &ops, udev);
	udev->doubt = timer_new(on_doubt_due, udev);
	udev->is_recovering = options->is_recovering;
	udev->wanted = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	udev->listing = timer_new(on_listing_due, udev);
	return &udev->base;
}
