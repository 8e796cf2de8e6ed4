/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Arena: for many small things that go at the same time, such as all that is read out of a file.
 */
#ifndef SVCD_BASE_ARENA_H
#define SVCD_BASE_ARENA_H

#include <glib.h>

typedef struct Arena Arena;

Arena *arena_new(void);

/* Frees it and all that was got from it. */
void arena_free(Arena *arena);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Arena, arena_free)

/* @bytes of zeros, aligned for whatever they become. */
void *arena_alloc(Arena *arena, gsize bytes);
#define arena_new0(Type, arena) ((Type *)arena_alloc(arena, sizeof(Type)))

/* The first @length bytes of @text with a NUL after them. */
char *arena_strndup(Arena *arena, const char *text, gsize length);

#endif
