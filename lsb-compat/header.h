/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Header: the block of comments that describes an init script (LSB Core, "Comment Conventions for
 * Init Scripts"), and the comments of Red Hat outside of it.
 */
#ifndef SVCD_LSB_COMPAT_HEADER_H
#define SVCD_LSB_COMPAT_HEADER_H

#include <glib.h>
#include <stdbool.h>

#include "base/diag.h"

/* The fields with lists of tokens. */
typedef enum LsbField {
	LSB_PROVIDES,
	LSB_REQUIRED_START,
	LSB_SHOULD_START,
	LSB_START_AFTER, /* X-Start-After */
	LSB_START_BEFORE, /* X-Start-Before */
	LSB_REQUIRED_STOP,
	LSB_SHOULD_STOP,
	LSB_STOP_AFTER, /* X-Stop-After */
	LSB_FIELD_COUNT
} LsbField;

/* As it is written: "Required-Start", "X-Stop-After". */
const char *lsb_field_name(LsbField field);

typedef struct LsbTokens {
	GPtrArray *tokens; /* strings, each a name or a $facility; "+" in front: optional */
	Origin origin; /* of the line; line 0: the field is absent */
} LsbTokens;

typedef struct LsbHeader {
	Origin origin; /* of the block's first line; line 0: there is no block */
	LsbTokens fields[LSB_FIELD_COUNT];
	bool has_default_start;
	bool has_default_stop;
	unsigned default_start; /* runlevels, see levels.h */
	unsigned default_stop;
	char *short_description; /* or NULL */
	bool is_interactive;

	/* From "# pidfile:", "# description:" and "# chkconfig:", anywhere in the file. */
	char *pid_file; /* an absolute path, or NULL */
	char *description; /* the first line of it, or NULL */
	bool has_chkconfig;
	unsigned chkconfig_levels;
	int chkconfig_start; /* 0 to 99 */
	int chkconfig_stop;
} LsbHeader;

/**
 * lsb_header_parse() - read the header of a script, or of an override
 * @file: its name in diagnostics
 * @service: the service, for diagnostics
 * @text: any bytes
 *
 * Reads what insserv reads, and also lines that insserv misreads because of one blank too many.
 * Doubtful lines are reported to @diags as warnings. It never fails.
 * Returns: a new header; lsb_header_exists() tests whether there was a block.
 */
LsbHeader *lsb_header_parse(const char *file, const char *service, const char *text, gsize length,
			    DiagList *diags);
void lsb_header_free(LsbHeader *header);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LsbHeader, lsb_header_free)

bool lsb_header_exists(const LsbHeader *header);

#endif
