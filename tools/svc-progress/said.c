/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Said: see said.h.
 */
#include "config.h"

#include "svc-progress/said.h"

#include <string.h>

static bool is_about(const SaidRow *row, const Motion *motion)
{
	return row->kind == motion->kind && row->since_us == motion->since_us && strcmp(row->name, motion->name) == 0;
}

static SaidRow *find_row(Said *said, const Motion *motion)
{
	for (unsigned i = 0; i < said->n_rows; i++)
		if (is_about(&said->rows[i], motion))
			return &said->rows[i];
	return NULL;
}

static SaidRow *add_row(Said *said, const Motion *motion)
{
	SaidRow *row = said->n_rows < VIEW_MOTIONS ? &said->rows[said->n_rows++] : NULL;

	if (!row)
		return NULL;
	*row = (SaidRow){ .kind = motion->kind, .since_us = motion->since_us, .after_us = said->first_us };
	memcpy(row->name, motion->name, sizeof row->name);
	return row;
}

bool said_is_due(Said *said, const Motion *motion, int64_t now_us)
{
	const int64_t taken_us = now_us - motion->since_us;
	SaidRow *row = find_row(said, motion);

	if (!row && taken_us >= said->first_us)
		row = add_row(said, motion);
	if (!row || taken_us < row->after_us)
		return false;
	while (row->after_us <= taken_us)
		row->after_us *= 2;
	return true;
}

void said_forget(Said *said, const View *view)
{
	for (unsigned i = 0; i < said->n_rows;) {
		bool is_here = false;

		for (unsigned j = 0; j < view->n_motions && !is_here; j++)
			is_here = is_about(&said->rows[i], &view->motions[j]);
		if (is_here)
			i++;
		else
			said->rows[i] = said->rows[--said->n_rows];
	}
}
