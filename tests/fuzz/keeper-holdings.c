/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keeper holdings: see keeper-holdings.h.
 */
#include "config.h"

#include "tests/fuzz/keeper-holdings.h"

#include <fcntl.h>
#include <glib.h>
#include <string.h>

#include "keeper/fd-store.h"
#include "keeper/keeper.h"
#include "keeper/memory.h"
#include "tests/fuzz/keeper-world.h"

/* --- names, and their releases --- */

#define LONG_24 "systemd-udevd/log/12345x"
#define LONG_48 LONG_24 LONG_24
#define LONG_192 LONG_48 LONG_48 LONG_48 LONG_48

static const char *const names[] = {
	"a",
	"b",
	"ssh",
	".logger",
	".",
	"",
	"a/log/0",
	"a b\n%s%n",
	"systemd-udevd/log/1234",
	LONG_24,
	LONG_24 "systemd-udevd/log/12345",
	LONG_48,
	LONG_192 "15 more bytes..",
	LONG_192 "16 more bytes...",
	LONG_192 "longer than any field has room",
	"\x80\xff",
};
G_STATIC_ASSERT(G_N_ELEMENTS(names) == HOLDINGS_NAMES);

static bool was_released[HOLDINGS_NAMES]; /* a row with this name was acknowledged */
static bool was_forgotten[HOLDINGS_NAMES]; /* its note or its descriptor was released */

static Holdings before;

void holdings_put_name(char *field, size_t size, unsigned int n)
{
	const char *name = names[n % HOLDINGS_NAMES];

	memcpy(field, name, MIN(strlen(name) + 1, size));
}

static int index_of_name(const char *name)
{
	for (unsigned int i = 0; i < HOLDINGS_NAMES; i++)
		if (strcmp(names[i], name) == 0)
			return (int)i;
	return -1;
}

static void mark(bool *marks, const char *field, size_t size)
{
	g_autofree char *name = g_strndup(field, size);
	const int n = index_of_name(name);

	if (n >= 0)
		marks[n] = true;
}

void holdings_mark_released(const char *field, size_t size)
{
	mark(was_released, field, size);
}

void holdings_mark_forgotten(const char *field, size_t size)
{
	mark(was_forgotten, field, size);
}

void holdings_mark_names_in(const char *bytes, size_t size)
{
	for (unsigned int i = 0; i < HOLDINGS_NAMES; i++)
		if (*names[i] && memmem(bytes, size, names[i], strlen(names[i])))
			was_released[i] = was_forgotten[i] = true;
}

void holdings_mark_all(void)
{
	memset(was_released, true, sizeof(was_released));
	memset(was_forgotten, true, sizeof(was_forgotten));
}

/* --- the state of PID 1 --- */

void holdings_begin(void)
{
	before = (Holdings){ .n_rows = 0 };
	for (unsigned int i = 0; i < HOLDINGS_NAMES; i++)
		before.fds[i] = -1;
	memset(was_released, false, sizeof(was_released));
	memset(was_forgotten, false, sizeof(was_forgotten));
}

void holdings_row(HeldRow *ret, const struct Child *child)
{
	*ret = (HeldRow){ .pid = child->pid, .has_exited = child->flags & CHILD_EXITED };
	g_assert(keeper_copy(ret->id.service, sizeof(ret->id.service), child->row.name));
	ret->id.invocation = child->invocation;
	ret->id.role = child->role;
	if (ret->has_exited)
		ret->exit = child->exit;
}

static void look_at_names(Holdings *now)
{
	for (unsigned int i = 0; i < HOLDINGS_NAMES; i++) {
		const char *note = note_find(names[i]);

		now->has_note[i] = note;
		if (note)
			(void)keeper_copy(now->notes[i], sizeof(now->notes[i]), note);
		now->fds[i] = fd_store_find(names[i]);
	}
	now->n_notes = table_count(TABLE_NOTES);
	now->n_fds = table_count(TABLE_FDS);
}

void holdings_look(Holdings *ret)
{
	ret->n_rows = 0;
	for (struct Child *child = children_next(NULL); child && ret->n_rows < HOLDINGS_MOST_ROWS;
	     child = children_next(child))
		holdings_row(&ret->rows[ret->n_rows++], child);
	look_at_names(ret);
}

static void check_row(struct Child *child)
{
	const struct WorldProcess *process = world_find(child->pid);
	HeldRow row;

	holdings_row(&row, child);
	g_assert(children_find(&row.id) == child);
	if (row.has_exited) {
		g_assert(children_find_pid(child->pid) != child);
		return;
	}
	g_assert(children_find_pid(child->pid) == child);
	g_assert(process && (process->kind == WORLD_SERVICE || process->kind == WORLD_ORPHAN));
}

static void check_children(void)
{
	uint32_t n = 0;

	for (struct Child *child = children_next(NULL); child; child = children_next(child), n++)
		check_row(child);
	g_assert(n == children_count());
	for (size_t i = 0; i < WORLD_PROCESSES; i++) {
		const struct WorldProcess *process = &world.processes[i];

		if (!process->pid)
			continue;
		g_assert(!process->is_dead); /* otherwise PID 1 sleeps although a child is dead */
		g_assert(process->kind != WORLD_SERVICE || process->is_killed ||
			 children_find_pid(process->pid));
	}
}

static void check_fd_store(void)
{
	uint32_t n_notes = 0;
	uint32_t n_fds = 0;

	for (unsigned int n = 1; n <= table_last(TABLE_NOTES); n++) {
		const char *service;
		const char *text = note_at(n, &service);

		if (!text)
			continue;
		n_notes++;
		g_assert(table_find(TABLE_NOTES, service) == n && *text &&
			 strlen(text) < PROTOCOL_NOTE_BYTES);
	}
	for (unsigned int n = 1; n <= table_last(TABLE_FDS); n++) {
		const char *name;
		const int fd = fd_store_at(n, &name);

		if (fd < 0)
			continue;
		n_fds++;
		g_assert(table_find(TABLE_FDS, name) == n && fcntl(fd, F_GETFD) == FD_CLOEXEC);
	}
	g_assert(n_notes == table_count(TABLE_NOTES) && n_fds == table_count(TABLE_FDS));
}

/* Everything that existed earlier still exists, unless it was released. */
static void check_nothing_is_lost(void)
{
	for (size_t i = 0; i < before.n_rows; i++) {
		const int n = index_of_name(before.rows[i].id.service);

		if (n >= 0 && !was_released[n])
			g_assert(children_find(&before.rows[i].id));
	}
	for (unsigned int i = 0; i < HOLDINGS_NAMES; i++) {
		if (was_forgotten[i])
			continue;
		g_assert(!before.has_note[i] || note_find(names[i]));
		g_assert(before.fds[i] < 0 || fd_store_find(names[i]) >= 0);
	}
}

void holdings_check(void)
{
	check_children();
	check_fd_store();
	check_nothing_is_lost();
	holdings_look(&before);
}

void holdings_check_same(const Holdings *old)
{
	static Holdings now;

	holdings_look(&now);
	g_assert(now.n_rows == old->n_rows && now.n_notes == old->n_notes &&
		 now.n_fds == old->n_fds);
	for (size_t i = 0; i < old->n_rows; i++) {
		HeldRow row;

		g_assert(children_find(&old->rows[i].id));
		holdings_row(&row, children_find(&old->rows[i].id));
		g_assert(memcmp(&row.id, &old->rows[i].id, sizeof(row.id)) == 0 &&
			 row.pid == old->rows[i].pid);
		g_assert(row.has_exited == old->rows[i].has_exited &&
			 row.exit.status == old->rows[i].exit.status);
	}
	for (unsigned int i = 0; i < HOLDINGS_NAMES; i++) {
		g_assert(now.has_note[i] == old->has_note[i] && now.fds[i] == old->fds[i]);
		g_assert(!now.has_note[i] || strcmp(now.notes[i], old->notes[i]) == 0);
	}
}
