/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * File state: has the service file changed since the present run was started?
 *
 * A run keeps the definition that it began with. So the value of ServiceDef.mark at the start,
 * which the note contains, is compared with the present value. The mark does not cover terms,
 * because new terms apply at once.
 */
#include "config.h"

#include "engine/engine-private.h"

FileState service_file_state(const Service *s)
{
	const struct ServicePrivate *priv = s->priv;

	if (!service_is_active(s))
		return FILE_CURRENT;
	if (priv->file.is_gone)
		return FILE_GONE;
	if (priv->file.problem || s->def->problem)
		return FILE_INVALID;
	return priv->run.mark != 0 && priv->run.mark != s->def->mark ? FILE_CHANGED : FILE_CURRENT;
}

char *file_state_describe(const Service *s)
{
	switch (service_file_state(s)) {
	case FILE_CHANGED:
		return g_strdup(
			"Its service file has changed since its last start. The service keeps its "
			"earlier settings until it is restarted.");
	case FILE_GONE:
		return g_strdup(
			"Its service file is gone. The service runs until it is stopped, and is "
			"not started again.");
	case FILE_INVALID:
		return g_strdup_printf(
			"Its service file has an error now, so its earlier settings stay in "
			"force: %s",
			s->priv->file.problem ? s->priv->file.problem : s->def->problem);
	case FILE_CURRENT:
	case FILE_COUNT:
		break;
	}
	return NULL;
}

char *file_state_advise(const Service *s)
{
	switch (service_file_state(s)) {
	case FILE_CHANGED:
		return g_strdup_printf("svcctl restart %s", s->def->name);
	case FILE_GONE:
		return g_strdup_printf("svcctl stop %s", s->def->name);
	case FILE_INVALID:
		return g_strdup("svcctl check");
	case FILE_CURRENT:
	case FILE_COUNT:
		break;
	}
	return NULL;
}
