/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Facilities: the members of each $name in /etc/insserv.conf and insserv.conf.d, and the scripts
 * that ask questions on the console.
 */
#ifndef SVCD_LSB_COMPAT_FACILITIES_H
#define SVCD_LSB_COMPAT_FACILITIES_H

#include <glib.h>
#include <stdbool.h>

#include "base/diag.h"

typedef struct LsbFacilities LsbFacilities;

LsbFacilities *lsb_facilities_new(void);
void lsb_facilities_free(LsbFacilities *facilities);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LsbFacilities, lsb_facilities_free)

/**
 * lsb_facilities_parse() - add the lines of one file to those of earlier files
 * @file: its name in diagnostics
 * @text: any bytes
 */
void lsb_facilities_parse(LsbFacilities *facilities, const char *file, const char *text,
			  gsize length, DiagList *diags);

/**
 * lsb_facilities_check() - report undefined facilities, and facilities that contain themselves,
 * when all files are read
 */
void lsb_facilities_check(const LsbFacilities *facilities, DiagList *diags);

/*
 * Is @name defined, or one of those that every LSB system has? The second kind is provided by
 * services of svcd.
 */
bool lsb_facilities_has(const LsbFacilities *facilities, const char *name);

/**
 * lsb_facilities_expand() - the tokens that define @name, also through other facilities
 * Returns: a new array of borrowed strings without "+", each once, in the order of the files; empty
 * if it is not defined.
 */
GPtrArray *lsb_facilities_expand(const LsbFacilities *facilities, const char *name);

/**
 * lsb_facilities_of() - the facilities that contain @token, also through other facilities
 * Returns: a new array of borrowed strings, sorted.
 */
GPtrArray *lsb_facilities_of(const LsbFacilities *facilities, const char *token);

/* Does <interactive> name @token? */
bool lsb_facilities_is_interactive(const LsbFacilities *facilities, const char *token);

#endif
