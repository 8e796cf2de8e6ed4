/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Console mute: while a service uses the console exclusively, our log lines stay off it, so that
 * they do not interrupt a question.
 *
 * A service with TTYPath=/dev/console uses the console exclusively while it starts, and a task also
 * while it works. A ready daemon, such as a login, shares the console with our lines. base/log.h
 * describes which lines wait meanwhile.
 */
#include "config.h"

#include <string.h>

#include "base/log.h"
#include "manager/manager.h"

#define CONSOLE "/dev/console"

static GHashTable *on_console; /* names of services that use the console exclusively; owned */

/* An aborted start keeps the console until its processes are gone. */
static bool has_console(const Service *s)
{
	const bool was_ready = s->ready_us >= s->started_us;

	if (g_strcmp0(s->def->execution->tty, CONSOLE) != 0)
		return false;
	return s->state == STATE_STARTING || (s->state == STATE_STOPPING && !was_ready);
}

void console_mute_init(void)
{
	on_console = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
}

void console_mute_update(const Service *s)
{
	if (has_console(s))
		g_hash_table_add(on_console, g_strdup(s->def->name));
	else
		g_hash_table_remove(on_console, s->def->name);
	log_hold(g_hash_table_size(on_console) > 0);
}

void console_mute_forget(const Service *s)
{
	g_hash_table_remove(on_console, s->def->name);
	log_hold(g_hash_table_size(on_console) > 0);
}

void console_mute_recover(Manager *m)
{
	const GPtrArray *services = engine_services(m->engine);

	for (unsigned i = 0; i < services->len; i++)
		console_mute_update(g_ptr_array_index(services, i));
}
