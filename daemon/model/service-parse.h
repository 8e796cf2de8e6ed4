/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From text to ServiceDef: one table of [section] key -> field and check.
 */
#ifndef SVCD_MODEL_SERVICE_PARSE_H
#define SVCD_MODEL_SERVICE_PARSE_H

#include <glib.h>
#include <stdbool.h>

#include "base/diag.h"
#include "model/service-def.h"

/* One file as the loader found it: the main file or a drop-in. */
typedef struct SourceText {
	const char *file; /* its path, as it is to be shown */
	const char *text; /* NUL-terminated; may hold further NULs, which are an error */
	gsize length;
} SourceText;

typedef struct ServiceParseOptions {
	const char *runtime; /* what "%t" stands for: where files are that are of this boot, or of this user's sessions */
	bool without_lines;  /* ServiceDef.lines stays empty */
	bool names_only;     /* only what tells names is read: of this service, and of others */
} ServiceParseOptions;

/**
 * service_parse_with() - a service from its main file and its drop-ins
 * @name:    checked already; with an instance, "%i" is expanded
 * @sources: the main file, then drop-ins in order
 * Returns: always a definition; with @problem set when a file had an error (each reported in @diags).
 */
ServiceDef *service_parse_with(const ServiceParseOptions *options, const char *name, const SourceText *sources,
			       unsigned n_sources, DiagList *diags);

/* The machine's: below /run. */
ServiceDef *service_parse(const char *name, const SourceText *sources, unsigned n_sources, DiagList *diags);

#endif
