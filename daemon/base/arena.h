/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Arena: memory for many small objects that are freed together, such as the parsed contents of a
 * file.
 */
#ifndef SVCD_BASE_ARENA_H
#define SVCD_BASE_ARENA_H

#include <glib.h>

typedef struct Arena Arena;

Arena *arena_new(void);

void arena_free(Arena *arena);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Arena, arena_free)

/* Returns: @bytes zeroed bytes, aligned for any type. */
void *arena_alloc(Arena *arena, gsize bytes);
#define arena_new0(Type, arena) ((Type *)arena_alloc(arena, sizeof(Type)))

/* Returns: a copy of @length bytes of @text and a NUL. */
char *arena_strndup(Arena *arena, const char *text, gsize length);

#endif
