/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lists that are empty for most services: as long as nothing was added they are all the same one, which costs nothing and
 * cannot be changed. They are read like any other GPtrArray or GArray; only these functions may add to them.
 */
#ifndef SVCD_BASE_LIST_H
#define SVCD_BASE_LIST_H

#include <glib.h>

/* The one without anything in it, for initialisers; list_new() and values_new() give the same. */
extern const GPtrArray list_nothing;
extern const GArray values_nothing;
#define LIST_NOTHING ((GPtrArray *)&list_nothing)
#define VALUES_NOTHING ((GArray *)&values_nothing)

/* A list with nothing in it; list_free() frees what becomes of it. */
GPtrArray *list_new(void);

/**
 * list_add() - put @item at the end of *@list
 * @free_item: for all items of this list, always the same; NULL: they are borrowed
 */
void list_add(GPtrArray **list, gpointer item, GDestroyNotify free_item);

/* Nothing is in it any more. */
void list_empty(GPtrArray *list);
void list_free(GPtrArray *list);

/* The same for values of @size bytes each. */
GArray *values_new(void);
void values_add(GArray **values, gconstpointer value, guint size);
void values_free(GArray *values);

#endif
