/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Output: what svcctl says, for people and for programs, from one description.
 *
 * A record is a dictionary (a{sv}), as the manager hands it out. Columns say which of its entries are shown, under which
 * title in a table and under which key in JSON. Nothing is ever cut: what is too long is wrapped. No pager.
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
	bool is_stream;  /* JSON is one object a line: in the end nothing follows but an error */
	bool is_quiet;   /* no confirmations */
	bool has_colour;
	bool is_ascii;
	bool has_header;
	unsigned width;  /* columns of the terminal, 0: do not wrap */
	int64_t now_us;  /* CLOCK_MONOTONIC */
	int64_t wall_us; /* the same instant, CLOCK_REALTIME */
	JsonNode *data;  /* owned; what --json prints in the end */
} Output;

typedef enum CellKind {
	CELL_TEXT,     /* "" is null in JSON */
	CELL_STATE,    /* with its symbol and colour */
	CELL_NUMBER,
	CELL_OPTIONAL, /* a number; 0 stands for nothing */
	CELL_BOOL,
	CELL_TIME,     /* since when; microseconds of CLOCK_MONOTONIC, 0 stands for never */
	CELL_DURATION, /* microseconds, 0 stands for nothing */
	CELL_BYTES,    /* 0 stands for nothing */
	CELL_STRINGS,
	CELL_STRUCTS,  /* array of structs, their members named by @fields */
} CellKind;

typedef struct Column {
	const char *key;      /* in JSON */
	const char *title;    /* in tables; NULL: not there */
	const char *property; /* in the record */
	CellKind kind;
	const char *const *fields;
} Column;

/* Terminal, colour and width as the environment and the streams say. */
void output_init(Output *output);
void output_clear(Output *output);

/* --- records --- */

/* A dictionary from a tuple, its members named by @names; floating is sunk. */
GVariant *record_from_tuple(GVariant *tuple, const char *const *names);
const char *record_text(GVariant *record, const char *property);
uint64_t record_number(GVariant *record, const char *property); /* also booleans */

/* As the table shows it; a new string. */
char *cell_text(const Output *output, GVariant *record, const Column *column);

/* One record as a JSON object. */
JsonNode *record_to_json(GVariant *record, const Column *columns, unsigned n_columns);

/* --- for people --- */

/* Escaped for a terminal and with a line break; nothing with --json. */
void output_line(Output *output, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* The same, but nothing with --quiet either: "started". */
void output_confirm(Output *output, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* "  Label      text", wrapped under the text; @label may be "". Nothing when @text is NULL. */
void output_field(Output *output, const char *label, const char *text);

/* A sentence of any length, wrapped; the lines after the first begin in column @indent. */
void output_paragraph(Output *output, unsigned indent, const char *text);

/* Deeper by @depth steps. */
void output_field_deep(Output *output, unsigned depth, const char *label, const char *text);

/* A sentence that begins in column @indent, and goes on there. */
void output_headline_at(Output *output, unsigned indent, const char *text);

/* What such fields are about, where their labels begin. */
void output_headline_deep(Output *output, unsigned depth, const char *text);

/* A symbol, in its colour: "●". */
const char *output_symbol(const Output *output, const char *state, bool is_never);
/* Returns: false with USAGE when no service can be in @state. */
bool output_check_state(const char *state, GError **error);
/* The escape sequence of a state, or "". */
const char *output_colour(const Output *output, const char *state, bool is_never);
const char *output_colour_end(const Output *output);

/* --- for both --- */

/**
 * output_table() - one line a record, or an array of objects
 * @shown: comma-separated keys that a table shows instead of all titled columns, or NULL
 * Returns: false with USAGE when @shown names an unknown column.
 */
bool output_table(Output *output, const Column *columns, unsigned n_columns, const GPtrArray *records,
		  const char *shown, GError **error);

/**
 * output_tree() - the same as a tree in its first column; nothing with --json
 * @parents: int, of each record the index of the one above it, which comes before it, or -1
 */
void output_tree(Output *output, const Column *columns, unsigned n_columns, const GPtrArray *records, const GArray *parents);

/* Takes @node. */
void output_set_data(Output *output, JsonNode *node);
/* Takes @array. */
void output_set_array(Output *output, JsonArray *array);

/* A line with a JSON document; what could upset or deceive a terminal is escaped in it. */
void output_json(Output *output, const char *text);

/* With --json --progress: one line of what is under way. Takes @progress. */
void output_progress(Output *output, JsonObject *progress);

/**
 * output_finish() - the JSON document, or the error for people
 * @error: NULL, or why this did not work
 * @hint:  what to do next, or NULL
 */
void output_finish(Output *output, ExitCode code, const GError *error, const char *hint);

/* {"code", "message", "hint"} */
JsonNode *output_error_to_json(const GError *error, const char *hint);
/* "svcctl: what failed\n  what to do" */
void output_print_error(Output *output, const GError *error, const char *hint);

/* "2 h 10 min ago (Sat 09:14:07)"; a new string. */
char *output_format_time(const Output *output, int64_t at_us);
/* "Sat 09:14:07 (2 h 10 min ago)"; a new string. */
char *output_format_since(const Output *output, int64_t at_us);

/*
 * "2026-11-28T05:20:01.123Z", as in the logs, for a point of CLOCK_MONOTONIC; a new string. If the
 * machine slept after @at_us, it is too late by that time, because that clock stands still then.
 */
char *output_stamp(int64_t at_us);

/* "18.2 MiB", "" for 0; a new string. */
char *output_format_bytes(uint64_t bytes);

/* @text broken at blanks by line feeds, for a place that begins in column @indent; a new string. */
char *output_wrap(const Output *output, const char *text, unsigned indent);

/* "1 complaint", "2 complaints"; a new string. */
char *output_count(unsigned n, const char *word);

#endif
