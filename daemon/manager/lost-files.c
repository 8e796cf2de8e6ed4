/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lost files: services that run although their files are gone. PID 1 keeps the relations of these
 * services to others in a memfd. So the next manager does not stop the services that they need.
 */
#include "config.h"

#include <string.h>

#include "base/fd.h"
#include "base/log.h"
#include "config/bundle.h"
#include "manager/manager.h"
#include "model/service-parse.h"

static bool is_kept; /* PID 1 has a memfd */

/* Returns: NULL if every running service has a file. */
static Bundle *collect(const Manager *m)
{
	const GPtrArray *services = engine_services(m->engine);
	Bundle *bundle = NULL;

	for (guint i = 0; i < services->len; i++) {
		const Service *s = g_ptr_array_index(services, i);
		g_autofree char *path = NULL;
		g_autofree char *text = NULL;

		if (service_file_state(s) != FILE_GONE)
			continue;
		if (!bundle)
			bundle = bundle_new();
		path = g_strconcat("/", s->def->name, NULL);
		text = service_def_relations(s->def);
		bundle_add(bundle, BUNDLE_FILE, true, path, text, strlen(text));
	}
	return bundle;
}

void lost_files_keep(Manager *m)
{
	g_autoptr(Bundle) bundle = collect(m);
	g_autoptr(GError) error = NULL;
	auto_fd int fd = -1;

	if (!bundle) {
		if (is_kept)
			keeper_link_forget(m->link, LOST_FILES_KEPT);
		is_kept = false;
		return;
	}
	fd = files_make_memfd(&error);
	if (fd < 0 || !bundle_write(bundle, fd, &error)) {
		log_warning(NULL,
			    "the next manager may stop services that are needed only by services "
			    "without a file: %s",
			    error->message);
		return;
	}
	keeper_link_keep(m->link, LOST_FILES_KEPT, fd);
	is_kept = true;
}

Bundle *lost_files_take(Manager *m)
{
	auto_fd int fd = recovery_take_lost_files(m->recovery);
	g_autoptr(GError) error = NULL;
	Bundle *bundle = NULL;

	is_kept = fd >= 0;
	if (fd >= 0)
		bundle = bundle_read(fd, &error);
	if (error)
		log_warning(NULL, "the relations of services without a file are unknown: %s",
			    error->message);
	return bundle;
}

ServiceDef *lost_files_define(const Bundle *lost, const char *service)
{
	const Origin origin = origin_new("(its file is gone)", 0);
	g_autofree char *path = g_strconcat("/", service, NULL);
	const BundleEntry *entry = lost ? bundle_find(lost, path) : NULL;
	g_autoptr(DiagList) diags = diag_list_new(); /* stays empty */
	g_autofree char *text = NULL;
	SourceText source = { .file = origin.file };
	ServiceDef *def;

	if (!entry) {
		def = service_def_new(service, origin);
	} else {
		text = g_strndup(g_bytes_get_data(entry->bytes, NULL),
				 g_bytes_get_size(entry->bytes));
		source.text = text;
		source.length = strlen(text);
		def = service_parse(service, &source, 1, diags);
	}
	def->is_gone = true;
	return def;
}
