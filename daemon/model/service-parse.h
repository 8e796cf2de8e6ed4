/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Service parse: from text to ServiceDef, by one table of [section] key -> field and check.
 */
#ifndef SVCD_MODEL_SERVICE_PARSE_H
#define SVCD_MODEL_SERVICE_PARSE_H

#include <glib.h>
#include <stdbool.h>

#include "base/diag.h"
#include "model/service-def.h"

/* One file from the loader: the main file or a drop-in. */
typedef struct SourceText {
	const char *file; /* its path, for messages */
	const char *text; /* NUL-terminated; more NULs inside are an error */
	gsize length;
} SourceText;

typedef struct ServiceParseOptions {
	const char *runtime; /* the value of "%t": /run, or the user's runtime directory */
	bool without_lines; /* leave ServiceDef.lines empty */
	bool names_only; /* read only the names, of this service and of others */
} ServiceParseOptions;

/**
 * service_parse_with() - parse a service from its main file and its drop-ins
 * @name: already checked; with an instance, "%i" is expanded
 * @sources: the main file, then drop-ins in order
 * Returns: always a definition. It has @problem if a file had an error; each error is in @diags.
 */
ServiceDef *service_parse_with(const ServiceParseOptions *options, const char *name,
			       const SourceText *sources, unsigned n_sources, DiagList *diags);

/* For the machine's services: "%t" is /run. */
ServiceDef *service_parse(const char *name, const SourceText *sources, unsigned n_sources,
			  DiagList *diags);

#endif
