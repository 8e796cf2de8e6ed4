/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Last success: when each service with a due: condition was last done, over reboots.
 *
 * The file is read with the service files, and again when its volume is mounted. Until then the
 * levels of due: are unknown. svc-save writes it after each success, because a disk may block its
 * writer. The notes of the services contain the successes of this boot for the next manager.
 */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/text.h"
#include "boot/progress.h"
#include "config/gather.h"
#include "manager/manager.h"
#include "model/name.h"

#define SAVE_PROGRAM SVCD_LIBDIR "/svc-save"
#define NOTE_KEY " l="

static struct {
	GHashTable *times; /* name -> int64_t, seconds since 1970; both owned */
	GHashTable *noted; /* names with a success in this boot, in @times; owned */
	GHashTable *requested; /* names of services that an admin has started; owned */
	GHashTable *mounted; /* keys of volumes that were mounted since this manager began; owned */
	bool is_known; /* the file was read, or there is none */
	bool is_boot_over; /* whatever was to be mounted is mounted */
	bool is_saving; /* svc-save runs */
	bool has_changed; /* since svc-save got the text */
} successes;

void last_success_init(void)
{
	successes.times = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	successes.noted = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	successes.requested = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	successes.mounted = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
}

static int64_t time_of(const char *service)
{
	const int64_t *at_s = g_hash_table_lookup(successes.times, service);

	return at_s ? *at_s : 0;
}

static void set_time(const char *service, int64_t at_s)
{
	g_hash_table_insert(successes.times, g_strdup(service), g_memdup2(&at_s, sizeof at_s));
}

static void note_use(void *data, const DueTime *time)
{
	(void)time;
	*(bool *)data = true;
}

bool last_success_is_missing(const Manager *m)
{
	bool is_used = false;

	if (!successes.is_known)
		schedule_provider_visit(registry_schedule(m->registry), note_use, &is_used);
	return is_used;
}

bool last_success_find(void *data, const char *service, DueFacts *ret)
{
	const Manager *m = data;
	const Service *s = engine_find(m->engine, service);

	if (!s)
		return false;
	*ret = (DueFacts){ .is_known = successes.is_known,
			   .is_requested = g_hash_table_contains(successes.requested, service),
			   .last_s = time_of(service),
			   .delay_max_s = s->def->random_delay_us / G_USEC_PER_SEC,
			   .is_persistent = s->def->is_persistent };
	return true;
}

/* --- reading --- */

/* "NAME SECONDS" */
static bool read_line(const char *line)
{
	g_auto(GStrv) fields = g_strsplit(line, " ", 3);
	int64_t at_s;

	if (g_strv_length(fields) != 2 || !name_check_service(fields[0], NULL) ||
	    !text_parse_int(fields[1], 0, INT64_MAX / 2, &at_s))
		return false;
	/* A note of this boot is newer than the file. */
	if (!g_hash_table_contains(successes.noted, fields[0]))
		set_time(fields[0], at_s);
	return true;
}

static void read_file(const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	for (char **line = lines; *line; line++) {
		if (**line && !read_line(*line))
			log_warning(NULL, GATHER_SUCCESSES ": \"%s\" is not NAME SECONDS", *line);
	}
}

static char *text_of(const Bundle *bundle, const char *path)
{
	const BundleEntry *entry = bundle_find(bundle, path);

	return entry && entry->kind == BUNDLE_FILE ?
		       g_strndup(g_bytes_get_data(entry->bytes, NULL),
				 g_bytes_get_size(entry->bytes)) :
		       NULL;
}

/* Will a service mount a volume on the path of the file? Then what was read is not the file. */
static bool is_volume_missing(const Manager *m)
{
	const GPtrArray *services = engine_services(m->engine);

	for (guint i = 0; i < services->len; i++) {
		const Service *s = g_ptr_array_index(services, i);
		const char *point = service_def_mount_point(s->def);
		g_autofree char *key = point ? g_strconcat("mounted:", point, NULL) : NULL;

		if (key && boot_history_is_volume(key) &&
		    !g_hash_table_contains(successes.mounted, key))
			return true;
	}
	return false;
}

/* A user's manager keeps the times only while it runs. */
static void read_times(Manager *m, const Bundle *bundle)
{
	g_autofree char *text = text_of(bundle, GATHER_SUCCESSES);
	const bool is_there = bundle_find(bundle, GATHER_SUCCESSES) != NULL;
	const bool may_come = !manager_is_users(m) &&
			      ((!is_there && !successes.is_boot_over) || is_volume_missing(m));

	if (successes.is_known || may_come)
		return;
	successes.is_known = true;
	if (text)
		read_file(text);
	else if (is_there)
		log_warning(NULL, GATHER_SUCCESSES
			    " cannot be read, so tasks with due: conditions run once more");
}

void last_success_on_level(const char *key, Level level)
{
	if (level == LEVEL_TRUE && boot_history_is_volume(key))
		g_hash_table_add(successes.mounted, g_strdup(key));
}

void last_success_on_files(Manager *m, const Bundle *bundle)
{
	g_autofree char *table = text_of(bundle, GATHER_LOCAL_TIME);
	g_autofree char *machine = text_of(bundle, GATHER_MACHINE_ID);
	g_autoptr(GError) error = NULL;
	TimeZone *zone = time_zone_parse(table ? table : "", &error);

	read_times(m, bundle);
	if (!zone)
		log_warning(NULL, "the time zone is not known, and UTC is used: %s",
			    error->message);
	schedule_provider_set_place(registry_schedule(m->registry), zone, machine ? machine : "");
}

/* --- writing --- */

static int compare_names(gconstpointer a, gconstpointer b)
{
	return strcmp(a, b);
}

/* Services that are gone are forgotten, unless the admin's files were left out. */
static bool is_kept(const Manager *m, const char *name)
{
	return (m->welcome.flags & WELCOME_WITHOUT_LOCAL_FILES) || engine_find(m->engine, name);
}

static char *format(const Manager *m)
{
	g_autoptr(GList) names =
		g_list_sort(g_hash_table_get_keys(successes.times), compare_names);
	GString *text = g_string_new(NULL);

	for (GList *l = names; l; l = l->next) {
		if (is_kept(m, l->data))
			g_string_append_printf(text, "%s %" G_GINT64_FORMAT "\n",
					       (const char *)l->data, time_of(l->data));
	}
	return g_string_free(text, FALSE);
}

static bool start_saving(Manager *m, GError **error)
{
	const char *const argv[] = { SAVE_PROGRAM, GATHER_SUCCESSES, NULL };
	g_autofree char *text = format(m);
	auto_fd int fd = memfd_create("svcd-last-success", MFD_CLOEXEC);

	if (fd < 0 || !fd_write_all(fd, text, strlen(text)) || lseek(fd, 0, SEEK_SET) != 0)
		return fail_errno(error, errno, "cannot keep them in memory");
	return helper_spawn(m, &last_success_helper,
			    &(HelperRun){ .argv = argv, .input_fd = fd, .output_fd = -1 },
			    error) > 0;
}

static void save(Manager *m)
{
	g_autoptr(GError) error = NULL;

	if (!successes.has_changed || successes.is_saving || !successes.is_known ||
	    manager_is_users(m))
		return;
	successes.has_changed = false;
	successes.is_saving = start_saving(m, &error);
	if (!successes.is_saving)
		log_warning(NULL, "the last successes of tasks were not saved: %s", error->message);
}

void last_success_check(Manager *m)
{
	if (m->recovery)
		return;
	if (!successes.is_boot_over && progress_is_finished(m->engine) &&
	    last_success_is_missing(m)) {
		successes.is_boot_over = true;
		files_load(m);
	}
	save(m);
}

void last_success_on_state(Manager *m, const Service *s)
{
	const char *name = s->def->name;
	ScheduleProvider *schedule = registry_schedule(m->registry);

	if (s->state != STATE_DONE || !schedule_provider_watches(schedule, name))
		return;
	g_hash_table_remove(successes.requested, name);
	set_time(name, g_get_real_time() / G_USEC_PER_SEC);
	g_hash_table_add(successes.noted, g_strdup(name));
	successes.has_changed = true;
	notes_mark(name);
	schedule_provider_update(schedule);
}

void last_success_on_request(Manager *m, RequestVerb verb, const char *service)
{
	const Service *s = engine_find(m->engine, service);
	ScheduleProvider *schedule = registry_schedule(m->registry);
	const bool is_run = verb == REQUEST_VERB_RESTART || (verb == REQUEST_VERB_START && s &&
							     s->state != STATE_DONE);

	if (!s || verb == REQUEST_VERB_RELOAD || !schedule_provider_watches(schedule, service))
		return;
	if (is_run)
		g_hash_table_add(successes.requested, g_strdup(service));
	else
		g_hash_table_remove(successes.requested, service);
	schedule_provider_update(schedule);
	registry_flush(m->registry);
}

static void on_spawned(Manager *m, const struct MessageSpawned *message)
{
	if (message->error)
		log_warning(NULL, "the last successes of tasks were not saved: %s",
			    g_strerror(message->error));
	/* That of an earlier manager may write an older text, and is waited for. */
	successes.is_saving = !message->error;
	(void)m;
}

/* If it failed, it has logged the reason. */
static void on_exited(Manager *m, const struct MessageExited *message)
{
	(void)message;
	successes.is_saving = false;
	last_success_check(m);
}

const Helper last_success_helper = { .service = ".last-success",
				     .spawned = on_spawned,
				     .exited = on_exited };

/* --- notes --- */

char *last_success_note(const char *service)
{
	char digits[TEXT_BASE36_BYTES];

	return g_hash_table_contains(successes.noted, service) ?
		       g_strconcat(NOTE_KEY, text_base36(digits, (uint64_t)time_of(service)),
				   NULL) :
		       g_strdup("");
}

void last_success_recover(const char *service, const char *note)
{
	g_autofree char *padded = g_strconcat(" ", note, NULL);
	const char *token = strstr(padded, NOTE_KEY);
	const char *end;
	int64_t at_s;

	if (!token || !text_parse_base36(token + strlen(NOTE_KEY), &at_s, &end))
		return;
	set_time(service, at_s);
	g_hash_table_add(successes.noted, g_strdup(service));
	successes.has_changed = true; /* the earlier manager may not have saved it */
}
