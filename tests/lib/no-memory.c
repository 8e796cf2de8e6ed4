/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * No memory: preloaded into a program, it makes one allocation fail, or one and all that follow.
 *
 * The caller of the program selects the allocation in a mapped file ($NO_MEMORY_FILE, see
 * tests/lib/no_memory.py), or the program does so itself (tests/fuzz/driver.c finds
 * no_memory_control() with dlsym()). The functions of this library precede libc's, and also those
 * of AddressSanitizer if the program has it (with verify_asan_link_order=0). AddressSanitizer still
 * reports as usual.
 */
#define _GNU_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/lib/no-memory.h"

static NoMemoryControl own;
static NoMemoryControl *control = &own;

/* For allocations of the dlsym() calls; never freed. */
static char early[16384];
static size_t early_used;

static void *(*next_malloc)(size_t);
static void *(*next_calloc)(size_t, size_t);
static void *(*next_realloc)(void *, size_t);
static void (*next_free)(void *);
static int (*next_posix_memalign)(void **, size_t, size_t);
static void *(*next_aligned_alloc)(size_t, size_t);

NoMemoryControl *no_memory_control(void)
{
	return control;
}

__attribute__((constructor)) static void map_control(void)
{
	const char *path = getenv("NO_MEMORY_FILE");
	const int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *mapped;

	(void)unsetenv("LD_PRELOAD"); /* children must not inherit it */
	if (fd < 0)
		return;
	mapped = mmap(NULL, sizeof own, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	(void)close(fd);
	if (mapped != MAP_FAILED)
		control = mapped;
}

static bool must_fail(void)
{
	if (control->left == 0)
		return false;
	if (control->left > 1) {
		control->left--;
		return false;
	}
	if (!control->lasts)
		control->left = 0;
	control->failed++;
	errno = ENOMEM;
	return true;
}

static void *take_early(size_t size)
{
	void *taken = early + early_used;

	early_used += (size + 15) & ~(size_t)15;
	return early_used <= sizeof early ? taken : NULL;
}

static bool is_early(const void *block)
{
	return (const char *)block >= early && (const char *)block < early + sizeof early;
}

static void find_next(void)
{
	static bool is_finding;

	if (is_finding || next_malloc)
		return;
	is_finding = true;
	*(void **)&next_calloc = dlsym(RTLD_NEXT, "calloc");
	*(void **)&next_realloc = dlsym(RTLD_NEXT, "realloc");
	*(void **)&next_free = dlsym(RTLD_NEXT, "free");
	*(void **)&next_posix_memalign = dlsym(RTLD_NEXT, "posix_memalign");
	*(void **)&next_aligned_alloc = dlsym(RTLD_NEXT, "aligned_alloc");
	*(void **)&next_malloc = dlsym(RTLD_NEXT, "malloc");
	is_finding = false;
}

void *malloc(size_t size)
{
	find_next();
	if (!next_malloc)
		return take_early(size);
	return must_fail() ? NULL : next_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	find_next();
	if (!next_malloc)
		return take_early(n * size); /* static memory is zero */
	return must_fail() ? NULL : next_calloc(n, size);
}

void *realloc(void *block, size_t size)
{
	find_next();
	if (is_early(block)) {
		void *moved = malloc(size);

		/* This may read beyond the old block, but not beyond the array. */
		if (moved)
			memcpy(moved, block,
			       size < (size_t)(early + sizeof early - (char *)block) ?
				       size :
				       (size_t)(early + sizeof early - (char *)block));
		return moved;
	}
	return must_fail() ? NULL : next_realloc(block, size);
}

void free(void *block)
{
	if (block && !is_early(block))
		next_free(block);
}

int posix_memalign(void **ret, size_t alignment, size_t size)
{
	find_next();
	return must_fail() ? ENOMEM : next_posix_memalign(ret, alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	find_next();
	return must_fail() ? NULL : next_aligned_alloc(alignment, size);
}
