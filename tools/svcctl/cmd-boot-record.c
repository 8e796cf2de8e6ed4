/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * boot record: writes the record of this boot. The services boot-record and shutdown-record run it.
 *
 * During the boot it takes samples of the kernel's counters. It writes the record when the boot is
 * finished, and completes it when the login screen is shown and the disks are quiet. "record now"
 * saves the logs. "record shutdown" writes each change of a service's state, and at SIGTERM becomes
 * "record end", which saves the last lines.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/log.h"
#include "bus/names.h"
#include "svcctl/boot-changes.h"
#include "svcctl/boot-collect.h"
#include "svcctl/boot-logs.h"
#include "svcctl/processes.h"
#include "svcctl/svcctl.h"

#define SAMPLE_US (200 * G_TIME_SPAN_MILLISECOND)
#define QUERY_US G_USEC_PER_SEC
/* The disks are quiet if no byte was read for this time. */
#define QUIET_US (2 * G_USEC_PER_SEC)
/* The longest wait for the login screen and quiet disks after the boot. */
#define AFTER_BOOT_US (120 * G_USEC_PER_SEC)
#define LOGIN_QUERY_US (10 * G_USEC_PER_SEC)
/* The shortest time between two copies of the logs during a shutdown. */
#define SAVE_US G_USEC_PER_SEC
/* Ready=fd:3 of shutdown-record.svc */
#define READY_FD 3

typedef struct Recorder {
	Context *context;
	BootSamples *samples;
	int64_t init_us;
	int64_t read_bytes; /* of the last sample */
	int64_t read_at_us; /* when it grew last */
	JsonObject *record;
	unsigned number;
} Recorder;

static bool save(const Recorder *r, GError **error)
{
	return boots_save(boots_directory(), r->number, r->record, error);
}

/*
 * A live system or a read-only disk keeps no records, and that is not a failure. This is checked at
 * the end of the boot, because until then the root file system is usually read-only.
 */
static bool can_write(void)
{
	g_autofree char *directory = g_strdup(boots_directory());

	while (access(directory, W_OK) < 0 && errno == ENOENT && strcmp(directory, "/") != 0) {
		char *parent = g_path_get_dirname(directory);

		g_free(directory);
		directory = parent;
	}
	return access(directory, W_OK) == 0 || errno != EROFS;
}

/* --- logs and changes --- */

/* The record of this boot; NULL with @error. @init_us: -1: without svcd. */
static SavedBoot *load_this(int64_t init_us, GError **error)
{
	g_autoptr(SavedBoot) boot = boots_load_last(boots_directory());

	if (boot && boot_is_this(boot, init_us))
		return g_steal_pointer(&boot);
	fail(error, SVCD_ERROR_FAILED, "this boot has no record in %s, so its logs are not saved",
	     boots_directory());
	return NULL;
}

/*
 * Other users may not list the directory, because they could then hold its lock
 * (docs/processes.md). Returns: a new string; NULL with @error.
 */
static char *make_logs_directory(const SavedBoot *boot, GError **error)
{
	g_autofree char *path = boots_logs(boots_directory(), boot->number);

	if (mkdir(path, 0711) == 0 || errno == EEXIST)
		return g_steal_pointer(&path);
	fail_errno(error, errno, "cannot make directory %s", path);
	return NULL;
}

static bool save_logs(Context *context, const char *directory, GError **error)
{
	g_autofree char *from = log_directory(context);
	const bool done = boot_logs_save(from, directory, error);

	boots_prune(boots_directory());
	return done;
}

static bool save_changes(Context *context, const char *directory, bool is_synced, GError **error)
{
	g_autoptr(GPtrArray) changes = boot_collect_changes(context, error);

	return changes && boot_changes_add(directory, changes, is_synced, error);
}

/*
 * The service boot-record does this every five minutes, so that a crash loses only the last
 * minutes.
 */
static bool record_now(Context *context, int64_t init_us, GError **error)
{
	g_autoptr(SavedBoot) boot = load_this(init_us, error);
	g_autofree char *directory = boot ? make_logs_directory(boot, error) : NULL;
	g_autoptr(GError) problem = NULL;

	if (!directory)
		return false;
	/* A full disk may have room again, so the service goes on. */
	if (!save_changes(context, directory, true, &problem))
		fprintf(context->output.err, "svcctl: %s\n", problem->message);
	g_clear_error(&problem);
	if (!save_logs(context, directory, &problem))
		fprintf(context->output.err, "svcctl: %s\n", problem->message);
	return true;
}

/* --- the boot --- */

static void take_sample(Recorder *r)
{
	const BootSample sample = boot_sample_take(proc_directory(), g_get_monotonic_time());

	if (sample.read_bytes != r->read_bytes) {
		r->read_bytes = sample.read_bytes;
		r->read_at_us = sample.at_us;
	}
	boot_samples_add(r->samples, sample);
}

static bool is_finished(Context *context)
{
	g_autoptr(GVariant) reply =
		client_get(context->client, OBJECT_PATH_BOOT, "org.freedesktop.DBus.Properties",
			   "Get", g_variant_new("(ss)", INTERFACE_BOOT, "Finished"), "(v)", NULL);
	g_autoptr(GVariant) value = NULL;

	if (!reply)
		return false; /* the manager is being replaced */
	g_variant_get(reply, "(v)", &value);
	return g_variant_is_of_type(value, G_VARIANT_TYPE_BOOLEAN) && g_variant_get_boolean(value);
}

static void watch_boot(Recorder *r)
{
	int64_t query_us = 0;

	for (;;) {
		const int64_t now_us = g_get_monotonic_time();

		take_sample(r);
		if (now_us >= query_us && is_finished(r->context))
			return;
		if (now_us >= query_us)
			query_us = now_us + QUERY_US;
		g_usleep(SAMPLE_US);
	}
}

/* Waits until the disks are quiet and the login screen is shown. */
static void watch_disks(Recorder *r)
{
	const int64_t end_us = g_get_monotonic_time() + AFTER_BOOT_US;
	int64_t query_us = 0;
	int64_t quiet_us = 0;
	JsonObject *login = NULL;

	while (g_get_monotonic_time() < end_us && !(login && quiet_us)) {
		const int64_t now_us = g_get_monotonic_time();

		take_sample(r);
		if (!quiet_us && now_us - r->read_at_us >= QUIET_US)
			quiet_us = r->read_at_us;
		if (!login && now_us >= query_us) {
			login = boot_collect_login(r->context);
			query_us = now_us + LOGIN_QUERY_US;
		}
		g_usleep(SAMPLE_US);
	}
	boot_collect_samples(r->record, r->samples, r->init_us);
	if (quiet_us > r->init_us)
		json_object_set_int_member(json_object_get_object_member(r->record, "disk"),
					   "quiet_us", quiet_us - r->init_us);
	if (login)
		json_object_set_object_member(r->record, "login_screen", login);
}

/*
 * The result of the boot, in the kernel's log, and so on the console unless the kernel's command
 * line has "quiet". This process writes to no terminal, because a user can make that wait for ever.
 */
static void report(JsonObject *record)
{
	g_autoptr(SavedBoot) boot = saved_boot_new(json_object_ref(record), 0, NULL);
	auto_fd int fd = open("/dev/kmsg", O_WRONLY | O_APPEND | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	g_autofree char *text = NULL;
	BootBound bound;

	if (!boot || !saved_boot_bound(boot, false, &bound))
		return;
	json_object_set_int_member(record, "ideal_us", bound.bound_us);
	text = boot_bound_text(&bound);
	if (fd < 0)
		return;
	log_open("svcd", fd, TRUE);
	log_notice(NULL, "the boot took %s", text);
	log_open("svcd", -1, FALSE);
}

static unsigned next_number(int64_t init_us, bool *ret_is_new)
{
	g_autoptr(GArray) numbers = boots_list(boots_directory());
	g_autoptr(SavedBoot) last = boots_load_last(boots_directory());

	*ret_is_new = !last || !boot_is_this(last, init_us);
	if (!*ret_is_new)
		return last->number;
	return numbers->len > 0 ? g_array_index(numbers, unsigned, numbers->len - 1) + 1 : 1;
}

static bool record_boot(Recorder *r, GError **error)
{
	bool is_new;

	watch_boot(r);
	if (!can_write())
		return true;
	r->record = boot_collect(r->context, r->samples, error);
	if (!r->record)
		return false;
	report(r->record);
	r->number = next_number(r->init_us, &is_new);
	if (is_new) /* an admin may have removed a record with this number */
		boots_remove_logs(boots_directory(), r->number);
	if (!save(r, error))
		return false;
	(void)record_now(r->context, r->init_us, NULL); /* it is repeated soon */
	watch_disks(r);
	return save(r, error);
}

/* --- the shutdown --- */

/*
 * PID 1 has sent SIGTERM: every service has stopped, and the manager is gone. This process may be
 * waiting for the manager, so the handler executes svcctl again. execl(3) is async-signal-safe.
 */
static void on_term(int signo)
{
	(void)signo;
	(void)execl("/proc/self/exe", "svcctl", "boot", "record", "end", (char *)NULL);
	_exit(1);
}

/* The shutdown waits for this, so that the record contains at least its requester. */
static void report_ready(void)
{
	(void)fd_write_all(READY_FD, "\n", 1); /* otherwise StartTimeout= ends the wait */
}

/*
 * Runs until SIGTERM, or the end of the manager, or until the record's volume is unmounted. Each
 * change is written at once. PID 1 syncs at the end.
 */
static void write_changes(Context *context, const char *record, const char *directory)
{
	bool can_continue = save_changes(context, directory, false, NULL);
	int64_t saved_us = 0;

	report_ready();
	while (can_continue && access(record, F_OK) == 0) {
		const int64_t now_us = g_get_monotonic_time();

		if (now_us - saved_us >= SAVE_US) {
			/* tried again at the end */
			(void)save_logs(context, directory, NULL);
			saved_us = now_us;
		}
		(void)client_wait(context->client, now_us + SAVE_US);
		can_continue = save_changes(context, directory, false, NULL);
	}
}

/* There is no record if the boot did not finish, or if the disk is read-only. */
static bool record_shutdown(Context *context, int64_t init_us, GError **error)
{
	g_autoptr(SavedBoot) boot = load_this(init_us, NULL);
	g_autofree char *record = boot ? boots_path(boots_directory(), boot->number) : NULL;
	g_autofree char *directory = boot ? make_logs_directory(boot, error) : NULL;

	if (!boot) {
		report_ready();
		return true;
	}
	if (!directory || !client_watch(context->client, error))
		return false;
	(void)signal(SIGTERM, on_term);
	write_changes(context, record, directory);
	return true;
}

/* After the last stop, without svcd: every service has written its last line. */
static bool record_end(Context *context, GError **error)
{
	g_autoptr(SavedBoot) boot = load_this(-1, error);
	g_autofree char *directory = boot ? boots_logs(boots_directory(), boot->number) : NULL;
	g_autoptr(GPtrArray) changes = boot_changes_new();
	const int64_t now_us = g_get_monotonic_time();
	g_autofree char *stamp = output_stamp(now_us);

	if (!boot)
		return false;
	boot_changes_append(changes, now_us, stamp, BOOT_CHANGES_END, "stopping", "off",
			    "every service has stopped");
	return boot_changes_add(directory, changes, false, error) &&
	       save_logs(context, directory, error);
}

bool boot_record(Context *context, GError **error)
{
	const char *what = context->n_names > 1 ? context->names[1] : "";
	g_autoptr(BootSamples) samples = boot_samples_new();
	Recorder r = { .context = context, .samples = samples };
	g_autoptr(GVariant) manager = NULL;
	bool done = true;

	if (strcmp(what, "end") == 0)
		return record_end(context, error);
	if (*what && strcmp(what, "now") != 0 && strcmp(what, "shutdown") != 0)
		return fail_ctl(error, CTL_ERROR_USAGE,
				"boot record takes now, shutdown or end, not \"%s\"", what);
	manager = client_properties(context->client, OBJECT_PATH_MANAGER, INTERFACE_MANAGER, error);
	r.init_us = manager ? boot_init_started(context, error) : -1;
	if (r.init_us < 0)
		return false;
	if (strcmp(what, "shutdown") == 0)
		return record_shutdown(context, r.init_us, error);
	if (*what)
		return record_now(context, r.init_us, error);
	done = record_boot(&r, error);
	g_clear_pointer(&r.record, json_object_unref);
	return done;
}
