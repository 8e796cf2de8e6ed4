/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Boot history: loads the durations of earlier boots for the progress of this boot
 * (boot/progress.c), and saves the durations of this boot for later boots.
 *
 * The history file is read together with the service files. All of them are read again when the
 * volume of the history file is mounted. svc-save writes the history file after the boot, because a
 * disk may block the writer. Without a valid file, this boot counts as the first one.
 */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/log.h"
#include "boot/progress.h"
#include "config/gather.h"
#include "manager/manager.h"

#define HISTORY_PROGRAM SVCD_LIBDIR "/svc-save"
#define HISTORY_FILE GATHER_DURATIONS

/* Mount points that may be separate volumes. */
static const char *const volumes[] = { "mounted:/var", "mounted:/var/lib",
				       "mounted:" SVCD_STATEDIR };

static bool is_saved;
static bool is_known; /* the files in force contain the durations */

/* --- reading --- */

static Durations *parse_entry(const BundleEntry *entry, GError **error)
{
	gsize length;
	const char *text = g_bytes_get_data(entry->bytes, &length);

	if (entry->kind == BUNDLE_FILE)
		return durations_parse(text, length, error);
	fail(error, SVCD_ERROR_FAILED, "%.*s", (int)length, text);
	return NULL;
}

void boot_history_load(Manager *m, const Bundle *bundle)
{
	const BundleEntry *entry = bundle_find(bundle, HISTORY_FILE);
	g_autoptr(GError) error = NULL;
	Durations *durations;

	is_known = entry != NULL;
	/* The file is ignored after repeated failures of the manager. */
	if (!entry || m->welcome.flags & WELCOME_WITHOUT_NOTES || progress_is_finished(m->engine))
		return;
	durations = parse_entry(entry, &error);
	if (durations)
		progress_know(m->engine, durations, loop_now());
	else
		log_warning(NULL, "the durations of earlier boots are not known: %s: %s",
			    HISTORY_FILE, error->message);
}

void boot_history_watch_volumes(Manager *m)
{
	if (!(m->welcome.flags & WELCOME_IS_PID1))
		return;
	for (size_t i = 0; i < G_N_ELEMENTS(volumes); i++)
		registry_subscribe(m->registry, KEY_MOUNTED, g_intern_string(volumes[i]));
}

bool boot_history_is_volume(const char *key)
{
	for (size_t i = 0; i < G_N_ELEMENTS(volumes); i++) {
		if (strcmp(key, volumes[i]) == 0)
			return true;
	}
	return false;
}

void boot_history_on_level(Manager *m, const char *key, Level level)
{
	const bool is_complete = (is_known || progress_is_finished(m->engine)) &&
				 !last_success_is_missing(m);

	if (level == LEVEL_TRUE && !is_complete && (m->welcome.flags & WELCOME_IS_PID1) &&
	    boot_history_is_volume(key))
		files_load(m);
}

/* --- saving --- */

/* The input is in a memfd, because svc-save may read it much later. */
static int make_input(const Manager *m, GError **error)
{
	g_autofree char *text = durations_format(progress_durations(m->engine));
	auto_fd int fd = memfd_create("svcd-durations", MFD_CLOEXEC);

	if (fd < 0 || !fd_write_all(fd, text, strlen(text)) || lseek(fd, 0, SEEK_SET) != 0) {
		fail_errno(error, errno, "cannot keep them in memory");
		return -1;
	}
	return fd_steal(&fd);
}

static bool spawn_saver(Manager *m, GError **error)
{
	const char *const argv[] = { HISTORY_PROGRAM, HISTORY_FILE, NULL };
	auto_fd int input = make_input(m, error);

	if (input < 0)
		return false;
	return helper_spawn(m, &boot_history_helper,
			    &(HelperRun){ .argv = argv, .input_fd = input, .output_fd = -1 },
			    error) > 0;
}

void boot_history_remember(Manager *m)
{
	is_saved = progress_is_finished(m->engine);
}

void boot_history_check(Manager *m)
{
	g_autoptr(GError) error = NULL;

	if (is_saved || power_is_ending() || !(m->welcome.flags & WELCOME_IS_PID1) ||
	    !progress_is_finished(m->engine))
		return;
	is_saved = true;
	if (!spawn_saver(m, &error))
		log_warning(NULL, "the durations of this boot were not saved: %s", error->message);
}

static void on_spawned(Manager *m, const struct MessageSpawned *message)
{
	(void)m;
	if (message->error)
		log_warning(NULL, "the durations of this boot were not saved: %s",
			    g_strerror(message->error));
}

/* svc-save itself logs the reason of a failure. */
static void on_exited(Manager *m, const struct MessageExited *message)
{
	(void)m;
	(void)message;
}

const Helper boot_history_helper = { .service = ".history",
				     .spawned = on_spawned,
				     .exited = on_exited };
