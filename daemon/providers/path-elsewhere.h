/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Path elsewhere: paths on file systems that may not answer, those of a network and those of another process. Whoever looks at one
 * may wait for ever, and so the manager does not: for each such mount svc-look does, and says what it finds. While it says nothing
 * the conditions are unknown.
 */
#ifndef SVCD_PROVIDERS_PATH_ELSEWHERE_H
#define SVCD_PROVIDERS_PATH_ELSEWHERE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "providers/provider.h"

typedef struct Elsewhere Elsewhere;

typedef struct ElsewhereOps {
	/*
	 * Run svc-look; @input and @output are borrowed. Returns: a number by which elsewhere_ended() knows it; 0: not now.
	 * NULL: there is no such program, and nothing is known.
	 */
	uint64_t (*start)(void *data, int input, int output);
	void *data;
} ElsewhereOps;

/* @ops: copied */
Elsewhere *elsewhere_new(const ElsewhereOps *ops, const ProviderSink *sink);
void elsewhere_free(Elsewhere *elsewhere); /* NULL is nothing */

/**
 * elsewhere_add() - let somebody look at a path; what is known of it now is reported, and each change
 * @point: below which mount it is
 * @key:   interned; one that was added before is moved, if need be
 */
void elsewhere_add(Elsewhere *elsewhere, const char *point, const char *key);
void elsewhere_remove(Elsewhere *elsewhere, const char *key); /* one that was not added is nothing */

/* The process of that number is no more. */
void elsewhere_ended(Elsewhere *elsewhere, uint64_t number);

#endif
