/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Diagnostics in tests: the complete list as text, and services made from text.
 */
#ifndef SVCD_TESTS_DIAGS_H
#define SVCD_TESTS_DIAGS_H

#include <check.h>
#include <string.h>

#include "base/diag.h"
#include "model/service-parse.h"
#include "model/service-set.h"

/* One line each; a new string. */
static inline char *diags_text(const DiagList *diags)
{
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < diag_list_length(diags); i++) {
		g_autofree char *line = diag_format(diag_list_get(diags, i));

		g_string_append_printf(text, "%s\n", line);
	}
	return g_string_free(text, FALSE);
}

/* @expected is the complete list. */
static inline void expect_diags(const DiagList *diags, const char *expected)
{
	g_autofree char *text = diags_text(diags);

	ck_assert_str_eq(text, expected);
}

/* NAME.svc with that text. */
static inline ServiceDef *parse_text(const char *name, const char *text, DiagList *diags)
{
	g_autofree char *file = g_strconcat(name, ".svc", NULL);
	const SourceText source = { .file = g_intern_string(file),
				    .text = text,
				    .length = strlen(text) };

	return service_parse(name, &source, 1, diags);
}

/* x.svc without diagnostics: "[Service]\nExec=/bin/x\n", and then @lines. */
static inline ServiceDef *parse_good_lines(const char *lines)
{
	g_autoptr(DiagList) diags = diag_list_new();
	g_autofree char *text = g_strconcat("[Service]\nExec=/bin/x\n", lines, NULL);
	ServiceDef *def = parse_text("x", text, diags);

	expect_diags(diags, "");
	return def;
}

/* Adds NAME.svc to a set: "[Service]\nExec=/bin/true\n[Conditions]\n", and then @conditions. */
static inline ServiceDef *add_service(ServiceSet *set, const char *name, const char *conditions,
				      DiagList *diags)
{
	g_autofree char *text =
		g_strconcat("[Service]\nExec=/bin/true\n[Conditions]\n", conditions, NULL);
	ServiceDef *def = parse_text(name, text, diags);

	service_set_add(set, def);
	return def;
}

#endif
