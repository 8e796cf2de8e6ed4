/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Arena: objects are allocated one after another in large memory blocks.
 */
#include "config.h"

#include "base/arena.h"

#include <stddef.h>
#include <string.h>

/*
 * One block usually holds the data of a service file. With AddressSanitizer each allocation is a
 * block of its own, so that overruns are detected.
 */
#ifdef __SANITIZE_ADDRESS__
#define BLOCK_BYTES 0
#else
#define BLOCK_BYTES 8000
#endif

typedef struct Block Block;
struct Block {
	Block *next; /* the block added before this one */
	max_align_t bytes[];
};

struct Arena {
	Block *blocks; /* new objects go into the first block */
	char *free;
	gsize n_free;
};

Arena *arena_new(void)
{
	return g_new0(Arena, 1);
}

void arena_free(Arena *arena)
{
	if (!arena)
		return;
	for (Block *block = arena->blocks, *next; block; block = next) {
		next = block->next;
		g_free(block);
	}
	g_free(arena);
}

static void add_block(Arena *arena, gsize bytes)
{
	Block *block = g_malloc(sizeof(Block) + bytes);

	block->next = arena->blocks;
	arena->blocks = block;
	arena->free = (char *)block->bytes;
	arena->n_free = bytes;
}

void *arena_alloc(Arena *arena, gsize bytes)
{
	const gsize rounded =
		(bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
	char *result;

	if (rounded > arena->n_free)
		add_block(arena, MAX(rounded, BLOCK_BYTES));
	result = arena->free;
	arena->free += rounded;
	arena->n_free -= rounded;
	return memset(result, 0, bytes);
}

char *arena_strndup(Arena *arena, const char *text, gsize length)
{
	char *copy = arena_alloc(arena, length + 1);

	return memcpy(copy, text, length);
}
