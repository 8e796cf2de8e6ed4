/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Message limit: see message-limit.h.
 */
#include "config.h"

#include "svc-progress/message-limit.h"

#include <string.h>

static bool is_about(const MessageLimitRow *row, const Motion *motion)
{
	return row->kind == motion->kind && row->since_us == motion->since_us &&
	       strcmp(row->name, motion->name) == 0;
}

static MessageLimitRow *find_row(MessageLimit *limit, const Motion *motion)
{
	for (unsigned i = 0; i < limit->n_rows; i++)
		if (is_about(&limit->rows[i], motion))
			return &limit->rows[i];
	return NULL;
}

static MessageLimitRow *add_row(MessageLimit *limit, const Motion *motion)
{
	MessageLimitRow *row = limit->n_rows < VIEW_MOTIONS ? &limit->rows[limit->n_rows++] : NULL;

	if (!row)
		return NULL;
	*row = (MessageLimitRow){ .kind = motion->kind,
				  .since_us = motion->since_us,
				  .after_us = limit->first_us };
	memcpy(row->name, motion->name, sizeof row->name);
	return row;
}

bool message_limit_is_due(MessageLimit *limit, const Motion *motion, int64_t now_us)
{
	const int64_t taken_us = now_us - motion->since_us;
	MessageLimitRow *row = find_row(limit, motion);

	if (!row && taken_us >= limit->first_us)
		row = add_row(limit, motion);
	if (!row || taken_us < row->after_us)
		return false;
	while (row->after_us <= taken_us)
		row->after_us *= 2;
	return true;
}

void message_limit_forget(MessageLimit *limit, const View *view)
{
	for (unsigned i = 0; i < limit->n_rows;) {
		bool is_here = false;

		for (unsigned j = 0; j < view->n_motions && !is_here; j++)
			is_here = is_about(&limit->rows[i], &view->motions[j]);
		if (is_here)
			i++;
		else
			limit->rows[i] = limit->rows[--limit->n_rows];
	}
}
