/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * import-unit: converts a systemd unit to a service file and a policy, and reports the result for
 * each line of the unit.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "base/errors.h"
#include "base/fd.h"
#include "base/text.h"
#include "import-unit/import-unit.h"
#include "svcctl/svcctl.h"

/* The same as the loader's limit for a service file. */
#define UNIT_BYTES (256 * 1024)

static const Column columns[] = {
	{ "line", "LINE", "Line", CELL_TEXT },     { "said", "SETTING", "Said", CELL_TEXT },
	{ "verdict", NULL, "Verdict", CELL_TEXT }, { "became", "BECAME", "Became", CELL_TEXT },
	{ "note", "NOTE", "Note", CELL_TEXT },
};

/* The texts of one service's files, and the strings that they borrow from. */
typedef struct Sources {
	GArray *texts; /* UnitText */
	GPtrArray *owned; /* char * */
} Sources;

static bool read_text(Sources *sources, const char *file, GError **error)
{
	g_autoptr(GError) cause = NULL;
	UnitText text = { 0 };
	char *bytes = NULL;

	if (!g_file_test(file, G_FILE_TEST_IS_REGULAR))
		return fail_ctl(error, CTL_ERROR_FILE, "%s: there is no such file", file);
	if (!g_file_get_contents(file, &bytes, &text.length, &cause))
		return fail_ctl(error, CTL_ERROR_FILE, "%s", cause->message);
	g_ptr_array_add(sources->owned, bytes);
	if (text.length > UNIT_BYTES)
		return fail_ctl(error, CTL_ERROR_FILE, "%s: larger than %d bytes", file,
				UNIT_BYTES);
	text.file = g_intern_string(file);
	text.text = bytes;
	g_array_append_val(sources->texts, text);
	return true;
}

/* Reads FILE.d/NAME.conf, sorted by name. */
static bool read_drop_ins(Sources *sources, const char *file, GError **error)
{
	g_autofree char *path = g_strconcat(file, ".d", NULL);
	g_autoptr(GDir) directory = g_dir_open(path, 0, NULL);
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	const char *name;

	while (directory && (name = g_dir_read_name(directory))) {
		if (g_str_has_suffix(name, ".conf"))
			g_ptr_array_add(names, g_build_filename(path, name, NULL));
	}
	g_ptr_array_sort(names, text_compare);
	for (guint i = 0; i < names->len; i++) {
		if (!read_text(sources, g_ptr_array_index(names, i), error))
			return false;
	}
	return true;
}

/* "/x/NAME.socket" for "/x/NAME.service", a new string; NULL for a unit that is not a service. */
static char *socket_beside(const char *file)
{
	const size_t length =
		strlen(file) - (g_str_has_suffix(file, ".service") ? strlen("service") : 0);

	return file[length] ? g_strdup_printf("%.*ssocket", (int)length, file) : NULL;
}

/*
 * Does the socket start the service? Yes if the service names the socket, or has no [Install]
 * section.
 */
static bool is_started_by(const char *service, const char *socket)
{
	g_autofree char *name = g_path_get_basename(socket);

	return strstr(service, name) || !strstr(service, "[Install]");
}

static bool is_given(const Context *context, const char *file)
{
	for (unsigned i = 0; i < context->n_names; i++) {
		if (strcmp(context->names[i], file) == 0)
			return true;
	}
	return false;
}

/*
 * A socket beside its service is read with it if is_started_by() is true, or the command line names
 * the socket.
 */
static bool read_socket(const Context *context, Sources *sources, const char *file, GError **error)
{
	const UnitText *service = &g_array_index(sources->texts, UnitText, 0);
	g_autofree char *socket = socket_beside(file);

	if (!socket || !g_file_test(socket, G_FILE_TEST_EXISTS) ||
	    !(is_given(context, socket) || is_started_by(service->text, socket)))
		return true;
	return read_text(sources, socket, error) && read_drop_ins(sources, socket, error);
}

/* Is @file the socket of a service that the command line names, too? */
static bool is_read_with_service(const Context *context, const char *file)
{
	for (unsigned i = 0; i < context->n_names; i++) {
		g_autofree char *socket = socket_beside(context->names[i]);

		if (g_strcmp0(socket, file) == 0)
			return true;
	}
	return false;
}

static GPtrArray *line_records(const Import *import)
{
	GPtrArray *records = records_new();

	for (guint i = 0; i < import->lines->len; i++) {
		const ImportLine *line = g_ptr_array_index(import->lines, i);
		g_autofree char *base = line->origin.file ? g_path_get_basename(line->origin.file) :
							    NULL;
		g_autofree char *where = base ? g_strdup_printf("%s:%u", base, line->origin.line) :
						NULL;
		const bool is_lost = line->verdict == IMPORT_LOST && !*line->became;
		GVariantDict dict;

		g_variant_dict_init(&dict, NULL);
		record_add_text(&dict, "Line", where ? where : "default");
		record_add_text(&dict, "Said", line->message);
		record_add_text(&dict, "Verdict", import_verdict_name(line->verdict));
		record_add_text(&dict, "Became",
				is_lost       ? "(lost)" :
				*line->became ? line->became :
						"-");
		record_add_text(&dict, "Note", line->note);
		records_add(records, &dict);
	}
	return records;
}

static void add_json(JsonArray *all, const Import *import, const GPtrArray *records)
{
	JsonObject *object = json_object_new();
	JsonArray *lines = json_array_new();

	for (guint i = 0; i < records->len; i++)
		json_array_add_element(lines, record_to_json(g_ptr_array_index(records, i), columns,
							     G_N_ELEMENTS(columns)));
	json_object_set_string_member(object, "name", import->name);
	json_object_set_array_member(object, "lines", lines);
	json_object_set_string_member(object, "service", import->service);
	json_object_set_string_member(object, "policy", import->policy);
	json_array_add_object_element(all, object);
}

static bool write_service(Context *context, const Import *import, GError **error)
{
	g_autofree char *name = g_strconcat(import->name, ".svc", NULL);
	g_autofree char *path = g_build_filename(context->options.output, name, NULL);

	if (g_file_test(path, G_FILE_TEST_EXISTS))
		return fail_ctl(error, CTL_ERROR_FILE, "%s exists already, and is left as it is",
				path);
	if (!file_replace(path, import->service, 0644, error))
		return false;
	output_confirm(&context->output, "written: %s", path);
	return true;
}

static void show_file(Output *output, const char *name, const char *suffix, const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	output_line(output, "%s", "");
	output_line(output, "%s%s:", name, suffix);
	for (char **line = lines; *line && (line[1] || **line); line++)
		output_line(output, "    %s", *line);
}

/*
 * Prints the result for people, or writes the service file with --output. The policy is not
 * written, because it would activate the service at the next reload; "svcctl enable" does that.
 * With --json the document contains the result.
 */
static bool show(Context *context, const Import *import, GPtrArray *records, GError **error)
{
	if (!context->output.is_json &&
	    !output_table(&context->output, columns, G_N_ELEMENTS(columns), records,
			  context->options.columns, error))
		return false;
	if (context->options.output)
		return write_service(context, import, error);
	show_file(&context->output, import->name, ".svc", import->service);
	show_file(&context->output, import->name, ".policy", import->policy);
	return true;
}

/* Prints all complaints, for people; the first one becomes the error. */
static bool refuse(Context *context, const Import *import, GError **error)
{
	const unsigned n = diag_list_length(import->diags);

	for (unsigned i = 1; i < n; i++) {
		g_autofree char *text = diag_format(diag_list_get(import->diags, i));

		output_line(&context->output, "%s", text);
	}
	{
		g_autofree char *first = diag_format(diag_list_get(import->diags, 0));

		return fail_ctl(error, CTL_ERROR_BAD_CONFIGURATION, "%s", first);
	}
}

static bool import_one(Context *context, const char *file, JsonArray *all, GError **error)
{
	Sources sources = { g_array_new(FALSE, FALSE, sizeof(UnitText)),
			    g_ptr_array_new_with_free_func(g_free) };
	g_autoptr(GPtrArray) owned = sources.owned;
	g_autoptr(GArray) texts = sources.texts;
	g_autoptr(Import) import = NULL;
	g_autoptr(GPtrArray) records = NULL;

	if (!read_text(&sources, file, error) || !read_drop_ins(&sources, file, error) ||
	    !read_socket(context, &sources, file, error))
		return false;
	import = import_unit((const UnitText *)texts->data, texts->len);
	if (diag_list_count_errors(import->diags) > 0)
		return refuse(context, import, error);
	records = line_records(import);
	add_json(all, import, records);
	return show(context, import, records, error);
}

bool cmd_import_unit(Context *context, GError **error)
{
	JsonArray *all = json_array_new();
	bool done = true;

	for (unsigned i = 0; done && i < context->n_names; i++) {
		if (!is_read_with_service(context, context->names[i]))
			done = import_one(context, context->names[i], all, error);
	}
	output_set_array(&context->output, all);
	return done;
}
