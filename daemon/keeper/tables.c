/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tables: see tables.h. Where they lie the linker says.
 */
#include "config.h"

#include "keeper/tables.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

extern char __bss_start[]; /* the linker's: what is zero at start lies between them */
extern char _end[];

/* Of whole pages, tables_never_hide(). */
static uintptr_t seen_begin;
static uintptr_t seen_end;

/* If it is refused they take more than they need. */
static void advise_pages(uintptr_t begin, uintptr_t end, int advice)
{
	const int saved = errno; /* of the clone(2) before it */

	if (begin < end)
		(void)madvise((void *)begin, end - begin, advice);
	errno = saved;
}

static uintptr_t page_size(void)
{
	return (uintptr_t)sysconf(_SC_PAGESIZE);
}

/* Of whole pages. */
static void advise(int advice)
{
	const uintptr_t page = page_size();

	advise_pages(((uintptr_t)__bss_start + page - 1) & ~(page - 1), (uintptr_t)_end & ~(page - 1), advice);
}

/* What gcov(1) and the sanitizers write down lies there, too, and they do so in children. */
static void advise_for_children(int advice)
{
#if !defined(WITH_COVERAGE) && !defined(__SANITIZE_ADDRESS__)
	advise(advice);
#else
	(void)advice;
#endif
}

void tables_use_small_pages(void)
{
	advise(MADV_NOHUGEPAGE);
}

void tables_never_hide(const void *begin, size_t size)
{
	const uintptr_t page = page_size();

	seen_begin = (uintptr_t)begin & ~(page - 1);
	seen_end = ((uintptr_t)begin + size + page - 1) & ~(page - 1);
}

void tables_hide(void)
{
	advise_for_children(MADV_DONTFORK);
	advise_pages(seen_begin, seen_end, MADV_DOFORK);
}

void tables_show(void)
{
	advise_for_children(MADV_DOFORK);
}
