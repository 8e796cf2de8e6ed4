/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Job: see job.h. The first line of the file is the last number; then there is a line "ID UNIT" for
 * each open job.
 */
#include "config.h"

#include "svc-systemd1/job.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/log.h"
#include "svc-systemd1/unit-name.h"

enum { FILE_BYTES_MAX = 2 * 1024 * 1024 };

typedef struct Job {
	uint32_t id;
	char *unit;
} Job;

/* Global variables, because a program has one table. */
static GArray *jobs; /* of Job */
static uint32_t last_id;
static const char *file;

static void job_clear(void *data)
{
	Job *job = data;

	g_free(job->unit);
}

static void save(void)
{
	g_autoptr(GString) text = g_string_new(NULL);
	g_autoptr(GError) error = NULL;

	g_string_append_printf(text, "%u\n", last_id);
	for (unsigned i = 0; i < jobs->len; i++) {
		const Job *job = &g_array_index(jobs, Job, i);

		g_string_append_printf(text, "%u %s\n", job->id, job->unit);
	}
	if (!file_replace(file, text->str, 0600, &error))
		log_warning(NULL, "open jobs would be lost in a restart: %s", error->message);
}

static void recover_line(const char *line, void (*lost)(uint32_t id, const char *unit))
{
	char *end;
	const unsigned long id = strtoul(line, &end, 10);

	if (*end == ' ' && id > 0 && id <= last_id && strlen(end + 1) <= UNIT_NAME_MAX)
		lost((uint32_t)id, end + 1);
}

void job_recover(const char *path, void (*lost)(uint32_t id, const char *unit))
{
	g_autoptr(GBytes) bytes = file_read_bounded(path, FILE_BYTES_MAX, NULL);
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;

	file = path;
	jobs = g_array_new(FALSE, FALSE, sizeof(Job));
	g_array_set_clear_func(jobs, job_clear);
	if (!bytes)
		return; /* the first start since the boot */
	text = g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
	lines = g_strsplit(text, "\n", -1);
	last_id = lines[0] ? (uint32_t)strtoul(lines[0], NULL, 10) : 0;
	for (unsigned i = 1; lines[0] && lines[i]; i++)
		recover_line(lines[i], lost);
	save();
}

uint32_t job_new(const char *unit)
{
	const Job job = { .id = ++last_id, .unit = g_strdup(unit) };

	g_array_append_val(jobs, job);
	save();
	return job.id;
}

static int find(uint32_t id)
{
	for (unsigned i = 0; i < jobs->len; i++)
		if (g_array_index(jobs, Job, i).id == id)
			return (int)i;
	return -1;
}

void job_end(uint32_t id)
{
	const int index = find(id);

	if (index < 0)
		return;
	g_array_remove_index(jobs, (unsigned)index);
	save();
}

bool job_exists(uint32_t id)
{
	return find(id) >= 0;
}

void job_forget_all(void)
{
	g_clear_pointer(&jobs, g_array_unref);
}
