/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Arena: each block is zeroed, aligned and disjoint from the others, whatever its size.
 */
#include "config.h"

#include <check.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "tests/lib/suite.h"

START_TEST(allocated_blocks_are_zeroed_aligned_and_disjoint)
{
	static const gsize sizes[] = { 1, 40, 7950, 8000, 8001, 7, 100000, 16, 0, 3 };
	g_autoptr(Arena) arena = arena_new();
	char *got[G_N_ELEMENTS(sizes)];

	for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
		got[i] = arena_alloc(arena, sizes[i]);
		ck_assert_uint_eq((uintptr_t)got[i] % _Alignof(max_align_t), 0);
		for (gsize j = 0; j < sizes[i]; j++)
			ck_assert_int_eq(got[i][j], 0);
		memset(got[i], 'a' + (int)i, sizes[i]);
	}

	for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
		for (gsize j = 0; j < sizes[i]; j++)
			ck_assert_int_eq(got[i][j], 'a' + (int)i);
	}
}
END_TEST

START_TEST(a_copied_text_ends_with_nul)
{
	g_autoptr(Arena) arena = arena_new();

	ck_assert_str_eq(arena_strndup(arena, "abc", 2), "ab");
	ck_assert_str_eq(arena_strndup(arena, "abc", 0), "");
	ck_assert_str_eq(arena_strndup(arena, "abc", 3), "abc");
}
END_TEST

START_TEST(an_unused_arena_is_freed_too)
{
	arena_free(arena_new());
	arena_free(NULL);
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("arena");

	ADD_CASE(suite, "arena", allocated_blocks_are_zeroed_aligned_and_disjoint,
		 a_copied_text_ends_with_nul, an_unused_arena_is_freed_too);
	return suite;
}
