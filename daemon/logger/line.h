/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Line: the output of a service as one line of a log file: time, blank, text.
 */
#ifndef SVCD_LOGGER_LINE_H
#define SVCD_LOGGER_LINE_H

#include <glib.h>
#include <stdint.h>

/*
 * A longer line is cut into pieces of this size, and each piece becomes a line. The number is
 * LIMIT_LINE_BYTES of base/limits.h.
 */
#define LINE_BYTES 8192

/**
 * line_stamp() - "2026-11-21T10:31:07.042Z": UTC, so that lines sort and no time zone file is
 * needed
 */
void line_stamp(char *text, size_t size, int64_t realtime_us);

/**
 * line_append() - one line with its line feed; control bytes except tab become \xHH, a final
 * carriage return is dropped
 */
void line_append(GString *out, const char *stamp, const char *bytes, size_t length);

#endif
