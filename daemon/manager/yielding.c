/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Yielding: until the login screen is there services that it does not need leave it processors and disks. Who does is the
 * engine's to say when a service starts; that it is over it tells once, and then every running service is put right, for
 * the manager before this one may have begun it.
 */
#include "config.h"

#include "manager/manager.h"
#include "process/share.h"

bool yielding_asks(void *manager, const char *service)
{
	const Manager *m = manager;
	const Service *s = engine_find(m->engine, service);

	return s && engine_yields(s);
}

void yielding_check(Manager *m)
{
	GHashTableIter iter;
	gpointer supervisor;

	if (!m->is_yielding_over)
		return;
	m->is_yielding_over = false;
	g_hash_table_iter_init(&iter, m->running);
	while (g_hash_table_iter_next(&iter, NULL, &supervisor))
		supervisor_restore_share(supervisor);
	share_end(m->context.share);
}
