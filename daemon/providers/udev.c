/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Udev: feeds the table of devices from libudev. The monitor listens first, then the devices are
 * listed. They are listed again whenever events may be lost: after an overflow, and after a restart
 * of udevd. While udevd is away, nothing is withdrawn: present devices stay, and missing ones are
 * unknown.
 *
 * svc-worker reads the devices (providers/udev-reader.h). An event contains all its properties. A
 * volume that suddenly disappears is checked again (providers/udev-recheck.h).
 */
#include "config.h"

#include "providers/udev.h"

#include <string.h>

#include "base/log.h"
#include "loop/loop.h"
#include "loop/udev-source.h"
#include "providers/udev-daemon.h"
#include "providers/udev-table.h"
#include "providers/udev-record.h"
#include "providers/udev-recheck.h"
#include "providers/udev-reader.h"

/*
 * The pause between listings of all devices. Several overflows of the queue then cost one listing.
 */
#define LISTING_PAUSE_US (500 * G_TIME_SPAN_MILLISECOND)

/* The pause after a failed listing or look-up doubles from the first to the last value. */
#define PAUSE_FIRST_US (5 * G_USEC_PER_SEC)
#define PAUSE_LAST_US (300 * G_USEC_PER_SEC)

/*
 * The number of devices read in one job, and of subsystems listed in one job. Above these numbers
 * all devices are listed.
 */
#define MAX_LOOKS 32
#define MAX_SUBSYSTEMS 100

/* Key in @wanted: devices of every subsystem. */
#define ANY ""

typedef struct UdevProvider {
	Provider base; /* first, because the two are cast into each other */
	char *directory;
	UdevTable *table;
	UdevRechecks *rechecks;
	Timer *recheck; /* for the next action of @rechecks */
	GHashTable *wanted; /* subsystem or ANY, owned -> number of conditions */
	struct udev *udev;
	SocketLook sockets;
	UdevDaemon *daemon; /* NULL while there is no condition */
	UdevSource *source; /* NULL until udevd runs */
	Timer *listing; /* to list all devices again */
	int64_t listed_at_us;
	/* an earlier manager existed, and this one has not listed the volumes yet */
	bool is_recovering;
	/*
	 * all devices were listed since udevd started: a device missing in the table does not exist
	 */
	bool is_complete;
	bool is_behind; /* events may be older than the listing */
	bool is_listing; /* @reader is listing */
	/*
	 * since @daemon exists: all devices were listed once, or listing is impossible, or there is
	 * no udevd
	 */
	bool is_settled;
	int64_t pause_us; /* the last pause after a failure; 0: the last job did not fail */
	UdevReader *reader;
	GHashTable *to_look; /* syspaths, owned: to be read when the reader is free */
	GHashTable *looked_at; /* syspaths that are being read */
	GHashTable *touched; /* devices with an event since the job began */
	void (*settled)(void *data);
	void *data;
} UdevProvider;

/* No further changes are expected for now. */
static void note_settled(UdevProvider *udev)
{
	const bool was_settled = udev->is_settled;

	udev->is_settled = true;
	if (!was_settled && udev->settled)
		udev->settled(udev->data);
}

/* --- results of svc-worker --- */

static void schedule_listing(UdevProvider *udev)
{
	if (!timer_is_armed(udev->listing))
		timer_arm(udev->listing, MAX(loop_now(), udev->listed_at_us + LISTING_PAUSE_US));
}

/* Known devices stay. A listing will show their present state. */
static void on_failed(void *data, const char *why)
{
	UdevProvider *udev = data;

	udev->is_listing = false;
	if (udev->pause_us == 0)
		log_warning(
			NULL,
			"devices cannot be read: %s; their last known state stays, and svcd tries "
			"again",
			why);
	udev->pause_us = udev->pause_us ? MIN(udev->pause_us * 2, PAUSE_LAST_US) : PAUSE_FIRST_US;
	timer_arm(udev->listing, loop_now() + udev->pause_us);
	if (!udev->is_complete)
		udev_table_set_live(udev->table, "devices cannot be read at the moment");
	udev_table_settle(udev->table);
	note_settled(udev);
}

/* A listing replaces single reads, because it covers more devices and is newer. */
static void begin_listing(UdevProvider *udev)
{
	g_autofree const char **subsystems =
		(const char **)g_hash_table_get_keys_as_array(udev->wanted, NULL);
	const unsigned n = g_hash_table_size(udev->wanted);
	const bool is_all = g_hash_table_contains(udev->wanted, ANY) || n > MAX_SUBSYSTEMS;

	if (!udev->is_complete)
		udev_table_set_live(udev->table, UDEV_TABLE_BEING_LISTED);
	udev_table_settle(udev->table);
	udev->is_listing = true;
	udev->listed_at_us = loop_now();
	g_hash_table_remove_all(udev->to_look);
	g_hash_table_remove_all(udev->touched);
	udev_reader_list(udev->reader, subsystems, is_all ? 0 : n);
}

static void begin_looks(UdevProvider *udev)
{
	g_autoptr(GPtrArray) paths = g_ptr_array_new();
	GHashTableIter iter;
	gpointer path;

	g_hash_table_remove_all(udev->touched);
	g_hash_table_remove_all(udev->looked_at);
	g_hash_table_iter_init(&iter, udev->to_look);
	while (paths->len < MAX_LOOKS && g_hash_table_iter_next(&iter, &path, NULL)) {
		g_hash_table_iter_steal(&iter);
		g_hash_table_add(udev->looked_at, path);
		g_ptr_array_add(paths, path);
	}
	udev_reader_look(udev->reader, (const char *const *)paths->pdata, paths->len);
}

static void go_on_looking(UdevProvider *udev)
{
	if (udev->source && !udev_reader_is_busy(udev->reader) &&
	    g_hash_table_size(udev->to_look) > 0)
		begin_looks(udev);
}

static void stop_reading(UdevProvider *udev)
{
	udev_reader_give_up(udev->reader);
	udev->is_listing = false;
	g_hash_table_remove_all(udev->to_look);
}

/* While udevd is away there are no answers, and nothing is withdrawn. */
static void arm_recheck(UdevProvider *udev)
{
	const int64_t next_us = udev_rechecks_next_us(udev->rechecks);

	if (next_us > 0 && udev->is_complete && udev->source)
		timer_arm(udev->recheck, next_us);
	else
		timer_disarm(udev->recheck);
}

static void settle(UdevProvider *udev)
{
	if (udev->is_complete)
		udev_table_set_live(udev->table, udev_rechecks_hide_volumes(udev->rechecks) ?
							 "udev is probing a volume again" :
							 NULL);
	arm_recheck(udev);
	udev_table_settle(udev->table);
	go_on_looking(udev);
}

/*
 * For a device with an event since the job began, the event is used, because the job may have read
 * an older state. If the job has read a newer state, a further event is still to come.
 */
static void put_records(UdevProvider *udev, GPtrArray *records, UdevRecordSource by)
{
	for (guint i = 0; i < records->len; i++) {
		UdevRecord *record = g_ptr_array_index(records, i);

		if (g_hash_table_contains(udev->touched, record->syspath))
			continue;
		g_ptr_array_index(records, i) = NULL;
		(void)g_hash_table_remove(udev->looked_at, record->syspath);
		udev_rechecks_put(udev->rechecks, record, by, loop_now());
	}
}

static void take_listing(UdevProvider *udev, GPtrArray *records)
{
	GHashTableIter iter;
	gpointer name;

	udev_table_begin_listing(udev->table);
	put_records(udev, records,
		    udev->is_recovering ? UDEV_FROM_FIRST_LISTING : UDEV_FROM_LISTING);
	g_hash_table_iter_init(&iter, udev->touched);
	while (g_hash_table_iter_next(&iter, &name, NULL))
		udev_table_keep(udev->table, name);
	udev_table_end_listing(udev->table, NULL);
	if (!g_hash_table_contains(udev->wanted, ANY))
		/* a subsystem may have become unused since the listing began */
		udev_table_retain(udev->table, udev->wanted);
	if (g_hash_table_contains(udev->wanted, ANY) ||
	    g_hash_table_contains(udev->wanted, "block"))
		udev->is_recovering = false;
	log_debug(NULL, "looked at all devices in %d us", (int)(loop_now() - udev->listed_at_us));
	udev->listed_at_us = loop_now();
	udev->is_complete = true;
	udev->pause_us = 0;
	if (!timer_is_armed(udev->listing)) /* otherwise a wanted subsystem was not listed */
		udev_table_end_waiting(udev->table);
}

static void take_looks(UdevProvider *udev, GPtrArray *records)
{
	GHashTableIter iter;
	gpointer path;

	put_records(udev, records, UDEV_FROM_LISTING);
	g_hash_table_iter_init(&iter, udev->looked_at);
	while (g_hash_table_iter_next(&iter, &path, NULL))
		if (!g_hash_table_contains(udev->touched, path))
			udev_rechecks_drop(udev->rechecks, path);
}

static void on_done(void *data, GPtrArray *records)
{
	UdevProvider *udev = data;
	const bool was_listing = udev->is_listing;

	udev->is_listing = false;
	if (was_listing)
		take_listing(udev, records);
	else
		take_looks(udev, records);
	udev->is_behind = udev->is_behind || !udev_source_is_empty(udev->source);
	settle(udev);
	if (was_listing)
		note_settled(udev);
}

/* --- rechecks --- */

static void list_again(void *data, const char *syspath)
{
	log_debug(NULL, "udev has found nothing in %s: it probes again", syspath);
	udev_reader_announce(((UdevProvider *)data)->reader, syspath);
}

static void on_not_announced(void *data, const char *syspath, bool is_lost)
{
	UdevProvider *udev = data;

	log_debug(NULL, "udev cannot be made to probe %s", syspath);
	udev_rechecks_refuse(udev->rechecks, syspath, is_lost, loop_now());
	arm_recheck(udev);
}

static void look_at(void *data, const char *syspath)
{
	(void)g_hash_table_add(((UdevProvider *)data)->to_look, g_strdup(syspath));
}

static void on_recheck_due(void *data)
{
	UdevProvider *udev = data;

	udev_rechecks_turn(udev->rechecks, loop_now());
	settle(udev);
}

/* --- events --- */

/* The record that is being read may be older than the event. */
static void touch(UdevProvider *udev, const char *syspath)
{
	(void)g_hash_table_remove(udev->to_look, syspath);
	if (udev_reader_is_busy(udev->reader))
		(void)g_hash_table_add(udev->touched, g_strdup(syspath));
}

static void drop(UdevProvider *udev, const char *syspath)
{
	touch(udev, syspath);
	udev_rechecks_drop(udev->rechecks, syspath);
}

static void drop_renamed(UdevProvider *udev, struct udev_device *device)
{
	const char *old = udev_device_get_property_value(device, "DEVPATH_OLD");
	g_autofree char *syspath = old ? g_strconcat("/sys", old, NULL) : NULL;

	if (syspath)
		drop(udev, syspath);
}

static void on_events_lost(void *data);

/*
 * Every action except "remove" describes the present device. Events from before the end of the last
 * listing are older than its result. Such a device is read again, so that no level goes back in
 * time.
 *
 * The libudev functions used here read no file, because the event contains all data.
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
	touch(udev, syspath);
	if (udev->is_behind) {
		look_at(udev, syspath);
	} else if (g_strcmp0(udev_device_get_action(device), "remove") == 0) {
		udev_rechecks_drop(udev->rechecks, syspath);
	} else {
		record = udev_record_from_device(device, NULL, &trouble);
		if (record)
			udev_rechecks_put(udev->rechecks, record, UDEV_FROM_EVENT, loop_now());
		else
			on_events_lost(udev);
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

/* --- subscriptions to events --- */

static void set_filter(UdevProvider *udev)
{
	g_autofree const char **subsystems =
		(const char **)g_hash_table_get_keys_as_array(udev->wanted, NULL);

	udev_source_filter(udev->source,
			   g_hash_table_contains(udev->wanted, ANY) ? NULL : subsystems);
}

static void on_events_lost(void *data)
{
	log_notice(NULL, "device events were lost; all devices are read again");
	schedule_listing(data);
}

static void listen(UdevProvider *udev)
{
	static const UdevSourceListener listener = { on_device_event, on_events_lost,
						     on_events_drained, on_event_batch_end };
	g_autoptr(GError) error = NULL;

	udev->source = udev_source_new(udev->udev, &listener, udev, &error);
	if (udev->source) {
		set_filter(udev);
		return;
	}
	log_error(NULL, "%s", error->message);
	udev_table_set_live(udev->table, "cannot receive events of udev");
	udev_table_settle(udev->table);
	note_settled(udev);
}

static void on_listing_due(void *data)
{
	UdevProvider *udev = data;

	timer_disarm(udev->listing);
	if (udev->is_listing) { /* otherwise a storm of events could delay the listing for ever */
		timer_arm(udev->listing, loop_now() + LISTING_PAUSE_US);
		return;
	}
	if (!udev_daemon_is_there(udev->daemon))
		return;
	if (!udev->source)
		listen(udev);
	if (udev->source)
		begin_listing(udev);
}

/*
 * Each udevd needs a new monitor. A monitor made without a udevd never receives events if /dev is
 * not the kernel's own (in a container; sd-device-monitor.c of udev 252).
 */
static void on_daemon_changed(void *data, bool is_there)
{
	UdevProvider *udev = data;

	stop_reading(udev);
	if (is_there) {
		g_clear_pointer(&udev->source, udev_source_free);
		udev_rechecks_repeat(udev->rechecks, loop_now());
		timer_disarm(udev->listing); /* a failure must not delay the new monitor */
		schedule_listing(udev);
		return;
	}
	udev->is_complete = false;
	timer_disarm(udev->recheck);
	timer_disarm(udev->listing);
	udev_table_set_live(udev->table, "udev is not running");
	udev_table_settle(udev->table);
	note_settled(udev);
}

static void stop_listening(UdevProvider *udev)
{
	timer_disarm(udev->listing);
	timer_disarm(udev->recheck);
	stop_reading(udev);
	udev_rechecks_forget(udev->rechecks);
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

/*
 * @subsystem: or ANY. The filter is widened before the devices are listed, so that no event is
 * missed. A listing in progress does not contain these devices.
 */
static void want(UdevProvider *udev, const char *subsystem)
{
	const int n = GPOINTER_TO_INT(g_hash_table_lookup(udev->wanted, subsystem));
	const bool is_covered = n > 0 || g_hash_table_contains(udev->wanted, ANY);

	g_hash_table_insert(udev->wanted, g_strdup(subsystem), GINT_TO_POINTER(n + 1));
	if (!udev->daemon) {
		start_listening(udev);
	} else if (!is_covered) {
		if (udev->source)
			set_filter(udev);
		if (udev->is_listing)
			stop_reading(udev);
		timer_arm(udev->listing, loop_now());
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
	const char *subsystem = match->subsystem;

	return subsystem ? subsystem : ANY;
}

static void udev_subscribe(Provider *provider, const char *key)
{
	UdevProvider *udev = (UdevProvider *)provider;
	UdevMatch *match = udev_match_new(key);

	if (!udev_table_match(udev->table, key)) {
		want(udev, scope_of(match));
		if (udev->is_listing || timer_is_armed(udev->listing))
			udev_table_await(udev->table, key);
	}
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

/* While udev is away, a missing device means nothing. */
static char *udev_describe_key(Provider *provider, const char *key)
{
	UdevProvider *udev = (UdevProvider *)provider;

	return udev->daemon && udev_daemon_is_there(udev->daemon) ?
		       udev_table_describe(udev->table, key) :
		       NULL;
}

static void udev_free(Provider *provider)
{
	UdevProvider *udev = (UdevProvider *)provider;

	stop_listening(udev);
	timer_free(udev->listing);
	timer_free(udev->recheck);
	udev_reader_free(udev->reader);
	udev_rechecks_free(udev->rechecks);
	udev_table_free(udev->table);
	g_hash_table_unref(udev->wanted);
	g_hash_table_unref(udev->to_look);
	g_hash_table_unref(udev->looked_at);
	g_hash_table_unref(udev->touched);
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
	static const UdevRecheckOps ops = { list_again, look_at };
	static const UdevReaderListener reader = { on_done, on_failed, on_not_announced };
	UdevProvider *udev = g_new0(UdevProvider, 1);

	udev->base = (Provider){ .subscribe = udev_subscribe,
				 .unsubscribe = udev_unsubscribe,
				 .describe = udev_describe_key,
				 .free = udev_free };
	udev->directory = g_strdup(options->directory);
	udev->sockets = options->sockets;
	udev->settled = options->settled;
	udev->data = options->data;
	udev->table = udev_table_new(sink);
	udev->rechecks = udev_rechecks_new(udev->table, &ops, udev);
	udev->recheck = timer_new(on_recheck_due, udev);
	udev->is_recovering = options->is_recovering;
	udev->wanted = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	udev->listing = timer_new(on_listing_due, udev);
	udev->reader = udev_reader_new(options->workers, &reader, udev);
	udev->to_look = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	udev->looked_at = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	udev->touched = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	return &udev->base;
}
