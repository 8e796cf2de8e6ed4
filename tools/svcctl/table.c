/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Table: records as lines (libsmartcols) and as JSON objects, from the same columns.
 */
#include "config.h"

#include <libsmartcols.h>
#include <string.h>

#include "base/text.h"
#include "svcctl/output.h"

/*
 * Limits on a terminal: the number of names that are shown of a list; the least width to which a
 * column is cut; the least width that is kept for the last column.
 */
enum { NAMES_SHOWN = 3, NARROWEST_CUT = 10, NARROWEST_LAST = 20 };

GVariant *record_from_tuple(GVariant *tuple, const char *const *names)
{
	g_autoptr(GVariant) kept = g_variant_ref_sink(tuple);
	GVariantBuilder builder;

	g_variant_builder_init(&builder, G_VARIANT_TYPE_VARDICT);
	for (size_t i = 0; names[i]; i++) {
		g_autoptr(GVariant) member = g_variant_get_child_value(kept, i);

		g_variant_builder_add(&builder, "{sv}", names[i], member);
	}
	return g_variant_ref_sink(g_variant_builder_end(&builder));
}

const char *record_text(GVariant *record, const char *property)
{
	const char *text = "";

	/* absent in an older manager: empty */
	(void)g_variant_lookup(record, property, "&s", &text);
	return text;
}

static uint64_t number_of(GVariant *value)
{
	if (!value)
		return 0;
	if (g_variant_is_of_type(value, G_VARIANT_TYPE_BOOLEAN))
		return g_variant_get_boolean(value);
	if (g_variant_is_of_type(value, G_VARIANT_TYPE_UINT32))
		return g_variant_get_uint32(value);
	return g_variant_is_of_type(value, G_VARIANT_TYPE_UINT64) ? g_variant_get_uint64(value) : 0;
}

uint64_t record_number(GVariant *record, const char *property)
{
	g_autoptr(GVariant) value = g_variant_lookup_value(record, property, NULL);

	return number_of(value);
}

/* An array of strings, or the first members of an array of structs, joined; a new string. */
static char *join_array(GVariant *record, const char *property)
{
	g_autoptr(GVariant) array = g_variant_lookup_value(record, property, NULL);
	g_autoptr(GString) text = g_string_new(NULL);

	for (gsize i = 0; array && i < g_variant_n_children(array); i++) {
		g_autoptr(GVariant) child = g_variant_get_child_value(array, i);
		g_autoptr(GVariant) first = g_variant_is_container(child) ?
						    g_variant_get_child_value(child, 0) :
						    g_variant_ref(child);

		g_string_append_printf(text, "%s%s", i > 0 ? ", " : "",
				       g_variant_get_string(first, NULL));
	}
	return g_string_free(g_steal_pointer(&text), FALSE);
}

char *cell_text(const Output *output, GVariant *record, const Column *column)
{
	uint64_t number;

	switch (column->kind) {
	case CELL_TEXT:
	case CELL_STATE:
		return g_strdup(record_text(record, column->property));
	case CELL_STRINGS:
	case CELL_STRUCTS:
		return join_array(record, column->property);
	case CELL_BOOL:
		return g_strdup(record_number(record, column->property) > 0 ? "yes" : "no");
	case CELL_NUMBER:
	case CELL_OPTIONAL:
	case CELL_TIME:
	case CELL_DURATION:
	case CELL_BYTES:
		break;
	}
	number = record_number(record, column->property);
	if (number == 0 && column->kind != CELL_NUMBER)
		return g_strdup("");
	if (column->kind == CELL_TIME)
		return output_format_time(output, (int64_t)number);
	if (column->kind == CELL_DURATION)
		return text_format_duration((int64_t)number);
	if (column->kind == CELL_BYTES)
		return output_format_bytes(number);
	return g_strdup_printf("%" G_GUINT64_FORMAT, number);
}

/* --- JSON --- */

static JsonNode *value_to_json(GVariant *value)
{
	JsonNode *node = json_node_alloc();

	if (g_variant_is_of_type(value, G_VARIANT_TYPE_STRING))
		return json_node_init_string(node, g_variant_get_string(value, NULL));
	if (g_variant_is_of_type(value, G_VARIANT_TYPE_UINT32))
		return json_node_init_int(node, g_variant_get_uint32(value));
	if (g_variant_is_of_type(value, G_VARIANT_TYPE_UINT64))
		return json_node_init_int(node, (gint64)MIN(g_variant_get_uint64(value),
							    (guint64)G_MAXINT64));
	if (g_variant_is_of_type(value, G_VARIANT_TYPE_BOOLEAN))
		return json_node_init_boolean(node, g_variant_get_boolean(value));
	if (g_variant_is_of_type(value, G_VARIANT_TYPE_DOUBLE))
		return json_node_init_double(node, g_variant_get_double(value));
	return json_node_init_null(node);
}

/* "since" beside "since_us", which counts from the boot. */
static void set_wall_clock(JsonObject *object, const char *key, uint64_t at_us)
{
	g_autofree char *text = output_stamp((int64_t)at_us);
	g_autofree char *name = g_strndup(key, strlen(key) - strlen("_us"));

	if (at_us > 0)
		json_object_set_string_member(object, name, text);
	else
		json_object_set_null_member(object, name);
}

static JsonNode *struct_to_json(GVariant *tuple, const char *const *fields)
{
	JsonObject *object = json_object_new();

	for (gsize i = 0; fields[i] && i < g_variant_n_children(tuple); i++) {
		g_autoptr(GVariant) member = g_variant_get_child_value(tuple, i);

		json_object_set_member(object, fields[i], value_to_json(member));
		/* in structs these are points in time, not durations */
		if (g_str_has_suffix(fields[i], "_us"))
			set_wall_clock(object, fields[i], number_of(member));
	}
	return object_to_node(object);
}

static JsonNode *array_to_json(GVariant *array, const char *const *fields)
{
	JsonArray *json = json_array_new();
	JsonNode *node;

	for (gsize i = 0; array && i < g_variant_n_children(array); i++) {
		g_autoptr(GVariant) child = g_variant_get_child_value(array, i);

		json_array_add_element(json, fields ? struct_to_json(child, fields) :
						      value_to_json(child));
	}
	node = json_node_init_array(json_node_alloc(), json);
	json_array_unref(json);
	return node;
}

static JsonNode *cell_to_json(GVariant *record, const Column *column)
{
	g_autoptr(GVariant) value = g_variant_lookup_value(record, column->property, NULL);
	bool is_there = value != NULL;

	switch (column->kind) {
	case CELL_STRINGS:
	case CELL_STRUCTS:
		return array_to_json(value, column->fields);
	case CELL_TEXT:
		is_there = value && *g_variant_get_string(value, NULL);
		break;
	case CELL_OPTIONAL:
	case CELL_TIME:
	case CELL_DURATION:
	case CELL_BYTES:
		is_there = number_of(value) > 0;
		break;
	case CELL_STATE:
	case CELL_NUMBER:
	case CELL_BOOL:
		break;
	}
	return is_there ? value_to_json(value) : json_node_init_null(json_node_alloc());
}

JsonNode *record_to_json(GVariant *record, const Column *columns, unsigned n_columns)
{
	JsonObject *object = json_object_new();

	for (unsigned i = 0; i < n_columns; i++) {
		json_object_set_member(object, columns[i].key, cell_to_json(record, &columns[i]));
		if (columns[i].kind == CELL_TIME)
			set_wall_clock(object, columns[i].key,
				       record_number(record, columns[i].property));
	}
	return object_to_node(object);
}

static void records_to_json(Output *output, const Column *columns, unsigned n_columns,
			    const GPtrArray *records)
{
	JsonArray *array = json_array_sized_new(records->len);
	JsonNode *node;

	for (guint i = 0; i < records->len; i++)
		json_array_add_element(array, record_to_json(g_ptr_array_index(records, i), columns,
							     n_columns));
	node = json_node_init_array(json_node_alloc(), array);
	json_array_unref(array);
	output_set_data(output, node);
}

/* --- text --- */

static bool fail_unknown_column(const Column *columns, unsigned n_columns, const char *key,
				GError **error)
{
	g_autoptr(GString) all = g_string_new(NULL);

	for (unsigned i = 0; i < n_columns; i++)
		g_string_append_printf(all, "%s%s", i > 0 ? ", " : "", columns[i].key);
	return fail_ctl(error, CTL_ERROR_USAGE, "there is no column \"%s\"; the columns are: %s", key,
			all->str);
}

/* The columns to show, in order: Column *; NULL with @error if @shown names an unknown one. */
static GPtrArray *choose_columns(const Column *columns, unsigned n_columns, const char *shown,
				 GError **error)
{
	g_autoptr(GPtrArray) chosen = g_ptr_array_new();
	g_auto(GStrv) keys = shown ? g_strsplit(shown, ",", -1) : NULL;

	for (unsigned i = 0; !shown && i < n_columns; i++) {
		if (columns[i].title)
			g_ptr_array_add(chosen, (gpointer)&columns[i]);
	}
	for (size_t k = 0; keys && keys[k]; k++) {
		const guint before = chosen->len;

		for (unsigned i = 0; i < n_columns; i++) {
			if (strcmp(columns[i].key, g_strstrip(keys[k])) == 0)
				g_ptr_array_add(chosen, (gpointer)&columns[i]);
		}
		if (chosen->len == before) {
			fail_unknown_column(columns, n_columns, keys[k], error);
			return NULL;
		}
	}
	return g_steal_pointer(&chosen);
}

static struct libscols_table *new_table(const Output *output)
{
	struct libscols_table *table = scols_new_table();

	if (!table)
		g_error("no memory for a table");
	scols_table_set_stream(table, output->out);
	scols_table_enable_noheadings(table, !output->has_header);
	scols_table_enable_colors(table, output->has_colour);
	scols_table_enable_ascii(table, output->is_ascii);
	/*
	 * Output fits the widths itself, because libsmartcols would break lines within names, or
	 * cut them.
	 */
	scols_table_set_termforce(table, SCOLS_TERMFORCE_NEVER);
	return table;
}

/* "dbus, cron, ssh +17": the first names of a list; a new string. */
static char *first_names(const char *list)
{
	g_auto(GStrv) names = g_strsplit(list, ", ", -1);
	const unsigned n = g_strv_length(names);
	g_autoptr(GString) text = g_string_new(NULL);

	for (unsigned i = 0; i < MIN(n, NAMES_SHOWN); i++)
		g_string_append_printf(text, "%s%s", i > 0 ? ", " : "", names[i]);
	if (n > NAMES_SHOWN)
		g_string_append_printf(text, " +%u", n - NAMES_SHOWN);
	return g_string_free(g_steal_pointer(&text), FALSE);
}

/* The short form for a terminal; a new string. */
static char *shorten(const Output *output, GVariant *record, const Column *column,
		     const char *whole)
{
	const int64_t at_us =
		column->kind == CELL_TIME ? (int64_t)record_number(record, column->property) : 0;
	g_autofree char *ago = NULL;

	if (column->kind == CELL_STRINGS)
		return first_names(whole);
	if (at_us == 0)
		return g_strdup(whole);
	ago = text_format_duration(MAX(output->now_us - at_us, 0));
	return g_strconcat(ago, " ago", NULL);
}

/* The text as it is printed; a new string. */
static char *printed_text(const Output *output, GVariant *record, const Column *column)
{
	g_autofree char *whole = cell_text(output, record, column);
	g_autofree char *text = output->width > 0 ? shorten(output, record, column, whole) :
						    g_steal_pointer(&whole);
	bool is_never;

	if (column->kind != CELL_STATE)
		return text_escape_terminal(text);
	is_never = strcmp(record_text(record, "Activation"), "never") == 0;
	return g_strdup_printf("%s %s", output_symbol(output, text, is_never), text);
}

/* All cells, line by line; a new array of strings. */
static GPtrArray *print_cells(const Output *output, const GPtrArray *chosen,
			      const GPtrArray *records)
{
	GPtrArray *cells = g_ptr_array_new_full(chosen->len * records->len, g_free);

	for (guint i = 0; i < records->len; i++) {
		for (guint k = 0; k < chosen->len; k++)
			g_ptr_array_add(cells, printed_text(output, g_ptr_array_index(records, i),
							    g_ptr_array_index(chosen, k)));
	}
	return cells;
}

/* The widest cell of column @k, its title included. */
static unsigned column_width(const Output *output, const GPtrArray *chosen, const GPtrArray *cells,
			     guint k)
{
	const Column *column = g_ptr_array_index(chosen, k);
	glong widest = output->has_header ?
			       g_utf8_strlen(column->title ? column->title : column->key, -1) :
			       0;

	for (guint i = k; i < cells->len; i += chosen->len)
		widest = MAX(widest, g_utf8_strlen(g_ptr_array_index(cells, i), -1));
	return (unsigned)widest;
}

/* Where the last column begins: the widths of the columns before it, with a blank after each. */
static unsigned last_column_indent(const Output *output, const GPtrArray *chosen,
				   const GPtrArray *cells)
{
	unsigned indent = 0;

	for (guint k = 0; k + 1 < chosen->len; k++)
		indent += column_width(output, chosen, cells, k) + 1;
	return indent;
}

/*
 * @text in @width columns; a new string. A path keeps its end. Another single token keeps both
 * ends. A sentence keeps its beginning, and a list also the number of further names.
 */
static char *cut_text(const Output *output, const char *text, unsigned width)
{
	const char *mark = output->is_ascii ? "..." : "…";
	const char *count = g_strrstr(text, " +") ? g_strrstr(text, " +") : "";
	const glong length = g_utf8_strlen(text, -1);
	const glong kept = (glong)width - g_utf8_strlen(mark, -1);
	const glong tail = *text == '/'      ? kept :
			   strchr(text, ' ') ? g_utf8_strlen(count, -1) :
					       kept * 2 / 3;
	g_autofree char *begin = NULL;

	if (length <= (glong)width || kept < tail || kept <= 0)
		return g_strdup(text);
	begin = g_utf8_substring(text, 0, kept - tail);
	return g_strconcat(begin, mark, g_utf8_offset_to_pointer(text, length - tail), NULL);
}

static void cut_column(const Output *output, const GPtrArray *chosen, const GPtrArray *cells,
		       guint k, unsigned width)
{
	for (guint i = k; i < cells->len; i += chosen->len) {
		char *text = g_ptr_array_index(cells, i);

		cells->pdata[i] = cut_text(output, text, width);
		g_free(text);
	}
}

/* The last column is wrapped at blanks; a token that is longer than a line is cut. */
static void cut_last_column(const Output *output, const GPtrArray *chosen, const GPtrArray *cells,
			    unsigned width)
{
	for (guint i = chosen->len - 1; i < cells->len; i += chosen->len) {
		char *text = g_ptr_array_index(cells, i);
		g_auto(GStrv) arguments = g_strsplit(text, " ", -1);

		for (char **word = arguments; *word; word++) {
			char *whole = *word;

			*word = cut_text(output, whole, width);
			g_free(whole);
		}
		cells->pdata[i] = g_strjoinv(" ", arguments);
		g_free(text);
	}
}

/*
 * Keeps lines within the terminal: the widest columns are cut first, the name last. The last column
 * is wrapped, and keeps some room.
 */
static void fit_cells(const Output *output, const GPtrArray *chosen, const GPtrArray *cells,
		      unsigned tree_indent)
{
	const guint last = chosen->len - 1;
	g_autofree unsigned *widths = g_new0(unsigned, chosen->len);
	unsigned total = tree_indent;

	for (guint k = 0; k <= last; k++)
		widths[k] = column_width(output, chosen, cells, k);
	for (guint k = 0; k < last; k++)
		total += widths[k] + 1;
	for (;;) {
		guint widest = MIN(1, last);

		for (guint k = 2; k < last; k++)
			widest = widths[k] > widths[widest] ? k : widest;
		if (last < 2 || widths[widest] <= NARROWEST_CUT)
			widest = 0; /* ends at the name column at the latest */
		if (total + MIN(widths[last], NARROWEST_LAST) <= output->width ||
		    widths[widest] <= NARROWEST_CUT || last == 0)
			break;
		widths[widest]--;
		total--;
	}
	for (guint k = 0; k < last; k++)
		cut_column(output, chosen, cells, k, widths[k]);
	if (total + NARROWEST_CUT < output->width)
		cut_last_column(output, chosen, cells, output->width - total);
}

/* The state's colour repeats its symbol. */
static void colour_cell(const Output *output, struct libscols_cell *cell, GVariant *record,
			const Column *column)
{
	const bool is_never = strcmp(record_text(record, "Activation"), "never") == 0;
	const char *colour = output_colour(output, record_text(record, column->property), is_never);

	if (cell && *colour)
		(void)scols_cell_set_color(cell, colour); /* the symbol is enough without it */
}

/* @cells: the cells of this line. @parent: in a tree. Returns: the line, borrowed. */
static struct libscols_line *fill_line(const Output *output, struct libscols_table *table,
				       const GPtrArray *chosen, GVariant *record,
				       char *const *cells, unsigned last_indent,
				       struct libscols_line *parent)
{
	struct libscols_line *line = scols_table_new_line(table, parent);

	if (!line)
		g_error("no memory for a table");
	for (guint i = 0; i < chosen->len; i++) {
		const Column *column = g_ptr_array_index(chosen, i);
		g_autofree char *wrapped =
			i + 1 == chosen->len ? output_wrap(output, cells[i], last_indent) : NULL;

		if (scols_line_set_data(line, i, wrapped ? wrapped : cells[i]) < 0)
			g_error("no memory for a table");
		if (column->kind == CELL_STATE && output->has_colour)
			colour_cell(output, scols_line_get_cell(line, i), record, column);
	}
	return line;
}

static void add_column(struct libscols_table *table, const Column *column, bool is_tree,
		       bool is_last)
{
	const bool is_number = column->kind == CELL_NUMBER || column->kind == CELL_OPTIONAL ||
			       column->kind == CELL_BYTES;
	const int flags = (is_last   ? SCOLS_FL_WRAP :
			   is_number ? SCOLS_FL_RIGHT :
				       0) |
			  (is_tree ? SCOLS_FL_TREE : 0);
	struct libscols_column *added = scols_table_new_column(
		table, column->title ? column->title : column->key, 0, flags);

	if (!added)
		g_error("no memory for a table");
	/* Breaks only at the line feeds that were inserted. */
	if (is_last && (scols_column_set_safechars(added, "\n") < 0 ||
			scols_column_set_wrapfunc(added, scols_wrapnl_chunksize,
						  scols_wrapnl_nextchunk, NULL) < 0))
		g_error("no memory for a table");
}

/* How far a tree indents its first column: two columns per level. */
static unsigned deepest_indent(const GArray *parents)
{
	g_autofree unsigned *depths = parents ? g_new0(unsigned, parents->len) : NULL;
	unsigned deepest = 0;

	for (guint i = 0; parents && i < parents->len; i++) {
		const int parent = g_array_index(parents, int, i);

		depths[i] = parent < 0 ? 0 : depths[parent] + 1;
		deepest = MAX(deepest, depths[i]);
	}
	return 2 * deepest;
}

/* @parents: int, for each record its parent in a tree, or -1; NULL: no tree */
static void print_table(Output *output, const GPtrArray *chosen, const GPtrArray *records,
			const GArray *parents)
{
	struct libscols_table *table = new_table(output);
	g_autofree struct libscols_line **lines = g_new0(struct libscols_line *, records->len + 1);
	g_autoptr(GPtrArray) cells = print_cells(output, chosen, records);
	unsigned indent;

	if (output->width > 0)
		fit_cells(output, chosen, cells, deepest_indent(parents));
	indent = last_column_indent(output, chosen, cells) + deepest_indent(parents);
	for (guint i = 0; i < chosen->len; i++)
		add_column(table, g_ptr_array_index(chosen, i), parents && i == 0,
			   i + 1 == chosen->len);
	for (guint i = 0; i < records->len; i++) {
		const int parent = parents ? g_array_index(parents, int, i) : -1;

		lines[i] = fill_line(output, table, chosen, g_ptr_array_index(records, i),
				     (char *const *)cells->pdata + (gsize)i * chosen->len, indent,
				     parent >= 0 ? lines[parent] : NULL);
	}
	if (records->len > 0)
		scols_print_table(table);
	scols_unref_table(table);
}

bool output_table(Output *output, const Column *columns, unsigned n_columns,
		  const GPtrArray *records, const char *shown, GError **error)
{
	g_autoptr(GPtrArray) chosen = choose_columns(columns, n_columns, shown, error);

	if (!chosen)
		return false;
	if (output->is_json)
		records_to_json(output, columns, n_columns, records);
	else
		print_table(output, chosen, records, NULL);
	return true;
}

void output_tree(Output *output, const Column *columns, unsigned n_columns,
		 const GPtrArray *records, const GArray *parents)
{
	g_autoptr(GPtrArray) chosen = choose_columns(columns, n_columns, NULL, NULL);

	if (!output->is_json)
		print_table(output, chosen, records, parents);
}
