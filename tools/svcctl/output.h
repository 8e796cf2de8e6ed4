/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Output: everything that svcctl prints, for people and for programs, from one description.
 *
 * A record is a dictionary (a{sv}), as the manager returns it. Columns define which entries are
 * shown, with their titles in a table and their keys in JSON. Long text is wrapped; only columns of
 * a table on a terminal are cut. There is no pager.
 */
#ifndef SVCD_SVCCTL_OUTPUT_H
#define SVCD_SVCCTL_OUTPUT_H

#include <glib.h>
#include <json-glib/json-glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "svcctl/exit-code.h"

typedef struct Output {
	const char *verb;
	FILE *out;
	FILE *err;
	bool is_json;
	bool is_pretty;
	bool is_stream; /* JSON is one object per line; only an error may follow at the end */
	bool is_quiet; /* no confirmations */
	bool has_colour;
	bool is_ascii;
	bool has_header;
	unsigned width; /* columns of the terminal, 0: do not wrap */
	int64_t now_us; /* CLOCK_MONOTONIC */
	int64_t wall_us; /* the same instant, CLOCK_REALTIME */
	JsonNode *data; /* owned; --json prints it at the end */
} Output;

typedef enum CellKind {
	CELL_TEXT, /* "" is null in JSON */
	CELL_STATE, /* with its symbol and colour */
	CELL_NUMBER,
	CELL_OPTIONAL, /* a number; 0 means none */
	CELL_BOOL,
	CELL_TIME, /* since when; microseconds of CLOCK_MONOTONIC, 0 means never */
	CELL_DURATION, /* microseconds, 0 means none */
	CELL_BYTES, /* 0 means none */
	CELL_STRINGS,
	CELL_STRUCTS, /* array of structs; @fields names their members */
} CellKind;

typedef struct Column {
	const char *key; /* in JSON */
	const char *title; /* in tables; NULL: not shown */
	const char *property; /* in the record */
	CellKind kind;
	const char *const *fields;
} Column;

/* Sets terminal, colour and width from the environment and the streams. */
void output_init(Output *output);
void output_clear(Output *output);

/* --- records --- */

/*
 * A dictionary from a tuple; @names contains the names of its members. A floating reference is
 * sunk.
 */
GVariant *record_from_tuple(GVariant *tuple, const char *const *names);
const char *record_text(GVariant *record, const char *property);
uint64_t record_number(GVariant *record, const char *property); /* also booleans */

/* As the table shows it; a new string. */
char *cell_text(const Output *output, GVariant *record, const Column *column);

/* One record as a JSON object. */
JsonNode *record_to_json(GVariant *record, const Column *columns, unsigned n_columns);

/* --- for people --- */

/* Escaped for a terminal and with a line break; prints nothing with --json. */
void output_line(Output *output, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* A confirmation ("started"); prints nothing with --quiet either. */
void output_confirm(Output *output, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* " Label text", wrapped under the text; @label may be "". Prints nothing if @text is NULL. */
void output_field(Output *output, const char *label, const char *text);

/* A sentence of any length, wrapped; the further lines begin in column @indent. */
void output_paragraph(Output *output, unsigned indent, const char *text);

/* output_field(), indented by @depth more steps. */
void output_field_deep(Output *output, unsigned depth, const char *label, const char *text);

/* A sentence that begins in column @indent, and is wrapped there. */
void output_headline_at(Output *output, unsigned indent, const char *text);

/* The headline of fields that are indented by @depth, in the column of their labels. */
void output_headline_deep(Output *output, unsigned depth, const char *text);

/* A symbol, in its colour: "●". */
const char *output_symbol(const Output *output, const char *state, bool is_never);
/* Returns: false with USAGE if @state is not a state of services. */
bool output_check_state(const char *state, GError **error);
/* The escape sequence of a state, or "". */
const char *output_colour(const Output *output, const char *state, bool is_never);
const char *output_colour_end(const Output *output);

/* --- for both --- */

/**
 * output_table() - one line per record, or an array of objects
 * @shown: comma-separated keys that a table shows instead of all columns with titles, or NULL
 * Returns: false with USAGE if @shown names an unknown column.
 */
bool output_table(Output *output, const Column *columns, unsigned n_columns,
		  const GPtrArray *records, const char *shown, GError **error);

/**
 * output_tree() - print a table whose first column is a tree; nothing with --json
 * @parents: int, for each record the index of its parent, which comes before it, or -1
 */
void output_tree(Output *output, const Column *columns, unsigned n_columns,
		 const GPtrArray *records, const GArray *parents);

/* Takes @node. */
void output_set_data(Output *output, JsonNode *node);
/* Takes @array. */
void output_set_array(Output *output, JsonArray *array);
/* Both take @object. */
void output_set_object(Output *output, JsonObject *object);
JsonNode *object_to_node(JsonObject *object);

/* A line with a JSON document; characters that could disturb or deceive a terminal are escaped. */
void output_json(Output *output, const char *text);

/* With --json --progress: one line about a pending job. Takes @progress. */
void output_progress(Output *output, JsonObject *progress);

/**
 * output_finish() - the JSON document, or the error for people
 * @error: NULL, or the reason for the failure
 * @hint: the next step, or NULL
 */
void output_finish(Output *output, ExitCode code, const GError *error, const char *hint);

/* {"code", "message", "hint"} */
JsonNode *output_error_to_json(const GError *error, const char *hint);
/* "svcctl: what failed\n what to do" */
void output_print_error(Output *output, const GError *error, const char *hint);

/* "2 h 10 min ago (Sat 09:14:07)"; a new string. */
char *output_format_time(const Output *output, int64_t at_us);
/* "Sat 09:14:07 (2 h 10 min ago)"; a new string. */
char *output_format_since(const Output *output, int64_t at_us);

/*
 * "2026-11-28T05:20:01.123Z", as in the logs, for a time of CLOCK_MONOTONIC; a new string. If the
 * machine was suspended since then, the result is too late by the length of the suspension, because
 * that clock stood still.
 */
char *output_stamp(int64_t at_us);

/* "18.2 MiB", "" for 0; a new string. */
char *output_format_bytes(uint64_t bytes);

/* @text wrapped at blanks with line feeds, for text that begins in column @indent; a new string. */
char *output_wrap(const Output *output, const char *text, unsigned indent);

/* "1 complaint", "2 complaints"; a new string. */
char *output_count(unsigned n, const char *token);

#endif
