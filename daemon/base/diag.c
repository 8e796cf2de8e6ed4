/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Diagnostics: a growing list of messages with their origins.
 */
#include "config.h"

#include "base/diag.h"

#include <stdarg.h>

#include "base/text.h"

struct DiagList {
	GPtrArray *items; /* Diagnostic *, owned */
	unsigned n_errors;
};

Origin origin_new(const char *file, unsigned line)
{
	return (Origin){ .file = g_intern_string(file), .line = line };
}

char *origin_format(Origin origin)
{
	if (!origin.file)
		return g_strdup("built-in");
	if (origin.line == 0)
		return g_strdup(origin.file);
	return g_strdup_printf("%s:%u", origin.file, origin.line);
}

static void diagnostic_free(gpointer data)
{
	Diagnostic *d = data;

	g_free(d->service);
	g_free(d->text);
	g_free(d);
}

DiagList *diag_list_new(void)
{
	DiagList *list = g_new0(DiagList, 1);

	list->items = g_ptr_array_new_with_free_func(diagnostic_free);
	return list;
}

void diag_list_free(DiagList *list)
{
	if (!list)
		return;
	g_ptr_array_unref(list->items);
	g_free(list);
}

static void G_GNUC_PRINTF(5, 0) diag_add(DiagList *list, DiagLevel level, Origin origin,
					 const char *service, const char *format, va_list args)
{
	Diagnostic *d = g_new0(Diagnostic, 1);

	d->level = level;
	d->origin = origin;
	d->service = g_strdup(service);
	d->text = g_strdup_vprintf(format, args);
	g_ptr_array_add(list->items, d);
	list->n_errors += level == DIAG_ERROR;
}

void diag_error(DiagList *list, Origin origin, const char *service, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	diag_add(list, DIAG_ERROR, origin, service, format, args);
	va_end(args);
}

void diag_warning(DiagList *list, Origin origin, const char *service, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	diag_add(list, DIAG_WARNING, origin, service, format, args);
	va_end(args);
}

void diag_list_explain(DiagList *list, const char *file, const char *consequence)
{
	for (guint i = 0; i < list->items->len; i++) {
		Diagnostic *d = g_ptr_array_index(list->items, i);
		g_autofree char *text = NULL;

		if (d->level != DIAG_ERROR || g_strcmp0(d->origin.file, file) != 0)
			continue;
		text = d->text;
		d->text = g_strdup_printf("%s (%s)", text, consequence);
		return;
	}
}

static int compare_diagnostics(gconstpointer a, gconstpointer b)
{
	const Diagnostic *left = *(const Diagnostic *const *)a;
	const Diagnostic *right = *(const Diagnostic *const *)b;
	const int files = g_strcmp0(left->origin.file, right->origin.file);

	if (files)
		return files;
	if (left->origin.line != right->origin.line)
		return left->origin.line < right->origin.line ? -1 : 1;
	return strcmp(left->text, right->text);
}

void diag_list_sort(DiagList *list)
{
	g_ptr_array_sort(list->items, compare_diagnostics);
	for (guint i = 1; i < list->items->len;) {
		const Diagnostic *d = g_ptr_array_index(list->items, i);

		if (compare_diagnostics(&list->items->pdata[i - 1], &list->items->pdata[i]) != 0) {
			i++;
			continue;
		}
		list->n_errors -= d->level == DIAG_ERROR;
		g_ptr_array_remove_index(list->items, i);
	}
}

void diag_list_append(DiagList *list, const DiagList *others)
{
	for (guint i = 0; i < others->items->len; i++) {
		const Diagnostic *d = g_ptr_array_index(others->items, i);

		if (d->level == DIAG_ERROR)
			diag_error(list, d->origin, d->service, "%s", d->text);
		else
			diag_warning(list, d->origin, d->service, "%s", d->text);
	}
	diag_list_sort(list);
}

unsigned diag_list_length(const DiagList *list)
{
	return list->items->len;
}

unsigned diag_list_count_errors(const DiagList *list)
{
	return list->n_errors;
}

const Diagnostic *diag_list_get(const DiagList *list, unsigned index)
{
	return g_ptr_array_index(list->items, index);
}

char *diag_format(const Diagnostic *d)
{
	g_autofree char *where = origin_format(d->origin);
	g_autofree char *line = g_strdup_printf(
		"%s: %s%s", where, d->level == DIAG_WARNING ? "warning: " : "", d->text);

	return text_escape_terminal(line);
}
